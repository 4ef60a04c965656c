"""URDF files that are not quite right and that Pinocchio reads: they are read here as well."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pinocchio
import pytest

import limbik
from limbik import FormatError

BODY = """<link name="a"/><link name="b"/>
<joint name="j" type="revolute">
<parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><axis xyz="0 1 1"/>
<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint>"""


def written(folder: Path, text: str, lower: float = -1.0, upper: float = 2.0) -> Path:
    path = folder / "r.urdf"
    path.write_text(text.replace("BODY", BODY.format(lower=lower, upper=upper)))
    return path


LENIENT = {
    "default namespace": '<robot name="r" xmlns="http://www.ros.org">BODY</robot>',
    "blank line first": '\n  <?xml version="1.0"?>\n<robot name="r">BODY</robot>',
    "blank line and encoding": '\n<?xml version="1.0" encoding="utf-8"?>\n'
    '<robot name="r">BODY</robot>',
    "version 0.0": '<?xml version="0.0" ?>\n<robot name="r">BODY</robot>',
}


@pytest.mark.parametrize("name", LENIENT)
def test_it_stands_and_is_limited_as_in_pinocchio(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, LENIENT[name])
    model = pinocchio.buildModelFromUrdf(str(path))
    figure = limbik.load(path)
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, np.array([0.7]))
    theirs = data.oMf[model.getFrameId("b")].homogeneous
    np.testing.assert_allclose(figure.frames([0.7])[1], theirs, atol=1e-12)
    assert (figure.lower[0], figure.upper[0]) == (-1.0, 2.0)


def test_a_default_namespace_in_an_inner_element_says_nothing_either(tmp_path: Path) -> None:
    text = '<robot name="r">BODY</robot>'
    path = written(tmp_path, text)
    path.write_text(path.read_text().replace("<limit ", '<limit xmlns="http://x" '))
    assert limbik.load(path).upper[0] == 2.0


def test_elements_with_a_prefix_are_still_not_ours(tmp_path: Path) -> None:
    text = '<robot name="r" xmlns="http://x" xmlns:s="http://x">BODY<s:link name="c"/></robot>'
    assert limbik.load(written(tmp_path, text)).joints == ("a", "b")


def test_lines_are_counted_from_the_top_of_the_file(tmp_path: Path) -> None:
    text = LENIENT["blank line first"].replace("BODY", '\n<link name="a"/><link/>')
    with pytest.raises(FormatError, match="<link> has no name") as caught:
        limbik.load(written(tmp_path, text))
    assert caught.value.line == 4


def test_blank_lines_do_not_hide_an_encoding(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(f'\n<?xml version="1.0" encoding="UTF-7"?>{LENIENT["version 0.0"]}')
    with pytest.raises(FormatError, match='is written in "UTF-7"'):
        limbik.load(path)


def test_a_lower_limit_above_the_upper_is_bullets_word_for_free(tmp_path: Path) -> None:
    path = written(tmp_path, '<robot name="r">BODY</robot>', 0.0, -1.0)
    assert pinocchio.buildModelFromUrdf(str(path)).nq == 1
    with pytest.warns(UserWarning, match='joint "j": lower limit 0 is above -1; it is unlimited'):
        figure = limbik.load(path)
    assert (figure.lower[0], figure.upper[0]) == (-math.inf, math.inf)


def test_what_is_said_of_many_joints_is_said_once(tmp_path: Path) -> None:
    joints = "".join(
        f'<link name="l{k}"/><joint name="j{k}" type="revolute"><parent link="b"/>'
        f'<child link="l{k}"/><mimic joint="none{k}"/></joint>'
        for k in range(50)
    )
    path = written(tmp_path, f'<robot name="r">BODY{joints}</robot>')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        limbik.load(path)
    said = [str(warning.message) for warning in caught]
    assert said == [
        'r.urdf: revolute joint "j0" has no <limit>; it is unlimited '
        '(the same holds for "j1", "j2", "j3" and 46 more)',
        'r.urdf: joint "j0" mimics "none0", which is not a joint; it moves by itself '
        '(the same holds for "j1", "j2", "j3" and 46 more)',
    ]

"""Loops of robots, beside what MuJoCo makes of them."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.robot_comparisons import load, mujoco_of, set_pose
from limbik import Figure, LimbikWarning
from limbik.maths.so3 import quat_to_matrix


def loop_errors(figure: Figure, q: np.ndarray) -> np.ndarray:
    """How far apart the two points of each loop are, and by how much they are turned."""
    frames, out = figure.frames(q), []
    for loop in figure.loops:
        a = frames[figure.index(loop.joint_a)]
        b = frames[figure.index(loop.joint_b)] if loop.joint_b else np.eye(4)
        out.append(a[:3, :3] @ loop.at_a + a[:3, 3] - b[:3, :3] @ loop.at_b - b[:3, 3])
    return np.array(out)


@pytest.mark.parametrize("name", ["agility_cassie/cassie", "robotiq_2f85/2f85"])
def test_loops_are_open_by_as_much_as_in_mujoco(name: str) -> None:
    path = real_data.find(f"robots_mjcf/{name}.xml")
    figure, (model, data) = load(path), mujoco_of(path)
    assert len(figure.loops) == sum(model.eq_type == 0)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = rng.uniform(-0.5, 0.5, figure.n)
        set_pose(figure, q, model, data)
        mujoco.mj_forward(model, data)  # type: ignore[attr-defined]
        rows = (data.efc_type == 0) & np.isin(data.efc_id, np.flatnonzero(model.eq_type == 0))
        theirs = data.efc_pos[rows].reshape(-1, 3)
        assert np.abs(theirs).max() > 0.01
        np.testing.assert_allclose(loop_errors(figure, q), theirs, atol=1e-9)


WELDED = """<mujoco><worldbody>
<body name="a" pos="0 0 1" euler="10 20 30"><joint name="ja" axis="1 2 3"/><geom size="0.1"/>
<site name="sa" pos="0.1 0.2 0.3" euler="5 6 7"/></body>
<body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0" ref="20"/><geom size="0.1"/>
<site name="sb" pos="0.3 0 0"/></body></worldbody>
<equality>{}</equality></mujoco>"""


@pytest.mark.parametrize(
    "equality",
    [
        '<weld body1="a" body2="b"/>',
        '<weld body1="a" body2="b" anchor="0.1 0.2 0.3"/>',
        '<weld body1="b" relpose="0.1 0.2 0.3 1 1 0 0"/>',
        '<connect body1="a" anchor="0.3 0 0"/>',
        '<connect site1="sa" site2="sb"/>',
        '<weld site1="sa" site2="sb"/>',
    ],
)
def test_welds_sites_and_the_world(equality: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(WELDED.format(equality))
    figure, (model, data) = load(path), mujoco_of(path)
    (loop,) = figure.loops
    q = np.array([0.2, -0.3])
    set_pose(figure, q, model, data)
    mujoco.mj_forward(model, data)  # type: ignore[attr-defined]
    np.testing.assert_allclose(
        np.abs(loop_errors(figure, q)[0]), np.abs(data.efc_pos[:3]), atol=1e-9
    )
    assert (loop.wxyz is not None) == equality.startswith("<weld")
    if loop.wxyz is not None:  # MuJoCo shows sin of half the angle, times its torquescale of 1
        a = figure.frame(q, loop.joint_a)[:3, :3]
        b = figure.frame(q, loop.joint_b)[:3, :3] if loop.joint_b else np.eye(3)
        off = np.trace((a @ quat_to_matrix(loop.wxyz)).T @ b)
        half = math.sin(0.5 * math.acos(np.clip((off - 1) / 2, -1, 1)))
        assert np.linalg.norm(data.efc_pos[3:6]) == pytest.approx(half, abs=1e-9)


def test_loops_that_are_off_or_faulty_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(WELDED.format('<weld body1="a" body2="b" active="false"/>'))
    assert limbik.load(path).loops == ()
    path.write_text(WELDED.format('<connect body1="a" body2="c" anchor="0 0 0"/>'))
    with pytest.warns(LimbikWarning, match="<connect> is left out: there is no body"):
        assert limbik.load(path).loops == ()

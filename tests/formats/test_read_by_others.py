"""What is written can be read by others: one root, names of one word, rates of single frames."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik
from helpers.gltf_samples import Sample
from limbik import Figure, FormatError, Motion
from limbik.figure.joints import Joint, euler, free, revolute, slides

TWO = [
    Joint("Left Hand", parts=slides("XYZ") + euler("ZYX"), tip=(0.0, 0.1, 0.0)),
    Joint("finger", "Left Hand", revolute("x"), (0.0, 1.0, 0.0)),
    Joint("root", parts=free(), offset=(0.0, 0.0, 2.0)),
]


def moving() -> Motion:
    figure = Figure(TWO, name="two", unit="m", up="y")
    return Motion(figure, np.random.default_rng(1).uniform(-1, 1, (4, figure.n)), 60.0, "m")


def quietly_saved(thing: Figure | Motion, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        limbik.save(thing, path, precision=12)
    return path


def test_several_roots_hang_on_one_in_bvh(tmp_path: Path) -> None:
    motion = moving()
    path = quietly_saved(motion, tmp_path / "m.bvh")
    lines = path.read_text().splitlines()
    assert [line for line in lines if line.startswith("ROOT")] == ["ROOT root_2"]
    assert "CHANNELS 6 X" in lines[4]
    back = limbik.load_motion(path)
    assert back.figure.joints == ("root_2", "Left_Hand", "finger", "root")
    np.testing.assert_allclose(back.positions()[:, 1:], motion.positions(), atol=1e-9)
    assert quietly_saved(back, tmp_path / "again.bvh").read_text() == path.read_text()


@pytest.mark.parametrize("up", ["y", "z"])
def test_several_roots_have_a_node_above_them_in_glb(tmp_path: Path, up: str) -> None:
    motion = moving()
    figure = Figure(TWO, name="two", unit="m", up=up)
    motion = Motion(figure, motion.q, motion.fps, "m")
    path = tmp_path / "m.gltf"
    limbik.save(motion, path)
    found: dict[str, Any] = json.loads(path.read_text())
    parents = {k: i for i, node in enumerate(found["nodes"]) for k in node.get("children", ())}

    def above(i: int) -> list[int]:
        return [i, *(above(parents[i]) if i in parents else [])]

    joints = found["skins"][0]["joints"]
    common = set.intersection(*({*above(i)} for i in joints))
    assert common, "the joints of a skin need a common root"
    assert found["nodes"][found["scenes"][0]["nodes"][0]]["children"] == [0, 2]
    assert len({node["name"] for node in found["nodes"]}) == len(found["nodes"])
    back = limbik.load_motion(path)
    ours = motion.positions()[:, [motion.figure.index(j) for j in motion.figure.joints]]
    theirs = back.positions()[:, [back.figure.index(j) for j in motion.figure.joints]]
    if up == "z":
        theirs = theirs[..., [0, 2, 1]] * [1.0, -1.0, 1.0]
    np.testing.assert_allclose(theirs, ours, atol=1e-5)


def test_one_root_stays_the_only_one(tmp_path: Path) -> None:
    figure = Figure(TWO[:2], name="one", unit="m", up="y")
    limbik.save(figure, tmp_path / "m.glb")
    assert limbik.load(tmp_path / "m.glb").joints == figure.joints


def test_spaces_in_names_are_underscores_in_bvh_and_told(tmp_path: Path) -> None:
    names = ["Bip01 L Hand", "Bip01_L_Hand", "Bip01  L Hand"]
    joints = [Joint("Hips", parts=free(euler("ZYX")))]
    joints += [Joint(name, "Hips", euler("ZYX"), (0.0, 1.0, 0.0)) for name in names]
    with pytest.warns(UserWarning, match=r'"Bip01 L Hand" is now "Bip01_L_Hand_2"'):
        limbik.save(Figure(joints), tmp_path / "m.bvh")
    back = limbik.load(tmp_path / "m.bvh")
    assert back.joints == ("Hips", "Bip01_L_Hand_2", "Bip01_L_Hand", "Bip01_L_Hand_3")


@pytest.mark.parametrize("ending", ["bvh", "glb", "gltf", "csv", "npz"])
@pytest.mark.parametrize("fps", [30.0, 120.0, 23.976])
def test_a_single_frame_keeps_its_rate(tmp_path: Path, ending: str, fps: float) -> None:
    figure = Figure([Joint("Hips", parts=free(euler("ZYX")))], unit="m", up="y")
    motion = Motion(figure, np.full((1, figure.n), 0.1), fps, "m")
    path = tmp_path / f"m.{ending}"
    limbik.save(motion, path)
    given = figure if ending in ("csv", "npz") else None
    back = limbik.load_motion(path, figure=given)
    assert (back.frames, back.fps) == (1, pytest.approx(fps, rel=1e-12))
    np.testing.assert_allclose(back.positions(), motion.positions(), atol=1e-6)


def test_a_rate_that_is_none_is_refused_or_left_aside(tmp_path: Path) -> None:
    figure = Figure([Joint("Hips", parts=revolute("x"))], unit="m", up="y")
    table = tmp_path / "m.csv"
    for rows in ("0,1,0\n", "0,1,-5\n", "0,1,30\n1,1,30\n"):
        table.write_text(f"time,{figure.coordinates[0]},fps\n{rows}")
        with pytest.raises(FormatError, match="fps"):
            limbik.load_motion(table, figure=figure)
    path = tmp_path / "m.gltf"
    limbik.save(Motion(figure, [[0.1]], 50.0, "m"), path)
    for wrong in (0, -1, True, "50", [50], 1e300):
        found = json.loads(path.read_text())
        found["animations"][0]["extras"]["fps"] = wrong
        (tmp_path / "n.gltf").write_text(json.dumps(found))
        assert limbik.load_motion(tmp_path / "n.gltf").fps == 30.0


def test_extensions_that_a_reader_must_know_are_told_where_it_does_not(tmp_path: Path) -> None:
    sample = Sample()
    sample.json["extensionsRequired"] = ["KHR_texture_transform", "ACME_bones", "ACME_bones", "B"]
    sample.node("a")
    path = sample.save(tmp_path, "m.gltf")
    with pytest.warns(UserWarning, match="does not know") as caught:
        limbik.load(path)
    assert [str(warning.message) for warning in caught] == [
        'm.gltf: needs "ACME_bones", "B", which limbik does not know; '
        "what depends on that is missing or wrong"
    ]
    sample.json["extensionsRequired"] = ["KHR_mesh_quantization", "VRMC_vrm", "EXT_texture_webp"]
    limbik.load(sample.save(tmp_path, "n.gltf"))

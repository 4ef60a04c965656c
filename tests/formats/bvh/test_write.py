"""Writing BVH files: what was read comes back, and any other figure stands where it stood."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.any_joint import KINDS, with_joint
from helpers.real_data import find, root
from limbik import figures
from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.joints import (
    Joint,
    Part,
    euler,
    exponential,
    free,
    prismatic,
    revolute,
    slides,
    swing_twist,
    universal,
)
from limbik.figure.limits import Range
from limbik.figure.motion import Motion
from limbik.formats import load, load_motion, save

REAL = [str(p.relative_to(root())) for p in sorted(root().glob("*bvh*/*.bvh"))] or ["cmu_bvh"]


@pytest.mark.parametrize("name", REAL)
def test_real_files_come_back(tmp_path: Path, name: str) -> None:
    clip = load_motion(find(name))
    save(clip, tmp_path / "out.bvh")
    back = load_motion(tmp_path / "out.bvh")
    assert back.figure.joints == clip.figure.joints
    assert back.figure.coordinates == clip.figure.coordinates
    assert back.fps == pytest.approx(clip.fps, rel=1e-13)
    np.testing.assert_allclose(back.q, clip.q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(back.figure.rest, clip.figure.rest, rtol=0, atol=1e-6)
    np.testing.assert_allclose(back.positions(), clip.positions(), rtol=0, atol=1e-5)
    for one, other in zip(back.figure.definition, clip.figure.definition, strict=True):
        assert (one.tip is None) == (other.tip is None)
        np.testing.assert_allclose(one.tip or (0, 0, 0), other.tip or (0, 0, 0), atol=1e-6)


@pytest.mark.parametrize("placed", [False, True])
@pytest.mark.parametrize("as_root", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_any_joint_stands_where_it_stood(
    tmp_path: Path, kind: str, as_root: bool, placed: bool
) -> None:
    fig = with_joint(kind, as_root=as_root, placed=placed)
    q = np.random.default_rng(7).uniform(-1.4, 1.4, (20, fig.n)).cumsum(axis=0)
    clip = Motion(fig, fig.project(q), 60)
    save(clip, tmp_path / "out.bvh", precision=11)
    back = load_motion(tmp_path / "out.bvh")
    order = [back.figure.joints.index(name) for name in fig.joints]
    np.testing.assert_allclose(back.positions()[:, order], clip.positions(), atol=1e-8)
    turns = np.abs(back.figure.frames(back.q)[:, order, :3, :3] - fig.frames(clip.q)[..., :3, :3])
    assert turns.max() < 1e-8
    assert back.figure.definition[back.figure.index("Hand")].tip == (0.0, 0.25, -0.5)
    rest = back.figure.positions(back.figure.rest)[order]
    if not placed and kind != "coupled" and "slide" not in kind:  # BVH's rest has no rotation
        np.testing.assert_allclose(rest[:2], fig.positions(fig.rest)[:2], atol=1e-8)


@pytest.mark.parametrize("parts", [exponential(), swing_twist("y"), euler("ZYZ")])
def test_angles_do_not_jump(tmp_path: Path, parts: tuple[Part, ...]) -> None:
    # A full turn about an axis near y passes close by the gimbal lock of Z, Y, X twice.
    turns = np.linspace(0.0, 1.9 * np.pi, 400)
    axis = np.array([0.02, 1.0, 0.01]) / np.linalg.norm([0.02, 1.0, 0.01])
    fig = Figure([Joint("Hips", parts=free()), Joint("Arm", "Hips", parts, (0, 1, 0))])
    if parts == exponential():
        arm = turns[:, None] * axis
    elif parts == euler("ZYZ"):
        arm = np.column_stack([0 * turns + 0.02, turns, 0 * turns - 0.01])
    else:
        arm = np.column_stack([0 * turns + 0.02, 0 * turns + 0.01, turns])
    clip = Motion(fig, np.column_stack([np.zeros((len(turns), 6)), arm]), 100)
    save(clip, tmp_path / "out.bvh")
    back = load_motion(tmp_path / "out.bvh")
    assert np.abs(np.diff(back.q, axis=0)).max() < np.radians(60)
    matrices = back.figure.frames(back.q)[..., :3, :3]
    np.testing.assert_allclose(matrices, fig.frames(clip.q)[..., :3, :3], atol=1e-7)


def test_a_figure_is_written_as_one_frame_at_rest(tmp_path: Path) -> None:
    fig = Figure(
        [
            Joint("Hips", parts=free(), offset=(0, 90, 0)),
            Joint("Knee", "Hips", revolute("x"), (0, -45, 0), limit=Range(0.5, 2.0)),
        ],
        name="half a leg",
    )
    save(fig, str(tmp_path / "rest.bvh"))
    clip = load_motion(tmp_path / "rest.bvh")
    assert len(clip) == 1
    np.testing.assert_allclose(clip.q[0, 1], 90)
    assert clip.figure.coordinates[6:] == ("Knee.rz", "Knee.ry", "Knee.rx")
    np.testing.assert_allclose(clip.q[0, 6:], [0.0, 0.0, 0.5], atol=1e-7)
    np.testing.assert_allclose(clip.positions()[0], fig.positions(fig.rest))
    np.testing.assert_allclose(clip.figure.rest[:3], [0, 90, 0])


def test_joints_that_turn_have_three_rotation_channels(tmp_path: Path) -> None:
    fig = Figure(
        [
            Joint("A", parts=slides("ZX") + revolute("y")),
            Joint("B", "A", (), (0, 1, 0)),
            Joint("C", "B", universal("x", "z"), (0, 1, 0)),
            Joint("D", "C", prismatic("y"), (0, 1, 0)),
        ]
    )
    clip = Motion(fig, [[1, 2, 0.3, 0.4, 0.5, 0.6]], 30)
    save(clip, tmp_path / "out.bvh")
    text = (tmp_path / "out.bvh").read_text()
    channels = [line.split()[1:] for line in text.splitlines() if "CHANNELS" in line]
    turns = [
        "".join(word[0] for word in words[1:] if word.endswith("rotation")) for words in channels
    ]
    assert turns == ["ZYX", "", "YXZ", ""]
    assert [words[0] for words in channels] == ["6", "0", "3", "3"]
    back = load_motion(tmp_path / "out.bvh")
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-6)
    # A file that has fewer keeps them: it was read by whoever made it.
    fewer = tmp_path / "fewer.bvh"
    fewer.write_text(
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\nJOINT B\n{\nOFFSET 0 1 0\n"
        "CHANNELS 2 Xrotation Zrotation\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n10 20 30\n"
    )
    once = load_motion(fewer)
    save(once, fewer)
    assert load_motion(fewer).figure.coordinates == once.figure.coordinates == ("A", "B.rx", "B.rz")


IMPORT = """
import sys, bpy, addon_utils, numpy as np
bpy.ops.wm.read_factory_settings(use_empty=True)
addon_utils.enable("io_anim_bvh")
bpy.ops.import_anim.bvh(
    filepath=sys.argv[1], axis_forward="Y", axis_up="Z", rotate_mode="QUATERNION",
    update_scene_fps=False, update_scene_duration=False, use_fps_scale=False, global_scale=1.0,
)
figure = bpy.context.object
heads = {bone.name: [] for bone in figure.pose.bones}
for frame in range(int(sys.argv[2])):
    bpy.context.scene.frame_set(1 + frame)
    for bone in figure.pose.bones:
        heads[bone.name].append(tuple(figure.matrix_world @ bone.head))
np.savez(sys.argv[3], **heads)
"""


def blender_python() -> str | None:
    """A Python that has Blender's module: this one, or the one LIMBIK_TEST_BLENDER names."""
    here = sys.executable if importlib.util.find_spec("bpy") else None
    return os.environ.get("LIMBIK_TEST_BLENDER") or here


@pytest.mark.skipif(blender_python() is None, reason="needs Blender: pip install limbik[blender]")
@pytest.mark.parametrize("name", ["human", "of all kinds", "spider", "arm"])
def test_blender_sees_the_joints_where_they_are(tmp_path: Path, name: str) -> None:
    if name == "human":
        clip = figures.cartwheel()[::100]
    else:
        make = {"spider": figures.spider, "arm": figures.arm}
        fig = make[name]() if name in make else Figure(
            [
                Joint("Root", parts=slides("YX") + revolute("z")),
                *(
                    Joint(kind.replace(" ", "_"), "Root", parts, (0.1 * k, 1.0, 0.2), tip=(0, 1, 0))
                    for k, (kind, parts) in enumerate(KINDS.items())
                    if "coupled" not in kind
                ),
            ]
        )  # fmt: skip
        q = np.random.default_rng(3).uniform(-1, 1, (6, fig.n))
        clip = Motion(fig, fig.project(q), 30)
    python = blender_python()
    assert python is not None  # or the test was skipped
    save(clip, tmp_path / "out.bvh", precision=9)
    (tmp_path / "look.py").write_text(IMPORT)
    command = [python, "look.py", "out.bvh", str(len(clip)), "heads.npz"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "heads.npz") as heads:
        assert set(heads) == set(clip.figure.joints)
        for i, joint in enumerate(clip.figure.joints):  # Blender computes in single precision
            np.testing.assert_allclose(heads[joint], clip.positions()[:, i], atol=1e-5)


def test_joints_that_collapse_onto_their_parents_are_not_read_as_added(tmp_path: Path) -> None:
    fig = Figure(
        [
            Joint("Base", parts=revolute("z")),
            Joint("One", "Base", slides(), (0, 10, 0)),
            Joint("Two", "One", slides(), (0, 20, 0)),
        ]
    )
    q = np.zeros((5, fig.n))
    q[:, 2], q[:, 5] = -10, -20 + np.arange(5) / 10
    clip = Motion(fig, q, 10)
    save(clip, tmp_path / "out.bvh")
    np.testing.assert_allclose(load_motion(tmp_path / "out.bvh").positions(), clip.positions())


def test_text_is_plain(tmp_path: Path) -> None:
    fig = Figure([Joint("LeftHand:1", parts=slides("XYZ"), tip=(-1e-9, 2, 0))])
    save(Motion(fig, [[-1e-7, -1.23456789, 1e7]], 1 / 0.0083333), tmp_path / "a.bvh", precision=3)
    assert (tmp_path / "a.bvh").read_bytes().decode() == (
        "HIERARCHY\nROOT LeftHand:1\n{\n\tOFFSET 0.000 0.000 0.000\n"
        "\tCHANNELS 3 Xposition Yposition Zposition\n"
        "\tEnd Site\n\t{\n\t\tOFFSET 0.000 2.000 0.000\n\t}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.0083333\n0.000 -1.235 10000000.000\n"
    )


def test_a_long_chain(tmp_path: Path) -> None:
    joints = [Joint("0", parts=euler("ZYX"))]
    joints += [Joint(str(i), str(i - 1), euler("ZYX"), (0, 1, 0)) for i in range(1, 2000)]
    save(Figure(joints), tmp_path / "chain.bvh")
    assert load(tmp_path / "chain.bvh").joints == tuple(str(i) for i in range(2000))
    assert (tmp_path / "chain.bvh").stat().st_size < 2e6


@pytest.mark.parametrize("name", ["two\nlines", " spaces ", "a {brace", "half\ud800"])
def test_names_that_a_file_cannot_hold(tmp_path: Path, name: str) -> None:
    (tmp_path / "out.bvh").write_text("what was there")
    with pytest.raises(FormatError, match=r"out.bvh: a BVH file cannot hold the joint name"):
        save(Figure([Joint(name)]), tmp_path / "out.bvh")
    assert [p.name for p in tmp_path.iterdir()] == ["out.bvh"]
    assert (tmp_path / "out.bvh").read_text() == "what was there"


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    fig = Figure([Joint("Hips", parts=free())])
    (tmp_path / "taken.bvh").mkdir()
    with pytest.raises(FormatError, match=r"^taken.bvh: cannot be written: "):
        save(fig, tmp_path / "taken.bvh")
    assert [p.name for p in tmp_path.iterdir()] == ["taken.bvh"]
    with pytest.raises(FormatError, match=r"^out.bvh: cannot be written: No such file"):
        save(fig, tmp_path / "nowhere" / "out.bvh")
    with pytest.raises(FormatError, match=r"precision must lie within 0 and 17 decimals, not 40"):
        save(fig, tmp_path / "out.bvh", precision=40)
    with pytest.raises(FormatError, match=r"out.pdf: .pdf is not a format limbik writes"):
        save(fig, tmp_path / "out.pdf")

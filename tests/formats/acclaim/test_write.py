"""ASF and AMC files as limbik writes them, read by limbik and by an evaluation of their own.

No package on PyPI reads ASF and AMC and installs today (fairmotion, which has a reader, asks for
torch 1.4), so ``places`` reads them here, by the format's rules and SciPy's rotations.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from helpers.any_joint import KINDS, with_joint
from helpers.real_data import find
from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.joints import (
    Joint,
    Part,
    euler,
    free,
    prismatic,
    revolute,
)
from limbik.figure.limits import Range
from limbik.figure.motion import Motion


def places(skeleton: Path, motion: Path) -> dict[str, np.ndarray]:
    """(frames, 3) where each bone starts, in the order of the lines that CMU's files have."""
    head, _, rest = skeleton.read_text().partition(":bonedata\n")
    data, _, tree = rest.partition(":hierarchy\n")
    words = {line.split()[0]: line.split()[1:] for line in head.split(":root")[1].splitlines()[1:]}
    root = Rotation.from_euler("xyz", [float(v) for v in words["orientation"]], degrees=True)
    bones = {"root": (np.array(words["position"], float), root, words.get("order", []))}
    for block in data.split("  begin\n")[1:]:
        keys = [line.split() for line in block.splitlines()]
        assert [key[0] for key in keys[:5]] == ["id", "name", "direction", "length", "axis"]
        assert keys[4][4] == "XYZ"
        end = np.array(keys[2][1:], float) * float(keys[3][1])
        axis = Rotation.from_euler("xyz", [float(v) for v in keys[4][1:4]], degrees=True)
        bones[keys[1][1]] = (end, axis, keys[5][1:] if keys[5][0] == "dof" else [])
    frames = motion.read_text().partition(":DEGREES\n")[2].splitlines()
    out: dict[str, list[np.ndarray]] = {name: [] for name in bones}
    at = [k for k, line in enumerate(frames) if line.isdigit()]
    for k, (first, last) in enumerate(zip(at, [*at[1:], len(frames)], strict=True), 1):
        assert frames[first] == str(k)
        values = {line.split()[0]: line.split()[1:] for line in frames[first + 1 : last]}
        starts: dict[str, np.ndarray] = {}
        turns: dict[str, Rotation] = {}
        ends: dict[str, np.ndarray] = {}
        for line in ["world root", *tree.splitlines()[1:-1]]:
            parent, *children = line.split()
            for name in children:
                end, axis, dof = bones[name]
                given = dict(zip(dof, map(float, values.get(name, [])), strict=True))
                slid = [given.get(t, given.get(t.upper(), 0.0)) for t in ("tx", "ty", "tz")]
                m = Rotation.identity()
                for key, value in given.items():
                    if key.lower()[0] == "r":
                        m = Rotation.from_euler(key.lower()[1], value, degrees=True) * m
                local = axis * m * axis.inv()
                if parent == "world":
                    starts[name], turns[name] = end + slid, local
                    ends[name] = starts[name]
                else:
                    starts[name] = ends[parent] + turns[parent].apply(slid)
                    turns[name] = turns[parent] * local
                    ends[name] = starts[name] + turns[name].apply(end)
        for name, start in starts.items():
            out[name].append(start)
    return {name: np.array(found) for name, found in out.items()}


def agree(clip: Motion, folder: Path, *, atol: float = 1e-6, precision: int = 6) -> Motion:
    """Save a clip, and find its joints in what is read back by limbik and by ``places``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        limbik.save(clip, folder / "out.amc", precision=precision)
        back = limbik.load_motion(folder / "out.amc")
    elsewhere = places(folder / "out.asf", folder / "out.amc")
    here, there = clip.positions(), back.positions()
    roots = [name for name, p in zip(clip.figure.joints, clip.figure.parents, strict=True) if p < 0]
    for i, name in enumerate(clip.figure.joints):
        bone = "root" if roots == [name] else name.replace(" ", "_")
        np.testing.assert_allclose(there[:, back.figure.index(bone)], here[:, i], atol=atol)
        np.testing.assert_allclose(elsewhere[bone], here[:, i], atol=atol)
    return back


def test_the_cartwheel(tmp_path: Path) -> None:
    clip = limbik.figures.cartwheel()[::60]
    back = agree(clip, tmp_path)
    human = clip.figure
    for name in ("LeftLeg.rx", "LeftLeg.ry", "LeftFoot.rz"):
        here, there = human.coordinates.index(name), back.figure.coordinates.index(name)
        ends = human.lower[here], human.upper[here]
        if name == "LeftFoot.rz":  # that joint turns about −z
            ends = -ends[1], -ends[0]
        assert (back.figure.lower[there], back.figure.upper[there]) == pytest.approx(ends)
    # A cone becomes ranges of Euler angles around it, so what was inside still is.
    assert np.isfinite(back.figure.lower[back.figure.coordinates.index("LeftUpLeg.rx")])
    assert np.max(back.figure.violation(back.q)) < 1e-6


@pytest.mark.parametrize(
    "name", ["cmu_bvh/49_08.bvh", "bvh_other/bvhtoolbox_walk01.bvh", "bvh_other/akjava_tpose.bvh"]
)
def test_real_clips(tmp_path: Path, name: str) -> None:
    clip = limbik.load_motion(find(name))
    agree(clip[: 300 : max(1, min(60, clip.frames // 4))], tmp_path, precision=9)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_clip_from_gltf(tmp_path: Path) -> None:
    clip = limbik.load_motion(find("gltf/CesiumMan.glb"))
    agree(clip[::20], tmp_path)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("robot", ["erd_romeo.urdf", "dmc_humanoid_CMU_V2020.xml"])
def test_robots(tmp_path: Path, robot: str) -> None:
    fig = limbik.load(find(f"robots/{robot}"))
    q = fig.project(np.random.default_rng(1).uniform(-2, 2, (5, fig.n)))
    agree(Motion(fig, q, 120), tmp_path, precision=9)


@pytest.mark.parametrize("placed", [False, True])
@pytest.mark.parametrize("as_root", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_any_joint_stands_where_it_stood(
    tmp_path: Path, kind: str, as_root: bool, placed: bool
) -> None:
    fig = with_joint(kind, as_root=as_root, placed=placed)
    q = np.random.default_rng(7).uniform(-1.4, 1.4, (8, fig.n)).cumsum(axis=0)
    back = agree(Motion(fig, fig.project(q), 120), tmp_path, atol=1e-8, precision=11)
    plain = ("revolute", "universal", "oblique revolute", "oblique universal", "prismatic")
    if kind in plain and not (placed and kind == "prismatic"):
        assert len(back.figure.coordinates_of("root" if as_root else "Tested")) == len(KINDS[kind])
    end = back.figure.definition[back.figure.index("Hand")].tip
    assert np.linalg.norm(end or 0.0) == pytest.approx(np.hypot(0.25, 0.5))


@pytest.mark.parametrize(
    ("parts", "limit"),
    [
        (revolute("-y"), Range(-0.5, 1.0)),
        (revolute([1, 2, 2]), Range(-0.5, 1.0)),
        (euler("XZY"), Range([-0.1, -0.2, -np.inf], [0.3, 0.4, 0.5])),
        (prismatic("-z"), Range(-2.0, 3.0)),
    ],
)
def test_limits_hold_the_same_poses(tmp_path: Path, parts: tuple[Part, ...], limit: Range) -> None:
    fig = Figure([Joint("Base"), Joint("A", "Base", parts, limit=limit, tip=(0, 1, 0))])
    limbik.save(fig, tmp_path / "a.asf")
    back = limbik.load(tmp_path / "a.asf")
    assert back.n == fig.n
    ends = [(fig.lower, fig.upper), (back.lower, back.upper)]
    sizes = [sorted(np.round(high - low, 9)) for low, high in ends]
    assert sizes[0] == sizes[1]
    if len(parts) == 1:
        tips = []
        for figure in (fig, back):
            name = figure.joints[-1]
            tip = np.array([*(figure.definition[-1].tip or (0, 0, 0)), 1.0])
            both = figure.frames(np.stack([figure.lower, figure.upper]))[:, figure.index(name)]
            tips.append(sorted(map(tuple, np.round(both @ tip, 9).tolist())))
        np.testing.assert_allclose(tips[0], tips[1], atol=1e-8)


def test_names_that_the_format_cannot_hold(tmp_path: Path) -> None:
    fig = Figure(
        [
            Joint("Hips", parts=free()),
            Joint("root", "Hips", revolute("x"), (0, 1, 0)),
            Joint("Left (upper) arm", "root", revolute("x"), (0, 1, 0)),
            Joint("Left upper,arm", "root", revolute("x"), (0, 1, 0)),
            Joint("3", "root", revolute("x"), (0, 1, 0)),
            Joint("end", "3", revolute("x"), (0, 1, 0)),
            Joint("100 %d", "3", revolute("x"), (0, 1, 0)),
        ]
    )
    clip = Motion(fig, np.random.default_rng(0).normal(size=(3, fig.n)), 120)
    limbik.save(clip, tmp_path / "a.amc")
    back = limbik.load_motion(tmp_path / "a.amc")
    names = ("root", "root_2", "Left_upper_arm", "Left_upper_arm_2", "bone_3", "bone_end")
    at = [back.figure.index(name) for name in (*names, "bone_100_%d")]
    np.testing.assert_allclose(back.positions()[:, at], clip.positions(), atol=1e-6)


def test_several_roots(tmp_path: Path) -> None:
    fig = Figure(
        [
            Joint("A", parts=free(), offset=(1, 2, 3)),
            Joint("B", parts=revolute("x"), offset=(0, 1, 0), wxyz=(0.6, 0.8, 0, 0)),
            Joint("C", "B", revolute("z"), offset=(0, 1, 0)),
        ]
    )
    clip = Motion(fig, np.random.default_rng(0).normal(size=(3, fig.n)), 120)
    agree(clip, tmp_path, precision=9)


def test_a_clip_of_a_skeleton_file_is_written_for_that_file(tmp_path: Path) -> None:
    clip = limbik.load_motion(find("cmu_asfamc/02_01.amc"))[:20]
    limbik.save(clip.onto(clip.figure.with_balls("swing-twist")), tmp_path / "out.amc", precision=9)
    assert [file.name for file in tmp_path.iterdir()] == ["out.amc"]
    back = limbik.load_motion(tmp_path / "out.amc", figure=limbik.load(find("cmu_asfamc/02.asf")))
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-7)
    first = (tmp_path / "out.amc").read_text().split("\n2\n")[0].splitlines()
    theirs = find("cmu_asfamc/02_01.amc").read_text().split("\n2\n")[0].splitlines()
    rows = {line.split()[0]: np.array(line.split()[1:], float) for line in theirs[3:]}
    for line in first[4:]:
        name, *values = line.split()
        np.testing.assert_allclose(np.array(values, float), rows.pop(name), atol=1e-4)
    assert set(rows) == {"1"}


def test_a_skeleton_file_comes_back(tmp_path: Path) -> None:
    figure = limbik.load(find("cmu_asfamc/02.asf"))
    limbik.save(figure, tmp_path / "out.asf")
    back = limbik.load(tmp_path / "out.asf")
    assert (back.joints, back.coordinates) == (figure.joints, figure.coordinates)
    np.testing.assert_allclose(back.lower, figure.lower, atol=1e-14)
    np.testing.assert_allclose(back.upper, figure.upper, atol=1e-14)
    frames = [f.frames(np.linspace(-0.5, 0.5, f.n)) for f in (figure, back)]
    np.testing.assert_allclose(frames[0], frames[1], atol=1e-11)


def test_what_is_said_and_refused(tmp_path: Path) -> None:
    clip = limbik.figures.cartwheel()
    with pytest.warns(UserWarning, match="AMC has no frame rate, and other programs assume 120"):
        limbik.save(clip[:4:2], tmp_path / "a.amc")
    assert limbik.load_motion(tmp_path / "a.amc").fps == 60.0
    text = (tmp_path / "a.amc").read_text()
    (tmp_path / "a.amc").write_text(text.replace("frames per second", "frames a second"))
    assert limbik.load_motion(tmp_path / "a.amc").fps == 60.0  # as earlier versions wrote it
    with pytest.raises(FormatError, match=r"holds no motion: save it as \.amc"):
        limbik.save(clip, tmp_path / "a.asf")
    with pytest.raises(FormatError, match="nothing moves"):
        limbik.save(Figure([Joint("A")]), tmp_path / "b.amc")
    with pytest.raises(FormatError, match="precision must lie"):
        limbik.save(clip, tmp_path / "b.amc", precision=18)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.amc", "a.asf"]

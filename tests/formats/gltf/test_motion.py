"""glTF animations: every interpolation, the frame rate, and the joints where the nodes go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

import limbik
from helpers.gltf_samples import Plain, Sample, leg, xyzw
from helpers.real_data import find
from limbik.errors import FormatError, NoMotionError
from limbik.formats.gltf import read as gltf
from limbik.formats.gltf.rig import rig_of

REAL = {
    # frames per second, and frames
    "gltf/Fox.glb": {"Survey": (24, 83), "Walk": (24, 18), "Run": (120, 140)},
    "gltf/RiggedFigure.glb": {"clip 1": (24, 31)},
    "gltf/SimpleSkin_embedded.gltf": {"clip 1": (30, 166)},
    "gltf/kaykit_Med_MovementBasic.glb": {
        "Rig_Medium|Jump_Full_Long": (30, 71),
        "Rig_Medium|Jump_Full_Short": (30, 36),
        "Rig_Medium|Jump_Idle": (30, 33),
        "Rig_Medium|Jump_Land": (30, 21),
        "Rig_Medium|Jump_Start": (30, 19),
        "Rig_Medium|Running_A": (30, 25),
        "Rig_Medium|Running_B": (30, 25),
        "Rig_Medium|T-Pose": (30, 2),
        "Rig_Medium|Walking_A": (30, 33),
        "Rig_Medium|Walking_B": (30, 33),
        "Rig_Medium|Walking_C": (30, 49),
    },
}


def against_plain(path: Path, motions: dict[str, limbik.Motion]) -> float:
    """The largest distance between joints and nodes in all clips, as a share of the figure."""
    plain, worst = Plain(path), 0.0
    for k, motion in enumerate(motions.values()):
        bound = rig_of(motion.figure).bound
        nodes = [bound[joint].node for joint in motion.figure.joints]
        start, positions = plain.start(k), motion.positions()
        for frame in range(0, len(motion), 7):
            worlds = plain.at(k, start + frame / motion.fps)
            away = np.abs(positions[frame] - worlds[nodes, :3, 3]).max()
            worst = max(worst, float(away) / motion.figure.size)
    return worst


@pytest.mark.parametrize("name", REAL)
def test_real_clips_move_as_the_plain_reading_does(name: str) -> None:
    path = find(name)
    motions = gltf.clips(path)
    assert {key: (m.fps, len(m)) for key, m in motions.items()} == REAL[name]
    assert against_plain(path, motions) < 1e-5
    figure = next(iter(motions.values())).figure
    assert figure.coordinates == limbik.load(path).coordinates
    for motion in motions.values():
        assert np.max(figure.violation(motion.q)) < 1e-9


def test_small_shifts_of_joints_are_left_out_and_said() -> None:
    path = find("gltf/CesiumMan.glb")
    with pytest.warns(UserWarning, match=r"2 joints along their bones, by 0.00301 m at most"):
        motion = limbik.load_motion(path)
    assert (motion.fps, len(motion), motion.name) == (24, 48, "clip 1")
    assert 1e-3 < against_plain(path, {"clip 1": motion}) < 5e-3


def test_the_first_of_several_clips_is_taken_and_the_others_named() -> None:
    with pytest.warns(UserWarning, match=r'"Survey" is the first of 3 clips \(Survey, Walk, Run\)'):
        motion = limbik.load_motion(find("gltf/Fox.glb"))
    assert motion.name == "Survey"


TURNS = [xyzw("x", 0), xyzw("x", 90), xyzw("y", 30)]


def knee_turns(tmp_path: Path, way: str, times: list[float], values: object) -> limbik.Motion:
    sample = leg()
    sample.animate([(2, "rotation", times, values)], way=way)
    return limbik.load_motion(sample.save(tmp_path))


def knee(motion: limbik.Motion) -> Rotation:
    """The rotation of the knee's node in every frame."""
    frames = motion.figure.frames(motion.q)
    hip, knee = frames[:, 0, :3, :3], frames[:, 1, :3, :3]
    return Rotation.from_matrix(np.swapaxes(hip, 1, 2) @ knee)


def same(one: Rotation, other: Rotation) -> None:
    assert (one.inv() * other).magnitude().max() < 1e-6


def test_linear(tmp_path: Path) -> None:
    motion = knee_turns(tmp_path, "LINEAR", [0, 1, 2], TURNS)
    assert (motion.fps, len(motion)) == (30, 61)
    same(knee(motion)[15:16], Rotation.from_quat([xyzw("x", 45)]))
    same(knee(motion)[60:], Rotation.from_quat([TURNS[2]]))


def test_step(tmp_path: Path) -> None:
    motion = knee_turns(tmp_path, "STEP", [0, 1, 2], TURNS)
    held = [TURNS[0]] * 30 + [TURNS[1]] * 30 + [TURNS[2]]
    same(knee(motion), Rotation.from_quat(held))


def test_steps_come_at_their_frames_though_float32_puts_them_later(tmp_path: Path) -> None:
    """0.1, 0.2, 0.3 and 0.7 seconds are frames 3, 6, 9 and 21; the nearest float32 lie beside."""
    times = [0, 0.1, 0.2, 0.3, 0.7, 1.0]
    motion = knee_turns(tmp_path, "STEP", times, [xyzw("x", 10 * k) for k in range(6)])
    degrees = np.repeat([0, 10, 20, 30, 40, 50], [3, 3, 3, 12, 9, 1])
    same(knee(motion), Rotation.from_quat([xyzw("x", angle) for angle in degrees]))


def test_cubic_spline(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    times = np.array([0.0, 0.5, 2.0])
    keys = rng.normal(0, 0.4, (3, 3, 4))
    keys[:, 1] = TURNS
    motion = knee_turns(tmp_path, "CUBICSPLINE", times.tolist(), keys.reshape(-1, 4))
    seconds = np.arange(61) / 30
    expected = np.empty((61, 4))
    for k in range(2):  # tangents differ before and after a key
        ends = [k, k + 1]
        slopes = np.array([keys[k, 2], keys[k + 1, 0]])
        piece = CubicHermiteSpline(times[ends], keys[ends, 1], slopes)
        inside = (seconds >= times[k]) & (seconds <= times[k + 1])
        expected[inside] = piece(seconds[inside])
    same(knee(motion), Rotation.from_quat(expected))


def test_cubic_shifts_stay_within_the_limits_they_make(tmp_path: Path) -> None:
    sample = leg()
    values = [[0, 0, 0], [0, -0.5, 0.1], [0, 9, 0], [0, -3, 0], [0, -0.4, 0.1], [0, 0, 0]]
    sample.animate([(2, "translation", [0, 1], values)], way="CUBICSPLINE")
    motion = limbik.load_motion(sample.save(tmp_path))
    figure = motion.figure
    assert figure.n == 6 + 6 + 3
    assert float(np.ptp(motion.q[:, figure.coordinates.index("knee.ty")])) > 0.5
    assert np.max(figure.violation(motion.q)) == 0.0


@pytest.mark.parametrize(
    ("component", "full"), [(5120, 127), (5121, 255), (5122, 32767), (5123, 65535)]
)
def test_rotations_may_be_normalised_integers(tmp_path: Path, component: int, full: int) -> None:
    sample = leg()
    values = np.round(np.array([xyzw("x", 0), xyzw("x", 90)]) * full)
    sample.animate([(2, "rotation", [0, 1], np.zeros((2, 4)))])
    packed = sample.add(values, "VEC4", component, normalized=True)
    sample.json["animations"][0]["samplers"][0]["output"] = packed
    motion = limbik.load_motion(sample.save(tmp_path))
    end = Rotation.from_quat([xyzw("x", 90)])
    assert (knee(motion)[30:].inv() * end).magnitude()[0] < 2 / full


def test_sparse_accessors(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [0, 1, 2], [TURNS[0]] * 3)])
    output = sample.json["animations"][0]["samplers"][0]["output"]
    sample.json["accessors"][output]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": sample.view(b"\1\0"), "componentType": 5123},
        "values": {"bufferView": sample.view(np.array(TURNS[1], "<f4").tobytes())},
    }
    motion = limbik.load_motion(sample.save(tmp_path))
    same(knee(motion)[[0, 30, 60]], Rotation.from_quat([TURNS[0], TURNS[1], TURNS[0]]))


def test_interleaved_accessors(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], TURNS[:2])])
    rows = np.zeros((2, 6), "<f4")
    rows[:, 1:5] = TURNS[:2]
    view = sample.view(rows.tobytes(), byteStride=24)
    output = sample.json["animations"][0]["samplers"][0]["output"]
    sample.json["accessors"][output] |= {"bufferView": view, "byteOffset": 4}
    motion = limbik.load_motion(sample.save(tmp_path))
    same(knee(motion)[[0, 30]], Rotation.from_quat(TURNS[:2]))


@pytest.mark.parametrize(
    ("times", "fps", "frames"),
    [
        (np.arange(20) / 60, 60, 20),  # as many as there are
        (np.arange(198_000, 200_000) / 120, 120, 2_000),  # though float32 cannot say them
        (np.arange(9) / 23.976, 23.976, 9),
        (np.arange(9) / 10, 10, 9),  # which float32 makes 9.9999999
        (np.arange(4) / 5, 30, 19),  # too few to be frames
        ([0.25, 0.5, 1.0], 24, 19),  # on no frame of 30
        ([0, 1 / 25, 11 / 25], 25, 12),
        ([0, 0.7], 30, 22),
        ([0, 0.1234, 0.3], 30, 10),  # on none at all
        ([2.0], 30, 1),
    ],
)
def test_frame_rate(tmp_path: Path, times: list[float], fps: float, frames: int) -> None:
    sample = Sample()
    node = sample.node("door")
    turns = [xyzw("y", k) for k in range(90)]
    sample.animate([(node, "rotation", times, [turns[k % 90] for k in range(len(times))])])
    motion = limbik.load_motion(sample.save(tmp_path))
    assert motion.fps == pytest.approx(fps, rel=1e-4)
    assert len(motion) == frames


def test_a_flat_hand_moves_as_its_nodes_do(tmp_path: Path) -> None:
    sample = Sample()
    rig = sample.node("rig", rotation=xyzw("x", 40), scale=[2, 2, 2])
    names = [
        "wrist",
        "index-finger-metacarpal",
        "index-finger-phalanx-proximal",
        "index-finger-tip",
    ]
    joints = [sample.node(n, rig, translation=[0, -k, 0.1 * k]) for k, n in enumerate(names)]
    sample.put("skins", {"joints": joints})
    # The whole hand turns about the rig's origin: flat joints need turns and shifts for it.
    times, channels = np.arange(11) / 10, []
    for k, joint in enumerate(joints):
        turns = Rotation.from_rotvec(np.outer(times, [0.5, 0.0, 2.0]))
        channels.append((joint, "rotation", times, turns.as_quat()))
        channels.append((joint, "translation", times, turns.apply([0, -k, 0.1 * k])))
    sample.animate(channels)
    path = sample.save(tmp_path)
    motion = limbik.load_motion(path)
    assert motion.figure.parents.tolist() == [-1, 0, 1, 2]
    assert against_plain(path, {"clip 1": motion}) < 1e-6


def test_a_clip_goes_onto_a_figure_with_the_same_joints(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], TURNS[:2])])
    path = sample.save(tmp_path)
    figure = limbik.load(path).with_balls("euler")
    motion = limbik.load_motion(path, figure=figure)
    assert motion.figure is figure
    np.testing.assert_allclose(motion.positions(), limbik.load_motion(path).positions(), atol=1e-9)
    with pytest.raises(FormatError, match="hangs elsewhere"):
        limbik.load_motion(path, figure=limbik.figures.human())


def test_a_file_without_a_clip_of_its_joints_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoMotionError, match="no animation of its joints"):
        limbik.load_motion(leg().save(tmp_path))

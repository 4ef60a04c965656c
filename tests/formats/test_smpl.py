"""Motions of SMPL bodies: the model's formula, another implementation's joints, what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from helpers.real_data import find
from limbik.errors import FormatError, LimbikWarning
from limbik.formats.smpl.skeleton import TREES, average_joints

KINTREE = {
    count: np.array(
        [
            [2**32 - 1] + [list(tree).index(parent) for parent, _ in list(tree.values())[1:]],
            range(count),
        ],
        np.uint32,
    )
    for count, tree in TREES.items()
}


def clip(path: Path, count: int = 24, **more: Any) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(count)
    arrays = {
        "poses": rng.normal(0, 0.4, (3, 3 * count)),
        "trans": rng.normal(0, 1, (3, 3)),
        "betas": rng.normal(0, 1, 10),
        "mocap_framerate": np.array(60.0),
    }
    arrays |= more
    np.savez(path, **arrays)
    return arrays


def model(path: Path, count: int = 24) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    arrays = {
        "v_template": rng.normal(0, 0.3, (40, 3)),
        "shapedirs": rng.normal(0, 0.01, (40, 3, 10)),
        "J_regressor": rng.dirichlet(np.ones(40), count),
        "kintree_table": KINTREE[count],
    }
    np.savez(path, **arrays, posedirs=np.array([{}], object))  # pickled, and never read
    return arrays


@pytest.mark.parametrize("count", [24, 52, 55])
def test_joints_are_where_the_model_has_them(tmp_path: Path, count: int) -> None:
    said, body = clip(tmp_path / "a.npz", count), model(tmp_path / "model.npz", count)
    motion = limbik.load_motion(tmp_path / "a.npz", model=tmp_path / "model.npz")
    at = body["J_regressor"] @ (body["v_template"] + body["shapedirs"] @ said["betas"])
    parents = KINTREE[count][0].astype(np.int64)
    for frame in range(3):
        turns, places = [], []
        for k in range(count):
            turn = Rotation.from_rotvec(said["poses"][frame, 3 * k : 3 * k + 3])
            if k == 0:
                turns.append(turn)
                places.append(at[0] + said["trans"][frame])
            else:
                above = parents[k]
                turns.append(turns[above] * turn)
                places.append(places[above] + turns[above].apply(at[k] - at[above]))
        np.testing.assert_allclose(motion.positions()[frame], places, atol=1e-12)
    assert (motion.fps, motion.figure.unit, motion.figure.up) == (60.0, "m", "z")


def test_without_a_model_the_bones_are_average_and_that_is_said(tmp_path: Path) -> None:
    clip(tmp_path / "a.npz")
    with pytest.warns(LimbikWarning, match="no bone lengths; those of an average adult"):
        motion = limbik.load_motion(tmp_path / "a.npz")
    standing = motion.figure.positions(motion.figure.rest)
    assert standing[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert 1.5 < standing[:, 2].max() < 1.7  # the joint of the head, below its top
    assert limbik.humanoid.recognise(motion.figure).missing == ()


def test_pieces_are_the_same_as_the_whole(tmp_path: Path) -> None:
    said, body = clip(tmp_path / "a.npz", 55), model(tmp_path / "model.npz", 55)
    assert body
    parts = {"root_orient": 3, "pose_body": 63, "pose_jaw": 3, "pose_eye": 6, "pose_hand": 90}
    ends = np.cumsum(list(parts.values()))
    pieces = dict(zip(parts, np.split(said.pop("poses"), ends[:-1], axis=1), strict=True))
    said["mocap_frame_rate"] = said.pop("mocap_framerate")
    np.savez(tmp_path / "b.npz", **said, **pieces)
    one, two = (
        limbik.load_motion(tmp_path / f"{name}.npz", model=tmp_path / "model.npz") for name in "ab"
    )
    np.testing.assert_array_equal(one.q, two.q)


def test_rotation_vectors_do_not_jump(tmp_path: Path) -> None:
    poses = np.zeros((5, 66))
    poses[:, 2] = [3.0, 3.1, 3.2 - 2 * np.pi, 3.3 - 2 * np.pi, 3.4 - 2 * np.pi]
    clip(tmp_path / "a.npz", 22, poses=poses, trans=np.zeros((5, 3)))
    with pytest.warns(LimbikWarning):
        motion = limbik.load_motion(tmp_path / "a.npz")
    np.testing.assert_allclose(motion.q[:, 5], [3.0, 3.1, 3.2, 3.3, 3.4], atol=1e-12)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    clip(tmp_path / "a.npz", poses=np.array([{"a": 1}], object))
    with pytest.raises(FormatError, match="holds object, which is of no use"):
        limbik.load_motion(tmp_path / "a.npz")
    clip(tmp_path / "a.npz")
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({}))
    with pytest.raises(FormatError, match=r"model\.pkl: is a pickle, which can run any program"):
        limbik.load_motion(tmp_path / "a.npz", model=tmp_path / "model.pkl")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"poses": np.zeros((3, 70))}, r"poses of shape \(3, 70\)"),
        ({"poses": np.zeros((2, 72))}, "and 3 frames"),
        ({"poses": np.full((3, 72), np.nan)}, "is not finite"),
        ({"trans": np.zeros((3, 2))}, r"has the shape \(3, 2\), not \(any, 3\)"),
        ({"betas": np.full(10, np.inf)}, "must be numbers"),
        ({"mocap_framerate": np.array(0.0)}, "fps must be above 0"),
        ({"trans": np.zeros((0, 3)), "poses": np.zeros((0, 72))}, "has no frames"),
    ],
)
def test_what_is_refused(tmp_path: Path, change: dict[str, np.ndarray], sentence: str) -> None:
    clip(tmp_path / "a.npz", **change)
    with pytest.raises(FormatError, match=sentence):
        limbik.load_motion(tmp_path / "a.npz")


def test_models_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    clip(tmp_path / "a.npz")
    model(tmp_path / "h.npz", 52)
    with pytest.raises(FormatError, match="the motion is of SMPL, the model of SMPL-H"):
        limbik.load_motion(tmp_path / "a.npz", model=tmp_path / "h.npz")
    with pytest.raises(FormatError, match="is not a body model"):
        limbik.load_motion(tmp_path / "a.npz", model=tmp_path / "a.npz")
    arrays = model(tmp_path / "m.npz")
    arrays["kintree_table"] = arrays["kintree_table"][:, ::-1]
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(FormatError, match="do not hang together"):
        limbik.load_motion(tmp_path / "a.npz", model=tmp_path / "m.npz")
    limbik.save(limbik.figures.cartwheel()[:2], tmp_path / "a.bvh")
    with pytest.raises(FormatError, match="model: is for"):
        limbik.load_motion(tmp_path / "a.bvh", model=tmp_path / "m.npz")


def test_average_joints_have_two_alike_sides() -> None:
    for count, tree in TREES.items():
        at = dict(zip(tree, average_joints(count), strict=True))
        for name, place in at.items():
            other = at[name.replace("left", "*").replace("right", "left").replace("*", "right")]
            np.testing.assert_allclose(other, place * [-1, 1, 1], atol=1e-12)


@pytest.mark.filterwarnings("ignore:amass_sample.*average adult:UserWarning")
def test_a_recording_of_amass_stands_on_the_floor_near_its_markers() -> None:
    path = find("motion/amass_sample.npz")
    motion = limbik.load_motion(path)
    with np.load(path) as found:
        labels = [label.decode() for label in found["marker_labels"]]
        markers = found["marker_data"]
    at = motion.positions()
    assert abs(at[..., 2].min()) < 0.05
    for joint, marker in (("left_wrist", "LIWR"), ("left_knee", "LKNE"), ("right_elbow", "RELB")):
        apart = at[:, motion.figure.index(joint)] - markers[:, labels.index(marker)]
        assert np.median(np.linalg.norm(apart, axis=1)) < 0.12

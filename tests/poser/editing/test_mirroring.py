"""Left and right: poses, targets and locks reflected, on figures of our own and on real files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from helpers import real_data
from helpers.poser.poser_talk import Talk, moved
from limbik.figures.mirror import mirror_pose
from limbik.humanoid.ground import sampled
from limbik.humanoid.mirror_pairs import ALONE, twins
from limbik.poser.document.effector import Effector
from limbik.poser.editing.mirroring import Mirror


def random_pose(figure: limbik.Figure, seed: int, share: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(figure.lower), figure.lower, -1.0)
    high = np.where(np.isfinite(figure.upper), figure.upper, 1.0)
    return figure.project(figure.rest + share * (rng.uniform(low, high) - figure.rest))


def test_twins_of_the_human() -> None:
    human = limbik.figures.human()
    found = twins(human)
    assert found is not None
    names = human.joints
    pairs = {names[i]: names[k] for i, k in enumerate(found)}
    assert pairs["LeftHand"] == "RightHand"
    assert pairs["RThumb"] == "LThumb"
    assert pairs["Spine"] == "Spine"
    assert all(found[found] == np.arange(len(names)))


@pytest.mark.parametrize("make", [limbik.figures.arm, limbik.figures.hand, limbik.figures.chain])
def test_a_figure_without_sides_has_no_twins(make) -> None:  # type: ignore[no-untyped-def]
    figure = make(lengths=[1, 1]) if make is limbik.figures.chain else make()
    assert twins(figure) is None
    with pytest.raises(limbik.LimbikError, match="left and right"):
        Mirror(figure, "y")


@pytest.mark.parametrize("make", [limbik.figures.human, limbik.figures.spider])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_positions_are_mirrored_and_twice_gives_the_pose_back(make, seed: int) -> None:  # type: ignore[no-untyped-def]
    figure = make()
    mirror, q = Mirror(figure, "y"), random_pose(figure, seed)
    other, plane = mirror.pose(q), mirror.plane(q)
    assert figure.violation(other) == 0.0
    seen = plane.points(figure.positions(q))[mirror.twin]
    assert np.allclose(figure.positions(other), seen, atol=1e-9)
    assert np.allclose(mirror.pose(other), q, atol=1e-9)


def test_the_same_as_the_figures_own_mirror_between_feet_that_are_at_home() -> None:
    human = limbik.figures.human()
    q = human.rest.copy()
    for name, angle in (("LeftArm", 0.4), ("RightForeArm", 0.7), ("Spine", 0.2), ("Head", -0.3)):
        q[human.coordinates_of(name)[0]] = angle
    q = human.project(q)
    assert np.allclose(Mirror(human, "y").pose(q), mirror_pose(human, q), atol=1e-12)


def test_a_body_that_walked_off_is_mirrored_where_it_stands() -> None:
    human = limbik.figures.human()
    q = human.rest.copy()
    q[0], q[2], q[3] = 5.0, -2.0, np.pi / 2  # five metres on, turned to face +x
    q[human.coordinates_of("LeftArm")[0]] += 0.5
    mirror = Mirror(human, "y")
    other = mirror.pose(q)
    assert abs(mirror.plane(q).normal[2]) == 1.0
    before, after = human.positions(q), human.positions(other)
    assert np.allclose(after[0], before[0], atol=1e-9)
    left, right = human.index("LeftFoot"), human.index("RightFoot")
    assert np.allclose(after[left], before[left], atol=1e-9)
    hand, twin = human.index("LeftHand"), human.index("RightHand")
    assert after[twin][1] == pytest.approx(before[hand][1], abs=1e-9)
    assert abs(after[twin][1] - before[twin][1]) > 0.05
    assert after[right] == pytest.approx(before[right], abs=1e-9)


def test_two_whole_turns_stay_two_whole_turns() -> None:
    human = limbik.figures.human()
    q = human.rest.copy()
    q[3] = 3.9 * np.pi
    other = Mirror(human, "y").pose(q)
    assert other[3] == pytest.approx(-3.9 * np.pi)


def test_coordinates_without_mirrored_axes() -> None:
    """ZYX Euler angles on both sides have no mirror image by signs alone; worlds have."""
    human = (
        limbik.figures.human()
        .with_balls("euler")
        .with_limits(dict.fromkeys(limbik.figures.human().joints))
    )
    mirror, q = Mirror(human, "y"), human.rest.copy()
    rng = np.random.default_rng(3)
    q[6:] += rng.uniform(-0.5, 0.5, len(q) - 6)
    other = mirror.pose(q)
    seen = mirror.plane(q).points(human.positions(q))[mirror.twin]
    assert np.allclose(human.positions(other), seen, atol=1e-8)
    assert np.allclose(human.positions(mirror.pose(other)), human.positions(q), atol=1e-8)


def test_effectors_exchange_targets_and_modes() -> None:
    human = limbik.figures.human()
    mirror, q = Mirror(human, "y"), human.rest
    left = Effector(1, "LeftHand", mode="pin", position=(0.5, 1.0, 0.2), wxyz=(1.0, 0.0, 0.0, 0.0))
    right = Effector(2, "RightHand", position=(-0.3, 1.1, 0.1), weight=2.0)
    foot = Effector(3, "LeftFoot", at=(0.01, 0.02, 0.03), mode="aim", axis=(1.0, 0.0, 0.0))
    one, two, three = mirror.effectors((left, right, foot), q)
    assert (one.id, one.joint, one.mode, one.weight) == (1, "LeftHand", "free", 2.0)
    assert one.position == pytest.approx((0.3, 1.1, 0.1))
    assert one.wxyz is None
    assert (two.id, two.joint, two.mode) == (2, "RightHand", "pin")
    assert two.position == pytest.approx((-0.5, 1.0, 0.2))
    assert two.wxyz is not None
    assert np.abs(two.wxyz) == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-12)
    # Nobody has the right foot, so that the effector goes there.
    assert three.joint == "RightFoot"
    assert three.at == pytest.approx((-0.01, 0.02, 0.03))
    assert three.axis == pytest.approx((-1.0, 0.0, 0.0))
    again = mirror.effectors((one, two, three), q)
    for old, new in zip((left, right, foot), again, strict=True):
        assert replace(new, position=old.position, wxyz=old.wxyz, at=old.at, axis=old.axis) == old
        assert new.position == pytest.approx(old.position)
        assert new.at == pytest.approx(old.at)


def test_a_session_mirrors_a_dragged_hand(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    hand = talk.effector("LeftHand")
    talk.drag(hand.id, moved(hand, 0.1, 0.3, 0.2))
    talk.do("drop")
    talk.do("lock", joint=talk.joint("LeftForeArm"), on=True)
    left, q = talk.position("LeftHand"), talk.session.document.q
    talk.do("pose.mirror")
    assert talk.state["undo"] == "Mirror the pose"
    assert talk.position("RightHand") == pytest.approx([-left[0], left[1], left[2]], abs=1e-5)
    assert talk.state["locked"] == [talk.joint("RightForeArm")]
    feet = {e["name"]: e for e in talk.state["effectors"]}
    assert feet["LeftFoot"]["mode"] == "pin"
    assert feet["LeftFoot"]["position"] == pytest.approx(talk.position("LeftFoot"), abs=2e-4)
    talk.do("pose.mirror")
    assert np.allclose(talk.session.document.q, q, atol=1e-9)


def test_a_figure_without_sides_says_so(tmp_path: Path) -> None:
    talk = Talk.builtin("arm", tmp_path)
    assert talk.figure["mirrors"] is False
    assert "left and right" in talk.ask("pose.mirror")["error"]


@pytest.mark.parametrize(
    ("file", "pairs", "within"),
    [
        ("cmu_bvh/02_01.bvh", 24, 0.006),
        ("bvh_other/makehuman_walk1.bvh", 62, 1e-9),
        ("bvh_other/pybvh_bvh_test1.bvh", 16, 1e-9),
        ("gltf/CesiumMan.glb", 14, 1e-4),
        ("vrm/sat06_basic_armature_vrm1.vrm", 48, 1e-6),
        ("robots/dmc_humanoid_CMU_V2020.xml", 42, 0.003),
    ],
)
def test_real_figures(tmp_path: Path, file: str, pairs: int, within: float) -> None:
    """``within`` is how far the skeletons themselves are from being symmetric, by their size."""
    talk = Talk.builtin("chain", tmp_path)
    talk.do("open", files=talk.upload(real_data.find(file)))
    session = talk.session
    mirror = session.figure_cache.mirror(session.document)
    assert talk.figure["mirrors"] is True
    assert mirror is not None
    here = np.arange(len(mirror.twin))
    assert ((mirror.twin != here) & (mirror.twin != ALONE)).sum() == pairs
    figure, q = session.figure, session.document.q
    other = mirror.pose(q)
    kept = mirror.twin != ALONE
    seen = mirror.plane(q).points(figure.positions(q))[mirror.twin]
    assert np.abs(figure.positions(other) - seen)[kept].max() < within * figure.size
    assert np.allclose(figure.positions(mirror.pose(other)), figure.positions(q), atol=1e-6)


def test_a_file_with_every_bone_along_one_axis_at_rest() -> None:
    """No pose of the clip is near its own mirror image; the bones and how twins turn tell."""
    motion = limbik.load_motion(real_data.find("bvh_other/animdraw_rokoko_jesse_dance.bvh"))
    figure = motion.figure
    mirror = Mirror(figure, "y", sampled(figure, motion.q))
    for q in motion.q[::200]:
        other = mirror.pose(q)
        seen = mirror.plane(q).points(figure.positions(q))[mirror.twin]
        assert np.abs(figure.positions(other) - seen).max() < 2e-3 * figure.size
        back = figure.positions(mirror.pose(other))
        assert np.abs(back - figure.positions(q)).max() < 2e-3 * figure.size

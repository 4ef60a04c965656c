"""Drags that are stuck in a local optimum: what is said, and the pose that is offered instead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers import real_data
from helpers.poser.poser_talk import Talk
from limbik.poser.editing.session import Session
from limbik.poser.protocol import binary_layout as layout
from limbik.posture.feet import feet_of

PANDA_TARGET = (0.314, -0.078, 0.586)


def dragged(talk: Talk, joint: str, target: tuple[float, float, float], steps: int = 20) -> str:
    """Drag an effector to a place in small steps and let go; the last sentence of the drag."""
    effector = talk.effector(joint)
    start, said = np.array(effector.position), ""
    for part in np.linspace(1 / steps, 1.0, steps):
        said = talk.drag(effector.id, tuple(start + part * (np.array(target) - start))).why
    talk.do("drop")
    return said


def searched(talk: Talk) -> int:
    """Ask for searches as the page does; how many it took."""
    count = 0
    while talk.state["offer"] is not None and talk.state["offer"]["searching"]:
        talk.do("offer.search")
        count += 1
        assert count < 50
    return count


@pytest.fixture
def panda(tmp_path: Path) -> Talk:
    path = real_data.find("robots/erd_panda.urdf")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    return Talk(Session.of_files([path.name], tmp_path))


def away(talk: Talk, joint: str, target: tuple[float, float, float]) -> float:
    return float(np.linalg.norm(talk.position(joint) - target))


def balls(talk: Talk) -> list[np.ndarray]:
    """(3,) where the balls of the feet are: what a pinned foot stands on."""
    frames = talk.session.figure.frames(talk.session.document.q)
    feet = feet_of(talk.session.figure)
    return [frames[f.joint, :3, :3] @ f.ball + frames[f.joint, :3, 3] for f in feet]


def test_a_robot_that_is_stuck_says_so_and_is_offered_a_pose_that_reaches(panda: Talk) -> None:
    said = dragged(panda, "panda_hand_tcp", PANDA_TARGET)
    assert said.startswith("stuck here: panda_hand_tcp is 8."), said
    assert said.endswith("and another pose reaches it")
    assert "limit" not in said
    assert 0.08 < away(panda, "panda_hand_tcp", PANDA_TARGET) < 0.09
    assert panda.pose is not None
    assert panda.pose.ghost is None
    assert panda.pose.flags == layout.IS_STUCK
    assert 1 <= searched(panda) <= 6
    assert panda.state["offer"] == {
        "searching": False, "sentence": "Another pose reaches the target.",
    }  # fmt: skip
    assert panda.pose.flags == layout.IS_STUCK
    assert panda.pose.why.startswith("stuck here")
    assert len(panda.pose.limits) == 0  # those that hold it here are not the reason
    ghost = panda.pose.ghost
    assert ghost is not None
    hand = panda.joint("panda_hand_tcp")
    assert np.linalg.norm(ghost[3 * hand : 3 * hand + 3] - PANDA_TARGET) < 1e-3


def test_the_offered_pose_is_taken_by_one_step_and_undone_by_one(panda: Talk) -> None:
    dragged(panda, "panda_hand_tcp", PANDA_TARGET)
    searched(panda)
    before = panda.session.document.q
    panda.do("offer.take")
    assert away(panda, "panda_hand_tcp", PANDA_TARGET) < 1e-3
    assert panda.state["undo"] == "Take the other pose"
    assert panda.state["offer"] is None
    assert panda.pose is not None
    assert panda.pose.ghost is None
    assert panda.pose.status == 0
    assert panda.pose.flags == 0
    panda.do("undo")
    assert np.array_equal(panda.session.document.q, before)
    assert panda.state["undo"] == "Move panda_hand_tcp"


def test_an_offer_ends_with_whatever_is_done_next(panda: Talk) -> None:
    dragged(panda, "panda_hand_tcp", PANDA_TARGET)
    searched(panda)
    panda.do("offer.refuse")
    assert panda.state["offer"] is None
    assert panda.pose is not None
    assert panda.pose.ghost is None
    dragged(panda, "panda_hand_tcp", (0.45, 0.0, 0.43))
    searched(panda)
    assert panda.state["offer"] is not None
    panda.do("pose.reset")
    assert panda.state["offer"] is None
    assert "offered any more" in panda.ask("offer.take")["error"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ((0.03, 1.2, 0.52), (-0.42, 0.44, 0.06)),
        ((0.08, 1.12, -0.22), (0.18, 0.4, -0.56)),
    ],
)
def test_a_body_that_falls_into_a_wrong_pose_is_helped_out(
    tmp_path: Path, first: tuple[float, float, float], then: tuple[float, float, float]
) -> None:
    """Hips pulled too far and then down end 37 and 17 cm short, though the pose exists."""
    talk = Talk.builtin("human", tmp_path)
    feet = balls(talk)
    dragged(talk, "Hips", first, 12)
    searched(talk)
    dragged(talk, "Hips", then, 12)
    searched(talk)
    if away(talk, "Hips", then) > 0.01:
        talk.do("offer.take")
    assert away(talk, "Hips", then) < 1e-3
    assert np.allclose(balls(talk), feet, atol=1e-3)


def test_a_drag_that_arrives_on_release_is_not_called_stuck(tmp_path: Path) -> None:
    """Only the arm of a CMU body moves, and its hand goes from the back to above the head."""
    path = real_data.find("cmu_bvh/02_01.bvh")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    talk = Talk(Session.of_files([path.name], tmp_path))
    for joint in ("LeftShoulder", "Spine1", "Spine", "LowerBack", "Hips"):
        talk.do("lock", joint=talk.joint(joint), on=True)
    left = talk.position("LeftUpLeg") - talk.position("RightUpLeg")
    left = np.array([left[0], 0.0, left[2]]) / np.hypot(left[0], left[2])
    axes = np.array([left, [0.0, 1.0, 0.0], np.cross(left, [0.0, 1.0, 0.0])])
    metre = np.linalg.norm(talk.position("Head") - talk.position("Hips")) / 0.59
    said = ""
    for beside, way in (
        ("Hips", (0.3, 0.2, -0.2)),
        ("Hips", (0.1, 0.2, -0.2)),
        ("Head", (0.1, 0.25, 0.0)),
    ):
        x, y, z = talk.position(beside) + metre * (np.array(way) @ axes)
        said = dragged(talk, "LeftHand", (x, y, z), 5)
    assert said.startswith("stuck here"), said
    assert talk.pose is not None
    assert talk.pose.status == 0
    assert talk.pose.flags == 0
    assert talk.pose.why == "every goal is within its tolerance"


def test_no_pose_is_shown_or_offered_that_sinks_into_the_floor(tmp_path: Path) -> None:
    path = real_data.find("cmu_bvh/02_01.bvh")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    talk = Talk(Session.of_files([path.name], tmp_path))
    (x, y, z), hips = talk.position("LeftFoot"), talk.position("Hips")
    dragged(talk, "LeftFoot", (x, y - 1.2, z), 4)  # 7 cm of a human
    searched(talk)
    offer, figure = talk.session.offer, talk.session.figure
    # It stays as it is.  Once it knelt down for that, its hips 65 cm away; without the floor the
    # hand of the pose that was offered was 19 cm below it.
    assert talk.pose is not None
    assert "LeftFoot is on the floor" in talk.pose.why
    assert np.linalg.norm(talk.position("Hips") - hips) < 0.2
    shown = talk.session.document.q
    best = shown if offer is None or offer.better is None else offer.better.q
    for q in (shown, best):
        assert figure.positions(q, "LeftHandIndex1")[1] > talk.session.opened.floor


def test_what_bones_are_too_short_for_is_not_searched(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    said = dragged(talk, "LeftHand", (3.0, 1.5, 0.0), 5)
    assert "too short" in said
    assert talk.state["offer"] is None


def test_a_search_that_finds_nothing_says_so(tmp_path: Path) -> None:
    """Every joint that could carry the hand is locked."""
    talk = Talk.builtin("human", tmp_path)
    figure = talk.session.figure
    at = figure.index("LeftHand")
    while at >= 0:
        talk.do("lock", joint=at, on=True)
        at = int(figure.parents[at])
    x, y, z = talk.effector("LeftHand").position
    dragged(talk, "LeftHand", (x, y + 0.2, z), 5)
    assert searched(talk) >= 1
    assert talk.state["offer"] is None
    assert talk.pose is not None
    assert talk.pose.why.endswith("; other starts come no nearer")


def test_a_body_is_offered_the_way_round_a_box_and_no_twisted_squat(tmp_path: Path) -> None:
    human = Talk.builtin("human", tmp_path)
    dragged(human, "Hips", (0.0, 0.35, 0.05))
    searched(human)
    assert human.state["offer"] is None  # once a pose on its back
    assert human.pose is not None
    assert "LeftLeg.rx at its upper limit (140°)" in human.pose.why
    human.do("pose.reset")
    human.do("collisions", on=True)
    box = human.do("prop.add", kind="box")["prop"]
    human.do("prop.set", prop=box, position=[0.35, 1.0, 0.4], size=[0.3, 0.3, 0.3])
    dragged(human, "LeftHand", (0.35, 1.0, 0.62))
    searched(human)
    assert human.state["offer"]["sentence"] == "Another pose reaches the target."

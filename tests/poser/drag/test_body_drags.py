"""A body that is dragged behaves like one, in degrees and centimetres: the built-in human, a VRM
and a CMU skeleton, each in one session of the poser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.posing import Posing
from helpers.real_data import find
from limbik.humanoid.recognise import SIDES
from limbik.poser.editing.session import Session
from limbik.posture.feet import feet_of

FLAT = {"human": 2.0, "vrm": 2.0, "cmu": 12.0}
"""Degrees by which a sole may turn to lie flat: the first frame of the CMU clip has it tilted."""

FILES = {"vrm": "vrm/sat06_basic_armature_vrm1.vrm", "cmu": "cmu_bvh/02_01.bvh"}


@pytest.fixture(scope="module", params=["human", "vrm", "cmu"])
def body(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Posing:
    folder: Path = tmp_path_factory.mktemp("session")
    if request.param == "human":
        made = Posing(Session.builtin("human", folder))
    else:
        made = Posing.of_file(find(FILES[request.param]), folder)
    made.kind = request.param
    return made.begin()


def reaches(body: Posing) -> dict[str, np.ndarray]:
    """Where the left wrist goes in everyday reaches."""
    head, shoulder = body.at("head"), body.at("leftUpperArm")
    return {
        "mouth": head + body.way(0.05, 0.02, 0.14),
        "other shoulder": body.at("rightUpperArm") + body.way(0.0, 0.06, 0.07),
        "hip": body.at("leftUpperLeg") + body.way(0.13, 0.06, 0.0),
        "knee": body.at("leftLowerLeg") + body.way(0.0, 0.05, 0.12),
        "overhead": shoulder + body.way(0.0, 0.5, 0.1),
        "behind the head": head + body.way(0.06, 0.06, -0.12),
        "table": shoulder + body.way(0.0, -0.38, 0.38),
    }


def test_the_arm_moves_before_the_trunk(body: Posing) -> None:
    body.reset()
    chest = "upperChest" if "upperChest" in body.body else "chest"
    for name, place in reaches(body).items():
        body.reset()
        assert body.drag_to("leftHand", place) < 0.1, name
        # No arm reaches a knee alone: there the trunk bends, and the hips hardly go along.
        assert body.turned(chest) < (80.0 if name == "knee" else 10.0), name
        assert body.turned("hips") < (20.0 if name == "knee" else 3.0), name
        assert body.moved("hips") < (6.0 if name == "knee" else 1.0), name
        assert body.moved("leftFoot") < 2.0, name
        assert body.depth() < 0.1, name


def test_the_hips_keep_their_turn(body: Posing) -> None:
    body.reset()
    body.drag_by("leftFoot", ahead=0.3)
    body.drag_by("rightFoot", ahead=-0.3)
    assert body.drag_by("hips", up=-0.05) < 0.1
    assert body.turned("hips") < 7.0  # 24 without a weight of their own
    assert body.depth() < 0.1
    body.reset()
    assert body.drag_by("hips", up=-0.3, ahead=0.2) < 0.1
    assert body.turned("hips") < 2.0
    assert body.turned("chest") < 2.0
    assert body.depth() < 0.1


def test_feet_stay_flat_and_a_heel_rises_before_the_hip_is_held_back(body: Posing) -> None:
    body.reset()
    assert body.drag_by("hips", up=-0.04) < 0.1
    flat = body.session.document.q.copy()
    assert body.turned("leftFoot") < FLAT[body.kind]  # knees bend, soles stay on the floor
    assert body.drag_by("hips", up=-0.16) < 0.1
    assert body.depth() < 0.1  # toes were 6.8 cm below the floor
    body.reset()
    assert body.drag_by("hips", up=0.05, ahead=0.08) < 0.1
    risen = float((body.at("leftFoot") - body.at("leftFoot", body.start.q)) @ body.up)
    assert risen / body.metre > 0.01  # on the balls of the feet
    assert body.depth() < 0.1
    assert body.pose is not None
    # The heel comes down again when the hips do.
    assert body.drag_by("hips", up=-0.08, ahead=-0.08) < 0.1
    assert body.turned("leftFoot", flat) < max(4.0, FLAT[body.kind])
    assert body.moved("leftFoot", flat) < 1.5


def test_heels_rise_where_ankles_would_bend_up_far(body: Posing) -> None:
    """Shins of the VRM leant 69 degrees ahead of flat soles in a squat, those of the CMU skeleton
    57: limits that hold recorded people allow that."""
    for role, way in (
        ("hips", (0.0, -0.3, 0.0)),
        ("hips", (0.0, -0.5, 0.0)),
        ("hips", (0.0, -0.3, 0.3)),
        ("leftFoot", (0.0, 0.3, -0.5)),
    ):
        body.reset()
        assert body.drag_by(role, *way) < 0.1, (role, way)
        assert max(_bent_up(body)) < 40.0, (role, way)
        assert body.depth() < 0.1


def _bent_up(body: Posing) -> list[float]:
    """By how many degrees each shin leans ahead of upright on its sole."""
    figure, out = body.session.figure, []
    frames = figure.frames(body.session.document.q)
    for foot, side in zip(feet_of(figure), SIDES, strict=True):
        frame = frames[foot.joint]
        shin = frame[:3, :3].T @ (body.at(side + "LowerLeg") - frame[:3, 3])
        ahead = (foot.ball - foot.heel) / np.linalg.norm(foot.ball - foot.heel)
        out.append(float(np.degrees(np.arctan2(shin @ ahead, shin @ foot.normal))))
    return out


def test_knees_stay_above_their_feet_while_the_hips_go_down(body: Posing) -> None:
    roles = [side + part for part in ("LowerLeg", "Foot") for side in ("left", "right")]
    for way in ((0.0, -0.2, 0.0), (0.03, -0.22, 0.05), (0.0, -0.4, 0.0)):
        body.reset()
        before = [float(body.at(role) @ body.left) for role in roles]
        assert body.drag_by("hips", *way) < 0.1
        now = [float(body.at(role) @ body.left) for role in roles]
        # The human's were 13 cm further inwards, and crossed each other.
        assert np.abs(np.subtract(now, before)).max() < 0.02 * body.metre, way


def test_a_squat_ends_at_the_knees_limits(body: Posing) -> None:
    """No body turns its hips for the last centimetres: the human's turned by 32 degrees."""
    height = float((body.at("hips", body.start.q) - body.at("leftFoot", body.start.q)) @ body.up)
    for share in (0.5, 0.55, 0.58, 0.62):
        body.reset()
        body.drag_by("hips", up=-share * height / body.metre, steps=20)
        assert body.turned("hips") < 5.0, share
        assert body.depth() < 0.1, share
        answer = body.session.answer
        assert answer is not None
        assert answer.ok or "upper limit" in answer.why or "lower limit" in answer.why, answer.why


def test_a_head_that_is_dragged_keeps_its_turn(body: Posing) -> None:
    for way in ((0.0, -0.1, 0.0), (0.0, -0.1, 0.1), (0.15, -0.05, 0.0), (0.0, 0.0, 0.2)):
        body.reset()
        assert body.drag_by("head", *way) < 0.1
        assert body.turned("head") < 20.0, way  # it looked down by 40 to 60 degrees
    body.reset()
    body.drag_by("head", 0.0, -0.5, 0.3)  # further than the neck takes back
    assert body.turned("head") < 70.0  # once 116 to 157


def test_knees_stay_above_their_feet_while_the_head_or_a_hand_goes_low(body: Posing) -> None:
    roles = [side + "LowerLeg" for side in ("left", "right")]
    for role, way in (
        ("head", (0.0, -0.3, 0.0)),
        ("head", (0.0, -0.5, 0.2)),
        ("head", (0.3, -0.2, 0.0)),
        ("leftHand", (-0.1, -0.5, 0.2)),
        ("leftHand", (0.1, -0.4, 0.0)),
    ):
        body.reset()
        before = [float(body.at(knee) @ body.left) for knee in roles]
        assert body.drag_by(role, *way) < 0.1
        now = [float(body.at(knee) @ body.left) for knee in roles]
        # The human's went 11 cm inwards each, the CMU skeleton's 10 outwards.
        assert np.abs(np.subtract(now, before)).max() < 0.01 * body.metre, (role, way)


def test_what_was_placed_stays_placed(body: Posing) -> None:
    body.reset()
    assert body.drag_by("head", left=0.1, ahead=0.1) < 0.1
    assert body.moved("hips") < 4.0  # 8 cm without weights
    body.reset()
    body.drag_to("leftHand", reaches(body)["table"])
    kept = body.session.document.q.copy()
    assert body.drag_by("hips", up=-0.08, left=0.04) < 0.1
    assert body.moved("leftHand", kept) < 0.5  # it was put there
    assert body.moved("rightHand", kept) > 5.0  # nobody put that anywhere
    assert body.drag_by("head", up=-0.1, ahead=0.15) < 0.1
    assert body.moved("leftHand", kept) < 0.7
    # A pose that is taken as a whole forgets it.
    body.do("pose.reset")
    assert not any(e.placed for e in body.session.document.effectors)


def test_a_free_arm_hangs_as_it_did_while_the_chest_leans(body: Posing) -> None:
    body.reset()
    body.drag_to("leftHand", body.at("leftFoot") + body.way(0.05, 0.1, 0.6))
    assert body.turned("chest") > 50.0
    # It swung along with the chest, up behind the back.
    assert body.turned("rightUpperArm") < 0.35 * body.turned("chest")
    assert (body.at("rightHand") - body.at("rightHand", body.start.q)) @ body.up < 0.1 * body.metre
    body.reset()
    body.drag_by("head", 0.0, -0.5, 0.4)
    assert body.turned("rightUpperArm") < 15.0  # as far as the chest


def test_the_same_weights_serve_solve_and_track(body: Posing) -> None:
    figure, start = body.session.figure, body.start.q
    hand, chest = body.name("leftHand"), figure.index(body.name("chest"))
    place = reaches_at_start(body)["mouth"]
    feet = [limbik.Pin(body.name(role)) for role in ("leftFoot", "rightFoot")]
    natural = limbik.natural(figure, start, floor=False)
    found = limbik.solve(figure, [limbik.Reach(hand, position=place), *feet, *natural], start=start)
    assert found.ok
    tilts = []
    way = np.linspace(0.2, 1.0, 5)[:, None] * (place - body.at("leftHand", start))
    path = body.at("leftHand", start) + way
    tracked = limbik.track(
        figure, [limbik.Reach(hand, position=path), *feet, *natural], start=start
    )
    assert tracked.ok
    for q in (found.q, tracked.motion.q[-1]):
        one, two = figure.frames(np.stack([start, q]))[:, chest, :3, :3]
        tilts.append(np.degrees(np.arccos(np.clip((np.trace(one.T @ two) - 1.0) / 2.0, -1, 1))))
    assert max(tilts) < 10.0


def reaches_at_start(body: Posing) -> dict[str, np.ndarray]:
    body.reset()
    return reaches(body)

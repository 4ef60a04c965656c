"""A hand that moves smoothly moves the figure smoothly."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from helpers.poser.dragged import FEET, SIX, held, turned, walk
from helpers.poser.poser_talk import Talk
from helpers.poser.posing import Posing
from helpers.real_data import find
from limbik import figures
from limbik.poser.drag.drag_solver import DragSolver
from limbik.poser.drag.pulled_solver import LEVER, SWINGS, WAY

# ---- smooth drags -------------------------------------------------------------------------------

WALKS = {
    "human, feet pinned": (figures.human, FEET, 0.7, 0.01),
    "human, all pinned": (figures.human, SIX, 0.5, 0.01),
    "human, hips": (figures.human, [SIX[-1], *SIX[:-1]], 0.3, 0.01),
    "human, nothing pinned": (figures.human, ["LeftHand"], 0.7, 0.01),
    "hand": (
        figures.hand,
        ["Index3", "Wrist", "Thumb3", "Middle3", "Ring3", "Little3"],
        0.06,
        0.01,
    ),
    "spider, foot": (
        figures.spider,
        [f"{side}{k}Foot" for side in "LR" for k in "1234"],
        0.4,
        0.01,
    ),
    "spider, body": (
        figures.spider,
        ["Body", *(f"{side}{k}Foot" for side in "LR" for k in "1234")],
        0.4,
        0.01,
    ),
    "arm": (figures.arm, ["Tool"], 0.5, 0.01),
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", WALKS)
def test_a_smooth_drag_turns_no_joint_by_more_than_60_degrees_at_once(name, seed):
    make, joints, reach, step = WALKS[name]
    figure = make()
    effectors = held(figure, joints)
    live = DragSolver(figure, effectors, 1, figure.rest)
    start, last = np.array(effectors[0].position), figure.rest
    jumps, met, slips = [], [], []
    for target in walk(np.random.default_rng(seed), start, reach, step, 250):
        answer = live.drag(target)
        assert np.isfinite(answer.q).all()
        assert figure.violation(answer.q) == 0.0
        jumps.append(turned(figure, last, answer.q).max())
        met.append(answer.error_of(1)[0] <= 1e-4 * figure.size)
        slips.append(answer.goals[1:, 1].max(initial=0.0))
        last = answer.q
    assert max(jumps) <= 60.0
    assert np.median(jumps) < (20.0 if name == "hand" else 5.0)  # 1 cm is a lot for a finger
    assert max(slips) < 4e-3 * figure.size
    assert np.mean(met) > 0.5 or name in (
        "human, all pinned",
        "human, hips",
        "spider, body",
        "hand",
    )


def test_a_robot_swings_over_where_its_turntable_ends():
    """Behind its base the arm must come round the other way; it is shown on its way there."""
    arm = figures.arm()
    effectors = held(arm, ["Tool"])
    radius = math.hypot(*effectors[0].position[:2])
    live = DragSolver(arm, effectors, 1, arm.rest)
    last, jumps, swinging, q = arm.rest, [], 0, arm.rest
    for angle in np.radians(np.arange(0.0, 260.0, 1.0)):
        target = (radius * math.cos(angle), radius * math.sin(angle), effectors[0].position[2])
        answer = live.drag(target)
        assert arm.violation(answer.q) == 0.0
        jumps.append(turned(arm, last, answer.q).max())
        swinging += answer.why == SWINGS
        last = q = answer.q
    assert max(jumps) <= 56.0
    assert answer.ok
    assert turned(arm, arm.rest, q)[0] > 40.0
    assert swinging <= 12


def test_free_arms_are_calm_while_the_head_is_dragged(tmp_path: Path) -> None:
    """Both arms are before the body, as if they held a box, and nothing holds them there."""
    talk = Talk.builtin("human", tmp_path)
    box = talk.do("prop.add", kind="box")["prop"]
    hands = [talk.joint(name) for name in ("LeftHand", "RightHand")]
    for joints in (hands, []):
        talk.do("prop.hold", prop=box, joints=joints)
    head, id, places = talk.position("Head"), talk.effector("Head").id, []
    for angle in np.linspace(0.0, 2.0 * np.pi, 121)[1:].tolist():
        way = [0.12 * np.sin(angle), -0.1 * (1.0 - np.cos(angle)), 0.06 * np.sin(angle)]
        talk.drag(id, tuple(head + way))
        places.append(talk.session.figure.positions(talk.session.document.q)[hands])
    # Where upper arms kept their turn in the world, hands shook by up to 4 cm.
    assert np.linalg.norm(np.diff(places, 2, axis=0), axis=2).max() < 0.02


def test_a_body_that_bent_round_a_box_does_not_leap_back(tmp_path: Path) -> None:
    """The hand circles round a box and through it; the body follows, and comes back in steps."""
    talk = Talk.builtin("human", tmp_path)
    figure, box = talk.session.figure, talk.do("prop.add", kind="box")["prop"]
    for joints in ([talk.joint(name) for name in ("LeftHand", "RightHand")], []):
        talk.do("prop.hold", prop=box, joints=joints)
    talk.do("floor", on=False)
    talk.do("collisions", on=True)
    hand, id = talk.position("LeftHand"), talk.effector("LeftHand").id
    places, targets = [figure.positions(talk.session.document.q)], [hand]
    for angle in np.linspace(0.0, 2.0 * np.pi, 121)[1:].tolist():
        way = [0.12 * np.sin(angle), -0.1 * (1.0 - np.cos(angle)), 0.06 * np.sin(angle)]
        targets.append(hand + way)
        talk.drag(id, tuple(targets[-1].tolist()))
        places.append(figure.positions(talk.session.document.q))
    jumps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)[1:]  # once 53 cm
    most = WAY * figure.size + LEVER * np.linalg.norm(np.diff(targets, axis=0), axis=1)[1:]
    assert (jumps <= 1.01 * most).all(), jumps.max()
    talk.do("drop")
    np.testing.assert_allclose(talk.position("LeftHand"), hand, atol=1e-3)
    assert np.linalg.norm(talk.position("Head") - places[0][talk.joint("Head")]) < 0.05


def test_heels_that_rise_do_not_make_a_body_leap(tmp_path: Path) -> None:
    body = Posing.of_file(find("vrm/sat06_basic_armature_vrm1.vrm"), tmp_path).begin()
    figure, start = body.session.figure, body.at("leftHand")
    id, places = body.effector(body.name("leftHand")).id, []
    for share in np.linspace(0.0, 1.0, 25)[1:].tolist():
        body.drag(id, tuple((start + share * body.way(0.7, 0.0, 0.0)).tolist()))
        places.append(figure.positions(body.session.document.q))
    jumps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)  # once 49 cm
    assert jumps.max() <= WAY * figure.size + 1.01 * LEVER * 0.7 / 24 * body.metre
    assert body.turned("leftFoot") > 5.0


def test_a_head_pulled_far_back_does_not_throw_the_arms_about(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    figure, head, id = talk.session.figure, talk.position("Head"), talk.effector("Head").id
    places = [figure.positions(talk.session.document.q)]
    for share in np.linspace(0.0, 1.0, 81)[1:].tolist():
        talk.drag(id, tuple(head + [0.0, -0.2 * share, -0.4 * share]))
        places.append(figure.positions(talk.session.document.q))
    # Where the neck goes over from forwards to backwards, hands leapt by 12 cm.
    assert np.linalg.norm(np.diff(places, axis=0), axis=2).max() < 0.1

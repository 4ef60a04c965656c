"""A hand that is dragged out of reach and held there: pins stay, the body is calm, and the sentence
says why it is short."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.poser.posing import Posing
from helpers.real_data import find
from limbik.poser.editing.session import Session
from limbik.posture.feet import feet_of

FILES = {"vrm": "vrm/sat06_basic_armature_vrm1.vrm", "cmu": "cmu_bvh/02_01.bvh"}
WAYS = {
    # Metres of a human to the left, up and ahead.
    "human": (0.75, 0.8, 0.0),
    "vrm": (1.4, 0.0, 0.0),
    "cmu": (0.0, 0.0, 4.0),
}
STEPS, TREMBLE = 24, 8


def posed(kind: str, folder: Path) -> Posing:
    """A body of WAYS in the poser, where a drag begins."""
    if kind == "human":
        return Posing(Session.builtin("human", folder)).begin()
    return Posing.of_file(find(FILES[kind]), folder).begin()


@pytest.mark.parametrize("kind", WAYS)
def test_pins_hold_and_the_body_is_calm_where_a_hand_cannot_follow(
    kind: str, tmp_path: Path
) -> None:
    body = posed(kind, tmp_path)
    figure, hand = body.session.figure, body.effector(body.name("leftHand"))
    start, rng = body.at("leftHand"), np.random.default_rng(4)
    pins = [e.id for e in body.session.document.effectors if e.mode == "pin"]
    assert len(pins) == 2
    following, jumps, before = [], [], figure.positions(figure.rest)
    for k in range(1, STEPS + TREMBLE + 1):
        way = min(k / STEPS, 1.0) * body.way(*WAYS[kind])
        place = start + way + (k > STEPS) * 0.002 * body.metre * rng.normal(size=3)
        body.drag(hand.id, tuple(place.tolist()))
        answer = body.session.answer
        assert answer is not None
        # No foot gives way by what can be seen (state/pins.ts), and nothing is below the floor.
        assert max(answer.error_of(pin)[0] for pin in pins) < 1e-3 * figure.size, k
        assert body.depth() < 0.3, k
        # Feet point where they did, and do not tip over (they turned by up to 165 degrees).
        for foot in feet_of(figure):
            before_it, now_it = (
                figure.frames(q)[foot.joint, :3, :3] @ (foot.ball - foot.heel)
                for q in (figure.rest, answer.q)
            )
            ahead = before_it - (before_it @ body.up) * body.up
            across = np.cross(body.up, ahead / np.linalg.norm(ahead))
            assert abs(now_it @ across) < 0.1 * np.linalg.norm(now_it), k
            assert now_it @ ahead > 0.4 * (ahead @ ahead), k
        now = figure.positions(answer.q)
        jumps.append(100.0 * np.abs(now - before).max() / body.metre)
        following.append(answer.is_following)
        before = now
    assert answer.error_of(hand.id)[0] > 0.01 * figure.size
    # It bends at the hips, which stay above the feet (it leant as a plank by up to 78 degrees), and
    # the head does not go down with the chest.
    leg = body.at("hips") - 0.5 * (body.at("leftFoot") + body.at("rightFoot"))
    assert np.degrees(np.arccos(leg @ body.up / np.linalg.norm(leg))) < 20.0
    assert body.turned("head") < 0.7 * body.turned("chest")
    # A hand that only trembles gets the reason, and a figure that stands still.
    assert not any(following[STEPS + 2 :]), answer.why
    assert max(jumps[STEPS + 2 :]) < 4.0
    assert "so far" not in answer.why
    assert "other goal" not in answer.why  # the feet give way by a thousandth of that


@pytest.mark.parametrize("kind", ["human", "vrm"])
def test_a_hand_that_is_short_because_the_body_would_fall_says_so(
    kind: str, tmp_path: Path
) -> None:
    body = posed(kind, tmp_path)
    body.drag_by("leftHand", ahead=1.0, steps=20)
    answer = body.session.answer
    assert answer is not None
    assert not answer.ok
    assert "the body would fall" in answer.why, answer.why
    body.reset()
    body.drag_by("leftHand", up=1.6, steps=20)  # nothing falls for what is above
    assert body.session.answer is not None
    assert "fall" not in body.session.answer.why

"""Five sessions of a person who poses the human: few drags, no joint outside its limits, nothing
below the floor, and poses that are what they are called, in degrees and centimetres."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.poser.pose_sessions import SESSIONS, Step, drags
from helpers.poser.posing import Posing
from limbik.poser.editing.session import Session


def done(step: Step, human: Posing) -> None:
    """Do one step; a drag ends within 2 cm of where it was meant to."""
    if step.do == "command":
        human.do(step.what, **step.to)
    elif step.what == "chair":
        (chair,) = human.session.document.scene.props
        human.session.drag(chair.id, step.to, None)
        human.session.drop()
    elif step.do == "drag":
        assert human.drag_to(step.what, np.array(step.to)) < 2.0, step
    elif step.do == "pin":
        human.do("effector.set", effector=human.effector(step.what).id, mode="pin")
    else:
        head = human.effector(step.what).id
        human.do("effector.set", effector=head, mode="aim")
        human.session.drag(head, step.to, None)
        human.session.drop()


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session(name: str, tmp_path: Path) -> None:
    human = Posing(Session.builtin("human", tmp_path)).begin()
    assert drags(SESSIONS[name]) <= 7
    for step in SESSIONS[name]:
        done(step, human)
        figure, q = human.session.figure, human.session.document.q
        assert figure.violation(q) == 0.0
        assert human.depth() < 0.3, step
    LOOK[name](human)


def sits(human: Posing) -> None:
    # Thighs level, shanks upright, the back upright, soles flat.
    thigh = human.at("LeftLeg") - human.at("LeftUpLeg")
    shank = human.at("LeftLeg") - human.at("LeftFoot")
    assert abs(thigh[1]) / np.linalg.norm(thigh) < 0.35
    assert shank[1] / np.linalg.norm(shank) > 0.9
    assert human.turned("Hips") < 3.0
    assert human.turned("Spine1") < 12.0
    assert human.turned("LeftFoot") < 3.0
    assert human.moved("LeftFoot") < 1.0


def reaches(human: Posing) -> None:
    assert human.turned("Spine1") < 12.0
    assert human.moved("Hips") < 3.0
    frame = human.session.figure.frames(human.session.document.q)[human.joint("Head")]
    eyes = frame[:3, :3] @ np.array(human.effector("Head").at) + frame[:3, 3]
    way = np.array(SESSIONS["shelf"][-1].to) - eyes
    assert np.degrees(np.arccos(frame[:3, 2] @ way / np.linalg.norm(way))) < 3.0


def lies_on_its_hands(human: Posing) -> None:
    hips, chest, foot = human.at("Hips"), human.at("Spine1"), human.at("LeftFoot")
    for hand in ("LeftHand", "RightHand"):
        assert human.at(hand)[1] < 0.1
    assert 0.1 < chest[1] < 0.45
    line, middle = chest - foot, hips - foot
    off = middle - line * (middle @ line) / (line @ line)
    assert 100.0 * np.linalg.norm(off) < 15.0  # one line from the feet to the chest
    upper = human.at("LeftForeArm") - human.at("LeftArm")
    fore = human.at("LeftHand") - human.at("LeftForeArm")
    cosine = upper @ fore / np.linalg.norm(upper) / np.linalg.norm(fore)
    assert np.degrees(np.arccos(cosine)) > 50.0


def walks(human: Posing) -> None:
    assert [key.frame for key in human.session.document.timeline.keys] == [0, 8, 16, 24]
    steps = []
    for frame in range(0, 25, 2):
        human.scrub(frame)
        assert human.depth() < 2.0, frame
        steps.append(human.at("LeftFoot")[2] - human.at("RightFoot")[2])
    assert steps[0] > 0.5
    assert steps[8] == pytest.approx(-steps[0], abs=1e-3)
    assert abs(steps[4]) < 0.05
    assert human.turned("Hips") < 5.0


def has_a_fist_and_points(human: Posing) -> None:
    figure, q = human.session.figure, human.session.document.q
    curled = [abs(q[figure.coordinates_of(f"{side}HandIndex1")][0]) for side in ("Left", "Right")]
    assert np.degrees(curled[0]) > 60.0
    assert human.turned("Spine1") < 10.0


LOOK = {
    "sit": sits,
    "shelf": reaches,
    "push-up": lies_on_its_hands,
    "walk": walks,
    "fist": has_a_fist_and_points,
}

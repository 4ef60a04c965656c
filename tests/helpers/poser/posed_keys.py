"""A human in two poses on pinned feet, and a clip with a dragged hand: scenes for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

import limbik
from limbik.figure.figure import Figure
from limbik.poser.animation.clip_edits import Edits
from limbik.poser.animation.keying import keyed
from limbik.poser.animation.timeline_pose import place_of
from limbik.poser.document.effector import Effector
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.drag.effector_targets import anchored

HAND, LEFT, RIGHT = 1, 2, 3


class Scene(NamedTuple):
    figure: Figure
    effectors: tuple[Effector, ...]
    timeline: Timeline
    q: np.ndarray  # of the last key


def at(figure: Figure, q: np.ndarray, effector: Effector) -> np.ndarray:
    """Where an effector is in a pose."""
    return place_of(figure, figure.frames(q), effector)


def standing(figure: Figure, q: np.ndarray) -> tuple[Effector, ...]:
    """A free hand and pinned feet, where they are in the pose q."""
    some = (
        Effector(HAND, "LeftHand"),
        Effector(LEFT, "LeftFoot", mode="pin"),
        Effector(RIGHT, "RightFoot", mode="pin"),
    )
    return anchored(figure, some, q)


def crouch() -> Scene:
    """Keys at frames 10 and 50: at rest, then with lower hips over the same feet."""
    figure = limbik.figures.human()
    effectors = standing(figure, figure.rest)
    hips = figure.positions(figure.rest)[0] + [0.06, -0.3, 0.05]
    goals = [limbik.Reach(e.joint, position=e.position) for e in effectors if e.mode == "pin"]
    low = limbik.solve(
        figure, [limbik.Reach("Hips", position=hips), *goals], start=figure.rest, restarts=0
    )
    assert low.ok
    timeline = keyed(figure, Timeline(), 10, figure.rest, effectors)
    after = anchored(figure, effectors, low.q, modes=("free",))
    return Scene(figure, effectors, keyed(figure, timeline, 50, low.q, after), low.q)


def dragged(
    figure: Figure,
    timeline: Timeline,
    effectors: tuple[Effector, ...],
    frame: int,
    by: tuple[float, float, float],
) -> tuple[Timeline, np.ndarray]:
    """(timeline, pose): the hand of a clip drawn ``by`` a way in a frame, the feet staying."""
    here = Edits(figure, timeline, effectors).at(float(frame)).q
    now = anchored(figure, effectors, here)
    hand = np.array(now[0].position) + by
    goals = [limbik.Reach(e.joint, position=e.position) for e in now if e.mode == "pin"]
    reach = limbik.Reach(now[0].joint, position=hand)
    result = limbik.solve(figure, [reach, *goals], start=here, restarts=0, tolerance=1e-7)
    assert result.ok
    now = (replace(now[0], position=(hand[0], hand[1], hand[2])), *now[1:])
    return keyed(figure, timeline, frame, result.q, now, dragged=[now[0].id]), result.q

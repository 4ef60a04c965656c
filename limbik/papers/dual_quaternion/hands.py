"""The hands of dual_quaternion's experiments, their gestures and their moving targets."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Coupling, Joint, exponential, revolute
from limbik.figure.limits import Range, SwingTwist
from limbik.figures import FINGERTIPS, hand

FLEXION = 2 / 3
"""How far a finger's last joint goes with its middle one, where it follows."""

_TWIST = 3.0  # degrees: a ball in a finger twists no further


def _as_ball(joint: Joint) -> Joint:
    """A joint of two turns as an exponential ball: its two ranges become an ellipse."""
    assert isinstance(joint.limit, Range)
    order = [joint.labels.index(label) for label in ("rx", "ry")]
    lower, upper = joint.limit.lower[order], joint.limit.upper[order]
    (a, b), (x, y) = (upper - lower) / 2, (upper + lower) / 2
    twist = float(np.radians(_TWIST))
    limit = SwingTwist(swing=(a, b), center=(x, y), twist=(-twist, twist))
    return replace(joint, parts=exponential("z", "x"), limit=limit)


@cache
def exponential_hand() -> Figure:
    """The built-in hand with exponential maps where it has two turns: 28 coordinates.

    Wrist and first finger joints are balls with a swing–twist limit, as dual_quaternion has them;
    the other joints are hinges.
    """
    plain = hand()
    joints = [_as_ball(j) if len(j.labels) == 2 else j for j in plain.definition]
    figure = Figure(joints, name="hand of exponential maps", unit="m", up="y")
    rest = np.zeros(figure.n)
    for name in figure.joints:
        values = plain.rest[plain.coordinates_of(name)]
        if len(values) == 2:
            labels = plain.definition[plain.index(name)].labels
            values = np.array([values[labels.index("rx")], values[labels.index("ry")], 0.0])
        rest[figure.coordinates_of(name)] = values
    return figure.with_rest(rest)


@cache
def coupled_hand() -> Figure:
    """The built-in hand, the last joint of each finger following its middle one: 18 coordinates.

    The thumb's last joint is its own, as in life.
    """
    joints = [
        replace(j, parts=revolute("x", coupled=Coupling(j.name[:-1] + "2", FLEXION)))
        if j.name.endswith("3") and not j.name.startswith("Thumb")
        else j
        for j in hand().definition
    ]
    figure = Figure(joints, name="coupled hand", unit="m", up="y")
    plain = dict(zip(hand().coordinates, hand().rest, strict=True))
    return figure.with_rest([plain[name] for name in figure.coordinates])


def tips(figure: Figure, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (..., 5, 3) and rotation matrices (..., 5, 3, 3) of the fingertips."""
    frames = figure.frames(q)[..., [figure.index(joint) for joint, _ in FINGERTIPS.values()], :, :]
    offsets = np.array([at for _, at in FINGERTIPS.values()])
    turns = frames[..., :3, :3]
    return (turns @ offsets[:, :, None])[..., 0] + frames[..., :3, 3], turns


def wandering(figure: Figure, frames: int, rng: np.random.Generator, *, speed: float) -> np.ndarray:
    """(frames, n) a hand that moves smoothly about its rest pose, inside its limits.

    Every coordinate is a sine of 0.2 rad with a period of its own, 0.8 to 1.6 s at 60 frames per
    second and speed 1.
    """
    period, phase = rng.uniform(48.0, 96.0, figure.n), rng.uniform(0.0, 2.0 * np.pi, figure.n)
    turn = 2.0 * np.pi * speed * np.arange(frames)[:, None] / period + phase
    return figure.project(figure.rest + 0.2 * np.sin(turn))


def leaping(figure: Figure, frames: int, rng: np.random.Generator) -> np.ndarray:
    """(frames, n) a hand that is somewhere else in every frame: 0.4 rad about its rest pose."""
    return figure.project(figure.rest + 0.4 * rng.normal(size=(frames, figure.n)))


def gestures(figure: Figure, count: int, rng: np.random.Generator) -> tuple[list[str], np.ndarray]:
    """Names and poses (count, n): open, closed, stretched or anyhow, in random order.

    A gesture puts each coordinate somewhere in a fifth of its range; all of it for "anyhow".
    """
    flexes = np.array([not name.endswith(("ry", "wy", "wz")) for name in figure.coordinates])
    wrist = np.array([name.startswith("Wrist") for name in figure.coordinates])
    names = [str(rng.choice(["open", "closed", "stretched", "anyhow"])) for _ in range(count)]
    share = rng.uniform(0.02, 0.98, (count, figure.n))
    for k, name in enumerate(names):
        fifth = rng.uniform(0.0, 0.2, figure.n)
        if name == "open":
            share[k] = np.where(flexes, 0.15 + fifth, 0.4 + fifth)
        elif name == "closed":
            share[k] = np.where(flexes, 0.78 + fifth, 0.4 + fifth)
        elif name == "stretched":
            share[k] = np.where(flexes, 0.02 + fifth, rng.choice([0.02, 0.78], figure.n) + fifth)
        share[k] = np.where(wrist, rng.uniform(0.3, 0.7, figure.n), share[k])
    lower, upper = bounds(figure)
    return names, figure.project(lower + share * (upper - lower))


def bounds(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """(n,), (n,) the box that a hand's limits fit into, for its exponential balls too."""
    lower, upper = figure.lower.copy(), figure.upper.copy()
    for joint in figure.definition:
        if isinstance(joint.limit, SwingTwist) and joint.limit.swing is not None:
            c = figure.coordinates_of(joint.name)
            swing, middle = np.array(joint.limit.swing), np.array(joint.limit.center)
            lower[c] = *(middle - swing), joint.limit.twist[0]
            upper[c] = *(middle + swing), joint.limit.twist[1]
    return lower, upper

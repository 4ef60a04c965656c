"""Contacts of a motion with the ground: which joint rests on it, from when to when, and where.

A joint is in contact while it is low and slow.  Entering a contact asks for more than staying in it
(hysteresis), so that noise does not break a stance into pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.humanoid.ground import AXES, points_of, up_axis
from limbik.humanoid.recognise import SIDES, Body, recognise

LEG = 0.82
"""Metres from the hip over the knee to the ankle of the adult that the lengths here are for."""

SPAN = 1.0 / 60.0  # seconds before and after a frame over which speeds are measured
GAP = 0.05  # seconds that a contact may be lost and still be one
SHORTEST = 0.1  # seconds; shorter ones are passing by
NEAR = 0.5  # seconds around a rest whose heights say where the floor is there
UNEVEN = 0.03  # metres of an adult by which the floor of a recording may rise


class Rule(NamedTuple):
    """When a part of the body rests on the ground: heights in metres, speeds in metres per second,
    of a body with legs of ``LEG``."""

    low: float
    """Height above its own lowest level below which a contact begins."""
    high: float
    """Height above which it ends."""
    slow: float
    fast: float
    clearance: float
    """The highest that its lowest level can lie above the ground."""


FOOT = Rule(0.025, 0.05, 0.15, 0.35, 0.16)
RULES: Mapping[str, Rule] = {
    "Foot": FOOT,
    "Toes": FOOT,
    "Hand": Rule(0.03, 0.06, 0.50, 0.80, 0.14),  # a wrist moves while the body turns over a palm
    "LowerLeg": Rule(0.03, 0.06, 0.20, 0.40, 0.10),
    "hips": Rule(0.04, 0.08, 0.20, 0.40, 0.16),
    "chest": Rule(0.04, 0.08, 0.20, 0.40, 0.16),
}
"""Parts of the body that can rest on the ground, by role without its side (knees are the joints of
the lower legs; hips and chest are the back)."""


@dataclass(frozen=True)
class Contact:
    """A joint rests in frames ``start`` … ``end`` − 1.

    ``point`` is the mean place of the joint's origin meanwhile, in the world and the figure's unit.
    """

    joint: str
    start: int
    end: int
    point: tuple[float, float, float]

    @property
    def frames(self) -> range:
        """The frames of the contact."""
        return range(self.start, self.end)


def metre(figure: Figure, body: Body | None = None) -> float:
    """How long a metre of an adult's body is in the figure: its leg over ``LEG``.

    Units of BVH and ASF files are not known, and children and robots are smaller; a contact of a
    small body is nearer and slower.  Where there is no leg, 1/1.8 of the figure's size.
    """
    body = recognise(figure) if body is None else body
    legs = []
    for side in SIDES:
        roles = [side + part for part in ("UpperLeg", "LowerLeg", "Foot")]
        if all(role in body for role in roles):
            at = figure.positions(figure.rest, [body[role] for role in roles])
            legs.append(float(np.linalg.norm(np.diff(at, axis=0), axis=1).sum()))
    return max(legs) / LEG if legs and max(legs) > 0.0 else figure.size / 1.8


def speeds(places: np.ndarray, fps: float) -> np.ndarray:
    """(frames, ...) lengths per second of points (frames, ..., 3), by differences over 2·SPAN."""
    last = len(places) - 1
    if last < 1:
        return np.zeros(places.shape[:-1])
    reach = max(1, round(SPAN * fps))
    frames = np.arange(len(places))
    after, before = np.minimum(frames + reach, last), np.maximum(frames - reach, 0)
    moved = np.linalg.norm(places[after] - places[before], axis=-1)
    return moved * fps / (after - before).reshape(-1, *([1] * (moved.ndim - 1)))


def find_ground(motion: Motion) -> float:
    """The height of the ground along the axis that is up, in the figure's unit.

    It is the level of the lowest points of the body in the frames in which these hardly move; a
    tenth of those frames may lie below it.

    Args:
        motion: the motion of a body.

    Returns:
        The height.

    Raises:
        FigureError: the motion has no frames.

    Example:
        >>> abs(find_ground(limbik.figures.cartwheel())) < 0.01
        True
    """
    figure = motion.figure
    axis = AXES.index(up_axis(figure, motion.q))
    step = max(1, motion.frames // 2000)
    points = points_of(figure, motion.q[::step])
    lowest = points[..., axis].argmin(axis=1)
    rows = np.arange(len(points))
    moving = speeds(points, motion.fps / step)[rows, lowest]
    heights = points[rows, lowest, axis]
    still = moving < 0.3 * metre(figure)
    return float(np.percentile(heights[still] if still.any() else heights, 10.0))


def find_contacts(
    motion: Motion,
    joints: Iterable[str] | None = None,
    *,
    ground: float | None = None,
    shortest: float = SHORTEST,
) -> tuple[Contact, ...]:
    """The contacts of a motion with the ground, by start and then by joint.

    Args:
        motion: the motion of a body.
        joints: those that are looked at: feet, toes, hands, knees and the back unless given; other
            joints follow the rule of feet.
        ground: the height of the ground, found unless given.
        shortest: how many seconds a contact lasts at least.

    Returns:
        The contacts, each with its joint, frames and place.

    Raises:
        FigureError: ``motion`` is no Motion, or a joint is not there.

    Example:
        >>> clip = limbik.figures.cartwheel()
        >>> {"LeftFoot", "LeftHand"} <= {contact.joint for contact in find_contacts(clip)}
        True
    """
    if not isinstance(motion, Motion):
        raise FigureError(f"find_contacts: needs a Motion, got {type(motion).__name__}")
    if not (math.isfinite(shortest) and shortest >= 0):
        raise FigureError(f"find_contacts: shortest must not be negative, got {shortest!r}")
    figure = motion.figure
    body = recognise(figure)
    rules = _rules(figure, body, joints)
    axis = AXES.index(up_axis(figure, motion.q))
    level = find_ground(motion) if ground is None else float(ground)
    unit, found = metre(figure, body), list[Contact]()
    places = figure.positions(motion.q, list(rules))
    moving = speeds(places, motion.fps) / unit
    heights = (places[..., axis] - level) / unit
    for k, (joint, rule) in enumerate(rules.items()):
        above = heights[:, k] - _levels(heights[:, k], moving[:, k], rule, motion.fps)
        down = _hysteresis(
            (above < rule.low) & (moving[:, k] < rule.slow),
            (above < rule.high) & (moving[:, k] < rule.fast),
        )
        for start, end in _spans(down, motion.fps, shortest):
            x, y, z = places[start:end, k].mean(axis=0).tolist()
            found.append(Contact(joint, start, end, (x, y, z)))
    return tuple(sorted(found, key=lambda contact: (contact.start, contact.joint)))


def _rules(figure: Figure, body: Body, joints: Iterable[str] | None) -> dict[str, Rule]:
    """Joint → its rule."""
    known: dict[str, Rule] = {}
    for part, rule in RULES.items():
        for role in [part] if part[0].islower() else [side + part for side in SIDES]:
            if role in body:
                known[body[role]] = rule
    if joints is None:
        return known
    names = [joints] if isinstance(joints, str) else list(joints)
    return {figure.joints[figure.index(name)]: known.get(name, FOOT) for name in names}


def _levels(heights: np.ndarray, moving: np.ndarray, rule: Rule, fps: float) -> np.ndarray:
    """(frames,) how high above the ground a joint lies when it rests there: an ankle is not at the
    sole.

    Floors of recordings are not level: what is near in time says where the floor is, up to
    ``UNEVEN`` above the lowest level of the clip.
    """
    resting = (moving < rule.slow) & (heights < rule.clearance + rule.low)
    out = np.full(len(heights), rule.clearance)
    if not resting.any():
        return out
    lowest = float(np.percentile(heights[resting], 10.0))
    spans, reach = runs(resting), round(NEAR * fps)
    for k, (start, end) in enumerate(spans):
        low, high = max(start - reach, 0), end + reach
        level = float(np.percentile(heights[low:high][resting[low:high]], 10.0))
        before = (spans[k - 1][1] + start) // 2 if k else 0
        after = (end + spans[k + 1][0]) // 2 if k + 1 < len(spans) else len(out)
        out[before:after] = min(level, lowest + UNEVEN, rule.clearance)
    return out


def _hysteresis(begins: np.ndarray, lasts: np.ndarray) -> np.ndarray:
    """Frames of those runs of ``lasts`` in which ``begins`` holds somewhere.

    A contact that begins where both hold goes on as long as ``lasts`` does; looked at from its end
    it is the same, so that the result does not depend on the direction of time.
    """
    out = np.zeros(len(lasts), bool)
    for start, end in runs(lasts):
        if begins[start:end].any():
            out[start:end] = True
    return out


def _spans(down: np.ndarray, fps: float, shortest: float) -> list[tuple[int, int]]:
    """Runs of contact: short gaps are closed, short runs are left out."""
    closed = down.copy()
    for start, end in runs(~down):
        if start > 0 and end < len(down) and end - start <= GAP * fps:
            closed[start:end] = True
    return [(a, b) for a, b in runs(closed) if b - a >= max(2, shortest * fps)]


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """(start, end) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

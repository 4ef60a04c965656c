"""A right hand: a wrist and five fingers of three joints each."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Vector, revolute, universal
from limbik.figure.limits import Range
from limbik.figures import anatomy as body

# Bone lengths in metres, rounded from the means of Buryanov & Kotiuk, "Proportions of Hand
# Segments", Int. J. Morphol. 28(3), 2010; the last one includes the finger's pulp.
_PHALANGES = {
    "Thumb": (0.046, 0.032, 0.025),
    "Index": (0.040, 0.022, 0.020),
    "Middle": (0.045, 0.026, 0.021),
    "Ring": (0.041, 0.026, 0.021),
    "Little": (0.033, 0.018, 0.020),
}

# Where a finger's first joint sits in the wrist's frame, and how far it fans towards the thumb.
_KNUCKLES: dict[str, tuple[Vector, float]] = {
    "Thumb": ((0.022, -0.008, 0.022), 38.0),
    "Index": ((0.024, 0.000, 0.097), 4.0),
    "Middle": ((0.003, 0.003, 0.095), 0.0),
    "Ring": ((-0.016, 0.001, 0.087), -4.0),
    "Little": ((-0.034, -0.004, 0.080), -9.0),
}

# The thumb's nail does not face up like the others: it is rolled towards the palm.
_THUMB_ROLL = -55.0

FINGERTIPS: dict[str, tuple[str, Vector]] = {
    finger: (f"{finger}3", (0.0, 0.0, lengths[2])) for finger, lengths in _PHALANGES.items()
}
"""Finger name → (joint, offset of the fingertip in that joint's frame, in metres)."""


def _placed(fan: float, roll: float) -> tuple[float, float, float, float]:
    """wxyz of a turn by ``fan`` about y and then by ``roll`` about the finger, in degrees."""
    a, b = math.radians(fan) / 2, math.radians(roll) / 2
    return (
        math.cos(a) * math.cos(b),
        math.sin(a) * math.sin(b),
        math.sin(a) * math.cos(b),
        math.cos(a) * math.sin(b),
    )


def _finger(finger: str) -> list[Joint]:
    first, second, third = _PHALANGES[finger]
    at, fan = _KNUCKLES[finger]
    if finger == "Thumb":
        parts, limits = universal("y", "x"), [body.THUMB_LIMIT, body.THUMB_MIDDLE_LIMIT]
        limits.append(body.THUMB_END_LIMIT)
    else:
        parts, limits = universal("x", "y"), [body.KNUCKLE_LIMIT, body.FINGER_LIMIT]
        limits.append(body.FINGER_END_LIMIT)
    wxyz = _placed(fan, _THUMB_ROLL if finger == "Thumb" else 0.0)
    names = [f"{finger}{k}" for k in (1, 2, 3)]
    return [
        Joint(names[0], "Wrist", parts, offset=at, wxyz=wxyz, limit=limits[0]),
        Joint(names[1], names[0], revolute("x"), offset=(0, 0, first), limit=limits[1]),
        Joint(
            names[2],
            names[1],
            revolute("x"),
            offset=(0, 0, second),
            limit=limits[2],
            tip=(0.0, 0.0, third),
        ),
    ]


@cache
def hand() -> Figure:
    """A right hand on a fixed forearm: 16 joints, 22 coordinates, five fingertips, metres.

    The wrist is at the origin, the fingers point along +z, the palm faces −y, the thumb is on the
    side of +x.  Two coordinates for the wrist and four per finger: two at its first joint, one at
    each of the others.  Positive numbers flex, spread towards the thumb, or bring the thumb away
    from the palm.  ``FINGERTIPS`` says where the tips are:

    >>> joint, offset = FINGERTIPS["Index"]
    >>> joint, offset
    ('Index3', (0.0, 0.0, 0.02))
    """
    wrist: Range = body.WRIST_LIMIT
    joints = [Joint("Wrist", parts=universal("x", "y"), limit=wrist)]
    for finger in _PHALANGES:
        joints += _finger(finger)
    figure = Figure(joints, name="hand", unit="m", up="y")
    # Relaxed, every finger a little curled, so that no joint starts at its limit.
    relaxed = {"1": (18.0, 0.0), "2": (22.0,), "3": (12.0,)}
    rest = np.zeros(figure.n)
    for name in figure.joints[1:]:
        values = (25.0, 0.0) if name == "Thumb1" else relaxed[name[-1]]
        rest[figure.coordinates_of(name)] = np.radians(values)
    return figure.with_rest(rest)

"""A spider: eight legs on a body that is free to move."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, euler, free, revolute
from limbik.figure.limits import Range
from limbik.figures.mirror import mirrored

_LENGTHS = {"Coxa": 0.05, "Femur": 0.24, "Tibia": 0.28, "Tarsus": 0.18}  # metres

# Angle of each left leg from +x towards +z, and where it leaves the body, front to back.
_LEGS = ((52.0, 0.09), (18.0, 0.03), (-18.0, -0.03), (-52.0, -0.09))

# Lowest, highest and resting angle in degrees.  A spider's legs swing at the body, lift at the
# femur and fold at the knee and before the tarsus; lengths and ranges are chosen by eye.
_MOVES = {
    "Coxa": (-40.0, 40.0, 0.0),
    "Femur": (-30.0, 80.0, 42.0),
    "Tibia": (0.0, 140.0, 85.0),
    "Tarsus": (-15.0, 70.0, 22.0),
}


def _left_leg(number: int) -> list[Joint]:
    angle, along = _LEGS[number - 1]
    half = -math.radians(angle) / 2
    name = {part: f"L{number}{part}" for part in (*_LENGTHS, "Foot")}
    limit = {part: Range(low, high, degrees=True) for part, (low, high, _) in _MOVES.items()}

    def end(part: str) -> tuple[float, float, float]:
        return (_LENGTHS[part], 0.0, 0.0)

    return [
        Joint(
            name["Coxa"],
            "Body",
            revolute("-y"),
            offset=(0.06, 0.0, along),
            wxyz=(math.cos(half), 0.0, math.sin(half), 0.0),
            limit=limit["Coxa"],
        ),
        Joint(name["Femur"], name["Coxa"], revolute("z"), offset=end("Coxa"), limit=limit["Femur"]),
        Joint(
            name["Tibia"], name["Femur"], revolute("-z"), offset=end("Femur"), limit=limit["Tibia"]
        ),
        Joint(
            name["Tarsus"],
            name["Tibia"],
            revolute("-z"),
            offset=end("Tibia"),
            limit=limit["Tarsus"],
        ),
        Joint(name["Foot"], name["Tarsus"], offset=end("Tarsus")),
    ]


def _height() -> float:
    """How high the body stands above the feet at rest, in metres."""
    pitch, height = 0.0, 0.0
    for part, sign in (("Femur", 1), ("Tibia", -1), ("Tarsus", -1)):
        pitch += sign * math.radians(_MOVES[part][2])
        height -= _LENGTHS[part] * math.sin(pitch)
    return height


@cache
def spider() -> Figure:
    """A spider: 41 joints, n = 38 (a free body and eight legs of four coordinates), metres.

    y is up, it faces +z, its left is +x.  Legs are ``L1`` … ``L4`` and ``R1`` … ``R4`` from front
    to back, each with ``Coxa`` (swings forward), ``Femur`` (lifts), ``Tibia`` and ``Tarsus`` (fold
    down) and the fixed effector ``Foot``: ``L1Foot``.  At rest all feet are on the floor y = 0.

    >>> spider()
    <Figure spider: 41 joints, n = 38>
    """
    turn = 4 * math.pi
    anywhere = Range([-math.inf] * 3 + [-turn] * 3, [math.inf] * 3 + [turn] * 3)
    joints = [Joint("Body", parts=free(euler("YXZ")), offset=(0.0, _height(), 0.0), limit=anywhere)]
    for number in range(1, len(_LEGS) + 1):
        left = _left_leg(number)
        joints += [*left, *map(mirrored, left)]
    figure = Figure(joints, name="spider", unit="m", up="y")
    rest = np.zeros(figure.n)
    for name in figure.joints:
        if name[2:] in _MOVES:
            rest[figure.coordinates_of(name)] = math.radians(_MOVES[name[2:]][2])
    return figure.with_rest(rest)

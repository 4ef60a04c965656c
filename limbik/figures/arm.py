"""A robot arm of seven turning joints and a tool."""

from __future__ import annotations

import math
from functools import cache

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute
from limbik.figure.limits import Range

# (a, α, d) in metres and radians, then the range in radians: the modified Denavit–Hartenberg
# parameters and limits that Franka Emika publishes for the Panda in "Franka Control Interface
# Documentation", sections "Denavit–Hartenberg parameters" and "Constants".
_LINKS = (
    (0.0, 0.0, 0.333, -2.8973, 2.8973),
    (0.0, -math.pi / 2, 0.0, -1.7628, 1.7628),
    (0.0, math.pi / 2, 0.316, -2.8973, 2.8973),
    (0.0825, math.pi / 2, 0.0, -3.0718, -0.0698),
    (-0.0825, -math.pi / 2, 0.384, -2.8973, 2.8973),
    (0.0, math.pi / 2, 0.0, -0.0175, 3.7525),
    (0.088, math.pi / 2, 0.0, -2.8973, 2.8973),
)
_FLANGE = 0.107
_READY = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)


@cache
def arm() -> Figure:
    """A robot arm with the proportions and ranges of a Panda: n = 7, metres, z up.

    Joints are ``Joint1`` … ``Joint7``; the effector is the fixed joint ``Tool`` at the flange, its
    z axis pointing out of the arm.  The rest pose is the arm's ready pose, the tool pointing down.

    >>> arm().joints[-1]
    'Tool'
    """
    joints: list[Joint] = []
    for k, (a, alpha, d, low, high) in enumerate(_LINKS, start=1):
        joints.append(
            Joint(
                f"Joint{k}",
                joints[-1].name if joints else None,
                revolute("z"),
                offset=(a, -math.sin(alpha) * d, math.cos(alpha) * d),
                wxyz=(math.cos(alpha / 2), math.sin(alpha / 2), 0.0, 0.0),
                limit=Range(low, high),
            )
        )
    joints.append(Joint("Tool", "Joint7", offset=(0.0, 0.0, _FLANGE)))
    return Figure(joints, rest=_READY, name="arm", unit="m", up="z")

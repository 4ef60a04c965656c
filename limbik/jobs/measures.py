"""What can be measured of a motion: a table of measures, each a number that is best when small."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from limbik.animate.check import check
from limbik.animate.track import jumps, rotation_changes
from limbik.figure.motion import Motion
from limbik.maths.so3 import log_map, matrix_to_quat


class Measure(NamedTuple):
    """A measure of a clip: what it is, in which unit, and how it is made (None: by a step)."""

    label: str
    unit: str = ""
    of: Callable[[Motion], float] | None = None


def _violation(motion: Motion) -> float:
    return float(np.max(motion.figure.violation(motion.q)))


def _jumps(motion: Motion) -> float:
    return len(jumps(motion.figure, motion.q))


def _speed(motion: Motion) -> float:
    if motion.frames < 2:
        return 0.0
    return math.degrees(float(rotation_changes(motion.figure, motion.q).max()) * motion.fps)


def _jerk(motion: Motion) -> float:
    """The 95th percentile over joints and frames of |d²ω/dt²|, ω the joint's angular velocity.

    ω is taken against the parent, from the rotation vector between frames, so that it does not
    depend on a joint's coordinates.
    """
    if motion.frames < 4:
        return 0.0
    figure = motion.figure
    world = figure.frames(motion.q)[:, :, :3, :3]
    local = world.copy()
    has_parent = figure.parents >= 0
    above = world[:, figure.parents[has_parent]]
    local[:, has_parent] = np.swapaxes(above, -1, -2) @ world[:, has_parent]
    moving = np.isin(np.arange(len(figure.joints)), figure.owner)
    local = local[:, moving]
    change = local[1:] @ np.swapaxes(local[:-1], -1, -2)
    omega = log_map(matrix_to_quat(change)) * motion.fps
    jerk = np.linalg.norm(np.diff(omega, n=2, axis=0), axis=-1) * motion.fps**2
    return float(np.percentile(jerk, 95)) if jerk.size else 0.0


def _slide(motion: Motion) -> float:
    return float(check(motion).slide_mm.max(initial=0.0))


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "error_max": Measure("largest distance from a target"),
        "error_mean": Measure("mean distance from the targets"),
        "unreached": Measure("frames that did not reach their targets", " frames"),
        "jumps": Measure("frames in which a joint jumps", " frames", _jumps),
        "violation": Measure("furthest outside the limits", "", _violation),
        "speed": Measure("fastest joint", "°/s", _speed),
        "slide": Measure("largest slide of a contact", " mm", _slide),
        "jerk": Measure("jerk of joints, 95 %", " rad/s³", _jerk),
    }
)
"""By name.  A new measure is a line here."""


def quality_of(motion: Motion, *, skip: Iterable[str] = ()) -> dict[str, float]:
    """Every measure that a motion alone gives, except those to skip.

    >>> quality_of(clip)["jumps"]
    0
    """
    left = set(skip)
    return {
        name: measure.of(motion)
        for name, measure in MEASURES.items()
        if measure.of is not None and name not in left
    }

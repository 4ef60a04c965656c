"""The parts of a joint: a turn or a slide of one coordinate, or a ball of three."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.errors import FigureError
from limbik.figure.limits import EXPONENTIAL_CHART, SWING_CHART

Vector = tuple[float, float, float]

_PRINCIPAL: dict[str, Vector] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}


def unit_axis(axis: str | Sequence[float] | np.ndarray, what: str = "axis") -> Vector:
    """A unit vector from ``"x"``, ``"-z"`` or three numbers; refuses zero length and NaN."""
    if isinstance(axis, str):
        if axis.lower() not in _PRINCIPAL:
            raise FigureError(f'{what}: "{axis}" is not one of x, y, z, -x, -y, -z')
        return _PRINCIPAL[axis.lower()]
    try:
        v = np.asarray(axis, dtype=float)
    except (TypeError, ValueError, OverflowError):
        v = np.empty(0)
    if v.shape != (3,) or not np.isfinite(v).all():
        raise FigureError(f"{what}: needs three finite numbers, got {axis!r}")
    length = float(np.linalg.norm(v))
    if length < 1e-12:
        raise FigureError(f"{what}: has zero length")
    v = v / length
    return (float(v[0]), float(v[1]), float(v[2]))


def axis_label(axis: Vector) -> str:
    """ "x", "y" or "z" for a principal axis, either way; empty for others."""
    for name in "xyz":
        if abs(np.dot(axis, _PRINCIPAL[name])) > 1 - 1e-12:
            return name
    return ""


def twist_and_swing(
    twist: str | Sequence[float], swing: str | Sequence[float] | None
) -> tuple[Vector, Vector]:
    """Unit twist axis, and the first swing axis made perpendicular to it."""
    t = np.array(unit_axis(twist, "twist axis"))
    if swing is None:
        swing = _PRINCIPAL["zxy"[int(np.argmax(np.abs(t)))]]
    u = np.array(unit_axis(swing, "swing axis"))
    u = u - t * (t @ u)
    if np.linalg.norm(u) < 1e-6:
        raise FigureError("swing axis: is parallel to the twist axis")
    return unit_axis(t), unit_axis(u)


@dataclass(frozen=True)
class Coupling:
    """q_i = scale · q_j + offset: the coordinate is driven by another and is not part of q.

    ``coordinate`` names q_j: ``"Finger1"`` for a joint with one coordinate, else ``"Finger1.rx"``.
    """

    coordinate: str
    scale: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class _AxisPart:
    """A part of one coordinate, about or along an axis."""

    axis: Vector
    label: str = ""
    coupled: Coupling | None = None

    kind: ClassVar[str]
    slides: ClassVar[bool]

    @property
    def labels(self) -> tuple[str]:
        """ "rx" for a turn about x, "tx" for a slide along it; "turn" and "slide" for others."""
        letter = axis_label(self.axis)
        return (self.label or (("t" if self.slides else "r") + letter if letter else self.kind),)

    @property
    def width(self) -> int:
        """How many entries of q the part has: none where another coordinate drives it."""
        return int(self.coupled is None)

    @property
    def axes(self) -> np.ndarray:
        """(1, 3) the axis of its coordinate."""
        return np.array([self.axis])


@dataclass(frozen=True)
class Turn(_AxisPart):
    """One rotation about ``axis``, in radians."""

    kind: ClassVar = "turn"
    slides: ClassVar = False


@dataclass(frozen=True)
class Slide(_AxisPart):
    """One translation along ``axis``, in the figure's unit."""

    kind: ClassVar = "slide"
    slides: ClassVar = True


class _BallPart:
    """A part of three coordinates that reaches every rotation.

    The first ``vector_width`` of them are a vector whose length is an angle, up to
    ``longest_vector``; ``furthest_twist`` is how far it tells twists apart, to both sides (rad).
    """

    twist: Vector
    swing: Vector
    slides: ClassVar = False
    coupled: ClassVar = None
    width: ClassVar = 3

    @property
    def basis(self) -> np.ndarray:
        """(3, 3), columns u, v, t: the two swing axes and the twist axis."""
        t, u = np.array(self.twist), np.array(self.swing)
        return np.column_stack([u, np.cross(t, u), t])


@dataclass(frozen=True)
class ExponentialBall(_BallPart):
    """R = exp(w): three coordinates, a rotation vector (``dual_quaternion``, equations 6–7).

    ``twist`` and ``swing`` are the axes a swing–twist limit is measured about.
    """

    twist: Vector = (1.0, 0.0, 0.0)
    swing: Vector = (0.0, 1.0, 0.0)

    kind: ClassVar = "exponential"
    labels: ClassVar = ("wx", "wy", "wz")
    vector_width: ClassVar = 3
    longest_vector: ClassVar = (
        EXPONENTIAL_CHART  # beyond which a vector stands for a rotation that it has already
    )
    furthest_twist: ClassVar = math.pi

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) the axes of its coordinates, in rows."""
        return np.eye(3)


@dataclass(frozen=True)
class SwingTwistBall(_BallPart):
    """R = exp(s₁u + s₂v)·exp(τt): two swing numbers and a twist angle about ``twist``.

    ``swing`` is the axis u of the first swing number, perpendicular to the twist axis t; v = t × u.
    """

    twist: Vector = (0.0, 1.0, 0.0)
    swing: Vector = (0.0, 0.0, 1.0)

    kind: ClassVar = "swing-twist"
    labels: ClassVar = ("swing1", "swing2", "twist")
    vector_width: ClassVar = 2
    longest_vector: ClassVar = SWING_CHART
    furthest_twist: ClassVar = math.inf

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) the axes of its coordinates, in rows."""
        return self.basis.T


BallPart = ExponentialBall | SwingTwistBall
Part = Turn | Slide | BallPart

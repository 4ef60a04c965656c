"""What a joint is: a fixed placement on its parent, then a short list of moving parts.

A part contributes one coordinate (a turn or a slide) or three (a ball).  Every kind of joint is
a tuple of parts; the functions at the end of this file build the usual ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.errors import FigureError
from limbik.figure.limits import EXPONENTIAL_CHART, SWING_CHART, Range, SwingTwist

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
    for name in "xyz":
        if abs(np.dot(axis, _PRINCIPAL[name])) > 1 - 1e-12:
            return name
    return ""


def _twist_and_swing(
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
Limit = Range | SwingTwist


@dataclass(frozen=True)
class Joint:
    """A named joint: where it sits on its parent, what moves there, and how far.

    The transform from the parent's frame is translate(offset) · rotate(wxyz) · parts.  ``tip`` is
    the end of a last bone (BVH's End Site) in the joint's own frame; it is drawn and written back,
    and is not a joint.  ``alias`` is a second name, after which its coordinates are called: robots
    name both a link, which is a place, and the joint that moves it.  A ``limit`` that is a cone
    speaks of the ball alone; ``slide_limit`` has a pair for each of the joint's slides beside it,
    or where there is no limit.
    """

    name: str
    parent: str | None = None
    parts: tuple[Part, ...] = ()
    offset: Vector = (0.0, 0.0, 0.0)
    wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    limit: Limit | None = None
    tip: Vector | None = None
    alias: str = ""
    slide_limit: Range | None = None

    def __post_init__(self) -> None:
        # Plain tuples: a figure must not change when somebody's array does.
        for what in ("offset", "wxyz", "tip", "parts"):
            values = getattr(self, what)
            if isinstance(values, np.ndarray | list):
                object.__setattr__(self, what, tuple(np.asarray(values, object).tolist()))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all coordinates of the joint, the coupled ones too."""
        labels: list[str] = []
        for part in self.parts:
            for label in part.labels:
                taken = sum(known.rstrip("0123456789") == label for known in labels)
                labels.append(f"{label}{taken + 1}" if taken else label)
        return tuple(labels)

    @property
    def width(self) -> int:
        """How many entries of q the joint has."""
        return sum(part.width for part in self.parts)

    @property
    def slides(self) -> tuple[bool, ...]:
        """For each of ``labels`` whether it is a length and not an angle."""
        return tuple(part.slides for part in self.parts for _ in part.labels)

    @property
    def slide_columns(self) -> list[int]:
        """Which of ``labels`` are slides."""
        return [k for k, slides in enumerate(self.slides) if slides]

    @property
    def slide_parts(self) -> tuple[Slide, ...]:
        """The parts that are slides."""
        return tuple(part for part in self.parts if isinstance(part, Slide))

    @property
    def turn_parts(self) -> tuple[Turn, ...]:
        """The parts that are turns about one axis."""
        return tuple(part for part in self.parts if isinstance(part, Turn))

    @property
    def ball_parts(self) -> tuple[tuple[int, BallPart], ...]:
        """The parts that are balls, each with the place of its first coordinate in ``labels``."""
        out: list[tuple[int, BallPart]] = []
        first = 0
        for part in self.parts:
            if isinstance(part, BallPart):
                out.append((first, part))
            first += len(part.labels)
        return tuple(out)

    @property
    def hinge(self) -> Turn | None:
        """The only part of a joint that turns about one axis and does nothing else, or None."""
        return self.turn_parts[0] if len(self.parts) == len(self.turn_parts) == 1 else None

    @property
    def coupled(self) -> bool:
        """Whether another coordinate drives one of its parts."""
        return any(part.coupled is not None for part in self.parts)

    @property
    def kind(self) -> str:
        """The joint's kind in a word or two, for people."""
        slides = len(self.slide_columns)
        turns = "".join(axis_label(turn.axis) or "?" for turn in self.turn_parts)
        if not self.parts:
            return "fixed"
        order = f" ({turns.upper()})" if "?" not in turns else ""
        names = {0: "", 1: "revolute", 2: "universal", 3: f"ball{order}"}
        turning = names.get(len(turns), f"{len(turns)} turns")
        if self.ball_parts:
            turning = f"ball ({self.ball_parts[0][1].kind.replace('-', '–')})"
        if slides == 3 and turning.startswith("ball"):
            return turning.replace("ball", "free", 1)
        sliding = {0: "", 1: "prismatic"}.get(slides, f"{slides} slides")
        return " + ".join(word for word in (sliding, turning) if word)


def revolute(axis: str | Sequence[float], *, coupled: Coupling | None = None) -> tuple[Part, ...]:
    """A hinge about ``axis``."""
    return (Turn(unit_axis(axis), coupled=coupled),)


def prismatic(axis: str | Sequence[float], *, coupled: Coupling | None = None) -> tuple[Part, ...]:
    """A slide along ``axis``."""
    return (Slide(unit_axis(axis), coupled=coupled),)


def universal(first: str | Sequence[float], second: str | Sequence[float]) -> tuple[Part, ...]:
    """Two turns, the second carried by the first."""
    return (Turn(unit_axis(first)), Turn(unit_axis(second)))


def euler(order: str = "ZYX") -> tuple[Part, ...]:
    """Turns about the named axes, each carried by those before: ``"ZYX"`` is Rz·Ry·Rx.

    ``euler("ZYZ")`` is the ball of Appendix A.1 of line_search (equations A.16–A.22).
    """
    if not order or any(letter not in "xyz" for letter in order.lower()):
        raise FigureError(f'Euler order "{order}": only the letters X, Y and Z')
    return tuple(Turn(unit_axis(letter)) for letter in order.lower())


def exponential(
    twist: str | Sequence[float] = "x", swing: str | Sequence[float] | None = None
) -> tuple[Part, ...]:
    """A ball by exponential map; ``twist`` and ``swing`` matter only to a swing–twist limit."""
    return (ExponentialBall(*_twist_and_swing(twist, swing)),)


def swing_twist(
    twist: str | Sequence[float] = "y", swing: str | Sequence[float] | None = None
) -> tuple[Part, ...]:
    """A ball by swing–twist coordinates; ``twist`` usually runs along the bone.

    ``swing`` is the axis of the first swing number; it is made perpendicular to ``twist``.
    """
    return (SwingTwistBall(*_twist_and_swing(twist, swing)),)


def slides(axes: str = "XYZ") -> tuple[Part, ...]:
    """Slides along the named axes, for a free root: ``slides() + euler("ZYX")``."""
    return tuple(Slide(unit_axis(letter)) for letter in axes.lower())


def free(ball: tuple[Part, ...] | None = None) -> tuple[Part, ...]:
    """A free root: three slides and a ball (``euler("ZYX")`` unless given)."""
    return slides() + (euler("ZYX") if ball is None else ball)

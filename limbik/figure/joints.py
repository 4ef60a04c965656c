"""What a joint is: a fixed placement on its parent, then a short list of moving parts.

Every kind of joint is a tuple of parts; the functions at the end of this file build the usual ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.errors import FigureError
from limbik.figure.limits import Range, SwingTwist
from limbik.figure.parts import (
    BallPart,
    Coupling,
    ExponentialBall,
    Part,
    Slide,
    SwingTwistBall,
    Turn,
    Vector,
    axis_label,
    twist_and_swing,
    unit_axis,
)

__all__ = [
    "BallPart",
    "Coupling",
    "ExponentialBall",
    "Joint",
    "Limit",
    "Part",
    "Slide",
    "SwingTwistBall",
    "Turn",
    "Vector",
    "axis_label",
    "euler",
    "exponential",
    "free",
    "prismatic",
    "revolute",
    "slides",
    "swing_twist",
    "unit_axis",
    "universal",
]

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
    return (ExponentialBall(*twist_and_swing(twist, swing)),)


def swing_twist(
    twist: str | Sequence[float] = "y", swing: str | Sequence[float] | None = None
) -> tuple[Part, ...]:
    """A ball by swing–twist coordinates; ``twist`` usually runs along the bone.

    ``swing`` is the axis of the first swing number; it is made perpendicular to ``twist``.
    """
    return (SwingTwistBall(*twist_and_swing(twist, swing)),)


def slides(axes: str = "XYZ") -> tuple[Part, ...]:
    """Slides along the named axes, for a free root: ``slides() + euler("ZYX")``."""
    return tuple(Slide(unit_axis(letter)) for letter in axes.lower())


def free(ball: tuple[Part, ...] | None = None) -> tuple[Part, ...]:
    """A free root: three slides and a ball (``euler("ZYX")`` unless given)."""
    return slides() + (euler("ZYX") if ball is None else ball)

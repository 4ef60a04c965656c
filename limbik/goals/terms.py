"""What every goal is made of: terms, each a few rows w·(g − F(q)) of one simple kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

from limbik.errors import FigureError, GoalError
from limbik.figure.units import length_text

if TYPE_CHECKING:
    from limbik.figure.figure import Figure
    from limbik.goals.kernels.functions import TermFunctions

POSITION, ROTATION, AXES, AIM, PLANE, DISTANCE, FUNCTION = range(7)
ROWS = {POSITION: 3, ROTATION: 3, AXES: 6, AIM: 3, PLANE: 1, DISTANCE: 1}

Vector = Sequence[float] | np.ndarray

LARGEST = 1e50
"""Targets beyond this are refused: their squares would not fit a float."""


_ORIGIN, _UPRIGHT, _EVEN = np.zeros(3), np.eye(3), np.ones(3)
for _constant in (_ORIGIN, _UPRIGHT, _EVEN):
    _constant.setflags(write=False)


@dataclass
class Term:
    """One block of rows; ``weight`` is the diagonal of W (equation 17 of line_search), and
    ``matrix_weight`` the whole block where it is not diagonal."""

    kind: int
    joint: int
    at: np.ndarray = field(default_factory=lambda: _ORIGIN)
    second: int = -1
    at2: np.ndarray = field(default_factory=lambda: _ORIGIN)
    point: np.ndarray = field(default_factory=lambda: _ORIGIN)
    matrix: np.ndarray = field(default_factory=lambda: _UPRIGHT)
    value: float = 0.0
    weight: np.ndarray = field(default_factory=lambda: _EVEN)
    matrix_weight: np.ndarray | None = None
    functions: TermFunctions | None = None
    """What a term of the kind FUNCTION calls; ``joint`` is then −1."""
    tolerance: float | None = None
    """How large the error may be, where the term says it itself."""

    @property
    def rows(self) -> int:
        """How many rows the term has."""
        return ROWS[self.kind] if self.functions is None else self.functions.rows

    @property
    def unit(self) -> Literal["length", "angle", "number"]:
        """What the term's error is: a length, an angle (rad) or a number of the user's own."""
        if self.functions is not None:
            return self.functions.unit
        return "angle" if self.kind in (ROTATION, AXES, AIM) else "length"

    @property
    def is_angle(self) -> bool:
        """Whether the term's error is an angle (rad)."""
        return self.unit == "angle"

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints that the term looks at."""
        if self.functions is not None:
            return self.functions.joints
        return (self.joint,) if self.second < 0 else (self.joint, self.second)


@dataclass(frozen=True)
class Scene:
    """What a goal may look at when it becomes terms: the figure and the pose it starts from."""

    figure: Figure
    start: np.ndarray

    @cached_property
    def frames(self) -> np.ndarray:
        """(joints, 4, 4) the world transforms of all joints in the start pose."""
        return self.figure.frames(self.start)

    @property
    def lever(self) -> float:
        """The length at which an angle is weighed: a radian counts as much as this length.

        A quarter of the figure's size.  It makes weights mean the same in metres and centimetres.
        """
        return self.figure.size / 4


class TargetWrite(NamedTuple):
    """Numbers of a target that go into one of a goal's terms.

    term:   which of the goal's terms
    at:     the first of its floats, or NUMBERS for the numbers of a function, NUMBERS − k for those
            from the k-th on
    values: (problems, k) the numbers
    """

    term: int
    at: int
    values: np.ndarray


NUMBERS = -1


class Answered(NamedTuple):
    """What a goal puts in words (``describe``): what is missing, or why it ``holds`` another one.

    q:       (n,) the pose that was found
    holds:   whether the goal keeps another one from being met
    numbers: of the goal's first term, as they are now: targets may have moved
    """

    figure: Figure
    q: np.ndarray
    holds: bool
    numbers: np.ndarray

    def text(self, length: float) -> str:
        """A length in words."""
        return length_text(length, self.figure.unit)


class Goal(Protocol):
    """What must hold: a goal gives its terms, and a name for people.

    A goal whose target can be moved without compiling anew also has ``TARGETS``, how many numbers
    each of its targets has by name (0: a single one, None: any number), and
    ``target_writes(tables)``, which says where tables (problems, k) of them go; where they are
    more than numbers in a row, ``flat_target(name, values)`` makes rows of them.  A goal that adds
    Σ wᵢ·(qᵢ − pᵢ)² to f has ``diagonal(scene)``, which returns w and p (n,), and
    ``as_rest(figure)``, the same as a ``Rest``.  ``describe(answered)`` says in words what is
    missing, or why it holds another goal.
    """

    @property
    def label(self) -> str:
        """What the goal is about, for a sentence: "LeftHand"."""
        ...

    def terms(self, scene: Scene) -> list[Term]:
        """The goal's rows in this scene; raises GoalError where the goal cannot be asked."""
        ...


def joint_index(figure: Figure, joint: str, goal: str) -> int:
    """A joint's index, or a GoalError that names the goal and the nearest joint."""
    try:
        return figure.index(joint)
    except FigureError as error:
        raise GoalError(f"{goal}: {error}") from None


def joint_name(joint: object, goal: str) -> None:
    """Refuse what cannot be the name of a joint when the goal is made, before a figure is known."""
    if not isinstance(joint, str):
        raise GoalError(f"{goal}: a joint is given by its name, got {joint!r}")


def vector(values: object, length: int, what: str) -> np.ndarray:
    """``length`` finite numbers as an array; refuses anything else by name."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise GoalError(f"{what}: needs {length} numbers, got {values!r}") from None
    if array.shape == (length,) and float(array @ array) <= LARGEST:
        return array
    if array.shape != (length,):
        hint = "; pose= takes a matrix" if array.shape in ((4, 4), (3, 4)) else ""
        raise GoalError(f"{what}: needs {length} numbers, got {values!r}{hint}")
    if not np.isfinite(array).all():
        raise GoalError(f"{what}: {values!r} is not finite")
    if (np.abs(array) > LARGEST).any():
        raise GoalError(f"{what}: {values!r} is beyond {LARGEST:g}")
    return array


def weights(weight: object, rows: int, what: str) -> tuple[np.ndarray, np.ndarray | None]:
    """(diagonal of W, W or None) from a number, a number a row, or a positive definite matrix."""
    if type(weight) is float and 0.0 <= weight <= LARGEST:
        return (_EVEN if weight == 1.0 else np.full(3, weight)), None
    try:
        array = np.array(weight, dtype=float)
    except (TypeError, ValueError):
        raise GoalError(f"{what}: weight needs numbers, got {weight!r}") from None
    if not np.isfinite(array).all():
        raise GoalError(f"{what}: weight {weight!r} is not finite")
    if array.ndim == 2:
        if array.shape != (rows, rows) or not np.allclose(array, array.T):
            raise GoalError(f"{what}: a weight matrix must be symmetric, {rows} × {rows}")
        if np.linalg.eigvalsh(array).min() <= 0:
            raise GoalError(f"{what}: the weight matrix is not positive definite")
        return np.ones(3), array
    if array.shape not in ((), (rows,)):
        raise GoalError(f"{what}: weight needs one number or {rows}, got {weight!r}")
    if (array < 0).any():
        raise GoalError(f"{what}: weight {weight!r} is negative")
    out = np.ones(3)
    out[: min(rows, 3)] = array if array.ndim else float(array)
    return out, None


def one_weight(weight: object, what: str) -> np.ndarray:
    """The diagonal of W from one number; refuses a matrix."""
    diagonal, full = weights(weight, 1, what)
    if full is not None:
        raise GoalError(f"{what}: weight takes one number")
    return diagonal


def unit_normal(normal: object, what: str) -> np.ndarray:
    """(3,) the normal of a plane as a unit vector."""
    values = vector(normal, 3, f"{what}: normal")
    length = float(np.linalg.norm(values))
    if length < 1e-12:
        raise GoalError(f"{what}: normal has zero length")
    return values / length

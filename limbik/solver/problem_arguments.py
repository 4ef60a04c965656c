"""What a problem is given, checked and put into numbers."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from limbik.errors import FigureError, GoalError
from limbik.figure.figure import Figure
from limbik.goals import Goal, Rest
from limbik.goals import terms as tm

POSITION_TOLERANCE = 1e-4  # of the figure's size
ROTATION_TOLERANCE = 1e-3  # rad


def checked_figure(figure: object) -> Figure:
    """The figure; anything else is refused, with what was probably meant."""
    if isinstance(figure, Figure):
        return figure
    hint = ""
    if isinstance(figure, str):
        hint = f"; limbik.load(path) and limbik.figures.{figure or 'human'}() give one"
        hint = hint if figure.isidentifier() else "; limbik.load(path) gives one"
    elif isinstance(getattr(figure, "figure", None), Figure):
        hint = f"; that of a {type(figure).__name__} is its .figure"
    raise FigureError(f"a problem needs a Figure, got {_short(figure)}{hint}")


def goals_given(goals: Any) -> tuple[Goal, ...]:
    """The goals as a tuple; a single goal stands for itself."""
    if hasattr(goals, "terms"):
        return (goals,)
    if isinstance(goals, str | bytes | Mapping) or not isinstance(goals, Iterable):
        raise GoalError(f"goals: needs a goal or several, got {_short(goals)}")
    return tuple(goals)


def names_given(names: Any, what: str) -> tuple[str, ...]:
    """Names of joints as a tuple; a single name stands for itself."""
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable):
        raise GoalError(f"{what}: needs names of joints, got {names!r}")
    return tuple(names)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


_usual_moves: weakref.WeakKeyDictionary[Figure, np.ndarray] = weakref.WeakKeyDictionary()


def moving_coordinates(figure: Figure, locked: tuple[str, ...]) -> np.ndarray:
    """(n,) which coordinates may move."""
    moves = _usual_moves.get(figure)
    if moves is None:
        # A slide whose range is one value is part of a bone's length; it is not solved for.
        moves = ~(figure.slides & (figure.lower == figure.upper))
        for coordinates in figure.tree.cones:
            moves[coordinates] = moves[coordinates].all()
        _usual_moves[figure] = moves
    moves = moves.copy()
    for joint in locked:
        try:
            moves[figure.coordinates_of(joint)] = False
        except FigureError as error:
            raise GoalError(f"lock: {error}") from None
    if locked:
        for coordinates in figure.tree.cones:
            # A projection onto a cone moves all its coordinates, so they are locked together.
            moves[coordinates] = moves[coordinates].all()
    return moves


def tolerances_of(
    figure: Figure, terms: Sequence[tm.Term], tolerance: float | tuple[float, float] | None
) -> np.ndarray:
    """(terms,) the tolerance of each, where ``tolerance`` is what was asked for."""
    if tolerance is None:
        length, angle = POSITION_TOLERANCE * figure.size, ROTATION_TOLERANCE
    else:
        try:
            pair = np.asarray(tolerance, float)
        except (TypeError, ValueError):
            pair = np.empty(0)
        if pair.shape not in ((), (2,)) or not (pair > 0).all():
            raise GoalError(
                f"tolerance {tolerance!r} must be one positive number or two (position, rotation)"
            )
        length, angle = np.broadcast_to(pair, (2,)).tolist()
    return np.array([_tolerance(term, length, angle) for term in terms], float)


def _tolerance(term: tm.Term, length: float, angle: float) -> float:
    if term.functions is not None and term.functions.tolerance is not None:
        return term.functions.tolerance
    if term.tolerance is not None:
        return term.tolerance
    return angle if term.is_angle else length


def full_weights(terms: Sequence[tm.Term], weights: np.ndarray | None) -> np.ndarray | None:
    """L of W = LLᵀ where W is more than a diagonal, else None."""
    rows = sum(term.rows for term in terms)
    if weights is not None:
        try:
            weights = np.asarray(weights, float)
        except (TypeError, ValueError):
            weights = np.empty(0)
        if weights.ndim != 2:
            raise GoalError(f"weights: needs a matrix, {rows} × {rows}")
        _, matrix = tm.weights(weights, rows, "weights")
        assert matrix is not None  # two dimensions make a matrix
        return np.linalg.cholesky(matrix)
    if all(term.matrix_weight is None for term in terms):
        return None
    full, row = np.eye(rows), 0
    for term in terms:
        count = term.rows
        if term.matrix_weight is not None:
            block = np.linalg.cholesky(term.matrix_weight)
            full[row : row + count, row : row + count] = block
        row += count
    return full


def rest_of(
    goals: Sequence[Goal], scene: tm.Scene, moves: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """All Rest goals as one diagonal: Σ wₖ(q − pₖ)² = w(q − p)² + a constant; None: no goal."""
    if not any(isinstance(goal, Rest) for goal in goals):
        return None
    weight, moment, square = np.zeros(len(moves)), np.zeros(len(moves)), 0.0
    for goal in goals:
        if isinstance(goal, Rest):
            w, p = goal.diagonal(scene)
            w = w * moves
            weight, moment = weight + w, moment + w * p
            square += float(w @ p**2)
    pose = np.divide(moment, weight, out=np.zeros_like(moment), where=weight > 0)
    return weight, pose, max(0.0, square - float(weight @ pose**2))

"""Numbers of a problem that change from frame to frame: targets, weights, the pose to stay near."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.goals import terms as tm
from limbik.solver.problem import Problem


@dataclass
class FrameValues:
    """Numbers of a problem that change from frame to frame: where they lie, and their values."""

    problem: Problem
    frames: int
    _target_offsets: list[int] = field(default_factory=list)
    _columns: list[np.ndarray] = field(default_factory=list)

    def _add(self, first: int, columns: np.ndarray) -> None:
        table = np.asarray(columns, float).reshape(self.frames, -1)
        self._target_offsets += range(first, first + table.shape[1])
        self._columns.append(table)

    def _term(self, goal: int, kind: int) -> int:
        for term in self.problem.terms_of[goal]:
            if self.problem.terms[term].kind == kind:
                return lay.record_at(self.problem.ints, lay.F_TERM, term)
        raise GoalError(f"goal {goal} has no such target")

    def position(self, goal: int, points: np.ndarray) -> None:
        """Goal number ``goal`` goes to points (frames, 3)."""
        self._add(self._term(goal, tm.POSITION) + lay.T_POINT, points)

    def rotation(self, goal: int, matrices: np.ndarray) -> None:
        """Goal number ``goal`` is turned as matrices (frames, 3, 3)."""
        self._add(self._term(goal, tm.ROTATION) + lay.T_MATRIX, matrices)

    def position_factor(self, goal: int, factors: np.ndarray) -> None:
        """The position of a goal counts factors (frames,) times its weight; or (frames, 3)."""
        self._factor(goal, tm.POSITION, factors)

    def rotation_factor(self, goal: int, factors: np.ndarray) -> None:
        """The rotation of a goal counts factors (frames,) times its weight; or (frames, 3)."""
        self._factor(goal, tm.ROTATION, factors)

    def plane_factor(self, goal: int, factors: np.ndarray) -> None:
        """The distance from a plane counts factors (frames,) times its weight."""
        self._factor(goal, tm.PLANE, factors)

    def _factor(self, goal: int, kind: int, factors: np.ndarray) -> None:
        first = self._term(goal, kind) + lay.T_WEIGHT
        own = self.problem.floats[first : first + 3]  # square roots of the weights
        table = np.asarray(factors, float)
        table = table[:, None] if table.ndim == 1 else table
        self._add(first, np.sqrt(np.broadcast_to(table, (self.frames, 3))) * own)

    def numbers(self, target_offsets: np.ndarray, table: np.ndarray) -> None:
        """Floats at ``target_offsets`` (k,) of the problem: table (frames, k)."""
        self._target_offsets += target_offsets.tolist()
        self._columns.append(np.asarray(table, float).reshape(self.frames, -1))

    def near(self, poses: np.ndarray) -> None:
        """The pose that ``Rest`` pulls to: poses (frames, n)."""
        self._add(int(self.problem.ints[lay.F_REST_POSE]), poses)

    @property
    def target_offsets(self) -> np.ndarray:
        """(k,) indices into the problem's floats."""
        return np.array(self._target_offsets, np.int64)

    @property
    def values(self) -> np.ndarray:
        """(frames, k) one row per frame."""
        return np.ascontiguousarray(
            np.concatenate([np.empty((self.frames, 0)), *self._columns], axis=1)
        )

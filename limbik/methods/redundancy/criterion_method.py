"""What the methods that lower a criterion with what the goals leave free have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.errors import MethodError
from limbik.methods.base import Method
from limbik.methods.least_squares.svd_step import svd_size
from limbik.methods.redundancy.criteria import criterion_size, criterion_table
from limbik.methods.redundancy.criterion_search import secondary_size
from limbik.methods.redundancy.null_space_basis import usual_rank
from limbik.methods.workspace import gradient_size
from limbik.solver.problem import Problem


class CriterionMethod(Method):
    """A method whose settings begin as ``O_CUTOFF`` and those after it say."""

    criterion: str
    pose: Sequence[float] | np.ndarray | None
    cutoff: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pose is not None and self.criterion != "rest":
            raise MethodError(f'{self.name}: a pose is for the criterion "rest"')
        if not 0.0 <= self.cutoff < 1.0:
            raise MethodError(f"{self.name}: needs 0 ≤ cutoff < 1, got {self.cutoff:g}")

    def tables(self, problem: Problem) -> list[float]:
        return [
            usual_rank(problem, self.cutoff),
            *problem.moves,
            *criterion_table(self.name, self.criterion, self.pose, problem),
        ]

    def workspace(self, problem: Problem) -> int:
        own = secondary_size(problem) + criterion_size(problem) + svd_size(problem)
        return gradient_size(problem) + own

"""The settings that every form of the default method has, and where its kernel finds them."""

from __future__ import annotations

from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.methods.base import OWN, Method
from limbik.methods.default.workspace import lm_size
from limbik.methods.settings import setting
from limbik.solver.problem import Problem

# Entries of ``options``; from O_TABLES on follow the tables of held_lm.py.
(
    O_ALPHA,
    O_DAMPING,
    O_PASSES,
    O_PATIENCE,
    O_PROGRESS,
    O_SETTLE,
    O_NEWTON_AFTER,
    O_SLOW,
    O_LEAST_GAIN,
    O_TABLES,
) = range(OWN, OWN + 10)


@dataclass(frozen=True)
class LevenbergMarquardt(Method):
    """The settings that every form of the iteration has."""

    iterations: int = setting(400, "Iterations an attempt may take.")
    alpha: float = setting(1e-4, "Armijo constant of equation 39 of line_search.")
    damping: float = setting(1.0, "The first λ/f.")
    stationary: float = setting(
        1e-6, "Cosine between what is missing and the best free direction at which it stops."
    )
    passes: int = setting(
        3, "How often a step may be solved for again with its clipped coordinates held."
    )
    patience: int = setting(
        4,
        "An attempt that may be followed by another is given up if over so many iterations f did "
        "not fall below the part ``progress`` of itself.",
    )
    progress: float = setting(0.5, "The part of f that ``patience`` asks for.")
    settle: float = setting(
        5e-6,
        "Some iterations in a row that lower f by no more than this part of it are the end, unless "
        "much is still to gain.",
    )
    newton_after: int = setting(
        2,
        "Newton steps, with the exact Hessian, are taken after so many slow iterations, in "
        "a chain one fewer: far from the answer a single one is no sign that residuals stay.",
    )
    slow: float = setting(0.7, "An iteration is slow where it leaves more than this part of f.")
    least_gain: float = setting(
        0.0,
        "A Newton step that lowers f by no more than this part of it is the last one; for solves "
        "that each start from the answer before, as in a drag.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.damping > 0 and 0 < self.alpha < 1 and self.passes >= 1):
            raise MethodError("projected_lm: needs damping > 0, 0 < alpha < 1 and passes ≥ 1")

    def settings(self) -> tuple[float, ...]:
        return (
            self.alpha,
            self.damping,
            self.passes,
            self.patience,
            self.progress,
            self.settle,
            self.newton_after,
            self.slow,
            self.least_gain,
        )

    def workspace(self, problem: Problem) -> int:
        return lm_size(problem)

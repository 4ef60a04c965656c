"""The penalty method: what lies outside the limits costs, and costs more every round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from limbik.errors import MethodError
from limbik.methods.base import Method
from limbik.methods.constrained.soft_limits import soft_limits, soft_limits_size
from limbik.methods.settings import setting
from limbik.solver.problem import Problem

Kind = Literal["exterior", "approach"]


@dataclass(frozen=True)
class Penalty(Method):
    """Section 1.4.3 of extended_jacobian: minimise f + μ‖q − P(q)‖² for growing μ.

    "exterior" charges what lies outside the limits.  "approach" charges from a margin before them,
    so that f + penalty "increases as the joints approach their limits"; the margin shrinks as μ
    grows, and the minimum moves to that of the limits themselves.

    A minimum at a limit has a violation of multiplier/2μ, and the Hessian JᵀJ + μN a condition
    number that grows with μ: the paper's "not numerically stable".  That hurts gradient methods;
    for the Gauss–Newton step here it does no harm, as it is all in the scale of single coordinates.
    Joints leave their limits on the way, f may rise, and the answer is P(q), looked at after each
    round.  "approach" needs more iterations: its minima lie inside the limits until the margin is
    gone.
    """

    name = "penalty"
    kernel = soft_limits
    descends = False
    feasible = False

    kind: Kind = setting("exterior", "Charge beyond the limits, or on approaching them.")
    weight: float = setting(1.0, "The first μ, as part of the largest diagonal entry of JᵀJ.")
    growth: float = setting(10.0, "What μ grows by from round to round.")
    rounds: int = setting(
        12, "Rounds at most; it ends earlier where P(q) meets the goals or is stationary."
    )
    margin: float = setting(
        0.1,
        "\"approach\": where the wall begins, as part of a range's half width or a cone's half "
        "axes.",
    )
    settle: float = setting(
        1e-8, "A round ends when φ hardly falls, by this part of it, three times in a row."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in get_args(Kind):
            raise MethodError(
                f'{self.name}: kind must be one of {", ".join(get_args(Kind))}, got "{self.kind}"'
            )
        if not 0.0 < self.weight < math.inf:
            raise MethodError(f"{self.name}: weight must be positive, got {self.weight:g}")
        if not 1.0 < self.growth < math.inf:
            raise MethodError(f"{self.name}: growth must be above 1, got {self.growth:g}")
        if self.rounds < 1:
            raise MethodError(f"{self.name}: rounds must be at least 1, got {self.rounds}")
        if not 0.0 < self.margin < 1.0:
            raise MethodError(f"{self.name}: needs 0 < margin < 1, got {self.margin:g}")

    def settings(self) -> tuple[float, ...]:
        margin = self.margin if self.kind == "approach" else 0.0
        return (
            self.weight,
            self.growth,
            self.rounds,
            margin,
            False,
            self.settle,
        )

    def workspace(self, problem: Problem) -> int:
        return soft_limits_size(problem)

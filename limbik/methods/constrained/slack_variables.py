"""Slack variables: every limit an equality with a variable of its own, and a multiplier."""

from __future__ import annotations

import math
from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.methods.base import Method
from limbik.methods.constrained.soft_limits import soft_limits, soft_limits_size
from limbik.methods.settings import setting
from limbik.solver.problem import Problem


@dataclass(frozen=True)
class SlackVariables(Method):
    """Section 1.4.2 of extended_jacobian: q − l = y_l² and u − q = y_u², with multipliers.

    The paper names the variables and leaves the solver open.  Both slack variables of a coordinate
    describe one point between its limits, p = l + y_l² = u − y_u², so the 2n equalities say q = p.
    Their augmented Lagrangian is f + λᵀ(q − p) + μ‖q − p‖².  For given q and λ the best p, and with
    it every y, is known: p = P(z) with z = q + λ/2μ.  So the new variables are eliminated exactly,
    and what remains is f + μ‖z − P(z)‖² less a constant, to be minimised over q; then λ becomes
    2μ(z − P(z)) (Hestenes, Powell, Rockafellar).  In this form it also serves cones.

    Unlike with a penalty alone, μ need not grow for the violation to vanish, so the condition of
    JᵀJ + μN stays as it was: μ grows only where a round did not cut the violation to a quarter.
    Joints leave their limits on the way, f may rise, and the answer is P(q).
    """

    name = "slack_variables"
    kernel = soft_limits
    descends = False
    feasible = False

    weight: float = setting(1.0, "The first μ, as part of the largest diagonal entry of JᵀJ.")
    growth: float = setting(4.0, "What μ grows by after a round that hardly cut the violation.")
    rounds: int = setting(
        40, "Rounds at most; it ends earlier where P(q) meets the goals or is stationary."
    )
    settle: float = setting(
        1e-8, "A round ends when φ hardly falls, by this part of it, three times in a row."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.weight < math.inf:
            raise MethodError(f"{self.name}: weight must be positive, got {self.weight:g}")
        if not 1.0 <= self.growth < math.inf:
            raise MethodError(f"{self.name}: growth must be at least 1, got {self.growth:g}")
        if self.rounds < 1:
            raise MethodError(f"{self.name}: rounds must be at least 1, got {self.rounds}")

    def settings(self) -> tuple[float, ...]:
        return (self.weight, self.growth, self.rounds, 0.0, True, self.settle)

    def workspace(self, problem: Problem) -> int:
        return soft_limits_size(problem)

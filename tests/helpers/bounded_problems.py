"""Problems with ranges whose minimum lies at limits, and what SciPy finds for them."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult, minimize

import limbik
from limbik import Figure, Problem, Range, Reach, Rest


def _problem(figure: Figure, joint: str, target: list[float]) -> Problem:
    # The weight on rest makes the minimiser unique.
    return Problem(figure, [Reach(joint, position=target), Rest(weight=0.5)])


def _one_sided() -> Figure:
    """Ranges with one end, none, and two."""
    figure = limbik.figures.chain([1.0, 1.0, 0.5, 0.5])
    ends = {"Joint1": (0.1, np.inf), "Joint2": (-np.inf, 0.3), "Joint4": (-0.2, 0.2)}
    return figure.with_limits({name: Range(*pair) for name, pair in ends.items()})


def _tight_arm() -> Figure:
    """The arm with 0.3 rad to either side of its rest pose."""
    figure = limbik.figures.arm()
    ends = zip(figure.coordinates, figure.rest, strict=True)
    return figure.with_limits({name: Range(value - 0.3, value + 0.3) for name, value in ends})


BOUNDED = {
    "three joints": _problem(
        limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9)), "Tip", [0.3, 2.5, 0.0]
    ),
    "six joints": _problem(
        limbik.figures.chain([0.5] * 6, limits=Range(-0.3, 0.5)), "Tip", [-1.0, 1.0, 0.0]
    ),
    "one-sided": _problem(_one_sided(), "Tip", [0.5, 2.0, 0.0]),
    "arm": _problem(_tight_arm(), "Tool", [0.9, 0.6, 0.9]),
    "arm, near": _problem(_tight_arm(), "Tool", [-0.2, 0.1, 0.2]),
}


def scipy_minimum(problem: Problem, method: str) -> OptimizeResult:
    """The minimum inside the ranges by L-BFGS-B, SLSQP or trust-constr."""
    figure = problem.figure
    options = {
        "L-BFGS-B": {"ftol": 1e-16, "gtol": 1e-11, "maxiter": 2000},
        "SLSQP": {"ftol": 1e-15, "maxiter": 500},
        "trust-constr": {"gtol": 1e-10, "xtol": 1e-12, "maxiter": 2000},
    }[method]
    return minimize(
        problem.objective,
        problem.start,
        jac=problem.gradient,
        method=method,
        bounds=list(zip(figure.lower, figure.upper, strict=True)),
        options=options,
    )


def at_limits(problem: Problem, q: np.ndarray) -> int:
    """How many coordinates of q are at an end of their range, within rounding."""
    figure = problem.figure
    return int(((q - figure.lower < 1e-7) | (figure.upper - q < 1e-7)).sum())


def first_weight(problem: Problem) -> float:
    """μ of a penalty's first round: the largest diagonal entry of JᵀJ + D at the start."""
    diagonal = (problem.jacobian(problem.start) ** 2).sum(axis=0)
    for goal in problem.goals:
        if isinstance(goal, Rest):
            diagonal += goal.diagonal(problem.scene)[0]
    return float(diagonal.max())

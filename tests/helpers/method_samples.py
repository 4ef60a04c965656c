"""Figures and references that the tests of several methods share."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Figure, Joint, Problem, Reach, Rest
from limbik.figure.joints import revolute, slides
from limbik.methods.base import OUT, Method

CART = Figure(
    [
        Joint("Base", parts=slides()),
        Joint("Hinge", "Base", revolute("z"), offset=(1.0, 0.0, 0.0)),
        Joint("Tip", "Hinge", offset=(3.0, 0.0, 0.0)),
    ]
)
"""Three slides with a hinge on them."""


def with_rest(problem: Problem, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(e, J) with the diagonal goals as further rows."""
    e, jacobian = problem.residual(q), problem.jacobian(q)
    for goal in problem.goals:
        if isinstance(goal, Rest):
            weight, pose = goal.diagonal(problem.scene)
            e = np.concatenate([e, np.sqrt(weight) * (pose - q)])
            jacobian = np.concatenate([jacobian, np.diag(np.sqrt(weight))])
    return e, jacobian


def branched(case: str) -> tuple[Figure, list[Reach]]:
    """A human, spider or hand, and goals for all its ends near the rest pose."""
    figure = getattr(limbik.figures, case)()
    names = {
        "human": ("Head", "Hips", "LeftHand", "RightHand", "LeftFoot", "RightFoot"),
        "spider": tuple(name for name in figure.joints if name.endswith("Foot")),
        "hand": tuple(f"{f}3" for f in ("Thumb", "Index", "Middle", "Ring", "Little")),
    }[case]
    rng = np.random.default_rng(2)
    at = figure.positions(figure.project(figure.rest + rng.normal(size=figure.n) * 0.2))
    goals = [Reach(name, position=at[figure.index(name)]) for name in names]
    return figure, goals


def count_reached(figure: Figure, method: str) -> int:
    """How many of 40 places that the last joint can be at a method reaches from near the rest
    pose; every iterate is inside the limits."""
    rng = np.random.default_rng(0)
    low, high = np.maximum(figure.lower, -3), np.minimum(figure.upper, 3)
    reached = 0
    for _ in range(40):
        target = figure.positions(figure.project(rng.uniform(low, high)))[-1]
        start = figure.project(figure.rest + rng.normal(size=figure.n) * 0.1)
        goals = [Reach(figure.joints[-1], position=target)]
        r = limbik.solve(figure, goals, start=start, method=method, restarts=0, history=True)
        assert r.history is not None
        assert np.max(figure.violation(r.history.q)) == 0.0
        assert figure.violation(r.q) == 0.0
        reached += r.ok
    return reached


def run_as_python(problem: Problem, method: Method, iterations: int) -> None:
    """The kernel as plain Python in a workspace of exactly its size, where NumPy checks bounds."""
    work = np.full(len(problem.state) + method.workspace(problem), np.nan)
    q, out = problem.start.copy(), np.zeros(OUT)
    options = method.options(problem, iterations=iterations)
    type(method).kernel.py_func(
        problem.ints, problem.floats, work, options, q, out, np.empty((0, 5))
    )
    assert np.isfinite(q).all()
    assert out[0] == pytest.approx(problem.objective(q), rel=1e-9)

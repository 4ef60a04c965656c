"""Equation 39 of line_search in the default method: a step is taken only where f falls by at least
α times what its slope promises, f(q′) ≤ f(q) + α ∇f(q)·(q′ − q), along the projection too.

A step that lowers f by less than that is as rare as α is small.  So a start is looked for, between
one whose first step is taken and one whose first step is refused, at which the method is just
content: there a method that asks for any fall at all shows itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

import limbik
from helpers.random_figures import random_figure, random_goals
from limbik import Figure, Problem, Range
from limbik.figure.joints import Joint, revolute

REACH = 3.0  # of the target, from an arm of length 1: a full step turns too far
KINDS = [
    ["revolute", "euler ZYX"],
    ["swing–twist", "universal", "revolute"],
    ["turn then slide", "revolute"],
]


def arm(limit: Range | None) -> Figure:
    return Figure(
        [
            Joint("Shoulder", parts=revolute("z"), limit=limit),
            Joint("Hand", "Shoulder", (), (1.0, 0.0, 0.0)),
        ]
    )


class Step(NamedTuple):
    """The first step from a start: how far, and which share of the slope's promise f fell by."""

    start: float
    length: float
    share: float


def first_step(start: float, alpha: float, limit: Range | None) -> Step:
    figure = arm(limit)
    goal = limbik.Reach("Hand", position=[REACH, 0.0, 0.0])
    method = limbik.methods["projected_lm"](alpha=alpha, damping=0.1)
    r = limbik.solve(figure, goal, start=[start], method=method, restarts=0, budget=1, history=True)
    assert r.history is not None
    f, q = r.history.f, r.history.q
    assert len(f) == 2
    problem = Problem(figure, [goal], start=[start])
    promise = -float(problem.gradient(q[0]) @ (q[1] - q[0]))
    assert promise > 0.0
    return Step(start, float(q[1, 0] - q[0, 0]), float(f[0] - f[1]) / promise)


def edge(one: Step, other: Step, alpha: float, limit: Range | None) -> tuple[Step, Step]:
    """The two sides of the start where the first step changes from one to the other in one go."""
    while abs(other.start - one.start) > 1e-12:
        middle = first_step((one.start + other.start) / 2.0, alpha, limit)
        if abs(middle.length - one.length) < abs(middle.length - other.length):
            one = middle
        else:
            other = middle
    return one, other


@pytest.mark.parametrize("limit", [None, Range(-1.7, 3.0)], ids=["free", "limited"])
@pytest.mark.parametrize("alpha", [1e-4, 1e-2, 0.3])
def test_a_step_that_hardly_lowers_f_is_refused(alpha: float, limit: Range | None) -> None:
    steps = [first_step(start, alpha, limit) for start in np.linspace(0.3, 2.8, 120)]
    edges: list[Step] = []
    for one, other in pairwise(steps):
        if abs(one.length - other.length) > 0.3:
            edges += edge(one, other, alpha, limit)
    assert edges, "no start was found at which the method changes its mind"
    assert min(step.share for step in [*steps, *edges]) >= alpha * (1.0 - 1e-3)


@pytest.mark.parametrize("kinds", KINDS, ids=["arm", "balls", "slides"])
def test_every_step_keeps_a_strict_rule_along_the_projection(kinds: list[str]) -> None:
    """With α close to 1 a full step of Gauss–Newton, which gains half of what its slope promises,
    is never good enough."""
    alpha, seen = 0.8, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        figure = random_figure(rng, kinds, limits=True)
        start = figure.project(rng.normal(size=figure.n))
        goals = random_goals(rng, figure, ["Reach", "Reach at"], start)
        method = limbik.methods["projected_lm"](alpha=alpha)
        r = limbik.solve(
            figure, goals, start=start, method=method, restarts=0, budget=30, history=True
        )
        problem = Problem(figure, goals, start=start)
        assert r.history is not None
        f, q = r.history.f, r.history.q
        for k in range(len(f) - 1):
            promised = float(problem.gradient(q[k]) @ (q[k + 1] - q[k]))
            assert f[k + 1] < f[k]
            assert f[k + 1] <= f[k] + alpha * promised + 1e-12 * f[k]
            seen += 1
    assert seen > 20

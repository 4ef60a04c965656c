"""The loop that methods share, with steps made for the test and run as plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from helpers.common_problems import problem_of
from limbik.methods.base import (
    O_DRAFT,
    O_ITERATIONS,
    O_STATIONARY,
    OUT,
    OUT_EVALUATIONS,
    OUT_F,
    OUT_HISTORY,
    OUT_ITERATIONS,
    OUT_JACOBIANS,
    OUT_WORK,
    OWN,
    REACHED,
    SLOW,
    SPENT,
    STATIONARY,
    STUCK,
)
from limbik.methods.loop import (
    GO_ON,
    by_gradient,
    by_jacobian,
    iterate,
    iterate_until,
    no_way_down,
    reached_or_spent,
    unchecked,
    value_at_start,
)
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.objective import state_size


class Run:
    """One run of the loop on the planar arm."""

    def __init__(self, *, iterations: int = 5, stationary: float = 1e-6, draft: bool = False):
        self.problem = problem_of("planar reachable").problem
        size = int(state_size(self.problem.ints)) + gradient_size(self.problem)
        self.w, _ = view_gradient(self.problem.ints, np.full(size, np.nan))
        self.options = np.zeros(OWN)
        self.options[O_ITERATIONS], self.options[O_STATIONARY] = iterations, stationary
        self.options[O_DRAFT] = draft
        self.q, self.out = self.problem.start.copy(), np.full(OUT, np.nan)
        self.history = np.zeros((20, len(self.q) + 1))

    def go(self, step: Any, prepare: Any = by_gradient, memory: Any = (), **more: Any) -> int:
        arguments = (
            self.problem.ints, self.problem.floats, self.options, self.q, self.out, self.history,
            self.w, (), memory,
        )  # fmt: skip
        if more:
            start, ends = more.get("start", value_at_start), more.get("ends", reached_or_spent)
            patience, progress = more.get("patience", math.inf), more.get("progress", 0.0)
            self.code, self.memory = iterate_until(
                *arguments, start, ends, prepare, step, patience, progress
            )
        else:
            self.code, self.memory = iterate(*arguments, prepare, step)
        return self.code


def creep(ints, floats, options, q, here, w, own, memory, out):
    """A little of steepest descent."""
    w.trial[:] = q + 0.01 * w.half_descent
    return unchecked(ints, floats, here, w, memory, out)


def test_it_goes_on_until_the_iterations_are_spent_and_counts() -> None:
    run = Run(iterations=4)
    assert run.go(creep) == SPENT
    assert run.out[OUT_ITERATIONS] == run.out[OUT_WORK] == 4
    assert run.out[OUT_EVALUATIONS] == 5
    assert run.out[OUT_JACOBIANS] == 4
    assert run.out[OUT_HISTORY] == 5
    assert run.out[OUT_F] == run.problem.objective(run.q)
    np.testing.assert_array_equal(run.history[0, 1:], run.problem.start)
    np.testing.assert_array_equal(run.history[4, 1:], run.q)
    assert (np.diff(run.history[:5, 0]) < 0.0).all()


def test_a_step_that_fails_leaves_the_last_pose() -> None:
    def step(ints, floats, options, q, here, w, own, memory, out):
        if here.iteration == 2:
            w.trial[:] = 99.0
            return STUCK, 0.0, memory
        return creep(ints, floats, options, q, here, w, own, memory, out)

    run = Run()
    assert run.go(step) == STUCK
    assert run.out[OUT_ITERATIONS] == 2
    np.testing.assert_array_equal(run.q, run.history[2, 1:])
    assert run.out[OUT_F] == run.problem.objective(run.q)


def test_goals_that_are_met_are_the_end_before_a_step() -> None:
    def step(*arguments):
        raise AssertionError("no step is needed")

    run = Run()
    solved = Run(iterations=100)
    solved.go(gauss_newton, by_jacobian)
    run.q[:] = solved.q
    assert solved.code == REACHED
    assert run.go(step) == REACHED
    assert run.out[OUT_ITERATIONS] == run.out[OUT_JACOBIANS] == 0


def gauss_newton(ints, floats, options, q, here, w, own, memory, out):
    w.trial[:] = q + np.linalg.lstsq(w.jt.T, w.r, rcond=None)[0]
    return unchecked(ints, floats, here, w, memory, out)


def test_a_stationary_pose_is_the_end_unless_nobody_asks() -> None:
    run = Run(stationary=2.0)  # a cosine is never more than 1
    assert run.go(creep) == STATIONARY
    assert run.out[OUT_ITERATIONS] == 0
    np.testing.assert_array_equal(run.q, run.problem.start)
    indifferent = Run(stationary=2.0)

    def still(ints, floats, options, q, here, w, own, memory, out):
        assert here.gain == math.inf
        w.trial[:] = q
        return unchecked(ints, floats, here, w, memory, out)

    assert indifferent.go(still, by_jacobian) == SPENT


@pytest.mark.parametrize(("draft", "code"), [(True, SLOW), (False, SPENT)])
def test_a_slow_attempt_is_given_up_only_where_it_may_be(draft: bool, code: int) -> None:
    run = Run(iterations=10, draft=draft)
    assert run.go(creep, patience=3, progress=0.5) == code
    assert run.out[OUT_ITERATIONS] == (3 if draft else 10)


def test_an_attempt_that_is_fast_enough_goes_on() -> None:
    run = Run(iterations=10, draft=True)
    assert run.go(creep, patience=3, progress=1.0) == SPENT


def test_a_method_may_end_after_a_step_by_what_it_carries() -> None:
    def step(ints, floats, options, q, here, w, own, memory, out):
        code, value, _ = creep(ints, floats, options, q, here, w, own, memory, out)
        return code, value, (here.iteration == 2,)

    def ends(ints, floats, options, q, iteration, w, own, memory):
        return STATIONARY if memory[0] else GO_ON

    run = Run(iterations=1)
    assert run.go(step, memory=(False,), ends=ends) == STATIONARY
    assert run.out[OUT_ITERATIONS] == run.out[OUT_HISTORY] - 1 == 3  # the last step was taken


def test_a_method_may_measure_an_f_of_its_own() -> None:
    def twice(ints, floats, q, w, own):
        return 2.0 * value_at_start(ints, floats, q, w, own)

    def nowhere(ints, floats, options, q, here, w, own, memory, out):
        return STUCK, 0.0, memory

    run = Run()
    assert run.go(nowhere, start=twice) == STUCK
    assert run.out[OUT_F] == run.history[0, 0] == 2.0 * run.problem.objective(run.q)


def test_memory_goes_from_step_to_step() -> None:
    def step(ints, floats, options, q, here, w, own, memory, out):
        assert memory == (here.iteration,)
        code, value, _ = creep(ints, floats, options, q, here, w, own, memory, out)
        return code, value, (memory[0] + 1,)

    run = Run(iterations=4)
    run.go(step, memory=(0,))
    assert run.memory == (4,)


def test_a_step_to_where_f_is_not_finite_is_not_taken() -> None:
    def step(ints, floats, options, q, here, w, own, memory, out):
        w.trial[:] = math.nan
        return unchecked(ints, floats, here, w, memory, out)

    run = Run()
    assert run.go(step) == STUCK
    np.testing.assert_array_equal(run.q, run.problem.start)


def test_rounding_explains_a_step_that_fails_near_a_minimum() -> None:
    options = np.zeros(OWN)
    options[O_STATIONARY] = 1e-8
    assert no_way_down(options, 1e-6) == STATIONARY
    assert no_way_down(options, 1e-3) == STUCK
    options[O_STATIONARY] = 1e-2
    assert no_way_down(options, 1e-3) == STATIONARY
    assert GO_ON not in (REACHED, STATIONARY, SPENT, SLOW, STUCK)

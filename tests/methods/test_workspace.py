"""Workspaces: one description gives both the arrays and their size."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.common_problems import problem_of
from limbik.methods.constrained.active_set import bfgs_size, view_bfgs
from limbik.methods.constrained.reduced import reduced_size, view_reduced
from limbik.methods.least_squares.damped_solve import damped_size, view_damped
from limbik.methods.least_squares.svd_step import svd_size, view_svd
from limbik.methods.workspace import (
    floats_taken,
    gradient_size,
    last_step_size,
    take,
    take_integers,
    take_table,
    view_gradient,
    view_last_step,
)
from limbik.solver.objective import state_size

VIEWS = {
    "bfgs": (view_bfgs, bfgs_size),
    "damped": (view_damped, damped_size),
    "last_step": (view_last_step, last_step_size),
    "reduced": (view_reduced, reduced_size),
    "svd": (view_svd, svd_size),
}


def example(count: int, work: np.ndarray):
    one, work = take(work, count)
    table, work = take_table(work, 2, count)
    integers, work = take_integers(work, 3, count)
    return (one, table, integers), work


def test_arrays_follow_each_other_and_the_rest_is_left() -> None:
    work = np.arange(20.0)
    (one, table, integers), left = example(3, work)
    np.testing.assert_array_equal(one, [0, 1, 2])
    np.testing.assert_array_equal(table, [[3, 4, 5], [6, 7, 8]])
    assert integers.dtype == np.uint32
    assert integers.shape == (3, 3)
    integers[:] = 7  # nine of them take five floats
    np.testing.assert_array_equal(work[:9], np.arange(9))
    np.testing.assert_array_equal(left, work[14:])
    table[1, 2] = -1.0
    assert work[8] == -1.0


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_the_size_is_what_the_view_takes(count: int) -> None:
    work = np.zeros(50)
    assert floats_taken(example, count) == len(work) - len(example(count, work)[1])


@pytest.mark.parametrize("case", ["planar reachable", "reach_and_rest", "hand reachable"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_fills_its_size_and_its_arrays_do_not_overlap(name: str, case: str) -> None:
    problem = problem_of(case).problem
    view, size = VIEWS[name]
    work = np.zeros(size(problem))
    views, left = view(problem.ints, work)
    assert left.size == 0
    arrays = [array for array in views if isinstance(array, np.ndarray)]
    for k, array in enumerate(arrays):
        array[...] = k + 1
    for k, array in enumerate(arrays):
        assert (array == k + 1).all()


def test_a_gradient_workspace_begins_with_the_state() -> None:
    problem = problem_of("human reachable").problem
    state = int(state_size(problem.ints))
    work = np.zeros(state + gradient_size(problem) + 3)
    w, left = view_gradient(problem.ints, work)
    assert len(w.state) == state
    assert len(left) == 3
    assert w.jt.shape == (problem.figure.n, problem.rows)
    w.state[:] = 1.0
    assert (work[:state] == 1.0).all()
    assert (work[state:] == 0.0).all()

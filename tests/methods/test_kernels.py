"""Every method's kernel by itself: compiled as it is written, and inside its workspace.

Compiled code that drops a write, wraps an index or reads what nobody wrote gives wrong numbers
without a word.  So a kernel runs beside its own source as plain Python, and in a workspace with
guards on both sides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

import limbik
from helpers.common_problems import SPECIAL, TABLE, problem_of
from limbik import MethodError, Problem
from limbik.methods.base import OUT
from limbik.solver.objective import state_size
from limbik.solver.runner import find_method

ITERATIONS = 40
PLAIN = tuple(
    f"limbik.methods.{room}"
    for room in (
        "chains",
        "constrained",
        "default",
        "gradient",
        "least_squares",
        "redundancy",
        "loop",
    )
)
GUARD = 4096  # floats on each side of the workspace
UNTOUCHED = -7.25
ACTIVE = (
    "planar at_limits",
    "held_from_the_start",
    "reach_and_rest",
    "rest_only",
    "locked",
    "full_weights",
    "more_rows_than_coordinates",
    "cones",
    "exponential_cones",
    "arm at_limits",
    "hand at_limits",
    "human_held",
)


class Ran(NamedTuple):
    code: int
    q: np.ndarray
    out: np.ndarray
    history: np.ndarray


@contextmanager
def methods_in_python() -> Iterator[None]:
    """The kernels of methods are plain Python, with what they call outside of ``methods`` compiled:
    to compile each of their parts by itself would take a minute.

    Parts of ``gauss_seidel`` stay compiled: its sweeps make the last bits, in which sines differ,
    a thousand times larger on the way.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in [m for name, m in sys.modules.items() if name.startswith("limbik.methods")]:
            for name, value in list(vars(module).items()):
                source = getattr(getattr(value, "kernel", value), "py_func", None)
                if source is not None and source.__module__.startswith(PLAIN):
                    patch.setattr(module, name, source)
        yield


def run(name: str, problem: Problem, *, fill: float = 0.0, in_python: bool = False) -> Ran:
    """A kernel on a problem's own buffers, in a workspace full of ``fill``."""
    method = find_method(name)
    kernel: Any = type(method).kernel
    size = int(state_size(problem.ints)) + method.workspace(problem)
    whole = np.full(size + 2 * GUARD, UNTOUCHED)
    work = whole[GUARD : GUARD + size]
    work[:] = fill
    q, out = problem.start.copy(), np.zeros(OUT)
    history = np.zeros((4 * ITERATIONS + 4, len(q) + 1))
    options = method.options(problem, iterations=ITERATIONS)
    given = (problem.ints, problem.floats, work, options, q, out, history)
    if in_python:
        with methods_in_python():
            code = kernel.py_func(*given)
    else:
        code = kernel(*given)
    assert (whole[:GUARD] == UNTOUCHED).all()
    assert (whole[GUARD + size :] == UNTOUCHED).all()
    return Ran(int(code), q, out, history)


def problem_for(name: str, case: str) -> Problem | None:
    """The problem, or None where the method says beforehand that it is not for it."""
    problem = problem_of(case).problem
    try:
        find_method(name).options(problem)
    except MethodError:
        return None
    return problem


def assert_same(one: Ran, other: Ran) -> None:
    assert one.code == other.code
    np.testing.assert_array_equal(one.out[1:], other.out[1:])  # iterations and what they cost
    np.testing.assert_allclose(one.q, other.q, atol=1e-9)
    np.testing.assert_allclose(one.out[0], other.out[0], rtol=1e-9, atol=1e-20)
    np.testing.assert_allclose(one.history, other.history, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("case", ACTIVE)
@pytest.mark.parametrize("name", limbik.methods)
def test_a_kernel_does_what_its_source_says(name: str, case: str) -> None:
    problem = problem_for(name, case)
    if problem is not None:
        assert_same(run(name, problem), run(name, problem, in_python=True))


@pytest.mark.parametrize("name", limbik.methods)
def test_a_kernel_stays_in_its_workspace_and_reads_only_what_it_wrote(name: str) -> None:
    for case in (*TABLE, *SPECIAL):
        problem = problem_for(name, case)
        if problem is not None:
            assert_same(run(name, problem), run(name, problem, fill=np.nan))

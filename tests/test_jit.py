"""Kernels write what their source says: Numba must not take a write for dead and drop it.

Once Numba itself has inlined an overload it removes what it takes for dead, and it does not know
that the arrays of a tuple, or of a view, may be read under another name.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.codegen import CPUCodeLibrary
from numba.core.errors import TypingError
from numba.extending import overload

import limbik
from helpers.common_problems import problem_of
from limbik.jit import kernel, kernel_part
from limbik.methods.workspace import gradient_size, view_gradient
from limbik.solver.objective import evaluate, linearise, state_size

SOURCES = [
    path
    for path in sorted(Path(limbik.__file__).parent.rglob("*.py"))
    if "node_modules" not in path.parts
    if "limbik.jit" in (text := path.read_text(encoding="utf-8")) or "numba" in text
]
DECORATORS = {
    "external",
    "kernel",
    "inner",
    "inlined",
    "inlined_by_llvm",
    "kernel_part",
    "njit",
    "register_jitable",
}


class Two(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@njit
def halves(work):
    return Two(work[:2], work[2:])


def one_more(x):
    return x + 1


def one_more_by_llvm(x):
    return x + 1


@overload(one_more, inline="always")
def _inlined(x):
    return lambda x: x + 1


@overload(one_more_by_llvm, jit_options={"forceinline": True})
def _forced(x):
    return lambda x: x + 1


@njit
def inlined_by_numba(work, i):
    two = halves(work)
    two.first[i] = 1.0
    second = two.second
    second[i] = 2.0
    return one_more(i)


@njit
def inlined_by_llvm(work, i):
    two = halves(work)
    two.first[i] = 1.0
    second = two.second
    second[i] = 2.0
    return one_more_by_llvm(i)


def test_an_overload_that_llvm_inlines_costs_no_writes() -> None:
    work = np.zeros(4)
    assert inlined_by_llvm(work, 1) == 2
    np.testing.assert_array_equal(work, [0.0, 1.0, 0.0, 2.0])


@pytest.mark.xfail(reason="Numba drops writes after it has inlined an overload", strict=True)
def test_an_overload_that_numba_inlines_costs_no_writes() -> None:
    # Where this begins to pass, Numba has mended it and the rules below are no longer needed.
    work = np.zeros(4)
    assert inlined_by_numba(work, 1) == 2
    np.testing.assert_array_equal(work, [0.0, 1.0, 0.0, 2.0])


@kernel_part
def checked_entry(two, i):
    if i > 1:
        raise IndexError("no such entry")
    two.first[i] += 1.0
    return two.second[i]


@kernel_part
def both_entries(two):
    return checked_entry(two, 0) + checked_entry(two, 1)


@kernel
def sum_of_parts(work, i):
    two = halves(work)
    return both_entries(two) + checked_entry(two, i)


def test_parts_write_return_and_raise_as_they_do_in_python() -> None:
    work = np.array([0.0, 0.0, 3.0, 4.0])
    assert sum_of_parts(work, 1) == 3.0 + 4.0 + 4.0
    np.testing.assert_array_equal(work, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(IndexError, match="no such entry"):
        sum_of_parts(work, 2)
    np.testing.assert_array_equal(work, [2.0, 3.0, 3.0, 4.0])


def test_a_part_is_optimised_in_its_kernel_only(monkeypatch: pytest.MonkeyPatch) -> None:
    optimised, optimise = [], CPUCodeLibrary._optimize_final_module

    def note(library: CPUCodeLibrary) -> None:
        optimised.append(library.name)
        optimise(library)

    monkeypatch.setattr(CPUCodeLibrary, "_optimize_final_module", note)
    # No other test has compiled the parts for this type.
    njit(sum_of_parts.py_func)(np.zeros(4, np.float32), 0)
    assert any("sum_of_parts" in name for name in optimised)
    assert not any("entr" in name for name in optimised)


@kernel_part
def both_halves(work):
    return work[:2], work[2:]


@kernel
def counting(work):
    made = np.zeros(4)
    made[0] = both_halves(work)[1][1]
    return both_halves(made)[1], made


@kernel(borrows=True)
def borrowing(work):
    first, second = both_halves(work)
    return first[1] + second[1]


@kernel(borrows=True)
def returns_what_it_borrows(work):
    return work[:2], work[2:]


@kernel
def calls_what_borrows(work):
    return returns_what_it_borrows(work)[0][0]


def test_a_part_counts_references_where_its_kernel_does() -> None:
    work = np.arange(4.0)
    before = sys.getrefcount(work)
    for _ in range(100):
        assert borrowing(work) == 4.0
        half, made = counting(work)
        np.testing.assert_array_equal(half, [0.0, 0.0])
        np.testing.assert_array_equal(made, [3.0, 0.0, 0.0, 0.0])
    assert sys.getrefcount(work) == before


@pytest.mark.parametrize("kernel", [returns_what_it_borrows, calls_what_borrows])
def test_a_kernel_that_borrows_returns_no_arrays(kernel: Any) -> None:
    with pytest.raises(TypingError, match="returns_what_it_borrows borrows its arrays"):
        kernel(np.zeros(4))


@kernel
def mark_a_workspace(ints, floats, work, q):
    """Entries of a workspace's arrays, in all the ways a kernel may write them."""
    w, spare = view_gradient(ints, work)
    f = evaluate(ints, floats, q, w.state, w.r)
    linearise(ints, floats, q, w.state, w.r, w.jt, w.model_residual)
    for c in range(len(q)):
        w.half_descent[c] = 1.0 + c
    step, marks = w.step, spare[:1].view(np.uint32)
    step[0] = 7.0
    step[1] += 2.0
    marks[1] = 5
    w.trial[1:] = 4.0
    return f


def test_a_kernel_that_evaluates_keeps_all_its_writes() -> None:
    problem = problem_of("planar reachable").problem
    work = np.zeros(int(state_size(problem.ints)) + gradient_size(problem) + 1)
    f = mark_a_workspace(problem.ints, problem.floats, work, problem.start)
    assert f == problem.objective(problem.start)
    w, spare = view_gradient(problem.ints, work)
    np.testing.assert_array_equal(w.jt.T, problem.jacobian(problem.start))
    np.testing.assert_array_equal(w.half_descent, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(w.step, [7.0, 2.0, 0.0])
    np.testing.assert_array_equal(w.trial, [0.0, 4.0, 4.0])
    np.testing.assert_array_equal(spare.view(np.uint32), [0, 5])


def _name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


@cache
def functions(source: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_no_overload_of_ours_is_inlined_by_numba() -> None:
    found = [
        f"{source.name}:{decorator.lineno}"
        for source in SOURCES
        for function in functions(source)
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and _name(decorator) == "overload"
        if any(keyword.arg == "inline" for keyword in decorator.keywords)
    ]
    assert not found


def test_an_overload_stands_in_the_file_of_its_function() -> None:
    # The stamp of a cached kernel looks for it there (limbik/compiling/kernel_cache.py).
    found = []
    for source in SOURCES:
        decorators = [one for function in functions(source) for one in function.decorator_list]
        calls = [
            one for one in decorators if isinstance(one, ast.Call) and _name(one) == "overload"
        ]
        own = {function.name for function in functions(source)}
        found += [f"{source.name}:{one.lineno}" for one in calls if _name(one.args[0]) not in own]
    assert not found


def test_no_kernel_makes_numba_inline() -> None:
    # ``bool`` is an overload that Numba inlines; comprehensions and closures go the same way.
    inlining = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    found = []
    for source in SOURCES:
        for function in functions(source):
            if not DECORATORS & {_name(decorator) for decorator in function.decorator_list}:
                continue
            for node in ast.walk(function):
                call_of_bool = isinstance(node, ast.Call) and _name(node) == "bool"
                inner = isinstance(node, ast.FunctionDef) and node is not function
                if call_of_bool or inner or isinstance(node, inlining):
                    found.append(f"{source.name}:{node.lineno} in {function.name}")
    assert not found

"""How kernels are compiled: cached, without the interpreter lock, with plain IEEE division."""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import Any

from numba import njit
from numba.extending import register_jitable

from limbik.kernel_cache import KernelCache
from limbik.kernel_compiler import KernelCompiler, PartCompiler


def kernel(function: Any = None, **options: Any) -> Any:
    """``@njit(nogil=True)``, cached, where x / 0 is inf, as in NumPy, and not an exception.

    Without the test for 0 at every division, loops vectorise and compile faster.  No ``bool(...)``,
    comprehension or closure inside: Numba would inline it, then remove what it takes for dead, and
    drop writes to arrays that it does not see read again (tests/test_jit.py).
    """
    if function is None:
        return partial(kernel, **options)
    compiled = _compiled(function, pipeline_class=KernelCompiler, **options)
    if not isinstance(compiled, FunctionType):  # it is one under NUMBA_DISABLE_JIT
        compiled._cache = KernelCache(compiled)
    return compiled


def _compiled(function: Any, **options: Any) -> Any:
    return njit(**{"nogil": True, "error_model": "numpy"} | options)(function)


def inner(function: Any = None, **options: Any) -> Any:
    """A kernel that only other kernels call: it is compiled as part of each of them.

    It has no wrapper for Python, which for a function with a workspace takes as long to compile as
    the function, and is neither optimised by itself nor kept on disk.
    """
    if function is None:
        return partial(inner, **options)
    return _compiled(
        function,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=PartCompiler,
        **options,
    )


def inlined(function: Any = None, **options: Any) -> Any:
    """A kernel that becomes part of the kernel that calls it.

    For what is called from one place and only split off to be read more easily: compiled apart it
    would be optimised once by itself and once more in every kernel above it.  Not for innermost
    loops, where the references it takes to its arguments cost more than a call.
    """
    return kernel(function, inline="always", **options)


def inlined_by_llvm(function: Any) -> Any:
    """A plain function that LLVM makes part of the kernel that calls it.

    For what a kernel calls in every iteration with whole workspaces: to pass a workspace to a
    function of its own costs a reference to each array, more than a small step itself.
    """
    return kernel_part(function, forceinline=True)


def kernel_part(function: Any = None, **options: Any) -> Any:
    """A plain function that is compiled with each kernel that calls it, and only there.

    Unlike ``inner`` it can be called from Python too, as the function that it is.
    """
    if function is None:
        return partial(kernel_part, **options)
    return register_jitable(pipeline_class=PartCompiler, no_cfunc_wrapper=True, **options)(function)

"""How kernels are compiled: cached, without the interpreter lock, with plain IEEE division."""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import Any

from llvmlite import binding
from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import register_jitable

from limbik.kernel_cache import KernelCache


def kernel(function: Any = None, **options: Any) -> Any:
    """``@njit(nogil=True)``, cached, where x / 0 is inf, as in NumPy, and not an exception.

    Without the test for 0 at every division, loops vectorise and compile faster.  No ``bool(...)``,
    comprehension or closure inside: Numba would inline it, then remove what it takes for dead, and
    drop writes to arrays that it does not see read again (tests/test_jit.py).
    """
    if function is None:
        return partial(kernel, **options)
    compiled: Any = njit(**{"nogil": True, "error_model": "numpy"} | options)(function)
    if not isinstance(compiled, FunctionType):  # it is one under NUMBA_DISABLE_JIT
        compiled._cache = KernelCache(compiled)
    return compiled


def inner(function: Any = None, **options: Any) -> Any:
    """A kernel that only other kernels call.

    It gets no wrapper for Python, which takes a tenth off the time of a cold compile.
    """
    return kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


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

    Numba's own ``register_jitable`` also optimises the function, and all that it calls, by itself,
    and makes machine code of it that nobody runs; and so again for each function on the way up to
    the kernel.  Here all of this happens once, for the kernel.
    """
    if function is None:
        return partial(kernel_part, **options)
    return register_jitable(pipeline_class=_PartCompiler, no_cfunc_wrapper=True, **options)(
        function
    )


class _PartLibrary(JITCodeLibrary):
    """LLVM's code of a function, for kernels to link: neither optimised nor run by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        # Numba writes the address of the function's environment to a variable of this name.
        names = [one.name for one in self._final_module.global_variables]
        lines = [
            f'@"{name}" = common global ptr null'
            for name in names
            if name.startswith("_ZN08NumbaEnv")
            if not self._codegen._engine.is_symbol_defined(name)
        ]
        module = self._codegen._create_empty_module(f"{self.name} environment")
        self._codegen._add_module(binding.parse_assembly("\n".join([str(module), *lines])))
        self._finalized = True


class _PartCompiler(Compiler):
    """Numba's compiler, into a ``_PartLibrary``."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals) -> None:
        if library is None:
            library = _PartLibrary(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

"""How kernels are compiled: cached, without the interpreter lock, with plain IEEE division."""

from __future__ import annotations

from functools import cached_property, partial
from types import FunctionType
from typing import Any

from llvmlite import binding
from numba import float64, njit, types, uint32
from numba.core import cgutils
from numba.core.registry import CPUDispatcher
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global

from limbik import compile_ahead
from limbik.kernel_cache import KernelCache
from limbik.kernel_parts import Part, quick_compiling

INTS, FLOATS, TABLE = uint32[::1], float64[::1], float64[:, ::1]
"""What kernels are given: a figure's or problem's ints and floats, and tables of floats."""


def kernel(function: Any = None, *, allocates: bool = False, **options: Any) -> Any:
    """``@njit(nogil=True)``, cached, where x / 0 is inf, as in NumPy, and not an exception.

    Without the test for 0 at every division, loops vectorise and compile faster.  No ``bool(...)``,
    comprehension or closure inside: Numba would inline it, then remove what it takes for dead, and
    drop writes to arrays that it does not see read again (tests/test_jit.py).
    """
    if function is None:
        return partial(kernel, allocates=allocates, **options)
    compiled: Any = njit(**_options(options, allocates))(function)
    if not isinstance(compiled, FunctionType):  # it is one under NUMBA_DISABLE_JIT
        compiled.__class__ = _Kernel
        compiled._cache = KernelCache(compiled)
    return compiled


def _options(options: dict[str, Any], allocates: bool = False) -> dict[str, Any]:
    return {"nogil": True, "error_model": "numpy", "_nrt": allocates} | options


def external(signature: Any) -> Any:
    """A kernel that other kernels call where it lies, as a C program calls a library.

    Numba makes the code of a kernel part of every kernel that calls it, and optimises all of it
    again.  This is for what is large and called from many kernels, a few times in an iteration.
    """

    def make(function: Any) -> Any:
        compiled = kernel(function)
        if isinstance(compiled, FunctionType):
            compiled.kernel = compiled  # type: ignore[attr-defined]
            return compiled
        return ExternalKernel(compiled, signature)

    return make


def inner(function: Any = None, **options: Any) -> Any:
    """A kernel that only other kernels call.

    It gets no wrapper for Python, which takes a tenth off the time of a cold compile.
    """
    return kernel(function, **options)


def inlined(function: Any = None, **options: Any) -> Any:
    """A kernel that becomes part of the kernel that calls it.

    For what is called from one place and only split off to be read more easily: compiled apart it
    would be optimised once by itself and once more in every kernel above it.  Not for innermost
    loops, where the references it takes to its arguments cost more than a call.
    """
    return kernel(function, inline="always", allocates=True, **options)


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
    function.part = Part(function, _options(options))
    infer_global(function, types.Dispatcher(function.part))
    return function


class _Kernel(CPUDispatcher):
    """A kernel: for Python machine code, for other kernels a part of them."""

    @cached_property
    def part(self) -> Any:
        """What kernels that call this one link."""
        return Part(self.py_func, self.targetoptions)

    def compile(self, sig: Any) -> Any:
        with quick_compiling():
            return super().compile(sig)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self.part)


class ExternalKernel:
    """A compiled kernel of one signature that others call where it lies, by its symbol.

    Code that calls it, new or from the cache, is linked to the symbol: ``load`` must be called
    before such code is loaded (kernel_cache.py does).
    """

    def __init__(self, compiled: Any, signature: Any) -> None:
        self.kernel, self.signature = compiled, signature
        self.__name__, self.__module__ = compiled.__name__, compiled.__module__
        self.__doc__ = compiled.__doc__
        self.symbol = f"{self.__module__}.{self.__name__}"
        self._loaded = False
        template = type(self.__name__, (ConcreteTemplate,), {"key": self, "cases": [signature]})
        infer_global(self, types.Function(template))
        lower_builtin(self, *signature.args)(self._call)

    def __call__(self, *arguments: Any) -> Any:
        return self.kernel(*arguments)

    def load(self) -> None:
        """Compile it, or take it from the cache, and make its symbol known."""
        if not self._loaded:
            if self.signature.args not in self.kernel.overloads:
                compile_ahead.wait_for(self.symbol)
                self.kernel.compile(self.signature)
            compiled = self.kernel.overloads[self.signature.args]
            name = compiled.fndesc.llvm_func_name
            binding.add_symbol(self.symbol, compiled.library.get_pointer_to_function(name))
            self._loaded = True

    def _call(self, context: Any, builder: Any, signature: Any, args: Any) -> Any:
        self.load()
        convention, kind = context.call_conv, signature.return_type
        function_type = convention.get_function_type(kind, signature.args)
        function = cgutils.get_or_insert_function(builder.module, function_type, self.symbol)
        status, value = convention.call_function(builder, function, kind, signature.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

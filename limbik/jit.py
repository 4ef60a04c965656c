"""How kernels are compiled: cached, without the interpreter lock, with plain IEEE division."""

from __future__ import annotations

import warnings
from functools import cached_property, partial
from types import FunctionType
from typing import Any

from llvmlite import binding, ir
from numba import float64, njit, types, uint32
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from limbik.compiling import compile_ahead
from limbik.compiling.kernel_cache import KernelCache
from limbik.compiling.kernel_parts import (
    EXTERNALS,
    KernelCompiler,
    Part,
    quick_compiling,
    refuse_arrays,
)
from limbik.errors import LimbikWarning

INTS, FLOATS, TABLE = uint32[::1], float64[::1], float64[:, ::1]
"""What kernels are given: a figure's or problem's ints and floats, and tables of floats."""
_ANY = 1 << 40  # the length of an array whose end nobody asks for


def _warn(text: str) -> None:
    warnings.warn(text, LimbikWarning, stacklevel=2)


KernelCache.warn = staticmethod(_warn)


def kernel(function: Any = None, *, borrows: bool = False, **options: Any) -> Any:
    """``@njit(nogil=True)``, cached, where x / 0 is inf, as in NumPy, and not an exception.

    Without the test for 0 at every division, loops vectorise and compile faster.  No ``bool(...)``,
    comprehension or closure inside: Numba would inline it, then remove what it takes for dead, and
    drop writes to arrays that it does not see read again (tests/test_jit.py).

    Kernels that call it link it as a part of them (kernel_parts.py).

    Args:
        function: what to compile.
        borrows: it allocates no memory, assigns no array to a slice and returns no array.  Then it
            and all that it calls need not count references to arrays: it runs and compiles faster.
        options: for Numba.
    """
    if function is None:
        return partial(kernel, borrows=borrows, **options)
    options = _options(options) | {"_nrt": not borrows, "pipeline_class": KernelCompiler}
    compiled: Any = njit(**options)(function)
    if not isinstance(compiled, FunctionType):  # it is one under NUMBA_DISABLE_JIT
        compiled.__class__ = _Kernel
        compiled._cache = KernelCache(compiled)
    return compiled


def _options(options: dict[str, Any]) -> dict[str, Any]:
    return {"nogil": True, "error_model": "numpy"} | options


def external(signature: Any) -> Any:
    """A kernel that other kernels call where it lies, as a C program calls a library.

    Numba makes the code of a kernel part of every kernel that calls it, and optimises all of it
    again.  This is for what is large and called from many kernels, a few times in an iteration.
    """

    def make(function: Any) -> Any:
        compiled = kernel(function, borrows=True)
        if isinstance(compiled, FunctionType):
            compiled.kernel = compiled  # type: ignore[attr-defined]
            return compiled
        return ExternalKernel(compiled, signature)

    return make


def inner(function: Any = None, **options: Any) -> Any:
    """A kernel that only other kernels call."""
    return kernel(function, **options)


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

    Python, which calls the plain function, may give it what no kernel takes.
    """
    if function is None:
        return partial(kernel_part, **options)
    function.part = Part(function, None, _options(options) | {"_nrt": True})
    infer_global(function, types.Dispatcher(function.part))
    return function


@intrinsic(prefer_literal=True)
def _stack(typingctx, count):  # type: ignore[no-untyped-def]
    """A pointer to ``count`` floats, a constant, that live as long as the kernel that asks."""

    def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return cgutils.alloca_once(builder, ir.DoubleType(), size=count.literal_value)

    return types.CPointer(float64)(count), make


stack: Any = _stack  # Numba gives the first argument itself
"""``stack(count)``: a pointer to as many floats, a constant, that live while the kernel runs."""


def _array_of(pointer: Any, sides: int) -> tuple[Any, Any]:
    """(the C array of ``sides`` dimensions behind a pointer, how its code is made)."""
    array = types.Array(pointer.dtype, sides, "C")

    def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        width = context.get_abi_sizeof(context.get_data_type(pointer.dtype))
        shape = list(args[1:]) or [context.get_constant(types.intp, _ANY)]
        strides = [context.get_constant(types.intp, width)]
        for side in shape[:0:-1]:
            strides.insert(0, builder.mul(side, strides[0]))
        out = context.make_array(array)(context, builder)
        data = builder.bitcast(args[0], out.data.type)
        populate_array(out, data, shape, strides, context.get_constant(types.intp, width), None)
        return out._getvalue()

    return array, make


@intrinsic
def _array_at(typingctx, pointer):  # type: ignore[no-untyped-def]
    array, make = _array_of(pointer, 1)
    return array(pointer), make


@intrinsic
def _table_at(typingctx, pointer, rows, columns):  # type: ignore[no-untyped-def]
    array, make = _array_of(pointer, 2)
    return array(pointer, types.intp, types.intp), make


array_at: Any = _array_at
"""``array_at(pointer)``: what it points to as an array, whose end and references nobody counts."""
table_at: Any = _table_at
"""``table_at(pointer, rows, columns)``: the same as a table."""


class _Kernel(CPUDispatcher):
    """A kernel: for Python machine code, for other kernels a part of them."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class=KernelCompiler)
        self._cache = KernelCache(self)

    @cached_property
    def part(self) -> Any:
        """What kernels that call this one link."""
        return Part(self.py_func, self.locals, self.targetoptions)

    def compile(self, sig: Any) -> Any:
        with quick_compiling():
            found = super().compile(sig)
        if not self.targetoptions["_nrt"]:
            refuse_arrays(self, normalize_signature(sig)[0])
        return found

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self.part)


class ExternalKernel:
    """A compiled kernel of one signature that others call where it lies, by its symbol.

    Code that calls it, new or from the cache, is linked to the symbol: ``load`` must be called
    before such code is made ready to run (kernel_parts.py and kernel_cache.py do).
    """

    def __init__(self, compiled: Any, signature: Any) -> None:
        self.kernel, self.signature = compiled, signature
        self.__name__, self.__module__ = compiled.__name__, compiled.__module__
        self.__doc__ = compiled.__doc__
        self.symbol = f"{self.__module__}.{self.__name__}"
        self._loaded = False
        EXTERNALS[self.symbol] = self
        template = type(self.__name__, (ConcreteTemplate,), {"key": self, "cases": [signature]})
        infer_global(self, types.Function(template))
        lower_builtin(self, *signature.args)(self._call)

    def __call__(self, *arguments: Any) -> Any:
        return self.kernel(*arguments)

    def compile(self) -> Any:
        """Compile it, or take it from the cache."""
        if self.signature.args not in self.kernel.overloads:
            compile_ahead.wait_for(self.symbol)
            self.kernel.compile(self.signature)
        return self.kernel.overloads[self.signature.args]

    def load(self) -> None:
        """Make its symbol known to code that calls it."""
        if not self._loaded:
            address = 1  # of code that never runs
            if not compile_ahead.helps:
                compiled = self.compile()
                name = compiled.fndesc.llvm_func_name
                address = compiled.library.get_pointer_to_function(name)
            binding.add_symbol(self.symbol, address)
            self._loaded = True

    def _call(self, context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention, kind = context.call_conv, signature.return_type
        function_type = convention.get_function_type(kind, signature.args)
        function = cgutils.get_or_insert_function(builder.module, function_type, self.symbol)
        status, value = convention.call_function(builder, function, kind, signature.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

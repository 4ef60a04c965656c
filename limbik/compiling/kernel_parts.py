"""Kernels as parts of the kernels that call them: LLVM's code, linked there and never run alone.

Numba optimises each function by itself, makes machine code of it, and optimises all of it again in
each function that calls it.  Of a part there is only the code that others link.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from llvmlite import binding
from numba.core import errors, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack

from limbik.compiling.kernel_cache import KernelCache, Place


@contextmanager
def quick_compiling() -> Iterator[None]:
    """Without two things that would take an eighth of the time to compile.

    Python's search for unused cycles of objects, of which Numba makes millions, waits; and Numba's
    notes on what it tried and dropped, tens of thousands that nobody sees, have no colours.
    """
    colours = vars(errors.termcolor())
    collecting, plain = gc.isenabled(), "_markup" in colours
    gc.disable()
    colours["_markup"] = lambda text, *_, **__: text
    try:
        yield
    finally:
        if not plain:
            colours.pop("_markup", None)  # another thread may have done so
        if collecting:
            gc.enable()


class PartLibrary(JITCodeLibrary):
    """LLVM's code of a function, for kernels to link: neither optimised nor run by itself."""

    def _optimize_functions(self, ll_module: Any) -> None:
        # As little as makes loops and constants plain: code that is dead names addresses of this
        # process, which no cache could hold.
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager(opt=1)
                passes.run(function, builder)

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

    def serialize_using_object_code(self) -> Any:
        """What the cache on disk holds: there is no object code."""
        return self.serialize_using_bitcode()


EXTERNALS: dict[str, Any] = {}
"""The kernels that others call by their symbols."""


class KernelLibrary(JITCodeLibrary):
    """The machine code of a kernel: what it calls by symbol is waited for when all else is done."""

    def _finalize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.is_declaration and function.name in EXTERNALS:
                EXTERNALS[function.name].load()
        super()._finalize_final_module()


class KernelCompiler(Compiler):
    """Numba's compiler, into a ``KernelLibrary``."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals) -> None:
        if library is None:
            library = KernelLibrary(targetctx.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class PartCompiler(Compiler):
    """Numba's compiler, into a ``PartLibrary``."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals) -> None:
        if library is None:
            library = PartLibrary(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class _Place(Place):
    """Where a part is cached: beside the kernel that Python calls, if there is one."""

    _ending = "part"

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return super().get_filename_base(f"{fullname}.{self._ending}", abiflags)

    def check_cachable(self, cres: Any) -> bool:
        """What is not optimised may name addresses of this process that nothing reads."""
        return not cres.library.has_dynamic_globals and super().check_cachable(cres)

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> CompileResult:
        return CompileResult._rebuild(_Reader(target_context), *payload)


class _Reader:
    """A target context whose libraries are parts."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def codegen(self) -> _Reader:
        return self

    def unserialize_library(self, state: tuple[str, str, bytes]) -> PartLibrary:
        name, _, code = state
        library = PartLibrary(self._context.codegen(), name)
        library._final_module = binding.parse_bitcode(code)
        library._finalize_final_module()
        return library


class _BorrowingPlace(_Place):
    _ending = "borrowing"


class _Cache(KernelCache):
    _impl_class = _Place


class _BorrowingCache(KernelCache):
    _impl_class = _BorrowingPlace


class Part(CPUDispatcher):
    """A kernel as other kernels call it; those that count no references have one of their own."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        always = ("nopython", "no_cpython_wrapper", "no_cfunc_wrapper")
        options = targetoptions | dict.fromkeys(always, True)
        super().__init__(py_func, locals, options, pipeline_class=PartCompiler)
        self._borrows = not options["_nrt"]
        self._cache = (_BorrowingCache if self._borrows else _Cache)(self)

    @cached_property
    def _borrowing(self) -> Part:
        return Part(self.py_func, self.locals, self.targetoptions | {"_nrt": False})

    def _for_caller(self) -> Any:
        """What the kernel links that is being compiled."""
        counts = self._borrows or ConfigStack().top().nrt
        return super() if counts else self._borrowing

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As Numba's, but compiled once for all constants of a type.

        Numba would compile a kernel that is given True or 3 for that value alone.
        """
        args = tuple(map(types.unliteral, args))
        kws = {name: types.unliteral(kind) for name, kind in kws.items()}
        found = self._for_caller().get_call_template(args, kws)
        if self._borrows and ConfigStack().top().nrt:
            refuse_arrays(self, found[2])
        return found

    def get_overload(self, sig: Any) -> Any:
        return self._for_caller().get_overload(sig)


def refuse_arrays(kernel: Any, args: tuple[Any, ...]) -> None:
    """TypingError where a kernel that counts no references returns arrays to who does."""
    returned = kernel.overloads[args].signature.return_type
    if kernel.targetctx.data_model_manager[returned].contains_nrt_meminfo():
        raise errors.TypingError(f"{kernel.__name__} borrows its arrays and cannot return any")

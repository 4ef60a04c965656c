"""The frames of frames.py made ready to be called: compiled for a method, or from the cache."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.types.function_type import CompileResultWAP

from limbik.compiling import compile_ahead
from limbik.compiling.kernel_cache import code_size, missing_externals
from limbik.compiling.notice import compile_notice
from limbik.methods.base import KERNEL
from limbik.solver.frames import SIGNATURES

_compiling = threading.Lock()


def missing_symbols(*kernels: Any) -> list[str]:
    """The external kernels that these call and that are not compiled yet, the largest first."""
    missing = missing_externals(kernels)
    missing.sort(key=lambda one: code_size(one.kernel), reverse=True)
    return [one.symbol for one in missing]


def compiled(frame: Any, kernel: Any) -> Callable[..., Any]:
    """``one`` or ``batch``, ready to run ``kernel``: from Numba's cache, else compiled now.

    Compiling takes a while the first time; a line on stderr says so.
    """
    kernel = getattr(kernel, "__func__", kernel)  # a method's own kernel is bound to it
    with _compiling:
        if not kernel.signatures:
            compile_ahead.start(missing_symbols(kernel, frame))
        for function, signature in (
            (kernel, KERNEL.signature),
            (frame, SIGNATURES[frame.__name__]),
        ):
            if not function.signatures:
                with compile_notice():
                    function.compile(signature)
                    function.disable_compile()
    return frame


class _Address(types.WrapperAddressProtocol):
    """A compiled kernel as Numba's first-class functions are passed, at the cost of an attribute.

    Numba asks for the address of the function in every call (its wrapper address protocol); for a
    dispatcher that takes 40 microseconds, for this one less than one.
    """

    def __init__(self, kernel: Any) -> None:
        (compiled,) = kernel.overloads.values()
        made = CompileResultWAP(compiled)
        self._keep, self._address = (kernel, made), made.__wrapper_address__()

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Any:
        return KERNEL.signature


_entries: dict[tuple[Any, Any], tuple[Callable[..., Any], _Address]] = {}


def entry(frame: Any, kernel: Any) -> tuple[Callable[..., Any], _Address]:
    """(``one`` or ``batch`` as it can be called with arrays of its very types, the kernel to pass).

    Calling this way skips the dispatcher, which looks at the type of every argument.
    """
    found = _entries.get((frame, kernel))
    if found is None:
        compiled(frame, kernel)
        (result,) = frame.overloads.values()
        found = _entries[frame, kernel] = (result.entry_point, _Address(kernel))
    return found

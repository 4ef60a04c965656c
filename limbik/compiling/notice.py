"""A line on stderr where compiling takes long, once per process."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

_PATIENCE = 1.5  # seconds without a word
_announced = False


@contextmanager
def compile_notice() -> Iterator[None]:
    """Around what compiles: says so on stderr where that takes longer than a moment."""
    timer = threading.Timer(_PATIENCE, _announce)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def call(kernel: Any, *arguments: Any) -> Any:
    """kernel(*arguments); it is compiled before, with a word where that takes long."""
    if not getattr(kernel, "signatures", True):
        with compile_notice():
            kernel.compile(tuple(numba.typeof(argument) for argument in arguments))
    return kernel(*arguments)


def _announce() -> None:
    global _announced
    if not _announced:
        _announced = True
        print(
            "limbik: compiling its kernels for this machine, once; a minute or two ...",
            file=sys.stderr,
            flush=True,
        )

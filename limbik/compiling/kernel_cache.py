"""The cache of compiled kernels on disk: fresh as long as no code that a kernel reaches changes.

Numba's own cache looks at the file of a kernel alone.  It gives stale code after a change of a
kernel that is called and stands in another file, and fails to read what refers to a removed class.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type

from limbik.compiling import compile_ahead

_PLAIN = (int, float, complex, str, bytes, Enum, np.generic, np.dtype, Type, type(None))


@runtime_checkable
class External(Protocol):
    """A kernel that others call by its symbol, which must be known before they are loaded."""

    symbol: str
    signature: Any

    def load(self) -> None: ...

    @property
    def kernel(self) -> Any: ...


class _Part(NamedTuple):
    """What one function contributes to a stamp, and the functions and external kernels it names."""

    digest: bytes
    called: list[Any]
    external: list[External]
    size: int


_parts: dict[Any, _Part] = {}


def stamp(kernel: Any) -> bytes:
    """A hash of the code of a kernel and of every function and constant that it reaches.

    It is made of what is in memory, not of files: comments, docstrings and moved lines change
    nothing.  Functions of other packages count by name.
    """
    digests = sorted(part.digest for part in _reached(kernel))
    return hashlib.sha256(b"".join(digests)).digest()


def code_size(kernel: Any) -> int:
    """Bytes of Python's code that a kernel reaches: what compiling takes goes about with that."""
    return sum(part.size for part in _reached(kernel))


def missing_externals(kernels: Iterable[Any]) -> list[External]:
    """The external kernels that these kernels call and that could be on disk, and are not.

    They come in the order in which the code names them, after those that they call themselves.
    """
    found: dict[str, External] = {}
    seen: set[Any] = set()

    def look(function: Any, package: str) -> None:
        plain = function.py_func if isinstance(function, Dispatcher) else function
        for value in _named(plain):
            if isinstance(value, External) and not isinstance(value, type):
                compiled, cache = value.kernel, value.kernel._cache
                there = value.signature.args in compiled.overloads
                if there or not cache.is_writable or cache.has(value.signature, compiled.targetctx):
                    continue
                visit(compiled, package)
                found.setdefault(value.symbol, value)
            elif isinstance(value, Dispatcher | FunctionType):
                visit(value, package)

    def visit(function: Any, package: str) -> None:
        if function not in seen and _within(function.__module__, package):
            seen.add(function)
            look(function, package)

    for kernel in kernels:
        visit(kernel, kernel.__module__.partition(".")[0])
    return list(found.values())


def _named(function: FunctionType) -> Iterator[Any]:
    """What a function names in its code, in this order, also as an attribute of a module."""
    modules = [
        vars(value)
        for name in function.__code__.co_names
        if isinstance(value := function.__globals__.get(name), ModuleType)
    ]
    for name in function.__code__.co_names:
        for names in (function.__globals__, *modules):
            if name in names:
                yield names[name]
    for cell in function.__closure__ or ():
        yield cell.cell_contents


def _reached(kernel: Any) -> list[_Part]:
    """The parts of a kernel and of every function that it reaches."""
    found: dict[Any, _Part] = {}
    waiting = [kernel]
    while waiting:
        function = waiting.pop()
        if function not in found:
            part = _parts.get(function)
            if part is None:
                part = _parts[function] = _part(function)
            found[function] = part
            waiting.extend(part.called)
    return list(found.values())


def _part(function: Any) -> _Part:
    compiled = isinstance(function, Dispatcher)
    plain: FunctionType = function.py_func if compiled else function
    package = plain.__module__.partition(".")[0]
    called: list[Any] = []
    external: list[External] = []
    names = sorted(_names(plain.__code__))
    texts = [plain.__module__, plain.__qualname__, *_code(plain.__code__, plain.__doc__)]
    if compiled:
        texts += [
            f"{name} {_text(value)}" for name, value in sorted(function.targetoptions.items())
        ]

    def add(value: Any) -> None:
        if isinstance(value, Dispatcher | FunctionType) and _within(value.__module__, package):
            called.append(value)
        elif isinstance(value, External) and not isinstance(
            value, type
        ):  # its code is no part of its callers
            external.append(value)
            texts.append(f"{value.symbol} {value.signature}")
        elif isinstance(value, ModuleType) and _within(value.__name__, package):
            for name in names:
                if name in vars(value):
                    texts.append(name)
                    add(vars(value)[name])
        elif isinstance(value, tuple | list):
            texts.append(f"{len(value)} of {type(value).__qualname__}")
            for entry in value:
                add(entry)
        elif isinstance(value, np.ndarray):
            texts.append(f"{value.dtype} {value.shape} {value.tobytes().hex()}")
        elif isinstance(value, _PLAIN):
            texts.append(f"{type(value).__qualname__} {value!r}")
        else:
            kind = value if isinstance(value, type) else type(value)
            fields = getattr(value, "_fields", ())
            texts.append(f"{kind.__module__}.{kind.__qualname__} {fields!r}")

    for name in names:
        if name in plain.__globals__:
            texts.append(name)
            add(plain.__globals__[name])
    for cell in plain.__closure__ or ():
        add(cell.cell_contents)
    add(plain.__defaults__)
    if not compiled:
        called.extend(_functions_of_module(plain))
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).digest()
    return _Part(digest, called, external, len(plain.__code__.co_code))


def _within(module: str | None, package: str) -> bool:
    return (module or "").partition(".")[0] in ("limbik", package)


def _functions_of_module(function: FunctionType) -> Iterator[Any]:
    """A kernel that calls a plain function runs an overload of it, which stands in its module."""
    for value in list(function.__globals__.values()):
        if isinstance(value, Dispatcher | FunctionType) and value.__module__ == function.__module__:
            yield value


def _names(code: CodeType) -> set[str]:
    """The names that a function and those inside it look up."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _code(code: CodeType, doc: str | None = None) -> Iterator[str]:
    """What a code object does, without where it stands and its docstring."""
    yield from (code.co_code.hex(), repr(code.co_names), repr(code.co_varnames))
    yield repr((code.co_argcount, code.co_kwonlyargcount, code.co_freevars, code.co_flags))
    yield getattr(code, "co_exceptiontable", b"").hex()
    for k, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _code(constant)
        elif not (k == 0 and doc is not None and constant == doc):
            yield _text(constant)


def _text(value: Any) -> str:
    """A value as text that is the same in every process; the order of a set is not."""
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    return repr(value)


class Place(CompileResultCacheImpl):
    """Where a kernel is cached: without the line in the name, so that a moved kernel replaces its
    own files and leaves none behind."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        name = fullname.replace("<", "").replace(">", "")
        return f"{name}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"


class _Files(IndexDataCacheFile):
    """Index and data begin with the stamp, and nothing is read behind a stamp that differs."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: bytes) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._head = f"limbik 2, numba {numba.__version__}\n".encode() + source_stamp

    def _load_index(self) -> dict[Any, str]:
        try:
            return self._load(self._index_path) or {}
        except FileNotFoundError:
            return {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._save(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return self._load(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._save(self._data_path(name), data)

    def _load(self, path: str) -> Any:
        with Path(path).open("rb") as file:
            if file.read(len(self._head)) != self._head:
                return None
            try:
                return pickle.load(file)
            except (AttributeError, ImportError):  # the class of an argument is gone
                return None

    def _save(self, path: str, value: Any) -> None:
        with self._open_for_write(path) as file:
            file.write(self._head + self._dump(value))


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, with the stamp of this module.

    Folders and stamps are looked at when the kernel is first compiled or loaded: an import needs
    neither, and what a kernel reaches is not defined yet when its decorator runs.
    """

    _impl_class: Any = Place
    warn: Callable[[str], None]
    """How people are told that a kernel cannot be kept: jit.py, which knows limbik's warnings, sets
    it."""

    def __init__(self, kernel: Any) -> None:
        self._kernel, self._py_func = kernel, kernel.py_func
        self._name = repr(self._py_func)
        self._cache_file: Any = None
        self._cache_path: Any = None
        self.enable()

    def _prepare(self) -> None:
        if self._cache_file is not None or not self._enabled:
            return
        try:
            self._impl: Any = self._impl_class(self._py_func)
        except RuntimeError:  # no folder can be written to: compiled anew by every process
            self.disable()
            return
        self._cache_path = self._impl.locator.get_cache_path()
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp(self._kernel))

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        # The arguments alone, as in memory: what is compiled ahead for a signature is found by a
        # call, which does not know what is returned.
        types = tuple(getattr(sig, "args", sig))
        # The kernel need not name the classes of its arguments, and reads their fields by number.
        fields = tuple(getattr(kind, "fields", None) for kind in types)
        return (*super()._index_key(types, codegen), fields)

    @property
    def cache_path(self) -> str | None:
        self._prepare()
        return self._cache_path

    def flush(self) -> None:
        self._prepare()
        if self._enabled:
            super().flush()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._prepare()
        if not self.has(sig, target_context):
            compile_ahead.start_usual()
            return None
        for part in _reached(self._kernel):
            for called in part.external:
                called.load()
        return super().load_overload(sig, target_context)

    @property
    def is_writable(self) -> bool:
        """Whether there is a folder for it."""
        self._prepare()
        return bool(self._enabled)

    def has(self, sig: Any, target_context: Any) -> bool:
        """Whether the kernel is on disk, compiled for these arguments and this machine."""
        if not self.is_writable:
            return False
        return self._index_key(sig, target_context.codegen()) in self._cache_file._load_index()

    def save_overload(self, sig: Any, data: Any) -> None:
        self._prepare()
        try:
            super().save_overload(sig, data)
        except OSError as error:  # a full disk; what is compiled runs all the same
            self.disable()
            self.warn(
                f"{self._cache_path}: {error.strerror or error}; limbik compiles its kernels again "
                "in every process until it can keep them there"
            )

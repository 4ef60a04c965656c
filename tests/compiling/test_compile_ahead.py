"""A second process compiles external kernels into the cache on disk; without it all goes on."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from limbik.compiling import compile_ahead
from limbik.compiling.kernel_cache import External, missing_externals

SOURCE = """
from numba import float64
from limbik.jit import external, inner, kernel

@external(float64(float64))
def half(x):
    return 0.5 * x

@inner
def shifted(x):
    return half(x) + 1.0

@external(float64(float64))
def quarter(x):
    return half(half(x))

@kernel
def answer(x):
    return quarter(x) + shifted(x)

@kernel
def alone(x):
    return x + 1.0
"""


@pytest.fixture
def kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> ModuleType:
    """Some kernels in a folder of their own, none of them compiled, and no process at work."""
    with compile_ahead._changed:
        assert compile_ahead._changed.wait_for(lambda: not compile_ahead._processes, 60)
    name = f"kernels_of_{request.node.name}"
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.delenv(compile_ahead.ALONE, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    module = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)
    return module


def assert_compiled_elsewhere(missing: list[External]) -> None:
    while compile_ahead._waiting:
        time.sleep(0.05)
    for one in missing:
        compile_ahead.wait_for(one.symbol)
        assert one.kernel._cache.has(one.signature, one.kernel.targetctx)
        assert not one.kernel.overloads  # nothing was compiled here


def test_what_a_kernel_calls_is_compiled_by_the_second_process(kernels: ModuleType) -> None:
    missing = missing_externals([kernels.answer])
    assert [one.symbol.rpartition(".")[2] for one in missing] == ["half", "quarter"]
    compile_ahead.start([one.symbol for one in missing])
    assert_compiled_elsewhere(missing)
    assert missing_externals([kernels.answer]) == []
    assert kernels.answer(8.0) == 2.0 + 5.0
    assert not kernels.half.kernel.stats.cache_misses


def test_what_most_programs_need_is_begun_with_the_first_kernel_that_is_compiled(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = missing_externals([kernels.answer])
    monkeypatch.setattr(compile_ahead, "_usual", None)
    compile_ahead.usually(lambda: [one.symbol for one in missing])
    assert kernels.alone(1.0) == 2.0  # which calls none of them
    assert_compiled_elsewhere(missing)


def test_a_second_process_that_fails_is_not_waited_for(kernels: ModuleType) -> None:
    half, quarter = missing_externals([kernels.answer])
    compile_ahead.start(["limbik.no_such_module.kernel", half.symbol, quarter.symbol])
    assert kernels.answer(8.0) == 2.0 + 5.0
    assert not kernels.half.kernel.stats.cache_hits


def test_a_kernel_that_nobody_has_begun_is_not_waited_for(kernels: ModuleType) -> None:
    half, quarter = missing_externals([kernels.answer])
    compile_ahead.start([half.symbol, quarter.symbol])
    assert kernels.answer(8.0) == 2.0 + 5.0
    assert not kernels.quarter.kernel.stats.cache_hits


def test_a_user_can_forbid_it(kernels: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compile_ahead.ALONE, "1")
    monkeypatch.setattr("subprocess.Popen", None)  # would raise
    compile_ahead.start([one.symbol for one in missing_externals([kernels.answer])])
    assert kernels.answer(8.0) == 2.0 + 5.0

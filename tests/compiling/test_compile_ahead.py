"""A second process compiles external kernels into the cache on disk; without it all goes on."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from limbik.compiling import compile_ahead
from limbik.compiling.kernel_cache import missing_externals

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
"""


@pytest.fixture
def kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> ModuleType:
    """Three kernels in a folder of their own, none of them compiled."""
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


def test_what_a_kernel_calls_is_compiled_by_the_second_process(kernels: ModuleType) -> None:
    missing = missing_externals([kernels.answer])
    assert [one.symbol.rpartition(".")[2] for one in missing] == ["half", "quarter"]
    compile_ahead.start([one.symbol for one in missing])
    while compile_ahead._waiting:
        time.sleep(0.05)
    for one in missing:
        compile_ahead.wait_for(one.symbol)
        assert one.kernel._cache.has(one.signature, one.kernel.targetctx)
        assert not one.kernel.overloads  # nothing was compiled here
    assert missing_externals([kernels.answer]) == []
    assert kernels.answer(8.0) == 2.0 + 5.0
    assert not kernels.half.kernel.stats.cache_misses


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

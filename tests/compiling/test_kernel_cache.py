"""Compiled kernels on disk: used again as they are, and never after code they reach has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba import config, float64

from limbik.compiling.kernel_cache import KernelCache, stamp
from limbik.errors import LimbikWarning

SHARED = """
from typing import NamedTuple
import numpy as np
from numba.extending import overload
from limbik.jit import inlined_by_llvm, inner, kernel

FACTOR = 2.0

class Pair(NamedTuple):
    first: float
    second: float

@inner
def scaled(x):
    '''Some text.'''
    return FACTOR * x

@inlined_by_llvm
def shifted(x):
    return x + 1.0

def chosen(x):
    return x

@overload(chosen)
def _compiled_chosen(x):
    return lambda x: x + 10.0
"""

CALLER = """
from limbik.jit import kernel
from cached_kernels.shared import Pair, chosen, scaled, shifted

@kernel
def answer(pair):
    return chosen(shifted(scaled(pair.first + pair.second)))

def ask():
    return answer(Pair(1.0, 2.0))
"""

Load = Callable[..., ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Modules as a new process would see them, from a source in which words are replaced."""
    monkeypatch.setattr(config, "CACHE_DIR", "")

    def loaded(shared: str = SHARED, caller: str = CALLER) -> ModuleType:
        module = ModuleType("cached_kernels")
        for name, source in (("shared", shared), ("caller", caller)):
            path = tmp_path / f"{name}.py"
            path.write_text(source)
            module = ModuleType(f"cached_kernels.{name}")
            module.__file__ = str(path)
            monkeypatch.setitem(sys.modules, module.__name__, module)
            exec(compile(source, str(path), "exec"), vars(module))
        return module

    monkeypatch.setitem(sys.modules, "cached_kernels", ModuleType("cached_kernels"))
    return loaded


def hits(module: Any) -> int:
    return sum(module.answer.stats.cache_hits.values())


def test_a_kernel_is_compiled_once(load: Load) -> None:
    first = load()
    assert first.ask() == 17.0
    assert hits(first) == 0
    # Neither a docstring nor a place in the file is a reason to compile again.
    again = load(SHARED.replace("Some text.", "Other words."), "\n\n# A comment.\n" + CALLER)
    assert again.ask() == 17.0
    assert hits(again) == 1


def test_what_is_compiled_for_a_signature_is_found_by_a_call(load: Load) -> None:
    ahead = load()
    ahead.scaled.compile(float64(float64))
    later = load()
    assert later.scaled(3.0) == 6.0
    assert sum(later.scaled.stats.cache_hits.values()) == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return FACTOR * x", "return FACTOR * x * x", 29.0),
        ("FACTOR = 2.0", "FACTOR = 3.0", 20.0),
        ("return x + 1.0", "return x + 2.0", 18.0),
        ("lambda x: x + 10.0", "lambda x: x + 20.0", 27.0),
    ],
    ids=["kernel", "constant", "plain function", "overload"],
)
def test_what_a_kernel_calls_in_another_file_counts(
    load: Load, old: str, new: str, expected: float
) -> None:
    assert load().ask() == 17.0
    changed = load(SHARED.replace(old, new))
    assert changed.ask() == expected
    assert hits(changed) == 0


def test_an_external_kernel_changes_without_its_callers(load: Load) -> None:
    """Its callers are linked to it when they are loaded, so their own code stays as it is."""
    shared = SHARED.replace("@inner\ndef scaled", "@external(float64(float64))\ndef scaled")
    shared = "from numba import float32, float64\nfrom limbik.jit import external\n" + shared
    first = load(shared)
    assert first.ask() == 17.0
    assert hits(first) == 0
    changed = load(shared.replace("return FACTOR * x", "return FACTOR * x * x"))
    assert changed.ask() == 29.0
    assert hits(changed) == 1
    # Another signature is another way to call it.
    other = load(shared.replace("external(float64(float64))", "external(float32(float32))"))
    assert other.ask() == 17.0
    assert hits(other) == 0


def test_an_external_kernel_raises_in_its_callers(load: Load) -> None:
    shared = "from numba import float64\nfrom limbik.jit import external\n" + SHARED
    shared = shared.replace(
        "@inner\ndef scaled(x):",
        "@external(float64(float64))\ndef scaled(x):\n"
        "    if x > 1.0:\n        raise ValueError('far')",
    )
    with pytest.raises(ValueError, match="far"):
        load(shared).ask()


def test_a_class_that_is_gone_does_no_harm(load: Load) -> None:
    assert load().ask() == 17.0
    renamed = load(SHARED.replace("Pair", "Two"), CALLER.replace("Pair", "Two"))
    assert renamed.ask() == 17.0


def test_the_order_of_the_fields_of_an_argument_counts(load: Load) -> None:
    caller = CALLER.replace("pair.first + pair.second", "pair.first")
    assert load(caller=caller).ask() == 13.0
    swapped = SHARED.replace("first: float", "x").replace("second: float", "first: float")
    swapped = swapped.replace("    x\n", "    second: float\n")
    assert load(swapped, caller).ask() == 15.0


def test_the_cache_does_not_grow(load: Load, tmp_path: Path) -> None:
    assert load().ask() == 17.0
    files = sorted(path.name for path in (tmp_path / "__pycache__").iterdir())
    assert {"caller.answer", "shared.scaled.part"} <= {name.partition(".py")[0] for name in files}
    for k in range(3):
        caller = "\n" * k + CALLER
        assert load(SHARED.replace("2.0", f"{3 + k}.0"), caller).ask() == 11 + 3 * (3 + k)
    assert sorted(path.name for path in (tmp_path / "__pycache__").iterdir()) == files


def test_half_a_file_is_compiled_again(load: Load, tmp_path: Path) -> None:
    load().ask()
    for path in (tmp_path / "__pycache__").iterdir():
        path.write_bytes(path.read_bytes()[:20])
    assert load().ask() == 17.0


def test_without_a_folder_to_write_to_kernels_run(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(function: Any) -> Any:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(KernelCache, "_impl_class", staticmethod(nowhere))
    module = load()
    assert module.ask() == 17.0
    assert module.answer.stats.cache_path is None


def test_a_full_disk_is_said_and_kernels_run(load: Load) -> None:
    resource = pytest.importorskip("resource", reason="limits the size of files")
    module = load()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.warns(LimbikWarning, match="File too large; limbik compiles"):
            assert module.ask() == 17.0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load().ask() == 17.0


def test_every_process_makes_the_same_stamps() -> None:
    code = (
        "import sys, limbik.animate.track\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "from limbik.compiling.kernel_cache import stamp\n"
        "for module in sorted(name for name in sys.modules if name.startswith('limbik.')):\n"
        "    for name, value in vars(sys.modules[module]).items():\n"
        "        if isinstance(value, Dispatcher):\n"
        "            print(module, name, stamp(value).hex())\n"
    )
    # Sets of two texts have another order in the second.
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]  # fmt: skip
    assert len(told[0]) > 100
    assert told[0] == told[1]


def test_constants_count_by_value() -> None:
    def kernel_of(value: Any) -> Any:
        def reads() -> Any:
            return value

        return reads

    values = [1, 1.0, 2, "1", (1, 2), (1, 3), np.arange(3), np.arange(3.0), np.float32(1)]
    assert len({stamp(kernel_of(value)) for value in values}) == len(values)
    assert stamp(kernel_of(np.arange(3))) == stamp(kernel_of(np.arange(3)))

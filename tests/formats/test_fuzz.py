"""A few seconds of fuzzing for every loader; ``make fuzz`` takes longer."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import numpy as np
import pytest

from helpers.real_data import PROJECT

if not (PROJECT / "fuzz").is_dir():
    pytest.skip("The fuzzer is not beside the tests.", allow_module_level=True)

import limbik
from fuzz.__main__ import LOADERS, run
from fuzz.check import Finding, beside_companions, check
from fuzz.mutations import mutator
from fuzz.seeds import seeds
from limbik.errors import FigureError
from limbik.formats import FORMATS

INPUTS = 2000
FUZZED = ("bvh", "amc", "mjcf", "gltf", "npz")
"""One loader for each way in which files are read."""


def test_every_ending_has_its_fuzzer() -> None:
    read = {e[1:] for e, known in FORMATS.items() if known.figure or known.motion}
    assert read == set(LOADERS)


@pytest.mark.parametrize("loader", LOADERS)
def test_every_seed_is_read(loader: str, tmp_path: Path) -> None:
    path = tmp_path / f"seed.{loader}"
    reads = beside_companions(path)
    assert max(check(seed, path, reads) for seed in seeds(loader)) == len(reads)


@pytest.mark.parametrize("loader", LOADERS)
def test_changes_build_on_changes_and_keep_within_bounds(loader: str) -> None:
    change, start = mutator(loader), seeds(loader)
    new, kinds = start[0], set[bytes]()
    for k in range(1000):
        made = change(new, 20_000, random.Random(k))
        assert made is None or len(made) <= 20_000
        # From the beginning again now and then: what is damaged too much is not changed further.
        new = start[k % len(start)] if made is None or k % 40 == 0 else made
        kinds.add(new)
    assert len(kinds) > 170


@pytest.mark.parametrize("loader", LOADERS)
def test_no_finding_in_changed_seeds(loader: str, tmp_path: Path) -> None:
    path = tmp_path / f"changed.{loader}"
    reads, change, start = beside_companions(path), mutator(loader), seeds(loader)
    for k in range(50):
        seed = start[k % len(start)]
        check(change(seed, 20_000, random.Random(k)) or seed, path, reads)


@pytest.mark.parametrize("loader", FUZZED)
def test_no_finding_among_some_inputs(loader: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("Fuzzing needs atheris, which has no wheel for this Python or system.")
    tried, fault = run(loader, tmp_path, f"-runs={INPUTS}", "-seed=1")
    assert not fault, f"{fault}\nThe input is in {tmp_path}."
    assert tried >= INPUTS


def _raises(error: Exception):
    def read(path: Path) -> limbik.Figure:
        raise error

    return read


def test_the_check_notices_what_no_loader_may_do(tmp_path: Path) -> None:
    path = tmp_path / "x.bvh"
    figure = limbik.figures.arm()
    for error in (ValueError("a"), FigureError("a"), RecursionError(), MemoryError()):
        with pytest.raises(type(error)):
            check(b"", path, [_raises(error)])
    with pytest.raises(Finding, match="the answer is a int"):
        check(b"", path, [lambda _: 3])
    with pytest.raises(Finding, match=r"took .* bytes of memory"):
        check(b"", path, [lambda _: (bytearray(300_000_000), figure)[1]])
    with pytest.raises(Finding, match="says nothing"):
        check(b"", path, [_raises(limbik.FormatError(""))])

    with pytest.raises(RuntimeWarning):
        check(b"", path, [lambda _: (np.array([1e300]) * 1e300, figure)[1]])
    assert check(b"", path, [lambda _: figure, _raises(limbik.FormatError("no"))]) == 1

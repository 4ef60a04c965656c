"""The quick run of each paper, done once in a run of the tests, whichever tests look at it."""

from __future__ import annotations

import pickle
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from limbik.papers.catalogue import PAPERS, Reproduced, reproduce
from limbik.papers.contract import Order

PATIENCE = 600  # seconds for what another worker has begun


class QuickRun(NamedTuple):
    """A paper done quickly, and the steps that it told of: (what, done, total)."""

    paper: Reproduced
    told: list[tuple[str, int, int]]


def quick_paper(name: str, factory: pytest.TempPathFactory) -> QuickRun:
    """The experiments of one paper; another worker may have done them, or be about it."""
    own = factory.getbasetemp()
    shared = own.parent if own.name.startswith("popen-") else own
    file, claim = shared / f"quick {name}.pickle", shared / f"quick {name} is being done"
    end = time.monotonic() + PATIENCE
    while not file.exists():
        try:
            claim.touch(exist_ok=time.monotonic() > end)
        except FileExistsError:  # another worker does it
            time.sleep(0.1)
            continue
        try:
            _do(name, file, own / f"{file.name} draft")
        finally:
            claim.unlink(missing_ok=True)
    return pickle.loads(file.read_bytes())


def _do(name: str, file: Path, draft: Path) -> None:
    """Do the paper, if nobody has by now, and keep the run in a file that is there as a whole."""
    if file.exists():
        return
    told: list[tuple[str, int, int]] = []
    order = Order(quick=True, progress=lambda *step: told.append(step))
    draft.write_bytes(pickle.dumps(QuickRun(reproduce(PAPERS[name], order), told)))
    draft.replace(file)

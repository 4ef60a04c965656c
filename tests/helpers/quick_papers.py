"""The quick run of each paper, done once in a run of the tests, whichever tests look at it."""

from __future__ import annotations

import pickle
from typing import NamedTuple

import pytest

from limbik.papers.catalogue import PAPERS, Reproduced, reproduce
from limbik.papers.contract import Order


class QuickRun(NamedTuple):
    """A paper done quickly, and the steps that it told of: (what, done, total)."""

    paper: Reproduced
    told: list[tuple[str, int, int]]


def quick_paper(name: str, factory: pytest.TempPathFactory) -> QuickRun:
    """The experiments of one paper; another worker may have done them already."""
    own = factory.getbasetemp()
    shared = own.parent if own.name.startswith("popen-") else own
    file = shared / f"quick {name}.pickle"
    if not file.exists():
        told: list[tuple[str, int, int]] = []
        order = Order(quick=True, progress=lambda *step: told.append(step))
        run = QuickRun(reproduce(PAPERS[name], order), told)
        draft = own / f"{file.name} draft"
        draft.write_bytes(pickle.dumps(run))
        draft.replace(file)
    return pickle.loads(file.read_bytes())

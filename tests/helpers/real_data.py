"""Where the real recordings and robots lie that some tests read; tests skip where they are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def root() -> Path:
    """The folder of real data: LIMBIK_TEST_DATA, or shared/data beside the project."""
    named = os.environ.get("LIMBIK_TEST_DATA")
    return Path(named) if named else PROJECT.parent / "shared" / "data"


def find(relative: str) -> Path:
    """The path of a real file or folder, e.g. ``find("cmu_bvh/02/02_01.bvh")``.

    Skips the test that asks, with a sentence naming what is missing, where there is none.
    """
    path = root() / relative
    if not path.exists():
        pytest.skip(
            f'The real data "{relative}" is not here: '
            "set LIMBIK_TEST_DATA to the folder that holds it."
        )
    return path

"""The report of a run: report.html for people, numbers.json and timings.json for programs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import BinaryIO

from limbik.errors import LimbikError
from limbik.formats.files import write_whole
from limbik.papers.catalogue import Reproduced
from limbik.papers.contract import Order
from limbik.papers.machine import machine
from limbik.papers.page import page
from limbik.papers.raw import json_text, numbers_of, timings_of


def write_report(folder: Path, done: Sequence[Reproduced], order: Order) -> Path:
    """Write the three files into a folder that is there; the path of the page.

    numbers.json is the same for two runs of the same order, byte by byte; times are only in the
    page and in timings.json.
    """
    on, today = machine(), date.today()
    # Everything is made before anything is written: a mistake leaves the last report as it was.
    contents = {
        "numbers.json": json_text(numbers_of(done, order)) + "\n",
        "timings.json": json_text(timings_of(done, on, today.isoformat())) + "\n",
        "report.html": page(done, order, on, f"{today.day} {today:%B %Y}"),
    }
    for name, text in contents.items():

        def write(file: BinaryIO, text: str = text) -> None:
            file.write(text.encode("utf-8"))

        write_whole(folder / name, write)
    return folder / "report.html"


@contextmanager
def folder_for(path: Path) -> Iterator[Path]:
    """The folder, made and tried before the work; gone again if the work fails and it was new."""
    new = [part for part in (path, *path.parents) if not part.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        _remove(new)
        reason = error.strerror or str(error)
        raise LimbikError(f'nothing can be written to the folder "{path}": {reason}') from error
    try:
        yield path
    except BaseException:
        _remove(new)
        raise


def _remove(folders: Sequence[Path]) -> None:
    """Take empty folders away, the innermost first."""
    for folder in folders:
        if folder.is_dir():
            if any(folder.iterdir()):
                return
            folder.rmdir()

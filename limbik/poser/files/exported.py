"""What a BVH file cannot say of itself: the unit, and what was pinned when it was saved.

A BVH file that is saved is remembered in the folder for state, by its content.  When the same file
is opened again, the record is laid beside it, as a companion, in the folder of the session.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from limbik.errors import FigureError, LimbikError
from limbik.figure.figure import Figure
from limbik.formats.files import write_whole
from limbik.poser.document.effector import MOST_EFFECTORS, Effector
from limbik.poser.document.strict_json import Saved

FORMAT = "limbik export 1"
ENDING = ".limbik.json"
MOST = 500
"""Files that are remembered; the one saved longest ago is forgotten first."""
_LARGEST = 200_000  # bytes of a record


def remember(folder: Path, data: bytes, figure: Figure, effectors: Sequence[Effector]) -> None:
    """Write down what the bytes of a saved BVH file do not say.

    Args:
        folder: where records are kept; made where it is missing.
        data: the bytes of the file.
        figure: the figure that was saved, whose unit is kept.
        effectors: of the figure, with what is pinned and aimed.
    """
    record = {
        "format": FORMAT,
        "unit": figure.unit,
        "effectors": [effector.to_json() for effector in effectors],
    }
    text = json.dumps(record, allow_nan=False).encode()

    def write(file: BinaryIO) -> None:
        file.write(text)

    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(folder / f"{_digest(data)}.json", write, private=True)
    old = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in old[: max(0, len(old) - MOST)]:
        path.unlink(missing_ok=True)


def lay_record_beside(folder: Path, file: Path) -> Path | None:
    """Copy the record of a BVH file, if there is one in ``folder``, beside the file.

    Returns:
        The path of the copy, None where the file is not one that was saved here.
    """
    if file.suffix.lower() != ".bvh" or not folder.is_dir():
        return None
    record = folder / f"{_digest(file.read_bytes())}.json"
    if not record.is_file():
        return None
    beside = file.with_name(file.stem + ENDING)
    beside.write_bytes(record.read_bytes())
    return beside


def with_unit(figure: Figure, companions: Sequence[Path]) -> Figure:
    """The figure with the unit that a record among its companions tells; the figure itself where
    there is none, or where the file knows its unit."""
    unit = str(_record(companions).get("unit", ""))
    if figure.unit or not unit:
        return figure
    try:
        return figure.in_units(from_unit=unit)
    except FigureError:  # a unit that only a program knows
        return figure


def recorded_effectors(figure: Figure, companions: Sequence[Path]) -> tuple[Effector, ...]:
    """The effectors of a record among the companions, on the joints that the figure has."""
    saved = _record(companions).get("effectors", [])
    if not isinstance(saved, list) or len(saved) > MOST_EFFECTORS:
        return ()
    try:
        found = [Effector.from_json(one) for one in saved]
    except LimbikError:  # of a version to come
        return ()
    return tuple(one for one in found if one.joint in figure.joints)


def _record(companions: Sequence[Path]) -> dict[str, Any]:
    """The record among some files; empty where there is none that can be read."""
    for path in companions:
        if path.name.endswith(ENDING) and path.is_file() and path.stat().st_size <= _LARGEST:
            try:
                saved = json.loads(path.read_text(encoding="utf-8"))
            except (ValueError, RecursionError):
                continue
            if isinstance(saved, dict) and saved.get("format") == FORMAT:
                Saved(saved, path.name).only(("format", "unit", "effectors"))
                return saved
    return {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]

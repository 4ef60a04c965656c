"""Files that belong together: what a figure's file refers to, brought into a session's folder.

A page uploads every file that a person chose.  On the command line one file is named, and what it
needs lies beside it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from urllib.parse import unquote

from limbik.errors import FormatError
from limbik.formats import FORMATS
from limbik.formats.acclaim.amc_read import skeleton_beside
from limbik.poser.files.open import INCLUDED

_MOST = 256  # files
_PLACE = "opened/given"


def bring(path: Path, folder: Path) -> tuple[str, ...]:
    """Copy a file and what it needs below ``folder``; returns the paths there, the file with the
    figure first."""
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        what = path.suffix or "a name without an ending"
        raise FormatError(f"{what} is not a format limbik reads (knows {known})", path)
    if not path.is_file():
        raise FormatError("there is no such file", path)
    above = path.parent.resolve()
    found = [path.resolve(), *companions(path)]
    if path.suffix.lower() == ".amc":
        found.reverse()  # the skeleton first
    names = []
    for file in found:
        target = folder / _PLACE / file.relative_to(above)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        names.append(target.relative_to(folder).as_posix())
    return tuple(names)


def companions(path: Path) -> list[Path]:
    """The files that a figure's file refers to, as far as they lie in its folder or below.

    What lies elsewhere the readers refuse, with a better sentence than one from here.
    """
    kind, above = path.suffix.lower(), path.parent.resolve()
    if kind == ".amc":
        return [skeleton_beside(path).resolve()]
    found: list[Path] = []
    waiting = [path.resolve()]
    while waiting and len(found) < _MOST:
        file = waiting.pop()
        for name in _named_in(file, kind):
            other = (above / name).resolve()
            if above in other.parents and other.is_file() and other not in (*found, path.resolve()):
                found.append(other)
                waiting.append(other)
    return found


def _named_in(file: Path, kind: str) -> list[str]:
    if kind in (".gltf", ".vrm", ".vrma") and file.suffix.lower() == kind:
        return _addresses(file)
    if kind in (".xml", ".mjcf"):
        return INCLUDED.findall(file.read_text(encoding="utf-8", errors="replace"))
    return []


def _addresses(file: Path) -> list[str]:
    """The buffers and images that a glTF file in JSON names."""
    try:
        document = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return []  # the binary form, which has them inside, or damaged, which the reader tells
    entries = [
        entry
        for part in ("buffers", "images")
        for entry in (document.get(part) or [] if isinstance(document, dict) else [])
    ]
    addresses = [entry.get("uri") for entry in entries if isinstance(entry, dict)]
    return [unquote(uri) for uri in addresses if isinstance(uri, str) and uri[:5] != "data:"]

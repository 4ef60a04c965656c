"""Files that belong to a file and change what is read from it: an AMC's skeleton, glTF buffers."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

from limbik.errors import FormatError
from limbik.formats.acclaim import amc_read


def companions(path: Path) -> list[Path]:
    """The files that are read together with ``path``, those that are there, in a fixed order."""
    ending = path.suffix.lower()
    if ending == ".amc":
        try:
            return [amc_read.skeleton_beside(path)]
        except FormatError:
            return []  # the reader says so, or the job has its figure
    if ending != ".gltf":
        return []
    try:
        found = json.loads(path.read_bytes())
        uris = [entry["uri"] for entry in found.get("buffers", []) if "uri" in entry]
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return []  # no glTF: the reader says why
    named = [unquote(uri) for uri in uris if isinstance(uri, str) and not uri.startswith("data:")]
    files = (path.parent / name for name in named if "\0" not in name)
    return sorted({file for file in files if file.is_file()})

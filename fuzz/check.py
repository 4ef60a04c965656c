"""What a loader may do with any file at all: answer, or refuse with a FormatError."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from fuzz.seeds import companions, figure_for
from limbik.errors import FormatError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.formats import FORMATS
from limbik.formats.gltf.mesh import read_meshes
from limbik.formats.gltf.read import clips

ROOM, TIMES = 200_000_000, 10
"""A loader may take so many bytes, and so many times the size of the file, of memory."""

Reader = Callable[[Path], Any]


class Finding(Exception):
    """A loader did something else than answer or refuse."""


def readers(ending: str, figure: limbik.Figure | None = None) -> list[Reader]:
    """Everything that reads files of an ending; motions without a skeleton go on ``figure``."""
    known = FORMATS[ending]
    found: list[Reader] = []
    if known.figure is not None:
        found.append(limbik.load)
    if known.motion is not None:
        found.append(lambda path: limbik.load_motion(path, figure=figure))
    if ending in (".glb", ".gltf", ".vrm", ".vrma"):
        found += [clips, read_meshes]
    return found


def beside_companions(path: Path) -> list[Reader]:
    """The readers for a path whose ending names a loader; files that its seeds refer to are
    written beside it."""
    for name, content in companions().items():
        (path.parent / name).write_bytes(content)
    return readers(path.suffix, figure_for(path.suffix[1:]))


def check(data: bytes, path: Path, reads: list[Reader]) -> int:
    """How many of the readers answered for these bytes, put at ``path``.

    Anything but an answer or a FormatError is raised: exceptions, warnings that do not name the
    file, numbers that are not finite, more memory than a file of this size may take.
    """
    path.write_bytes(data)
    answered = 0
    for read in reads:
        before = _resident()
        peak = _peak()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", re.escape(path.name), UserWarning)
            try:
                _check_answer(read(path))
                answered += 1
            except FormatError as error:
                if not str(error):
                    raise Finding("a FormatError says nothing") from error
        if _peak() > peak and _peak() - before > ROOM + TIMES * len(data):
            raise Finding(f"{len(data):,} bytes took {_peak() - before:,} bytes of memory")
    return answered


def _check_answer(found: Any) -> None:
    if isinstance(found, dict | tuple):
        for one in found.values() if isinstance(found, dict) else found:
            _check_answer(one)
    elif isinstance(found, limbik.Motion):
        if not np.isfinite(found.q).all():
            raise Finding("the motion is not finite")
        _check_answer(found.figure)
    elif isinstance(found, limbik.Figure):
        if found.violation(found.rest) > 1e-6:
            raise Finding("the rest pose is outside the limits")
    elif not isinstance(found, SkinnedMesh):
        raise Finding(f"the answer is a {type(found).__name__}")


def _resident() -> int:
    """Bytes of memory the process holds now, from which on its peak is counted."""
    with contextlib.suppress(OSError):  # where it cannot be set back, only a new peak is seen
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    """The most bytes the process held.  (getrusage would count those of its parent too.)"""
    return _status("VmHWM")


def _status(key: str) -> int:
    words = Path("/proc/self/status").read_text().partition(f"{key}:")[2].split()
    return 1024 * int(words[0])

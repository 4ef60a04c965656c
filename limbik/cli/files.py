"""Files that commands read and write: ``~``, ``-``, and files that already exist."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from limbik.errors import FormatError, LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import FORMATS, save, written_endings
from limbik.formats.acclaim import amc_read, amc_write
from limbik.formats.files import read_bytes, write_whole
from limbik.formats.gltf import read as gltf_read

STANDARD = "-"
"""Standard input or output, in place of the name of a file."""

INPUT = "standard input"
WRITES = tuple(written_endings())
_ASF = re.compile(rb"^\s*:(version|name|units|root|bonedata|hierarchy)\b", re.MULTILINE | re.I)
_AMC = re.compile(rb"^\s*:(fully-specified|degrees|radians)\b", re.MULTILINE | re.I)

TO_HELP = f"The format for standard output: {', '.join(e.removeprefix('.') for e in WRITES)}."
FORCE_HELP = "Replace a file that already exists."

_temporary = ExitStack()
_typed: dict[str, str] = {}


class Output(NamedTuple):
    """Where a command writes; ``standard`` is standard output, through a temporary file."""

    path: Path
    standard: bool = False
    skeleton: Path | None = None
    """The ASF file that belongs to an AMC file, where the motion came with one."""


def source(name: str) -> str:
    """The file or built-in name that was typed, with ``~`` and ``-`` replaced by what they mean."""
    path = _standard_input() if name == STANDARD else str(expanded(Path(name)))
    _typed.setdefault(Path(path).name, INPUT if name == STANDARD else path)
    return path


def expanded(path: Path) -> Path:
    """A path with the home folder in place of ``~``, unless there is something of that name."""
    if os.path.lexists(path):
        return path
    try:
        return path.expanduser()
    except RuntimeError:  # nobody has that name
        return path


def with_typed_path(text: str) -> str:
    """A message of the library, which begins with a file's bare name, with the path as typed."""
    name, colon, rest = text.partition(": ")
    return f"{_typed[name]}{colon}{rest}" if colon and name in _typed else text


def place(file: Path) -> str:
    """A file in a message: its path, or "standard input"."""
    return INPUT if _typed.get(file.name) == INPUT else str(file)


def clear() -> None:
    """Remove the temporary files of a command."""
    _typed.clear()
    _temporary.close()


def _folder() -> Path:
    return Path(_temporary.enter_context(tempfile.TemporaryDirectory(prefix="limbik-")))


# ---- reading -------------------------------------------------------------------------------------


def _standard_input() -> str:
    data = sys.stdin.buffer.read()
    path = _folder() / f"{INPUT}{ending_of(data)}"
    path.write_bytes(data)
    return str(path)


def ending_of(data: bytes) -> str:
    """The ending that a file with these bytes would have, from how each format begins."""
    head = data[:65536].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head:
        raise LimbikError(f"{INPUT}: is empty")
    if head[:9].upper() == b"HIERARCHY":
        return ".bvh"
    for start, ending in ((b"glTF", ".glb"), (b"PK\x03\x04", ".npz"), (b"{", ".gltf")):
        if head.startswith(start):
            return ending
    if head.startswith(b"<"):
        return ".xml"  # URDF or MJCF, which the reader tells apart
    if _AMC.search(head):
        return ".amc"
    if _ASF.search(head):
        return ".asf"
    if b"," in head.split(b"\n", 1)[0] and b"\0" not in head:
        return ".csv"
    raise LimbikError(f"{INPUT}: is in no format that limbik reads ({', '.join(FORMATS)})")


def skeleton_of(name: str, figure_file: str | None = None) -> Path | None:
    """The ASF file that a motion was read with, or None."""
    for file in (figure_file, name):
        if file is not None and Path(file).suffix.lower() == ".asf":
            return Path(file)
    path = Path(name)
    return amc_read.skeleton_beside(path) if path.suffix.lower() == ".amc" else None


def holds_clips(path: Path) -> bool:
    """Whether a file is of a format that has several clips by name."""
    form = FORMATS.get(path.suffix.lower())
    return form is not None and form.motion is gltf_read.read_motion


# ---- writing -------------------------------------------------------------------------------------


def output(
    path: Path | None,
    *,
    to: str = "",
    force: bool = False,
    read: str = "",
    figure: str | None = None,
    json: bool = False,
) -> Output | None:
    """Where to write, refused before the work rather than after it; None for no path.

    ``to`` is the format for standard output, ``read`` the file that is read, ``figure`` the file
    with its figure; with ``json`` standard output has other text already.
    """
    if path is None:
        return None
    if str(path) == STANDARD:
        ending = f".{(to or 'bvh').lower().removeprefix('.')}"
        if ending not in WRITES:
            known = ", ".join(known.removeprefix(".") for known in WRITES)
            raise LimbikError(f'--to "{to}": is not a format limbik writes (knows {known})')
        if json:
            raise LimbikError("--json and --out - both write to standard output: choose one")
        return Output(_folder() / f"standard output{ending}", standard=True)
    if to:
        raise LimbikError(f'--to "{to}": is for standard output (-); the ending of {path} decides')
    path = expanded(path)
    if path.suffix.lower() not in WRITES:
        what = path.suffix or "a name without an ending"
        raise FormatError(f"{what} is not a format limbik writes (knows {', '.join(WRITES)})", path)
    if not os.path.isdir(path.parent):  # noqa: PTH112  (no error for any name)
        raise FormatError(f'there is no folder "{path.parent}" to write it to', path)
    if _same(path, Path(read)):
        raise FormatError("is the file to read; write to another", path)
    check_free(path, force)
    skeleton = None
    if path.suffix.lower() == ".amc":
        skeleton = skeleton_of(read, figure)
        beside = path.with_suffix(".asf")
        if skeleton is None or not _same(beside, skeleton):
            check_free(beside, force)
    return Output(path, skeleton=skeleton)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def check_free(path: Path, force: bool) -> None:
    """Refuse to replace a file, unless that is asked for."""
    if os.path.lexists(path) and not force:
        raise FormatError("already exists (use --force)", path)


def _copy(data: bytes, file: BinaryIO) -> None:
    file.write(data)


def check_writable(thing: Figure | Motion, to: Output, layout: str = "") -> None:
    """Refuse what the file to write cannot hold, before the work rather than after it: a pose is
    written to a temporary file."""
    if to.path.suffix.lower() == ".html":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(thing, _folder() / to.path.name, layout=layout)


def write(thing: Figure | Motion, to: Output, layout: str = "") -> list[Path]:
    """Write a figure or motion, with what belongs beside it; the files that were written.

    A motion that came with an ASF file is written for that file, which goes along unchanged.
    """
    save(thing, to.path, layout=layout)
    files = [to.path]
    if to.path.suffix.lower() == ".amc":
        beside = to.path.with_suffix(".asf")
        if amc_write.skeleton_beside(thing, to.path) is not None:
            files.append(beside)
        elif to.skeleton is not None and not _same(beside, to.skeleton):
            data = read_bytes(to.skeleton)
            write_whole(beside, lambda file: _copy(data, file))
            files.append(beside)
    if to.standard:
        sys.stdout.buffer.write(to.path.read_bytes())
        sys.stdout.buffer.flush()
    return files

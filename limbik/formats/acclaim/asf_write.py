"""Figures into ASF skeletons; ``asf_bones.py`` says how joints become bones.

Limits go with ranges of turns and slides; a cone becomes the ranges of rx, ry and rz around it.
The format has no rest pose: read back, a figure rests with all its values 0, and a root that moves
freely starts at the origin, as in CMU's files.  ``length 1``: the numbers are in the figure's unit,
which ``:documentation`` names where it is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.acclaim.asf_bones import WrittenBone, bones_of
from limbik.formats.acclaim.asf_sections import slides
from limbik.formats.files import write_whole
from limbik.maths.euler import quat_to_euler
from limbik.maths.so3 import matrix_to_quat


def write(thing: Figure | Motion, path: Path, precision: int = 6) -> None:
    """Write a figure's skeleton, with all digits whatever the ``precision``."""
    if isinstance(thing, Motion):
        raise FormatError(
            "an ASF file holds no motion: save it as .amc, and the skeleton goes beside it, "
            "or save motion.figure",
            path,
        )
    write_skeleton(thing, bones_of(thing, thing.rest[None]), path)


def write_skeleton(figure: Figure, bones: Sequence[WrittenBone], path: Path) -> None:
    """Write the bones of a figure as an ASF file."""

    def fill(file: BinaryIO) -> None:
        for line in _lines(figure, bones):
            file.write(line.encode("utf-8", "replace") + b"\n")

    write_whole(path, fill)


def _lines(figure: Figure, bones: Sequence[WrittenBone]) -> Iterator[str]:
    root = bones[0]
    yield from ("# written by limbik", ":version 1.10", f":name {_one_line(figure.name)}")
    yield from (":units", "  mass 1.0", "  length 1.0", "  angle deg", ":documentation")
    yield f"  lengths in {figure.unit or 'a unit that is not known'}"
    yield f"  up is {figure.up or 'not known'}"
    yield ":root"
    yield f"  order {' '.join(root.dof).upper()}".rstrip()
    yield "  axis XYZ"
    yield f"  position {_numbers(root.end)}"
    yield f"  orientation {_numbers(_axis(root))}"
    yield ":bonedata"
    for k, bone in enumerate(bones[1:], 1):
        yield from _bone(bone, k)
    yield from (":hierarchy", "  begin")
    children: dict[str, list[str]] = {}
    for bone in bones[1:]:
        children.setdefault(bone.parent or "root", []).append(bone.name)
    for parent, names in children.items():
        yield f"    {' '.join([parent, *names])}"
    yield "  end"


def _bone(bone: WrittenBone, number: int) -> Iterator[str]:
    length = float(np.linalg.norm(bone.end))
    direction = bone.end / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    yield from ("  begin", f"    id {number}", f"    name {bone.name}")
    yield f"    direction {_numbers(direction)}"
    yield f"    length {length:.17g}"
    yield f"    axis {_numbers(_axis(bone))} XYZ"
    if bone.dof:
        yield f"    dof {' '.join(bone.dof)}"
        for k, (dof, limits) in enumerate(zip(bone.dof, bone.limits, strict=True)):
            low, high = limits if slides(dof) else (math.degrees(end) for end in limits)
            yield f"    {'limits' if k == 0 else '      '} ({low:.17g} {high:.17g})"
    yield "  end"


def _axis(bone: WrittenBone) -> np.ndarray:
    """C = Rz·Ry·Rx as three angles x, y and z in degrees."""
    return quat_to_euler(matrix_to_quat(bone.axis), "ZYX", degrees=True)[::-1]


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value + 0.0:.17g}" for value in values.tolist())


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "figure"

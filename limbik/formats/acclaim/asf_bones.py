"""Figures as the bones of an ASF file, with a value for every degree of freedom.

``asf_read.py`` says what a bone means.  A joint becomes the bone that starts at it; an only root is
called "root", whatever its name was.  All children of a bone start at its end, those of the root at
the root.  So a joint whose children sit at several places becomes a bone of no length, and a fixed
bone "Joint_Child" leads to each of them, as CMU's lhipjoint does.

With G the product of the fixed rotations down to a joint, and R what its parts make, the bone turns
by G·R·G⁻¹ against its parent.  The file wants C·M·C⁻¹ with M made of turns about x, y and z.  C = G
serves joints that turn about their own axes; a hinge about an oblique axis gets the C that makes it
x.  Anything else (balls, more than three turns, slides behind turns) gets C = G and the angles
rx ry rz of its rotation.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np

from limbik.figure.coordinates import euler_following
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint
from limbik.figure.limits import Range
from limbik.formats.acclaim.asf_sections import Skeleton
from limbik.formats.on_parents import on_parents
from limbik.maths.so3 import quat_conjugate, quat_multiply, quat_to_matrix

_SAME = 1e-12  # by which the entries of unit vectors may differ
_UNFIT = re.compile(r"[\s(),{}#]+")
_FREE = (-math.inf, math.inf)

_Columns = list[tuple[str, np.ndarray, tuple[float, float]]]
"""Degrees of freedom: name, values (frames,), limits."""


@dataclass
class WrittenBone:
    """A bone as the file has it; ``values`` (frames, dof) and ``limits`` in radians."""

    name: str
    parent: str | None
    axis: np.ndarray = field(default_factory=lambda: np.eye(3))
    """C as a matrix (3, 3)."""
    end: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """direction·length (3,); for the root its position."""
    dof: list[str] = field(default_factory=list)
    values: np.ndarray = field(default_factory=lambda: np.zeros((1, 0)))
    limits: list[tuple[float, float]] = field(default_factory=list)


def bones_of(figure: Figure, q: np.ndarray) -> list[WrittenBone]:
    """The bones of a figure, the root first, with their values in poses q (frames, n)."""
    bones = [WrittenBone("root", None)]
    roots = int((figure.parents < 0).sum())
    names = _names(figure, roots == 1)
    taken = {"root", *names}
    fixed = _fixed(figure)
    movements = _Movements(figure, q, fixed)
    hung = [""] * len(names)

    def lead(parent: str, to: str, way: np.ndarray) -> str:
        """A bone that leads ``way`` (3,) from the end of ``parent``, if that is not where it is."""
        if not way.any():
            return parent
        bones.append(WrittenBone(_unused(f"{parent}_{to}", taken), parent, end=way))
        return bones[-1].name

    for i, joint in enumerate(figure.definition):
        bone = bones[0]
        if figure.parents[i] >= 0 or roots > 1:
            parent = hung[i] or lead("root", names[i], np.array(joint.offset))
            bone = WrittenBone(names[i], parent)
            bones.append(bone)
        movements.into(bone, i)
        children = np.flatnonzero(figure.parents == i).tolist()
        ways = [fixed[i] @ np.array(figure.definition[k].offset) for k in children]
        tip = np.zeros(3) if joint.tip is None else fixed[i] @ np.array(joint.tip)
        if bone is not bones[0] and all(np.array_equal(way, ways[0]) for way in ways):
            bone.end = ways[0] if ways else tip
            ways = [way - bone.end for way in ways]
            tip = tip - bone.end if ways and tip.any() else np.zeros(3)
        for child, way in zip(children, ways, strict=True):
            hung[child] = lead(bone.name, names[child], way)
        lead(bone.name, "tip", tip)
    return bones


def _fixed(figure: Figure) -> np.ndarray:
    """(joints, 3, 3) G of every joint."""
    out = quat_to_matrix(np.array([joint.wxyz for joint in figure.definition], float))
    for i, parent in enumerate(figure.parents):
        if parent >= 0:
            out[i] = out[parent] @ out[i]
    return out


def _names(figure: Figure, one_root: bool) -> list[str]:
    """Names for the bones: no spaces, brackets, commas; a letter first; none twice."""
    taken = {"root"}
    out: list[str] = []
    for name, parent in zip(figure.joints, figure.parents, strict=True):
        if parent < 0 and one_root:
            out.append("root")
            continue
        plain = _UNFIT.sub("_", name.encode("utf-8", "replace").decode()) or "bone"
        if not (plain[0].isalpha() and plain.casefold() not in ("begin", "end")):
            plain = f"bone_{plain.lstrip(':')}"
        out.append(_unused(plain, taken))
    return out


def _unused(name: str, taken: set[str]) -> str:
    """``name``, with a number behind it where it is taken; it is taken from now on."""
    found, k = name, 2
    while found in taken:
        found, k = f"{name}_{k}", k + 1
    taken.add(found)
    return found


# ---- how a bone moves ----------------------------------------------------------------------------


class _Movements:
    """Degrees of freedom of a figure's joints, their limits, and their values in poses."""

    def __init__(self, figure: Figure, q: np.ndarray, fixed: np.ndarray) -> None:
        self._figure, self._q, self._fixed = figure, q, fixed
        # Balls as turns about z, y and x, with limits around their cones.
        self._turning = figure.with_balls("euler").definition
        free = ~(np.isfinite(figure.lower) | np.isfinite(figure.upper))
        limited = {int(i) for i in figure.owner[~free & ~figure.slides]}
        computed = [
            i for i, joint in enumerate(figure.definition) if not _plain(joint, i in limited)
        ]
        # A root that moves freely stands in the world, as in CMU's files, and not on a place and an
        # orientation of the skeleton, which some readers do not look at.
        own = isinstance(figure.source, Skeleton)
        self._worldly = {
            i
            for i, joint in enumerate(figure.definition)
            if not own and (figure.parents < 0).sum() == 1 and figure.parents[i] < 0
            and sum(joint.slides) == 3
            and joint.kind.startswith("free")
        }  # fmt: skip
        computed = sorted({*computed, *self._worldly})
        self._at = {i: k for k, i in enumerate(computed)}
        self._wxyz, self._place = on_parents(figure, q, computed)

    def into(self, bone: WrittenBone, i: int) -> None:
        """Give a bone the movement of joint i: C, degrees of freedom, values and limits."""
        joint = self._figure.definition[i]
        bone.axis = self._fixed[i]
        if bone.parent is None:
            bone.end = np.array(joint.offset, float)
        if i in self._worldly:
            turn = _quat(self._wxyz[:, self._at[i]], np.array(joint.wxyz), after=True)
            columns = _three("t", self._place[:, self._at[i]]) + _angles(turn)
            bone.axis, bone.end = np.eye(3), np.zeros(3)
        elif i in self._at:
            columns = self._computed(i)
        else:
            columns, basis = self._plain(i)
            bone.axis = self._fixed[i] @ basis
        bone.dof = [name for name, _, _ in columns]
        if columns:
            bone.values = np.column_stack([values for _, values, _ in columns])
        bone.limits = [limits for _, _, limits in columns]

    def _computed(self, i: int) -> _Columns:
        """A joint by its rotation and place on its parent."""
        joint, k = self._figure.definition[i], self._at[i]
        columns: _Columns = []
        if any(joint.slides):
            above = self._fixed[self._figure.parents[i]] if joint.parent else np.eye(3)
            columns += _three("t", (self._place[:, k] - np.array(joint.offset)) @ above.T)
        if all(joint.slides):
            return columns
        angles = _angles(_quat(self._wxyz[:, k], np.array(joint.wxyz)))
        limit = self._turning[i].limit
        if self._turning[i].parts != joint.parts and isinstance(limit, Range):
            ends = [
                np.broadcast_to(e, len(self._turning[i].labels)) for e in (limit.lower, limit.upper)
            ]
            # Its coordinates end with rz, ry and rx.
            ranges = [(float(ends[0][-c]), float(ends[1][-c])) for c in (1, 2, 3)]
            angles = [(n, v, r) for (n, v, _), r in zip(angles, ranges, strict=True)]
        return columns + angles

    def _plain(self, i: int) -> tuple[_Columns, np.ndarray]:
        """A joint by its own coordinates, and the axes (3, 3) in its frame that it turns about."""
        joint = self._figure.definition[i]
        slides: _Columns = []
        turns: _Columns = []
        basis = _basis(joint)
        for part, slot in zip(joint.parts, self._figure.tree.slots_of[i], strict=True):
            (axis,) = part.axes  # balls are computed
            along = (self._fixed[i] if part.slides else basis.T) @ axis
            k = int(np.argmax(np.abs(along)))
            kind = "t" if part.slides else "r"
            values, limits = self._values(slot, part.coupled is not None)
            if abs(along[k]) > 1.0 - _SAME:
                if along[k] < 0.0:
                    values, limits = -values, (-limits[1], -limits[0])
                (turns if kind == "r" else slides).append((f"{kind}{'xyz'[k]}", values, limits))
            else:  # an oblique slide
                slides += _three("t", values[:, None] * along)
        if len({name for name, _, _ in slides}) < len(slides):
            together = np.zeros((len(self._q), 3))
            for name, values, _ in slides:
                together[:, "xyz".index(name[1])] += values
            slides = _three("t", together)
        return slides + turns[::-1], basis

    def _values(self, slot: int, coupled: bool) -> tuple[np.ndarray, tuple[float, float]]:
        c, scale, shift = self._figure.tree.slots[slot]
        values = scale * self._q[:, c] + shift
        limits = (float(self._figure.lower[c]), float(self._figure.upper[c]))
        return values, _FREE if coupled else limits


def _plain(joint: Joint, limited: bool) -> bool:
    """Whether a joint's own coordinates are degrees of freedom that ASF has."""
    turns = joint.turn_parts
    if joint.ball_parts or any(joint.slides[len(joint.slide_columns) :]):
        return False
    letters = ["xyz"[int(np.argmax(np.abs(turn.axis)))] for turn in turns]
    if any(max(map(abs, turn.axis)) < 1.0 - _SAME for turn in turns):
        square = abs(float(np.dot(turns[0].axis, turns[-1].axis))) < _SAME
        return len(turns) == 1 or (len(turns) == 2 and square)
    # Readers of CMU's files take it that three turns are rx, ry and rz.
    return len(set(letters)) == len(turns) and (len(turns) < 3 or limited or letters == list("zyx"))


def _basis(joint: Joint) -> np.ndarray:
    """(3, 3) columns x, y, z about which a joint turns, in its frame: its own, or oblique ones."""
    axes = [np.array(turn.axis) for turn in joint.turn_parts]
    if all(np.abs(axis).max() > 1.0 - _SAME for axis in axes):
        return np.eye(3)
    x = axes[-1]
    aside = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = axes[0] if len(axes) == 2 else aside - x * (x @ aside)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _quat(wxyz: np.ndarray, fixed: np.ndarray, after: bool = False) -> np.ndarray:
    """wxyz (frames, 4) without a fixed rotation (4,), before it or after it."""
    back = quat_conjugate(fixed)
    return quat_multiply(wxyz, back) if after else quat_multiply(back, wxyz)


def _three(kind: str, values: np.ndarray) -> _Columns:
    return [(kind + axis, values[:, k], _FREE) for k, axis in enumerate("xyz")]


def _angles(wxyz: np.ndarray) -> _Columns:
    """rx, ry and rz with Rz·Ry·Rx the rotations (frames, 4)."""
    return _three("r", euler_following(wxyz, "ZYX")[:, ::-1])

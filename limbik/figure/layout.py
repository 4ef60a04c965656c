"""Where everything lies in the two flat buffers of a figure and of a problem.

A figure compiles once into two arrays, ``ints`` (uint32) and ``floats`` (float64); a problem
appends its own sections to the figure's.  The first ``HEADER`` ints are the header: a count, or
where a section starts, per entry.  This module is the one description of both: each line of the
table below declares an entry, and its number, what ``Buffers`` packs and what ``section`` reads
follow from it.  Kernels read by these names: ``ints[ints[I_PARENT] + joint]``, and the columns of a
record by ``ints[i + CONE_KIND]`` with i, f = cone_at(ints, cone).

    N_  how many there are of something
    I_  a section of the ints
    F_  a section of the floats

A *part* is what moves in a joint (joints.py); a *slot* is one moving direction of a part, so a ball
has three.  Slot k reads coordinate ``COORD[k]`` as ``SCALE[k]·q + SHIFT[k]``: coupled slots share a
coordinate.  A *term* is one block of rows of a goal (goals/terms.py).

The ints are unsigned and 32 bits wide on purpose: the compiler then knows that an index read from
them cannot be negative, and drops the wrap-around test that Numba adds to every access.  That alone
makes the innermost loops twice as fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.jit import inner

HEADER = 64
NONE = 0xFFFFFFFF  # "no such thing": no parent, no cone


# ---- columns of records --------------------------------------------------------------------------

# Kinds of parts.
TURN_X, TURN_Y, TURN_Z, TURN_ANY, SLIDE, EXPONENTIAL, SWING_TWIST = range(7)
PART = 9  # floats a part: its axis (3), or the basis of a ball (9)

# A cone: ints, then floats.
CONE_KIND, CONE_START, CONE_INTS = range(3)  # CONE_START: its first coordinate
CONE_SWING, CONE_EXPONENTIAL, CHART = range(3)  # kinds
CONE_A, CONE_B, CONE_X, CONE_Y, CONE_LOWER, CONE_UPPER, CONE_BASIS = range(7)
CONE_FLOATS = CONE_BASIS + 9  # half axes a, b (or a chart's radius); centre; twist range; basis

# A term: ints, then floats.  Two paths, for terms with two joints: first slot and length of each.
T_KIND, T_ROW, T_JOINT, T_JOINT2, T_PATH, T_LENGTH, T_PATH2, T_LENGTH2 = range(8)
# For a FUNCTION the halves of the address of its second derivatives, or 0, in place of a path;
# how many rows; the addresses of its residual and its Jacobian; where its own ints and floats begin
# (goals/kernels/functions.py).
T_SECOND = T_PATH
T_COUNT, T_RESIDUAL, T_JACOBIAN, T_OWN_INTS, T_OWN_FLOATS, TERM_INTS = 8, 9, 11, 13, 14, 16
T_AT, T_AT2, T_POINT, T_MATRIX, T_WEIGHT, T_VALUE, TERM_FLOATS = 0, 3, 6, 9, 18, 21, 24

# A pair of position terms that bones tie together: ints, then floats.
SPAN_TERM, SPAN_OTHER, SPAN_INTS = range(3)  # SPAN_OTHER: NONE for a base that does not move
SPAN_LENGTH, SPAN_BASE, SPAN_FLOATS = 0, 1, 4  # the longest distance, and the base's place

BALL_KIND, BALL_SLOT, BALL_INTS = range(3)
RUN = 2  # ints a run of rows: its first row, and the one after its last

# What forward kinematics writes: per joint the rotation, row-major, and the position; per slot the
# world axis and a point on it.
WORLD_X, WORLD_Y, WORLD_Z, WORLD = range(9, 13)
POINT_X, POINT_Y, POINT_Z, AXIS = range(3, 7)


# ---- the header ----------------------------------------------------------------------------------


class Section(NamedTuple):
    """An entry of the header.

    name:    what it holds
    kind:    "count", "ints" or "floats"
    per:     the entry that counts its records; −1: one record; None: its records are not counted
    columns: how many numbers a record has
    extra:   how many records more than ``per`` says
    """

    name: str
    kind: str
    per: int | None = None
    columns: int = 1
    extra: int = 0


SECTIONS: list[Section] = []
"""The table: entry k of the header is described by SECTIONS[k]."""

ONE = -1


def _entry(section: Section) -> int:
    SECTIONS.append(section)
    return len(SECTIONS) - 1


def _count(name: str) -> int:
    return _entry(Section(name, "count"))


def _ints(name: str, per: int | None, columns: int = 1, extra: int = 0) -> int:
    return _entry(Section(name, "ints", per, columns, extra))


def _floats(name: str, per: int | None, columns: int = 1) -> int:
    return _entry(Section(name, "floats", per, columns))


# A figure: counts.
N_JOINTS = _count("joints")
N_COORDS = _count("coordinates")
N_SLOTS = _count("slots")
N_CONES = _count("cones")
N_PARTS = _count("parts")
# Its tree.
I_PARENT = _ints("parent of a joint", N_JOINTS)
I_FIRST_PART = _ints("first part of a joint", N_JOINTS, extra=1)
I_JOINT_HAS_ROTATION = _ints("whether a joint is rotated against its parent", N_JOINTS)
I_KIND = _ints("kind of a part", N_PARTS)
I_FIRST_SLOT = _ints("first slot of a part", N_PARTS)
I_COORD = _ints("coordinate of a slot", N_SLOTS)
I_SLOT_IS_ROTATION = _ints("whether a slot turns; otherwise it slides", N_SLOTS)
I_ORDER = _ints("joints in the order in which they are placed", N_JOINTS)
F_OFFSET = _floats("offset of a joint from its parent", N_JOINTS, 3)
F_JOINT_ROTATION = _floats("rotation of a joint against its parent", N_JOINTS, 9)
F_SCALE = _floats("scale of a slot", N_SLOTS)
F_SHIFT = _floats("shift of a slot", N_SLOTS)
F_PART = _floats("axis or basis of a part", N_PARTS, PART)
# Its limits (limits.py).
I_CONE = _ints("kind and first coordinate of a cone", N_CONES, CONE_INTS)
I_IN_CONE = _ints("cone of a coordinate", N_COORDS)
F_LOWER = _floats("lower limit of a coordinate", N_COORDS)
F_UPPER = _floats("upper limit of a coordinate", N_COORDS)
F_CONE = _floats("numbers of a cone", N_CONES, CONE_FLOATS)

# A problem: its terms.
N_TERMS = _count("terms")
N_ROWS = _count("rows")
I_TERM = _ints("ints of a term", N_TERMS, TERM_INTS)
F_TERM = _floats("floats of a term", N_TERMS, TERM_FLOATS)
# Joints that matter to it, and how large its errors may be.
N_USED = _count("joints to place")
I_USED = _ints("joints to place, parents first", N_USED)
N_ERRORS = _count("errors")
F_TOLERANCE = _floats("how large an error may be", N_ERRORS)
# The rows of J that a coordinate touches, as runs: those of coordinate c begin at
# ints[ints[I_RUN] + ints[ints[I_RUN_FIRST] + c]].
I_RUN_FIRST = _ints("first entry of a coordinate in the runs", N_COORDS, extra=1)
I_RUN = _ints("runs of rows", None)
# The diagonal goals.
F_REST = _floats("weight of a coordinate", N_COORDS)
F_REST_POSE = _floats("where the weight draws it to", N_COORDS)
F_REST_OFFSET = _floats("what they add to f anyway", ONE)
# How a step is measured.
F_METRIC = _floats("1/M of a coordinate: 1 for a turn, lever² for a slide", N_COORDS)
F_REACH = _floats("the square of the figure's size, as f counts it", ONE)
# A weight matrix over all rows, as its factor L, if there is one.
N_FULL = _count("weight matrices")
F_FULL = _floats("the factor of the weight matrix", None)
N_REST = _count("weighed coordinates")
# For second derivatives.
I_ABOVE = _ints("next slot towards the root that may move", N_SLOTS)
N_BALLS = _count("balls that may move")
I_BALL = _ints("kind and first slot of a ball", N_BALLS, BALL_INTS)
I_ROW_ERROR = _ints("error of a row", N_ROWS)
# For restarts and steps far from the targets.
N_ROOT = _count("coordinates that carry the whole figure")
I_ROOT = _ints("coordinates that carry the whole figure", N_ROOT)
N_SPANS = _count("pairs of terms that bones tie together")
I_SPAN = _ints("terms of a pair", N_SPANS, SPAN_INTS)
F_SPAN = _floats("length and base of a pair", N_SPANS, SPAN_FLOATS)


# ---- reading -------------------------------------------------------------------------------------


@inner
def cone_at(ints, cone):
    """(i, f): where a cone's ints and floats begin."""
    return ints[I_CONE] + CONE_INTS * cone, ints[F_CONE] + CONE_FLOATS * cone


@inner
def term_at(ints, term):
    """(i, f): where a term's ints and floats begin."""
    return ints[I_TERM] + TERM_INTS * term, ints[F_TERM] + TERM_FLOATS * term


def record_at(ints: np.ndarray, entry: int, record: int = 0) -> int:
    """Where a record of a section begins in the ints or floats."""
    return int(ints[entry]) + SECTIONS[entry].columns * record


def section(ints: np.ndarray, floats: np.ndarray, entry: int) -> np.ndarray:
    """A counted section as a view: (records,) or (records, columns)."""
    what = SECTIONS[entry]
    if what.per is None:
        raise ValueError(f"{what.name} are not counted")
    count = what.extra + (1 if what.per == ONE else int(ints[what.per]))
    start = record_at(ints, entry)
    array = (ints if what.kind == "ints" else floats)[start : start + count * what.columns]
    return array if what.columns == 1 else array.reshape(count, what.columns)


# ---- packing -------------------------------------------------------------------------------------


class Buffers:
    """Two flat arrays in the making: sections are appended, their starts go into the header."""

    def __init__(self, ints: np.ndarray | None = None, floats: np.ndarray | None = None) -> None:
        self._ints = [np.zeros(HEADER, np.uint32) if ints is None else np.array(ints, np.uint32)]
        self._floats = [] if floats is None else [np.array(floats, np.float64)]
        self._n_ints = len(self._ints[0])
        self._n_floats = 0 if floats is None else len(floats)

    def count(self, entry: int, value: int) -> None:
        """Write a count into the header."""
        self._note(entry, "count", value)

    def ints(self, entry: int, values: object) -> None:
        """Append a section of ints; negative entries become NONE."""
        self._check(entry, self._append_ints(entry, values))

    def floats(self, entry: int, values: object) -> None:
        """Append a section of floats."""
        self._check(entry, self._append_floats(entry, values))

    def loose_ints(self, values: object) -> int:
        """Append ints that no entry of the header knows; returns where they start."""
        start = self._n_ints
        self._append_ints(None, values)
        return start

    def loose_floats(self, values: object) -> int:
        """Append floats that no entry of the header knows; returns where they start."""
        start = self._n_floats
        self._append_floats(None, values)
        return start

    def done(self) -> tuple[np.ndarray, np.ndarray]:
        """The finished arrays (ints, floats)."""
        floats = np.concatenate(self._floats) if self._floats else np.zeros(0)
        return np.concatenate(self._ints), floats

    def _append_ints(self, entry: int | None, values: object) -> int:
        array = np.asarray(values, np.int64).ravel()
        array = np.where(array < 0, NONE, array).astype(np.uint32)
        if entry is not None:
            self._note(entry, "ints", self._n_ints)
        self._ints.append(array)
        self._n_ints += len(array)
        return len(array)

    def _append_floats(self, entry: int | None, values: object) -> int:
        array = np.asarray(values, np.float64).ravel()
        if entry is not None:
            self._note(entry, "floats", self._n_floats)
        self._floats.append(array)
        self._n_floats += len(array)
        return len(array)

    def _note(self, entry: int, kind: str, value: int) -> None:
        if SECTIONS[entry].kind != kind:
            raise ValueError(f"{SECTIONS[entry].name} are {SECTIONS[entry].kind}, not {kind}")
        self._ints[0][entry] = value

    def _check(self, entry: int, size: int) -> None:
        """A counted section has as many numbers as the table says; its count comes before it."""
        what = SECTIONS[entry]
        if what.per is None:
            return
        count = what.extra + (1 if what.per == ONE else int(self._ints[0][what.per]))
        if size != count * what.columns:
            raise ValueError(f"{what.name}: {size} numbers for {count} × {what.columns}")

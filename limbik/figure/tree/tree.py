"""From joints to flat buffers: name the coordinates of a tree of joints, and pack its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure import layout as lay
from limbik.figure.joints import BallPart, Coupling, ExponentialBall, Joint, Part
from limbik.figure.tree.joint_limits import cone_of, ranges_of
from limbik.figure.tree.order import ordered
from limbik.maths.so3 import quat_to_matrix

_PRINCIPAL = {(1, 0, 0): lay.TURN_X, (0, 1, 0): lay.TURN_Y, (0, 0, 1): lay.TURN_Z}


class Slot(NamedTuple):
    """One moving direction: reads scale · q[coordinate] + shift."""

    coordinate: int
    scale: float
    shift: float


class Tree:
    """The compiled joints of a figure."""

    def __init__(self, joints: Iterable[Joint]) -> None:
        if not isinstance(joints, Iterable):
            raise FigureError(f"a figure is made of Joints, got {joints!r}")
        self.joints = ordered(tuple(joints))
        index = {joint.name: i for i, joint in enumerate(self.joints)}
        alias = {j.alias: j.name for j in self.joints if j.alias and j.alias not in index}
        # Built-in figures are shared by all callers: nothing in them can be changed.
        self.index, self.alias = MappingProxyType(index), MappingProxyType(alias)
        self.parents = np.array(
            [-1 if j.parent is None else self.index[j.parent] for j in self.joints]
        )
        self._name_coordinates()
        pack = lay.Buffers()
        self._pack_parts(pack)
        self._pack_limits(pack)
        # Numba would compile every kernel again for read-only arrays, so kernels get these, and
        # everybody else the same numbers as views that cannot be written to.
        self.kernel_buffers = pack.done()
        self.ints, self.floats = (array.view() for array in self.kernel_buffers)
        for array in (
            self.ints,
            self.floats,
            self.parents,
            self.owner,
            self.slides,
            self.lower,
            self.upper,
        ):
            array.setflags(write=False)

    def ancestors(self, joint: int) -> list[int]:
        """The joint and all that carry it, up to its root."""
        out = []
        while joint >= 0:
            out.append(joint)
            joint = int(self.parents[joint])
        return out

    def _name_coordinates(self) -> None:
        names: list[str] = []
        owner: list[int] = []
        slides: list[bool] = []
        slots: list[tuple[str, Coupling | None]] = []
        slots_of: list[tuple[int, ...]] = []
        for i, joint in enumerate(self.joints):
            labels = joint.labels
            parts = [part for part in joint.parts for _ in part.labels]
            slots_of.append(tuple(range(len(slots), len(slots) + len(labels))))
            for part, label in zip(parts, labels, strict=True):
                name = joint.alias or joint.name
                own = name if len(labels) == 1 else f"{name}.{label}"
                slots.append((own, part.coupled))
                if part.coupled is None:
                    names.append(own)
                    owner.append(i)
                    slides.append(part.slides)
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise FigureError(f'two coordinates are called "{twice}"')
        self.slots_of = tuple(slots_of)
        self.coordinates = tuple(names)
        self.owner, self.slides = np.array(owner, int), np.array(slides, bool)
        self.slots = tuple(_resolve(slots, {name: c for c, name in enumerate(names)}))

    def _pack_parts(self, pack: lay.Buffers) -> None:
        kinds: list[int] = []
        first_slot: list[int] = []
        first_part = [0]
        data: list[np.ndarray] = []
        turns: list[bool] = []
        signs: list[float] = []
        for joint in self.joints:
            for part in joint.parts:
                kind, sign, numbers = _part(part, joint.name)
                kinds.append(kind)
                first_slot.append(len(signs))
                data.append(numbers)
                signs += [sign] * len(part.labels)
            turns += [not slides for slides in joint.slides]
            first_part.append(len(kinds))
        placed = quat_to_matrix(np.array([j.wxyz for j in self.joints], float))
        pack.count(lay.N_JOINTS, len(self.joints))
        pack.count(lay.N_COORDS, len(self.coordinates))
        pack.count(lay.N_SLOTS, len(turns))
        pack.count(lay.N_PARTS, len(kinds))
        pack.ints(lay.I_PARENT, self.parents)
        pack.ints(lay.I_FIRST_PART, first_part)
        pack.ints(lay.I_JOINT_HAS_ROTATION, np.abs(placed - np.eye(3)).max(axis=(1, 2)) > 0)
        pack.ints(lay.I_KIND, kinds)
        pack.ints(lay.I_FIRST_SLOT, first_slot)
        pack.ints(lay.I_COORD, [slot.coordinate for slot in self.slots])
        pack.ints(lay.I_SLOT_IS_ROTATION, turns)
        pack.ints(lay.I_ORDER, np.arange(len(self.joints)))
        pack.floats(lay.F_OFFSET, [j.offset for j in self.joints])
        pack.floats(lay.F_JOINT_ROTATION, placed)
        pack.floats(lay.F_SCALE, np.array([slot.scale for slot in self.slots]) * signs)
        pack.floats(lay.F_SHIFT, np.array([slot.shift for slot in self.slots]) * signs)
        pack.floats(lay.F_PART, data)

    def _pack_limits(self, pack: lay.Buffers) -> None:
        n = len(self.coordinates)
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
        source: dict[int, str] = {}
        for joint, slots in zip(self.joints, self.slots_of, strict=True):
            ranges = ranges_of(joint, len(slots))
            for k, low, high in zip(slots, ranges.lower, ranges.upper, strict=True):
                c, scale, shift = self.slots[k]
                ends = sorted(((low - shift) / scale, (high - shift) / scale))
                lower[c], upper[c] = max(lower[c], ends[0]), min(upper[c], ends[1])
                if lower[c] > upper[c]:
                    raise FigureError(
                        f'{self.coordinates[c]}: the limit of "{joint.name}" leaves nothing'
                    )
                if np.isfinite(ends).any() and joint.name != self.joints[self.owner[c]].name:
                    source[c] = joint.name
        in_cone = np.full(n, -1)
        cones: list[tuple[int, int]] = []
        numbers: list[np.ndarray] = []
        together: list[np.ndarray] = []
        shown_lower, shown_upper = lower.copy(), upper.copy()
        for joint, slots in zip(self.joints, self.slots_of, strict=True):
            for at, ball in joint.ball_parts:
                c = self.slots[slots[at]].coordinate
                end = c + ball.vector_width
                for follower in (source[k] for k in range(c, end) if k in source):
                    raise FigureError(
                        f'joint "{follower}": its limit cannot be kept, because it follows the '
                        f'ball of "{joint.name}"; limit that ball instead'
                    )
                cone = cone_of(joint, ball, lower[c : c + 3], upper[c : c + 3])
                if cone is not None:
                    kind, values, bound = cone
                    in_cone[c:end] = len(cones)
                    together.append(np.arange(c, end))
                    cones.append((kind, c))
                    numbers.append(values)
                    shown_lower[c : c + len(bound)] = bound[:, 0]
                    shown_upper[c : c + len(bound)] = bound[:, 1]
        self.cones = tuple(together)
        self.lower, self.upper = shown_lower, shown_upper
        pack.count(lay.N_CONES, len(cones))
        pack.ints(lay.I_CONE, cones)
        pack.ints(lay.I_IN_CONE, in_cone)
        pack.floats(lay.F_LOWER, lower)
        pack.floats(lay.F_UPPER, upper)
        pack.floats(lay.F_CONE, numbers)


def _resolve(slots: list[tuple[str, Coupling | None]], coordinates: dict[str, int]) -> list[Slot]:
    """Follow couplings (also coupled to coupled) down to the coordinate that drives them."""
    driven = {name: coupling for name, coupling in slots if coupling is not None}
    resolved: list[Slot] = []
    for name, _ in slots:
        scale, shift, at = 1.0, 0.0, name
        seen = [name]
        while at not in coordinates:
            coupling = driven.get(at)
            if coupling is None:
                hint = did_you_mean(at, (*coordinates, *driven))
                raise FigureError(f'"{seen[-2]}" is coupled to "{at}", which is not there{hint}')
            if not (math.isfinite(coupling.scale) and math.isfinite(coupling.offset)):
                raise FigureError(f'"{at}": its coupling is not finite')
            if coupling.scale == 0.0:
                raise FigureError(f'"{at}": is coupled with scale 0; make it a fixed joint')
            shift += scale * coupling.offset
            scale *= coupling.scale
            at = coupling.coordinate
            if at in seen:
                raise FigureError("the couplings form a cycle: " + " → ".join([*seen, at]))
            seen.append(at)
        resolved.append(Slot(coordinates[at], scale, shift))
    return resolved


def _part(part: Part, joint: str) -> tuple[int, float, np.ndarray]:
    """(kind, sign, nine numbers) of a part; a turn about −x is a turn about x with sign −1."""
    if isinstance(part, BallPart):
        basis = part.basis
        if not np.allclose(basis.T @ basis, np.eye(3), atol=1e-9):
            raise FigureError(
                f'joint "{joint}": the twist and swing axes of its ball must be perpendicular '
                "unit vectors"
            )
        kind = lay.EXPONENTIAL if isinstance(part, ExponentialBall) else lay.SWING_TWIST
        return kind, 1.0, basis.ravel()
    axis = np.asarray(part.axis, float)
    if axis.shape != (3,) or not np.isfinite(axis).all():
        raise FigureError(f'joint "{joint}": its axis needs three finite numbers')
    if np.linalg.norm(axis) < 1e-12:
        raise FigureError(f'joint "{joint}": its axis has zero length')
    axis = axis / np.linalg.norm(axis)
    numbers = np.concatenate([axis, np.zeros(6)])
    if part.slides:
        return lay.SLIDE, 1.0, numbers
    for principal, kind in _PRINCIPAL.items():
        along = float(axis @ np.array(principal))
        if abs(along) == 1.0:
            return kind, along, numbers
    return lay.TURN_ANY, 1.0, numbers

"""From joints to flat buffers: order and check the tree, name its coordinates, pack its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure import layout as lay
from limbik.figure import limits as lim
from limbik.figure.joints import (
    BallPart,
    Coupling,
    ExponentialBall,
    Joint,
    Limit,
    Part,
    SwingTwistBall,
)
from limbik.figure.limits import Range, SwingTwist
from limbik.maths.so3 import quat_to_matrix

_NARROWEST = 1e-100  # rad: half a cone's angle, so that its square is not lost
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
            ranges = _ranges(joint, len(slots))
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
                cone = _cone(joint, ball, lower[c : c + 3], upper[c : c + 3])
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


def ordered(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """The joints with parents before children, checked one by one; otherwise in the given order."""
    if not joints:
        raise FigureError("a figure needs at least one joint")
    names: dict[str, Joint] = {}
    for joint in joints:
        if not isinstance(joint, Joint):
            raise FigureError(f"a figure is made of Joints, got {joint!r}")
        if not isinstance(joint.parent, str | None):
            raise FigureError(f'joint "{joint.name}": a parent is a name, got {joint.parent!r}')
        if not isinstance(joint.name, str) or not joint.name:
            raise FigureError(f"a joint needs a name, got {joint.name!r}")
        if joint.name in names:
            raise FigureError(f'two joints are called "{joint.name}"')
        if not isinstance(joint.parts, tuple) or not all(isinstance(p, Part) for p in joint.parts):
            raise FigureError(f'joint "{joint.name}": parts must be a tuple of Turn, Slide, ...')
        for what, values, length in (
            ("offset", joint.offset, 3),
            ("wxyz", joint.wxyz, 4),
            ("tip", (0, 0, 0) if joint.tip is None else joint.tip, 3),
        ):
            try:
                array = np.asarray(values, float)
            except (TypeError, ValueError, OverflowError):
                array = np.empty(0)
            if array.shape != (length,) or not np.isfinite(array).all():
                raise FigureError(f'joint "{joint.name}": {what} needs {length} finite numbers')
        if np.linalg.norm(joint.wxyz) < 1e-12:
            raise FigureError(f'joint "{joint.name}": wxyz has zero length')
        names[joint.name] = joint
    done: dict[str, Joint] = {}
    for joint in joints:
        path: dict[str, Joint] = {}
        step: Joint | None = joint
        while step is not None and step.name not in done:
            if step.name in path:
                loop = [*list(path)[list(path).index(step.name) :], step.name]
                raise FigureError("the joints form a cycle: " + " → ".join(loop))
            path[step.name] = step
            if step.parent is not None and step.parent not in names:
                hint = did_you_mean(step.parent, tuple(names))
                raise FigureError(f'joint "{step.name}": no parent "{step.parent}"{hint}')
            step = None if step.parent is None else names[step.parent]
        done.update(reversed(path.items()))
    return tuple(done.values())


def slide_limit(joint: Joint) -> Range | None:
    """The ranges of a joint's slides, whichever way its limit says them; None where they are free.

    A cone that replaces a range leaves them as they are.
    """
    ranges, slides = _ranges(joint, len(joint.labels)), joint.slide_columns
    low, high = ranges.lower[slides], ranges.upper[slides]
    return Range(low, high, degrees=False) if np.isfinite([*low, *high]).any() else None


def limit_of_coordinate(joint: Joint, label: str, limit: Limit | None) -> Range:
    """The joint's ranges with the one of a single coordinate replaced."""
    if isinstance(limit, SwingTwist) or isinstance(joint.limit, SwingTwist):
        raise FigureError(f'"{joint.name}.{label}": a swing–twist limit is set on the whole joint')
    if limit is not None and limit.lower.size != 1:
        raise FigureError(f'"{joint.name}.{label}": one coordinate takes one lower and one upper')
    ranges = _ranges(joint, len(joint.labels))
    lower, upper = ranges.lower.copy(), ranges.upper.copy()
    k = joint.labels.index(label)
    lower[k] = -np.inf if limit is None else float(limit.lower.ravel()[0])
    upper[k] = np.inf if limit is None else float(limit.upper.ravel()[0])
    return Range(lower, upper, degrees=False)


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


def _ranges(joint: Joint, count: int) -> Range:
    """A range a coordinate, from whatever the joint's limit says of ranges."""
    if not count and joint.limit is not None:
        raise FigureError(f'joint "{joint.name}" is fixed: there is nothing to limit')
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    if isinstance(joint.limit, SwingTwist):
        if not joint.ball_parts:
            raise FigureError(
                f'joint "{joint.name}": a swing–twist limit needs a swing–twist or exponential '
                f"ball, and this is {joint.kind}; give it a Range"
            )
        for at, ball in joint.ball_parts:
            if isinstance(ball, SwingTwistBall):
                lower[at + 2], upper[at + 2] = joint.limit.twist
    elif joint.limit is not None and not isinstance(joint.limit, Range):
        raise FigureError(
            f'joint "{joint.name}": its limit must be a Range or a SwingTwist, got {joint.limit!r}'
        )
    elif joint.limit is not None:
        size = joint.limit.lower.size
        if size not in (1, count):
            raise FigureError(
                f'joint "{joint.name}": its Range has {size} values for {count} coordinates'
            )
        lower[:], upper[:] = joint.limit.lower, joint.limit.upper
    if joint.slide_limit is not None and not isinstance(joint.limit, Range):
        slides = joint.slide_columns
        if joint.slide_limit.lower.size not in (1, len(slides)):
            raise FigureError(
                f'joint "{joint.name}": its slide_limit has {joint.slide_limit.lower.size} '
                f"values for {len(slides)} slides"
            )
        lower[slides], upper[slides] = joint.slide_limit.lower, joint.slide_limit.upper
    return Range(lower, upper, degrees=False)


def _cone(
    joint: Joint, ball: BallPart, lower: np.ndarray, upper: np.ndarray
) -> tuple[int, np.ndarray, np.ndarray] | None:
    """(kind, numbers, bounding range) of a ball's cone, or of its chart's edge where it has none.

    None where ranges already keep the ball inside its chart.
    """
    limit = joint.limit if isinstance(joint.limit, SwingTwist) else None
    numbers = np.zeros(lay.CONE_FLOATS)
    if isinstance(ball, SwingTwistBall):
        corner = float(np.linalg.norm(np.maximum(np.abs(lower[:2]), np.abs(upper[:2]))))
        if limit is None and corner <= lim.SWING_CHART:
            return None
        if limit is None and np.isfinite([*lower[:2], *upper[:2]]).any():
            raise FigureError(
                f'joint "{joint.name}": ranges on its swing reach beyond 179°; use SwingTwist'
            )
        swing = (lim.SWING_CHART,) * 2 if limit is None or limit.swing is None else limit.swing
        center = (0.0, 0.0) if limit is None else limit.center
        numbers[:4] = *np.maximum(swing, _NARROWEST), *center
        bound = np.array([[c - a, c + a] for a, c in zip(swing, center, strict=True)])
        return lay.CONE_SWING, numbers, bound
    if limit is None:
        corner = float(np.linalg.norm(np.maximum(np.abs(lower), np.abs(upper))))
        if corner <= lim.EXPONENTIAL_CHART:
            return None
        if np.isfinite([*lower, *upper]).any():
            raise FigureError(
                f'joint "{joint.name}": ranges on its rotation vector reach beyond 2π'
            )
        numbers[0] = lim.EXPONENTIAL_CHART
        return lay.CHART, numbers, np.tile([-np.inf, np.inf], (3, 1))
    swing = (lim.SWING_CHART,) * 2 if limit.swing is None else limit.swing
    ends = [end for end in limit.twist if math.isfinite(end)]
    if any(abs(end) > math.pi for end in ends):
        raise FigureError(
            f'joint "{joint.name}": on an exponential ball the twist is known from −180° to 180° '
            "only; use a swing–twist ball"
        )
    numbers[:6] = *np.maximum(swing, _NARROWEST), *limit.center, *limit.twist
    numbers[6:] = ball.basis.ravel()
    return lay.CONE_EXPONENTIAL, numbers, np.tile([-2 * math.pi, 2 * math.pi], (3, 1))

"""What a figure is made of beyond its joints: masses, shapes, speed and effort limits, loops.

Everything is given by joint name and lies in the joint's own frame, so that it stays true when the
figure gets other limits, a tool, a base or other coordinates.  Masses are kg, forces N, torques
N·m; lengths are in the figure's unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.collision.shapes import SHAPES, Quaternion, Shape, scaled_shape
from limbik.figure.joints import Joint, Vector
from limbik.maths.so3 import quat_multiply, quat_rotate

Moments = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Inertia:
    """The mass that follows a joint.

    mass:    kg
    center:  (3,) the centre of mass in the joint's frame
    moments: Ixx, Iyy, Izz, Ixy, Ixz, Iyz about that centre, along the joint's axes, kg·unit²
    """

    mass: float
    center: Vector = (0.0, 0.0, 0.0)
    moments: Moments = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for what, size in (("center", 3), ("moments", 6)):
            value = getattr(self, what)
            try:
                array = np.asarray(value, float)
            except (TypeError, ValueError):
                array = np.empty(0)
            if array.shape != (size,) or not np.isfinite(array).all():
                raise FigureError(f"Inertia: {what} needs {size} finite numbers, got {value!r}")
            object.__setattr__(self, what, tuple(array.tolist()))
        try:
            mass = float(self.mass)
        except (TypeError, ValueError):
            mass = math.nan
        if not 0.0 <= mass < math.inf:
            raise FigureError(f"Inertia: a mass must be 0 or more, got {self.mass!r}")
        object.__setattr__(self, "mass", mass)

    @property
    def matrix(self) -> np.ndarray:
        """(3, 3) the moments as a matrix."""
        xx, yy, zz, xy, xz, yz = self.moments
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def merged(parts: Sequence[Inertia]) -> Inertia:
    """Several masses on one joint as one.

    I = Σ Iₖ + mₖ(|dₖ|²·1 − dₖdₖᵀ), with dₖ from the common centre of mass to that of part k.
    """
    mass = sum(part.mass for part in parts)
    if mass == 0.0:
        return Inertia(0.0)
    center = sum(part.mass * np.array(part.center) for part in parts) / mass
    whole = np.zeros((3, 3))
    for part in parts:
        d = np.array(part.center) - center
        whole += part.matrix + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(mass, tuple(center.tolist()), moments_of(whole))  # type: ignore[arg-type]


def moments_of(matrix: np.ndarray) -> Moments:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a symmetric matrix (3, 3)."""
    at = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    a, b, c, d, e, f = (float(matrix[i]) for i in at)
    return (a, b, c, d, e, f)


@dataclass(frozen=True)
class Loop:
    """Two joints that hold on to each other: the point ``at_a`` of joint a is the point ``at_b`` of
    joint b; with ``wxyz``, the orientation of b in the frame of a is fixed too.

    An empty joint b is the world.
    """

    joint_a: str
    at_a: Vector
    joint_b: str
    at_b: Vector
    wxyz: Quaternion | None = None
    name: str = ""


class JointNumbers(NamedTuple):
    """Numbers of a joint, one for each of its coordinates, those that follow others too."""

    joint: str
    values: tuple[float, ...]


class Deferred(Protocol):
    """What is worked out when it is first asked for, because it takes time: meshes are read."""

    def __call__(self) -> Any: ...


@dataclass(frozen=True)
class Physical:
    """What files and people say of a figure beyond its joints; ``None`` where nobody says.

    inertias: by joint name; joints that are not named have no mass
    shapes:   the solids that follow the joints
    exclusions: pairs of joint names whose shapes may touch
    speeds, efforts: for each joint the most, one number for each of its coordinates
    loops:    what holds the tree together across its branches
    """

    inertias: tuple[tuple[str, Inertia], ...] | Deferred | None = None
    shapes: tuple[Shape, ...] | Deferred | None = None
    exclusions: tuple[tuple[str, str], ...] = ()
    speeds: tuple[JointNumbers, ...] = ()
    efforts: tuple[JointNumbers, ...] = ()
    loops: tuple[Loop, ...] = ()

    def checked(self, index: Mapping[str, int], joints: Sequence[Joint]) -> Physical:
        """Itself, when every name and number in it fits the joints of a figure."""
        for name, _ in self.inertias if isinstance(self.inertias, tuple) else ():
            _known(name, index, "a mass")
        for shape in self.shapes if isinstance(self.shapes, tuple) else ():
            if not isinstance(shape, SHAPES):
                kinds = ", ".join(kind.__name__ for kind in SHAPES)
                raise FigureError(f"a figure's shapes are of {kinds}, got {shape!r}")
            _known(shape.joint, index, "a shape")
        for pair in self.exclusions:
            for name in pair:
                _known(name, index, "an exclusion")
        for what, each in (("a speed limit", self.speeds), ("an effort limit", self.efforts)):
            for name, values in each:
                width = len(joints[_known(name, index, what)].labels)
                if len(values) != width or not all(value >= 0.0 for value in values):
                    raise FigureError(f'joint "{name}": {what} needs {width} numbers of 0 or more')
        for loop in self.loops:
            _known(loop.joint_a, index, "a loop")
            if loop.joint_b:
                _known(loop.joint_b, index, "a loop")
        return self

    def scaled(self, scale: float, wxyz: Quaternion, joints: Iterable[Joint]) -> Physical:
        """The same in other conventions: every length multiplied, and the world turned."""
        slides = {joint.name: joint.slides for joint in joints}
        speeds = tuple(
            JointNumbers(
                name,
                tuple(v * (scale if s else 1.0) for v, s in zip(values, slides[name], strict=True)),
            )
            for name, values in self.speeds
        )
        loops = tuple(_scaled_loop(loop, scale, wxyz) for loop in self.loops)
        inertias, shapes = _Scaled(self.inertias, scale), _Scaled(self.shapes, scale)
        return replace(
            self,
            inertias=inertias if callable(self.inertias) else inertias(),
            shapes=shapes if callable(self.shapes) else shapes(),
            speeds=speeds,
            loops=loops,
        )

    def reordered(self, old: Sequence[Joint], new: Sequence[Joint]) -> Physical:
        """The same for joints whose slides come first now, as in new coordinates for balls."""
        moved = {
            after.name: np.argsort(np.logical_not(before.slides), kind="stable").tolist()
            for before, after in zip(old, new, strict=True)
            if before.slides != after.slides
        }
        each = [
            tuple(
                JointNumbers(name, tuple(values[k] for k in moved.get(name, range(len(values)))))
                for name, values in given
            )
            for given in (self.speeds, self.efforts)
        ]
        return replace(self, speeds=each[0], efforts=each[1])


NOTHING = Physical()


def resolved(given: Any) -> Any:
    """Masses or shapes themselves, worked out now where they were put off."""
    return given() if callable(given) else given


@dataclass(frozen=True)
class _Scaled:
    """Masses or shapes with every length multiplied, once they are known."""

    given: Any
    scale: float

    def __call__(self) -> Any:
        given: Any = resolved(self.given)
        return None if given is None else tuple(_scaled(entry, self.scale) for entry in given)


def limits_of_coordinates(
    each: Iterable[JointNumbers], index: Mapping[str, int], slots_of: Any, slots: Any, n: int
) -> np.ndarray:
    """(n,) the most that every coordinate may do, inf where nobody says.

    A joint that follows another by q_i = a·q_j + b allows that one its own limit divided by |a|.
    """
    out = np.full(n, math.inf)
    for name, values in each:
        for k, value in zip(slots_of[index[name]], values, strict=True):
            coordinate, scale, _ = slots[k]
            out[coordinate] = min(out[coordinate], value / abs(scale))
    out.setflags(write=False)
    return out


def _known(name: str, index: Mapping[str, int], what: str) -> int:
    if name not in index:
        hint = did_you_mean(str(name), tuple(index))
        raise FigureError(f'{what} is given for "{name}", which is not a joint{hint}')
    return index[name]


def _scaled(entry: Any, scale: float) -> Any:
    """A shape, or a joint's name with its inertia."""
    if not isinstance(entry, tuple):
        return scaled_shape(entry, scale)
    name, inertia = entry
    center: Any = tuple(scale * v for v in inertia.center)
    moments: Any = tuple(scale * scale * v for v in inertia.moments)
    return name, Inertia(inertia.mass, center, moments)


def _scaled_loop(loop: Loop, scale: float, wxyz: Quaternion) -> Loop:
    """A loop in other conventions; only an end in the world is turned."""
    at_a, at_b, turned = scale * np.array(loop.at_a), scale * np.array(loop.at_b), loop.wxyz
    if not loop.joint_b:
        at_b = quat_rotate(np.array(wxyz), at_b)
        if turned is not None:
            w, x, y, z = wxyz
            turned = tuple(quat_multiply(np.array(turned), np.array([w, -x, -y, -z])).tolist())
    return replace(loop, at_a=tuple(at_a.tolist()), at_b=tuple(at_b.tolist()), wxyz=turned)

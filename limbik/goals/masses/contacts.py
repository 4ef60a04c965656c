"""Points on which a figure stands, from names of joints or from points on them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from itertools import product

import numpy as np

from limbik.errors import GoalError
from limbik.figure.collision.shapes import Box, Shape, Sphere
from limbik.figure.figure import Figure
from limbik.goals.terms import joint_index, vector
from limbik.maths.so3 import quat_rotate

Contact = tuple[int, np.ndarray]
_NEAR = 0.05  # of the figure's size: how far above a foot's lowest shape another may end


def up_axis(figure: Figure) -> int:
    """The number of the axis that is up: as the figure says, y where it does not."""
    return "xyz".index(figure.up) if figure.up in ("x", "y", "z") else 1


def contact_points(figure: Figure, support: object, what: str) -> list[Contact]:
    """(joint, point (3,) in its frame) of each contact.

    ``support`` has names of joints and pairs (name, point).  A name alone stands for the outline,
    seen from above in the rest pose, of the shapes that follow the joint and those below it (a
    foot's toes), as far as they are about as low; for the joint's origin where there are none.
    """
    if isinstance(support, str) or not isinstance(support, Iterable):
        raise GoalError(f"{what}: needs a list of joints or (joint, point) pairs, got {support!r}")
    out: list[Contact] = []
    for entry in support:
        if isinstance(entry, str):
            out += _outline(figure, joint_index(figure, entry, what))
            continue
        try:
            name, point = entry
        except (TypeError, ValueError):
            name, point = None, None
        if not isinstance(name, str):
            raise GoalError(f"{what}: needs a joint or a (joint, point) pair, got {entry!r}")
        joint = joint_index(figure, name, what)
        out.append((joint, vector(point, 3, f'{what}: "{name}"')))
    if not out:
        raise GoalError(f"{what}: nothing to stand on: name a joint")
    return out


_known: weakref.WeakKeyDictionary[Figure, dict[int, list[Contact]]] = weakref.WeakKeyDictionary()


def _outline(figure: Figure, joint: int) -> list[Contact]:
    """The contacts that a joint's name stands for, looked for once per figure."""
    known = _known.setdefault(figure, {})
    if joint not in known:
        known[joint] = _look_for_outline(figure, joint)
    return known[joint]


def _look_for_outline(figure: Figure, joint: int) -> list[Contact]:
    below = {joint}
    for child, parent in enumerate(figure.parents.tolist()):
        if parent in below:
            below.add(child)
    up, frames = up_axis(figure), figure.frames(figure.rest)
    found: list[Contact] = []
    for shape in figure.shapes:
        owner = figure.index(shape.joint)
        if owner in below:
            frame = frames[owner]
            found += [(owner, point) for point in _corners(shape, frame[:3, :3], up)]
    if not found:
        return [(joint, np.zeros(3))]
    height = np.array([(frames[j, :3, :3] @ p + frames[j, :3, 3])[up] for j, p in found])
    low = height <= height.min() + _NEAR * figure.size
    return [contact for contact, near in zip(found, low, strict=True) if near]


def _corners(shape: Shape, rotation: np.ndarray, up: int) -> list[np.ndarray]:
    """Points on the outline of a shape seen from above, at its lowest, in its joint's frame.

    rotation: (3, 3) how its joint is turned in the rest pose
    """
    down = -rotation[up]  # in the joint's frame
    center = np.array(shape.center)
    if isinstance(shape, Sphere):
        return [center + shape.radius * down]
    turn = np.array(shape.wxyz)
    if isinstance(shape, Box):
        half = np.array(shape.half_sizes)
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        corners = center + np.array([quat_rotate(turn, sign * half) for sign in signs])
        lowest = np.argsort(-(corners @ down), kind="stable")[:4]
        return list(corners[lowest])
    axis = quat_rotate(turn, np.array([0.0, 0.0, 1.0]))
    level = axis - (axis @ down) * down
    length = float(np.linalg.norm(level))
    if length < 1e-9:  # it stands upright: a square around it
        level, length = quat_rotate(turn, np.array([1.0, 0.0, 0.0])), 1.0
    along = shape.radius * level / length
    across = np.cross(down, along)
    out = []
    for sign in (-1.0, 1.0):
        end = center + sign * shape.half_length * axis + shape.radius * down
        out += [end + sign * along, end + across, end - across]
    return out

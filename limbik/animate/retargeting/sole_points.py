"""Where a foot meets the ground: the lowest points of the shapes that a figure's file gives it, or
of the frames that are fixed to it."""

from __future__ import annotations

import numpy as np

from limbik.figure.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere
from limbik.figure.figure import Figure
from limbik.maths.so3 import quat_to_matrix

_THICK = 0.03
"""Of the leg: points this much above the lowest one belong to the sole too."""

_LONG = 0.1
"""Of the leg: frames that are less far apart do not show how large a sole is."""

_RIM = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(8) * np.pi / 4])
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def sole_points(figure: Figure, link: int, flat: np.ndarray, leg: float) -> np.ndarray | None:
    """(k, 4) at most four outer balls of a foot's sole, or None where nothing tells.

    Centres are in body axes (left, up, forward) from the link's origin, then comes a radius, 0 for
    corners; ``flat`` (3, 3) is the link's frame in these axes where the foot is flat.  Only shapes
    of the figure's own file count, and a single capsule does not: it may stand for a mesh, and
    reaches below it.  Otherwise the frames do that are fixed to the link, such as those of
    sensors, as high as the lowest of them.
    """
    rest = figure.frames(figure.rest)
    fixed = fixed_to(figure, link)
    shapes = () if figure.physical.shapes is None else figure.shapes
    own = [shape for shape in shapes if figure.index(shape.joint) in fixed]
    if not own or (len(own) == 1 and isinstance(own[0], Capsule)):
        frames = (rest[sorted(fixed), :3, 3] - rest[link, :3, 3]) @ (flat @ rest[link, :3, :3].T).T
        return _corners_of_frames(frames, leg)
    found = []
    for shape in own:
        frame = np.linalg.inv(rest[link]) @ rest[figure.index(shape.joint)]
        centers, radius = outer_balls(shape, flat @ frame[:3, :3])
        centers = centers + flat @ frame[:3, 3]
        found.append(np.column_stack([centers, np.full(len(centers), radius)]))
    return _corners(np.concatenate(found), leg)


def _corners_of_frames(places: np.ndarray, leg: float) -> np.ndarray | None:
    """The corners of a sole with these frames (k, 3), or None where they are too near together."""
    low = places[places[:, 1] <= places[:, 1].min() + _THICK * leg]
    sides, _, lengths = np.ptp(low, axis=0)
    if len(low) < 3 or lengths < _LONG * leg or sides <= 0.0:
        return None
    balls = np.column_stack([low, np.zeros(len(low))])
    balls[:, 1] = low[:, 1].min()
    return _corners(balls, leg)


def _corners(points: np.ndarray, leg: float) -> np.ndarray:
    """(k, 4) the outer ones among the lowest of balls (m, 4)."""
    height = points[:, 1] - points[:, 3]
    low = points[height <= height.min() + _THICK * leg]
    corners = [low[int(np.argmax(low @ [x, 0.0, z, 0.0]))] for x in (1, -1) for z in (1.0, -1.0)]
    return np.unique(np.round(corners, 9), axis=0)


def fixed_to(figure: Figure, link: int) -> set[int]:
    """A link and those below it that do not move against it."""
    out = {link}
    for i, parent in enumerate(figure.parents.tolist()):
        if parent in out and not figure.definition[i].parts:
            out.add(i)
    return out


def outer_balls(shape: Shape, turn: np.ndarray) -> tuple[np.ndarray, float]:
    """(centres (k, 3), radius) of the balls of a shape that can be its lowest, from its joint's
    origin, turned."""
    center = turn @ np.array(shape.center)
    if isinstance(shape, Sphere):
        return center[None], shape.radius
    own = turn @ quat_to_matrix(np.array(shape.wxyz))
    if isinstance(shape, Box):
        return center + (_CORNERS * np.array(shape.half_sizes)) @ own.T, 0.0
    ends = np.array([[0.0, 0.0, -shape.half_length], [0.0, 0.0, shape.half_length]])
    if isinstance(shape, Cylinder):
        rim = np.concatenate([shape.radius * _RIM + end for end in ends])
        return center + rim @ own.T, 0.0
    return center + ends @ own.T, shape.radius

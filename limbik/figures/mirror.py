"""Left and right: a joint or a pose reflected in the plane x = 0, and the names of both sides.

A reflection takes a point (x, y, z) to (−x, y, z), but a rotation axis to (x, −y, −z).  Mirrored
joints therefore keep their limits and the meaning of their coordinates: a left and a right limb
in the same posture have the same numbers in q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import BallPart, Joint, Part, Vector

_PREFIXES = (("Left", "Right"), ("L", "R"))


def other_side(name: str) -> str:
    """The joint's name on the other side; a name in the middle is its own.

    >>> other_side("LeftArm"), other_side("RThumb"), other_side("LowerBack")
    ('RightArm', 'LThumb', 'LowerBack')
    """
    for left, right in _PREFIXES:
        for here, there in ((left, right), (right, left)):
            rest = name.removeprefix(here)
            if rest != name and (rest[:1].isupper() or rest[:1].isdigit()):
                return there + rest
    return name


def reflected_point(v: Vector) -> Vector:
    """A point or a slide's direction, reflected in x = 0."""
    return (-v[0] + 0.0, v[1], v[2])


def reflected_axis(v: Vector) -> Vector:
    """A rotation's axis, reflected in x = 0, for the same angle."""
    return (v[0], -v[1] + 0.0, -v[2] + 0.0)


def _reflected_part(part: Part) -> Part:
    if isinstance(part, BallPart):
        return replace(part, twist=reflected_axis(part.twist), swing=reflected_axis(part.swing))
    return replace(part, axis=(reflected_point if part.slides else reflected_axis)(part.axis))


def mirrored(joint: Joint) -> Joint:
    """The joint of the other side: name, placement, axes and tip reflected, limits kept."""
    w, x, y, z = joint.wxyz
    return replace(
        joint,
        name=other_side(joint.name),
        parent=None if joint.parent is None else other_side(joint.parent),
        parts=tuple(_reflected_part(part) for part in joint.parts),
        offset=reflected_point(joint.offset),
        wxyz=(w, x, -y + 0.0, -z + 0.0),
        tip=None if joint.tip is None else reflected_point(joint.tip),
    )


def _directions(joint: Joint) -> list[tuple[np.ndarray, bool]]:
    """(axis, turns?) of every coordinate of a joint, in its own frame."""
    return [(axis, not part.slides) for part in joint.parts for axis in part.axes]


def mirror_pose(figure: Figure, q: Sequence[float] | np.ndarray) -> np.ndarray:
    """The poses q, (n,) or (frames, n), with left and right exchanged.

    Needs a figure that is its own mirror image, such as ``human()`` or ``spider()``.

    >>> mirror_pose(fig, clip.q).shape == clip.q.shape
    True
    """
    poses = figure.pose(q)
    source = np.empty(figure.n, int)
    sign = np.empty(figure.n)
    for joint in figure.definition:
        twin = figure.definition[figure.index(other_side(joint.name))]
        here, there = figure.coordinates_of(joint.name), figure.coordinates_of(twin.name)
        axes, twin_axes = _directions(joint), _directions(twin)
        if not len(here) == len(there) == len(axes) == len(twin_axes):
            raise FigureError(
                f'"{joint.name}" and "{twin.name}" are not each other\'s mirror image'
            )
        for c, d, (axis, turns), (twin_axis, _) in zip(here, there, axes, twin_axes, strict=True):
            flip = np.array([1.0, -1.0, -1.0] if turns else [-1.0, 1.0, 1.0])
            along = float(axis @ (flip * twin_axis))
            if abs(abs(along) - 1.0) > 1e-9:
                raise FigureError(f'"{joint.name}" has axes that have no mirror image in q')
            source[c], sign[c] = d, np.sign(along)
    return poses[..., source] * sign

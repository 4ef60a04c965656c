"""Masses, soles and collision shapes of a figure, to be drawn: BodyInfo of the messages."""

from __future__ import annotations

from limbik.figure.collision.shapes import Box, Capsule, Shape, Sphere
from limbik.figure.figure import Figure
from limbik.goals.masses.contacts import contact_points
from limbik.poser.drag.scene_goals import feet_of
from limbik.poser.protocol import messages as msg


def body_info(figure: Figure, id: int) -> msg.BodyInfo:
    """What the page needs for a figure's centre of mass, its support and its shapes; ``id`` is
    that of its FigureInfo."""
    masses = [
        msg.MassInfo(figure.index(name), inertia.mass, inertia.center)
        for name, inertia in figure.inertias.items()
        if inertia.mass > 0.0
    ]
    soles = [
        msg.SoleInfo(k, [msg.PointInfo(j, (x, y, z)) for j, (x, y, z) in _points(figure, name)])
        for k, name in enumerate(figure.joints)
        if masses
    ]
    feet = [figure.index(joint) for joint in feet_of(figure)]
    shapes = [_shape(shape, figure) for shape in figure.shapes]
    return msg.BodyInfo(id, feet, masses, soles, shapes)


def _points(figure: Figure, joint: str) -> list[tuple[int, list[float]]]:
    return [(j, point.tolist()) for j, point in contact_points(figure, [joint], "sole")]


def _shape(shape: Shape, figure: Figure) -> msg.ShapeInfo:
    joint, center = figure.index(shape.joint), shape.center
    if isinstance(shape, Sphere):
        sizes = (shape.radius, shape.radius, shape.radius)
        return msg.ShapeInfo("sphere", joint, center, (1.0, 0.0, 0.0, 0.0), sizes)
    if isinstance(shape, Box):
        return msg.ShapeInfo("box", joint, center, shape.wxyz, shape.half_sizes)
    kind = "capsule" if isinstance(shape, Capsule) else "cylinder"
    return msg.ShapeInfo(kind, joint, center, shape.wxyz, (shape.radius, shape.half_length, 0.0))

"""Where props are, and the simple shapes that they are made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.figure.collision.shapes import Box, Shape, Sphere
from limbik.figure.figure import Figure
from limbik.maths.so3 import matrix_to_quat, quat_to_matrix
from limbik.poser.document.effector import Vec3, Vec4, as_vec3, as_vec4
from limbik.poser.document.prop import Hold, Prop

SEAT, LEG, BACK = 0.06, 0.1, 0.08
"""Of a chair: the seat's thickness as a part of its height, legs and back as a part of its
width and depth."""

SEAT_AT = 0.5
"""How high the top of a chair's seat is, as a part of its height."""


class PropPart(NamedTuple):
    """A box or a ball in a prop's frame; ``half`` are half its edges (a ball has three radii)."""

    ball: bool
    center: Vec3
    half: Vec3


def parts_of(prop: Prop) -> list[PropPart]:
    """What a prop is made of; a mesh counts as the box around it."""
    x, y, z = prop.size
    if prop.kind == "ball":
        radius = 0.5 * min(prop.size)
        return [PropPart(True, (0.0, 0.0, 0.0), (radius, radius, radius))]
    if prop.kind != "chair":
        return [PropPart(False, (0.0, 0.0, 0.0), (0.5 * x, 0.5 * y, 0.5 * z))]
    top, thick = y * (SEAT_AT - 0.5), SEAT * y
    leg = (0.5 * LEG * x, 0.5 * (SEAT_AT * y - thick), 0.5 * LEG * z)
    deep = 0.5 * BACK * z
    out = [
        PropPart(False, (0.0, top - 0.5 * thick, 0.0), (0.5 * x, 0.5 * thick, 0.5 * z)),
        PropPart(False, (0.0, 0.5 * (top + 0.5 * y), deep - 0.5 * z), (0.5 * x, 0.25 * y, deep)),
    ]
    for right in (-1.0, 1.0):
        for front in (-1.0, 1.0):
            place = (right * (0.5 * x - leg[0]), leg[1] - 0.5 * y, front * (0.5 * z - leg[2]))
            out.append(PropPart(False, place, leg))
    return out


def shapes_of(prop: Prop, place: np.ndarray) -> list[Shape]:
    """The shapes of a prop in the world, where it is at ``place`` (4, 4)."""
    out: list[Shape] = []
    wxyz = as_vec4(matrix_to_quat(place[:3, :3]))
    for part in parts_of(prop):
        center = as_vec3(place[:3, :3] @ np.array(part.center) + place[:3, 3])
        if part.ball:
            out.append(Sphere(part.half[0], center, name=prop.name))
        else:
            out.append(Box(part.half, center, wxyz, name=prop.name))
    return out


def frame_of(position: Vec3, wxyz: Vec4) -> np.ndarray:
    """(4, 4) the transform of a position and a rotation."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = quat_to_matrix(np.array(wxyz)), position
    return out


def position_of(frame: np.ndarray) -> Vec3:
    """The position of a transform (4, 4)."""
    return as_vec3(frame[:3, 3])


def wxyz_of(frame: np.ndarray) -> Vec4:
    """The rotation of a transform (4, 4)."""
    return as_vec4(matrix_to_quat(frame[:3, :3]))


def inverse(frame: np.ndarray) -> np.ndarray:
    """The inverse of a rigid transform (4, 4)."""
    out = np.eye(4)
    out[:3, :3] = frame[:3, :3].T
    out[:3, 3] = -out[:3, :3] @ frame[:3, 3]
    return out


def hold_frame(hold: Hold) -> np.ndarray:
    """(4, 4) where the joint that holds is in the prop's frame."""
    return frame_of(hold.position, hold.wxyz)


def place_of(prop: Prop, figure: Figure, frames: np.ndarray) -> np.ndarray:
    """(4, 4) where a prop is, for the frames (joints, 4, 4) of a pose."""
    if not prop.holds:
        return frame_of(prop.position, prop.wxyz)
    first = prop.holds[0]
    return frames[figure.index(first.joint)] @ inverse(hold_frame(first))


def surface_point(prop: Prop, place: np.ndarray, point: np.ndarray) -> np.ndarray:
    """(3,) the point of a prop's surface nearest to a point outside it (that point itself where
    it lies inside), both in the world."""
    local = place[:3, :3].T @ (point - place[:3, 3])
    best, least = local, np.inf
    for part in parts_of(prop):
        center, half = np.array(part.center), np.array(part.half)
        away = local - center
        if part.ball:
            length = float(np.linalg.norm(away))
            near = center + away * min(1.0, half[0] / max(length, 1e-12))
        else:
            near = center + np.clip(away, -half, half)
        distance = float(np.linalg.norm(near - local))
        if distance < least:
            best, least = near, distance
    return place[:3, :3] @ best + place[:3, 3]

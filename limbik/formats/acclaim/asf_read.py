"""ASF skeletons (Acclaim, as CMU's motion capture library has them) into figures.

A bone runs from its parent's end along ``direction`` for ``length``; ``axis`` is the rotation C
from the world to the axes its degrees of freedom turn about.  ``axis 0 0 20 XYZ`` is C = Rz·Ry·Rx:
the first letter turns first.  The same holds for ``dof rx ry rz``, whose turns make M = Rz·Ry·Rx;
the bone turns by C·M·C⁻¹ against its parent.  Here a joint sits at the start of its bone, has the
bone's name, and its frame includes C: so it turns about plain axes, and C⁻¹ goes into its children.

Lengths stay as the file has them.  (CMU's files say ``length 0.45``: a value divided by that is in
inches.)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Part, Slide, Turn, Vector, unit_axis
from limbik.figure.limits import Range
from limbik.formats.acclaim.asf_sections import Bone, Skeleton, axis_of, read_skeleton, slides
from limbik.formats.rest_pose import warn_of_moved
from limbik.maths.quaternions import quat_conjugate, quat_multiply, quat_rotate


def read_figure(path: Path) -> Figure:
    """The figure of an ASF file, with its limits; at rest in its zero pose."""
    return figure_of(read_skeleton(path), path)


def figure_of(skeleton: Skeleton, path: Path) -> Figure:
    """A skeleton as a figure; a zero pose outside the limits is projected, and that is said."""
    joints: list[Joint] = []
    bones = skeleton.bones
    leaves = set(bones) - {bone.parent for bone in bones.values()}
    for bone in bones.values():
        parts, turn = [], bone.turn
        for k in bone.in_q:
            axis = axis_of(bone.dof[k])
            if slides(bone.dof[k]):
                # Slides go along the parent's axes; the joint's frame is turned by C already.
                along = quat_rotate(quat_conjugate(turn), np.eye(3)[axis])
                parts.append(Slide(unit_axis(along), "t" + "xyz"[axis]))
            else:
                parts.append(Turn(unit_axis("xyz"[axis])))
        joints.append(_joint(bone, bones, turn, tuple(parts), bone.name in leaves))
    try:
        figure = Figure(joints, name=path.stem, source=skeleton)
    except FigureError as error:
        raise FormatError(str(error), path) from error
    warn_of_moved(figure, 0.0, "the zero pose", path)
    return figure


def _joint(
    bone: Bone, bones: dict[str, Bone], turn: np.ndarray, parts: tuple[Part, ...], leaf: bool
) -> Joint:
    offset, fixed = np.array(bone.direction if bone.parent is None else (0.0, 0.0, 0.0)), turn
    if bone.parent is not None:
        above = bones[bone.parent]
        back = quat_conjugate(above.turn)
        fixed = quat_multiply(back, turn)
        if above.parent is not None:
            offset = quat_rotate(back, above.length * np.array(above.direction))
    tip = quat_rotate(quat_conjugate(turn), bone.length * np.array(bone.direction))
    limit = None
    if bone.limits:
        low, high = np.array([bone.limits[k] for k in bone.in_q]).T
        limit = Range(low, high, degrees=False)
    return Joint(
        bone.name,
        bone.parent,
        parts,
        _vector(offset),
        tuple(float(v) for v in fixed),  # type: ignore[arg-type]
        limit,
        _vector(tip) if leaf and bone.parent is not None and bone.length > 0.0 else None,
    )


def _vector(values: np.ndarray) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))

"""A figure and its limits, for the page to draw: FigureInfo and Limit of the messages.

The placement of a joint is given completely, so that the page can find the frame in which each of
its parts turns, and with it where a limit's arc or cone belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from limbik.errors import FigureError
from limbik.figure import joints as jt
from limbik.figure.appearance.capsules import capsules
from limbik.figure.coordinates import ball_of
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Slide, SwingTwistBall, Turn
from limbik.figure.limits import Range
from limbik.humanoid import recognise
from limbik.poser.document.effector import Vec3, Vec4
from limbik.poser.document.figure_codec import limit_from_json, limit_to_json
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.joint_axes import NAMES, joint_axes, limb_joints
from limbik.poser.protocol.text import ProtocolError

_SAME_AXIS = 0.6  # cosine: an axis of a part this near to an anatomical one has its name


def figure_info(
    figure: Figure,
    *,
    id: int,
    up: Literal["x", "y", "z"],
    floor: float,
    file: str = "",
    builtin: str = "",
    clips: Iterable[str] = (),
    mesh: bool = False,
    mirrors: bool = False,
    poses: np.ndarray | None = None,
    own: Figure | None = None,
) -> msg.FigureInfo:
    """All that the page needs to draw a figure; the arguments are what the figure cannot know.

    ``up`` is the axis that is up, ``floor`` the height of the floor along it in the figure's unit,
    ``mesh`` whether there are meshes to fetch, ``mirrors`` whether its poses can be mirrored;
    ``poses`` (frames, n) are those of a clip of the figure ``own``, which has the same joints.
    """
    body = recognise(figure)
    roles = body.roles
    return msg.FigureInfo(
        id=id,
        name=figure.name,
        unit=figure.unit,
        up=up,
        size=float(figure.size),
        floor=float(floor),
        joints=_joints(
            figure,
            {joint: role for role, joint in roles.items()},
            joint_axes(figure if own is None else own, body, poses),
        ),
        coordinates=[
            msg.CoordinateInfo(name, int(owner), bool(slides), float(rest))
            for name, owner, slides, rest in zip(
                figure.coordinates, figure.owner, figure.slides, figure.rest, strict=True
            )
        ],
        bones=_bones(figure, roles),
        mesh=mesh,
        clips=list(clips),
        file=file,
        builtin=builtin,
        mirrors=mirrors,
        limbs=[
            msg.LimbInfo(name, [figure.index(joint) for joint in joints])
            for name, joints in limb_joints(figure, body).items()
        ],
    )


def _joints(
    figure: Figure, roles: Mapping[str, str], axes: Mapping[int, np.ndarray]
) -> list[msg.JointInfo]:
    out = []
    for i, joint in enumerate(figure.definition):
        turn = np.array(joint.wxyz, float)
        first, last = np.searchsorted(figure.owner, [i, i + 1]).tolist()
        out.append(
            msg.JointInfo(
                name=joint.name,
                parent=int(figure.parents[i]),
                kind=joint.kind,
                role=_words(roles.get(joint.name, "")),
                first=first,
                count=last - first,
                offset=_vec3(joint.offset),
                wxyz=_vec4(turn / np.linalg.norm(turn)),
                parts=_parts(figure, i),
                axes=_axes(figure, i, axes.get(i)),
            )
        )
    return out


def _axes(figure: Figure, i: int, anatomical: np.ndarray | None) -> list[msg.TurnAxis]:
    """The axes that a joint is turned about: the anatomical ones (3, 3) of a ball or its own, and
    the parts' of a joint that turns in fewer ways, by the names of the nearest."""
    joint = figure.definition[i]
    turning = [
        (k, part)
        for k, part in enumerate(joint.parts)
        if isinstance(part, Turn) and not part.slides
    ]
    if ball_of(joint) is not None:
        axes = np.eye(3) if anatomical is None else anatomical
        names = "xyz" if anatomical is None else NAMES
        return [msg.TurnAxis(name, _vec3(axes[:, k]), -1) for k, name in enumerate(names)]
    out: list[msg.TurnAxis] = []
    for k, part in turning:
        if part.coupled is not None:
            continue
        axis = np.array(part.axis, float) / np.linalg.norm(part.axis)
        name = part.labels[0]
        if anatomical is not None:
            # In T-pose, or near it, the parts' axes are those of the joint's own frame.
            near = np.abs(axis @ anatomical)
            free = [c for c in np.argsort(-near) if NAMES[c] not in {one.name for one in out}]
            name = NAMES[free[0]] if free and near[free[0]] > _SAME_AXIS else name
        out.append(msg.TurnAxis(name, _vec3(axis), k))
    return out


def _parts(figure: Figure, i: int) -> list[msg.Part]:
    """The moving parts of a joint."""
    out: list[msg.Part] = []
    slots = iter(figure.tree.slots_of[i])
    for part in figure.definition[i].parts:
        first, *_ = [figure.tree.slots[next(slots)] for _ in part.labels]
        if isinstance(part, Turn | Slide):
            axis = np.array(part.axis, float)
            make = msg.SlidePart if part.slides else msg.TurnPart
            out.append(
                make(
                    axis=_vec3(axis / np.linalg.norm(axis)),
                    coordinate=first.coordinate if part.coupled is None else -1,
                    scale=float(first.scale),
                    shift=float(first.shift),
                    driver=first.coordinate,
                )
            )
        else:
            ball = isinstance(part, SwingTwistBall)
            make = msg.SwingTwistPart if ball else msg.ExponentialPart
            out.append(make(first.coordinate, _vec3(part.twist), _vec3(part.swing)))
    return out


def _bones(figure: Figure, roles: Mapping[str, str]) -> list[msg.Bone]:
    """The capsules that are drawn where there is no mesh, each in the frame of its joint."""
    owner, start, end, radius = capsules(figure, roles)
    turns = figure.frames(figure.rest)[owner, :3, :3]
    along = np.einsum("bji,bj->bi", turns, end - start)
    return [
        msg.Bone(joint=int(joint), start=(0.0, 0.0, 0.0), end=_vec3(to), radius=float(thick))
        for joint, to, thick in zip(owner, along, radius, strict=True)
    ]


def _words(role: str) -> str:
    """ "leftUpperArm" -> "left upper arm"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", role).lower()


def _vec3(values: Sequence[float] | np.ndarray) -> Vec3:
    x, y, z = map(float, values)
    return x, y, z


def _vec4(values: Sequence[float] | np.ndarray) -> Vec4:
    w, x, y, z = map(float, values)
    return w, x, y, z


# ---- limits -------------------------------------------------------------------------------------


def limits_info(figure: Figure) -> list[msg.Limit | None]:
    """The limit of every joint."""
    return [limit_info(joint) for joint in figure.definition]


def limit_info(joint: Joint) -> msg.Limit | None:
    """A joint's limit: a range for each of its own coordinates, or a cone; None without one.

    Radians and the figure's unit; None in the place of a number is "no end".
    """
    limit = joint.limit
    if isinstance(limit, Range):
        own = _own(joint)
        lower, upper = (np.broadcast_to(end, own.shape)[own] for end in (limit.lower, limit.upper))
        bounded = np.isfinite(lower).any() or np.isfinite(upper).any()
        limit = Range(lower, upper, degrees=False) if bounded else None
    return msgspec.convert(limit_to_json(limit), msg.Limit | None)


def limit_from(joint: Joint, limit: msg.Limit | None) -> jt.Limit | None:
    """What ``limit_info`` gives, the other way: a limit for this joint.

    Parts that follow other coordinates keep the ranges they have.  A range for another number of
    coordinates raises ProtocolError; a limit that cannot be (lower above upper) FigureError.
    """
    own = _own(joint)
    if isinstance(limit, msg.RangeLimit):
        if not own.any():
            raise FigureError(f'"{joint.name}" has no coordinates of its own to limit')
        if not len(limit.lower) == len(limit.upper) == own.sum():
            raise ProtocolError(f'the limit of "{joint.name}" is for another number of coordinates')
    given = limit_from_json(None if limit is None else msgspec.to_builtins(limit))
    if not isinstance(given, Range):
        return given
    lower, upper = np.full(len(own), -np.inf), np.full(len(own), np.inf)
    if isinstance(joint.limit, Range):
        lower[:], upper[:] = joint.limit.lower, joint.limit.upper
    lower[own], upper[own] = given.lower, given.upper
    return Range(lower, upper, degrees=False)


def _own(joint: Joint) -> np.ndarray:
    """(slots,) True for those of a joint's moving directions that are entries of q."""
    return np.array([part.coupled is None for part in joint.parts for _ in part.labels], bool)

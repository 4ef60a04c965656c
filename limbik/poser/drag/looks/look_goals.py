"""Looks that are tied to something: aims whose target is a joint, a prop or the camera."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Aim
from limbik.humanoid import Body
from limbik.poser.document.document import Document
from limbik.poser.document.effector import Effector, Vec3
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.prop import Prop
from limbik.poser.drag.prop_shapes import hold_frame, inverse, place_of, position_of

BEFORE_THE_EYES = 0.35
"""How far in front of a joint its aim's target appears, in sizes of the figure."""

_HEAD = 0.12  # of the figure's size: no head is taller


def look_goals(document: Document) -> tuple[KeptGoal, ...]:
    """The goals of aims that are tied to a joint or a prop, by the ids of their effectors."""
    tied = _tied(document)
    return _goals(tied, document.scene.props) if tied else ()


def _tied(document: Document) -> tuple[Effector, ...]:
    return tuple(one for one in document.effectors if one.tied and one.joint not in document.fk)


@lru_cache(maxsize=16)
def _goals(tied: tuple[Effector, ...], props: tuple[Prop, ...]) -> tuple[KeptGoal, ...]:
    out: list[KeptGoal] = []
    for effector in tied:
        kind, _, name = effector.look.partition(":")
        prop = next((one for one in props if str(one.id) == name), None)
        target: str | Vec3 = effector.position
        offset: Vec3 = (0.0, 0.0, 0.0)
        if kind == "joint":
            target = name
        elif prop is not None and prop.holds:
            target, offset = prop.holds[0].joint, position_of(inverse(hold_frame(prop.holds[0])))
        elif prop is not None:
            target = prop.position
        if target == effector.joint:  # nobody looks at what the eyes carry
            target, offset = effector.position, (0.0, 0.0, 0.0)
        aim = Aim(
            effector.joint,
            axis=effector.axis,
            target=target,
            at=effector.at,
            weight=effector.weight,
            target_at=offset,
        )
        out.append(KeptGoal.of(effector.id, aim))
    return tuple(out)


def looked_at(figure: Figure, document: Document, effector: Effector) -> Vec3:
    """Where the target of an aim is in the document's pose."""
    kind, _, name = effector.look.partition(":")
    if kind == "joint" and name in figure.joints:
        x, y, z = figure.positions(document.q)[figure.index(name)].tolist()
        return x, y, z
    prop = next((one for one in document.scene.props if str(one.id) == name), None)
    if kind == "prop" and prop is not None:
        return position_of(place_of(prop, figure, figure.frames(document.q)))
    return effector.position


def eyes(figure: Figure, body: Body, joint: str, ahead: Vec3) -> Vec3:
    """The point between the eyes in the frame of the head; the joint's origin for other joints.

    Where the figure has no joints for the eyes, they are taken to be half way up the head.
    ``ahead`` is the direction of the look in the joint's frame.
    """
    if body.role_of(joint) != "head":
        return 0.0, 0.0, 0.0
    frames, at = figure.frames(figure.rest), figure.index(joint)
    found = [figure.index(body[role]) for role in ("leftEye", "rightEye") if role in body]
    if len(found) == 2:
        middle = frames[found, :3, 3].mean(axis=0) - frames[at, :3, 3]
        x, y, z = (frames[at, :3, :3].T @ middle).tolist()
        return x, y, z
    bone = figure.bone(at)
    length = float(np.linalg.norm(bone))
    tall = min(length, _HEAD * figure.size)
    x, y, z = (0.5 * tall / length * bone + 0.4 * tall * np.array(ahead)).tolist()
    return x, y, z

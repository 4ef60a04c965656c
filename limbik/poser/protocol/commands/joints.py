"""Joints: locked, turned one by one, and limbs that are only turned that way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from limbik.errors import LimbikError
from limbik.poser.document.effector import Vec4
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.joint_axes import limb_joints

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session


def _label(session: Session, arguments: dict[str, Any]) -> str:
    return f"{'Lock' if arguments['on'] else 'Unlock'} {session.joint(arguments['joint'])}"


@command("lock", _label)
def lock(session: Session, joint: int, on: bool) -> Reply:
    """A locked joint keeps its values while others are solved for."""
    name = session.joint(joint)
    kept = tuple(other for other in session.document.locked if other != name)
    session.document = replace(session.document, locked=(*kept, name) if on else kept)
    return None


@command("coordinate.set")
def set_coordinate(session: Session, coordinate: int, value: float) -> Reply:
    """Move one coordinate; values outside its limits go to the nearest inside.

    What is pinned stays put as well as the other joints allow.  Until ``coordinates.drop`` it is
    all one step of the history.
    """
    session.coordinate(coordinate)
    session.slide(coordinate, value)
    return None


@command("joint.turn")
def turn_joint(session: Session, joint: int, wxyz: Vec4) -> Reply:
    """Turn a joint to an orientation in the world, as near as its limits allow.

    Joints below it go along; what is pinned stays put as well as the other joints allow.  Until
    ``coordinates.drop`` it is all one step of the history.
    """
    length = math.hypot(*wxyz)
    if not 1e-9 < length < math.inf:
        raise LimbikError(f"The turn of {session.joint(joint)} has no direction.")
    w, x, y, z = (value / length for value in wxyz)
    session.turn(session.joint(joint), (w, x, y, z))
    return None


def _limb(session: Session, joint: int) -> tuple[str, tuple[str, ...]]:
    """(name, joints) of the limb that a joint belongs to."""
    name = session.joint(joint)
    body = session.figure_cache.body(session.document.source)
    for limb, joints in limb_joints(session.figure, body).items():
        if name in joints:
            return limb, joints
    raise LimbikError(f"{name} is no part of an arm or a leg.")


@command(
    "limb.fk",
    lambda session, given: (
        f"{'Turn' if given['on'] else 'Solve'} the {_limb(session, given['joint'])[0]} "
        f"{'joint by joint' if given['on'] else 'as a whole'}"
    ),
)
def set_fk(session: Session, joint: int, on: bool) -> Reply:
    """A limb that is turned joint by joint (FK) keeps its values while others are solved for, and
    its pins ask for nothing; back to IK, they hold where they then are."""
    _, joints = _limb(session, joint)
    document = session.document
    others = tuple(name for name in document.fk if name not in joints)
    own = [effector for effector in document.effectors if effector.joint in joints]
    placed = {e.id: e for e in anchored(session.figure, own, document.q)}
    session.document = replace(
        document,
        fk=(*others, *joints) if on else others,
        effectors=tuple(placed.get(effector.id, effector) for effector in document.effectors),
    )
    return None


@command("coordinates.drop")
def drop_coordinates(session: Session) -> Reply:
    """A slider was let go."""
    session.drop()
    return None

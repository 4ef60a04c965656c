"""Poses: reset, mirrored, stored and recalled, set as numbers or from a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from limbik.errors import LimbikError
from limbik.poser.document.coordinate_change import across
from limbik.poser.document.document import StoredPose
from limbik.poser.files.natural_limits import BODY
from limbik.poser.files.pose_file import read_pose
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

MOST = 200
LONGEST_NAME = 100


@command("pose.reset", "Reset the pose")
def reset(session: Session) -> Reply:
    """The rest pose; what is pinned is pinned where it is there."""
    session.pose(session.figure.rest)
    return None


@command("pose.mirror", "Mirror the pose")
def mirror(session: Session) -> Reply:
    """Left and right exchanged, of the pose, of what is pinned and aimed, and of the locks."""
    document = session.document
    reflect = session.figure_cache.mirror(document)
    if reflect is None:
        raise LimbikError("This figure has no left and right that could be told apart.")
    q = reflect.pose(document.q)
    session.document = replace(
        document,
        effectors=reflect.effectors(document.effectors, document.q),
        locked=reflect.joints(document.locked),
        fk=reflect.joints(document.fk),
    )
    session.pose(q, anchor=False)
    return None


@command("pose.set", "Set the pose")
def set_pose(session: Session, q: list[float]) -> Reply:
    """The pose by its numbers, brought inside the limits."""
    session.pose(session.figure.single_pose(q))
    return None


@command("pose.load", "Load a pose")
def load(session: Session, pose: dict[str, Any]) -> Reply:
    """The pose of a saved JSON file, with the effectors that it was saved with."""
    figure = session.figure
    if session.document.balls == BODY:
        own = session.opened.figure
        q, effectors = read_pose(pose, own)
        q = figure.project(across(own, figure, q[None])[0])
    else:
        q, effectors = read_pose(pose, figure)
    if effectors:
        document = session.document
        next_id = max(document.next_id, *(effector.id + 1 for effector in effectors))
        # Goals without an effector give way: no two things have the same id.
        goals = tuple(replace(kept, id=next_id + k) for k, kept in enumerate(document.goals))
        session.document = replace(
            document, effectors=effectors, goals=goals, next_id=next_id + len(goals)
        )
    session.pose(q, anchor=not effectors)
    return None


@command("pose.store", "Store a pose")
def store(session: Session, name: str) -> Reply:
    """Put the pose aside under a name; replies with its id."""
    document = session.document
    if len(document.poses) >= MOST:
        raise LimbikError(f"There are {MOST} stored poses, and there is no room for more.")
    new = StoredPose(document.next_id, _name(name, len(document.poses) + 1), document.q)
    session.document = replace(document, poses=(*document.poses, new), next_id=document.next_id + 1)
    return {"pose": new.id}


@command("pose.recall", lambda session, given: f"Recall {_stored(session, given['pose']).name}")
def recall(session: Session, pose: int) -> Reply:
    """Take a stored pose."""
    session.pose(_stored(session, pose).q)
    return None


@command("pose.rename", lambda session, given: f"Rename {_stored(session, given['pose']).name}")
def rename(session: Session, pose: int, name: str) -> Reply:
    """Another name for a stored pose."""
    old = _stored(session, pose)
    new = replace(old, name=_name(name, 1))
    poses = tuple(new if other is old else other for other in session.document.poses)
    session.document = replace(session.document, poses=poses)
    return None


@command("pose.delete", lambda session, given: f"Delete {_stored(session, given['pose']).name}")
def delete(session: Session, pose: int) -> Reply:
    """Forget a stored pose."""
    old = _stored(session, pose)
    poses = tuple(other for other in session.document.poses if other is not old)
    session.document = replace(session.document, poses=poses)
    return None


def _stored(session: Session, id: int) -> StoredPose:
    for pose in session.document.poses:
        if pose.id == id:
            return pose
    raise LimbikError("That pose is not stored any more.")


def _name(name: str, number: int) -> str:
    plain = " ".join(name.split())
    if len(plain) > LONGEST_NAME:
        raise LimbikError(f"A name has at most {LONGEST_NAME} letters.")
    return plain or f"Pose {number}"

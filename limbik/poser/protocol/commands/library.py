"""The pose library on disk: poses of all figures, listed, stored with a picture, taken, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbik.errors import LimbikError
from limbik.humanoid.ground import sampled
from limbik.poser.files.pose_library import PoseLibrary
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.text import text

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

_MOST_PIECES = 14


@command("library.list")
def list_poses(session: Session) -> Reply:
    """Tell the page what is in the library."""
    _send_library(session)
    return None


@command("library.store")
def store(session: Session, name: str, picture: list[str]) -> Reply:
    """Store the pose at hand; ``picture`` is a data URL in pieces, or nothing."""
    if len(picture) > _MOST_PIECES:
        raise LimbikError("The picture of the pose is too large.")
    _library(session).add(
        name,
        session.figure,
        session.document.q,
        session.figure_cache.body(session.document.source),
        poses=_poses(session),
        picture="".join(picture),
    )
    _send_library(session)
    return None


@command("library.take", lambda session, given: f"Pose {_library(session).get(given['pose']).name}")
def take(session: Session, pose: str, flipped: bool = False, joint: int = -1) -> Reply:
    """Put the figure into a pose of the library: exactly where it was stored from this figure, by
    roles where it is another body's.  ``flipped`` exchanges left and right; with the index of a
    ``joint`` only it and what hangs on it take the pose."""
    figure, before = session.figure, session.document.q
    body = session.figure_cache.body(session.document.source)
    entry = _library(session).get(pose)
    q = entry.onto(figure, body, before, _poses(session))
    if flipped:
        mirror = session.figure_cache.mirror(session.document)
        if mirror is None:
            raise LimbikError("This figure has no left and right that could be told apart.")
        q = mirror.pose(q)
    if joint >= 0:
        session.joint(joint)  # refused by name where there is none
        part = np.zeros(len(figure.joints), bool)
        for i, parent in enumerate(figure.parents.tolist()):  # parents come before children
            part[i] = i == joint or (parent >= 0 and part[parent])
        q = np.where(part[figure.owner], q, before)
    session.pose(q)
    return None


@command("library.rename")
def rename(session: Session, pose: str, name: str) -> Reply:
    """Another name for a pose of the library."""
    _library(session).rename(pose, name)
    _send_library(session)
    return None


@command("library.delete")
def delete(session: Session, pose: str) -> Reply:
    """Take a pose out of the library."""
    _library(session).delete(pose)
    _send_library(session)
    return None


def _library(session: Session) -> PoseLibrary:
    if session.library is None:
        raise LimbikError("This session has no pose library.")
    return session.library


def _poses(session: Session) -> np.ndarray | None:
    """Some poses of the clip, which tell how a body stands whose rest pose does not."""
    clip = session.document.timeline.clip
    return None if clip is None else sampled(session.figure, clip.q)


def _send_library(session: Session) -> None:
    figure, body = session.figure, session.figure_cache.body(session.document.source)
    poses = [
        msg.LibraryPose(
            entry.id, entry.name, entry.figure, bool(entry.picture), entry.fit(figure, body)
        )
        for entry in _library(session).entries()
    ]
    session.also(text(msg.LibraryMessage(poses)))

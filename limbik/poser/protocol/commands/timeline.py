"""Commands of the timeline: its settings, its keys, its clip, and frames for onion skins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.errors import LimbikError
from limbik.poser.animation.keying import keyed
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.document.timeline.unkeyed import without
from limbik.poser.protocol.binary import MOST_ASKED_FRAMES, frames_message
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.text import ProtocolError

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

_CHANGES = {
    "fps": "Change the frame rate",
    "frames": "Change the length",
    "loop": "Change looping",
    "span": "Change the blend of edits",
    "ease": "Change the ease",
    "auto_key": "Change auto-key",
}


def _settings_label(session: Session, arguments: dict[str, Any]) -> str:
    named = [_CHANGES[name] for name in arguments]
    return named[0] if len(named) == 1 else "Change the timeline"


def _keys_label(verb: str) -> Any:
    def label(session: Session, arguments: dict[str, Any]) -> str:
        count = len(set(arguments["keys"]))
        return f"{verb} a key" if count == 1 else f"{verb} {count} keys"

    return label


def _replace(session: Session, timeline: Timeline) -> None:
    """Take another timeline, and the pose that it has at the frame that is looked at."""
    session.document = replace(session.document, timeline=timeline)
    session.show(session.document.frame)


@command("timeline.set", _settings_label, merges=True)
def set_timeline(
    session: Session,
    fps: float | None = None,
    frames: int | None = None,
    loop: bool | None = None,
    span: int | None = None,
    ease: str | None = None,
    auto_key: bool | None = None,
) -> Reply:
    """Frames a second, number of frames, looping, span of edits to come, ease between keys, and
    whether poses that are changed by hand become keys."""
    old = session.document.timeline
    new = old.with_settings(
        fps=fps, frames=frames, loop=loop, span=span, ease=ease, auto_key=auto_key
    )
    if new.ease != old.ease or new.frames != old.frames:
        _replace(session, new)
    else:
        session.document = replace(session.document, timeline=new)
    return None


@command("key.insert", "Insert a key at frame {frame}")
def insert(session: Session, frame: int, pose: bool = True, goals: bool = True) -> Reply:
    """Key the pose and the goals of now at a frame; a key that is there already is replaced."""
    if not (pose or goals):
        raise LimbikError("A key needs a pose or goals.")
    document = session.document
    timeline = keyed(
        session.figure, document.timeline, frame, document.q, document.effectors, pose, goals
    )
    unkeyed = without(document.unkeyed, frame)
    session.document = replace(document, timeline=timeline, unkeyed=unkeyed)
    made = timeline.key_at(frame)
    return None if made is None else {"key": made.id}


@command("unkeyed.drop", "Drop the unkeyed pose at frame {frame}")
def drop_unkeyed(session: Session, frame: int) -> Reply:
    """Give up the pose of a frame that was not keyed; the frame shows what its keys say."""
    document = session.document
    if all(one.frame != frame for one in document.unkeyed):
        raise LimbikError(f"Frame {frame} has no unkeyed pose.")
    session.document = replace(document, unkeyed=without(document.unkeyed, frame))
    session.show(document.frame)
    return None


@command("key.move", _keys_label("Move"))
def move(session: Session, keys: list[int], by: int) -> Reply:
    """Move keys so many frames; a key that they land on is replaced."""
    _replace(session, session.document.timeline.moved(keys, by))
    return None


@command("key.copy", _keys_label("Copy"))
def copy(session: Session, keys: list[int], by: int) -> Reply:
    """Copy keys so many frames away; a key that they land on is replaced."""
    before = session.document.timeline
    after = before.copied(keys, by)
    _replace(session, after)
    return {"keys": [key.id for key in after.keys if key.id >= before.next_id]}


@command("key.delete", _keys_label("Delete"))
def delete(session: Session, keys: list[int]) -> Reply:
    """Delete keys."""
    _replace(session, session.document.timeline.without(keys))
    return None


@command("key.set", "Change a key")
def set_key(
    session: Session, key: int, pose: bool | None = None, goals: bool | None = None
) -> Reply:
    """Give a key a pose or goals, as they are at its frame, or take them away."""
    document, figure = session.document, session.figure
    timeline = document.timeline
    old = timeline.key(key)
    has_pose = old.pose is not None if pose is None else pose
    has_goals = old.goals is not None if goals is None else goals
    if not (has_pose or has_goals):
        raise LimbikError("A key needs a pose or goals; delete it instead.")
    new = replace(old, pose=old.pose if has_pose else None, goals=old.goals if has_goals else None)
    if (has_pose and old.pose is None) or (has_goals and old.goals is None):
        here = _shown_at(session, old.frame)
        fresh = keyed(figure, timeline, old.frame, here.q, here.effectors).key(key)
        new = replace(
            new,
            pose=fresh.pose if has_pose and old.pose is None else new.pose,
            goals=fresh.goals if has_goals and old.goals is None else new.goals,
        )
    session.document = document
    _replace(session, timeline.with_key(new))
    return None


def _shown_at(session: Session, frame: int) -> Any:
    """The document as it is when the timeline stands at a frame; the session is left there."""
    if session.document.frame != frame:
        session.show(float(frame))
    return session.document


@command("clip.remove", "Remove the clip")
def remove_clip(session: Session) -> Reply:
    """Take the clip away, and its edits; the pose stays."""
    timeline = session.document.timeline
    if timeline.clip is None:
        raise LimbikError("There is no clip to remove.")
    session.document = replace(session.document, timeline=timeline.without_clip())
    return None


@command("frames")
def frames(session: Session, frames: list[float]) -> Reply:
    """Poses of the timeline at some frames, which follow the reply as one binary message."""
    if len(frames) > MOST_ASKED_FRAMES:
        raise ProtocolError(f"frames: at most {MOST_ASKED_FRAMES} at once")
    poses = session.poses_at(frames)
    session.also(frames_message(session.figure, poses, np.array(frames), session.command_id))
    return None

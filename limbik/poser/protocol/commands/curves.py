"""Curves: values and places over time, the ease of keys, and keys changed by their numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from limbik.errors import LimbikError
from limbik.poser.animation.flipped import flipped
from limbik.poser.animation.keying import keyed
from limbik.poser.document.timeline.ease import Handles, KeyEase, checked_handles
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.text import ProtocolError

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

MOST_SAMPLES = 512


@command("samples")
def samples(
    session: Session, frames: list[float], joints: list[int], coordinates: list[int]
) -> Reply:
    """At some frames: ``points`` has the places of joints (x, y, z of each), ``values`` those of
    coordinates."""
    if len(frames) > MOST_SAMPLES or len(joints) > 64 or len(coordinates) > 64:
        raise ProtocolError(f"samples: at most {MOST_SAMPLES} frames, 64 joints, 64 coordinates")
    names = [session.joint(joint) for joint in joints]
    for coordinate in coordinates:
        session.coordinate(coordinate)
    q = session.poses_at(frames)
    points = session.figure.positions(q, names) if names else np.zeros((len(q), 0, 3))
    return {
        "points": points.reshape(len(q), -1).round(6).tolist(),
        "values": q[:, coordinates].round(7).tolist(),
    }


def _use(session: Session, timeline: Timeline) -> None:
    session.document = replace(session.document, timeline=timeline)
    session.show(session.document.frame)


@command("key.ease", "Change the ease of keys", merges=True)
def set_ease(
    session: Session, keys: list[int], ease: KeyEase | None, handles: Handles | None = None
) -> Reply:
    """How poses go from these keys to the next ones; null as the timeline has it."""
    timeline = session.document.timeline
    for id in dict.fromkeys(keys):
        key = timeline.key(id)
        shaped = replace(key, ease=ease)
        if handles is not None:
            shaped = replace(shaped, handles=checked_handles(handles))
        timeline = timeline.with_key(shaped)
    _use(session, timeline)
    return None


@command("key.value", "Change a key", merges=True)
def set_value(session: Session, key: int, coordinate: int, value: float) -> Reply:
    """Another value of one coordinate in a key, inside the limits; what is pinned stays put."""
    document, figure = session.document, session.figure
    timeline = document.timeline
    old = timeline.key(key)
    session.coordinate(coordinate)
    q = session.poses_at([old.frame])[0]
    if timeline.clip is None and old.pose is not None:
        q = old.pose.copy()
    elif timeline.clip is None:
        raise LimbikError("This key holds no pose, only goals.")
    q[coordinate] = value
    q = figure.project(q)
    if timeline.clip is None:
        _use(session, timeline.with_key(replace(old, pose=q)))
        return None
    fresh = keyed(figure, timeline, old.frame, q, document.effectors, goals=False).key(key)
    kept = replace(old, pose=fresh.pose, goals=None)
    _use(session, timeline.with_key(kept))
    return None


@command("key.flip", "Paste keys flipped")
def flip(session: Session, keys: list[int], by: int) -> Reply:
    """Copies of keys so many frames away, with left and right exchanged; ``by`` may be 0, which
    flips the keys themselves."""
    document = session.document
    mirror = session.figure_cache.mirror(document)
    if mirror is None:
        raise LimbikError("This figure has no left and right that could be told apart.")
    before = document.timeline
    after = before if by == 0 else before.copied(keys, by)
    made = set(keys) if by == 0 else {k.id for k in after.keys if k.id >= before.next_id}
    for key in [key for key in after.keys if key.id in made]:
        # A copy of an edit is a change of the clip where it came from.
        was = key if by == 0 else replace(key, frame=key.frame - by)
        new = flipped(was, session.figure, before, document.effectors, mirror)
        after = after.with_key(replace(new, frame=key.frame, id=key.id))
    _use(session, after)
    return {"keys": sorted(made)}


@command("symmetric")
def symmetric(session: Session, on: bool) -> Reply:
    """Whether dragging one side moves the other likewise."""
    if on and session.figure_cache.mirror(session.document) is None:
        raise LimbikError("This figure has no left and right that could be told apart.")
    session.symmetric = on
    session.changed()
    return None

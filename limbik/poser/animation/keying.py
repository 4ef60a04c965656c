"""Keying: the pose of the moment, and where the effectors are, put into the timeline."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from limbik.figure.figure import Figure
from limbik.poser.animation.clip_edits import Edits
from limbik.poser.animation.timeline_pose import where
from limbik.poser.document.effector import Effector
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import Timeline


def keyed(
    figure: Figure,
    timeline: Timeline,
    frame: int,
    q: np.ndarray,
    effectors: Sequence[Effector],
    pose: bool = True,
    goals: bool = True,
    *,
    dragged: Collection[int] = (),
) -> Timeline:
    """The timeline with a key at ``frame`` that holds the pose q (n,) and the goals of now.

    A key that is there already keeps its id.  Over a clip the key is an edit, the change that leads
    from the clip to q: pins and aims are in it, and of the free effectors those that were
    ``dragged`` (by their ids) now or in this key before.
    """
    there = timeline.key_at(frame)
    key = Key(there.id if there else timeline.next_id, frame, span=timeline.span)
    if there is not None:
        key = replace(key, ease=there.ease, handles=there.handles)
    places = figure.frames(q)
    if timeline.clip is None:
        targets = {e.id: _target(figure, places, e) for e in effectors}
        return timeline.with_key(
            replace(key, pose=q if pose else None, goals=targets if goals else None)
        )
    edits = Edits(figure, timeline, effectors)
    moved = {*dragged, *(there.goals or () if there else ())}
    targets = {
        e.id: edits.displacement(key, e, _target(figure, places, e))
        for e in effectors
        if e.mode != "free" or e.id in moved
    }
    change = edits.change(key, q) if pose else None
    return timeline.with_key(replace(key, pose=change, goals=targets if goals else None))


def _target(figure: Figure, frames: np.ndarray, effector: Effector) -> Target:
    """What an effector asks for now; a free one asks to be where it is."""
    if effector.mode != "free":
        return Target(effector.position, effector.wxyz, effector.mode)
    return where(figure, frames, effector, effector.wxyz)

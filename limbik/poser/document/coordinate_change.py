"""A document carried over to a figure with the same joints and other coordinates for its balls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from limbik.figure.coordinates import ball_of
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Rest
from limbik.poser.document.clip import Clip
from limbik.poser.document.document import Document
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.timeline.timeline import Timeline


def with_balls(figure: Figure, kind: str) -> Figure:
    """The figure with other coordinates for its balls, but for the root's.

    Swing and twist tell rotations apart up to half a turn, and a root must go all the way round.
    """
    keep = [joint.name for joint in figure.definition if joint.parent is None]
    return figure.with_balls(kind, keep=keep)


def carried(document: Document, here: Figure, there: Figure) -> Document:
    """The document of figure ``here`` with its poses, keys and clip in the coordinates of
    ``there``."""

    def pose(q: np.ndarray) -> np.ndarray:
        return across(here, there, q[None])[0]

    return replace(
        document,
        q=there.project(pose(document.q)),
        poses=tuple(replace(stored, q=_fixed(pose(stored.q))) for stored in document.poses),
        timeline=_timeline(document.timeline, here, there),
        unkeyed=tuple(replace(one, q=_fixed(pose(one.q))) for one in document.unkeyed),
        goals=tuple(_goal(kept, here, there) for kept in document.goals),
    )


def _goal(kept: KeptGoal, here: Figure, there: Figure) -> KeptGoal:
    """A goal that has numbers for coordinates, with those of ``there``."""
    if not isinstance(kept.goal, Rest):
        return kept
    rest = kept.goal
    if rest.pose is not None:
        pose = np.asarray(rest.pose, float)[None]
        rest = replace(rest, pose=across(here, there, pose)[0].tolist())
    if np.ndim(rest.weight):
        rest = replace(rest, weight=np.asarray(rest.weight)[_same_places(here, there)].tolist())
    return replace(kept, goal=rest)


def _timeline(timeline: Timeline, here: Figure, there: Figure) -> Timeline:
    clip = timeline.clip
    order = _same_places(here, there)
    keys = []
    for key in timeline.keys:
        if key.pose is not None:
            # Over a clip a key is a change; that of a ball is a rotation vector, whatever its
            # coordinates are.
            edits = clip is not None
            moved = key.pose[order] if edits else across(here, there, key.pose[None])[0]
            key = replace(key, pose=moved)
        keys.append(key)
    if clip is not None:
        clip = Clip(across(here, there, clip.q), clip.fps, clip.name)
    return replace(timeline, keys=tuple(keys), clip=clip)


def across(here: Figure, there: Figure, q: np.ndarray) -> np.ndarray:
    """(frames, n) the poses q (frames, n) of ``here`` in the coordinates of ``there``."""
    return Motion(here, q, 1.0).onto(there).q


def _same_places(here: Figure, there: Figure) -> np.ndarray:
    """(n,) for each coordinate of ``there`` the one of ``here`` that a change of it stands at."""
    order, first = [], 0
    for old, new in zip(here.definition, there.definition, strict=True):
        width = old.width
        before, after = ball_of(old), ball_of(new)
        places = list(range(first, first + width))
        if before is not None and after is not None:
            ball = places[before[1] : before[1] + 3]
            rest = [place for place in places if place not in ball]
            places = rest[: after[1]] + ball + rest[after[1] :]
        order += places
        first += width
    return np.array(order, int)


def _fixed(q: np.ndarray) -> np.ndarray:
    q.setflags(write=False)
    return q

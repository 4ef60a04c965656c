"""A key with left and right exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from limbik.figure.figure import Figure
from limbik.poser.animation.clip_edits import Edits
from limbik.poser.animation.pose_rotations import Turning
from limbik.poser.document.effector import Effector
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import Timeline


class Reflection(Protocol):
    """What mirrors poses and effectors (``editing/mirroring.py``)."""

    def pose(self, q: np.ndarray) -> np.ndarray: ...
    def effectors(self, effectors: tuple[Effector, ...], q: np.ndarray) -> tuple[Effector, ...]: ...


def flipped(
    key: Key,
    figure: Figure,
    timeline: Timeline,
    effectors: Sequence[Effector],
    mirror: Reflection,
) -> Key:
    """The key as its mirror image; over a clip, the change that the mirrored clip would need.

    An edit's goals are left out: they are places against a clip that is not mirrored.
    """
    if timeline.clip is not None:
        if key.pose is None:
            return key
        turning = Turning(figure)
        base = Edits(figure, timeline, effectors).base(float(key.frame))
        after = turning.changed(base, key.pose)
        change = turning.change(mirror.pose(base), mirror.pose(figure.project(after)))
        return replace(key, pose=change, goals=None)
    q = figure.rest if key.pose is None else figure.project(key.pose)
    pose = None if key.pose is None else mirror.pose(q)
    if key.goals is None:
        return replace(key, pose=pose)
    asked = tuple(
        replace(e, position=t.position, wxyz=t.wxyz, mode=t.mode)
        for e in effectors
        if (t := key.goals.get(e.id)) is not None
    )
    goals = {e.id: Target(e.position, e.wxyz, e.mode) for e in mirror.effectors(asked, q)}
    return replace(key, pose=pose, goals=goals)

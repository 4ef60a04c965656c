"""Editing a clip: each key is a change that fades out over the frames around it.

The pose at a frame is the clip's, with the changes of all keys whose span reaches it, each by its
weight there, in the order in which the keys were made.  Then it is settled: what was pinned in a
key keeps the clip's own place in every frame, and what was dragged keeps its share of the way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.maths.so3 import exp_map, log_map, quat_conjugate, quat_multiply, slerp
from limbik.poser.animation.pose_rotations import Turning
from limbik.poser.animation.timeline_pose import Holding, Moment, place_of, turn_of
from limbik.poser.document.effector import Effector, as_vec3, as_vec4
from limbik.poser.document.timeline.ease import Shape
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import Timeline


def weight(key: Key, frame: float) -> float:
    """1 at the key, 0 from ``span`` frames on, smooth (C¹) everywhere unless the key has another
    ease."""
    x = min(abs(frame - key.frame) / max(key.span, 1), 1.0)
    return 1.0 - Shape(key.ease or "smooth", key.handles).share(x)


class Edits:
    """A clip and the keys over it, made ready for a figure and its effectors."""

    def __init__(
        self,
        figure: Figure,
        timeline: Timeline,
        effectors: Sequence[Effector],
        locked: Sequence[str] = (),
    ) -> None:
        clip = timeline.clip
        if clip is None or clip.q.shape[1] != figure.n:
            raise LimbikError("There is no clip for this figure to edit.")
        self._figure, self._clip = figure, clip.q
        self._holding = Holding(figure, locked)
        self._turning = Turning(figure)
        self._effectors = {effector.id: effector for effector in effectors}
        self._keys = sorted(timeline.keys, key=lambda key: key.id)

    def base(self, frame: float) -> np.ndarray:
        """(n,) the clip's own pose, inside the limits; between two frames on the way there."""
        low = int(min(max(np.floor(frame), 0), len(self._clip) - 1))
        share = frame - low
        if share <= 0.0 or low + 1 >= len(self._clip):
            return self._figure.project(self._clip[low])
        a, b = self._clip[low], self._clip[low + 1]
        out = a + share * (b - a)
        turned = self._turning.wxyz(self._clip[low : low + 2])
        self._turning.put(out, slerp(turned[0], turned[1], share), a if share < 0.5 else b)
        return self._figure.project(out)

    def at(self, frame: float) -> Moment:
        """The clip's pose with the changes that reach this frame."""
        base = self.base(frame)
        active = [(key, weight(key, frame)) for key in self._keys]
        active = [(key, share) for key, share in active if share > 0.0]
        q = base
        for key, share in active:
            if key.pose is not None:
                q = self._turning.changed(q, key.pose, share)
        targets = self.targets(base, active)
        held = tuple((self._effectors[id], target) for id, target in targets.items())
        return Moment(self._holding.settle(q, held), targets, held)

    def targets(self, base: np.ndarray, active: list[tuple[Key, float]]) -> dict[int, Target]:
        """Where the effectors of the keys are to be: the clip's own place and a share of what each
        key displaced them by."""
        ids = dict.fromkeys(id for key, _ in active if key.goals for id in key.goals)
        frames = self._figure.frames(base)
        out = {}
        for id in ids:
            effector = self._effectors.get(id)
            if effector is not None:
                changes = [
                    (key.goals[id], share) for key, share in active if key.goals and id in key.goals
                ]
                out[id] = self._displaced(effector, frames, changes)
        return out

    def _displaced(
        self, effector: Effector, frames: np.ndarray, changes: list[tuple[Target, float]]
    ) -> Target:
        mode = changes[-1][0].mode
        place = place_of(self._figure, frames, effector)
        if mode == "aim":
            along = frames[self._figure.index(effector.joint), :3, :3] @ _unit(effector.axis)
            return Target(as_vec3(_looked_at(place, along, changes)), None, mode)
        moved = place + sum(share * np.array(c.position) for c, share in changes if c.mode != "aim")
        wxyz = None
        if any(change.wxyz is not None for change, _ in changes):
            turn = turn_of(self._figure, frames, effector)
            for change, share in changes:
                if change.wxyz is not None:
                    turn = quat_multiply(exp_map(share * log_map(change.wxyz)), turn)
            wxyz = as_vec4(turn)
        return Target(as_vec3(moved), wxyz, mode)

    def poses(self) -> np.ndarray:
        """(frames, n) all frames; only those that a key reaches are worked out one by one."""
        out = self._figure.project(self._clip)
        reached = sorted(
            {
                frame
                for key in self._keys
                for frame in range(key.frame - key.span, key.frame + key.span + 1)
                if 0 <= frame < len(out)
            }
        )
        for frame in reached:
            out[frame] = self.at(float(frame)).q
        return out

    # ---- making keys -----------------------------------------------------------------------

    def change(self, key: Key, q: np.ndarray) -> np.ndarray:
        """(n,) what the key must hold so that the pose at its frame becomes q."""
        frame = float(key.frame)
        before, after = self.base(frame), q
        for other in self._keys:
            if other.id < key.id and other.pose is not None:
                before = self._turning.changed(before, other.pose, weight(other, frame))
        for other in reversed(self._keys):
            if other.id > key.id and other.pose is not None:
                after = self._turning.changed(after, other.pose, -weight(other, frame))
        return self._turning.change(before, after)

    def displacement(self, key: Key, effector: Effector, target: Target) -> Target:
        """What the key must hold of an effector so that its target becomes ``target``."""
        if target.mode == "aim":
            return target
        frame = float(key.frame)
        frames = self._figure.frames(self.base(frame))
        place = np.array(target.position) - place_of(self._figure, frames, effector)
        before = turn_of(self._figure, frames, effector)
        after = None if target.wxyz is None else np.array(target.wxyz)
        others = [k for k in self._keys if k.id != key.id and k.goals and effector.id in k.goals]
        for other in others:
            change = other.goals[effector.id] if other.goals else target
            share = weight(other, frame)
            place -= share * np.array(change.position) * (change.mode != "aim")
            if change.wxyz is not None and after is not None:
                turn = exp_map(share * log_map(change.wxyz))
                if other.id < key.id:
                    before = quat_multiply(turn, before)
        for other in reversed(others):
            change = other.goals[effector.id] if other.goals else target
            if other.id > key.id and change.wxyz is not None and after is not None:
                turn = exp_map(-weight(other, frame) * log_map(change.wxyz))
                after = quat_multiply(turn, after)
        wxyz = None if after is None else as_vec4(quat_multiply(after, quat_conjugate(before)))
        return Target(as_vec3(place), wxyz, target.mode)


def _looked_at(
    place: np.ndarray, along: np.ndarray, changes: list[tuple[Target, float]]
) -> np.ndarray:
    """(3,) the point to aim at from ``place``: from where the clip itself looks, along ``along``,
    by its weight towards the point of each change."""
    at = place + along
    for change, share in changes:
        if change.mode == "aim":
            to = np.array(change.position)
            own = place + np.linalg.norm(to - place) * along
            at = own + share * (to - own)
            along = _unit(at - place) if np.any(at != place) else along
    return at


def _unit(vector: Sequence[float] | np.ndarray) -> np.ndarray:
    array = np.array(vector, float)
    return array / np.linalg.norm(array)

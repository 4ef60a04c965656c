"""In-betweens: the pose of the timeline at any frame, with pinned effectors staying put.

Poses go from key to key joint by joint, balls as rotations; so do the goals of the effectors.  Then
the pose is settled so that what is pinned or aimed in both keys is where its goal is, and that
goals without an effector are met.  Every frame is found on its own, so that scrubbing back and
forth shows the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.poser.animation.clip_edits import Edits
from limbik.poser.animation.curves import Path, Turns, between
from limbik.poser.animation.foot_locks import Locked, Player
from limbik.poser.animation.pose_rotations import Turning
from limbik.poser.animation.timeline_pose import Holding, Moment, where
from limbik.poser.document.document import Document
from limbik.poser.document.effector import Effector, Mode, as_vec3, as_vec4
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.timeline.ease import Ease, Shape
from limbik.poser.document.timeline.keys import Key, Target
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.drag.scene_goals import timeline_goals

_REMEMBERED = 600  # frames, each a few kilobytes


def shapes(keys: Sequence[Key], ease: Ease) -> list[Shape]:
    """How poses go on from each of some keys, on a timeline that has an ease for all."""
    return [Shape(key.ease or ease, key.handles) for key in keys]


class Goals:
    """The goals of one effector over time."""

    def __init__(self, effector: Effector, timeline: Timeline) -> None:
        keys = [k for k in timeline.keys if k.goals is not None and effector.id in k.goals]
        targets = [k.goals[effector.id] for k in keys if k.goals is not None]
        self.effector, self._targets = effector, targets
        self._shapes = shapes(keys, timeline.ease)
        # A key without a pose says by its goals alone what shall be, so all of them are met.
        self._alone = [key.pose is None for key in keys]
        self._frames = np.array([key.frame for key in keys], float)
        self._path = Path(self._frames, np.array([t.position for t in targets]), self._shapes)
        turns, last = [], (1.0, 0.0, 0.0, 0.0)
        for target in targets:
            last = target.wxyz or last
            turns.append(last)
        self._turns = Turns(self._frames, np.array(turns), self._shapes)

    def at(self, frame: float) -> tuple[Target, bool]:
        """(target, whether it is held) at a frame; held is what both keys around it hold."""
        k, u = between(self._frames, frame)
        later = k if u == 0.0 or self._shapes[k].ease == "step" else k + 1
        a, b = self._targets[k], self._targets[later]
        turned = a.wxyz is not None and b.wxyz is not None
        wxyz = as_vec4(self._turns.at(frame)) if turned else None
        holds = a.mode == b.mode and a.mode != "free"
        mode: Mode = a.mode if holds else "free"
        held = holds or self._alone[k] or self._alone[later]
        return Target(as_vec3(self._path.at(frame)), wxyz, mode), held


class Keyed:
    """A timeline of keys, made ready for a figure and its effectors."""

    def __init__(
        self,
        figure: Figure,
        timeline: Timeline,
        effectors: Sequence[Effector],
        locked: Sequence[str],
        goals: Sequence[KeptGoal] = (),
    ) -> None:
        self._figure, self._timeline = figure, timeline
        self._holding = Holding(figure, locked, goals)
        self._turning = Turning(figure)
        posing = [key for key in timeline.keys if key.pose is not None]
        posed = [(key.frame, key.pose) for key in posing if key.pose is not None]
        self._shapes = shapes(posing, timeline.ease)
        self._frames = np.array([frame for frame, _ in posed], float)
        self._q = self._followed([q for _, q in posed]) if posed else None
        if self._q is not None:
            numbers = self._q[:, self._turning.others, None]
            self._numbers = Path(self._frames, numbers, self._shapes)
            self._turns = Turns(self._frames, self._turning.wxyz(self._q), self._shapes)
        named = {id for key in timeline.keys if key.goals for id in key.goals}
        self._goals = [Goals(e, timeline) for e in effectors if e.id in named]

    def _followed(self, poses: list[np.ndarray]) -> np.ndarray:
        """(keys, n) the poses of the keys inside the limits, each with those coordinates of its
        balls that are nearest to the key before, as long as the limits allow them."""
        q = self._figure.project(np.array(poses))
        for k in range(1, len(q)):
            near = q[k].copy()
            self._turning.put(near, self._turning.wxyz(q[k]), q[k - 1])
            moved = np.abs(near - q[k])[self._turning.columns].max(axis=1) > 1e-6
            allowed = (self._figure.project(near) == near)[self._turning.columns].all(axis=1)
            columns = self._turning.columns[moved & allowed]
            q[k, columns] = near[columns]
        return self._figure.project(q)

    def interpolated(self, frame: float) -> np.ndarray:
        """(n,) the pose between the keys, goals not looked at; inside the limits."""
        if self._q is None:
            return self._figure.rest.copy()
        k, u = between(self._frames, frame)
        if u == 0.0 or self._shapes[k].ease == "step":
            return self._q[k].copy()
        out = np.empty(self._figure.n)
        out[self._turning.others] = self._numbers.at(frame)[:, 0]
        self._turning.put(out, self._turns.at(frame), self._q[k if u < 0.5 else k + 1])
        return self._figure.project(out)

    def at(self, frame: float) -> Moment:
        """The pose at a frame, settled to the goals that hold there."""
        q = self.interpolated(frame)
        found = [(goals.effector, *goals.at(frame)) for goals in self._goals]
        held = tuple((e, t) for e, t, holds in found if holds)
        answer = self._holding.settle(q, held)
        frames = self._figure.frames(answer.q)
        targets = {
            e.id: t if holds else where(self._figure, frames, e, t.wxyz) for e, t, holds in found
        }
        return Moment(answer, targets, held)

    def poses(self) -> np.ndarray:
        """(frames, n) all frames; before the first key and after the last nothing moves."""
        first, last = self._timeline.keys[0].frame, self._timeline.keys[-1].frame
        moving = np.array([self.at(frame).q for frame in range(first, last + 1)])
        rows = np.clip(np.arange(self._timeline.frames) - first, 0, last - first)
        return moving[rows]


class Moments:
    """Poses of a timeline that were asked for lately; one a session.

    It starts anew when the timeline, the figure or what is held changes.
    """

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._player: Player | None = None
        self._known: OrderedDict[float, Moment] = OrderedDict()

    def of(self, figure: Figure, document: Document, frame: float) -> Moment | None:
        """The pose at a frame of a document's timeline, with all that the document holds; see
        ``at``."""
        return self.at(
            figure,
            document.timeline,
            frame,
            document.solved,
            document.still,
            timeline_goals(document),
        )

    def at(
        self,
        figure: Figure,
        timeline: Timeline,
        frame: float,
        effectors: Sequence[Effector],
        locked: Sequence[str] = (),
        goals: Sequence[KeptGoal] = (),
    ) -> Moment | None:
        """The pose at a frame (which may lie between two), with the targets of the effectors then.

        ``goals`` are those without an effector.  None where there are neither keys nor a clip.
        """
        # Where effectors are, and what they are just now, is no part of what keys say.
        settings = tuple(
            (e.id, e.joint, e.at, e.weight, e.rotation_weight, e.axis) for e in effectors
        )
        of = (figure, timeline, settings, tuple(locked), tuple(goals))
        same = self._of and self._of[0] is figure and self._of[1] is timeline
        if not same or self._of[2:] != of[2:]:
            self._of, self._player = of, player(figure, timeline, effectors, locked, goals)
            self._known.clear()
        if self._player is None:
            return None
        frame = min(max(float(frame), 0.0), float(timeline.last))
        found = self._known.get(frame)
        if found is None:
            found = self._known[frame] = self._player.at(frame)
            found.q.setflags(write=False)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(frame)
        return found


def player(
    figure: Figure,
    timeline: Timeline,
    effectors: Sequence[Effector],
    locked: Sequence[str] = (),
    goals: Sequence[KeptGoal] = (),
) -> Player | None:
    """The timeline made ready to be asked for many frames; None where nothing is in it.

    The frames of a clip stay as they were recorded but for its edits, whatever ``goals`` ask.
    """
    made: Player | None = None
    if timeline.clip is not None:
        made = Edits(figure, timeline, effectors, locked)
    elif timeline.keys:
        made = Keyed(figure, timeline, effectors, locked, goals)
    if made is not None and any(contact.held for contact in timeline.contacts):
        return Locked(figure, made, timeline.contacts, timeline.fps, locked)
    return made


def bake(
    figure: Figure,
    timeline: Timeline,
    q: np.ndarray,
    effectors: Sequence[Effector] = (),
    locked: Sequence[str] = (),
    goals: Sequence[KeptGoal] = (),
    *,
    name: str = "",
) -> Motion:
    """All frames as a motion; one frame of the pose ``q`` (n,) where the timeline is empty."""
    ready = player(figure, timeline, effectors, locked, goals)
    poses = figure.project(q)[None] if ready is None else ready.poses()
    called = name or (timeline.clip.name if timeline.clip is not None else "") or figure.name
    return Motion(figure, poses, timeline.fps, called)

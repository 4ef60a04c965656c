"""Where a foot of the target goes: flat and still where the source's foot is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.animate.contacts import Contact, runs
from limbik.animate.retargeting.body_shape import Foot
from limbik.animate.retargeting.holds import Span, hold_points, hold_turns, span_weights
from limbik.animate.retargeting.target_tracks import (
    Point,
    Seen,
    SourceBody,
    Targets,
    Turned,
    flags_of,
    spans_of,
)
from limbik.maths.so3 import exp_map, log_map, matrix_to_quat, quat_to_matrix

LEVEL = float(np.cos(np.radians(30.0)))
"""A foot is flat where the cosine of its tilt is above this."""


class FootTargets:
    """One foot: where its link goes, flat and still where the source's is."""

    def __init__(
        self,
        out: Targets,
        body: SourceBody,
        side: str,
        foot: Foot,
        lift: np.ndarray,
        contacts: Sequence[Contact],
        fps: float,
        up: np.ndarray,
        seen: Seen | None,
    ) -> None:
        self._out, self._body, self._side, self._foot = out, body, side, foot
        self._fps, self._up = fps, up
        shape = body.shape
        link = shape.at[side + "Foot"]
        heel = spans_of(contacts, shape.figure.joints[link])
        toes = shape.at.get(side + "Toes")
        ball = heel if toes is None else spans_of(contacts, shape.figure.joints[toes])
        frames = len(body.point(side + "Foot"))
        self._heel, self._ball = flags_of(heel, frames), flags_of(ball, frames)
        self._ball_spans = ball
        turned = self._levelled(body.segment(link), runs(self._heel & self._ball))
        self._heel &= turned[:, :, 1] @ up > LEVEL  # a pointed foot rests on its toes
        flat = runs(self._heel & self._ball)
        real = turned if seen is None else seen.turned
        turns = [((a, b), self._flat(real[a:b, :, 2].mean(axis=0))) for a, b in flat]
        self._turned = hold_turns(turned, turns, fps)
        track = body.point(side + "Foot") + lift
        # Nothing of the sole below the ground, as it is turned.
        lowest = np.einsum("fij,kj->fki", self._turned, foot.sole[:, :3]) @ up - foot.sole[:, 3]
        deep = track @ up + lowest.min(axis=1)
        track = track + np.maximum(0.0, -deep)[:, None] * up
        # While the ball of the foot rests it stays in one place; a flat foot stays with it.
        way = track + self._turned @ foot.ball if seen is None else seen.ball
        level = foot.ball[1] + foot.height
        self._points = [((a, b), self._on(way[a:b].mean(axis=0), level)) for a, b in ball]
        # The ankle is where a rigid foot has it that turns about the ball, its sole not below the
        # ground, where it is tilted the other way or to its side.
        ankles, balls = [], []
        for (a, b), place in self._points:
            ankle = place - self._turned[a:b] @ foot.ball
            raised = np.maximum(0.0, -(ankle @ up + lowest[a:b].min(axis=1)))[:, None] * up
            ankles.append(((a, b), ankle + raised))
            balls.append(((a, b), place + raised))
        self.track = hold_points(track, ankles, fps)
        self._way = hold_points(self.track + self._turned @ foot.ball, balls, fps)

    def _on(self, point: np.ndarray, level: float) -> np.ndarray:
        """The point at a height."""
        return point + (level - point @ self._up) * self._up

    def _levelled(self, turned: np.ndarray, flat: list[Span]) -> np.ndarray:
        """Rotations of the foot, corrected by how far its sole is from level where it is flat, and
        near in time; for those figures whose rest pose does not show it."""
        if not flat or self._body.shape.stands:
            return turned
        weights = span_weights(flat, len(turned), self._fps)
        missing = np.zeros((len(turned), 3))
        for (a, b), weight in zip(flat, weights / weights.sum(axis=0), strict=True):
            seen = turned[a:b]
            away = log_map(matrix_to_quat(np.swapaxes(seen, 1, 2) @ self._flat(seen[..., 2])))
            missing += weight[:, None] * np.median(away, axis=0)
        return turned @ quat_to_matrix(exp_map(missing))

    def _flat(self, ahead: np.ndarray) -> np.ndarray:
        """(..., 3, 3) level rotations that point along the directions ``ahead`` (..., 3)."""
        ahead = ahead - (ahead @ self._up)[..., None] * self._up
        ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-9)
        up = np.broadcast_to(self._up, ahead.shape)
        return np.stack([np.cross(up, ahead), up, ahead], axis=-1)

    def add(self, track: np.ndarray) -> None:
        """The foot's points, rotation and contacts among the targets."""
        foot, role = self._foot, self._side + "Foot"
        self._out.points[role] = Point(foot.link, np.zeros(3), track, self._heel & self._ball)
        self._out.points[self._side + "Ball"] = Point(foot.link, foot.ball, self._way, self._ball)
        self._out.turned[role] = Turned(foot.link, self._turned, self._heel & self._ball)

"""Tracks that links of a target follow, and a source's body in the target's world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from limbik.animate.contacts import Contact
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.holds import Span
from limbik.figure.motion import Motion


@dataclass
class Point:
    """A point of a link follows a track."""

    link: int
    at: np.ndarray
    track: np.ndarray
    held: np.ndarray
    """(frames,) whether it is held by a contact."""
    firm: float = 1.0
    """How firmly, as a share of how feet are."""


@dataclass
class Turned:
    """A link is turned along a track of rotations (frames, 3, 3)."""

    link: int
    track: np.ndarray
    held: np.ndarray


@dataclass
class Targets:
    """By role: what the target's links should do."""

    scale: float
    points: dict[str, Point] = field(default_factory=dict)
    turned: dict[str, Turned] = field(default_factory=dict)
    contacts: list[Contact] = field(default_factory=list)


@dataclass(frozen=True)
class Seen:
    """A foot of the target as it was in a first pass."""

    turned: np.ndarray
    """(frames, 3, 3) its left, up and forward."""
    ball: np.ndarray
    """(frames, 3) where the ball of the foot was."""


class SourceBody:
    """A clip's points and segments in the target's world, heights above its ground, scaled."""

    def __init__(
        self, clip: Motion, shape: BodyShape, turn: np.ndarray, scale: float, ground: float
    ) -> None:
        self.shape, self.scale = shape, scale
        self._frames = clip.figure.frames(clip.q)
        self._turn = turn
        lift = np.zeros(3)
        lift[shape.up] = ground
        self._places = scale * (self._frames[..., :3, 3] - lift) @ turn.T

    def point(self, role: str) -> np.ndarray:
        """(frames, 3) where the joint of a role is; of a robot's foot its last axis, as in the
        target."""
        shape = self.shape
        return self._places[:, shape.end[role] if role.endswith("Foot") else shape.at[role]]

    def hand(self, side: str) -> np.ndarray:
        """(frames, 3) where an arm ends."""
        link, at = self.shape.hands[side]
        moved = self._frames[:, link, :3, :3] @ at
        return self._places[:, link] + self.scale * moved @ self._turn.T

    def centre(self, side: str, kind: str) -> np.ndarray:
        """(frames, 3) where a leg or an arm turns."""
        shape = self.shape
        role = f"{side}Upper{kind}"
        if role in shape.balls:
            return self.point(role)
        joint = shape.pelvis if kind == "Leg" else shape.chest
        local = shape.local(joint, (shape.hips if kind == "Leg" else shape.shoulders)[side])
        moved = self._frames[:, joint, :3, :3] @ local
        return self._places[:, joint] + self.scale * moved @ self._turn.T

    def segment(self, joint: int) -> np.ndarray:
        """(frames, 3, 3) left, up and forward of a joint's segment."""
        return self._turn @ self._frames[:, joint, :3, :3] @ self.shape.t_frames[joint].T


def spans_of(contacts: Sequence[Contact], joint: str) -> list[Span]:
    """Where a joint is in contact, in their order; a contact without a frame is none."""
    return sorted((c.start, c.end) for c in contacts if c.joint == joint and c.start < c.end)


def flags_of(spans: Sequence[Span], frames: int) -> np.ndarray:
    out = np.zeros(frames, bool)
    for start, end in spans:
        out[start:end] = True
    return out

"""Who moves, and after what: a clip in the paper's unit, its six effectors, and its three drills.

Everything of line_search is done in the unit of its authors.  They say that 0.05 units are about a
centimetre on a person of 1.80 m, so a body is 9 units tall.  The unit matters: a fixed step τ of
equation 27 multiplies ∇f, a length squared per radian, and beside the turns stand the slides of the
root, so no other τ does the same in metres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from limbik.animate.learn import limits_from
from limbik.errors import FigureError, GoalError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Vector
from limbik.figure.limits import Range
from limbik.figure.motion import Motion
from limbik.figures import cartwheel
from limbik.papers.contract import Order

BODY = 9.0
"""Units that a standing body measures: 1.80 m at 0.05 units a centimetre."""

TOLERANCE = 0.05
"""Units: the paper's tolerance, about a centimetre."""

TIGHT = 1e-12
"""Of the body's height: the tolerance of the comparison, so that no method stops early."""

SAMPLINGS = (0.05, 0.7, 1.0)
"""Seconds between two frames in Figures 9, 10 and 11 (8 to 10 of the preprint)."""

LONGEST = 30.0
"""Seconds of a clip that are used."""

MARGIN = 10.0
"""Degrees that a joint may go beyond what a clip uses of it, where a clip is given."""

_FINE = SAMPLINGS[0]
_NAMES = {
    "left hand": ("LeftHand", "lhand", "Left wrist", "hand_l"),
    "right hand": ("RightHand", "rhand", "Right wrist", "hand_r"),
    "left foot": ("LeftFoot", "lfoot", "LeftAnkle", "foot_l"),
    "right foot": ("RightFoot", "rfoot", "RightAnkle", "foot_r"),
    "pelvis": ("Hips", "Hip", "pelvis", "root"),
    "head": ("Head",),
}


@dataclass(frozen=True)
class Chain:
    """A start pose and what follows it: each frame is solved from the answer before."""

    start: np.ndarray
    targets: np.ndarray
    """(frames, effectors, 3)"""
    reference: np.ndarray
    """(frames, n), the poses that the targets were taken from."""


@dataclass(frozen=True)
class Drill:
    """The clip at one sampling."""

    every: float
    """Seconds between two frames."""
    chains: tuple[Chain, ...]

    @property
    def frames(self) -> int:
        """Frames to solve for in all chains."""
        return sum(len(chain.targets) for chain in self.chains)

    def pairs(self, most: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """At most so many (pose, targets of the next frame), spread over all chains.

        Frames in which the targets stay where the pose has them are left out.
        """
        found = []
        for chain in self.chains:
            starts = np.vstack([chain.start[None], chain.reference[:-1]])
            moved = np.abs(np.diff(starts, axis=0, append=chain.reference[-1:])).max(axis=1)
            found += [
                (start, targets)
                for start, targets, far in zip(starts, chain.targets, moved, strict=True)
                if far > 1e-6
            ]
        chosen = np.unique(np.linspace(0, len(found) - 1, min(most, len(found))).astype(int))
        return [found[k] for k in chosen]

    def first(self, chains: int) -> Drill:
        """The same with the first chains only."""
        return Drill(self.every, self.chains[:chains])


@dataclass(frozen=True)
class Subject:
    """A clip whose figure is measured in the paper's unit, and its effectors."""

    clip: Motion
    name: str
    effectors: tuple[str, ...]
    unit: float
    """How long a unit of the paper is in the unit of the clip."""
    limits: str
    """Where the limits come from, for the report."""

    @property
    def figure(self) -> Figure:
        return self.clip.figure

    def index(self, effectors: Sequence[str] | None = None) -> list[int]:
        """Joints of the effectors."""
        return [self.figure.index(name) for name in effectors or self.effectors]

    def drill(self, every: float, *, most: int | None = None) -> Drill:
        """The clip sampled every so many seconds, from as many first frames as it takes.

        A short clip at 1 s gives few frames.  So it is run through again from every multiple of
        0.05 s before the second sample, until there are as many frames as at 0.05 s, more or less.
        ``most`` limits the frames of all chains together.
        """
        fine = self.clip.sample(_FINE)
        step = max(1, round(every / _FINE))
        if fine.frames <= step:
            raise GoalError(
                f"{self.name}: lasts {self.clip.duration:.2f} s, too short to sample at {every} s"
            )
        wanted = min(most or fine.frames, fine.frames)
        at = fine.positions()[:, self.index()]
        chains, frames = [], 0
        for phase in range(min(step, fine.frames - step)):
            if frames >= wanted:
                break
            rows = np.arange(phase + step, fine.frames, step)[: wanted - frames]
            chains.append(Chain(fine.q[phase], at[rows], fine.q[rows]))
            frames += len(rows)
        return Drill(every, tuple(chains))


def subject_of(order: Order) -> Subject:
    """The clip that was ordered, or the built-in cartwheel, in the paper's unit."""
    if order.clip is None:
        clip, limits = cartwheel(), "the figure's own ranges and cones"
    else:
        clip = order.clip
        clip = clip[: max(2, math.floor(LONGEST * clip.fps) + 1)]
        figure = clip.figure.with_limits(limits_from(clip, margin=MARGIN))
        clip = Motion(figure, clip.q, clip.fps, clip.name)
        limits = f"what the clip uses and {MARGIN:g}° more at both ends"
    unit = height(clip.figure) / BODY
    return Subject(
        clip=in_unit(clip, unit),
        name=order.clip_name,
        effectors=find_effectors(clip.figure),
        unit=unit,
        limits=limits,
    )


def find_effectors(figure: Figure) -> tuple[str, ...]:
    """Hands, feet, pelvis and head by their usual names; refuses by name what is not there."""
    known = {name.casefold(): name for name in figure.joints}
    found = []
    for what, names in _NAMES.items():
        name = next((known[n.casefold()] for n in names if n.casefold() in known), None)
        if name is None:
            raise GoalError(
                f"{figure.name or 'figure'}: no joint for the {what} (looked for "
                f"{', '.join(names)}); it has {', '.join(figure.joints)}"
            )
        found.append(name)
    return tuple(found)


def height(figure: Figure) -> float:
    """How tall the figure stands in its rest pose, tips of its bones included."""
    up = "xyz".index(figure.up or "y")
    frames = figure.frames(figure.rest)
    heights = list(frames[:, up, 3])
    for i, joint in enumerate(figure.definition):
        if joint.tip is not None:
            heights.append(float((frames[i, :3, :3] @ np.array(joint.tip) + frames[i, :3, 3])[up]))
    tall = float(max(heights) - min(heights))
    if not tall > 0.0:
        raise FigureError(f"{figure.name or 'figure'}: its rest pose has no height")
    return tall


def in_unit(clip: Motion, unit: float) -> Motion:
    """The same motion with every length divided by ``unit``."""
    figure = clip.figure
    joints = [
        replace(
            joint,
            offset=_shorter(joint.offset, unit),
            tip=None if joint.tip is None else _shorter(joint.tip, unit),
            limit=_limit(joint, unit),
        )
        for joint in figure.definition
    ]
    scale = np.where(figure.slides, 1.0 / unit, 1.0)
    same = Figure(joints, rest=scale * figure.rest, name=figure.name, up=figure.up)
    out = Motion(same, scale * clip.q, clip.fps, clip.name)
    apart = np.abs(unit * out.positions()[0] - clip.positions()[0]).max()
    if apart > 1e-9 * figure.size:
        raise FigureError(f"{figure.name or 'figure'}: slides coupled to turns cannot be rescaled")
    return out


def _shorter(vector: Vector, unit: float) -> Vector:
    return (vector[0] / unit, vector[1] / unit, vector[2] / unit)


def _limit(joint: Joint, unit: float):
    """The joint's limit with the ranges of its slides in the new unit."""
    if not isinstance(joint.limit, Range):
        return joint.limit
    slides = joint.slides
    scale = np.where(slides, 1.0 / unit, 1.0)
    low, high = np.broadcast_to(joint.limit.lower, len(slides)), joint.limit.upper
    return Range(low * scale, np.broadcast_to(high, len(slides)) * scale, degrees=False)

"""retarget: a clip of one body on another body, without a table for the pair.

Bones are matched by role, rest poses by the directions of bones.  Contacts of the source are held,
limits and speed limits of the target are exact, and the whole clip is solved at once.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from limbik.animate.contacts import Contact, find_contacts, find_ground, runs
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.clearance import STAY, put_right
from limbik.animate.retargeting.clip_problem import (
    FIRST_HELD,
    clip_solver,
    local_point,
    part_of,
    places_of,
)
from limbik.animate.retargeting.finger_copy import copy_fingers
from limbik.animate.retargeting.overrides import Overrides, read_overrides
from limbik.animate.retargeting.target_tracks import Seen, Targets
from limbik.animate.retargeting.targets import build_targets, world_turn
from limbik.animate.whole_clip.spacetime import (
    Report,
    default_smooth,
    ignored,
    with_free_balls,
)
from limbik.errors import FigureError, GoalError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.humanoid.recognise import SIDES, recognise

_figures: weakref.WeakKeyDictionary[Figure, tuple[Figure | None, Figure | None]]
_figures = weakref.WeakKeyDictionary()

_SHARE = 0.3  # of the work is done when the clip is solved without looking at shapes


@dataclass(frozen=True, eq=False, repr=False)
class Retargeted:
    """The answer of ``retarget``."""

    motion: Motion
    """The target's motion; its figure has a free base where the target came without one."""
    contacts: tuple[Contact, ...]
    """Contacts that were held, with the target's joints and their places."""
    roles: Mapping[str, tuple[str, str]]
    """Role → (the source's joint, the target's joint)."""
    scale: float
    """Lengths of the target per length of the source."""
    errors: np.ndarray
    """(frames, points) distances of the key points from their targets, in the target's unit."""
    points: tuple[str, ...]
    """The roles of these key points."""
    placement: np.ndarray
    """(4, 4) what takes points of the source's world to the target's: turned to its axis that is
    up, scaled, its ground at 0."""
    report: Report = field(compare=False)
    """What the solve of the clip did."""
    seconds: float = field(compare=False)
    """The time of solving."""

    def __repr__(self) -> str:
        return (
            f"<Retargeted {self.motion.name or 'clip'}: {self.motion.frames} frames, "
            f"{len(self.roles)} roles, {len(self.contacts)} contacts>"
        )


def retarget(
    clip: Motion,
    onto: Figure,
    *,
    scale: str = "limbs",
    contacts: Sequence[Contact] | None = None,
    smooth: float | None = None,
    near: Motion | np.ndarray | None = None,
    speed_limits: np.ndarray | None = None,
    overrides: str | Path | Overrides | None = None,
    whole: bool = True,
    avoid: bool | None = None,
    progress: Callable[[float], None] | None = None,
) -> Retargeted:
    """The clip on another figure: its bones, proportions, limits and speed limits.

    Args:
        clip: the motion to carry over.
        onto: the figure that shall move so.
        scale: how proportions are carried over: "limbs" (every bone in the target's own length),
            "fitted" (legs, trunk and arms by a factor each) or "common" (one factor); stride and
            ground are kept in each.
        contacts: those of the source, found unless given: edit what ``limbik.find_contacts``
            returns.
        smooth: seconds; movements much shorter are smoothed away.  √(0.025/fps) unless given: 0.03
            at 30 frames per second, half of that at 120.
        near: (frames, n), or a motion of the target, where coordinates stay that nothing else asks
            for; the rest pose unless given.
        speed_limits: (n,) units per second, inf where there is none; the figure's own unless given.
        overrides: a TOML file with roles, weights and offsets that shall differ.
        whole: solve the whole clip at once; False solves frame by frame only, each from the one
            before: faster, and neither smooth nor within speeds nor kept off the ground.
        avoid: keep the target's shapes above the ground and apart from each other; None does it
            where they are its own (collision shapes of its file, ``with_shapes``), True also with
            those that are estimated.  Soles and joints stay above the ground in any case.
        progress: told the share of the work that is done, 0 to 1, now and then; what it raises
            ends the work.

    Returns:
        The motion, the roles that were matched, the contacts that were held, and errors.

    Raises:
        FigureError: a body is not recognised, or ``clip`` and ``onto`` are not what they must be.

    Example:
        >>> human = limbik.figures.human()
        >>> out = retarget(limbik.figures.cartwheel()[:8], onto=human)
        >>> out.motion.frames, len(out.roles) > 15
        (8, True)
    """
    if not isinstance(clip, Motion):
        raise FigureError(f"retarget: needs a Motion, got {type(clip).__name__}")
    if not isinstance(onto, Figure):
        raise FigureError(f"retarget: onto needs a Figure, got {type(onto).__name__}")
    changes = overrides if isinstance(overrides, Overrides) else read_overrides(overrides)
    figure, inner = _solved_figures(onto)
    source = BodyShape(clip.figure, changes.source_roles(recognise(clip.figure)), clip.q)
    target = BodyShape(inner, changes.target_roles(recognise(figure)))
    ground = find_ground(clip) if changes.ground is None else changes.ground
    held = find_contacts(clip, ground=ground) if contacts is None else tuple(contacts)
    smooth = default_smooth(clip.fps) if smooth is None else smooth
    began = time.perf_counter()
    asked: dict[str, Any] = {"ground": ground, "scale": scale, "soles": changes.soles}
    targets = build_targets(clip, source, target, held, **asked)
    feet = {side: target.foot(side, changes.soles.get(side)) for side in SIDES}
    terms: dict[str, Any] = {"fps": clip.fps, "smooth": smooth}
    holds = whole and any(point.held.any() for point in targets.points.values())
    poses, which = np.empty((0, inner.n)), np.zeros(0, int)
    if holds:
        first, starts = clip_solver(
            inner, target, targets, changes, **terms, hold=FIRST_HELD,
            level=None if target.tilts else feet,
        )  # fmt: skip
        poses, which = first.frame_by_frame(starts)
        seen = _seen_feet(inner, target, targets, poses)
        places = {
            role: places_of(inner, poses, point.link, local_point(target, role, point))
            for role, point in targets.points.items()
        }
        targets = build_targets(clip, source, target, held, **asked, seen=seen, reached=places)
    terms |= {
        "near": _near(near, figure, inner, clip.frames),
        "speeds": _speeds(speed_limits, onto, inner),
    }
    solver, starts = clip_solver(inner, target, targets, changes, **terms)
    shapes = inner.physical.shapes is not None if avoid is None else avoid
    notify = progress or ignored
    most = _SHARE if whole and shapes else 1.0
    q, report = solver.solve(
        poses if holds else starts, whole=whole, near=holds,
        progress=lambda share: notify(most * share),
    )  # fmt: skip
    if holds:
        report = replace(report, switched=int((which > 0).sum()))
    if whole:
        q, more = put_right(
            q, target, feet, clip.fps,
            lambda goals, before: clip_solver(
                inner, target, targets, changes, more=goals,
                **(terms | {"near": before, "posture": STAY}),
            )[0],
            shapes=shapes, progress=lambda share: notify(most + (1.0 - most) * share),
        )  # fmt: skip
        report = replace(report, steps=report.steps + more)
    q = copy_fingers(clip, source, target, q)
    notify(1.0)
    seconds = time.perf_counter() - began
    name = clip.name or clip.figure.name
    errors = np.stack(
        [
            np.linalg.norm(
                places_of(inner, q, point.link, local_point(target, key, point)) - point.track,
                axis=1,
            )
            for key, point in targets.points.items()
        ],
        axis=1,
    )
    roles = {
        role: (joint, target.body[role])
        for role, joint in source.body.roles.items()
        if role in target.body
    }
    standing = _foot_contacts(targets, target)
    return Retargeted(
        motion=Motion(inner, q, clip.fps, name).onto(figure),
        contacts=tuple(sorted([*targets.contacts, *standing], key=lambda c: (c.start, c.joint))),
        roles=roles,
        scale=targets.scale,
        errors=errors,
        points=tuple(targets.points),
        placement=_placement(source, target, targets.scale, ground),
        report=report,
        seconds=seconds,
    )


def _placement(source: BodyShape, target: BodyShape, scale: float, ground: float) -> np.ndarray:
    """(4, 4) from the source's world to the target's."""
    out = np.eye(4)
    out[:3, :3] = scale * world_turn(source, target)
    out[:3, 3] = -ground * out[:3, source.up]
    return out


def moving_figure(onto: Figure) -> Figure:
    """The figure whose motion ``retarget`` returns: with a base that moves."""
    return _solved_figures(onto)[0]


def _solved_figures(onto: Figure) -> tuple[Figure, Figure]:
    """(with a base that moves, with exponential maps for its balls), kept for each figure, so that
    what is worked out once about its shapes is known in the next call."""
    kept = _figures.get(onto)
    if kept is None:
        figure = onto if _has_free_root(onto) else onto.with_base("free")
        inner = with_free_balls(figure)
        kept = (None if figure is onto else figure, None if inner is onto else inner)
        _figures[onto] = kept
    figure, inner = kept
    return figure or onto, inner or onto


def _has_free_root(figure: Figure) -> bool:
    """Whether a root slides three ways and turns three ways."""
    roots = np.flatnonzero(figure.parents < 0)
    own = np.isin(figure.owner, roots)
    return int((own & figure.slides).sum()) >= 3 and int((own & ~figure.slides).sum()) >= 3


def _seen_feet(
    figure: Figure, target: BodyShape, targets: Targets, q: np.ndarray
) -> dict[str, Seen]:
    """How the feet are in poses q (frames, n)."""
    out = {}
    for side in SIDES:
        ball = targets.points[side + "Ball"]
        turned = figure.frames(q)[:, ball.link, :3, :3] @ target.t_frames[ball.link].T
        at = local_point(target, side + "Ball", ball)
        out[side] = Seen(turned, places_of(figure, q, ball.link, at))
    return out


def _near(
    near: Motion | np.ndarray | None, figure: Figure, inner: Figure, frames: int
) -> np.ndarray | None:
    if near is None:
        return None
    motion = near if isinstance(near, Motion) else Motion(figure, np.asarray(near), 1.0)
    if motion.frames != frames:
        raise GoalError(f"near: {motion.frames} frames for a clip of {frames}")
    return motion.onto(inner).q


def _speeds(limits: np.ndarray | None, onto: Figure, inner: Figure) -> np.ndarray | None:
    """Speed limits for the figure with a base; none for balls, whose coordinates are no angles."""
    speeds = np.asarray(onto.speed_limits if limits is None else limits, float)
    if limits is None and not np.isfinite(speeds).any():
        return None
    if speeds.shape != (onto.n,) or not (speeds > 0).all():
        raise GoalError(f"speed_limits: needs {onto.n} positive numbers, inf where there is none")
    out = np.full(inner.n, math.inf)
    out[inner.n - onto.n :] = speeds
    for i in range(len(inner.joints)):
        own = np.flatnonzero(inner.owner == i)
        if len(own) > 2:
            out[own] = math.inf
    return out


def _foot_contacts(targets: Targets, target: BodyShape) -> list[Contact]:
    """The contacts that are held at feet: flat feet by their link, balls by their toes."""
    out = []
    for role, point in targets.points.items():
        toes = role.replace("Ball", "Toes")
        if part_of(role) not in ("Foot", "Ball") or (toes != role and toes not in target.at):
            continue  # hands have theirs, and the front of a foot without toes is no joint
        link = point.link if toes == role else target.at[toes]
        for start, end in runs(point.held):
            x, y, z = point.track[start:end].mean(axis=0).tolist()
            out.append(Contact(target.figure.joints[link], start, end, (x, y, z)))
    return out

"""retarget: a clip of one body on another body, without a table for the pair.

Bones are matched by role, rest poses by the directions of bones.  Contacts of the source are held,
limits and speed limits of the target are exact, and the whole clip is solved at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from limbik.animate.contacts import Contact, find_contacts, find_ground, runs
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.finger_copy import copy_fingers
from limbik.animate.retargeting.holds import ramp
from limbik.animate.retargeting.overrides import Overrides, read_overrides
from limbik.animate.retargeting.target_tracks import Seen, Targets
from limbik.animate.retargeting.targets import build_targets, world_turn
from limbik.animate.whole_clip.spacetime import SMOOTH, ClipSolver, Report, with_free_balls
from limbik.errors import FigureError, GoalError
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Reach, Rest
from limbik.humanoid.recognise import SIDES, recognise
from limbik.solver.frame_values import FrameValues
from limbik.solver.problem import Problem

WEIGHTS: Mapping[str, float] = {
    "hips": 1.0, "LowerLeg": 0.3, "Foot": 2.0, "Ball": 0.3, "LowerArm": 0.4, "Hand": 1.0,
}  # fmt: skip
"""Weights of positions by role without its side."""

TURN_WEIGHTS: Mapping[str, float] = {
    "hips": 0.4, "trunk": 0.4, "head": 0.1, "Foot": 0.3, "Hand": 0.1,
}  # fmt: skip
"""Weights of rotations; other segments have SEGMENT."""

SEGMENT = 0.05
HELD = 4000.0
"""How many times a point counts while a contact holds it."""
HELD_TURN = 60.0
POSTURE = 3e-4  # weight of the rest pose, or of ``near``, for each coordinate


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
    smooth: float = SMOOTH,
    near: Motion | np.ndarray | None = None,
    speed_limits: np.ndarray | None = None,
    overrides: str | Path | Overrides | None = None,
    whole: bool = True,
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
        smooth: seconds; movements much shorter are smoothed away.
        near: (frames, n), or a motion of the target, where coordinates stay that nothing else asks
            for; the rest pose unless given.
        speed_limits: (n,) units per second, inf where there is none; the figure's own unless given.
        overrides: a TOML file with roles, weights and offsets that shall differ.
        whole: solve the whole clip at once; False solves frame by frame only, each from the one
            before: faster, and neither smooth nor within speeds.
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
    figure = onto if _has_free_root(onto) else onto.with_base("free")
    inner = with_free_balls(figure)
    source = BodyShape(clip.figure, changes.source_roles(recognise(clip.figure)), clip.q)
    target = BodyShape(inner, changes.target_roles(recognise(figure)))
    ground = find_ground(clip) if changes.ground is None else changes.ground
    held = find_contacts(clip, ground=ground) if contacts is None else tuple(contacts)
    began = time.perf_counter()
    asked: dict[str, Any] = {"ground": ground, "scale": scale, "soles": changes.soles}
    targets = build_targets(clip, source, target, held, **asked)
    if whole and any(point.held.any() for point in targets.points.values()):
        first, starts = _solver(clip, inner, target, targets, changes, smooth, None, None, hold=1.0)
        seen = _seen_feet(inner, target, targets, first.chain(starts))
        targets = build_targets(clip, source, target, held, **asked, seen=seen)
    solver, starts = _solver(
        clip, inner, target, targets, changes, smooth, _near(near, figure, inner, clip.frames),
        _speeds(speed_limits, onto, inner),
    )  # fmt: skip
    q, report = solver.solve(starts, whole=whole, progress=progress)
    q = copy_fingers(clip, source, target, q)
    seconds = time.perf_counter() - began
    name = clip.name or clip.figure.name
    errors = np.stack(
        [
            np.linalg.norm(
                _where(inner, q, point.link, _at(target, key, point)) - point.track, axis=1
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
    feet = _foot_contacts(targets, target)
    return Retargeted(
        motion=Motion(inner, q, clip.fps, name).onto(figure),
        contacts=tuple(sorted([*targets.contacts, *feet], key=lambda c: (c.start, c.joint))),
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


def _has_free_root(figure: Figure) -> bool:
    """Whether a root slides three ways and turns three ways."""
    roots = np.flatnonzero(figure.parents < 0)
    own = np.isin(figure.owner, roots)
    return int((own & figure.slides).sum()) >= 3 and int((own & ~figure.slides).sum()) >= 3


def _part(role: str) -> str:
    for side in ("left", "right"):
        role = role.removeprefix(side)
    return role


def _at(target: BodyShape, role: str, point: Any) -> np.ndarray:
    """A target's point in its link's frame; the ball of a foot is given in body axes."""
    return target.t_frames[point.link].T @ point.at if role.endswith("Ball") else point.at


def _where(figure: Figure, q: np.ndarray, link: int, at: np.ndarray) -> np.ndarray:
    frames = figure.frames(q)[:, link]
    return frames[:, :3, :3] @ at + frames[:, :3, 3]


def _solver(
    clip: Motion,
    figure: Figure,
    target: BodyShape,
    targets: Targets,
    changes: Overrides,
    smooth: float,
    near: np.ndarray | None,
    speeds: np.ndarray | None,
    hold: float = HELD,
) -> tuple[ClipSolver, np.ndarray]:
    """The problem of every frame, and where frames may start (frames, n)."""
    names, goals = figure.joints, []
    for role, point in targets.points.items():
        weight = changes.weight(role, WEIGHTS[_part(role)])
        at = _at(target, role, point)
        goals.append(Reach(names[point.link], position=(0, 0, 0), at=at, weight=weight))
    for role, turned in targets.turned.items():
        weight = changes.weight(role, TURN_WEIGHTS.get(_part(role), SEGMENT))
        goals.append(Reach(names[turned.link], wxyz=(1, 0, 0, 0), rotation_weight=weight))
    roots = np.isin(figure.owner, np.flatnonzero(figure.parents < 0))
    goals.append(Rest(np.where(roots, 0.0, POSTURE * figure.n)))
    links = {p.link for p in targets.points.values()} | {t.link for t in targets.turned.values()}
    problem = Problem(figure, goals, lock=_idle(figure, links))
    values = FrameValues(problem, clip.frames)
    for k, point in enumerate(targets.points.values()):
        values.position(k, point.track)
        if point.held.any():
            values.position_factor(k, ramp(point.held, hold, clip.fps))
    rotations = {}
    for k, (role, turned) in enumerate(targets.turned.items(), len(targets.points)):
        rotations[role] = turned.track @ target.t_frames[turned.link]
        values.rotation(k, rotations[role])
        if turned.held.any():
            values.rotation_factor(k, ramp(turned.held, min(hold, HELD_TURN), clip.fps))
    if near is not None:
        values.near(near)
    solver = ClipSolver(values, fps=clip.fps, smooth=smooth, speed_limits=speeds)
    hips = targets.points["hips"]
    return solver, _placed(figure, target, hips.track, hips.at, rotations["hips"])


def _seen_feet(
    figure: Figure, target: BodyShape, targets: Targets, q: np.ndarray
) -> dict[str, Seen]:
    """How the feet are in poses q (frames, n)."""
    out = {}
    for side in SIDES:
        ball = targets.points[side + "Ball"]
        turned = figure.frames(q)[:, ball.link, :3, :3] @ target.t_frames[ball.link].T
        at = _at(target, side + "Ball", ball)
        out[side] = Seen(turned, _where(figure, q, ball.link, at))
    return out


def _placed(
    figure: Figure, target: BodyShape, hips: np.ndarray, at: np.ndarray, turned: np.ndarray
) -> np.ndarray:
    """(frames, n) the rest pose with its root moved so that the hips are where they belong."""
    frames = figure.frames(figure.rest)
    root = next(i for i in range(len(figure.joints)) if figure.parents[i] < 0 and _moves(figure, i))
    wanted = np.zeros((len(hips), 4, 4))
    wanted[:, :3, :3], wanted[:, :3, 3] = turned, hips - turned @ at
    wanted[:, 3, 3] = 1.0
    moved = wanted @ np.linalg.inv(frames[target.pelvis]) @ frames[root]
    columns = np.flatnonzero(figure.owner == root)
    q = np.repeat(figure.rest[None], len(hips), axis=0)
    q[:, columns] = joint_values(figure.definition[root], moved, figure.rest[columns])
    return figure.project(q)


def _idle(figure: Figure, links: set[int]) -> list[str]:
    """Joints that move none of these links: fingers, eyes, clothes."""
    used = set[int]()
    for link in links:
        i = link
        while i >= 0:
            used.add(i)
            i = int(figure.parents[i])
    return [name for i, name in enumerate(figure.joints) if i not in used]


def _moves(figure: Figure, joint: int) -> bool:
    return bool((figure.owner == joint).any())


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
        if _part(role) not in ("Foot", "Ball") or (toes != role and toes not in target.at):
            continue  # hands have theirs, and the front of a foot without toes is no joint
        link = point.link if toes == role else target.at[toes]
        for start, end in runs(point.held):
            x, y, z = point.track[start:end].mean(axis=0).tolist()
            out.append(Contact(target.figure.joints[link], start, end, (x, y, z)))
    return out

"""Nothing through the ground and nothing through the body: a retargeted clip is put right where
its feet, its joints or the figure's shapes are where they must not be."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import numpy as np

from limbik.animate.contacts import runs
from limbik.animate.retargeting.body_shape import BodyShape, Foot
from limbik.animate.retargeting.sole_points import fixed_to
from limbik.animate.smooth import filtered
from limbik.animate.whole_clip.spacetime import OVERLAP, WINDOW, ClipSolver
from limbik.figure.collision.shapes import HalfSpace
from limbik.figure.figure import Figure
from limbik.figure.joints import Vector
from limbik.goals import Above, Avoid, Goal
from limbik.humanoid.recognise import SIDES
from limbik.solver.problem import Problem
from limbik.solver.targets.frame_values import FrameValues

GROUND = 5e4
"""Weight of points that stay above the ground: more than that of a contact."""
APART = 200.0
"""Weight of shapes that stay apart."""
STAY = 0.03
"""Weight of the poses that are put right, for each coordinate."""

_SEEN = 1e-3  # metres of an adult: what is less deep is not looked at
_PAD = 0.25  # seconds around frames that are put right, which may change too
_SOFTER = 0.05  # of the weight of shapes that stay apart: what a solve begins with,
_SOFT = 0.01  # and of the weight of points above the ground
_BLEND = 0.05  # seconds over which departures of single frames are averaged
_ROUNDS, _STEPS, _ENOUGH = 3, 30, 1e-3
_FIRST = (0.0, 0.6, 0.75, 0.8)  # of the work is done before each round, and before what is smoother
_SMOOTHER = 4  # times that it is tried again from a smoother start
_TREMBLE = 0.1  # seconds: departures much shorter are smoothed in that start
_WORTH = 1.5  # times as rough as without shapes, or as after a try: worth another
_MORE = 0.8  # of what is looked at: how deep things may be afterwards
_POSES, _NEAR = 60, 0.06  # shapes that are further apart, in metres, in so many poses are left out
_PARTS = ("LowerLeg", "LowerArm", "Hand", "Toes")
_FLOOR = "floor"


def clearance_goals(
    figure: Figure,
    target: BodyShape,
    feet: Mapping[str, Foot],
    *,
    shapes: bool,
    ground: float = GROUND,
    apart: float = APART,
    exclude: Collection[tuple[str, str]] = (),
) -> list[Goal]:
    """Goals that keep soles, joints and, with ``shapes``, the figure's shapes above the ground at
    height 0, and these apart from each other, with weights ``ground`` and ``apart``; pairs of names
    to ``exclude`` are not looked at."""
    x, y, z = np.eye(3)[target.up].tolist()
    normal, names, out = (x, y, z), figure.joints, list[Goal]()
    for side in SIDES:
        foot = feet[side]
        for ball in foot.sole:
            at = target.t_frames[foot.link].T @ ball[:3]
            out.append(_above(names[foot.link], normal, at, ground, float(ball[3])))
        toes = target.at.get(side + "Toes")
        tip = None if toes is None else figure.definition[toes].tip
        if toes is not None and tip is not None:
            out.append(_above(names[toes], normal, np.array(tip), ground))
    roles = ["hips", "head", *(side + part for side in SIDES for part in _PARTS)]
    solid = {figure.index(shape.joint) for shape in figure.shapes} if shapes else set[int]()
    for joint in sorted({target.at[role] for role in roles if role in target.at} - solid):
        out.append(_above(names[joint], normal, np.zeros(3), ground))
    if shapes and figure.shapes:
        on_ground = {i for foot in feet.values() for i in fixed_to(figure, foot.link)}
        on_ground |= {target.at[side + "Toes"] for side in SIDES if side + "Toes" in target.at}
        touch = [*((names[i], _FLOOR) for i in sorted(on_ground)), *sorted(exclude)]
        out.append(Avoid([HalfSpace(normal, name=_FLOOR)], exclude=touch, weight=apart))
    return out


def _above(joint: str, normal: Vector, at: np.ndarray, weight: float, height: float = 0.0) -> Above:
    x, y, z = at.tolist()
    return Above(joint, normal=normal, offset=height, at=(x, y, z), weight=weight)


def put_right(
    q: np.ndarray,
    target: BodyShape,
    feet: Mapping[str, Foot],
    fps: float,
    solver: Callable[[list[Goal], np.ndarray], ClipSolver],
    *,
    shapes: bool,
    progress: Callable[[float], None],
) -> tuple[np.ndarray, int]:
    """(poses (frames, n), steps): q improved around the frames in which something is below the
    ground or inside something else, by the ``solver`` of the clip with goals against that, which
    stays near poses (frames, n) with the weight STAY; it is only made where there are such frames.
    ``progress`` is told the share of the work that is done.
    """
    figure, first = target.figure, np.array(q)
    depths = clearance_goals(figure, target, feet, shapes=shapes, ground=1.0, apart=1.0)
    seen = ClipSolver(FrameValues(Problem(figure, depths), len(q)), fps=fps)
    least, pad = (_SEEN * target.metre) ** 2, round(_PAD * fps)
    skipped, taken, q = set[tuple[str, str]](), 0, np.ascontiguousarray(q)
    made = soft = None
    changed = np.zeros(len(q), bool)
    for turn in range(_ROUNDS):
        wrong = np.flatnonzero(seen.costs(q) > least)
        if not len(wrong):
            break
        near = np.zeros(len(q), bool)
        for t in wrong.tolist():
            near[max(t - pad, 0) : t + pad + 1] = True
        apart = _far_pairs(depths, figure, q[wrong[:: 1 + len(wrong) // _POSES]], target.metre)
        if made is None or soft is None or not skipped <= apart:
            skipped = apart if made is None else skipped & apart
            goals = partial(clearance_goals, figure, target, feet, shapes=shapes, exclude=skipped)
            soft = solver(goals(ground=_SOFT * GROUND, apart=_SOFTER * APART), first)
            made = solver(goals(), first)
        changed |= near
        before = q.copy()
        # What is deep has many valleys, and a solve of many frames ends in one or another as it is
        # cut.  So each frame finds its own, with a small weight first, of which there are few, and
        # all of them together begin at the average of what frames near by in time have found.
        for each in (soft, made):
            alone = q.copy()
            for low, high in runs(near):
                each.improve_alone(alone, low, high)
            blended = figure.project(q + _smoothed(alone - q, _BLEND * fps))
            q[near] = blended[near]
        q, steps = _improved(made, q, near, progress=_part(progress, _FIRST[turn : turn + 2], 0, 1))
        taken += steps
        if np.abs(q - before).max() < 1e-6:
            break
    if made is None:
        return q, taken

    # Edges of shapes that take turns at being nearest make a departure tremble; from a smoother one
    # the same solve ends lower.
    rough, usual = _roughness(made, q), _roughness(made, first)
    for turn in range(_SMOOTHER):
        part = _part(progress, (_FIRST[-1], 1.0), turn, _SMOOTHER)
        if rough < _WORTH * usual:
            break
        other = np.ascontiguousarray(figure.project(first + _smoothed(q - first, _TREMBLE * fps)))
        allowed = max(float(seen.costs(q).max()), _MORE * least)
        for enough in (_ENOUGH, 0.01 * _ENOUGH):
            other, steps = _improved(made, other, changed, enough, progress=part)
            taken += steps
            if seen.costs(other).max() <= allowed:
                break
        else:
            break
        if made.total(other) >= made.total(q):
            break
        q, before, rough = other, rough, _roughness(made, other)
        if before < _WORTH * rough:
            break
    return q, taken


def _part(
    progress: Callable[[float], None], span: Sequence[float], k: int, count: int
) -> Callable[[float], None]:
    """The progress of part k of ``count`` equal ones of a ``span`` of the work."""
    begin, size = span[0], (span[1] - span[0]) / count
    return lambda share: progress(begin + size * (k + share))


def _roughness(solver: ClipSolver, q: np.ndarray) -> float:
    """The velocity and acceleration terms of poses (frames, n)."""
    return solver.total(q) - float(solver.costs(q).sum())


def _smoothed(away: np.ndarray, sigma: float) -> np.ndarray:
    """(frames, n) departures, smoothed over ``sigma`` frames and reflected at both ends, where a
    curve through the few frames that there are would follow their noise."""
    reach = min(math.ceil(2.5 * sigma), len(away) - 1)
    if reach < 1:
        return away
    padded = np.pad(away, ((reach, reach), (0, 0)), mode="reflect")
    return filtered(padded, sigma)[reach:-reach]


def _improved(
    solver: ClipSolver,
    q: np.ndarray,
    near: np.ndarray,
    enough: float = _ENOUGH,
    *,
    progress: Callable[[float], None],
) -> tuple[np.ndarray, int]:
    """(poses, steps): q (frames, n) with its frames ``near`` (frames,) improved, in windows, until
    a step gains less than ``enough`` of the objective."""
    taken, frames = 0, int(near.sum())
    for low, high in runs(near):
        for first in range(low, high, WINDOW - OVERLAP):
            last = min(first + WINDOW, high)
            taken += solver.improve(q, first, last, iterations=_STEPS, tolerance=enough)
            progress(float(near[:last].sum()) / frames)
    return solver.within_speeds(q), taken


def _far_pairs(
    goals: list[Goal], figure: Figure, poses: np.ndarray, metre: float
) -> set[tuple[str, str]]:
    """Pairs of names whose shapes are never near to each other in the poses (k, n)."""
    avoid = next((goal for goal in goals if isinstance(goal, Avoid)), None)
    if avoid is None:
        return set()
    every = avoid.joint_pairs(figure, poses[:1], np.inf)
    return every - avoid.joint_pairs(figure, poses, _NEAR * metre)

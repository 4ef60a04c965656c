"""follow: moving targets over a whole clip, near a reference where they leave the figure free.

What ``track`` does with ``near=`` or ``smooth=``: every frame has the same goals with targets of
its own and a light wish to stay near a pose, and velocity and acceleration terms between frames.
First with a wish that is strong enough to choose between ways of meeting the targets, then with one
so light that the targets are met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.animate.whole_clip.smoothness import retract
from limbik.animate.whole_clip.spacetime import ClipSolver, unlimited_balls, with_free_balls
from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Goal, Reach, Rest
from limbik.goals.moving import first_of
from limbik.maths.so3 import matrix_to_quat
from limbik.solver.problem import Problem
from limbik.solver.targets.frame_values import FrameValues
from limbik.solver.targets.tables import batch_problem

NEAR = 3e-4
"""Weight of staying near the reference, for each coordinate, while ways are chosen."""

LIGHT = 1e-3
"""Part of it that is left at the end."""


@dataclass(frozen=True)
class Followed:
    """The answer of ``follow``."""

    q: np.ndarray
    """(frames, n) poses of the figure."""
    before: float
    """The objective of the frame-by-frame passes."""
    after: float
    """The objective of the clip with the same wish, solved at once."""
    steps: int
    """Gauss–Newton steps of all windows."""


def follow(
    figure: Figure,
    goals: Sequence[Goal],
    *,
    start: np.ndarray,
    fps: float,
    near: np.ndarray | None = None,
    usual: np.ndarray | None = None,
    smooth: float = 0.0,
    speed_limits: np.ndarray | None = None,
    lock: Iterable[str] = (),
    loops: bool = True,
) -> Followed:
    """The figure follows goals, those that move with a target per frame, all frames at once.

    ``near`` (frames, n) is where the figure stays that no goal asks for anything else.  Without it
    that is ``usual`` (n,), or the rest pose, and roots are not held.  ``start`` (n,) is where pins
    stay and locked joints are; ``loops`` closes the figure's loops.  ``smooth`` is in seconds,
    ``speed_limits`` (n,) in units per second.

    >>> clip = limbik.figures.cartwheel()[::20]
    >>> hand = limbik.Reach("LeftHand", position=clip.figure.positions(clip.q, "LeftHand"))
    >>> found = follow(clip.figure, [hand], start=clip.q[0], fps=clip.fps, near=clip.q)
    >>> found.after <= found.before
    True
    """
    frames = _frames(goals, near)
    inner = figure if _asks_coordinates(figure, goals) else with_free_balls(figure)

    def across(poses: np.ndarray) -> np.ndarray:
        return poses if inner is figure else Motion(figure, poses, fps).onto(inner).q

    begin = across(np.atleast_2d(start))[0]
    wish = figure.rest if usual is None else usual
    there = across(np.broadcast_to(wish, (1, figure.n)) if near is None else near)
    reference = _within_half_turns(inner, np.array(np.broadcast_to(there, (frames, inner.n))))
    wanted = [goal for goal in goals if not isinstance(goal, Rest)]
    rests = [goal.as_rest(inner) for goal in goals if isinstance(goal, Rest)]
    if near is not None or not rests:
        roots = np.isin(inner.owner, np.flatnonzero(inner.parents < 0))
        weight = np.where(roots, 0.0, NEAR * inner.n)
        wanted.append(_joined(inner, rests, Rest(weight, pose=reference), frames))
    else:
        wanted += rests
    light = [] if near is None else _roots(inner, reference)
    wanted = [*light, *wanted]
    table, target_offsets, problem = batch_problem(
        inner, wanted, start=begin, lock=lock, count=frames, loops=loops, priority=0
    )
    values = FrameValues(problem, frames)
    values.numbers(target_offsets, table)
    solver = ClipSolver(
        values, fps=fps, smooth=smooth, speed_limits=speed_limits,
        reference=None if near is None else reference,
    )  # fmt: skip
    starts = reference.copy() if near is not None else np.repeat(begin[None], frames, axis=0)
    still = ~np.array(problem.moves, bool)
    starts[:, still] = begin[still]
    q, report = solver.solve(inner.project(starts))
    problem.raise_failure()
    steps = report.steps
    if not rests:  # a Rest of the caller's counts as much as it says
        q, more = _met(solver, problem, q, len(light))
        steps += more
    q = q if inner is figure else Motion(inner, q, fps).onto(figure).q
    return Followed(figure.project(q), report.before, report.after, steps)


def _within_half_turns(figure: Figure, poses: np.ndarray) -> np.ndarray:
    """The poses (frames, n), their balls without limits turned by at most half a turn."""
    balls, none, scratch = unlimited_balls(figure), np.zeros(figure.n), np.zeros(64)
    for pose in poses:
        retract(pose, none, balls, scratch)
    return poses


def _roots(figure: Figure, reference: np.ndarray) -> list[Goal]:
    """Light goals that hold roots where they are in poses (frames, n): rotations, not coordinates,
    which differ by whole turns."""
    out: list[Goal] = []
    for i in np.flatnonzero(figure.parents < 0).tolist():
        own = np.flatnonzero(figure.owner == i)
        if not len(own):
            continue
        world, weight = figure.frames(reference)[:, i], NEAR * len(own)
        turns = matrix_to_quat(world[:, :3, :3]) if (~figure.slides[own]).any() else None
        out.append(
            Reach(
                figure.joints[i],
                position=world[:, :3, 3],
                wxyz=turns,
                weight=weight,
                rotation_weight=weight,
            )
        )
    return out


def _met(solver: ClipSolver, problem: Problem, q: np.ndarray, light: int) -> tuple[np.ndarray, int]:
    """(poses, steps): q with the wish made light, so that it costs the targets nothing; it is in
    the first ``light`` goals, and in the Rest."""
    for term in (t for goal in range(light) for t in problem.terms_of[goal]):
        at = lay.record_at(problem.ints, lay.F_TERM, term) + lay.T_WEIGHT
        problem.floats[at : at + 3] *= LIGHT**0.5
    first = int(problem.ints[lay.F_REST])
    problem.floats[first : first + problem.figure.n] *= LIGHT
    q, steps = solver.together(q)
    problem.raise_failure()
    return solver.within_speeds(q), steps


def _frames(goals: Sequence[Goal], near: np.ndarray | None) -> int:
    lengths = [len(table) for goal in goals for table in first_of(goal)[1].values()]
    if not lengths and near is None:
        raise GoalError("targets: no goal has a target per frame")
    return max(lengths) if near is None or lengths else len(near)


def _asks_coordinates(figure: Figure, goals: Sequence[Goal]) -> bool:
    """Whether a goal speaks of the figure's own coordinates, which then must stay."""
    if any(isinstance(goal, Rest) for goal in goals):
        return True
    problem = Problem(figure, [first_of(goal)[0] for goal in goals])
    return any(term.functions is not None and term.functions.direct for term in problem.terms)


def _joined(figure: Figure, rests: Sequence[Rest], near: Rest, frames: int) -> Rest:
    """One Rest that asks what all do: Σ wₖ(q − pₖ)² = w(q − p)² + a constant."""
    weight, moment = np.zeros(figure.n), np.zeros((frames, figure.n))
    for rest in (*rests, near):
        own, pose = np.asarray(rest.weight, float), rest.pose
        table: Any = first_of(rest)[1].get("pose")
        if table is None:
            table = (figure.rest if pose is None else figure.single_pose(pose, "Rest: pose"))[None]
        weight, moment = weight + own, moment + own * table
    return Rest(weight, pose=np.divide(moment, weight, out=moment.copy(), where=weight > 0))

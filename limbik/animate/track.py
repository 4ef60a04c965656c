"""track: a figure follows moving targets, without flipping between poses; frame by frame, or the
whole clip at once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from limbik.animate.arguments import (
    at_least_one,
    near_poses,
    not_negative,
    positive,
    reference_poses,
    refuse_with_whole_clip,
    speeds_at_once,
    target_table,
)
from limbik.animate.whole_clip.follow import follow
from limbik.equality import ByValue, value_key
from limbik.errors import GoalError
from limbik.figure.figure import Figure, Pose
from limbik.figure.motion import Motion
from limbik.goals.priority import FIRST
from limbik.humanoid.at_ease import at_ease
from limbik.methods import Method
from limbik.methods.base import OUT_ITERATIONS, REACHED, STATIONARY
from limbik.solver.batch_runs import run_chain, statuses, term_errors
from limbik.solver.ordered import runner_of
from limbik.solver.problem import Problem
from limbik.solver.restarts import TOTAL_ATTEMPTS, TOTALS
from limbik.solver.result import Status
from limbik.solver.runner import find_method
from limbik.solver.stepping.stepper import Stepper, limits_of_change, run_steps
from limbik.solver.targets.tables import Goals, batch_problem, goals_of

JUMP = math.radians(60.0)
"""A joint that turns this much further than expected from one frame to the next has jumped."""

RELAXATION = 0.3
"""Seconds in which what the targets leave free drifts back to the pose of a body at ease."""


@dataclass(frozen=True, eq=False, repr=False)
class Track(ByValue):
    """The answer of ``track``; ``ok`` is true when every frame reached its targets.

    Two are equal where every frame is; the time of solving does not count.
    """

    motion: Motion = field(compare=False)
    """The figure's motion, one pose per frame."""
    error: np.ndarray
    """(frames,) the largest distance of an effector from its target, in the figure's unit."""
    errors: np.ndarray
    """(frames, goals) how far each goal is missed: the distance of an effector from its target, or
    the angle (rad) of a goal that only turns."""
    status: np.ndarray
    """(frames,) the Status of each frame."""
    jumps: np.ndarray
    """The frames in which a joint turned 60 degrees further than the reference (or at all, where
    there is none)."""
    iterations: np.ndarray
    """(frames,) iterations of all attempts."""
    attempts: np.ndarray
    """(frames,) attempts: 1 and the restarts."""
    seconds: float = field(compare=False)
    """The time of solving."""

    def _value_key(self) -> tuple[Any, ...]:
        return (value_key(self.motion.q), self.motion.fps, *super()._value_key())

    def __repr__(self) -> str:
        reached = int((self.status == "REACHED").sum())
        return f"<Track: {reached} of {len(self.status)} frames reached>"

    @property
    def ok(self) -> bool:
        """Every frame reached its targets."""
        return bool((self.status == "REACHED").all())

    @cached_property
    def violation(self) -> float:
        """How far the worst frame is outside its limits: 0.0."""
        return float(np.max(self.motion.figure.violation(self.motion.q)))


def track(
    figure: Figure,
    goals: Goals | None = None,
    targets: np.ndarray | None = None,
    *,
    effectors: Goals | None = None,
    start: Pose | None = None,
    wxyz: np.ndarray | None = None,
    fps: float = 120.0,
    method: str | Method | None = None,
    tolerance: float | tuple[float, float] | None = None,
    restarts: int | None = None,
    seed: int = 0,
    lock: Iterable[str] = (),
    relax: float = RELAXATION,
    speed_limits: Any = None,
    acceleration_limits: Any = None,
    near: np.ndarray | Motion | None = None,
    smooth: float | None = None,
    reference: np.ndarray | Motion | None = None,
    progress: Callable[[int], object] | None = None,
    threads: int = 1,
    loops: bool = True,
) -> Track:
    """Follow moving targets, each frame from the pose before it, or the whole clip at once.

    ``near`` or ``smooth`` solve the whole clip at once: passes forward and backward, the best way
    through these, then all frames together (in windows, where the clip is long).  The answer does
    not depend on where the clip starts; it takes longer, and no restarts are made.

    Args:
        figure: the figure to move.
        goals: those of ``solve``, with an array where a target moves: ``Reach("LeftHand",
            position=P)`` with P (frames, 3), or ``Aim("Head", target=T)`` with T (frames, 3); all
            others hold in every frame.  Shorter for positions alone: names of joints.
        targets: (frames, joints, 3) positions of the named joints.
        effectors: another name of ``goals``.
        start: (n,) the pose before the first frame, the rest pose unless given.
        wxyz: (frames, joints, 4) orientations of the named joints.
        fps: frames per second.
        method: as in ``solve``.
        tolerance: as in ``solve``.
        restarts: as in ``solve``, per frame.
        seed: chooses the random numbers of restarts.
        lock: names of joints that keep their start values.
        relax: seconds in which what the targets leave free drifts back to the pose of a body at
            ease (arms low, elbows and knees a little bent), or to the middle of the limits where
            the figure is no body of balls; 0 turns that off.
        speed_limits: no coordinate goes faster than the figure says (True), or than one number or n
            numbers (rad/s, or the figure's unit per second), from ``start`` on.
        acceleration_limits: one number or n numbers, per second squared.
        near: a Motion of this figure, (frames, n), or one pose (n,): what the targets leave free
            stays near it.  Targets are met as without it.
        smooth: seconds; movements much shorter are smoothed away, those of the targets too.
        reference: (frames, n) or a Motion that jumps are measured against; ``near`` unless given.
        progress: called now and then with how many frames are done.
        threads: changes nothing here, because frames depend on each other; ``track_many`` uses it.
        loops: close the figure's loops, as in ``solve``; inside speed limits by their weight.

    Returns:
        The motion, and for each frame its errors, status, iterations and attempts.

    Raises:
        GoalError: goals or targets cannot be asked, or fps and the like are out of range.
        FigureError: ``start`` or ``reference`` are no poses of this figure.
        MethodError: the method cannot be used.

    Example:
        >>> import limbik
        >>> clip = limbik.figures.cartwheel()
        >>> hands = ["LeftHand", "RightHand"]
        >>> at = clip.positions()[:, [clip.figure.index(name) for name in hands]]
        >>> limbik.track(clip.figure, hands, at, start=clip.q[0], fps=clip.fps).ok
        True
        >>> found = limbik.track(clip.figure, hands, at[::40], near=clip[::40])
        >>> found.ok, bool(abs(found.motion.q - clip.q[::40]).max() < 1e-3)
        (True, True)
    """
    at_least_one(threads, "threads")
    fps, relax = positive(fps, "fps"), not_negative(relax, "relax")
    if progress is not None and not callable(progress):
        raise GoalError(f"progress must be a function, got {progress!r}")
    wanted = effectors if goals is None else goals
    if targets is not None:
        targets = target_table(targets, wanted)
    stepped = speed_limits is not None or acceleration_limits is not None
    at_once = near is not None or smooth is not None
    values, target_offsets, problem = batch_problem(
        figure, wanted, targets, wxyz, start=start, tolerance=tolerance, lock=lock, loops=loops,
        priority=0 if stepped or at_once else FIRST,
    )  # fmt: skip
    if not len(values):
        raise GoalError("targets: there are no frames")
    close = near_poses(figure, near, len(values))
    expected = reference_poses(figure, reference, len(values))
    if at_once:
        if max(problem.levels):
            raise GoalError("goals of several priorities are for frames one by one: use weights")
        refuse_with_whole_clip(
            method=method, acceleration_limits=acceleration_limits, restarts=restarts
        )
        expected = close if expected is None else expected
    ease = at_ease(figure, problem.start) if relax > 0 or at_once else None
    pull = pull_of(relax, fps)
    runner = runner_of(
        problem, find_method(method), near=True, restarts=0 if stepped else restarts, pull=pull,
        chain=True, ease=ease,
    )  # fmt: skip
    if not at_once:
        runner.compile()
    began = time.perf_counter()
    if at_once:
        found = follow(
            figure, goals_of(wanted, targets, wxyz), start=problem.start, fps=fps, near=close,
            usual=ease, smooth=0.0 if smooth is None else not_negative(smooth, "smooth"),
            speed_limits=speeds_at_once(figure, speed_limits), lock=lock, loops=loops,
        )  # fmt: skip
        poses = found.q
        codes = _codes(problem, term_errors(problem, target_offsets, values, poses))
        totals = np.ones((len(poses), TOTALS))
        totals[:, OUT_ITERATIONS] = found.steps
        if progress is not None:
            progress(len(poses))
    elif not stepped:
        poses, codes, totals = run_chain(
            runner, target_offsets, values, problem.start, seed=seed, progress=progress
        )
    else:
        fastest = limits_of_change(figure, speed_limits, figure.speed_limits, "speed_limits")
        none = np.full(figure.n, np.inf)
        hardest = limits_of_change(figure, acceleration_limits, none, "acceleration_limits")
        stepper = Stepper(runner, 1.0 / fps, fastest, hardest)
        poses, codes, totals = run_steps(
            stepper, target_offsets, values, problem.start, pull=pull, progress=progress
        )
    seconds = time.perf_counter() - began
    errors, lengths = _goal_errors(problem, term_errors(problem, target_offsets, values, poses))
    return Track(
        motion=Motion(figure, poses, fps),
        error=errors[:, lengths].max(axis=1, initial=0.0),
        errors=errors,
        status=_held(codes)
        if at_once and smooth
        else statuses(problem, target_offsets, values, codes, poses),
        jumps=jumps(figure, poses, expected),
        iterations=totals[:, OUT_ITERATIONS].astype(int),
        attempts=totals[:, TOTAL_ATTEMPTS].astype(int),
        seconds=seconds,
    )


def pull_of(relax: float, fps: float) -> float:
    """The part of the way to the pose at ease that a frame begins with."""
    return 1.0 - math.exp(-1.0 / (fps * relax)) if relax > 0 else 0.0


def _codes(problem: Problem, errors: np.ndarray) -> np.ndarray:
    """(frames,) exit codes by errors (frames, terms): reached, or stationary short of it."""
    met = (errors <= problem.tolerances).all(axis=1)
    return np.where(met, REACHED, STATIONARY)


def _held(codes: np.ndarray) -> np.ndarray:
    """(frames,) statuses where what is missed is held back by smoothness."""
    out = np.empty(len(codes), dtype=object)
    out[:] = [Status.REACHED if code == REACHED else Status.HELD for code in codes.tolist()]
    return out


def _goal_errors(problem: Problem, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(frames, goals that have an error) from (frames, terms), and which of them are lengths.

    A goal's error is its distance; the angle of one that only turns.
    """
    columns, lengths = [], []
    for terms in problem.terms_of:
        far = [t for t in terms if not problem.terms[t].is_angle]
        if terms and np.isfinite(problem.tolerances[terms]).all():  # a wish has no error
            columns.append(errors[:, far or terms].max(axis=1))
            lengths.append(bool(far))
    return np.column_stack(columns), np.array(lengths)


def track_many(
    figure: Figure,
    effectors: Sequence[str],
    clips: Iterable[np.ndarray],
    *,
    threads: int = 1,
    **options: Any,
) -> list[Track]:
    """``track`` for several clips, shared out over threads.

    Args:
        figure: the figure to move.
        effectors: names of the joints that follow.
        clips: targets (frames, effectors, 3) of each clip.
        threads: how many; the answers are the same to the bit for any number.
        options: those of ``track``.

    Returns:
        One Track per clip, in their order.

    Raises:
        GoalError: as in ``track``.
    """
    at_least_one(threads, "threads")
    if isinstance(clips, str) or not isinstance(clips, Iterable):
        raise GoalError(f"clips: needs targets of several clips, got {clips!r}")
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda clip: track(figure, effectors, clip, **options), clips))


def rotation_changes(figure: Figure, poses: np.ndarray) -> np.ndarray:
    """(frames − 1, joints) how far each joint turns against its parent from frame to frame, rad."""
    world = figure.frames(poses)[:, :, :3, :3]
    local = world.copy()
    has_parent = figure.parents >= 0
    above = world[:, figure.parents[has_parent]]
    local[:, has_parent] = np.swapaxes(above, -1, -2) @ world[:, has_parent]
    change = np.swapaxes(local[:-1], -1, -2) @ local[1:]
    cosine = (np.trace(change, axis1=-2, axis2=-1) - 1.0) / 2.0
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def jumps(figure: Figure, poses: np.ndarray, reference: np.ndarray | None = None) -> np.ndarray:
    """Frames in which a joint turns more than 60 degrees further than the reference does."""
    if len(poses) < 2:
        return np.zeros(0, int)
    further = rotation_changes(figure, poses)
    if reference is not None:
        if len(reference) != len(poses):
            raise GoalError(f"reference: {len(reference)} frames for {len(poses)}")
        further = further - rotation_changes(figure, figure.pose(reference, "reference"))
    return np.nonzero((further > JUMP).any(axis=1))[0] + 1

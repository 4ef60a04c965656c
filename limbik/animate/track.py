"""track: a figure follows moving targets, frame by frame, without flipping between poses."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from limbik import attempts as att
from limbik.errors import GoalError
from limbik.figure import Figure
from limbik.methods import Method
from limbik.methods.contract import OUT_ITERATIONS
from limbik.motion import Motion
from limbik.solve import Pose, Solver, batch_problem, find_method, run_batch, statuses

JUMP = math.radians(60.0)
"""A joint that turns this much further than expected from one frame to the next has jumped."""

RELAXATION = 0.5
"""Seconds in which what the targets leave free drifts back to the middle of the limits."""


@dataclass(frozen=True)
class Track:
    """A followed motion.

    ``error`` (frames,) is the largest distance of an effector from its target, ``errors`` (frames,
    effectors) each one's, ``status`` (frames,) each frame's Status, ``jumps`` the frames in which a
    joint turned 60 degrees further than the reference (or at all, where there is none).
    """

    motion: Motion
    error: np.ndarray
    errors: np.ndarray
    status: np.ndarray
    jumps: np.ndarray
    iterations: np.ndarray
    attempts: np.ndarray
    seconds: float

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
    effectors: Sequence[str],
    targets: np.ndarray,
    *,
    start: Pose | None = None,
    wxyz: np.ndarray | None = None,
    fps: float = 120.0,
    method: str | Method | None = None,
    tolerance: float | tuple[float, float] | None = None,
    restarts: int | None = None,
    seed: int = 0,
    lock: Iterable[str] = (),
    relax: float = RELAXATION,
    reference: np.ndarray | None = None,
    threads: int = 1,
) -> Track | list[Track]:
    """Follow ``targets`` (frames, effectors, 3), each frame from the pose before it.

    ``start`` (n,) is the pose before the first frame, the rest pose unless given; ``wxyz`` (frames,
    effectors, 4) are orientations to follow too.  What the targets leave free drifts back to the
    middle of the limits in ``relax`` seconds (0 turns that off), which keeps a figure from winding
    itself up.  ``reference`` (frames, n) is the motion that jumps are measured against.  Frames
    depend on each other and run in one compiled call; targets of several clips, (clips, frames,
    effectors, 3), are shared out over ``threads`` and give a list.

    >>> import limbik
    >>> clip = limbik.figures.cartwheel()
    >>> hands = ["LeftHand", "RightHand"]
    >>> at = clip.positions()[:, [clip.figure.index(name) for name in hands]]
    >>> limbik.track(clip.figure, hands, at, start=clip.q[0], fps=clip.fps).ok
    True
    """
    targets = np.asarray(targets, dtype=float)
    if targets.ndim == 4:
        if wxyz is not None or reference is not None:
            raise GoalError("wxyz and reference go with the targets of one clip")

        def follow(clip: np.ndarray) -> Track | list[Track]:
            return track(
                figure, effectors, clip, start=start, fps=fps, method=method, tolerance=tolerance,
                restarts=restarts, seed=seed, lock=lock, relax=relax,
            )  # fmt: skip

        with ThreadPoolExecutor(max(1, threads)) as pool:
            return [found for found in pool.map(follow, targets) if isinstance(found, Track)]
    began = time.perf_counter()
    values, places, problem = batch_problem(
        figure, effectors, targets, wxyz, start=start, tolerance=tolerance, lock=lock
    )
    if not fps > 0 or not math.isfinite(fps):
        raise GoalError(f"fps must be positive, got {fps}")
    if relax < 0:
        raise GoalError(f"relax must not be negative, got {relax}")
    pull = 1.0 - math.exp(-1.0 / (fps * relax)) if relax > 0 else 0.0
    solver = Solver(problem, find_method(method), near=True, restarts=restarts, pull=pull)
    starts = np.tile(problem.start, (max(1, len(values)), 1))
    poses, codes, totals = run_batch(
        solver, places, values, starts, chain=True, seed=seed, threads=1
    )
    names = [effectors] if isinstance(effectors, str) else list(effectors)
    reached = figure.positions(poses)[:, [figure.index(name) for name in names]]
    errors = np.linalg.norm(reached - targets.reshape(reached.shape), axis=-1)
    return Track(
        motion=Motion(figure, poses, fps),
        error=errors.max(axis=1),
        errors=errors,
        status=statuses(problem, places, values, codes, poses),
        jumps=jumps(figure, poses, reference),
        iterations=totals[:, OUT_ITERATIONS].astype(int),
        attempts=totals[:, att.TOTAL_ATTEMPTS].astype(int),
        seconds=time.perf_counter() - began,
    )


def turns(figure: Figure, poses: np.ndarray) -> np.ndarray:
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
    further = turns(figure, poses)
    if reference is not None:
        further = further - turns(figure, figure.pose(reference, "reference"))
    return np.nonzero((further > JUMP).any(axis=1))[0] + 1

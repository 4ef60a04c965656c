"""What a tracked frame costs, in passes: forward kinematics plus Jacobian of the same figure.

    python -m benchmarks.track [CLIP.bvh ...]

Without arguments: the built-in cartwheel.  Time and pass are measured in turns in one run, and the
best of several rounds is kept, because the machine may be busy with other things.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

import limbik
from benchmarks.report import keep, show
from limbik.animate.learn import limits_from
from limbik.animate.track import RELAXATION
from limbik.solver.batch_runs import run_chain
from limbik.solver.objective import evaluate, linearise, state_size
from limbik.solver.problem import Problem
from limbik.solver.runner import Runner, find_method
from limbik.solver.targets.tables import batch_problem

EFFECTORS = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
ROUNDS = 15


@njit
def _passes(ints, floats, q, state, r, jt, model, count):
    for _ in range(count):
        evaluate(ints, floats, q, state, r)
        linearise(ints, floats, q, state, r, jt, model)


def pass_time(problem: Problem, q: np.ndarray, count: int = 2000) -> float:
    """Microseconds of one forward kinematics and Jacobian of all goals."""
    state, r = np.empty(int(state_size(problem.ints))), np.empty(problem.rows)
    jt, model = np.empty((problem.figure.n, problem.rows)), np.empty(problem.rows)
    began = time.perf_counter()
    _passes(problem.ints, problem.floats, q, state, r, jt, model, count)
    return (time.perf_counter() - began) / count * 1e6


def measure(clip: limbik.Motion, every: float, limits: bool) -> dict[str, Any]:
    """Track the clip's own effectors, sampled ``every`` seconds, with limits learnt from it."""
    figure = clip.figure.with_limits(limits_from(clip)) if limits else clip.figure
    sampled = clip.sample(every) if every > 0 else clip
    at = sampled.positions()[:, [figure.index(name) for name in EFFECTORS]]
    targets, target_offsets, problem = batch_problem(
        figure, EFFECTORS, at, None, start=sampled.q[0]
    )
    pull = 1.0 - math.exp(-1.0 / (sampled.fps * RELAXATION))
    solver = Runner(problem, find_method(None), near=True, restarts=None, pull=pull)
    solver.compile()
    poses, codes, totals = run_chain(solver, target_offsets, targets, problem.start, seed=0)
    frame, one_pass = math.inf, math.inf
    middle = sampled.q[len(sampled.q) // 2].copy()
    pass_time(problem, middle, 1)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run_chain(solver, target_offsets, targets, problem.start, seed=0)
        frame = min(frame, (time.perf_counter() - began) / len(targets) * 1e6)
        one_pass = min(one_pass, pass_time(problem, middle))
    return {
        "clip": clip.name or "cartwheel",
        "every": every,
        "n": figure.n,
        "frames": len(targets),
        "reached": int((codes == 0).sum()),
        "us_per_frame": frame,
        "us_per_pass": one_pass,
        "passes_per_frame": frame / one_pass,
        "iterations": float(totals[:, 1].mean()),
        "restarted": int((totals[:, -1] > 1).sum()),
        "violation": float(np.max(figure.violation(poses))),
    }


def main(paths: list[str]) -> None:
    """Measure the built-in motion, or the clips that were named."""
    rows = []
    if paths:
        for path in paths:
            clip = limbik.load_motion(path)
            named = limbik.Motion(clip.figure, clip.q, clip.fps, name=Path(path).name)
            rows += [measure(named, every, True) for every in (0.0, 0.05)]
    else:
        clip = limbik.figures.cartwheel()
        rows += [measure(clip, every, False) for every in (0.0, 0.05)]
    show("Tracking six effectors: cost of a frame", rows)
    keep("track_clips" if paths else "track", rows)


if __name__ == "__main__":
    main(sys.argv[1:])

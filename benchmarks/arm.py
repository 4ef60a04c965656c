"""A 7-joint arm from its middle pose to random reachable full poses, to 1e-6 m and rad.

python -m benchmarks.arm [PROBLEMS]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik.maths.so3 import matrix_to_quat
from limbik.methods.base import OUT_ITERATIONS, REACHED
from limbik.solver.batch_runs import Batch
from limbik.solver.restarts import TOTAL_ATTEMPTS
from limbik.solver.runner import Runner, find_method
from limbik.solver.targets.tables import batch_problem

ROUNDS = 3


def reachable(figure: limbik.Figure, tool: str, count: int, seed: int) -> tuple[Any, Any]:
    """Positions (count, 1, 3) and orientations (count, 1, 4) of random poses inside the limits."""
    random = np.random.default_rng(seed)
    poses = random.uniform(figure.lower, figure.upper, (count, figure.n))
    frames = figure.frames(poses)[:, figure.index(tool)]
    return frames[:, None, :3, 3], matrix_to_quat(frames[:, :3, :3])[:, None]


def main(count: int) -> None:
    """Solve one by one for the times, and all together for the rate.

    The problem is built once, so that a time is one compiled call and not the set-up before it.
    """
    figure = limbik.figures.arm()
    middle = 0.5 * (figure.lower + figure.upper)
    places, turns = reachable(figure, "Tool", count, seed=0)
    targets, where, problem = batch_problem(figure, ["Tool"], places, turns, tolerance=1e-6)
    starts = np.tile(middle, (count, 1))
    rows = []
    for restarts in (0, 100):
        solver = Runner(problem, find_method(None), near=False, restarts=restarts)
        solver.compile()
        batch = Batch(solver, where, targets, seed=0)
        batch.part(0, 1, starts[:1], chain=False)
        seconds, together = np.full(count, np.inf), np.inf
        for _ in range(ROUNDS):
            for k in range(count):
                began = time.perf_counter()
                batch.part(k, k + 1, starts[k : k + 1], chain=False)
                seconds[k] = min(seconds[k], time.perf_counter() - began)
            began = time.perf_counter()
            batch.part(0, count, starts, chain=False)
            together = min(together, time.perf_counter() - began)
        median, mean = float(np.median(seconds)) * 1e6, float(seconds.mean()) * 1e6
        rows.append(
            {
                "restarts": restarts,
                "problems": count,
                "solved_%": 100.0 * float((batch.codes == REACHED).mean()),
                "batch_us": together / count * 1e6,
                "median_us": median,
                "mean_us": mean,
                "mean/median": mean / median,
                "iterations": float(batch.totals[:, OUT_ITERATIONS].mean()),
                "attempts": int(batch.totals[:, TOTAL_ATTEMPTS].max()),
                "violation": float(np.max(figure.violation(batch.poses))),
            }
        )
    show("7-joint arm, random reachable full poses, to 1e-6", rows)
    keep("arm", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)

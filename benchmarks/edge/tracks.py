"""Following targets beyond reach: a clip's own effectors, moved away from their middle.

    python -m benchmarks.edge.tracks [CLIP.bvh ...]

Without arguments the built-in cartwheel.  Targets are enlarged by 5, 15 and 40 % about the middle
of the six effectors in every frame.  For each: frames that reach their targets, jumps with restarts
and without, roughness (mean second difference of joint positions) beside the recorded motion's,
and the processor time of solving beside that of the targets as recorded.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from benchmarks.track import EFFECTORS
from limbik.animate.track import RELAXATION
from limbik.solver.batch_runs import run_chain
from limbik.solver.runner import Runner, find_method
from limbik.solver.targets.tables import batch_problem

LARGER = (1.0, 1.05, 1.15, 1.4)
MOST_FRAMES = 600
ROUNDS = 10


def roughness(figure: limbik.Figure, poses: np.ndarray) -> float:
    """Mean length of the second difference of all joints' positions, in the figure's unit."""
    return float(np.linalg.norm(np.diff(figure.positions(poses), 2, axis=0), axis=-1).mean())


def processor_time(figure: limbik.Figure, at: np.ndarray, start: np.ndarray, fps: float) -> float:
    """Seconds of solving all frames, in this thread, the least of a few rounds."""
    targets, target_offsets, problem = batch_problem(figure, EFFECTORS, at, None, start=start)
    pull = 1.0 - math.exp(-1.0 / (fps * RELAXATION))
    runner = Runner(problem, find_method(None), near=True, restarts=None, pull=pull, chain=True)
    runner.compile()
    least = math.inf
    for _ in range(ROUNDS):
        began = time.thread_time()
        run_chain(runner, target_offsets, targets, problem.start, seed=0)
        least = min(least, time.thread_time() - began)
    return least


def measure(clip: limbik.Motion, figure: limbik.Figure, every: float) -> list[dict[str, Any]]:
    """One row per enlargement, the first with the targets as recorded."""
    sampled = clip.sample(every) if every > 0 else clip
    q = figure.project(sampled.q[:MOST_FRAMES])
    at = figure.positions(q)[:, [figure.index(name) for name in EFFECTORS]]
    middle = at.mean(axis=1, keepdims=True)
    rows: list[dict[str, Any]] = []
    for larger in LARGER:
        targets = middle + larger * (at - middle)
        found = {
            restarts: limbik.track(
                figure, EFFECTORS, targets, start=q[0], fps=sampled.fps, restarts=restarts,
                reference=q,
            )
            for restarts in (None, 0)
        }  # fmt: skip
        each = processor_time(figure, targets, q[0], sampled.fps) / len(q) * 1e6
        rows.append(
            {
                "clip": clip.name or "cartwheel",
                "every": every,
                "larger": larger,
                "frames": len(q),
                "reached": int((found[None].status == "REACHED").sum()),
                "stalled": int((found[None].status == "STALLED").sum()),
                "jumps": len(found[None].jumps),
                "jumps_restarts_0": len(found[0].jumps),
                "roughness": roughness(figure, found[None].motion.q) / roughness(figure, q),
                "attempts": float(found[None].attempts.mean()),
                "us_per_frame": each,
                "to_recorded": each / (rows[0]["us_per_frame"] if rows else each),
            }
        )
    return rows


def main() -> None:
    """Measure the built-in motion and the clips that were named, at full rate and every 0.05 s."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="*", metavar="CLIP.bvh")
    clip = limbik.figures.cartwheel()
    clips = [(clip, clip.figure)]
    for path in parser.parse_args().clips:
        read = limbik.load_motion(path)
        named = limbik.Motion(read.figure, read.q[1:], read.fps, name=Path(path).stem)
        if len(named.q) > 20:
            clips.append((named, named.figure.with_limits(limbik.limits_from(named))))
    rows = [
        row for motion, figure in clips for every in (0.0, 0.05)
        for row in measure(motion, figure, every)
    ]  # fmt: skip
    show("Following targets beyond reach", rows)
    keep("edge/tracks", rows)


if __name__ == "__main__":
    main()

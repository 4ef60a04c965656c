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
from limbik.rotations import matrix_to_quat


def reachable(figure: limbik.Figure, tool: str, count: int, seed: int) -> tuple[Any, Any]:
    """Positions (count, 1, 3) and orientations (count, 1, 4) of random poses inside the limits."""
    random = np.random.default_rng(seed)
    poses = random.uniform(figure.lower, figure.upper, (count, figure.n))
    frames = figure.frames(poses)[:, figure.index(tool)]
    return frames[:, None, :3, 3], matrix_to_quat(frames[:, :3, :3])[:, None]


def main(count: int) -> None:
    """Solve one by one for the times, and all together for the rate."""
    figure = limbik.figures.arm()
    middle = 0.5 * (figure.lower + figure.upper)
    places, turns = reachable(figure, "Tool", count, seed=0)
    common: dict[str, Any] = {"starts": middle, "tolerance": 1e-6, "seed": 0}
    limbik.solve_many(figure, ["Tool"], positions=places[:2], wxyz=turns[:2], **common)
    rows = []
    for restarts in (0, 100):
        seconds = np.empty(count)
        solved = np.empty(count, bool)
        for k in range(count):
            began = time.perf_counter()
            answer = limbik.solve_many(
                figure,
                ["Tool"],
                positions=places[k : k + 1],
                wxyz=turns[k : k + 1],
                restarts=restarts,
                **common,
            )
            seconds[k] = time.perf_counter() - began
            solved[k] = answer.ok[0]
        together = limbik.solve_many(
            figure, ["Tool"], positions=places, wxyz=turns, restarts=restarts, **common
        )
        rows.append(
            {
                "restarts": restarts,
                "problems": count,
                "solved_percent": 100.0 * float(together.ok.mean()),
                "us_mean_in_batch": together.seconds / count * 1e6,
                "us_median_one_by_one": float(np.median(seconds)) * 1e6,
                "us_mean_one_by_one": float(seconds.mean()) * 1e6,
                "iterations_median": float(np.median(together.iterations)),
                "iterations_mean": float(together.iterations.mean()),
                "attempts_most": int(together.attempts.max()),
                "violation": float(np.max(figure.violation(together.q))),
            }
        )
    show("7-joint arm, random reachable full poses, to 1e-6", rows)
    keep("arm", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)

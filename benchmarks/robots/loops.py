"""Closed loops of MJCF robots: how far MuJoCo finds them open, and the time beside an open tree.

    python -m benchmarks.robots.loops FOLDER [PROBLEMS]

FOLDER holds agility_cassie/cassie.xml and robotiq_2f85/2f85.xml.  Targets are where another closed
pose has the ends; every fourth is three times as far away.  Times are the least of three, from the
same start, for the same targets: with the loops, and without them.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import mujoco
import numpy as np

import limbik
from limbik import Reach, Rest, Solver

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from helpers.robot_comparisons import gaps

ROBOTS = {
    "agility_cassie/cassie.xml": ["left-foot", "right-foot"],
    "robotiq_2f85/2f85.xml": ["left_pad"],
}


def main(folder: Path, problems: int) -> None:
    """Print per robot the largest gap, and microseconds per solve."""
    warnings.simplefilter("ignore")
    print(
        "robot                      gap by MuJoCo  within reach: open  closed  beyond: open  closed"
    )
    for file, ends in ROBOTS.items():
        figure = limbik.load(folder / file)
        model = mujoco.MjModel.from_xml_path(str(folder / file))  # type: ignore[attr-defined]
        data = mujoco.MjData(model)  # type: ignore[attr-defined]
        rng, home = np.random.default_rng(0), limbik.solve(figure, Rest()).q
        goals = [Reach(end, position=np.zeros(3)) for end in ends]
        solvers = [Solver(figure, goals, loops=False), Solver(figure, goals)]
        took: list[list[tuple[float, float]]] = [[], []]
        worst, missed = 0.0, 0
        for k in range(problems):
            thrown = figure.project(home + 0.4 * rng.normal(size=figure.n))
            there = figure.positions(limbik.solve(figure, Rest(pose=thrown), start=home).q)
            beyond = k % 4 == 3
            targets = {e: (3.0 if beyond else 1.0) * there[figure.index(e)] for e in ends}
            least, result = [np.inf, np.inf], None
            for _ in range(3):
                for which, solver in enumerate(solvers):
                    began = time.perf_counter()
                    result = solver.solve(home, targets)
                    least[which] = min(least[which], 1e6 * (time.perf_counter() - began))
            assert result is not None
            took[beyond].append((least[0], least[1]))
            worst = max(worst, *gaps(figure, result.q, model, data))
            missed += not beyond and not result.ok
        near, far = (np.median(np.array(times), axis=0) for times in took)
        print(
            f"{file:26} {worst:10.1e} m      {near[0]:10.0f} µs {near[1]:5.0f} µs"
            f"  {far[0]:9.0f} µs {far[1]:5.0f} µs   ({missed} of {problems} missed)"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 400)

"""What a call costs beyond its arithmetic: solve_many, Solver.solve and limbik.solve on one arm.

    python -m benchmarks.calls [PROBLEMS]

The same problems, without restarts, in interleaved rounds; each figure is the least of its rounds,
per problem, so that what else runs on the machine disturbs it little.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import limbik

ROUNDS = 9


def main(problems: int) -> None:
    """Print microseconds per problem, and what each call costs more than the first."""
    arm = limbik.figures.arm()
    rng = np.random.default_rng(0)
    places = arm.positions(arm.project(rng.uniform(-2.0, 2.0, (problems, arm.n))), "Tool")
    solver = limbik.Solver(arm, limbik.Reach("Tool", position=places[0]))

    def many() -> np.ndarray:
        return limbik.solve_many(arm, ["Tool"], positions=places[:, None], restarts=0).q

    def moved() -> np.ndarray:
        return np.array([solver.solve(None, {"Tool": place}).q for place in places])

    def anew() -> np.ndarray:
        goals = (limbik.Reach("Tool", position=place) for place in places)
        return np.array([limbik.solve(arm, goal, restarts=0).q for goal in goals])

    calls: dict[str, Callable[[], np.ndarray]] = {
        "solve_many": many, "Solver.solve": moved, "limbik.solve": anew,
    }  # fmt: skip
    answers = [call() for call in calls.values()]  # compiles
    assert all(np.array_equal(answers[0], other) for other in answers[1:])
    least = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            least[name] = min(least[name], 1e6 * (time.perf_counter() - began) / problems)
    for name, took in least.items():
        print(f"{name:14} {took:7.1f} µs per problem, {took - least['solve_many']:7.1f} more")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)

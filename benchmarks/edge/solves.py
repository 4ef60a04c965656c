"""Targets beyond reach: how a solve ends, what it costs, and whether SciPy finds anything better.

    python -m benchmarks.edge.solves [PROBLEMS [SCIPY [FIGURE ...]]]

Five figures, random targets that no attempt reaches.  For each: how the answers end, the median
time beside that of reachable targets and beside ``restarts=0``, how often SciPy (SLSQP, with the
cones as constraints) finds a lower f from the same start, and how far joints move that no goal
feels.  SciPy takes minutes per hundred problems: it solves the first SCIPY of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import limbik
from benchmarks.report import keep, show
from limbik import Pin, Reach
from limbik.figure.limits import SwingTwist
from limbik.figures import FINGERTIPS
from limbik.solver.problem import Problem

ROUNDS = 3


class Case(NamedTuple):
    """A figure, goals made from a random number generator and a distance, and joints to lock."""

    name: str
    figure: limbik.Figure
    goals: Callable[[np.random.Generator, float], list[Any]]
    lock: tuple[str, ...] = ()


def cases() -> Iterator[Case]:
    """The five figures; a distance of 1 is the figure's size."""
    human, hand = limbik.figures.human(), limbik.figures.hand()
    arm, spider = limbik.figures.arm(), limbik.figures.spider()

    def pushed(figure: limbik.Figure, joint: str, at: Any, rng: Any, far: float) -> np.ndarray:
        frame = figure.frames(figure.rest)[figure.index(joint)]
        away = rng.normal(size=3)
        there = frame[:3, :3] @ np.asarray(at, float) + frame[:3, 3]
        return there + far * figure.size * away / np.linalg.norm(away)

    def left_hand(rng: Any, far: float) -> list[Any]:
        return [Reach("LeftHand", position=pushed(human, "LeftHand", (0, 0, 0), rng, far))]

    feet = [j for j in spider.joints if j not in {d.parent for d in spider.definition}]
    yield Case(
        "human, feet pinned",
        human,
        lambda rng, far: [*left_hand(rng, far), Pin("LeftFoot"), Pin("RightFoot")],
    )
    yield Case("human, root fixed", human, left_hand, (human.joints[0],))
    yield Case(
        "hand",
        hand,
        lambda rng, far: [
            Reach(joint, position=pushed(hand, joint, at, rng, far), at=at)
            for joint, at in FINGERTIPS.values()
        ],
    )
    yield Case(
        "arm",
        arm,
        lambda rng, far: [
            Reach(
                "Tool",
                position=pushed(arm, "Tool", (0, 0, 0), rng, far),
                wxyz=rng.normal(size=4),
            )
        ],
    )
    yield Case(
        "spider",
        spider,
        lambda rng, far: [
            Reach(foot, position=pushed(spider, foot, (0, 0, 0), rng, far)) for foot in feet
        ],
    )


def by_scipy(problem: Problem, lock: tuple[str, ...]) -> float:
    """The least f that SLSQP finds from the same start, inside ranges and cones."""
    figure = problem.figure
    lower, upper = figure.lower.copy(), figure.upper.copy()
    for joint in lock:
        c = figure.coordinates_of(joint)
        lower[c] = upper[c] = problem.start[c]
    constraints = []
    for joint in figure.definition:
        if isinstance(joint.limit, SwingTwist) and joint.limit.swing is not None:
            first = figure.coordinates_of(joint.name)
            first = list(range(figure.n))[first] if isinstance(first, slice) else list(first)
            (a, b), (x, y) = joint.limit.swing, joint.limit.center
            i, k = first[-3], first[-2]

            def inside(q: np.ndarray, i=i, k=k, a=a, b=b, x=x, y=y) -> float:
                return 1.0 - ((q[i] - x) / a) ** 2 - ((q[k] - y) / b) ** 2

            def slope(q: np.ndarray, i=i, k=k, a=a, b=b, x=x, y=y) -> np.ndarray:
                out = np.zeros(len(q))
                out[i], out[k] = -2.0 * (q[i] - x) / a**2, -2.0 * (q[k] - y) / b**2
                return out

            constraints.append({"type": "ineq", "fun": inside, "jac": slope})
    found = minimize(
        problem.objective,
        problem.start,
        jac=problem.gradient,
        method="SLSQP",
        bounds=list(zip(lower, upper, strict=True)),
        constraints=constraints,
        options={"maxiter": 400, "ftol": 1e-12},
    )
    return problem.objective(figure.project(found.x))


def timed(case: Case, goals: list[Any], restarts: int | None) -> tuple[limbik.Result, float]:
    """The answer and its least time in seconds over a few rounds."""
    best = np.inf
    for _ in range(ROUNDS):
        began = time.perf_counter()
        r = limbik.solve(case.figure, goals, lock=case.lock, restarts=restarts)
        best = min(best, time.perf_counter() - began)
    return r, best


def measure(case: Case, count: int, by_both: int) -> dict[str, Any]:
    """``count`` problems that end short, the first ``by_both`` solved by SciPy too, and the
    reachable ones met on the way."""
    figure, rng = case.figure, np.random.default_rng(0)
    statuses: dict[str, int] = {}
    short, alone, reached, moved, gap, attempts = [], [], [], [], [], []
    worse = 0
    while len(short) < count:
        far = float(rng.uniform(0.0, 1.5))
        goals = case.goals(rng, far)
        first, least = timed(case, goals, 0)
        r, took = timed(case, goals, None)
        if r.ok:
            reached.append(took)
            continue
        short.append(took)
        alone.append(least)
        attempts.append(r.attempts)
        statuses[str(r.status)] = statuses.get(str(r.status), 0) + 1
        worse += r.objective > first.objective * (1.0 + 1e-12)
        problem = Problem(figure, goals, lock=case.lock)
        # A twist that the start's bent elbow feels is not idle because the arm is straight now.
        idle = ~(problem.jacobian(problem.start).any(axis=0) | problem.jacobian(r.q).any(axis=0))
        moved.append(
            float(np.degrees(np.abs(r.q - problem.start)[idle & ~figure.slides].max(initial=0.0)))
        )
        if len(gap) < by_both:
            gap.append((r.objective - by_scipy(problem, case.lock)) / r.objective)
    # Reachable ones, where random targets hardly are: poses inside the limits.
    while len(reached) < min(count, 200):
        wide = np.minimum(1.0, 0.5 * (figure.upper - figure.lower))
        there = figure.project(figure.rest + rng.uniform(-1.0, 1.0, figure.n) * wide)
        goals = case.goals(rng, 0.0)
        frames = figure.frames(there)
        goals = [
            Reach(
                g.joint,
                position=frames[figure.index(g.joint)][:3, :3] @ np.asarray(g.at)
                + frames[figure.index(g.joint)][:3, 3],
                at=g.at,
            )
            if isinstance(g, Reach) and g.wxyz is None
            else g
            for g in goals
        ]
        r, took = timed(case, goals, None)
        if r.ok:
            reached.append(took)
    gaps = np.array(gap)
    return {
        "figure": case.name,
        "problems": count,
        "by_scipy": len(gap),
        "settled_%": 100.0 * (1.0 - statuses.get("STALLED", 0) / count),
        "statuses": " ".join(f"{k}:{v}" for k, v in sorted(statuses.items())),
        "us": float(np.median(short)) * 1e6,
        "us_reachable": float(np.median(reached)) * 1e6,
        "ratio": float(np.median(short) / np.median(reached)),
        "to_restarts_0": float(np.median(np.array(short) / np.array(alone))),
        "attempts": float(np.median(attempts)),
        "worse_than_restarts_0": int(worse),
        "within_1e-6_of_scipy_%": 100.0 * float((gaps <= 1e-6).mean()),
        "scipy_1%_better": int((gaps > 0.01).sum()),
        "limbik_1%_better": int((gaps < -0.01).sum()),
        "idle_deg": max(moved),
    }


def main(count: int, by_both: int, names: list[str]) -> None:
    """Measure all figures, or those whose names begin as given."""
    rows = [
        measure(case, count, by_both)
        for case in cases()
        if not names or any(case.name.startswith(name) for name in names)
    ]
    show("Targets beyond reach", rows)
    if not names:
        keep("edge/solves", rows)


if __name__ == "__main__":
    given = sys.argv[1:]
    problems = int(given[0]) if given else 1000
    main(problems, int(given[1]) if len(given) > 1 else problems, given[2:])

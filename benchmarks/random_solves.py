"""Random solves over figures and goals: no broken limit, no NaN, no rise of f.

Figures are built-in ones and robots of every kind of joint; goals are drawn from all kinds that
there are, reachable or not.  Every answer must be finite and inside its limits exactly, and f at
the answer not above f at the start, which plain NumPy works out from the problem's residuals.  A
restart that meets every goal is an answer even where wishes, such as Manipulability, then pull
more than at the start: that alone is no rise, and is counted apart.

    python -m benchmarks.random_solves [solves]
    python -m benchmarks.random_solves --for SECONDS

The second form goes on where the results end, for so many seconds, and adds up; every block of
problems has its own seed.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, kept, show
from limbik import Figure, Problem
from limbik.goals import Goal

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BLOCK = 200  # problems of one set of goals
NAME = "random_solves"
COUNTED = ("solves", "NaN", "outside limits", "rise of f", "reached", "reached at a higher f")


def figures() -> dict[str, Figure]:
    """Characters with cones, hands, an arm, and robots with masses and shapes."""
    out = {
        "human": limbik.figures.human(),
        "hand": limbik.figures.hand(),
        "arm": limbik.figures.arm(),
        "spider": limbik.figures.spider(),
    }
    for name in ("unitree_g1/g1.xml", "shadow_hand/right_hand.xml"):
        path = DATA / "robots_mjcf" / name
        if path.exists():
            out[Path(name).parent.name] = limbik.load(path)
    return out


def goals(rng: np.random.Generator, figure: Figure, places: np.ndarray) -> list[Goal]:
    """A few goals; ``places`` (problems, joints, 3) are where random poses have the joints."""
    names, far = figure.joints, figure.size
    joint = lambda: str(rng.choice(names))  # noqa: E731
    k = int(rng.integers(len(names)))
    out: list[Goal] = [
        limbik.Reach(
            names[k], position=places[:, k] + rng.choice([0.0, 0.3]) * far * rng.normal(size=3)
        )
    ]
    makers: list[Any] = [
        lambda: limbik.Aim(joint(), axis="z", target=rng.normal(size=3) * far),
        lambda: limbik.Pin(joint(), rotation=bool(rng.integers(2))),
        lambda: limbik.Plane(joint(), rng.normal(size=3), 0.2 * far),
        lambda: limbik.Above(joint(), rng.normal(size=3), 0.1 * far),
        lambda: limbik.Within(joint(), sphere=(rng.normal(size=3) * 0.3 * far, 0.2 * far)),
        lambda: limbik.Rest(weight=float(rng.uniform(0, 0.1))),
        lambda: limbik.FarFromLimits(weight=float(rng.uniform(0, 0.1))),
        lambda: limbik.Manipulability(joint(), weight=float(rng.uniform(0, 0.1))),
        lambda: limbik.Avoid([limbik.Sphere(0.2 * far, tuple(rng.normal(size=3) * 0.3 * far))]),
        lambda: limbik.CenterOfMass(rng.normal(size=3) * 0.2 * far),
        lambda: limbik.Balance([joint(), joint()], margin=0.01 * far),
    ]
    for which in rng.choice(len(makers), int(rng.integers(1, 4)), replace=False):
        out.append(makers[which]())
    pair = [str(name) for name in rng.choice(names, 2, replace=False)]
    if rng.random() < 0.3:
        out.append(limbik.Distance(*pair, 0.3 * far))
    elif rng.random() < 0.3:
        out.append(limbik.Reach(pair[0], position=rng.normal(size=3), relative_to=pair[1]))
    return out


def run(known: dict[str, Figure], turn: int, counts: dict[str, list[int]]) -> None:
    """Add to the counts of all figures a block of problems, those of this turn."""
    for which, (name, figure) in enumerate(known.items()):
        rng = np.random.default_rng([0, turn, which])
        starts = figure.project(figure.rest + rng.normal(size=(BLOCK, figure.n)))
        poses = figure.project(figure.rest + 0.7 * rng.normal(size=(BLOCK, figure.n)))
        try:
            asked = goals(rng, figure, figure.positions(poses))
            answers = limbik.solve_many(figure, asked, starts=starts, restarts=int(rng.integers(2)))
        except limbik.GoalError:  # such as a Balance of a figure without masses
            continue
        first = [limbik.Reach(asked[0].joint, position=p) for p in asked[0].position]  # type: ignore[attr-defined]
        problem = Problem(figure, [first[0], *asked[1:]])
        own = counts[name]
        for k, q in enumerate(answers.q):
            own[0] += 1
            own[1] += not np.isfinite(q).all()
            own[2] += not (figure.project(q) == q).all()
            problem.set_target(0, position=first[k].position)
            before, after = problem.objective(starts[k]), problem.objective(q)
            rises = not after <= before * (1.0 + 1e-12)
            met_by_restart = bool(answers.ok[k] and answers.attempts[k] > 1)
            own[3] += rises and not met_by_restart
            own[4] += bool(answers.ok[k])
            own[5] += rises and met_by_restart
            if rises:
                print(f"{name}, turn {turn}, problem {k}: f {before} -> {after}", flush=True)


def main() -> None:
    more = sys.argv[1:2] == ["--for"]
    seconds = float(sys.argv[2]) if more else math.inf
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 and not more else 10_000
    wanted, end = sys.maxsize if more else wanted, time.monotonic() + seconds
    before = {row["figure"]: row for row in kept(NAME)} if more else {}
    known, turn = figures(), max((row["turns"] for row in before.values()), default=0)
    counts = {
        name: [before[name][what] for what in COUNTED] if name in before else [0] * len(COUNTED)
        for name in known
    }
    warnings.simplefilter("ignore")
    while sum(count[0] for count in counts.values()) < wanted and time.monotonic() < end:
        run(known, turn, counts)
        turn += 1
        done = sum(count[0] for count in counts.values())
        print(done, {name: count for name, count in counts.items() if any(count[1:4])}, flush=True)
    rows = [
        {"figure": name, **dict(zip(COUNTED, count, strict=True)), "turns": turn}
        for name, count in counts.items()
    ]
    show(f"{sum(row['solves'] for row in rows)} solves", rows)
    keep(NAME, rows)


if __name__ == "__main__":
    main()

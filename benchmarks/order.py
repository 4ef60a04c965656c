"""Priorities: random two-level problems, and what the second level does to the first.

    python -m benchmarks.order [PROBLEMS]

A third of the problems each on the human (feet, then a hand, then posture), the arm (a plane, then
a place on or off it) and the spider (feet, then the body).  The first level is solved alone and
with the second below it; its errors must be the same to 1e-6 of their unit.  As a yardstick, the
same goals with weights of 1e6 : 1 instead of priorities.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np

import limbik
from limbik import Figure, Pin, Plane, Reach, Rest
from limbik.goals import Goal

WEIGHT = 1e6


def goals_of(figure: Figure, rng: np.random.Generator) -> tuple[list[Goal], list[Goal]]:
    """The goals of the first level, and those below it."""
    pose = figure.project(0.7 * rng.normal(size=figure.n))
    there = dict(zip(figure.joints, figure.positions(pose), strict=True))
    far = rng.uniform(0.7, 1.5)
    if figure.name == "arm":
        normal = rng.normal(size=3)
        first: list[Goal] = [Plane("Tool", normal, float(rng.uniform(0.0, 0.5)))]
        hand = Reach("Tool", position=far * there["Tool"], priority=1)
    elif figure.name == "spider":
        feet = rng.choice(figure.joints[1:], 3, replace=False).tolist()
        first = [Reach(foot, position=there[foot]) for foot in feet]
        body = there[figure.joints[0]] + 0.2 * far * rng.normal(size=3)
        hand = Reach(figure.joints[0], position=body, priority=1)
    else:
        first = [Pin("LeftFoot"), Pin("RightFoot", rotation=True)]
        hand = Reach("LeftHand", position=far * there["LeftHand"], priority=1)
    return first, [hand, Rest(1e-3, priority=2)]


def numbers(errors: tuple[limbik.Miss, ...]) -> np.ndarray:
    """(goals, 2) lengths and angles."""
    return np.array([[e.length or 0.0, e.angle or 0.0] for e in errors])


def heavier(goal: Goal) -> Goal:
    """A goal of the first level with a large weight instead."""
    turns = {"rotation_weight": WEIGHT} if isinstance(goal, Pin) else {}
    return replace(goal, weight=WEIGHT, **turns)  # type: ignore[type-var]


def main(problems: int) -> None:
    """Print per figure the largest change of the first level, and what the second came to."""
    print("figure   problems  first level: largest change   REACHED  second level better, equal,")
    print("                   by priority      by weight             worse than by weight    ms")
    for name in ("human", "arm", "spider"):
        figure = getattr(limbik.figures, name)()
        count = problems // 3 + (name == "human") * (problems % 3)
        changes, weighed, reached, took = [], [], 0, []
        better = np.zeros(3, int)
        for seed in range(count):
            rng = np.random.default_rng(seed)
            first, then = goals_of(figure, rng)
            start = figure.project(0.2 * rng.normal(size=figure.n))
            alone = limbik.solve(figure, first, start=start, restarts=2)
            began = time.perf_counter()
            both = limbik.solve(figure, [*first, *then], start=start, restarts=2)
            took.append(1e3 * (time.perf_counter() - began))
            heavy = [heavier(goal) for goal in first]
            even: Goal = replace(then[0], priority=0)  # type: ignore[type-var]
            same = limbik.solve(figure, [*heavy, even], start=start, restarts=2)
            size = len(first)
            assert figure.violation(both.q) == 0.0
            changes.append(np.abs(numbers(both.errors[:size]) - numbers(alone.errors)).max())
            weighed.append(np.abs(numbers(same.errors[:size]) - numbers(alone.errors)).max())
            reached += both.ok
            far, other = float(both.errors[size]), float(same.errors[size])
            close = abs(far - other) <= 1e-3 * figure.size
            better[1 if close else 0 if far < other else 2] += 1
        print(
            f"{name:8} {count:8}  {max(changes):11.1e}      {max(weighed):9.1e}     "
            f"{reached:5}   {better[0]:6} {better[1]:6} {better[2]:6}      {np.median(took):7.1f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

"""Reachable targets at corners of the limits: how many are reached, and in how many attempts.

    python -m benchmarks.edge.corners [PROBLEMS]

Poses whose coordinates are at an end of their range, seven tenths of them or all, the others
anywhere inside; their effectors' positions are the targets, for the arm its tool's orientation too.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik import Reach
from limbik.figures import FINGERTIPS
from limbik.maths.quaternions import matrix_to_quat

PARTS = (0.7, 1.0)


def corner(figure: limbik.Figure, rng: np.random.Generator, part: float) -> np.ndarray:
    """(n,) a pose with that part of its coordinates at an end of their range."""
    bounded = np.isfinite(figure.lower) & np.isfinite(figure.upper)
    q = np.where(bounded, 0.0, rng.uniform(-1.0, 1.0, figure.n))
    q[bounded] = rng.uniform(figure.lower[bounded], figure.upper[bounded])
    ends = np.where(rng.random(figure.n) < 0.5, figure.lower, figure.upper)
    return figure.project(np.where(bounded & (rng.random(figure.n) < part), ends, q))


def measure(name: str, part: float, count: int) -> dict[str, Any]:
    """One row: a built-in figure and how much of it is at its limits."""
    figure, rng = getattr(limbik.figures, name)(), np.random.default_rng(1)
    inner = {joint.parent for joint in figure.definition}
    effectors = [(joint, (0.0, 0.0, 0.0)) for joint in figure.joints if joint not in inner]
    if name == "hand":
        effectors = list(FINGERTIPS.values())
    reached, attempts = 0, []
    for k in range(count):
        frames = figure.frames(corner(figure, rng, part))
        goals = []
        for joint, at in effectors:
            frame = frames[figure.index(joint)]
            there = frame[:3, :3] @ np.asarray(at, float) + frame[:3, 3]
            turn = matrix_to_quat(frame[:3, :3]) if name == "arm" else None
            goals.append(Reach(joint, position=there, wxyz=turn, at=at))
        r = limbik.solve(figure, goals, seed=k)
        reached += r.ok
        attempts.append(r.attempts)
    return {
        "figure": name,
        "at_limits": part,
        "problems": count,
        "reached_%": 100.0 * reached / count,
        "attempts": float(np.mean(attempts)),
        "most_attempts": int(max(attempts)),
    }


def main(count: int) -> None:
    """Measure the four figures."""
    names = ("arm", "hand", "human", "spider")
    rows = [measure(name, part, count) for name in names for part in PARTS]
    show("Corners of the limits", rows)
    keep("edge/corners", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

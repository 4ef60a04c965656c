"""A human with six position goals, one hand dragged round a circle in small steps.

python -m benchmarks.drag
"""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import Any

import numpy as np

import limbik
from benchmarks.peers import OUTSIDE, POSITION, ROTATION, ROUNDS, Scipy, installed
from benchmarks.report import keep, show
from benchmarks.track import EFFECTORS
from limbik.solver.targets.tables import batch_problem

STEPS = 200


def drag() -> np.ndarray:
    """(STEPS, 6, 3) targets: the left hand goes round a circle, the other five stay."""
    figure = limbik.figures.human()
    at = figure.positions(figure.rest)[[figure.index(name) for name in EFFECTORS]]
    targets = np.repeat(at[None], STEPS, axis=0)
    angle = np.linspace(0.0, 2.0 * np.pi, STEPS + 1)[1:]
    circle = 0.09 * np.stack([np.sin(angle), 1.0 - np.cos(angle), np.sin(angle)], axis=1)
    targets[:, EFFECTORS.index("LeftHand")] += circle
    return targets


def human_rows(rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """Six position goals, one of them dragged, each step from the answer before.

    Only SciPy stands beside limbik: ikpy has no branches, and neither Pinocchio's loop nor mink's
    limits know the elliptical cones of shoulders, hips and spine.  SciPy gets their bounding ranges
    instead, which is an easier problem.
    """
    figure, targets = limbik.figures.human(), drag()
    tolerance = (POSITION, ROTATION)

    def solve(poses: np.ndarray, seconds: np.ndarray) -> None:
        q = figure.rest
        for k, at in enumerate(targets):
            began = time.perf_counter()
            goals = [limbik.Reach(n, position=p) for n, p in zip(EFFECTORS, at, strict=True)]
            q = limbik.solve(figure, goals, start=q, tolerance=tolerance).q
            seconds[k], poses[k] = time.perf_counter() - began, q

    def track(poses: np.ndarray, seconds: np.ndarray) -> None:
        began = time.perf_counter()
        found = limbik.track(figure, EFFECTORS, targets, start=figure.rest, tolerance=tolerance)
        seconds[:], poses[:] = (time.perf_counter() - began) / STEPS, found.motion.q

    solvers: dict[str, tuple[str, str, Any]] = {
        "limbik.track": ("limbik", "one call for all steps, set-up included, its mean", track),
        "limbik.solve": ("limbik", "one call a step, set-up and explanation included", solve),
    }
    values, where, problem = batch_problem(figure, EFFECTORS, targets, None, tolerance=tolerance)
    for peer in installed(lambda: Scipy(problem), "SciPy"):

        def scipy(poses: np.ndarray, seconds: np.ndarray, peer: Scipy = peer) -> None:
            q = figure.rest
            for k, value in enumerate(values):
                began = time.perf_counter()
                problem.floats[where] = value
                q = peer.least_squares(q)
                seconds[k], poses[k] = time.perf_counter() - began, q

        settings = peer.settings + "; ranges around the cones, problem built once"
        solvers[peer.name] = (peer.package, settings, scipy)

    seconds = {name: np.full(STEPS, np.inf) for name in solvers}
    poses = {name: np.empty((STEPS, figure.n)) for name in solvers}
    for lap in range(rounds + 1):
        for name, (_, _, run) in solvers.items():
            if lap == 0 and name not in ("limbik.track", "limbik.solve"):
                continue  # SciPy has nothing to compile
            took = np.empty(STEPS)
            run(poses[name], took)
            if lap:  # the first lap warms limbik up
                seconds[name] = np.minimum(seconds[name], took)
    ends = [figure.index(name) for name in EFFECTORS]
    first = float(np.median(seconds["limbik.track"]))
    rows = []
    for name, (package, settings, _) in solvers.items():
        away = np.linalg.norm(figure.positions(poses[name])[:, ends] - targets, axis=-1)
        outside = np.asarray(figure.violation(poses[name])) > OUTSIDE
        rows.append(
            {
                "solver": name,
                "reached_%": 100.0 * float((away.max(axis=1) <= POSITION).mean()),
                "median_ms": float(np.median(seconds[name])) * 1e3,
                "ratio": float(np.median(seconds[name])) / first,
                "violations": int(outside.sum()),
                "worst_violation": float(np.max(figure.violation(poses[name]))),
                "version": version(package),
                "settings": settings,
            }
        )
    return rows


def main() -> None:
    """Measure, print without the settings, keep everything."""
    rows = human_rows()
    show(
        f"Human, six positions, {STEPS} steps of a drag, to 1e-4 m",
        [{k: v for k, v in row.items() if k not in ("version", "settings")} for row in rows],
    )
    keep("drag", [{"steps": STEPS} | row for row in rows])


if __name__ == "__main__":
    main()

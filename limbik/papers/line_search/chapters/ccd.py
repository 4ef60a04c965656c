"""Cyclic coordinate descent: what an iteration costs, how fast it converges (section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik import plots
from limbik.figure.figure import Figure
from limbik.figures import chain
from limbik.goals import Reach
from limbik.methods import CyclicCoordinateDescent, Method
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.chapters.divergence import convergence_order
from limbik.papers.line_search.contest import Contest
from limbik.papers.line_search.drawing import colour_of
from limbik.papers.line_search.follow import Path, follow, path_of, walk
from limbik.papers.line_search.verdicts import share_of_cases
from limbik.solver.problem import Problem

CCD = "ccd"
NEWTON = (who.CLAMPED, who.DEFAULT)
"""Methods that solve the Newton system which coordinate descent splits."""

ITERATIONS, LOOKS = 200, (10, 50, 200)
LENGTHS = (1.0, 0.8, 0.6, 0.5, 0.3)
DISTANCES = (1e-1, 1e-2, 1e-3, 1e-4)
"""How far the target is from the tip where one sweep is compared with matrix splitting."""

ROUNDED = 1e-18
"""f below which a path is done: what lies deeper is rounding."""

_SWEEPS = 20  # iterations whose time is measured
_SPLIT = 0.01  # relative difference, at the shortest distance, up to which two sweeps are the same


def chapter(order: Order, contest: Contest) -> Chapter:
    """CCD on frames 0.7 s apart beside the paper's methods and the default."""
    subject, drill = contest.subject, contest.drills[1]
    methods: dict[str, Method] = {
        one.key: one.method
        for one in contest.contestants
        if one.key in (who.LINE_SEARCH, who.EQUATION_28, *NEWTON)
    }
    methods[CCD] = CyclicCoordinateDescent()
    paths: dict[str, list[Path]] = {key: [] for key in methods}
    costs: dict[str, float] = {}
    pairs = drill.pairs(6 if order.quick else 30)
    for key in order.steps("line_search: cyclic coordinate descent", methods):
        for start, targets in pairs:
            paths[key].append(
                path_of(subject.figure, subject.effectors, targets, start, methods[key], ITERATIONS)
            )
        entry = follow(subject, drill.first(2), key, methods[key], _SWEEPS)
        costs[key] = float(np.median(entry.seconds / np.maximum(entry.iterations, 1)))
    left = {key: {k: left_after(paths[key], k) for k in LOOKS} for key in methods}
    orders = {
        key: float(np.nanmedian([convergence_order(path) for path in paths[key]] or [np.nan]))
        for key in methods
    }
    apart = splitting(order.seed)
    rows = [[who.label_of(key), *left[key].values(), orders[key]] for key in methods]
    return Chapter(
        title="Cyclic coordinate descent (section 3)",
        text=(
            f"From {len(pairs)} frames of the clip to the goals of the frame 0.7 s later, "
            f"{ITERATIONS} iterations; an iteration of cyclic coordinate descent (CCD) is one "
            "sweep over all joints. What is left is f as a part of f at the start.\n\n"
            "The paper says that matrix splitting, applied to the Newton system, gives CCD. A "
            "Gauss–Seidel sweep over JᵀJΔθ = Jᵀe, joint after joint from the tip, was compared "
            f"with a sweep of CCD on a chain of {len(LENGTHS)} hinges: they turn joints by the "
            "same angles to first order, so the difference falls with the distance of the target."
        ),
        settings={
            "iterations": ITERATIONS,
            "frames": len(pairs),
            "chain": list(LENGTHS),
            "distances": list(DISTANCES),
            "seed": order.seed,
        },
        claims=[*claims(left, apart), cost_claim(costs)],
        tables=[
            Table(
                "What is left of f, medians",
                ["method", *(f"after {k}" for k in LOOKS), "order of convergence"],
                rows,
                "1 is linear, 2 quadratic.",
            )
        ],
        pictures=[_picture(paths)],
        numbers={
            "left": {key: {str(k): v for k, v in row.items()} for key, row in left.items()},
            "order of convergence": orders,
            "sweeps apart": dict(zip(map(str, DISTANCES), apart, strict=True)),
        },
        timings={"seconds per iteration": costs},
    )


def left_after(paths: Sequence[Path], iterations: int) -> float:
    """The median over paths of f after so many iterations as a part of f at the start."""
    parts = [path.f[min(iterations, len(path.f) - 1)] / path.f[0] for path in paths]
    return float(np.median(np.maximum(parts, ROUNDED)))


def split_sweep(jacobian: np.ndarray, error: np.ndarray) -> np.ndarray:
    """One Gauss–Seidel sweep from 0 over JᵀJΔθ = Jᵀe, the last coordinate first."""
    step, left = np.zeros(jacobian.shape[1]), error.copy()
    for c in reversed(range(len(step))):
        column = jacobian[:, c]
        step[c] = column @ left / (column @ column)
        left = left - step[c] * column
    return step


def splitting(seed: int) -> list[float]:
    """How far a sweep of CCD is from one of matrix splitting, relative, for each of DISTANCES."""
    figure = chain(LENGTHS)
    rng = np.random.default_rng(seed)
    start = rng.uniform(0.2, 0.8, figure.n)
    way = rng.normal(size=2)
    way /= np.linalg.norm(way)
    return [_sweeps_apart(figure, start, distance * way) for distance in DISTANCES]


def _sweeps_apart(figure: Figure, start: np.ndarray, away: np.ndarray) -> float:
    target = figure.positions(start)[-1] + np.array([*away, 0.0])
    problem = Problem(figure, [Reach("Tip", position=target)], start=start, tolerance=1e-14)
    swept = walk(problem, CyclicCoordinateDescent(), 1).q[-1] - start
    split = split_sweep(problem.jacobian(start), problem.residual(start))
    return float(np.linalg.norm(swept - split) / np.linalg.norm(split))


def claims(left: Mapping[str, Mapping[int, float]], apart: Sequence[float]) -> list[Claim]:
    """Is the convergence poor, and is it the splitting of the Newton system?"""
    own = left[CCD]
    newton = [key for key in NEWTON if key in left]
    first = [key for key in left if key not in (*newton, CCD)]
    slower = {key: all(own[k] > left[key][k] for k in LOOKS[1:]) for key in (*newton, *first)}
    if not any(slower[key] for key in newton):
        poor = Verdict.FAILS
    else:
        poor = Verdict.HOLDS if all(slower.values()) else Verdict.DEPENDS
    listed = "; ".join(
        f"{who.label_of(key)} " + ", ".join(f"{part:.2g}" for part in row.values())
        for key, row in left.items()
    )
    return [
        Claim(
            where="section 2 (3 in print)",
            says="Cyclic coordinate descent has a poor convergence rate.",
            verdict=poor,
            seen=f"Left of f after {', '.join(map(str, LOOKS))} iterations: {listed}. Holds means: "
            f"more is left than by every other method, after {LOOKS[1]} and {LOOKS[2]}; depends: "
            "than by a method that solves the Newton system, not than by all.",
        ),
        Claim(
            where="section 2 (3 in print)",
            says="Matrix splitting of the Newton equation is equivalent to cyclic coordinate "
            "descent.",
            verdict=Verdict.HOLDS
            if apart[-1] < _SPLIT and apart[-1] < 0.1 * apart[0]
            else Verdict.FAILS,
            seen="One sweep of each, difference as a part of the step: "
            + ", ".join(
                f"{value:.2g} at {distance:g}"
                for value, distance in zip(apart, DISTANCES, strict=True)
            )
            + " units from the tip. So to first order; far from the goal they differ.",
        ),
    ]


def cost_claim(costs: Mapping[str, float]) -> Claim:
    """Is an iteration of CCD cheaper than one of the others?"""
    others = [key for key in costs if key != CCD]
    return Claim(
        where="section 2 (3 in print)",
        says="An iteration of cyclic coordinate descent costs very little.",
        verdict=share_of_cases(sum(costs[CCD] < costs[key] for key in others), len(others)),
        seen="Thread time of an iteration: "
        + ", ".join(f"{who.label_of(key)} {1e6 * value:.0f} µs" for key, value in costs.items())
        + ". Holds where it costs less than one of every other method.",
        timed=True,
    )


def _picture(paths: Mapping[str, Sequence[Path]]) -> Picture:
    page = plots.new_page(9.0, 3.6)
    axes = page.add_axes((0.085, 0.15, 0.6, 0.78))
    for key, found in paths.items():
        parts = [left_after(found, k) for k in range(ITERATIONS + 1)]
        colour = plots.INK if key == CCD else colour_of(key)
        width = 2.0 if key == CCD else 1.3
        axes.plot(parts, color=colour, linewidth=width, label=who.label_of(key))
    axes.set_yscale("log")
    axes.set_xlim(0, ITERATIONS)
    axes.set_xlabel("iteration", color=plots.QUIET)
    axes.set_ylabel("part of f that is left", color=plots.QUIET)
    plots.quiet(axes)
    plots.legend_beside(axes)
    return Picture.of(
        page,
        "How fast f falls",
        "Medians over the frames; an iteration of CCD is one sweep over all joints.",
    )

"""Out of reach: does the hand come to rest, and what does the damping do for it?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from limbik.figure.figure import Figure
from limbik.figures import hand
from limbik.methods.default.projected_lm import ProjectedLevenbergMarquardt
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.dual_quaternion.hands import exponential_hand, tips
from limbik.papers.dual_quaternion.session import TIGHT, Frame, Session
from limbik.papers.dual_quaternion.verdicts import PAPER, READINGS, graded
from limbik.plots import (
    EFFECTOR,
    INK,
    LINE,
    QUIET,
    TARGET,
    draw_pose,
    legend_beside,
    mark,
    new_page,
    quiet,
    shade,
)

PULLS = {"5 mm": 0.005, "5 cm": 0.05, "50 cm": 0.5}
"""How far beyond the stretched hand the targets are."""
DAMPINGS = (0.0, 1e-4, 1e-2, 1.0)
_ITERATIONS, _LAST = 300, 50
_STILL = 0.1  # degrees per iteration: less is no jitter to the eye

VARIANTS = {
    **{
        f"{name}, δ = {damping:g}": replace(method, damping=damping)
        for name, method in READINGS.items()
        for damping in DAMPINGS
    },
    "20 sweeps, δ = 0.0001, steps halved": ProjectedGaussSeidel(halvings=20),
}


def _beyond(figure: Figure, pull: float) -> tuple[np.ndarray, np.ndarray]:
    """Targets ``pull`` metres beyond where the straight hand has its fingertips, turned as there.

    Straight: every coordinate 0, or as near as its limits allow.
    """
    places, turns = tips(figure, figure.project(np.zeros(figure.n)))
    away = places / np.linalg.norm(places, axis=-1, keepdims=True)
    return places + pull * away, turns


def jitter(frame: Frame, last: int = _LAST) -> float:
    """The most that a coordinate still turns in an iteration, in degrees, over the last ones.

    0 where the method came to an end of its own.
    """
    if frame.iterations < _ITERATIONS:
        return 0.0
    return float(np.degrees(np.abs(np.diff(frame.path[-last - 1 :, 1:], axis=0)).max()))


def out_of_reach(order: Order) -> Chapter:
    """Fixed targets that no pose reaches: how much the pose still changes in the end."""
    hands = {"hinges": hand(), "exponential maps": exponential_hand()}
    found: dict[tuple[str, str, str], tuple[float, float]] = {}
    paths: dict[str, np.ndarray] = {}
    shown: dict[str, np.ndarray] = {}
    cases = [(name, pull) for name in hands for pull in PULLS]
    for name, pull in order.steps("out of reach", cases):
        figure = hands[name]
        target = _beyond(figure, PULLS[pull])
        best = Session(figure, ProjectedLevenbergMarquardt(), tolerance=TIGHT)
        best.aim(*target)
        floor = best.solve(figure.rest)
        for variant, method in VARIANTS.items():
            session = Session(figure, method, tolerance=TIGHT, iterations=_ITERATIONS)
            session.aim(*target)
            frame = session.solve(figure.rest, noted=_ITERATIONS + 1)
            found[name, pull, variant] = jitter(frame), frame.f / floor.f
            if name == "hinges" and pull == "5 cm":
                paths[variant] = np.degrees(np.abs(np.diff(frame.path[:, 1:], axis=0)).max(axis=1))
                shown[variant] = frame.q
    columns = [f"{name}, {pull}" for name, pull in cases]
    tables = [
        Table(
            title,
            ["method", *columns],
            [[v, *(found[name, pull, v][k] for name, pull in cases)] for v in VARIANTS],
        )
        for k, title in enumerate(("Jitter (° an iteration)", "f / f of the default method"))
    ]
    return Chapter(
        title="Out of reach",
        text=(
            "The targets lie beyond the stretched hand and stay there for "
            f"{_ITERATIONS} iterations. Jitter is the most that any coordinate still turns in one "
            f"iteration, over the last {_LAST}; f is given as a multiple of what limbik's default "
            "method ends with.\n\n"
            "A step is taken whole, whether f falls or not. Just out of reach that is harmless; "
            "further away the linear model asks for ever larger turns, and what keeps the hand "
            "quiet is the clamping, one sweep too few to follow the model, or a damping far above "
            "the paper's. Halving a step that would raise f settles it."
        ),
        settings={
            "iterations": _ITERATIONS,
            "targets beyond the stretched hand (m)": PULLS,
            "tolerance (m, rad)": TIGHT,
            "methods": {name: repr(method) for name, method in VARIANTS.items()},
        },
        claims=_claims(found),
        tables=tables,
        pictures=[_picture(paths), _hand(shown)],
        numbers={
            "jitter": {" / ".join(key): values[0] for key, values in found.items()},
            "f ratio": {" / ".join(key): values[1] for key, values in found.items()},
            "change of the pose (degrees per iteration)": paths,
        },
    )


def _claims(found: dict[tuple[str, str, str], tuple[float, float]]) -> list[Claim]:
    keys = [(name, pull) for name, pull, variant in found if variant == f"{PAPER}, δ = 0.0001"]
    variants = [f"{name}, δ = 0.0001" for name in READINGS]
    rest = {v: [found[name, pull, v][0] <= _STILL for name, pull in keys] for v in variants}
    close = {v: [found[name, pull, v][1] <= 1.05 for name, pull in keys] for v in variants}

    def counted(seen: dict[str, list[bool]]) -> str:
        return "; ".join(f"{v}: {sum(seen[v])} of {len(keys)}" for v in variants)

    def worst(damping: float) -> float:
        return max(found[name, pull, f"{PAPER}, δ = {damping:g}"][0] for name, pull in keys)

    return [
        Claim(
            "section IX",
            "Out of reach it stays stable: no oscillation, no jitter.",
            graded(case for v in variants for case in rest[v]),
            f"Hands and targets at rest (jitter up to {_STILL:g}°) – {counted(rest)}.",
        ),
        Claim(
            "section IX",
            "Out of reach, a best reach is always found.",
            graded(case for v in variants for case in close[v]),
            f"f within 5 % of the default method's – {counted(close)}.",
        ),
        Claim(
            "section VII.A",
            "The damping δ ≈ 0.0001 makes the method more stable and robust.",
            graded([worst(1e-4) < 0.5 * worst(0.0)]),
            "Worst jitter – "
            + "; ".join(f"δ = {damping:g}: {worst(damping):.3g}°" for damping in DAMPINGS)
            + f" ({PAPER}).",
        ),
    ]


def _picture(paths: dict[str, np.ndarray]) -> Picture:
    page = new_page(8.0, 3.2)
    axes = page.add_subplot()
    chosen = {
        f"{name}, δ = 0.0001": c for name, c in zip(READINGS, (INK, QUIET, TARGET), strict=True)
    }
    chosen["20 sweeps, δ = 1"] = "#8a6d3b"
    chosen["20 sweeps, δ = 0.0001, steps halved"] = EFFECTOR
    for variant, color in chosen.items():
        values = np.maximum(paths[variant], 1e-6)
        axes.plot(range(1, len(values) + 1), values, color=color, linewidth=1.1, label=variant)
    axes.axhline(_STILL, color=LINE, linewidth=1.0)
    axes.set_yscale("log")
    axes.set_xlabel("iteration", color=QUIET)
    axes.set_ylabel("° an iteration", color=QUIET)
    legend_beside(axes, size=8, colour=INK, gap=0.0)
    quiet(axes)
    axes.minorticks_off()
    page.tight_layout()
    return Picture.of(
        page,
        "Coming to rest, or not",
        "The most that a coordinate turns in an iteration; hinges, targets 5 cm out of reach.",
    )  # fmt: skip


def _hand(shown: dict[str, np.ndarray]) -> Picture:
    figure = hand()
    page = new_page(8.0, 3.6)
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    target = _beyond(figure, PULLS["5 cm"])[0] @ across.T
    variants = (
        f"{PAPER}, δ = 0.0001",
        "20 sweeps, δ = 0.0001",
        "20 sweeps, δ = 0.0001, steps halved",
    )
    for k, variant in enumerate(variants):
        axes = page.add_subplot(1, len(variants), k + 1)
        q = shown[variant]
        draw_pose(axes, figure, q, colour=shade(0.6), across=across)
        mark(axes, target, tips(figure, q)[0] @ across.T)
        axes.set_aspect("equal")
        axes.set_xlim(-0.13, 0.15)
        axes.set_ylim(-0.03, 0.27)
        axes.axis("off")
        axes.set_title(variant, color=INK, size=8)
    page.tight_layout()
    return Picture.of(
        page,
        "Stretching for what is out of reach",
        "Targets red, fingertips green: the pose after the last iteration, seen from the back.",
    )  # fmt: skip

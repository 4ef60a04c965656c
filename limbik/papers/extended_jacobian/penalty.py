"""Section 1.4.3: are penalty functions for joint limits numerically unstable?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik.figure.limits import Range
from limbik.figures import chain
from limbik.goals.reach import Reach
from limbik.methods import Penalty
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.extended_jacobian.drawings import PALETTE
from limbik.papers.extended_jacobian.path import LENGTHS, REACH
from limbik.papers.extended_jacobian.planar import end_of, jacobian_of
from limbik.plots import EFFECTOR, INK, QUIET, legend_beside, new_page, quiet
from limbik.solver.result import Status
from limbik.solver.solve import solve

LIMIT = 0.5
"""Radians: every joint may turn so far either way."""

WEIGHTS = tuple(10.0**k for k in range(0, 11, 2))
"""μ of f + μ‖q − P(q)‖², with lengths as parts of the structure's reach."""

GRADIENT, NEWTON, RAISED = "gradient descent", "Gauss–Newton", "μ raised step by step"
ITERATIONS = 200
CONVERGED = 1e-6
"""A minimum is found where √(gᵀH⁻¹g), a distance that does not grow with μ, is at most this."""

_SOFT = 1e-5  # eigenvalues of H up to this belong to directions that nothing asks about

_SEGMENTS = np.asarray(LENGTHS) / REACH


def _tip(q: np.ndarray) -> np.ndarray:
    return np.array(end_of(_SEGMENTS, q, 0, len(_SEGMENTS)))


def value(q: np.ndarray, target: np.ndarray, weight: float) -> float:
    """f + μ‖q − P(q)‖²."""
    outside = q - np.clip(q, -LIMIT, LIMIT)
    error = target - _tip(q)
    return float(error @ error + weight * outside @ outside)


def slope(q: np.ndarray, target: np.ndarray, weight: float) -> np.ndarray:
    """The gradient of ``value``."""
    outside = q - np.clip(q, -LIMIT, LIMIT)
    error = target - _tip(q)
    return -2.0 * jacobian_of(_SEGMENTS, q).T @ error + 2.0 * weight * outside


def hessian(q: np.ndarray, weight: float) -> np.ndarray:
    """JᵀJ + μN, the Gauss–Newton model; N marks the coordinates outside their limits."""
    jacobian = jacobian_of(_SEGMENTS, q)
    return jacobian.T @ jacobian + weight * np.diag((np.abs(q) > LIMIT).astype(float))


def far(q: np.ndarray, target: np.ndarray, weight: float) -> float:
    """√(gᵀH⁻¹g) with g half the gradient: how far the model's minimum is, in units of f's root."""
    values, vectors = np.linalg.eigh(hessian(q, weight))
    along = vectors.T @ slope(q, target, weight) / 2.0
    kept = values > _SOFT
    return float(np.sqrt((along[kept] ** 2 / values[kept]).sum()))


def condition_of(q: np.ndarray, weight: float) -> float:
    """The largest eigenvalue of H by the smallest that belongs to what is asked."""
    values = np.linalg.eigvalsh(hessian(q, weight))
    return float(values[-1] / values[values > _SOFT][0])


def descend(q: np.ndarray, target: np.ndarray, weight: float) -> np.ndarray:
    """Steepest descent with back-tracking from four times the last step."""
    step = 0.25
    for _ in range(ITERATIONS):
        down, now = -slope(q, target, weight), value(q, target, weight)
        step *= 4.0
        while value(q + step * down, target, weight) > now - 1e-4 * step * (down @ down):
            step *= 0.5
            if step < 1e-18:
                return q
        q = q + step * down
    return q


def newton(q: np.ndarray, target: np.ndarray, weight: float) -> np.ndarray:
    """Damped Gauss–Newton (Levenberg–Marquardt) with the Hessian JᵀJ + μN."""
    damping = 1e-3
    for _ in range(ITERATIONS):
        down, now = -0.5 * slope(q, target, weight), value(q, target, weight)
        model = hessian(q, weight)
        trial = q + np.linalg.solve(model + damping * np.eye(len(q)), down)
        if value(trial, target, weight) < now:
            q, damping = trial, max(0.2 * damping, 1e-14)
        elif damping > 1e12:
            return q
        else:
            damping *= 4.0
    return q


def penalties(order: Order) -> Chapter:
    """One structure, targets that its limits keep it from, and μ from 1 to 10¹⁰."""
    count = 8 if order.quick else 40
    rng = np.random.default_rng(order.seed)
    targets = [_tip(q) for q in rng.uniform(-1.5, 1.5, (count, len(LENGTHS)))]
    start = np.full(len(LENGTHS), 0.1)
    share: dict[str, dict[float, float]] = {GRADIENT: {}, NEWTON: {}}
    condition: dict[float, float] = {}
    for weight in order.steps("extended_jacobian: penalties", WEIGHTS):
        found = {GRADIENT: [], NEWTON: []}
        conditions = []
        for target in targets:
            for name, way in ((GRADIENT, descend), (NEWTON, newton)):
                q = way(start, target, weight)
                found[name].append(far(q, target, weight) <= CONVERGED)
                if name == NEWTON:
                    conditions.append(condition_of(q, weight))
        for name, cases in found.items():
            share[name][weight] = float(np.mean(cases))
        condition[weight] = float(np.median(conditions))
    raised = _raised(targets, start)
    rows = [[weight, condition[weight], *(100 * share[name][weight] for name in share)]
            for weight in WEIGHTS]  # fmt: skip
    return Chapter(
        "Penalties for joint limits",
        f"The structure of the experiment, with every joint held to ±{LIMIT:g} rad by a penalty "
        f"μ‖q − P(q)‖² instead of a limit, is asked for {count} places that it reaches only beyond "
        "its limits. The larger μ, the nearer the minimum is to the limits, and the worse the "
        "condition of the Hessian JᵀJ + μN. What that does depends on the method: steepest descent "
        "has to take steps of length 1/μ; Gauss–Newton solves with that Hessian, but a step that "
        "crosses a limit meets a wall that its model did not know of. Each gets "
        f"{ITERATIONS} iterations. Third, limbik's method `penalty`, which raises μ from round to "
        "round and so begins each round near the minimum.",
        settings={
            "limit in rad": LIMIT,
            "targets": count,
            "μ": list(WEIGHTS),
            "iterations": ITERATIONS,
            "converged at": CONVERGED,
            "seed": order.seed,
        },
        claims=penalty_claims(share, raised, condition),
        tables=[
            Table(
                "Minima of f + penalty that are found (%)",
                ["μ", "condition number", *share],
                rows,
                f"{RAISED}: {100 * raised:.0f} % end at a stationary point or at the goal.",
            )
        ],
        pictures=[
            _picture(share, raised),
        ],
        numbers={
            "share found": {n: {f"{w:g}": v for w, v in row.items()} for n, row in share.items()},
            "condition": {f"{w:g}": v for w, v in condition.items()},
            "raised": raised,
        },
    )


def _picture(share: Mapping[str, Mapping[float, float]], raised: float) -> Picture:
    page = new_page(7.0, 3.0)
    axes = page.add_axes((0.09, 0.17, 0.58, 0.76))
    for color, (name, row) in zip(PALETTE, share.items(), strict=False):
        parts = [100.0 * part for part in row.values()]
        axes.plot(
            list(row), parts, color=color, linewidth=1.3, marker="o", markersize=3.5, label=name
        )
    axes.axhline(100.0 * raised, color=EFFECTOR, linewidth=1.2, linestyle=(0, (5, 3)), label=RAISED)
    axes.set_xscale("log")
    axes.set_ylim(-3.0, 103.0)
    axes.set_xlabel("μ", color=QUIET)
    axes.set_ylabel("minima that are found, %", color=QUIET)
    quiet(axes)
    axes.minorticks_off()
    legend_beside(axes, size=8, colour=INK, gap=0.02)
    return Picture.of(
        page,
        "Minima of f + penalty that are found",
        "Targets beyond the limits; gradient descent and Gauss–Newton with a fixed μ, and limbik's "
        "method, which raises it.",
    )


def _raised(targets: Sequence[np.ndarray], start: np.ndarray) -> float:
    """The share of targets for which limbik's penalty method does not end undecided."""
    figure = chain(_SEGMENTS, limits=Range(-LIMIT, LIMIT))
    ended = [
        solve(
            figure, [Reach("Tip", position=[*target, 0.0])], start=start, method=Penalty(),
            restarts=0,
        ).status
        != Status.STALLED
        for target in targets
    ]  # fmt: skip
    return float(np.mean(ended))


def penalty_claims(
    share: Mapping[str, Mapping[float, float]], raised: float, condition: Mapping[float, float]
) -> list[Claim]:
    """Which ways lose the minimum as μ grows?  ``condition`` of the Hessian, by μ."""
    lost = [name for name, row in share.items() if row[max(row)] < 0.5 * max(row[min(row)], 0.5)]
    if raised < 0.5:
        lost.append(RAISED)
    ways = [*share, RAISED]
    if not lost:
        verdict = Verdict.FAILS
    else:
        verdict = Verdict.HOLDS if len(lost) == len(ways) else Verdict.DEPENDS
    text = "; ".join(
        f"{name} {100 * row[min(row)]:.0f} % at μ = {min(row):g} and {100 * row[max(row)]:.0f} % "
        f"at {max(row):g}"
        for name, row in share.items()
    )
    return [
        Claim(
            "section 1.4.3",
            "Penalty function methods are not numerically stable.",
            verdict,
            f"The condition number of the Hessian grows from {condition[min(condition)]:.2g} to "
            f"{condition[max(condition)]:.2g}. Minima found: {text}; {RAISED} "
            f"{100 * raised:.0f} %. Lost: {', '.join(lost) or 'by none'}. Holds where all lose "
            "them, depends where some do.",
        )
    ]

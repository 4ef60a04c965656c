"""Equations 28 and 29: step lengths that are to measure the deviation from the linear model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik import plots
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search.contest import Contest
from limbik.papers.line_search.drawing import colour_of
from limbik.papers.line_search.subject import TOLERANCE
from limbik.solver.problem import Problem
from limbik.solver.targets.tables import batch_problem

EPSILONS = (0.005, TOLERANCE, 0.5)
"""Units: values of ε that are tried; the paper gives none."""

ITERATIONS = 20
KEPT = 0.25
"""A step is within the linear model where the deviation is at most this part of its length JΔθ."""


def undone(jacobian: np.ndarray, error: np.ndarray) -> float:
    """‖(I − JJ⁺)e‖: what the best step of the linear model leaves undone of e."""
    return float(np.linalg.norm(error - jacobian @ (np.linalg.pinv(jacobian) @ error)))


def bounded_tau(jacobian: np.ndarray, error: np.ndarray, epsilon: float) -> float:
    """Equation 29 as meant: the longest τ ≤ 1 with ‖(I − JJ⁺)τe‖ ≤ ε.

    Printed is I − JJ⁺τe, which subtracts a vector from a matrix.
    """
    left = undone(jacobian, error)
    return 1.0 if left <= epsilon else epsilon / left


def best_tau(jacobian: np.ndarray, error: np.ndarray) -> float:
    """Equation 28: τ = eᵀz/zᵀz with z = JJᵀe."""
    z = jacobian @ (jacobian.T @ error)
    square = float(z @ z)
    return float(error @ z) / square if square > 0.0 else 0.0


def deviation(problem: Problem, q: np.ndarray, step: np.ndarray) -> tuple[float, float]:
    """(‖F(q + step) − F(q) − J·step‖, ‖J·step‖): how wrong the linear model is, and its step."""
    linear = problem.jacobian(q) @ step
    moved = problem.residual(q) - problem.residual(q + step)
    return float(np.linalg.norm(moved - linear)), float(np.linalg.norm(linear))


def chapter(order: Order, contest: Contest) -> Chapter:
    """The first step of frames of all drills, and whole solves by both step lengths."""
    subject = contest.subject
    cases: list[tuple[float, Problem, np.ndarray]] = []
    most = 6 if order.quick else 20
    for drill in contest.drills:
        for start, targets in drill.pairs(most):
            values, target_offsets, problem = batch_problem(
                subject.figure, subject.effectors, targets[None], None, start=start
            )
            problem.floats[target_offsets] = values[0]
            cases.append((drill.every, problem, np.array(start)))
    left, wrong = [], {"28": [], "29": []}
    ends: dict[str, list[float]] = {}
    for _, problem, start in order.steps("line_search: equations 28 and 29", cases):
        jacobian, error = problem.jacobian(start), problem.residual(start)
        left.append(undone(jacobian, error))
        for name, step in (
            ("28", best_tau(jacobian, error) * (jacobian.T @ error)),
            ("29", np.linalg.pinv(jacobian) @ error),
        ):
            away, length = deviation(problem, start, step)
            wrong[name].append(away / length)
        for name, epsilon in (("28", None), *((f"29, ε = {e:g}", e) for e in EPSILONS)):
            ends.setdefault(name, []).append(_solve(problem, start, epsilon))
    began = [float(problem.objective(start)) for _, problem, start in cases]
    shares = {name: np.array(values) / np.maximum(began, 1e-300) for name, values in ends.items()}
    rows = [
        [name, float(np.median(part)), float(part.max()), int((part > 1.0).sum())]
        for name, part in shares.items()
    ]
    sampled = np.array([every for every, _, _ in cases])
    return Chapter(
        title="Equations 28 and 29",
        text=(
            "Both are said to measure the deviation from the linear approximation and to shorten "
            f"the step where it is too big. Looked at are the first steps of {len(cases)} frames "
            "of the three samplings: what equation 29 measures, ‖(I − JJ⁺)e‖, and how far F really "
            "deviates from its linear model after the step, as a part of the step. Equation 29 "
            "scales the step J⁺e of the Jacobian inverse, as in the work that the paper cites; ε "
            "is the user's, and the paper gives no value.\n\n"
            "(I − JJ⁺)e is what of e lies outside the range of J. It knows nothing of how F "
            "curves; where J has full row rank it is 0 for every e, and no step is ever shortened. "
            f"Then each frame was solved with {ITERATIONS} iterations, limits applied in each."
        ),
        settings={
            "frames": len(cases),
            "ε in units": list(EPSILONS),
            "iterations": ITERATIONS,
            "within the linear model up to": KEPT,
        },
        claims=claims(left, wrong["29"], wrong["28"]),
        tables=[
            Table(
                f"f after {ITERATIONS} iterations as a part of f at the start",
                ["step length by equation", "median", "worst", "frames in which f rose"],
                rows,
            )
        ],
        pictures=[_picture(sampled, wrong)],
        numbers={
            "left undone": left,
            "deviation": wrong,
            "part of f": shares,
            "sampling": sampled,
        },
    )


def _solve(problem: Problem, start: np.ndarray, epsilon: float | None) -> float:
    """f after ITERATIONS steps with the τ of equation 29, or of 28 where there is no ε."""
    q = start.copy()
    for _ in range(ITERATIONS):
        jacobian, error = problem.jacobian(q), problem.residual(q)
        if epsilon is None:
            step = best_tau(jacobian, error) * (jacobian.T @ error)
        else:
            step = bounded_tau(jacobian, error, epsilon) * (np.linalg.pinv(jacobian) @ error)
        q = problem.figure.project(q + step)
    return float(problem.objective(q))


def claims(left: Sequence[float], wrong: Sequence[float], first: Sequence[float]) -> list[Claim]:
    """Do the two measures see where the linear model is wrong?

    ``left`` is the measure of equation 29 at each frame, ``wrong`` the deviation after its step and
    ``first`` that after the step of equation 28, as parts of the step.
    """
    seen = [a > min(EPSILONS) for a in left]
    bad = [part > KEPT for part in wrong]
    caught = sum(a and b for a, b in zip(seen, bad, strict=True))
    if not any(bad):
        verdict = Verdict.DEPENDS
    else:
        verdict = Verdict.HOLDS if caught == sum(bad) else Verdict.DEPENDS
        if not caught:
            verdict = Verdict.FAILS
    within = sum(part <= KEPT for part in first)
    return [
        Claim(
            where="section 4.2 (5.2 in print), equation 29",
            says="Equation 29 measures the deviation from the linear approximation, and shortens "
            "the step where it is too big.",
            verdict=verdict,
            seen=f"In {sum(bad)} of {len(bad)} frames the step J⁺e deviates by more than "
            f"{KEPT:g} of its length (median {np.median(wrong):.2g}, worst {max(wrong):.2g}); the "
            f"measure exceeds ε = {min(EPSILONS):g} units in {caught} of them (its largest value: "
            f"{max(left):.1g} units).",
        ),
        Claim(
            where="section 4.2 (5.2 in print), equation 28",
            says="The step of equation 28 stays where the linear approximation is good.",
            verdict=Verdict.HOLDS
            if within == len(first)
            else (Verdict.DEPENDS if within else Verdict.FAILS),
            seen=f"In {within} of {len(first)} frames the deviation after its step is at most "
            f"{KEPT:g} of the step (median {np.median(first):.2g}, worst {max(first):.2g}).",
        ),
    ]


def _picture(sampled: np.ndarray, wrong: Mapping[str, Sequence[float]]) -> Picture:
    page = plots.new_page(8.0, 3.2)
    axes = page.add_axes((0.09, 0.14, 0.5, 0.8))
    samplings = np.unique(sampled)
    colours = {"28": colour_of("projected_gradient"), "29": colour_of("pseudo_inverse")}
    names = {"28": "after the step of equation 28", "29": "after J⁺e, as equation 29 lets it be"}
    for shift, (name, values) in zip((-0.12, 0.12), wrong.items(), strict=True):
        at = np.searchsorted(samplings, sampled) + shift
        axes.scatter(at, values, s=20, color=colours[name], alpha=0.7, label=names[name])
    axes.axhline(KEPT, color=plots.TARGET, linewidth=1.0, linestyle=(0, (5, 3)))
    axes.set_yscale("log")
    axes.set_xticks(range(len(samplings)), [f"{every:g} s apart" for every in samplings])
    axes.set_ylabel("deviation by length of the step", color=plots.QUIET)
    plots.quiet(axes)
    axes.minorticks_off()
    plots.legend_beside(axes)
    return Picture.of(
        page,
        "How wrong the linear model is after one step",
        "One mark a frame. Above the dashed line the step should have been shortened.",
    )

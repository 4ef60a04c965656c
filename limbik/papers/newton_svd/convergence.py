"""Section 3.3 of newton_svd: Newton plain and halved from many starts to targets everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.methods.least_squares.newton_svd import NewtonSVD
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.newton_svd import arm, drawings
from limbik.solver.solve import solve

ITERATIONS = 50
TOLERANCE = 1e-6  # of a link: the goal is met
NEAREST = 1e-3  # of a link: out of reach, the tip is as near as it can be
METHODS = {
    "plain": NewtonSVD(iterations=ITERATIONS, halving=False),
    "halved": NewtonSVD(iterations=ITERATIONS),
    "halved, cut": NewtonSVD(iterations=ITERATIONS, cutoff=1e-3),
}
"""As in the notes without and with halving; and, which is not in them, with singular values up to a
thousandth of the largest counted as 0."""
ZONES = {"inside": (0.0, 0.9), "near the rim": (0.9, 1.0), "out of reach": (1.0, 9.0)}
"""Distances of targets from the base, as parts of the arm's reach."""


@dataclass
class Runs:
    """One method from every start (starts, 3) to every target (targets, 2)."""

    short: np.ndarray
    """(targets, starts) distance from the target, less what is out of reach of it."""
    solved: np.ndarray
    """(targets, starts) whether the tip got as near as it can."""
    rose: np.ndarray
    """(targets, starts) whether the distance ever grew."""
    iterations: np.ndarray
    """(targets, starts)."""
    curves: dict[tuple[int, int], list[float]]
    """The distance after each iteration, as in ``short``."""
    poses: np.ndarray
    """(targets, starts, 3) where they ended."""


def run_all(order: Order, name: str, targets: np.ndarray, starts: np.ndarray) -> Runs:
    """Every target from every start with one of the METHODS."""
    figure, shape = arm.three_joint_arm(), (len(targets), len(starts))
    runs = Runs(
        np.empty(shape), np.empty(shape, bool), np.empty(shape, bool), np.empty(shape, int), {},
        np.empty((*shape, 3)),
    )  # fmt: skip
    for t, target in enumerate(order.steps(f"newton_svd: Newton {name}", targets)):
        beyond = max(0.0, float(np.hypot(*target)) - arm.REACH)
        for s, start in enumerate(starts):
            r = solve(
                figure, arm.goal(target), start=start, method=METHODS[name], tolerance=TOLERANCE,
                restarts=0, history=True,
            )  # fmt: skip
            assert r.history is not None
            distance = np.sqrt(r.history.f) - beyond
            runs.short[t, s], runs.iterations[t, s] = distance[-1], r.iterations
            runs.solved[t, s] = distance[-1] <= (NEAREST if beyond else TOLERANCE)
            runs.rose[t, s] = bool((np.diff(distance) > 1e-12).any())
            runs.curves[t, s] = distance.tolist()
            runs.poses[t, s] = r.q
    return runs


def distinct(poses: np.ndarray, apart: float = 1e-2) -> int:
    """How many of the poses (k, 3) differ, in rad and up to whole turns."""
    kept: list[np.ndarray] = []
    for pose in poses:
        turned = [np.abs(np.angle(np.exp(1j * (pose - other)))).max() for other in kept]
        if all(t > apart for t in turned):
            kept.append(pose)
    return len(kept)


def local_claim(runs: Runs, zone: np.ndarray) -> Claim:
    """That it is a local solver: the start decides, and a straight arm does not see its base."""
    answers, found = [], []
    for t in np.flatnonzero(zone):
        found.append(int(runs.solved[t].sum()))
        answers.append(distinct(runs.poses[t][runs.solved[t]]))
    stuck = solve(
        arm.three_joint_arm(), arm.goal(np.array([0.0, 1.5])), start=np.zeros(3),
        method=METHODS["halved"], restarts=0,
    )  # fmt: skip
    share = float(np.mean([a / f for a, f in zip(answers, found, strict=True) if f > 1]))
    local = share > 0.5 and not stuck.ok
    return Claim(
        "section 4",
        "It is a local solver: what it finds depends on where it starts",
        Verdict.HOLDS if local else Verdict.FAILS,
        f"the answers for one target differ from start to start ({100 * share:.0f} % of them are"
        f" distinct, {len(answers)} targets inside); from the straight arm, a target on its own"
        f" line is never found: {float(stuck.errors[0]):.2f} links short after"
        f" {stuck.iterations} iterations, {stuck.status}",
    )


def claims_of(
    runs: dict[str, Runs], zones: dict[str, np.ndarray], straight: dict[str, Runs]
) -> list[Claim]:
    """What the notes say about convergence, beside what the runs did.

    Judged on targets within reach: no method arrives at the others.  ``straight`` are the runs from
    the straight arm, where J lacks rank, to the same targets.
    """
    plain, halved = runs["plain"], runs["halved"]
    within = ~zones["out of reach"]
    failed = {name: int((~r.solved[within]).sum()) for name, r in runs.items()}
    beyond = {name: int((~r.solved[~within]).sum()) for name, r in runs.items()}
    stuck = {name: int((~r.solved).sum()) for name, r in straight.items()}
    count, further = plain.solved[within].size, plain.solved[~within].size
    starts = straight["plain"].solved.size
    rose = {name: int(r.rose[within].sum()) for name, r in runs.items()}
    if failed["plain"]:
        always = Verdict.HOLDS
    else:
        always = Verdict.DEPENDS if stuck["plain"] else Verdict.FAILS
    # What is to be amended, and what of it is left.
    wrong = {name: (rose[name], failed[name] + stuck[name]) for name in runs}
    left = [wrong["halved"][k] for k in range(2) if wrong["plain"][k]]
    less = [wrong["halved"][k] < wrong["plain"][k] for k in range(2)]
    if left and not any(left):
        mended = Verdict.HOLDS
    else:
        mended = Verdict.DEPENDS if any(less) or not left else Verdict.FAILS
    both = plain.solved & halved.solved & within[:, None]
    return [
        Claim(
            "sections 3.3.2 and 3.3.3",
            "Newton's method does not always converge",
            always,
            f"plain, {failed['plain']} of {count} runs from random poses to targets within reach"
            f" are not there after {ITERATIONS} iterations, and {stuck['plain']} of {starts} from"
            " the straight arm, where J lacks rank; depends means: only from there. Not judged:"
            f" {beyond['plain']} of {further} runs to targets that nobody can reach",
        ),
        Claim(
            "section 3.3.3",
            "A whole step does not necessarily lead closer",
            Verdict.HOLDS if rose["plain"] else Verdict.FAILS,
            f"the distance to a target within reach grew at least once in {rose['plain']} of"
            f" {count} plain runs, and in {rose['halved']} of the halved ones",
        ),
        Claim(
            "section 3.3.3",
            "Halving the step amends this",
            mended,
            f"halved, the distance grew in {rose['halved']} of {count} runs within reach (plain"
            f" {rose['plain']}); {failed['halved']} are not there (plain {failed['plain']}), and"
            f" {stuck['halved']} of {starts} from the straight arm (plain {stuck['plain']}), where"
            " half of a step of 0 is 0. Beyond reach, which is not judged, not at the nearest"
            f" point: halved {beyond['halved']} of {further}, plain {beyond['plain']}, halved with"
            f" small singular values cut {beyond['halved, cut']}",
        ),
        Claim(
            "section 3.3.2",
            "Inverse kinematics is a nice problem: a simple iteration can work",
            Verdict.HOLDS if failed["plain"] < 0.05 * count else Verdict.DEPENDS,
            f"within reach {100 - 100 * failed['plain'] / count:.1f} % of the plain runs arrive, in"
            f" {np.median(plain.iterations[both]):.0f} iterations (median; halved"
            f" {np.median(halved.iterations[both]):.0f})",
        ),
        local_claim(halved, zones["inside"]),
    ]  # fmt: skip


def newton_plain_and_halved(order: Order) -> Chapter:
    """A grid of targets from many starts, plain and halved."""
    side, count = (9, 5) if order.quick else (25, 16)
    rng = np.random.default_rng(order.seed)
    across = np.linspace(-1.2, 1.2, side) * arm.REACH
    targets = np.array([(x, y) for y in across for x in across])
    starts = rng.uniform(-np.pi, np.pi, size=(count, 3))
    part = np.hypot(*targets.T) / arm.REACH
    zones = {name: (part > low) & (part <= high) for name, (low, high) in ZONES.items()}
    zones["inside"] |= part == 0.0
    runs = {name: run_all(order, name, targets, starts) for name in METHODS}
    in_reach = targets[~zones["out of reach"]]
    straight = {name: run_all(order, name, in_reach, np.zeros((1, 3))) for name in METHODS}
    rows: list[list[Any]] = []
    for zone, here in zones.items():
        for name, r in runs.items():
            rows.append(
                [
                    zone,
                    name,
                    int(r.solved[here].size),
                    f"{100 * r.solved[here].mean():.1f} %",
                    f"{100 * r.rose[here].mean():.1f} %",
                    float(np.median(r.iterations[here])),
                    float(np.quantile(r.short[here], 0.95)),
                ]
            )
    shown = examples(runs, zones)
    return Chapter(
        "Newton, plain and halved",
        f"From {count} random poses to {len(targets)} targets on a square that is wider than the"
        f" arm's reach, at most {ITERATIONS} iterations each. A run has arrived when the tip is"
        f" within {TOLERANCE:g} of a link of the target or, where the target is out of reach,"
        f" within {NEAREST:g} of the nearest point. Claims are judged on targets within reach, from"
        " random poses and, apart, from the straight arm.\n\nPlain Newton takes every step whole;"
        " halved, a step is halved until the distance decreases. Beyond the arm's reach the nearest"
        " pose is the stretched one, where J loses rank: the nearer the arm is to it, the longer"
        " J⁺Δp, and the more often it must be halved. The third panel of the map counts small"
        " singular values as 0, which the notes do not.",
        settings={
            "lengths": arm.LENGTHS.tolist(),
            "targets": f"{side} × {side} over ±{1.2 * arm.REACH:g}",
            "starts": count,
            "seed": order.seed,
            "methods": {name: repr(method) for name, method in METHODS.items()},
            "tolerance": TOLERANCE,
            "nearest": NEAREST,
        },
        claims=claims_of(runs, zones, straight),
        tables=[
            Table(
                "Runs by where the target is",
                [
                    "target", "steps", "runs", "arrived", "distance ever grew",
                    "iterations (median)", "short of it by (95 %), links",
                ],
                rows,
            )
        ],
        pictures=[
            Picture.of(
                drawings.maps(across, {name: r.solved.mean(axis=1) for name, r in runs.items()}),
                "Where Newton arrives",
                "Share of the starts from which each target is reached (or, outside the circle of"
                " the arm's reach, come as near to as can be).",
            ),
            Picture.of(
                drawings.curves(
                    {
                        what: {name: r.curves[pair] for name, r in runs.items()}
                        for what, pair in shown.items()
                    }
                ),
                "Distance over iterations",
                "Three of the runs, plain and halved: what is missing after each iteration, less"
                " what is out of reach.",
            ),
        ],
        numbers={
            "targets": targets,
            "starts": starts,
            **{
                f"{name} {what}": getattr(r, what)
                for name, r in runs.items()
                for what in ("short", "solved", "rose", "iterations")
            },
            **{f"{name} solved from straight": r.solved for name, r in straight.items()},
        },
    )  # fmt: skip


def examples(runs: dict[str, Runs], zones: dict[str, np.ndarray]) -> dict[str, tuple[int, int]]:
    """(target, start) of the runs to draw: the worst plain rise of each zone."""
    shown = {}
    for zone, here in zones.items():
        at = np.flatnonzero(here)
        peaks = np.array(
            [
                [max(runs["plain"].curves[t, s]) for s in range(runs["plain"].rose.shape[1])]
                for t in at.tolist()
            ]
        )
        t, s = np.unravel_index(int(peaks.argmax()), peaks.shape)
        shown[zone] = (int(at[t]), int(s))
    return shown

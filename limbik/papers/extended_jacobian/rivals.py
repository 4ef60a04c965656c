"""The other methods of extended_jacobian's section 1, and limbik's own, on the ellipse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limbik.figures import chain
from limbik.goals.reach import Reach
from limbik.methods import (
    Baillieul,
    ExtendedJacobian,
    JacobianTranspose,
    Method,
    NullSpace,
    ProjectedLevenbergMarquardt,
    PseudoInverse,
)
from limbik.papers.contract import Chapter, Claim, Order, Table, Verdict
from limbik.papers.extended_jacobian.drawings import distances
from limbik.papers.extended_jacobian.path import BASE, EXACT, LENGTHS, REACH, Walk, ellipse, walk
from limbik.papers.extended_jacobian.planar import jacobian_of
from limbik.solver.solve import solve

STEPS, QUICK_STEPS = 100, 50
ITERATIONS = 20
TOLERANCE = 0.1  # points
GAINS = (0.003, 0.03, 0.1, 0.3, 1.0, 3.0)
BENT = 10  # a tenth of the way the structure is bent already, and it still is a tenth before
OURS, SEARCHED = "limbik's default", "line search"

METHODS: dict[str, Method] = {
    OURS: ProjectedLevenbergMarquardt(),
    "Jacobian inversion (4)": PseudoInverse(cutoff=EXACT),
    "null space, rest (5)": NullSpace(criterion="rest"),
    "null space, manipulability (5)": NullSpace(criterion="manipulability"),
    "Baillieul, rest (6)": Baillieul(criterion="rest"),
    "Jacobian transposition (7), best τ": JacobianTranspose(step=None),
    "extended Jacobian (9, 10)": ExtendedJacobian(clamp=None),
}


class Followed(NamedTuple):
    """A walk with limbik's solve, and what it took."""

    walk: Walk
    iterations: int
    singular: np.ndarray  # (steps,) systems that lacked rank

    @property
    def within(self) -> bool:
        """Whether every position was reached within the tolerance."""
        return bool(self.walk.distance.max() <= TOLERANCE)


def follow(
    method: Method, targets: np.ndarray, q: np.ndarray, budget: int, tolerance: float
) -> Followed:
    """From q through targets (steps, 2), each solved for from the pose before in ``budget``."""
    figure = chain(LENGTHS)
    poses, distance, singular, iterations = [q], [0.0], [], 0
    for target in targets:
        r = solve(
            figure,
            [Reach("Tip", position=[*(target - BASE), 0.0])],
            start=q,
            method=method,
            budget=budget,
            restarts=0,
            tolerance=tolerance,
        )
        q = r.q
        iterations += r.iterations
        singular.append(r.singular)
        poses.append(q)
        distance.append(float(r.errors[0]))
    return Followed(Walk(np.array(poses), np.array(distance)), iterations, np.array(singular))


def other_methods(order: Order) -> Chapter:
    """One iteration a step as in the paper, and as many as it takes."""
    steps = QUICK_STEPS if order.quick else STEPS
    targets, start = ellipse(steps)[1:], np.zeros(len(LENGTHS))
    once: dict[str, Followed] = {}
    solved: dict[str, Followed] = {}
    for name, method in order.steps("extended_jacobian: other methods", METHODS.items()):
        once[name] = follow(method, targets, start, 1, 1e-9)
        solved[name] = follow(method, targets, start, ITERATIONS, TOLERANCE)
    gains = GAINS[::2] if order.quick else GAINS
    # Away from the singular start, where only α differs.
    tenth = steps // BENT
    bent, later = solved[OURS].walk.q[tenth], targets[tenth:-tenth]
    gained = {
        f"{gain:g}" if gain else SEARCHED: follow(
            NullSpace(criterion="rest", gain=gain), later, bent, 1, 1e-9
        )
        for gain in order.steps("extended_jacobian: the gain", (*gains, None))
    }
    return Chapter(
        "The other methods on the same way",
        f"The methods that the paper lists and limbik's default follow the same ellipse in {steps} "
        f"steps: with one iteration a step, as in the paper, and with up to {ITERATIONS}, until "
        f"the end-effector is within {TOLERANCE:g} points. Null space is Liégeois's equation 5 "
        "with α found by a line search, Baillieul his extended Jacobian, both drawn to the "
        "stretched pose; Jacobian transposition takes the step τ that is best for a linear "
        "structure, since dq = Jᵀdx as printed has the wrong unit: with lengths in points it turns "
        "joints by thousands of radians.",
        settings={
            "steps around": steps,
            "iterations": [1, ITERATIONS],
            "tolerance in points": TOLERANCE,
            "methods": {name: repr(method) for name, method in METHODS.items()},
            "fixed gains": list(gains),
        },
        claims=[*_claims(once, steps), _gain_claim(gained)],
        tables=[
            _table("One iteration a step", once),
            _table(f"Up to {ITERATIONS} iterations per step", solved),
            Table(
                "Equation 5 with a fixed gain and with a line search, one iteration a step",
                ["α", "median distance (points)", "largest distance (points)", "mean Σq² (rad²)"],
                [[gain, *_quality(followed)] for gain, followed in gained.items()],
                note="Σq² is the criterion: the distance from the stretched pose. The way begins "
                "and ends a tenth away from the stretched start.",
            ),
        ],
        pictures=[distances("All methods", {name: one.walk for name, one in once.items()}, steps)],
        numbers={
            title: {
                name: {
                    "distance": one.walk.distance,
                    "turn": one.walk.jumps,
                    "iterations": one.iterations,
                    "singular": one.singular,
                }
                for name, one in found.items()
            }
            for title, found in (("one iteration", once), ("solved", solved))
        }
        | {
            "gain": {
                gain: {"distance": one.walk.distance, "turn": one.walk.jumps}
                for gain, one in gained.items()
            }
        },
    )


def _table(title: str, found: dict[str, Followed]) -> Table:
    rows: list[Sequence[str | float | int]] = []
    for name, one in found.items():
        jumps = one.walk.jumps
        rows.append(
            [
                name,
                float(np.median(one.walk.distance)),
                float(one.walk.distance.max()),
                float(jumps[one.walk.leaving].max()),
                float(jumps.max()),
                one.iterations,
                int(one.singular.sum()),
            ]
        )
    return Table(
        title,
        [
            "method",
            "median distance (points)",
            "largest distance (points)",
            "largest turn, leaving the start (rad)",
            "largest turn (rad)",
            "iterations in all",
            "singular systems",
        ],
        rows,
        note="Methods that do not look at the rank of their system have 0 in the last column; "
        "Jacobian inversion counts the row for z, which is 0 in the plane.",
    )


def _quality(followed: Followed) -> list[float]:
    one = followed.walk
    return [
        float(np.median(one.distance)),
        float(one.distance.max()),
        float((one.q**2).sum(axis=1).mean()),
    ]


def _ours(solved: dict[str, Followed]) -> str:
    """What limbik's default does better here, and what others do better."""
    ours = solved[OURS]
    within = {name: one for name, one in solved.items() if one.within}
    fewer = [name for name, one in within.items() if one.iterations < ours.iterations]
    calmer = [name for name, one in within.items() if one.walk.jumps.max() < ours.walk.jumps.max()]
    return (
        f"With up to {ITERATIONS} iterations, {len(within)} of {len(solved)} methods reach every "
        f"position within the tolerance: {', '.join(within)}. limbik's default takes "
        f"{ours.iterations} iterations in all and turns a joint by at most "
        f"{ours.walk.jumps.max():.3g} rad in a step. Of those that reach every position, with "
        f"fewer iterations: {', '.join(fewer) or 'none'}; with a smaller largest turn: "
        f"{', '.join(calmer) or 'none'}."
    )


def _claims(once: dict[str, Followed], steps: int) -> list[Claim]:
    def leaving(name: str) -> float:
        one = once[name].walk
        return float(one.jumps[one.leaving].max())

    transposition = "Jacobian transposition (7), best τ"
    inverse, transposed = leaving("Jacobian inversion (4)"), leaving(transposition)
    first = float(walk(steps, _printed).jumps[0])
    square = once["Baillieul, rest (6)"]
    lacking = int(square.singular.sum())
    return [
        Claim(
            "section 1.3",
            "Jacobian transposition is much more stable than Jacobian inversion.",
            Verdict.HOLDS if transposed < 0.2 * inverse else Verdict.FAILS,
            f"Leaving the singular start a joint turns by up to {transposed:.3g} rad in a step, "
            f"against {inverse:.3g} rad; the price is a median distance of "
            f"{np.median(once[transposition].walk.distance):.3g} points.",
        ),
        Claim(
            "section 1.3, equation 7",
            "dq = Jᵀdx can be taken as it stands.",
            Verdict.HOLDS if first < np.pi else Verdict.FAILS,
            f"Without a step length the first step turns a joint by {first:.3g} rad: Jᵀdx is a "
            "length squared, not an angle.",
        ),
        Claim(
            "section 1.2",
            "With Baillieul's rows a standard inversion is enough.",
            Verdict.DEPENDS if lacking else Verdict.HOLDS,
            f"{lacking} of {square.iterations} systems lacked rank"
            + (
                ", the first among them: at the stretched start J itself does, and no row below it "
                "can mend that."
                if square.singular[0]
                else "."
            ),
        ),
    ]


def _printed(q: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """Equation 7 without a step length."""
    return jacobian_of(LENGTHS, q).T @ dx


def _gain_claim(gained: dict[str, Followed]) -> Claim:
    """How much hangs on α, and whether a line search does as well as the best of them."""
    found = {gain: _quality(one) for gain, one in gained.items()}
    searched = found.pop(SEARCHED)
    lost = [gain for gain, row in found.items() if row[1] > 0.1 * REACH]
    kept = {gain: row for gain, row in found.items() if gain not in lost}
    best = min(kept, key=lambda gain: kept[gain][2]) if kept else None
    worst = max((row[2] for row in kept.values()), default=0.0)
    hangs = bool(lost) or (best is not None and worst > 1.5 * kept[best][2])
    as_good = best is None or searched[2] < 1.1 * kept[best][2]
    if not hangs:
        verdict = Verdict.FAILS
    else:
        verdict = Verdict.DEPENDS if as_good and searched[1] < 0.1 * REACH else Verdict.HOLDS
    text = ", ".join(f"{row[2]:.3g} (α = {gain})" for gain, row in kept.items())
    return Claim(
        "section 1.1",
        "The gain α of equation 5 is difficult to obtain.",
        verdict,
        f"The criterion's mean is {text} with a fixed α"
        + (f", and the end-effector is lost at α = {', '.join(lost)}" if lost else "")
        + f"; a line search comes to {searched[2]:.3g}, at most {searched[1]:.3g} points off.",
    )

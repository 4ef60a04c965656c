"""Sections 2 and 3.1–3.3.1 of newton_svd: the arm's formulas, the tangent, the pseudo-inverse."""

from __future__ import annotations

import numpy as np

from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.newton_svd import arm, drawings
from limbik.solver.problem import Problem

TURNS = np.geomspace(1e-3, 2.0, 14)
"""Lengths of a change of the joints, in rad."""


def penrose(matrix: np.ndarray, inverse: np.ndarray) -> float:
    """The largest violation of Penrose's four conditions, which only one matrix can meet."""
    left, right = matrix @ inverse, inverse @ matrix
    missed = (left @ matrix - matrix, right @ inverse - inverse, left - left.T, right - right.T)
    return float(max(np.abs(m).max() for m in missed))


def arm_and_tangent(order: Order) -> Chapter:
    """The formulas beside limbik's kinematics, how close the tangent is, and what J⁺ is."""
    rng = np.random.default_rng(order.seed)
    figure = arm.three_joint_arm()
    poses = rng.uniform(-np.pi, np.pi, size=(50 if order.quick else 400, 3))
    ways = rng.normal(size=poses.shape)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    apart = {"p₃ (section 2)": 0.0, "J (equation 3)": 0.0, "J by differences": 0.0}
    missed = np.empty((len(poses), len(TURNS)))
    unlike_inverse, not_penrose, other_inverse = np.inf, 0.0, 0.0
    for k, (q, way) in enumerate(
        order.steps("newton_svd: the tangent", zip(poses, ways, strict=True))
    ):
        mine = Problem(figure, arm.goal(np.zeros(2)), start=q).jacobian(q)[:2]
        moved = [(arm.tip(q + h) - arm.tip(q - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
        here = {
            "p₃ (section 2)": arm.tip(q) - figure.positions(q)[-1, :2],
            "J (equation 3)": arm.jacobian(q) - mine,
            "J by differences": arm.jacobian(q) - np.transpose(moved),
        }
        apart = {name: max(most, float(np.abs(here[name]).max())) for name, most in apart.items()}
        for t, turn in enumerate(TURNS):
            to = q + turn * way
            missed[k, t] = np.linalg.norm(arm.linear(to, q) - arm.tip(to))
        # Equations 8 and 9, and the same from the SVD of the transpose: other signs and bases.
        u, s, vt = np.linalg.svd(mine, full_matrices=False)
        inverse = vt.T @ np.diag(1 / s) @ u.T
        u, s, vt = np.linalg.svd(mine.T, full_matrices=False)
        other_inverse = max(
            other_inverse, float(np.abs(u @ np.diag(1 / s) @ vt - inverse).max() * s[-1])
        )
        not_penrose = max(not_penrose, penrose(mine, inverse) * float(s[-1] / s[0]))
        unlike_inverse = min(unlike_inverse, float(np.abs(inverse @ mine - np.eye(3)).max()))
    typical = np.median(missed, axis=0)
    small = TURNS <= 0.1
    slope = float(np.polyfit(np.log(TURNS[small]), np.log(typical[small]), 1)[0])
    near, far = float(np.interp(0.1, TURNS, typical)), float(np.interp(1.0, TURNS, typical))
    unique = max(not_penrose, other_inverse) < 1e-9
    return Chapter(
        "The arm, its tangent and the pseudo-inverse",
        "The arm of three joints of section 2, each link 1 long, at random poses. Its formulas are"
        " laid beside limbik's kinematics; the tangent of equation 4 beside the path itself for"
        " changes of growing length; and the pseudo-inverse of equation 9 is tested for what"
        " section 3.3 says about it.",
        settings={
            "lengths": arm.LENGTHS.tolist(),
            "poses": len(poses),
            "seed": order.seed,
            "turns, rad": TURNS.round(6).tolist(),
        },
        claims=[
            Claim(
                "sections 2 and 3.1",
                "p₃ and its derivatives, for angles clockwise from the y axis",
                Verdict.HOLDS if max(apart.values()) < 1e-6 else Verdict.FAILS,
                ", ".join(f"{name} within {most:.1e}" for name, most in apart.items())
                + f" at {len(poses)} poses",
            ),
            Claim(
                "section 3.1",
                "The tangent is a close approximation to the path around the current point",
                Verdict.HOLDS if abs(slope - 2.0) < 0.1 else Verdict.FAILS,
                f"the error grows as the turn to the power {slope:.2f}: {near:.2g} of a link at"
                f" 0.1 rad, {far:.2g} at 1 rad (medians)",
            ),
            Claim(
                "section 3.3",
                "The pseudo-inverse has most but not all properties of an inverse",
                Verdict.HOLDS if unlike_inverse > 1e-3 and not_penrose < 1e-9 else Verdict.FAILS,
                f"JJ⁺J = J and its three companions hold within {not_penrose:.1e}, J⁺J is never I"
                f" (at least {unlike_inverse:.2f} off)",
            ),
            Claim(
                "section 3.3",
                "The pseudo-inverse is not necessarily unique",
                Verdict.FAILS if unique else Verdict.HOLDS,
                "that of equation 9 meets Penrose's four conditions, which one matrix only can: the"
                f" SVDs of J and of its transpose give the same J⁺ within {other_inverse:.1e}",
            ),
        ],
        tables=[
            Table(
                "How far the tangent is from the path",
                ["turn, rad", "median error, links", "largest"],
                [
                    [float(turn), float(typical[t]), float(missed[:, t].max())]
                    for t, turn in enumerate(TURNS)
                ],
            )
        ],
        pictures=[
            Picture.of(
                drawings.tangent(TURNS, missed, slope),
                "The tangent beside the path",
                "Error of equation 4 over the length of the change: median, and the range from the"
                " least to the largest over all poses.",
            )
        ],
        numbers={"turns": TURNS, "errors": missed, "slope": slope, "apart": apart},
    )  # fmt: skip

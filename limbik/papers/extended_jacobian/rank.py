"""The rank of the extended Jacobian: along the way, at random, and where it fails."""

from __future__ import annotations

import numpy as np

from limbik.papers.contract import Chapter, Claim, Order, Table, Verdict
from limbik.papers.extended_jacobian.drawings import curves
from limbik.papers.extended_jacobian.path import LENGTHS, extension, inversion, walk
from limbik.papers.extended_jacobian.planar import extended_jacobian_of, jacobian_of, planar_step

STEPS = 400
POSES, QUICK_POSES = 20000, 2000
_SHOWN = 1e-4
_RANK = 1e-9  # a singular value of this part of the largest or less is 0

EQUAL = np.ones(4)
FOLDED = np.array([0.3, np.pi, 0.7, np.pi])
"""Pair 0 folded onto itself and the end at the base: joint 0 moves neither."""


def smallest(rows: np.ndarray) -> float:
    """σₙ/σ₁."""
    sigma = np.linalg.svd(rows, compute_uv=False)
    return float(sigma[min(rows.shape) - 1] / sigma[0])


def rank_on_the_way(order: Order) -> Chapter:
    """Smallest singular values on the ellipse, at random poses, and at the counterexample."""
    poses = QUICK_POSES if order.quick else POSES
    order.progress("extended_jacobian: the rank", 0, 1)
    extended, inverse = walk(STEPS, extension()), walk(STEPS, inversion())
    shares = np.linspace(0.0, 1.0, STEPS + 1)
    lines = {
        "extended Jacobian, on its own way": [
            smallest(extended_jacobian_of(LENGTHS, q)) for q in extended.q
        ],
        "plain Jacobian, on that way": [smallest(jacobian_of(LENGTHS, q)) for q in extended.q],
        "extended Jacobian, on the way of Jacobian inversion": [
            smallest(extended_jacobian_of(LENGTHS, q)) for q in inverse.q
        ],
    }
    random = np.random.default_rng(order.seed).uniform(-np.pi, np.pi, size=(poses, len(LENGTHS)))
    at_random = np.array([smallest(extended_jacobian_of(LENGTHS, q)) for q in random])
    pairs = np.array([smallest(extended_jacobian_of(LENGTHS, q)[:-2]) for q in random[:200]])
    folded = extended_jacobian_of(EQUAL, FOLDED)
    sigma = np.linalg.svd(folded, compute_uv=False)
    step, full = planar_step(EQUAL, FOLDED, np.array([0.1, 0.2]))
    step = np.round(step, 12) + 0.0  # no −0, no rounding
    order.progress("extended_jacobian: the rank", 1, 1)
    own = [min(lines["extended Jacobian, on its own way"]), float(at_random.min())]
    broken = sigma[-1] <= _RANK * sigma[0]
    if broken:
        guaranteed = Verdict.FAILS
    else:
        guaranteed = Verdict.HOLDS if min(own) > _RANK else Verdict.FAILS
    return Chapter(
        "The rank of the extended Jacobian",
        "The paper rests on its matrix having rank n whatever the pose. On the way around the "
        "ellipse and at random poses of its six segments it does. It is not guaranteed: where two "
        "neighbouring segments of equal length fold onto each other, the pair's end lies on its "
        "own first joint, which then cannot move it; if the end-effector lies there as well, that "
        "joint moves nothing in any row, its column is 0, and LU meets a pivot of 0. limbik then "
        "takes the shortest step of least squares and says so in Result.singular.",
        settings={
            "steps around": STEPS,
            "random poses": poses,
            "seed": order.seed,
            "rank": f"a singular value of {_RANK:g} of the largest or less counts as 0",
            "counterexample": {"segments": EQUAL, "q": FOLDED},
        },
        claims=[
            Claim(
                "section 3",
                "The extended Jacobian cannot be singular: its rank is always guaranteed to be n.",
                guaranteed,
                f"Four segments of length 1 at q = (0.3, π, 0.7, π): singular values "
                f"{', '.join(f'{value:.3g}' for value in sigma)}, so its rank is "
                f"{int((sigma > _RANK * sigma[0]).sum())} of 4. With the paper's own segments "
                f"σₙ/σ₁ is at least {own[0]:.2g} on the way and {own[1]:.2g} at {poses} poses at "
                "random.",
            ),
            Claim(
                "section 2.3",
                "The rows of the pairs alone have a rank of at most n − 1, the number of pairs.",
                Verdict.FAILS if (pairs > _RANK).any() else Verdict.HOLDS,
                f"A pair has two rows, so there are 2(n − 1). At {int((pairs > _RANK).sum())} of "
                f"{len(pairs)} random poses they alone have rank n = {len(LENGTHS)}; in the "
                "stretched pose, where all y rows are left, they have "
                f"{np.linalg.matrix_rank(extended_jacobian_of(LENGTHS, np.zeros(6))[:-2])}.",
            ),
        ],
        tables=[
            Table(
                "σₙ/σ₁ of the extended Jacobian",
                ["where", "smallest", "median"],
                [
                    *(
                        [name, float(min(values)), float(np.median(values))]
                        for name, values in lines.items()
                    ),
                    [
                        f"extended Jacobian, {poses} random poses",
                        own[1],
                        float(np.median(at_random)),
                    ],
                    ["extended Jacobian, the counterexample", float(sigma[-1] / sigma[0]), "–"],
                ],
                note=f"At the counterexample LU {'goes on' if full else 'finds a pivot of 0'}; "
                f"the step is {', '.join(f'{value:.3g}' for value in step)} rad.",
            )
        ],
        pictures=[
            curves(
                "How near the Jacobians are to lacking rank",
                f"σₙ/σ₁ on the way, {STEPS} steps around the ellipse; less than {_SHOWN:g} is "
                "drawn there.",
                shares,
                lines,
                ("part of the way around", "σₙ/σ₁"),
                log_x=False,
                floor=_SHOWN,
            )
        ],
        numbers={
            "on the way": {name: list(values) for name, values in lines.items()},
            "least at random poses": own[1],
            "counterexample": sigma,
            "its step": step,
        },
    )

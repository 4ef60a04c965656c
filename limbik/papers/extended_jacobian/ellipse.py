"""The experiment of section 3: Jacobian inversion against the extended Jacobian on an ellipse."""

from __future__ import annotations

import numpy as np

from limbik.papers.contract import Chapter, Claim, Order, Table, Verdict
from limbik.papers.extended_jacobian.drawings import distances, first_steps
from limbik.papers.extended_jacobian.path import (
    BASE,
    HALF_AXES,
    LENGTHS,
    REACH,
    Walk,
    ellipse,
    end,
    extension,
    inversion,
    walk,
)
from limbik.papers.extended_jacobian.planar import jacobian_of

STEPS = (50, 100, 200, 400, 1000)
QUICK_STEPS = (100, 400)
SHOWN = 100
BIG = 1.0  # rad: a jump
DRAWN = 6

INVERSION, EXTENSION = "Jacobian inversion", "extended Jacobian, w = 1"


def of_all(holds: list[bool]) -> Verdict:
    """Holds for every setting that was tried, for none, or for some."""
    if all(holds):
        return Verdict.HOLDS
    return Verdict.DEPENDS if any(holds) else Verdict.FAILS


def around_the_ellipse(order: Order) -> Chapter:
    """Figs. 4, 5 and 6, for several numbers of steps, which the paper does not give."""
    counts = QUICK_STEPS if order.quick else STEPS
    walks: dict[int, dict[str, Walk]] = {}
    for steps in order.steps("extended_jacobian: the ellipse", counts):
        walks[steps] = {INVERSION: walk(steps, inversion()), EXTENSION: walk(steps, extension())}
    shown = walks[SHOWN]
    rows = [
        [steps, name, *_summary(found)]
        for steps, both in walks.items()
        for name, found in both.items()
    ]
    return Chapter(
        "Around the ellipse",
        "Six segments, stretched along x, whose end touches the ellipse at its right end; then the "
        "end-effector follows the ellipse once around. The paper does not say how many steps that "
        "takes, so several numbers are tried. Each step aims at the next position from where the "
        "end-effector is, and takes one dq: J⁺dx for the Jacobian inversion (by SVD), and the "
        "least squares of equation 10, with normal equations and LU, for the extended Jacobian.\n\n"
        "The stretched start is singular: no joint can move the end along x. The first dx is "
        "nearly along y, so J⁺ takes a short first step; after it the Jacobian has full rank by a "
        "hair, and the way along x, divided by a tiny singular value, becomes a jump. The rows of "
        "the pairs damp the extended Jacobian's step: with dxᵢ = 0 it is (JᵀJ + w²KᵀK)⁻¹Jᵀdx, "
        "damped least squares whose damping is a matrix.\n\n" + _following(walks),
        settings={
            "segments": LENGTHS,
            "base": BASE,
            "half axes of the ellipse": HALF_AXES,
            "steps around": list(counts),
            "start": "q = 0",
            "dx": "from the end-effector to its next position, one iteration a step",
            "pseudo-inverse": "SVD, singular values up to 1e-15 of the largest count as 0",
            "a jump": f"a joint that turns more than {BIG:g} rad in a step",
            "leaving the start": "the first twentieth of the way, at least five steps",
        },
        claims=_claims(walks),
        tables=[
            Table(
                "One iteration a step",
                [
                    "steps",
                    "method",
                    "largest turn, leaving the start (rad)",
                    "largest turn later (rad)",
                    "largest distance, leaving (points)",
                    "median distance (points)",
                    "largest distance (points)",
                ],
                rows,
                note="A turn is that of the joint that turns most in a step.",
            )
        ],
        pictures=[
            distances("The paper's Fig. 4", shown, SHOWN),
            first_steps(shown, DRAWN, SHOWN),
        ],
        numbers={
            f"{steps} steps": {
                name: {"distance": found.distance, "turn": found.jumps}
                for name, found in both.items()
            }
            for steps, both in walks.items()
        },
    )


def _summary(found: Walk) -> list[float]:
    leaving, jumps = found.leaving, found.jumps
    return [
        float(jumps[leaving].max()),
        float(jumps[leaving.stop :].max()),
        float(found.distance[1:][leaving].max()),
        float(np.median(found.distance)),
        float(found.distance.max()),
    ]


def _following(walks: dict[int, dict[str, Walk]]) -> str:
    """Who keeps the end-effector nearer to its positions over the whole way."""
    medians = {
        steps: [float(np.median(found.distance)) for found in both.values()]
        for steps, both in walks.items()
    }
    nearer = sum(extended < inverse for inverse, extended in medians.values())
    text = ", ".join(f"{e:.3g} against {i:.3g} ({s} steps)" for s, (i, e) in medians.items())
    return (
        f"Over the whole way the extended Jacobian's median distance is the smaller one for "
        f"{nearer} of {len(walks)} numbers of steps: {text} points."
    )


def _claims(walks: dict[int, dict[str, Walk]]) -> list[Claim]:
    inverse = {steps: _summary(both[INVERSION]) for steps, both in walks.items()}
    extended = {steps: _summary(both[EXTENSION]) for steps, both in walks.items()}

    def medians_text(values: dict[int, list[float]], k: int) -> str:
        return ", ".join(f"{row[k]:.3g} ({steps} steps)" for steps, row in values.items())

    jump = [inverse[s][0] > BIG for s in walks]
    calm = [extended[s][0] < BIG and extended[s][0] < 0.5 * inverse[s][0] for s in walks]
    smooth = [max(extended[s][:2]) < BIG for s in walks]
    start = np.zeros(len(LENGTHS))
    jacobian = jacobian_of(LENGTHS, start)
    product = jacobian @ jacobian.T
    amplified = {
        s: float(
            np.linalg.norm(np.diff(both[INVERSION].q, axis=0)[1])
            * np.linalg.svd(jacobian_of(LENGTHS, both[INVERSION].q[1]), compute_uv=False)[0]
        )
        / max(1e-300, float(np.linalg.norm(_way(both[INVERSION], s))))
        for s, both in walks.items()
    }
    wild = [value > 20.0 for value in amplified.values()]
    apart = {
        s: float(np.abs(both[INVERSION].q - both[EXTENSION].q).max(axis=1).mean())
        for s, both in walks.items()
    }
    return [
        Claim(
            "section 3",
            f"Jacobian inversion makes a big jump leaving the start (more than {BIG:g} rad).",
            of_all(jump),
            f"Its joints turn up to {medians_text(inverse, 0)} rad in a step.",
        ),
        Claim(
            "section 1.1",
            "Pseudo-inverse methods are numerically unstable at a kinematic singularity.",
            of_all(wild),
            f"JJᵀ at the start has determinant {np.linalg.det(product):.3g}, so (JJᵀ)⁻¹ as printed "
            "is not there. In the second step of the SVD's J⁺, ‖dq‖ is "
            + ", ".join(f"{value:.3g} ({s} steps)" for s, value in amplified.items())
            + " times ‖dx‖/σ₁, the length it would have along the strongest direction.",
        ),
        Claim(
            "section 3",
            "The extended Jacobian recovers well from the singular start.",
            of_all(calm),
            f"Leaving it, its joints turn up to {medians_text(extended, 0)} rad in a step, against "
            f"{medians_text(inverse, 0)} rad.",
        ),
        Claim(
            "section 3",
            "Its behaviour is different from that of the pseudo-inverse.",
            of_all([value > 0.1 for value in apart.values()]),
            "On average over the way, the joint that differs most differs by "
            + ", ".join(f"{value:.3g} rad ({s} steps)" for s, value in apart.items())
            + ".",
        ),
        Claim(
            "section 4",
            f"The method is stable (no joint turns more than {BIG:g} rad in a step, all the way).",
            of_all(smooth),
            f"The largest turn after the start is {medians_text(extended, 1)} rad.",
        ),
        _shortest(),
    ]


def _way(found: Walk, steps: int) -> np.ndarray:
    """dx of the second step."""
    return ellipse(steps)[2] - end(found.q[1])


def _shortest() -> Claim:
    """Whether J⁺ gives the shortest dq: against the extended Jacobian's step with the same dx."""
    random, longest = np.random.default_rng(0), 0.0
    for q in random.uniform(-np.pi, np.pi, size=(200, len(LENGTHS))):
        other = extension()(q, random.normal(size=2) * 0.01 * REACH)
        shortest = inversion()(q, jacobian_of(LENGTHS, q) @ other)
        longest = max(longest, float(np.linalg.norm(shortest) / np.linalg.norm(other)))
    return Claim(
        "section 1.1",
        "The pseudo-inverse gives the dq of least norm.",
        Verdict.HOLDS if longest <= 1.0 + 1e-9 else Verdict.FAILS,
        "At 200 random poses, J⁺ for the same dx is never longer than the extended Jacobian's "
        f"step: at most {longest:.3f} of its length.",
    )

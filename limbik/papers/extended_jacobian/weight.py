"""The sweep of section 3: what becomes of the extended Jacobian when w → 0."""

from __future__ import annotations

import numpy as np

from limbik.papers.contract import Chapter, Claim, Order, Table, Verdict
from limbik.papers.extended_jacobian.drawings import curves
from limbik.papers.extended_jacobian.path import (
    LENGTHS,
    Step,
    Walk,
    extension,
    inversion,
    walk,
)
from limbik.papers.extended_jacobian.planar import extended_jacobian_of

STEPS = 100
WEIGHTS = tuple(10.0**-k for k in range(11))
QUICK_WEIGHTS = tuple(10.0**-k for k in range(0, 11, 2))
_SAME, _CALM = 0.05, 1.0  # rad

BY_LU, BY_SVD = "normal equations and LU", "least squares by SVD"


def accurate(weight: float) -> Step:
    """Equation 10 without normal equations, which square the condition of the matrix."""

    def step(q: np.ndarray, dx: np.ndarray) -> np.ndarray:
        rows = extended_jacobian_of(LENGTHS, q, weight)
        wanted = np.concatenate([np.zeros(len(rows) - 2), dx])
        return np.linalg.lstsq(rows, wanted, rcond=1e-16)[0]

    return step


def limit(q: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """What equation 10 tends to for w → 0: of all dq with J·dq = dx the one that moves pairs least.

    H⁻¹Jᵀ(JH⁻¹Jᵀ)⁻¹dx with H = KᵀK, for J of full rank: a pseudo-inverse with the pairs as its
    measure of length, not J⁺.
    """
    rows = extended_jacobian_of(LENGTHS, q)
    k, j = rows[:-2], rows[-2:]
    spread = np.linalg.solve(k.T @ k, j.T)
    return spread @ np.linalg.solve(j @ spread, dx)


def weight_to_nothing(order: Order) -> Chapter:
    """Every added row times w, for smaller and smaller w."""
    weights = QUICK_WEIGHTS if order.quick else WEIGHTS
    found: dict[str, list[Walk]] = {BY_LU: [], BY_SVD: []}
    for weight in order.steps("extended_jacobian: the weight", weights):
        found[BY_LU].append(walk(STEPS, extension(weight)))
        found[BY_SVD].append(walk(STEPS, accurate(weight)))
    inverse = walk(STEPS, inversion())
    leaving = {
        name: [float(one.jumps[one.leaving].max()) for one in walks]
        for name, walks in found.items()
    }
    median = {name: [float(np.median(one.distance)) for one in w] for name, w in found.items()}
    away_from_inversion, away_from_limit = _one_step(weights)
    jump = float(inverse.jumps[inverse.leaving].max())
    return Chapter(
        "The weight w → 0",
        "The paper multiplies the added rows by w and expects the extended Jacobian to turn into "
        "the plain one. It reports that the behaviour remained and the ability to recover was "
        "lost.\n\n"
        "In exact arithmetic neither is a surprise, and the second is not so: for w → 0 the step "
        "tends to H⁻¹Jᵀ(JH⁻¹Jᵀ)⁻¹dx with H = KᵀK, which still prefers to leave the pairs alone and "
        "is not J⁺dx. What is lost is lost in the arithmetic: the normal matrix JᵀJ + w²KᵀK holds "
        "w² beside 1, so in double precision nothing of the pairs is left from about w = 1e-8 on. "
        "The same least squares by an SVD of the matrix itself go on as before.",
        settings={
            "steps around": STEPS,
            "weights": list(weights),
            BY_LU: "equation 10 as the paper solves it; any pivot is accepted",
            BY_SVD: "numpy.linalg.lstsq on the matrix of equation 9",
            "recovers": f"no joint turns more than {_CALM:g} rad in a step, leaving the start, and "
            "the median distance is less than three times that of the SVD",
        },
        claims=_claims(weights, leaving, found, inverse, away_from_inversion, away_from_limit),
        tables=[
            Table(
                "Leaving the start",
                [
                    "w",
                    "largest turn, LU (rad)",
                    "median distance, LU (points)",
                    "largest turn, SVD (rad)",
                    "median distance, SVD (points)",
                ],
                [
                    [f"1e{round(np.log10(weight)):d}" if weight < 1 else "1", *numbers]
                    for weight, *numbers in zip(
                        weights,
                        leaving[BY_LU],
                        median[BY_LU],
                        leaving[BY_SVD],
                        median[BY_SVD],
                        strict=True,
                    )
                ],
                note=f"Jacobian inversion turns a joint by {jump:.3g} rad there, and has a median "
                f"distance of {np.median(inverse.distance):.3g} points.",
            )
        ],
        pictures=[
            curves(
                "Leaving the singular start with less and less weight on the pairs",
                f"Largest turn of a joint in one of the first steps, {STEPS} steps around.",
                weights,
                {**leaving, "Jacobian inversion": [jump] * len(weights)},
                ("w", "rad"),
            )
        ],
        numbers={
            "weights": list(weights),
            "largest turn": leaving,
            "median distance": median,
            "one step against Jacobian inversion": away_from_inversion,
            "one step against the limit": away_from_limit,
        },
    )


def _one_step(weights: tuple[float, ...]) -> tuple[list[float], list[float]]:
    """How far one step is from J⁺dx and from the limit, as a part of it: the mean over poses."""
    random = np.random.default_rng(0)
    poses, ways = random.uniform(-1.5, 1.5, size=(20, len(LENGTHS))), random.normal(size=(20, 2))
    inverse, to = inversion(), []
    for weight in weights:
        off = []
        for q, dx in zip(poses, ways, strict=True):
            step, plain, least = accurate(weight)(q, dx), inverse(q, dx), limit(q, dx)
            off.append(
                [
                    np.linalg.norm(step - plain) / np.linalg.norm(plain),
                    np.linalg.norm(step - least) / np.linalg.norm(least),
                ]
            )
        to.append(np.mean(off, axis=0))
    return [float(pair[0]) for pair in to], [float(pair[1]) for pair in to]


def _claims(
    weights: tuple[float, ...],
    leaving: dict[str, list[float]],
    found: dict[str, list[Walk]],
    inverse: Walk,
    away_from_inversion: list[float],
    away_from_limit: list[float],
) -> list[Claim]:
    reference = next(k for k, w in enumerate(weights) if w <= 0.01)
    first = found[BY_SVD][reference].leaving.stop
    # How far apart two walks are where they leave the start.
    apart = [
        float(np.abs(one.q[:first] - found[BY_SVD][reference].q[:first]).max())
        for one in found[BY_SVD]
    ]
    other = float(np.abs(found[BY_SVD][-1].q[:first] - inverse.q[:first]).max())
    remained = max(apart[reference:]) < _SAME < other
    follows = [3.0 * float(np.median(one.distance)) for one in found[BY_SVD]]
    calm = {
        name: [
            turn < _CALM and float(np.median(one.distance)) < most
            for turn, one, most in zip(turns, found[name], follows, strict=True)
        ]
        for name, turns in leaving.items()
    }
    lost = [w for w, ok in zip(weights, calm[BY_LU], strict=True) if not ok]
    if lost and all(calm[BY_SVD]):
        disappears = Verdict.DEPENDS
    elif lost:
        disappears = Verdict.HOLDS
    else:
        disappears = Verdict.FAILS
    becomes = away_from_inversion[-1] < 0.01
    return [
        Claim(
            "section 3, assumed before the test",
            "For w → 0 the extended Jacobian's step becomes that of the plain Jacobian.",
            Verdict.HOLDS if becomes else Verdict.FAILS,
            f"At w = {weights[-1]:g} the step is {100 * away_from_inversion[-1]:.3g} % of its "
            f"length away from J⁺dx, and {100 * away_from_limit[-1]:.2g} % from the limit above.",
        ),
        Claim(
            "section 3",
            "With w → 0 the behaviour remained.",
            Verdict.HOLDS if remained else Verdict.FAILS,
            f"From w = {weights[reference]:g} to {weights[-1]:g} the poses leaving the start "
            f"differ by at most {max(apart[reference:]):.2g} rad, and from Jacobian inversion by "
            f"{other:.3g} rad.",
        ),
        Claim(
            "section 3",
            "With w → 0 the ability to recover from the singular case disappears.",
            disappears,
            (
                f"By normal equations and LU it is lost at w = {', '.join(f'{w:g}' for w in lost)}"
                if lost
                else "By normal equations and LU it is never lost"
            )
            + "; by SVD, which is the same least squares, "
            + ("for no w" if all(calm[BY_SVD]) else "for some w as well")
            + f", with a largest turn of {max(leaving[BY_SVD]):.3g} rad.",
        ),
    ]

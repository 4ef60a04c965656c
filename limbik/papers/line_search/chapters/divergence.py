"""Experiment (b): how long may the fixed step of the Jacobian transpose be? (Figure 7)"""

from __future__ import annotations

import math

import numpy as np

from limbik import plots
from limbik.methods import JacobianTranspose, ProjectedLevenbergMarquardt
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search.contestants import STEP
from limbik.papers.line_search.drawing import FRONT, body, floor, rgb, stand
from limbik.papers.line_search.follow import Path, path_of
from limbik.papers.line_search.subject import SAMPLINGS, Subject
from limbik.solver.targets.tables import batch_problem

TOO_LONG = 0.05
"""The step of the paper's Figure 7."""

STEPS = (0.0025, STEP, 0.01, 0.02, TOO_LONG)
ITERATIONS = 300
SHOWN = 0.01
"""The step whose last poses are drawn."""

STILL = 1e-3
"""Radians: a solve has settled when no coordinate moves further in its last iteration."""

_SHADES = ("#2a8c55", "#3f7fbf", "#c79a1b", "#d1802b", "#c23b3b")
_ROUNDED = 1e-20  # f below which differences are rounding
_BISECTIONS = 9


def chapter(order: Order, subject: Subject) -> Chapter:
    """Steps of several lengths on pairs of frames 0.05 s apart, five position goals."""
    five = tuple(name for k, name in enumerate(subject.effectors) if k != 4)  # not the pelvis
    fine = subject.clip.sample(SAMPLINGS[0])
    at = fine.positions()[:, subject.index(five)]
    pairs = np.linspace(0.15 * fine.frames, 0.85 * fine.frames, 6 if order.quick else 20)
    pairs = np.unique(pairs.astype(int)[pairs < fine.frames - 1])
    paths: dict[float, list[Path]] = {step: [] for step in STEPS}
    found, predicted = [], []

    def walk(k: int, step: float) -> Path:
        method = JacobianTranspose(step=step)
        return path_of(subject.figure, five, at[k + 1], fine.q[k], method, ITERATIONS)

    for k in order.steps("line_search: divergence", pairs):
        for step in STEPS:
            paths[step].append(walk(k, step))
        found.append(_threshold(lambda step, k=k: settled(walk(k, step))))
        _, _, problem = batch_problem(subject.figure, five, at[k + 1][None], None)
        sigma = np.linalg.norm(problem.jacobian(fine.q[k + 1]), 2)
        predicted.append(1.0 / sigma**2)
    calm = 0.5 * min(found)
    orders = {
        "Jacobian transpose": [convergence_order(walk(k, calm)) for k in pairs],
        "projected LM": [
            convergence_order(
                path_of(
                    subject.figure, five, at[k + 1], fine.q[k], ProjectedLevenbergMarquardt(), 100
                )
            )
            for k in pairs
        ],
    }
    ends = {step: np.array([path.f[-1] for path in paths[step]]) for step in STEPS}
    began = np.array([path.f[0] for path in paths[STEPS[0]]])
    rows = [
        [
            step,
            sum(settled(path) for path in paths[step]),
            sum(flips(path) for path in paths[step]),
            float(np.median(ends[step] / began)),
            float(np.max(ends[step])),
        ]
        for step in STEPS
    ]
    return Chapter(
        title="The fixed step of the Jacobian transpose (Figure 7)",
        text=(
            "θ ← P(θ − τ∇f) with a fixed τ, from a frame of the clip to the goals of the frame "
            f"0.05 s later: hands, feet and head, with joint limits, {len(pairs)} such pairs, "
            f"{ITERATIONS} iterations. A path has settled when no coordinate moves by more than "
            f"{STILL:g} rad in its last iteration; it flips when it then goes to and fro between "
            "two poses. Each pair's own threshold was found by halving intervals.\n\n"
            "Theory says where the threshold lies. Near a solution a step multiplies the error "
            "along a singular vector of J by 1 − 2τσ², so it settles only for τ < 1/σ₁². For this "
            f"body that is {min(predicted):.4f} to {max(predicted):.4f} in the paper's unit. τ "
            "goes with the inverse square of the unit: in metres the same steps would be "
            f"{1 / 0.2**2:g} times as long (a unit is 0.2 m), were it not for the root's slides, "
            "which do not scale with it."
        ),
        settings={
            "steps": list(STEPS),
            "effectors": list(five),
            "pairs of frames": pairs.tolist(),
            "iterations": ITERATIONS,
        },
        claims=claims(np.array(found), np.array(predicted), paths, orders),
        tables=[
            Table(
                "Steps",
                ["step τ", "settled", "flips", "f at the end by f at the start", "worst f"],
                rows,
                f"Of {len(pairs)} pairs of frames each; f in squared units.",
            )
        ],
        pictures=[_picture(subject, five, at, pairs, paths)],
        numbers={
            "threshold": found,
            "threshold predicted": predicted,
            "f": {str(step): [path.f for path in paths[step]] for step in STEPS},
            "order of convergence": orders,
        },
    )


def settled(path: Path) -> bool:
    """Whether the last iteration moved no coordinate by more than STILL."""
    return len(path.q) < 2 or bool(np.abs(path.q[-1] - path.q[-2]).max() <= STILL)


def flips(path: Path) -> bool:
    """Whether the path ends going to and fro between two poses."""
    if settled(path) or len(path.q) < 3:
        return False
    once, twice = (np.abs(path.q[-1] - path.q[-1 - back]).max() for back in (1, 2))
    return bool(twice < 0.25 * once)


def convergence_order(path: Path) -> float:
    """p of e(k+1) ≈ c·e(k)^p for e = √f, the median over the second half of what is not rounding.

    1 is linear, 2 quadratic; NaN where there are too few iterates.
    """
    e = np.log(path.f[path.f > _ROUNDED]) / 2.0
    falls = np.diff(e)
    falls = falls[len(falls) // 2 :] if len(falls) > 6 else falls[-2:]
    falls = falls[falls < 0.0]
    return float(np.median(falls[1:] / falls[:-1])) if len(falls) > 1 else math.nan


def _threshold(settles) -> float:
    """The longest step that settles, between 0.0005 and 0.05, to a few percent."""
    low, high = math.log(5e-4), math.log(TOO_LONG)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if settles(math.exp(middle)) else (low, middle)
    return math.exp(low)


def claims(
    found: np.ndarray,
    predicted: np.ndarray,
    paths: dict[float, list[Path]],
    orders: dict[str, list[float]],
) -> list[Claim]:
    """What the paths say about the paper's claims."""
    middle = float(np.median(found))
    close = 0.5 * STEP <= middle <= 2.0 * STEP
    wild = sum(not settled(path) for path in paths[TOO_LONG])
    short, own = (
        np.median([path.f[-1] / path.f[0] for path in paths[step]]) for step in (0.5 * STEP, STEP)
    )
    at_step, at_half = (sum(map(settled, paths[step])) for step in (STEP, 0.5 * STEP))
    if not (close and wild == len(found)) or at_half < len(found):
        bound = Verdict.FAILS
    else:
        bound = Verdict.HOLDS if at_step == len(found) else Verdict.DEPENDS
    to_and_fro = {step: sum(flips(path) for path in paths[step]) for step in STEPS}
    tail = {name: float(np.nanmedian(values)) for name, values in orders.items()}
    jt = tail["Jacobian transpose"]
    total = len(found)
    return [
        Claim(
            where="section 5 (6.1 in print)",
            says="Steps of more than 0.005 make the Jacobian transpose diverge, even close to a "
            "solution.",
            verdict=bound,
            seen=f"The longest step that settles is {found.min():.4f} to {found.max():.4f}, median "
            f"{middle:.4f} (1/σ₁²: {np.median(predicted):.4f}); at {TOO_LONG} {wild} of {total} "
            f"paths do not settle, at {STEP} {at_step} do and at {0.5 * STEP:g} {at_half}, which "
            f"is what {STEP} means where τ multiplies Jᵀe instead of ∇f. Holds means: the median "
            f"threshold is within a factor of two of {STEP}, no path settles at {TOO_LONG}, and "
            f"all do at {STEP}; depends: all do at half of it only.",
        ),
        Claim(
            where="section 5 (6.1 in print)",
            says="Steps below 0.005 slow the method down without a discernible gain.",
            verdict=Verdict.HOLDS if short >= 0.5 * own else Verdict.FAILS,
            seen=f"After {ITERATIONS} iterations f is {short:.2g} of its start with half the step "
            f"and {own:.2g} with 0.005 (medians). The median threshold here is {middle:.4f}.",
        ),
        Claim(
            where="Figure 6 (7 in print)",
            says=f"With a step of {TOO_LONG} the motion flips between two poses.",
            verdict=Verdict.HOLDS
            if to_and_fro[TOO_LONG] == total
            else (Verdict.DEPENDS if sum(to_and_fro.values()) else Verdict.FAILS),
            seen="Paths that end going to and fro between two poses: "
            + ", ".join(f"{count} at {step:g}" for step, count in to_and_fro.items())
            + f", of {total}; the others at {TOO_LONG} wander without a period of two.",
        ),
        Claim(
            where="section 2 (3 in print)",
            says="The Jacobian transpose converges linearly.",
            verdict=Verdict.HOLDS if 0.8 < jt < 1.25 else Verdict.FAILS,
            seen=f"Measured order of convergence with a step that settles: {jt:.2f}; "
            f"the default's: {tail['projected LM']:.2f} (1 is linear, 2 quadratic).",
        ),
    ]


def _picture(
    subject: Subject,
    five: tuple[str, ...],
    at: np.ndarray,
    pairs: np.ndarray,
    paths: dict[float, list[Path]],
) -> Picture:
    # The pair whose two last poses are furthest apart shows the flip best.
    shown = int(
        np.argmax([np.abs(path.q[-1] - path.q[-2]).max() if flips(path) else 0.0
                   for path in paths[SHOWN]])
    )  # fmt: skip
    page = plots.new_page(12.5, 5.2)
    left = page.add_axes((0.065, 0.13, 0.47, 0.75))
    for step, colour in zip(STEPS, _SHADES, strict=True):
        f = paths[step][shown].f
        left.plot(f, color=colour, linewidth=1.0)
        left.annotate(
            f"τ = {step:g}", (len(f) - 1, float(np.median(f[-20:]))), xytext=(6, 0),
            textcoords="offset points", color=colour, size=9.5, va="center",
        )  # fmt: skip
    left.set_yscale("log")
    left.set_xlim(0, ITERATIONS)
    left.set_xlabel("iteration", color=plots.QUIET)
    left.set_ylabel("f, units²", color=plots.QUIET)
    plots.quiet(left)
    left.set_title("f along the way", loc="left", size=11, color=plots.INK)
    right = page.add_axes((0.6, 0.04, 0.39, 0.84))
    path, thick = paths[SHOWN][shown], body(subject)
    goal = subject.clip.sample(SAMPLINGS[0]).q[pairs[shown] + 1]
    figure, points = subject.figure, []
    for order, (q, colour) in enumerate(
        ((goal, np.array([0.80, 0.83, 0.87])), (path.q[-1], rgb("#c96a6a")),
         (path.q[-2], rgb("#6aa885")))
    ):  # fmt: skip
        plots.draw_pose(
            right, figure, q, colour=colour, across=FRONT, thickness=thick, zorder=1 + order
        )
        points.append(figure.positions(q) @ FRONT.T)
    plots.mark(right, at[pairs[shown] + 1] @ FRONT.T, np.empty((0, 2)))
    floor(right)
    stand(right, points)
    right.set_title(
        f"the last two iterates at τ = {SHOWN:g}", loc="center", size=11, color=plots.INK
    )
    return Picture.of(
        page,
        "A step that is too long",
        "Left: f over the iterations for one pair of frames. Right: the last two iterates at "
        f"τ = {SHOWN:g}, red and green, before the pose in grey that the goals (red rings) were "
        "taken from: the method jumps to and fro between them.",
    )

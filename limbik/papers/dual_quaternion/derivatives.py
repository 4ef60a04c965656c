"""Three Jacobians of one hand: from axes, by dual quaternions and by differences."""

from __future__ import annotations

import numpy as np

from limbik.figures import hand
from limbik.methods.gauss_seidel.jacobians import JACOBIANS, STEP, jacobian_by
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.dual_quaternion.hands import coupled_hand, exponential_hand
from limbik.papers.dual_quaternion.session import Session
from limbik.papers.dual_quaternion.verdicts import graded
from limbik.papers.machine import thread_clock
from limbik.plots import INK, LINE, QUIET, TARGET, new_page, quiet
from limbik.solver.problem import Problem

STEPS = 10.0 ** np.arange(-12, -1)


def _by_step(problem: Problem, q: np.ndarray, step: float) -> np.ndarray:
    """Equation 47 with any δ."""
    r = problem.residual(q)
    return np.transpose([(r - problem.residual(q + step * e)) / step for e in np.eye(len(q))])


def three_jacobians(order: Order) -> Chapter:
    """How far apart they are, and what each costs."""
    hands = {"hinges": hand(), "exponential maps": exponential_hand(), "coupled": coupled_hand()}
    poses = 10 if order.quick else 100
    rng = np.random.default_rng(order.seed)
    rows, seconds, clock = [], {}, thread_clock()
    worst = dict.fromkeys(JACOBIANS, 0.0)
    errors = np.zeros(len(STEPS))
    for name, figure in order.steps("three Jacobians", hands.items()):
        session = Session(figure, ProjectedGaussSeidel())
        problem = session.problem
        apart = dict.fromkeys(JACOBIANS, 0.0)
        for _ in range(poses):
            q = figure.project(figure.rest + 0.3 * rng.normal(size=figure.n))
            session.aim_at(figure.project(q + 0.2 * rng.normal(size=figure.n)))
            found = {}
            for kind in JACOBIANS:
                began = clock()
                found[kind] = jacobian_by(problem, q, kind)
                seconds.setdefault(f"{name} / {kind}", []).append(clock() - began)
            scale = np.abs(found["geometric"]).max()
            for kind in JACOBIANS:
                off = float(np.abs(found[kind] - found["geometric"]).max() / scale)
                apart[kind], worst[kind] = max(apart[kind], off), max(worst[kind], off)
            if name == "exponential maps":
                each = [np.abs(_by_step(problem, q, s) - found["geometric"]).max() for s in STEPS]
                errors = np.maximum(errors, np.array(each) / scale)
        rows.append([name, figure.n, problem.rows, apart["dual_quaternion"], apart["differences"]])
    slope = float(np.polyfit(np.log(STEPS[6:]), np.log(errors[6:]), 1)[0])
    best = float(STEPS[np.argmin(errors)])
    return Chapter(
        title="Three Jacobians",
        text=(
            f"J of the five fingertips in {poses} random poses of each hand: from joints' axes, "
            "by Figure 8 with its derivative of the translation put right, and by equation 47. "
            "Deviations are relative to the largest entry of J. The coupled hand has fingers "
            "whose last joint follows the middle one, so a column is the sum of two."
        ),
        settings={"poses": poses, "δ of the differences (rad)": STEP, "seed": order.seed},
        claims=[
            Claim(
                "Figure 8 and appendix B",
                "The analytic dual-quaternion Jacobian and the differences give the same matrix.",
                graded([worst["dual_quaternion"] < 1e-9, worst["differences"] < 1e-5]),
                f"Largest deviation from the geometric Jacobian: dual quaternions "
                f"{worst['dual_quaternion']:.1e}, differences {worst['differences']:.1e} (∂t of "
                "the figure corrected).",
            ),
            Claim(
                "appendix B.A",
                "The error of the differences is proportional to δ and limited by rounding.",
                graded([0.9 < slope < 1.1, errors[0] > errors.min()]),
                f"Error ∝ δ^{slope:.2f} from 1e-6 to 1e-2 rad; smallest at δ = {best:.0e}, "
                f"{errors[0] / errors.min():.0f} times larger at δ = 1e-12.",
            ),
        ],
        tables=[
            Table(
                "Largest deviation from the geometric Jacobian, relative",
                ["hand", "coordinates", "rows", "dual quaternions", "differences"],
                rows,
            )
        ],
        pictures=[_picture(errors)],
        numbers={"largest deviation": worst, "δ": STEPS, "error of the differences": errors},
        timings={
            "seconds a Jacobian, median": {k: float(np.median(v)) for k, v in seconds.items()}
        },
    )


def _picture(errors: np.ndarray) -> Picture:
    page = new_page(5.2, 2.8)
    axes = page.add_subplot()
    axes.plot(STEPS, errors, color=INK, marker="o", markersize=4, linewidth=1.2)
    axes.axvline(STEP, color=TARGET, linewidth=1.0, linestyle=(0, (5, 3)))
    axes.axhline(1e-5, color=LINE, linewidth=1.0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("δ in rad", color=QUIET)
    axes.set_ylabel("largest error of J", color=QUIET)
    quiet(axes)
    axes.minorticks_off()
    page.tight_layout()
    return Picture.of(
        page,
        "Equation 47 and its δ",
        "Error of the differences, relative to the largest entry; dashed: the δ that is used.",
    )

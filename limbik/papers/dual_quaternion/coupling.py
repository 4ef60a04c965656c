"""Coupled fingers: a last joint that follows the middle one, and fingers that pull each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from limbik.figure.figure import Figure
from limbik.figures import FINGERTIPS, hand
from limbik.goals import PythonGoal, Reach
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.dual_quaternion.hands import FLEXION, coupled_hand, tips, wandering
from limbik.papers.dual_quaternion.session import TOLERANCE, Session
from limbik.papers.dual_quaternion.verdicts import READINGS, graded, percent
from limbik.plots import INK, draw_pose, mark, new_page, shade
from limbik.solver.solve import solve

_PULL = 0.5  # how far a finger's first joint goes with its neighbour's
_WEIGHT = 0.02  # m a rad, of the rows that ask for it


def neighbours(figure: Figure, weight: float) -> PythonGoal:
    """Rows weight·((q₂ − r₂) − ½(q₁ − r₁)): a finger's first joint goes with its neighbour's.

    r is the rest pose; the index finger pulls the middle one, that the ring finger, and so on.
    """
    names = [f"{finger}1.rx" for finger in ("Index", "Middle", "Ring", "Little")]
    c = [figure.coordinates.index(name) for name in names]
    rows = np.zeros((3, figure.n))
    for k in range(3):
        rows[k, c[k + 1]], rows[k, c[k]] = weight, -_PULL * weight
    rest = figure.rest

    def residual(figure: Figure, q: np.ndarray) -> np.ndarray:
        return rows @ (q - rest)

    return PythonGoal(residual, lambda figure, q: rows, name="neighbours")


def coupled_fingers(order: Order) -> Chapter:
    """The two things that the paper says it left out: joints that are coupled, and fingers."""
    figure = coupled_hand()
    frames = 40 if order.quick else 200
    rng = np.random.default_rng(order.seed)
    poses = wandering(figure, frames, rng, speed=1.0)
    rows, share = [], {}
    worst = 0.0
    for name, method in order.steps("coupled fingers", READINGS.items()):
        session = Session(figure, method, iterations=200)
        found = session.follow(poses, figure.rest)[1:]
        share[name] = percent(f.reached for f in found)
        rows.append([name, float(np.mean([f.iterations for f in found])), share[name]])
        for frame in found:
            worst = max(worst, _off(figure, frame.q))
    alone, together, flexed = _pulled(hand())
    return Chapter(
        title="Coupled fingers",
        text=(
            "In a real hand a finger's last joint does not bend by itself. Here it follows the "
            f"middle joint at {FLEXION:.2f} of its angle, which leaves 18 coordinates; a column of "
            "J is then the sum of two joints' columns, and nothing in the method changes.\n\n"
            "A finger that is pulled down takes its neighbours along: a goal of three rows asks "
            "each finger's first joint to follow half of what its neighbour's does. The index "
            "fingertip is drawn towards the wrist; no other finger has a target."
        ),
        settings={
            "coupling": FLEXION,
            "frames": frames,
            "pull of a neighbour": _PULL,
            "weight of the pull (m/rad)": _WEIGHT,
            "tolerance (m, rad)": TOLERANCE,
            "seed": order.seed,
        },
        claims=[
            Claim(
                "coupled fingers, which section X leaves out",
                "Joints that are coupled work with the same method.",
                graded([*(value == 100.0 for value in share.values()), worst < 1e-9]),
                "Reached – "
                + "; ".join(f"{name}: {value:.0f} %" for name, value in share.items())
                + f"; last joints off their share by {worst:.0e} rad at most.",
                own=True,
            ),
            Claim(
                "coupled fingers, which section X leaves out",
                "An index finger pulled to the wrist takes its neighbours along.",
                graded([flexed["together"][0] > 5.0, abs(flexed["alone"][0]) < 1.0]),
                f"Middle finger: {flexed['alone'][0]:.1f}° without, {flexed['together'][0]:.1f}° "
                f"with the rows; ring {flexed['together'][1]:.1f}°, little "
                f"{flexed['together'][2]:.1f}°.",
                own=True,
            ),
        ],
        tables=[
            Table(
                "A hand of 18 coordinates that moves",
                ["method", "iterations per frame", "reached (%)"],
                rows,
            )
        ],
        pictures=[_picture(hand(), alone, together)],
        numbers={
            "reached (%)": share,
            "off the coupling (rad)": worst,
            "turned by the index finger (degrees)": flexed,
        },
    )


def _off(figure: Figure, q: np.ndarray) -> float:
    """How far the last joints are from their share of the middle ones, as their frames say."""
    frames, worst = figure.frames(q), 0.0
    for finger in ("Index", "Middle", "Ring", "Little"):
        turns = [frames[figure.index(f"{finger}{k}"), :3, :3] for k in (1, 2, 3)]
        middle, last = (
            float(np.arctan2((a.T @ b)[2, 1], (a.T @ b)[1, 1])) for a, b in pairwise(turns)
        )
        worst = max(worst, abs(last - FLEXION * middle))
    return worst


def _pulled(figure: Figure) -> tuple[np.ndarray, np.ndarray, dict[str, list[float]]]:
    """Poses without and with the rows, and how far the other fingers' first joints went (°)."""
    joint, at = FINGERTIPS["Index"]
    bent = figure.rest.copy()
    for name, angle in (("Index1.rx", 70.0), ("Index2", 60.0), ("Index3", 40.0)):
        bent[figure.coordinates.index(name)] = np.radians(angle)
    place = tips(figure, bent)[0][list(FINGERTIPS).index("Index")]
    goal, method = Reach(joint, position=place, at=at), ProjectedGaussSeidel()
    asked = {"method": method, "restarts": 0, "lock": ["Wrist"], "start": figure.rest}
    alone = solve(figure, [goal], **asked).q
    together = solve(figure, [goal, neighbours(figure, _WEIGHT)], **asked).q
    c = [figure.coordinates.index(f"{finger}1.rx") for finger in ("Middle", "Ring", "Little")]
    flexed = {
        name: np.degrees((q - figure.rest)[c]).tolist()
        for name, q in (("alone", alone), ("together", together))
    }
    return alone, together, flexed


def _picture(figure: Figure, alone: np.ndarray, together: np.ndarray) -> Picture:
    page = new_page(7.0, 2.8)
    across = np.array([[0.0, 0.0, -1.0], [0.25, 0.968, 0.0]])
    k = list(FINGERTIPS).index("Index")
    for place, (title, q) in enumerate(
        (("each by itself", alone), ("neighbours follow", together))
    ):
        axes = page.add_subplot(1, 2, place + 1)
        draw_pose(axes, figure, q, colour=shade(0.6), across=across)
        at = tips(figure, q)[0][[k]] @ across.T
        mark(axes, tips(figure, alone)[0][[k]] @ across.T, at)
        axes.set_aspect("equal")
        axes.set_xlim(-0.22, 0.04)
        axes.set_ylim(-0.1, 0.05)
        axes.axis("off")
        axes.set_title(title, color=INK, size=10)
    page.tight_layout()
    return Picture.of(
        page,
        "The index finger is drawn to the wrist",
        "Seen from the thumb's side; its target red, its fingertip green.",
    )

"""Turning on and on: an exponential map that is led through whole turns."""

from __future__ import annotations

import numpy as np

from limbik.animate.track import track
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, exponential, revolute
from limbik.maths.so3 import matrix_to_quat, wrap
from limbik.methods import Method, ProjectedLevenbergMarquardt
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.dual_quaternion.verdicts import graded, percent
from limbik.plots import EFFECTOR, INK, LINE, QUIET, TARGET, new_page, quiet

_TURNS = 2
METHODS: dict[str, Method] = {
    "gauss_seidel, shifted": ProjectedGaussSeidel(),
    "gauss_seidel, not shifted": ProjectedGaussSeidel(shift=False),
    "projected_lm": ProjectedLevenbergMarquardt(),
}
_COLORS = (INK, TARGET, EFFECTOR)


def _limb() -> Figure:
    """A ball without limits, a hinge and a tip, in any unit."""
    return Figure(
        [
            Joint("Ball", None, exponential("y")),
            Joint("Hinge", "Ball", revolute("x"), offset=(0.3, 1.0, 0.2)),
            Joint("Tip", "Hinge", offset=(0.0, 1.0, 0.3)),
        ],
        name="limb",
    )


def turning_on(order: Order) -> Chapter:
    """Two whole turns of a ball, with the shift of section VII.A.2 and without it."""
    frames = 120 if order.quick else 480
    figure = _limb()
    axis = np.random.default_rng(order.seed).normal(size=3)
    angle = np.linspace(0.0, 2.0 * np.pi * _TURNS, frames)
    w = wrap(angle[:, None] * axis / np.linalg.norm(axis))
    at = figure.frames(np.column_stack([w, np.full(frames, 0.3)]))[:, figure.index("Tip")]
    rows, longest, reached = [], {}, {}
    for name, method in order.steps("turning on", METHODS.items()):
        found = track(
            figure, ["Tip"], at[:, None, :3, 3], wxyz=matrix_to_quat(at[:, None, :3, :3]),
            start=[0.0, 0.0, 0.0, 0.3], method=method, restarts=0, seed=order.seed,
        )  # fmt: skip
        longest[name] = np.linalg.norm(found.motion.q[:, :3], axis=1)
        reached[name] = percent(found.status == "REACHED")
        rows.append(
            [name, reached[name], float(found.iterations.mean()), int(found.iterations.max()),
             float(longest[name].max() / np.pi)]
        )  # fmt: skip
    with_it, without = reached["gauss_seidel, shifted"], reached["gauss_seidel, not shifted"]
    return Chapter(
        title="Turning on and on",
        text=(
            f"The target leads a ball without limits through {_TURNS} whole turns about one axis, "
            f"in {frames} frames, each from the last one's pose, nothing restarted. At ‖w‖ = 2π an "
            "exponential map cannot turn about any axis but its own. Shifted to (1 − 2π/‖w‖)w as "
            "soon as ‖w‖ exceeds π, it never comes near; limbik's default method does not shift."
        ),
        settings={
            "frames": frames,
            "turns": _TURNS,
            "axis": axis.tolist(),
            "methods": {name: repr(method) for name, method in METHODS.items()},
            "seed": order.seed,
        },
        claims=[
            Claim(
                "section VII.A.2",
                "Shifting w to (1 − 2π/‖w‖)w keeps it away from the singularity.",
                graded([with_it == 100.0, with_it > without]),
                "Frames reached – "
                + "; ".join(f"{name}: {value:.0f} %" for name, value in reached.items())
                + f". Longest w: {longest['gauss_seidel, shifted'].max() / np.pi:.2f} π shifted, "
                f"{longest['gauss_seidel, not shifted'].max() / np.pi:.2f} π not shifted.",
            )
        ],
        tables=[
            Table(
                "Led through whole turns",
                [
                    "method",
                    "reached (%)",
                    "iterations, mean",
                    "iterations, most",
                    "longest ‖w‖ / π",
                ],
                rows,
            )
        ],
        pictures=[_picture(angle, longest)],
        numbers={"reached (%)": reached, "length of w": longest},
    )


def _picture(angle: np.ndarray, longest: dict[str, np.ndarray]) -> Picture:
    page = new_page(7.0, 2.8)
    axes = page.add_subplot()
    for (name, values), color in zip(longest.items(), _COLORS, strict=True):
        style = (0, (3, 3)) if name == "projected_lm" else "solid"
        axes.plot(
            angle / (2 * np.pi), values / np.pi, color=color, linewidth=1.4, linestyle=style,
            label=name,
        )  # fmt: skip
    axes.axhline(2.0, color=LINE, linewidth=1.0)
    axes.set_xlabel("turns of the target", color=QUIET)
    axes.set_ylabel("‖w‖ / π", color=QUIET)
    axes.legend(frameon=False, fontsize=8, labelcolor=INK)
    quiet(axes)
    page.tight_layout()
    return Picture.of(
        page,
        "The length of an exponential map that is led around",
        "Shifted, it turns back at π; otherwise it runs against its singularity at 2π.",
    )

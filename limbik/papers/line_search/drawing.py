"""Pictures of this paper's experiments: box plots, rows of poses, ghosts, cones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik import plots
from limbik.figure.appearance.capsules import joint_radii
from limbik.figure.figure import Figure
from limbik.figure.limits import SwingTwist
from limbik.humanoid import recognise
from limbik.maths.so3 import exp_map, quat_to_matrix
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.statistics import Box
from limbik.papers.line_search.subject import Subject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {
    who.TRANSPOSE: "#b07aa1",
    who.BEST: "#c9a3bf",
    who.EQUATION_28: "#d9c3d3",
    who.INVERSE: "#d1802b",
    who.CLAMPED: "#e3b071",
    who.LINE_SEARCH: "#3f7fbf",
    who.DEFAULT: "#2a8c55",
    who.RESTARTED: "#55a87c",
    who.SHIPPED: "#7fc29b",
}
"""The paper's three and their better settings, the default and its kin; all others are grey."""

GREY = "#8d97a3"
FRONT = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
SIDE = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
"""Which directions go right and up in a picture."""

REFERENCE = np.array([0.30, 0.34, 0.40])
_GHOST = 0.62  # how far a ghost is faded to white


def colour_of(key: str) -> str:
    """A contestant's colour."""
    return COLOURS.get(key, GREY)


def rgb(colour: str) -> np.ndarray:
    """(3,) numbers of a colour such as "#3f7fbf"."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0


def ghost(colour: np.ndarray) -> np.ndarray:
    """A colour that lets what lies over it stand out."""
    return colour + _GHOST * (1.0 - colour)


def body(subject: Subject) -> np.ndarray | None:
    """(joints,) how thick to draw the built-in human, in the paper's unit; None for others."""
    if subject.figure.name != "human":
        return None
    return joint_radii(subject.figure, recognise(subject.figure).roles) / subject.unit


def draw_boxes(
    axes: Axes,
    boxes: Mapping[str, Box],
    labels: Mapping[str, str],
    *,
    across: bool,
    floor: float = 0.0,
) -> None:
    """Boxes as in the paper: median, quartiles, whiskers, crosses for outliers.

    ``across`` lays them on their side, the first on top; ``floor`` is the lowest value shown, for
    logarithmic axes.
    """
    for row, (key, box) in enumerate(boxes.items()):
        place = -row if across else row
        colour = colour_of(key)

        def line(a: tuple[float, float], b: tuple[float, float], **style: Any) -> None:
            """A line between two points given as (value, place)."""
            first, second = (a[0], b[0]), (a[1], b[1])
            x, y = (first, second) if across else (second, first)
            axes.plot(x, y, **style)

        low, first, median, third, high = (
            max(value, floor) for value in (box.low, box.first, box.median, box.third, box.high)
        )
        for a, b in ((low, first), (third, high)):
            line((a, place), (b, place), color=colour, linewidth=1.0, zorder=2)
        for end in (low, high):
            line((end, place - 0.16), (end, place + 0.16), color=colour, linewidth=1.0, zorder=2)
        style: dict[str, Any] = {
            "color": ghost(rgb(colour)), "edgecolor": colour, "linewidth": 1.1, "zorder": 3,
        }  # fmt: skip
        if across:
            axes.barh(place, third - first, 0.56, left=first, **style)
        else:
            axes.bar(place, third - first, 0.56, bottom=first, **style)
        line(
            (median, place - 0.28), (median, place + 0.28), color=plots.TARGET, linewidth=2.0,
            zorder=4,
        )  # fmt: skip
        beyond = np.maximum(np.array(box.outliers), floor)
        where = np.full(len(beyond), float(place))
        axes.scatter(
            *((beyond, where) if across else (where, beyond)), marker="x", s=13, linewidths=0.7,
            color=plots.TARGET, alpha=0.75, zorder=3,
        )  # fmt: skip
    names = [labels[key] for key in boxes]
    plots.quiet(axes)
    if across:
        axes.set_yticks(-np.arange(len(names)), names)
        axes.set_ylim(-len(names) + 0.4, 0.6)
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", color=plots.LINE, linewidth=0.5, alpha=0.6)
        for tick, key in zip(axes.get_yticklabels(), boxes, strict=True):
            tick.set_color(plots.INK if key in COLOURS else plots.QUIET)
    else:
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.6, len(names) - 0.4)


def stand(axes: Axes, poses: Sequence[np.ndarray], *, margin: float = 0.6) -> None:
    """Axes of equal scale around some (points, 2), without a frame."""
    points = np.concatenate(list(poses))
    axes.set_xlim(points[:, 0].min() - margin, points[:, 0].max() + margin)
    axes.set_ylim(points[:, 1].min() - margin, points[:, 1].max() + margin)
    axes.set_aspect("equal")
    axes.axis("off")


def floor(axes: Axes) -> None:
    """The floor, for figures that stand at height 0."""
    axes.axhline(0.0, color=plots.LINE, linewidth=1.0, zorder=0)


def draw_row(
    axes: Axes,
    subject: Subject,
    poses: np.ndarray,
    targets: np.ndarray,
    *,
    colour: str,
    apart: float,
    title: str,
) -> None:
    """Poses (k, n) from the side in a row, each ``apart`` from the last, with their targets
    (k, effectors, 3) and effectors."""
    figure, thick = subject.figure, body(subject)
    points = []
    for k, (q, wanted) in enumerate(zip(poses, targets, strict=True)):
        shift = apart * k
        plots.draw_pose(
            axes, figure, q, colour=rgb(colour), across=SIDE, thickness=thick, shift=shift,
            zorder=1 + 0.05 * k,
        )  # fmt: skip
        flat = figure.positions(q) @ SIDE.T + [shift, 0.0]
        at = wanted @ SIDE.T + [shift, 0.0]
        plots.mark(axes, at, flat[subject.index()])
        points.append(np.vstack([flat, at]))
    floor(axes)
    stand(axes, points, margin=1.0)
    axes.set_title(title, size=10, color=plots.INK, loc="left")


def cone(
    figure: Figure, q: np.ndarray, joint: str, across: np.ndarray, length: float
) -> np.ndarray | None:
    """(points, 2) the rim and the apex of a ball's cone, as a closed outline; None without one."""
    at = figure.index(joint)
    made = figure.definition[at]
    if not isinstance(made.limit, SwingTwist) or made.limit.swing is None:
        return None
    ball = made.parts[-1]
    turn = np.linspace(0.0, 2.0 * np.pi, 72)
    swings = np.column_stack(
        [
            made.limit.center[k] + made.limit.swing[k] * part
            for k, part in enumerate((np.cos(turn), np.sin(turn)))
        ]
    )
    u, v, twist = ball.basis.T  # pyright: ignore[reportAttributeAccessIssue]
    child = next(j for j in figure.definition if j.parent == joint)
    bone = np.sign(np.dot(child.offset, twist)) * twist
    frames = figure.frames(q)
    parent = figure.parents[at]
    above = np.eye(3) if parent < 0 else frames[parent, :3, :3]
    rim = quat_to_matrix(exp_map(swings[:, :1] * u + swings[:, 1:] * v)) @ bone
    apex = frames[at, :3, 3]
    points = np.vstack([apex, apex + length * rim @ above.T]) @ across.T
    return hull(points)


def hull(points: np.ndarray) -> np.ndarray:
    """(corners, 2) convex hull of points in the plane, counter-clockwise (Andrew's chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(run: np.ndarray) -> list[np.ndarray]:
        out: list[np.ndarray] = []
        for p in run:
            while len(out) > 1 and _turns_right(out[-2], out[-1], p):
                out.pop()
            out.append(p)
        return out[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _turns_right(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0.0

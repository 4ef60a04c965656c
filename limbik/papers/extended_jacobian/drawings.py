"""Pictures of extended_jacobian: poses in the plane, distances over time, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from limbik.papers.contract import Picture
from limbik.papers.extended_jacobian.path import BASE, HALF_AXES, Walk, ellipse, joints
from limbik.plots import EFFECTOR, INK, LINE, QUIET, draw_rings, new_page, quiet, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALETTE = (INK, "#1f77b4", "#ff7f0e", "#9467bd", "#17becf", "#8c564b", "#b5a400")
"""Without the red and green of targets and effectors."""


_ACROSS = 940.0  # points: the width of a picture of poses


def structure(axes: Axes, walk: Walk, count: int, steps: int, title: str) -> None:
    """The first poses of a walk, from light to dark, on its ellipse."""
    path = ellipse(steps)
    axes.plot(*path.T, color=LINE, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
    for k in range(count + 1):
        at = joints(walk.q[k])
        colour = tuple(shade(0.15 + 0.85 * k / count))
        axes.plot(*at.T, color=colour, linewidth=1.6, marker="o", markersize=3, zorder=2 + k)
        axes.plot(*at[-1], marker="o", markersize=4.5, color=EFFECTOR, zorder=50)
    draw_rings(axes, path[1 : count + 1], area=34, thickness=1.1, zorder=60)
    axes.plot(*BASE, marker="s", markersize=6, color=INK, zorder=70)
    axes.set_aspect("equal")
    axes.set_xlim(-_ACROSS / 2, _ACROSS / 2)
    axes.set_title(title, color=INK, size=10, loc="left")
    quiet(axes)


def first_steps(walks: Mapping[str, Walk], count: int, steps: int) -> Picture:
    """Figs. 5 and 6."""
    heights = []
    for walk in walks.values():
        up = np.concatenate([joints(q)[:, 1] for q in walk.q[: count + 1]])
        heights.append(max(float(np.ptp(up)), 2.0 * HALF_AXES[1]) + 100.0)
    page = new_page(9.0, 9.0 * sum(heights) / _ACROSS + 0.5)
    grid = page.add_gridspec(len(walks), 1, height_ratios=heights)
    for k, (name, walk) in enumerate(walks.items()):
        structure(page.add_subplot(grid[k]), walk, count, steps, name)
    page.tight_layout()
    return Picture.of(
        page,
        f"The first {count} steps (the paper's Figs. 5 and 6)",
        f"{steps} steps around the ellipse (dashed); poses from light to dark, the end-effector "
        "green, where it should be red.",
    )


def distances(title: str, walks: Mapping[str, Walk], steps: int) -> Picture:
    """Fig. 4: how far the end-effector is from where it should be, over the way around."""
    page = new_page(9.0, 3.6)
    axes = page.add_subplot()
    for colour, (name, walk) in zip(PALETTE, walks.items(), strict=False):
        share = np.linspace(0.0, 1.0, len(walk.distance))[1:]
        axes.plot(share, walk.distance[1:], color=colour, linewidth=1.2, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("part of the way around", color=QUIET)
    axes.set_ylabel("distance in points", color=QUIET)
    quiet(axes)
    axes.legend(frameon=False, fontsize=8, labelcolor=INK)
    page.tight_layout()
    return Picture.of(
        page,
        title,
        f"The distance of the end-effector from where it should be, {steps} steps around the "
        "ellipse, one iteration a step.",
    )


def curves(
    title: str,
    caption: str,
    x: Sequence[float] | np.ndarray,
    lines: Mapping[str, Sequence[float] | np.ndarray],
    labels: tuple[str, str],
    *,
    log_x: bool = True,
    floor: float = 0.0,
) -> Picture:
    """Some curves over one number, with a logarithmic scale up that begins at ``floor``."""
    page = new_page(9.0, 3.6)
    axes = page.add_subplot()
    for colour, (name, y) in zip(PALETTE, lines.items(), strict=False):
        mark = "o" if len(x) <= 30 else None
        axes.plot(
            x,
            np.maximum(y, floor),
            color=colour,
            linewidth=1.3,
            marker=mark,
            markersize=3.5,
            label=name,
        )
    if log_x:
        axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(labels[0], color=QUIET)
    axes.set_ylabel(labels[1], color=QUIET)
    quiet(axes)
    axes.legend(frameon=False, fontsize=8, labelcolor=INK)
    page.tight_layout()
    return Picture.of(page, title, caption)

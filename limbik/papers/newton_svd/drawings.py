"""The pictures of newton_svd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from limbik.figure.figure import Figure
from limbik.papers.newton_svd import arm
from limbik.plots import EFFECTOR, INK, LINE, QUIET, TARGET, draw_pose, mark, new_page, quiet, shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

_ACROSS = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x to the right, y up
_LINES = {"plain": (TARGET, "-"), "halved": (INK, "-"), "halved, cut": (EFFECTOR, (0, (3, 2)))}
_FLOOR = 1e-12  # what a logarithmic axis shows of 0


def tangent(turns: np.ndarray, errors: np.ndarray, slope: float) -> Page:
    """Errors (poses, turns) of the tangent over the length of the turn."""
    page = new_page(6.0, 3.4)
    axes = page.add_subplot()
    axes.fill_between(turns, errors.min(axis=0), errors.max(axis=0), color=LINE, alpha=0.6)
    axes.plot(turns, np.median(errors, axis=0), color=INK, linewidth=1.6)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("length of the turn, rad", color=QUIET)
    axes.set_ylabel("error, links", color=QUIET)
    axes.annotate(f"slope {slope:.2f}", (0.05, 0.85), xycoords="axes fraction", color=INK, size=10)
    quiet(axes)
    page.tight_layout()
    return page


def maps(across: np.ndarray, shares: Mapping[str, np.ndarray]) -> Page:
    """Shares (targets,) of the starts that arrive, on the square grid ``across`` × ``across``."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Circle

    colours = LinearSegmentedColormap.from_list("arrived", np.array([[1.0] * 3, shade(1.0)]))
    page = new_page(3.2 * len(shares) + 0.8, 3.6)
    panels = np.atleast_1d(page.subplots(1, len(shares), sharey=True))
    half = 0.5 * (across[1] - across[0])
    extent = (across[0] - half, across[-1] + half, across[0] - half, across[-1] + half)
    image = None
    for axes, (name, share) in zip(panels, shares.items(), strict=True):
        grid = share.reshape(len(across), len(across))
        image = axes.imshow(grid, origin="lower", extent=extent, cmap=colours, vmin=0.0, vmax=1.0)
        axes.add_patch(Circle((0.0, 0.0), arm.REACH, fill=False, color=TARGET, linewidth=1.2))
        axes.set_title(name, color=INK, size=11)
        axes.set_xlabel("target x, links", color=QUIET)
        quiet(axes)
        axes.grid(visible=False)
    panels[0].set_ylabel("target y, links", color=QUIET)
    assert image is not None
    bar = page.colorbar(image, ax=list(panels), shrink=0.8)
    bar.set_label("share of starts that arrive", color=QUIET)
    bar.ax.tick_params(colors=QUIET, labelsize=9)
    return page


def curves(shown: Mapping[str, Mapping[str, Sequence[float]]]) -> Page:
    """What is missing over iterations, one panel for each run, one line for each method."""
    from matplotlib.ticker import MaxNLocator

    page = new_page(3.4 * len(shown), 3.2)
    panels = np.atleast_1d(page.subplots(1, len(shown), sharey=True))
    for axes, (what, lines) in zip(panels, shown.items(), strict=True):
        for name, line in lines.items():
            colour, style = _LINES[name]
            axes.plot(
                np.maximum(line, _FLOOR), color=colour, linestyle=style, linewidth=1.5, label=name
            )
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_yscale("log")
        axes.set_title(what, color=INK, size=10)
        axes.set_xlabel("iteration", color=QUIET)
        quiet(axes)
    panels[0].set_ylabel("missing, links", color=QUIET)
    panels[0].legend(frameon=False, fontsize=9, labelcolor=INK)
    page.tight_layout()
    return page


def two_poses(
    figure: Figure, start: np.ndarray, end: np.ndarray, targets: np.ndarray, hands: Sequence[int]
) -> Page:
    """A start in light, an answer in dark, the targets (hands, 3) and the hands."""
    page = new_page(5.0, 4.0)
    axes = page.add_subplot()
    for q, tone, order in ((start, 0.15, 1.0), (end, 1.0, 2.0)):
        draw_pose(axes, figure, q, colour=shade(tone), across=_ACROSS, zorder=order)
    flat = targets @ _ACROSS.T
    mark(axes, flat, figure.positions(end)[list(hands)] @ _ACROSS.T, named=True)
    points = np.concatenate([figure.positions(q) @ _ACROSS.T for q in (start, end)] + [flat])
    margin = 0.1 * figure.size
    axes.set_xlim(points[:, 0].min() - margin, points[:, 0].max() + margin)
    axes.set_ylim(points[:, 1].min() - margin, points[:, 1].max() + margin)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")
    return page

"""Pictures with matplotlib: a figure in capsules, a motion as a time-lapse, its errors in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.figure.appearance.drawing import capsule, draw_pose, limbs, new_page, radii, shade
from limbik.figure.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "EFFECTOR",
    "TARGET",
    "capsule",
    "draw_pose",
    "error_over_time",
    "limbs",
    "mark",
    "new_page",
    "quiet",
    "radii",
    "shade",
    "time_lapse",
]

TARGET, EFFECTOR = "#d62728", "#2ca02c"
"""Targets are red and effectors green, here and in the poser."""

INK, QUIET, LINE = "#222b36", "#6b7683", "#c9d0d8"


def time_lapse(
    axes: Axes,
    motion: Motion,
    poses: Sequence[int],
    *,
    effectors: Sequence[str],
    targets: np.ndarray,
    across: np.ndarray,
    thickness: np.ndarray | None = None,
    shifts: Mapping[int, float] | None = None,
) -> None:
    """The poses of some frames in one picture, from light to dark.

    ``targets`` (frames, effectors, 3) are drawn as red rings, the ``effectors`` as green dots, and
    the floor as a line at height 0; ``shifts`` moves a frame's pose to the right.
    """
    figure = motion.figure
    index = [figure.index(name) for name in effectors]
    reached = motion.positions()[:, index] @ across.T
    wanted = targets @ across.T
    moved = shifts or {}
    last = max(1, len(poses) - 1)
    for k, frame in enumerate(poses):
        shift = np.array([moved.get(frame, 0.0), 0.0])
        draw_pose(
            axes,
            figure,
            motion.q[frame],
            colour=shade(k / last),
            across=across,
            thickness=thickness,
            shift=float(shift[0]),
            zorder=2 + 0.01 * k,
        )
        mark(axes, wanted[frame] + shift, reached[frame] + shift)
    axes.set_aspect("equal")
    axes.axis("off")


def mark(axes: Axes, targets: np.ndarray, effectors: np.ndarray, *, named: bool = False) -> None:
    """Targets (k, 2) as red rings, effectors (k, 2) as green dots; ``named`` for a legend."""
    draw_rings(axes, targets, label="target" if named else None)
    axes.scatter(
        *effectors.T,
        s=19,
        facecolors=EFFECTOR,
        edgecolors="white",
        linewidths=0.5,
        zorder=5,
        label="effector" if named else None,
    )


def draw_rings(
    axes: Axes,
    at: np.ndarray,
    *,
    area: float = 50,
    thickness: float = 1.4,
    zorder: float = 4,
    label: str | None = None,
) -> None:
    """Red rings at (k, 2); ``area`` and ``thickness`` in points."""
    axes.scatter(
        *at.T, s=area, facecolors="none", edgecolors=TARGET, linewidths=thickness, zorder=zorder,
        label=label,
    )  # fmt: skip


def error_over_time(
    axes: Axes,
    motion: Motion,
    errors: np.ndarray,
    *,
    effectors: Sequence[str],
    tolerance: float,
    factor: float = 1.0,
    unit: str = "",
) -> None:
    """Each effector's distance from its target (frames, effectors) over time, and the worst.

    ``factor`` turns the figure's unit into ``unit``, which is what the axis says.
    """
    shown = np.maximum(errors * factor, 1e-3 * tolerance * factor)
    axes.plot(motion.times, shown, color=LINE, linewidth=0.8, zorder=2)
    axes.plot(motion.times, shown.max(axis=1), color=INK, linewidth=1.3, zorder=3)
    limit = tolerance * factor
    axes.axhline(limit, color=TARGET, linewidth=1.1, linestyle=(0, (5, 3)), zorder=4)
    axes.set_yscale("log")
    axes.set_ylim(0.7e-3 * limit, 4.0 * max(limit, float(shown.max())))
    axes.set_xlim(0, max(motion.duration, 1.0 / motion.fps))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    axes.set_xlabel("time in s", color=QUIET)
    axes.set_ylabel(unit or "units", color=QUIET)
    axes.annotate(
        f"tolerance {limit:.2g} {unit}".rstrip(),
        (1.0, limit),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        color=TARGET,
        size=9,
    )
    quiet(axes)


def legend_beside(
    axes: Axes, *, size: float = 9, colour: str = QUIET, gap: float = 0.01, title: str | None = None
) -> None:
    """A legend without a box to the right of the axes, ``gap`` of their width away."""
    axes.legend(
        frameon=False, fontsize=size, labelcolor=colour, loc="center left",
        bbox_to_anchor=(1.0 + gap, 0.5), title=title, title_fontsize=size,
    )  # fmt: skip


def quiet(axes: Axes) -> None:
    """Axes that stay in the background: no box, thin lines, grey numbers."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    options: dict[str, Any] = {"colors": QUIET, "labelsize": 9, "length": 3}
    axes.tick_params(which="both", **options)
    axes.grid(axis="y", color=LINE, linewidth=0.5, alpha=0.6)
    axes.set_axisbelow(True)

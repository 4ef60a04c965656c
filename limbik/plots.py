"""Pictures with matplotlib: a figure in capsules, a motion as a time-lapse, its errors in time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.capsules import joint_radii
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.humanoid import recognise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Page

TARGET, EFFECTOR = "#d62728", "#2ca02c"
"""Targets are red and effectors green, here and in the poser."""

INK, QUIET, LINE = "#222b36", "#6b7683", "#c9d0d8"
_LIGHT, _DARK = np.array([0.86, 0.89, 0.93]), np.array([0.13, 0.20, 0.33])
_ARC = 16  # points of a capsule's rounded end


def new_page(width: float, height: float) -> Page:
    """An empty page of so many inches; refuses with a remedy where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Page
    except ImportError as error:
        raise LimbikError(
            "drawing needs matplotlib, which is not installed: pip install limbik[plots]"
        ) from error
    page = Page(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(page)
    return page


def shade(share: float) -> np.ndarray:
    """The colour of a pose: light at the start of a motion (0), dark at its end (1)."""
    return _LIGHT + share * (_DARK - _LIGHT)


def radii(figure: Figure) -> np.ndarray:
    """(joints,) how thick a figure is drawn at its joints, when nobody says."""
    return joint_radii(figure, recognise(figure).roles)


def limbs(figure: Figure) -> list[list[int]]:
    """The joints in runs that each go on from one joint to its only child: arms, legs, trunk.

    A run begins with the joint it hangs on, so that it has at least two where it is drawn.
    """
    children: list[list[int]] = [[] for _ in figure.joints]
    for i, parent in enumerate(figure.parents):
        if parent >= 0:
            children[parent].append(i)
    runs: list[list[int]] = []
    for i, parent in enumerate(figure.parents):
        if parent >= 0 and len(children[parent]) == 1:
            continue  # goes on with the run of its parent
        run = [i] if parent < 0 else [int(parent), i]
        while len(children[run[-1]]) == 1:
            run.append(children[run[-1]][0])
        runs.append(run)
    return runs


def capsule(a: np.ndarray, b: np.ndarray, thick_a: float, thick_b: float) -> np.ndarray:
    """(points, 2) outline of two discs and all that lies between them."""
    along = b - a
    length = float(np.hypot(*along))
    if length <= abs(thick_a - thick_b):
        centre, radius = (a, thick_a) if thick_a >= thick_b else (b, thick_b)
        turn = np.linspace(0, 2 * np.pi, 4 * _ARC, endpoint=False)
        return centre + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    heading = math.atan2(along[1], along[0])
    touch = math.acos((thick_a - thick_b) / length)  # where the straight sides meet the discs
    front = heading + np.linspace(-touch, touch, _ARC)
    back = heading + np.linspace(touch, 2 * np.pi - touch, _ARC)
    return np.concatenate(
        [
            b + thick_b * np.column_stack([np.cos(front), np.sin(front)]),
            a + thick_a * np.column_stack([np.cos(back), np.sin(back)]),
        ]
    )


def draw_pose(
    axes: Axes,
    figure: Figure,
    q: np.ndarray,
    *,
    colour: np.ndarray,
    across: np.ndarray,
    thickness: np.ndarray | None = None,
    shift: float = 0.0,
    zorder: float = 1.0,
) -> None:
    """One pose, limb by limb, what is further away first.

    ``across`` (2, 3) are the directions that go right and up in the picture; ``thickness``
    (joints,) the radius at each joint; ``shift`` moves the pose to the right.
    """
    from matplotlib.collections import PolyCollection

    thick = radii(figure) if thickness is None else thickness
    frames = figure.frames(q)
    at = frames[:, :3, 3]
    flat = at @ across.T + np.array([shift, 0.0])
    toward = np.cross(across[0], across[1])
    runs = sorted(limbs(figure), key=lambda run: float((at[run] @ toward).mean()))
    for place, run in enumerate(runs):
        outlines = [capsule(flat[a], flat[b], thick[a], thick[b]) for a, b in pairwise(run)]
        tip = figure.definition[run[-1]].tip
        if tip is not None:
            bone = (frames[run[-1], :3, :3] @ np.array(tip)) @ across.T
            # The tip is where the body ends: the rounded end lies before it.
            inside = min(0.5, thick[run[-1]] / max(float(np.linalg.norm(tip)), 1e-12))
            ends = flat[run[-1]] + np.outer([inside, 1.0 - inside], bone)
            outlines.append(capsule(ends[0], ends[1], thick[run[-1]], thick[run[-1]]))
        # Half a tone lighter in front, so that limbs stand out from what they cross.
        tone = np.clip(colour + 0.09 * (place / len(runs) - 0.5), 0.0, 1.0)
        for edge, order in (("white", 0.0), (tone, 0.5)):
            # Once with a white rim, once without: the rim stays around the limb as a whole.
            width = 1.1 if order == 0.0 else 0.2
            axes.add_collection(
                PolyCollection(
                    outlines,
                    facecolors=[tone],
                    edgecolors=[edge],
                    linewidths=width,
                    zorder=zorder + 0.009 * (place + order) / len(runs),
                ),
                autolim=False,
            )


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
    axes.scatter(
        *targets.T,
        s=50,
        facecolors="none",
        edgecolors=TARGET,
        linewidths=1.4,
        zorder=4,
        label="target" if named else None,
    )
    axes.scatter(
        *effectors.T,
        s=19,
        facecolors=EFFECTOR,
        edgecolors="white",
        linewidths=0.5,
        zorder=5,
        label="effector" if named else None,
    )


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

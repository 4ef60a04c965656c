"""Pictures of a figure: its limbs as capsules, with matplotlib, or as SVG for a notebook."""

from __future__ import annotations

import html
import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from limbik.errors import FigureError, LimbikError
from limbik.figure.appearance.capsules import joint_radii

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Page

    from limbik.figure.figure import Figure


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
    """(joints,) how thick a figure is drawn at its joints, by the lengths of its bones."""
    return joint_radii(figure)


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


def limb_outlines(
    figure: Figure,
    q: np.ndarray,
    across: np.ndarray,
    thickness: np.ndarray | None = None,
    shift: float = 0.0,
) -> list[list[np.ndarray]]:
    """Outlines (points, 2) of the capsules of every limb, what is further away first.

    ``across`` (2, 3) are the directions that go right and up in the picture; ``thickness``
    (joints,) the radius at each joint; ``shift`` moves the pose to the right.
    """
    thick = radii(figure) if thickness is None else thickness
    frames = figure.frames(q)
    at = frames[:, :3, 3]
    flat = at @ across.T + np.array([shift, 0.0])
    toward = np.cross(across[0], across[1])
    runs = sorted(limbs(figure), key=lambda run: float((at[run] @ toward).mean()))
    drawn = []
    for run in runs:
        outlines = [capsule(flat[a], flat[b], thick[a], thick[b]) for a, b in pairwise(run)]
        tip = figure.definition[run[-1]].tip
        if tip is not None:
            bone = (frames[run[-1], :3, :3] @ np.array(tip)) @ across.T
            # The tip is where the body ends: the rounded end lies before it.
            inside = min(0.5, thick[run[-1]] / max(float(np.linalg.norm(tip)), 1e-12))
            ends = flat[run[-1]] + np.outer([inside, 1.0 - inside], bone)
            outlines.append(capsule(ends[0], ends[1], thick[run[-1]], thick[run[-1]]))
        drawn.append(outlines)
    return drawn


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

    drawn = limb_outlines(figure, q, across, thickness, shift)
    for place, outlines in enumerate(drawn):
        # Half a tone lighter in front, so that limbs stand out from what they cross.
        tone = np.clip(colour + 0.09 * (place / len(drawn) - 0.5), 0.0, 1.0)
        for edge, order in (("white", 0.0), (tone, 0.5)):
            # Once with a white rim, once without: the rim stays around the limb as a whole.
            width = 1.1 if order == 0.0 else 0.2
            axes.add_collection(
                PolyCollection(
                    outlines,
                    facecolors=[tone],
                    edgecolors=[edge],
                    linewidths=width,
                    zorder=zorder + 0.009 * (place + order) / len(drawn),
                ),
                autolim=False,
            )


VIEWS = ("front", "side", "top")


def directions(figure: Figure, view: str) -> np.ndarray:
    """(2, 3) what goes right and up in a picture from the "front", from the "side" or the "top".

    Figures with y up look along +z, as characters do, and those with z up along +x, as robots do.
    """
    if not isinstance(view, str) or view not in VIEWS:
        raise FigureError(f"plot: view {view!r} is not one of {', '.join(VIEWS)}")
    x, y, z = np.eye(3)
    ahead, up = (x, z) if figure.up == "z" else (z, y)
    left = np.cross(up, ahead)
    return np.array(
        {"front": (left, up), "side": (ahead, up), "top": (left, -ahead)}[view], dtype=float
    )


def plot_poses(figure: Figure, poses: np.ndarray, view: str, title: str) -> Page:
    """A page with poses (k, n) in one picture, the first light and the last dark."""
    across = directions(figure, view)
    page = new_page(6.0, 6.0)
    axes = page.add_subplot()
    last = max(1, len(poses) - 1)
    points = []
    for k, q in enumerate(poses):
        tone = shade(k / last if len(poses) > 1 else 1.0)
        draw_pose(axes, figure, q, colour=tone, across=across, zorder=2 + 0.01 * k)
        limbs_of = limb_outlines(figure, q, across)
        points += [outline for limb in limbs_of for outline in limb]
    seen = np.concatenate(points) if points else figure.positions(figure.rest) @ across.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = 0.05 * max(float((high - low).max()), 1e-9)
    axes.set_xlim(low[0] - room, high[0] + room)
    axes.set_ylim(low[1] - room, high[1] + room)
    axes.set_aspect("equal")
    axes.set_title(title)
    unit = f" in {figure.unit}" if figure.unit else ""
    for set_label, along in ((axes.set_xlabel, across[0]), (axes.set_ylabel, across[1])):
        axis = int(np.argmax(np.abs(along)))
        set_label(f"{'-' if along[axis] < 0 else ''}{'xyz'[axis]}{unit}")
    return page


def svg(figure: Figure, poses: Sequence[np.ndarray] | np.ndarray, caption: str) -> str:
    """An HTML element with poses (k, n) drawn from the front; it needs no server and no script."""
    across = directions(figure, "front")
    drawn = [limb_outlines(figure, q, across) for q in poses]
    points = [outline for limbs_of in drawn for limb in limbs_of for outline in limb]
    seen = np.concatenate(points) if points else figure.positions(poses[0]) @ across.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    scale = 300.0 / size
    width, height = (scale * (high - low) + 20.0).tolist()
    shapes = []
    for k, limbs_of in enumerate(drawn):
        share = k / (len(drawn) - 1) if len(drawn) > 1 else 1.0
        red, green, blue = (255 * shade(share)).astype(int).tolist()
        for limb in limbs_of:
            for outline in limb:
                flat = (outline - low) * scale + 10.0
                flat[:, 1] = height - flat[:, 1]
                path = " ".join(f"{x:.1f},{y:.1f}" for x, y in flat.tolist())
                shapes.append(f'<polygon points="{path}" fill="rgb({red},{green},{blue})"/>')
    return (
        f'<figure style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{height:.0f}" stroke="white" stroke-width="0.7">{"".join(shapes)}</svg>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )

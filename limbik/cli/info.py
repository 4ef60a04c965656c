"""``limbik info``: what is in a file."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from limbik.cli.arguments import NAMES, opened
from limbik.cli.terminal import out
from limbik.figure import Figure
from limbik.joints import ExponentialBall, Joint, Slide, SwingTwistBall, Turn
from limbik.limits import SwingTwist
from limbik.motion import Motion
from limbik.result import length_text


def info(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"A file, or one of: {NAMES}.")],
) -> None:
    """Show a file's joints, their kinds and ranges, and its motion."""
    figure, motion = opened(file)
    out.print(_summary(figure, motion))
    out.print()
    out.print(_joints(figure))


def _summary(figure: Figure, motion: Motion | None) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    slides = int(figure.slides.sum())
    parts = [f"{figure.n - slides} turns"] * (slides < figure.n) + [f"{slides} slides"] * (
        slides > 0
    )
    table.add_row("figure", escape(figure.name or "unnamed"))
    table.add_row("joints", str(len(figure.joints)))
    table.add_row("n", f"{figure.n}  ({', '.join(parts) or 'nothing moves'})")
    table.add_row("size", length_text(figure.size, figure.unit))
    if figure.unit:
        table.add_row("unit", figure.unit)
    if figure.up:
        table.add_row("up", figure.up)
    if motion is None:
        table.add_row("motion", "none")
    else:
        frames = f"{motion.frames} frame{'s' * (motion.frames > 1)}"
        table.add_row("motion", f"{frames} at {motion.fps:.6g} fps, {motion.duration:.3g} s")
    return table


def _joints(figure: Figure) -> Table:
    """A row a joint; the first column draws the tree."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("joint", no_wrap=True)
    table.add_column("kind", no_wrap=True, style="cyan")
    table.add_column("coordinates and ranges")
    drawn = _tree(figure.parents)
    for joint, lines in zip(figure.definition, drawn, strict=True):
        shown = f"[dim]{lines}[/dim]{escape(joint.name)}"
        table.add_row(shown, joint.kind, _ranges(figure, joint))
    return table


def _tree(parents: np.ndarray) -> list[str]:
    """The lines in front of each joint.  An only child stands straight below its parent, so that
    a limb is a column and a long chain does not run out of the page."""
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    own, below = [""] * len(parents), [""] * len(parents)
    for i, parent in enumerate(parents):
        if parent < 0:
            continue
        siblings = children[parent]
        if len(siblings) == 1:
            own[i] = below[i] = below[parent]
        else:
            last = i == siblings[-1]
            own[i] = below[parent] + ("└─ " if last else "├─ ")
            below[i] = below[parent] + ("   " if last else "│  ")
    return own


def _ranges(figure: Figure, joint: Joint) -> str:
    """ "rz 0°…145°, ry free", "cone 80° × 60°, twist −45°…45°", ..."""
    texts: list[str] = []
    labels = iter(joint.labels)
    for part in joint.parts:
        if isinstance(part, Turn | Slide):
            label = next(labels)
            if part.coupled is not None:
                rule = part.coupled
                plus = f" + {rule.offset:g}" if rule.offset else ""
                texts.append(f"{label} = {rule.scale:g} · {rule.coordinate}{plus}")
                continue
            texts.append(_range(figure, joint, label))
            continue
        own = [next(labels) for _ in part.labels]
        if isinstance(joint.limit, SwingTwist):
            texts += _cone(joint.limit, part)
        else:
            texts += [_range(figure, joint, label) for label in own]
    # "rz free, ry free, rx free" reads better as "rz ry rx free".
    free = [text.removesuffix(" free") for text in texts if text.endswith(" free")]
    bound = [text for text in texts if not text.endswith(" free")]
    return escape(", ".join(bound + ([f"{' '.join(free)} free"] if free else [])))


def _range(figure: Figure, joint: Joint, label: str) -> str:
    own = joint.name if len(joint.labels) == 1 else f"{joint.name}.{label}"
    c = figure.coordinates.index(own)
    low, high = figure.lower[c], figure.upper[c]
    if not (np.isfinite(low) or np.isfinite(high)):
        return f"{label} free"
    if figure.slides[c]:
        ends = [f"{value:.3g}" for value in (low, high)]
    else:
        ends = [_degrees(value) for value in (low, high)]
    return f"{label} {ends[0]}…{ends[1]}"


def _cone(limit: SwingTwist, ball: ExponentialBall | SwingTwistBall) -> list[str]:
    texts = []
    if limit.swing is not None:
        a, b = (_degrees(value) for value in limit.swing)
        text = f"cone {a} × {b}"
        if any(limit.center):
            text += " around ({}, {})".format(*(_degrees(value) for value in limit.center))
        texts.append(text)
    else:
        texts.append("swing free")
    if np.isfinite(limit.twist).any():
        texts.append("twist {}…{}".format(*(_degrees(value) for value in limit.twist)))
    else:
        texts.append("twist free")
    return texts


def _degrees(value: float) -> str:
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    # A rounded −0 is 0, and the sign is a minus, not a hyphen.
    return f"{round(math.degrees(value), 1) + 0.0:g}°".replace("-", "−")

"""``limbik info``: what is in a file."""

from __future__ import annotations

import json as json_text
import math
from collections import Counter
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from limbik.cli import files, options
from limbik.cli.arguments import NAMES
from limbik.cli.commands.info_bodies import bodies_of
from limbik.cli.commands.info_json import as_json
from limbik.cli.contents import Contents, contents
from limbik.cli.guess import looks_like
from limbik.cli.terminal import out
from limbik.figure.figure import Figure
from limbik.figure.joints import BallPart, Joint
from limbik.figure.limits import SwingTwist
from limbik.figure.motion import Motion
from limbik.figure.units import length_text
from limbik.humanoid import Body, recognise

WIDE, ROOMY = 160, 110
"""Columns where the output is not a terminal, and from which on there is room for the bones."""

_CLIPS = 30  # that are listed, of those a file has


def info(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help=f"A file, or one of: {NAMES}; - is standard input."),
    ],
    figure: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The figure of a motion that comes without (AMC, CSV)."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show a file's joints, their kinds and ranges, which bone of a body each is, and its clips."""
    found = contents(files.source(file), figure)
    body = recognise(found.figure)
    # A robot has a "hand" and a "base" too; a body lacks little.
    is_body = len(body.missing) <= 3
    if json:
        print(json_text.dumps(as_json(found, body if is_body else None), allow_nan=False))
        return
    # A file or a pipe takes any width; a terminal may have no room for the bones.
    page = out if out.is_terminal else Console(width=max(out.width, WIDE), highlight=False)
    roomy = page.width >= ROOMY
    page.print(_summary(found, body if is_body else None))
    page.print()
    page.print(_joints(found.figure, body if is_body and roomy else None))
    if is_body and not roomy:
        page.print(f"\n[dim]Which bone each joint is: in a terminal of {ROOMY} columns.[/dim]")


def _summary(found: Contents, body: Body | None) -> Table:
    figure = found.figure
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    slides = int(figure.slides.sum())
    parts = [_count(figure.n - slides, "turn")] * (slides < figure.n)
    parts += [_count(slides, "slide")] * (slides > 0)
    table.add_row("figure", escape(figure.name or "unnamed"))
    table.add_row("joints", f"{len(figure.joints)}  ({_kinds(figure)})")
    table.add_row("n", f"{figure.n}  ({', '.join(parts) or 'nothing moves'})")
    limited = sum(joint.limit is not None for joint in figure.definition)
    table.add_row("limits", _count(limited, "joint") if limited else "none")
    table.add_row("size", length_text(figure.size, figure.unit))
    table.add_row("unit", figure.unit or "not stated")
    table.add_row("up", figure.up or "not stated")
    if body is not None:
        missing = f", no {', '.join(body.missing)}" if body.missing else ""
        table.add_row("body", f"{len(body.roles)} bones recognised{missing}")
        guess = _guess(found, body)
        if guess:
            table.add_row("guess", f"{guess}  (nothing is converted)")
    for what, text in bodies_of(figure):
        table.add_row(what, text)
    if found.meshes:
        vertices = sum(len(mesh.positions) for mesh in found.meshes)
        triangles = sum(len(mesh.triangles) for mesh in found.meshes)
        table.add_row(
            "mesh",
            f"{_count(vertices, 'vertex', 'vertices')}, {_count(triangles, 'triangle')}"
            f" in {_count(len(found.meshes), 'piece')}",
        )
    clips = list(found.clips.items())
    if len(clips) <= 1:
        table.add_row("motion", _clip(clips[0][1]) if clips else "none")
    for k, (name, clip) in enumerate(clips[:_CLIPS] if len(clips) > 1 else []):
        label = f"{len(clips)} clips" if k == 0 else ""
        table.add_row(label, f"{escape(name)}  [dim]{_clip(clip)}[/dim]")
    if len(clips) > _CLIPS:
        table.add_row("", f"and {len(clips) - _CLIPS} more")
    return table


def _guess(found: Contents, body: Body) -> str:
    figure = found.figure
    if figure.unit and figure.up:
        return ""
    clip = next(iter(found.clips.values()), None)
    return looks_like(figure, body, figure.rest if clip is None else clip.q[0])


def _clip(motion: Motion) -> str:
    frames = _count(motion.frames, "frame")
    return f"{frames} at {motion.fps:.6g} fps, {motion.duration:.3g} s"


def _count(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _kinds(figure: Figure) -> str:
    """ "1 free (ZYX), 30 ball (ZYX)", in the order they come."""
    counts = Counter(joint.kind for joint in figure.definition)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _joints(figure: Figure, body: Body | None) -> Table:
    """A row for each joint, depth first; the first column draws the tree."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    aliases = any(joint.alias for joint in figure.definition)
    table.add_column("link" if aliases else "joint", no_wrap=True)
    if aliases:
        table.add_column("joint", no_wrap=True)
    roles = {} if body is None else {joint: role for role, joint in body.roles.items()}
    if roles:
        table.add_column("bone", no_wrap=True)
    table.add_column("kind", no_wrap=True, style="cyan")
    table.add_column("ranges")
    for i, lines in _tree(figure.parents, _branches()):
        joint = figure.definition[i]
        shown = f"[dim]{lines}[/dim]{escape(joint.name)}"
        own = [escape(joint.alias)] if aliases else []
        bone = [roles.get(joint.name, "")] if roles else []
        table.add_row(shown, *own, *bone, joint.kind, _ranges(figure, joint))
    return table


def _branches() -> tuple[str, str, str]:
    """What the tree is drawn with: a child, the last child, and a line past others."""
    drawn = ("├─ ", "└─ ", "│  ")
    try:
        "".join(drawn).encode(out.encoding)
    except (UnicodeEncodeError, LookupError):
        return ("|- ", "`- ", "|  ")
    return drawn


def _tree(parents: np.ndarray, branches: tuple[str, str, str]) -> list[tuple[int, str]]:
    """The joints depth first, whatever their order in the file, and the lines in front of each.

    An only child stands straight below its parent, so that a limb is a column and a long chain does
    not run out of the page.
    """
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    child, last, past = branches
    rows: list[tuple[int, str]] = []
    # Each with the lines in front of it, and those in front of what is below it.
    waiting = [(i, "", "") for i in reversed(np.flatnonzero(parents < 0).tolist())]
    while waiting:
        i, own, below = waiting.pop()
        rows.append((i, own))
        below_ones = children[i]
        for k in reversed(below_ones):
            if len(below_ones) == 1:
                waiting.append((k, below, below))
            elif k == below_ones[-1]:
                waiting.append((k, below + last, below + "   "))
            else:
                waiting.append((k, below + child, below + past))
    return rows


def _ranges(figure: Figure, joint: Joint) -> str:
    """ "rz 0°…145°, ry free", "cone 80° × 60°, twist -45°…45°", ..."""
    texts: list[str] = []
    labels = iter(joint.labels)
    for part in joint.parts:
        own = [next(labels) for _ in part.labels]
        if part.coupled is not None:
            rule = part.coupled
            plus = f" + {rule.offset:g}" if rule.offset else ""
            texts.append(f"{own[0]} = {rule.scale:g} · {rule.coordinate}{plus}")
        elif isinstance(part, BallPart) and isinstance(joint.limit, SwingTwist):
            texts += _cone(joint.limit)
        elif isinstance(part, BallPart) and joint.limit is None:
            texts += [f"{label} free" for label in own]
        else:
            texts += [_range(figure, joint, label) for label in own]
    # "rz free, ry free, rx free" reads better as "rz ry rx free".
    free = [text.removesuffix(" free") for text in texts if text.endswith(" free")]
    bound = [text for text in texts if not text.endswith(" free")]
    return escape(", ".join(bound + ([f"{' '.join(free)} free"] if free else [])))


def _range(figure: Figure, joint: Joint, label: str) -> str:
    name = joint.alias or joint.name
    own = name if len(joint.labels) == 1 else f"{name}.{label}"
    c = figure.coordinates.index(own)
    low, high = figure.lower[c], figure.upper[c]
    if not (np.isfinite(low) or np.isfinite(high)):
        return f"{label} free"
    if figure.slides[c]:
        ends = [f"{value:.3g}" for value in (low, high)]
    else:
        ends = [_degrees(value) for value in (low, high)]
    return f"{label} {ends[0]}…{ends[1]}"


def _cone(limit: SwingTwist) -> list[str]:
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
        return "inf" if value > 0 else "-inf"
    # A rounded -0 is 0.  Signs are ASCII: other minus signs are lost in some encodings.
    return f"{round(math.degrees(value), 1) + 0.0:g}°"

"""What ``limbik info`` says of masses, shapes, speed and effort limits and loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from rich.markup import escape

from limbik.figure.figure import Figure

_LOOPS = 8  # that are listed


def bodies_of(figure: Figure) -> Iterator[tuple[str, str]]:
    """Rows of the summary: what, and how much of it."""
    physical = figure.physical
    if figure.mass > 0.0:
        source = "" if physical.inertias is not None else "  (a table of body segments)"
        yield "mass", f"{figure.mass:.4g} kg on {len(figure.inertias)} joints{source}"
    else:
        yield "mass", "not stated"
    if figure.shapes:
        source = "" if physical.shapes is not None else "  (fitted)"
        kinds = Counter(type(shape).__name__.lower() for shape in figure.shapes)
        counts = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in kinds.items())
        excluded = f", {len(figure.exclusions)} pairs excluded" if figure.exclusions else ""
        yield "shapes", f"{counts}{excluded}{source}"
    else:
        yield "shapes", "none"
    for what, limits, unit in (
        ("speed", figure.speed_limits, "rad/s"),
        ("effort", figure.effort_limits, "N·m"),
    ):
        known = limits[np.isfinite(limits) & ~figure.slides]
        count = int(np.isfinite(limits).sum())
        span = f", turns {known.min():.3g}…{known.max():.3g} {unit}" if len(known) else ""
        if count:
            yield what, f"{count} of {figure.n} limited{span}"
    for k, loop in enumerate(figure.loops[:_LOOPS]):
        kind = "weld" if loop.wxyz is not None else "connect"
        ends = f"{loop.joint_a} – {loop.joint_b or 'the world'}"
        yield "loops" if k == 0 else "", f"{escape(ends)}  ({kind})"
    if len(figure.loops) > _LOOPS:
        yield "", f"and {len(figure.loops) - _LOOPS} more"


def _plural(kind: str, count: int) -> str:
    return kind if count == 1 else kind + ("es" if kind.endswith("x") else "s")

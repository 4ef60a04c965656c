"""Which limits a clip is followed with: those of the file, of people, of the clip, or none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from limbik import humanoid
from limbik.animate.learn import limits_from
from limbik.errors import FigureError, LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion


class Limited(NamedTuple):
    """A figure with the limits asked for, its motion in the same coordinates, and their kind."""

    figure: Figure
    motion: Motion | None
    kind: str | None


def limited(
    figure: Figure,
    motion: Motion | None,
    asked: str | None,
    *,
    option: str = "limits",
    refused: Callable[[str], object] | None = None,
) -> Limited:
    """What is asked for: "none", "file", "anatomical", "clip" or "clip+10" (degrees).

    With None, a body without limits gets anatomical ones, and others keep what they have.
    ``option`` is what errors call the choice; ``refused`` is told why a body without limits got no
    anatomical ones, where nothing was asked for.
    """
    text = None if asked is None else asked.strip()
    if text == "file":
        return Limited(figure, motion, text)
    if text == "none":
        free = figure.with_limits(dict.fromkeys(figure.joints))
        return Limited(free, None if motion is None else motion.onto(free), text)
    if text == "anatomical":
        return _anatomical(figure, motion)
    if text is not None:
        wide = margin(text, option=option)
        if motion is None:
            raise LimbikError(f'{option} "{asked}": the file has no clip to take limits from')
        figure = figure.with_limits(limits_from(motion, margin=wide))
        return Limited(figure, motion.onto(figure), text)
    if not humanoid.unlimited(figure) or not humanoid.recognise(figure).complete:
        return Limited(figure, motion, None)
    try:
        return _anatomical(figure, motion)
    except FigureError as error:
        if refused is not None:
            refused(str(error))
        return Limited(figure, motion, None)


def _anatomical(figure: Figure, motion: Motion | None) -> Limited:
    """Limits of people, which hold the motion too where that goes further."""
    if motion is None:
        return Limited(humanoid.limited(figure), None, "anatomical")
    new = humanoid.limited(figure, motion.q, hold=True)
    return Limited(new, motion.onto(new), "anatomical")


def margin(text: str, *, option: str = "limits") -> float:
    """The degrees of ``clip+10``; 0 for ``clip``."""
    match = re.fullmatch(r"clip(?:\+(\d+(?:\.\d*)?|\.\d+))?", text)
    if match is None:
        raise LimbikError(
            f'{option} "{text}": expected clip, or clip+DEGREES such as clip+10 (what the clip '
            "uses, widened by 10 degrees), anatomical, file or none"
        )
    return float(match[1] or 0.0)

"""Which limits a command uses: those of the file, of people, of the clip, or none."""

from __future__ import annotations

import re
from typing import NamedTuple

from limbik import humanoid
from limbik.animate.learn import limits_from
from limbik.cli.terminal import note
from limbik.errors import FigureError, LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion

HELP = (
    "none: no limits. file: only those in the file. anatomical: those of a human body. clip+10: "
    "each rotation may go as far as anywhere in the whole clip, and 10 degrees further. By default "
    "a body whose file has no limits gets anatomical ones, and the file's own are used elsewhere."
)


class Limited(NamedTuple):
    """A figure with the limits asked for, its motion in the same coordinates, and their kind."""

    figure: Figure
    motion: Motion | None
    kind: str | None


def limited(figure: Figure, motion: Motion | None, asked: str | None) -> Limited:
    """What ``--limits`` asks for; where it is left, a line on the terminal says what was chosen."""
    text = None if asked is None else asked.strip()
    if text == "file":
        return Limited(figure, motion, text)
    if text == "none":
        free = figure.with_limits(dict.fromkeys(figure.joints))
        return Limited(free, None if motion is None else motion.onto(free), text)
    if text == "anatomical":
        return _anatomical(figure, motion)
    if text is not None:
        wide = margin(text)
        if motion is None:
            raise LimbikError(f'--limits "{asked}": the file has no clip to take limits from')
        figure = figure.with_limits(limits_from(motion, margin=wide))
        return Limited(figure, motion.onto(figure), text)
    if not humanoid.unlimited(figure) or not humanoid.recognise(figure).complete:
        return Limited(figure, motion, None)
    try:
        found = _anatomical(figure, motion)
    except FigureError as error:
        note("Limits", f"none: {error}", "bold yellow")
        return Limited(figure, motion, None)
    note(
        "Limits",
        "anatomical, because this is a body and its file has no limits (--limits none: without)",
        "bold",
    )
    return found


def _anatomical(figure: Figure, motion: Motion | None) -> Limited:
    """Limits of people, which hold the motion too where that goes further."""
    if motion is None:
        return Limited(humanoid.limited(figure), None, "anatomical")
    new = humanoid.limited(figure, motion.q, hold=True)
    return Limited(new, motion.onto(new), "anatomical")


def margin(text: str) -> float:
    """The degrees of ``clip+10``; 0 for ``clip``."""
    match = re.fullmatch(r"clip(?:\+(\d+(?:\.\d*)?|\.\d+))?", text)
    if match is None:
        raise LimbikError(
            f'--limits "{text}": expected clip, or clip+DEGREES such as clip+10 (what the clip '
            "uses, widened by 10 degrees), anatomical, file or none"
        )
    return float(match[1] or 0.0)

"""``--limits``: which limits a command uses, and a line that says so where it chose them itself."""

from __future__ import annotations

from limbik.animate import limit_choice
from limbik.animate.limit_choice import Limited
from limbik.cli.terminal import note
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion

HELP = (
    "none: no limits. file: only those in the file. anatomical: those of a human body. clip+10: "
    "each rotation may go as far as anywhere in the whole clip, and 10 degrees further. By default "
    "a body whose file has no limits gets anatomical ones, and the file's own are used elsewhere."
)


def limited(figure: Figure, motion: Motion | None, asked: str | None) -> Limited:
    """What ``--limits`` asks for; where it is left, a line on the terminal says what was chosen."""
    found = limit_choice.limited(
        figure,
        motion,
        asked,
        option="--limits",
        refused=lambda why: note("Limits", f"none: {why}", "bold yellow"),
    )
    if asked is None and found.kind is not None:
        note(
            "Limits",
            "anatomical, because this is a body and its file has no limits "
            "(--limits none: without)",
            "bold",
        )
    return found

"""``limbik batch status`` for people: tables, and each measure's spread as a row of bars."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from limbik.cli.terminal import out

_BARS = " ▁▂▃▄▅▆▇█"
_EXAMPLES = 5
"""Failures shown for each reason."""


def show_status(found: dict[str, Any]) -> None:
    """Print what ``status_of`` found."""
    _progress(found)
    if found["failures"]:
        out.print()
        _failures(found)
    if found["slowest"]:
        out.print()
        _slowest(found)
    if found["quality"]:
        out.print()
        _quality(found)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for k, column in enumerate(columns):
        number = column in ("median", "95 %", "worst")
        table.add_column(
            column,
            justify="left" if k == 0 else "right",
            no_wrap=True,
            min_width=8 if number else None,
        )
    return table


def _progress(found: dict[str, Any]) -> None:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_row("clips", f"{found['clips']}")
    share = 100.0 * found["done"] / found["clips"] if found["clips"] else 100.0
    table.add_row("done", f"{found['done']}  ({share:.1f} %)")
    table.add_row("failed", f"{found['failed']}")
    table.add_row("left", f"{found['left']}")
    if found["of_another_job"]:
        table.add_row("of another job", f"{found['of_another_job']}")
    if found["frames"]:
        rate = f"{found['frames_per_second']:.0f} per second and core"
        table.add_row("frames", f"{found['frames']}  ({rate})")
    versions = ", ".join(f"{name} ({count})" for name, count in found["versions"].items())
    if len(found["versions"]) > 1:
        table.add_row("versions", versions)
    out.print(table)


def _failures(found: dict[str, Any]) -> None:
    for reason, count in found["reasons"].items():
        out.print(Text.assemble((f"{reason}  ", "bold red"), f"{count}"))
        own = [failure for failure in found["failures"] if failure["reason"] == reason]
        for failure in own[:_EXAMPLES]:
            line = Text.assemble(f"  {failure['source']}  ", (failure["sentence"], "dim"))
            out.print(line, soft_wrap=True)
        if count > _EXAMPLES:
            out.print(f"  ... and {count - _EXAMPLES} more (--json has all)", style="dim")


def _slowest(found: dict[str, Any]) -> None:
    table = _table("slowest clips", "seconds", "frames")
    for clip in found["slowest"]:
        table.add_row(Text(clip["source"]), f"{clip['seconds']:.2f}", f"{clip['frames']}")
    out.print(table)


def _quality(found: dict[str, Any]) -> None:
    table = _table("quality", "unit", "median", "95 %", "worst", "spread", "worst clip")
    for name, measure in found["quality"].items():
        table.add_row(
            name,
            measure["unit"],
            *(f"{measure[key]:.3g}" for key in ("median", "p95", "max")),
            bars(_halved(measure["histogram"]["counts"])),
            Text(measure["worst"]),
        )
    out.print(table)


def _halved(counts: list[int]) -> list[int]:
    return [one + other for one, other in zip(counts[::2], counts[1::2], strict=True)]


def bars(counts: list[int]) -> str:
    """A histogram in one line of text.

    >>> bars([0, 1, 8, 4])
    ' ▁█▄'
    """
    most = max(counts, default=0) or 1
    steps = len(_BARS) - 1
    return "".join(_BARS[-(-count * steps // most)] for count in counts)

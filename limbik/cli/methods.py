"""``limbik methods``: what can be given to ``--method``."""

from __future__ import annotations

import dataclasses
import inspect

from rich.markup import escape
from rich.table import Table

from limbik.cli.terminal import out
from limbik.methods import METHODS, Method
from limbik.solve import find_method


def methods() -> None:
    """List the methods, what each promises, and its settings."""
    default = find_method(None).name
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 1, 0))
    table.add_column("method", no_wrap=True)
    table.add_column("what it does and its settings")
    table.add_column("descends", justify="center")
    table.add_column("feasible", justify="center")
    for name, method in METHODS.items():
        shown = f"[bold]{name}[/bold]" + ("\n[dim]the default[/dim]" if name == default else "")
        first = (inspect.getdoc(method) or "").split("\n")[0]
        what = f"{escape(first)}\n[dim]{escape(_settings(method))}[/dim]"
        table.add_row(shown, what, _promise(method.descends), _promise(method.feasible))
    out.print(table)
    out.print(
        "descends: f never rises.  feasible: every iterate is inside the limits.", style="dim"
    )


def _promise(holds: bool) -> str:
    return "[green]yes[/green]" if holds else "[yellow]no[/yellow]"


def _settings(method: type[Method]) -> str:
    """ "iterations=200, alpha=0.0001": the defaults of the method's fields."""
    return ", ".join(f"{field.name}={field.default!r}" for field in dataclasses.fields(method))

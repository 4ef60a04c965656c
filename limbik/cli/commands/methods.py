"""``limbik methods``: what can be given to ``--method``."""

from __future__ import annotations

import inspect
import json as json_text
import math
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from limbik.cli import options
from limbik.cli.terminal import out
from limbik.methods import METHODS, Method
from limbik.methods.settings import settings_of
from limbik.solver.runner import find_method


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="One method: its settings too.", show_default="all methods"
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the methods and what each promises, or one method with its settings."""
    if json:
        shown = METHODS.values() if name is None else [type(find_method(name))]
        print(json_text.dumps({"methods": [_as_json(method) for method in shown]}))
    elif name is None:
        _list_all()
    else:
        _show(type(find_method(name)))


def _as_json(method: type[Method]) -> dict[str, Any]:
    return {
        "name": method.name,
        "class": method.__name__,
        "text": inspect.getdoc(method) or "",
        "descends": method.descends,
        "feasible": method.feasible,
        "default": method.name == find_method(None).name,
        "settings": [
            {
                "name": setting.name,
                "default": _plain(setting.default),
                "text": setting.meaning,
            }
            for setting in settings_of(method)
        ],
    }


def _plain(value: object) -> object:
    """A setting that JSON has, or its text."""
    plain = isinstance(value, str | int | bool) or value is None
    finite = isinstance(value, float) and math.isfinite(value)
    return value if plain or finite else repr(value)


def _list_all() -> None:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("method", no_wrap=True)
    table.add_column("what it does")
    table.add_column("descends", justify="center")
    table.add_column("feasible", justify="center")
    default = find_method(None).name
    for name, method in METHODS.items():
        first = (inspect.getdoc(method) or "").split("\n")[0]
        style = "bold" if name == default else ""
        promises = _promise(method.descends), _promise(method.feasible)
        table.add_row(name, escape(first), *promises, style=style)
    out.print(table)
    out.print(
        "\ndescends: f never rises.  feasible: every iterate is inside the limits.\n"
        f"{default} is the default; limbik methods NAME shows a method's settings.",
        style="dim",
    )


def _show(method: type[Method]) -> None:
    out.print(f"[bold]{method.name}[/bold] ({method.__name__})\n")
    for paragraph in (inspect.getdoc(method) or "").split("\n\n"):
        if not paragraph.startswith(">>>"):
            out.print(escape(" ".join(paragraph.split())) + "\n")
    promises = f"descends: {_promise(method.descends)}   feasible: {_promise(method.feasible)}"
    out.print(f"{promises}\n")
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for setting in settings_of(method):
        table.add_row(
            escape(f"{setting.name}={_short(setting.default)}"),
            f"[dim]{escape(setting.meaning)}[/dim]",
        )
    out.print(table)


def _promise(holds: bool) -> str:
    return "[green]yes[/green]" if holds else "[yellow]no[/yellow]"


def _short(value: object) -> str:
    """A setting as a person types it; another method's settings are not spelled out."""
    if isinstance(value, Method):
        return f"{type(value).__name__}(…)"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)

"""The tables of docs/how-to-choose.md, from results/methods.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.report import RESULTS
from limbik.solver.runner import find_method

PAGE = Path(__file__).parent.parent / "docs" / "how-to-choose.md"
MARKS = ("<!-- measured: python -m benchmarks.methods --docs -->", "<!-- end of measured -->")


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _number(value: float) -> str:
    """Two digits, or all of a whole number."""
    return f"{value:.2g}" if value < 9.95 else f"{value:.0f}"


def tables(kept: dict[str, Any]) -> str:
    """The page's tables from results/methods.json."""
    rows = {(row["method"], row["figure"], row["kind"]): row for row in kept["rows"]}
    methods = list(dict.fromkeys(row["method"] for row in kept["rows"]))
    names = list(dict.fromkeys(row["figure"] for row in kept["rows"]))

    def part(kinds: tuple[str, ...], *keys: str) -> str:
        body = []
        for method in methods:
            found = [[rows[method, name, kind] for kind in kinds] for name in names]
            body.append([f"`{method}`"])
            for each in found:
                written = [_number(row[key]) for row in each for key in keys if key in row]
                body[-1].append(" / ".join(written) or "–")
        return _table(["", *names], body)

    def followed(method: str) -> list[str]:
        row = rows[method, "human", "cartwheel"]
        numbers = [row[key] for key in ("reached_%", "worst_mm", "jumps", "median_us", "passes")]
        return [f"`{method}`", *map(_number, numbers)]

    machine, default = kept["machine"], find_method(None).name
    load = f", load {machine['load'][0]:.1f}" if machine["load"] else ""
    count = rows[default, names[0], "near"]["problems"]
    one_pass = ", ".join(f"{n} {rows[default, n, 'near']['us_per_pass']:.2g}" for n in names)
    again = ", ".join(f"{n} {rows[default, n, 'far']['restarted_%']:.0f}" for n in names)
    return "\n\n".join(
        [
            f"{count} random problems in each cell, no restarts. Measured on 1 of "
            f"{machine['cores']} cores, {machine['processor']}{load}. – : the method refuses such "
            "goals.",
            "**Reached, in %: near / far**",
            part(("near", "far"), "reached_%"),
            "With restarts, as `solve` runs it, the default reaches of the far ones, in %: "
            f"{again}.",
            "**Median time of a solve, in passes of forward kinematics plus Jacobian: near / "
            "far.** Problems that were not solved count. "
            f"A pass takes, in µs: {one_pass}.",
            part(("near", "far"), "passes"),
            "**Median iterations: near / far**",
            part(("near", "far"), "iterations"),
            "**Beyond the limits: % that ended at a stationary pose / % with an objective within "
            "1 % of the best that any method found / median objective as a "
            "multiple of that best**",
            part(("beyond",), "stationary_%", "best_%", "times_best"),
            "**After the cartwheel**, a frame every 0.05 s, no restarts",
            _table(
                ["", "reached %", "worst miss, mm", "jumps", "µs per frame", "passes per frame"],
                [followed(method) for method in methods],
            ),
        ]
    )


def write_page() -> None:
    """Put the tables between the page's marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    shown = tables(json.loads((RESULTS / "methods.json").read_text()))
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{shown}\n\n{MARKS[1]}{after}", encoding="utf-8")

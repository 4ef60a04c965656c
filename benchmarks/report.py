"""What every benchmark shares: the machine it ran on, a table on the screen, a file of results."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

import limbik

RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, Any]:
    """The machine and the versions that figures depend on."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "limbik": limbik.__version__,
    }


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table; the first row names the columns."""
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        table.add_row(*(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()))
    Console(width=140).print(table)


def keep(name: str, rows: list[dict[str, Any]]) -> None:
    """Write the rows and the machine to results/NAME.json."""
    path = RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine(), "rows": rows}, indent=1)
    path.write_text(text + "\n")


def kept(name: str) -> list[dict[str, Any]]:
    """The rows of results/NAME.json, or none."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text())["rows"] if path.exists() else []

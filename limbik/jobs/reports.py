"""Reports over all clips of a run: a table (CSV or JSON) and a picture (PNG)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from limbik.errors import LimbikError
from limbik.formats.files import write_whole
from limbik.jobs.summary import clip_rows, status_of

NAME = "report"


def write_reports(out: Path, kinds: Sequence[str]) -> list[Path]:
    """``report.csv``, ``report.json`` and ``report.png`` in OUT, those that are asked for."""
    return [_write(out, out / f"{NAME}.{kind}", kind) for kind in kinds]


def _write(out: Path, path: Path, kind: str) -> Path:
    if kind == "png":
        write_picture(status_of(out), path)
        return path
    names, rows = clip_rows(out)
    if kind == "csv":
        text = io.StringIO(newline="")
        csv.writer(text).writerows([names, *rows])
        data = text.getvalue().encode("utf-8", "replace")
    else:
        found = [dict(zip(names, row, strict=True)) for row in rows]
        data = (json.dumps(found, indent=1) + "\n").encode()
    write_whole(path, lambda file: _copy(data, file))
    return path


def _copy(data: bytes, file: BinaryIO) -> None:
    file.write(data)


def write_picture(status: dict[str, Any], path: Path) -> None:
    """How far a run is, why clips failed, and the spread of each measure.

    It needs matplotlib: ``pip install limbik[plots]``.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise LimbikError('a picture needs matplotlib: pip install "limbik[plots]"') from None
    quality = status["quality"]
    rows = 1 + (len(quality) + 2) // 3
    page = Figure(figsize=(12, 2.6 * rows + 0.6), layout="constrained")
    FigureCanvasAgg(page)
    page.suptitle(f"{status['done']} of {status['clips']} clips done, {status['failed']} failed")
    grid = page.add_gridspec(rows, 3)
    share = page.add_subplot(grid[0, :2])
    start = 0
    for name, color in (("done", "#4c9a6a"), ("failed", "#c0504d"), ("left", "#cccccc")):
        share.barh(0, status[name], left=start, color=color, label=f"{name} {status[name]}")
        start += status[name]
    share.set_yticks([])
    share.set_xlabel("clips")
    share.legend(ncols=3, loc="upper center", frameon=False)
    share.set_ylim(-0.6, 1.2)
    why = page.add_subplot(grid[0, 2])
    reasons = status["reasons"] or {"no failures": 0}
    why.barh(list(reasons), list(reasons.values()), color="#c0504d")
    why.invert_yaxis()
    why.locator_params(axis="x", integer=True)
    for k, found in enumerate(quality.values()):
        axes = page.add_subplot(grid[1 + k // 3, k % 3])
        axes.stairs(found["histogram"]["counts"], found["histogram"]["edges"], fill=True)
        axes.axvline(found["p95"], color="black", linewidth=0.8)
        unit = f" ({found['unit']})" if found["unit"] else ""
        axes.set_xlabel(f"{found['label']}{unit}; line: 95 %", fontsize=8)
        axes.set_ylabel("clips", fontsize=8)
        axes.locator_params(axis="y", integer=True)

    def write(file: BinaryIO) -> None:
        page.savefig(file, format="png", dpi=110)

    write_whole(path, write)

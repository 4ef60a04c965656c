"""The pictures of experiment (a): box plots as in the paper, and of all contestants."""

from __future__ import annotations

from limbik import plots
from limbik.papers.contract import Picture
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.caps import SLOT
from limbik.papers.line_search.drawing import draw_boxes
from limbik.papers.line_search.statistics import Box
from limbik.papers.line_search.subject import TOLERANCE

_LOWEST = 1e-33  # the left end of logarithmic plots: a zero is drawn there
IN_THE_PAPER = (
    who.TRANSPOSE,
    who.BEST,
    who.EQUATION_28,
    who.INVERSE,
    who.CLAMPED,
    who.LINE_SEARCH,
    who.DEFAULT,
)
_SHORT = {
    who.TRANSPOSE: "Jᵀ\n0.005",
    who.BEST: "Jᵀ best\nstep",
    who.EQUATION_28: "Jᵀ equ.\n28",
    who.INVERSE: "J⁺",
    who.CLAMPED: "J⁺\nclamped",
    who.LINE_SEARCH: "line\nsearch",
    who.DEFAULT: "default",
}


def as_in_the_paper(boxes: dict[float, dict[str, Box]]) -> Picture:
    """The errors in the slot as box plots with linear axes, as the paper draws them."""
    page = plots.new_page(12.5, 4.6)
    for k, (every, row) in enumerate(boxes.items()):
        axes = page.add_axes((0.055 + 0.32 * k, 0.17, 0.275, 0.69))
        shown = {key: row[key] for key in IN_THE_PAPER if key in row}
        draw_boxes(axes, shown, _SHORT, across=False)
        axes.set_ylim(bottom=0.0)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.set_title(f"every {every:g} s", loc="left", size=11, color=plots.INK)
        if k == 0:
            axes.set_ylabel("sum of squared errors, units²", color=plots.QUIET)
    page.text(
        0.012, 0.95, "As in the paper: linear axes", size=12.5, weight="bold", color=plots.INK
    )
    return Picture.of(
        page,
        "Errors in the slot, as the paper draws them",
        "Red line: median; box: quartiles; whiskers: the last value within 1.5 box lengths; "
        "crosses: outliers. Jᵀ and J⁺ are the Jacobian transpose and inverse, with the paper's "
        "settings and with better ones; then the projected line search and limbik's default.",
    )


def everyone(every: float, row: dict[str, Box], labels: dict[str, str], solved: float) -> Picture:
    """All contestants at one sampling, on a logarithmic axis; left of ``solved`` is rounding."""
    shown = dict(sorted(row.items(), key=lambda item: -item[1].median))
    height = 1.5 + 0.33 * len(shown)
    page = plots.new_page(12.0, height)
    axes = page.add_axes((0.285, 0.62 / height, 0.69, 1.0 - 1.3 / height))
    axes.set_xscale("log")
    draw_boxes(axes, shown, labels, across=True, floor=_LOWEST)
    axes.set_xlim(_LOWEST, 3e3)
    axes.axvspan(_LOWEST, solved, color="#e8f2ec", zorder=0)
    axes.axvline(TOLERANCE**2, color=plots.QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for value, text in ((TOLERANCE**2, "0.05 units (1 cm)"), (solved, "solved to rounding")):
        axes.annotate(
            text, (value, 1.0), xycoords=("data", "axes fraction"), xytext=(-3, 3),
            textcoords="offset points", ha="right", size=8.5, color=plots.QUIET,
        )  # fmt: skip
    axes.set_xlabel("sum of squared errors of a frame, units² (logarithmic)", color=plots.QUIET)
    page.text(
        0.012, 1.0 - 0.27 / height, f"Every {every:g} s, {1e3 * SLOT:g} ms per frame", size=12.5,
        weight="bold", color=plots.INK, va="center",
    )  # fmt: skip
    return Picture.of(
        page,
        f"Errors in the slot, every {every:g} s",
        "All contestants, the highest median on top. In the green part a frame is solved to the "
        "last digits, and who is further left is chance.",
        kind="png" if len(shown) > 12 else "svg",
    )

"""The picture of a report: contacts with how far they slide, and heights, speeds, jerks in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbik.figure.appearance.drawing import new_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

    from limbik.animate.check import Report

_GOOD, _BAD = 1.0, 20.0  # mm: slides that are drawn green and red

_LEGIBLE = 0.04  # of the clip: shorter contacts have no room for a number


def picture(report: Report) -> Page:
    """A page with a row for each: contacts, the lowest point, the fastest joint, jerk."""
    from matplotlib import colormaps

    joints = list(dict.fromkeys(contact.joint for contact in report.contacts))
    page = new_page(10.0, 6.5 + 0.25 * max(len(joints), 1))
    rows = page.subplots(
        4, 1, sharex=True, gridspec_kw={"height_ratios": [0.4 + 0.35 * len(joints), 2, 2, 2]}
    )
    colours = colormaps["RdYlGn_r"]
    for contact in report.contacts:
        share = np.log(max(contact.slide_mm, 1e-6) / _GOOD) / np.log(_BAD / _GOOD)
        start, end = contact.start / report.fps, contact.end / report.fps
        height = joints.index(contact.joint)
        rows[0].barh(height, end - start, left=start, color=colours(np.clip(share, 0, 1)))
        if end - start > _LEGIBLE * report.frames / report.fps:
            middle, text = 0.5 * (start + end), f"{contact.slide_mm:.3g}"
            rows[0].text(middle, height, text, ha="center", va="center", fontsize=7)
    rows[0].set_yticks(range(len(joints)), joints, fontsize=8)
    rows[0].invert_yaxis()
    rows[0].set_title("contacts, and how far they slide in mm", fontsize=9, loc="left")
    for axes, values, text, mark in (
        (rows[1], report.heights, "lowest point above the ground, mm", 0.0),
        (rows[2], report.speeds, "fastest joint, rad/s", None),
        (rows[3], report.jerks, f"largest jerk, rad/s³ (95 %: {report.jerk:.4g})", report.jerk),
    ):
        axes.plot(np.arange(len(values)) / report.fps, values, lw=0.8, color="#21334f")
        axes.set_title(text, fontsize=9, loc="left")
        if mark is not None:
            axes.axhline(mark, lw=0.6, color="#b03030")
        for frame in report.jumps:
            axes.axvline(frame / report.fps, lw=0.6, color="#d08020")
    rows[3].set_xlabel("seconds")
    page.tight_layout()
    return page

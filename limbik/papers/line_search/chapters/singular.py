"""Near a singular pose: an arm is led to the end of its reach, beyond, and back (section 7)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limbik import plots
from limbik.animate.track import rotation_changes
from limbik.figure.motion import Motion
from limbik.figures import chain
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.contest import Contest
from limbik.papers.line_search.drawing import colour_of
from limbik.papers.line_search.follow import Entry, follow, path_of
from limbik.papers.line_search.statistics import roughness
from limbik.papers.line_search.subject import TOLERANCE, Chain, Drill, Subject

LENGTHS = (1.5, 1.3, 0.9)
"""Upper arm, forearm and hand, in units of 0.2 m."""

FRAMES, ROUNDS, ITERATIONS = 161, 2, 200
AROUND, STRAIGHT = "around", "straight"
CALM = 0.25
"""The line search avoids the shaking where its roughness is at most this part of the inverse's."""


def paths() -> dict[str, np.ndarray]:
    """(frames, 1, 3) for each path of the target; the arm is 3.7 units long.

    AROUND is a circle through the end of the reach, from 2.3 units to 4.1 and back; STRAIGHT a
    swing on one line from the shoulder, from 3.3 to 4.2 and back.
    """
    phase = np.linspace(0.0, 2.0 * math.pi * ROUNDS, FRAMES)
    flat = np.zeros(FRAMES)
    circle = np.column_stack([3.2 - 0.9 * np.cos(phase), 0.9 * np.sin(phase), flat])
    away = 3.3 + 0.45 * (1.0 - np.cos(phase))
    swing = np.column_stack([away * math.cos(0.4), away * math.sin(0.4), flat])
    return {AROUND: circle[:, None], STRAIGHT: swing[:, None]}


def chapter(order: Order, contest: Contest) -> Chapter:
    """Twice around, and twice straight out and back, through the end of the reach."""
    figure = chain(LENGTHS)
    named = {one.key: one for one in contest.contestants}
    bent = figure.rest + np.array([0.2, 0.3, 0.3])
    jobs = [(way, key) for way in paths() for key in named]
    entries: dict[str, dict[str, Entry]] = {way: {} for way in paths()}
    for way, key in order.steps("line_search: singular", jobs):
        targets, method = paths()[way], named[key].method
        start = path_of(figure, ["Tip"], targets[0], bent, named[who.DEFAULT].method, 200).q[-1]
        subject = Subject(Motion(figure, start[None], 1.0), way, ("Tip",), 0.2, "none")
        drill = Drill(1.0, (Chain(start, targets, np.tile(start, (FRAMES, 1))),))
        entries[way][key] = follow(subject, drill, named[key].label, method, ITERATIONS)
    rough, largest, missed = {}, {}, {}
    for way, row in entries.items():
        inside = np.linalg.norm(paths()[way][:, 0], axis=1) < sum(LENGTHS) - TOLERANCE
        rough[way] = {key: roughness(figure, entry.poses[0]) for key, entry in row.items()}
        largest[way] = {
            key: float(rotation_changes(figure, e.poses[0]).max()) for key, e in row.items()
        }
        missed[way] = {key: float(np.mean(e.worst[inside] > TOLERANCE)) for key, e in row.items()}
    rows = [
        [
            named[key].label,
            rough[AROUND][key],
            math.degrees(largest[AROUND][key]),
            f"{100 * missed[AROUND][key]:.0f} %",
            f"{100 * missed[STRAIGHT][key]:.0f} %",
        ]
        for key in sorted(named, key=lambda key: rough[AROUND][key])
    ]
    return Chapter(
        title="At the end of the reach (section 7)",
        text=(
            "Where an arm is stretched, J loses rank. A planar arm of three hinges without limits, "
            f"{sum(LENGTHS):.1f} units long, follows a target twice around a circle that leads "
            "from 2.3 units to 4.1 and back; a calm method should not shake where it gets "
            "stretched. Then the target swings on one line out from the shoulder, from 3.3 to 4.2 "
            f"and back: a good method should not stay stretched. {FRAMES} frames, {ITERATIONS} "
            "iterations each."
        ),
        settings={
            "lengths": list(LENGTHS),
            "frames": FRAMES,
            "rounds": ROUNDS,
            "iterations": ITERATIONS,
        },
        claims=claims(rough[AROUND], largest[AROUND], missed[STRAIGHT]),
        tables=[
            Table(
                "Through the singular pose",
                ["method", "roughness around, units", "largest turn around in °",
                 "missed around", "missed straight"],
                rows,
                "Roughness: root mean square of the second differences of the joints' positions. "
                "Missed: frames in reach with more than 0.05 units left.",
            )
        ],
        pictures=[_picture(entries[AROUND], paths()[AROUND])],
        numbers={"roughness": rough, "largest turn": largest, "missed": missed},
    )  # fmt: skip


def claims(
    rough: Mapping[str, float], largest: Mapping[str, float], stretched: Mapping[str, float]
) -> list[Claim]:
    """Does optimising avoid the shaking?  ``stretched`` is the share missed on the straight way."""
    own, rival = rough[who.LINE_SEARCH], rough[who.INVERSE]
    keys = [key for key in (*who.PAPERS, who.CLAMPED, who.DEFAULT) if key in rough]
    listed = "; ".join(
        f"{who.label_of(key)} {rough[key]:.2g} (largest turn {math.degrees(largest[key]):.0f}°)"
        for key in keys
    )
    return [
        Claim(
            where="section 6 (7 in print)",
            says="The shaking near singular poses can be avoided by optimisation with a line "
            "search.",
            verdict=Verdict.HOLDS
            if own <= CALM * rival
            else (Verdict.DEPENDS if own < rival else Verdict.FAILS),
            seen=f"Roughness on the circle: {listed}.",
        ),
        Claim(
            where="the end of the reach",
            own=True,
            says="The default goes through the singular pose as calmly as the projected line "
            "search.",
            verdict=Verdict.HOLDS if rough[who.DEFAULT] <= 1.1 * own else Verdict.FAILS,
            seen=f"Roughness {rough[who.DEFAULT]:.2g} against {own:.2g}.",
        ),
        Claim(
            where="the end of the reach",
            own=True,
            says="Led straight out and back, the default bends the arm again, where the gradient "
            "of a straight arm shows no way to.",
            verdict=Verdict.HOLDS
            if stretched[who.DEFAULT] < stretched[who.LINE_SEARCH]
            else Verdict.FAILS,
            seen="Frames in reach but missed by more than 0.05 units: "
            + ", ".join(f"{who.label_of(key)} {100 * stretched[key]:.0f} %" for key in keys)
            + ".",
        ),
    ]


def _picture(entries: Mapping[str, Entry], targets: np.ndarray) -> Picture:
    distance = np.linalg.norm(targets[:, 0], axis=1)
    page = plots.new_page(12.0, 5.4)
    shown = [key for key in (*who.PAPERS, who.CLAMPED, who.DEFAULT) if key in entries]
    above = page.add_axes((0.065, 0.56, 0.66, 0.38))
    below = page.add_axes((0.065, 0.11, 0.66, 0.36))
    for key in shown:
        bend = np.degrees(entries[key].poses[0][:, 1])
        bend = (bend + 180.0) % 360.0 - 180.0
        above.plot(bend, color=colour_of(key), linewidth=1.3, label=who.label_of(key))
        below.plot(np.sqrt(entries[key].errors), color=colour_of(key), linewidth=1.3)
    out = np.maximum(distance - sum(LENGTHS), 0.0)
    below.fill_between(np.arange(len(out)), out, color="#e6e9ed", zorder=0, label="out of reach by")
    for axes, name in ((above, "elbow in °"), (below, "distance left, units")):
        axes.set_ylabel(name, color=plots.QUIET)
        axes.set_xlim(0, len(distance) - 1)
        plots.quiet(axes)
        plots.legend_beside(axes)
    below.set_xlabel("frame", color=plots.QUIET)
    return Picture.of(
        page,
        "Stretched, and back",
        "The circle. Above: the elbow's angle over the frames; a calm method draws a smooth line. "
        "Below: the distance left; grey cannot be avoided.",
    )

"""Figure 3: a run made by the line search, and an edit of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from limbik import plots
from limbik.animate.track import jumps
from limbik.methods import Method, ProjectedGradient, ProjectedLevenbergMarquardt
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.actor import FEET, HANDS, HEAD, PELVIS, actor, first_pose, standing
from limbik.papers.line_search.caps import Caps
from limbik.papers.line_search.drawing import colour_of, draw_row
from limbik.papers.line_search.follow import Entry, follow
from limbik.papers.line_search.statistics import second_differences
from limbik.papers.line_search.subject import TOLERANCE, Chain, Drill
from limbik.papers.line_search.verdicts import share_of_cases

CYCLE = 14
"""Frames of two steps: 0.7 s at 20 frames per second."""

SPEED = 7.0
"""Units in a cycle: 1.4 m."""

EDITED, RAISED = slice(18, 24), 1.5
"""In these frames the right hand is asked for so many units more height."""

KEPT = 0.99
"""Share of the frames that have to be within the tolerance."""

_SHOWN = 7


@dataclass(frozen=True)
class Run:
    """How one method ran."""

    within: float
    """Share of the frames with every effector within the tolerance."""
    jumps: int
    edited: float
    """The same for the frames that are edited, with the edit."""
    apart: float
    """Units: how far the last pose with the edit is from the last one without it."""
    rough: float
    """Second differences of the effectors by those of their targets."""


def run_targets(frames: int) -> np.ndarray:
    """(frames, 6, 3) hands, feet, pelvis and head of somebody who runs along z."""
    rest, phase = standing(), np.arange(frames) / CYCLE
    out = np.tile(rest, (frames, 1, 1))
    travel = SPEED * phase
    bob = 0.25 * np.cos(4.0 * np.pi * phase) - 0.75
    out[:, PELVIS] += np.column_stack([0.0 * phase, bob, travel])
    out[:, HEAD] += np.column_stack([0.0 * phase, bob, travel + 0.5])
    for k, lag in enumerate((0.0, 0.5)):
        turn = 2.0 * np.pi * (phase + lag)
        lift = np.maximum(0.0, -np.sin(turn))
        out[:, FEET.start + k] += np.column_stack(
            [0.0 * phase, 1.6 * lift, travel + 1.7 * np.cos(turn)]
        )
        out[:, HANDS.start + k] += np.column_stack(
            [-0.3 * np.sign(rest[k, 0]) + 0.0 * phase, 1.3 + bob, travel - 1.3 * np.cos(turn) + 0.7]
        )
    return out


def chapter(order: Order, caps: Caps) -> Chapter:
    """Two steps and two more, in the paper's slot, as they are and with a hand raised."""
    frames = 2 * CYCLE if order.quick else 4 * CYCLE
    targets = run_targets(frames)
    asked = targets.copy()
    asked[EDITED, HANDS.start + 1, 1] += RAISED
    methods: dict[str, Method] = {
        who.LINE_SEARCH: ProjectedGradient(),
        who.DEFAULT: ProjectedLevenbergMarquardt(),
    }
    figure, start = actor().figure, first_pose(targets[0])
    found: dict[str, Run] = {}
    entries: dict[str, tuple[Entry, Entry]] = {}
    for key in order.steps("line_search: run", methods):
        plain, edited = (
            follow(
                actor(), Drill(0.05, (Chain(start, wanted, np.tile(start, (frames, 1))),)),
                who.label_of(key), methods[key], caps.cap(key),
            )
            for wanted in (targets, asked)
        )  # fmt: skip
        entries[key] = plain, edited
        poses = plain.poses[0]
        ends = figure.positions(np.array([poses[-1], edited.poses[0][-1]]))
        index = actor().index()
        own = np.linalg.norm(np.diff(targets, n=2, axis=0), axis=-1)
        found[key] = Run(
            within=float(np.mean(plain.worst <= TOLERANCE)),
            jumps=len(jumps(figure, poses)),
            edited=float(np.mean(edited.worst[EDITED] <= TOLERANCE)),
            apart=float(np.linalg.norm(ends[1] - ends[0], axis=1).max()),
            rough=float(
                np.sqrt(np.mean(second_differences(figure, poses)[:, index] ** 2))
                / np.sqrt(np.mean(own**2))
            ),
        )
    return Chapter(
        title="A run, and an edit of it (Figure 3)",
        text=(
            f"Hands, feet, pelvis and head of the built-in human run: {frames} frames of 0.05 s, "
            f"written as formulas, {SPEED / CYCLE:g} units a frame, feet on the floor half the "
            "time. Each frame starts at the answer before it and gets the iterations that fit "
            f"into the slot. Then the right hand is asked to be {RAISED:g} units higher in "
            f"{EDITED.stop - EDITED.start} frames, as an animator would ask, and the run is done "
            "again."
        ),
        settings={
            "frames": frames,
            "a cycle": CYCLE,
            "units a cycle": SPEED,
            "edited frames": [EDITED.start, EDITED.stop],
            "iterations": {key: caps.cap(key) for key in methods},
        },
        claims=claims(found),
        tables=[
            Table(
                "The run",
                ["method", "within 0.05 units", "jumps", "edited frames within",
                 "last pose apart after the edit, units", "roughness by the targets'"],
                [[who.label_of(key), f"{100 * one.within:.0f} %", one.jumps,
                  f"{100 * one.edited:.0f} %", one.apart, one.rough]
                 for key, one in found.items()],
            )
        ],
        pictures=[_picture(targets, asked, entries[who.LINE_SEARCH])],
        numbers={
            "runs": found,
            "worst effector": {key: plain.worst for key, (plain, _) in entries.items()},
        },
    )  # fmt: skip


def claims(found: Mapping[str, Run]) -> list[Claim]:
    """Is the run as asked, smooth, and does it take the edit?"""
    own = found[who.LINE_SEARCH]
    cases = [own.within >= KEPT, own.jumps == 0, own.rough <= 1.5, own.edited >= KEPT]
    text = "; ".join(
        f"{who.label_of(key)}: {100 * one.within:.0f} % of the frames within {TOLERANCE} units, "
        f"{one.jumps} jumps, roughness {one.rough:.2f} of the targets', "
        f"{100 * one.edited:.0f} % of the edited frames within, last poses {one.apart:.2g} units "
        "apart"
        for key, one in found.items()
    )
    return [
        Claim(
            where="Figure 3",
            says="A run can be made with the projected line search, and edited interactively.",
            verdict=share_of_cases(sum(cases), len(cases)),
            seen=f"{text}. Holds where {100 * KEPT:.0f} % of the frames are within the tolerance "
            "in the slot, edited or not, without jumps, and no rougher than 1.5 times the targets.",
        )
    ]


def _picture(targets: np.ndarray, asked: np.ndarray, entries: tuple[Entry, Entry]) -> Picture:
    page = plots.new_page(12.5, 5.6)
    frames = np.linspace(CYCLE // 2, len(targets) - 1, _SHOWN).astype(int)
    for row, (wanted, entry, name) in enumerate(
        ((targets, entries[0], "as written"), (asked, entries[1], "right hand raised"))
    ):
        axes = page.add_axes((0.03, 0.5 - 0.48 * row, 0.96, 0.44))
        draw_row(
            axes, actor(), entry.poses[0][frames], wanted[frames],
            colour=colour_of(who.LINE_SEARCH), apart=2.2, title=name,
        )  # fmt: skip
    return Picture.of(
        page,
        "The run",
        "From the side, every few frames, moved apart; red rings are the goals, green dots the "
        "effectors.",
        kind="png",
    )

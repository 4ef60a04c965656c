"""Experiment (d): the flip: two goals, one dragged along the joint limits (Figure 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limbik import plots
from limbik.animate.track import JUMP, rotation_changes
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute, swing_twist, universal
from limbik.figure.limits import Range, SwingTwist
from limbik.figure.motion import Motion
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.contest import Contest
from limbik.papers.line_search.drawing import FRONT, colour_of, cone, rgb, stand
from limbik.papers.line_search.follow import Entry, follow, path_of
from limbik.papers.line_search.subject import Chain, Drill, Subject

HANDS = ("LeftHand", "RightHand")
RIGHT = (-1.6, 1.4, 1.6)
"""Where the right hand is held, in units of 0.2 m from the waist: left, up, forward."""

BESIDE, BEHIND, LOW, HIGH = 2.2, -0.8, 0.0, 6.0
"""The left hand is dragged from LOW to HIGH, so far to the left and so far forward."""

STEP = 0.05
"""Units, a centimetre, between two drags; twice as much in a quick run."""

ITERATIONS = 200
"""For every method and drag: a figure of 16 coordinates needs no more."""

_SHOWN = 5  # poses in a row of the picture
_CONE = 1.1  # how long cones are drawn, units


def trunk_with_arms() -> Figure:
    """A trunk and two arms: 16 coordinates, balls with cones, in units of 0.2 m.

    Waist 3, chest 1, and for each arm shoulder 3, elbow 1, wrist 2.
    """
    joints = [
        Joint(
            "Waist",
            parts=swing_twist("y", "x"),
            limit=SwingTwist(swing=(35, 25), twist=(-35, 35), degrees=True),
        ),
        Joint(
            "Chest",
            "Waist",
            revolute("x"),
            offset=(0.0, 1.2, 0.0),
            limit=Range(-15, 25, degrees=True),
        ),
    ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints += [
            Joint(
                f"{side}Shoulder",
                "Chest",
                swing_twist("x", "z"),
                offset=(0.95 * sign, 1.2, 0.0),
                limit=SwingTwist(
                    swing=(75, 55), center=(0, -25 * sign), twist=(-60, 60), degrees=True
                ),
            ),
            Joint(
                f"{side}Elbow",
                f"{side}Shoulder",
                revolute("-y" if sign > 0 else "y"),
                offset=(1.5 * sign, 0.0, 0.0),
                limit=Range(0, 140, degrees=True),
            ),
            Joint(
                f"{side}Wrist",
                f"{side}Elbow",
                universal("y", "z"),
                offset=(1.3 * sign, 0.0, 0.0),
                limit=Range([-25, -60], [25, 60], degrees=True),
            ),
            Joint(f"{side}Hand", f"{side}Wrist", offset=(0.45 * sign, 0.0, 0.0)),
        ]
    return Figure(joints, name="trunk with two arms", up="y")


def chapter(order: Order, contest: Contest) -> Chapter:
    """Drag the left hand upwards and watch how far the joints turn from drag to drag."""
    figure = trunk_with_arms()
    step = 2.0 * STEP if order.quick else STEP
    count = round((HIGH - LOW) / step) + 1
    targets = np.empty((count, 2, 3))
    targets[:, 0] = np.column_stack(
        [np.full(count, BESIDE), np.linspace(LOW, HIGH, count), np.full(count, BEHIND)]
    )
    targets[:, 1] = RIGHT
    default = next(one for one in contest.contestants if one.key == who.DEFAULT)
    start = path_of(figure, HANDS, targets[0], figure.rest, default.method, 200).q[-1]
    subject = Subject(
        Motion(figure, start[None], 1.0 / step), "drag", HANDS, 0.2, "cones and ranges"
    )
    drill = Drill(step, (Chain(start, targets, np.tile(start, (count, 1))),))
    entries: dict[str, Entry] = {}
    for one in order.steps("line_search: flip", contest.contestants):
        entries[one.key] = follow(subject, drill, one.label, one.method, ITERATIONS)
    turned = {
        key: rotation_changes(figure, entry.poses[0]).max(axis=1) for key, entry in entries.items()
    }
    largest = {key: float(values.max()) for key, values in turned.items()}
    flips = {key: int((values > JUMP).sum()) for key, values in turned.items()}
    methods = {one.key: one.method for one in contest.contestants}
    rows = [
        [
            entries[key].label,
            math.degrees(largest[key]),
            math.degrees(float(np.median(turned[key]))),
            flips[key],
            float(np.median(entries[key].errors)),
            "every iterate" if methods[key].feasible else "only the answer",
        ]
        for key in sorted(largest, key=lambda key: largest[key])
    ]
    return Chapter(
        title="The flip (Figure 4)",
        text=(
            f"A trunk with two arms, {figure.n} coordinates, cones on its balls. The right hand "
            "has a fixed goal; the goal of the left hand is dragged upwards beside and behind the "
            f"body, {20 * step:g} cm at a time, from the hip to beyond its reach, so that the "
            "answer runs along the limits of the arm. Each drag starts at the last answer and "
            f"gets {ITERATIONS} iterations. What counts is the largest turn of any joint from one "
            "drag to the next: a flip is a turn of more than 60°. The paper shows the flip of "
            "Maya; its solver is not at hand, so the claim is tested on the kind of method the "
            "paper blames: solved without limits, then projected."
        ),
        settings={
            "right hand": list(RIGHT),
            "left hand": f"({BESIDE}, {LOW} to {HIGH} by {step}, {BEHIND})",
            "drags": count,
            "iterations": ITERATIONS,
            "unit": "0.2 m",
        },
        claims=claims(largest, flips, {key: method.feasible for key, method in methods.items()}),
        tables=[
            Table(
                "From drag to drag",
                ["method", "largest turn in °", "median in °", "flips", "median error",
                 "inside the limits"],
                rows,
                "Smoothest first. Errors are sums of squared distances, squared units.",
            )
        ],
        pictures=[_poses(figure, targets, entries, turned), _turns(turned)],
        numbers={"largest turn between drags": turned},
    )  # fmt: skip


def claims(
    largest: Mapping[str, float], flips: Mapping[str, int], feasible: Mapping[str, bool]
) -> list[Claim]:
    """Do methods that project at the end flip, and those that project on the way not?"""
    inside = [key for key in largest if feasible[key]]
    after = [key for key in largest if not feasible[key]]
    wrong_inside = [key for key in inside if flips[key]]
    wrong_after = [key for key in after if flips[key]]

    def listed(keys: list[str]) -> str:
        degrees = {key: math.degrees(largest[key]) for key in keys}
        return ", ".join(f"{who.label_of(key)} {degrees[key]:.0f}°" for key in keys) or "none"

    own = flips[who.LINE_SEARCH] == 0
    calmer = largest[who.LINE_SEARCH] < largest[who.DEFAULT]
    return [
        Claim(
            where="section 2.2 in print",
            says="The projected line search does not flip as methods do that solve the "
            "unconstrained problem first and then project.",
            verdict=Verdict.FAILS
            if not own or not wrong_after
            else (Verdict.HOLDS if len(wrong_after) == len(after) else Verdict.DEPENDS),
            seen=f"Largest turns: {listed([who.LINE_SEARCH])}; projected only at the end and "
            f"flipping: {listed(wrong_after)}; projected only at the end and not flipping: "
            f"{listed([key for key in after if key not in wrong_after])}.",
        ),
        Claim(
            where="the flip",
            own=True,
            says="No method that stays inside the limits on its way flips, the default included.",
            verdict=Verdict.HOLDS
            if not wrong_inside
            else (Verdict.FAILS if flips[who.DEFAULT] else Verdict.DEPENDS),
            seen=f"Flipping: {listed(wrong_inside)}. Not flipping: "
            f"{listed([key for key in inside if key not in wrong_inside])}.",
        ),
        Claim(
            where="the flip, where the paper's method is better",
            own=True,
            says="The projected line search moves the joints less from drag to drag than limbik's "
            "default.",
            verdict=Verdict.HOLDS if calmer else Verdict.FAILS,
            seen=f"Largest turns: {listed([who.LINE_SEARCH, who.DEFAULT])}.",
        ),
    ]


def _poses(figure: Figure, targets: np.ndarray, entries: dict[str, Entry], turned: dict) -> Picture:
    rows = (who.INVERSE, who.LINE_SEARCH, who.DEFAULT)
    wild = turned[who.INVERSE] > JUMP
    middle = 1 + int(np.argmax(wild) if wild.any() else np.argmax(turned[who.INVERSE]))
    first = min(max(0, middle - 2), len(targets) - _SHOWN)
    page = plots.new_page(12.5, 7.6)
    low, high = np.array([-3.9, -0.9]), np.array([3.9, 6.9])
    for row, key in enumerate(rows):
        poses = entries[key].poses[0]
        for k in range(_SHOWN):
            drag = first + k
            axes = page.add_axes((0.035 + 0.193 * k, 0.645 - 0.315 * row, 0.188, 0.3))
            q = poses[drag]
            for shoulder in ("LeftShoulder", "RightShoulder"):
                rim = cone(figure, q, shoulder, FRONT, _CONE)
                if rim is not None:
                    axes.fill(*rim.T, color="#f1e6c8", zorder=0.5, linewidth=0)
            plots.draw_pose(axes, figure, q, colour=rgb(colour_of(key)), across=FRONT, zorder=2)
            at = figure.positions(q)[[figure.index(name) for name in HANDS]]
            plots.mark(axes, targets[drag] @ FRONT.T, at @ FRONT.T)
            axes.annotate(
                "", (BESIDE + 0.75, targets[drag, 0, 1] + 0.55),
                (BESIDE + 0.75, targets[drag, 0, 1] - 0.25),
                arrowprops={"arrowstyle": "->", "color": plots.QUIET},
            )  # fmt: skip
            stand(axes, [np.array([low, high])], margin=0.0)
            if row == 0:
                axes.set_title(f"drag {drag}", size=10, color=plots.INK)
            if k:
                moved = math.degrees(turned[key][drag - 1])
                axes.text(
                    0.5, 0.0, f"{moved:.0f}° since the last", transform=axes.transAxes, size=8.5,
                    ha="center", color=plots.TARGET if moved > 60 else plots.QUIET,
                )  # fmt: skip
        page.text(
            0.018, 0.79 - 0.315 * row, who.label_of(key).split(",")[0], size=9.5, weight="bold",
            rotation=90,
            color=colour_of(key), ha="center", va="center",
        )  # fmt: skip
    return Picture.of(
        page,
        "The drags around the first flip",
        "Seen from the front. The goal of the left hand (on the right) rises a little from "
        "picture to picture; the other stays. Sand: the shoulders' cones. Below each: the largest "
        "turn of a joint since the picture before.",
    )


def _turns(turned: Mapping[str, np.ndarray]) -> Picture:
    page = plots.new_page(12.0, 3.9)
    axes = page.add_axes((0.065, 0.16, 0.66, 0.76))
    shown = [k for k in (*who.PAPERS, who.CLAMPED, who.DEFAULT) if k in turned]
    for key in (k for k in turned if k not in shown):
        axes.plot(np.degrees(turned[key]), color=plots.LINE, linewidth=0.7, zorder=1)
    for key in shown:
        label = f"{who.label_of(key)}: {math.degrees(turned[key].max()):.0f}°"
        axes.plot(np.degrees(turned[key]), color=colour_of(key), linewidth=1.3, label=label)
    axes.axhline(60.0, color=plots.TARGET, linewidth=1.0, linestyle=(0, (5, 3)))
    axes.set_yscale("log")
    axes.set_ylim(0.05, 220.0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}°")
    axes.set_xlim(0, len(turned[who.DEFAULT]))
    axes.set_xlabel("drag", color=plots.QUIET)
    axes.set_ylabel("largest turn since the last drag", color=plots.QUIET)
    plots.quiet(axes)
    plots.legend_beside(axes, title="largest of all")
    return Picture.of(
        page,
        "How far joints turn from drag to drag",
        "Logarithmic; the dashed line at 60° is where a turn counts as a flip. Grey: all others.",
    )

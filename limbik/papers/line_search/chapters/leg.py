"""Experiment (c): a leg posed at its limits, five goals (Figure 5)."""

from __future__ import annotations

import math

import numpy as np

from limbik import plots
from limbik.animate.track import rotation_changes
from limbik.figure.motion import Motion
from limbik.figures import leg as built_in_leg
from limbik.methods import Method, ProjectedGradient, ProjectedLevenbergMarquardt
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.drawing import SIDE, colour_of, cone, ghost, rgb, stand
from limbik.papers.line_search.follow import path_of
from limbik.papers.line_search.subject import TOLERANCE, in_unit

UNIT = 0.2
"""Metres in a unit of the paper."""

EFFECTOR = "Toes"
GOALS = {
    "1: step forward": (0.0, -3.4, 2.4),
    "2: heel to the seat": (0.0, -2.4, -1.9),
    "3: in front of the hip, in reach but for limits": (0.0, 0.6, 1.4),
    "4: behind, above the hip": (0.0, 1.0, -2.2),
    "5: far behind, out of reach": (0.0, -2.0, -6.0),
}
"""Where the ball of the foot shall be, from the hip, in units: left, up, forward."""

START = {"Hip.swing1": 35.0, "Knee": 70.0}
"""Degrees that the leg is bent by at the start: from a straight knee there is no way to fold it."""

DIFFERENT = math.radians(5.0)
"""A pose differs where a joint is turned further than this."""

_ITERATIONS = 3000


def chapter(order: Order) -> Chapter:
    """Five goals, with and without limits, by the projected line search and the default."""
    tight = in_unit(Motion(built_in_leg(), built_in_leg().rest[None], 1.0), UNIT).figure
    loose = tight.with_limits(dict.fromkeys(tight.joints))
    hip = tight.positions(tight.rest)[0]
    start = tight.rest.copy()
    for name, degrees in START.items():
        start[tight.coordinates.index(name)] = math.radians(degrees)
    methods: dict[str, Method] = {
        who.LINE_SEARCH: ProjectedGradient(),
        who.DEFAULT: ProjectedLevenbergMarquardt(),
    }
    poses: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {key: [] for key in methods}
    miss: dict[str, list[tuple[float, float]]] = {key: [] for key in methods}
    for name in order.steps("line_search: leg", GOALS):
        goal = hip + GOALS[name]
        for key, method in methods.items():
            both = [
                path_of(figure, [EFFECTOR], goal[None], start, method, _ITERATIONS)
                for figure in (tight, loose)
            ]
            poses[key].append((both[0].q[-1], both[1].q[-1]))
            miss[key].append((math.sqrt(both[0].f[-1]), math.sqrt(both[1].f[-1])))
    apart = {
        key: [float(rotation_changes(tight, np.array(pair)).max()) for pair in pairs]
        for key, pairs in poses.items()
    }
    outside = max(float(tight.violation(a)) for pairs in poses.values() for a, _ in pairs)
    rows = []
    for k, name in enumerate(GOALS):
        for key in methods:
            rows.append(
                [
                    name,
                    who.label_of(key),
                    *miss[key][k],
                    math.degrees(apart[key][k]),
                    ", ".join(_at_limit(tight, poses[key][k][0])) or "none",
                ]
            )
    return Chapter(
        title="A leg posed at its limits (Figure 5)",
        text=(
            "The ball of the foot of a fixed leg (7 coordinates: hip 3, knee 1, ankle 2, toes 1) "
            "has a position goal; five goals from an easy one to one that is out of reach, each "
            "from a bent pose, with the leg's limits and with all of them taken away."
        ),
        settings={
            "figure": "limbik.figures.leg(), in units of 0.2 m",
            "goals from the hip (left, up, forward)": {k: list(v) for k, v in GOALS.items()},
            "start, degrees": START,
            "iterations": _ITERATIONS,
        },
        claims=claims(miss, apart, outside),
        tables=[
            Table(
                "Five goals",
                ["goal", "method", "distance left", "the same without limits",
                 "largest turn between them in °", "at a limit"],
                rows,
                "Distances in units of 0.2 m.",
            )
        ],
        pictures=[_picture(tight, loose, hip, poses)],
        numbers={"distance": miss, "largest difference": apart, "outside": outside,
                 "poses": {key: [a for a, _ in pairs] for key, pairs in poses.items()}},
    )  # fmt: skip


def claims(
    miss: dict[str, list[tuple[float, float]]], apart: dict[str, list[float]], outside: float
) -> list[Claim]:
    """What the five poses say; ``miss`` and ``apart`` have a value for each goal."""
    third = [miss[key][2] for key in miss]
    shown = sum(a > TOLERANCE >= b for a, b in third)
    changed = sum(apart[key][k] > DIFFERENT for key in apart for k in (3, 4))
    ours, theirs = miss[who.DEFAULT], miss[who.LINE_SEARCH]
    better = sum(a[0] <= b[0] + 1e-6 for a, b in zip(ours, theirs, strict=True))
    return [
        Claim(
            where="Figure 4 (5 in print)",
            says="The goal of pose 3 would be reached if there were no joint limits.",
            verdict=Verdict.HOLDS if shown == len(third) else Verdict.FAILS,
            seen="; ".join(
                f"{who.label_of(key)}: {miss[key][2][0]:.2g} units left with limits, "
                f"{miss[key][2][1]:.1g} without"
                for key in miss
            )
            + ".",
        ),
        Claim(
            where="Figure 4 (5 in print)",
            says="Poses 4 and 5 would be different without joint limits.",
            verdict=Verdict.HOLDS
            if changed == 2 * len(apart)
            else (Verdict.DEPENDS if changed else Verdict.FAILS),
            seen="; ".join(
                f"{who.label_of(key)}: {math.degrees(values[3]):.0f}° and "
                f"{math.degrees(values[4]):.0f}° apart"
                for key, values in apart.items()
            )
            + f"; largest step outside the limits {outside:g} rad.",
        ),
        Claim(
            where="the leg at its limits",
            own=True,
            says="The default comes as near to each of the five goals as the projected line "
            "search.",
            verdict=Verdict.HOLDS
            if better == len(ours)
            else (Verdict.DEPENDS if better else Verdict.FAILS),
            seen="Distances left with limits, default and line search: "
            + ", ".join(f"{a[0]:.3g} and {b[0]:.3g}" for a, b in zip(ours, theirs, strict=True))
            + ".",
        ),
    ]


def _at_limit(figure, q: np.ndarray) -> list[str]:
    """Coordinates that a nudge either way would push outside; a cone stands for its swing."""
    held = []
    for c, name in enumerate(figure.coordinates):
        for nudge in (1e-6, -1e-6):
            pushed = q.copy()
            pushed[c] += nudge
            if figure.violation(pushed) > 1e-7 and name not in held:
                held.append(name)
    return held


def _picture(tight, loose, hip: np.ndarray, poses) -> Picture:
    page = plots.new_page(12.5, 4.7)
    thick = plots.radii(tight) * 1.5
    low, high = (np.array(corner) + hip @ SIDE.T for corner in ((-6.5, -4.4), (3.1, 2.5)))
    for row, key in enumerate(poses):
        for k, name in enumerate(GOALS):
            axes = page.add_axes((0.035 + 0.193 * k, 0.46 - 0.44 * row, 0.188, 0.41))
            a, b = poses[key][k]
            rim = cone(tight, a, "Hip", SIDE, 1.5)
            if rim is not None:
                axes.fill(*rim.T, color="#f1e6c8", zorder=0.5, linewidth=0)
            for figure, q, colour, order in (
                (loose, b, ghost(np.array([0.45, 0.5, 0.56])), 2.0),
                (tight, a, rgb(colour_of(key)), 3.0),
            ):
                plots.draw_pose(
                    axes, figure, q, colour=colour, across=SIDE, thickness=thick, zorder=order
                )
            goal = (hip + GOALS[name]) @ SIDE.T
            at = tight.positions(a)[tight.index(EFFECTOR)] @ SIDE.T
            plots.mark(axes, goal[None], at[None])
            stand(axes, [np.array([low, high])], margin=0.0)
            if row == 0:
                axes.set_title(name.replace(", ", ",\n"), size=9.5, color=plots.INK)
        page.text(
            0.018, 0.655 - 0.44 * row, who.label_of(key), size=10, weight="bold", rotation=90,
            color=colour_of(key), ha="center", va="center",
        )  # fmt: skip
    return Picture.of(
        page,
        "Five poses of a leg",
        "Seen from the side, forward is right. Solid: with limits; grey ghost: the same method "
        "without limits. Red ring: goal; green dot: the ball of the foot. Sand: the cone that the "
        "thigh may point into.",
    )

"""Pressed against limits: the same targets with the limits far away, just there, and in the way."""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.limits import Range
from limbik.figures import hand
from limbik.papers.contract import Chapter, Claim, Order, Table
from limbik.papers.dual_quaternion.hands import tips
from limbik.papers.dual_quaternion.session import TOLERANCE, Frame, Session
from limbik.papers.dual_quaternion.verdicts import READINGS, graded

HELD = (0, 5, 11, 22)
"""How many of the 22 coordinates end at a limit."""
_MOST = 400
_NEAR = 1.01  # f that counts as arrived, as a multiple of the best found


def _walled(figure: Figure, pose: np.ndarray, held: np.ndarray, part: float) -> Figure:
    """The figure with limits that stop the held coordinates at ``part`` of the way to a pose.

    The others are free to go half a turn either way.
    """
    wall = figure.rest + part * (pose - figure.rest)
    lower, upper = np.full(figure.n, -np.pi), np.full(figure.n, np.pi)
    low, high = held & (pose < figure.rest), held & (pose >= figure.rest)
    lower[low], upper[high] = wall[low], wall[high]
    limits = {}
    for joint in figure.joints:
        c = figure.coordinates_of(joint)
        if len(c):
            limits[joint] = Range(lower[c], upper[c])
    return figure.with_limits(limits)


def _arrival(frame: Frame, best: float) -> int:
    """The first iteration with f near the best; all of them where there is none."""
    near = np.flatnonzero(frame.path[:, 0] <= _NEAR * best + 1e-12)
    return int(near[0]) if len(near) else _MOST


def pressed_against_limits(order: Order) -> Chapter:
    """Iterations that the same targets take, the more limits hold."""
    trials = 12 if order.quick else 60
    rng = np.random.default_rng(order.seed)
    figure = hand()
    reach: dict[tuple[str, int], list[int]] = {}
    beyond: dict[tuple[str, int], list[int]] = {}
    ends: dict[tuple[str, int], list[bool]] = {}
    for _ in order.steps("pressed against limits", range(trials)):
        pose = figure.rest + 0.25 * rng.normal(size=figure.n)
        ranking = rng.permutation(figure.n)
        for count in HELD:
            held = ranking < count
            for part, into in ((1.0, reach), (0.8, beyond)):
                walled = _walled(figure, pose, held, part)
                frames = {}
                for name, method in READINGS.items():
                    session = Session(walled, method, iterations=_MOST)
                    session.aim(*tips(figure, pose))
                    frames[name] = session.solve(walled.rest, noted=_MOST + 1)
                best = min(float(frame.path[:, 0].min()) for frame in frames.values())
                for name, frame in frames.items():
                    key = (name, count)
                    if part == 1.0:
                        into.setdefault(key, []).append(frame.iterations)
                        ends.setdefault(key, []).append(frame.reached)
                    elif count:
                        into.setdefault(key, []).append(_arrival(frame, best))
    means = {key: float(np.mean(values)) for key, values in reach.items()}
    arrivals = {key: float(np.mean(values)) for key, values in beyond.items()}
    rows = [
        [name, count, means[name, count], int(sum(ends[name, count])),
         arrivals.get((name, count), "–")]
        for name in READINGS for count in HELD
    ]  # fmt: skip
    longer = [
        seen[name, count] > 1.2 * means[name, 0]
        for seen in (means, arrivals)
        for name in READINGS
        for count in HELD[1:]
    ]
    return Chapter(
        title="Pressed against limits",
        text=(
            "The same target and the same start, from the rest pose, with walls put up so that the "
            "target's pose has so many coordinates exactly at a limit; the others are free. Then "
            "again with the walls at four fifths of the way, so that the target is out of reach: "
            f"counted is the first iteration with f within {100 * (_NEAR - 1):.0f} % of the best "
            "that any reading found."
        ),
        settings={
            "trials": trials,
            "coordinates at a limit": HELD,
            "most iterations": _MOST,
            "tolerance (m, rad)": TOLERANCE,
            "methods": {name: repr(method) for name, method in READINGS.items()},
            "seed": order.seed,
        },
        claims=[
            Claim(
                "section X",
                "With joints against their limits it takes longer to converge.",
                graded(longer),
                "Mean iterations with 0 coordinates at a limit, with 5, 11 and 22, and with the "
                "target behind those – "
                + "; ".join(
                    f"{name}: {means[name, 0]:.0f}; "
                    + ", ".join(f"{means[name, count]:.0f}" for count in HELD[1:])
                    + "; "
                    + ", ".join(f"{arrivals[name, count]:.0f}" for count in HELD[1:])
                    for name in READINGS
                )
                + ".",
            )
        ],
        tables=[
            Table(
                "Iterations with limits at the target, and in the way",
                ["method", "coordinates at a limit", "iterations, target at the walls",
                 f"reached of {trials}", "iterations, target behind the walls"],
                rows,
            )
        ],
        numbers={
            "iterations": {f"{name} / {count}": v for (name, count), v in reach.items()},
            "arrival behind the walls": {f"{name} / {c}": v for (name, c), v in beyond.items()},
        },
    )  # fmt: skip

"""Iterations per frame: targets that stand still, creep, move and leap."""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.figures import hand
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.dual_quaternion.hands import exponential_hand, leaping, tips, wandering
from limbik.papers.dual_quaternion.session import TOLERANCE, Frame, Session
from limbik.papers.dual_quaternion.verdicts import PAPER, READINGS, graded, percent
from limbik.plots import EFFECTOR, INK, LINE, QUIET, new_page, quiet

MOTIONS = ("still", "creeping", "small", "sporadic")
_MOST = 200  # iterations a frame may take

Key = tuple[str, str, str]  # hand, reading, motion


def motion(figure: Figure, kind: str, frames: int, seed: int) -> np.ndarray:
    """(frames, n) poses whose fingertips are the targets."""
    rng = np.random.default_rng(seed)
    if kind == "sporadic":
        return leaping(figure, frames, rng)
    speed = {"still": 0.0, "creeping": 0.1, "small": 1.0}[kind]
    return wandering(figure, frames, rng, speed=speed)


def _measured(order: Order) -> tuple[dict[Key, list[Frame]], dict[str, list[Frame]]]:
    """Every hand, reading and motion; and the small moves each solved from the rest pose."""
    count = 41 if order.quick else 301
    hands = {"hinges": hand(), "exponential maps": exponential_hand()}
    found: dict[Key, list[Frame]] = {}
    afresh: dict[str, list[Frame]] = {}
    cases = [(name, reading) for name in hands for reading in READINGS]
    for name, reading in order.steps("iterations per frame", cases):
        figure = hands[name]
        session = Session(figure, READINGS[reading], iterations=_MOST)
        session.warm_up()
        for kind in MOTIONS:
            poses = motion(figure, kind, count, order.seed)
            # The first frame comes from the rest pose and is no part of the motion.
            found[name, reading, kind] = session.follow(poses, figure.rest)[1:]
        if reading == PAPER:
            afresh[name] = []
            for pose in motion(figure, "small", count, order.seed)[1:]:
                session.aim_at(pose)
                afresh[name].append(session.solve(figure.rest))
    return found, afresh


def iterations_a_frame(order: Order) -> Chapter:
    """How many iterations a frame takes, and how long."""
    found, afresh = _measured(order)
    counts = {key: np.array([f.iterations for f in frames]) for key, frames in found.items()}
    rows = [
        [*key, float(c.mean()), float(np.median(c)), float(np.percentile(c, 95)), int(c.max()),
         percent(f.reached for f in found[key])]
        for key, c in counts.items()
    ]  # fmt: skip
    hands = sorted({name for name, _, _ in counts})
    steps = {
        name: float(
            np.linalg.norm(np.diff(motion_tips(name, "small", order), axis=0), axis=-1).mean()
        )
        for name in hands
    }
    times = {key: np.array([f.seconds for f in frames]) for key, frames in found.items()}
    return Chapter(
        title="Iterations per frame",
        text=(
            "Five fingertips follow targets of position and orientation, each frame from the pose "
            "of the last. The targets stand still, creep, move as a hand does (about "
            f"{1000 * steps['hinges']:.1f} mm a frame), or are somewhere else in every frame.\n\n"
            "The paper does not say whether it counts Jacobians or sweeps. With one sweep for each "
            "Jacobian both are the same, and its numbers are met best if the x of the last "
            "iteration is kept. With 20 sweeps for each Jacobian there are fewer Jacobians and "
            "more sweeps. "
            f'A frame counts as reached at {1000 * TOLERANCE[0]:g} mm and 1°.'
        ),
        settings={
            "tolerance (m, rad)": TOLERANCE,
            "frames": len(counts[hands[0], PAPER, "small"]),
            "most iterations": _MOST,
            "methods": {name: repr(method) for name, method in READINGS.items()},
            "seed": order.seed,
        },
        claims=[*_claims(counts, afresh), *_timed(times)],
        tables=[
            Table(
                "Iterations per frame",
                ["hand", "sweeps per iteration", "targets", "mean", "median", "95 %", "most",
                 "reached (%)"],
                rows,
            )
        ],
        pictures=[_picture(counts)],
        numbers={
            "iterations": {" / ".join(key): c for key, c in counts.items()},
            "sweeps": {
                " / ".join(key): np.array([f.sweeps for f in frames])
                for key, frames in found.items()
            },
            "from the rest pose": {
                name: np.array([f.iterations for f in frames]) for name, frames in afresh.items()
            },
        },
        timings={
            "seconds per frame, median": {
                " / ".join(k): float(np.median(t)) for k, t in times.items()
            },
            "seconds per frame, 95 %": {
                " / ".join(k): float(np.percentile(t, 95)) for k, t in times.items()
            },
        },
    )  # fmt: skip


def motion_tips(name: str, kind: str, order: Order) -> np.ndarray:
    """(frames, 5, 3) where a motion has the fingertips."""
    figure = hand() if name == "hinges" else exponential_hand()
    return tips(figure, motion(figure, kind, 60, order.seed))[0]


def _claims(counts: dict[Key, np.ndarray], afresh: dict[str, list[Frame]]) -> list[Claim]:
    hands = sorted(afresh)
    mean = {(name, kind): counts[name, PAPER, kind].mean() for name in hands for kind in MOTIONS}
    most = {
        name: max(counts[name, PAPER, kind].max() for kind in ("still", "creeping"))
        for name in hands
    }
    fresh = {name: np.mean([f.iterations for f in afresh[name]]) for name in hands}
    typical = [1.5 <= mean[name, "small"] < 3.5 for name in hands]
    return [
        Claim(
            "section IX",
            "Small moves between frames take two or three iterations on average.",
            graded(typical),
            "; ".join(f"{name}: {mean[name, 'small']:.1f} on average" for name in hands)
            + f" ({PAPER}).",
        ),
        Claim(
            "section IX",
            "Where little or nothing moves, 1 to 2 iterations are enough, at most.",
            graded(most[name] <= 2 for name in hands),
            "; ".join(
                f"{name}: {mean[name, 'still']:.1f} standing still, {mean[name, 'creeping']:.1f} "
                f"creeping, {most[name]} at most"
                for name in hands
            )
            + ".",
        ),
        Claim(
            "section IX",
            "Sporadic changes take about 10 iterations or more.",
            graded(mean[name, "sporadic"] >= 9.5 for name in hands),
            "; ".join(f"{name}: {mean[name, 'sporadic']:.1f} on average" for name in hands)
            + f" ({PAPER}); {counts[hands[-1], '20 sweeps', 'sporadic'].mean():.1f} with 20 sweeps "
            f"a Jacobian ({hands[-1]}).",
        ),
        Claim(
            "section VIII",
            "Starting from the last solution reduces the iterations considerably.",
            graded(mean[name, "small"] < 0.5 * fresh[name] for name in hands),
            "; ".join(
                f"{name}: {mean[name, 'small']:.1f} from the last pose, {fresh[name]:.1f} from the "
                "rest pose"
                for name in hands
            )
            + ".",
        ),
    ]  # fmt: skip


def _timed(times: dict[Key, np.ndarray]) -> list[Claim]:
    hands = sorted({name for name, _, _ in times})
    worst = {name: 1e3 * np.percentile(times[name, PAPER, "small"], 99) for name in hands}
    leap = {name: 1e3 * np.percentile(times[name, PAPER, "sporadic"], 95) for name in hands}
    rate = Verdict.FAILS
    if all(t < 10.0 for t in worst.values()):
        rate = Verdict.HOLDS if all(t < 10.0 for t in leap.values()) else Verdict.DEPENDS
    return [
        Claim(
            "section IX",
            "A solution takes a few milliseconds.",
            graded(t < 5.0 for t in worst.values()),
            "; ".join(f"{name}: 99 % of small moves within {worst[name]:.2g} ms" for name in hands)
            + ".",
            timed=True,
        ),
        Claim(
            "section IX",
            "The frame rate stays well above 100 Hz.",
            rate,
            "; ".join(
                f"{name}: 99 % of small moves within {worst[name]:.2g} ms, 95 % of leaps within "
                f"{leap[name]:.2g} ms"
                for name in hands
            )
            + ".",
            timed=True,
        ),
    ]


def _picture(counts: dict[Key, np.ndarray]) -> Picture:
    page = new_page(9.0, 3.4)
    hands = sorted({name for name, _, _ in counts}, reverse=True)
    for k, name in enumerate(hands):
        axes = page.add_subplot(1, len(hands), k + 1)
        for j, (reading, color) in enumerate(zip(READINGS, (INK, QUIET, EFFECTOR), strict=True)):
            values = [counts[name, reading, kind] for kind in MOTIONS]
            at = np.arange(len(MOTIONS)) + 0.25 * (j - 1)
            middle = [np.median(v) for v in values]
            low, high = ([np.percentile(v, p) for v in values] for p in (5, 95))
            axes.vlines(at, low, high, color=color, linewidth=3, alpha=0.35)
            axes.scatter(at, middle, color=color, s=26, zorder=3, label=reading)
        axes.axhspan(2, 3, color=LINE, alpha=0.5, zorder=0)
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set_ylim(-0.2, 1.5 * _MOST)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xticks(range(len(MOTIONS)), MOTIONS)
        axes.set_title(name, color=INK, size=10)
        axes.set_ylabel("iterations", color=QUIET)
        quiet(axes)
        axes.minorticks_off()
        if k == 0:
            axes.legend(frameon=False, fontsize=8, loc="upper left", labelcolor=INK)
    page.tight_layout()
    return Picture.of(
        page,
        "Iterations per frame",
        "Median, and from the 5th to the 95th percentile; the band is the paper's two to three.",
    )

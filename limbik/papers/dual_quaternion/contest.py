"""Open, close, stretch: does it always converge, and how do Newton, Broyden and the default do?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from limbik.figure.figure import Figure
from limbik.figures import FINGERTIPS, hand
from limbik.goals import Goal, Reach
from limbik.maths.so3 import matrix_to_quat
from limbik.methods import METHODS, Method
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.dual_quaternion.hands import exponential_hand, gestures, tips
from limbik.papers.dual_quaternion.session import TOLERANCE, Frame, Session
from limbik.papers.dual_quaternion.verdicts import PAPER, READINGS, graded, percent
from limbik.papers.machine import thread_clock
from limbik.plots import INK, QUIET, draw_pose, mark, new_page, shade
from limbik.solver.solve import solve

RIVALS = ("newton_svd", "broyden", "projected_lm")
"""What the paper did not compare with (section XI), and limbik's default."""
_MOST, _MOST_LED = 200, 30
_LED = 12  # frames on the way from one gesture to the next
RESTARTED = "projected_lm, restarted"


def contestants() -> dict[str, Method]:
    """The readings of the paper's method and its rivals, by name."""
    ours: dict[str, Method] = {f"gauss_seidel, {name}": m for name, m in READINGS.items()}
    return ours | {name: METHODS[name]() for name in RIVALS if name in METHODS}


def _goals(figure: Figure, pose: np.ndarray) -> list[Goal]:
    return [
        Reach(joint, position=place, wxyz=matrix_to_quat(turn), at=at)
        for (joint, at), place, turn in zip(FINGERTIPS.values(), *tips(figure, pose), strict=True)
    ]


def _restarted(figure: Figure, poses: np.ndarray, seed: int) -> list[Frame]:
    """The default method as ``solve`` runs it, with restarts, each frame from the last."""
    frames, q, clock = [], figure.rest, thread_clock()
    for pose in poses:
        goals = _goals(figure, pose)
        began = clock()
        r = solve(figure, goals, start=q, tolerance=TOLERANCE, seed=seed)
        seconds, q = clock() - began, r.q
        frames.append(Frame(q, r.ok, r.iterations, 0, r.objective, seconds, np.empty((0, 1))))
    return frames


def _far(figure: Figure, poses: np.ndarray) -> float:
    """Gestures (%) before which some fingertip has to turn by more than half a turn.

    The rotation that is missing is then shorter the other way round, against the finger's limits.
    """
    fingers = [
        [figure.coordinates.index(name) for name in (f"{finger}1.rx", f"{finger}2", f"{finger}3")]
        for finger in FINGERTIPS
    ]
    flexion = np.concatenate([figure.rest[None], poses])[:, fingers].sum(axis=-1)
    return percent((np.abs(np.diff(flexion, axis=0)) > np.pi).any(axis=1))


def _led(figure: Figure, method: Method, poses: np.ndarray) -> list[bool]:
    """Whether each gesture is reached where its targets are led there in small steps."""
    session = Session(figure, method, iterations=_MOST_LED)
    ends = np.concatenate([figure.rest[None], poses])
    way = np.arange(1, _LED + 1)[:, None] / _LED
    poses = np.concatenate([a + way * (b - a) for a, b in pairwise(ends)])
    found = session.follow(figure.project(poses), figure.rest)
    return [frame.reached for frame in found[_LED - 1 :: _LED]]


def gestures_and_rivals(order: Order) -> Chapter:
    """A hand that opens, closes and stretches at random."""
    count, few = (20, 8) if order.quick else (150, 60)
    hands = {"hinges": hand(), "exponential maps": exponential_hand()}
    methods = contestants()
    found: dict[tuple[str, str], list[Frame]] = {}
    memory: dict[tuple[str, str], int] = {}
    led: dict[tuple[str, str], float] = {}
    asked = {n: gestures(f, count, np.random.default_rng(order.seed)) for n, f in hands.items()}
    cases = [(name, method) for name in hands for method in (*methods, RESTARTED)]
    for name, method in order.steps("gestures", cases):
        figure, poses = hands[name], asked[name][1]
        if method == RESTARTED:
            found[name, method] = _restarted(figure, poses, order.seed)
            continue
        session = Session(figure, methods[method], iterations=_MOST)
        session.warm_up()
        found[name, method] = session.follow(poses, figure.rest)
        memory[name, method] = session.memory
        led[name, method] = percent(_led(figure, methods[method], poses[:few]))
    far = _far(hands["hinges"], asked["hinges"][1])
    share = {key: percent(f.reached for f in frames) for key, frames in found.items()}
    counts = {key: np.array([f.iterations for f in frames]) for key, frames in found.items()}
    times = {key: np.array([f.seconds for f in frames]) for key, frames in found.items()}
    rows = [
        [*key, share[key], led.get(key, "–"), float(np.median(c)), float(c.mean()),
         memory.get(key, "–")]
        for key, c in counts.items()
    ]  # fmt: skip
    by_gesture = [
        [name, method, *(
            percent(f.reached for f, g in zip(frames, asked[name][0], strict=True) if g == gesture)
            for gesture in ("open", "closed", "stretched", "anyhow")
        )]
        for (name, method), frames in found.items()
    ]  # fmt: skip
    return Chapter(
        title="Open, close, stretch; Newton, Broyden and the default",
        text=(
            f"{count} gestures in random order, each from where the last one ended, with all five "
            "fingertips given in place and orientation by a pose that the limits allow. So every "
            "target can be reached; a method that ends short is held in a local minimum by the "
            f"limits, or has used up its {_MOST} iterations. Before {far:.0f} % of the gestures "
            "some finger has to curl or stretch by more than half a turn, and the shorter way to "
            "its target's orientation runs against its limits. No method is restarted, save in the "
            "last row of each hand, which is limbik's default as it is used. The first "
            f"{few} are then asked again with targets that are led there in {_LED} steps, as by a "
            f"mouse, with at most {_MOST_LED} iterations each.\n\n"
            "The paper leaves the comparison with Newton's and Broyden's methods open; here it is."
        ),
        settings={
            "gestures": count,
            "most iterations": _MOST,
            "most iterations where led": _MOST_LED,
            "steps where led": _LED,
            "gestures led to": few,
            "tolerance (m, rad)": TOLERANCE,
            "methods": {name: repr(method) for name, method in methods.items()},
            "seed": order.seed,
        },
        claims=[*_claims(share, led, memory, counts), *_timed(times, counts)],
        tables=[
            Table(
                "All gestures",
                ["hand", "method", "reached (%)", "reached where led there (%)",
                 "iterations, median", "iterations, mean", "workspace (bytes)"],
                rows,
            ),
            Table(
                "Reached by gesture (%)",
                ["hand", "method", "open", "closed", "stretched", "anyhow"],
                by_gesture,
            ),
        ],
        pictures=[_picture(hands["hinges"], *asked["hinges"], found)],
        numbers={
            "more than half a turn away (%)": far,
            "reached (%)": {" / ".join(key): value for key, value in share.items()},
            "reached where led there (%)": {" / ".join(key): value for key, value in led.items()},
            "iterations": {" / ".join(key): c for key, c in counts.items()},
            "workspace (bytes)": {" / ".join(key): size for key, size in memory.items()},
        },
        timings={
            "seconds a solve, median": {
                " / ".join(k): float(np.median(t)) for k, t in times.items()
            },
            "seconds per iteration": {
                " / ".join(k): float(t.sum() / max(1, counts[k].sum())) for k, t in times.items()
            },
        },
    )  # fmt: skip


def _claims(
    share: dict[tuple[str, str], float],
    led: dict[tuple[str, str], float],
    memory: dict[tuple[str, str], int],
    counts: dict[tuple[str, str], np.ndarray],
) -> list[Claim]:
    hands = sorted({name for name, _ in share})
    ours, key = [f"gauss_seidel, {name}" for name in READINGS], f"gauss_seidel, {PAPER}"
    others = [name for name in RIVALS if (hands[0], name) in share]
    always = [seen[n, m] == 100.0 for seen in (share, led) for n in hands for m in ours]
    text = "; ".join(
        f"{name}: "
        + ", ".join(f"{m} {share[name, m]:.0f} % ({led[name, m]:.0f} %)" for m in (*ours, *others))
        for name in hands
    )
    small = [memory[name, key] <= memory[name, other] for name in hands for other in others]
    sizes = ", ".join(f"{m} {memory[hands[-1], m]}" for m in (key, *others))
    claims = [
        Claim(
            "section IX",
            "Opening, closing, stretching and so on at random, it always converged on a solution.",
            graded(always),
            f"Reached at once (led there) – {text}.",
        )
    ]
    if others:
        claims.append(
            Claim(
                "section XI",
                "It needs little memory.",
                graded(small),
                f"Bytes of workspace, {hands[-1]} – {sizes}.",
            )
        )
    if "projected_lm" in others:
        claims.append(_default(share, counts, hands, ours, others))
    return claims


def _default(
    share: dict[tuple[str, str], float],
    counts: dict[tuple[str, str], np.ndarray],
    hands: list[str],
    ours: list[str],
    others: list[str],
) -> Claim:
    """What the paper leaves open, as a claim of our own: that the default is the better choice."""
    rivals = [m for m in (*ours, *others) if m != "projected_lm"]
    better = [
        share[name, "projected_lm"] >= share[name, rival] for name in hands for rival in rivals
    ]
    best = {name: max((share[name, m], m) for m in (*ours, *others)) for name in hands}
    return Claim(
        "the comparison that section XI leaves open",
        "limbik's default method reaches no fewer targets than the others, nothing restarted.",
        graded(better),
        "; ".join(
            f"{name}: default {share[name, 'projected_lm']:.0f} % in "
            f"{counts[name, 'projected_lm'].mean():.0f} iterations, best {best[name][1]} "
            f"{best[name][0]:.0f} %, default restarted {share[name, RESTARTED]:.0f} %"
            for name in hands
        )
        + ".",
        own=True,
    )


def _timed(
    times: dict[tuple[str, str], np.ndarray], counts: dict[tuple[str, str], np.ndarray]
) -> list[Claim]:
    """Section II on Newton's method, where it is there to be measured."""
    hands = sorted({name for name, _ in times})
    if (hands[0], "newton_svd") not in times:
        return []
    each = {key: 1e6 * t.sum() / max(1, counts[key].sum()) for key, t in times.items()}
    ours = f"gauss_seidel, {PAPER}"
    slower: list[bool] = [each[name, "newton_svd"] > each[name, ours] for name in hands]
    return [
        Claim(
            "section II",
            "An iteration of Newton's method is computationally expensive.",
            graded(slower) if slower else Verdict.DEPENDS,
            "; ".join(
                f"{name}: {each[name, 'newton_svd']:.0f} µs, Gauss–Seidel with one sweep "
                f"{each[name, ours]:.0f} µs"
                for name in hands
            )
            + ".",
            timed=True,
        )
    ]


def _picture(
    figure: Figure,
    names: list[str],
    poses: np.ndarray,
    found: dict[tuple[str, str], list[Frame]],
) -> Picture:
    page = new_page(9.0, 3.0)
    across = np.array([[0.55, 0.0, -0.835], [0.33, 0.92, 0.217]])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    kinds = [kind for kind in ("open", "closed", "stretched", "anyhow") if kind in names]
    shown = [names.index(kind) for kind in kinds]
    frames = [found["hinges", f"gauss_seidel, {PAPER}"][at] for at in shown]
    wanted = [tips(figure, poses[at])[0] @ across.T for at in shown]
    flat = [*wanted, *(figure.positions(frame.q) @ across.T for frame in frames)]
    flat += [tips(figure, frame.q)[0] @ across.T for frame in frames]
    low, high = (np.concatenate(flat).min(axis=0) - 0.02, np.concatenate(flat).max(axis=0) + 0.02)
    for k, (kind, frame, target) in enumerate(zip(kinds, frames, wanted, strict=True)):
        axes = page.add_subplot(1, len(kinds), k + 1)
        draw_pose(axes, figure, frame.q, colour=shade(0.6), across=across)
        mark(axes, target, tips(figure, frame.q)[0] @ across.T)
        axes.set_aspect("equal")
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.axis("off")
        axes.set_title(kind, color=INK, size=10)
        axes.text(
            0.5, -0.08, "reached" if frame.reached else "ends short", color=QUIET, size=8,
            ha="center", transform=axes.transAxes,
        )  # fmt: skip
    page.tight_layout()
    return Picture.of(
        page,
        "Gestures (as in Figures 5 to 7)",
        "The first gesture of each kind: targets red, fingertips green (one sweep, x kept).",
    )

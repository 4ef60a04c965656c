"""Section 4 of newton_svd: several arms in one Jacobian, and joints frozen by dropping columns."""

from __future__ import annotations

import numpy as np

from limbik.goals.reach import Reach
from limbik.methods.least_squares.newton_svd import NewtonSVD
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.newton_svd import arm, drawings
from limbik.solver.problem import Problem
from limbik.solver.solve import solve

TOLERANCE = 1e-6  # of a link
NEWTON = NewtonSVD(iterations=50)
CUTOFF = NEWTON.cutoff


def verdict_of(share: float) -> Verdict:
    """Solved: nearly all, at least half, or less."""
    if share >= 0.95:
        return Verdict.HOLDS
    return Verdict.DEPENDS if share >= 0.5 else Verdict.FAILS


def two_arms_as_one(order: Order) -> Chapter:
    """Both hands at once by one Jacobian, and arm after arm for comparison."""
    rng, figure = np.random.default_rng(order.seed), arm.two_armed()
    count = 30 if order.quick else 300
    starts, aims = rng.uniform(-1.0, 1.0, size=(2, count, figure.n))
    index = [figure.index(hand) for hand in arm.HANDS]
    targets = figure.positions(aims)[:, index]
    stacked, together, singly, in_turn = 0.0, [], [], []
    ends = np.empty_like(starts)
    for k in order.steps("newton_svd: two arms", range(count)):
        goals = [Reach(hand, position=at) for hand, at in zip(arm.HANDS, targets[k], strict=True)]
        both = Problem(figure, goals, start=starts[k])
        each = [Problem(figure, [g], start=starts[k]).jacobian(starts[k]) for g in goals]
        gap = both.jacobian(starts[k]) - np.concatenate(each)
        stacked = max(stacked, float(np.abs(gap).max()))
        asked: dict = {"method": NEWTON, "tolerance": TOLERANCE, "restarts": 0}
        r = solve(figure, goals, start=starts[k], **asked)
        ends[k] = r.q
        together.append(float(max(r.errors)))
        alone = [solve(figure, [g], start=starts[k], **asked) for g in goals]
        singly.append(max(float(a.errors[0]) for a in alone))
        after = solve(figure, goals[1:], start=alone[0].q, **asked)
        in_turn.append(float(both.term_errors(after.q).max()))
    results = {"one system": together, "each arm alone": singly, "left, then right": in_turn}
    shares = {name: float(np.mean(np.array(v) <= TOLERANCE)) for name, v in results.items()}
    worst = int(np.argmax(np.abs(aims - starts).sum(axis=1) * (np.array(together) <= TOLERANCE)))
    return Chapter(
        "Two arms, one system",
        "A trunk of one joint carries two arms of two joints; each hand has a target that some pose"
        " reaches together with the other's. The Jacobian of the system has the rows of both hands"
        " and the columns of all joints: the trunk's column belongs to both. For comparison each"
        " hand is solved for without the other, and one after the other, where the second undoes"
        " what the trunk did for the first.",
        settings={
            "problems": count,
            "seed": order.seed,
            "method": repr(NEWTON),
            "tolerance": TOLERANCE,
            "poses": "uniform in ±1 rad",
        },
        claims=[
            Claim(
                "section 4",
                "Several goals with several arms: simply expand the Jacobian",
                verdict_of(shares["one system"]) if stacked == 0.0 else Verdict.FAILS,
                f"the expanded J is the single ones put together (difference {stacked:g}), and"
                f" {100 * shares['one system']:.1f} % of {count} problems are solved; each arm"
                f" alone {100 * shares['each arm alone']:.1f} %, one after the other"
                f" {100 * shares['left, then right']:.1f} %",
            )
        ],
        tables=[
            Table(
                "Two hands",
                ["how", "solved", "median error, worse hand", "largest"],
                [
                    [name, f"{100 * shares[name]:.1f} %", float(np.median(v)), float(np.max(v))]
                    for name, v in results.items()
                ],
            )
        ],
        pictures=[
            Picture.of(
                drawings.two_poses(figure, starts[worst], ends[worst], targets[worst], index),
                "Both hands at once",
                "The start (light) and the answer (dark) of the solved problem whose poses lie"
                " farthest apart.",
            )
        ],
        numbers={"starts": starts, "targets": targets, "stacked": stacked, **results},
    )


def frozen_joints(order: Order) -> Chapter:
    """Each joint of the arm frozen in turn: by lock, and by dropping its column in NumPy."""
    rng, figure = np.random.default_rng(order.seed + 1), arm.three_joint_arm()
    count = 20 if order.quick else 200
    starts = rng.uniform(-np.pi, np.pi, size=(count, 3))
    rows, apart, moved, shares = [], 0.0, 0.0, {}
    for frozen in order.steps("newton_svd: frozen joints", (None, 0, 1, 2)):
        free = [c for c in range(3) if c != frozen]
        lock = () if frozen is None else (figure.joints[frozen],)
        errors, steps, stays = [], [], []
        for start in starts:
            # Where the two joints that are left can reach: a pose with the third as it is.
            aim = start.copy()
            aim[free] += rng.uniform(-1.0, 1.0, size=len(free))
            goals = arm.goal(arm.tip(aim))
            asked: dict = {"start": start, "lock": lock, "tolerance": TOLERANCE, "restarts": 0}
            one = NewtonSVD(iterations=1, halving=False)
            step = solve(figure, goals, method=one, **asked).q - start
            whole = Problem(figure, goals, start=start)
            dropped = np.zeros(3)
            reduced = whole.jacobian(start)[:, free]
            dropped[free] = np.linalg.pinv(reduced, rcond=CUTOFF) @ whole.residual(start)
            steps.append(np.abs(step - dropped).max() / max(1.0, np.abs(dropped).max()))
            r = solve(figure, goals, method=NEWTON, **asked)
            errors.append(float(r.errors[0]))
            stays.append(0.0 if frozen is None else abs(float(r.q[frozen] - start[frozen])))
        name = "none" if frozen is None else figure.joints[frozen]
        shares[name] = float(np.mean(np.array(errors) <= TOLERANCE))
        apart, moved = max(apart, float(max(steps))), max(moved, max(stays))
        rows.append([name, f"{100 * shares[name]:.1f} %", float(max(steps)), float(max(stays))])
    return Chapter(
        "A joint frozen by dropping its column",
        "Each joint of the arm is kept where it starts, by limbik's lock, which leaves its column"
        " of J at 0, and by dropping the column from J in NumPy. Targets are such that the joints"
        " that are left can reach them.",
        settings={"problems": count, "seed": order.seed + 1, "method": repr(NEWTON)},
        claims=[
            Claim(
                "section 4",
                "To keep joints from moving, reduce the Jacobian not to include them",
                Verdict.HOLDS if apart < 1e-9 and moved == 0.0 else Verdict.FAILS,
                f"the step is the same within {apart:.1e}, and the frozen joint moves by {moved:g}"
                f" rad; at least {100 * min(shares.values()):.1f} % arrive, whichever is frozen",
            )
        ],
        tables=[
            Table(
                "Frozen joints",
                ["frozen", "arrived", "steps differ by, relative", "frozen joint moved, rad"],
                rows,
            )
        ],
        numbers={"starts": starts, "apart": apart, "moved": moved, "arrived": shares},
    )

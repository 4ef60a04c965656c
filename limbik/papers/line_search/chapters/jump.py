"""Figure 6: a jump of eleven key-frames, all effectors at once or one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik import plots
from limbik.goals import Reach
from limbik.methods import ProjectedGradient
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.actor import FEET, HANDS, HEAD, PELVIS, actor, first_pose, standing
from limbik.papers.line_search.drawing import colour_of, draw_row
from limbik.papers.line_search.follow import path_of, walk
from limbik.papers.line_search.subject import TOLERANCE
from limbik.papers.line_search.verdicts import share_of_cases
from limbik.solver.problem import Problem

# Units of the paper from the standing pose: pelvis up and forward, head up and forward, feet up and
# forward, hands up and forward.  A crouch, a swing of the arms, the flight, the landing.
KEYS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-0.6, -0.2, -0.9, 0.9, 0.0, 0.0, 0.3, -0.6],
        [-1.4, -0.4, -2.1, 1.5, 0.0, 0.0, -0.6, -1.4],
        [-1.1, 0.1, -1.6, 1.8, 0.0, 0.0, 0.0, 0.6],
        [-0.1, 1.1, -0.15, 1.5, 0.1, 0.2, 3.0, 3.0],
        [1.2, 2.4, 1.1, 2.9, 1.4, 1.6, 4.4, 4.0],
        [1.6, 3.6, 1.3, 4.5, 2.9, 3.8, 3.2, 5.2],
        [1.0, 4.7, 0.6, 5.6, 1.9, 5.3, 2.0, 6.1],
        [-0.6, 5.4, -1.0, 6.4, 0.0, 5.8, 0.6, 6.6],
        [-1.3, 5.6, -2.0, 7.0, 0.0, 5.8, -0.2, 6.6],
        [-0.1, 5.8, -0.1, 5.9, 0.0, 5.8, 0.0, 5.9],
    ]
)

ITERATIONS = 300
"""For each key-frame, in all: shared by the effectors where these are solved one by one."""

ROUNDS = 5
"""Times over that the effectors are solved one by one."""

TOGETHER, APART = "all effectors at once", "one effector after the other"


def jump_targets() -> np.ndarray:
    """(11, 6, 3) hands, feet, pelvis and head in the eleven key-frames."""
    out = np.tile(standing(), (len(KEYS), 1, 1))
    for places, columns in ((PELVIS, 0), (HEAD, 2), (FEET, 4), (HANDS, 6)):
        up_and_forward = KEYS[:, columns : columns + 2]
        if isinstance(places, slice):
            out[:, places, 1:] += up_and_forward[:, None]
        else:
            out[:, places, 1:] += up_and_forward
    return out


def solve_keys(targets: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """(poses (keys, n), distances (keys, 6)), each key-frame from the answer before it."""
    one, method = actor(), ProjectedGradient()
    names, figure = one.effectors, one.figure
    q = first_pose(targets[0])
    poses, apart = [], []
    each = ITERATIONS // (ROUNDS * len(names))
    for wanted in targets:
        if how == TOGETHER:
            q = path_of(figure, names, wanted, q, method, ITERATIONS).q[-1]
        else:
            for _ in range(ROUNDS):
                for k in (PELVIS, HEAD, *range(PELVIS)):
                    # The root follows the pelvis's goal; the other limbs leave it where it is.
                    lock = () if k == PELVIS else (names[PELVIS],)
                    goal = Reach(names[k], position=wanted[k])
                    problem = Problem(figure, [goal], start=q, tolerance=1e-9, lock=lock)
                    q = walk(problem, method, each).q[-1]
        poses.append(q)
        apart.append(np.linalg.norm(figure.positions(q)[one.index()] - wanted, axis=1))
    return np.array(poses), np.array(apart)


def chapter(order: Order) -> Chapter:
    """The key-frames, solved in both ways."""
    targets = jump_targets()
    poses, apart = {}, {}
    for how in order.steps("line_search: jump", (TOGETHER, APART)):
        poses[how], apart[how] = solve_keys(targets, how)
    errors = {how: (values**2).sum(axis=1) for how, values in apart.items()}
    rows = [
        [k + 1, *(float(errors[how][k]) for how in errors),
         *(float(apart[how][k].max()) for how in apart)]
        for k in range(len(targets))
    ]  # fmt: skip
    return Chapter(
        title="A jump in eleven key-frames (Figure 6)",
        text=(
            "A crouch, a swing of the arms, the flight and the landing: eleven key-frames of the "
            "built-in human, written by hand as places of hands, feet, pelvis and head. Each is "
            f"solved from the one before in {ITERATIONS} iterations of the projected line search: "
            "all effectors in one objective, as the paper has it, or chain by chain, one effector "
            f"after the other, {ROUNDS} times over, with the same iterations in all; the root then "
            "follows the goal of the pelvis alone. The first key-frame is where both start, and is "
            "not judged."
        ),
        settings={"key-frames": KEYS.tolist(), "iterations": ITERATIONS, "rounds": ROUNDS},
        claims=claims(
            {how: values[1:] for how, values in errors.items()}, apart[TOGETHER][1:].max(axis=1)
        ),
        tables=[
            Table(
                "Key-frames",
                ["key-frame", *(f"sum of squares, {how}" for how in errors),
                 *(f"worst, units, {how}" for how in apart)],
                rows,
            )
        ],
        pictures=[_picture(targets, poses)],
        numbers={"distances": apart},
    )  # fmt: skip


def claims(errors: Mapping[str, np.ndarray], worst: Sequence[float] | np.ndarray) -> list[Claim]:
    """Is one objective for all effectors better, and are the key-frames met?

    ``errors`` (keys,) are sums of squared distances for both ways, ``worst`` the distances of the
    effector that is furthest off, solved together.
    """
    better = int((errors[TOGETHER] < errors[APART]).sum())
    count = len(errors[TOGETHER])
    met = int((np.asarray(worst) <= TOLERANCE).sum())
    return [
        Claim(
            where="section 3 (4 in print), Figure 5 (6 in print)",
            says="One objective for all effectors is well suited to several of them, because it "
            "takes into account how branches depend on each other.",
            verdict=share_of_cases(better, count),
            seen=f"In {better} of {count} key-frames less is left than where the effectors are "
            f"solved one by one; medians {np.median(errors[TOGETHER]):.2g} and "
            f"{np.median(errors[APART]):.2g} squared units.",
        ),
        Claim(
            where="Figure 5 (6 in print)",
            says="A jump can be posed in eleven key-frames.",
            verdict=share_of_cases(met, count),
            seen=f"In {met} of {count} key-frames every effector is within {TOLERANCE} units after "
            f"{ITERATIONS} iterations; the worst is {max(worst):.2g} units off.",
        ),
    ]


def _picture(targets: np.ndarray, poses: Mapping[str, np.ndarray]) -> Picture:
    page = plots.new_page(12.5, 5.4)
    colours = {TOGETHER: colour_of(who.LINE_SEARCH), APART: colour_of(who.INVERSE)}
    for row, (how, found) in enumerate(poses.items()):
        axes = page.add_axes((0.02, 0.5 - 0.48 * row, 0.97, 0.44))
        draw_row(axes, actor(), found, targets, colour=colours[how], apart=2.6, title=how)
    return Picture.of(
        page,
        "The jump",
        "From the side, moved apart; red rings are the goals, green dots the effectors.",
        kind="png",
    )

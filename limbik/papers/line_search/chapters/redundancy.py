"""Experiment (e): position goals alone leave much of the pose open (Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik import plots
from limbik.goals import Reach, Rest
from limbik.methods import ProjectedLevenbergMarquardt
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.contest import Contest
from limbik.papers.line_search.drawing import FRONT, REFERENCE, body, colour_of, ghost, rgb, stand
from limbik.papers.line_search.follow import walk
from limbik.papers.line_search.subject import SAMPLINGS, TOLERANCE, Subject
from limbik.solver.problem import Problem

KEYS = (who.LINE_SEARCH, who.DEFAULT, who.SHIPPED)
CENTIMETRES = 20.0
"""A unit of the paper on a person of 1.80 m."""

VISIBLE = 5.0
"""A joint deviates where it is this many tolerances from its place in the reference."""

_REST = 1e-4  # weight of staying near the last pose: small beside the goals


def chapter(order: Order, contest: Contest) -> Chapter:
    """How far joints are from the reference pose where every goal is met."""
    subject = contest.subject
    figure, reference = subject.figure, contest.drills[0].chains[0].reference
    truth = figure.positions(reference)
    apart, solved = {}, {}
    open_joints = between(subject)
    for key in KEYS:
        entry = contest.entry(key)
        apart[key] = np.linalg.norm(figure.positions(entry.poses[0]) - truth, axis=-1)
        solved[key] = entry.worst <= TOLERANCE
    ratios = nearest_ratios(order, contest)
    joints = [k for k in np.argsort(-apart[who.LINE_SEARCH].mean(axis=0)) if open_joints[k]]
    rows = [
        [figure.joints[k], *(CENTIMETRES * float(apart[key][:, k].mean()) for key in KEYS),
         *(CENTIMETRES * float(apart[key][:, k].max()) for key in KEYS)]
        for k in joints[:12]
    ]  # fmt: skip
    names = [who.label_of(key) for key in KEYS]
    return Chapter(
        title="Right, and yet another pose (Figure 2)",
        text=(
            "Six position goals are 18 numbers for a figure of "
            f"{figure.n} coordinates. So an answer may meet every goal and still hold its elbows "
            "and knees elsewhere than the motion that the goals were taken from. Here is how far, "
            "in the 0.05 s run: distances between joints and their places in the reference, in "
            "centimetres on a person of 1.80 m.\n\n"
            "The paper says that the solution nearest to the last one is chosen. For some frames "
            "the nearest one with the effectors where the answer has them was worked out (the "
            "default with a weak pull to the last pose): 1 means that the step was as short as it "
            "could be."
        ),
        settings={"frames": len(reference), "tolerance": TOLERANCE, "weight of the pull": _REST},
        claims=claims(
            {key: apart[key][solved[key]][:, open_joints].max(initial=0.0) for key in KEYS},
            {key: int(solved[key].sum()) for key in KEYS},
            ratios,
        ),
        tables=[
            Table(
                "Distance from the reference, cm",
                ["joint", *(f"mean, {n}" for n in names), *(f"largest, {n}" for n in names)],
                rows,
                "The joints that deviate most, of those that have an effector below them.",
            )
        ],
        pictures=[_picture(contest, apart, solved, open_joints)],
        numbers={
            "distance from the reference": {key: apart[key].max(axis=1) for key in KEYS},
            "step by shortest step": ratios,
        },
    )


def between(subject: Subject) -> np.ndarray:
    """(joints,) True for joints with an effector below them that are none themselves.

    Fingers and toes lie beyond the last effector: nothing asks them to be anywhere.
    """
    figure, effectors = subject.figure, subject.index()
    above = np.zeros(len(figure.joints), bool)
    for joint in effectors:
        parent = int(figure.parents[joint])
        while parent >= 0:
            above[parent] = True
            parent = int(figure.parents[parent])
    above[effectors] = False
    return above


def nearest_ratios(order: Order, contest: Contest) -> dict[str, list[float]]:
    """Length of a frame's step by that of the shortest that puts the effectors where it did."""
    subject, chain = contest.subject, contest.drills[0].chains[0]
    frames = np.linspace(1, len(chain.targets) - 1, 6 if order.quick else 24).astype(int)
    out: dict[str, list[float]] = {}
    for key in (who.LINE_SEARCH, who.DEFAULT):
        poses = contest.entry(key).poses[0]
        ratios = []
        for k in np.unique(frames):
            there = subject.figure.positions(poses[k])[subject.index()]
            near = _nearest(subject, there, poses[k - 1])
            shortest = np.linalg.norm(near - poses[k - 1])
            if shortest > 1e-3:
                ratios.append(float(np.linalg.norm(poses[k] - poses[k - 1]) / shortest))
        out[key] = ratios
    return out


def _nearest(subject: Subject, targets: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The pose near the last one that meets the goals: them, and a weak pull to where it was."""
    goals = [Reach(name, position=at) for name, at in zip(subject.effectors, targets, strict=True)]
    problem = Problem(
        subject.figure, [*goals, Rest(weight=_REST, pose=last)], start=last, tolerance=1e-9
    )
    return walk(problem, ProjectedLevenbergMarquardt(), 200).q[-1]


def claims(
    largest: Mapping[str, float], solved: Mapping[str, int], ratios: Mapping[str, list[float]]
) -> list[Claim]:
    """Do solved frames deviate, and is the nearest solution chosen?"""
    middle = {key: float(np.median(values)) for key, values in ratios.items() if values}
    own = middle.get(who.LINE_SEARCH, np.nan)
    return [
        Claim(
            where="Figure 2",
            says="A mathematically correct solution may deviate from the reference because the "
            "figure is redundant.",
            verdict=Verdict.HOLDS
            if largest[who.LINE_SEARCH] > VISIBLE * TOLERANCE
            else Verdict.FAILS,
            seen="Among frames with every goal within 0.05 units the joint furthest from its "
            "reference: "
            + ", ".join(
                f"{who.label_of(key)} {CENTIMETRES * value:.0f} cm ({solved[key]} frames)"
                for key, value in largest.items()
            )
            + f". Holds from {VISIBLE:g} times the tolerance on.",
        ),
        Claim(
            where="section 1.1 (2.1 in print)",
            says="Of all correct solutions the one closest to the previous solution is chosen.",
            verdict=Verdict.HOLDS
            if own <= 1.1
            else (Verdict.DEPENDS if own <= 2.0 else Verdict.FAILS),
            seen="Length of the step in joint space by that of the shortest that moves the "
            "effectors as far, median: "
            + ", ".join(f"{who.label_of(key)} {value:.2f}" for key, value in middle.items())
            + ". Holds up to 1.1, depends up to 2.",
        ),
    ]


def _picture(
    contest: Contest,
    apart: Mapping[str, np.ndarray],
    solved: Mapping[str, np.ndarray],
    open_joints: np.ndarray,
) -> Picture:
    subject, chain = contest.subject, contest.drills[0].chains[0]
    figure, thick = subject.figure, body(subject)
    page = plots.new_page(12.5, 5.6)
    for k, key in enumerate(KEYS):
        axes = page.add_axes((0.015 + 0.205 * k, 0.02, 0.2, 0.84))
        free = np.where(open_joints, apart[key], 0.0)
        far = np.where(solved[key], free.max(axis=1), 0.0)
        frame = int(np.argmax(far))
        q, truth = contest.entry(key).poses[0][frame], chain.reference[frame]
        plots.draw_pose(
            axes, figure, truth, colour=REFERENCE, across=FRONT, thickness=thick, zorder=1
        )
        plots.draw_pose(
            axes, figure, q, colour=ghost(rgb(colour_of(key))), across=FRONT, thickness=thick,
            zorder=2,
        )  # fmt: skip
        plots.mark(
            axes, chain.targets[frame] @ FRONT.T, figure.positions(q)[subject.index()] @ FRONT.T
        )
        stand(axes, [figure.positions(p) @ FRONT.T for p in (q, truth)])
        joint = figure.joints[int(np.argmax(free[frame]))]
        title = f"{who.label_of(key)}\n{joint}: {CENTIMETRES * far[frame]:.0f} cm"
        axes.set_title(title, size=9.5, color=plots.INK)
    axes = page.add_axes((0.70, 0.13, 0.285, 0.73))
    times = SAMPLINGS[0] * (1 + np.arange(len(chain.reference)))
    for key in KEYS:
        axes.plot(
            times, CENTIMETRES * apart[key].mean(axis=1), color=colour_of(key), linewidth=1.4,
            label=who.label_of(key),
        )  # fmt: skip
    axes.set_xlabel("time in s", color=plots.QUIET)
    axes.set_ylabel("mean distance of all joints, cm", color=plots.QUIET)
    axes.set_xlim(0, times[-1])
    axes.set_ylim(bottom=0)
    plots.quiet(axes)
    axes.legend(frameon=False, fontsize=9, labelcolor=plots.QUIET)
    return Picture.of(
        page,
        "Goals met, pose open",
        "Dark: the reference; light: the answer, in the frame where it deviates most though every "
        f"goal is within {TOLERANCE} units. {SAMPLINGS[0]:g} s sampling. Right: the mean distance "
        "from the reference over time.",
    )

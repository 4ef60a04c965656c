"""Experiment (f): the motion in pictures, sampled and side by side (Figures 8 and 12)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik import plots
from limbik.animate.track import jumps
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.caps import SLOT
from limbik.papers.line_search.contest import Contest
from limbik.papers.line_search.drawing import FRONT, REFERENCE, body, colour_of, floor, rgb, stand
from limbik.papers.line_search.subject import SAMPLINGS
from limbik.papers.line_search.verdicts import share_of_cases

ROWS = (who.INVERSE, who.LINE_SEARCH, who.DEFAULT)
COLUMNS = 9
_SHORT = {
    who.label_of(who.INVERSE): "Jacobian inverse",
    who.label_of(who.LINE_SEARCH): "line search",
    who.label_of(who.DEFAULT): "default",
}
_HALF = 5.0  # units to the left and right of the pelvis that a picture shows


def chapter(order: Order, contest: Contest) -> Chapter:
    """Frames of the 0.05 s run side by side, and how far the poses are from the reference."""
    figure, chain = contest.subject.figure, contest.drills[0].chains[0]
    truth = figure.positions(chain.reference)
    apart, jumped, rows = {}, {}, []
    for key in (*ROWS, who.CLAMPED):
        poses = contest.entry(key).poses[0]
        apart[key] = np.linalg.norm(figure.positions(poses) - truth, axis=-1).mean(axis=1)
        jumped[key] = len(jumps(figure, poses, chain.reference))
        rows.append(
            [who.label_of(key), float(apart[key].mean()), float(apart[key].max()), jumped[key]]
        )
    return Chapter(
        title="Frame by frame (Figures 8 and 12)",
        text=(
            "Selected frames of the 0.05 s run: the reference motion, the Jacobian inverse with "
            "limits applied afterwards, the projected line search and the default, each in the "
            f"slot of {1e3 * SLOT:g} ms. A jump is a frame in which a joint turns 60° further "
            "than in the reference."
        ),
        settings={"frames": len(chain.targets), "sampling": SAMPLINGS[0]},
        claims=claims({key: float(np.mean(v)) for key, v in apart.items()}, jumped),
        tables=[
            Table(
                "Distance from the reference",
                ["method", "mean, units", "worst frame, units", "jumps"],
                rows,
                "Mean over all joints of the distance from where the reference has them.",
            )
        ],
        pictures=[_samplings(contest), _side_by_side(contest)],
        numbers={"mean distance of joints": apart, "jumps": jumped},
    )


def claims(apart: Mapping[str, float], jumped: Mapping[str, int]) -> list[Claim]:
    """Is the line search nearer to the reference, with fewer jumps, than the inverse?

    The inverse without and with a bound on its step: two comparisons with each.
    """
    own = who.LINE_SEARCH
    better = [
        value[own] < value[rival] for rival in (who.INVERSE, who.CLAMPED)
        for value in (apart, jumped)
    ]  # fmt: skip
    return [
        Claim(
            where="section 5.1, Figure 11 (6.3, Figure 12 in print)",
            says="The Jacobian inverse jitters and differs much from the reference; the projected "
            "line search is closer and smoother.",
            verdict=share_of_cases(sum(better), len(better)),
            seen="; ".join(
                f"{who.label_of(key)}: mean distance {apart[key]:.2g} units, {jumped[key]} jumps"
                for key in apart
            )
            + ".",
        )
    ]


def _samplings(contest: Contest) -> Picture:
    """Three consecutive frames at each sampling."""
    subject = contest.subject
    figure, thick = subject.figure, body(subject)
    page = plots.new_page(12.5, 4.0)
    clip = subject.clip.sample(SAMPLINGS[0])
    middle = clip.frames // 2
    for k, every in enumerate(SAMPLINGS):
        step = round(every / SAMPLINGS[0])
        axes = page.add_axes((0.01 + 0.33 * k, 0.02, 0.32, 0.84))
        first = max(0, min(middle - step, clip.frames - 1 - 2 * step))
        points = []
        for j, frame in enumerate(first + step * np.arange(3)):
            frame = min(int(frame), clip.frames - 1)
            plots.draw_pose(
                axes, figure, clip.q[frame], colour=plots.shade(0.15 + 0.4 * j), across=FRONT,
                thickness=thick, zorder=1 + j,
            )  # fmt: skip
            points.append(figure.positions(clip.q[frame]) @ FRONT.T)
        floor(axes)
        stand(axes, points)
        axes.set_anchor("S")
        in_all = (clip.frames - 1) // step + 1
        axes.set_title(f"every {every:g} s: {in_all} frames in all", size=10.5, color=plots.INK)
    return Picture.of(
        page,
        "Three frames in a row at the three samplings",
        "Light to dark. The further apart frames lie, the less the last answer helps.",
    )


def _side_by_side(contest: Contest) -> Picture:
    subject, chain = contest.subject, contest.drills[0].chains[0]
    figure, thick = subject.figure, body(subject)
    frames = np.linspace(0, len(chain.targets) - 1, COLUMNS + 2).astype(int)[1:-1]
    page = plots.new_page(13.0, 6.9)
    rows: list[tuple[str, np.ndarray, np.ndarray]] = [("reference", chain.reference, REFERENCE)]
    rows += [(who.label_of(key), contest.entry(key).poses[0], rgb(colour_of(key))) for key in ROWS]
    pelvis = subject.index()[4]
    across = figure.positions(chain.reference)[:, pelvis] @ FRONT.T
    heights = np.concatenate([figure.positions(poses[frames])[:, :, 1] for _, poses, _ in rows])
    low, high = min(0.0, float(np.percentile(heights, 0.5))) - 0.4, float(heights.max()) + 0.5
    for row, (name, poses, colour) in enumerate(rows):
        bottom = 0.715 - 0.235 * row
        for k, frame in enumerate(frames):
            axes = page.add_axes((0.03 + 0.107 * k, bottom, 0.107, 0.235))
            centre = across[frame, 0]
            plots.draw_pose(
                axes, figure, poses[frame], colour=colour, across=FRONT, thickness=thick, zorder=2
            )
            at = figure.positions(poses[frame])[subject.index()]
            plots.mark(axes, chain.targets[frame] @ FRONT.T, at @ FRONT.T)
            floor(axes)
            stand(axes, [np.array([[centre - _HALF, low], [centre + _HALF, high]])], margin=0.0)
            if row == 0:
                axes.set_title(f"frame {frame + 1}", size=9, color=plots.QUIET)
        page.text(
            0.015, bottom + 0.115, _SHORT.get(name, name), size=9.5, weight="bold", rotation=90,
            color=colour, ha="center", va="center",
        )  # fmt: skip
    return Picture.of(
        page,
        "Side by side",
        "From the front; red rings are the goals, green dots the effectors.",
        kind="png",
    )

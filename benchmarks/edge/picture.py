"""A hand dragged along and beyond the limits, beside limits that are applied afterwards.

``python -m benchmarks.edge.picture`` draws docs/pictures/edge-of-reach.png and prints its numbers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import limbik
from limbik import Figure, Reach, plots

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "edge-of-reach.png"
FRAMES, FPS = 360, 60.0
ARM = ("LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand")
ACROSS = np.array([[0.8, 0.0, -0.6], [-0.15, 0.97, -0.2]])  # right and up: from the front, aside
SHOWN = (0, 90, 150, 230, 300)  # frames drawn as poses
ELBOW = "#1f77b4"


def drag(figure: Figure) -> np.ndarray:
    """(frames, 3) from the side across the chest, up, and back behind the body: beyond the limits
    of the shoulder at both ends, and now and then beyond the arm's length."""
    at = figure.positions(figure.rest)
    shoulder, hand = at[figure.index("LeftArm")], at[figure.index("LeftHand")]
    reach = float(np.linalg.norm(hand - shoulder))
    turn = np.linspace(0.0, 2.0 * np.pi, FRAMES)
    away = reach * (0.95 + 0.2 * np.sin(turn))
    aside = np.radians(45.0 - 110.0 * np.cos(turn))  # 0 is sideways, 90 straight ahead
    above = np.radians(10.0 + 45.0 * np.sin(turn))
    way = np.column_stack(
        [np.cos(above) * np.cos(aside), np.sin(above), np.cos(above) * np.sin(aside)]
    )
    return shoulder + away[:, None] * way


def within_limits(figure: Figure, targets: np.ndarray) -> np.ndarray:
    """(frames, n) the limits are part of the problem."""
    lock = [joint for joint in figure.joints if joint not in ARM]
    found = limbik.track(figure, ["LeftHand"], targets[:, None], fps=FPS, lock=lock, restarts=0)
    return found.motion.q


def clamped_afterwards(figure: Figure, targets: np.ndarray) -> np.ndarray:
    """(frames, n) each frame solved without limits from the pose before it, then put inside."""
    lock = [joint for joint in figure.joints if joint not in ARM]
    free = figure.with_limits(dict.fromkeys(ARM))
    q, poses = figure.rest, []
    for target in targets:
        answer = limbik.solve(
            free, [Reach("LeftHand", position=target)], start=q, lock=lock, restarts=0
        )
        q = figure.project(answer.q)
        poses.append(q)
    return np.array(poses)


def numbers(figure: Figure, poses: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """Lengths in cm: how far the hand is from its target, and how evenly the elbow moves."""
    at = 100.0 * figure.positions(poses)
    hand, elbow = at[:, figure.index("LeftHand")], at[:, figure.index("LeftForeArm")]
    missed = np.linalg.norm(hand - 100.0 * targets, axis=1)
    step = np.linalg.norm(np.diff(elbow, axis=0), axis=1)
    bend = np.linalg.norm(np.diff(elbow, 2, axis=0), axis=1)
    return {
        "hand from target, mean": float(missed.mean()),
        "elbow, largest step in a frame": float(step.max()),
        "elbow, largest change of that step": float(bend.max()),
    }


def main() -> None:
    """Solve both ways, draw them side by side, print what they came to."""
    figure = limbik.figures.human()
    targets = drag(figure)
    # Twice around: the first time leads from the rest pose to the path.
    twice = np.concatenate([targets, targets])
    ways = {
        "limits inside the solve": within_limits(figure, twice)[FRAMES:],
        "solved without limits, clamped afterwards": clamped_afterwards(figure, twice)[FRAMES:],
    }
    page = plots.new_page(11.0, 6.2)
    grid = page.add_gridspec(2, 2, height_ratios=(3.2, 1.0), hspace=0.06, wspace=0.08)
    hand, elbow = figure.index("LeftHand"), figure.index("LeftForeArm")
    most = 0.0
    steps = []
    for column, (title, poses) in enumerate(ways.items()):
        found = numbers(figure, poses, targets)
        print(title, {what: round(value, 2) for what, value in found.items()})
        axes = page.add_subplot(grid[0, column])
        at = figure.positions(poses) @ ACROSS.T
        for k, frame in enumerate(SHOWN):
            colour = plots.shade(0.15 + 0.6 * k / len(SHOWN))
            plots.draw_pose(axes, figure, poses[frame], colour=colour, across=ACROSS, zorder=2 + k)
        axes.plot(*(targets @ ACROSS.T).T, color=plots.TARGET, lw=1.2, ls=":", zorder=20)
        axes.plot(*at[:, hand].T, color=plots.EFFECTOR, lw=1.2, zorder=21)
        axes.plot(*at[:, elbow].T, color=ELBOW, lw=2.0, zorder=22)
        axes.set_title(title, fontsize=12, color=plots.INK)
        axes.set_xlim(-0.75, 0.95)
        axes.set_ylim(0.75, 1.95)
        axes.set_aspect("equal")
        axes.axis("off")
        below = page.add_subplot(grid[1, column])
        step = 100.0 * np.linalg.norm(np.diff(figure.positions(poses)[:, elbow], axis=0), axis=1)
        below.plot(np.arange(1, FRAMES) / FPS, step, color=ELBOW, lw=1.4)
        below.set_xlabel("seconds", color=plots.QUIET)
        if column == 0:
            below.set_ylabel("elbow, cm per frame", color=plots.QUIET)
        plots.quiet(below)
        most = max(most, float(step.max()))
        steps.append(below)
    for below in steps:
        below.set_ylim(0.0, 1.05 * most)
    names = (("target", plots.TARGET, ":"), ("hand", plots.EFFECTOR, "-"), ("elbow", ELBOW, "-"))
    lines = [steps[0].plot([], [], color=c, ls=s, label=name)[0] for name, c, s in names]
    page.legend(
        handles=lines, loc="upper center", ncols=3, frameon=False, bbox_to_anchor=(0.5, 1.02)
    )
    page.savefig(PICTURE, dpi=90, bbox_inches="tight")


if __name__ == "__main__":
    main()

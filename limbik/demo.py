"""The demonstration: the built-in human turns a cartwheel from six goals, is timed and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from limbik import plots
from limbik.animate.track import track
from limbik.errors import FormatError
from limbik.figure.appearance.capsules import joint_radii
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figure.units import length_text
from limbik.figures import cartwheel
from limbik.formats import save
from limbik.humanoid import recognise
from limbik.solver.result import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Page

EFFECTORS = ("LeftHand", "RightHand", "LeftToeBase", "RightToeBase", "Hips", "Head")
PICTURE, MOTION = "demo.png", "demo.bvh"
TOLERANCE = 1e-4
"""Of the figure's size: how near an effector must come to its target."""

_POSES = 11  # in the time-lapse
_DRIFT = 0.95  # metres per second by which its poses are pulled apart
_NUDGE = 1e-6


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration came to: the motion, each frame's errors and status, and the time.

    ``errors`` is (frames, effectors) in metres; ``at_limit`` (frames, joints) tells which joints
    are at a limit; ``seconds`` is the time of solving.
    """

    motion: Motion
    targets: np.ndarray
    errors: np.ndarray
    status: np.ndarray
    jumps: np.ndarray
    at_limit: np.ndarray
    violation: float
    seconds: float

    @property
    def ok(self) -> bool:
        """Every frame reached its targets."""
        return bool((self.status == Status.REACHED).all())


def run(
    folder: Path, *, frames: int | None = None, console: Console | None = None
) -> Demonstration:
    """Follow the cartwheel, print a table, and write demo.png and demo.bvh into ``folder``.

    ``frames`` spreads so many over the motion instead of following all of them.
    """
    screen = console or Console(highlight=False)
    page = plots.new_page(14.0, 6.6)  # before the work, in case it cannot be drawn
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be made: {error.strerror}", folder) from error
    clip = cartwheel()
    if frames is not None:
        clip = clip.sample(clip.duration / (frames - 1))
    screen.print(
        f"A human of {len(clip.figure.joints)} joints and {clip.figure.n} coordinates turns a "
        f"cartwheel: limbik gets the positions of {len(EFFECTORS)} joints and finds the rest."
    )
    found = follow(clip, screen)
    picture, saved = folder / PICTURE, folder / MOTION
    with screen.status("drawing"):
        draw(page, found)
        page.savefig(picture, dpi=110)
        save(found.motion, saved)
    screen.print(_table(found))
    screen.print(f"wrote {picture} and {saved}", style="dim", soft_wrap=True)
    return found


def as_json(found: Demonstration, folder: Path) -> dict[str, Any]:
    """The numbers of the table; lengths in metres."""
    return {
        "frames": found.motion.frames,
        "fps": found.motion.fps,
        "reached": int((found.status == Status.REACHED).sum()),
        "worst_error": float(found.errors.max()),
        "mean_error": float(found.errors.mean()),
        "us_per_frame": 1e6 * found.seconds / found.motion.frames,
        "frames_with_active_limits": int(found.at_limit.any(axis=1).sum()),
        "limit_violation": found.violation,
        "jumps": len(found.jumps),
        "wrote": [str(folder / name) for name in (PICTURE, MOTION)],
    }


def follow(clip: Motion, console: Console) -> Demonstration:
    """The figure follows the six effectors of the clip under a progress bar."""
    figure = clip.figure
    targets = clip.positions()[:, [figure.index(name) for name in EFFECTORS]]

    columns = (
        TextColumn("{task.description}"),
        BarColumn(complete_style="green", finished_style="green"),
        MofNCompleteColumn(),
        TextColumn("frames"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("getting ready", total=clip.frames)
        options: dict[str, Any] = {"start": clip.q[0], "fps": clip.fps}
        track(figure, EFFECTORS, targets[:2], **options)
        bar.update(task, description="following")
        found = track(
            figure,
            EFFECTORS,
            targets,
            reference=clip.q,
            progress=lambda done: bar.update(task, completed=done),
            **options,
        )
    poses = found.motion.q
    return Demonstration(
        motion=Motion(figure, poses, clip.fps, "demo"),
        targets=targets,
        errors=found.errors,
        status=found.status,
        jumps=found.jumps,
        at_limit=at_limits(figure, poses),
        violation=found.violation,
        seconds=found.seconds,
    )


def at_limits(figure: Figure, poses: np.ndarray) -> np.ndarray:
    """(frames, joints) which joints are at a limit: those that a nudge would push outside."""
    held = np.zeros((len(poses), figure.n), bool)
    for nudge in (_NUDGE, -_NUDGE):
        pushed = poses + nudge
        held |= np.abs(figure.project(pushed) - pushed) > 0.1 * _NUDGE
    joints = np.zeros((len(poses), len(figure.joints)), bool)
    for c in range(figure.n):
        joints[:, figure.owner[c]] |= held[:, c]
    return joints


def _table(found: Demonstration) -> Table:
    motion, unit = found.motion, found.motion.figure.unit
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    worst = found.errors.max(axis=1)
    often = found.at_limit.sum(axis=0)
    most = [k for k in np.argsort(-often)[:4] if often[k]]
    named = ", ".join(f"{motion.figure.joints[k]} {often[k]}" for k in most)
    touched = int(found.at_limit.any(axis=1).sum())
    table.add_row("frames", f"{motion.frames} at {motion.fps:.4g} fps, {motion.duration:.3g} s")
    table.add_row("reached", f"{int((found.status == Status.REACHED).sum())} of {motion.frames}")
    table.add_row("worst error", length_text(float(worst.max()), unit))
    table.add_row("mean error", length_text(float(found.errors.mean()), unit))
    table.add_row("time", f"{1e6 * found.seconds / motion.frames:.0f} µs per frame")
    table.add_row("active limits", f"in {touched} frames" + (f"  ({named})" if named else ""))
    table.add_row("outside limits", f"{found.violation:g}")
    table.add_row("jumps", str(len(found.jumps)))
    return table


# ---- the picture ---------------------------------------------------------------------------------


def draw(page: Page, found: Demonstration) -> None:
    """The time-lapse above, the error over time below."""
    motion = found.motion
    figure = motion.figure
    front = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    hips = motion.positions()[:, figure.index("Hips"), 0] + _DRIFT * motion.times
    poses = np.unique(
        [np.argmin(np.abs(hips - x)) for x in np.linspace(hips[0], hips[-1], _POSES)]
    ).tolist()
    above = page.add_axes((0.02, 0.31, 0.96, 0.53))
    plots.time_lapse(
        above,
        motion,
        poses,
        effectors=EFFECTORS,
        targets=found.targets,
        across=front,
        thickness=joint_radii(motion.figure, recognise(motion.figure).roles),
        shifts={frame: _DRIFT * frame / motion.fps for frame in poses},
    )
    above.axhline(0.0, color=plots.INK, linewidth=1.2, zorder=1)
    width = found.targets[:, :, 0] + _DRIFT * motion.times[:, None]
    above.set_xlim(width[poses].min() - 0.25, width[poses].max() + 0.25)
    above.set_ylim(-0.14, 2.2)
    _title(page, above, found)
    below = page.add_axes((0.07, 0.09, 0.9, 0.2))
    plots.error_over_time(
        below,
        motion,
        found.errors,
        effectors=EFFECTORS,
        tolerance=TOLERANCE * figure.size,
        factor=1e3,
        unit="mm",
    )
    below.set_title(
        "Distance from the targets: the worst of the six dark, each one light",
        size=10.5,
        color=plots.QUIET,
        loc="left",
    )


def _title(page: Page, axes: Axes, found: Demonstration) -> None:
    figure, motion = found.motion.figure, found.motion
    page.text(
        0.025,
        0.955,
        f"Six targets in, {figure.n} joint values out",
        size=17,
        weight="bold",
        color=plots.INK,
        va="center",
    )
    inside = "every joint inside its limits" if found.violation == 0.0 else "limits violated"
    page.text(
        0.025,
        0.905,
        f"A cartwheel of {motion.frames} frames, followed by hands, feet, pelvis and head only; "
        f"{inside}.  The poses are pulled apart from left to right.",
        size=10.5,
        color=plots.QUIET,
        va="center",
    )
    plots.mark(axes, np.empty((0, 2)), np.empty((0, 2)), named=True)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.075),
        ncols=2,
        frameon=False,
        labelcolor=plots.QUIET,
        fontsize=10.5,
        handletextpad=0.1,
        columnspacing=1.0,
    )

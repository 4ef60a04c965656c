"""Blender's own two IK solvers on the frames that limbik's methods get, run for real."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion

NAMES = {
    "legacy": "Blender LEGACY",
    "legacy_carried": "Blender LEGACY, carried on",
    "itasc": "Blender iTaSC",
    "itasc_carried": "Blender iTaSC, carried on",
}
REMARKS = {
    "legacy": "as it is: it starts from the forward-kinematics pose at every evaluation, here the "
    "pose before the first frame.",
    "legacy_carried": "with the last solution written into the forward-kinematics pose first.",
    "itasc": "as it is, in its default animation mode.  Blender 5.0.1 reads ik_min_x where it "
    "should read ik_min_z in one quadrant of the swing, so its limits leak.",
    "itasc_carried": "with the last solution written into the forward-kinematics pose first; the "
    "same leak.",
}
_MARGIN = math.radians(10.0)
_SHORTEST = 1e-3  # of the figure's size: Blender deletes bones that have no length


@dataclass(frozen=True)
class BlenderRun:
    """What one of Blender's solvers made of the frames."""

    name: str
    remark: str
    positions: np.ndarray
    """(frames, joints, 3)."""
    outside: np.ndarray
    """(frames,) how far the worst joint is outside its limits, rad."""
    seconds: np.ndarray
    """(frames,)."""
    version: str


def available() -> bool:
    """Whether Blender's module is installed (``pip install limbik[blender]``)."""
    return importlib.util.find_spec("bpy") is not None


def solve_chains(
    clip: Motion, effectors: Sequence[str], chains: Sequence[tuple[np.ndarray, np.ndarray]]
) -> list[BlenderRun]:
    """Blender's answers, chain after chain, each a start pose (n,) and targets (frames, effectors,
    3) that follow it.

    What the clip uses plus 10 degrees are the limits, in Blender's own form (an ellipse a quadrant
    of the swing, and a range of the twist).  A root among the effectors is put at its target,
    because no IK constraint of Blender's moves it.
    """
    figure = clip.figure
    rest = figure.frames(figure.rest)
    starts = figure.frames(np.array([start for start, _ in chains]))
    job = {
        "heads": rest[:, :3, 3],
        "tails": _tails(figure, rest),
        "parents": np.asarray(figure.parents, np.int64),
        "effectors": np.array([figure.index(name) for name in effectors], np.int64),
        "reference": _turned(figure.frames(clip.q), rest),
        "starts": _turned(starts, rest),
        "places": starts[:, 0, :3, 3],
        "targets": np.concatenate([targets for _, targets in chains]),
        "lengths": np.array([len(targets) for _, targets in chains], np.int64),
        "margin": np.array(_MARGIN),
    }
    with tempfile.TemporaryDirectory() as folder:
        given, answers = Path(folder) / "job.npz", Path(folder) / "answers.npz"
        np.savez(given, **job)  # type: ignore[arg-type]
        command = [sys.executable, "-m", "limbik.papers.blender_scene", str(given), str(answers)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not answers.exists():
            lines = (done.stderr or done.stdout).strip().splitlines()
            raise LimbikError(f"Blender ended with {done.returncode}: {(lines or ['nothing'])[-1]}")
        with np.load(answers) as out:
            return [
                BlenderRun(
                    NAMES[key],
                    REMARKS[key],
                    out[f"{key}_positions"],
                    out[f"{key}_outside"],
                    out[f"{key}_seconds"],
                    str(out["version"]),
                )
                for key in NAMES
            ]


def _turned(frames: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """(…, joints, 3, 3) how far each joint is turned from the rest pose, in the world."""
    return frames[..., :3, :3] @ np.swapaxes(rest[:, :3, :3], -1, -2)


def _tails(figure: Figure, rest: np.ndarray) -> np.ndarray:
    """(joints, 3) where each bone ends: at its child, amid its children, or at its tip."""
    heads = rest[:, :3, 3]
    tails = heads.copy()
    for j, joint in enumerate(figure.definition):
        children = np.flatnonzero(np.asarray(figure.parents) == j)
        if len(children):
            tails[j] = heads[children].mean(axis=0)
        elif joint.tip is not None:
            tails[j] = heads[j] + rest[j, :3, :3] @ np.asarray(joint.tip)
        if np.linalg.norm(tails[j] - heads[j]) < _SHORTEST * figure.size:
            parent = figure.parents[j]
            along = heads[j] - heads[parent] if parent >= 0 else np.array([0.0, 1.0, 0.0])
            length = float(np.linalg.norm(along))
            along = along / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
            tails[j] = heads[j] + 0.02 * figure.size * along
    return tails

"""Joints that no target asks for: how far those of a tracked clip are from the recorded ones.

    python -m benchmarks.untargeted [--frames N] [--limits anatomical|none] [--keep]

Each CMU clip (LIMBIK_TEST_DATA, or shared/data beside the project), 30 frames per second, is
tracked by the positions of hips, head, hands and toes, starting from its first pose, and compared
with itself.  Columns: frame by frame with free joints drifting to the middle of their limits
("middle", as it once was); to the pose of a body at ease (what ``track`` does); and, at once, with
``near=`` the clip itself a third of a second late, as a clip that only resembles it.  Lengths are
those of a body with legs of 0.82 m.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik.animate import track as tracking
from limbik.animate.contacts import metre
from limbik.animate.limit_choice import limited
from limbik.humanoid import recognise
from limbik.humanoid.recognise import SIDES
from tests.helpers.real_data import root

SIX = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
LATE = 10  # frames


def errors(found: limbik.Motion, clip: limbik.Motion) -> dict[str, float]:
    """Mean distances from the recorded joints: elbows, knees, and all that have no target, cm."""
    figure, body = clip.figure, recognise(clip.figure)
    away = np.linalg.norm(found.positions() - clip.positions(), axis=-1) * 100.0 / metre(figure)
    named = {
        what: [figure.index(body[side + part]) for side in SIDES]
        for what, part in (("elbows", "LowerArm"), ("knees", "LowerLeg"))
    }
    moving = np.unique(figure.owner)
    named["all"] = [int(i) for i in moving if figure.joints[i] not in SIX]
    return {what: float(away[:, joints].mean()) for what, joints in named.items()}


def _no_pose(figure: limbik.Figure, start: np.ndarray | None = None) -> np.ndarray | None:
    return None


def measure(clip: limbik.Motion, kind: str | None) -> dict[str, Any]:
    """One clip, three ways."""
    found = limited(clip.figure, clip, kind)
    figure, motion = found.figure, found.motion
    assert motion is not None
    targets = figure.positions(motion.q, SIX)
    late = motion.q[np.maximum(np.arange(motion.frames) - LATE, 0)]
    row: dict[str, Any] = {"clip": clip.name, "frames": motion.frames}
    at_ease = tracking.at_ease
    ways: list[tuple[str, dict[str, Any]]] = [
        ("middle", {"relax": 0.5}),
        ("at ease", {}),
        ("near", {"near": late}),
    ]
    for label, options in ways:
        tracking.at_ease = at_ease if label != "middle" else _no_pose
        near = late[:2] if label == "near" else None
        limbik.track(figure, SIX, targets[:2], start=motion.q[0], near=near)  # compiled
        began = time.perf_counter()
        out = limbik.track(figure, SIX, targets, start=motion.q[0], fps=motion.fps, **options)
        seconds = time.perf_counter() - began
        for what, value in errors(out.motion, motion).items():
            row[f"{what}, {label}"] = value
        row[f"reached, {label}"] = float((out.status == "REACHED").mean())
        row[f"jumps, {label}"] = len(out.jumps)
        row[f"ms, {label}"] = 1e3 * seconds / motion.frames
    tracking.at_ease = at_ease
    return row


def main(arguments: list[str] | None = None) -> None:
    """Measure, show and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=150)
    parser.add_argument("--limits", default=None)
    parser.add_argument("--keep", action="store_true", help="write results/untargeted.json")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", limbik.LimbikWarning)
    rows = []
    for file in sorted((root() / "cmu_bvh").glob("*.bvh")):
        clip = limbik.load_motion(file)
        clip = (clip if clip.frames < 30 else clip.sample(1.0 / 30.0))[: options.frames]
        rows.append(measure(clip, options.limits))
    mean = {name: float(np.mean([row[name] for row in rows])) for name in rows[0] if name != "clip"}
    rows.append({"clip": "mean", **mean})
    for kind in ("elbows", "knees", "all", "reached", "jumps", "ms"):
        part = [{"clip": r["clip"], **{k: r[k] for k in r if k.startswith(kind)}} for r in rows]
        show(f"{kind}{', cm' if kind in ('elbows', 'knees', 'all') else ''}", part)
    if options.keep:
        keep("untargeted", rows)


if __name__ == "__main__":
    main()

"""Following targets beyond reach: a clip's own effectors, moved away from their middle.

    python -m benchmarks.edge_tracks [CLIP.bvh ...]

Without arguments the built-in cartwheel.  Targets are enlarged by 5, 15 and 40 % about the middle
of the six effectors in every frame.  For each: frames that reach their targets, jumps with restarts
and without, roughness (mean second difference of joint positions) beside the recorded motion's,
and the time beside that of the targets as recorded.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from benchmarks.track import EFFECTORS

LARGER = (1.0, 1.05, 1.15, 1.4)
MOST_FRAMES = 600
ROUNDS = 3


def roughness(figure: limbik.Figure, poses: np.ndarray) -> float:
    """Mean length of the second difference of all joints' positions, in the figure's unit."""
    return float(np.linalg.norm(np.diff(figure.positions(poses), 2, axis=0), axis=-1).mean())


def measure(clip: limbik.Motion, figure: limbik.Figure, every: float) -> list[dict[str, Any]]:
    """One row per enlargement, the first with the targets as recorded."""
    sampled = clip.sample(every) if every > 0 else clip
    q = figure.project(sampled.q[:MOST_FRAMES])
    at = figure.positions(q)[:, [figure.index(name) for name in EFFECTORS]]
    middle = at.mean(axis=1, keepdims=True)
    rows: list[dict[str, Any]] = []
    for larger in LARGER:
        found, seconds = {}, {}
        for restarts in (None, 0):
            seconds[restarts] = np.inf
            for _ in range(ROUNDS):
                found[restarts] = limbik.track(
                    figure, EFFECTORS, middle + larger * (at - middle), start=q[0],
                    fps=sampled.fps, restarts=restarts, reference=q,
                )  # fmt: skip
                seconds[restarts] = min(seconds[restarts], found[restarts].seconds)
        rows.append(
            {
                "clip": clip.name or "cartwheel",
                "every": every,
                "larger": larger,
                "frames": len(q),
                "reached": int((found[None].status == "REACHED").sum()),
                "stalled": int((found[None].status == "STALLED").sum()),
                "jumps": len(found[None].jumps),
                "jumps_restarts_0": len(found[0].jumps),
                "roughness": roughness(figure, found[None].motion.q) / roughness(figure, q),
                "attempts": float(found[None].attempts.mean()),
                "us_per_frame": seconds[None] / len(q) * 1e6,
                "to_recorded": seconds[None] / len(q) * 1e6,
            }
        )
        rows[-1]["to_recorded"] /= rows[0]["us_per_frame"]
    return rows


def main(paths: list[str]) -> None:
    """Measure the built-in motion and the clips that were named, at full rate and every 0.05 s."""
    clip = limbik.figures.cartwheel()
    clips = [(clip, clip.figure)]
    for path in paths:
        read = limbik.load_motion(path)
        named = limbik.Motion(read.figure, read.q[1:], read.fps, name=Path(path).stem)
        if len(named.q) > 20:
            clips.append((named, named.figure.with_limits(limbik.limits_from(named))))
    rows = [
        row for motion, figure in clips for every in (0.0, 0.05)
        for row in measure(motion, figure, every)
    ]  # fmt: skip
    show("Following targets beyond reach", rows)
    keep("edge_tracks", rows)


if __name__ == "__main__":
    main(sys.argv[1:])

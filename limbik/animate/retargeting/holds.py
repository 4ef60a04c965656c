"""Holding contacts without pops: what a track is moved by while it is held, and between holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.animate.contacts import runs
from limbik.maths.so3 import exp_map, log_map, matrix_to_quat, quat_to_matrix

RAMP = 0.1  # seconds in which the weight of a contact comes and goes
EASE = 0.4  # seconds in which a held track comes back to its own way
STANCE = 0.2  # seconds from a stance in which half of what it says is left, nearly

Span = tuple[int, int]


def blends(spans: Sequence[Span], frames: int, fps: float) -> list[tuple[np.ndarray, Span]]:
    """(weights (frames,), span) of each held span: 1 in it, falling to 0 smoothly on both sides;
    between two spans that are near to each other one takes over from the other."""
    ordered = sorted(spans)
    time, out = np.arange(frames), []
    for k, (start, end) in enumerate(ordered):
        before = start - ordered[k - 1][1] + 1 if k else np.inf
        after = ordered[k + 1][0] - end + 1 if k + 1 < len(ordered) else np.inf
        rise, fall = max(min(before, EASE * fps), 1.0), max(min(after, EASE * fps), 1.0)
        weight = np.minimum(1.0 - (start - time) / rise, 1.0 - (time - end + 1) / fall)
        weight = np.clip(weight, 0.0, 1.0)
        out.append((weight**2 * (3.0 - 2.0 * weight), (start, end)))
    return out


def ramp(held: np.ndarray, factor: float, fps: float) -> np.ndarray:
    """(frames,) ``factor`` where held (frames,), and from 1 to it within RAMP seconds on both
    sides, by equal ratios from frame to frame."""
    time, far = np.arange(len(held)), np.full(len(held), np.inf)
    for start, end in runs(held):
        away = np.maximum(np.maximum(start - time, time - end + 1), 0.0)
        far = np.minimum(far, away)
    return factor ** np.clip(1.0 - far / max(RAMP * fps, 1.0), 0.0, 1.0)


def span_weights(spans: Sequence[Span], frames: int, fps: float) -> np.ndarray:
    """(spans, frames) how much what a span says counts in each frame: more where it is long and
    near in time, so that little depends on what is far away in a clip, or was cut off."""
    time, out = np.arange(frames), np.empty((len(spans), frames))
    for k, (start, end) in enumerate(spans):
        away = np.maximum(np.maximum(start - time, time - end + 1), 0) / fps
        out[k] = (end - start) / (1.0 + (away / STANCE) ** 2) ** 2
    return out


def hold_points(
    track: np.ndarray, holds: Sequence[tuple[Span, np.ndarray]], fps: float
) -> np.ndarray:
    """(frames, 3) the track, at its hold's point (3,) within each span; or points, one per frame.

    Next to a span the track keeps the offset it had there, less and less of it.
    """
    points = dict(holds)
    out = track.copy()
    for weight, (start, end) in blends(list(points), len(track), fps):
        moved = np.zeros_like(track)
        moved[start:end] = points[start, end] - track[start:end]
        moved[:start], moved[end:] = moved[start], moved[end - 1]
        out += weight[:, None] * moved
    return out


def hold_turns(
    track: np.ndarray, holds: Sequence[tuple[Span, np.ndarray]], fps: float
) -> np.ndarray:
    """(frames, 3, 3) the rotations, as their hold's within each span; see ``hold_points``."""
    turns = dict(holds)
    out = track.copy()
    for weight, (start, end) in blends(list(turns), len(track), fps):
        moved = np.zeros((len(track), 3))
        missing = turns[start, end] @ np.swapaxes(track[start:end], 1, 2)
        moved[start:end] = log_map(matrix_to_quat(missing))
        moved[:start], moved[end:] = moved[start], moved[end - 1]
        out = quat_to_matrix(exp_map(weight[:, None] * moved)) @ out
    return out

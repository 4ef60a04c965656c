"""concatenate, blend and loop: motions one after the other, mixed, and without a seam."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.animate.mix import between, changes, ease, moved, same_figure, travel
from limbik.errors import FigureError
from limbik.figure.motion import Motion

SEAM = 0.3
"""Seconds over which two motions pass into each other."""


def concatenate(
    motion: Motion, *others: Motion, seconds: float = SEAM, align: bool = True
) -> Motion:
    """One motion after the other, at the frame rate and in the coordinates of the first.

    Over ``seconds`` the end of one is mixed with the beginning of the next, so that both overlap; 0
    puts them end to end.  With ``align`` each goes on where the one before it ends and in its
    direction, moved over the ground; the height stays.

    >>> clip.concatenate(clip, seconds=0).frames == 2 * clip.frames
    True
    """
    width = _seconds(seconds, "concatenate")
    out = motion
    for other in others:
        out = _after(out, same_figure(motion, other, "concatenate"), width, align)
    return out


def _after(one: Motion, two: Motion, seconds: float, align: bool) -> Motion:
    figure, q = one.figure, two.q
    overlap = min(round(seconds * one.fps), len(one) - 1, len(two) - 1)
    seam = len(one) - overlap if overlap else len(one) - 1
    if align:
        q = moved(figure, q, travel(one, q[0], one.q[seam]), one.q[seam])
    if not overlap:
        return Motion(figure, np.concatenate([one.q, q]), one.fps, one.name)
    share = ease(np.arange(1, overlap + 1) / (overlap + 1.0))
    mixed = between(figure, one.q[seam:], q[:overlap], share)
    return Motion(figure, np.concatenate([one.q[:seam], mixed, q[overlap:]]), one.fps, one.name)


def blend(
    motion: Motion, other: Motion, share: float | Sequence[float] | np.ndarray = 0.5
) -> Motion:
    """A mixture of two motions, frame by frame, as long as the shorter.

    ``share`` is 0 for the first and 1 for the second: one number, or one per frame.  Balls are
    mixed as rotations.

    >>> bool((clip.blend(clip, 0.3).q == clip.q).all())
    True
    """
    other = same_figure(motion, other, "blend")
    frames = min(motion.frames, other.frames)
    try:
        shares = np.broadcast_to(np.asarray(share, float), (frames,))
    except (TypeError, ValueError):
        shares = np.full(1, np.nan)
    if not ((shares >= 0.0) & (shares <= 1.0)).all():
        text = f"blend: share needs a number from 0 to 1, or {frames} of them"
        raise FigureError(f"{text}, got {share!r}")
    one, two = motion.q[:frames], other.q[:frames]
    mixed = between(motion.figure, one.copy(), two.copy(), shares)
    same = (one == two).all(axis=1)
    mixed[same] = one[same]
    return Motion(motion.figure, mixed, motion.fps, motion.name)


def loop(motion: Motion, times: int = 1, *, seconds: float = SEAM) -> Motion:
    """The motion ending in the pose it begins with, so that it can be repeated without a seam.

    What is missing at the end is made up for over its last ``seconds``, rotation by rotation.
    Where the figure has got to and which way it faces stay as they are, so that a walk goes on:
    with ``times`` it is repeated, each time from where the last ended.  The last frame is the
    first of the next time and is there once.

    >>> again = clip.loop(3)
    >>> again.frames == 3 * (clip.frames - 1) + 1
    True
    """
    width = _seconds(seconds, "loop")
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise FigureError(f"loop: times must be a whole number above 0, got {times!r}")
    figure, q = motion.figure, motion.q
    if motion.frames < 2:
        raise FigureError("loop: needs at least two frames")
    onward = travel(motion, q[0], q[-1])
    goal = moved(figure, q[:1], onward, q[-1])[0]
    reach = min(max(round(width * motion.fps), 1), motion.frames - 1)
    away = np.arange(motion.frames) - (motion.frames - 1 - reach)
    once = changes(figure, q.copy(), goal, ease(away / reach))
    once[-1] = goal
    onward = travel(motion, once[0], goal)
    pieces = [once]
    for _ in range(times - 1):
        last = pieces[-1]
        pieces.append(moved(figure, last, onward, last[-1]))
        pieces[-1][0] = last[-1]
    whole = np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])
    return Motion(figure, whole, motion.fps, motion.name)


def cut(motion: Motion, start: float = 0.0, end: float | None = None) -> Motion:
    """The frames from ``start`` to ``end`` seconds, both included; to the last one unless given.

    >>> clip.slice(0.25, 0.5).frames
    31
    """
    last = motion.duration if end is None else end
    if not all(isinstance(t, int | float) and math.isfinite(t) for t in (start, last)):
        raise FigureError(f"slice: needs seconds, got {start!r} and {end!r}")
    first = max(0, math.ceil(start * motion.fps - 1e-6))
    stop = min(motion.frames, math.floor(last * motion.fps + 1e-6) + 1)
    if stop <= first:
        text = f"slice: there are no frames from {start:g} to {last:g} s"
        raise FigureError(f"{text} in a motion of {motion.duration:.6g} s")
    return motion[first:stop]


def _seconds(seconds: float, what: str) -> float:
    if not (isinstance(seconds, int | float) and math.isfinite(seconds) and seconds >= 0):
        raise FigureError(f"{what}: seconds must not be negative, got {seconds!r}")
    return float(seconds)

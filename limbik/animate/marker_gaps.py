"""Paths of markers before any figure is fitted: names that were exchanged, and gaps."""

from __future__ import annotations

import numpy as np

JUMP, ACCELERATION = 0.03, 150.0
"""Metres, and metres per second squared, by which a marker may miss where it was going."""

MEMORY = 0.1
"""Seconds for which it is known where a marker was going."""


def continuous(
    seen: np.ndarray, fps: float, metre: float
) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """(frames, markers, 3) with every marker's path continuous, and (frame, one, other) where it
    went on under another's name.

    A marker that is not near where it was going takes the place of one that is there and is not
    where that was going; where there is none it counts as lost.
    """
    out = seen.copy()
    names = np.tile(np.arange(seen.shape[1]), (len(seen), 1))
    far = metre * (JUMP + ACCELERATION / fps**2)
    memory = max(1, round(MEMORY * fps))
    last = np.full(seen.shape[1:], np.nan)
    speed = np.zeros(seen.shape[1:])
    age = np.full(seen.shape[1], memory + 1)
    for frame, now in enumerate(seen):
        going = last + speed * age[:, None]
        away = np.linalg.norm(now - going, axis=1)
        astray = np.flatnonzero((age <= memory) & (away > far))
        if len(astray):
            out[frame, astray] = np.nan
            apart = np.linalg.norm(going[astray][:, None] - now[astray][None, :], axis=-1)
            while apart.min() < far:
                one, other = np.unravel_index(int(np.argmin(apart)), apart.shape)
                out[frame, astray[one]] = now[astray[other]]
                names[frame, astray[one]] = astray[other]
                apart[one, :], apart[:, other] = np.inf, np.inf
        have = np.isfinite(out[frame, :, 0])
        fresh = have & (age <= memory)
        speed[fresh] = (out[frame] - last)[fresh] / age[fresh, None]
        speed[have & ~fresh] = 0.0
        last[have] = out[frame, have]
        age = np.where(have, 1, np.minimum(age + 1, memory + 1))
    # A path has the name that it went under for most of the time.
    usual = np.array([np.bincount(column).argmax() for column in names.T])
    if len(set(usual.tolist())) == len(usual):
        order = np.argsort(usual)
        out, names = out[:, order], names[:, order]
    found = [
        (int(f), int(m), int(names[f, m])) for f, m in np.argwhere(names != np.arange(len(usual)))
    ]
    return out, [
        pair for pair in found if pair[1] < pair[2] or (pair[0], pair[2], pair[1]) not in found
    ]


def filled(seen: np.ndarray) -> np.ndarray:
    """(frames, markers, 3) with markers that were lost on the line between when they were seen."""
    out = seen.copy()
    frames = np.arange(len(seen))
    for m in range(seen.shape[1]):
        have = np.isfinite(seen[:, m, 0])
        for c in range(3):
            out[~have, m, c] = np.interp(frames[~have], frames[have], seen[have, m, c])
    return out

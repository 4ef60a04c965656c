"""Paths of markers before any figure is fitted: names that were exchanged, and gaps."""

from __future__ import annotations

import numpy as np

from limbik.animate.contacts import runs

JUMP, ACCELERATION = 0.03, 150.0
"""Metres, and metres per second squared, by which a marker may miss where it was going."""

MEMORY = 0.1
"""Seconds for which it is known where a marker was going."""

_BODY = 4  # markers that carry a lost one


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


def filled(seen: np.ndarray, fps: float) -> np.ndarray:
    """(frames, markers, 3) with markers that were lost where they are likely to be.

    In a short gap that is on the line between when they were seen; in a longer one where the three
    to four markers that keep their distances from it best, as one rigid body, carry it from the
    nearest frame in which all were seen.
    """
    out = seen.copy()
    frames = np.arange(len(seen))
    have = np.isfinite(seen[..., 0])
    for m in range(seen.shape[1]):
        lost = frames[~have[:, m]]
        if not len(lost):
            continue
        known = frames[have[:, m]]
        for c in range(3):
            out[lost, m, c] = np.interp(lost, known, seen[known, m, c])
        steady = _steadiest(seen, have, m)
        gaps = [range(a, b) for a, b in runs(~have[:, m]) if b - a > MEMORY * fps]
        for frame in (frame for gap in gaps for frame in gap):
            near = [k for k in steady if have[frame, k]][:_BODY]
            both = known[have[known][:, near].all(axis=1)] if len(near) >= 3 else known[:0]
            if len(both):
                then = int(both[np.argmin(np.abs(both - frame))])
                out[frame, m] = _carried(seen[then, near], seen[frame, near], seen[then, m])
    return out


def _steadiest(seen: np.ndarray, have: np.ndarray, m: int) -> list[int]:
    """Other markers by how much their distances from one change, the least first."""
    spread = []
    for k in range(seen.shape[1]):
        both = have[:, m] & have[:, k]
        if k != m and both.sum() >= 3:
            apart = np.linalg.norm(seen[both, m] - seen[both, k], axis=1)
            spread.append((float(apart.std()), k))
    return [k for _, k in sorted(spread)[: 2 * _BODY]]


def _carried(here: np.ndarray, there: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A point (3,) moved as the rigid body that takes points (k, 3) nearest to others (k, 3)."""
    middle, other = here.mean(axis=0), there.mean(axis=0)
    u, _, vt = np.linalg.svd((here - middle).T @ (there - other))
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T)) or 1.0])
    return other + vt.T @ flip @ u.T @ (point - middle)

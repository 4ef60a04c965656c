"""The other way to turn three hinges in a row, such as those of a robot's shoulder, so that what
they carry is turned the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Turn
from limbik.maths.so3 import exp_map, quat_to_matrix

_ACROSS = 0.5  # cosine: axes of hinges that follow each other are nearer to a right angle
_NEAR = 0.15  # of the figure's size: hinges of one joint of the body are within this
_BEYOND = 0.5  # rad that another way may be outside the limits, for a solve to bring it back


@dataclass(frozen=True)
class Hinges:
    """Three hinges in a row: R = R(u₁, a)·A·R(u₂, b)·B·R(u₃, c) for coordinates a, b, c."""

    columns: np.ndarray
    """(3,) their coordinates."""
    axes: np.ndarray
    """(3, 3) u₁, u₂, u₃ in rows, each in its link's own frame."""
    first: np.ndarray
    """(3, 3) A."""
    second: np.ndarray
    """(3, 3) B."""


def hinges_in_a_row(figure: Figure) -> list[Hinges]:
    """Threes of hinges in a row that are near to each other, none in two of them."""
    out, taken = list[Hinges](), set[int]()
    zero = figure.rest.copy()
    turns: dict[int, tuple[int, np.ndarray]] = {}
    for i, joint in enumerate(figure.definition):
        own = np.flatnonzero(figure.owner == i)
        if len(joint.parts) == 1 and isinstance(joint.parts[0], Turn) and len(own) == 1:
            turns[i] = int(own[0]), np.array(joint.parts[0].axis, float)
    zero[[column for column, _ in turns.values()]] = 0.0
    frames = figure.frames(zero)
    turned, places = frames[:, :3, :3], frames[:, :3, 3]
    moving = [int(figure.parents[i]) for i, joint in enumerate(figure.definition) if joint.parts]
    branching = {i for i in turns if moving.count(i) > 1}
    for third in turns:
        second = int(figure.parents[third])
        first = int(figure.parents[second]) if second >= 0 else -1
        row = (first, second, third)
        if any(i not in turns or i in taken for i in row) or {first, second} & branching:
            continue
        world = [turned[i] @ turns[i][1] for i in row]
        if max(abs(world[0] @ world[1]), abs(world[1] @ world[2])) > _ACROSS:
            continue
        if np.ptp(places[list(row)], axis=0).max() > _NEAR * figure.size:
            continue
        taken |= set(row)
        out.append(
            Hinges(
                np.array([turns[i][0] for i in row]),
                np.array([turns[i][1] for i in row]),
                turned[first].T @ turned[second],
                turned[second].T @ turned[third],
            )
        )
    return out


def other_way(figure: Figure, hinges: Hinges, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(poses (frames, n), (frames,) whether it is worth a try): q with the hinges turned the other
    way, inside their limits.

    u₁·A·R(u₂, b)·B·u₃ is the same for b and for 2φ − b; a and c follow.  It is worth a try where it
    is hardly outside the limits, and nearer to the rest pose or q at a limit.
    """
    a, b, c = q[:, hinges.columns].T
    u, v, w = hinges.axes
    p, r = hinges.first.T @ u, hinges.second @ w
    phase = np.arctan2(p @ np.cross(v, r), p @ r - (p @ v) * (v @ r))
    other = 2.0 * phase - b
    here = hinges.first @ _turns(v, b) @ hinges.second
    there = hinges.first @ _turns(v, other) @ hinges.second
    more = _angle(u, there @ w, here @ w)
    across = np.eye(3)[int(np.argmin(np.abs(w)))]
    across = across - (across @ w) * w
    back = np.swapaxes(there, 1, 2) @ _turns(u, -more) @ here
    found = np.stack([a + more, other, c + _angle(w, across, back @ across)], axis=1)
    low, high = figure.lower[hinges.columns], figure.upper[hinges.columns]
    ranged = np.isfinite(low) & np.isfinite(high)
    middle = np.where(ranged, 0.5 * (np.where(ranged, low, 0.0) + np.where(ranged, high, 0.0)), 0.0)
    found -= 2.0 * np.pi * np.round((found - middle) / (2.0 * np.pi))
    inside = np.clip(found, low, high)
    own, rest = q[:, hinges.columns], figure.rest[hinges.columns]
    held = (np.minimum(own - low, high - own) < 1e-3).any(axis=1)
    nearer = ((inside - rest) ** 2).sum(axis=1) < ((own - rest) ** 2).sum(axis=1)
    worth = (np.abs(inside - found).max(axis=1) < _BEYOND) & (held | nearer)
    out = q.copy()
    out[np.ix_(worth, hinges.columns)] = inside[worth]
    return out, worth


def _turns(axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """(frames, 3, 3) turns about an axis (3,) by angles (frames,)."""
    return quat_to_matrix(exp_map(angles[:, None] * axis))


def _angle(axis: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(frames,) by how much vectors (frames, 3) turn about an axis (3,) from start to end."""
    start, end = (x - (x @ axis)[..., None] * axis for x in (start, end))
    return np.arctan2(np.cross(start, end) @ axis, (start * end).sum(axis=-1))

"""A pose as rotations and numbers: all balls of a figure at once as quaternions, and back.

Poses are interpolated and changed this way, because the coordinates of a ball are no rotations that
could be averaged.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.coordinates import TURN, Ball, balls, euler_order, from_quat, to_quat
from limbik.figure.figure import Figure
from limbik.figure.joints import ExponentialBall, SwingTwistBall, Turn
from limbik.maths.so3 import (
    exp_map,
    log_map,
    quat_conjugate,
    quat_multiply,
    quat_to_euler,
    swing_twist,
)


class Turning:
    """The balls of a figure, by kind.

    ``columns`` (balls, 3) are their places in q, ``others`` the places of all other coordinates.
    """

    def __init__(self, figure: Figure) -> None:
        found = list(balls(figure.definition))
        self._parts: list[Ball] = [part for part, _ in found]
        self.columns = np.array([columns for _, columns in found], int).reshape(-1, 3)
        self.others = np.setdiff1d(np.arange(figure.n), self.columns)
        kinds = [type(part) for part in self._parts]
        self._swinging = np.array([k for k, c in enumerate(kinds) if c is SwingTwistBall], int)
        self._vectors = np.array([k for k, c in enumerate(kinds) if c is ExponentialBall], int)
        # Equal Euler balls are turned into quaternions together.
        self._alike: dict[tuple[Turn, Turn, Turn], list[int]] = {}
        for k, part in enumerate(self._parts):
            if isinstance(part, tuple):
                self._alike.setdefault(part, []).append(k)
        bases = [p.basis for p in self._parts if isinstance(p, SwingTwistBall)]
        self._u, self._v, self._t = np.moveaxis(np.array(bases).reshape(-1, 3, 3), -1, 0)

    def wxyz(self, q: np.ndarray) -> np.ndarray:
        """(balls, 4) the rotations of all balls in a pose (n,); (…, balls, 4) for (…, n)."""
        values = q[..., self.columns]
        out = np.empty((*values.shape[:-1], 4))
        if len(self._swinging):
            s = values[..., self._swinging, :]
            swing = exp_map(s[..., :1] * self._u + s[..., 1:2] * self._v)
            out[..., self._swinging, :] = quat_multiply(swing, exp_map(s[..., 2:] * self._t))
        if len(self._vectors):
            out[..., self._vectors, :] = exp_map(values[..., self._vectors, :])
        for part, group in self._alike.items():
            some = values[..., group, :]
            out[..., group, :] = to_quat(part, some.reshape(-1, 3)).reshape(*some.shape[:-1], 4)
        return out

    def put(self, q: np.ndarray, wxyz: np.ndarray, near: np.ndarray) -> None:
        """Set the balls of q (n,) to rotations (balls, 4), each with the coordinates that are
        nearest to those of the pose ``near`` (n,)."""
        start = near[self.columns]
        out = np.empty_like(start)
        if len(self._swinging):
            swing, twist = swing_twist(wxyz[self._swinging], self._t)
            s = log_map(swing)
            angle = np.sum(log_map(twist) * self._t, axis=-1)
            angle += TURN * np.round((start[self._swinging, 2] - angle) / TURN)
            sides = np.sum(s * self._u, axis=-1), np.sum(s * self._v, axis=-1)
            out[self._swinging] = np.column_stack([*sides, angle])
        if len(self._vectors):
            w = log_map(wxyz[self._vectors])
            length = np.maximum(np.linalg.norm(w, axis=-1), 1e-12)
            along = np.sum(w * start[self._vectors], axis=-1) / length
            turns = np.where(length > 1e-9, np.round((along - length) / TURN), 0.0)
            out[self._vectors] = w * (1.0 + TURN * turns / length)[:, None]
        for part, group in self._alike.items():
            out[group] = _angles(part, wxyz[group], start[group])
        q[self.columns] = out

    def change(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """(n,) what leads from one pose to another: for each ball the rotation vector of
        after·before⁻¹, which is in the parent's axes, and the difference of every other number."""
        out = after - before
        turn = quat_multiply(self.wxyz(after), quat_conjugate(self.wxyz(before)))
        out[self.columns] = log_map(turn)
        return out

    def changed(self, q: np.ndarray, change: np.ndarray, share: float = 1.0) -> np.ndarray:
        """(n,) the pose with a share of a change made to it; limits are not looked at."""
        if share == 0.0:
            return q.copy()
        out = q + share * change
        turn = exp_map(share * change[self.columns])
        self.put(out, quat_multiply(turn, self.wxyz(q)), q)
        return out


def _angles(part: tuple[Turn, Turn, Turn], wxyz: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(k, 3) Euler angles of rotations (k, 4), each row on the branch nearest to ``start`` (k, 3).

    What limbik.figure.coordinates does for rotations in time, here for several joints at one time.
    """
    order = euler_order(part)
    returns = order[0] == order[2]
    signs = np.array([sum(turn.axis) for turn in part])
    one, wanted = quat_to_euler(wxyz, order), start * signs
    locked = np.abs(np.sin(one[:, 1]) if returns else np.cos(one[:, 1])) < 1e-6
    flipped = -one[:, 1] if returns else np.pi - one[:, 1]
    two = np.column_stack([one[:, 0] + np.pi, flipped, one[:, 2] + np.pi])
    one, two = (angles + TURN * np.round((wanted - angles) / TURN) for angles in (one, two))
    near = np.sum((one - wanted) ** 2, axis=1) <= np.sum((two - wanted) ** 2, axis=1)
    out = np.where(near[:, None], one, two) * signs
    for k in np.flatnonzero(locked):
        out[k] = from_quat(part, wxyz[k : k + 1], start[k])[0]
    return out

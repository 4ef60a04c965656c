"""Balls, the joints that turn in all directions: their rotations, and other coordinates for them.

A ball is one part (exponential map, swing and twist) or three turns in an order of Euler angles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from limbik.figure.joints import (
    BallPart,
    ExponentialBall,
    Joint,
    Part,
    Slide,
    SwingTwistBall,
    Turn,
)
from limbik.jit import kernel
from limbik.maths.euler import ORDERS, euler_to_quat, quat_to_euler
from limbik.maths.so3 import (
    exp_map,
    log_map,
    matrix_to_quat,
    quat_multiply,
    quat_to_matrix,
    swing_twist,
)
from limbik.maths.turn_angles import TURN, turn_angles

Ball = BallPart | tuple[Turn, Turn, Turn]


def ball_of(joint: Joint) -> tuple[Ball, int] | None:
    """The ball of a joint and where its coordinates begin among the joint's own, or None."""
    turns: list[Turn] = []
    at: list[int] = []
    first = 0
    for part in joint.parts:
        if isinstance(part, BallPart):
            return part, first
        if part.coupled is None:
            if isinstance(part, Turn):
                turns.append(part)
                at.append(first)
            first += 1
    others = any(not part.slides and part not in turns for part in joint.parts)
    together = at == list(range(at[0], at[0] + len(at))) if at else False
    if len(turns) == 3 and not others and together and euler_order(turns):
        return (turns[0], turns[1], turns[2]), at[0]
    return None


def balls(joints: Sequence[Joint]) -> Iterator[tuple[Ball, np.ndarray]]:
    """What turns in all directions, with the three columns of q that hold it."""
    first = 0
    for joint in joints:
        found = ball_of(joint)
        if found is not None:
            yield found[0], first + found[1] + np.arange(3)
        first += joint.width


def euler_order(parts: Sequence[Part]) -> str:
    """ "ZYX" for turns about z, y and x (or against them) that reach every rotation, else ""."""
    letters = ""
    for part in parts:
        axis = np.abs(part.axis) if isinstance(part, Turn) else np.zeros(3)
        letters += "XYZ"[int(np.argmax(axis))] if sorted(axis) == [0.0, 0.0, 1.0] else "?"
    return letters if letters in ORDERS else ""


def _signs(turns: Sequence[Turn]) -> np.ndarray:
    return np.array([sum(turn.axis) for turn in turns])


def to_quat(part: Ball, values: np.ndarray) -> np.ndarray:
    """Rotations wxyz (frames, 4) of a ball from its coordinates (frames, 3)."""
    if isinstance(part, ExponentialBall):
        return exp_map(values)
    if isinstance(part, SwingTwistBall):
        u, v, t = part.basis.T
        swing = exp_map(values[:, :1] * u + values[:, 1:2] * v)
        return quat_multiply(swing, exp_map(values[:, 2:] * t))
    return euler_to_quat(values * _signs(part), euler_order(part))


def from_quat(part: Ball, wxyz: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Coordinates (frames, 3) of a ball, each row near the one before, the first near ``start``."""
    if isinstance(part, ExponentialBall):
        values = log_map(wxyz)
        _follow_vector(values, start.copy())
        return values
    if isinstance(part, SwingTwistBall):
        u, v, t = part.basis.T
        swing, twist = (log_map(half) for half in swing_twist(wxyz, t))
        angle = _near(twist @ t, start[2])
        return np.column_stack([swing @ u, swing @ v, angle])
    return euler_following(wxyz, euler_order(part), start * _signs(part)) * _signs(part)


def euler_following(wxyz: np.ndarray, order: str, start: np.ndarray | None = None) -> np.ndarray:
    """Euler angles of quaternions in time, each frame on the branch nearest to the one before.

    (frames, 4) → (frames, 3), radians, in the order's own sequence and not kept within ±π; the
    first frame is the one nearest to ``start`` (3,), or to zero.  In gimbal lock the turn the two
    outer angles share is spread over both.
    """
    angles = np.ascontiguousarray(quat_to_euler(wxyz, order))
    first, second, third = ("XYZ".index(letter) for letter in order)
    returns = first == third
    parity = 1.0 if returns or (second - first) % 3 == 1 else -1.0
    _follow_euler(angles, np.zeros(3) if start is None else np.array(start, float), returns, parity)
    return angles


@kernel
def _follow_euler(angles, last, returns, parity):
    """Move each row to the branch nearest to the row before; ``last`` (3,) is overwritten."""
    one, two = np.empty(3), np.empty(3)
    for i in range(angles.shape[0]):
        a, b, c = angles[i]
        lock = math.sin(b) if returns else math.cos(b)
        for k in range(3):
            one[k] = angles[i, k]
        two[0], two[1], two[2] = a + math.pi, -b if returns else math.pi - b, c + math.pi
        if abs(lock) < 1e-9:
            # Only a + s·c counts: share what it changed by between a and c.
            s = math.cos(b) if returns else parity * math.sin(b)
            s = 1.0 if s > 0.0 else -1.0
            change = a + s * c - last[0] - s * last[2]
            change -= TURN * np.round(change / TURN)
            one[0], one[2] = last[0] + 0.5 * change, last[2] + 0.5 * s * change
            two[0], two[2] = one[0], one[2]
            if returns:
                two[1] = b
        near, far = 0.0, 0.0
        for k in range(3):
            one[k] += TURN * np.round((last[k] - one[k]) / TURN)
            two[k] += TURN * np.round((last[k] - two[k]) / TURN)
            near += (one[k] - last[k]) ** 2
            far += (two[k] - last[k]) ** 2
        for k in range(3):
            last[k] = one[k] if near <= far else two[k]
            angles[i, k] = last[k]


@kernel
def _follow_vector(vectors, last):
    """Add whole turns to each rotation vector where that brings it nearer to the one before."""
    for i in range(vectors.shape[0]):
        length = math.sqrt((vectors[i] ** 2).sum())
        if length > 1e-12:
            along = (vectors[i] * last).sum() / length
            vectors[i] *= 1.0 + TURN * np.round((along - length) / TURN) / length
        last[:] = vectors[i]


def joint_values(joint: Joint, placed: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(frames, k) coordinates with which a joint comes nearest to transforms (frames, 4, 4) on its
    parent: slides first, then turns, each frame on the branch nearest to the one before."""
    fixed = quat_to_matrix(np.array(joint.wxyz))
    away = (placed[:, :3, 3] - np.array(joint.offset)) @ fixed
    turned = matrix_to_quat(fixed.T @ placed[:, :3, :3])
    out = np.broadcast_to(start, (len(placed), joint.width)).copy()
    first = 0
    turns: list[tuple[int, Turn]] = []
    for part in joint.parts:
        if isinstance(part, BallPart):
            out[:, first : first + 3] = from_quat(part, turned, start[first : first + 3])
            first += 3
        elif part.coupled is None:
            if isinstance(part, Slide):
                out[:, first] = away @ np.array(part.axis)
            else:
                turns.append((first, part))
            first += 1
    _set_turns(turns, turned, start, out)
    return out


def _set_turns(
    turns: list[tuple[int, Turn]], wxyz: np.ndarray, start: np.ndarray, out: np.ndarray
) -> None:
    """Angles of one, two or three turns that come nearest to rotations wxyz (frames, 4)."""
    if not turns:
        return
    columns = [column for column, _ in turns]
    axes = [np.array(turn.axis) for _, turn in turns]
    order = euler_order([turn for _, turn in turns])
    if len(turns) == 3 and order:
        ball = (turns[0][1], turns[1][1], turns[2][1])
        out[:, columns] = from_quat(ball, wxyz, start[columns])
    elif len(turns) == 1:
        _, twist = swing_twist(wxyz, axes[0])
        out[:, columns[0]] = _near(
            2.0 * np.arctan2(twist[:, 1:] @ axes[0], twist[:, 0]), start[columns[0]]
        )
    elif len(turns) == 2 and abs(axes[0] @ axes[1]) < 1e-9:
        # In axes a, b and a × b the turns are Euler angles whose third is dropped.
        basis = np.column_stack([*axes, np.cross(axes[0], axes[1])])
        inside = matrix_to_quat(basis.T @ quat_to_matrix(wxyz) @ basis)
        following = euler_following(inside, "XYZ", np.array([*start[columns], 0.0]))
        out[:, columns] = following[:, :2]
    else:
        out[:, columns] = turn_angles(np.array(axes), wxyz, start[columns])


def _near(angles: np.ndarray, start: float) -> np.ndarray:
    """Angles in time without jumps of whole turns, the first near ``start``."""
    followed = np.unwrap(angles) if len(angles) > 1 else angles  # which takes long for one
    return followed + TURN * np.round((start - followed[0]) / TURN)


def from_quat_each(ball: Ball, wxyz: np.ndarray) -> np.ndarray:
    """Coordinates (k, 3) of rotations that do not follow each other, each on its nearest branch."""
    if isinstance(ball, ExponentialBall):
        return log_map(wxyz)
    if isinstance(ball, SwingTwistBall):
        return swing_and_twist(ball, wxyz)
    return quat_to_euler(wxyz, euler_order(ball)) * _signs(ball)


def swing_and_twist(ball: BallPart, wxyz: np.ndarray) -> np.ndarray:
    """(k, 3) the two swing numbers and the twist of rotations, about the axes of a ball."""
    u, v, t = ball.basis.T
    swing, twist = (log_map(half) for half in swing_twist(wxyz, t))
    return np.column_stack([swing @ u, swing @ v, twist @ t])


def swing_twist_values(ball: BallPart, values: np.ndarray) -> np.ndarray:
    """(k, 3) the two swing numbers and the twist that coordinates (k, 3) of a ball stand for."""
    if isinstance(ball, ExponentialBall):
        return swing_and_twist(ball, to_quat(ball, values))
    return values

"""Poses between two poses, rotation by rotation, and figures moved over the ground."""

from __future__ import annotations

import numpy as np

from limbik.errors import FigureError
from limbik.figure.coordinates import balls, from_quat, joint_values, to_quat
from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.figure.motion import Motion
from limbik.figure.whole_turns import short_vectors
from limbik.humanoid.ground import AXES, up_axis
from limbik.maths.so3 import (
    exp_map,
    log_map,
    matrix_to_quat,
    quat_conjugate,
    quat_multiply,
    quat_to_matrix,
    slerp,
    swing_twist,
)

TURN = 2.0 * np.pi


def inside(figure: Figure, q: np.ndarray) -> np.ndarray:
    """(frames, n) the nearest poses inside the limits; rotations without limits stay as they are,
    however often they went round."""
    return figure.project(short_vectors(figure.definition, q))


def endless(figure: Figure) -> np.ndarray:
    """(n,) True for angles without limits, which are the same after a whole turn."""
    bounded = np.isfinite(figure.lower) | np.isfinite(figure.upper)
    return ~bounded & ~figure.slides


def between(figure: Figure, one: np.ndarray, two: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(frames, n) poses on the way from ``one`` to ``two`` (frames, n), inside the limits.

    ``share`` (frames,) is 0 at the first and 1 at the second.  Balls go the shorter way, as
    rotations; a turn without limits takes the shorter way round.  Where the share is 0 or 1
    throughout, poses stay as they are.
    """
    apart = two - one
    turning = endless(figure)
    apart[:, turning] -= TURN * np.round(apart[:, turning] / TURN)
    out = one + share[:, None] * apart
    for part, columns in balls(figure.definition):
        wxyz = slerp(to_quat(part, one[:, columns]), to_quat(part, two[:, columns]), share)
        out[:, columns] = from_quat(part, wxyz, one[0, columns])
    out = inside(figure, out)
    for end, poses in ((0.0, one), (1.0, two)):
        out[share == end] = poses[share == end]
    return out


def same_figure(one: Motion, two: Motion, what: str) -> Motion:
    """The second motion in the coordinates and at the frame rate of the first."""
    if not isinstance(two, Motion):
        raise FigureError(f"{what}: needs a Motion, got {type(two).__name__}")
    try:
        return two.resample(one.fps).onto(one.figure)
    except FigureError as error:
        raise FigureError(
            f"{what}: the motions are of different figures ({error}); put one on the other's "
            "figure with retarget first"
        ) from None


def ease(share: np.ndarray) -> np.ndarray:
    """0 to 1 with zero slope at both ends: 3s² − 2s³."""
    share = np.clip(share, 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def travel(motion: Motion, from_pose: np.ndarray, to_pose: np.ndarray) -> np.ndarray:
    """(4, 4) the movement over the ground, a heading and a shift, that takes the root of one pose
    to that of another as well as such a movement can; none where the root is not free."""
    figure, out = motion.figure, np.eye(4)
    root = free_root(figure, np.ones(figure.n, bool))
    if root < 0:
        return out
    axis = AXES.index(up_axis(figure, motion.q))
    here, there = (figure.frames(q)[root] for q in (from_pose, to_pose))
    turn = matrix_to_quat(there[:3, :3] @ here[:3, :3].T)
    out[:3, :3] = quat_to_matrix(swing_twist(turn, np.eye(3)[axis])[1])
    out[:3, 3] = there[:3, 3] - out[:3, :3] @ here[:3, 3]
    out[axis, 3] = 0.0
    return out


def moved(figure: Figure, q: np.ndarray, by: np.ndarray, near: np.ndarray) -> np.ndarray:
    """(frames, n) poses with the whole figure carried by a rigid movement (4, 4); the branches of
    the root's angles are those nearest to the pose ``near`` (n,)."""
    root = free_root(figure, np.ones(figure.n, bool))
    if root < 0 or np.array_equal(by, np.eye(4)):
        return q
    out = q.copy()
    columns = np.flatnonzero(figure.owner == root)
    placed = by @ figure.frames(q)[:, root]
    out[:, columns] = joint_values(figure.definition[root], placed, near[columns])
    return inside(figure, out)


def changes(figure: Figure, q: np.ndarray, to: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(frames, n) poses q (frames, n), each with a share of the change that takes the last of them
    to the pose ``to`` (n,): rotations by rotations, on the side of the parent."""
    apart = to - q[-1]
    turning = endless(figure)
    apart[turning] -= TURN * np.round(apart[turning] / TURN)
    out = q + share[:, None] * apart
    for part, columns in balls(figure.definition):
        wxyz = to_quat(part, q[:, columns])
        wanted = to_quat(part, to[None, columns])
        change = log_map(quat_multiply(wanted, quat_conjugate(wxyz[-1:])))
        new = quat_multiply(exp_map(share[:, None] * change), wxyz)
        out[:, columns] = from_quat(part, new, q[0, columns])
    out = inside(figure, out)
    out[share == 0.0] = q[share == 0.0]
    return out

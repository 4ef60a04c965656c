"""A pose by roles: how the bones of a body are turned, whatever rig it was made on.

With W the joints' rotations in the world, A the body's left, up and forward in columns, and T the
joints' frames in a T-pose in these axes, the bone of a role is turned by AᵀW·Tᵀ against the T-pose.
Another body with the same roles takes W' = A'·(AᵀW·Tᵀ)·T'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from limbik.errors import FigureError
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.humanoid.recognise import Body, recognise
from limbik.humanoid.t_frames import t_frames
from limbik.maths.so3 import matrix_to_quat, quat_to_matrix


@dataclass(frozen=True, eq=False)
class RolePose:
    """A pose that fits any body.

    Args:
        turns: role → wxyz (4,), how its bone is turned against the T-pose, in left, up and forward.
        hips: (3,) where the hips are against the rest pose, in left, up and forward, in lengths of
            a leg.
    """

    turns: Mapping[str, np.ndarray]
    hips: np.ndarray


def role_pose(
    figure: Figure,
    q: np.ndarray,
    *,
    body: Body | None = None,
    poses: np.ndarray | None = None,
) -> RolePose:
    """The pose of a body by its roles.

    Args:
        figure: a body, all of whose required roles are recognised.
        q: (n,) the pose.
        body: which joint is which, where that is known already.
        poses: (frames, n) some poses of a clip, for files whose rest pose does not stand.

    Returns:
        The pose.

    Raises:
        FigureError: where the figure is no body.

    >>> import limbik
    >>> figure = limbik.figures.human()
    >>> pose = role_pose(figure, figure.rest)
    >>> bool(np.allclose(with_role_pose(figure, pose), figure.rest, atol=1e-6))
    True
    """
    known = _complete(figure, body)
    axes, frames = t_frames(figure, known, poses)
    world = figure.frames(figure.single_pose(q, "q"))
    turns: dict[str, np.ndarray] = {}
    for role, joint in known.roles.items():
        i = figure.index(joint)
        turns[role] = matrix_to_quat(axes.T @ world[i, :3, :3] @ frames[i].T)
    at = figure.index(known["hips"])
    moved = world[at, :3, 3] - figure.positions(figure.rest)[at]
    return RolePose(turns, axes.T @ moved / _leg(figure, known))


def with_role_pose(
    figure: Figure,
    pose: RolePose,
    q: np.ndarray | None = None,
    *,
    body: Body | None = None,
    poses: np.ndarray | None = None,
) -> np.ndarray:
    """A body in a pose that was made on another one.

    Joints without a role, and roles that the pose does not have, are as in ``q``.  Everything is
    brought inside the limits.

    Args:
        figure: a body, all of whose required roles are recognised.
        pose: the pose by roles.
        q: (n,) the pose to begin with; the rest pose if None.
        body: which joint is which, where that is known already.
        poses: (frames, n) some poses of a clip, for files whose rest pose does not stand.

    Returns:
        (n,) the pose.

    Raises:
        FigureError: where the figure is no body.
    """
    known = _complete(figure, body)
    axes, frames = t_frames(figure, known, poses)
    out = figure.rest.copy() if q is None else figure.single_pose(q, "q").copy()
    roles = {figure.index(joint): role for role, joint in known.roles.items()}
    for i in sorted(roles):  # from the hips outward: parents come first
        columns = figure.coordinates_of(figure.joints[i])
        turn = pose.turns.get(roles[i])
        if turn is None or not len(columns):
            continue
        world = figure.frames(out)
        parent = int(figure.parents[i])
        above = np.eye(4) if parent < 0 else world[parent]
        local = np.linalg.inv(above) @ world[i]
        local[:3, :3] = above[:3, :3].T @ axes @ quat_to_matrix(turn) @ frames[i]
        out[columns] = joint_values(figure.definition[i], local[None], out[columns])[0]
        out[columns] = figure.project(out)[columns]
    return figure.project(_with_hips(figure, known, pose, axes, out))


def _with_hips(
    figure: Figure, body: Body, pose: RolePose, axes: np.ndarray, q: np.ndarray
) -> np.ndarray:
    """The pose with the hips where the other body's are, where the root can go there."""
    root = free_root(figure, np.ones(figure.n, bool))
    if root < 0:
        return q
    at = figure.index(body["hips"])
    wanted = figure.positions(figure.rest)[at] + axes @ pose.hips * _leg(figure, body)
    world = figure.frames(q)
    placed = world[root].copy()
    placed[:3, 3] += wanted - world[at, :3, 3]
    columns = figure.coordinates_of(figure.joints[root])
    out = q.copy()
    out[columns] = joint_values(figure.definition[root], placed[None], q[columns])[0]
    return out


def _leg(figure: Figure, body: Body) -> float:
    """How long the left leg is at rest, from the hip to the ankle along its bones."""
    places = figure.positions(figure.rest)
    parts = [places[figure.index(body[f"left{part}"])] for part in ("UpperLeg", "LowerLeg", "Foot")]
    return float(np.linalg.norm(np.diff(parts, axis=0), axis=1).sum())


def _complete(figure: Figure, body: Body | None) -> Body:
    known = recognise(figure) if body is None else body
    if not known.complete:
        missing = ", ".join(known.missing[:3])
        raise FigureError(f'the figure "{figure.name}" is no body: it has no {missing}')
    return known

"""A body in coordinates that its limits fit, with the limits: what people get without asking."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik.errors import FigureError
from limbik.figure.coordinates import ball_of, joint_values
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Limit
from limbik.figure.motion import Motion, across
from limbik.humanoid.enclose import widened
from limbik.humanoid.limits import limits_of_stance
from limbik.humanoid.recognise import SIDES, Body, recognise
from limbik.humanoid.stance import Stance
from limbik.maths.so3 import matrix_to_quat, quat_to_matrix

_LIMBS = ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
_LEAST_BEND = 0.1  # mean sine of a knee's or an elbow's bend that shows its axis
_TRIED = 60  # poses of a clip that are looked at for one that stands
_LOOKED_AT = 500  # poses of a clip in which bends are looked for


def limited(
    figure: Figure,
    poses: np.ndarray | None = None,
    *,
    body: Body | None = None,
    hold: bool = False,
) -> Figure:
    """The figure with anatomical limits, its balls in swing–twist coordinates that suit them.

    ``poses`` (frames, n), a clip's q, are needed where the figure does not stand in its rest pose:
    the one that stands best says how the bones lie.  With ``hold`` limits are widened where the
    poses go further, so that a clip can be followed on its own figure.  ``motion.onto`` carries
    motions to the new coordinates and back; those of the hips stay as they are.  FigureError where
    no body is found or no pose stands.

    Args:
        figure: of a body.
        poses: (frames, n) of a clip, where the rest pose does not stand.
        body: the body in it, recognised unless given.
        hold: widen limits where the poses go further.

    Returns:
        The figure, in coordinates of its own.

    Raises:
        FigureError: no body is found, or no pose stands.

    Example:
        >>> import limbik
        >>> clip = limbik.load_motion("walk.bvh")
        >>> figure = limbik.humanoid.limited(clip.figure, clip.q)
        >>> clip = clip.onto(figure)
    """
    known = recognise(figure) if body is None else body
    balls, found = body_limits(figure, known, poses, hold=hold)
    return balls.with_limits(found)


def body_limits(
    figure: Figure, body: Body, poses: np.ndarray | None = None, *, hold: bool = False
) -> tuple[Figure, dict[str, Limit]]:
    """The figure in coordinates that suit the limits, and the limits; as in ``limited``."""
    balls, standing = in_balls(figure, body, poses)
    # A pose that was made from a clip's: nothing in it lies along the world's axes.
    bends = None if np.array_equal(standing, balls.rest) or poses is None else {}
    found = limits_of_stance(balls, body, standing, bends)
    if hold and poses is not None:
        found = holding(balls, found, Motion(figure, np.atleast_2d(poses), 1.0).onto(balls).q)
    return balls, found


def unlimited(figure: Figure) -> bool:
    """Whether no joint of a figure is limited, its roots aside; ranges of slides do not count.

    Args:
        figure: to look at.

    Returns:
        True where only roots have limits.
    """
    if not isinstance(figure, Figure):
        raise FigureError(f"unlimited: needs a Figure, got {figure!r}")
    return all(joint.limit is None for joint in figure.definition if joint.parent is not None)


def in_balls(
    figure: Figure, body: Body, poses: np.ndarray | None = None
) -> tuple[Figure, np.ndarray]:
    """The figure with swing–twist balls, and a pose (n,) of it in which it stands.

    Where the rest pose does not stand, or has the arms up, zero is moved to a T-pose: a cone
    reaches no further than half a turn from zero.  Hips and what carries them stay as they are:
    they must turn all the way round, which swing and twist do not.
    """
    keep = carriers(figure, body)
    reason = stands(figure, body, figure.rest)
    if not reason:
        plain = figure.with_balls("swing-twist", keep=keep)
        return plain, plain.rest
    best, bends = best_standing(figure, body, poses, reason), None
    if poses is not None:
        some = _some(poses, _LOOKED_AT)
        best, bends = mean_back(figure, body, some, best), bend_axes(figure, body, some)
    straight = t_pose(figure, body, Stance(figure, body, best, bends), best)
    moved = figure.with_balls("swing-twist", keep=keep, around=straight)
    return moved, across(figure, moved, straight[None], moved.rest)[0]


def carriers(figure: Figure, body: Body) -> list[str]:
    """The hips, what they hang on, and roots: joints that place the body in the world."""
    names = [joint.name for joint in figure.definition if joint.parent is None]
    if "hips" in body:
        names += [figure.joints[i] for i in figure.tree.ancestors(figure.index(body["hips"]))]
    return names


def holding(figure: Figure, found: Mapping[str, Limit], q: np.ndarray) -> dict[str, Limit]:
    """The limits by joint, widened where poses q (frames, n) of the figure are outside."""
    outside = figure.with_limits(found)
    away = np.abs(outside.project(q) - q).max(axis=0) > 1e-9
    out = dict(found)
    for name, limit in found.items():
        columns = figure.coordinates_of(name)
        if away[columns].any():
            wider = widened(figure.definition[figure.index(name)], limit, q[:, columns])
            if wider is None:
                del out[name]
            else:
                out[name] = wider
    return out


def stands(figure: Figure, body: Body, pose: np.ndarray) -> str:
    """Why a pose (n,) cannot say how bones lie; empty where the body stands in it, arms not up."""
    try:
        stance = Stance(figure, body, pose)
    except FigureError as error:
        return str(error)
    return stance.arms_up()


def best_standing(figure: Figure, body: Body, poses: np.ndarray | None, reason: str) -> np.ndarray:
    """The pose of a clip that shows best how bones lie; the rest pose where only its arms are up.

    ``reason`` is what is wrong with the rest pose.
    """
    tried = figure.rest[None] if poses is None else _some(poses, _TRIED)
    found: list[tuple[float, int]] = []
    for k, pose in enumerate([figure.rest, *tried]):
        try:
            found.append((Stance(figure, body, pose).bent(), k))
        except FigureError:
            continue
    if not found:
        raise FigureError(reason)
    return [figure.rest, *tried][min(found)[1]]


def mean_back(figure: Figure, body: Body, poses: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """The pose (n,) with the back, the neck and the collarbones as they are in the mean of poses
    (frames, n): who moves leans to all sides, and who stands in one frame may lean."""
    frames = figure.frames(poses)
    moved = [name for name in figure.joints if name not in carriers(figure, body)]
    roles = {joint: role for role, joint in body.roles.items()}
    out = np.array(pose)
    for i, joint in enumerate(figure.definition):
        between = joint.name in moved and _is_trunk(roles.get(joint.name, ""))
        if not between or ball_of(joint) is None:
            continue
        above = frames[:, int(figure.parents[i]), :3, :3]
        wxyz = matrix_to_quat(np.swapaxes(above, 1, 2) @ frames[:, i, :3, :3])
        # The mean rotation is the strongest direction of the quaternions, whatever their signs.
        mean = np.linalg.eigh(wxyz.T @ wxyz)[1][:, -1]
        columns = figure.coordinates_of(joint.name)
        out[columns] = joint_values(joint, _placed(joint, quat_to_matrix(mean)), pose[columns])[0]
    return out


def _is_trunk(role: str) -> bool:
    return role in ("spine", "chest", "upperChest", "neck", "head") or role.endswith("Shoulder")


def _placed(joint: Joint, turned: np.ndarray) -> np.ndarray:
    """(1, 4, 4) the transform of a joint on its parent that is turned (3, 3) at its offset."""
    out = np.eye(4)[None].copy()
    out[0, :3, :3], out[0, :3, 3] = turned, joint.offset
    return out


def bend_axes(figure: Figure, body: Body, poses: np.ndarray) -> dict[str, np.ndarray]:
    """Role of an upper arm or a thigh → (3,) the axis in its frame that the next joint bends about.

    The mean of the bones' cross products over poses (frames, n), in which strong bends count most;
    nothing for a limb that hardly bends, or now about one axis and now about another.
    """
    frames = figure.frames(poses)
    out: dict[str, np.ndarray] = {}
    for role in (side + part for side in SIDES for part in ("UpperArm", "UpperLeg")):
        lower = role.replace("Upper", "Lower")
        end = role[:-8] + ("Hand" if role.endswith("Arm") else "Foot")
        if not {role, lower, end} <= set(body.roles):
            continue
        i, j, k = (figure.index(body[r]) for r in (role, lower, end))
        one, two = (frames[:, b, :3, 3] - frames[:, a, :3, 3] for a, b in ((i, j), (j, k)))
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
        across_both = np.cross(one, two) / np.maximum(lengths, 1e-12)[:, None]
        local = np.einsum("fba,fb->fa", frames[:, i, :3, :3], across_both)
        mean = local.mean(axis=0)
        size = float(np.linalg.norm(mean))
        if size > _LEAST_BEND and size > 0.8 * float(np.linalg.norm(local, axis=1).mean()):
            out[role] = mean / size
    return out


def _some(poses: np.ndarray, count: int) -> np.ndarray:
    every = np.atleast_2d(poses)
    return every[:: max(1, len(every) // count)]


def t_pose(figure: Figure, body: Body, stance: Stance, pose: np.ndarray) -> np.ndarray:
    """(n,) the pose of a stance with straight legs, and straight arms held out to the sides, as
    far as balls can take it."""
    out = np.array(pose)
    frames = stance.of_human()
    limbs = {body[role] for role in body.roles if role.endswith(_LIMBS)}
    for i, joint in enumerate(figure.definition):
        parent = int(figure.parents[i])
        if parent < 0 or joint.name not in limbs or ball_of(joint) is None:
            continue
        placed = _placed(joint, frames[parent].T @ frames[i])
        columns = figure.coordinates_of(joint.name)
        out[columns] = joint_values(joint, placed, pose[columns])[0]
    return out

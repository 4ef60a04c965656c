"""The frames of a figure's joints in a T-pose, also of files whose rest pose does not stand.

Some recorders write skeletons whose bones all point the same way at zero.  Their backs are straight
there and their limbs not twisted, but limbs do not point where a body's do.  How a thigh or an
upper arm is rolled is seen from the axis about which the next joint bends in a clip.
"""

from __future__ import annotations

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.humanoid.ground import AXES, up_axis
from limbik.humanoid.natural import bend_axes, stands
from limbik.humanoid.recognise import SIDES, Body
from limbik.humanoid.reference import along, bend_axis
from limbik.humanoid.stance import Stance

_LIMBS = (("UpperLeg", "LowerLeg", "Foot", "Toes"), ("UpperArm", "LowerArm", "Hand"))
_TRUNK = ("spine", "chest", "upperChest", "neck", "head")
_BENT = float(np.cos(np.radians(40.0)))  # a back that differs more from a clip's mean is bent
_SLOPE = np.array([0.0, -0.5, np.sqrt(0.75)])  # from the ankle down to the toes, the sole flat
_PRINCIPAL = 0.9  # cosine: an axis this near to one of the joint's own is that one
_LOOKED_AT = 500


def t_frames(
    figure: Figure, body: Body, poses: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(axes (3, 3), frames (joints, 3, 3)): the body's left, up and forward at rest, in columns,
    and the joints' frames in these axes where the body stands in a T-pose.

    ``poses`` (frames, n) are those of a clip, needed where the rest pose does not stand.
    """
    if not stands(figure, body, figure.rest):
        stance = Stance(figure, body, figure.rest)
        return stance.axes, stance.of_human()
    rest = figure.frames(figure.rest)
    at = {role: figure.index(joint) for role, joint in body.roles.items()}
    axes = _axes(figure, at, rest)
    frames = axes.T @ rest[:, :3, :3]
    some = figure.rest[None] if poses is None else poses[:: max(1, len(poses) // _LOOKED_AT)]
    if poses is not None:
        _straighten_trunk(figure, at, some, frames)
    bends = bend_axes(figure, body, some)
    for side in SIDES:
        for parts in _LIMBS:
            roles = [side + part for part in parts if side + part in at]
            _lay_limb(figure, at, roles, rest, bends, frames)
    return axes, frames


def _axes(figure: Figure, at: dict[str, int], rest: np.ndarray) -> np.ndarray:
    """Left, up and forward of the trunk, whatever the limbs do."""
    place = rest[:, :3, 3]
    left = place[at["leftUpperLeg"]] - place[at["rightUpperLeg"]]
    high = next((place[at[r]] for r in ("neck", "head", "upperChest", "chest") if r in at), None)
    if high is None or "hips" not in at:
        raise FigureError("retarget: the figure does not stand at rest and has no neck or chest")
    up = high - place[at["hips"]]
    up = up / np.linalg.norm(up)
    left = left - up * (left @ up)
    left = left / np.linalg.norm(left)
    return np.column_stack([left, up, np.cross(left, up)])


def _straighten_trunk(
    figure: Figure, at: dict[str, int], poses: np.ndarray, frames: np.ndarray
) -> None:
    """Where the back is bent at rest, lay it as it is in the mean of poses (frames, n), in place.

    Some files have a back that leaves the hips at a right angle at zero.
    """
    trunk = [at[role] for role in _TRUNK if role in at]
    turned = figure.frames(poses)[:, :, :3, :3]
    hips = at["hips"]
    means = {i: _mean(np.swapaxes(turned[:, hips], 1, 2) @ turned[:, i]) for i in trunk}
    back = [at[role] for role in _TRUNK[:3] if role in at]
    traces = [float(np.trace(frames[i].T @ frames[hips] @ means[i])) for i in back]
    if not traces or 0.5 * (min(traces) - 1.0) > _BENT:
        return
    rest = figure.frames(figure.rest)
    up = np.eye(3)[AXES.index(up_axis(figure, poses))]
    high = (np.swapaxes(turned[:, hips], 1, 2) @ up).mean(axis=0)
    across = rest[at["leftUpperLeg"], :3, 3] - rest[at["rightUpperLeg"], :3, 3]
    left = rest[hips, :3, :3].T @ across  # in the frame of the hips
    left = left / np.linalg.norm(left)
    high = high - left * (left @ high)
    high = high / np.linalg.norm(high)
    lies = {hips: np.stack([left, high, np.cross(left, high)])}
    lies |= {i: lies[hips] @ means[i] for i in trunk}
    for i, parent in enumerate(figure.parents.tolist()):
        if i not in lies and parent in lies:
            lies[i] = lies[parent] @ rest[parent, :3, :3].T @ rest[i, :3, :3]
    for i, own in lies.items():
        frames[i] = own


def _mean(turned: np.ndarray) -> np.ndarray:
    """(3, 3) the mean of rotations (frames, 3, 3)."""
    u, _, v = np.linalg.svd(turned.mean(axis=0))
    return u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v


def _lay_limb(
    figure: Figure,
    at: dict[str, int],
    roles: list[str],
    rest: np.ndarray,
    bends: dict[str, np.ndarray],
    frames: np.ndarray,
) -> None:
    """Lay the bones of a limb along those of a T-pose, from the body outward, in place."""
    turn = rest[:, :3, :3]
    below: dict[int, np.ndarray] = {}
    for k, role in enumerate(roles):
        i = at[role]
        before = at[roles[k - 1]] if k else -1
        lies = frames[i] if before < 0 else frames[before] @ turn[before].T @ turn[i]
        bone = _bone(figure, i, at[roles[k + 1]] if k + 1 < len(roles) else -1, rest)
        wanted = _SLOPE if role.endswith("Foot") else along(role)
        if bone is not None and wanted is not None and not role.endswith("Toes"):
            hinge = bends.get(role)
            if hinge is not None:
                hinge = _principal(hinge)
                hinge = hinge - bone * (bone @ hinge)
                hinge = hinge / np.linalg.norm(hinge)
                axis = bend_axis(role)
                there = np.column_stack([wanted, axis, np.cross(wanted, axis)])
                lies = there @ np.column_stack([bone, hinge, np.cross(bone, hinge)]).T
            else:
                lies = _arc(lies @ bone, wanted) @ lies
        below[i] = lies
        frames[i] = lies
    for i, parent in enumerate(figure.parents.tolist()):  # what hangs on the limb goes with it
        if parent in below and i not in below:
            below[i] = frames[i] = below[parent] @ turn[parent].T @ turn[i]


def _bone(figure: Figure, joint: int, after: int, rest: np.ndarray) -> np.ndarray | None:
    """(3,) the direction of a joint's bone in its own frame."""
    if after >= 0:
        way = rest[joint, :3, :3].T @ (rest[after, :3, 3] - rest[joint, :3, 3])
    else:
        way = figure.bone(joint)
        if figure.definition[joint].tip is None and not (figure.parents == joint).any():
            return None
    length = float(np.linalg.norm(way))
    return way / length if length > 1e-9 else None


def _principal(axis: np.ndarray) -> np.ndarray:
    """The axis, or the joint's own axis that it nearly is: which frames a clip has then matters
    less."""
    k = int(np.argmax(np.abs(axis)))
    return np.eye(3)[k] * np.sign(axis[k]) if abs(axis[k]) > _PRINCIPAL else axis


def _arc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, 3) the shortest turn of unit vector a onto b."""
    cross, cosine = np.cross(a, b), float(a @ b)
    if cosine < -1.0 + 1e-9:
        side = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        side = side / np.linalg.norm(side)
        return 2.0 * np.outer(side, side) - np.eye(3)
    x, y, z = cross
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + cosine)

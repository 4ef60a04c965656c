"""How far a body bends: anatomical limits for the joints of any figure that has a body's roles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import Limit
from limbik.humanoid.enclose import held, limit_around, turning
from limbik.humanoid.joint_names import take_apart
from limbik.humanoid.recognise import SIDES, Body, recognise
from limbik.humanoid.reference import column_movement, fanned, hinge_roll, movement
from limbik.humanoid.stance import Stance
from limbik.maths.so3 import matrix_to_quat, quat_multiply, quat_to_matrix

_AT_WRIST = 0.003  # of the figure's size
_SLACK = math.radians(25.0)  # of joints beside the body that stand for no joint of it
_STIFF = math.radians(10.0)  # of joints within a bone
_BONE_TURN = math.radians(90.0)  # of joints within a bone, about it: they share out its twist
_BONES = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))


def limits(
    figure: Figure,
    body: Body | None = None,
    *,
    standing: Sequence[float] | np.ndarray | None = None,
) -> dict[str, Limit]:
    """Anatomical limits for a figure's joints, by name, for ``Figure.with_limits``.

    The ranges are the tables of the AAOS and the AMA as given by Norkin & White, "Measurement of
    Joint Motion", widened so that they hold recorded people (``limbik.humanoid.widest`` says by how
    much and why).  They are carried over through ``standing``, a pose (n,) in which the body stands
    – T, A, arms hanging –, the figure's rest pose unless given: the built-in human in the same
    posture shows what each joint's zero is.  Arms that point up are refused.

    Each limit encloses what the human may do there: a cone for swing–twist and exponential balls, a
    range for turns.  Ranges of three Euler angles fit a shoulder badly, so change the balls of a
    figure from BVH first; ``limbik.humanoid.limited`` does both.  The back and the neck share
    their movement out among as many joints as there are; an arm without a collarbone gets that
    one's movement too.  Joints of a limb that stand for no joint of a body are held near the pose:
    those within a bone (upperarm02) bend by 10 degrees and turn by 90 about it, others (LHipJoint)
    by 25.  Where it is not known which of several joints is the elbow or the knee, those stay free.
    The root, the face, twist bones and whatever hangs on a body stay as they are.

    Args:
        figure: whose joints are limited.
        body: the body in it, recognised unless given.
        standing: (n,) a pose in which the body stands, the rest pose unless given.

    Returns:
        Limits by the names of joints.

    Raises:
        FigureError: there is no body, or it does not stand in that pose.

    Example:
        >>> import limbik
        >>> figure = limbik.figures.human()
        >>> limits(figure)["LeftToeBase"]
        Range([-0.872665], [1.48353])
    """
    known = recognise(figure) if body is None else body
    pose = figure.rest if standing is None else figure.single_pose(standing, "standing")
    return limits_of_stance(figure, known, pose)


def limits_of_stance(
    figure: Figure, known: Body, pose: np.ndarray, bends: Mapping[str, np.ndarray] | None = None
) -> dict[str, Limit]:
    """Anatomical limits through a pose (n,) in which the body stands; ``bends`` as in Stance."""
    joints = set(figure.joints)
    for role, joint in known.roles.items():
        if joint not in joints:
            raise FigureError(f'humanoid.limits: the body has "{joint}" as {role}, the figure not')
    return _Ranges(figure, known, pose, Stance(figure, known, pose, bends)).found


class _Ranges:
    """The limits of one figure, found role by role."""

    def __init__(self, figure: Figure, body: Body, pose: np.ndarray, stance: Stance) -> None:
        self._figure, self._body, self._pose = figure, body, pose
        self._stance = stance
        raised = self._stance.arms_up()
        if raised:
            raise FigureError(raised)
        self._t_pose = self._stance.of_human()
        self._at = {role: figure.index(joint) for role, joint in body.roles.items()}
        self._names = figure.joints
        self.found: dict[str, Limit] = {}
        self._column()
        for role, i in self._at.items():
            self._limb_joint(role, i)
        for side in SIDES:
            self._wrists(side)
            for end in ("Hand", "Foot"):
                self._between(side + end)

    def _set(self, i: int, samples: np.ndarray, roll: float = 0.0) -> None:
        """Limit joint i to rotations (k, 4) against its parent that are given in body axes.

        With W the joints' frames in the standing pose and C how their bones lie there against the
        T-pose, a human's D becomes (C_pᵀW_p)ᵀ·D·(C_jᵀW_j), all in body axes, and then the joint's
        own rotation, without its placement.
        """
        joint, parent = self._figure.definition[i], int(self._figure.parents[i])
        above = self._t_pose[parent] if parent >= 0 else self._stance.axes.T
        local = above.T @ quat_to_matrix(samples) @ self._t_pose[i]
        # A body can be in the pose it stands in, whatever the tables say.
        frames = self._stance.frames[:, :3, :3]
        stands = frames[i] if parent < 0 else frames[parent].T @ frames[i]
        local = np.concatenate([local, stands[None]])
        wxyz = matrix_to_quat(quat_to_matrix(np.array(joint.wxyz)).T @ local)
        rest = self._pose[self._figure.coordinates_of(joint.name)]
        limit = limit_around(joint, wxyz, rest, roll=roll)
        if limit is not None:
            self.found[joint.name] = limit

    def _turning(self, i: int) -> int:
        return turning(self._figure.definition[i])

    def _limb_joint(self, role: str, i: int) -> None:
        turns = self._turning(i)
        if not turns:
            return
        samples = movement(self._moves_as(role, i), turns=turns)
        if samples is None:
            if role.endswith("Metacarpal"):
                self._hold(i, _SLACK, _SLACK)
            return
        side = role.removesuffix("UpperArm")
        if side in SIDES and side + "Shoulder" not in self._at:
            girdle = movement(side + "Shoulder", turns=turns)
            assert girdle is not None
            # Every 29th of its samples: 29 and the length of their rows have no common divisor, so
            # that they are spread over all of them.
            samples = np.concatenate([quat_multiply(g, samples) for g in girdle[::29]])
        if len(self._figure.definition[i].turn_parts) == 3:
            samples = fanned(role, samples)  # ranges of Euler angles cannot be widened afterwards
        self._set(i, samples, hinge_roll(role))

    def _moves_as(self, role: str, i: int) -> str:
        """The role whose movement a joint has: that of a thumb depends on how many bones it has."""
        one_bone = role.replace("Metacarpal", "Proximal") not in self._at
        if not role.endswith("ThumbMetacarpal") or not one_bone:
            return role
        side = role.removesuffix("ThumbMetacarpal")
        frames, hand = self._stance.frames, self._at.get(side + "Hand", i)
        away = float(np.linalg.norm(frames[i, :3, 3] - frames[hand, :3, 3]))
        return side + ("Thumb" if away > _AT_WRIST * self._figure.size else "WristThumb")

    def _column(self) -> None:
        """The back from the hips to the neck, and the neck up to the head."""
        hips = self._at["hips"]
        ends = ("head", "neck", "upperChest", "chest", "spine")
        line: list[int] = []
        i = next((self._at[role] for role in ends if role in self._at), hips)
        while i >= 0 and i != hips:
            line.append(i)
            i = int(self._figure.parents[i])
        if i != hips:
            return  # the head hangs elsewhere
        line.reverse()
        low = next((self._at[role] for role in ("neck", "head") if role in self._at), -1)
        split = line.index(low) if low in line else len(line)
        for part, joints in (("back", line[:split]), ("neck", line[split:])):
            moving = [j for j in joints if self._turning(j)]
            for k, j in enumerate(moving):
                self._set(j, column_movement(part, k, len(moving)))

    def _wrists(self, side: str) -> None:
        """Joints after the wrist that share its work: "lhand" behind "lwrist" of CMU's files."""
        hand = self._at.get(side + "Hand")
        roles = set(self._at.values())
        below = {hand}
        for i, parent in enumerate(self._figure.parents.tolist()):
            name = take_apart(self._names[i])
            if parent in below and i not in roles and name.has("hand", "fingerbase"):
                turns = self._turning(i)
                samples = movement(side + "SecondHand", turns=turns)
                if turns and not name.aside and samples is not None:
                    below.add(i)
                    self._set(i, samples)

    def _between(self, end: str) -> None:
        """Hold the joints of a limb that have no role, from its end up to the body.

        Those within a bone turn about it and hardly bend.  Where it is not known which of several
        is the elbow or the knee, they stay free.
        """
        column = ("hips", "spine", "chest", "upperChest", "neck")
        body = {self._at[role] for role in column if role in self._at}
        side = "left" if end.startswith("left") else "right"
        parts = next(parts for parts in _BONES if side + parts[2] == end)
        first, middle, _ = (self._at.get(side + part, -1) for part in parts)
        i = self._at.get(end, -1)
        roles = set(self._at.values())
        within = True
        while i >= 0 and i not in body:
            within = within and i != first
            if i not in roles and self._names[i] not in self.found:
                if not within:
                    self._hold(i, _SLACK, _SLACK)
                elif middle >= 0:
                    self._hold(i, _STIFF, _BONE_TURN)
            i = int(self._figure.parents[i])

    def _hold(self, i: int, bend: float, turn: float) -> None:
        """Leave a joint radians to both sides of the standing pose: of bend, and about its bone."""
        joint = self._figure.definition[i]
        rest = self._pose[self._figure.coordinates_of(joint.name)]
        limit = held(joint, rest, bend, turn, self._figure.bone(i))
        if limit is not None and self._turning(i):
            self.found[joint.name] = limit

"""How a figure stands: the axes of its body, and how its bones lie against those of a T-pose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import SIDES, Body
from limbik.humanoid.reference import along, bend_axis, hinge, part_of, thumb_side
from limbik.maths.so3 import exp_map, quat_to_matrix

_UPRIGHT = math.cos(math.radians(20.0))  # how near an axis of the body is to one of the world's
_RAISED = math.sin(math.radians(50.0))  # of an upper arm, as the part of it that points up
_STEEP = -0.9  # of a foot's bone, as the part of it that points up
_LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
_ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
_PLACES = ("Metacarpal", "Proximal", "Intermediate", "Distal")


class Stance:
    """A figure's body in a pose in which it stands: T, A, arms hanging or anything between.

    ``axes`` (3, 3) has the body's left, up and forward in its columns, in the world.  ``turned``
    (joints, 3, 3) says for each joint, in the body's axes, how its bone lies in the pose against a
    T-pose: the shortest turns that carry the bones of one pose onto those of the other, joint after
    joint from the body outward.  Shortest turns do not roll limbs about themselves; a roll of the
    forearm is seen where the hand has a thumb.
    """

    def __init__(
        self,
        figure: Figure,
        body: Body,
        pose: np.ndarray,
        bends: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        """``bends`` are for a pose of a clip: axes (3,) about which the joints after upper arms and
        thighs bend, in the frames of those, by role.  With them the limbs' rolls are known."""
        self._figure, self._body = figure, body
        self._bends = bends
        self.frames = figure.frames(pose)
        self._at = {role: figure.index(joint) for role, joint in body.roles.items()}
        self._children: dict[int, list[int]] = {}
        for i, parent in enumerate(figure.parents.tolist()):
            self._children.setdefault(parent, []).append(i)
        self.axes = self._axes()
        turned: dict[int, np.ndarray] = {}
        for side in SIDES:
            self._limb(turned, side, _LEG)
            self._limb(turned, side, _ARM)
            self._roll_forearm(turned, side)
            for finger in _FINGERS:
                self._limb(turned, side, [finger + place for place in _PLACES], side + "Hand")
        self.turned = np.empty((len(figure.joints), 3, 3))
        for i, parent in enumerate(figure.parents.tolist()):
            above = self.turned[parent] if parent >= 0 else np.eye(3)
            self.turned[i] = turned.get(i, above)

    def of_human(self) -> np.ndarray:
        """(joints, 3, 3) the joints' frames, in body axes, where the body stands in a T-pose."""
        bones = np.swapaxes(self.turned, 1, 2) @ self.axes.T
        return bones @ self.frames[:, :3, :3]

    def arms_up(self) -> str:
        """A sentence where an arm points up: turned down from there, no cone knows which way."""
        for side in SIDES:
            bone = self._bone(side + "UpperArm") if side + "UpperArm" in self._at else None
            if bone is not None and bone[1] > _RAISED:
                return (
                    "humanoid.limits: the figure's arms point up in its rest pose; give a pose in "
                    "which they do not: standing=q, or use humanoid.limited(figure)"
                )
        return ""

    def bent(self) -> float:
        """How far the pose is from one with straight legs, straight arms held out or hanging, and
        hips and shoulders level and above each other: the sum of the squared angles, in radians.
        Arms count less."""
        total = 0.0
        for part in ("UpperLeg", "UpperArm"):
            left, right = self._place("left" + part), self._place("right" + part)
            if left is not None and right is not None:
                total += 2.0 * _angle(self.axes.T @ (left - right), np.array([1.0, 0.0, 0.0])) ** 2
        for side in SIDES:
            for part in ("UpperLeg", "LowerLeg", "UpperArm", "LowerArm"):
                bone = self._bone(side + part) if side + part in self._at else None
                reference = along(side + part)
                if bone is None or reference is None:
                    continue
                if part.endswith("Arm"):  # anything between held out and hanging is as good
                    flat = np.array([bone[0], min(bone[1], 0.0), 0.0])
                    outward = bone[0] * reference[0] > 0.0 or bone[1] < -0.8
                    length = float(np.linalg.norm(flat))
                    reference = flat / length if outward and length > 1e-9 else reference
                weight = 0.3 if part.endswith("Arm") else 1.0
                total += weight * _angle(bone, reference) ** 2
        return total

    def _place(self, role: str) -> np.ndarray | None:
        return self.frames[self._at[role], :3, 3] if role in self._at else None

    def _axes(self) -> np.ndarray:
        """The body's left, up and forward; of a rest pose, the world's axes where they are near."""
        sides = [
            (self._place("left" + part), self._place("right" + part))
            for part in ("UpperLeg", "UpperArm", "Shoulder", "LowerLeg")
        ]
        pairs = [left - right for left, right in sides if left is not None and right is not None]
        left = next((v for v in pairs if np.linalg.norm(v) > 1e-9 * self._figure.size), None)
        low = self._place("hips")
        high = None if low is None else self._high(low)
        if left is None or low is None or high is None:
            wanted = ", ".join(self._body.missing) or "left and right in different places"
            raise FigureError(
                f"humanoid.limits: no body was found in the figure; missing: {wanted}"
            )
        if self._bends is not None:
            # A frame of a clip: nothing in it lies along the world's axes.
            left, up = left / np.linalg.norm(left), high - low
            self._check_standing(left, up / np.linalg.norm(up))
            up = up - left * (left @ up)
            up /= np.linalg.norm(up)
            return np.column_stack([left, up, np.cross(left, up)])
        up = _snapped(high - low)
        self._check_standing(left, up)
        left = _snapped(left - up * (left @ up))
        left = left - up * (left @ up)
        left /= np.linalg.norm(left)
        return np.column_stack([left, up, np.cross(left, up)])

    def _high(self, low: np.ndarray) -> np.ndarray | None:
        """A place of the body above its hips: neck, head or chest, or between the arms where links
        of a robot have their origins elsewhere."""
        arms = [self._place(side + "UpperArm") for side in SIDES]
        between = [] if arms[0] is None or arms[1] is None else [0.5 * (arms[0] + arms[1])]
        known = [p for p in map(self._place, ("neck", "head", "chest")) if p is not None]
        near = 0.02 * self._figure.size
        return next((p for p in (*known, *between) if np.linalg.norm(p - low) > near), None)

    def _check_standing(self, across: np.ndarray, up: np.ndarray) -> None:
        """Refuse a pose whose legs do not point down, or whose left is above or below its right."""
        stands = abs(across @ up) < 0.7 * np.linalg.norm(across)
        for side in SIDES:
            hip, foot = self._place(side + "UpperLeg"), self._place(side + "Foot")
            if hip is not None and foot is not None:
                leg = foot - hip
                stands &= bool(leg @ up < -0.7 * np.linalg.norm(leg))
        if not stands:
            raise FigureError(
                "humanoid.limits: the figure does not stand in its rest pose (legs below the hips, "
                "left beside right); give a pose in which it does: standing=q"
            )

    def _bone(self, role: str) -> np.ndarray | None:
        """(3,) where a role's bone points, in the body's axes: to the next role's joint, or to its
        end."""
        i = self._at[role]
        start = self.frames[i, :3, 3]
        side = "left" if role.startswith("left") else "right"
        end = next((p for p in map(self._place, _next(side, part_of(role))) if p is not None), None)
        if end is None:
            joint, children = self._figure.definition[i], self._children.get(i, [])
            if joint.tip is not None:
                end = self.frames[i, :3, :3] @ np.array(joint.tip) + start
            elif len(children) == 1:
                end = self.frames[children[0], :3, 3]
            else:
                return None
        bone = self.axes.T @ (end - start)
        length = float(np.linalg.norm(bone))
        return bone / length if length > 1e-6 * self._figure.size else None

    def _limb(
        self, turned: dict[int, np.ndarray], side: str, parts: Sequence[str], on: str = ""
    ) -> None:
        """Note how the bones of a limb lie, one after the other from the role ``on`` outward."""
        above = turned.get(self._at.get(on, -1), np.eye(3))
        for role in (side + part for part in parts):
            if role not in self._at:
                continue
            reference, bone = along(role), self._bone(role)
            if part_of(role) == "Foot" and side + "Toes" not in self._at and _down(bone):
                bone = None  # an end straight below the ankle is a mark on the floor
            if reference is not None and bone is not None:
                above = _carried(role, above, reference, bone)
                if self._bends is not None and role in self._bends:
                    above = self._rolled(above, bone, role, self._bends[role])
            turned[self._at[role]] = above

    def _rolled(
        self, lies: np.ndarray, bone: np.ndarray, role: str, axis: np.ndarray
    ) -> np.ndarray:
        """How a bone lies, turned about itself until the next joint's axis is a human's."""
        seen = self.axes.T @ self.frames[self._at[role], :3, :3] @ axis
        expected = lies @ bend_axis(role)
        angle = math.atan2(float(bone @ np.cross(expected, seen)), float(expected @ seen))
        return quat_to_matrix(exp_map(angle * bone)) @ lies

    def _roll_forearm(self, turned: dict[int, np.ndarray], side: str) -> None:
        """Turn the forearm about itself until the thumb lies where the hand has it."""
        needed = [side + part for part in ("LowerArm", "Hand", "ThumbMetacarpal")]
        if any(role not in self._at for role in needed):
            return
        forearm, hand, thumb = (self._at[role] for role in needed)
        bone, along_arm = self._bone(side + "Hand"), self._bone(side + "LowerArm")
        if bone is None or along_arm is None:
            return
        offset = self.axes.T @ (self.frames[thumb, :3, 3] - self.frames[hand, :3, 3])
        offset -= bone * (offset @ bone)
        expected = turned[hand] @ thumb_side(side)
        expected -= bone * (expected @ bone)
        if np.linalg.norm(offset) < 0.01 * np.linalg.norm(self._length(side)):
            return  # the thumb starts at the wrist and tells nothing
        angle = math.atan2(float(bone @ np.cross(expected, offset)), float(expected @ offset))
        turned[forearm] = quat_to_matrix(exp_map(angle * along_arm)) @ turned[forearm]
        self._limb(turned, side, ("Hand",), side + "LowerArm")

    def _length(self, side: str) -> np.ndarray:
        return (
            self.frames[self._at[side + "Hand"], :3, 3]
            - self.frames[self._at[side + "LowerArm"], :3, 3]
        )


def _next(side: str, part: str) -> list[str]:
    """Roles that end the bone of a role, the best first."""
    if part == "Hand":
        return [
            f"{side}{f}{p}" for p in _PLACES[1:2] for f in ("Middle", "Index", "Ring", "Little")
        ]
    for line in (_ARM, _LEG, *([f + p for p in _PLACES] for f in _FINGERS)):
        if part in line:
            return [side + after for after in line[line.index(part) + 1 :]]
    return []


def _carried(role: str, above: np.ndarray, reference: np.ndarray, bone: np.ndarray) -> np.ndarray:
    """How a bone lies against the T-pose, when the one before it lies ``above``."""
    if part_of(role) == "Toes":
        return above
    if part_of(role) == "Foot" and _STEEP < bone[1] < 0.2:
        # How a foot's bone slopes differs between rigs.  Where it slopes as in a standing foot, the
        # sole is taken to be flat: only its turn to the side counts, and a leg spread sideways.
        leg = above @ np.array([0.0, -1.0, 0.0])
        spread = _about(2, math.atan2(leg[0], -leg[1]))
        flat = spread.T @ bone
        return spread @ _about(1, math.atan2(flat[0], flat[2]))
    axis = hinge(role)
    if axis is not None:
        # A finger's last joints only bend: what else their bones show is how the finger grew.
        axis, from_ = above @ axis, above @ reference
        from_, onto = from_ - axis * (axis @ from_), bone - axis * (axis @ bone)
        angle = math.atan2(float(axis @ np.cross(from_, onto)), float(from_ @ onto))
        return quat_to_matrix(exp_map(angle * axis)) @ above
    return _arc(above @ reference, bone) @ above


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """Radians between two directions."""
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))


def _down(bone: np.ndarray | None) -> bool:
    return bone is not None and bool(bone[1] < _STEEP)


def _about(axis: int, angle: float) -> np.ndarray:
    """(3, 3) a turn about one of the body's axes: left, up, forward."""
    return quat_to_matrix(exp_map(angle * np.eye(3)[axis]))


def _arc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, 3) the shortest turn of unit vector a onto b; about any axis for opposite ones."""
    axis = np.cross(a, b)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        if a @ b > 0.0:
            return np.eye(3)
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        return quat_to_matrix(exp_map(math.pi * axis / np.linalg.norm(axis)))
    return quat_to_matrix(exp_map(math.atan2(sine, float(a @ b)) * axis / sine))


def _snapped(v: np.ndarray) -> np.ndarray:
    """The unit vector, or the axis of the world that it nearly is."""
    v = v / np.linalg.norm(v)
    k = int(np.argmax(np.abs(v)))
    return np.eye(3)[k] * np.sign(v[k]) if abs(v[k]) > _UPRIGHT else v

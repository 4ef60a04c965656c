"""The shape of a body for retargeting: which link carries what, centres of hips and shoulders,
lengths of limbs, soles of feet; the same for a character of balls and a robot of hinges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.animate.contacts import metre
from limbik.animate.retargeting.arm_end import arm_end
from limbik.animate.retargeting.sole_points import sole_points
from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import Turn
from limbik.humanoid.ground import AXES, points_of, up_axis
from limbik.humanoid.natural import stands
from limbik.humanoid.recognise import SIDES, Body
from limbik.humanoid.t_frames import t_frames

NEEDED = tuple(
    side + part
    for side in SIDES
    for part in ("UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm")
)
"""Roles without which nothing is retargeted; hands, hips, back and head are used where found."""

_BALL_OF_FOOT = 0.2  # of the leg: how far a foot without toes reaches ahead of the ankle
_HEEL = 0.085  # of the leg: how far the heel is behind it
_ANKLE = 0.09  # of the leg: how high the ankle is above the sole, where nothing tells
_FOREARM = 0.4  # of the upper arm: a forearm without a hand is longer, or nothing is known of it
_ACROSS = 0.4  # an axis is across a bone where the cosine of their angle is smaller
_SECOND_AXIS = 0.3  # of the bone before: hinges nearer than this belong to the same joint


@dataclass(frozen=True)
class Foot:
    """A foot as a rigid link: points in body axes (left, up, forward) from the link's origin, with
    the sole flat."""

    link: int
    height: float
    """Of the link's origin above the ground where the sole is flat."""
    ball: np.ndarray
    """(3,) the joint of the toes, or the front end of the sole where there are none: the centre of
    what is round there, so that a foot rolls over it."""
    heel: np.ndarray
    """(3,) the back end of the sole."""
    sole: np.ndarray
    """(k, 4) outer balls of the sole: centres and radii."""


class BodyShape:
    """A figure's body: ``axes`` (3, 3) has its left, up and forward at rest in its columns;
    ``t_frames`` (joints, 3, 3) the frames of its joints in these axes, in a T-pose."""

    def __init__(self, figure: Figure, body: Body, poses: np.ndarray | None = None) -> None:
        missing = [role for role in NEEDED if role not in body]
        if missing:
            raise FigureError(
                f"retarget: {figure.name or 'the figure'} has no joint for {', '.join(missing)}; "
                "name them in a TOML file: overrides=..."
            )
        self.figure, self.body = figure, body
        self.at = {role: figure.index(joint) for role, joint in body.roles.items()}
        self.up = AXES.index(up_axis(figure, poses))
        self.metre = metre(figure, body)
        self._children: dict[int, list[int]] = {}
        for i, parent in enumerate(figure.parents.tolist()):
            self._children.setdefault(parent, []).append(i)
        self.pelvis = self._meet([self.at[side + "UpperLeg"] for side in SIDES])
        self.chest = self._meet([self.at[side + "UpperArm"] for side in SIDES])
        self.axes, self.t_frames = t_frames(figure, self._with_trunk(), poses)
        self.frames = figure.frames(figure.rest)
        for side in SIDES:
            self._find_elbow(side)
        self.stands = not stands(figure, self._with_trunk(), figure.rest)
        self.balls: set[str] = set()
        """Roles of thighs and upper arms that turn about the origin of their joint."""
        self.hips = {side: self._centre(side, "Leg", self.pelvis) for side in SIDES}
        self.shoulders = {side: self._centre(side, "Arm", self.chest) for side in SIDES}
        self.end = {
            side + part: self._last_axis(self.at[side + part])
            for side in SIDES
            for part in ("Foot", "Hand")
            if side + part in self.at
        }
        self.hands = {side: hand for side in SIDES if (hand := self._hand(side)) is not None}
        """By side: the link that carries the end of an arm, and (3,) that point in its frame."""
        if "head" in self.at:
            self.end["head"] = self._last_axis(self.at["head"])

    def _with_trunk(self) -> Body:
        """The body with hips and a chest to see its axes by, where recognised roles lack them."""
        roles = dict(self.body.roles)
        names = self.figure.joints
        roles.setdefault("hips", names[self.pelvis])
        if not {"neck", "head", "chest"} & set(roles) or roles["hips"] == names[self.chest]:
            roles["hips"] = names[self.pelvis]
            roles["chest"] = names[self.chest]
        return Body(roles, (), ())

    def _meet(self, joints: list[int]) -> int:
        common = [set(self.figure.tree.ancestors(joint)) for joint in joints]
        return max(set.intersection(*common), default=0)  # parents come before children

    def place(self, joint: int) -> np.ndarray:
        """(3,) where a joint is at rest."""
        return self.frames[joint, :3, 3]

    def in_body(self, vector: np.ndarray) -> np.ndarray:
        """A vector of the rest pose in body axes."""
        return self.axes.T @ vector

    def local(self, joint: int, point: np.ndarray) -> np.ndarray:
        """A point of the rest pose in a joint's own frame."""
        frame = self.frames[joint]
        return frame[:3, :3].T @ (point - frame[:3, 3])

    def _hinge(self, joint: int) -> np.ndarray | None:
        """(3,) the world axis of a joint that is one turn, at rest."""
        parts = self.figure.definition[joint].parts
        if len(parts) == 1 and isinstance(parts[0], Turn):
            return self.frames[joint, :3, :3] @ np.array(parts[0].axis)
        return None

    def _centre(self, side: str, kind: str, trunk: int) -> np.ndarray:
        """(3,) where a limb turns, at rest: the point nearest to the axes of its first
        hinges, or the origin of its ball."""
        lower = self.at[f"{side}Lower{kind}"]
        line = [i for i in self.figure.tree.ancestors(int(self.figure.parents[lower])) if i > trunk]
        moving = [i for i in line if self.figure.definition[i].parts]
        axes = [(i, axis) for i in moving if (axis := self._hinge(i)) is not None]
        if len(axes) < len(moving) or len(axes) < 2:
            self.balls.add(f"{side}Upper{kind}")
            return self.place(self.at[f"{side}Upper{kind}"])
        # Σ (I − aaᵀ)(x − o) = 0 for axes a through o.
        left, right = 1e-9 * np.eye(3), np.zeros(3)
        for i, axis in axes:
            across = np.eye(3) - np.outer(axis, axis)
            left, right = left + across, right + across @ self.place(i)
        centre = np.linalg.solve(left, right)
        # A limb that swings about an axis across it hangs where it is on that axis (Unitree H1).
        last, bone = axes[0][1], self.place(lower) - centre
        if abs(last @ bone) < _ACROSS * np.linalg.norm(bone):
            centre = centre + (last @ bone) * last
        return centre

    def _find_elbow(self, side: str) -> None:
        """Where a robot's first joint of the elbow turns the upper arm about itself, and the next,
        which its names call hand, bends it (Booster T1), the forearm is what the next one moves."""
        lower, hand = self.at[side + "LowerArm"], self.at.get(side + "Hand")
        if hand is None or int(self.figure.parents[hand]) != lower:
            return
        twist, bend = self._hinge(lower), self._hinge(hand)
        bone = self.place(hand) - self.place(lower)
        length = float(np.linalg.norm(bone))
        if twist is None or bend is None or self._hinges_below(hand):
            return
        if abs(twist @ bone) > 0.9 * length and abs(bend @ bone) < _ACROSS * length:
            self.at[side + "LowerArm"] = hand
            del self.at[side + "Hand"]

    def _hinges_below(self, joint: int) -> bool:
        below = list(self._children.get(joint, []))
        while below:
            at = below.pop()
            if self.figure.definition[at].parts:
                return True
            below += self._children.get(at, [])
        return False

    def _last_axis(self, joint: int) -> int:
        """The last link of a joint that is several hinges, one right after the other."""
        parent = int(self.figure.parents[joint])
        while parent >= 0 and not self.figure.definition[parent].parts:
            parent = int(self.figure.parents[parent])
        bone = float(np.linalg.norm(self.place(joint) - self.place(parent))) if parent >= 0 else 0.0
        known, at = set(self.at.values()), joint
        while self._hinge(joint) is not None:
            after = [
                i
                for i in self._children.get(at, [])
                if self._hinge(i) is not None and i not in known
            ]
            far = [float(np.linalg.norm(self.place(i) - self.place(at))) for i in after]
            if len(after) != 1 or far[0] > max(_SECOND_AXIS * bone, 0.08 * self.metre):
                break
            at = after[0]
        return at

    def _hand(self, side: str) -> tuple[int, np.ndarray] | None:
        """The joint of the hand, or the end of the forearm where there is none."""
        if side + "Hand" in self.at:
            return self.at[side + "Hand"], np.zeros(3)
        link = self.at[side + "LowerArm"]
        upper = float(np.linalg.norm(self.place(link) - self.shoulders[side]))
        end = arm_end(self.figure, link, _FOREARM * upper)
        return None if end is None else (link, end)

    def segments(self, side: str, kind: str) -> tuple[float, float]:
        """Lengths of upper and lower leg or arm: from the centre over the middle to the end."""
        centre = (self.hips if kind == "Leg" else self.shoulders)[side]
        middle = self.place(self.at[f"{side}Lower{kind}"])
        upper = float(np.linalg.norm(middle - centre))
        if kind == "Leg":
            end = self.place(self.end[side + "Foot"])
        elif side in self.hands:
            link, at = self.hands[side]
            end = self.frames[link, :3, :3] @ at + self.place(link)
        else:
            return upper, upper
        return upper, float(np.linalg.norm(end - middle))

    @property
    def tilts(self) -> bool:
        """Whether feet can tilt sideways: two axes or more between knee and sole."""
        moved = [
            len(np.flatnonzero(self.figure.owner == i))
            for side in SIDES
            for i in self.figure.tree.ancestors(self.end[side + "Foot"])
            if i > self.at[side + "LowerLeg"]
        ]
        return sum(moved) >= 2 * len(SIDES)

    @property
    def leg(self) -> float:
        """The length of a leg, from the hip over the knee to the link of the foot."""
        return float(np.mean([sum(self.segments(side, "Leg")) for side in SIDES]))

    @property
    def hip_middle(self) -> np.ndarray:
        return 0.5 * (self.hips["left"] + self.hips["right"])

    @property
    def shoulder_middle(self) -> np.ndarray:
        return 0.5 * (self.shoulders["left"] + self.shoulders["right"])

    def foot(self, side: str, sole: float | None = None) -> Foot:
        """The foot of a side; ``sole`` is the height of its link above the sole where known."""
        link = self.end[side + "Foot"]
        points = sole_points(self.figure, link, self.t_frames[link], self.leg)
        height = sole
        if height is None:
            height = self._sole(link) if points is None else -_lowest(points)
        toes = self.at.get(side + "Toes")
        ball = np.array([0.0, -height, _BALL_OF_FOOT * self.leg])
        heel = np.array([0.0, -height, -_HEEL * self.leg])
        if points is not None:
            points = points - [0.0, _lowest(points) + height, 0.0, 0.0]
            middle = points[:, 2].mean()
            ball = points[points[:, 2] > middle, :3].mean(axis=0)
            heel = points[points[:, 2] <= middle, :3].mean(axis=0)
        if toes is not None:
            ball = self.in_body(self.place(toes) - self.place(link))
        if points is None:
            points = np.zeros((2, 4))
            points[:, :3] = heel, ball * [1.0, 0.0, 1.0] - [0.0, height, 0.0]
        return Foot(link, height, ball, heel, points)

    def _sole(self, link: int) -> float:
        """How high a foot's link is above the sole, where no shape tells: from what hangs on it
        (tips), from the floor at height 0 that a figure stands on at rest, or as in most bodies."""
        figure = self.figure
        at = float(figure.positions(figure.rest)[link, self.up])
        lowest = float(points_of(figure, figure.rest)[:, self.up].min())
        if 0.005 * self.leg < at < 0.2 * self.leg and lowest > -0.005 * self.leg:
            return at
        deepest = at - lowest
        return deepest if deepest > 0.03 * self.leg else _ANKLE * self.leg


def _lowest(balls: np.ndarray) -> float:
    """The height of the lowest point of balls (k, 4)."""
    return float((balls[:, 1] - balls[:, 3]).min())

"""Mirroring: the poses and motions of any figure that has a left and a right, reflected.

A pose is mirrored in the world, not in its numbers: joint j takes the world rotation of its twin k,
reflected, R'_j = S·R_k·B_j with the constant B_j = R⁰_kᵀ·S⁰·R⁰_j that the rest pose gives.  The
result is then said in the figure's own coordinates and projected onto its limits.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.figure.joint_poses import values_near
from limbik.figure.whole_turns import short_vectors
from limbik.humanoid.ground import AXES, Axis
from limbik.humanoid.joint_names import take_apart
from limbik.humanoid.mirror_pairs import ALONE, twins
from limbik.humanoid.recognise import recognise

_SNAP = math.cos(math.radians(10.0))  # a plane this near an axis of the world is across it
_ASKEW = 0.05  # of the size: a pose that is nearer to its mirror image is taken for one
_SIGNED = np.array(
    [
        signs * np.eye(3)[list(order)]
        for order in itertools.permutations(range(3))
        for signs in np.array(list(itertools.product((1.0, -1.0), repeat=3)))[:, :, None]
        if np.linalg.det(signs * np.eye(3)[list(order)]) < 0.0
    ]
)
"""(24, 3, 3) axes exchanged and turned round, so that left becomes right."""

_BONES = 10.0  # how much more it counts that bones lie on their twins' than that joints turn alike


@dataclass(frozen=True)
class Plane:
    """Points x with normal·x = offset; what is on one side is reflected to the other."""

    normal: np.ndarray
    offset: float

    @property
    def reflection(self) -> np.ndarray:
        """(3, 3) how directions are reflected."""
        return np.eye(3) - 2.0 * np.outer(self.normal, self.normal)

    def points(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) reflected points."""
        away = points @ self.normal - self.offset
        return points - 2.0 * away[..., None] * self.normal


def nearest_axis(direction: np.ndarray) -> np.ndarray:
    """(3,) the axis of the world, or its opposite, that a direction goes along by and large."""
    nearest = np.eye(3)[int(np.argmax(np.abs(direction)))]
    return nearest * np.sign(direction @ nearest)


class PoseMirror:
    """Reflects the poses of one figure.

    ``up`` is the axis that points up.  ``poses`` (k, n) are poses among which one may be its own
    mirror image, where the rest pose is not.
    """

    def __init__(self, figure: Figure, up: Axis, poses: np.ndarray | None = None) -> None:
        found = twins(figure)
        if found is None:
            raise LimbikError("This figure has no left and right that could be told apart.")
        self._figure, self.twin, self._up = figure, found, np.eye(3)[AXES.index(up)]
        here = np.arange(len(found))
        paired = [i for i in here if found[i] not in (ALONE, i)]
        left = [i for i in paired if take_apart(figure.joints[i]).side == "left"]
        self._left = np.array(left or [i for i in paired if found[i] > i])
        self._right = found[self._left]
        self._ends = self._ends_of_limbs()
        tried = figure.rest[None] if poses is None else np.concatenate([figure.rest[None], poses])
        askew, self._plane, q = min((self._image(q) for q in tried), key=lambda image: image[0])
        turns = figure.frames(q)[:, :3, :3]
        # Improper matrices; with the reflection of a pose they make rotations.
        twin = np.where(found == ALONE, here, found)
        self._constant = turns[twin].transpose(0, 2, 1) @ self._plane.reflection @ turns
        root = int(np.flatnonzero(figure.parents < 0)[0])
        self._lateral = turns[root].T @ self._plane.normal
        if askew > _ASKEW:
            self._constant = self._from_bones(tried)
            # What the root's constant turns round is its left and right, and the world's axes serve
            # for a plane that no pose tells.
            self._lateral = 0.5 * (self._lateral - self._constant[root] @ self._lateral)
            normal = nearest_axis(self._plane.normal)
            self._plane = self._through_middle(figure.positions(q), normal)
            if self._misfit() > _ASKEW:
                raise LimbikError("This figure is in no pose that would be its own mirror image.")
        self._free = free_root(figure, np.ones(figure.n, bool)) >= 0

    def _ends_of_limbs(self) -> tuple[np.ndarray, np.ndarray]:
        """Joints left and right between whose middles the plane goes: feet, or ends of chains."""
        body, figure = recognise(self._figure), self._figure
        if "leftFoot" in body and "rightFoot" in body:
            feet = [np.array([figure.index(body[role])]) for role in ("leftFoot", "rightFoot")]
            return feet[0], feet[1]
        carrying = set(figure.parents.tolist())
        ends = [k for k, i in enumerate(self._left) if int(i) not in carrying]
        chosen = ends or list(range(len(self._left)))
        return self._left[chosen], self._right[chosen]

    def _image(self, q: np.ndarray) -> tuple[float, Plane, np.ndarray]:
        """(how far the pose q is from its mirror image in parts of the size, the plane, q)."""
        positions, figure = self._figure.positions(q), self._figure
        across = (positions[self._left] - positions[self._right]).sum(axis=0)
        across -= self._up * (across @ self._up)
        length = float(np.linalg.norm(across))
        if length < 1e-9 * figure.size:
            return math.inf, Plane(self._up, 0.0), q
        normal = across / length
        nearest = nearest_axis(normal)
        if normal @ nearest > _SNAP:
            normal = nearest
        plane = self._through_middle(positions, normal)
        away = plane.points(positions[self._left]) - positions[self._right]
        # Not the worst: a prop in one hand does not make a body askew.
        askew = float(np.quantile(np.linalg.norm(away, axis=1), 0.8)) / figure.size
        return askew, plane, q

    def _from_bones(self, poses: np.ndarray) -> np.ndarray:
        """(joints, 3, 3) the constants of a figure that is in none of its poses (k, n) its own
        mirror image: a file may have every bone along one axis at rest.

        In nearly all files the frames of twins are alike but for the order and signs of their axes.
        Of these, such are sought that lay bones on their twins' and, since on the whole people
        do to the left what they do to the right, fit best how twins turn on their parents, by
        B_j = L_kᵀ·B_p·L_j with their rotations L.
        """
        figure, out = self._figure, self._constant.copy()
        turns = figure.frames(poses)[..., :3, :3]
        parents = figure.parents.tolist()
        ends: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in parents]
        for i, joint in enumerate(figure.definition):
            twin = figure.definition[int(self.twin[i])] if self.twin[i] != ALONE else joint
            if parents[i] >= 0:
                ends[parents[i]].append((np.array(joint.offset), np.array(twin.offset)))
        for i, above in enumerate(parents):
            k, seen = int(self.twin[i]), out[i]
            if k == ALONE:
                continue
            if above >= 0:
                one = turns[:, above].transpose(0, 2, 1) @ turns[:, i]
                beside = parents[k]
                two = turns[:, beside].transpose(0, 2, 1) @ turns[:, k]
                seen = (two.transpose(0, 2, 1) @ out[above] @ one).mean(axis=0)
            score = np.einsum("ab,sab->s", seen, _SIGNED)
            long = sum(float(np.linalg.norm(end)) for end, _ in ends[i])
            if long > 0.0:
                away = sum(np.linalg.norm(_SIGNED @ end - other, axis=1) for end, other in ends[i])
                score -= _BONES * away / long
            out[i] = _SIGNED[int(np.argmax(score))]
        return out

    def _misfit(self) -> float:
        """How far bones are, reflected, from their twins', in parts of the size; not the worst."""
        figure = self._figure
        offsets = np.array([joint.offset for joint in figure.definition])
        known = np.flatnonzero((self.twin != ALONE) & (figure.parents >= 0))
        over = np.einsum("jab,jb->ja", self._constant[figure.parents[known]], offsets[known])
        away = np.linalg.norm(over - offsets[self.twin[known]], axis=1)
        return float(np.quantile(away, 0.8, method="higher")) / figure.size

    def _through_middle(self, positions: np.ndarray, normal: np.ndarray) -> Plane:
        """The plane halfway between the ends of left and right limbs."""
        left, right = self._ends
        middle = 0.5 * (positions[left] + positions[right]).mean(axis=0)
        return Plane(normal, float(normal @ middle))

    def plane(self, q: np.ndarray) -> Plane:
        """The plane in which the pose q (n,) is reflected.

        A figure on a fixed base has the one of its rest pose.  One that is free to walk is mirrored
        where it stands, between its feet, and across the axis it faces by and large, so that feet
        that are side by side exchange their places.
        """
        if not self._free:
            return self._plane
        frames = self._figure.frames(q)
        root = int(np.flatnonzero(self._figure.parents < 0)[0])
        # Where the root has carried "to the left".
        lateral = frames[root, :3, :3] @ self._lateral
        ahead = np.cross(self._up, self._plane.normal)
        sideways = abs(lateral @ self._plane.normal) >= abs(lateral @ ahead)
        return self._through_middle(frames[:, :3, 3], self._plane.normal if sideways else ahead)

    def pose(self, q: np.ndarray) -> np.ndarray:
        """(n,) the pose with left and right exchanged, inside the limits."""
        figure, plane = self._figure, self.plane(q)
        frames = figure.frames(q)
        wanted = np.tile(np.eye(4), (len(frames), 1, 1))
        wanted[:, :3, :3] = plane.reflection @ frames[self.twin, :3, :3] @ self._constant
        wanted[:, :3, 3] = plane.points(frames[self.twin, :3, 3])
        out, first = q.copy(), 0
        for i, joint in enumerate(figure.definition):
            columns = slice(first, first + joint.width)
            first = columns.stop
            above, twin = int(figure.parents[i]), int(self.twin[i])
            if twin == ALONE:  # it keeps its values, on whatever it hangs
                wanted[i] = wanted[above] @ np.linalg.inv(frames[above]) @ frames[i]
            elif columns.start < columns.stop:
                placed = wanted[i] if above < 0 else np.linalg.inv(wanted[above]) @ wanted[i]
                guess = q[figure.owner == twin]
                near = guess if twin == i else figure.rest[columns]
                out[columns] = values_near(joint, placed, guess, near)
        return figure.project(self._between_feet(figure.project(out), plane))

    def poses(self, q: np.ndarray) -> np.ndarray:
        """(frames, n) a motion with left and right exchanged, inside the limits.

        All frames are reflected in one plane, that of the first.
        """
        figure, plane = self._figure, self.plane(q[0])
        frames = figure.frames(q)
        wanted = np.tile(np.eye(4), (*frames.shape[:2], 1, 1))
        over = plane.reflection @ frames[:, self.twin, :3, :3] @ self._constant
        wanted[..., :3, :3] = over
        wanted[..., :3, 3] = plane.points(frames[:, self.twin][..., :3, 3])
        out, first = q.copy(), 0
        start = self.pose(q[0])  # the branches of angles that the first frame is on
        for i, joint in enumerate(figure.definition):
            columns = slice(first, first + joint.width)
            first = columns.stop
            above = int(figure.parents[i])
            if int(self.twin[i]) == ALONE:
                wanted[:, i] = wanted[:, above] @ np.linalg.inv(frames[:, above]) @ frames[:, i]
            elif columns.start < columns.stop:
                placed = wanted[:, i]
                if above >= 0:
                    placed = np.linalg.inv(wanted[:, above]) @ placed
                out[:, columns] = joint_values(joint, placed, start[columns])
        return figure.project(short_vectors(figure.definition, out))

    def _between_feet(self, q: np.ndarray, plane: Plane) -> np.ndarray:
        """A pose whose plane is this one: limbs of unequal lengths would shift it, and mirrored
        twice a figure would have wandered."""
        if not self._free:
            return q
        left, right = self._ends
        positions = self._figure.positions(q)
        middle = 0.5 * (positions[left] + positions[right]).mean(axis=0)
        root = int(np.flatnonzero(self._figure.parents < 0)[0])
        here = np.flatnonzero(self._figure.owner == root)
        slid = here[self._figure.slides[here]]
        along = self._figure.jacobian(q, self._figure.joints[root])[:3, slid]
        out = q.copy()
        out[slid] += along.T @ (plane.normal * (plane.offset - plane.normal @ middle))
        return out

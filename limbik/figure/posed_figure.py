"""The part of a figure that speaks of its coordinates and poses: limits, places, Jacobians."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure import kinematics as kin
from limbik.figure import layout as lay
from limbik.figure.joints import Joint
from limbik.figure.projection import project_many
from limbik.figure.tree.tree import Tree
from limbik.figure.whole_turns import outside

Pose = Sequence[float] | np.ndarray | Mapping[str, Any]
"""(n,) numbers, (frames, n) where several poses are taken, or values by name over the rest pose."""


class PosedFigure:
    """The part of ``Figure`` that speaks of its coordinates and poses."""

    _tree: Tree
    _joints: tuple[Joint, ...]
    _ints: np.ndarray
    _floats: np.ndarray
    _rest: np.ndarray

    # ---- names and sizes -------------------------------------------------------------------

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, parents before children."""
        return tuple(joint.name for joint in self._joints)

    @property
    def parents(self) -> np.ndarray:
        """(joints,) index of each joint's parent, −1 for a root."""
        return self._tree.parents

    @property
    def n(self) -> int:
        """The length of a pose vector q."""
        return len(self._tree.coordinates)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q: "LeftForeArm", or "LeftArm.swing1" where there are more."""
        return self._tree.coordinates

    @property
    def definition(self) -> tuple[Joint, ...]:
        """The joints as they were given, in the order of ``joints``."""
        return self._joints

    @property
    def rest(self) -> np.ndarray:
        """(n,) the rest pose, inside the limits."""
        return self._rest

    @property
    def lower(self) -> np.ndarray:
        """(n,) lower ends of the limits; a cone shows its bounding range."""
        return self._tree.lower

    @property
    def upper(self) -> np.ndarray:
        """(n,) upper ends of the limits; a cone shows its bounding range."""
        return self._tree.upper

    @property
    def slides(self) -> np.ndarray:
        """(n,) True where a coordinate is a length, False where it is an angle."""
        return self._tree.slides

    @property
    def owner(self) -> np.ndarray:
        """(n,) index of the joint that each coordinate belongs to."""
        return self._tree.owner

    @property
    def tree(self) -> Tree:
        """The compiled joints, for those who need their slots (problem.py, writers)."""
        return self._tree

    @property
    def buffers(self) -> tuple[np.ndarray, np.ndarray]:
        """The compiled figure (ints, floats), read-only; layout in kinematics.py."""
        return self._tree.ints, self._tree.floats

    @cached_property
    def size(self) -> float:
        """A length that says how large the figure is: its extent at rest or its longest chain."""
        reach, longest = np.zeros(len(self._joints)), 0.0
        ends = [self.positions(self.rest)]
        frames = self.frames(self.rest)
        for i, joint in enumerate(self._joints):
            step = float(np.linalg.norm(joint.offset)) if self._tree.parents[i] >= 0 else 0.0
            reach[i] = step + (reach[self._tree.parents[i]] if self._tree.parents[i] >= 0 else 0.0)
            if joint.tip is not None:
                ends.append((frames[i, :3, :3] @ np.array(joint.tip) + frames[i, :3, 3])[None])
                longest = max(longest, reach[i] + float(np.linalg.norm(joint.tip)))
        points = np.concatenate(ends)
        extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
        return max(extent, longest, float(reach.max())) or 1.0

    def index(self, joint: str) -> int:
        """Index of a joint by name or alias; an unknown name is refused with the nearest known.

        Args:
            joint: its name or alias.

        Returns:
            Its place among ``joints``.

        Raises:
            FigureError: there is no joint of that name.
        """
        if not isinstance(joint, str):
            raise FigureError(f"a joint is given by its name, got {joint!r}")
        name = self._tree.alias.get(joint, joint)
        if name not in self._tree.index:
            known = (*self.joints, *self._tree.alias)
            raise FigureError(f'no joint "{joint}"{did_you_mean(joint, known)}')
        return self._tree.index[name]

    def coordinates_of(self, joint: str) -> np.ndarray:
        """Indices into q of the coordinates that move a joint (drivers of coupled ones too).

        Args:
            joint: its name or alias.

        Returns:
            Indices, in rising order.

        Raises:
            FigureError: there is no joint of that name.
        """
        slots = self._tree.slots_of[self.index(joint)]
        return np.unique([self._tree.slots[k].coordinate for k in slots]).astype(int)

    def bone(self, i: int) -> np.ndarray:
        """(3,) where a joint's bone goes in its own frame: to its children, or to its tip.

        Args:
            i: the joint's index.

        Returns:
            In the figure's unit; (0, 1, 0) where a joint has neither children nor a tip.
        """
        children = [self._joints[k].offset for k in np.flatnonzero(self.parents == i)]
        along = (
            np.mean(children, axis=0) if children else np.array(self._joints[i].tip or (0, 0, 0))
        )
        long = float(np.linalg.norm(along)) > 1e-9 * self.size
        return along if long else np.array([0.0, 1.0, 0.0])

    # ---- poses -----------------------------------------------------------------------------

    def pose(self, q: Pose, what: str = "pose") -> np.ndarray:
        """``q`` as a fresh float64 array (n,) or (frames, n), checked for shape and NaN.

        A mapping gives values by the name of a coordinate, or of a joint (one number, or as many
        as it has coordinates); what it leaves out is as in the rest pose.

        Args:
            q: (n,), (frames, n), or values by name.
            what: what an error calls it.

        Returns:
            (n,) or (frames, n).

        Raises:
            FigureError: it is no pose of this figure, or not finite.

        Example:
            >>> float(limbik.figures.arm().pose({"Joint1": 0.3})[0])
            0.3
        """
        if type(q) is not np.ndarray and isinstance(q, Mapping):
            q = self._named_pose(q, what)
        try:
            array = np.array(q, dtype=np.float64, order="C")
        except (TypeError, ValueError, OverflowError):
            raise FigureError(f"{what}: needs numbers, got {q!r}") from None
        if array.ndim not in (1, 2) or array.shape[-1] != self.n:
            raise FigureError(f"{what}: needs {self.n} values per pose, got shape {array.shape}")
        if not np.isfinite(array).all():
            bad = int(np.argwhere(~np.isfinite(array))[0][-1])
            raise FigureError(f"{what}: {self.coordinates[bad]} is not finite")
        return array

    def _named_pose(self, values: Mapping[str, Any], what: str) -> np.ndarray:
        q = self.rest.copy()
        for name, value in values.items():
            if name in self.coordinates:
                columns = np.array([self.coordinates.index(name)])
            elif isinstance(name, str) and self._tree.alias.get(name, name) in self._tree.index:
                columns = np.flatnonzero(self.owner == self.index(name))
            else:
                hint = did_you_mean(str(name), (*self.coordinates, *self.joints))
                raise FigureError(f'{what}: no joint or coordinate "{name}"{hint}')
            try:
                numbers = np.asarray(value, float)
            except (TypeError, ValueError, OverflowError):
                numbers = np.empty(0)
            if numbers.size != len(columns) or numbers.ndim > 1:
                raise FigureError(
                    f'{what}: "{name}" takes {len(columns)} numbers, got {value!r}'
                    if len(columns)
                    else f'{what}: "{name}" is a fixed joint and takes no values'
                )
            q[columns] = numbers.ravel()
        return q

    def pose_dict(self, q: Pose) -> dict[str, float]:
        """A pose as values by coordinate name, as ``start=`` and ``pose`` take them.

        Args:
            q: (n,), or values by name.

        Returns:
            A number (rad, or the figure's unit) by the name of each coordinate.

        Raises:
            FigureError: it is no pose of this figure, or not finite.

        Example:
            >>> arm = limbik.figures.arm()
            >>> arm.pose_dict(arm.pose({"Joint1": 0.3}))["Joint1"]
            0.3
        """
        return dict(zip(self.coordinates, self.single_pose(q).tolist(), strict=True))

    def single_pose(self, q: Pose, what: str = "pose") -> np.ndarray:
        """``q`` as a fresh float64 array (n,), checked.

        Args:
            q: (n,), or values by name.
            what: what an error calls it.

        Returns:
            (n,).

        Raises:
            FigureError: it is no pose of this figure, or not finite.
        """
        array = self.pose(q, what)
        if array.ndim != 1:
            raise FigureError(f"{what}: needs one pose of {self.n} values, got {array.shape}")
        return array

    def project(self, q: Pose) -> np.ndarray:
        """The nearest pose inside the limits: P(q), for (n,) or (frames, n).

        Args:
            q: a pose (n,), or poses (frames, n).

        Returns:
            The poses inside; the same numbers where they are inside already.

        Raises:
            FigureError: it is no pose of this figure, or not finite.
        """
        poses = self.pose(q)
        project_many(self._ints, self._floats, poses if poses.ndim == 2 else poses[None])
        return poses

    def violation(self, q: Pose) -> float | np.ndarray:
        """How far q is outside its limits (its worst coordinate); 0.0 inside.  (frames,) for a
        batch.

        Angles that differ by whole turns are one pose, and the nearest of them counts: 350° is
        inside −30° to 30°.

        Args:
            q: a pose (n,), or poses (frames, n).

        Returns:
            rad, or the figure's unit.

        Raises:
            FigureError: it is no pose of this figure, or not finite.
        """
        poses = self.pose(q)
        worst = np.abs(self.project(poses) - poses).max(axis=-1, initial=0.0)
        if np.any(worst > 0.0):
            drivers = Counter(slot.coordinate for slot in self._tree.slots)
            ends = self.lower, self.upper
            rows = np.atleast_2d(poses)
            apart = outside(self._joints, drivers, ends, self.project, rows)
            worst = apart.max(axis=1, initial=0.0)
        return float(np.max(worst)) if poses.ndim == 1 else worst

    def _world(self, q: Pose) -> tuple[np.ndarray, bool]:
        poses = self.pose(q)
        world = np.empty((len(np.atleast_2d(poses)), len(self._joints) * lay.WORLD))
        kin.forward_many(self._ints, self._floats, np.atleast_2d(poses), world)
        return world.reshape(len(world), len(self._joints), lay.WORLD), poses.ndim == 1

    def positions(self, q: Pose, joint: str | Sequence[str] | None = None) -> np.ndarray:
        """World positions of all joints: (joints, 3), or (frames, joints, 3) for (frames, n).

        With the name of a ``joint`` its own alone, (3,) or (frames, 3); with several names theirs,
        (names, 3) or (frames, names, 3).

        Args:
            q: a pose (n,), or poses (frames, n).
            joint: a name, or several; all joints unless given.

        Returns:
            Places in the world, in the figure's unit.

        Raises:
            FigureError: there is no joint of that name.
            FigureError: it is no pose of this figure, or not finite.
        """
        world, single = self._world(q)
        which: Any = slice(None)
        if joint is not None:
            several = isinstance(joint, Iterable) and not isinstance(joint, str)
            which = [*map(self.index, joint)] if several else self.index(joint)  # type: ignore[arg-type]
        return world[0, which, 9:].copy() if single else world[:, which, 9:].copy()

    def frame(self, q: Pose, joint: str) -> np.ndarray:
        """World transform of one joint: (4, 4), or (frames, 4, 4) for (frames, n).

        Args:
            q: a pose (n,), or poses (frames, n).
            joint: its name or alias.

        Returns:
            The rotation and the place [R | p] above (0, 0, 0, 1).

        Raises:
            FigureError: there is no joint of that name.
            FigureError: it is no pose of this figure, or not finite.
        """
        return self.frames(q)[..., self.index(joint), :, :].copy()

    def frames(self, q: Pose) -> np.ndarray:
        """World transforms of all joints: (joints, 4, 4), or (frames, joints, 4, 4).

        Args:
            q: a pose (n,), or poses (frames, n).

        Returns:
            For each joint the rotation and the place [R | p] above (0, 0, 0, 1).

        Raises:
            FigureError: it is no pose of this figure, or not finite.
        """
        world, single = self._world(q)
        out = np.zeros((*world.shape[:2], 4, 4))
        out[..., :3, :3] = world[..., :9].reshape(*world.shape[:2], 3, 3)
        out[..., :3, 3] = world[..., 9:]
        out[..., 3, 3] = 1.0
        return out[0] if single else out

    def jacobian(self, q: Pose, joint: str, *, at: Sequence[float] = (0, 0, 0)) -> np.ndarray:
        """(6, n) or (frames, 6, n): how the point ``at`` of a joint's frame moves in the world
        (linear rows) and how the joint turns (angular rows), per unit of each coordinate.

        Args:
            q: a pose (n,), or poses (frames, n).
            joint: its name or alias.
            at: (3,) a point in the joint's frame, in the figure's unit.

        Returns:
            Rows of x, y, z of the velocity, then of the angular velocity.

        Raises:
            FigureError: there is no joint of that name.
            FigureError: it is no pose of this figure, or not finite.
        """
        poses = self.pose(q)
        try:
            point = np.array(at, float)
        except (TypeError, ValueError, OverflowError):
            point = np.empty(0)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise FigureError(f"jacobian: at needs three finite numbers, got {at!r}")
        out = np.empty((len(np.atleast_2d(poses)), 6, self.n))
        index = self.index(joint)
        kin.jacobian_many(self._ints, self._floats, np.atleast_2d(poses), index, point, out)
        return out[0] if poses.ndim == 1 else out

"""A figure: an immutable tree of named joints whose pose is a plain vector q."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure import kinematics as kin
from limbik.figure import layout as lay
from limbik.figure.appearance.drawing import plot_poses, svg
from limbik.figure.build import Tree, limit_of_coordinate, slide_limit
from limbik.figure.coordinates import ball_of, from_quat_each, to_quat
from limbik.figure.joints import Joint, Limit
from limbik.figure.limits import Range
from limbik.figure.physical.physical_figure import PhysicalFigure
from limbik.figure.physical.properties import NOTHING, Physical
from limbik.figure.projection import project_many
from limbik.figure.units import change, changed
from limbik.figure.variations.attachments import on_base, tool_joint
from limbik.figure.variations.change_coordinates import with_ball
from limbik.figure.whole_turns import outside
from limbik.maths.so3 import quat_multiply

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

Pose = Sequence[float] | np.ndarray | Mapping[str, Any]
"""(n,) numbers, (frames, n) where several poses are taken, or values by name over the rest pose."""


class Figure(PhysicalFigure):
    """A joint tree whose pose is a plain vector q of length ``n``.

    >>> from limbik.figure.joints import Joint, revolute
    >>> arm = Figure([Joint("Upper", parts=revolute("z")),
    ...               Joint("Lower", "Upper", revolute("z"), offset=(1, 0, 0))])
    >>> arm.positions([0.0, 0.0])[1]
    array([1., 0., 0.])
    """

    def __init__(
        self,
        joints: Iterable[Joint],
        *,
        rest: Pose | None = None,
        name: str = "",
        unit: str = "",
        up: str = "",
        source: object = None,
        physical: Physical = NOTHING,
    ) -> None:
        """``rest`` is the rest pose (zeros, projected onto the limits, unless given); ``unit``
        ("m", "cm", ...) and ``up`` ("y" or "z") are empty where a file does not say.  ``source`` is
        what a file format wants to know again when the figure is written; nobody else reads it.
        ``physical`` has masses, shapes, speed limits and loops."""
        for what, said in (("name", name), ("unit", unit), ("up", up)):
            if not isinstance(said, str):
                raise FigureError(f"a figure's {what} must be text, got {said!r}")
        self._name, self._unit, self._up, self._source = name, unit, up, source
        self._tree = Tree(joints)
        self._joints = self._tree.joints
        self._ints, self._floats = self._tree.kernel_buffers
        self._physical = physical.checked(self._tree.index, self._joints)
        self._rest = np.zeros(self.n)  # what a rest pose by name leaves out
        self._rest = self.project(
            np.zeros(self.n) if rest is None else self.single_pose(rest, "rest")
        )
        self._rest.setflags(write=False)

    # ---- names and sizes -------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the figure is called, empty where nobody says."""
        return self._name

    @property
    def unit(self) -> str:
        """The unit of lengths ("m", "cm", ...), empty where it is not known."""
        return self._unit

    @property
    def up(self) -> str:
        """The axis that points up, "y" or "z", empty where it is not known."""
        return self._up

    @property
    def source(self) -> object:
        """What the file format it came from wants to know again when the figure is written."""
        return self._source

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
        """Index of a joint by name or alias; an unknown name is refused with the nearest known."""
        if not isinstance(joint, str):
            raise FigureError(f"a joint is given by its name, got {joint!r}")
        name = self._tree.alias.get(joint, joint)
        if name not in self._tree.index:
            known = (*self.joints, *self._tree.alias)
            raise FigureError(f'no joint "{joint}"{did_you_mean(joint, known)}')
        return self._tree.index[name]

    def coordinates_of(self, joint: str) -> np.ndarray:
        """Indices into q of the coordinates that move a joint (drivers of coupled ones too)."""
        slots = self._tree.slots_of[self.index(joint)]
        return np.unique([self._tree.slots[k].coordinate for k in slots]).astype(int)

    # ---- poses -----------------------------------------------------------------------------

    def pose(self, q: Pose, what: str = "pose") -> np.ndarray:
        """``q`` as a fresh float64 array (n,) or (frames, n), checked for shape and NaN.

        A mapping gives values by the name of a coordinate, or of a joint (one number, or as many
        as it has coordinates); what it leaves out is as in the rest pose.

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

        >>> arm = limbik.figures.arm()
        >>> arm.pose_dict(arm.pose({"Joint1": 0.3}))["Joint1"]
        0.3
        """
        return dict(zip(self.coordinates, self.single_pose(q).tolist(), strict=True))

    def single_pose(self, q: Pose, what: str = "pose") -> np.ndarray:
        """``q`` as a fresh float64 array (n,), checked."""
        array = self.pose(q, what)
        if array.ndim != 1:
            raise FigureError(f"{what}: needs one pose of {self.n} values, got {array.shape}")
        return array

    def project(self, q: Pose) -> np.ndarray:
        """The nearest pose inside the limits: P(q), for (n,) or (frames, n)."""
        poses = self.pose(q)
        project_many(self._ints, self._floats, poses if poses.ndim == 2 else poses[None])
        return poses

    def violation(self, q: Pose) -> float | np.ndarray:
        """How far q is outside its limits (its worst coordinate); 0.0 inside.  (frames,) for a
        batch.

        Angles that differ by whole turns are one pose, and the nearest of them counts: 350° is
        inside −30° to 30°.
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
        """
        world, single = self._world(q)
        which: Any = slice(None)
        if joint is not None:
            several = isinstance(joint, Iterable) and not isinstance(joint, str)
            which = [*map(self.index, joint)] if several else self.index(joint)  # type: ignore[arg-type]
        return world[0, which, 9:].copy() if single else world[:, which, 9:].copy()

    def frame(self, q: Pose, joint: str) -> np.ndarray:
        """World transform of one joint: (4, 4), or (frames, 4, 4) for (frames, n)."""
        return self.frames(q)[..., self.index(joint), :, :].copy()

    def frames(self, q: Pose) -> np.ndarray:
        """World transforms of all joints: (joints, 4, 4), or (frames, joints, 4, 4)."""
        world, single = self._world(q)
        out = np.zeros((*world.shape[:2], 4, 4))
        out[..., :3, :3] = world[..., :9].reshape(*world.shape[:2], 3, 3)
        out[..., :3, 3] = world[..., 9:]
        out[..., 3, 3] = 1.0
        return out[0] if single else out

    def jacobian(self, q: Pose, joint: str, *, at: Sequence[float] = (0, 0, 0)) -> np.ndarray:
        """(6, n) or (frames, 6, n): how the point ``at`` of a joint's frame moves in the world
        (linear rows) and how the joint turns (angular rows), per unit of each coordinate."""
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

    # ---- variations ------------------------------------------------------------------------

    def with_limits(self, limits: Mapping[str, Limit | None]) -> Figure:
        """The same figure with other limits, by joint name or by coordinate name.

        ``None`` removes a limit; a cone leaves the ranges of the joint's slides as they are.  A
        slide that is fixed stays so until its coordinate is named or a ``Range`` frees it.  The
        rest pose is projected onto the new limits.

        >>> fig = fig.with_limits({"LeftForeArm": limbik.Range(0, 145, degrees=True)})
        """
        if not isinstance(limits, Mapping):
            raise FigureError(f"with_limits: needs limits by joint name, got {limits!r}")
        changed = {joint.name: joint for joint in self._joints}
        for key, limit in limits.items():
            if not isinstance(key, str):
                raise FigureError(f"with_limits: a joint is given by its name, got {key!r}")
            name, label = self._joint_and_label(key)
            joint = changed[name]
            if label:
                limit = limit_of_coordinate(joint, label, limit)
            sliding = None if isinstance(limit, Range) else slide_limit(joint)
            if limit is None and sliding is not None and (sliding.lower != sliding.upper).any():
                sliding = None
            changed[name] = replace(joint, limit=limit, slide_limit=sliding)
        return self._rebuilt(changed.values())

    def with_balls(
        self,
        kind: str,
        *,
        keep: Collection[str] = (),
        around: Sequence[float] | np.ndarray | None = None,
    ) -> Figure:
        """The same figure with other coordinates for its balls, also that of a free root.

        ``kind`` is "swing-twist", "euler" or "exponential".  New twist axes run along the bones.
        The rest pose stays; a limit that cannot be said in the new coordinates becomes one that
        encloses it (a range of Euler angles and a cone are different shapes).  ``motion.onto``
        carries motions across.  Joints that ``keep`` names stay as they are.

        Cones lie best around zero.  With ``around``, a pose (n,), the balls' zero is that pose
        instead of the file's, but for balls that are kept, have a limit or slide.

        >>> fig.with_balls("euler").with_balls("swing-twist").coordinates[3]
        'Hips.swing1'
        """
        joints = [
            joint if joint.name in keep else with_ball(joint, kind, self.bone(i))
            for i, joint in enumerate(self._joints)
        ]
        zero = None if around is None else self.single_pose(around, "around")
        rest, first = np.zeros(sum(joint.width for joint in joints)), 0
        for i, (old, new) in enumerate(zip(self._joints, joints, strict=True)):
            width = old.width
            rest[first : first + width] = self.rest[first : first + width]
            before, after = ball_of(old), ball_of(new)
            if before is not None and after is not None:
                here, there = first + before[1], first + after[1]
                turn = to_quat(before[0], self.rest[None, here : here + 3])
                alone = width == 3 and old.limit is None and old.name not in keep
                if zero is not None and alone:
                    moved = to_quat(before[0], zero[None, here : here + 3])[0]
                    wxyz = quat_multiply(np.array(old.wxyz), moved)
                    joints[i] = replace(new, wxyz=tuple(wxyz.tolist()))
                    turn = quat_multiply(moved * [1.0, -1.0, -1.0, -1.0], turn)
                elif old.parts == new.parts:
                    first += width
                    continue
                slid = [c for c in range(first, first + width) if not here <= c < here + 3]
                rest[first:there] = self.rest[slid]
                rest[there : there + 3] = from_quat_each(after[0], turn)[0]
            first += width
        physical = self.physical.reordered(self._joints, joints)
        return self._rebuilt(joints, rest, physical=physical)

    def bone(self, i: int) -> np.ndarray:
        """(3,) where a joint's bone goes in its own frame: to its children, or to its tip."""
        children = [self._joints[k].offset for k in np.flatnonzero(self.parents == i)]
        along = (
            np.mean(children, axis=0) if children else np.array(self._joints[i].tip or (0, 0, 0))
        )
        long = float(np.linalg.norm(along)) > 1e-9 * self.size
        return along if long else np.array([0.0, 1.0, 0.0])

    def with_rest(self, rest: Pose) -> Figure:
        """The same figure with another rest pose."""
        return self._rebuilt(self._joints, self.single_pose(rest, "rest"))

    def with_tool(
        self,
        joint: str,
        offset: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        wxyz: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
        *,
        name: str = "tool",
    ) -> Figure:
        """The same figure holding a tool: a fixed joint ``name`` on ``joint``, to be aimed at.

        ``offset`` (3,) is where the tool's working point lies in the joint's frame, in the figure's
        unit; ``wxyz`` (4,) how the tool is turned there.  Poses stay as they are, because a fixed
        joint has no coordinates.

        >>> arm = limbik.figures.arm().with_tool("Tool", [0, 0, 0.15], name="gripper")
        >>> limbik.solve(arm, limbik.Reach("gripper", position=[0.4, 0.1, 0.3])).ok
        True
        """
        if isinstance(name, str) and (name in self._tree.index or name in self._tree.alias):
            raise FigureError(f'with_tool: there is a joint "{name}" already; give another name=')
        mount = self._joints[self.index(joint)].name
        joints = [*self._joints, tool_joint(name, mount, offset, wxyz)]
        # A figure with other joints no longer fits the file it was read from.
        return self._rebuilt(joints, source=None)

    def with_base(self, kind: str = "planar", *, up: str = "", name: str = "mobile_base") -> Figure:
        """The same figure on a base that moves: a new root joint ``name`` below its roots.

        A "planar" base slides along the floor and turns about the axis that is ``up`` (the figure's
        own unless given); a "free" one has all six ways to move.  Its coordinates come first in q
        and have no limits; ``with_limits`` gives them some.

        >>> len(limbik.figures.arm().with_base("planar").coordinates)
        10
        """
        joints = on_base(
            self._joints, kind, self.up if isinstance(up, str) and not up else up, name
        )
        rest = np.concatenate([np.zeros(joints[0].width), self.rest])
        return self._rebuilt(joints, rest, source=None)

    def in_units(
        self, unit: str = "", *, up: str = "", from_unit: str | float = "", from_up: str = ""
    ) -> Figure:
        """The same figure in another unit of length ("m", "cm", "mm", "in", "ft"), or with another
        axis up ("y", "z"); its coordinates keep their names.

        Where the figure does not know what it is in, say so with ``from_unit`` (a unit, or a number
        of metres) and ``from_up``; alone, they only state it.

        >>> limbik.load("walk.bvh").in_units("m", from_unit="cm").unit
        'm'
        """
        by = change((self.unit, self.up), unit, up, from_unit, from_up)
        scaled = np.where(self.slides, by.scale, 1.0)
        # A figure of other lengths no longer fits the file it was read from.
        return Figure(
            self._joints if by.nothing else changed(self._joints, by),
            rest=self.rest * scaled,
            name=self.name,
            unit=by.unit,
            up=by.up,
            source=self.source if by.nothing else None,
            physical=self.physical.scaled(by.scale, by.wxyz, self._joints),
        )

    def _rebuilt(self, joints: Iterable[Joint], rest: Pose | None = None, **other: Any) -> Figure:
        """A figure of these joints that is the same in all that is not named."""
        said: dict[str, Any] = {
            "rest": self.rest if rest is None else rest,
            "name": self.name,
            "unit": self.unit,
            "up": self.up,
            "source": self.source,
            "physical": self.physical,
        }
        return Figure(joints, **(said | other))

    def _joint_and_label(self, key: str) -> tuple[str, str]:
        if self._tree.alias.get(key, key) in self._tree.index:
            return self._tree.alias.get(key, key), ""
        name, _, label = key.rpartition(".")
        name = self._tree.alias.get(name, name)
        if name in self._tree.index and label in self._joints[self._tree.index[name]].labels:
            return name, label
        known = (*self.joints, *self.coordinates)
        raise FigureError(f'no joint or coordinate "{key}"{did_you_mean(key, known)}')

    # ---- pictures --------------------------------------------------------------------------

    def plot(self, q: Pose | None = None, *, view: str = "front") -> Page:
        """A matplotlib page with the figure in a pose, the rest pose unless given.

        ``q`` (n,) is the pose, or (k, n) several, from light to dark; ``view`` is "front", "side"
        or "top".  It needs matplotlib: ``pip install limbik[plots]``.

        >>> fig.plot(fig.rest).savefig("pose.png")
        """
        poses = np.atleast_2d(self.rest if q is None else self.pose(q))
        return plot_poses(self, poses, view, self.name)

    def _repr_html_(self) -> str:
        return svg(self, [self.rest], f"{self.name or 'figure'}: {len(self._joints)} joints")

    def __reduce__(self) -> tuple[Any, ...]:
        # Made again from its joints, so that a copy is as read-only as the original.
        said = (self._joints, self._rest, self._name, self._unit, self._up, self._source)
        return _remade, (*said, self.physical)

    def __repr__(self) -> str:
        return f"<Figure {self.name or 'unnamed'}: {len(self._joints)} joints, n = {self.n}>"


def _remade(
    joints: tuple[Joint, ...],
    rest: np.ndarray,
    name: str,
    unit: str,
    up: str,
    source: object,
    physical: Physical = NOTHING,
) -> Figure:
    """A pickled or copied figure."""
    return Figure(joints, rest=rest, name=name, unit=unit, up=up, source=source, physical=physical)

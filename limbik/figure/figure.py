"""A figure: an immutable tree of named joints whose pose is a plain vector q."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.appearance.drawing import plot_poses, svg
from limbik.figure.joints import Joint, Limit
from limbik.figure.limits import Range
from limbik.figure.physical.physical_figure import PhysicalFigure
from limbik.figure.physical.properties import NOTHING, Physical
from limbik.figure.posed_figure import Pose, PosedFigure
from limbik.figure.tree.joint_limits import limit_of_coordinate, slide_limit
from limbik.figure.tree.tree import Tree
from limbik.figure.units import change, changed
from limbik.figure.variations.attachments import on_base, tool_joint
from limbik.figure.variations.change_coordinates import with_balls

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page


class Figure(PosedFigure, PhysicalFigure):
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
        for what, value in (("name", name), ("unit", unit), ("up", up)):
            if not isinstance(value, str):
                raise FigureError(f"a figure's {what} must be text, got {value!r}")
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

    # ---- variations ------------------------------------------------------------------------

    def with_limits(self, limits: Mapping[str, Limit | None]) -> Figure:
        """The same figure with other limits, by joint name or by coordinate name.

        ``None`` removes a limit; a cone leaves the ranges of the joint's slides as they are.  A
        slide that is fixed stays so until its coordinate is named or a ``Range`` frees it.  The
        rest pose is projected onto the new limits.

        Args:
            limits: ``Range``, ``SwingTwist`` or None by name.

        Returns:
            The figure.

        Raises:
            FigureError: there is no such joint, or a limit does not go with it.

        Example:
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

        Args:
            kind: "swing-twist", "euler" or "exponential".
            keep: names of joints that stay as they are.
            around: (n,) the pose that is the balls' zero.

        Returns:
            The figure.

        Raises:
            FigureError: there is no such kind or joint, or ``around`` is no pose.

        Example:
            >>> fig.with_balls("euler").with_balls("swing-twist").coordinates[3]
            'Hips.swing1'
        """
        zero = None if around is None else self.single_pose(around, "around")
        bones = [self.bone(i) for i in range(len(self._joints))]
        joints, rest = with_balls(self._joints, kind, bones, self.rest, keep=keep, zero=zero)
        physical = self.physical.reordered(self._joints, joints)
        return self._rebuilt(joints, rest, physical=physical)

    def with_rest(self, rest: Pose) -> Figure:
        """The same figure with another rest pose.

        Args:
            rest: (n,), or values by name; it is projected onto the limits.

        Returns:
            The figure.

        Raises:
            FigureError: it is no pose of this figure, or not finite.
        """
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

        Args:
            joint: what holds it.
            offset: (3,) in the joint's frame, in the figure's unit.
            wxyz: (4,) a quaternion in the joint's frame.
            name: of the new joint.

        Returns:
            The figure, with as many coordinates as before.

        Raises:
            FigureError: there is no such joint, or the name is taken.

        Example:
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

        Args:
            kind: "planar" or "free".
            up: "x", "y" or "z"; the figure's own axis unless given.
            name: of the new joint.

        Returns:
            The figure, with more coordinates.

        Raises:
            FigureError: there is no such kind or axis, or the name is taken.

        Example:
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

        Args:
            unit: the unit of length to convert to: "m", "cm", "mm", "in" or "ft".
            up: the axis up to convert to: "y" or "z".
            from_unit: what it is in now, where that is not known: a unit, or a number of metres.
            from_up: the axis up that it has now, where that is not known.

        Returns:
            The figure.

        Raises:
            FigureError: the unit or the axis is not known, or there is nothing to convert from.

        Example:
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
        fields: dict[str, Any] = {
            "rest": self.rest if rest is None else rest,
            "name": self.name,
            "unit": self.unit,
            "up": self.up,
            "source": self.source,
            "physical": self.physical,
        }
        return Figure(joints, **(fields | other))

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

        Args:
            q: (n,) the pose, or (k, n) several, from light to dark; the rest pose unless given.
            view: "front", "side" or "top".

        Returns:
            The page, to be shown or saved with ``savefig``.

        Raises:
            LimbikError: matplotlib is not installed.
            FigureError: it is no pose, or there is no such view.

        Example:
            >>> fig.plot(fig.rest).savefig("pose.png")
        """
        poses = np.atleast_2d(self.rest if q is None else self.pose(q))
        return plot_poses(self, poses, view, self.name)

    def _repr_html_(self) -> str:
        return svg(self, [self.rest], f"{self.name or 'figure'}: {len(self._joints)} joints")

    def __reduce__(self) -> tuple[Any, ...]:
        # Made again from its joints, so that a copy is as read-only as the original.
        fields = (self._joints, self._rest, self._name, self._unit, self._up, self._source)
        return _remade, (*fields, self.physical)

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

"""A clip: a figure and its pose over time, to slice, thin out and resample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from limbik.errors import FigureError
from limbik.figure.appearance.drawing import plot_poses, svg
from limbik.figure.coordinates import balls, from_quat, joint_values, to_quat
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint
from limbik.figure.motion_tools import MotionTools
from limbik.figure.units import change
from limbik.figure.whole_turns import short_vectors
from limbik.maths.so3 import angle_between, slerp

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

_VALUES = 50_000  # joints over several frames that are taken at a time; it bounds the memory


class Motion(MotionTools):
    """Poses of one figure at a steady frame rate; nothing in it can be changed.

    >>> from limbik.figure.joints import Joint, revolute
    >>> door = Figure([Joint("Hinge", parts=revolute("y"))])
    >>> swing = Motion(door, [[0.0], [0.5], [1.0]], fps=10)
    >>> swing.frames, swing.duration, swing.resample(20).q.ravel()
    (3, 0.2, array([0.  , 0.25, 0.5 , 0.75, 1.  ]))
    """

    __slots__ = ("_figure", "_fps", "_name", "_q")

    def __init__(
        self,
        figure: Figure,
        q: Sequence[Sequence[float]] | np.ndarray,
        fps: float,
        name: str = "",
    ) -> None:
        """``q`` is (frames, n) in radians and the figure's unit, at least one frame; ``fps`` is
        frames per second; ``name`` is the clip's own, such as its file's."""
        if not isinstance(figure, Figure):
            raise FigureError(f"a motion needs a Figure, got {type(figure).__name__}")
        if not isinstance(name, str):
            raise FigureError(f"a motion's name must be a text, got {name!r}")
        what = f'motion "{name}"' if name else "motion"
        poses = figure.pose(q, what)  # type: ignore[arg-type]
        if poses.ndim != 2 or len(poses) == 0:
            raise FigureError(
                f"{what}: needs at least one frame of {figure.n} values, got shape {poses.shape}"
            )
        rate = _rate(fps, what)
        poses.setflags(write=False)
        self._figure, self._q, self._fps, self._name = figure, poses, rate, name

    @property
    def figure(self) -> Figure:
        """The figure that moves."""
        return self._figure

    @property
    def q(self) -> np.ndarray:
        """(frames, n) one pose per frame, read-only; radians and the figure's unit."""
        return self._q

    @property
    def fps(self) -> float:
        """Frames per second."""
        return self._fps

    @property
    def name(self) -> str:
        """The clip's name, empty where it has none."""
        return self._name

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self._q)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last: (frames − 1) / fps."""
        return (len(self._q) - 1) / self._fps

    @property
    def times(self) -> np.ndarray:
        """(frames,) seconds, the first frame at 0."""
        return np.arange(len(self._q)) / self._fps

    def positions(self) -> np.ndarray:
        """(frames, joints, 3) world positions of all joints in every frame."""
        return self._figure.positions(self._q)

    def __len__(self) -> int:
        return len(self._q)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self._q)

    @overload
    def __getitem__(self, key: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, key: slice) -> Motion: ...
    def __getitem__(self, key: int | slice) -> np.ndarray | Motion:
        """``motion[3]`` is a pose (n,); ``motion[10:20:2]`` a motion at half the frame rate."""
        if not isinstance(key, slice):
            try:
                return self._q[key]
            except IndexError:
                if isinstance(key, Integral):  # what ends a loop over numbers of frames
                    raise
                raise FigureError(
                    f"motion[...]: needs the number of a frame or a slice, got {key!r}"
                ) from None
        _, _, step = key.indices(len(self._q))
        return Motion(self._figure, self._q[key], self._fps / abs(step), self._name)

    def sample(self, every_seconds: float) -> Motion:
        """The frames nearest to the times 0, every, 2·every, ...; nothing is interpolated.

        The new frame rate is 1/every, also where frames lie a little beside those times.

        Args:
            every_seconds: from one frame to the next.

        Returns:
            The motion.

        Raises:
            FigureError: the time is not above 0.
        """
        try:
            every = float(every_seconds)
        except (TypeError, ValueError, OverflowError):
            every = math.nan
        if not (math.isfinite(every) and every > 0):
            raise FigureError(f"sample: needs a time above 0 seconds, got {every_seconds!r}")
        times = _times(self.duration, every)
        nearest = np.minimum(np.floor(times * self._fps + 0.5).astype(int), len(self._q) - 1)
        return Motion(self._figure, self._q[nearest], 1.0 / every, self._name)

    def resample(self, fps: float) -> Motion:
        """The motion at another frame rate, interpolated joint by joint.

        Balls, and joints of three turns in an Euler order, go the shorter way at constant speed
        (slerp), and their coordinates follow on from frame to frame without a jump, starting where
        the motion starts.  Slides and other turns change linearly; a turn without limits takes the
        shorter way round.  Between two frames inside the limits, so is what is interpolated: a
        ball that would leave them takes the nearest rotation that they allow.

        Args:
            fps: frames per second.

        Returns:
            The motion, as long as before.

        Raises:
            FigureError: ``fps`` is not above 0.
        """
        rate = _rate(fps, "resample")
        if rate == self._fps:
            return self
        place = _times(self.duration, 1.0 / rate) * self._fps
        before = np.minimum(place.astype(int), max(len(self._q) - 2, 0))
        after = np.minimum(before + 1, len(self._q) - 1)
        share = place - before
        endless = ~(np.isfinite(self._figure.lower) | np.isfinite(self._figure.upper))
        turning = endless & ~self._figure.slides
        q = self._q.copy()
        q[:, turning] = np.unwrap(q[:, turning], axis=0)
        straight = q[before] + share[:, None] * (q[after] - q[before])
        out, turned = straight.copy(), []
        for part, columns in balls(self._figure.definition):
            wxyz = to_quat(part, self._q[:, columns])
            between = slerp(wxyz[before], wxyz[after], share)
            out[:, columns] = from_quat(part, between, self._q[0, columns])
            turned.append((part, columns, between))
        out = short_vectors(self._figure.definition, out)
        kept = np.asarray(self._figure.violation(self._q)) == 0.0
        kept = kept[before] & kept[after]
        outside = np.abs(self._figure.project(out) - out) > 0.0
        for part, columns, between in turned:
            for k in np.flatnonzero(kept & outside[:, columns].any(axis=1)):
                # On its own branch, on the one nearest to its neighbours, or straight to them.
                ways = np.array([out[k], straight[k], straight[k]])
                ways[1, columns] = from_quat(part, between[k : k + 1], straight[k, columns])[0]
                ways = self._figure.project(ways)
                off = angle_between(to_quat(part, ways[:, columns]), between[k])
                out[k, columns] = ways[int(np.argmin(off)), columns]
        out[kept] = self._figure.project(out[kept])
        return Motion(self._figure, out, rate, self._name)

    def onto(self, figure: Figure) -> Motion:
        """The same motion in the coordinates of another figure with the same joints.

        Joints are matched by name and must hang together the same way; a joint that has fewer ways
        to move there takes what comes nearest, and limits are not looked at.  For figures of other
        proportions there is ``limbik.retarget``.  Where both figures know their unit and which axis
        is up, these are converted.

        Args:
            figure: with the same joints.

        Returns:
            The motion of that figure.

        Raises:
            FigureError: joints are missing, or hang together in another way.

        Example:
            >>> clip.onto(clip.figure.with_balls("euler")).frames == clip.frames
            True
        """
        if not isinstance(figure, Figure):
            raise FigureError(f"onto: needs a Figure, got {figure!r}")
        unit = figure.unit if self._figure.unit not in ("", figure.unit) else ""
        up = figure.up if self._figure.up not in ("", figure.up) else ""
        if unit or up:
            return self.in_units(unit, up=up).onto(figure)
        if figure.coordinates == self._figure.coordinates and _same_parts(figure, self._figure):
            return Motion(figure, self._q, self._fps, self._name)
        q = np.empty((len(self._q), figure.n))
        step = max(1, _VALUES // len(self._figure.joints))
        start = figure.rest
        for low in range(0, len(q), step):
            part = slice(low, low + step)
            q[part] = across(self._figure, figure, self._q[part], start)
            start = q[part][-1]
        return Motion(figure, q, self._fps, self._name)

    def in_units(
        self, unit: str = "", *, up: str = "", from_unit: str | float = "", from_up: str = ""
    ) -> Motion:
        """The same motion of the same figure in another unit, or with another axis up.

        The options are those of ``figure.in_units``.

        Args:
            unit: the unit of length to convert to: "m", "cm", "mm", "in" or "ft".
            up: the axis up to convert to: "y" or "z".
            from_unit: what it is in now, where that is not known: a unit, or a number of metres.
            from_up: the axis up that it has now, where that is not known.

        Returns:
            The motion.

        Raises:
            FigureError: the unit or the axis is not known, or there is nothing to convert from.

        Example:
            >>> clip.in_units("cm", up="z").figure.unit
            'cm'
        """
        here = self._figure
        there = here.in_units(unit, up=up, from_unit=from_unit, from_up=from_up)
        by = change((here.unit, here.up), unit, up, from_unit, from_up)
        scaled = np.where(here.slides, by.scale, 1.0)
        return Motion(there, self._q * scaled, self._fps, self._name)

    def plot(self, *, poses: int = 8, view: str = "front") -> Page:
        """A matplotlib page with ``poses`` frames of the motion, from light to dark.

        ``view`` is "front", "side" or "top".  It needs matplotlib: ``pip install limbik[plots]``.

        Args:
            poses: how many frames are drawn.
            view: "front", "side" or "top".

        Returns:
            The page, to be shown or saved with ``savefig``.

        Raises:
            LimbikError: matplotlib is not installed.
            FigureError: it is no pose, or there is no such view.

        Example:
            >>> clip.plot(view="side").savefig("clip.png")
        """
        if isinstance(poses, bool) or not isinstance(poses, int) or poses < 1:
            raise FigureError(f"plot: poses must be a whole number above 0, got {poses!r}")
        return plot_poses(self._figure, self._spread(poses), view, self._name or self._figure.name)

    def _spread(self, count: int) -> np.ndarray:
        """(count, n) poses from all over the motion, the first and the last among them."""
        return self._q[np.linspace(0, len(self._q) - 1, min(count, len(self._q))).astype(int)]

    def _repr_html_(self) -> str:
        name = self._name or self._figure.name or "motion"
        text = f"{name}: {len(self._q)} frames at {self._fps:g} frames per second"
        return svg(self._figure, self._spread(5), text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Motion, (self._figure, self._q, self._fps, self._name)

    def __repr__(self) -> str:
        name = self._name or self._figure.name or "unnamed"
        return f"<Motion {name}: {len(self._q)} frames at {self._fps:g} fps>"


def _rate(fps: float, what: str) -> float:
    """Frames per second as a float; refuses what is none, and what is not above 0."""
    try:
        rate = float(fps)
    except (TypeError, ValueError, OverflowError):
        rate = math.nan
    if not (math.isfinite(rate) and rate > 0):
        raise FigureError(f"{what}: fps must be above 0, got {fps!r}")
    return rate


def _times(duration: float, step: float) -> np.ndarray:
    """0, step, 2·step, ... up to the duration, which counts as reached within a millionth."""
    return np.arange(math.floor(duration / step + 1e-6) + 1) * step


def _same_parts(one: Figure, other: Figure) -> bool:
    return [joint.parts for joint in one.definition] == [joint.parts for joint in other.definition]


def _same_way(one: Joint, other: Joint) -> bool:
    """Whether two joints are placed and move alike, so that the same numbers mean the same."""
    return (one.parts, one.offset, one.wxyz) == (other.parts, other.offset, other.wxyz)


def across(here: Figure, there: Figure, q: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(frames, n) of figure ``there``: where ``here`` has the same joints with q (frames, n).

    Branches of angles are those nearest to the frame before, the first to ``start``.
    """
    names = {name: i for i, name in enumerate(here.joints)}
    for joint in there.definition:
        k = names.get(joint.name)
        parent = None if k is None else here.definition[k].parent
        if k is None or parent != joint.parent:
            raise FigureError(
                f'onto: joint "{joint.name}" is missing or hangs elsewhere in the motion\'s figure'
            )
    world = here.frames(q)
    out = np.broadcast_to(there.rest, (len(q), there.n)).copy()
    first = 0
    for joint in there.definition:
        width = joint.width
        k = names[joint.name]
        columns = slice(first, first + width)
        if _same_way(joint, here.definition[k]):
            out[:, columns] = q[:, here.owner == k]  # whole turns stay as they are
        elif width:
            own = world[:, k]
            if here.parents[k] >= 0:
                own = np.linalg.inv(world[:, here.parents[k]]) @ own
            out[:, columns] = joint_values(joint, own, start[columns])
        first += width
    return out

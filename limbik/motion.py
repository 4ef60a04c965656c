"""A clip: a figure and its pose over time, to slice, thin out and resample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from limbik.compiling import kernel
from limbik.errors import FigureError
from limbik.euler import ORDERS, euler_to_quat, quat_to_euler
from limbik.figure import Figure
from limbik.joints import ExponentialBall, Part, Slide, SwingTwistBall, Turn
from limbik.rotations import exp_map, log_map, quat_multiply, slerp, swing_twist

TURN = 2.0 * math.pi


class Motion:
    """Poses of one figure at a steady frame rate; nothing in it can be changed.

    >>> from limbik.joints import Joint, revolute
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
        frames a second; ``name`` is the clip's own, such as its file's."""
        if not isinstance(figure, Figure):
            raise FigureError(f"a motion needs a Figure, got {type(figure).__name__}")
        what = f'motion "{name}"' if name else "motion"
        poses = figure.pose(np.asarray(q, dtype=np.float64), what)
        if poses.ndim != 2 or len(poses) == 0:
            raise FigureError(
                f"{what}: needs at least one frame of {figure.n} values, got shape {poses.shape}"
            )
        rate = float(fps)
        if not (math.isfinite(rate) and rate > 0):
            raise FigureError(f"{what}: fps must be above 0, got {fps!r}")
        poses.setflags(write=False)
        self._figure, self._q, self._fps, self._name = figure, poses, rate, name

    @property
    def figure(self) -> Figure:
        """The figure that moves."""
        return self._figure

    @property
    def q(self) -> np.ndarray:
        """(frames, n) a pose a frame, read-only; radians and the figure's unit."""
        return self._q

    @property
    def fps(self) -> float:
        """Frames a second."""
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
            return self._q[key]
        _, _, step = key.indices(len(self._q))
        return Motion(self._figure, self._q[key], self._fps / abs(step), self._name)

    def sample(self, every_seconds: float) -> Motion:
        """The frames nearest to the times 0, every, 2·every, ...; nothing is interpolated.

        The new frame rate is 1/every, also where frames lie a little beside those times.
        """
        every = float(every_seconds)
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
        shorter way round.
        """
        rate = float(fps)
        if not (math.isfinite(rate) and rate > 0):
            raise FigureError(f"resample: fps must be above 0, got {fps!r}")
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
        out = q[before] + share[:, None] * (q[after] - q[before])
        for part, columns in _balls(self._figure):
            wxyz = _to_quat(part, self._q[:, columns])
            between = slerp(wxyz[before], wxyz[after], share)
            out[:, columns] = _from_quat(part, between, self._q[0, columns])
        return Motion(self._figure, out, rate, self._name)

    def __repr__(self) -> str:
        name = self._name or self._figure.name or "unnamed"
        return f"<Motion {name}: {len(self._q)} frames at {self._fps:g} fps>"


def _times(duration: float, step: float) -> np.ndarray:
    """0, step, 2·step, ... up to the duration, which counts as reached within a millionth."""
    return np.arange(math.floor(duration / step + 1e-6) + 1) * step


Ball = ExponentialBall | SwingTwistBall | tuple[Turn, Turn, Turn]


def _balls(figure: Figure) -> Iterator[tuple[Ball, np.ndarray]]:
    """What turns in all directions, with the three columns of q that hold it."""
    first = 0
    for joint in figure.definition:
        turns: list[Turn] = []
        columns: list[int] = []
        for part in joint.parts:
            if isinstance(part, ExponentialBall | SwingTwistBall):
                yield part, np.arange(first, first + 3)
                first += 3
            elif part.coupled is None:
                if isinstance(part, Turn):
                    turns.append(part)
                    columns.append(first)
                first += 1
        others = any(not isinstance(part, Slide) and part not in turns for part in joint.parts)
        if len(turns) == 3 and not others and euler_order(turns):
            yield (turns[0], turns[1], turns[2]), np.array(columns)


def euler_order(parts: Sequence[Part]) -> str:
    """ "ZYX" for turns about z, y and x (or against them) that reach every rotation, else ""."""
    letters = ""
    for part in parts:
        axis = np.abs(part.axis) if isinstance(part, Turn) else np.zeros(3)
        letters += "XYZ"[int(np.argmax(axis))] if sorted(axis) == [0.0, 0.0, 1.0] else "?"
    return letters if letters in ORDERS else ""


def _signs(turns: Sequence[Turn]) -> np.ndarray:
    return np.array([sum(turn.axis) for turn in turns])


def _to_quat(part: Ball, values: np.ndarray) -> np.ndarray:
    if isinstance(part, ExponentialBall):
        return exp_map(values)
    if isinstance(part, SwingTwistBall):
        u, v, t = part.basis.T
        swing = exp_map(values[:, :1] * u + values[:, 1:2] * v)
        return quat_multiply(swing, exp_map(values[:, 2:] * t))
    return euler_to_quat(values * _signs(part), euler_order(part))


def _from_quat(part: Ball, wxyz: np.ndarray, start: np.ndarray) -> np.ndarray:
    if isinstance(part, ExponentialBall):
        values = log_map(wxyz)
        _follow_vector(values, start.copy())
        return values
    if isinstance(part, SwingTwistBall):
        u, v, t = part.basis.T
        swing, twist = (log_map(half) for half in swing_twist(wxyz, t))
        angle = np.unwrap(twist @ t)
        angle += TURN * np.round((start[2] - angle[0]) / TURN)
        return np.column_stack([swing @ u, swing @ v, angle])
    return euler_following(wxyz, euler_order(part), start * _signs(part)) * _signs(part)


def euler_following(wxyz: np.ndarray, order: str, start: np.ndarray | None = None) -> np.ndarray:
    """Euler angles of quaternions in time, each frame on the branch nearest to the one before.

    (frames, 4) → (frames, 3), radians, in the order's own sequence and not kept within ±π; the
    first frame is the one nearest to ``start`` (3,), or to zero.  In gimbal lock the turn the two
    outer angles share is spread over both.
    """
    angles = np.ascontiguousarray(quat_to_euler(wxyz, order))
    first, second, third = ("XYZ".index(letter) for letter in order)
    returns = first == third
    parity = 1.0 if returns or (second - first) % 3 == 1 else -1.0
    _follow_euler(angles, np.zeros(3) if start is None else np.array(start, float), returns, parity)
    return angles


@kernel
def _follow_euler(angles, last, returns, parity):
    """Move each row to the branch nearest to the row before; ``last`` (3,) is overwritten."""
    one, two = np.empty(3), np.empty(3)
    for i in range(angles.shape[0]):
        a, b, c = angles[i]
        lock = math.sin(b) if returns else math.cos(b)
        for k in range(3):
            one[k] = angles[i, k]
        two[0], two[1], two[2] = a + math.pi, -b if returns else math.pi - b, c + math.pi
        if abs(lock) < 1e-9:
            # Only a + s·c counts: share what it changed by between a and c.
            s = math.cos(b) if returns else parity * math.sin(b)
            s = 1.0 if s > 0.0 else -1.0
            change = a + s * c - last[0] - s * last[2]
            change -= TURN * np.round(change / TURN)
            one[0], one[2] = last[0] + 0.5 * change, last[2] + 0.5 * s * change
            two[0], two[2] = one[0], one[2]
            if returns:
                two[1] = b
        near, far = 0.0, 0.0
        for k in range(3):
            one[k] += TURN * np.round((last[k] - one[k]) / TURN)
            two[k] += TURN * np.round((last[k] - two[k]) / TURN)
            near += (one[k] - last[k]) ** 2
            far += (two[k] - last[k]) ** 2
        for k in range(3):
            last[k] = one[k] if near <= far else two[k]
            angles[i, k] = last[k]


@kernel
def _follow_vector(vectors, last):
    """Add whole turns to each rotation vector where that brings it nearer to the one before."""
    for i in range(vectors.shape[0]):
        length = math.sqrt((vectors[i] ** 2).sum())
        if length > 1e-12:
            along = (vectors[i] * last).sum() / length
            vectors[i] *= 1.0 + TURN * np.round((along - length) / TURN) / length
        last[:] = vectors[i]

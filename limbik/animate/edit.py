"""edit: a joint elsewhere in one frame, by inverse kinematics, and the clip around it unchanged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from limbik.animate.mix import ease, inside
from limbik.errors import FigureError, GoalError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Goal, Reach
from limbik.humanoid.recognise import recognise
from limbik.maths.so3 import matrix_to_quat, quat_conjugate, quat_multiply, slerp
from limbik.solver.batch import solve_many

_STEP = 0.03  # of the figure's size that targets move at a time, so that poses follow on
_HELD = ("leftFoot", "rightFoot", "leftToes", "rightToes")


def edit(
    motion: Motion,
    joint: str,
    frame: int,
    target: Sequence[float] | np.ndarray,
    span: int,
    *,
    wxyz: Sequence[float] | np.ndarray | None = None,
    hold: Iterable[str] | None = None,
) -> Motion:
    """The motion with ``joint`` at ``target`` (3,) in ``frame``; the change fades in and out over
    ``span`` frames before and after, and further away nothing changes.

    The joint's path is shifted by what is missing, eased; the joints in ``hold`` keep their own
    paths, those of the feet unless given.  ``wxyz`` is how the joint shall be turned there; then
    what is held keeps its orientation too.  Every pose is inside the limits.

    Raises:
        GoalError: where the target cannot be reached.

    >>> hand = clip.figure.positions(clip.q[30], "LeftHand")
    >>> new = clip.edit("LeftHand", 30, hand + [0, 0.05, 0], span=10)
    >>> bool(abs(new.figure.positions(new.q[30], "LeftHand") - hand - [0, 0.05, 0]).max() < 1e-3)
    True
    """
    figure = motion.figure
    index = figure.index(joint)
    for what, value, least in (("frame", frame, -motion.frames), ("span", span, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise FigureError(f"edit: {what} must be a whole number of frames, got {value!r}")
    if frame >= motion.frames:
        raise FigureError(f"edit: frame {frame} of a motion with {motion.frames}")
    at = int(frame) % motion.frames
    place = _numbers(target, 3, "target")
    names = [joint, *(name for name in _held(figure, hold) if figure.index(name) != index)]
    frames = np.arange(max(0, at - span + 1), min(motion.frames, at + span))
    share = ease(1.0 - np.abs(frames - at) / span)
    own = figure.frames(motion.q[frames])[:, [figure.index(name) for name in names]]
    wanted = own[..., :3, 3].copy()
    now = int(np.flatnonzero(frames == at)[0])
    wanted[:, 0] += share[:, None] * (place - own[now, 0, :3, 3])
    turns = None
    if wxyz is not None:
        turns = matrix_to_quat(own[..., :3, :3])
        goal = np.broadcast_to(_numbers(wxyz, 4, "wxyz"), (len(frames), 4))
        change = slerp(np.broadcast_to(turns[now, 0], goal.shape), goal, share)
        turns[:, 0] = _carried(turns[:, 0], turns[now, 0], change)
    q = followed(figure, names, wanted, motion.q[frames], turns)
    reached = figure.positions(q[now], joint)
    short = float(np.linalg.norm(reached - place))
    if short > 1e-3 * figure.size:
        text = f"edit: {joint} cannot be at the target in frame {at}: it stays {short:.3g}"
        raise GoalError(f"{text} {figure.unit or 'units'} away")
    out = motion.q.copy()
    out[frames] = q
    return Motion(figure, out, motion.fps, motion.name)


def followed(
    figure: Figure,
    names: Sequence[str],
    wanted: np.ndarray,
    starts: np.ndarray,
    wxyz: np.ndarray | None = None,
    more: Sequence[Goal] = (),
) -> np.ndarray:
    """(frames, n) poses near ``starts`` (frames, n) with the named joints at ``wanted`` (frames,
    names, 3), inside the limits, and ``more`` goals.

    Targets go there from where the joints are in steps, all frames at once, so that neighbours in
    time take the same way.
    """
    q = inside(figure, starts)
    first = figure.positions(q, list(names))
    far = float(np.linalg.norm(wanted - first, axis=-1).max(initial=0.0))
    steps = max(1, math.ceil(far / (_STEP * figure.size)))
    begin = None if wxyz is None else _orientations(figure, names, q)
    for step in range(1, steps + 1):
        share = step / steps
        turns = None
        if wxyz is not None and begin is not None:
            flat = slerp(begin.reshape(-1, 4), wxyz.reshape(-1, 4), np.full(begin.size // 4, share))
            turns = flat.reshape(wxyz.shape)
        targets = first + share * (wanted - first)
        tolerance = 1e-5 * figure.size
        goals = [
            Reach(name, position=targets[:, k], wxyz=None if turns is None else turns[:, k])
            for k, name in enumerate(names)
        ]
        found = solve_many(
            figure,
            [*goals, *more],
            starts=q,
            restarts=0,
            tolerance=tolerance if turns is None else (tolerance, 1e-4),
        )
        q = found.q
    return q


def _orientations(figure: Figure, names: Sequence[str], q: np.ndarray) -> np.ndarray:
    world = figure.frames(q)[:, [figure.index(name) for name in names], :3, :3]
    return matrix_to_quat(world)


def _carried(own: np.ndarray, here: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Rotations ``own`` (frames, 4), each turned as ``here`` (4,) is to become ``change``."""
    return quat_multiply(quat_multiply(change, quat_conjugate(here)), own)


def _held(figure: Figure, hold: Iterable[str] | None) -> list[str]:
    if hold is None:
        body = recognise(figure)
        return [body[role] for role in _HELD if role in body]
    names = [hold] if isinstance(hold, str) else list(hold)
    return [figure.joints[figure.index(name)] for name in names]


def _numbers(values: Sequence[float] | np.ndarray, count: int, what: str) -> np.ndarray:
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise FigureError(f"edit: {what} needs {count} finite numbers, got {values!r}")
    return array

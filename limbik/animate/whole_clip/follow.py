"""follow: targets of some effectors over a whole clip, near a reference where they leave it free.

What ``track`` does frame by frame, at once: every frame has the same goals with targets of its own,
a wish to stay near a reference, and velocity and acceleration terms between frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from limbik.animate.whole_clip.spacetime import SMOOTH, ClipSolver, Report, with_free_balls
from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Reach, Rest
from limbik.maths.so3 import quat_to_matrix
from limbik.solver.frame_values import FrameValues
from limbik.solver.problem import Problem

NEAR = 3e-4
"""Weight of staying near the reference, for each coordinate."""


def follow(
    figure: Figure,
    effectors: Sequence[str],
    targets: np.ndarray,
    *,
    wxyz: np.ndarray | None = None,
    start: np.ndarray | None = None,
    fps: float = 120.0,
    near: Motion | np.ndarray | None = None,
    near_weight: float = NEAR,
    smooth: float = SMOOTH,
    speed_limits: np.ndarray | None = None,
    lock: Iterable[str] = (),
) -> tuple[Motion, Report]:
    """(motion, report): the figure follows targets (frames, effectors, 3), all frames at once.

    ``wxyz`` (frames, effectors, 4) are orientations; ``start`` (n,) the pose of a frame that does
    not start from a neighbour; ``near`` (frames, n) or a motion of the figure is where it stays as
    far as the targets let it, the rest pose unless given (roots are not held); ``smooth`` is in
    seconds; ``speed_limits`` (n,) are units per second, inf where there is none.

    >>> clip = limbik.figures.cartwheel()[::20]
    >>> hands = ["LeftHand", "RightHand"]
    >>> motion, report = follow(clip.figure, hands, clip.figure.positions(clip.q, hands),
    ...                         fps=clip.fps, near=clip)
    >>> report.after <= report.before
    True
    """
    names = [effectors] if isinstance(effectors, str) else list(effectors)
    points = np.asarray(targets, float)
    if points.ndim != 3 or points.shape[1:] != (len(names), 3) or not len(points):
        raise GoalError(f"targets: needs shape (frames, {len(names)}, 3), got {points.shape}")
    if not np.isfinite(points).all():
        raise GoalError("targets: a target is not finite")
    frames, inner = len(points), with_free_balls(figure)
    turn = None if wxyz is None else (1.0, 0.0, 0.0, 0.0)
    goals = [Reach(name, position=(0, 0, 0), wxyz=turn) for name in names]
    roots = np.isin(inner.owner, np.flatnonzero(inner.parents < 0))
    rest = Rest(np.where(roots, 0.0, near_weight * inner.n))
    problem = Problem(inner, [*goals, rest], lock=lock)
    values = FrameValues(problem, frames)
    for k in range(len(names)):
        values.position(k, points[:, k])
        if wxyz is not None:
            values.rotation(k, quat_to_matrix(np.asarray(wxyz, float)[:, k]))
    begin = figure.rest[None] if start is None else np.atleast_2d(start)
    starts = Motion(figure, np.broadcast_to(begin, (frames, figure.n)), fps).onto(inner).q
    if near is not None:
        reference = near if isinstance(near, Motion) else Motion(figure, near, fps)
        if reference.frames != frames:
            raise GoalError(f"near: {reference.frames} frames for targets of {frames}")
        starts = reference.onto(inner).q
        values.near(starts)
    speeds = None if speed_limits is None else np.asarray(speed_limits, float)
    solver = ClipSolver(values, fps=fps, smooth=smooth, speed_limits=speeds)
    q, report = solver.solve(inner.project(starts))
    return Motion(inner, q, fps).onto(figure), report

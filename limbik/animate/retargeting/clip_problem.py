"""The problem of every frame of a retargeted clip: goals, their weights, and where it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limbik.animate.retargeting.body_shape import BodyShape, Foot
from limbik.animate.retargeting.holds import ramp
from limbik.animate.retargeting.overrides import Overrides
from limbik.animate.retargeting.target_tracks import Point, Targets
from limbik.animate.whole_clip.spacetime import ClipSolver
from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.goals import Goal, Plane, Reach, Rest
from limbik.humanoid.recognise import SIDES
from limbik.solver.problem import Problem
from limbik.solver.targets.frame_values import FrameValues

WEIGHTS: Mapping[str, float] = {
    "hips": 1.0, "chest": 0.3, "LowerLeg": 0.6, "Foot": 2.0, "Ball": 0.3, "LowerArm": 0.4,
    "Hand": 1.0,
}  # fmt: skip
"""Weights of positions by role without its side."""

TURN_WEIGHTS: Mapping[str, float] = {
    "hips": 0.1, "trunk": 0.1, "head": 0.1, "Foot": 0.1, "Hand": 0.1,
}  # fmt: skip
"""Weights of rotations; other segments have SEGMENT."""

SEGMENT = 0.05
HELD = 10000.0
"""How many times a point counts while a contact holds it."""
HELD_TURN = 4000.0
FIRST_HELD = 10.0
"""The same in the first pass, which finds out where the target's limits let contacts be."""
LEVEL, LIGHT = 1e4, 1e-4
"""Weights of soles on the ground in the first pass, while a foot that cannot tilt sideways is flat
and while it is not."""
POSTURE = 3e-4  # weight of the rest pose, or of ``near``, for each coordinate


def part_of(role: str) -> str:
    """A role without its side."""
    return role.removeprefix("left").removeprefix("right")


def local_point(target: BodyShape, role: str, point: Point) -> np.ndarray:
    """A target's point in its link's frame; the ball of a foot is given in body axes."""
    return target.t_frames[point.link].T @ point.at if role.endswith("Ball") else point.at


def places_of(figure: Figure, q: np.ndarray, link: int, at: np.ndarray) -> np.ndarray:
    """(frames, 3) where a point ``at`` (3,) of a link is in poses q (frames, n)."""
    frames = figure.frames(q)[:, link]
    return frames[:, :3, :3] @ at + frames[:, :3, 3]


def clip_solver(
    figure: Figure,
    target: BodyShape,
    targets: Targets,
    changes: Overrides,
    *,
    fps: float,
    smooth: float,
    near: np.ndarray | None = None,
    posture: float = POSTURE,
    speeds: np.ndarray | None = None,
    hold: float = HELD,
    more: Sequence[Goal] = (),
    level: Mapping[str, Foot] | None = None,
) -> tuple[ClipSolver, np.ndarray]:
    """The problem of every frame with ``more`` goals, and where frames may start (frames, n).

    ``posture`` is the weight of ``near`` (frames, n), or of the rest pose, for each coordinate.
    ``level`` has the feet of a figure that cannot tilt them sideways: while they are flat their
    soles are on the ground, and they stand where that lets them.
    """
    names, goals = figure.joints, list[Goal]()
    for role, point in targets.points.items():
        weight = changes.weight(role, WEIGHTS[part_of(role)])
        at: Any = local_point(target, role, point)
        goals.append(Reach(names[point.link], position=(0, 0, 0), at=at, weight=weight))
    for role, turned in targets.turned.items():
        weight = changes.weight(role, TURN_WEIGHTS.get(part_of(role), SEGMENT))
        goals.append(Reach(names[turned.link], wxyz=(1, 0, 0, 0), rotation_weight=weight))
    planes = [] if level is None else _soles(figure, target, level)
    count = len(goals)
    goals += [goal for _, goal in planes]
    roots = np.isin(figure.owner, np.flatnonzero(figure.parents < 0))
    goals.append(Rest(np.where(roots, 0.0, posture * figure.n)))
    links = {p.link for p in targets.points.values()} | {t.link for t in targets.turned.values()}
    problem = Problem(figure, [*goals, *more], lock=_idle(figure, links))
    hips = targets.points["hips"]
    values = FrameValues(problem, len(hips.track))
    for k, (role, point) in enumerate(targets.points.items()):
        values.position(k, point.track)
        if point.held.any():
            factors = ramp(point.held, max(point.firm * hold, 1.0), fps)
            if level is not None and part_of(role) in ("Foot", "Ball"):
                factors = np.where(np.arange(3) == target.up, factors[:, None], 1.0)
            values.position_factor(k, factors)
    for k, (side, _) in enumerate(planes, count):
        held = targets.points[side + "Foot"].held
        values.plane_factor(k, ramp(held, LEVEL / LIGHT, fps))
    rotations = {}
    for k, (role, turned) in enumerate(targets.turned.items(), len(targets.points)):
        rotations[role] = turned.track @ target.t_frames[turned.link]
        values.rotation(k, rotations[role])
        if turned.held.any():
            values.rotation_factor(k, ramp(turned.held, min(hold, HELD_TURN), fps))
    if near is not None:
        values.near(near)
    solver = ClipSolver(values, fps=fps, smooth=smooth, speed_limits=speeds)
    return solver, _placed(figure, target, hips.track, hips.at, rotations["hips"])


def _soles(figure: Figure, target: BodyShape, feet: Mapping[str, Foot]) -> list[tuple[str, Plane]]:
    """(side, goal) for every ball of the soles: it touches the ground at height 0."""
    x, y, z = np.eye(3)[target.up].tolist()
    out = []
    for side in SIDES:
        turn = target.t_frames[feet[side].link].T
        for ball in feet[side].sole:
            at: Any = turn @ ball[:3]
            name = figure.joints[feet[side].link]
            out.append((side, Plane(name, (x, y, z), float(ball[3]), at=at, weight=LIGHT)))
    return out


def _placed(
    figure: Figure, target: BodyShape, hips: np.ndarray, at: np.ndarray, turned: np.ndarray
) -> np.ndarray:
    """(frames, n) the rest pose with its root moved so that the hips are where they belong."""
    frames = figure.frames(figure.rest)
    root = next(i for i in range(len(figure.joints)) if figure.parents[i] < 0 and _moves(figure, i))
    wanted = np.zeros((len(hips), 4, 4))
    wanted[:, :3, :3], wanted[:, :3, 3] = turned, hips - turned @ at
    wanted[:, 3, 3] = 1.0
    moved = wanted @ np.linalg.inv(frames[target.pelvis]) @ frames[root]
    columns = np.flatnonzero(figure.owner == root)
    q = np.repeat(figure.rest[None], len(hips), axis=0)
    q[:, columns] = joint_values(figure.definition[root], moved, figure.rest[columns])
    return figure.project(q)


def _idle(figure: Figure, links: set[int]) -> list[str]:
    """Joints that move none of these links: fingers, eyes, clothes."""
    used = {i for link in links for i in figure.tree.ancestors(link)}
    return [name for i, name in enumerate(figure.joints) if i not in used]


def _moves(figure: Figure, joint: int) -> bool:
    return bool((figure.owner == joint).any())

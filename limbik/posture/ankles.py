"""Ankles: how far a foot bends up towards its shin before a body would rather lift the heel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import int64

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.goals import terms as tm
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_point_moments
from limbik.goals.priority import Prioritized
from limbik.humanoid.recognise import SIDES
from limbik.jit import inner
from limbik.posture.feet import Foot, feet_of
from limbik.posture.known_body import known_body

COMFORT = math.radians(32.0)
"""How far the shin leans ahead of upright on a flat sole.  Under a body's weight ankles bend up by
20 to 45 degrees; limits that hold recorded people (humanoid/widest.py) allow for more."""


@dataclass(frozen=True, eq=False, repr=False)
class Ankle(Prioritized):
    """The foot ``joint`` of a body does not bend up further towards its shin than by COMFORT.

    The residual is max(0, distance − ‖k(q) − b(q)‖) for the knee k and the ball of the foot b;
    ``apart`` says at which distance that is.
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"distance": 0}

    joint: str
    distance: float
    weight: float = 1.0

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        figure = scene.figure
        index = tm.joint_index(figure, self.joint, "Ankle")
        foot = next((foot for foot in feet_of(figure) if foot.joint == index), None)
        if foot is None:
            raise GoalError(f'Ankle: "{self.joint}" is no foot of a body')
        functions = fn.TermFunctions(
            1, ankle_residual.address, ankle_jacobian.address, (knee_above(figure, index), index),
            np.array([self.distance, 0.0, 0.0, 0.0, *foot.ball]),
            unit="length", one_sided=True, second=ankle_second.address,
        )  # fmt: skip
        weight = tm.one_weight(self.weight, "Ankle")
        return [tm.Term(tm.FUNCTION, -1, weight=weight, functions=functions)]

    def describe(self, answered: tm.Answered) -> str:
        """Why the goal holds another one, or ""."""
        return f"{self.joint} would bend up further than is natural" if answered.holds else ""

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[tm.TargetWrite]:
        return [tm.TargetWrite(0, tm.NUMBERS, tables["distance"])]


def knee_above(figure: Figure, foot: int) -> int:
    """The joint of the lower leg above a foot."""
    body = known_body(figure)
    side = next(side for side in SIDES if figure.index(body[side + "Foot"]) == foot)
    return figure.index(body[side + "LowerLeg"])


def apart(figure: Figure, foot: Foot, q: np.ndarray | None = None) -> float:
    """From the knee to the ball of a foot: in the pose q (n,), or with the shin COMFORT ahead of
    upright on a flat sole."""
    knee = knee_above(figure, foot.joint)
    frames = figure.frames(figure.rest if q is None else q)
    shin = frames[foot.joint, :3, :3].T @ (frames[knee, :3, 3] - frames[foot.joint, :3, 3])
    if q is None:
        ahead = foot.ball - foot.heel
        ahead = ahead / np.linalg.norm(ahead)
        leaning = math.cos(COMFORT) * foot.normal + math.sin(COMFORT) * ahead
        shin = float(np.linalg.norm(shin)) * leaning
    return float(np.linalg.norm(shin - foot.ball))


@inner
def _near(ints, floats, world, i):  # type: ignore[no-untyped-def]
    """(how much too near knee and ball are, knee x, y, z, ball x, y, z, the direction from the ball
    to the knee x, y, z)."""
    at, _ = fn.own_numbers(ints, i)
    knee, _, _ = fn.own_joint(ints, i, 0)
    foot, _, _ = fn.own_joint(ints, i, 1)
    kx, ky, kz = point_of(world, knee, floats, at + 1)
    bx, by, bz = point_of(world, foot, floats, at + 4)
    dx, dy, dz = kx - bx, ky - by, kz - bz
    length = (dx * dx + dy * dy + dz * dz) ** 0.5
    if length > 0.0:
        dx, dy, dz = dx / length, dy / length, dz / length
    return floats[at] - length, kx, ky, kz, bx, by, bz, dx, dy, dz


@fn.term_function
def ankle_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    short = max(_near(ints, floats, world, i)[0], 0.0)
    fn.open_floats(out_at)[row] = floats[f + lay.T_WEIGHT] * short
    fn.open_floats(error_at)[0] = short


@fn.term_function
def ankle_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt = fn.open_floats(axes_at), fn.open_floats(out_at)
    short, kx, ky, kz, bx, by, bz, dx, dy, dz = _near(ints, floats, world, i)
    w = floats[f + lay.T_WEIGHT]
    if fn.foresees(fn.open_floats(ahead), row, w, short):
        _, path, length = fn.own_joint(ints, i, 0)
        fn.add_motion_row(
            ints, floats, axes, path, length, kx, ky, kz, w * dx, w * dy, w * dz,
            0.0, 0.0, 0.0, row, jt,
        )  # fmt: skip
        _, path, length = fn.own_joint(ints, i, 1)
        fn.add_motion_row(
            ints, floats, axes, path, length, bx, by, bz, -w * dx, -w * dy, -w * dz,
            0.0, 0.0, 0.0, row, jt,
        )  # fmt: skip


@fn.second_function
def ankle_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s
):
    """What the two points add; that their direction turns is left out."""
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, slots = fn.open_floats(axes_at), int64(ints[lay.N_SLOTS])
    short, kx, ky, kz, bx, by, bz, dx, dy, dz = _near(ints, floats, world, i)
    if short <= 0.0:
        return
    w = fn.open_floats(lam_at)[row] * floats[f + lay.T_WEIGHT]
    moments = fn.open_table(moments_at, slots, 3)
    torques = fn.open_table(torques_at, slots, 3)
    _, path, length = fn.own_joint(ints, i, 0)
    add_point_moments(
        ints, floats, axes, path, length, kx, ky, kz, w * dx, w * dy, w * dz, moments, torques
    )
    _, path, length = fn.own_joint(ints, i, 1)
    add_point_moments(
        ints, floats, axes, path, length, bx, by, bz, -w * dx, -w * dy, -w * dz, moments, torques
    )

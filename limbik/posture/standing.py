"""Standing: the weight of a body, roughly, stays above its feet, as one goal.

A hand that wants to be far away would else tilt the whole body as one piece, because a straight
body reaches furthest.  A body that stands bends at the hips instead, and moves them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import int64

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.goals import terms as tm
from limbik.goals.kernels import functions as fn
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_point_moments
from limbik.goals.masses.contacts import up_axis
from limbik.goals.priority import Prioritized
from limbik.humanoid.recognise import SIDES
from limbik.jit import inner
from limbik.posture.feet import Foot, feet_of
from limbik.posture.known_body import known_body

SHARES = (("hips", 0.4), ("UpperArm", 0.2), ("LowerLeg", 0.1))
"""Where the weight of a body is: parts of it at these joints, on each side for the last two.  A
straight body has it at 0.6 of its height without the head, as tables of segments do."""

_NUMBERS = 4  # a share of the weight, and a point on its joint


@dataclass(frozen=True, eq=False, repr=False)
class Standing(Prioritized):
    """The weight of a body, seen from above, stays near the line between its feet.

    With c(q) the weighted mean of hips, shoulders and knees, and [a(q), b(q)] the line between the
    middles of the two soles (one point where a body stands on one foot), all seen from above, the
    residual is max(0, distance(c, [a, b]) − room).  ``room`` is half the length of a sole, or the
    distance in ``start`` (n,) where that is larger: a body that leans already may stay so.

    ``feet`` names the joints of the feet that it stands on; both unless given.  Unlike ``Balance``
    it needs no masses, and costs next to nothing.

    >>> import limbik
    >>> Standing(limbik.figures.human().rest).label
    'standing'
    """

    start: Sequence[float] | np.ndarray
    feet: Sequence[str] | None = None
    weight: float = 1.0

    @property
    def label(self) -> str:
        return "standing"

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        figure = scene.figure
        joints, points = self._points(figure)
        room = _allowed_distance(
            figure, self._feet(figure), joints, points, np.asarray(self.start, float)
        )
        up = up_axis(figure)
        functions = fn.TermFunctions(
            1, standing_residual.address, standing_jacobian.address, tuple(joints),
            np.concatenate(([room], points.ravel())),
            table=np.array([len(joints), (up + 1) % 3, (up + 2) % 3]),
            unit="length", one_sided=True, second=standing_second.address,
        )  # fmt: skip
        weight = tm.one_weight(self.weight, "Standing")
        return [tm.Term(tm.FUNCTION, -1, weight=weight, functions=functions)]

    def away(self, figure: Figure, q: np.ndarray) -> float:
        """How far the weight is from the line between the feet in a pose q (n,), from above."""
        return _away(figure, *self._points(figure), q)

    def describe(self, answered: tm.Answered) -> str:
        """How far the body leans, or why that holds another goal."""
        away = answered.text(self.away(answered.figure, answered.q))
        if answered.holds:
            return f"the body would fall: its weight is {away} beside its feet"
        return f"the weight is {away} beside the feet"

    def _feet(self, figure: Figure) -> list[Foot]:
        known = feet_of(figure)
        if not known:
            raise GoalError("Standing: no body is recognised")
        if self.feet is None:
            return list(known)
        indices = [tm.joint_index(figure, name, "Standing") for name in self.feet]
        found = [foot for index in indices for foot in known if foot.joint == index]
        if len(found) != len(indices) or not found:
            raise GoalError(f"Standing: needs one or two feet of the body, got {self.feet!r}")
        return found

    def _points(self, figure: Figure) -> tuple[list[int], np.ndarray]:
        """(joints, (points, 4): a share of the weight and a point on the joint); the last two are
        the middles of the soles."""
        feet, body = self._feet(figure), known_body(figure)
        joints, rows = [], []
        for part, share in SHARES:
            for role in [part] if part in body else [side + part for side in SIDES]:
                joints.append(figure.index(body[role]))
                rows.append([share, 0.0, 0.0, 0.0])
        for foot in (feet[0], feet[-1]):
            joints.append(foot.joint)
            rows.append([0.0, *(0.5 * (foot.heel + foot.ball))])
        return joints, np.array(rows)


def _allowed_distance(
    figure: Figure, feet: list[Foot], joints: list[int], points: np.ndarray, start: np.ndarray
) -> float:
    sole = max(0.5 * float(np.linalg.norm(foot.ball - foot.heel)) for foot in feet)
    q = figure.project(figure.single_pose(start, "Standing: start"))
    return max(sole, _away(figure, joints, points, q))


def _away(figure: Figure, joints: list[int], points: np.ndarray, q: np.ndarray) -> float:
    up = up_axis(figure)
    frames = figure.frames(q)[joints]
    places = np.einsum("kij,kj->ki", frames[:, :3, :3], points[:, 1:]) + frames[:, :3, 3]
    flat = places[:, [(up + 1) % 3, (up + 2) % 3]]
    return float(_beside(*(points[:, 0] @ flat), *flat[-2], *flat[-1])[0])


@inner
def _beside(cx, cy, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """(distance, its direction x, y, t): of c from the nearest point a + t·(b − a) of a line."""
    ex, ey = bx - ax, by - ay
    length = ex * ex + ey * ey
    t = 0.0
    if length > 0.0:
        t = min(max(((cx - ax) * ex + (cy - ay) * ey) / length, 0.0), 1.0)
    dx, dy = cx - ax - t * ex, cy - ay - t * ey
    distance = (dx * dx + dy * dy) ** 0.5
    if distance > 0.0:
        dx, dy = dx / distance, dy / distance
    return distance, dx, dy, t


@inner
def _excess(ints, floats, world, i):  # type: ignore[no-untyped-def]
    """(how far the weight is beyond its room, direction x, y, t of the nearest point)."""
    table, (at, _) = fn.own_table(ints, i), fn.own_numbers(ints, i)
    count, one, two = int64(ints[table]), ints[table + 1], ints[table + 2]
    cx = cy = ax = ay = bx = by = 0.0
    for k in range(count):
        joint, _, _ = fn.own_joint(ints, i, k)
        first = at + 1 + _NUMBERS * k
        point = point_of(world, joint, floats, first + 1)
        x, y, share = point[one], point[two], floats[first]
        cx, cy = cx + share * x, cy + share * y
        ax, ay, bx, by = bx, by, x, y
    distance, dx, dy, t = _beside(cx, cy, ax, ay, bx, by)
    return distance - floats[at], dx, dy, t


@inner
def _pull(k, count, share, t):  # type: ignore[no-untyped-def]
    """How much a level way of point k adds to the distance."""
    if k == count - 1:
        return -t
    return t - 1.0 if k == count - 2 else share


@fn.term_function
def standing_residual(ints_at, floats_at, q, world_at, axes, i, f, row, out_at, error_at):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    excess = max(_excess(ints, floats, world, i)[0], 0.0)
    fn.open_floats(out_at)[row] = floats[f + lay.T_WEIGHT] * excess
    fn.open_floats(error_at)[0] = excess


@fn.term_function
def standing_jacobian(ints_at, floats_at, q, world_at, axes_at, i, f, row, out_at, ahead):  # type: ignore[no-untyped-def]
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, jt, table = fn.open_floats(axes_at), fn.open_floats(out_at), fn.own_table(ints, i)
    at, _ = fn.own_numbers(ints, i)
    count, one, two = int64(ints[table]), ints[table + 1], ints[table + 2]
    excess, dx, dy, t = _excess(ints, floats, world, i)
    w = floats[f + lay.T_WEIGHT]
    if not fn.foresees(fn.open_floats(ahead), row, w, excess):
        return
    for k in range(count):
        joint, path, length = fn.own_joint(ints, i, k)
        first = at + 1 + _NUMBERS * k
        x, y, z = point_of(world, joint, floats, first + 1)
        a = -w * _pull(k, count, floats[first], t)
        fn.add_motion_row(
            ints, floats, axes, path, length, x, y, z, *_level(one, two, a * dx, a * dy),
            0.0, 0.0, 0.0, row, jt,
        )  # fmt: skip


@fn.second_function
def standing_second(  # type: ignore[no-untyped-def]
    ints_at, floats_at, q, world_at, axes_at, i, f, row, lam_at, moments_at, torques_at, s
):
    """What the points add; that the direction of the distance turns is left out."""
    ints, floats, world = fn.open_ints(ints_at), fn.open_floats(floats_at), fn.open_floats(world_at)
    axes, table, slots = fn.open_floats(axes_at), fn.own_table(ints, i), int64(ints[lay.N_SLOTS])
    at, _ = fn.own_numbers(ints, i)
    count, one, two = int64(ints[table]), ints[table + 1], ints[table + 2]
    excess, dx, dy, t = _excess(ints, floats, world, i)
    if excess <= 0.0:
        return
    w = fn.open_floats(lam_at)[row] * floats[f + lay.T_WEIGHT]
    for k in range(count):
        joint, path, length = fn.own_joint(ints, i, k)
        first = at + 1 + _NUMBERS * k
        x, y, z = point_of(world, joint, floats, first + 1)
        a = -w * _pull(k, count, floats[first], t)
        lx, ly, lz = _level(one, two, a * dx, a * dy)
        add_point_moments(
            ints, floats, axes, path, length, x, y, z, lx, ly, lz,
            fn.open_table(moments_at, slots, 3), fn.open_table(torques_at, slots, 3),
        )  # fmt: skip


@inner
def _level(one, two, a, b):  # type: ignore[no-untyped-def]
    """(x, y, z) with a and b along two of the axes."""
    return (
        a * (one == 0) + b * (two == 0),
        a * (one == 1) + b * (two == 1),
        a * (one == 2) + b * (two == 2),
    )

"""Move one joint so that the marks below it come nearest their goals, inside its limits."""

from __future__ import annotations

import math

from limbik.figure import kinematics as kin
from limbik.figure import layout as lay
from limbik.figure.cones import SCRATCH, cone_normals
from limbik.figure.layout import F_REST, F_REST_POSE
from limbik.figure.projection import project
from limbik.figure.rigid_fit import RIGID, add_outer, ball_coordinates, fit_turn, shortest_arc
from limbik.jit import inner, kernel
from limbik.maths.so3 import product_of_three
from limbik.methods.chains.chain_view import BALL, BENDS, S_JOINT, S_KIND, S_PART, S_SLOT, TRIPLE
from limbik.methods.chains.effector_points import ROUNDING, carry, miss, slide_marks, turn_marks

# Scratch of a step: for placing and projecting, a frame, three rotations, three values, a fit.
_FRAME = SCRATCH
_SUM, _TURN, _LOCAL = _FRAME + 12, _FRAME + 21, _FRAME + 30
_KEPT = _FRAME + 39
_FIT = _KEPT + 3
STEP_SCRATCH = _FIT + RIGID
_TRIES, _SHORTER = 6, 0.25  # a turn that does not pay is tried so often, shorter each time


@kernel
def place_joint(ints, floats, q, joint, world, axes, scratch):
    """Place one joint on its parent, which has been placed: its frame and its axes."""
    kin.forward(ints, floats, q, ints[lay.I_ORDER] + joint, 1, world, axes, scratch)


@inner
def _pull(ints, floats, q, c, count):
    """What the diagonal goals of ``count`` coordinates from c on add to f."""
    total = 0.0
    for k in range(c, c + count):
        total += floats[ints[F_REST] + k] * (q[k] - floats[ints[F_REST_POSE] + k]) ** 2
    return total


@inner
def _move_slot(ints, floats, slot, q, axes, marks, which):
    """The exact best value of one turn or slide; the marks move along."""
    c, x = ints[ints[lay.I_COORD] + slot], lay.AXIS * slot
    axis, scale = axes[x : x + lay.AXIS], floats[ints[lay.F_SCALE] + slot]
    low, high = floats[ints[lay.F_LOWER] + c], floats[ints[lay.F_UPPER] + c]
    rest, pose = floats[ints[F_REST] + c], floats[ints[F_REST_POSE] + c]
    if ints[ints[lay.I_SLOT_IS_ROTATION] + slot]:
        q[c] = turn_marks(axis, q[c], scale, low, high, rest, pose, marks, which)
    else:
        q[c] = slide_marks(axis, q[c], scale, low, high, rest, pose, marks, which)


@inner
def _half_descent(ints, floats, slot, first, q, axes, marks, which, half_descent):
    """−½∇f by the three coordinates of a ball, into half_descent (3,)."""
    for k in range(3):
        rest, x = floats[ints[F_REST] + first + k], lay.AXIS * (slot + k)
        half_descent[k] = rest * (floats[ints[F_REST_POSE] + first + k] - q[first + k])
        for i in range(len(which)):
            m = marks[int(which[i])]
            ex, ey, ez = m[6] * (m[3] - m[0]), m[7] * (m[4] - m[1]), m[8] * (m[5] - m[2])
            vx, vy, vz = m[0] - axes[x + 3], m[1] - axes[x + 4], m[2] - axes[x + 5]
            half_descent[k] += axes[x] * (vy * ez - vz * ey)
            half_descent[k] += axes[x + 1] * (vz * ex - vx * ez)
            half_descent[k] += axes[x + 2] * (vx * ey - vy * ex)


@inner
def _along_edge(ints, floats, first, q, half_descent, way, scratch):
    """Take out of ``way`` (3,) what leads over the edge of a ball's cone that −∇f presses on.

    Stepping over it and projecting would land far along a curved edge.  False if nothing is left.
    """
    cone = ints[ints[lay.I_IN_CONE] + first]
    if cone == lay.NONE:
        return True
    normals = scratch[48:54].reshape(2, 3)
    found = cone_normals(ints, floats, int(cone), q, normals, scratch)
    for i in range(found):
        normal = normals[i]
        if (
            normal[0] * half_descent[0] + normal[1] * half_descent[1] + normal[2] * half_descent[2]
            <= 0.0
        ):
            continue
        if i == 1:
            both = normal[0] * normals[0, 0] + normal[1] * normals[0, 1] + normal[2] * normals[0, 2]
            for k in range(3):
                normal[k] -= both * normals[0, k]
        square = normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2
        if square < 1e-18:
            continue
        over = (normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2]) / square
        for k in range(3):
            way[k] -= over * normal[k]
    return way[0] ** 2 + way[1] ** 2 + way[2] ** 2 > 1e-18


@inner
def _step_ball(ints, floats, joint, slot, k, first, q, world, axes, marks, which, scratch):
    """Coordinate k of a ball: a Gauss–Newton step, projected, shortened until f falls.

    Its axis moves as it turns, so there is no closed form.  At a cone's edge it goes along the
    edge.  ``slot`` and ``first`` are the ball's first slot and coordinate.
    """
    half_descent, way = scratch[_TURN : _TURN + 3], scratch[_TURN + 3 : _TURN + 6]
    _half_descent(ints, floats, slot, first, q, axes, marks, which, half_descent)
    way[:] = 0.0
    way[k] = 1.0
    if not _along_edge(ints, floats, first, q, half_descent, way, scratch[:SCRATCH]):
        return
    x = lay.AXIS * slot
    y, z = x + lay.AXIS, x + 2 * lay.AXIS
    ax = way[0] * axes[x] + way[1] * axes[y] + way[2] * axes[z]
    ay = way[0] * axes[x + 1] + way[1] * axes[y + 1] + way[2] * axes[z + 1]
    az = way[0] * axes[x + 2] + way[1] * axes[y + 2] + way[2] * axes[z + 2]
    along, square = 0.0, 0.0
    for i in range(3):
        along += way[i] * half_descent[i]
        square += way[i] * way[i] * floats[ints[F_REST] + first + i]
    for i in range(len(which)):
        m = marks[int(which[i])]
        vx, vy, vz = m[0] - axes[x + 3], m[1] - axes[x + 4], m[2] - axes[x + 5]
        square += m[6] * (ay * vz - az * vy) ** 2
        square += m[7] * (az * vx - ax * vz) ** 2 + m[8] * (ax * vy - ay * vx) ** 2
    if not square > 0.0 or not math.isfinite(along / square):
        return
    frame, kept = scratch[_FRAME : _FRAME + 12], scratch[_KEPT : _KEPT + 3]
    for i in range(12):
        frame[i] = world[lay.WORLD * joint + i]
    for i in range(3):
        kept[i] = q[first + i]
    step = along / square
    f = miss(marks, which) + _pull(ints, floats, q, first, 3)
    for _ in range(_TRIES):
        for i in range(3):
            q[first + i] = kept[i] + step * way[i]
        project(ints, floats, q, scratch[:SCRATCH])
        place_joint(ints, floats, q, joint, world, axes, scratch[:SCRATCH])
        value = carry(world, joint, frame, marks, which, True)
        if value + _pull(ints, floats, q, first, 3) < f:
            carry(world, joint, frame, marks, which, False)
            return
        step *= _SHORTER
    for i in range(3):
        q[first + i] = kept[i]
    place_joint(ints, floats, q, joint, world, axes, scratch[:SCRATCH])


@inner
def _missing_turn(marks, which, ox, oy, oz, scratch):
    """The rotation about o that brings the marks nearest their goals, as if the axes weighed the
    same; (whether there is one, whether they do)."""
    s, turn = scratch[_SUM : _SUM + 9], scratch[_TURN : _TURN + 9]
    s[:] = 0.0
    found, last, equal = 0, 0, True
    for i in range(len(which)):
        m = marks[int(which[i])]
        weight = (m[6] + m[7] + m[8]) / 3.0
        vx, vy, vz = m[0] - ox, m[1] - oy, m[2] - oz
        gx, gy, gz = weight * (m[3] - ox), weight * (m[4] - oy), weight * (m[5] - oz)
        equal = equal and m[6] == m[7] and m[7] == m[8]
        lever, made_of = vx * vx + vy * vy + vz * vz, ox * ox + oy * oy + oz * oz
        if weight == 0.0 or lever <= ROUNDING * ROUNDING * made_of:
            continue
        found += 1
        last = int(which[i])
        add_outer(s, vx, vy, vz, gx, gy, gz)
    if found == 1:
        m = marks[last]
        shortest_arc(m[0] - ox, m[1] - oy, m[2] - oz, m[3] - ox, m[4] - oy, m[5] - oz, turn)
    elif found > 1:
        fit_turn(s, scratch[_FIT : _FIT + RIGID], turn)
    return found > 0, equal


@inner
def _turn_whole(ints, floats, joint, part, slot, q, world, axes, marks, which, scratch):
    """The best rotation of a ball, or of three turns that make one, as far as the limits let it.

    True where that is exactly the best pose of the joint: nothing was cut off, nothing else pulls.
    """
    c, x = ints[ints[lay.I_COORD] + slot], lay.AXIS * slot
    found, equal = _missing_turn(
        marks, which, axes[x + 3], axes[x + 4], axes[x + 5], scratch
    )  # fmt: skip
    exact = equal
    for k in range(3):
        exact = exact and floats[ints[F_REST] + c + k] == 0.0
    if not found:
        return exact
    frame, turn = scratch[_FRAME : _FRAME + 12], scratch[_TURN : _TURN + 9]
    base, local = scratch[_SUM : _SUM + 9], scratch[_LOCAL : _LOCAL + 9]
    kept, w = scratch[_KEPT : _KEPT + 3], lay.WORLD * joint
    for k in range(12):
        frame[k] = world[w + k]
    # The joint's frame is base·ball: the new ball is baseᵀ·turn·frame.
    placed, parent = ints[lay.F_JOINT_ROTATION] + 9 * joint, ints[ints[lay.I_PARENT] + joint]
    for i in range(3):
        for j in range(3):
            if parent == lay.NONE:
                base[3 * i + j] = floats[placed + 3 * i + j]
            else:
                total, p = 0.0, lay.WORLD * parent + 3 * i
                for k in range(3):
                    total += world[p + k] * floats[placed + 3 * k + j]
                base[3 * i + j] = total
    product_of_three(base, True, turn, False, frame, False, local)
    f = miss(marks, which) + _pull(ints, floats, q, c, 3)
    for k in range(3):
        kept[k] = q[c + k]
    ball_coordinates(ints, floats, part, local, q, scratch[_FIT : _FIT + RIGID])
    x, y, z = q[c], q[c + 1], q[c + 2]
    project(ints, floats, q, scratch[:SCRATCH])
    inside = q[c] == x and q[c + 1] == y and q[c + 2] == z
    place_joint(ints, floats, q, joint, world, axes, scratch[:SCRATCH])
    value = carry(world, joint, frame, marks, which, True) + _pull(ints, floats, q, c, 3)
    if value <= f:
        carry(world, joint, frame, marks, which, False)
        return exact and inside
    for k in range(3):
        q[c + k] = kept[k]
    place_joint(ints, floats, q, joint, world, axes, scratch[:SCRATCH])
    return False


@kernel
def take_step(ints, floats, step, q, world, axes, marks, which, scratch):
    """Move what a step of the chain view names so that its marks come nearest their goals.

    f never rises by more than rounding, and the joint stays inside its limits.  The joint's parent
    must be placed and, for turns and slides, the axes be those of q.  An ALONE step is moved as if
    nothing else followed its coordinate.  scratch: STEP_SCRATCH floats.
    """
    kind, joint, slot = int(step[S_KIND]), int(step[S_JOINT]), int(step[S_SLOT])
    if kind < BALL:
        _move_slot(ints, floats, slot, q, axes, marks, which)
        return
    part, first = int(step[S_PART]), ints[ints[lay.I_COORD] + slot]
    place_joint(ints, floats, q, joint, world, axes, scratch[:SCRATCH])
    if kind != BENDS and _turn_whole(
        ints, floats, joint, part, slot, q, world, axes, marks, which, scratch
    ):
        return
    ball = ints[ints[lay.I_KIND] + part]
    for k in range(2, -1, -1):
        if kind == TRIPLE or (ball == lay.SWING_TWIST and k == 2):
            # These turn about axes that turns after them do not move.
            _move_slot(ints, floats, slot + k, q, axes, marks, which)
            if kind != TRIPLE:
                place_joint(ints, floats, q, joint, world, axes, scratch[:SCRATCH])
        else:
            _step_ball(ints, floats, joint, slot, k, first, q, world, axes, marks, which, scratch)

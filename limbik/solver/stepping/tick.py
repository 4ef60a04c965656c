"""One tick in one compiled call: the box around the last pose, the solve inside it, the balls."""

from __future__ import annotations

import math

from numba import float64, int64, uint32

from limbik.figure import layout as lay
from limbik.figure.layout import F_REST, F_REST_OFFSET, F_REST_POSE
from limbik.figure.projection import project
from limbik.jit import inlined, inner, kernel
from limbik.maths.linear import copy
from limbik.methods.base import KERNEL, OUT, REACHED, SPENT
from limbik.solver.frames import SIGNATURES
from limbik.solver.objective import SCRATCH, evaluate, reached
from limbik.solver.stepping.ball_steps import BALL_SCRATCH, fastest_that_brakes, step_balls

# Rows of the table of poses: each (n,).
LAST = 0  # where it was at the last tick
SPEED = 1  # how fast each coordinate went in it
BEGIN = 2  # where the solve begins
NEXT = 3  # the answer
AHEAD = 4  # where the goals are met, to brake in time
WAY = 5  # a pose to go to instead
LOWER, UPPER = 6, 7  # the ranges
LOW, HIGH = 8, 9  # what is left of them in this tick
FASTEST, HARDEST = 10, 11  # the largest speed and acceleration, inf where there is none
SMOOTH = 12  # weights of staying near the last pose
POSTURE, POSTURE_POSE = 13, 14  # the Rest goals as they were given
POSES = 15

# The numbers.
DT = 0  # seconds per tick
BOUNDED = 1  # whether the box matters,
BRAKES = 2  # any acceleration is limited,
SMOOTHS = 3  # the weights of SMOOTH count,
HAS_WAY = 4  # and it goes to WAY where the goals are not met
RETREATS = 5  # whether it may stand still at any time, since no acceleration is limited
OFFSET = 6  # the constant part of the Rest goals
MOVED = 7  # of the answer: the largest speed,
LEFT = 8  # and how far it is from WAY
FIRST_SCRATCH = 9
NUMBERS = FIRST_SCRATCH + BALL_SCRATCH

_ROUND = 2.3e-16
_BARELY = 1e-9  # part of a·dt²: an end that is missed by less is met


@inner
def box_of_tick(poses, dt, goal):
    """What each coordinate can reach in dt, into the rows LOW and HIGH of ``poses``.

    It goes no faster towards ``goal`` (n,) than it can brake there, and so it can before the ends
    of its range.  Where not all can hold, the acceleration does; then the speed; then the range, to
    which it comes back as fast as it may.
    """
    for c in range(poses.shape[1]):
        last, speed = poses[LAST, c], poses[SPEED, c]
        lower, upper = poses[LOWER, c], poses[UPPER, c]
        down, up = -poses[FASTEST, c], poses[FASTEST, c]
        a, barely = poses[HARDEST, c], 0.0
        if a < math.inf:
            least, most = speed - a * dt, speed + a * dt
            down, up = min(max(down, least), most), max(min(up, most), least)
            up = min(up, max(fastest_that_brakes(a, dt, goal[c] - last), least))
            down = max(down, min(-fastest_that_brakes(a, dt, last - goal[c]), most))
            barely = _BARELY * a * dt * dt
        # Rounded towards the last pose, so that what is read off the poses is not too fast.
        reach_low = last + down * dt
        reach_high = last + up * dt
        if down < 0.0:
            reach_low += 2.0 * _ROUND * (abs(last) - down * dt)
        if up > 0.0:
            reach_high -= 2.0 * _ROUND * (abs(last) + up * dt)
        low, high = max(lower, reach_low), min(upper, reach_high)
        if low > high:
            if reach_low > upper:
                low = high = upper if reach_low - upper <= barely else reach_low
            elif reach_high < lower:
                low = high = lower if lower - reach_high <= barely else reach_high
            else:
                low = high = 0.5 * (low + high)
        poses[LOW, c], poses[HIGH, c] = low, high


@inlined
def _stay_near(ints, floats, poses, numbers):
    """The Rest goals and staying near the last pose as one diagonal (``Problem._rest``)."""
    weight, pose = ints[F_REST], ints[F_REST_POSE]
    offset = numbers[OFFSET]
    for c in range(ints[lay.N_COORDS]):
        a, b = poses[POSTURE, c], poses[SMOOTH, c]
        away = poses[POSTURE_POSE, c] - poses[LAST, c]
        if a + b > 0.0:
            floats[weight + c] = a + b
            floats[pose + c] = poses[LAST, c] + a / (a + b) * away
            offset += a * b / (a + b) * away * away
    floats[ints[F_REST_OFFSET]] = offset


@inlined
def _retreat(ints, floats, work, poses, spare):
    """Where balls were held back, go less far, until f is no higher than at the last pose."""
    n, inside = poses.shape[1], poses[AHEAD]
    copy(poses[LAST], n, inside)
    project(ints, floats, inside, work[:SCRATCH])
    for c in range(n):
        if inside[c] != poses[LAST, c]:
            return  # it comes back into its limits
    least = evaluate(ints, floats, poses[LAST], work, spare)
    for _ in range(8):
        if evaluate(ints, floats, poses[NEXT], work, spare) <= least:
            return
        for c in range(n):
            poses[NEXT, c] = 0.5 * (poses[NEXT, c] + poses[LAST, c])


@kernel
def tick(
    method, ints, floats, work, options, poses, balls, ball_numbers, numbers, totals, spare, history
):
    """The next pose, into the row NEXT of ``poses``, and its speed; returns the exit code.

    poses (POSES, n), numbers (NUMBERS,) as above; balls and ball_numbers as in ball_steps; totals
    as in restarts; spare: (at least rows,).
    """
    n, dt = poses.shape[1], numbers[DT]
    lower, upper = ints[lay.F_LOWER], ints[lay.F_UPPER]
    last, q = poses[LAST], poses[NEXT]
    if numbers[SMOOTHS] > 0.0:
        _stay_near(ints, floats, poses, numbers)
    totals[:] = 0.0
    if numbers[BRAKES] > 0.0:
        copy(poses[LOWER], n, floats[lower:])
        copy(poses[UPPER], n, floats[upper:])
        project(ints, floats, poses[AHEAD], work[:SCRATCH])
        method(ints, floats, work, options, poses[AHEAD], totals[:OUT], history)
    if numbers[BOUNDED] > 0.0:
        box_of_tick(poses, dt, poses[AHEAD] if numbers[BRAKES] > 0.0 else last)
        copy(poses[LOW], n, floats[lower:])
        copy(poses[HIGH], n, floats[upper:])
    copy(poses[BEGIN], n, q)
    project(ints, floats, q, work[:SCRATCH])
    code = method(ints, floats, work, options, q, totals[:OUT], history)
    totals[OUT] = 1.0
    on_way = numbers[HAS_WAY] > 0.0 and code != REACHED
    if on_way:
        if numbers[BOUNDED] > 0.0:
            box_of_tick(poses, dt, poses[WAY])
        for c in range(n):
            q[c] = poses[WAY, c]
            if numbers[BOUNDED] > 0.0:
                q[c] = min(max(q[c], poses[LOW, c]), poses[HIGH, c])
    changed = on_way
    if len(balls) > 0:
        held = step_balls(
            ints, floats, poses[LOWER], poses[UPPER], balls, ball_numbers, dt, last, q,
            numbers[FIRST_SCRATCH:],
        )  # fmt: skip
        if held and not on_way and numbers[RETREATS] > 0.0:
            _retreat(ints, floats, work, poses, spare)
        changed = changed or held
    if changed:
        evaluate(ints, floats, q, work, spare)
        code = REACHED if reached(ints, floats, work) else SPENT
    moved, left = 0.0, 0.0
    for c in range(n):
        poses[SPEED, c] = (q[c] - last[c]) / dt
        moved, left = max(moved, abs(poses[SPEED, c])), max(left, abs(q[c] - poses[WAY, c]))
        last[c] = q[c]
    numbers[MOVED], numbers[LEFT] = moved, left
    return code


_VECTOR, _TABLE = float64[::1], float64[:, ::1]
SIGNATURES["tick"] = int64(
    KERNEL, uint32[::1], _VECTOR, _VECTOR, _VECTOR, _TABLE, int64[:, ::1], _TABLE, _VECTOR, _VECTOR,
    _VECTOR, _TABLE,
)  # fmt: skip

"""A ball's step in one tick, inside its limits of angular speed and acceleration.

Between two ticks a ball turns by a rotation vector δ (rad) against its parent: R' = exp(δ)·R, so
that its angular velocity is ω' = δ/dt.  Allowed are ‖ω'‖ ≤ v and ‖ω' − ω‖ ≤ a·dt, two spheres; a
wanted ω' is projected onto them.  A step that would leave the cone or the ranges is projected
onto these too, and what it then is must be allowed.  With a limit of acceleration a step is taken
only if the ball can brake after it in this way.  Braking is such a step again, so that there is
always one.

A swing–twist ball is looked at in the frame of its twist axis, where its coordinates are.
"""

from __future__ import annotations

import math

from limbik.figure.layout import (
    EXPONENTIAL,
)
from limbik.figure.limits import EXPONENTIAL_CHART
from limbik.jit import inner
from limbik.maths.quaternions import exp_quat, log_quat
from limbik.solver.stepping.ball_limits import inside_limits, nearest_inside, surely_inside

B_KIND, B_FIRST, B_CONE, BALL_INTS = 0, 1, 2, 3
"""Columns of a table of balls: the kind of part, the first of three coordinates, the cone."""
B_FASTEST, B_HARDEST, B_OMEGA, BALL_FLOATS = 0, 1, 2, 5
"""Columns of a table of balls: the largest speed and acceleration, the angular velocity (3)."""
BALL_SCRATCH = 65

_HALVINGS, _FINE = 16, 1e-3  # between braking and the wanted step, and when to stop
_SHORT, _LONG = 1.0 - 1e-12, 1.0 + 1e-12
_BRAKE = 0.9  # part of the acceleration to brake with; the rest is for what P changes


@inner
def fastest_that_brakes(a, dt, room):
    """The largest speed from which braking by a·dt per tick ends within ``room``.

    The way is v·dt + (v − a·dt)·dt + …; with k = v/(a·dt) and m = ⌊k⌋ that is
    a·dt²·(m + 1)·(k − m/2).
    """
    if not room < 1e300:
        return math.inf
    unit = a * dt * dt
    steps = max(room, 0.0) / unit
    m = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * steps) - 1.0))
    return (steps / (m + 1.0) + 0.5 * m) * a * dt


@inner
def _quaternion(kind, v, out):
    """The rotation (4,) of a ball with coordinates v (3,)."""
    if kind == EXPONENTIAL:
        exp_quat(v[0], v[1], v[2], out)
        return
    exp_quat(v[0], v[1], 0.0, out)
    w, x, y = out[0], out[1], out[2]
    c, s = math.cos(0.5 * v[2]), math.sin(0.5 * v[2])
    out[0], out[1], out[2], out[3] = w * c, x * c + y * s, y * c - x * s, w * s


@inner
def turn_between(kind, a, b, out, scratch):
    """δ (3,) with R(b) = exp(δ)·R(a), at most half a turn; scratch (8,).  Returns its length."""
    p, r = scratch[0:4], scratch[4:8]
    _quaternion(kind, a, p)
    _quaternion(kind, b, r)
    # r·p*
    log_quat(
        r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3] * p[3],
        r[1] * p[0] - r[0] * p[1] - r[2] * p[3] + r[3] * p[2],
        r[2] * p[0] - r[0] * p[2] - r[3] * p[1] + r[1] * p[3],
        r[3] * p[0] - r[0] * p[3] - r[1] * p[2] + r[2] * p[1],
        out,
    )
    return math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])


@inner
def _turned(kind, v, x, y, z, out, scratch):
    """The coordinates (3,) of exp(x, y, z)·R(v), those nearest to v; scratch (8,)."""
    if x == 0.0 and y == 0.0 and z == 0.0:
        out[0], out[1], out[2] = v[0], v[1], v[2]
        return
    p, r = scratch[0:4], scratch[4:8]
    _quaternion(kind, v, p)
    exp_quat(x, y, z, r)
    w = r[0] * p[0] - r[1] * p[1] - r[2] * p[2] - r[3] * p[3]
    i = r[0] * p[1] + r[1] * p[0] + r[2] * p[3] - r[3] * p[2]
    j = r[0] * p[2] + r[2] * p[0] + r[3] * p[1] - r[1] * p[3]
    k = r[0] * p[3] + r[3] * p[0] + r[1] * p[2] - r[2] * p[1]
    if kind == EXPONENTIAL:
        log_quat(w, i, j, k, out)
        size = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2)
        if size > 1e-9:
            # The same rotation has a second vector, (1 − 2π/‖w‖)w.
            other = 1.0 - 2.0 * math.pi / size
            near = (out[0] - v[0]) ** 2 + (out[1] - v[1]) ** 2 + (out[2] - v[2]) ** 2
            far = (
                (other * out[0] - v[0]) ** 2
                + (other * out[1] - v[1]) ** 2
                + (other * out[2] - v[2]) ** 2
            )
            if far < near and abs(other) * size < EXPONENTIAL_CHART * (1.0 - 1e-15):
                for c in range(3):
                    out[c] *= other
        return
    if w < 0.0:
        w, i, j, k = -w, -i, -j, -k
    cosine = math.sqrt(w * w + k * k)  # of half the swing's angle
    s1, s2, twist = i, j, v[2]
    if cosine >= 1e-15:
        s1, s2 = (w * i - j * k) / cosine, (w * j + i * k) / cosine
        twist = 2.0 * math.atan2(k, w)
        twist += 2.0 * math.pi * math.floor((v[2] - twist) / (2.0 * math.pi) + 0.5)
    sine = math.sqrt(s1 * s1 + s2 * s2)
    scale = 2.0 * math.atan2(sine, cosine) / sine if sine > 1e-8 else 2.0
    out[0], out[1], out[2] = scale * s1, scale * s2, twist


@inner
def _step(ints, floats, lower, upper, kind, c, cone, v, x, y, z, omega, a, dt, to, turn, scratch):
    """Turn a ball at v (3,) by (x, y, z), an angular velocity, and project the end onto its limits.

    The end goes into to (3,), the velocity that it takes into turn (3,).  True where that is no
    further from omega (3,) than a·dt.  scratch: 32 floats.
    """
    _turned(kind, v, x * dt, y * dt, z * dt, to, scratch[24:32])
    turn[0], turn[1], turn[2] = x, y, z
    if not inside_limits(ints, floats, lower, upper, c, cone, to, scratch):
        nearest_inside(ints, floats, lower, upper, c, cone, to, scratch)
        turn_between(kind, v, to, turn, scratch[24:32])
        for k in range(3):
            turn[k] /= dt
    change = (turn[0] - omega[0]) ** 2 + (turn[1] - omega[1]) ** 2 + (turn[2] - omega[2]) ** 2
    return math.sqrt(change) <= a * dt * _LONG


@inner
def _can_brake(ints, floats, lower, upper, kind, c, cone, v, omega, a, dt, scratch):
    """Whether a ball at v (3,) that turns with omega (3,) can stop inside its limits.

    scratch: 44 floats.
    """
    at, to, now, turn = scratch[32:35], scratch[35:38], scratch[38:41], scratch[41:44]
    speed = math.sqrt(omega[0] ** 2 + omega[1] ** 2 + omega[2] ** 2)
    brake = _BRAKE * a * dt
    way = speed * dt + 0.5 * speed * speed * dt / brake
    if surely_inside(ints, floats, lower, upper, c, cone, v, way, scratch):
        return True
    for k in range(3):
        at[k], now[k] = v[k], omega[k]
    while speed > brake:
        part, before = 1.0 - brake / speed, speed
        if not _step(
            ints, floats, lower, upper, kind, c, cone, at, part * now[0], part * now[1],
            part * now[2], now, a, dt, to, turn, scratch,
        ):  # fmt: skip
            return False
        for k in range(3):
            at[k], now[k] = to[k], turn[k]
        speed = math.sqrt(now[0] ** 2 + now[1] ** 2 + now[2] ** 2)
        if speed > before - 0.5 * brake:
            return False
    return True


@inner
def _along(kind, v, wanted, most, x, delta, scratch):
    """The furthest step from v to ``wanted`` (3,), straight in its coordinates, that turns by no
    more than ``most`` (rad): its end into x (3,), its turn into delta (3,)."""
    part = 1.0
    for _ in range(60):
        for k in range(3):
            x[k] = v[k] + part * (wanted[k] - v[k]) if part < 1.0 else wanted[k]
        angle = turn_between(kind, v, x, delta, scratch)
        if angle <= most:
            return part
        part *= _SHORT * most / angle
    for k in range(3):
        x[k], delta[k] = v[k], 0.0
    return 0.0


@inner
def _slow_step(ints, floats, lower, upper, kind, c, cone, v, wanted, most, x, delta, scratch):
    """A step without a limit of acceleration: its end into x (3,), its turn into delta (3,)."""
    part = _along(kind, v, wanted, most, x, delta, scratch[24:32])
    if part == 1.0 or not inside_limits(ints, floats, lower, upper, c, cone, v, scratch):
        return
    for _ in range(_HALVINGS):
        nearest_inside(ints, floats, lower, upper, c, cone, x, scratch)
        if turn_between(kind, v, x, delta, scratch[24:32]) <= most:
            return
        part *= 0.5
        for k in range(3):
            x[k] = v[k] + part * (wanted[k] - v[k])
    for k in range(3):
        x[k], delta[k] = v[k], 0.0


@inner
def _hard_step(
    ints, floats, lower, upper, kind, c, cone, v, wanted, fastest, omega, a, dt, to, turn, scratch
):
    """A step with a limit of acceleration: its end into to (3,), its velocity into turn (3,).

    scratch: 53 floats.
    """
    delta, brake, x = scratch[44:47], scratch[47:50], scratch[50:53]
    # The wanted velocity, from which it can still brake where it wants to be.
    angle = turn_between(kind, v, wanted, delta, scratch[24:32])
    most = min(fastest, fastest_that_brakes(_BRAKE * a, dt, angle)) * dt
    _along(kind, v, wanted, most, x, delta, scratch[24:32])
    speed = math.sqrt(omega[0] ** 2 + omega[1] ** 2 + omega[2] ** 2)
    slower, change = 0.0, 0.0
    if speed > _BRAKE * a * dt:
        slower = 1.0 - _BRAKE * a * dt / speed
    for k in range(3):
        brake[k] = slower * omega[k]
        delta[k] /= dt
        change += (delta[k] - omega[k]) ** 2
    change = _SHORT * a * dt / max(math.sqrt(change), a * dt)
    for k in range(3):
        # Both ends are slow enough, so what is between them is too.
        delta[k] = omega[k] + change * (delta[k] - omega[k]) if change < _SHORT else delta[k]
        if speed > fastest:
            delta[k] = brake[k]
    # As much of it as leaves room to brake; outside its limits it may do all that helps.
    if not inside_limits(ints, floats, lower, upper, c, cone, v, scratch):
        _turned(kind, v, delta[0] * dt, delta[1] * dt, delta[2] * dt, to, scratch[24:32])
        for k in range(3):
            turn[k] = delta[k]
        return
    low, high, part = 0.0, 1.0, 1.0
    for _ in range(_HALVINGS):
        good = _step(
            ints, floats, lower, upper, kind, c, cone, v, brake[0] + part * (delta[0] - brake[0]),
            brake[1] + part * (delta[1] - brake[1]), brake[2] + part * (delta[2] - brake[2]), omega,
            a, dt, to, turn, scratch,
        )  # fmt: skip
        if part == 0.0:
            return  # it brakes
        size = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
        if good and size <= max(fastest, speed) * _LONG:
            good = _can_brake(ints, floats, lower, upper, kind, c, cone, to, turn, a, dt, scratch)
        else:
            good = False
        if good and (part == 1.0 or high - part < _FINE):
            return
        if good:
            low = part
        else:
            high = part
        part = 0.5 * (low + high) if high - low >= _FINE else low


@inner
def step_balls(ints, floats, lower, upper, balls, numbers, dt, last, q, scratch):
    """Bring each ball of q (n,) within reach of ``last`` (n,); True where one is held back.

    balls (k, BALL_INTS) and numbers (k, BALL_FLOATS) are their tables; the angular velocities in
    ``numbers`` become the new ones.  lower and upper (n,) are the ranges of the coordinates.
    scratch: BALL_SCRATCH floats.
    """
    held = False
    v, wanted, to, turn = scratch[53:56], scratch[56:59], scratch[59:62], scratch[62:65]
    for ball in range(len(balls)):
        kind, c, cone = balls[ball, B_KIND], balls[ball, B_FIRST], balls[ball, B_CONE]
        fastest, a = numbers[ball, B_FASTEST], numbers[ball, B_HARDEST]
        omega = numbers[ball, B_OMEGA:]
        for k in range(3):
            v[k], wanted[k] = last[c + k], q[c + k]
        if a < math.inf:
            _hard_step(
                ints, floats, lower, upper, kind, c, cone, v, wanted, fastest, omega, a, dt, to,
                turn, scratch,
            )  # fmt: skip
        else:
            _slow_step(
                ints, floats, lower, upper, kind, c, cone, v, wanted, fastest * dt, to, turn,
                scratch,
            )  # fmt: skip
            for k in range(3):
                turn[k] /= dt
        for k in range(3):
            held = held or to[k] != wanted[k]
            q[c + k], omega[k] = to[k], turn[k]
    return held

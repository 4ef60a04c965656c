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

from limbik.figure.cones import allows_exponential, nearest_on_ellipse, project_exponential
from limbik.figure.layout import (
    CHART,
    CONE_A,
    CONE_B,
    CONE_BASIS,
    CONE_FLOATS,
    CONE_INTS,
    CONE_LOWER,
    CONE_SWING,
    CONE_UPPER,
    CONE_X,
    CONE_Y,
    EXPONENTIAL,
    F_CONE,
    I_CONE,
)
from limbik.figure.limits import EXPONENTIAL_CHART
from limbik.jit import inner
from limbik.maths.quaternions import exp_quat, log_quat
from limbik.maths.so3 import exp_matrix, swing_twist_vector

B_KIND, B_FIRST, B_CONE, BALL_INTS = 0, 1, 2, 3
"""Columns of a table of balls: the kind of part, the first of three coordinates, the cone."""
B_FASTEST, B_HARDEST, B_OMEGA, BALL_FLOATS = 0, 1, 2, 5
"""Columns of a table of balls: the largest speed and acceleration, the angular velocity (3)."""
BALL_SCRATCH = 65

_HALVINGS, _FINE = 16, 1e-3  # between braking and the wanted step, and when to stop
_SHORT, _LONG = 1.0 - 1e-12, 1.0 + 1e-12
_BRAKE = 0.9  # part of the acceleration to brake with; the rest is for what P changes
_SAFE, _WIDE = 0.2, 2.0  # a way shorter than this part of the margin stays in, up to such a swing


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
def _cone_of(ints, cone):
    """(kind, place in the floats) of a cone; (CHART + 1, 0) where there is none."""
    if cone < 0:
        return CHART + 1, 0
    return int(ints[ints[I_CONE] + CONE_INTS * cone]), int(ints[F_CONE] + CONE_FLOATS * cone)


@inner
def _inside(ints, floats, lower, upper, c, cone, v, scratch):
    """Whether a ball's limits allow the coordinates v (3,); scratch (12,)."""
    kind, f = _cone_of(ints, cone)
    if kind > CHART:
        inside = True
        for k in range(3):
            inside = inside and lower[c + k] <= v[k] <= upper[c + k]
        return inside
    if kind == CONE_SWING:
        a, b = (
            (v[0] - floats[f + CONE_X]) / floats[f + CONE_A],
            (v[1] - floats[f + CONE_Y]) / floats[f + CONE_B],
        )
        return a * a + b * b <= 1.0 and lower[c + 2] <= v[2] <= upper[c + 2]
    if kind == CHART:
        return math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) <= floats[f + CONE_A]
    return allows_exponential(floats, f, v[0], v[1], v[2], scratch[0:9], scratch[9:12])


@inner
def _far_inside(ints, floats, lower, upper, c, cone, v, way, scratch):
    """Whether a ball at v surely stays inside its limits while it turns by ``way`` (rad).

    Within a swing of 2 rad no coordinate changes by more than four times the turn.
    """
    kind, f = _cone_of(ints, cone)
    if kind == CHART:
        return True  # no limit: its coordinates are changed at the edge
    if kind > CHART:
        return False
    x, y, z, low, high = v[0], v[1], v[2], lower[c + 2], upper[c + 2]
    if kind != CONE_SWING:
        exp_matrix(v[0], v[1], v[2], scratch[0:9])
        swing_twist_vector(scratch[0:9], floats[f + CONE_BASIS : f + CONE_FLOATS], scratch[9:12])
        x, y, z, low, high = (
            scratch[9],
            scratch[10],
            scratch[11],
            floats[f + CONE_LOWER],
            floats[f + CONE_UPPER],
        )
        low, high = max(low, -math.pi), min(high, math.pi)
    if x * x + y * y > (_WIDE - way) * (_WIDE - way) or way > 1.0:
        return False
    a, b = (
        (x - floats[f + CONE_X]) / floats[f + CONE_A],
        (y - floats[f + CONE_Y]) / floats[f + CONE_B],
    )
    margin = (1.0 - math.sqrt(a * a + b * b)) * min(floats[f + CONE_A], floats[f + CONE_B])
    return way <= _SAFE * min(margin, z - low, high - z)


@inner
def _nearest(ints, floats, lower, upper, c, cone, v, scratch):
    """P of a ball's coordinates v (3,), in place (figure.projection); scratch (24,)."""
    kind, f = _cone_of(ints, cone)
    if kind > CHART:
        for k in range(3):
            v[k] = min(max(v[k], lower[c + k]), upper[c + k])
    elif kind == CONE_SWING:
        v[2] = min(max(v[2], lower[c + 2]), upper[c + 2])
        cx, cy = floats[f + CONE_X], floats[f + CONE_Y]
        x, y = v[0] - cx, v[1] - cy
        nx, ny = nearest_on_ellipse(x, y, floats[f + CONE_A], floats[f + CONE_B])
        part = 1.0
        while nx != x or ny != y:
            v[0], v[1] = cx + part * nx, cy + part * ny
            a, b = (v[0] - cx) / floats[f + CONE_A], (v[1] - cy) / floats[f + CONE_B]
            if a * a + b * b <= 1.0:
                break
            part = max(0.0, part - 2.3e-16 - (1.0 - part))
    elif kind != CHART:
        project_exponential(floats, f, v, 0, scratch)


@inner
def _step(ints, floats, lower, upper, kind, c, cone, v, x, y, z, omega, a, dt, to, turn, scratch):
    """Turn a ball at v (3,) by (x, y, z), an angular velocity, and project the end onto its limits.

    The end goes into to (3,), the velocity that it takes into turn (3,).  True where that is no
    further from omega (3,) than a·dt.  scratch: 32 floats.
    """
    _turned(kind, v, x * dt, y * dt, z * dt, to, scratch[24:32])
    turn[0], turn[1], turn[2] = x, y, z
    if not _inside(ints, floats, lower, upper, c, cone, to, scratch):
        _nearest(ints, floats, lower, upper, c, cone, to, scratch)
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
    if _far_inside(ints, floats, lower, upper, c, cone, v, way, scratch):
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
    if part == 1.0 or not _inside(ints, floats, lower, upper, c, cone, v, scratch):
        return
    for _ in range(_HALVINGS):
        _nearest(ints, floats, lower, upper, c, cone, x, scratch)
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
    if not _inside(ints, floats, lower, upper, c, cone, v, scratch):
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

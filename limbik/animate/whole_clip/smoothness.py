"""How a pose changes from frame to frame, and what that costs: velocity and acceleration terms.

The step from pose a to pose b is d = b ⊖ a: b − a for a plain coordinate, and log(R_b·R_aᵀ) for the
three coordinates of an exponential ball without limits, which then may turn as often as it likes.
The terms are Σ v·|d_t|² (velocity), Σ a·|d_t − d_{t−1}|² (acceleration) and, where speeds are
limited, Σ s·max(0, |d_t| − most)².  Where there is a reference, the first two count d_t less the
step of the reference, its ``drift``: what departs from it is smoothed.  Tangents of balls are
rotation vectors in the parent's frame: R ← exp(ω)·R.
"""

from __future__ import annotations

from limbik.figure.kinematics import multiply_3x3
from limbik.jit import inner, kernel
from limbik.maths.so3 import exp_matrix, left_jacobian_inverse_into, log_matrix


@kernel
def difference(a, b, balls, out, scratch):
    """out (n,) = b ⊖ a; ``balls`` (k,) are first coordinates of balls, scratch at least 40."""
    for c in range(a.shape[0]):
        out[c] = b[c] - a[c]
    one, two, between = scratch[:9], scratch[9:18], scratch[18:27]
    for k in range(balls.shape[0]):
        c = balls[k]
        exp_matrix(b[c], b[c + 1], b[c + 2], one)
        exp_matrix(-a[c], -a[c + 1], -a[c + 2], two)  # its transpose
        multiply_3x3(one, two, between)
        log_matrix(between, out[c : c + 3])


@kernel
def retract(q, step, balls, scratch):
    """q ← q ⊕ step, in place; balls come out with at most half a turn."""
    one, two, between = scratch[:9], scratch[9:18], scratch[18:27]
    vector = scratch[27:30]
    for k in range(balls.shape[0]):
        c = balls[k]
        exp_matrix(step[c], step[c + 1], step[c + 2], one)
        exp_matrix(q[c], q[c + 1], q[c + 2], two)
        multiply_3x3(one, two, between)
        log_matrix(between, vector)
        for i in range(3):
            q[c + i] = vector[i] - step[c + i]  # the step is added below
    for c in range(q.shape[0]):
        q[c] += step[c]


@kernel
def to_tangent(q, balls, rows, jt, scratch):
    """Rows of jt (n, rows) that belong to balls: derivatives by coordinates become those by ω.

    dq = J⁻¹·ω with the left Jacobian J of SO(3).
    """
    inverse = scratch[:9]
    for k in range(balls.shape[0]):
        c = balls[k]
        left_jacobian_inverse_into(q[c], q[c + 1], q[c + 2], inverse)
        for r in range(rows):
            x, y, z = jt[c, r], jt[c + 1, r], jt[c + 2, r]
            for i in range(3):
                jt[c + i, r] = inverse[i] * x + inverse[3 + i] * y + inverse[6 + i] * z


@inner
def _pull(d, value, balls, to_later, out, sign, scratch):
    """out += sign·(∂d/∂ω)ᵀ·value for the later or the earlier pose of a step d."""
    for c in range(d.shape[0]):
        out[c] += sign * value[c]
    inverse = scratch[:9]
    for k in range(balls.shape[0]):
        c = balls[k]
        left_jacobian_inverse_into(d[c], d[c + 1], d[c + 2], inverse)
        x, y, z = value[c], value[c + 1], value[c + 2]
        for i in range(3):
            if to_later:  # d + J⁻¹ω, transposed
                turned = inverse[i] * x + inverse[3 + i] * y + inverse[6 + i] * z
            else:  # d − J⁻ᵀω, transposed
                turned = inverse[3 * i] * x + inverse[3 * i + 1] * y + inverse[3 * i + 2] * z
            out[c + i] += sign * (turned - value[c + i])


@inner
def excess(d, most):
    """By how much a step goes beyond the longest one allowed, with its sign."""
    if d > most:
        return d - most
    if d < -most:
        return d + most
    return 0.0


@kernel
def smooth_cost(q, low, high, balls, weights, drift, steps, scratch):
    """The terms that frames low … high − 1 of q (frames, n) take part in.

    ``weights`` (4, n): velocity, acceleration, speed limit, and the longest step allowed.
    ``drift`` (frames, n): the reference's steps between frames t and t + 1.
    ``steps`` (frames, n) gets the differences between frames t and t + 1 that are needed.
    """
    last, n = q.shape[0] - 1, q.shape[1]
    total = 0.0
    for t in range(max(low - 2, 0), min(high + 1, last)):
        difference(q[t], q[t + 1], balls, steps[t], scratch)
    for t in range(max(low - 1, 0), min(high, last)):
        for c in range(n):
            d, over = steps[t, c] - drift[t, c], excess(steps[t, c], weights[3, c])
            total += weights[0, c] * d * d
            total += weights[2, c] * over * over
    for t in range(max(low - 1, 1), min(high + 1, last)):
        for c in range(n):
            a = steps[t, c] - drift[t, c] - (steps[t - 1, c] - drift[t - 1, c])
            total += weights[1, c] * a * a
    return total


@kernel
def smooth_half_descent(q, low, high, balls, weights, drift, steps, half_descent, scratch):
    """−½ the gradient of ``smooth_cost`` by the tangents of frames low … high − 1, into
    half_descent (high − low, n); steps must be those of q, scratch at least 40 + n."""
    last, n = q.shape[0] - 1, q.shape[1]
    half_descent[:] = 0.0
    value = scratch[40 : 40 + n]
    for t in range(max(low - 1, 0), min(high, last)):
        for c in range(n):
            over = excess(steps[t, c], weights[3, c])
            value[c] = weights[0, c] * (steps[t, c] - drift[t, c]) + weights[2, c] * over
        if low <= t:
            _pull(steps[t], value, balls, False, half_descent[t - low], 1.0, scratch)
        if t + 1 < high:
            _pull(steps[t], value, balls, True, half_descent[t + 1 - low], -1.0, scratch)
    for t in range(max(low - 1, 1), min(high + 1, last)):
        for c in range(n):
            a = steps[t, c] - drift[t, c] - (steps[t - 1, c] - drift[t - 1, c])
            value[c] = weights[1, c] * a
        if low <= t + 1 < high:
            _pull(steps[t], value, balls, True, half_descent[t + 1 - low], -1.0, scratch)
        if low <= t < high:
            _pull(steps[t], value, balls, False, half_descent[t - low], 1.0, scratch)
            _pull(steps[t - 1], value, balls, True, half_descent[t - low], 1.0, scratch)
        if low <= t - 1 < high:
            _pull(steps[t - 1], value, balls, False, half_descent[t - 1 - low], -1.0, scratch)


@kernel
def smooth_block(t, s, last, weights, steps, out):
    """The diagonal (n,) of ½∂²(smooth_cost)/∂ω_t∂ω_s, s = t, t − 1 or t − 2, turns of balls within
    a step taken as small."""
    n = weights.shape[1]
    for c in range(n):
        total = 0.0
        for k in range(t - 1, t + 1):  # steps between k and k + 1 that move with frame t
            if k < 0 or k >= last or not (k <= s <= k + 1):
                continue
            weight = weights[0, c]
            if excess(steps[k, c], weights[3, c]) != 0.0:
                weight += weights[2, c]
            total += weight if s == t else -weight
        for k in range(t - 1, t + 2):  # accelerations around frame k
            if k < 1 or k >= last or not (k - 1 <= s <= k + 1):
                continue
            mine = -2.0 if k == t else 1.0
            other = -2.0 if k == s else 1.0
            total += weights[1, c] * mine * other
        out[c] = total

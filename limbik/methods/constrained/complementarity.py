"""The optimality conditions within limits as equations Φ(q) = 0, and their derivative.

q is a minimum of f within limits only if the gradient vanishes wherever a coordinate can move and
presses outward wherever it is at a limit: a complementarity problem.  Each Φ here is 0 exactly
then.  s = γM∇f/2 is the gradient in the coordinates' own units, and every function returns the
three numbers (Φ, A, B) of a row dΦ = A·dq + B·ds of the generalised Jacobian, A ≥ 0 and B ≥ 0.
"""

from __future__ import annotations

import math

from limbik.figure.cones import nearest_on_ellipse
from limbik.jit import kernel


@kernel
def natural(q, s, low, high):
    """Φ = q − P(q − s) for a range: q beyond its end counts as held there, otherwise as free."""
    to = q - s
    if to < low:
        return q - low, 1.0, 0.0
    if to > high:
        return q - high, 1.0, 0.0
    return s, 0.0, 1.0


@kernel
def fischer_burmeister_of(a, b):
    """φ(a, b) = a + b − √(a² + b²) and its derivatives; 0 where a ≥ 0, b ≥ 0 and ab = 0.

    Where a = b = 0, which has no derivative, the one along a = b > 0 is taken.
    """
    far = math.hypot(a, b)
    if far == 0.0:
        return 0.0, 1.0 - math.sqrt(0.5), 1.0 - math.sqrt(0.5)
    # a + b − ρ loses all digits where a and b are positive and one is small: 2ab/(a + b + ρ).
    value = 2.0 * a * b / (a + b + far) if a > 0.0 and b > 0.0 else a + b - far
    return value, 1.0 - a / far, 1.0 - b / far


@kernel
def fischer_burmeister(q, s, low, high):
    """Φ = φ(q − low, −φ(high − q, −s)) for a range: smooth but where both are 0 (Billups)."""
    w, by_q, by_s = s, 0.0, 1.0
    if high < math.inf:
        value, by_a, by_b = fischer_burmeister_of(high - q, -s)
        w, by_q, by_s = -value, by_a, by_b
    if low == -math.inf:
        return w, by_q, by_s
    value, by_a, by_b = fischer_burmeister_of(q - low, w)
    return value, by_a + by_b * by_q, by_b * by_s


@kernel
def normal_and_curvature(x, y, a, b):
    """Outward normal of the ellipse (x/a)² + (y/b)² = 1 at its point (x, y), and how it curves."""
    nx, ny = x / (a * a), y / (b * b)
    size = math.hypot(nx, ny)
    return nx / size, ny / size, 1.0 / (a * a * b * b * size * size * size)


@kernel
def edge_of_cone(x, y, a, b):
    """Where P takes a point (x, y) outside the ellipse (x/a)² + (y/b)² = 1, and how P bends there.

    Returns P's (x, y), the outward normal there, and τ = 1/(1 + κd), by which P shortens what
    moves along the edge: κ is the edge's curvature and d how far outside the point is.
    """
    px, py = nearest_on_ellipse(x, y, a, b)
    nx, ny, curvature = normal_and_curvature(px, py, a, b)
    tau = 1.0 / (1.0 + curvature * math.hypot(x - px, y - py))
    return px, py, nx, ny, tau

"""The distance of a segment or a point from a cylinder; arrays as in distance.py."""

from __future__ import annotations

import math

from limbik.jit import inner
from limbik.maths.cores import TINY, clamp, from_cores, to_local, to_world, turned_to_local

_MOST = 30  # steps; 2 to 5 are usual
_SURE = 1e-14  # of the longest steps: a root is known


@inner
def _slope(s, cx, cy, cz, dx, dy, dz, r, h):
    """First and second derivative of half the squared distance of c + s·d from the cylinder of
    radius r and ±h along z."""
    x, y, z = cx + s * dx, cy + s * dy, cz + s * dz
    first, second = 0.0, 0.0
    across = math.sqrt(x * x + y * y)
    if across > r:
        away = (x * dx + y * dy) / across
        first = (across - r) * away
        second = away * away + (1.0 - r / across) * (dx * dx + dy * dy - away * away)
    if abs(z) > h:
        first += (z - h if z > 0.0 else z + h) * dz
        second += dz * dz
    return first, second


@inner
def _segment_in_cylinder(cx, cy, cz, dx, dy, dz, k, r, h):
    """The s in [−k, k] whose point c + s·d of a segment is nearest to a cylinder.

    The squared distance is convex in s: the root of its slope is found by Newton steps that stay
    between a value where it falls and one where it rises.
    """
    low, high = -k, k
    if _slope(low, cx, cy, cz, dx, dy, dz, r, h)[0] >= 0.0:
        return low
    if _slope(high, cx, cy, cz, dx, dy, dz, r, h)[0] <= 0.0:
        return high
    # The slope bends where the line passes the planes of the flat ends and is nearest to the axis.
    flat = dx * dx + dy * dy
    for side in range(3):
        if side == 2:
            if flat == 0.0:
                continue
            s = -(cx * dx + cy * dy) / flat
        else:
            if dz == 0.0:
                continue
            s = ((h if side else -h) - cz) / dz
        if low < s < high:
            first, _ = _slope(s, cx, cy, cz, dx, dy, dz, r, h)
            if first == 0.0:
                return s
            low, high = (s, high) if first < 0.0 else (low, s)
    s = 0.5 * (low + high)
    for _ in range(_MOST):
        first, second = _slope(s, cx, cy, cz, dx, dy, dz, r, h)
        if first == 0.0:
            break
        low, high = (s, high) if first < 0.0 else (low, s)
        step = -first / second if second > 0.0 else math.inf
        if abs(step) <= _SURE * k:
            break
        s = s + step
        if not low < s < high:
            s = 0.5 * (low + high)
    return s


@inner
def segment_cylinder(sizes, poses, i, j, out):
    """(whether they are apart, the distance) of the core i of a point or segment and a cylinder j;
    ``out`` as of ``shape_distance``.  A core that touches the cylinder is not apart."""
    px, py, pz = to_local(poses, j, poses[i, 9], poses[i, 10], poses[i, 11])
    dx, dy, dz = turned_to_local(poses, j, poses[i, 2], poses[i, 5], poses[i, 8])
    r, h, k = sizes[j, 0], sizes[j, 2], sizes[i, 2]
    s = _segment_in_cylinder(px, py, pz, dx, dy, dz, k, r, h) if k > 0.0 else 0.0
    x, y, z = px + s * dx, py + s * dy, pz + s * dz
    across = math.sqrt(x * x + y * y)
    scale = r / across if across > r else 1.0
    qx, qy, qz = scale * x, scale * y, clamp(z, -h, h)
    ex, ey, ez = qx - x, qy - y, qz - z
    d = math.sqrt(ex * ex + ey * ey + ez * ez)
    if d <= TINY * (r + h + k):
        return False, 0.0
    ca, cb = to_world(poses, j, x, y, z), to_world(poses, j, qx, qy, qz)
    nx, ny, nz = (cb[0] - ca[0]) / d, (cb[1] - ca[1]) / d, (cb[2] - ca[2]) / d
    return True, from_cores(out, ca, cb, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])

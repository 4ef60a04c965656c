"""Signed distances of boxes from points, segments and boxes; arrays as in distance.py."""

from __future__ import annotations

import math

from limbik.jit import inner
from limbik.maths.cores import (
    FLAT,
    PARALLEL,
    TINY,
    clamp,
    from_cores,
    segment_parameters,
    to_local,
    to_world,
    turned_to_local,
)


@inner
def _slope(s, c, d, h):
    """Half the derivative of (distance of c + s·d from [−h, h])²."""
    x = c + s * d
    if x > h:
        return (x - h) * d
    if x < -h:
        return (x + h) * d
    return 0.0


@inner
def segment_in_box(cx, cy, cz, dx, dy, dz, h, a, b, c):
    """The s in [−h, h] whose point c + s·d of a segment is nearest to the box of half sizes a, b, c
    around the origin.

    The squared distance is convex in s and a parabola between the values where the line passes the
    planes of the box's faces; the root of its slope is found between two of these.
    """
    low, high = -h, h
    slope_low = _slope(low, cx, dx, a) + _slope(low, cy, dy, b) + _slope(low, cz, dz, c)
    if slope_low > 0.0:
        return low
    slope_high = _slope(high, cx, dx, a) + _slope(high, cy, dy, b) + _slope(high, cz, dz, c)
    if slope_high < 0.0:
        return high
    for k in range(6):
        center = cx if k < 2 else (cy if k < 4 else cz)
        along = dx if k < 2 else (dy if k < 4 else dz)
        half = a if k < 2 else (b if k < 4 else c)
        if along == 0.0:
            continue
        s = ((half if k % 2 else -half) - center) / along
        if s <= low or s >= high:
            continue
        slope = _slope(s, cx, dx, a) + _slope(s, cy, dy, b) + _slope(s, cz, dz, c)
        if slope < 0.0:
            low, slope_low = s, slope
        elif slope > 0.0:
            high, slope_high = s, slope
        else:
            return s
    rise = slope_high - slope_low
    return low - slope_low * (high - low) / rise if rise > 0.0 else 0.5 * (low + high)


@inner
def point_box(sizes, poses, i, j, out):
    """The signed distance of a point's core i from box j; out (9,): pa, pb and n."""
    p = (poses[i, 9], poses[i, 10], poses[i, 11])
    x, y, z = to_local(poses, j, p[0], p[1], p[2])
    a, b, c = sizes[j, 0], sizes[j, 1], sizes[j, 2]
    qx, qy, qz = clamp(x, -a, a), clamp(y, -b, b), clamp(z, -c, c)
    dx, dy, dz = qx - x, qy - y, qz - z
    d = math.sqrt(dx * dx + dy * dy + dz * dz)
    if d > TINY * (a + b + c):
        q = to_world(poses, j, qx, qy, qz)
        nx, ny, nz = (q[0] - p[0]) / d, (q[1] - p[1]) / d, (q[2] - p[2]) / d
        return from_cores(out, p, q, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])
    # Inside: it leaves through the nearest face.
    da, db, dc = a - abs(x), b - abs(y), c - abs(z)
    if da <= db and da <= dc:
        side = 1.0 if x >= 0.0 else -1.0
        k, depth = 0, da
    elif db <= dc:
        side = 1.0 if y >= 0.0 else -1.0
        k, depth = 1, db
    else:
        side = 1.0 if z >= 0.0 else -1.0
        k, depth = 2, dc
    nx, ny, nz = -side * poses[j, k], -side * poses[j, 3 + k], -side * poses[j, 6 + k]
    q = (p[0] - depth * nx, p[1] - depth * ny, p[2] - depth * nz)
    return from_cores(out, p, q, nx, ny, nz, -depth, sizes[i, 3], sizes[j, 3])


@inner
def _extent(sizes, poses, i, nx, ny, nz):
    """How far a core reaches from its centre along a direction."""
    total = 0.0
    for k in range(3):
        along = poses[i, k] * nx + poses[i, 3 + k] * ny + poses[i, 6 + k] * nz
        total += abs(along) * sizes[i, k]
    return total


@inner
def _furthest(sizes, poses, i, nx, ny, nz, edge):
    """The point of a core that is furthest along a direction: the middle of a face or edge where
    there are several, and of the edge along its axis ``edge`` (−1: none)."""
    x, y, z = poses[i, 9], poses[i, 10], poses[i, 11]
    for k in range(3):
        ax, ay, az = poses[i, k], poses[i, 3 + k], poses[i, 6 + k]
        along = ax * nx + ay * ny + az * nz
        if k != edge and abs(along) > FLAT:
            step = sizes[i, k] if along > 0.0 else -sizes[i, k]
            x, y, z = x + step * ax, y + step * ay, z + step * az
    return x, y, z


@inner
def _overlap(sizes, poses, i, j):
    """(depth, axis, nx, ny, nz) of two cores as boxes: the least overlap over all separating axes,
    below 0 where one of them separates the cores.

    axis: 0 to 2 a face of i, 3 to 5 a face of j, 6 on an edge of each.  n points from i to j.
    """
    rx, ry, rz = poses[j, 9] - poses[i, 9], poses[j, 10] - poses[i, 10], poses[j, 11] - poses[i, 11]
    best, which = math.inf, -1
    mx, my, mz = 0.0, 0.0, 1.0
    for axis in range(15):
        if axis < 3:
            nx, ny, nz = poses[i, axis], poses[i, 3 + axis], poses[i, 6 + axis]
        elif axis < 6:
            nx, ny, nz = poses[j, axis - 3], poses[j, axis], poses[j, 3 + axis]
        else:
            k, m = (axis - 6) // 3, (axis - 6) % 3
            if sizes[i, k] == 0.0 or sizes[j, m] == 0.0:
                continue
            ux, uy, uz = poses[i, k], poses[i, 3 + k], poses[i, 6 + k]
            vx, vy, vz = poses[j, m], poses[j, 3 + m], poses[j, 6 + m]
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            length = math.sqrt(nx * nx + ny * ny + nz * nz)
            if length * length <= PARALLEL:
                continue
            nx, ny, nz = nx / length, ny / length, nz / length
        apart = nx * rx + ny * ry + nz * rz
        depth = _extent(sizes, poses, i, nx, ny, nz) + _extent(sizes, poses, j, nx, ny, nz)
        depth -= abs(apart)
        if depth < best:
            best, which = depth, axis
            sign = 1.0 if apart >= 0.0 else -1.0
            mx, my, mz = sign * nx, sign * ny, sign * nz
            if best < 0.0:
                break
    return best, which, mx, my, mz


@inner
def _overlapping(sizes, poses, i, j, depth, axis, nx, ny, nz, out):
    """The result for cores that overlap by ``depth`` along n (``_overlap``)."""
    if axis < 3:
        cb = _furthest(sizes, poses, j, -nx, -ny, -nz, -1)
        ca = (cb[0] + depth * nx, cb[1] + depth * ny, cb[2] + depth * nz)
    elif axis < 6:
        ca = _furthest(sizes, poses, i, nx, ny, nz, -1)
        cb = (ca[0] - depth * nx, ca[1] - depth * ny, ca[2] - depth * nz)
    else:
        k, m = (axis - 6) // 3, (axis - 6) % 3
        a = _furthest(sizes, poses, i, nx, ny, nz, k)
        b = _furthest(sizes, poses, j, -nx, -ny, -nz, m)
        ux, uy, uz = poses[i, k], poses[i, 3 + k], poses[i, 6 + k]
        vx, vy, vz = poses[j, m], poses[j, 3 + m], poses[j, 6 + m]
        s, t = segment_parameters(
            a[0] - b[0], a[1] - b[1], a[2] - b[2],
            ux, uy, uz, sizes[i, k], vx, vy, vz, sizes[j, m],
        )  # fmt: skip
        ca = (a[0] + s * ux, a[1] + s * uy, a[2] + s * uz)
        cb = (b[0] + t * vx, b[1] + t * vy, b[2] + t * vz)
    return from_cores(out, ca, cb, nx, ny, nz, -depth, sizes[i, 3], sizes[j, 3])


@inner
def segment_box(sizes, poses, i, j, out):
    """The signed distance of a segment's core i from box j; out (9,): pa, pb and n."""
    px, py, pz = to_local(poses, j, poses[i, 9], poses[i, 10], poses[i, 11])
    dx, dy, dz = turned_to_local(poses, j, poses[i, 2], poses[i, 5], poses[i, 8])
    a, b, c = sizes[j, 0], sizes[j, 1], sizes[j, 2]
    s = segment_in_box(px, py, pz, dx, dy, dz, sizes[i, 2], a, b, c)
    x, y, z = px + s * dx, py + s * dy, pz + s * dz
    qx, qy, qz = clamp(x, -a, a), clamp(y, -b, b), clamp(z, -c, c)
    ex, ey, ez = qx - x, qy - y, qz - z
    d = math.sqrt(ex * ex + ey * ey + ez * ez)
    if d > TINY * (a + b + c + sizes[i, 2]):
        ca, cb = to_world(poses, j, x, y, z), to_world(poses, j, qx, qy, qz)
        nx, ny, nz = (cb[0] - ca[0]) / d, (cb[1] - ca[1]) / d, (cb[2] - ca[2]) / d
        return from_cores(out, ca, cb, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])
    depth, axis, nx, ny, nz = _overlap(sizes, poses, i, j)
    return _overlapping(sizes, poses, i, j, max(depth, 0.0), axis, nx, ny, nz, out)


@inner
def boxes(sizes, poses, i, j, out):
    """Two boxes: the edges of i against j, and the corners of j against i."""
    depth, axis, nx, ny, nz = _overlap(sizes, poses, i, j)
    if depth >= 0.0:
        return _overlapping(sizes, poses, i, j, depth, axis, nx, ny, nz, out)
    least = math.inf
    ca, cb = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    a, b, c = sizes[j, 0], sizes[j, 1], sizes[j, 2]
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        dx, dy, dz = turned_to_local(poses, j, poses[i, k], poses[i, 3 + k], poses[i, 6 + k])
        for corner in range(4):
            f = sizes[i, m] if corner & 1 else -sizes[i, m]
            g = sizes[i, n] if corner & 2 else -sizes[i, n]
            px, py, pz = to_local(
                poses, j,
                poses[i, 9] + f * poses[i, m] + g * poses[i, n],
                poses[i, 10] + f * poses[i, 3 + m] + g * poses[i, 3 + n],
                poses[i, 11] + f * poses[i, 6 + m] + g * poses[i, 6 + n],
            )  # fmt: skip
            s = segment_in_box(px, py, pz, dx, dy, dz, sizes[i, k], a, b, c)
            x, y, z = px + s * dx, py + s * dy, pz + s * dz
            qx, qy, qz = clamp(x, -a, a), clamp(y, -b, b), clamp(z, -c, c)
            d = (qx - x) * (qx - x) + (qy - y) * (qy - y) + (qz - z) * (qz - z)
            if d < least:
                least = d
                ca, cb = to_world(poses, j, x, y, z), to_world(poses, j, qx, qy, qz)
    for corner in range(8):
        f = a if corner & 1 else -a
        g = b if corner & 2 else -b
        h = c if corner & 4 else -c
        q = to_world(poses, j, f, g, h)
        x, y, z = to_local(poses, i, q[0], q[1], q[2])
        px = clamp(x, -sizes[i, 0], sizes[i, 0])
        py = clamp(y, -sizes[i, 1], sizes[i, 1])
        pz = clamp(z, -sizes[i, 2], sizes[i, 2])
        d = (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z)
        if d < least:
            least = d
            ca, cb = to_world(poses, i, px, py, pz), q
    d = math.sqrt(least)
    if d > TINY * (a + b + c):
        nx, ny, nz = (cb[0] - ca[0]) / d, (cb[1] - ca[1]) / d, (cb[2] - ca[2]) / d
    return from_cores(out, ca, cb, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])

"""Signed distances between simple solids, with the points and the direction where they are nearest.

Every solid is a core – a point, a segment along z or a box – with a radius around it; a half-space
is all below the plane z = 0 of its frame.  The cores' distance is exact; where cores overlap it is
minus the least translation that separates them, from the separating axes of two boxes.

With pa and pb the nearest points and n the unit normal from a to b, pb − pa = d·n, and when both
solids move, d changes by n·(v_b(pb) − v_a(pa)), the velocities of the two material points: its
gradient with respect to any coordinate is n times the difference of two Jacobian columns.

Arrays: kinds (shapes,), sizes (shapes, 4) three half sizes and the radius, poses (shapes, 12) the
rotation row by row and the position.  Nothing is allocated.
"""

from __future__ import annotations

import math


from limbik.jit import inner, kernel

POINT, SEGMENT, BOX, HALF_SPACE = range(4)
RESULT = 9
"""Numbers of a result: pa, pb and n, three each."""

_TINY = 1e-14  # of the sizes: below, two cores touch and their difference has no direction
_PARALLEL = 1e-10  # squared sine of the angle between two directions that count as parallel
_FLAT = 1e-9  # cosine below which a direction is along a face


@inner
def _write(out, ax, ay, az, bx, by, bz, nx, ny, nz):
    out[0], out[1], out[2] = ax, ay, az
    out[3], out[4], out[5] = bx, by, bz
    out[6], out[7], out[8] = nx, ny, nz


@inner
def _clamp(x, low, high):
    return low if x < low else (high if x > high else x)


@inner
def _perpendicular(x, y, z):
    """A unit vector perpendicular to a unit vector."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        a, b, c = 0.0, z, -y
    elif abs(y) <= abs(z):
        a, b, c = -z, 0.0, x
    else:
        a, b, c = y, -x, 0.0
    length = math.sqrt(a * a + b * b + c * c)
    return a / length, b / length, c / length


@inner
def _from_cores(out, ca, cb, nx, ny, nz, d, ra, rb):
    """The result for cores whose nearest points are known: the radii move them along the normal."""
    _write(
        out,
        ca[0] + ra * nx, ca[1] + ra * ny, ca[2] + ra * nz,
        cb[0] - rb * nx, cb[1] - rb * ny, cb[2] - rb * nz,
        nx, ny, nz,
    )  # fmt: skip
    return d - ra - rb


@inner
def segment_parameters(rx, ry, rz, ux, uy, uz, h, vx, vy, vz, k):
    """(s, t) of the nearest points c₁ + s·u and c₂ + t·v of two segments, |s| ≤ h and |t| ≤ k, with
    r = c₁ − c₂ and unit vectors u and v; of parallel ones the middle of where they are beside each
    other."""
    b = ux * vx + uy * vy + uz * vz
    e = ux * rx + uy * ry + uz * rz
    f = vx * rx + vy * ry + vz * rz
    # 1 − b² without cancellation: the squared length of u × v.
    cx, cy, cz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    across = cx * cx + cy * cy + cz * cz
    if across > _PARALLEL:
        s = _clamp((b * f - e) / across, -h, h)
    else:
        low, high = max(-h, -e - k), min(h, -e + k)
        s = 0.5 * (low + high) if low <= high else (h if low > h else -h)
    t = b * s + f
    if t < -k or t > k:
        t = _clamp(t, -k, k)
        s = _clamp(b * t - e, -h, h)
    return s, t


@inner
def _segments(sizes, poses, i, j, out):
    """Two cores that are points or segments."""
    ux, uy, uz = poses[i, 2], poses[i, 5], poses[i, 8]
    vx, vy, vz = poses[j, 2], poses[j, 5], poses[j, 8]
    rx, ry, rz = poses[i, 9] - poses[j, 9], poses[i, 10] - poses[j, 10], poses[i, 11] - poses[j, 11]
    s, t = segment_parameters(rx, ry, rz, ux, uy, uz, sizes[i, 2], vx, vy, vz, sizes[j, 2])
    ca = (poses[i, 9] + s * ux, poses[i, 10] + s * uy, poses[i, 11] + s * uz)
    cb = (poses[j, 9] + t * vx, poses[j, 10] + t * vy, poses[j, 11] + t * vz)
    nx, ny, nz = cb[0] - ca[0], cb[1] - ca[1], cb[2] - ca[2]
    d = math.sqrt(nx * nx + ny * ny + nz * nz)
    if d > _TINY * (sizes[i, 2] + sizes[j, 2] + sizes[i, 3] + sizes[j, 3]) and d > 0.0:
        return _from_cores(out, ca, cb, nx / d, ny / d, nz / d, d, sizes[i, 3], sizes[j, 3])
    # The cores cross: they part along what is perpendicular to both.
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    long_a, long_b = sizes[i, 2] > 0.0, sizes[j, 2] > 0.0
    if long_a and long_b and length * length > _PARALLEL:
        nx, ny, nz = nx / length, ny / length, nz / length
        if nx * rx + ny * ry + nz * rz > 0.0:
            nx, ny, nz = -nx, -ny, -nz
    elif long_a or not long_b:
        nx, ny, nz = _perpendicular(ux, uy, uz)
    else:
        nx, ny, nz = _perpendicular(vx, vy, vz)
    return _from_cores(out, ca, cb, nx, ny, nz, 0.0, sizes[i, 3], sizes[j, 3])


@inner
def _half_space(sizes, poses, i, j, out):
    """Solid i against half-space j."""
    nx, ny, nz = poses[j, 2], poses[j, 5], poses[j, 8]
    x, y, z = poses[i, 9], poses[i, 10], poses[i, 11]
    for k in range(3):
        ax, ay, az = poses[i, k], poses[i, 3 + k], poses[i, 6 + k]
        along = ax * nx + ay * ny + az * nz
        step = -sizes[i, k] if along > _FLAT else (sizes[i, k] if along < -_FLAT else 0.0)
        x, y, z = x + step * ax, y + step * ay, z + step * az
    r = sizes[i, 3]
    x, y, z = x - r * nx, y - r * ny, z - r * nz
    d = nx * (x - poses[j, 9]) + ny * (y - poses[j, 10]) + nz * (z - poses[j, 11])
    _write(out, x, y, z, x - d * nx, y - d * ny, z - d * nz, -nx, -ny, -nz)
    return d


@inner
def _to_local(poses, j, x, y, z):
    """A point of the world in the frame of solid j."""
    x, y, z = x - poses[j, 9], y - poses[j, 10], z - poses[j, 11]
    return (
        poses[j, 0] * x + poses[j, 3] * y + poses[j, 6] * z,
        poses[j, 1] * x + poses[j, 4] * y + poses[j, 7] * z,
        poses[j, 2] * x + poses[j, 5] * y + poses[j, 8] * z,
    )


@inner
def _to_world(poses, j, x, y, z):
    """A point in the frame of solid j in the world."""
    return (
        poses[j, 0] * x + poses[j, 1] * y + poses[j, 2] * z + poses[j, 9],
        poses[j, 3] * x + poses[j, 4] * y + poses[j, 5] * z + poses[j, 10],
        poses[j, 6] * x + poses[j, 7] * y + poses[j, 8] * z + poses[j, 11],
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
def _point_box(sizes, poses, i, j, out):
    """A point's core i against a box j."""
    p = (poses[i, 9], poses[i, 10], poses[i, 11])
    x, y, z = _to_local(poses, j, p[0], p[1], p[2])
    a, b, c = sizes[j, 0], sizes[j, 1], sizes[j, 2]
    qx, qy, qz = _clamp(x, -a, a), _clamp(y, -b, b), _clamp(z, -c, c)
    dx, dy, dz = qx - x, qy - y, qz - z
    d = math.sqrt(dx * dx + dy * dy + dz * dz)
    if d > _TINY * (a + b + c):
        q = _to_world(poses, j, qx, qy, qz)
        nx, ny, nz = (q[0] - p[0]) / d, (q[1] - p[1]) / d, (q[2] - p[2]) / d
        return _from_cores(out, p, q, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])
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
    return _from_cores(out, p, q, nx, ny, nz, -depth, sizes[i, 3], sizes[j, 3])


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
        if k != edge and abs(along) > _FLAT:
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
            if length * length <= _PARALLEL:
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
    return _from_cores(out, ca, cb, nx, ny, nz, -depth, sizes[i, 3], sizes[j, 3])


@inner
def _segment_box(sizes, poses, i, j, out):
    """A segment's core i against a box j."""
    px, py, pz = _to_local(poses, j, poses[i, 9], poses[i, 10], poses[i, 11])
    ux, uy, uz = poses[i, 2], poses[i, 5], poses[i, 8]
    dx = poses[j, 0] * ux + poses[j, 3] * uy + poses[j, 6] * uz
    dy = poses[j, 1] * ux + poses[j, 4] * uy + poses[j, 7] * uz
    dz = poses[j, 2] * ux + poses[j, 5] * uy + poses[j, 8] * uz
    a, b, c = sizes[j, 0], sizes[j, 1], sizes[j, 2]
    s = segment_in_box(px, py, pz, dx, dy, dz, sizes[i, 2], a, b, c)
    x, y, z = px + s * dx, py + s * dy, pz + s * dz
    qx, qy, qz = _clamp(x, -a, a), _clamp(y, -b, b), _clamp(z, -c, c)
    ex, ey, ez = qx - x, qy - y, qz - z
    d = math.sqrt(ex * ex + ey * ey + ez * ez)
    if d > _TINY * (a + b + c + sizes[i, 2]):
        ca, cb = _to_world(poses, j, x, y, z), _to_world(poses, j, qx, qy, qz)
        nx, ny, nz = (cb[0] - ca[0]) / d, (cb[1] - ca[1]) / d, (cb[2] - ca[2]) / d
        return _from_cores(out, ca, cb, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])
    depth, axis, nx, ny, nz = _overlap(sizes, poses, i, j)
    return _overlapping(sizes, poses, i, j, max(depth, 0.0), axis, nx, ny, nz, out)


@inner
def _boxes(sizes, poses, i, j, out):
    """Two boxes: the edges of i against j, and the corners of j against i."""
    depth, axis, nx, ny, nz = _overlap(sizes, poses, i, j)
    if depth >= 0.0:
        return _overlapping(sizes, poses, i, j, depth, axis, nx, ny, nz, out)
    least = math.inf
    ca, cb = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    a, b, c = sizes[j, 0], sizes[j, 1], sizes[j, 2]
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        ux, uy, uz = poses[i, k], poses[i, 3 + k], poses[i, 6 + k]
        dx = poses[j, 0] * ux + poses[j, 3] * uy + poses[j, 6] * uz
        dy = poses[j, 1] * ux + poses[j, 4] * uy + poses[j, 7] * uz
        dz = poses[j, 2] * ux + poses[j, 5] * uy + poses[j, 8] * uz
        for corner in range(4):
            f = sizes[i, m] if corner & 1 else -sizes[i, m]
            g = sizes[i, n] if corner & 2 else -sizes[i, n]
            px, py, pz = _to_local(
                poses, j,
                poses[i, 9] + f * poses[i, m] + g * poses[i, n],
                poses[i, 10] + f * poses[i, 3 + m] + g * poses[i, 3 + n],
                poses[i, 11] + f * poses[i, 6 + m] + g * poses[i, 6 + n],
            )  # fmt: skip
            s = segment_in_box(px, py, pz, dx, dy, dz, sizes[i, k], a, b, c)
            x, y, z = px + s * dx, py + s * dy, pz + s * dz
            qx, qy, qz = _clamp(x, -a, a), _clamp(y, -b, b), _clamp(z, -c, c)
            d = (qx - x) * (qx - x) + (qy - y) * (qy - y) + (qz - z) * (qz - z)
            if d < least:
                least = d
                ca, cb = _to_world(poses, j, x, y, z), _to_world(poses, j, qx, qy, qz)
    for corner in range(8):
        f = a if corner & 1 else -a
        g = b if corner & 2 else -b
        h = c if corner & 4 else -c
        q = _to_world(poses, j, f, g, h)
        x, y, z = _to_local(poses, i, q[0], q[1], q[2])
        px = _clamp(x, -sizes[i, 0], sizes[i, 0])
        py = _clamp(y, -sizes[i, 1], sizes[i, 1])
        pz = _clamp(z, -sizes[i, 2], sizes[i, 2])
        d = (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z)
        if d < least:
            least = d
            ca, cb = _to_world(poses, i, px, py, pz), q
    d = math.sqrt(least)
    if d > _TINY * (a + b + c):
        nx, ny, nz = (cb[0] - ca[0]) / d, (cb[1] - ca[1]) / d, (cb[2] - ca[2]) / d
    return _from_cores(out, ca, cb, nx, ny, nz, d, sizes[i, 3], sizes[j, 3])


@kernel
def shape_distance(kinds, sizes, poses, i, j, out):
    """The signed distance d of solids i and j; their nearest points and the normal from i to j into
    ``out`` (9,): pa, pb, n with pb − pa = d·n.  Two half-spaces have no distance: inf."""
    a, b = kinds[i], kinds[j]
    swapped = a > b
    if swapped:
        i, j, a, b = j, i, b, a
    if b == HALF_SPACE:
        if a == HALF_SPACE:
            out[:RESULT] = 0.0
            return math.inf
        d = _half_space(sizes, poses, i, j, out)
    elif b <= SEGMENT:
        d = _segments(sizes, poses, i, j, out)
    elif a == POINT:
        d = _point_box(sizes, poses, i, j, out)
    elif a == SEGMENT:
        d = _segment_box(sizes, poses, i, j, out)
    else:
        d = _boxes(sizes, poses, i, j, out)
    if swapped:
        for k in range(3):
            out[k], out[3 + k] = out[3 + k], out[k]
            out[6 + k] = -out[6 + k]
    return d


@kernel
def distances(kinds, sizes, poses, pairs, count, out, results):
    """The signed distances of the first ``count`` pairs (k, 2) into ``out`` (k,), and where they are
    into ``results`` (k, 9)."""
    for k in range(count):
        i, j = pairs[k, 0], pairs[k, 1]
        out[k] = shape_distance(kinds, sizes, poses, i, j, results[k])

"""Signed distances between simple solids, with the points and the direction where they are nearest.

Every solid is a core – a point, a segment along z or a box – with a radius around it; a half-space
is all below the plane z = 0 of its frame.  The cores' distance is exact; where cores overlap it is
minus the least translation that separates them, from the separating axes of two boxes.

With pa and pb the nearest points and n the unit normal from a to b, pb − pa = d·n, and when both
solids move, d changes by n·(v_b(pb) − v_a(pa)), the velocities of the two material points: its
gradient with respect to any coordinate is n times the difference of two Jacobian columns.

A cylinder lies in a box of its height and twice its radius, whatever its turn about z.  Its
distance is the largest of those of four such boxes, turned by 22.5° each: never too large, and at
most 2 % of the radius too small.

Arrays: kinds (shapes,), sizes (shapes, 4) three half sizes and the radius, poses (shapes, 12) the
rotation row by row and the position.  Nothing is allocated.
"""

from __future__ import annotations

import math

from limbik.jit import inner, kernel
from limbik.maths.box_distance import boxes, point_box, segment_box
from limbik.maths.cores import FLAT, PARALLEL, TINY, from_cores, segment_parameters, write

POINT, SEGMENT, BOX, HALF_SPACE, CYLINDER, FIELD = range(6)
_TURNS = 4  # boxes around a cylinder
RESULT = 9
"""Numbers of a result: pa, pb and n, three each."""


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
    if d > TINY * (sizes[i, 2] + sizes[j, 2] + sizes[i, 3] + sizes[j, 3]) and d > 0.0:
        return from_cores(out, ca, cb, nx / d, ny / d, nz / d, d, sizes[i, 3], sizes[j, 3])
    # The cores cross: they part along what is perpendicular to both.
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    long_a, long_b = sizes[i, 2] > 0.0, sizes[j, 2] > 0.0
    if long_a and long_b and length * length > PARALLEL:
        nx, ny, nz = nx / length, ny / length, nz / length
        if nx * rx + ny * ry + nz * rz > 0.0:
            nx, ny, nz = -nx, -ny, -nz
    elif long_a or not long_b:
        nx, ny, nz = _perpendicular(ux, uy, uz)
    else:
        nx, ny, nz = _perpendicular(vx, vy, vz)
    return from_cores(out, ca, cb, nx, ny, nz, 0.0, sizes[i, 3], sizes[j, 3])


@inner
def _half_space(sizes, poses, i, j, out):
    """Solid i against half-space j."""
    nx, ny, nz = poses[j, 2], poses[j, 5], poses[j, 8]
    x, y, z = poses[i, 9], poses[i, 10], poses[i, 11]
    for k in range(3):
        ax, ay, az = poses[i, k], poses[i, 3 + k], poses[i, 6 + k]
        along = ax * nx + ay * ny + az * nz
        step = -sizes[i, k] if along > FLAT else (sizes[i, k] if along < -FLAT else 0.0)
        x, y, z = x + step * ax, y + step * ay, z + step * az
    r = sizes[i, 3]
    x, y, z = x - r * nx, y - r * ny, z - r * nz
    d = nx * (x - poses[j, 9]) + ny * (y - poses[j, 10]) + nz * (z - poses[j, 11])
    write(out, x, y, z, x - d * nx, y - d * ny, z - d * nz, -nx, -ny, -nz)
    return d


@inner
def _cores_distance(a, b, sizes, poses, i, j, out):
    """The distance of solids i and j of the kinds a and b, none of them a cylinder."""
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
        d = point_box(sizes, poses, i, j, out)
    elif a == SEGMENT:
        d = segment_box(sizes, poses, i, j, out)
    else:
        d = boxes(sizes, poses, i, j, out)
    if swapped:
        for k in range(3):
            out[k], out[3 + k] = out[3 + k], out[k]
            out[6 + k] = -out[6 + k]
    return d


@inner
def _turn(poses, i, angle):
    """Turn solid i about its own z axis."""
    cosine, sine = math.cos(angle), math.sin(angle)
    for k in range(0, 9, 3):
        x, y = poses[i, k], poses[i, k + 1]
        poses[i, k], poses[i, k + 1] = cosine * x + sine * y, cosine * y - sine * x


@inner
def _cylinder_distance(a, b, sizes, poses, i, j, out):
    """The largest distance over the boxes around cylinders; their poses stay what they are."""
    one, two = _TURNS if a == CYLINDER else 1, _TURNS if b == CYLINDER else 1
    a, b = min(a, BOX) if one > 1 else a, min(b, BOX) if two > 1 else b
    p0, p1, p3, p4, p6, p7 = (
        poses[i, 0], poses[i, 1], poses[i, 3], poses[i, 4], poses[i, 6], poses[i, 7],
    )  # fmt: skip
    o0, o1, o3, o4, o6, o7 = (
        poses[j, 0], poses[j, 1], poses[j, 3], poses[j, 4], poses[j, 6], poses[j, 7],
    )  # fmt: skip
    step, best = 0.5 * math.pi / _TURNS, -math.inf
    pax, pay, paz, pbx, pby, pbz, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(one):
        for _ in range(two):
            d = _cores_distance(a, b, sizes, poses, i, j, out)
            if d > best:
                best = d
                pax, pay, paz, pbx, pby, pbz = out[0], out[1], out[2], out[3], out[4], out[5]
                nx, ny, nz = out[6], out[7], out[8]
            if two > 1:
                _turn(poses, j, step)
        if two > 1:
            _turn(poses, j, -step * two)
        if one > 1:
            _turn(poses, i, step)
    poses[i, 0], poses[i, 1], poses[i, 3], poses[i, 4], poses[i, 6], poses[i, 7] = (
        p0, p1, p3, p4, p6, p7,
    )  # fmt: skip
    poses[j, 0], poses[j, 1], poses[j, 3], poses[j, 4], poses[j, 6], poses[j, 7] = (
        o0, o1, o3, o4, o6, o7,
    )  # fmt: skip
    write(out, pax, pay, paz, pbx, pby, pbz, nx, ny, nz)
    return best


@kernel
def shape_distance(kinds, sizes, poses, i, j, out):
    """The signed distance d of solids i and j; their nearest points and the normal from i to j into
    ``out`` (9,): pa, pb, n with pb − pa = d·n.  Two half-spaces have no distance: inf."""
    a, b = kinds[i], kinds[j]
    if a == CYLINDER or b == CYLINDER:
        return _cylinder_distance(a, b, sizes, poses, i, j, out)
    return _cores_distance(a, b, sizes, poses, i, j, out)


@kernel
def distances(kinds, sizes, poses, pairs, count, out, results):
    """The signed distances of the first ``count`` pairs (k, 2) into ``out`` (k,), and where
    they are into ``results`` (k, 9)."""
    for k in range(count):
        i, j = pairs[k, 0], pairs[k, 1]
        out[k] = shape_distance(kinds, sizes, poses, i, j, results[k])

"""Signed distances between simple solids, with the points and the direction where they are nearest.

Every solid is a core – a point, a segment along z, a box or a cylinder – with a radius around it; a
half-space is all below the plane z = 0 of its frame.  The cores' distance is exact; where cores
overlap it is minus the least translation that parts them, from the separating axes of two boxes.

With pa and pb the nearest points and n the unit normal from a to b, pb − pa = d·n, and when both
solids move, d changes by n·(v_b(pb) − v_a(pa)), the velocities of the two material points: its
gradient with respect to any coordinate is n times the difference of two Jacobian columns.

A cylinder lies in a box of its height and twice its radius, whatever its turn about z.  Where it
overlaps another core, the distance is the largest of those of four such boxes, turned by 22.5°
each: deep enough to part them, but deeper than is needed, in random trials by up to 0.7 of the
radius for two cylinders and 0.2 for a cylinder and another solid.

Arrays: kinds (shapes,), sizes (shapes, 4) three half sizes and the radius, poses (shapes, 12) the
rotation row by row and the position.  Nothing is allocated.
"""

from __future__ import annotations

import math

from numba import float64, int64

from limbik.jit import FLOATS, INTS, TABLE, external, inner, kernel
from limbik.maths.box_distance import boxes, point_box, segment_box
from limbik.maths.convex_distance import convex_distance, furthest
from limbik.maths.cores import (
    BOX,
    CYLINDER,
    HALF_SPACE,
    PARALLEL,
    POINT,
    SEGMENT,
    TINY,
    from_cores,
    segment_parameters,
    write,
)
from limbik.maths.cylinder_distance import segment_cylinder

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
    """The signed distance of two cores that are points or segments; out (9,): pa, pb and n."""
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
def _half_space(a, sizes, poses, i, j, out):
    """The signed distance of solid i of kind a from half-space j; out (9,): pa, pb and n."""
    nx, ny, nz, r = poses[j, 2], poses[j, 5], poses[j, 8], sizes[i, 3]
    x, y, z = furthest(a, sizes, poses, i, -nx, -ny, -nz)
    x, y, z = poses[i, 9] + x - r * nx, poses[i, 10] + y - r * ny, poses[i, 11] + z - r * nz
    d = nx * (x - poses[j, 9]) + ny * (y - poses[j, 10]) + nz * (z - poses[j, 11])
    write(out, x, y, z, x - d * nx, y - d * ny, z - d * nz, -nx, -ny, -nz)
    return d


@inner
def _boxes(a, sizes, poses, i, j, out):
    """The signed distance of core i of the kind a from box j; out (9,): pa, pb and n."""
    if a == POINT:
        return point_box(sizes, poses, i, j, out)
    if a == SEGMENT:
        return segment_box(sizes, poses, i, j, out)
    return boxes(sizes, poses, i, j, out)


@inner
def _turn(poses, i, angle):
    """Turn solid i about its own z axis by an angle (rad): its row of poses changes."""
    cosine, sine = math.cos(angle), math.sin(angle)
    for k in range(0, 9, 3):
        x, y = poses[i, k], poses[i, k + 1]
        poses[i, k], poses[i, k + 1] = cosine * x + sine * y, cosine * y - sine * x


@inner
def _overlapping_cylinder(a, sizes, poses, i, j, out):
    """Core i of the kind a and cylinder j that overlap: the largest distance over the boxes around
    cylinders; their poses stay what they are."""
    one = _TURNS if a == CYLINDER else 1
    p0, p1, p3, p4, p6, p7 = (
        poses[i, 0], poses[i, 1], poses[i, 3], poses[i, 4], poses[i, 6], poses[i, 7],
    )  # fmt: skip
    o0, o1, o3, o4, o6, o7 = (
        poses[j, 0], poses[j, 1], poses[j, 3], poses[j, 4], poses[j, 6], poses[j, 7],
    )  # fmt: skip
    step, best = 0.5 * math.pi / _TURNS, -math.inf
    pax, pay, paz, pbx, pby, pbz, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(one):
        for _ in range(_TURNS):
            d = _boxes(min(a, BOX), sizes, poses, i, j, out)
            if d > best:
                best = d
                pax, pay, paz, pbx, pby, pbz = out[0], out[1], out[2], out[3], out[4], out[5]
                nx, ny, nz = out[6], out[7], out[8]
            _turn(poses, j, step)
        _turn(poses, j, -step * _TURNS)
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


@inner
def _cylinders(a, sizes, poses, i, j, out):
    """The signed distance of core i of the kind a from cylinder j; out (9,): pa, pb and n."""
    if a <= SEGMENT:
        apart, d = segment_cylinder(sizes, poses, i, j, out)
    else:
        apart, d = convex_distance(a, CYLINDER, sizes, poses, i, j, out, 0, 0, math.inf, out)
    return d if apart else _overlapping_cylinder(a, sizes, poses, i, j, out)


@external(float64(INTS, TABLE, TABLE, int64, int64, FLOATS))
def shape_distance(kinds, sizes, poses, i, j, out):
    """The signed distance d of solids i and j; their nearest points and the normal from i to j into
    ``out`` (9,): pa, pb, n with pb − pa = d·n.  Two half-spaces have no distance: inf."""
    swapped = kinds[i] > kinds[j]
    if swapped:
        i, j = j, i
    a, b = kinds[i], kinds[j]
    if a == HALF_SPACE:
        out[:RESULT] = 0.0
        return math.inf
    if b == HALF_SPACE:
        d = _half_space(a, sizes, poses, i, j, out)
    elif b == CYLINDER:
        d = _cylinders(a, sizes, poses, i, j, out)
    elif b == BOX:
        d = _boxes(a, sizes, poses, i, j, out)
    else:
        d = _segments(sizes, poses, i, j, out)
    if swapped:
        for k in range(3):
            out[k], out[3 + k] = out[3 + k], out[k]
            out[6 + k] = -out[6 + k]
    return d


@kernel
def distances(kinds, sizes, poses, pairs, count, out, results):
    """The signed distances of the first ``count`` pairs (k, 2) into ``out`` (k,), and where
    they are into ``results`` (k, 9)."""
    for k in range(count):
        i, j = pairs[k, 0], pairs[k, 1]
        out[k] = shape_distance(kinds, sizes, poses, i, j, results[k])

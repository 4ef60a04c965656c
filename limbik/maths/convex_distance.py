"""The distance of two cores that are apart, by the method of Gilbert, Johnson and Keerthi (1988).

Two convex solids are as far apart as the set of all differences a − b of their points is from the
origin.  That set is known by its furthest points along directions.  A simplex of up to four of them
is kept; each step adds the one that is furthest from where the simplex is nearest to the origin,
towards it, and drops those that the nearest point of the new simplex does not need.

Arrays as in distance.py; nothing is allocated.  A core may also be the convex hull of few points:
hulls[at:] has how many there are, a multiple of four, the radius around them, the centre and the
half sizes of the box around them, then all x, all y and all z, in the frame of the solid; ``at`` is
0 for a core that its kind and sizes say.
"""

from __future__ import annotations

import math

from numba import int64, uint64

from limbik.jit import array_at, inner, stack
from limbik.maths.cores import CYLINDER, FLAT, from_cores, turned_to_local, turned_to_world

_MOST = 48  # steps; 4 to 12 are usual
_SURE = 1e-12  # of the squared distance: how much nearer a point might be at the end
_TOUCH = 1e-7  # of the sizes: cores that are nearer than this count as overlapping
_POINT = 6  # floats per point of the simplex: the difference a − b, and a
_BEST = 4 * _POINT  # after these: v, the point nearest to the origin, and a of it
_SIZE = _BEST + 6
HULL_HEAD = 8
"""Numbers of a hull before its points."""


@inner
def furthest(kind, sizes, poses, i, x, y, z):
    """The point of core i that is furthest along (x, y, z), from its centre: the middle of a face
    or an edge where there are several."""
    u = poses[i, 0] * x + poses[i, 3] * y + poses[i, 6] * z
    v = poses[i, 1] * x + poses[i, 4] * y + poses[i, 7] * z
    w = poses[i, 2] * x + poses[i, 5] * y + poses[i, 8] * z
    flat = FLAT * (abs(u) + abs(v) + abs(w))
    if kind == CYLINDER:
        across = math.sqrt(u * u + v * v)
        scale = sizes[i, 0] / across if across > flat else 0.0
        u, v = scale * u, scale * v
    else:
        u = 0.0 if abs(u) <= flat else math.copysign(sizes[i, 0], u)
        v = 0.0 if abs(v) <= flat else math.copysign(sizes[i, 1], v)
    w = 0.0 if abs(w) <= flat else math.copysign(sizes[i, 2], w)
    return (
        poses[i, 0] * u + poses[i, 1] * v + poses[i, 2] * w,
        poses[i, 3] * u + poses[i, 4] * v + poses[i, 5] * w,
        poses[i, 6] * u + poses[i, 7] * v + poses[i, 8] * w,
    )


@inner
def _points_of_hull(hulls, at):
    """The x, the y and the z of the points of a hull."""
    count, first = int64(hulls[at]), at + HULL_HEAD
    return (
        hulls[first : first + count],
        hulls[first + count : first + 2 * count],
        hulls[first + 2 * count : first + 3 * count],
    )


@inner
def furthest_of_hull(poses, i, hulls, at, x, y, z):
    """The point of a hull that is furthest along (x, y, z), from the centre of solid i."""
    u, v, w = turned_to_local(poses, i, x, y, z)
    px, py, pz = _points_of_hull(hulls, at)
    best, far = 0, -math.inf
    for k in range(px.shape[0]):
        along = u * px[k] + v * py[k] + w * pz[k]
        if along > far:
            best, far = k, along
    return turned_to_world(poses, i, px[best], py[best], pz[best])


@inner
def reach_of_hull(hulls, at, u, v, w):
    """How far a hull reaches along the unit vector (u, v, w) of its own frame."""
    px, py, pz = _points_of_hull(hulls, at)
    a = b = c = d = -math.inf
    for step in range(px.shape[0] >> 2):  # four sums at a time
        k = uint64(4 * step)
        m, n, o = k + uint64(1), k + uint64(2), k + uint64(3)
        e, f = u * px[k] + v * py[k] + w * pz[k], u * px[m] + v * py[m] + w * pz[m]
        g, h = u * px[n] + v * py[n] + w * pz[n], u * px[o] + v * py[o] + w * pz[o]
        a, b = e if e > a else a, f if f > b else b
        c, d = g if g > c else c, h if h > d else d
    return max(max(a, b), max(c, d)) + hulls[at + 1]


@inner
def reach_of_box(hulls, at, u, v, w):
    """The same of the box around it."""
    k = at + 2
    middle = u * hulls[k] + v * hulls[k + 1] + w * hulls[k + 2]
    far = abs(u) * hulls[k + 3] + abs(v) * hulls[k + 4] + abs(w) * hulls[k + 5]
    return middle + far + hulls[at + 1]


@inner
def reach_of_core(kind, sizes, i, u, v, w):
    """The same of solid i, whose kind is no hull."""
    across = abs(u) * sizes[i, 0] + abs(v) * sizes[i, 1]
    if kind == CYLINDER:
        across = math.sqrt(u * u + v * v) * sizes[i, 0]
    return across + abs(w) * sizes[i, 2] + sizes[i, 3]


@inner
def core_radius(sizes, i, hulls, at):
    """The radius around the core of solid i, a hull or not."""
    return hulls[at + 1] if at else sizes[i, 3]


@inner
def _add_point(a, b, sizes, poses, i, j, hulls, at_i, at_j, x, y, z, simplex, count):
    """Point number ``count`` of the simplex: the difference that is furthest along −(x, y, z).
    Lengths are from the centre of core i."""
    if at_i:
        px, py, pz = furthest_of_hull(poses, i, hulls, at_i, -x, -y, -z)
    else:
        px, py, pz = furthest(a, sizes, poses, i, -x, -y, -z)
    if at_j:
        qx, qy, qz = furthest_of_hull(poses, j, hulls, at_j, x, y, z)
    else:
        qx, qy, qz = furthest(b, sizes, poses, j, x, y, z)
    k = _POINT * count
    simplex[k] = px - qx - (poses[j, 9] - poses[i, 9])
    simplex[k + 1] = py - qy - (poses[j, 10] - poses[i, 10])
    simplex[k + 2] = pz - qz - (poses[j, 11] - poses[i, 11])
    simplex[k + 3], simplex[k + 4], simplex[k + 5] = px, py, pz


@inner
def _dot(s, a, b, c, d):
    """(p_a − p_b)·(p_c − p_d) of four points of a simplex; a or c alone where b or d is −1."""
    x, y, z = s[_POINT * a], s[_POINT * a + 1], s[_POINT * a + 2]
    if b >= 0:
        x, y, z = x - s[_POINT * b], y - s[_POINT * b + 1], z - s[_POINT * b + 2]
    u, v, w = s[_POINT * c], s[_POINT * c + 1], s[_POINT * c + 2]
    if d >= 0:
        u, v, w = u - s[_POINT * d], v - s[_POINT * d + 1], w - s[_POINT * d + 2]
    return x * u + y * v + z * w


@inner
def _on_edge(s, a, b):
    """Shares of the points a and b in the point of their edge that is nearest to the origin."""
    length = _dot(s, b, a, b, a)
    t = -_dot(s, a, -1, b, a) / length if length > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    return 1.0 - t, t


@inner
def _square(s, a, b, c, fa, fb, fc):
    """The squared length of a sum of three points with shares."""
    total = 0.0
    for k in range(3):
        x = fa * s[_POINT * a + k] + fb * s[_POINT * b + k] + fc * s[_POINT * c + k]
        total += x * x
    return total


@inner
def _on_triangle(s, a, b, c):
    """(squared distance, shares) of the point of a triangle that is nearest to the origin."""
    # The normal, and the areas on it that the origin spans with the edges.
    k, m, n = _POINT * a, _POINT * b, _POINT * c
    ux, uy, uz = s[m] - s[k], s[m + 1] - s[k + 1], s[m + 2] - s[k + 2]
    vx, vy, vz = s[n] - s[k], s[n + 1] - s[k + 1], s[n + 2] - s[k + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    area = nx * nx + ny * ny + nz * nz
    if area > 0.0:
        # origin − p_a = −p_a; its shares of u and v.
        px, py, pz = -s[k], -s[k + 1], -s[k + 2]
        fb = (nx * (py * vz - pz * vy) + ny * (pz * vx - px * vz) + nz * (px * vy - py * vx)) / area
        fc = (nx * (uy * pz - uz * py) + ny * (uz * px - ux * pz) + nz * (ux * py - uy * px)) / area
        fa = 1.0 - fb - fc
        if fa >= 0.0 and fb >= 0.0 and fc >= 0.0:
            return _square(s, a, b, c, fa, fb, fc), fa, fb, fc
    fa, fb = _on_edge(s, a, b)
    least, ba, bb, bc = _square(s, a, b, c, fa, fb, 0.0), fa, fb, 0.0
    fa, fc = _on_edge(s, a, c)
    square = _square(s, a, b, c, fa, 0.0, fc)
    if square < least:
        least, ba, bb, bc = square, fa, 0.0, fc
    fb, fc = _on_edge(s, b, c)
    square = _square(s, a, b, c, 0.0, fb, fc)
    if square < least:
        least, ba, bb, bc = square, 0.0, fb, fc
    return least, ba, bb, bc


@inner
def _beyond(s, a, b, c, d):
    """Whether the origin and the point d lie on different sides of a triangle, or on it."""
    k, m, n, o = _POINT * a, _POINT * b, _POINT * c, _POINT * d
    ux, uy, uz = s[m] - s[k], s[m + 1] - s[k + 1], s[m + 2] - s[k + 2]
    vx, vy, vz = s[n] - s[k], s[n + 1] - s[k + 1], s[n + 2] - s[k + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(nx * s[k] + ny * s[k + 1] + nz * s[k + 2])
    other = nx * (s[o] - s[k]) + ny * (s[o + 1] - s[k + 1]) + nz * (s[o + 2] - s[k + 2])
    return origin * other <= 0.0


@inner
def _nearest(s, count):
    """(squared distance, four shares) of the point of a simplex that is nearest to the origin; its
    last point is the one that was added."""
    if count == 1:
        return _dot(s, 0, -1, 0, -1), 1.0, 0.0, 0.0, 0.0
    if count == 2:
        fa, fb = _on_edge(s, 0, 1)
        return _square(s, 0, 1, 1, fa, fb, 0.0), fa, fb, 0.0, 0.0
    if count == 3:
        least, fa, fb, fc = _on_triangle(s, 0, 1, 2)
        return least, fa, fb, fc, 0.0
    least, fa, fb, fc, fd = math.inf, 0.0, 0.0, 0.0, 0.0
    if _beyond(s, 0, 1, 3, 2):
        least, fa, fb, fd = _on_triangle(s, 0, 1, 3)
    if _beyond(s, 0, 2, 3, 1):
        square, a, c, d = _on_triangle(s, 0, 2, 3)
        if square < least:
            least, fa, fb, fc, fd = square, a, 0.0, c, d
    if _beyond(s, 1, 2, 3, 0):
        square, b, c, d = _on_triangle(s, 1, 2, 3)
        if square < least:
            least, fa, fb, fc, fd = square, 0.0, b, c, d
    return (0.0 if least == math.inf else least), fa, fb, fc, fd


@inner
def _keep(s, count, fa, fb, fc, fd):
    """The points with a share, moved to the front, and their sum after the simplex; how many."""
    for k in range(_POINT):
        s[_BEST + k] = 0.0
    kept = 0
    for p in range(count):
        share = fa if p == 0 else (fb if p == 1 else (fc if p == 2 else fd))
        if share > 0.0:
            for k in range(_POINT):
                value = s[_POINT * p + k]
                s[_BEST + k] += share * value
                s[_POINT * kept + k] = value
            kept += 1
    return kept


@inner
def convex_distance(a, b, sizes, poses, i, j, hulls, at_i, at_j, enough, out):
    """(whether they are apart, the distance) of solids i and j of the kinds a and b, or of their
    hulls; ``out`` as of ``shape_distance``.  Cores that touch or overlap are not apart.  Where the
    distance is surely larger than ``enough``, one that is larger than that but no larger than the
    distance will do, and the normal along which they are so far apart."""
    simplex = array_at(stack(_SIZE))
    x, y, z = poses[i, 9] - poses[j, 9], poses[i, 10] - poses[j, 10], poses[i, 11] - poses[j, 11]
    small = 0.0
    for k in range(3):
        small += sizes[i, k] + sizes[j, k]
    small *= _TOUCH
    _add_point(a, b, sizes, poses, i, j, hulls, at_i, at_j, x, y, z, simplex, 0)
    d = math.inf
    count, square = _keep(simplex, 1, 1.0, 0.0, 0.0, 0.0), _dot(simplex, 0, -1, 0, -1)
    ra, rb = core_radius(sizes, i, hulls, at_i), core_radius(sizes, j, hulls, at_j)
    enough = max(0.0, enough + ra + rb) ** 2
    for _ in range(_MOST):
        if square <= small * small:
            return False, 0.0
        x, y, z = simplex[_BEST], simplex[_BEST + 1], simplex[_BEST + 2]
        _add_point(a, b, sizes, poses, i, j, hulls, at_i, at_j, x, y, z, simplex, count)
        k = _POINT * count
        along = x * simplex[k] + y * simplex[k + 1] + z * simplex[k + 2]
        if square - along <= _SURE * square:
            break
        if along > 0.0 and along * along > enough * square:
            d = along / math.sqrt(square)
            break
        less, fa, fb, fc, fd = _nearest(simplex, count + 1)
        if less >= square or (less == 0.0 and along > 0.0):  # as near as rounding lets it come
            break
        count, square = _keep(simplex, count + 1, fa, fb, fc, fd), less
    length = math.sqrt(square)
    d = length if d == math.inf else d
    nx, ny, nz = (
        -simplex[_BEST] / length,
        -simplex[_BEST + 1] / length,
        -simplex[_BEST + 2] / length,
    )
    ca = (
        poses[i, 9] + simplex[_BEST + 3],
        poses[i, 10] + simplex[_BEST + 4],
        poses[i, 11] + simplex[_BEST + 5],
    )
    cb = (ca[0] + d * nx, ca[1] + d * ny, ca[2] + d * nz)
    return True, from_cores(out, ca, cb, nx, ny, nz, d, ra, rb)

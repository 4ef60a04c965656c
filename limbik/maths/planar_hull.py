"""The convex hull of a few points in a plane, and how far a point is outside it.

Nothing is allocated; indices are kept as floats.
"""

from __future__ import annotations

import math

from limbik.jit import kernel


@kernel
def planar_hull(points, count, hull):
    """Indices of the corners of the hull of ``points`` (count · 2), counter-clockwise, into
    ``hull`` (count,); returns how many: gift wrapping, from the lowest point of the first axis."""
    first = 0
    for k in range(1, count):
        x, y = points[2 * k] - points[2 * first], points[2 * k + 1] - points[2 * first + 1]
        if x < 0.0 or (x == 0.0 and y < 0.0):
            first = k
    found, at = 0, first
    while found < count:
        hull[found] = at
        found += 1
        ax, ay = points[2 * at], points[2 * at + 1]
        best, bx, by = -1, 0.0, 0.0
        for k in range(count):
            x, y = points[2 * k] - ax, points[2 * k + 1] - ay
            if x == 0.0 and y == 0.0:
                continue
            side = bx * y - by * x
            # To the right of the best so far, or behind it on one line.
            if best < 0 or side < 0.0 or (side == 0.0 and x * x + y * y > bx * bx + by * by):
                best, bx, by = k, x, y
        if best < 0:
            break
        if points[2 * best] == points[2 * first] and points[2 * best + 1] == points[2 * first + 1]:
            break
        at = best
    return found


@kernel
def hull_distance(points, hull, found, x, y):
    """(s, ux, uy, a, b, t): the signed distance of (x, y) from a hull of ``found`` corners,
    negative inside; the unit vector out of it at the nearest point of its edge, which lies at
    (1 − t)·points[a] + t·points[b]."""
    inside, deepest = found > 2, -math.inf
    least = math.inf
    ux, uy, t = 0.0, 0.0, 0.0
    a, b = int(hull[0]), int(hull[0])
    for k in range(found):
        i, j = int(hull[k]), int(hull[(k + 1) % found])
        px, py = x - points[2 * i], y - points[2 * i + 1]
        ex, ey = points[2 * j] - points[2 * i], points[2 * j + 1] - points[2 * i + 1]
        length = math.sqrt(ex * ex + ey * ey)
        if length == 0.0:
            nx, ny, part = 0.0, 0.0, 0.0
        else:
            nx, ny, part = ey / length, -ex / length, (px * ex + py * ey) / (length * length)
        out = nx * px + ny * py
        if inside and out <= 0.0:
            if out > deepest:
                deepest, ux, uy, a, b, t = out, nx, ny, i, j, part
            continue
        if inside:
            inside = False
        if out < 0.0 and found > 2:
            continue  # the far side
        clamped = min(max(part, 0.0), 1.0)
        vx, vy = px - clamped * ex, py - clamped * ey
        away = math.sqrt(vx * vx + vy * vy)
        if away < least:
            least, a, b, t = away, i, j, clamped
            if clamped == part and length > 0.0 and out > 0.0:
                ux, uy = nx, ny
            elif away > 0.0:
                ux, uy = vx / away, vy / away
            else:
                ux, uy = 0.0, 0.0
    if inside:
        return deepest, ux, uy, a, b, t
    return least, ux, uy, a, b, t

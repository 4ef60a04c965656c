"""The convex hull of a few points in a plane, and how far a point is from being well inside it.

Nothing is allocated; indices are kept as floats.
"""

from __future__ import annotations

import math

from limbik.jit import inner, kernel

LINE = 3
"""Floats per edge: the unit normal n out of the hull, and n·x of its points."""
NEAREST = 14
"""Floats of ``hull_shortfall``'s result: the unit vector u away from the hull; then for each of two
edges its ends as indices of points, its normal, how much of u it makes up and, as a part of the
edge, where on it the nearest point lies."""
EDGE = 6
_FLAT = 1e-9  # sine of the angle between edges that count as one line
_EXACT = 1e-10  # of the distance: rounding of what lies on a line


@kernel
def planar_hull(points, count, hull, lines):
    """Indices of the corners of the hull of ``points`` (count · 2), counter-clockwise, into
    ``hull`` (count,), and the edges from each to the next into ``lines`` (count · LINE).

    Returns how many: gift wrapping, from the point that is lowest along the first axis.
    """
    first = 0
    for k in range(1, count):
        x, y = points[2 * k] - points[2 * first], points[2 * k + 1] - points[2 * first + 1]
        if x < 0.0 or (x == 0.0 and y < 0.0):
            first = k
    found, at = 0, first
    while found < count:
        hull[found] = at
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
        length = math.sqrt(bx * bx + by * by)
        nx, ny = (by / length, -bx / length) if best >= 0 else (0.0, 0.0)
        lines[LINE * found], lines[LINE * found + 1] = nx, ny
        lines[LINE * found + 2] = nx * ax + ny * ay
        found += 1
        if best < 0:
            break
        if points[2 * best] == points[2 * first] and points[2 * best + 1] == points[2 * first + 1]:
            break
        at = best
    return found


@inner
def _outside(lines, k, x, y):
    """How far a point is outside the line of edge k; negative inside."""
    return lines[LINE * k] * x + lines[LINE * k + 1] * y - lines[LINE * k + 2]


@kernel
def hull_depth(lines, found, x, y):
    """How far (x, y) is outside the edge of a hull (3 corners or more) that it is most outside of;
    inside the hull minus the distance from its edge."""
    worst = -math.inf
    for k in range(found):
        worst = max(worst, _outside(lines, k, x, y))
    return worst


@inner
def _write_edge(points, hull, lines, found, k, x, y, share, result, at):
    """Edge k of the result, with the nearest point (x, y) beside it."""
    i, j = int(hull[k]), int(hull[(k + 1) % found])
    ex, ey = points[2 * j] - points[2 * i], points[2 * j + 1] - points[2 * i + 1]
    square = ex * ex + ey * ey
    part = ((x - points[2 * i]) * ex + (y - points[2 * i + 1]) * ey) / square if square else 0.0
    result[at], result[at + 1], result[at + 2] = i, j, lines[LINE * k]
    result[at + 3], result[at + 4], result[at + 5] = lines[LINE * k + 1], share, part


@kernel
def hull_shortfall(points, hull, lines, found, x, y, margin, result):
    """The distance of (x, y) from all that lies deeper than ``margin`` inside a hull; 0 there.

    With u and the two edges of ``result`` (NEAREST), edge e from a to b with the normal n, share λ
    and part t, the distance changes by u·(ẋ, ẏ) − Σₑ λₑ·nₑ·((1 − tₑ)·ȧₑ + tₑ·ḃₑ): λ are the
    multipliers of the edges at the nearest point.  Inside, the edge is the nearest one.  A hull of
    two corners or one has no inside: it is the distance from it, plus the margin.
    """
    for k in range(NEAREST):
        result[k] = 0.0
    if found < 3:
        return margin + _from_segment(points, hull, found, x, y, result)
    worst, which = -math.inf, 0
    for k in range(found):
        s = _outside(lines, k, x, y) + margin
        if s > worst:
            worst, which = s, k
    if worst <= 0.0:
        nx, ny = lines[LINE * which], lines[LINE * which + 1]
        result[0], result[1] = nx, ny
        s = worst - margin
        _write_edge(points, hull, lines, found, which, x - s * nx, y - s * ny, 1.0, result, 2)
        return 0.0
    rounding = _EXACT * worst
    for k in range(found):  # the nearest point lies on an edge ...
        s = _outside(lines, k, x, y) + margin
        if s <= 0.0:
            continue
        nx, ny = lines[LINE * k], lines[LINE * k + 1]
        px, py = x - s * nx, y - s * ny
        if hull_depth(lines, found, px, py) + margin <= rounding:
            result[0], result[1] = nx, ny
            _write_edge(points, hull, lines, found, k, px, py, 1.0, result, 2)
            return s
    for k in range(found):  # ... or where two of them meet
        for m in range(k + 1, found):
            nx, ny, mx, my = (
                lines[LINE * k], lines[LINE * k + 1], lines[LINE * m], lines[LINE * m + 1]
            )  # fmt: skip
            turn = nx * my - ny * mx
            if abs(turn) < _FLAT:
                continue
            b, c = lines[LINE * k + 2] - margin, lines[LINE * m + 2] - margin
            px, py = (b * my - c * ny) / turn, (nx * c - mx * b) / turn
            vx, vy = x - px, y - py
            far = math.sqrt(vx * vx + vy * vy)
            one, two = (vx * my - vy * mx) / turn, (nx * vy - ny * vx) / turn
            if one < 0.0 or two < 0.0 or not far > 0.0:
                continue
            if hull_depth(lines, found, px, py) + margin <= _EXACT * far:
                result[0], result[1] = vx / far, vy / far
                _write_edge(points, hull, lines, found, k, px, py, one / far, result, 2)
                _write_edge(points, hull, lines, found, m, px, py, two / far, result, 2 + EDGE)
                return far
    # The margin leaves nothing of the hull: what is missing to the edge that is furthest.
    nx, ny = lines[LINE * which], lines[LINE * which + 1]
    result[0], result[1] = nx, ny
    s = _outside(lines, which, x, y)
    _write_edge(points, hull, lines, found, which, x - s * nx, y - s * ny, 1.0, result, 2)
    return worst


@inner
def _from_segment(points, hull, found, x, y, result):
    """The distance from a hull of one or two corners; the result's normal is u itself."""
    i, j = int(hull[0]), int(hull[found - 1])
    px, py = x - points[2 * i], y - points[2 * i + 1]
    ex, ey = points[2 * j] - points[2 * i], points[2 * j + 1] - points[2 * i + 1]
    square = ex * ex + ey * ey
    part = min(max((px * ex + py * ey) / square, 0.0), 1.0) if square > 0.0 else 0.0
    vx, vy = px - part * ex, py - part * ey
    far = math.sqrt(vx * vx + vy * vy)
    if far > 0.0:
        result[0], result[1] = vx / far, vy / far
    result[2], result[3], result[4], result[5] = i, j, result[0], result[1]
    result[6], result[7] = 1.0, part
    return far

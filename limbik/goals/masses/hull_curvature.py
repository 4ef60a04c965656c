"""How the distance of the centre of mass from the hull of its contacts curves where edges turn.

The distance d = u·(c − P) leads from the nearest point P of the shrunk hull to the centre of mass c
(maths/planar_hull.py).  P lies on one edge or two, n·P = n·a − m with the contacts a and b, the
direction ê from a to b and u = Σ λ·n.  With α = n·(ḃ − ȧ) / |b − a| and β the same along ê, an edge
turns by ṅ = −α·ê and n̈ = 2αβ·ê − α²·n.  Differentiating both twice,

    d̈ = u·c̈ − Σ λ·(n·ä + n̈·(a − P) + 2ṅ·(ȧ − Ṗ)) + (τ·(ċ − Ṗ))² / d,

with τ perpendicular to u.  What moves along straight lines or circles, c̈ and ä, is not added here.
"""

from __future__ import annotations

from limbik.figure.layout import N_COORDS
from limbik.jit import inner
from limbik.maths.planar_hull import EDGE

POINTS = 5
"""Tables of columns (n, 3): of the centre of mass, and of a and b of two edges."""
PER_COORDINATE = 3 * POINTS


@inner
def turn_edges(ints, floats, at, nearest, corners, x, y, d, flat, one, two):
    """Columns of the points, of which two axes count, at floats[at] become what ``add_turns``
    reads: (α, β, ê·(ȧ − Ṗ)) of each edge, and τ·(ċ − Ṗ) in the first column of c.

    nearest: what ``hull_shortfall`` left; (x, y): c; d: how far it is from P; flat: whether P is a
    contact itself.  Returns ê·(a − P) and n·(a − P) of both edges.
    """
    n = int(ints[N_COORDS])
    ux, uy = floats[nearest], floats[nearest + 1]
    px, py = x - d * ux, y - d * uy
    corner = not flat and floats[nearest + 2 + EDGE + 4] != 0.0
    e1x, e1y, l1, s1, t1 = _edge(floats, nearest + 2, corners, px, py)
    n1x, n1y = floats[nearest + 4], floats[nearest + 5]
    e2x, e2y, l2, s2, t2, n2x, n2y, turn = 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0
    if corner:
        e2x, e2y, l2, s2, t2 = _edge(floats, nearest + 2 + EDGE, corners, px, py)
        n2x, n2y = floats[nearest + 4 + EDGE], floats[nearest + 5 + EDGE]
        turn = n1x * n2y - n1y * n2x
    width = 3 * n
    for k in range(n):
        c = at + 3 * k
        a1, b1, a2, b2 = c + width, c + 2 * width, c + 3 * width, c + 4 * width
        cx, cy = floats[c + one], floats[c + two]
        ax, ay = floats[a1 + one], floats[a1 + two]
        ox, oy = floats[a2 + one], floats[a2 + two]
        if flat:
            # P follows the contact that is nearest: a, or b where its part is 1.
            if floats[nearest + 7] == 1.0:
                ax, ay = floats[b1 + one], floats[b1 + two]
            floats[c] = ux * (cy - ay) - uy * (cx - ax)
            continue
        ex, ey = floats[b1 + one] - ax, floats[b1 + two] - ay
        alpha, beta = (n1x * ex + n1y * ey) / l1, (e1x * ex + e1y * ey) / l1
        first = n1x * ax + n1y * ay - alpha * t1
        if corner:
            ex, ey = floats[b2 + one] - ox, floats[b2 + two] - oy
            other, along = (n2x * ex + n2y * ey) / l2, (e2x * ex + e2y * ey) / l2
            second = n2x * ox + n2y * oy - other * t2
            vx, vy = (first * n2y - second * n1y) / turn, (n1x * second - n2x * first) / turn
            floats[a2], floats[a2 + 1] = other, along
            floats[a2 + 2] = e2x * (ox - vx) + e2y * (oy - vy)
        else:
            along = e1x * cx + e1y * cy + d * alpha
            vx, vy = n1x * first + e1x * along, n1y * first + e1y * along
        floats[a1], floats[a1 + 1] = alpha, beta
        floats[a1 + 2] = e1x * (ax - vx) + e1y * (ay - vy)
        floats[c] = ux * (cy - vy) - uy * (cx - vx)
    return t1, s1, t2, s2


@inner
def _edge(floats, at, corners, px, py):
    """(ê, |b − a|, n·(a − P), ê·(a − P)) of the edge of ``hull_shortfall``'s result at ``at``."""
    a, b = corners + 2 * int(floats[at]), corners + 2 * int(floats[at + 1])
    ex, ey = floats[b] - floats[a], floats[b + 1] - floats[a + 1]
    length = (ex * ex + ey * ey) ** 0.5
    scale = 1.0 / length if length > 0.0 else 0.0
    ex, ey = ex * scale, ey * scale
    vx, vy = floats[a] - px, floats[a + 1] - py
    out = floats[at + 2] * vx + floats[at + 3] * vy
    return ex, ey, length, out, ex * vx + ey * vy


@inner
def add_turns(ints, floats, at, w, one, along_one, out_one, two, along_two, out_two, d, s):
    """S += w·∇²d without c̈ and ä; ``one`` and ``two`` are the shares λ of the edges."""
    n = int(ints[N_COORDS])
    for i in range(n):
        c = at + 3 * i
        a1, a2 = c + 3 * n, c + 9 * n
        tau = floats[c]
        for k in range(n):
            o = at + 3 * k
            total = tau * floats[o] / d
            if one != 0.0:
                total -= one * _turned(floats, a1, o + 3 * n, along_one, out_one)
            if two != 0.0:
                total -= two * _turned(floats, a2, o + 9 * n, along_two, out_two)
            s[i, k] += w * total


@inner
def _turned(floats, i, k, along, out):
    """n̈·(a − P) + 2ṅ·(ȧ − Ṗ) as a bilinear form of two coordinates."""
    alpha, other = floats[i], floats[k]
    turned = (alpha * floats[k + 1] + other * floats[i + 1]) * along - alpha * other * out
    return turned - alpha * floats[k + 2] - other * floats[i + 2]

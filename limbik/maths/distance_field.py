"""Signed distances to surfaces on a grid: how they are made from triangles, and how they are read.

A field has the values φ (nx, ny, nz) of the signed distance at the nodes of a grid with equal
cells, below 0 inside.  Between nodes φ is trilinear, so that its gradient is exact for what is
read.  Beyond the grid the distance to the grid is added; the field of a ground goes on level
instead.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.jit import inner, kernel

HEAD = 8
"""Numbers before the values: the first node (3), the size of a cell, how many nodes (3), and 1 for
a ground, else 0."""


@inner
def _point_triangle(px, py, pz, t):
    """The square of the distance of a point to the triangle t (9,): C. Ericson, Real-Time Collision
    Detection (2005), 5.1.5."""
    abx, aby, abz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    acx, acy, acz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    apx, apy, apz = px - t[0], py - t[1], pz - t[2]
    d1, d2 = abx * apx + aby * apy + abz * apz, acx * apx + acy * apy + acz * apz
    bpx, bpy, bpz = px - t[3], py - t[4], pz - t[5]
    d3, d4 = abx * bpx + aby * bpy + abz * bpz, acx * bpx + acy * bpy + acz * bpz
    cpx, cpy, cpz = px - t[6], py - t[7], pz - t[8]
    d5, d6 = abx * cpx + aby * cpy + abz * cpz, acx * cpx + acy * cpy + acz * cpz
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    v, w = 0.0, 0.0  # the nearest point is a + v·ab + w·ac
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3)
    elif d6 >= 0.0 and d5 <= d6:
        w = 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        total = va + vb + vc
        v, w = (vb / total, vc / total) if total > 0.0 else (0.0, 0.0)
    x, y, z = apx - v * abx - w * acx, apy - v * aby - w * acy, apz - v * abz - w * acz
    return x * x + y * y + z * z


@inner
def _solid_angle(px, py, pz, t):
    """Half the solid angle of the triangle t (9,) seen from a point: A. Van Oosterom and
    J. Strackee (1983)."""
    ax, ay, az = t[0] - px, t[1] - py, t[2] - pz
    bx, by, bz = t[3] - px, t[4] - py, t[5] - pz
    cx, cy, cz = t[6] - px, t[7] - py, t[8] - pz
    a = math.sqrt(ax * ax + ay * ay + az * az)
    b = math.sqrt(bx * bx + by * by + bz * bz)
    c = math.sqrt(cx * cx + cy * cy + cz * cz)
    det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    ab, bc, ca = (
        ax * bx + ay * by + az * bz,
        bx * cx + by * cy + bz * cz,
        cx * ax + cy * ay + cz * az,
    )
    return math.atan2(det, a * b * c + ab * c + bc * a + ca * b)


@kernel
def mesh_field(triangles, first, cell, values):
    """Signed distances to ``triangles`` (k, 9) into values (nx, ny, nz).

    Inside is where the triangles, counted by their solid angles, go round a point: the winding
    number, which holes that are small do not change much.
    """
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            for m in range(values.shape[2]):
                x, y, z = first[0] + i * cell, first[1] + j * cell, first[2] + m * cell
                square, turns = math.inf, 0.0
                for k in range(len(triangles)):
                    square = min(square, _point_triangle(x, y, z, triangles[k]))
                    turns += _solid_angle(x, y, z, triangles[k])
                away = math.sqrt(square)
                values[i, j, m] = -away if turns > math.pi else away


@kernel
def height_field(heights, spacing, first, cell, values, window):
    """Signed distances to a surface z = h(x, y), with nodes (a, b) at a·spacing from the origin,
    into values; only triangles within ``window`` cells of a node's foot are looked at, and the
    vertical distance."""
    rows, columns = heights.shape
    t = np.empty(9)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x, y = first[0] + i * cell, first[1] + j * cell
            u = min(max(x / spacing, 0.0), rows - 1.000001)
            v = min(max(y / spacing, 0.0), columns - 1.000001)
            a, b = int(u), int(v)
            fu, fv = u - a, v - b
            # The two triangles of a cell share the diagonal from (a + 1, b) to (a, b + 1).
            if fu + fv <= 1.0:
                height = heights[a, b] + fu * (heights[a + 1, b] - heights[a, b])
                height += fv * (heights[a, b + 1] - heights[a, b])
            else:
                height = heights[a + 1, b + 1] + (1.0 - fu) * (
                    heights[a, b + 1] - heights[a + 1, b + 1]
                )
                height += (1.0 - fv) * (heights[a + 1, b] - heights[a + 1, b + 1])
            for m in range(values.shape[2]):
                z = first[2] + m * cell
                square = (z - height) ** 2
                for c in range(max(0, a - window), min(rows - 1, a + window + 1)):
                    for d in range(max(0, b - window), min(columns - 1, b + window + 1)):
                        for half in range(2):
                            e = c + half
                            g = d + half
                            t[0], t[1], t[2] = e * spacing, g * spacing, heights[e, g]
                            t[3], t[4], t[5] = (c + 1) * spacing, d * spacing, heights[c + 1, d]
                            t[6], t[7], t[8] = c * spacing, (d + 1) * spacing, heights[c, d + 1]
                            square = min(square, _point_triangle(x, y, z, t))
                away = math.sqrt(square)
                values[i, j, m] = -away if z < height else away


@inner
def field_value(floats, at, x, y, z):
    """(φ, ∂φ/∂x, ∂φ/∂y, ∂φ/∂z) at a point, from the HEAD numbers at floats[at] and the values."""
    cell = floats[at + 3]
    ny, nz = int(floats[at + 5]), int(floats[at + 6])
    beyond, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
    u, v, w = (x - floats[at]) / cell, (y - floats[at + 1]) / cell, (z - floats[at + 2]) / cell
    cu = min(max(u, 0.0), floats[at + 4] - 1.0)
    cv = min(max(v, 0.0), floats[at + 5] - 1.0)
    cw = min(max(w, 0.0), floats[at + 6] - 1.0)
    dx, dy, dz = (u - cu) * cell, (v - cv) * cell, (w - cw) * cell
    if floats[at + 7] > 0.0:
        dx, dy, dz, beyond = 0.0, 0.0, 0.0, dz
    square = dx * dx + dy * dy + dz * dz
    i = min(int(cu), int(floats[at + 4]) - 2)
    j, m = min(int(cv), ny - 2), min(int(cw), nz - 2)
    fu, fv, fw = cu - i, cv - j, cw - m
    p = at + HEAD + (i * ny + j) * nz + m
    q = p + ny * nz
    a00, a01, a10, a11 = floats[p], floats[p + 1], floats[p + nz], floats[p + nz + 1]
    b00, b01, b10, b11 = floats[q], floats[q + 1], floats[q + nz], floats[q + nz + 1]
    c0 = (a00 * (1 - fw) + a01 * fw) * (1 - fv) + (a10 * (1 - fw) + a11 * fw) * fv
    c1 = (b00 * (1 - fw) + b01 * fw) * (1 - fv) + (b10 * (1 - fw) + b11 * fw) * fv
    e0 = (a10 - a00) * (1 - fw) + (a11 - a01) * fw
    e1 = (b10 - b00) * (1 - fw) + (b11 - b01) * fw
    g0 = (a01 - a00) * (1 - fv) + (a11 - a10) * fv
    g1 = (b01 - b00) * (1 - fv) + (b11 - b10) * fv
    value = c0 * (1 - fu) + c1 * fu
    if dx == 0.0:
        gx = (c1 - c0) / cell
    if dy == 0.0:
        gy = (e0 * (1 - fu) + e1 * fu) / cell
    if dz == 0.0:
        gz = (g0 * (1 - fu) + g1 * fu) / cell
    if floats[at + 7] > 0.0:
        gx, gy = gx * (u == cu), gy * (v == cv)
        gz = gz if w == cw else 1.0
    if square > 0.0:
        beyond = math.sqrt(square)
        gx, gy, gz = gx + dx / beyond, gy + dy / beyond, gz + dz / beyond
    return value + beyond, gx, gy, gz


@inner
def _samples(half, cell, most):
    """How many points along ±half, at most a cell apart."""
    return 1 if half <= 0.0 else min(most, math.ceil(2.0 * half / cell) + 1)


@kernel
def field_distance(floats, size, pose, field, place, out):
    """d of a solid against a field: the least φ over points of its core, less its radius.

    The core's points are at most a cell apart, up to 65 on a segment and 9³ in a box.  size, pose
    and place are where the solid's sizes (4) and pose (12) and the field's pose (12) begin in the
    floats.  out (9,) becomes the point of the core, the same point, and −∇φ: d changes by −∇φ·(v_b
    − v_a), with v_a the velocity of that point of the solid and v_b that of the field there.
    """
    a, b, c = floats[size], floats[size + 1], floats[size + 2]
    cell = floats[field + 3]
    most = 65 if a <= 0.0 and b <= 0.0 else 9
    na, nb, nc = _samples(a, cell, most), _samples(b, cell, most), _samples(c, cell, most)
    best = math.inf
    for i in range(na):
        u = a * (2.0 * i / (na - 1) - 1.0) if na > 1 else 0.0
        for j in range(nb):
            v = b * (2.0 * j / (nb - 1) - 1.0) if nb > 1 else 0.0
            for k in range(nc):
                w = c * (2.0 * k / (nc - 1) - 1.0) if nc > 1 else 0.0
                x = (
                    floats[pose + 9]
                    + floats[pose] * u
                    + floats[pose + 1] * v
                    + floats[pose + 2] * w
                )
                y = floats[pose + 10] + floats[pose + 3] * u
                y += floats[pose + 4] * v + floats[pose + 5] * w
                z = floats[pose + 11] + floats[pose + 6] * u
                z += floats[pose + 7] * v + floats[pose + 8] * w
                dx, dy, dz = x - floats[place + 9], y - floats[place + 10], z - floats[place + 11]
                lx = floats[place] * dx + floats[place + 3] * dy + floats[place + 6] * dz
                ly = floats[place + 1] * dx + floats[place + 4] * dy + floats[place + 7] * dz
                lz = floats[place + 2] * dx + floats[place + 5] * dy + floats[place + 8] * dz
                value, gx, gy, gz = field_value(floats, field, lx, ly, lz)
                if value < best:
                    best = value
                    out[0], out[1], out[2], out[3], out[4], out[5] = x, y, z, x, y, z
                    for row in range(3):
                        p = place + 3 * row
                        out[6 + row] = -(floats[p] * gx + floats[p + 1] * gy + floats[p + 2] * gz)
    return best - floats[size + 3]

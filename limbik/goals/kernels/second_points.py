"""How points and directions that follow joints add to S, what second derivatives make of ½∇²f.

A slot b moves a point by its column m_b, and a turn above it moves that column by a_a × m_b, so
that a point with multiplier λ adds N_b = −m_b × λ to every slot on its path (curvature.py makes S
of it).
"""

from __future__ import annotations

from limbik.figure.kinematics import point_column
from limbik.figure.layout import AXIS, F_SCALE, I_COORD, I_SLOT_IS_ROTATION, N_COORDS
from limbik.jit import inner


@inner
def cross(ax, ay, az, bx, by, bz):
    """a × b of vectors (3,) given and returned as three numbers each."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inner
def add_point_moments(ints, floats, axes, path, length, px, py, pz, lx, ly, lz, moments, torques):
    """N and T of a point p with multiplier λ: N −= m × λ, T −= (p − o) × λ along its path."""
    for k in range(path, path + length):
        slot = ints[k]
        scale, x = floats[ints[F_SCALE] + slot], AXIS * slot
        mx, my, mz = axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale
        if ints[ints[I_SLOT_IS_ROTATION] + slot]:
            dx, dy, dz = px - axes[x + 3], py - axes[x + 4], pz - axes[x + 5]
            mx, my, mz = cross(mx, my, mz, dx, dy, dz)
            tx, ty, tz = cross(dx, dy, dz, lx, ly, lz)
            torques[slot, 0] -= tx
            torques[slot, 1] -= ty
            torques[slot, 2] -= tz
        nx, ny, nz = cross(mx, my, mz, lx, ly, lz)
        moments[slot, 0] -= nx
        moments[slot, 1] -= ny
        moments[slot, 2] -= nz


@inner
def add_direction_moments(
    ints, floats, axes, path, length, vx, vy, vz, lx, ly, lz, moments, torques
):
    """N and T of a direction v with multiplier λ: as for a point at v from every axis."""
    tx, ty, tz = cross(vx, vy, vz, lx, ly, lz)
    for k in range(path, path + length):
        slot = ints[k]
        if not ints[ints[I_SLOT_IS_ROTATION] + slot]:
            continue
        scale, x = floats[ints[F_SCALE] + slot], AXIS * slot
        mx, my, mz = cross(axes[x] * scale, axes[x + 1] * scale, axes[x + 2] * scale, vx, vy, vz)
        nx, ny, nz = cross(mx, my, mz, lx, ly, lz)
        moments[slot, 0] -= nx
        moments[slot, 1] -= ny
        moments[slot, 2] -= nz
        torques[slot, 0] -= tx
        torques[slot, 1] -= ty
        torques[slot, 2] -= tz


@inner
def add_columns(ints, floats, axes, path, length, px, py, pz, sign, columns):
    """columns (n, 3) += sign times how each coordinate moves the point p."""
    for k in range(path, path + length):
        slot = ints[k]
        mx, my, mz = point_column(ints, floats, axes, slot, sign, px, py, pz)
        c = ints[ints[I_COORD] + slot]
        columns[c, 0] += mx
        columns[c, 1] += my
        columns[c, 2] += mz


@inner
def curve_direction(ints, columns, dx, dy, dz, lx, ly, lz, factor, s):
    """S += factor·λ·D²d for a direction d = x/‖x‖ whose x moves by the columns m.

    D²d[m_a, m_b] = −(d·m_a) m_b⊥ − (d·m_b) m_a⊥ − d (m_a⊥·m_b⊥) over ‖x‖² (in ``factor``).
    """
    along = dx * lx + dy * ly + dz * lz
    for a in range(ints[N_COORDS]):
        x, y, z = columns[a, 0], columns[a, 1], columns[a, 2]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        da = dx * x + dy * y + dz * z
        la = lx * x + ly * y + lz * z - along * da
        for b in range(ints[N_COORDS]):
            u, v, w = columns[b, 0], columns[b, 1], columns[b, 2]
            db = dx * u + dy * v + dz * w
            lb = lx * u + ly * v + lz * w - along * db
            across = x * u + y * v + z * w - da * db
            s[a, b] -= factor * (da * lb + db * la + along * across)

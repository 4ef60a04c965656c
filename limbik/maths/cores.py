"""Cores of solids that are points, segments, boxes or cylinders: what their distances share."""

from __future__ import annotations

from limbik.jit import inner

POINT, SEGMENT, BOX, CYLINDER, HALF_SPACE, FIELD = range(6)
"""Kinds of solids."""
TINY = 1e-14  # of the sizes: below, two cores touch and their difference has no direction
PARALLEL = 1e-10  # squared sine of the angle between two directions that count as parallel
FLAT = 1e-9  # cosine below which a direction is along a face


@inner
def write(out, ax, ay, az, bx, by, bz, nx, ny, nz):
    """out (9,) = the nearest points pa and pb, and the unit normal n from a to b."""
    out[0], out[1], out[2] = ax, ay, az
    out[3], out[4], out[5] = bx, by, bz
    out[6], out[7], out[8] = nx, ny, nz


@inner
def clamp(x, low, high):
    """x, or the end of low..high that it is beyond."""
    return low if x < low else (high if x > high else x)


@inner
def turned_to_local(poses, j, x, y, z):
    """A direction of the world in the frame of solid j."""
    return (
        poses[j, 0] * x + poses[j, 3] * y + poses[j, 6] * z,
        poses[j, 1] * x + poses[j, 4] * y + poses[j, 7] * z,
        poses[j, 2] * x + poses[j, 5] * y + poses[j, 8] * z,
    )


@inner
def turned_to_world(poses, j, x, y, z):
    """A direction in the frame of solid j in the world."""
    return (
        poses[j, 0] * x + poses[j, 1] * y + poses[j, 2] * z,
        poses[j, 3] * x + poses[j, 4] * y + poses[j, 5] * z,
        poses[j, 6] * x + poses[j, 7] * y + poses[j, 8] * z,
    )


@inner
def to_local(poses, j, x, y, z):
    """A point of the world in the frame of solid j."""
    return turned_to_local(poses, j, x - poses[j, 9], y - poses[j, 10], z - poses[j, 11])


@inner
def to_world(poses, j, x, y, z):
    """A point in the frame of solid j in the world."""
    return (
        poses[j, 0] * x + poses[j, 1] * y + poses[j, 2] * z + poses[j, 9],
        poses[j, 3] * x + poses[j, 4] * y + poses[j, 5] * z + poses[j, 10],
        poses[j, 6] * x + poses[j, 7] * y + poses[j, 8] * z + poses[j, 11],
    )


@inner
def from_cores(out, ca, cb, nx, ny, nz, d, ra, rb):
    """The result for cores whose nearest points are known: the radii move them along the normal."""
    write(
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
    if across > PARALLEL:
        s = clamp((b * f - e) / across, -h, h)
    else:
        low, high = max(-h, -e - k), min(h, -e + k)
        s = 0.5 * (low + high) if low <= high else (h if low > h else -h)
    t = b * s + f
    if t < -k or t > k:
        t = clamp(t, -k, k)
        s = clamp(b * t - e, -h, h)
    return s, t

"""The centre of mass for goals: c(q) = Σ mₖ·(Rₖcₖ + pₖ) / M, and how coordinates move it.

A term's first joints are those with a mass; four of its numbers belong to each: its centre times
its share of the whole mass (3), and that share.  A slot moves all masses on whose paths it lies as
one: with m their share and s the sum of their places times shares, c moves by a × (s − m·o) where
the slot turns about the axis a through o, and by m·a where it slides.
"""

from __future__ import annotations

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.layout import AXIS, F_SCALE, I_COORD, I_SLOT_IS_ROTATION, N_ROWS, N_SLOTS, WORLD
from limbik.goals.kernels.functions import own_joint
from limbik.goals.kernels.rows import point_of
from limbik.goals.kernels.second_points import add_point_moments
from limbik.jit import inner

MASS = 4  # numbers per joint with a mass, and floats per slot


def masses_of(figure: Figure, what: str) -> tuple[tuple[int, ...], np.ndarray]:
    """(indices of the joints that have a mass, MASS numbers for each)."""
    if not figure.mass > 0.0:
        name = figure.name or "the figure"
        raise GoalError(
            f"{what}: {name} has no masses; give it some: figure.with_masses({{joint: kg}})"
        )
    joints = tuple(np.flatnonzero(figure.masses > 0.0).tolist())
    return joints, (figure.mass_buffer.reshape(-1, MASS)[list(joints)] / figure.mass).ravel()


@inner
def mass_at(ints, floats, world, i, k, at):
    """(x, y, z, share): the place of the k-th mass times its share, and that share."""
    joint, _, _ = own_joint(ints, i, k)
    w, n = WORLD * joint, at + MASS * k
    x, y, z, m = floats[n], floats[n + 1], floats[n + 2], floats[n + 3]
    return (
        world[w] * x + world[w + 1] * y + world[w + 2] * z + m * world[w + 9],
        world[w + 3] * x + world[w + 4] * y + world[w + 5] * z + m * world[w + 10],
        world[w + 6] * x + world[w + 7] * y + world[w + 8] * z + m * world[w + 11],
        m,
    )


@inner
def point_after_masses(ints, floats, world, i, count, at, k):
    """(path offset, path length, x, y, z) of the k-th point of a term that has ``count`` masses.

    Its joint follows those of the masses, and its place in the joint's frame (3) the masses'
    numbers, which begin at floats[at].
    """
    joint, path, length = own_joint(ints, i, count + k)
    x, y, z = point_of(world, joint, floats, at + MASS * count + 3 * k)
    return path, length, x, y, z


@inner
def center_of(ints, floats, world, i, count, at):
    """(x, y, z) of the centre of ``count`` masses, whose numbers begin at floats[at]."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        px, py, pz, _ = mass_at(ints, floats, world, i, k, at)
        x, y, z = x + px, y + py, z + pz
    return x, y, z


@inner
def sum_masses(ints, floats, world, i, count, at, room):
    """What each slot moves of ``count`` masses, into MASS floats per slot from floats[room] on."""
    for k in range(room, room + MASS * ints[N_SLOTS]):
        floats[k] = 0.0
    for k in range(count):
        x, y, z, m = mass_at(ints, floats, world, i, k, at)
        _, path, length = own_joint(ints, i, k)
        for step in range(path, path + length):
            s = room + MASS * ints[step]
            floats[s] += x
            floats[s + 1] += y
            floats[s + 2] += z
            floats[s + 3] += m


@inner
def add_center_row(ints, floats, axes, room, lx, ly, lz, row, jt):
    """Add l·∂c/∂q to a row of jt, flat, from what ``sum_masses`` left in the room."""
    rows = ints[N_ROWS]
    for slot in range(ints[N_SLOTS]):
        s, a = room + MASS * slot, AXIS * slot
        m = floats[s + 3]
        if m == 0.0:
            continue
        scale = floats[ints[F_SCALE] + slot]
        ax, ay, az = axes[a] * scale, axes[a + 1] * scale, axes[a + 2] * scale
        if ints[ints[I_SLOT_IS_ROTATION] + slot]:
            dx = floats[s] - m * axes[a + 3]
            dy = floats[s + 1] - m * axes[a + 4]
            dz = floats[s + 2] - m * axes[a + 5]
            felt = lx * (ay * dz - az * dy) + ly * (az * dx - ax * dz) + lz * (ax * dy - ay * dx)
        else:
            felt = m * (lx * ax + ly * ay + lz * az)
        jt[ints[ints[I_COORD] + slot] * rows + row] += felt


@inner
def add_center_moments(ints, floats, world, axes, i, count, at, lx, ly, lz, moments, torques):
    """Moments and torques (slots, 3) of the centre of ``count`` masses with multiplier l."""
    for k in range(count):
        x, y, z, m = mass_at(ints, floats, world, i, k, at)
        _, path, length = own_joint(ints, i, k)
        add_point_moments(
            ints, floats, axes, path, length, x / m, y / m, z / m, m * lx, m * ly, m * lz,
            moments, torques,
        )  # fmt: skip

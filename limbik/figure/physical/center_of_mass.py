"""The centre of mass of a pose and its Jacobian, on flat buffers.

c(q) = Σ mᵢ·(Rᵢcᵢ + pᵢ) / M.  A coordinate moves all that hangs on its joint as one: with m the mass
below and s its centre, the column is m/M · a × (s − o) where it turns and m/M · a where it slides.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.kinematics import forward
from limbik.figure.layout import (
    AXIS,
    EXPONENTIAL,
    F_SCALE,
    I_COORD,
    I_FIRST_PART,
    I_FIRST_SLOT,
    I_KIND,
    I_ORDER,
    I_PARENT,
    I_SLOT_IS_ROTATION,
    N_JOINTS,
    N_SLOTS,
    NONE,
    WORLD,
)
from limbik.jit import kernel

SUBTREE = 4  # floats per joint: mass times centre (3), then the mass, of all that hangs on it


@kernel
def center_of_mass(ints, masses, world, subtree, out):
    """The centre of mass into ``out`` (3,), and what hangs on each joint into ``subtree``.

    masses: (joints · 4) mass times its centre in the joint's frame, then the mass
    world:  (joints · WORLD) of ``forward``
    """
    count = ints[N_JOINTS]
    for joint in range(count):
        k, w = SUBTREE * joint, WORLD * joint
        x, y, z, m = masses[k], masses[k + 1], masses[k + 2], masses[k + 3]
        subtree[k] = world[w] * x + world[w + 1] * y + world[w + 2] * z + m * world[w + 9]
        subtree[k + 1] = world[w + 3] * x + world[w + 4] * y + world[w + 5] * z + m * world[w + 10]
        subtree[k + 2] = world[w + 6] * x + world[w + 7] * y + world[w + 8] * z + m * world[w + 11]
        subtree[k + 3] = m
    total = 0.0
    out[0], out[1], out[2] = 0.0, 0.0, 0.0
    for back in range(count):
        joint = count - 1 - back  # children before parents
        parent = ints[ints[I_PARENT] + joint]
        k = SUBTREE * joint
        if parent == NONE:
            out[0] += subtree[k]
            out[1] += subtree[k + 1]
            out[2] += subtree[k + 2]
            total += subtree[k + 3]
        else:
            above = SUBTREE * parent
            for i in range(SUBTREE):
                subtree[above + i] += subtree[k + i]
    out[0] /= total
    out[1] /= total
    out[2] /= total


@kernel
def center_of_mass_jacobian(ints, floats, axes, subtree, total, out):
    """∂c/∂q added into ``out`` (3, n), from the ``axes`` of ``forward`` and the ``subtree`` of
    ``center_of_mass``; ``total`` is the whole mass."""
    for joint in range(ints[N_JOINTS]):
        t = SUBTREE * joint
        m = subtree[t + 3]
        if m == 0.0:
            continue
        first = ints[I_FIRST_PART] + joint
        for part in range(ints[first], ints[first + 1]):
            slots = 3 if ints[ints[I_KIND] + part] >= EXPONENTIAL else 1
            start = ints[ints[I_FIRST_SLOT] + part]
            for slot in range(start, start + slots):
                coordinate = ints[ints[I_COORD] + slot]
                scale = floats[ints[F_SCALE] + slot] / total
                k = AXIS * slot
                ax, ay, az = axes[k], axes[k + 1], axes[k + 2]
                if ints[ints[I_SLOT_IS_ROTATION] + slot]:
                    dx = subtree[t] - m * axes[k + 3]
                    dy = subtree[t + 1] - m * axes[k + 4]
                    dz = subtree[t + 2] - m * axes[k + 5]
                    out[0, coordinate] += scale * (ay * dz - az * dy)
                    out[1, coordinate] += scale * (az * dx - ax * dz)
                    out[2, coordinate] += scale * (ax * dy - ay * dx)
                else:
                    out[0, coordinate] += scale * m * ax
                    out[1, coordinate] += scale * m * ay
                    out[2, coordinate] += scale * m * az


@kernel
def com_many(ints, floats, masses, poses, out, jacobian):
    """Centres of mass of poses (frames, n) into ``out`` (frames, 3), and their Jacobians into
    ``jacobian`` (frames, 3, n), which may have no frames where they are not wanted."""
    count = ints[N_JOINTS]
    world = np.empty(count * WORLD)
    axes = np.empty(max(1, ints[N_SLOTS]) * AXIS)
    subtree = np.empty(count * SUBTREE)
    scratch = np.empty(54)
    total = 0.0
    for joint in range(count):
        total += masses[SUBTREE * joint + 3]
    jacobian[:] = 0.0
    for frame in range(poses.shape[0]):
        forward(ints, floats, poses[frame], ints[I_ORDER], count, world, axes, scratch)
        center_of_mass(ints, masses, world, subtree, out[frame])
        if frame < jacobian.shape[0]:
            center_of_mass_jacobian(ints, floats, axes, subtree, total, jacobian[frame])

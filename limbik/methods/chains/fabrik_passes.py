"""The passes of FABRIK over a problem's chain view: targets inwards, then root outwards."""

from __future__ import annotations

import math

from limbik.figure.layout import AXIS, I_COORD, I_IN_CONE, I_USED, N_USED, NONE, WORLD
from limbik.jit import kernel
from limbik.methods.chains.chain_view import (
    ALONE,
    P_AIM,
    P_AIMS,
    P_CENTRE,
    P_COUNT,
    P_FIRST,
    P_JOINT,
    P_PARENT,
    P_STEP,
    P_STEPS,
    S_COUNT,
    S_FIRST,
    S_KIND,
    S_SLOT,
    SLIDE,
)
from limbik.methods.chains.effector_points import take_marks
from limbik.methods.chains.joint_steps import place_joint, take_step

_PASSES = 4  # over the parts of a joint that has several


@kernel
def take_bones(ints, floats, chain, world, axes, marks, local):
    """Marks of the pivots, then of the terms, as q has them, and the aims in their joints' frames.

    A pivot weighs as much as all that hangs below it.  An axis of less weight than the heaviest one
    is pulled that much less far; one of no weight leaves the effector where it is.
    """
    pivots = len(chain.pivots)
    take_marks(ints, floats, world, pivots, marks)
    for t in range(pivots, len(marks)):
        m = marks[t]
        weight = max(m[6], m[7], m[8])
        for k in range(3):
            if m[6 + k] != weight:
                m[3 + k] = m[k] + m[6 + k] / weight * (m[3 + k] - m[k])
            m[6 + k] = weight
    for j in range(pivots - 1, -1, -1):
        pivot = chain.pivots[j]
        m, x = marks[j], AXIS * int(pivot[P_CENTRE])
        for k in range(3):
            m[k], m[6 + k] = axes[x + 3 + k], 0.0
        for b in range(int(pivot[P_FIRST]), int(pivot[P_FIRST] + pivot[P_COUNT])):
            end = int(chain.bones[b])
            for k in range(3):
                m[6 + k] += marks[end, 6 + k]
    for j in range(pivots):
        pivot = chain.pivots[j]
        w = WORLD * int(pivot[P_JOINT])
        for a in range(int(pivot[P_AIM]), int(pivot[P_AIM] + pivot[P_AIMS])):
            m = marks[int(chain.aims[a])]
            dx, dy, dz = m[0] - world[w + 9], m[1] - world[w + 10], m[2] - world[w + 11]
            for k in range(3):
                local[a, k] = world[w + k] * dx + world[w + 3 + k] * dy + world[w + 6 + k] * dz


@kernel
def reach_inwards(chain, marks):
    """The first half: from the targets inwards, where each pivot would have to be.

    Every bone proposes a place for its pivot, its length away from the end's goal towards where the
    pivot is; a pivot with several bones takes the weighted mean (the sub-base's centroid).
    """
    for j in range(len(chain.pivots) - 1, -1, -1):
        pivot, m = chain.pivots[j], marks[j]
        x, y, z, total = 0.0, 0.0, 0.0, 0.0
        for b in range(int(pivot[P_FIRST]), int(pivot[P_FIRST] + pivot[P_COUNT])):
            e = marks[int(chain.bones[b])]
            length = math.sqrt((e[0] - m[0]) ** 2 + (e[1] - m[1]) ** 2 + (e[2] - m[2]) ** 2)
            dx, dy, dz = m[0] - e[3], m[1] - e[4], m[2] - e[5]
            away = math.sqrt(dx * dx + dy * dy + dz * dz)
            if away == 0.0:
                # The goal is where the pivot is: leave the way the bone points now.
                dx, dy, dz, away = m[0] - e[0], m[1] - e[1], m[2] - e[2], length
            scale = length / away if away > 0.0 else 0.0
            x += e[6] * (e[3] + scale * dx)
            y += e[6] * (e[4] + scale * dy)
            z += e[6] * (e[5] + scale * dz)
            total += e[6]
        if total > 0.0:
            m[3], m[4], m[5] = x / total, y / total, z / total
        else:
            m[3], m[4], m[5] = m[0], m[1], m[2]


@kernel
def reach_outwards(ints, floats, chain, q, world, axes, marks, local, scratch):
    """The second half: from the root outwards, turn each pivot so that its bones lead to the goals.

    The root stays where its joint holds it; one that slides freely goes along.  Every joint is
    turned by its own coordinates within its limits, so that q is a pose that is allowed.
    """
    j = 0
    for u in range(ints[N_USED]):
        joint = int(ints[ints[I_USED] + u])
        place_joint(ints, floats, q, joint, world, axes, scratch)
        if j == len(chain.pivots) or chain.pivots[j, P_JOINT] != joint:
            continue
        pivot, w = chain.pivots[j], WORLD * joint
        j += 1
        first, last = int(pivot[P_STEP]), int(pivot[P_STEP] + pivot[P_STEPS])
        aim = int(pivot[P_AIM])
        aims = chain.aims[aim : aim + int(pivot[P_AIMS])]
        for i in range(len(aims)):
            m, at_rest = marks[int(aims[i])], local[aim + i]
            x, y, z = at_rest[0], at_rest[1], at_rest[2]
            for k in range(3):
                at = w + 3 * k
                m[k] = world[w + 9 + k] + world[at] * x + world[at + 1] * y + world[at + 2] * z
        for _ in range(_PASSES if last - first > 1 else 1):
            for s in range(first, last):
                step = chain.steps[s]
                c = ints[ints[I_COORD] + int(step[S_SLOT])]
                if step[S_KIND] == ALONE and ints[ints[I_IN_CONE] + c] != NONE:
                    continue  # a ball that other joints follow is held as it is
                take_step(ints, floats, step, q, world, axes, marks, aims, scratch)
            place_joint(ints, floats, q, joint, world, axes, scratch)


@kernel
def carry_root(ints, floats, chain, q, world, axes, marks, scratch):
    """Move a root that slides so that the effectors, the figure as stiff as it stands, lie best.

    Bones pull a root after them a little at a time, as a rope would; this brings it there at once.
    True if there is such a root; nothing but the root is placed then.
    """
    pivots = len(chain.pivots)
    found = False
    for j in range(pivots):
        pivot = chain.pivots[j]
        first, last = int(pivot[P_STEP]), int(pivot[P_STEP] + pivot[P_STEPS])
        if pivot[P_PARENT] >= 0.0 or chain.steps[last - 1, S_KIND] != SLIDE:
            continue
        found = True
        joint = int(pivot[P_JOINT])
        take_marks(ints, floats, world, 0, marks)
        for _ in range(_PASSES):
            for s in range(first, last):
                step = chain.steps[s]
                below = chain.below[int(step[S_FIRST]) : int(step[S_FIRST] + step[S_COUNT])]
                take_step(ints, floats, step, q, world, axes, marks, below, scratch)
            place_joint(ints, floats, q, joint, world, axes, scratch)
    return found

"""Targets of a Reach written in one compiled call, for loops that move them every millisecond."""

from __future__ import annotations

import numpy as np

from limbik.goals import Reach
from limbik.goals.terms import LARGEST
from limbik.jit import kernel
from limbik.maths.quaternions import matrix_from_quat
from limbik.solver.problem import Problem
from limbik.solver.targets.target_slots import target_writes


def reach_offsets(problem: Problem, label: str) -> tuple[int, int]:
    """Where a Reach has its position (3) and its rotation matrix (9) in the floats; −1: nowhere."""
    number = problem.number_of(label)
    goal = problem.goals[number]
    found = [-1, -1]
    if isinstance(goal, Reach):
        for k, (name, value) in enumerate((("position", np.zeros(3)), ("wxyz", np.eye(4)[0]))):
            if getattr(goal, name) is not None:
                ((found[k], _),) = target_writes(problem, number, {name: value[None]})
    return found[0], found[1]


@kernel
def write_reach(floats, place, turn_place, position, wxyz):
    """Write a position (3,) and a turn wxyz (4,), each empty where there is none.

    place and turn_place are those of ``reach_offsets``.  False where one of them is no target, or
    has no place; then nothing is written.
    """
    points, turns = len(position), len(wxyz)
    if points + turns == 0 or (points > 0 and place < 0) or (turns > 0 and turn_place < 0):
        return False
    square = 0.0
    for k in range(points):
        if not abs(position[k]) <= LARGEST:
            return False
    for k in range(turns):
        square += wxyz[k] * wxyz[k]
    if turns > 0:
        if not 1e-24 <= square <= LARGEST:
            return False
        matrix_from_quat(wxyz[0], wxyz[1], wxyz[2], wxyz[3], floats[turn_place : turn_place + 9])
    for k in range(points):
        floats[place + k] = position[k]
    return True

"""Same arguments, same bits: whatever memory holds, wherever arrays lie, in whichever process."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import limbik
from limbik.methods import METHODS
from limbik.methods.base import OUT
from limbik.solver.problem import Problem

ARM = limbik.figures.arm()
PLACE = ARM.positions(ARM.project(np.full(7, 0.7)), "Tool")

ANSWERS = """
import hashlib
import limbik, numpy as np
human, arm = limbik.figures.human(), limbik.figures.arm()
goals = [limbik.Reach("LeftHand", position=[0.5, 1.2, 0.4]), limbik.Pin("LeftFoot"),
         limbik.Reach("RightHand", position=[-0.9, 0.9, 0.9]), limbik.Rest()]
places = arm.positions(arm.project(np.random.default_rng(3).uniform(-2, 2, (20, 7))), "Tool")
answers = [limbik.solve(human, goals, seed=2).q]
answers += [limbik.solve_many(arm, limbik.Reach("Tool", position=places), threads=THREADS).q]
print(hashlib.sha256(b"".join(answer.tobytes() for answer in answers)).hexdigest())
"""


def at_offset(array: np.ndarray, shift: int, fill: float = 0.0) -> np.ndarray:
    """A copy of an array that begins ``shift`` entries behind a boundary of 64 bytes."""
    room = np.full(array.size + 32, fill, array.dtype)
    first = -(room.ctypes.data // room.itemsize) % 16 + shift
    view = room[first : first + array.size].reshape(array.shape)
    view[...] = array
    return view


@pytest.mark.parametrize("name", METHODS)
def test_neither_alignment_nor_what_memory_held_changes_a_bit(name: str) -> None:
    problem = Problem(ARM, [limbik.Reach("Tool", position=PLACE)])
    method = METHODS[name](iterations=12)
    options = method.options(problem)
    size = len(problem.state) + method.workspace(problem)
    found = set()
    for shift, fill in ((0, 0.0), (1, np.nan), (2, 1e9), (3, -1.0), (5, np.nan), (7, 0.5)):
        q = at_offset(ARM.rest, 7 - shift)
        out, history = np.zeros(OUT), np.zeros((16, 8))
        code = type(method).kernel(
            at_offset(problem.ints, shift), at_offset(problem.floats, shift),
            at_offset(np.full(size, fill), shift), at_offset(options, shift), q, out, history,
        )  # fmt: skip
        found.add((code, q.tobytes(), out.tobytes(), history.tobytes()))
    assert len(found) == 1


def test_every_process_and_number_of_threads_gives_the_same_bits() -> None:
    seen = set()
    for threads, seed in ((1, "1"), (2, "7")):
        run = subprocess.run(
            [sys.executable, "-c", ANSWERS.replace("THREADS", str(threads))],
            env=os.environ | {"PYTHONHASHSEED": seed, "MALLOC_PERTURB_": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(run.stdout.strip())
    assert len(seen) == 1
    assert len(seen.pop()) == 64

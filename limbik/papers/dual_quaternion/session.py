"""A hand whose fingertips follow targets of six coordinates, one call of a method a frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.figure.figure import Figure
from limbik.figures import FINGERTIPS
from limbik.goals import Reach
from limbik.maths.so3 import matrix_to_quat
from limbik.methods.base import OUT, OUT_F, OUT_HISTORY, OUT_ITERATIONS, REACHED, Method
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.methods.workspace import gradient_size
from limbik.papers.dual_quaternion.hands import tips
from limbik.papers.machine import thread_clock
from limbik.solver.objective import state_size
from limbik.solver.problem import Problem

TOLERANCE = (1e-3, float(np.radians(1.0)))
"""Metres and radians: what passes for reached on a screen."""

TIGHT = (1e-6, 1e-5)


@dataclass(frozen=True)
class Frame:
    """How one solve ended."""

    q: np.ndarray
    reached: bool
    iterations: int
    sweeps: int
    """Gauss–Seidel sweeps in all; 0 for other methods."""
    f: float
    seconds: float
    """That the thread computed for."""
    path: np.ndarray
    """(iterations + 1, 1 + n) f and q of every iterate, where they were asked for."""


class Session:
    """A figure, a method and targets that change; nothing is restarted."""

    def __init__(
        self,
        figure: Figure,
        method: Method,
        *,
        tolerance: tuple[float, float] = TOLERANCE,
        iterations: int | None = None,
    ) -> None:
        self.figure, self.method = figure, method
        wxyz = [1.0, 0.0, 0.0, 0.0]
        goals = [
            Reach(joint, position=[0.0, 0.0, 0.0], wxyz=wxyz, at=at)
            for joint, at in FINGERTIPS.values()
        ]
        self.problem = problem = Problem(figure, goals, tolerance=tolerance)
        self.options = method.options(problem, iterations=iterations)
        self.work = np.empty(int(state_size(problem.ints)) + method.workspace(problem))
        self._sweeps = int(state_size(problem.ints)) + gradient_size(problem)

    def aim(self, places: np.ndarray, turns: np.ndarray) -> None:
        """Targets: places (5, 3) and rotation matrices (5, 3, 3)."""
        for finger, (place, turn) in enumerate(zip(places, turns, strict=True)):
            self.problem.set_target(finger, position=place, wxyz=matrix_to_quat(turn))

    def aim_at(self, pose: np.ndarray) -> None:
        """Targets where a pose of the figure has its fingertips."""
        self.aim(*tips(self.figure, pose))

    def solve(self, start: np.ndarray, *, noted: int = 0) -> Frame:
        """One frame from a pose inside the limits; ``noted`` iterates are kept."""
        q, out = np.array(start, float), np.zeros(OUT)
        path = np.empty((noted, len(q) + 1))
        ints, floats = self.problem.ints, self.problem.floats
        clock = thread_clock()
        began = clock()
        code = type(self.method).kernel(ints, floats, self.work, self.options, q, out, path)
        seconds = clock() - began
        counted = isinstance(self.method, ProjectedGaussSeidel)
        return Frame(
            q=q,
            reached=code == REACHED,
            iterations=int(out[OUT_ITERATIONS]),
            sweeps=int(self.work[self._sweeps]) if counted else 0,
            f=float(out[OUT_F]),
            seconds=seconds,
            path=path[: int(out[OUT_HISTORY])],
        )

    def warm_up(self) -> None:
        """Compile and run once, so that no measured time has it in it."""
        self.aim_at(self.figure.rest)
        self.solve(self.figure.rest)

    def follow(self, poses: np.ndarray, start: np.ndarray) -> list[Frame]:
        """Targets from poses (frames, n), each frame from where the last one ended."""
        frames, q = [], np.array(start, float)
        for places, turns in zip(*tips(self.figure, poses), strict=True):
            self.aim(places, turns)
            frames.append(self.solve(q))
            q = frames[-1].q
        return frames

    @property
    def memory(self) -> int:
        """Bytes of workspace that the method itself needs."""
        return 8 * self.method.workspace(self.problem)

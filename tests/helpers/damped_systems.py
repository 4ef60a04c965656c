"""Equations 28 to 30 of dual_quaternion twice: as the kernels set them up, and with NumPy."""

from __future__ import annotations

import numpy as np

import limbik
from limbik import Problem, Reach, Rest
from limbik.methods.gauss_seidel.schedule import schedule
from limbik.methods.gauss_seidel.sweeps import System, fill_system, relax, system_size, view_system


def system_of(problem: Problem, q: np.ndarray, damping: float) -> System:
    """Equations 28 to 30, as the kernel sets them up."""
    system, _ = view_system(problem.ints, np.zeros(system_size(problem)))
    jt = np.ascontiguousarray(problem.jacobian(q).T)
    fill_system(problem.ints, problem.floats, q, jt, problem.residual(q), damping, system)
    system.x[:], system.y[:] = 0.0, q
    return system


def by_hand(problem: Problem, q: np.ndarray, damping: float) -> tuple[np.ndarray, np.ndarray]:
    """The same with NumPy."""
    jacobian = problem.jacobian(q)
    a, b = jacobian.T @ jacobian, jacobian.T @ problem.residual(q)
    for goal in problem.goals:
        if isinstance(goal, Rest):
            weight, pose = goal.diagonal(problem.scene)
            a, b = a + np.diag(weight * problem.moves), b + weight * problem.moves * (pose - q)
    metric = np.where(problem.figure.slides, problem.scene.lever**2, 1.0)
    felt = np.diag(a) > 0.0
    scale = (np.diag(a) * metric)[felt].mean() if felt.any() else 0.0
    return a + np.diag(felt * damping * scale / metric), b


def run(problem: Problem, system: System, sweep: str, sweeps: int, *rules: float) -> int:
    q = system.y - system.x
    residual, change, same = rules or (0.0, -1.0, -1.0)
    return relax(
        problem.ints, problem.floats, q, system, schedule(problem, sweep), sweeps, residual, change,
        same, np.empty(64),
    )  # fmt: skip


def hand_problem(far: float = 0.2) -> tuple[Problem, np.ndarray]:
    figure = limbik.figures.hand()
    frames = figure.frames(figure.project(figure.rest + far))
    goals = []
    for joint, at in limbik.figures.FINGERTIPS.values():
        frame = frames[figure.index(joint)]
        goals.append(Reach(joint, position=frame[:3, :3] @ np.array(at) + frame[:3, 3], at=at))
    return Problem(figure, goals), np.array(figure.rest)

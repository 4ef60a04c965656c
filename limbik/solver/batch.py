"""solve_many: problems by the thousand that differ in their targets."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from limbik.equality import ByValue
from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.methods import Method
from limbik.methods.base import OUT_EVALUATIONS, OUT_F, OUT_ITERATIONS, REACHED
from limbik.solver.batch_runs import run_batch, statuses
from limbik.solver.ordered import OrderedRunner, runner_of
from limbik.solver.problem_arguments import checked_figure
from limbik.solver.restarts import TOTAL_ATTEMPTS
from limbik.solver.runner import Runner, find_method
from limbik.solver.targets.tables import Goals, batch_problem


@dataclass(frozen=True, eq=False, repr=False)
class Results(ByValue):
    """The answers of ``solve_many``, one entry per problem.

    q:           (problems, n) the poses, inside the limits
    ok:          (problems,) True where every goal is within its tolerance
    status:      (problems,) each one's Status
    objective:   (problems,) f at the answer, the weighted squared errors
    iterations:  (problems,) iterations of all attempts
    evaluations: (problems,) how often f was evaluated
    attempts:    (problems,) 1, and one more for each restart
    seconds:     time of the whole call; two Results are equal whatever it was
    """

    q: np.ndarray
    ok: np.ndarray
    status: np.ndarray
    objective: np.ndarray
    iterations: np.ndarray
    evaluations: np.ndarray
    attempts: np.ndarray
    seconds: float = field(compare=False)

    def __repr__(self) -> str:
        return f"<Results: {int(np.sum(self.ok))} of {len(self.ok)} problems reached>"


def solve_many(
    figure: Figure,
    goals: Goals | None = None,
    *,
    effectors: Goals | None = None,
    positions: np.ndarray | None = None,
    wxyz: np.ndarray | None = None,
    starts: np.ndarray | None = None,
    method: str | Method | None = None,
    tolerance: float | tuple[float, float] | None = None,
    restarts: int | None = None,
    seed: int = 0,
    threads: int = 1,
    lock: Iterable[str] = (),
    loops: bool = True,
) -> Results:
    """Solve many problems that differ in their targets, in one compiled call.

    Args:
        figure: the figure to pose.
        goals: those of ``solve``, with an array where a target differs by problem:
            ``Reach("LeftHand", position=P)`` with P (problems, 3), ``Rest(pose=Q)`` with Q
            (problems, n), ``Distance("LeftHand", "RightHand", D)`` with D (problems,).  A Pin stays
            where the rest pose has its joint.  Shorter for positions alone: names of joints, whose
            targets are given beside them.
        effectors: another name of ``goals``.
        positions: (problems, joints, 3) positions of the named joints.
        wxyz: (problems, joints, 4) orientations of the named joints.
        starts: (problems, n) or (n,) where to start, the rest pose unless given.
        method: as in ``solve``.
        tolerance: as in ``solve``.
        restarts: as in ``solve``.
        seed: as in ``solve``; each problem has random numbers of its own.
        threads: shares the problems out; the answers are the same to the bit for any number.
        lock: names of joints that keep their start values.
        loops: close the figure's loops, as in ``solve``.

    Returns:
        One entry per problem.

    Raises:
        GoalError: goals or targets cannot be asked, or are not equally many.
        FigureError: ``starts`` are no poses of this figure.
        MethodError: the method cannot be used.

    Example:
        >>> import numpy as np, limbik
        >>> arm = limbik.figures.arm()
        >>> there = arm.positions(arm.project(np.random.default_rng(0).normal(size=(5, 7))), "Tool")
        >>> goals = [limbik.Reach("Tool", position=there), limbik.Rest(1e-9)]
        >>> limbik.solve_many(arm, goals).ok.all()
        np.True_
        >>> limbik.solve_many(arm, ["Tool"], positions=there[:, None]).ok.all()
        np.True_
    """
    began = time.perf_counter()
    figure = checked_figure(figure)
    begin = figure.rest if starts is None else figure.pose(starts, "starts")
    targets, target_offsets, problem = batch_problem(
        figure, effectors if goals is None else goals, positions, wxyz, tolerance=tolerance,
        lock=lock, loops=loops,
        count=len(begin) if begin.ndim == 2 else 1,
    )  # fmt: skip
    count = len(targets)
    if begin.ndim == 2 and len(begin) != count:
        raise FigureError(f"starts: {len(begin)} poses for {count} problems")
    begin = np.array(np.broadcast_to(begin, (count, figure.n)), order="C")
    runner = runner_of(problem, find_method(method), near=False, restarts=restarts)
    poses, codes, totals = run_batch(
        runner, target_offsets, targets, begin, seed=seed, threads=threads
    )
    return Results(
        q=poses,
        ok=codes == REACHED,
        status=statuses(problem, target_offsets, targets, codes, poses),
        objective=_objectives(runner, target_offsets, targets, poses, totals),
        iterations=totals[:, OUT_ITERATIONS].astype(int),
        evaluations=totals[:, OUT_EVALUATIONS].astype(int),
        attempts=totals[:, TOTAL_ATTEMPTS].astype(int),
        seconds=time.perf_counter() - began,
    )


def _objectives(
    runner: Runner,
    target_offsets: np.ndarray,
    targets: np.ndarray,
    poses: np.ndarray,
    totals: np.ndarray,
) -> np.ndarray:
    """(problems,) f over all goals; a level's own f is not that."""
    if not isinstance(runner, OrderedRunner):
        return totals[:, OUT_F].copy()
    out = np.empty(len(poses))
    for k, q in enumerate(poses):
        runner.problem.floats[target_offsets] = targets[k]
        out[k] = runner.problem.objective(q)
    return out

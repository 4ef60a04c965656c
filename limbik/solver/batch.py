"""solve_many: problems by the thousand that differ in their targets, and chains of them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from limbik.equality import ByValue
from limbik.errors import FigureError, MethodError
from limbik.figure.figure import Figure
from limbik.jit import kernel
from limbik.maths.linear import copy
from limbik.methods import Method
from limbik.methods.base import OUT_EVALUATIONS, OUT_F, OUT_ITERATIONS, REACHED
from limbik.solver import restarts as att
from limbik.solver.compiled_frames import entry
from limbik.solver.explanation.explain import status_of
from limbik.solver.objective import errors_of, evaluate, state_size
from limbik.solver.ordered import OrderedRunner, runner_of
from limbik.solver.problem import Problem
from limbik.solver.problem_arguments import checked_figure
from limbik.solver.result import Status
from limbik.solver.runner import Runner, find_method, whole_number
from limbik.solver.targets.tables import Goals, batch_problem

_SEED_STEP = 0xD1342543DE82EF95  # between the random numbers of two problems
_REPORT = 0.1  # seconds between two reports of progress, more or less


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
        attempts=totals[:, att.TOTAL_ATTEMPTS].astype(int),
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


def run_batch(
    runner: Runner,
    target_offsets: np.ndarray,
    targets: np.ndarray,
    starts: np.ndarray,
    *,
    seed: int,
    threads: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(poses, exit codes, totals) of independent problems, shared out over threads."""
    if whole_number(threads, "threads") < 1:
        raise MethodError(f"threads must be at least 1, got {threads}")
    kind = OrderedBatch if isinstance(runner, OrderedRunner) else Batch
    batch = kind(runner, target_offsets, targets, seed)

    def part(span: tuple[int, int]) -> None:
        low, high = span
        batch.part(low, high, starts[low:high], chain=False)

    if threads == 1:
        part((0, len(targets)))
    else:
        edges = np.linspace(0, len(targets), 4 * threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, itertools.pairwise(edges)))
    return batch.poses, batch.codes, batch.totals


def run_chain(
    runner: Runner,
    target_offsets: np.ndarray,
    targets: np.ndarray,
    start: np.ndarray,
    *,
    seed: int,
    progress: Callable[[int], object] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(poses, exit codes, totals) of problems that each start from the answer before.

    One compiled call; with ``progress``, which is told how many are done, one call a block, with
    the same answers.
    """
    kind = OrderedBatch if isinstance(runner, OrderedRunner) else Batch
    batch = kind(runner, target_offsets, targets, seed)
    low, block = 0, 1 if progress is not None else max(1, len(targets))
    while low < len(targets):
        began = time.perf_counter()
        high = min(low + block, len(targets))
        batch.part(low, high, batch.before(low, start), chain=True)
        low = high
        if progress is not None:
            progress(high)
            elapsed = max(time.perf_counter() - began, 1e-6)
            block = max(1, min(4 * block, int(block * _REPORT / elapsed)))
    return batch.poses, batch.codes, batch.totals


class Batch:
    """Problems that differ in their targets, and room for their answers."""

    def __init__(
        self, runner: Runner, target_offsets: np.ndarray, targets: np.ndarray, seed: int
    ) -> None:
        self._runner, self._target_offsets, self._targets = runner, target_offsets, targets
        self._seed = whole_number(seed, "seed") % 2**62
        self._frame, self._kernel = entry(att.batch, type(runner.method).kernel)
        count = len(targets)
        self.poses = np.empty((count, runner.problem.figure.n))
        self.codes, self.totals = np.empty(count, np.int64), np.empty((count, att.TOTALS))

    def before(self, low: int, start: np.ndarray) -> np.ndarray:
        """(1 or 2, n) what a chain needs to go on at problem ``low``: the last answer, or the last
        two where the last one came without a restart."""
        calm = low > 1 and self.totals[low - 1, att.TOTAL_ATTEMPTS] == 1.0
        return start[None].copy() if low == 0 else self.poses[low - (2 if calm else 1) : low].copy()

    def held(self, low: int) -> int:
        """How many problems right before ``low`` ended short."""
        reached = np.flatnonzero(self.codes[:low] == REACHED)
        return low - (int(reached[-1]) + 1 if len(reached) else 0)

    def part(self, low: int, high: int, starts: np.ndarray, *, chain: bool) -> None:
        """Solve problems low … high − 1; any thread may do any part."""
        runner, own = self._runner, slice(low, high)
        if low < high:
            self._frame(
                self._kernel, runner.problem.ints, runner.problem.floats.copy(),
                runner.workspace(), runner.draft_options, runner.final_options, runner.restart_plan,
                np.concatenate([runner.mid_pose, runner.ease]), runner.spread, self._target_offsets,
                self._targets[own], starts, chain, self.held(low), self._seed, low,
                self.poses[own], self.codes[own], self.totals[own],
            )  # fmt: skip
            runner.problem.raise_failure()


class OrderedBatch(Batch):
    """The same for goals of several priorities, problem by problem."""

    def part(self, low: int, high: int, starts: np.ndarray, *, chain: bool) -> None:
        if low >= high:
            return
        assert isinstance(self._runner, OrderedRunner)
        runner = self._runner.again()
        q, before = starts[-1].copy(), starts[0].copy()
        moving = chain and len(starts) == 2
        for k in range(low, high):
            runner.problem.floats[self._target_offsets] = self._targets[k]
            if not chain:
                q = starts[k - low].copy()
            elif k > 0:
                last, pull = q.copy(), float(runner.restart_plan[att.P_PULL])
                q = att.carried_on(last, before, runner.ease, runner.spread, pull, moving)
                before, moving = last, True
            seed = (self._seed + k * _SEED_STEP) % 2**62
            self.codes[k], self.totals[k] = runner.run(q, seed)
            self.poses[k] = q
            moving = moving and self.totals[k, att.TOTAL_ATTEMPTS] == 1.0


def statuses(
    problem: Problem,
    target_offsets: np.ndarray,
    targets: np.ndarray,
    codes: np.ndarray,
    poses: np.ndarray,
) -> np.ndarray:
    """(problems,) Status of each; only those that fell short are looked at closely."""
    out = np.empty(len(codes), dtype=object)
    out[:] = [Status.REACHED] * len(codes)
    for k in np.nonzero(codes != REACHED)[0]:
        problem.floats[target_offsets] = targets[k]
        out[k] = status_of(problem, int(codes[k]), poses[k], brief=True)[0]
    return out


_evaluate = evaluate.kernel  # poses may be read-only here


@kernel
def _errors(ints, floats, target_offsets, targets, poses, state, r, out):
    for k in range(len(poses)):
        for i in range(len(target_offsets)):
            floats[target_offsets[i]] = targets[k, i]
        _evaluate(ints, floats, poses[k], state, r)
        copy(errors_of(ints, state), out.shape[1], out[k])


def term_errors(
    problem: Problem, target_offsets: np.ndarray, targets: np.ndarray, poses: np.ndarray
) -> np.ndarray:
    """(problems, terms) the unweighted error of every term at each problem's pose."""
    out = np.empty((len(poses), len(problem.terms)))
    _errors(
        problem.ints, problem.floats.copy(), target_offsets, targets, poses,
        np.empty(int(state_size(problem.ints))), np.empty(problem.rows), out,
    )  # fmt: skip
    problem.raise_failure()
    return out

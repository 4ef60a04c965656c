"""Problems that differ in their targets, run one after the other: independent ones and chains."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from limbik.errors import MethodError
from limbik.jit import kernel
from limbik.maths.linear import copy
from limbik.methods.base import REACHED
from limbik.solver import frames
from limbik.solver.compiled_frames import entry
from limbik.solver.explanation.explain import status_of
from limbik.solver.objective import errors_of, evaluate, state_size
from limbik.solver.ordered import OrderedRunner
from limbik.solver.problem import Problem
from limbik.solver.restarts import P_PULL, TOTAL_ATTEMPTS, TOTALS
from limbik.solver.result import Status
from limbik.solver.runner import Runner, whole_number

_SEED_STEP = 0xD1342543DE82EF95  # between the random numbers of two problems
_REPORT = 0.1  # seconds between two reports of progress, more or less


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
        self._frame, self._kernel = entry(frames.batch, type(runner.method).kernel)
        count = len(targets)
        self.poses = np.empty((count, runner.problem.figure.n))
        self.codes, self.totals = np.empty(count, np.int64), np.empty((count, TOTALS))

    def before(self, low: int, start: np.ndarray) -> np.ndarray:
        """(1 or 2, n) what a chain needs to go on at problem ``low``: the last answer, or the last
        two where the last one came without a restart."""
        calm = low > 1 and self.totals[low - 1, TOTAL_ATTEMPTS] == 1.0
        return start[None].copy() if low == 0 else self.poses[low - (2 if calm else 1) : low].copy()

    def short_before(self, low: int) -> int:
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
                self._targets[own], starts, chain, self.short_before(low), self._seed, low,
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
                last, pull = q.copy(), float(runner.restart_plan[P_PULL])
                q = frames.carried_on(last, before, runner.ease, runner.spread, pull, moving)
                before, moving = last, True
            seed = (self._seed + k * _SEED_STEP) % 2**62
            self.codes[k], self.totals[k] = runner.run(q, seed)
            self.poses[k] = q
            moving = moving and self.totals[k, TOTAL_ATTEMPTS] == 1.0


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
    """out (problems, terms): the errors at poses (problems, n), each with its row of
    ``targets``."""
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

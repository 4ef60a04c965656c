"""A method follows a drill: every frame starts exactly at the answer before, with no second try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from limbik.animate.track import Track, track
from limbik.figure.figure import Figure
from limbik.methods import Method
from limbik.methods.base import OUT, OUT_HISTORY, OUT_ITERATIONS
from limbik.papers.line_search.subject import BODY, TIGHT, Chain, Drill, Subject
from limbik.papers.machine import thread_clock
from limbik.solver import frames
from limbik.solver.batch_runs import Batch
from limbik.solver.compiled_frames import compiled
from limbik.solver.problem import Problem
from limbik.solver.restarts import P_BUDGET
from limbik.solver.runner import Runner
from limbik.solver.targets.tables import batch_problem


@dataclass(frozen=True)
class Entry:
    """What a contestant made of a drill, frame after frame, chain after chain."""

    label: str
    errors: np.ndarray
    """(frames,) sum of the squared distances of all effectors, squared units of the paper."""
    worst: np.ndarray
    """(frames,) distance of the effector that is furthest off."""
    poses: list[np.ndarray] = field(default_factory=list)
    """(frames, n) for each chain; empty where a contestant has no such poses."""
    violation: float = 0.0
    """How far the worst frame is outside the limits, rad."""
    feasible: bool = True
    """Whether the contestant promises to stay inside the limits."""
    iterations: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    cap: int | None = None
    """Iterations a frame may take; None where another rule ends it."""
    seconds: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """(frames,) measured: of the thread for limbik's methods, of the clock for other programs."""
    note: str = ""


Guest = Callable[[Subject, Drill], Sequence[Entry]]
"""Anything else that can follow a drill, such as another program: one entry or several."""


def measured(
    subject: Subject, drill: Drill, label: str, poses: list[np.ndarray], **more: Any
) -> Entry:
    """An entry from poses, (frames, n) for each chain; errors and violation are measured here."""
    every = np.concatenate(poses)
    return from_positions(
        drill,
        label,
        subject.figure.positions(every)[:, subject.index()],
        poses=poses,
        violation=float(np.max(subject.figure.violation(every))),
        **more,
    )


def from_positions(drill: Drill, label: str, reached: np.ndarray, **more: Any) -> Entry:
    """An entry from where the effectors came to lie, (frames, effectors, 3) over all chains."""
    wanted = np.concatenate([chain.targets for chain in drill.chains])
    apart = np.linalg.norm(reached - wanted, axis=-1)
    return Entry(label=label, errors=(apart**2).sum(axis=1), worst=apart.max(axis=1), **more)


def follow(
    subject: Subject,
    drill: Drill,
    label: str,
    method: Method,
    cap: int,
    *,
    restarts: int | None = 0,
    seed: int = 0,
) -> Entry:
    """The method with at most ``cap`` iterations per frame in all, without momentum.

    There are no restarts unless ``restarts`` says so (None: as many as help); they share the cap.
    """
    poses, iterations, seconds = [], [], []
    clock = thread_clock()
    for chain in drill.chains:
        targets, target_offsets, problem = batch_problem(
            subject.figure, subject.effectors, chain.targets, None, start=chain.start,
            tolerance=TIGHT * BODY,
        )  # fmt: skip
        solver = Runner(problem, replace(method, iterations=cap), near=True, restarts=restarts)
        solver.restart_plan[P_BUDGET] = cap
        solver.compile()
        batch = Batch(solver, target_offsets, targets, seed)
        q = problem.start
        for k in range(len(targets)):
            began = clock()
            batch.part(k, k + 1, q[None].copy(), chain=False)
            seconds.append(clock() - began)
            q = batch.poses[k]
        poses.append(batch.poses)
        iterations.append(batch.totals[:, OUT_ITERATIONS].astype(int))
    return measured(
        subject,
        drill,
        label,
        poses,
        feasible=method.feasible,
        iterations=np.concatenate(iterations),
        cap=cap,
        seconds=np.array(seconds),
    )


def follow_as_shipped(subject: Subject, drill: Drill, label: str, seed: int) -> Entry:
    """``limbik.track`` as a user gets it, restarts and momentum, but to the tight tolerance."""
    poses, iterations, seconds = [], [], []
    clock = thread_clock()

    def led(chain: Chain, frames: int) -> Track:
        return track(
            subject.figure, subject.effectors, chain.targets[:frames], start=chain.start,
            fps=1.0 / drill.every, tolerance=TIGHT * BODY, seed=seed,
        )  # fmt: skip

    led(drill.chains[0], 1)  # compiles
    for chain in drill.chains:
        began = clock()
        found = led(chain, len(chain.targets))
        took = clock() - began
        poses.append(found.motion.q)
        iterations.append(found.iterations)
        seconds.append(np.full(len(found.iterations), took / len(found.iterations)))
    return measured(
        subject,
        drill,
        label,
        poses,
        iterations=np.concatenate(iterations),
        seconds=np.concatenate(seconds),
    )


@dataclass(frozen=True)
class Path:
    """The iterates of one solve: f (count,) and q (count, n), the start first."""

    f: np.ndarray
    q: np.ndarray


def path_of(
    figure: Figure,
    effectors: Sequence[str],
    targets: np.ndarray,
    start: np.ndarray,
    method: Method,
    iterations: int,
    *,
    tolerance: float = TIGHT * BODY,
) -> Path:
    """Every iterate on the way to the targets (effectors, 3): the kernel alone, from ``start``."""
    values, target_offsets, problem = batch_problem(
        figure, effectors, targets[None], None, start=start, tolerance=tolerance
    )
    problem.floats[target_offsets] = values[0]
    return walk(problem, method, iterations)


def walk(problem: Problem, method: Method, iterations: int) -> Path:
    """The iterates of a method's kernel alone, from the problem's start."""
    kernel: Any = type(method).kernel
    compiled(frames.batch, kernel)
    # One row more than iterates: a method that projects at its end notes that too.
    history, out = np.empty((iterations + 2, problem.figure.n + 1)), np.zeros(OUT)
    work = Runner(problem, method, near=False, restarts=0).workspace()
    options = method.options(problem, iterations=iterations)
    kernel(problem.ints, problem.floats, work, options, problem.start.copy(), out, history)
    noted = history[: int(out[OUT_HISTORY])]
    return Path(noted[:, 0].copy(), noted[:, 1:].copy())

"""Every method on one set of problems, without restarts, and after the cartwheel.

    python -m benchmarks.methods [--quick]     measure; --quick: few problems, nothing is kept
    python -m benchmarks.methods --docs        write what is kept into docs/how-to-choose.md

Three kinds of targets, all random and the same for every method:
near     where a pose about 0.1 rad from the start has the effectors;
far      where any pose inside the limits has them, from the middle of the limits;
beyond   where a pose outside the limits has them, and the default with restarts found none inside.
A time is one call of the method's kernel, the best of some rounds.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

import limbik
from benchmarks.methods_page import write_page
from benchmarks.report import keep, show
from benchmarks.track import EFFECTORS, pass_time
from limbik import MethodError, Problem, Range, Reach
from limbik.animate.track import RELAXATION, jumps
from limbik.figure import layout as lay
from limbik.figures import FINGERTIPS
from limbik.goals import terms as tm
from limbik.methods import (
    DampedLeastSquares,
    JacobianTranspose,
    Method,
    NewtonSVD,
    ProjectedGradient,
)
from limbik.methods.base import OUT, OUT_F, OUT_ITERATIONS, REACHED, STATIONARY
from limbik.solver.batch_runs import Batch
from limbik.solver.runner import Runner, find_method, mid_pose_and_spread
from limbik.solver.targets.tables import batch_problem

PROBLEMS, ROUNDS, ENOUGH = 50, 5, 0.3  # ENOUGH: seconds after which a cell gets no further round
KINDS = ("near", "far", "beyond")
EVERY = 0.05  # s between two frames of the cartwheel
SAME = 1.01  # an objective within 1 % of the best counts as the best
VARIANTS: list[Method] = [
    ProjectedGradient(barzilai_borwein=True),
    JacobianTranspose(step=None),
    DampedLeastSquares(adaptive=True),
    NewtonSVD(limits="each step"),
]
"""Settings that change a method's figures, beside every method as it comes."""


@dataclass(frozen=True)
class Asked:
    """Problems that differ in start and targets: values (problems, k) of floats[target_offsets]."""

    figure: str
    kind: str
    problem: Problem
    target_offsets: np.ndarray
    values: np.ndarray
    starts: np.ndarray


def _points(names: list[str]) -> list[Reach]:
    return [Reach(name, position=[0.0, 0.0, 0.0]) for name in names]


def figures() -> dict[str, tuple[limbik.Figure, list[Reach]]]:
    """Each figure, and what of it is to be reached."""
    chain = limbik.figures.chain(limits=Range(-1.2, 1.2))
    spider = limbik.figures.spider()
    tool = Reach("Tool", position=[0.0, 0.0, 0.0], wxyz=[1.0, 0.0, 0.0, 0.0])
    tips = [Reach(joint, position=[0.0, 0.0, 0.0], at=at) for joint, at in FINGERTIPS.values()]
    feet = [name for name in spider.joints if name.endswith("Foot")]
    return {
        "chain": (chain, _points(["Tip"])),
        "arm": (limbik.figures.arm(), [tool]),
        "human": (limbik.figures.human(), _points(EFFECTORS)),
        "hand": (limbik.figures.hand(), tips),
        "spider": (spider, _points(feet)),
    }


def offsets_of(problem: Problem) -> np.ndarray:
    """Where the targets stand in the problem's floats, term after term."""
    target_offsets: list[int] = []
    for k, term in enumerate(problem.terms):
        first = int(problem.ints[lay.F_TERM]) + lay.TERM_FLOATS * k
        at, width = (lay.T_POINT, 3) if term.kind == tm.POSITION else (lay.T_MATRIX, 9)
        target_offsets += range(first + at, first + at + width)
    return np.array(target_offsets, np.int64)


def targets_of(problem: Problem, poses: np.ndarray) -> np.ndarray:
    """(poses, k) targets where the poses have the effectors, term after term."""
    frames, columns = problem.figure.frames(poses), []
    for goal in problem.goals:
        assert isinstance(goal, Reach)
        frame = frames[:, problem.figure.index(goal.joint)]
        columns.append(frame[:, :3, :3] @ np.asarray(goal.at) + frame[:, :3, 3])
        if goal.wxyz is not None:
            columns.append(frame[:, :3, :3].reshape(-1, 9))
    return np.concatenate(columns, axis=1)


def asked_of(name: str, figure: limbik.Figure, goals: list[Reach], count: int) -> list[Asked]:
    """The problems of one figure, all three kinds."""
    random = np.random.default_rng(0)
    problem = Problem(figure, goals)
    target_offsets = offsets_of(problem)
    lever = problem.scene.lever
    mid_pose, spread = mid_pose_and_spread(figure, lever)
    unit = np.where(figure.slides, lever, 1.0)

    def anywhere(times: float) -> np.ndarray:
        return mid_pose + times * spread * random.uniform(-1.0, 1.0, (count, figure.n))

    def made(kind: str, values: np.ndarray, starts: np.ndarray) -> Asked:
        return Asked(name, kind, problem, target_offsets, values, np.ascontiguousarray(starts))

    starts = figure.project(anywhere(0.3))
    nearby = figure.project(starts + 0.1 * unit * random.normal(size=starts.shape))
    middle = np.tile(mid_pose, (count, 1))
    out = [
        made("near", targets_of(problem, nearby), starts),
        made("far", targets_of(problem, figure.project(anywhere(1.0))), middle),
    ]
    # Where no pose inside the limits was found: the root stays, or it would carry the figure there.
    held = figure.owner == 0 if np.isinf(figure.upper).any() else np.zeros(figure.n, bool)
    found, times = np.empty((0, len(target_offsets))), 1.5
    solver = Runner(problem, find_method(None), near=False, restarts=100)
    while len(found) < count:
        poses = np.where(held, mid_pose, anywhere(times))
        values = targets_of(problem, poses)
        batch = Batch(solver, target_offsets, values, seed=0)
        batch.part(0, count, middle, chain=False)
        found = np.concatenate([found, values[batch.codes != REACHED]])[:count]
        times *= 1.1
    return [*out, made("beyond", found, middle)]


def contestants() -> dict[str, Method]:
    """Every method as it comes, by name, each followed by its variants."""
    out: dict[str, Method] = {}
    for name in limbik.methods:
        out[name] = plain = find_method(name)
        for variant in VARIANTS:
            if type(variant) is type(plain):
                changed = [
                    f"{field.name}={getattr(variant, field.name)!r}"
                    for field in fields(variant)
                    if getattr(variant, field.name) != getattr(plain, field.name)
                ]
                out[f"{name}({', '.join(changed)})"] = variant
    return out


def solve_all(asked: Asked, method: Method, rounds: int) -> tuple[dict[str, Any], np.ndarray]:
    """(what a method made of the problems, the objective of each)."""
    problem, count = asked.problem, len(asked.values)
    solver = Runner(problem, method, near=False, restarts=0)
    solver.compile()
    kernel: Any = type(method).kernel
    work, history = solver.workspace(), np.empty((0, problem.figure.n + 1))
    poses, outs = np.empty_like(asked.starts), np.empty((count, OUT))
    codes, seconds = np.empty(count, int), np.full(count, np.inf)
    floats = problem.floats.copy()
    for _ in range(rounds):
        for k in range(count):
            floats[asked.target_offsets], poses[k] = asked.values[k], asked.starts[k]
            began = time.perf_counter()
            codes[k] = kernel(
                problem.ints, floats, work, solver.final_options, poses[k], outs[k], history
            )
            seconds[k] = min(seconds[k], time.perf_counter() - began)
        if float(seconds.sum()) > ENOUGH:
            break
    row = {
        "problems": count,
        "reached_%": 100.0 * float((codes == REACHED).mean()),
        "iterations": float(np.median(outs[:, OUT_ITERATIONS])),
        "median_us": float(np.median(seconds)) * 1e6,
        "stationary_%": 100.0 * float((codes == STATIONARY).mean()),
        "violation": float(np.max(problem.figure.violation(poses))),
    }
    return row, outs[:, OUT_F].copy()


def restarted(asked: Asked) -> float:
    """The share in % that the default reaches with restarts, as ``solve`` runs it."""
    solver = Runner(asked.problem, find_method(None), near=False, restarts=None)
    batch = Batch(solver, asked.target_offsets, asked.values, seed=0)
    batch.part(0, len(asked.values), asked.starts, chain=False)
    return 100.0 * float((batch.codes == REACHED).mean())


def track(method: Method, rounds: int) -> dict[str, Any]:
    """The cartwheel's six effectors, each frame from the pose before, as ``limbik.track`` does."""
    clip = limbik.figures.cartwheel().sample(EVERY)
    figure = clip.figure
    ends = [figure.index(name) for name in EFFECTORS]
    at = clip.positions()[:, ends]
    targets, target_offsets, problem = batch_problem(figure, EFFECTORS, at, None, start=clip.q[0])
    pull = 1.0 - math.exp(-1.0 / (clip.fps * RELAXATION))
    solver = Runner(problem, method, near=True, restarts=0, pull=pull)
    solver.compile()
    batch, seconds = Batch(solver, target_offsets, targets, seed=0), math.inf
    for _ in range(rounds):
        began = time.perf_counter()
        batch.part(0, len(targets), problem.start[None].copy(), chain=True)
        seconds = min(seconds, time.perf_counter() - began)
        if seconds > ENOUGH:
            break
    away = np.linalg.norm(figure.positions(batch.poses)[:, ends] - at, axis=-1)
    return {
        "problems": len(targets),
        "reached_%": 100.0 * float((batch.codes == REACHED).mean()),
        "iterations": float(np.median(batch.totals[:, OUT_ITERATIONS])),
        "median_us": seconds / len(targets) * 1e6,
        "worst_mm": 1e3 * float(away.max()),
        "jumps": len(jumps(figure, batch.poses, clip.q)),
        "violation": float(np.max(figure.violation(batch.poses))),
    }


def best_pass(asked: Asked) -> float:
    """Microseconds of one forward kinematics and Jacobian, the best of many."""
    middle = asked.starts[0].copy()
    pass_time(asked.problem, middle, 1)
    return min(pass_time(asked.problem, middle, 200) for _ in range(50))


def measure(count: int, rounds: int) -> list[dict[str, Any]]:
    """A row for each method, figure and kind; what a method refuses says why."""
    rows: list[dict[str, Any]] = []
    passes: dict[str, float] = {}
    for name, (figure, goals) in figures().items():
        for asked in asked_of(name, figure, goals, count):
            print(name, asked.kind, file=sys.stderr)
            # Before and after, so that a disturbance does not hit all of them.
            passes[name] = min(passes.get(name, math.inf), best_pass(asked))
            found: dict[str, np.ndarray] = {}
            for label, method in contestants().items():
                try:
                    row, found[label] = solve_all(asked, method, rounds)
                except MethodError as error:
                    row = {"refused": str(error)}
                rows.append({"method": label, "figure": name, "kind": asked.kind} | row)
            passes[name] = min(passes[name], best_pass(asked))
            best = np.min(list(found.values()), axis=0)
            for row in rows[-len(contestants()) :]:
                if asked.kind == "beyond" and row["method"] in found:
                    ratio = found[row["method"]] / best
                    row["times_best"] = float(np.median(ratio))
                    row["best_%"] = 100.0 * float((ratio <= SAME).mean())
                elif asked.kind == "far" and row["method"] == find_method(None).name:
                    row["restarted_%"] = restarted(asked)
    for label, method in contestants().items():
        start = {"method": label, "figure": "human", "kind": "cartwheel"}
        rows.append(start | track(method, rounds))
    for row in rows:
        if "median_us" in row:
            row["us_per_pass"] = passes[row["figure"]]
            row["passes"] = row["median_us"] / row["us_per_pass"]
    return rows


def main(arguments: list[str]) -> None:
    """Measure, or write the page."""
    if "--docs" in arguments:
        write_page()
        return
    quick = "--quick" in arguments
    rows = measure(5 if quick else PROBLEMS, 1 if quick else ROUNDS)
    for kind in (*KINDS, "cartwheel"):
        shown = [row for row in rows if row["kind"] == kind and "refused" not in row]
        show(kind, shown)
    if not quick:
        keep("methods", rows)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Steps in time inside limits of speed and acceleration: the ranges shrink around the last pose.

Before each step every range is intersected with what its coordinate can reach in one tick, so that
the projection P stays a projection, f never rises within a step, and no answer is too fast.  A
range stays reachable: a coordinate goes no faster towards an end than it can brake (tick.py).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from limbik.errors import FigureError, GoalError, MethodError
from limbik.figure import layout as lay
from limbik.figure.figure import Figure
from limbik.jit import kernel
from limbik.methods.base import O_ITERATIONS
from limbik.solver.compiled_frames import entry
from limbik.solver.problem import Problem
from limbik.solver.restarts import TOTALS
from limbik.solver.runner import Runner
from limbik.solver.stepping import ball_steps
from limbik.solver.stepping import tick as tk

_A_HAIR_LESS = 1.0 - 1e-9  # so that rounded poses, read off, are within their limits too


def limits_of_change(figure: Figure, given: object, usual: np.ndarray, what: str) -> np.ndarray:
    """(n,) limits of speed or acceleration: True means the figure's own; inf is no limit."""
    if given is None or given is False:
        return np.full(figure.n, np.inf)
    if given is True:
        return np.array(usual, float)
    try:
        values = np.broadcast_to(np.array(given, float), (figure.n,)).copy()
    except (TypeError, ValueError):
        raise FigureError(f"{what}: needs one number or {figure.n}, got {given!r}") from None
    if not (values > 0).all():
        raise FigureError(f"{what}: must be above 0")
    return values


class Stepper:
    """A runner that takes one step per tick of ``dt`` seconds, inside speed and acceleration.

    ``fastest`` and ``hardest`` (n,) are the largest speeds and accelerations; inf where there is
    none.  A ball's are those of its turning, the least of its three numbers.  ``iterations``: a
    tick may take so many at most.  ``smooth`` (n,) are weights of staying near the last pose.
    """

    def __init__(
        self,
        runner: Runner,
        dt: float,
        fastest: np.ndarray,
        hardest: np.ndarray,
        *,
        iterations: int | None = None,
        smooth: np.ndarray | None = None,
    ) -> None:
        problem = runner.problem
        if max(problem.levels):
            raise GoalError(
                "goals of several priorities cannot be stepped inside speed limits or by Live; "
                "give them weights instead"
            )
        figure, n = problem.figure, problem.figure.n
        self.runner = runner
        self._options = runner.final_options.copy()
        if iterations is not None:
            if iterations < 1:
                raise MethodError(f"iterations must be at least 1, got {iterations}")
            self._options[O_ITERATIONS] = min(self._options[O_ITERATIONS], iterations)
        self.poses = poses = np.zeros((tk.POSES, n))
        poses[tk.LAST] = poses[tk.BEGIN] = poses[tk.AHEAD] = problem.start
        poses[tk.LOWER], poses[tk.UPPER] = figure.lower, figure.upper
        hardest = hardest * _A_HAIR_LESS
        poses[tk.FASTEST], poses[tk.HARDEST] = fastest, hardest
        self.numbers = numbers = np.zeros(tk.NUMBERS)
        numbers[tk.DT] = dt
        self._find_balls(figure, fastest, hardest)
        numbers[tk.RETREATS] = not np.isfinite(hardest).any()
        numbers[tk.BRAKES] = np.isfinite(poses[tk.HARDEST]).any()
        numbers[tk.BOUNDED] = numbers[tk.BRAKES] or np.isfinite(poses[tk.FASTEST]).any()
        if smooth is not None:
            poses[tk.SMOOTH], numbers[tk.SMOOTHS] = smooth, 1.0
        self.totals = np.zeros(TOTALS)
        self._work = runner.workspace()
        call, method = entry(tk.tick, type(runner.method).kernel)
        self._call = call
        self._arguments = (
            method, problem.ints, problem.floats, self._work, self._options, poses, self.balls,
            self.ball_numbers, numbers, self.totals, np.empty(max(1, problem.rows)),
            np.empty((0, n + 1)),
        )  # fmt: skip

    def _find_balls(self, figure: Figure, fastest: np.ndarray, hardest: np.ndarray) -> None:
        """Tables of the balls that have limits; their coordinates are no angles of their own."""
        tree = figure.tree
        first = lay.section(tree.ints, tree.floats, lay.I_CONE)[:, lay.CONE_START]
        cones = {int(c): k for k, c in enumerate(first)}
        rows: list[tuple[int, int, int]] = []
        numbers: list[tuple[float, ...]] = []
        for kind, c in _balls(figure):
            speed, change = float(fastest[c : c + 3].min()), float(hardest[c : c + 3].min())
            self.poses[tk.FASTEST, c : c + 3] = self.poses[tk.HARDEST, c : c + 3] = np.inf
            if np.isfinite([speed, change]).any():
                rows.append((kind, c, cones.get(c, -1)))
                numbers.append((speed * _A_HAIR_LESS, change, 0.0, 0.0, 0.0))
        self.balls = np.array(rows, np.int64).reshape(-1, ball_steps.BALL_INTS)
        self.ball_numbers = np.array(numbers, float).reshape(-1, ball_steps.BALL_FLOATS)

    @property
    def q(self) -> np.ndarray:
        """(n,) the pose of the last tick; a view."""
        return self.poses[tk.LAST]

    @property
    def speed(self) -> np.ndarray:
        """(n,) how fast each coordinate went in the last tick; a view."""
        return self.poses[tk.SPEED]

    def set_state(self, q: np.ndarray, speed: np.ndarray | None = None) -> None:
        """Go on from the pose q (n,), and from a speed (n,) where it is given."""
        self.poses[tk.LAST] = q
        if speed is not None:
            self.poses[tk.SPEED] = speed
            before = q - speed * self.numbers[tk.DT]
            angular_velocities(
                self.balls, self.ball_numbers, before, q, self.numbers[tk.DT], np.empty(8)
            )

    def set_way(self, way: np.ndarray | None) -> None:
        """Go to the pose ``way`` (n,) in ticks that do not meet the goals; None: do not."""
        self.numbers[tk.HAS_WAY] = way is not None
        if way is not None:
            self.poses[tk.WAY] = way

    def set_posture(self, asked: Problem) -> None:
        """Take the Rest goals of ``asked``, which has those of the problem but no smoothness."""
        for row, where in ((tk.POSTURE, lay.F_REST), (tk.POSTURE_POSE, lay.F_REST_POSE)):
            self.poses[row] = lay.section(asked.ints, asked.floats, where)
        self.numbers[tk.OFFSET] = asked.floats[int(asked.ints[lay.F_REST_OFFSET])]

    @property
    def fastest(self) -> float:
        """The largest speed of a coordinate in the last tick."""
        return self.numbers[tk.MOVED]

    @property
    def to_way(self) -> float:
        """How far the last tick's pose is from the one set by ``set_way``, in one coordinate."""
        return self.numbers[tk.LEFT]

    def step(self, begin: np.ndarray | None = None) -> int:
        """Take one tick; returns the exit code.  ``q``, ``speed`` and ``totals`` are the new ones.

        ``begin`` (n,) is where to start looking, the last pose unless given.
        """
        poses = self.poses
        poses[tk.BEGIN] = poses[tk.LAST] if begin is None else begin
        code = self._call(*self._arguments)
        if self.runner.problem.has_functions:
            self.runner.problem.raise_failure()
        return code


def run_steps(
    stepper: Stepper,
    target_offsets: np.ndarray,
    targets: np.ndarray,
    start: np.ndarray,
    *,
    pull: float,
    progress: Callable[[int], object] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(poses, exit codes, totals) of problems that each step on from the answer before.

    ``targets`` (problems, k) go to ``target_offsets`` (k,) of the problem's floats; what the goals
    leave free is drawn to the pose at ease by the part ``pull``.
    """
    runner = stepper.runner
    problem, n = runner.problem, len(start)
    poses, codes = np.empty((len(targets), n)), np.empty(len(targets), np.int64)
    totals = np.empty((len(targets), TOTALS))
    stepper.set_state(start, np.zeros(n))
    for k, target in enumerate(targets):
        problem.floats[target_offsets] = target
        last = stepper.q
        begin = np.where(runner.spread > 0.0, last + pull * (runner.ease - last), last)
        codes[k] = stepper.step(begin)
        poses[k], totals[k] = stepper.q, stepper.totals
        if progress is not None:
            progress(k + 1)
    problem.set_ranges(problem.figure.lower, problem.figure.upper)
    return poses, codes, totals


@kernel
def angular_velocities(balls, numbers, before, q, dt, scratch):
    """Write the angular velocities of balls that turn from ``before`` to q (n,) within dt."""
    for ball in range(len(balls)):
        c = balls[ball, ball_steps.B_FIRST]
        omega = numbers[ball, ball_steps.B_OMEGA :]
        ball_steps.turn_between(
            balls[ball, ball_steps.B_KIND], before[c : c + 3], q[c : c + 3], omega, scratch
        )
        for k in range(3):
            omega[k] /= dt


def _balls(figure: Figure) -> list[tuple[int, int]]:
    """(kind of part, first of its three coordinates) of each ball."""
    tree = figure.tree
    kinds = lay.section(tree.ints, tree.floats, lay.I_KIND)
    first = lay.section(tree.ints, tree.floats, lay.I_FIRST_SLOT)
    found = []
    for kind, slot in zip(kinds, first, strict=True):
        if kind >= lay.EXPONENTIAL:
            found.append((int(kind), tree.slots[int(slot)].coordinate))
    return found

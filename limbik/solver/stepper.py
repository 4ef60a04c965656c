"""Steps in time inside limits of speed and acceleration: the ranges shrink around the last pose.

Before each step every range is intersected with what its coordinate can reach in one tick, so that
the projection P stays a projection, f never rises within a step, and no answer is too fast.  A
range stays reachable: a coordinate goes no faster towards an end than it can brake.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from limbik.errors import FigureError
from limbik.figure import kinematics as kin
from limbik.figure.figure import Figure
from limbik.jit import kernel
from limbik.solver.restarts import TOTALS
from limbik.solver.runner import Runner


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


@kernel
def box_of_tick(last, speed, dt, fastest, hardest, lower, upper, goal, low, high):
    """What each coordinate can reach in dt: low and high (n,).

    last and speed (n,) are where it is and how fast it goes; fastest and hardest (n,) its largest
    speed and acceleration, inf where there is none; lower and upper (n,) its range.  It goes no
    faster towards ``goal`` (n,) than it can brake there.  Outside its range it comes back as fast
    as it may.
    """
    for c in range(len(last)):
        down, up = -fastest[c], fastest[c]
        a = hardest[c]
        if a < math.inf:
            down, up = max(down, speed[c] - a * dt), min(up, speed[c] + a * dt)
            # v·dt now, then braking by a·dt per tick: v²/2a + v·dt/2 must fit before the goal.
            half = 0.5 * a * dt
            ahead, behind = max(goal[c] - last[c], 0.0), max(last[c] - goal[c], 0.0)
            up = min(up, max(math.sqrt(half * half + 2.0 * a * ahead) - half, speed[c] - a * dt))
            down = max(
                down, min(half - math.sqrt(half * half + 2.0 * a * behind), speed[c] + a * dt)
            )
        reach_low, reach_high = last[c] + down * dt, last[c] + up * dt
        low[c], high[c] = max(lower[c], reach_low), min(upper[c], reach_high)
        if low[c] > high[c]:
            nearest = upper[c] if last[c] > upper[c] else lower[c]
            low[c] = high[c] = min(max(nearest, reach_low), reach_high)


class Stepper:
    """A runner that takes one step per tick of ``dt`` seconds, inside speed and acceleration.

    ``fastest`` and ``hardest`` (n,) are the largest speeds and accelerations; inf where there is
    none.  A ball's speed is its angular speed, the least of its three numbers.
    """

    def __init__(self, runner: Runner, dt: float, fastest: np.ndarray, hardest: np.ndarray) -> None:
        figure = runner.problem.figure
        self.runner, self.dt = runner, dt
        self._fastest, self._hardest = fastest.copy(), hardest.copy()
        self._low, self._high = figure.lower.copy(), figure.upper.copy()
        self._ahead: np.ndarray | None = None  # where the goals are met, to brake in time
        balls = _balls(figure)
        self._balls = [(b, float(fastest[b].min())) for b in balls if np.isfinite(fastest[b]).any()]
        for ball in balls:  # its coordinates are no angles of their own
            self._fastest[ball] = self._hardest[ball] = np.inf
        self._brakes = bool(np.isfinite(self._hardest).any())
        self._bounded = self._brakes or bool(np.isfinite(self._fastest).any())

    def relaxed(self, last: np.ndarray, pull: float) -> np.ndarray:
        """(n,) the last pose, by the part ``pull`` on its way to the runner's ``ease``."""
        runner = self.runner
        return np.where(runner.room > 0.0, last + pull * (runner.ease - last), last)

    def look(self, last: np.ndarray, speed: np.ndarray, goal: np.ndarray) -> None:
        """Work out what this tick allows on the way to ``goal`` (n,)."""
        figure = self.runner.problem.figure
        box_of_tick(
            last, speed, self.dt, self._fastest, self._hardest, figure.lower, figure.upper, goal,
            self._low, self._high,
        )  # fmt: skip

    def _goal(self, last: np.ndarray, budget: int | None) -> np.ndarray:
        """(n,) where the goals are met as well as the limits allow, however far that is."""
        figure = self.runner.problem.figure
        q = (last if self._ahead is None else self._ahead).copy()
        self.runner.problem.set_ranges(figure.lower, figure.upper)
        self.runner.run(q, 0, None, budget)
        self._ahead = q
        return q

    def towards(self, goal: np.ndarray, last: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """(n,) the pose nearest to ``goal`` that this tick allows."""
        q = goal.copy()
        if self._bounded:
            self.look(last, speed, goal)
            q = np.clip(goal, self._low, self._high)
        for ball, most in self._balls:
            self._slow_down(last, q, ball, most * self.dt)
        return q

    def step(
        self,
        last: np.ndarray,
        speed: np.ndarray,
        *,
        begin: np.ndarray | None = None,
        budget: int | None = None,
    ) -> tuple[np.ndarray, int, np.ndarray]:
        """(the next pose, exit code, totals) from the pose and the speed (n,) of the last tick.

        ``begin`` (n,) is where to start looking, the last pose unless given.
        """
        problem, q = self.runner.problem, (last if begin is None else begin).copy()
        if self._bounded:
            self.look(last, speed, self._goal(last, budget) if self._brakes else last)
            problem.set_ranges(self._low, self._high)
        code, totals = self.runner.run(q, 0, None, budget)
        for ball, most in self._balls:
            self._slow_down(last, q, ball, most * self.dt)
        return q, code, totals

    def _slow_down(self, last: np.ndarray, q: np.ndarray, ball: np.ndarray, most: float) -> None:
        """Shorten a ball's step in q until it turns by no more than ``most`` (rad)."""
        whole, figure = q[ball] - last[ball], self.runner.problem.figure
        part = 1.0
        for _ in range(60):
            angle = _turned(figure, int(figure.owner[ball[0]]), last, q)
            if angle <= most:
                return
            part *= 0.999 * most / angle
            q[ball] = last[ball] + part * whole
        q[ball] = last[ball]


def run_steps(
    stepper: Stepper,
    places: np.ndarray,
    targets: np.ndarray,
    start: np.ndarray,
    *,
    pull: float,
    progress: Callable[[int], object] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(poses, exit codes, totals) of problems that each step on from the answer before.

    ``targets`` (problems, k) go to ``places`` (k,) of the problem's floats; what the goals leave
    free is drawn to the comfortable pose by the part ``pull``.
    """
    runner, dt = stepper.runner, stepper.dt
    problem, n = runner.problem, len(start)
    poses, codes = np.empty((len(targets), n)), np.empty(len(targets), np.int64)
    totals = np.empty((len(targets), TOTALS))
    last, speed = start, np.zeros(n)
    for k, target in enumerate(targets):
        problem.floats[places] = target
        begin = stepper.relaxed(last, pull)
        q, codes[k], totals[k] = stepper.step(last, speed, begin=begin)
        last, speed = q, (q - last) / dt
        poses[k] = q
        if progress is not None:
            progress(k + 1)
    problem.set_ranges(problem.figure.lower, problem.figure.upper)
    return poses, codes, totals


def _balls(figure: Figure) -> list[np.ndarray]:
    """The three coordinates of each ball."""
    tree = figure.tree
    parts = int(tree.ints[kin.I_FIRST_SLOT]) - int(tree.ints[kin.I_KIND])
    kinds = tree.ints[int(tree.ints[kin.I_KIND]) :][:parts]
    first = tree.ints[int(tree.ints[kin.I_FIRST_SLOT]) :][:parts]
    return [
        np.array([tree.slots[int(slot) + k].coordinate for k in range(3)])
        for kind, slot in zip(kinds, first, strict=True)
        if kind >= kin.EXPONENTIAL
    ]


def _turned(figure: Figure, joint: int, a: np.ndarray, b: np.ndarray) -> float:
    """How far a joint turns against its parent between two poses, in rad."""
    world = figure.frames(np.array([a, b]))[:, :, :3, :3]
    local = world[:, joint]
    if figure.parents[joint] >= 0:
        local = np.swapaxes(world[:, figure.parents[joint]], -1, -2) @ local
    change = local[0].T @ local[1]
    skew = change[[2, 0, 1], [1, 2, 0]] - change[[1, 2, 0], [2, 0, 1]]
    return math.atan2(float(np.linalg.norm(skew)), float(np.trace(change)) - 1.0)

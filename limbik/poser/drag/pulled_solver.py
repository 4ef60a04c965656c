"""A person's goals solved twice: with a light pull to the pose in which a drag began, then without.

So a drag is a function of where the hand is, not of how it came there: from the last answer the
target is solved for with the pull until that is settled, and then polished without it, so that it
is met exactly.  Going back with the hand brings the pose back.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.goals import Goal, Rest
from limbik.goals import terms as tm
from limbik.maths.quaternions import angle_between
from limbik.methods import Method
from limbik.methods.base import OUT_F, OUT_ITERATIONS, REACHED, SPENT, STATIONARY, STUCK
from limbik.poser.document.effector import Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.answer import Answer, build_answer
from limbik.poser.drag.goals_of_effectors import (
    anchor,
    goal_of,
    nearer,
    put_place,
    put_target,
)
from limbik.poser.drag.method_choice import method_of
from limbik.poser.drag.posture import (
    ENOUGH,
    ENOUGH_AFTER_NATURAL,
    FLOOR,
    Kept,
    Posture,
    put_kept,
    swinging,
)
from limbik.poser.drag.stiffness import stiffness
from limbik.poser.drag.turn_limiter import TurnLimiter
from limbik.posture.floor_points import FloorPoint
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, misses
from limbik.solver.runner import Runner

Place = Sequence[float] | np.ndarray

PULL = 1e-5
"""Weight of the pull to the pose in which the drag began, for what carries the whole figure."""

GIVE = 1e-3
"""Part of its weight that the dragged goal keeps: where a hand cannot follow the mouse, the hand
gives way and the pinned feet stay where they are."""

EVEN = frozenset({"projected_gradient", "jacobian_transpose", "extended_jacobian"})
"""Methods for which all goals keep their weights: they crawl where those differ so much."""

NEAR, NEAR_AFTER_LEAP, THEN, THEN_AGAIN, LAST = 10, 40, 30, 8, 100
"""Iterations a drag may take with the pull, and without it (THEN_AGAIN where that came to nothing
in the last one); at its end LAST with it.  The next drag goes on from there."""

LEAST_GAIN = 1e-4
"""With the pull, a Newton step that lowers f by no more than this part of it is the last; the next
drag goes on from there."""

LITTLE, OFTEN, SELDOM, CLEARLY, HOPELESS, NEARLY = 0.3, 8, 32, 0.6, 2.0, 0.02
"""Where a pose is strained, others are looked for at drags 1, 2, 4 and so on, every SELDOM and at
the end: those in which the limb alone comes so near (sizes).  One that costs less than CLEARLY as
much is taken, and one that costs HOPELESS as much after half of its iterations is given up.  A limb
is tried a little bent from LITTLE of that strain on; where that was in vain, after 1, 3, 7 and then
every OFTEN drags, and at the end."""

LEAP, TREMBLE = 0.02, 0.005
"""A target that moves further than this many sizes at once has leapt, and one that moves by less
than the second stands still, but for the hand's tremble."""

TURN, STEP = math.radians(55.0), 0.05
"""No joint turns further at once while the target moves less than this many sizes."""

SWINGS = "the figure swings over to another way of getting there; go on dragging"

_SETTLED = 1e-7  # tolerance with the pull (sizes, rad): so small that the pull decides when to stop
_CALM = 0.9  # f that keeps this part of itself over all its iterations is as good as settled
_STILL = 0.7  # and so is f that keeps this part of the last one while the target only trembles
_BETTER = 0.99  # part of f: a bent limb that leaves less was worth its try
_NONE = -1


class Step(NamedTuple):
    """What one solve came to: the method's exit code, milliseconds, iterations, the error of every
    goal at the pose, and whether no other follows."""

    code: int
    ms: float
    iterations: int
    errors: tuple[Miss, ...]
    is_last: bool


class PulledSolver:
    """Goals of effectors made ready, and the pose that they were last solved to, ``q`` (n,)."""

    def __init__(
        self,
        figure: Figure,
        effectors: Iterable[Effector],
        dragged: int | None,
        q: np.ndarray,
        *,
        locked: Iterable[str],
        method: str,
        settings: Mapping[str, float | int | bool | str | None],
        pull: float,
        goals: Sequence[KeptGoal],
        posture: Posture | None,
        heels_rise: bool = False,
    ) -> None:
        """As ``DragSolver`` takes them; ``heels_rise``: pinned feet stand on their balls."""
        self.figure = figure
        self.method: Method = method_of(method, settings)
        self.dragged = dragged
        self._locked, self._pull = tuple(locked), pull
        self._fixed = np.isin(figure.owner, [figure.index(joint) for joint in self._locked])
        self.posture = posture if self.method.descends else None
        self._goals = [kept for kept in goals if kept.goal is not None]
        self._quick = self.method.name == "projected_lm" and "iterations" not in settings
        self._effectors = tuple(effectors)
        held = [e for e in self._effectors if e.mode != "free" or e.id == dragged]
        if dragged is not None and all(e.id != dragged for e in held):
            raise GoalError(f"there is no effector {dragged} to drag")
        self.q = self.home = self._ahead = figure.project(figure.single_pose(q, "the pose"))
        self._sunk: list[FloorPoint] = []
        self._none = np.empty((0, figure.n + 1))
        self._turn_limiter = TurnLimiter(figure)
        self._was: Effector | None = None
        self._part: np.ndarray | None = None
        self.most = math.inf  # radians that a joint may turn in a step
        self._kept: list[Kept] = []
        self._limb: Runner | None = None
        self._polished = True  # the last answer is not the natural pose
        self._trembles, self._last_f = False, math.inf
        self._strained = 0  # drags in a row that ended in a strained pose
        self._bend_after = self._bend_pause = 0  # drags until a straight limb is tried bent again
        self.stands: set[int] = set()  # ids of feet that stand on their balls
        self.moved_pins: set[int] = set()
        hips = None if self.posture is None else self.posture.hips
        lowered = hips is not None and self._joint_of(held, dragged) == hips
        self.heels_rise = heels_rise or lowered
        self._compile(held)

    def begin(self, q: Sequence[float] | np.ndarray) -> None:
        """Go on from the pose ``q`` (n,), and let the next answers stay near it."""
        self.q = self.figure.project(self.figure.single_pose(q, "the pose"))
        self.home = self._ahead = self.q
        if any(isinstance(kept.goal, Rest) for kept in self._goals):
            self._compile(self.held)  # its pose and the pull's are one in the problem
        elif self._near is not None:
            self._near.problem.set_target(self._pull_goal, pose=self.home)
            self._put_kept()

    def move(self, effector: int, position: Place | None, wxyz: Place | None = None) -> None:
        """Give an effector that is held a new target (the place aimed at, for one that aims).

        ``position`` (3,) and ``wxyz`` (4,) in the world; None: as it was.  The first ``wxyz`` makes
        a goal of its orientation too.
        """
        k = self._number(effector)
        if k == _NONE:
            raise GoalError(f"effector {effector} is not held")
        old = held = self.held[k]
        if position is not None:
            x, y, z = tm.vector(position, 3, f'"{held.joint}": position').tolist()
            held = replace(held, position=(x, y, z))
        if wxyz is not None and held.mode != "aim":
            w, x, y, z = tm.vector(wxyz, 4, f'"{held.joint}": wxyz').tolist()
            if math.hypot(w, x, y, z) < 1e-12:
                raise GoalError(f'"{held.joint}": wxyz has zero length')
            held = replace(held, wxyz=(w, x, y, z))
        stood = effector in self.stands
        if stood:
            self.moved_pins.add(effector)
        if (held.wxyz is None) != (old.wxyz is None) or stood:
            self._compile([*self.held[:k], held, *self.held[k + 1 :]])
        else:
            self.held[k] = held
            self._write(k)

    def step(self) -> Step | None:
        """Solve for the goals as they stand, from the last answer on, in few iterations; None where
        nothing is held."""
        moved, turned = self._moved()
        near = NEAR if moved < LEAP else NEAR_AFTER_LEAP
        self.most = most = TURN * max(1.0, moved / STEP) + turned
        self._trembles = moved < TREMBLE and turned < TREMBLE
        then = THEN if self._polished else THEN_AGAIN
        return self._solved(near, then if self._quick else None, most)

    def last_step(self) -> Step | None:
        """The same with all the iterations that the method takes, for the end of a drag: without
        the pull, or with that of a body's posture."""
        return self._solved(0 if self.posture is None else LAST, None, math.inf)

    def go_back(self) -> None:
        """Go on from the last pose that was solved for, though another one was shown."""
        self.q = self._ahead

    def swung(self, step: Step, before: np.ndarray, most: float) -> Step:
        """The step; where a joint turns by more than ``most`` radians from the pose ``before``
        (n,), one that goes only part of the way."""
        if self._turn_limiter.within(before, self.q, most):
            return step
        self.q, there = before, self.q
        self.q, code = self._swung(there, most, THEN if self._quick else None)
        return Step(code, step.ms, step.iterations, self._errors(), False)

    def error_of(self, effector: int, step: Step) -> float:
        """The length by which an effector misses its target; NaN where that is not asked."""
        k = self._number(effector)
        length = None if k == _NONE else step.errors[k].length
        return math.nan if length is None else length

    @property
    def problems(self) -> tuple[Problem, Problem] | None:
        """The goals as they stand, without the pull and with it where there is one; None where
        nothing is held."""
        if self._then is None:
            return None
        then = self._then.problem
        return then, then if self._near is None else self._near.problem

    def sinks(self, q: np.ndarray) -> bool:
        """Whether a point that the floor does not hold is below it in the pose q (n,); from then on
        the floor holds it."""
        if self.posture is None:
            return False
        sunk = self.posture.sunk(self._watched, q)
        if sunk:
            self._sunk += sunk
            self._compile(self.held)
        return bool(sunk)

    def report(self, step: Step | None) -> Answer:
        """The answer to a step, measured at the targets themselves, however far away they are; how
        the goals stand where nothing was solved."""
        assert self._then is not None
        problem = self._then.problem
        self._put_far(there=True)
        answer = build_answer(
            problem, self.held, self.q.copy(), None if step is None else step.code,
            0.0 if step is None else step.ms, 0 if step is None else step.iterations,
            kept=[kept.id for kept in self._kept_goals],
            errors=None if step is None else step.errors,
            is_last=step is not None and step.is_last,
        )  # fmt: skip
        self._put_far(there=False)
        if step is not None and self.q is self._part:
            answer = replace(answer, why=SWINGS, is_following=True)
        # The floor is reported only where something is below it.
        reported = (answer.goals[:, 0] != FLOOR) | (answer.goals[:, 3] == 0.0)
        return answer if reported.all() else replace(answer, goals=answer.goals[reported])

    # ---- solving ---------------------------------------------------------------------------

    def _solved(self, near: int, then: int | None, most: float) -> Step | None:
        if self._then is None:
            return None
        began = time.perf_counter()
        q, iterations = self._ahead.copy(), 0
        if near and self._near is not None:
            pulled = self._near.problem
            if pulled.objective(self.home) < pulled.objective(q):
                q[:] = self.home  # the target came back at once
            iterations = self._pulled(q, near)
        natural, before = q.copy(), self._then.problem.objective(q)
        code, totals = self._then.run(q, 0, self._none, then)
        iterations += int(totals[OUT_ITERATIONS])
        calm = min(_CALM * before, _STILL * self._last_f) if self._trembles else _CALM * before
        self._last_f = totals[OUT_F]
        if code == SPENT and totals[OUT_F] > calm:
            code = STATIONARY
        enough = ENOUGH if self._polished else ENOUGH_AFTER_NATURAL
        self._polished = self.posture is None or code == REACHED or totals[OUT_F] <= enough * before
        if not self._polished:
            q = natural  # what cannot be met is not worth a pose that no body takes
        if self.sinks(q):
            return self._solved(max(near, NEAR), then, most)
        if np.isfinite(q).all():
            self._ahead = q = self.figure.project(q)
            if not self._turn_limiter.within(self.q, q, most):
                q, code = self._swung(q, most, then)
            self.q = q
        else:
            code = STUCK
        ms = 1e3 * (time.perf_counter() - began)
        return Step(code, ms, iterations, self._errors(), near in (0, LAST))

    def _pulled(self, q: np.ndarray, near: int) -> int:
        """Solve with the pull from q (n,), in place; returns the iterations.  A straight limb is
        also tried a little bent, and the better pose taken."""
        assert self._near is not None
        straight = q.copy()
        _, totals = self._near.run(q, 0, self._none, near)
        iterations = int(totals[OUT_ITERATIONS])
        posture = self.posture if self.dragged is not None else None
        strain = math.inf if posture is None else posture.strained(self._near.problem)
        self._bend_after -= 1
        due = self._bend_after < 0 or near == LAST
        if (
            due
            and posture is not None
            and self.dragged is not None
            and totals[OUT_F] > LITTLE * strain
        ):
            bent = posture.bent(self._effector(self.dragged).joint, straight)
            self._bend_pause = 0 if bent is None else min(2 * self._bend_pause + 1, OFTEN)
            if bent is not None:
                bent[self._fixed] = straight[self._fixed]
                _, more = self._near.run(bent, 0, self._none, near)
                iterations += int(more[OUT_ITERATIONS])
                if np.isfinite(bent).all() and more[OUT_F] < totals[OUT_F]:
                    if more[OUT_F] < _BETTER * totals[OUT_F]:
                        self._bend_pause = 0
                    q[:], totals = bent, more
            self._bend_after = self._bend_pause
        if totals[OUT_F] > strain:
            self._strained += 1
            due = self._strained & (self._strained - 1) == 0 or self._strained % SELDOM == 0
            if due or near == LAST:
                iterations += self._from_home(q, totals[OUT_F])
        else:
            self._strained = 0
        if not np.isfinite(q).all():
            q[:] = self._ahead
        return iterations

    def _from_home(self, q: np.ndarray, f: float) -> int:
        """Where the pose that a drag came to is strained, look from its beginning for one that is
        much less so, and put that into q (n,); returns the iterations."""
        assert self._near is not None
        assert self.posture is not None
        assert self.dragged is not None
        dragged = self._effector(self.dragged)
        iterations, best, limb = 0, CLEARLY * f, self._limb_runner(dragged)
        for other in self.posture.starts(dragged.joint, self.home):
            other[self._fixed] = self.home[self._fixed]
            if limb is not None:
                _, totals = limb.run(other, 0, self._none, NEAR_AFTER_LEAP)
                iterations += int(totals[OUT_ITERATIONS])
                if totals[OUT_F] > (NEARLY * self.figure.size) ** 2:
                    continue
            code, totals = self._near.run(other, 0, self._none, NEAR_AFTER_LEAP // 2)
            iterations += int(totals[OUT_ITERATIONS])
            if code == SPENT and totals[OUT_F] <= HOPELESS * f:
                _, totals = self._near.run(other, 0, self._none, NEAR_AFTER_LEAP // 2)
                iterations += int(totals[OUT_ITERATIONS])
            if np.isfinite(other).all() and totals[OUT_F] < best:
                q[:], best = other, totals[OUT_F]
                self._strained = 0
        return iterations

    def _limb_runner(self, dragged: Effector) -> Runner | None:
        """The dragged goal for its limb alone, where it has one."""
        assert self.posture is not None
        if self._limb is None:
            others = self.posture.beside_limb(dragged.joint)
            if not others:
                return None
            lock = {*others, *self._locked}
            problem = Problem(self.figure, [goal_of(dragged, 1.0)], start=self.home, lock=lock)
            self._limb = Runner(problem, self.method, near=True, restarts=0)
        put_target(self._limb.problem, 0, dragged)
        return self._limb

    def _swung(self, q: np.ndarray, most: float, then: int | None) -> tuple[np.ndarray, int]:
        """(pose, exit code) part of the way to q, and from there to the goals where they are no
        further away, or to all but the dragged one; the next drag goes on towards q."""
        assert self._then is not None
        self._part = part = self._turn_limiter.towards(self.q, q, most)
        met = part.copy()
        code, _ = self._then.run(met, 0, self._none, then)
        if code == REACHED and np.isfinite(met).all():
            met = self.figure.project(met)
            if self._turn_limiter.within(self.q, met, most):
                return met, code
        self._part = part = self._with_pins(part, then)
        return part, SPENT

    def _with_pins(self, q: np.ndarray, then: int | None) -> np.ndarray:
        """(n,) the pose q with what is pinned where it is, and the dragged effector where q has
        it."""
        assert self._then is not None
        k = _NONE if self.dragged is None else self._number(self.dragged)
        if k == _NONE or self.held[k].mode == "aim":
            return q
        held, met = self.held[k], q.copy()
        frame = self.figure.frames(q)[self.figure.index(held.joint)]
        put_place(self._then.problem, k, frame[:3, :3] @ np.array(held.at) + frame[:3, 3])
        self._then.run(met, 0, self._none, then)
        self._write(k)
        return self.figure.project(met) if np.isfinite(met).all() else q

    def _errors(self) -> tuple[Miss, ...]:
        """The error of every goal, measured at the targets themselves."""
        assert self._then is not None
        self._put_far(there=True)
        errors = misses(self._then.problem, self.q)
        self._put_far(there=False)
        return errors

    def _moved(self) -> tuple[float, float]:
        """How far the dragged target moved since the last drag (sizes) and turned (rad); infinitely
        far where there was none."""
        new = None if self.dragged is None else self._effector(self.dragged)
        old, self._was = self._was, new
        if old is None or new is None or (old.wxyz is None) != (new.wxyz is None):
            return math.inf, 0.0
        turned = 0.0
        if old.wxyz is not None and new.wxyz is not None and old.wxyz != new.wxyz:
            turned = float(angle_between(old.wxyz, new.wxyz))
        return math.dist(old.position, new.position) / self.figure.size, turned

    def _number(self, effector: int) -> int:
        """The place of an effector among those that are held."""
        return next((k for k, held in enumerate(self.held) if held.id == effector), _NONE)

    def _effector(self, id: int) -> Effector:
        return next(held for held in self.held if held.id == id)

    # ---- goals -----------------------------------------------------------------------------

    def _compile(self, held: list[Effector]) -> None:
        """Make problems of the goals: one that meets them, and one with the pull, where the method
        minimises that too.  Nothing changes where that is refused."""
        goals: list[Goal] = []
        posture = self.posture
        still = [e for e in held if e.id not in self.moved_pins]
        self.stands = set()
        if posture is not None and self.dragged is not None:
            stands = posture.standing(still, self.dragged, self.q)
            self.stands = {e.id for e in still if e.id in stands and (self.heels_rise or e.placed)}
        for k, effector in enumerate(held):
            gives = effector.id == self.dragged and self.method.name not in EVEN
            goals.append(goal_of(effector, GIVE if gives else 1.0))
            if posture is not None and effector.id in self.stands:
                goals[k] = posture.ball_goal(effector, self.q)
        self._kept_goals = self._goals + self._floor_goals(held)
        goals += [self._given(kept.goal) for kept in self._kept_goals if kept.goal is not None]
        self._pull_goal = len(goals)
        near = then = None
        kept: list[Kept] = []
        if goals:
            then = self._solver(goals)
        if goals and self.method.descends:
            weights = self._pull * stiffness(self.figure)
            if posture is None:
                kept = swinging(self.figure, held, self.dragged)
            else:
                weights = posture.weights(self._joint_of(held, self.dragged))
                kept = posture.kept(self.now(held), self.dragged, self.q, self.stands)
            goals.append(Rest(weights, pose=self.home))
            goals += [one.goal for one in kept]
            method = replace(self.method, least_gain=LEAST_GAIN) if self._quick else self.method
            near = self._solver(goals, (_SETTLED * self.figure.size, _SETTLED), method)
        self.held, self._near, self._then, self._kept = held, near, then, kept
        self._limb = None
        self._put_kept()
        pins = [e.position for e in held if e.mode == "pin" and e.id != self.dragged]
        self._anchor = anchor(self.figure, pins, self.q)
        self._far: int | None = None
        for k in range(len(held)):
            self._write(k)

    def _floor_goals(self, held: Sequence[Effector]) -> list[KeptGoal]:
        """The floor, for what may come to it in this drag."""
        if self.posture is None:
            return []
        balls = [effector.joint for effector in held if effector.id in self.stands]
        dragged = self._joint_of(held, self.dragged)
        points = self.posture.low_points(self.home, dragged, balls)
        there = (*points.held, *self._sunk)
        self._watched = self.posture.watched(p for p in points.others if p not in self._sunk)
        return [self.posture.floor_goal(there)] if there else []

    def _joint_of(self, held: Sequence[Effector], id: int | None) -> str | None:
        return next((effector.joint for effector in held if effector.id == id), None)

    def _given(self, goal: Goal) -> Goal:
        """A goal without an effector; a Rest weighs as much against the dragged goal as it says."""
        if isinstance(goal, Rest) and self.dragged is not None and self.method.name not in EVEN:
            return replace(goal, weight=GIVE * np.asarray(goal.weight, float))
        return goal

    def now(self, held: Sequence[Effector]) -> list[Effector]:
        """All effectors, those that are held as they are now."""
        known = {effector.id: effector for effector in held}
        return [known.get(effector.id, effector) for effector in self._effectors]

    def _put_kept(self) -> None:
        """What is kept is taken from where the drag begins, as far as the pull can."""
        if self._near is not None and self._kept:
            first = self._pull_goal + 1
            put_kept(self.figure, self._near.problem, first, self._kept, self.home)

    def _solver(
        self,
        goals: list[Goal],
        tolerance: tuple[float, float] | None = None,
        method: Method | None = None,
    ) -> Runner:
        problem = Problem(self.figure, goals, start=self.q, tolerance=tolerance, lock=self._locked)
        return Runner(problem, method or self.method, near=True, restarts=0)

    def _write(self, k: int) -> None:
        """Put the target of the effector number k into the compiled problems."""
        effector, place = self.held[k], None
        if effector.id in self.stands:
            return
        if effector.id == self.dragged and effector.mode != "aim" and self._anchor is not None:
            place = nearer(effector.position, self._anchor, self.figure.size)
            self._far = None if place is None else k
        for solver in (self._near, self._then):
            if solver is not None:
                put_target(solver.problem, k, effector)
                if place is not None:
                    put_place(solver.problem, k, place)

    def _put_far(self, *, there: bool) -> None:
        """Put the target that is solved for nearer by (``_write``) where it is, or back."""
        if self._far is not None and self._then is not None:
            if there:
                put_place(self._then.problem, self._far, self.held[self._far].position)
            else:
                self._write(self._far)

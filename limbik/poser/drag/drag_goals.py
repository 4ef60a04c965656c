"""Goals of effectors as problems: with a pull to the pose in which a drag began, and without.

Targets are written into the problems; they are built anew only where another goal comes in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.goals import Goal, Rest
from limbik.goals import terms as tm
from limbik.methods import Method
from limbik.poser.document.effector import Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.goals_of_effectors import (
    FAR,
    FAR_OF_BODY,
    anchor,
    goal_of,
    nearer,
    put_place,
    put_target,
)
from limbik.poser.drag.limbs import beside_limb
from limbik.poser.drag.low_points import floor_goal, low_points, sunk, watched
from limbik.poser.drag.method_choice import method_of
from limbik.poser.drag.posture import Posture
from limbik.poser.drag.start_goals import StartGoal, put_start_goals, start_goals, swinging
from limbik.poser.drag.stiffness import stiffness
from limbik.posture.floor_points import FloorPoint
from limbik.solver.problem import Problem
from limbik.solver.runner import Runner

Place = Sequence[float] | np.ndarray

PULL = 1e-5
"""Weight of the pull to the pose in which the drag began, for what carries the whole figure."""

GIVE = 1e-3
"""Part of its weight that the dragged goal keeps: where a hand cannot follow the mouse, the hand
gives way and the pinned feet stay where they are."""

EVEN = frozenset({"projected_gradient", "jacobian_transpose", "extended_jacobian"})
"""Methods for which all goals keep their weights: they crawl where those differ so much."""

LEAST_GAIN = 1e-4
"""With the pull, a Newton step that lowers f by no more than this part of it is the last; the next
drag goes on from there."""

_SETTLED = 1e-7  # tolerance with the pull (sizes, rad): so small that the pull decides when to stop
_NONE = -1


class DragGoals:
    """Goals of effectors made ready, and the pose ``q`` (n,) from which they are solved."""

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
        self.q = self.home = figure.project(figure.single_pose(q, "the pose"))
        self._sunk: list[FloorPoint] = []
        self._start_goals: list[StartGoal] = []
        self._limb: Runner | None = None
        self.stands: set[int] = set()  # ids of feet that stand on their balls
        self.moved_pins: set[int] = set()
        hips = None if self.posture is None else self.posture.hips
        lowered = hips is not None and self._joint_of(held, dragged) == hips
        self.heels_rise = heels_rise or lowered
        self._compile(held)

    def begin(self, q: Sequence[float] | np.ndarray) -> None:
        """Go on from the pose ``q`` (n,), and let the next answers stay near it."""
        self.q = self.figure.project(self.figure.single_pose(q, "the pose"))
        self.home = self.q
        if any(isinstance(kept.goal, Rest) for kept in self._goals):
            self._compile(self.held)  # its pose and the pull's are one in the problem
        elif self._with_pull is not None:
            self._with_pull.problem.set_target(self._pull_goal, pose=self.home)
            self._put_start_goals()

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

    @property
    def problems(self) -> tuple[Problem, Problem] | None:
        """The goals as they stand, without the pull and with it where there is one; None where
        nothing is held."""
        if self._without_pull is None:
            return None
        then = self._without_pull.problem
        return then, then if self._with_pull is None else self._with_pull.problem

    def sinks(self, q: np.ndarray) -> bool:
        """Whether a point that the floor does not hold is below it in the pose q (n,); from then on
        the floor holds it."""
        if self.posture is None:
            return False
        below = sunk(self.posture, self._watched, q)
        if below:
            self._sunk += below
            self._compile(self.held)
        return bool(below)

    def _number(self, effector: int) -> int:
        """The place of an effector among those that are held."""
        return next((k for k, held in enumerate(self.held) if held.id == effector), _NONE)

    def _effector(self, id: int) -> Effector:
        return next(held for held in self.held if held.id == id)

    # ---- problems --------------------------------------------------------------------------

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
        if posture is not None:
            self._kept_goals += posture.standing_goals(held, self.dragged, self.home)
        goals += [self._given(kept.goal) for kept in self._kept_goals if kept.goal is not None]
        self._pull_goal = len(goals)
        near = then = None
        kept: list[StartGoal] = []
        if goals:
            then = self._runner_for(goals)
        if goals and self.method.descends:
            weights = self._pull * stiffness(self.figure)
            if posture is None:
                kept = swinging(self.figure, held, self.dragged)
            else:
                weights = posture.weights(self._joint_of(held, self.dragged))
                kept = start_goals(posture, self.now(held), self.dragged, self.q, self.stands)
            goals.append(Rest(weights, pose=self.home))
            goals += [one.goal for one in kept]
            method = replace(self.method, least_gain=LEAST_GAIN) if self._quick else self.method
            near = self._runner_for(goals, (_SETTLED * self.figure.size, _SETTLED), method)
        self.held, self._with_pull, self._without_pull, self._start_goals = held, near, then, kept
        self._limb = None
        self._put_start_goals()
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
        points = low_points(self.posture, self.home, dragged, balls)
        there = (*points.held, *self._sunk)
        self._watched = watched(self.posture, (p for p in points.others if p not in self._sunk))
        return [floor_goal(self.posture, there)] if there else []

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

    def _put_start_goals(self) -> None:
        """What is kept is taken from where the drag begins, as far as the pull can."""
        if self._with_pull is not None and self._start_goals:
            first = self._pull_goal + 1
            put_start_goals(
                self.figure, self._with_pull.problem, first, self._start_goals, self.home
            )

    def _runner_for(
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
            far = FAR if self.posture is None else FAR_OF_BODY
            place = nearer(effector.position, self._anchor, far * self.figure.size)
            self._far = None if place is None else k
        for runner in (self._with_pull, self._without_pull):
            if runner is not None:
                put_target(runner.problem, k, effector)
                if place is not None:
                    put_place(runner.problem, k, place)

    def _put_far(self, *, there: bool) -> None:
        """Put the target that is solved for nearer by (``_write``) where it is, or back."""
        if self._far is not None and self._without_pull is not None:
            if there:
                put_place(self._without_pull.problem, self._far, self.held[self._far].position)
            else:
                self._write(self._far)

    def _limb_runner(self, dragged: Effector) -> Runner | None:
        """The dragged goal for its limb alone, where it has one."""
        assert self.posture is not None
        if self._limb is None:
            others = beside_limb(self.figure, dragged.joint)
            if not others:
                return None
            lock = {*others, *self._locked}
            problem = Problem(self.figure, [goal_of(dragged, 1.0)], start=self.home, lock=lock)
            self._limb = Runner(problem, self.method, near=True, restarts=0)
        put_target(self._limb.problem, 0, dragged)
        return self._limb

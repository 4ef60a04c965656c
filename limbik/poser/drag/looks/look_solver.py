"""Looks: a body turns its neck, its head and its eyes to what it looks at, and then its trunk.

They are solved for after the rest of the body, with every other joint where it is.  What the neck
cannot turn to is looked at as far as its limits go; the trunk adds what is missing, as far as its
own limits go, unless something else that is held hangs on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.goals import Aim, Goal, Rest
from limbik.goals import terms as tm
from limbik.methods import ProjectedLevenbergMarquardt
from limbik.methods.base import OUT_ITERATIONS, REACHED, STATIONARY
from limbik.poser.document.effector import Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.answer import Answer, build_answer
from limbik.poser.drag.goals_of_effectors import goal_of
from limbik.posture.joint_weights import NECK, TRUNK, joint_weights
from limbik.posture.known_body import known_body
from limbik.solver.problem import Problem
from limbik.solver.result import misses
from limbik.solver.runner import Runner

PULL = 1e-2
"""Weight with which a neck stays near the pose in which a drag began, beside a look's 1 (a Rest
counts the mean over all coordinates of the figure)."""

TRUNK_PULL = 4e-2
"""The same for the trunk, which turns less willingly."""

BEHIND, ASIDE = math.radians(95.0), 1.0
"""A look that ends further off than this may be of something right behind the head, where no small
turn helps, or round the wrong way: it is tried again from a look at a place so much to the left or
to the right, in parts of its distance."""

BETTER = 0.9
"""Part of the objective below which that other turn is taken."""

ITERATIONS, LEAST_GAIN = 60, 1e-4
"""With the pull, a step that lowers f by no more than this part of it is the last."""

_SETTLED = 1e-6  # tolerance with the pull (sizes, rad): so small that the pull decides when to stop


class Looks(NamedTuple):
    """The looks among the goals of a drag: of effectors, and without one; the indices of the joints
    that turn for them, and those of the trunk, which turn where these do not suffice."""

    effectors: tuple[Effector, ...]
    kept: tuple[KeptGoal, ...]
    turning: frozenset[int]
    trunk: frozenset[int] = frozenset()


def looks_among(
    figure: Figure, effectors: Sequence[Effector], goals: Sequence[KeptGoal], dragged: int | None
) -> Looks | None:
    """The looks among some effectors and goals: aims of a body's neck, head or eyes.

    None where there are none.  Where another effector that is held, or ``dragged``, hangs on all of
    these joints, an aim is a goal like others: the whole body has to meet both.
    """
    if not known_body(figure).complete:
        return None
    neck = set(figure.owner[joint_weights(figure) == NECK].tolist())
    own = tuple(e for e in effectors if e.mode == "aim" and figure.index(e.joint) in neck)
    kept = tuple(
        one for one in goals if isinstance(one.goal, Aim) and figure.index(one.goal.joint) in neck
    )
    turning: set[int] = set()
    for joint in (*(e.joint for e in own), *(_aim(one).joint for one in kept)):
        turning.update(figure.tree.ancestors(figure.index(joint)))
    trunk = turning & set(figure.owner[joint_weights(figure) == TRUNK].tolist())
    turning &= neck
    for other in effectors:
        if other not in own and (other.mode != "free" or other.id == dragged):
            turned = other.wxyz is not None or other.mode == "aim" or any(other.at)
            above = figure.tree.ancestors(figure.index(other.joint))
            turning.difference_update(above if turned else above[1:])
        if other not in own and (other.mode != "free" or other.id == dragged or other.placed):
            trunk.difference_update(figure.tree.ancestors(figure.index(other.joint)))
    for target in (_aim(one).target for one in kept):
        if isinstance(target, str):  # what is looked at would move
            trunk.difference_update(figure.tree.ancestors(figure.index(target)))
    return Looks(own, kept, frozenset(turning), frozenset(trunk)) if turning else None


def _aim(kept: KeptGoal) -> Aim:
    assert isinstance(kept.goal, Aim)
    return kept.goal


class LookSolver:
    """Looks made ready: ``turned`` is a pose with the neck turned to them."""

    def __init__(
        self,
        figure: Figure,
        looks: Looks,
        q: np.ndarray,
        *,
        locked: Iterable[str] = (),
        beside: Sequence[Goal] = (),
    ) -> None:
        """``q`` (n,) is the pose in which a drag begins, ``locked`` are joints that keep their
        values whatever is looked at, and ``beside`` goals that hold beside the looks."""
        self.figure, self._looks = figure, looks
        self.held, self._beside = list(looks.effectors), list(beside)
        turning = {figure.joints[joint] for joint in looks.turning} - set(locked)
        trunk = {figure.joints[joint] for joint in looks.trunk} - set(locked)
        self._turns = np.isin(figure.owner, [figure.index(joint) for joint in turning])
        self._targets = [_aim(one).target for one in looks.kept]
        self._ids = [*(one.id for one in looks.kept), *(-1 for _ in beside)]
        self._none = np.empty((0, figure.n + 1))
        goals = [goal_of(one, 1.0) for one in self.held]
        # What a look is tied to does not move while the neck does: it is a place.
        goals += [replace(_aim(one), target=(0.0, 0.0, 0.0)) for one in looks.kept]
        self._count = len(goals)
        goals += self._beside
        self._rest = len(goals)
        self._without_pull = self._runner(goals, q, turning)
        self._with_pull = self._pulled_runner(goals, q, turning, PULL)
        self._trunk = self._whole = None
        if trunk:
            self._trunk = self._pulled_runner(goals, q, trunk, TRUNK_PULL)
            self._whole = self._runner(goals, q, turning | trunk)
        self.begin(q)

    def _pulled_runner(
        self, goals: Sequence[Goal], q: np.ndarray, turning: set[str], pull: float
    ) -> Runner:
        """With the pull on the joints that turn."""
        turns = np.isin(self.figure.owner, [self.figure.index(joint) for joint in turning])
        rest, tolerance = Rest(pull * turns, pose=q), (_SETTLED * self.figure.size, _SETTLED)
        return self._runner([*goals, rest], q, turning, tolerance)

    def _runner(
        self,
        goals: Sequence[Goal],
        q: np.ndarray,
        turning: set[str],
        tolerance: tuple[float, float] | None = None,
    ) -> Runner:
        lock = [joint for joint in self.figure.joints if joint not in turning]
        problem = Problem(self.figure, goals, start=q, tolerance=tolerance, lock=lock)
        gain = 0.0 if tolerance is None else LEAST_GAIN
        method = ProjectedLevenbergMarquardt(least_gain=gain)
        return Runner(problem, method, near=True, restarts=0)

    def begin(self, q: np.ndarray) -> None:
        """Let the next looks stay near the pose q (n,)."""
        self.q = self.figure.project(q)
        for runner in (self._with_pull, self._trunk):
            if runner is not None:
                runner.problem.set_target(self._rest, pose=self.q)
        self._code, self._ms, self._iterations = STATIONARY, 0.0, 0

    def has(self, effector: int) -> bool:
        """Whether an effector looks."""
        return any(one.id == effector for one in self.held)

    def move(self, effector: int, position: Sequence[float] | np.ndarray | None) -> None:
        """Give an effector another place to look at; None: as it was."""
        for k, one in enumerate(self.held):
            if one.id == effector and position is not None:
                x, y, z = tm.vector(position, 3, f'"{one.joint}": position').tolist()
                self.held[k] = replace(one, position=(x, y, z))
                return
        if not self.has(effector):
            raise GoalError(f"effector {effector} is not held")

    def turned(self, q: np.ndarray) -> np.ndarray:
        """(n,) the pose q with the neck turned to what is looked at, from where it was turned to
        last, and the trunk where the neck does not suffice."""
        began = time.perf_counter()
        out = np.where(self._turns, self.q, q)
        places = self._looked_at_points(q)
        self._put(places)
        self._iterations = 0
        self._run(out)
        if self._off(out) > BEHIND:
            for side in (1.0, -1.0):
                other = out.copy()
                self._put([self._beside_of(k, place, q, side) for k, place in enumerate(places)])
                self._run(other)
                self._put(places)
                self._run(other)
                problem = self._without_pull.problem
                if problem.objective(other) < BETTER * problem.objective(out):
                    out = other
        met = out.copy()
        self._code, totals = self._without_pull.run(met, 0, self._none, ITERATIONS)
        self._iterations += int(totals[OUT_ITERATIONS])
        if self._code == REACHED and np.isfinite(met).all():
            out = met
        else:  # as near as it comes; without the pull what is left free would drift
            self._code = STATIONARY
            out = self._with_trunk(out)
        self.q = self.figure.project(out)
        self._ms = 1e3 * (time.perf_counter() - began)
        return self.q

    def _with_trunk(self, q: np.ndarray) -> np.ndarray:
        """(n,) the pose q, whose neck is at its limits, with the trunk turned by what is missing;
        then both meet the look, where they can."""
        if self._trunk is None or self._whole is None:
            return q
        turned = q.copy()
        self._run(turned, self._trunk)
        met = turned.copy()
        code, totals = self._whole.run(met, 0, self._none, ITERATIONS)
        self._iterations += int(totals[OUT_ITERATIONS])
        if code != REACHED or not np.isfinite(met).all():
            return turned
        self._code = REACHED
        return met

    def stands(self, answer: Answer) -> Answer:
        """How the goals of the body and the looks stand in the present pose; nothing is solved."""
        self._put(self._looked_at_points(self.q))
        own = build_answer(self._without_pull.problem, self.held, self.q, None, kept=self._ids)
        goals = np.concatenate([answer.goals, own.goals[: self._count]])
        return replace(answer, q=self.q, goals=goals)

    def report(self, answer: Answer, *, first: bool) -> Answer:
        """The answer to the rest of the body with the looks in it, at the pose of the last
        ``turned``; with ``first`` its sentence is of the looks where both are short."""
        problem = self._without_pull.problem
        own = build_answer(
            problem, self.held, self.q.copy(), self._code, answer.ms + self._ms,
            answer.iterations + self._iterations, kept=self._ids, by_limits=True,
        )  # fmt: skip
        goals = np.concatenate([answer.goals, own.goals[: self._count]])
        short = not goals[len(answer.goals) :, 3].all()
        if answer.status is None or answer.ok or (first and short):
            return replace(own, goals=goals)
        return replace(answer, q=own.q, goals=goals, ms=own.ms, iterations=own.iterations)

    def _run(self, q: np.ndarray, runner: Runner | None = None) -> None:
        _, totals = (runner or self._with_pull).run(q, 0, self._none, ITERATIONS)
        self._iterations += int(totals[OUT_ITERATIONS])
        if not np.isfinite(q).all():
            q[:] = self.q

    def _off(self, q: np.ndarray) -> float:
        """By which angle the worst look is off in the pose q (n,)."""
        errors = misses(self._without_pull.problem, q)[: self._count]
        return max((miss.angle or 0.0 for miss in errors), default=0.0)

    def _looked_at_points(self, q: np.ndarray) -> list[np.ndarray]:
        """(3,) where each look goes in the pose q (n,)."""
        out = [np.array(one.position) for one in self.held]
        frames = self.figure.frames(q)
        for kept, target in zip(self._looks.kept, self._targets, strict=True):
            if isinstance(target, str):
                frame = frames[self.figure.index(target)]
                out.append(frame[:3, :3] @ np.array(_aim(kept).target_at) + frame[:3, 3])
            else:
                out.append(np.array(target, float))
        return out

    def _beside_of(self, k: int, place: np.ndarray, q: np.ndarray, side: float) -> np.ndarray:
        """(3,) a place beside that of the look number k, level with it."""
        if k < len(self.held):
            joint = self.held[k].joint
        else:
            joint = _aim(self._looks.kept[k - len(self.held)]).joint
        frames = self.figure.frames(q)
        head = frames[self.figure.index(joint), :3, 3]
        base = frames[self.figure.index(known_body(self.figure)["hips"]), :3, 3]
        across = np.cross(head - base, place - head)
        length = float(np.linalg.norm(across))
        if length < 1e-9:
            return place
        far = float(np.linalg.norm(place - head))
        return place + across * (side * ASIDE * far / length)

    def _put(self, places: Sequence[np.ndarray]) -> None:
        for runner in (self._with_pull, self._without_pull, self._trunk, self._whole):
            for k, place in enumerate(places):
                if runner is not None:
                    runner.problem.set_target(k, target=place)

"""A person's goals solved twice: with a light pull to the pose in which a drag began, then without.

So a drag is a function of where the hand is, not of how it came there: from the last answer the
target is solved for with the pull until that is settled, and then polished without it, so that it
is met exactly.  Going back with the hand brings the pose back.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from limbik.maths.quaternions import angle_between
from limbik.methods.base import OUT_F, OUT_ITERATIONS, REACHED, SPENT, STATIONARY, STUCK
from limbik.poser.document.effector import Effector
from limbik.poser.drag.answer import Answer, build_answer
from limbik.poser.drag.drag_goals import DragGoals
from limbik.poser.drag.goals_of_effectors import put_place
from limbik.poser.drag.limbs import bent_limb, starts
from limbik.poser.drag.low_points import FLOOR
from limbik.poser.drag.posture import ENOUGH, ENOUGH_AFTER_NATURAL, STANDING
from limbik.poser.drag.turn_limiter import UNBOUND, Bound, TurnLimiter
from limbik.solver.result import Miss, misses

NEAR, NEAR_AFTER_LEAP, THEN, THEN_AGAIN, LAST = 10, 40, 30, 8, 100
"""Iterations a drag may take with the pull, and without it (THEN_AGAIN where that came to nothing
in the last one); at its end LAST with it.  The next drag goes on from there."""

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

WAY, LEVER = 0.02, 3.0
"""Nor does a joint go further at once than this many sizes and so many times the way of the
target."""

TWISTED = 2.0
"""A pose that meets the goals is shown instead of the natural one unless it costs more than this
many times as much, pull and misses taken together: in everyday drags that is 1.0 to 1.6, and 3 to
14 where the hips turn by 30 degrees for the last centimetres."""

SHORTER = (0.8, 0.4, 0.2)
"""Parts of that way, one of which is gone where the pins take joints beyond it."""

SWINGS = "the figure swings over to another way of getting there; go on dragging"

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


class PulledSolver(DragGoals):
    """Goals of effectors made ready, and the pose that they were last solved to, ``q`` (n,)."""

    def __init__(self, *given: Any, **options: Any) -> None:
        """As ``DragGoals`` takes them."""
        super().__init__(*given, **options)
        self._ahead = self.q
        self._none = np.empty((0, self.figure.n + 1))
        self._turn_limiter = TurnLimiter(self.figure)
        self._was: Effector | None = None
        self._part: np.ndarray | None = None
        self.most = UNBOUND  # how far joints may turn and go in a step
        self._polished = True  # the last answer is not the natural pose
        self._trembles, self._last_f = False, math.inf
        self._strained = 0  # drags in a row that ended in a strained pose
        self._bend_after = self._bend_pause = 0  # drags until a straight limb is tried bent again

    def begin(self, q: Sequence[float] | np.ndarray) -> None:
        super().begin(q)
        self._ahead = self.q

    def step(self) -> Step | None:
        """Solve for the goals as they stand, from the last answer on, in few iterations; None where
        nothing is held."""
        moved, turned = self._moved()
        near = NEAR if moved < LEAP else NEAR_AFTER_LEAP
        self.most = most = self._bound(moved, turned)
        self._trembles = moved < TREMBLE and turned < TREMBLE
        then = THEN if self._polished else THEN_AGAIN
        return self._solved(near, then if self._quick else None, most)

    def last_step(self) -> Step | None:
        """The same with all the iterations that the method takes, for the end of a drag: without
        the pull, or with that of a body's posture."""
        return self._solved(0 if self.posture is None else LAST, None, UNBOUND)

    def go_back(self) -> None:
        """Go on from the last pose that was solved for, though another one was shown."""
        self.q = self._ahead

    def turned_at_most(self, step: Step, before: np.ndarray, most: Bound) -> Step:
        """The step; where a joint turns or goes further than ``most`` from the pose ``before``
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

    def report(self, step: Step | None) -> Answer:
        """The answer to a step, measured at the targets themselves, however far away they are; how
        the goals stand where nothing was solved."""
        assert self._without_pull is not None
        problem = self._without_pull.problem
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
        # The floor is reported only where something is below it, and standing by its sentence.
        reported = (answer.goals[:, 0] != FLOOR) | (answer.goals[:, 3] == 0.0)
        reported &= answer.goals[:, 0] != STANDING
        return answer if reported.all() else replace(answer, goals=answer.goals[reported])

    # ---- solving ---------------------------------------------------------------------------

    def _solved(self, near: int, then: int | None, most: Bound) -> Step | None:
        if self._without_pull is None:
            return None
        began = time.perf_counter()
        q, iterations = self._ahead.copy(), 0
        if near and self._with_pull is not None:
            pulled = self._with_pull.problem
            if pulled.objective(self.home) < pulled.objective(q):
                q[:] = self.home  # the target came back at once
            iterations = self._pulled(q, near)
        natural, before = q.copy(), self._without_pull.problem.objective(q)
        code, totals = self._without_pull.run(q, 0, self._none, then)
        iterations += int(totals[OUT_ITERATIONS])
        calm = min(_CALM * before, _STILL * self._last_f) if self._trembles else _CALM * before
        self._last_f = totals[OUT_F]
        if code == SPENT and totals[OUT_F] > calm:
            code = STATIONARY
        enough = ENOUGH if self._polished else ENOUGH_AFTER_NATURAL
        self._polished = self.posture is None or code == REACHED or totals[OUT_F] <= enough * before
        if self._polished and self._twists(natural, q):
            self._polished = False
            code = STATIONARY if code == REACHED else code
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

    def _twists(self, natural: np.ndarray, q: np.ndarray) -> bool:
        """Whether a body would twist itself to meet in the pose q (n,) what it nearly meets in its
        natural one."""
        if self.posture is None or self._with_pull is None or self.dragged is None:
            return False
        pulled = self._with_pull.problem
        least = max(TWISTED * pulled.objective(natural), self.posture.strained(pulled))
        return pulled.objective(q) > least

    def _pulled(self, q: np.ndarray, near: int) -> int:
        """Solve with the pull from q (n,), in place; returns the iterations.  A straight limb is
        also tried a little bent, and the better pose taken."""
        assert self._with_pull is not None
        straight = q.copy()
        _, totals = self._with_pull.run(q, 0, self._none, near)
        iterations = int(totals[OUT_ITERATIONS])
        posture = self.posture if self.dragged is not None else None
        strain = math.inf if posture is None else posture.strained(self._with_pull.problem)
        self._bend_after -= 1
        due = self._bend_after < 0 or near == LAST
        if (
            due
            and posture is not None
            and self.dragged is not None
            and totals[OUT_F] > LITTLE * strain
        ):
            bent = bent_limb(self.figure, self._effector(self.dragged).joint, straight)
            self._bend_pause = 0 if bent is None else min(2 * self._bend_pause + 1, OFTEN)
            if bent is not None:
                bent[self._fixed] = straight[self._fixed]
                _, more = self._with_pull.run(bent, 0, self._none, near)
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
        assert self._with_pull is not None
        assert self.posture is not None
        assert self.dragged is not None
        dragged = self._effector(self.dragged)
        iterations, best, limb = 0, CLEARLY * f, self._limb_runner(dragged)
        for other in starts(self.figure, dragged.joint, self.home):
            other[self._fixed] = self.home[self._fixed]
            if limb is not None:
                _, totals = limb.run(other, 0, self._none, NEAR_AFTER_LEAP)
                iterations += int(totals[OUT_ITERATIONS])
                if totals[OUT_F] > (NEARLY * self.figure.size) ** 2:
                    continue
            code, totals = self._with_pull.run(other, 0, self._none, NEAR_AFTER_LEAP // 2)
            iterations += int(totals[OUT_ITERATIONS])
            if code == SPENT and totals[OUT_F] <= HOPELESS * f:
                _, totals = self._with_pull.run(other, 0, self._none, NEAR_AFTER_LEAP // 2)
                iterations += int(totals[OUT_ITERATIONS])
            if np.isfinite(other).all() and totals[OUT_F] < best:
                q[:], best = other, totals[OUT_F]
                self._strained = 0
        return iterations

    def _swung(self, q: np.ndarray, most: Bound, then: int | None) -> tuple[np.ndarray, int]:
        """(pose, exit code) part of the way to q, and from there to the goals where they are no
        further away, or to all but the dragged one; the next drag goes on towards q."""
        assert self._without_pull is not None
        self._part = part = self._turn_limiter.towards(self.q, q, most)
        met = part.copy()
        code, _ = self._without_pull.run(met, 0, self._none, then)
        if code == REACHED and np.isfinite(met).all():
            met = self.figure.project(met)
            if self._turn_limiter.within(self.q, met, most):
                return met, code
        self._part = met = self._with_pins(part, then)
        for share in SHORTER:
            if self._turn_limiter.within(self.q, met, most):
                break
            less = Bound(share * most.turn, share * most.way)  # the pins took it further
            part = self._turn_limiter.towards(self.q, q, less)
            self._part = met = self._with_pins(part, then)
        return met, SPENT

    def _with_pins(self, q: np.ndarray, then: int | None) -> np.ndarray:
        """(n,) the pose q with what is pinned where it is, and the dragged effector where q has
        it."""
        assert self._without_pull is not None
        k = _NONE if self.dragged is None else self._number(self.dragged)
        if k == _NONE or self.held[k].mode == "aim":
            return q
        held, met = self.held[k], q.copy()
        frame = self.figure.frames(q)[self.figure.index(held.joint)]
        put_place(self._without_pull.problem, k, frame[:3, :3] @ np.array(held.at) + frame[:3, 3])
        self._without_pull.run(met, 0, self._none, then)
        self._write(k)
        return self.figure.project(met) if np.isfinite(met).all() else q

    def _errors(self) -> tuple[Miss, ...]:
        """The error of every goal, measured at the targets themselves."""
        assert self._without_pull is not None
        self._put_far(there=True)
        errors = misses(self._without_pull.problem, self.q)
        self._put_far(there=False)
        return errors

    def _bound(self, moved: float, turned: float) -> Bound:
        """How far joints may turn and go where the target moved and turned so far."""
        # Turning a joint by itself swings what hangs on it: as far as that goes.
        way = (WAY + LEVER * (moved + turned)) * self.figure.size
        return Bound(TURN * max(1.0, moved / STEP) + turned, way)

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

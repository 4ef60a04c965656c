"""A drag: a person's goals and a method made ready, so that one drag after another is solved fast.

Pinned feet stay as they are.  Where that holds the dragged target back, the same goals are solved
with heels that may rise too, and the nearer of the two answers is shown.  A body's looks come last,
and turn its neck, and its trunk where that does not suffice (look_solver.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.goals import Avoid
from limbik.poser.document.effector import Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.answer import Answer, unheld
from limbik.poser.drag.drag_goals import PULL, Place
from limbik.poser.drag.looks.look_solver import LookSolver, looks_among
from limbik.poser.drag.low_points import floor_below
from limbik.poser.drag.posture import Posture
from limbik.poser.drag.pulled_solver import PulledSolver, Step
from limbik.solver.problem import Problem

__all__ = ["Answer", "DragSolver"]

HELD_BACK, HELD_BACK_LAST = 1e-3, 1e-4
"""Heels rise where the dragged target is further away than this (sizes; the second at the end of a
drag)."""

NEARER, NEARER_BY, STAY_RISEN = 0.1, 0.01, 0.5
"""Heels rise where that brings the dragged effector nearer by this part of what is missing, or by
so many sizes; for half of that gain they stay risen, so that they do not go up and down where both
are about as good."""

SELDOM, FURTHER = 8, 1.5
"""Where rising heels did not help, they are tried again after 1, 3 and then every SELDOM drags, or
where the target is FURTHER times as far away as then, and at the end."""


class DragSolver:
    """Goals and a method made ready: pins and aims always hold, and the dragged effector.

        solver = DragSolver(figure, document.effectors, 3, document.q)
        solver.drag((0.4, 1.2, 0.3)).why

    It is made when a drag begins (a few milliseconds) and thrown away when it ends.  To compare two
    methods, make a second one with the other method from the same pose and give it the same
    targets: ``pose_message(figure, answer.q, answer, ghost=other)``.  Each goes on from its own
    last answer, and neither knows of the other.
    """

    def __init__(
        self,
        figure: Figure,
        effectors: Iterable[Effector],
        dragged: int | None,
        q: Sequence[float] | np.ndarray,
        *,
        locked: Iterable[str] = (),
        method: str = "projected_lm",
        settings: Mapping[str, float | int | bool | str | None] | None = None,
        pull: float = PULL,
        goals: Sequence[KeptGoal] = (),
        posture: Posture | None = None,
    ) -> None:
        """``dragged`` is the id of the effector that is moved, or None; ``q`` (n,) the pose in
        which that begins; ``locked`` names joints that keep their values; ``pull`` is how much it
        counts to stay near q; ``goals`` hold always, beside those of the effectors; ``posture`` is
        how a body behaves.  Heels of pinned feet may rise at once where the hips are dragged, else
        where the target is held back otherwise.

        Raises LimbikError with a sentence where a goal cannot be asked, or where the method cannot
        solve for it.
        """
        self.figure, self.dragged = figure, dragged
        q = figure.single_pose(q, "the pose")
        effectors, locked = tuple(effectors), tuple(locked)
        looks = looks_among(figure, effectors, goals, dragged)
        self._looks: LookSolver | None = None
        if looks is not None:
            beside = [one.goal for one in goals if isinstance(one.goal, Avoid)]
            if posture is not None:
                beside += floor_below(posture, looks.turning | looks.trunk, q)
            self._looks = LookSolver(figure, looks, q, locked=locked, beside=beside)
            effectors = tuple(one for one in effectors if one not in looks.effectors)
            goals = [one for one in goals if one not in looks.kept]
        # The target of a look is dragged: the body has nothing to do.
        self._only_looks = dragged is not None and self._looks_with(dragged) is not None
        self._body_dragged = None if self._only_looks else dragged
        self._make = partial(
            PulledSolver,
            figure,
            dragged=self._body_dragged,
            locked=locked,
            method=method,
            settings=dict(settings or {}),
            pull=pull,
            goals=goals,
            posture=posture,
        )
        self._flat = self._shown = self._make(effectors=effectors, q=q)
        self._risen: PulledSolver | None = None  # the same goals with heels that may rise
        self._after = self._pause = 0  # drags until they are tried again
        self._in_vain = 0.0  # how far away the target was when they did not help

    @property
    def q(self) -> np.ndarray:
        """(n,) the pose of the last answer."""
        return self._shown.q if self._looks is None else self._looks.q

    @property
    def posture(self) -> Posture | None:
        """How a body behaves; None where the method cannot weigh that."""
        return self._flat.posture

    def begin(self, q: Sequence[float] | np.ndarray) -> None:
        """Go on from the pose ``q`` (n,), and let the next answers stay near it."""
        q = self.figure.single_pose(q, "the pose")
        self._flat.begin(q)
        if self._looks is not None:
            self._looks.begin(q)
        self._risen, self._shown = None, self._flat

    def drag(self, position: Place | None, wxyz: Place | None = None) -> Answer:
        """The pose for a new target of the dragged effector; None: as it was."""
        if self.dragged is None:
            raise GoalError("nothing is dragged")
        self.move(self.dragged, position, wxyz)
        return self.solve()

    def move(self, effector: int, position: Place | None, wxyz: Place | None = None) -> None:
        """Give an effector that is held a new target (the place aimed at, for one that aims).

        ``position`` (3,) and ``wxyz`` (4,) in the world; None: as it was.  The first ``wxyz`` makes
        a goal of its orientation too.
        """
        looks = self._looks_with(effector)
        if looks is not None:
            looks.move(effector, position)
        else:
            self._flat.move(effector, position, wxyz)

    def solve(self) -> Answer:
        """The answer to the goals as they stand, from the last answer on, in few iterations."""
        if self._only_looks:
            return self._looking(self._as_posed())
        before = self._flat.q
        if self._shown is not self._flat:
            self._flat.go_back()
        return self._looking(self._nearer(self._flat.step(), before, last=False))

    def finish(self) -> Answer:
        """The same with all the iterations that the method takes, for the end of a drag: without
        the pull, or with that of a body's posture."""
        if self._only_looks:
            return self._looking(self._as_posed())
        before = self._flat.q
        return self._looking(self._nearer(self._flat.last_step(), before, last=True))

    def report_pose(self) -> Answer:
        """How the goals stand in the present pose; nothing is solved."""
        answer = self._as_posed()
        return answer if self._looks is None else self._looks.stands(answer)

    @property
    def feet_on_balls(self) -> frozenset[int]:
        """Ids of the pinned feet that stand on their balls, so that their heels may rise."""
        return frozenset(self._shown.stands)

    @property
    def problems(self) -> tuple[Problem, Problem] | None:
        """The goals as they stand, without the pull and with it where there is one; None where
        nothing is held."""
        return self._shown.problems

    def sinks(self, q: np.ndarray) -> bool:
        """Whether a point that the floor does not hold yet is below it in the pose q (n,); from
        then on ``problems`` hold it."""
        return self._shown.sinks(q)

    def _looks_with(self, effector: int) -> LookSolver | None:
        """What solves for the looks, where an effector is one of them."""
        looks = self._looks
        return looks if looks is not None and looks.has(effector) else None

    def _as_posed(self) -> Answer:
        """How the goals of the body stand in its present pose."""
        shown = self._shown
        return unheld(shown.q) if shown.problems is None else shown.report(None)

    def _looking(self, answer: Answer) -> Answer:
        """An answer of the body with its looks turned to what they are to see."""
        if self._looks is None:
            return answer
        self._looks.turned(answer.q)
        return self._looks.report(answer, first=self._only_looks)

    def _nearer(self, step: Step | None, before: np.ndarray, *, last: bool) -> Answer:
        """The answer to a step, or that with heels that rise where it holds the dragged target
        back; ``before`` (n,) is the pose that was shown."""
        flat, was_risen, self._shown = self._flat, self._shown is not self._flat, self._flat
        if step is None:
            return unheld(flat.q)
        other = self._risen_step(step, before, was_risen, last=last)
        if self._risen is not None and other is not None:
            if not last:
                other = self._risen.turned_at_most(other, before, flat.most)
            self._shown, flat.q = self._risen, self._risen.q
            ms, iterations = step.ms + other.ms, step.iterations + other.iterations
            return self._risen.report(other._replace(ms=ms, iterations=iterations))
        if was_risen and not last:
            step = flat.turned_at_most(step, before, flat.most)
        return flat.report(step)

    def _risen_step(
        self, step: Step, before: np.ndarray, was_risen: bool, *, last: bool
    ) -> Step | None:
        """The step with heels that rise, where it is clearly nearer than ``step``."""
        if self._body_dragged is None:
            return None
        short = self._flat.error_of(self._body_dragged, step)
        worth = self._is_worth_rising(short, was_risen, last=last)
        risen = self._with_heels(before) if worth else None
        other = None if risen is None else risen.last_step() if last else risen.step()
        if risen is None or other is None:
            return None
        gain = min(NEARER * short, NEARER_BY * self.figure.size)
        gain *= STAY_RISEN if was_risen else 1.0
        if not short - risen.error_of(self._body_dragged, other) > gain:
            self._pause = min(2 * self._pause + 1, SELDOM)
            self._after, self._in_vain = self._pause, short
            return None
        self._pause = self._after = 0
        return other

    def _is_worth_rising(self, short: float, was_risen: bool, *, last: bool) -> bool:
        """Whether heels that rise are to be tried where the dragged target is ``short``."""
        self._after -= 1
        due = last or was_risen or self._after < 0 or short > FURTHER * self._in_vain
        return due and short > (HELD_BACK_LAST if last else HELD_BACK) * self.figure.size

    def _with_heels(self, before: np.ndarray) -> PulledSolver | None:
        """The goals as they stand with heels that may rise, from the pose ``before`` (n,) on; None
        where no foot is pinned that does not stand so already."""
        flat = self._flat
        if flat.posture is None or flat.heels_rise:
            return None
        if self._risen is None:
            still = [e for e in flat.held if e.id not in flat.moved_pins]
            if flat.posture.standing(still, self._body_dragged, flat.home) <= flat.stands:
                return None
            self._risen = self._make(effectors=flat.now(flat.held), q=flat.home, heels_rise=True)
        for mine, its in zip(flat.held, tuple(self._risen.held), strict=True):
            if mine != its:
                self._risen.move(mine.id, mine.position, mine.wxyz)
        self._risen.q = before
        return self._risen

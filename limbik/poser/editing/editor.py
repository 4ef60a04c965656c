"""What a session works on: a document with its history, its figure, and the drag under way.

Not a word of messages: session.py has those.  Commands are functions of the session, and what they
have in common is here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from limbik.errors import LimbikError
from limbik.poser.animation.auto_key import recorded
from limbik.poser.animation.in_betweens import Moments
from limbik.poser.document.document import Choice, Document
from limbik.poser.document.effector import Vec3, Vec4
from limbik.poser.document.history import History
from limbik.poser.document.prop import Prop
from limbik.poser.document.timeline.unkeyed import at_frame
from limbik.poser.drag.answer import Answer
from limbik.poser.drag.drag_solver import DragSolver
from limbik.poser.drag.effector_targets import also_held, anchored
from limbik.poser.drag.looks.look_goals import looked_at
from limbik.poser.drag.method_choice import COMPILING, SOON, is_ready, prepare
from limbik.poser.editing.gestures import Dragging, Sliding, after_solve, drag_solver_of
from limbik.poser.editing.offer import Offer
from limbik.poser.editing.open_document import OpenDocument
from limbik.poser.editing.other_figures import OtherFigures
from limbik.poser.editing.prop_gestures import PropDragging, taken
from limbik.poser.editing.symmetric import SymmetricDragging, twin_of


class Editor(OpenDocument):
    """A document being worked on; ``folder`` is where its files lie.

    ``answer`` is what the last solve said of the pose that is shown, ``ghost`` what the method
    compared with said; None where nothing is known.  ``notify`` takes a sentence for the person
    while something is still at work, ``report_preparing`` one about what is being compiled, and an
    empty one when that is ready.  ``dirty`` counts changes that are worth keeping, ``revision`` all
    of them.
    """

    def __init__(self, document: Document, folder: Path) -> None:
        super().__init__(document, folder)
        self.moments = Moments()
        self.other_figures = OtherFigures()
        self.dirty = self.revision = 0
        self.symmetric = False  # dragging one side moves the other likewise
        self.notify: Callable[[str], None] = lambda sentence: None
        self.report_preparing: Callable[[str], None] = lambda sentence: None
        self.gesture: Dragging | PropDragging | Sliding | None = None
        self.answer: Answer | None = None
        self.ghost: Answer | None = None
        self._offer: Offer | None = None
        self._held: int | None = None  # the effector that a command gave a target

    @property
    def offer(self) -> Offer | None:
        """A better pose that is looked for or offered, for as long as nothing else is done."""
        offer = self._offer
        return None if offer is None or offer.document is not self.document else offer

    # ---- keeping order ---------------------------------------------------------------------

    def changed(self) -> None:
        self.dirty += 1
        self.revision += 1

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of a command or nothing of it."""
        before, gesture, answer, ghost = self.document, self.gesture, self.answer, self.ghost
        steps = self.history.past, self.history.future
        try:
            yield
        except BaseException:
            self.document, self.gesture = before, gesture
            self.answer, self.ghost = answer, ghost
            self.history = History(*steps)
            raise

    def reanchor_free_effectors(self) -> None:
        """Free effectors are where their joints are, but for one that was just given a target."""
        document = self.document
        free = anchored(self.figure, document.effectors, document.q, modes=("free",))
        kept = tuple(
            old if old.id == self._held else new
            for old, new in zip(document.effectors, free, strict=True)
        )
        if kept != document.effectors:
            self.document = replace(document, effectors=kept)

    # ---- drags -----------------------------------------------------------------------------

    def grab(self, id: int) -> None:
        """Begin to drag an effector, which ends whatever else is under way."""
        self.drop()
        floor = self.opened.floor
        prop = self.document.scene.prop(id)
        if prop is not None:
            self.ready(self.document.method)
            self.gesture = PropDragging(self.figure, self.document, prop, floor)
            return
        effector = self.effector(id)
        if effector.joint in self.document.fk:
            raise LimbikError(
                f"{effector.joint} is on a limb that is turned joint by joint (FK): turn its "
                "joints with the rings (R), or set the limb to IK."
            )
        if effector.look:  # whoever drags the target takes it off what it was tied to
            place = looked_at(self.figure, self.document, effector)
            effector = replace(effector, look="", position=place)
            effectors = tuple(effector if e.id == id else e for e in self.document.effectors)
            self.document = replace(self.document, effectors=effectors)
        self.ready(self.document.method)
        if self.document.compare is not None:
            self.ready(self.document.compare)
        mirror = self.figure_cache.mirror(self.document) if self.symmetric else None
        if mirror is not None:
            twin = twin_of(self.figure, self.document, effector, mirror)
            if twin is not effector:
                self.gesture = SymmetricDragging(
                    self.figure, self.document, effector, twin, mirror, self.hands, floor
                )
                return
        self.gesture = Dragging(self.figure, self.document, effector, self.hands, floor)

    def slide(self, coordinate: int, value: float) -> None:
        """Move one coordinate, as a slider does; pins stay put as well as the others allow."""
        gesture = self._sliding(self.figure.joints[self.figure.owner[coordinate]])
        self.document, self.answer = gesture.to(self.document, coordinate, value)
        self.ghost = None

    def turn(self, joint: str, wxyz: Vec4) -> None:
        """Turn one joint to an orientation in the world, as rings do; pins likewise."""
        gesture = self._sliding(joint)
        self.document, self.answer = gesture.turn(self.document, wxyz)
        self.ghost = None

    def _sliding(self, joint: str) -> Sliding:
        """The gesture that moves a joint by itself, begun where it is not under way."""
        if not isinstance(self.gesture, Sliding) or self.gesture.joint != joint:
            self.drop()
            self.ready(self.document.method)
            self.gesture = Sliding(self.figure, self.document, joint)
        return self.gesture

    def drop(self) -> None:
        """End the drag that is under way, if there is one: one step of the history."""
        gesture, self.gesture = self.gesture, None
        if gesture is None or self.document == gesture.before:
            return
        dragged: tuple[int, ...] = ()
        try:
            if isinstance(gesture, Dragging):
                self.document, self.answer, self.ghost = gesture.end(self.document)
                dragged = (gesture.effector, *gesture.also)
            elif isinstance(gesture, PropDragging):
                self.document, self.answer, self.ghost = gesture.end(self.document)
            self._edited(dragged)
        except LimbikError:
            self.document, self.answer, self.ghost = gesture.before, None, None
            raise
        self.history.did(gesture.label, gesture.before)
        self.changed()
        if isinstance(gesture, Dragging) and self.answer is not None:
            self._offer = Offer(self.document, self.answer, gesture.effector, gesture.other_starts)

    def take_offer(self) -> None:
        """Take the pose that is offered."""
        offer = self.offer
        if offer is None or offer.better is None:
            raise LimbikError("No other pose is offered any more.")
        self.document = replace(self.document, q=offer.better.q)
        self.solve(offer.effector)

    def refuse_offer(self) -> None:
        """Go on without the pose that is offered."""
        self._offer = None

    def drag(self, id: int, position: Vec3 | None, wxyz: Vec4 | None) -> None:
        """Draw an effector to a place and a turn, of which one may be None: as it was."""
        if not isinstance(self.gesture, Dragging | PropDragging) or self.gesture.effector != id:
            self.grab(id)
        assert isinstance(self.gesture, Dragging | PropDragging)
        self.document, self.answer, self.ghost = self.gesture.to(self.document, position, wxyz)
        self.changed()

    # ---- poses -----------------------------------------------------------------------------

    def solve(self, dragged: int | None = None) -> None:
        """Solve for what is pinned and aimed, and for the effector ``dragged`` as if a person held
        it; over a clip the answer is an edit."""
        self.ready(self.document.method)
        live = drag_solver_of(self.figure, self.document, dragged, floor=self.opened.floor)
        answer = live.solve()
        answer = live.finish() if answer.status is not None else answer
        feet = tuple(after_solve(live, effector, answer.q) for effector in self.document.effectors)
        self.document = replace(self.document, q=answer.q, effectors=feet)
        self.answer, self.ghost, self._held = answer, None, dragged
        self._edited(() if dragged is None else (dragged,))

    def hold_prop(self, prop: Prop, joints: Sequence[str]) -> None:
        """Let joints go to a prop and hold it; over a clip the pose is an edit."""
        self.ready(self.document.method)
        self.document, self.answer = taken(
            self.figure, self.document, prop, joints, self.opened.floor
        )
        self.ghost = None
        self._edited(())

    def pose(self, q: np.ndarray, *, anchor: bool = True) -> None:
        """Take the pose q (n,), brought inside the limits; over a clip it is an edit.

        Effectors that are free or pinned come along, unless ``anchor`` is False.
        """
        q = self.figure.project(q)
        effectors = self.document.effectors
        if anchor:
            kept = (replace(e, placed=False) if e.placed else e for e in effectors)
            effectors = anchored(self.figure, kept, q)
        self.document = replace(self.document, q=q, effectors=effectors)
        self.answer = self.ghost = None
        self._edited(())

    def refit(self) -> None:
        """After limits were changed: the pose inside them, with pins held if that is possible."""
        q = self.figure.project(self.document.q)
        if np.array_equal(q, self.document.q):
            self.answer = self.ghost = None
            return
        self.document = replace(self.document, q=q)
        self.ready(self.document.method)
        self.answer, self.ghost = self._solver().solve(), None
        self.document = replace(self.document, q=self.answer.q)

    def _solver(self) -> DragSolver:
        """What is pinned and aimed, made ready to solve."""
        return drag_solver_of(self.figure, self.document, None, floor=self.opened.floor)

    def check(self) -> None:
        """Refuse a method that cannot solve for what is pinned and aimed."""
        self._solver()
        if self.document.compare is not None:
            drag_solver_of(self.figure, self.document, None, choice=self.document.compare)

    def _edited(self, dragged: tuple[int, ...]) -> None:
        """Keep the pose at the frame that is shown, where frames have poses of their own."""
        self.document = recorded(self.figure, self.document, dragged)

    def ready(self, choice: Choice) -> None:
        """Compile a method where that was not done yet; the page is told where it takes a while."""
        if is_ready(choice.name):
            return
        late = threading.Event()

        def announce() -> None:
            late.set()
            self.report_preparing(COMPILING.format(choice.name))

        notice = threading.Timer(SOON, announce)
        notice.daemon = True
        notice.start()
        try:
            prepare(choice.name)
        finally:
            notice.cancel()
            notice.join()  # what it says comes before what is said here
            if late.is_set():
                self.report_preparing("")

    def poses_at(self, frames: Sequence[float]) -> np.ndarray:
        """(frames, n) the poses of the timeline; that of now where it has neither keys nor clip."""
        poses = np.empty((len(frames), self.figure.n))
        for row, frame in zip(poses, frames, strict=True):
            moment = self.moments.of(self.figure, self.document, frame)
            row[:] = self.document.q if moment is None else moment.q
        return poses

    def show(self, frame: float, *, playing: bool = False) -> None:
        """Stand at a frame of the timeline, in the pose that it has there; no step of the history.

        Pins and free effectors come along; what the keys hold is where they say.  An unkeyed pose
        of the frame is shown instead, unless the timeline is ``playing``.
        """
        document = self.other_figures.at(self.document, self.figure_cache, frame)
        figure = self.figure
        frame = min(max(frame, 0.0), float(document.timeline.last))
        unkeyed = None if playing else at_frame(document.unkeyed, frame)
        if unkeyed is not None:
            q, effectors = figure.project(unkeyed.q), unkeyed.effectors
            self.document = replace(document, q=q, effectors=effectors, frame=frame)
            self.answer = self.ghost = None
            self.revision += 1
            return
        moment = self.moments.of(figure, document, frame)
        if moment is None:
            self.document = replace(document, frame=frame)
        else:
            targets = moment.targets
            effectors = tuple(
                replace(e, position=targets[e.id].position, wxyz=targets[e.id].wxyz or e.wxyz)
                if e.id in targets and targets[e.id].mode == e.mode != "free"
                else anchored(figure, (e,), moment.q)[0]
                for e in document.effectors
            )
            self.document = replace(document, q=moment.q, effectors=effectors, frame=frame)
            answer = moment.answer
            goals = also_held(figure, effectors, moment.q, answer.goals)
            self.answer, self.ghost = replace(answer, goals=goals), None
        self.revision += 1

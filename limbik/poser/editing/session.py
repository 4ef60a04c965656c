"""One client's session: what comes in from its page, and what goes back.

The server gives every message to ``receive`` and sends back what that returns.  A command replaces
``document``; the session notices, keeps the old one for undo, and tells the page.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.poser.document import codec as document_json
from limbik.poser.document import figure_codec as figure_json
from limbik.poser.document.clip_files import ClipFiles
from limbik.poser.document.document import Document, Source
from limbik.poser.document.effector import Effector
from limbik.poser.document.history import History, Step
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.editing.background import BackgroundTask, Progress
from limbik.poser.editing.figure_cache import FigureCache
from limbik.poser.editing.page_messages import PageMessages
from limbik.poser.files.default_document import first_document
from limbik.poser.files.pose_library import PoseLibrary
from limbik.poser.protocol import commands
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.binary import Drag, Scrub
from limbik.poser.protocol.commands.registry import Command
from limbik.poser.protocol.inbox import Inbox
from limbik.poser.protocol.text import ProtocolError, note, text

_DURING = frozenset({"coordinate.set", "joint.turn", "frames", "samples", "offer.search"})
"""Commands that leave a drag under way; any other ends it."""

_NEUTRAL = frozenset({
    "undo", "redo", "grab", "drop", "coordinates.drop", "frames", "samples", "offer.search",
    "offer.refuse",
    "library.list", "library.store", "library.rename", "library.delete",
})  # fmt: skip
"""Commands after which a free effector keeps its last target."""


class Session(PageMessages):
    """What one client does.  The server sets ``notify``, and saves when ``dirty`` has changed.

    ``post`` takes a text message for the page from any thread, and ``wake`` asks for ``collect`` to
    be called, as messages are, when a task in the background has ended; the server sets both.
    """

    def __init__(self, document: Document, folder: Path, *, id: str = "") -> None:
        super().__init__(document, folder)
        self.id = id or secrets.token_urlsafe(16)
        self.command_id = 0  # of the command at work, which a binary message after it names
        self.post: Callable[[str], None] = lambda message: None
        self.wake: Callable[[], None] = lambda: None
        self.report_preparing = lambda sentence: self.post(text(msg.PreparingMessage(sentence)))
        self.library: PoseLibrary | None = None  # set by the server
        self.exported: Path | None = None  # folder of what is remembered of saved files, likewise
        self._inbox = Inbox()
        self._clips = ClipFiles(folder)

    # ---- making one ------------------------------------------------------------------------

    @classmethod
    def builtin(cls, name: str, folder: Path, *, id: str = "") -> Session:
        """A session with a built-in figure, "human" for instance."""
        return cls.of_source(Source("builtin", name), folder, id=id)

    @classmethod
    def of_files(cls, files: Sequence[str], folder: Path, *, id: str = "") -> Session:
        """A session with files that lie in its folder."""
        session = cls.builtin("human", folder, id=id)
        commands.figures.open_files(session, list(files))
        session.history, session.dirty = History(), 1
        return session

    @classmethod
    def of_figure(
        cls,
        figure: Figure,
        folder: Path,
        *,
        motions: Sequence[Motion] = (),
        meshes: Sequence[SkinnedMesh] = (),
        effectors: Sequence[Effector] | None = None,
        goals: Sequence[KeptGoal] = (),
        q: np.ndarray | None = None,
        id: str = "",
    ) -> Session:
        """A session with a figure in memory, which is written into its folder for a restart.

        ``effectors`` take the place of those a figure starts with; ``q`` (n,) that of its pose;
        ``goals`` are kept beside them.
        """
        name = f"memory-{secrets.token_hex(8)}.json"
        kept = figure_json.Kept(figure, tuple(motions), tuple(meshes))
        figure_json.write(folder / name, kept)
        session = cls.of_source(Source("memory", figure.name or "figure", (name,)), folder, id=id)
        document = session.document
        if effectors is not None:
            most = max((one.id for one in (*effectors, *goals)), default=0)
            document = replace(
                document, effectors=tuple(effectors), goals=tuple(goals), next_id=most + 1
            )
        if q is not None:
            document = replace(document, q=figure.project(q))
        free = anchored(session.figure, document.effectors, document.q, modes=("free",))
        session.document = replace(document, effectors=free)
        return session

    @classmethod
    def of_source(
        cls, source: Source, folder: Path, id: str = "", *, natural: bool = True
    ) -> Session:
        """A session with what a source names; its files lie below the folder already.

        A body in a file without limits gets anatomical ones unless ``natural`` is False.
        """
        folder.mkdir(parents=True, exist_ok=True)
        cache = FigureCache(folder)
        session = cls(first_document(source, cache.opened(source)), folder, id=id)
        session.figure_cache, session.dirty = cache, 1
        if natural:
            commands.limits.start_limited(session)
        return session

    def dump(self) -> dict[str, Any]:
        """Everything, as JSON; clips are written into the folder and named."""
        document, gesture = self.document, self.gesture
        past, future = self.history.past, self.history.future
        if gesture is not None and document is not gesture.before:
            # A drag whose end is not seen here can be undone all the same.
            past, future = (*past, Step(gesture.label, gesture.before)), ()
        now = document_json.Snapshot(document, past, future)
        return {"id": self.id, **document_json.dump(now, self._clips)}

    @classmethod
    def restore(cls, saved: dict[str, Any], folder: Path) -> Session:
        """The session that ``dump`` wrote."""
        files = ClipFiles(folder)
        now = document_json.load(saved, files)
        session = cls(now.document, folder, id=str(saved["id"]))
        session._clips = files
        session.history = History(now.past, now.future)
        if len(now.document.q) != session.figure.n:
            raise LimbikError("The saved pose does not fit the figure.")
        return session

    # ---- messages --------------------------------------------------------------------------

    def greeting(self) -> list[str | bytes]:
        """What a page gets when it connects: hello, figure, state, pose.  Numbers start anew."""
        self._inbox = Inbox()
        self.drop()
        self.history.end_merging()
        self.shown_figure = -1
        self.other_figures.sent.clear()
        return [self.hello(), *self.state_messages(), *self.progress_messages()]

    def receive(self, message: str | bytes) -> list[str | bytes]:
        """The answers to one message; ProtocolError where our page would never send such."""
        read = self._inbox.read(message)
        if isinstance(read, Drag):
            return self._drag(read)
        if isinstance(read, Scrub):
            return self._scrub(read)
        return self._command(read)

    def _command(self, message: dict[str, Any]) -> list[str | bytes]:
        command = commands.find(message["do"])
        arguments = command.arguments(message)
        self.extra, self.command_id, revision = [], message["id"], self.revision
        answer: dict[str, Any] = {}
        try:
            if command.name not in _DURING:
                self.drop()
            with self.transaction():
                answer = self._run(command, arguments)
        except ProtocolError:
            raise
        except LimbikError as error:
            # A drag may have been ended for it all the same.
            messages = self.state_messages() if self.revision != revision else []
            return [text(msg.Refusal(message["id"], str(error))), *messages]
        extra, self.extra = self.extra, []
        return [text(msg.Done(message["id"], True, **answer)), *self.state_messages(), *extra]

    def _run(self, command: Command, arguments: dict[str, Any]) -> dict[str, Any]:
        """Run a command, and keep the document before it where that changed."""
        before, solved, self._held = self.document, self.answer, None
        held = arguments.pop("held", False) if command.merges else False
        label = self._label(command, arguments)
        answer = command.run(self, **arguments) or {}
        if self.document is not before and self.answer is solved:
            self.answer = self.ghost = None  # it was about another pose, or other goals
        if command.name not in _NEUTRAL:
            self.reanchor_free_effectors()
        if self.document == before:
            self.document = before
            if not held:
                self.history.end_merging()
            return answer
        if label:
            merge = None
            if command.merges:
                merge = (command.name, label, arguments.get("effector"), *arguments)
            now = time.monotonic()
            self.history.did(label, before, merge=merge, seconds=now, held=held)
        self.changed()
        return answer

    def _label(self, command: Command, arguments: dict[str, Any]) -> str:
        if not isinstance(command.label, str):
            return command.label(self, arguments)
        words: dict[str, Any] = dict(arguments)
        if "joint" in arguments:
            words["joint"] = self.joint(arguments["joint"])
        if "effector" in arguments:
            words["effector"] = self.effector(arguments["effector"]).joint
        if "coordinate" in arguments:
            words["coordinate"] = self.coordinate(arguments["coordinate"])
        return command.label.format(**words)

    # ---- work in the background ------------------------------------------------------------

    def begin_task(
        self,
        label: str,
        work: Callable[[Progress], Any],
        apply: Callable[[Any], None],
        end: Callable[[], None] = lambda: None,
    ) -> None:
        """Do something that takes long in a thread of its own; its result is one step of the
        history.  ``end`` is called when nothing is needed of it any more."""
        if self.task is not None:
            end()
            raise LimbikError(f"{self.task.label} is still at work; cancel it first.")

        def notify(share: float) -> None:
            self.post(text(msg.ProgressMessage(msg.ProgressInfo(label, share))))

        self.task = BackgroundTask(
            label, work, apply, notify=notify, ready=lambda: self.wake(), end=end
        )
        self.task.start()
        self.also(text(msg.ProgressMessage(msg.ProgressInfo(label, 0.0))))

    def collect(self) -> list[str | bytes]:
        """What the page is told of a task that has ended; its result is taken."""
        task = self.task
        if task is None or task.running:
            return []
        self.task = None
        self.drop()
        before, sentence = self.document, ""
        try:
            with self.transaction():
                sentence = task.finish()
                if self.document is not before:
                    self.answer = self.ghost = None
                    self.history.did(task.label, before)
                    self.changed()
        except LimbikError as error:
            sentence = str(error)
        extra, self.extra = self.extra, []
        notes = [note(sentence)] if sentence else []
        return [text(msg.ProgressMessage(None)), *notes, *self.state_messages(), *extra]

    def _drag(self, drag: Drag) -> list[str | bytes]:
        notes = self._tried(lambda: self.drag(drag.effector, drag.position, drag.wxyz))
        # The page waits for this before it sends the next one.
        return [*notes, self.pose_message_of(drag.sequence)]

    def _scrub(self, scrub: Scrub) -> list[str | bytes]:
        notes = self._tried(lambda: (self.drop(), self.show(scrub.frame, playing=scrub.playing)))
        # While it plays, where it stands is not worth a file every two seconds.
        self.dirty += 0 if scrub.playing else 1
        others = self.other_figures.infos(self.document, self.figure_cache)
        moved = [text(msg.OthersMessage(others))] if others else []
        return [*notes, *moved, self.pose_message_of(scrub.sequence)]

    def _tried(self, work: Callable[[], object]) -> list[str | bytes]:
        """Do something or nothing; what hinders it is a note, for nobody waits for a reply."""
        try:
            with self.transaction():
                work()
        except LimbikError as error:
            return [note(str(error))]
        return []

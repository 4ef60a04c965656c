"""What a page is told of its session: who is there, the figure, the state, the pose, progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from limbik.figures import BUILT_IN
from limbik.poser.document.document import Choice, Document
from limbik.poser.drag.method_choice import preparing
from limbik.poser.editing.background import BackgroundTask
from limbik.poser.editing.editor import Editor
from limbik.poser.editing.gestures import drag_solver_of
from limbik.poser.editing.offer import offer_of
from limbik.poser.files.open import OPENS
from limbik.poser.protocol import commands
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.binary import pose_message
from limbik.poser.protocol.hands_info import hands_info
from limbik.poser.protocol.page_state import (
    advice_for,
    figure_of,
    methods_info,
    state_of,
)
from limbik.poser.protocol.text import text
from limbik.version import __version__

LARGEST_FILE = 200_000_000
"""Bytes that one upload may have."""


class PageMessages(Editor):
    """The part of ``Session`` that writes messages for the page."""

    largest: int = LARGEST_FILE
    id: str

    def __init__(self, document: Document, folder: Path) -> None:
        super().__init__(document, folder)
        self.task: BackgroundTask | None = None
        self.extra: list[str | bytes] = []  # messages that follow the reply at work
        self.shown_figure = -1  # the figure that the page has

    def hello(self) -> str:
        """Who is there, and what is still being prepared; sent again when that is done."""
        hello = msg.Hello(
            session=self.id,
            version=__version__,
            builtin=list(BUILT_IN),
            methods=methods_info(),
            largest=self.largest,
            opens=list(OPENS),
            preparing=preparing(self.document.method.name),
        )
        return text(msg.HelloMessage(hello))

    def progress_messages(self) -> list[str | bytes]:
        """How far the task in the background is, where there is one."""
        task = self.task
        if task is None:
            return []
        return [text(msg.ProgressMessage(msg.ProgressInfo(task.label, task.share)))]

    def also(self, message: str | bytes) -> None:
        """A message that follows the reply of the command at work."""
        self.extra.append(message)

    def state_messages(self) -> list[str | bytes]:
        """Figure (where the page has another), state and pose."""
        out: list[str | bytes] = []
        document, figure, body = (
            self.document,
            self.figure,
            self.figure_cache.body(self.document.source),
        )
        if self.shown_figure != self.figure_id:
            mirrors = self.figure_cache.mirror(document) is not None
            info = figure_of(figure, self.opened, figure_id=self.figure_id, mirrors=mirrors)
            out.append(text(msg.FigureMessage(info)))
            self.shown_figure = self.figure_id
        out += self.other_figures.drawn_by(document, self.figure_cache)
        state = state_of(
            document,
            figure,
            figure_id=self.figure_id,
            revision=self.revision,
            undo=self.history.undo_label,
            redo=self.history.redo_label,
            advice=advice_for(document, self.opened.figure, body, self.figure_cache.natural),
            offer=offer_of(self.offer),
            symmetric=self.symmetric,
            hands=hands_info(figure, self.hands, document.q),
            name=commands.several.name_of(document),
            others=self.other_figures.infos(document, self.figure_cache),
        )
        return [*out, text(msg.StateMessage(state)), self.pose_message_of(0)]

    def pose_message_of(self, sequence: int) -> bytes:
        """The pose that is shown, as the answer to the drag of that number (0: to none)."""
        if self.answer is None:
            self.answer = drag_solver_of(
                self.figure, replace(self.document, method=Choice()), None
            ).report_pose()
        offer = self.offer
        answer = self.answer if offer is None else offer.shown(self.answer)
        return pose_message(
            self.figure,
            self.document.q,
            answer,
            ghost=self.ghost if offer is None or offer.better is None else offer.better,
            sequence=sequence,
            frame=self.document.frame,
            revision=self.revision,
        )

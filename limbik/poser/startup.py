"""What a server starts with: the figure that a client gets who comes without a session."""

from __future__ import annotations

import struct
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from limbik.formats.names import check_name, is_built_in
from limbik.poser.document.document import Choice, Source
from limbik.poser.drag.method_choice import SOON, begin
from limbik.poser.editing.session import Session
from limbik.poser.files.companions import bring
from limbik.poser.files.exported import lay_record_beside
from limbik.poser.files.open import open_source
from limbik.poser.server.store import state_folder


class First:
    """A built-in figure by its name, or a file; LimbikError where it is neither or cannot be read.

    A file and what belongs to it is copied into the folder of every session, so that a session can
    be restored when the file is no longer there.
    """

    def __init__(self, name: str, *, natural: bool = True) -> None:
        """``natural`` is that of ``Session.of_source``."""
        check_name(name)
        self._natural = natural
        self._path = None if is_built_in(name) else Path(name)
        self._name = name
        if self._path is None:
            return
        with tempfile.TemporaryDirectory(prefix="limbik-") as folder:
            open_source(self._source(Path(folder)), Path(folder))

    def session(self, id: str, folder: Path) -> Session:
        """A fresh session."""
        if self._path is None:
            return Session.builtin(self._name, folder, id=id)
        return Session.of_source(self._source(folder), folder, id=id, natural=self._natural)

    def _source(self, folder: Path) -> Source:
        assert self._path is not None
        files = bring(self._path, folder)
        record = lay_record_beside(state_folder() / "exported", folder / files[0])
        if record is not None:
            files = (*files, record.relative_to(folder).as_posix())
        return Source("files", self._path.name, files)

    def prepare(self, then: Callable[[], None]) -> None:
        """Make everything ready for the first drag, in a thread, and call ``then``: with cold
        caches it takes a minute or two, and a page shall come up meanwhile.  ``then`` is called
        after a second too, because from then on a page has more to say."""

        def work() -> None:
            late = threading.Timer(SOON + 0.1, then)
            late.daemon = True
            late.start()
            try:
                drag_once()
            finally:
                late.cancel()
                then()

        begin(Choice().name)
        threading.Thread(target=work, name="limbik-warm", daemon=True).start()


def drag_once() -> None:
    """Drag the built-in human by the smallest way, which compiles all that a drag needs."""
    with tempfile.TemporaryDirectory(prefix="limbik-") as folder:
        session = Session.builtin("human", Path(folder))
        session.greeting()
        hand = session.document.effectors[0]
        drag = struct.pack("<BBHI7d", 1, 1, hand.id, 1, *hand.position, 1.0, 0.0, 0.0, 0.0)
        session.receive(drag)

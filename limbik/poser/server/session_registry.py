"""The sessions that are open, and who is connected to which.

A session opens when a client comes (restored from disk where it was kept) and closes when its
client goes: saved, then dropped.  All of this runs in the server's event loop; what takes time runs
in threads, at most one a session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from starlette.websockets import WebSocket

from limbik.errors import LimbikError
from limbik.poser.editing.session import Session
from limbik.poser.files.pose_library import PoseLibrary
from limbik.poser.server.autosave import Autosave
from limbik.poser.server.open_session import (
    OUR_MISTAKE,
    OpenSession,
    close,
    log,
    mistake,
    send,
    send_note,
)
from limbik.poser.server.store import Store
from limbik.poser.server.threads import Workers

MOST_SESSIONS = 64
TAKEN_OVER, ENDED = 4001, 4002
"""Close codes: opened in another window; closed by the program that showed it."""

Making = Callable[[str, Path], Session]
"""Makes a session for an id and a folder for its files; may take its time."""


class TooManyError(LimbikError):
    """As many sessions are open as the server keeps."""


class _Made(NamedTuple):
    session: Session
    restored: bool
    note: str = ""


class SessionRegistry:
    """All open sessions of a server; ``fresh`` makes those that are not on disk."""

    def __init__(self, store: Store, fresh: Making) -> None:
        self.store, self._fresh = store, fresh
        self.workers = Workers(MOST_SESSIONS + 8)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._open: dict[str, OpenSession] = {}
        self.library = PoseLibrary(store.root / "poses")
        self._autosave = Autosave(store, self.workers, self._open)

    def __len__(self) -> int:
        return len(self._open)

    @property
    def full(self) -> bool:
        """Whether as many are open as the server keeps."""
        return len(self._open) >= MOST_SESSIONS

    async def keep(self) -> None:
        """Save what changed, for as long as the server runs."""
        self.loop = asyncio.get_running_loop()
        await self._autosave.run()

    async def close(self) -> None:
        """Save everything and let go of it."""
        await self._autosave.save_all()
        self._open.clear()
        self.workers.close()

    # ---- coming and going --------------------------------------------------------------------

    def get(self, id: str) -> OpenSession | None:
        """An open session by its id."""
        open_session = self._open.get(id)
        return None if open_session is None or open_session.session is None else open_session

    async def enter(self, wanted: str, client: WebSocket) -> OpenSession:
        """The session that a client asked for, or a fresh one; who had it before is sent away."""
        open_session = self._open.get(wanted)
        if open_session is None:
            open_session = self._admit(wanted if self.store.has(wanted) else self.store.new_id())
        before, open_session.client = open_session.client, client
        if before is not None:
            reason = "This figure was opened in another window."
            self.workers.later(close(before, TAKEN_OVER, reason))
        async with open_session.lock:
            if open_session.session is None:
                try:
                    await self._load(open_session, self._fresh)
                except BaseException:
                    if open_session.client is client:
                        self._open.pop(open_session.id, None)
                    raise
        return open_session

    async def leave(self, open_session: OpenSession, client: WebSocket) -> None:
        """A client is gone: its session is saved and dropped, unless another client has it now."""
        if open_session.client is client:
            await self._leave(open_session, client)

    async def hold(self, make: Making) -> OpenSession:
        """Open a session that stays open without a client, until ``release``."""
        open_session = self._admit(self.store.new_id())
        open_session.held = True
        async with open_session.lock:
            try:
                await self._load(open_session, make)
            except BaseException:
                self._open.pop(open_session.id, None)
                raise
        return open_session

    async def release(self, open_session: OpenSession) -> None:
        """Close a held session; its client, if it has one, is told."""
        open_session.held = False
        client = open_session.client
        if client is not None:
            self.workers.later(
                close(client, ENDED, "The program that showed this figure closed it.")
            )
        await self._leave(open_session, client)

    async def _leave(self, open_session: OpenSession, client: WebSocket | None) -> None:
        async with open_session.lock:
            await self._autosave.save(open_session)
            if open_session.client is not client:
                return  # somebody came while it was being saved
            if open_session.held:
                open_session.client = None
                return
            await self.workers.do(self.store.forget_if_empty, open_session.id)
            if open_session.client is client:
                if open_session.session is not None and open_session.session.task is not None:
                    open_session.session.task.cancel()  # nobody is left who wants it
                self._open.pop(open_session.id, None)
            else:
                self.store.files(open_session.id)

    def _admit(self, id: str) -> OpenSession:
        if self.full:
            raise TooManyError(
                f"{MOST_SESSIONS} figures are open in this server, which is all it keeps; close "
                "one and try again."
            )
        open_session = self._open[id] = OpenSession(id)
        return open_session

    # ---- opening -----------------------------------------------------------------------------

    async def _load(self, open_session: OpenSession, fresh: Making) -> None:
        made = await self.workers.do(self._made, open_session.id, fresh)
        loop = asyncio.get_running_loop()

        def notify(sentence: str) -> None:
            if not loop.is_closed():  # what compiles may outlive the server
                loop.call_soon_threadsafe(send_now, sentence)

        def send_now(sentence: str) -> None:
            self.workers.later(send_note(open_session.client, sentence))

        def post(message: str) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(post_now, message)

        def post_now(message: str) -> None:
            if open_session.client is not None:
                self.workers.later(send(open_session.client, message))

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(lambda: self.workers.later(self._collect(open_session)))

        session = open_session.session = made.session
        session.notify, session.post, session.wake = notify, post, wake
        session.library, session.exported = self.library, self.store.root / "exported"
        # A figure in files is saved at once, a built-in one when something is done to it.
        on_disk = made.restored or not any(session.folder.iterdir())
        open_session.saved = session.dirty if on_disk else -1
        open_session.notes = [sentence for sentence in (self.store.note, made.note) if sentence]

    def _made(self, id: str, fresh: Making) -> _Made:
        """A session from disk, or a fresh one with a sentence why it is fresh."""
        self.store.touch(id)
        folder = self.store.files(id)
        try:
            saved = self.store.load(id)
            if saved is not None:
                return _Made(Session.restore(saved, folder), restored=True)
        # Whatever a damaged file makes of itself: the person gets a figure, and the file is kept.
        except Exception as error:
            aside = self.store.put_aside(id)
            log.warning("session %s cannot be read; it is kept as %s", id, aside, exc_info=error)
            note = (
                f"What you did before cannot be read ({error}). It was put aside as {aside.name}, "
                "and this is a fresh start."
            )
            return _Made(fresh(id, folder), restored=False, note=note)
        return _Made(fresh(id, folder), restored=False)

    # ---- messages ----------------------------------------------------------------------------

    async def receive(
        self, open_session: OpenSession, client: WebSocket, message: str | bytes
    ) -> list[str | bytes] | None:
        """What the session answers to a message; None when the client has lost the session."""
        async with open_session.lock:
            if open_session.client is not client or open_session.session is None:
                return None
            return await self.workers.do(open_session.session.receive, message)

    async def _collect(self, open_session: OpenSession) -> None:
        """Give a session what its task in the background made, and tell the page."""
        async with open_session.lock:
            session, client = open_session.session, open_session.client
            if session is None or self._open.get(open_session.id) is not open_session:
                return
            answers = await self.workers.do(session.collect)
        if client is not None:
            for answer in answers:
                await send(client, answer)

    def hello_again(self) -> None:
        """Tell every page anew who is there, because something is ready now; from any thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._hello_again)

    def _hello_again(self) -> None:
        for open_session in self._open.values():
            if open_session.client is None or open_session.session is None:
                continue
            try:
                hello = open_session.session.hello()
            except Exception as error:  # the others are told all the same
                log.exception("session %s has no hello", open_session.id)
                self.workers.later(close(open_session.client, OUR_MISTAKE, mistake(error)))
            else:
                self.workers.later(send(open_session.client, hello))

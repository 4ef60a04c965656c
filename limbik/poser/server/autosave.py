"""Open sessions are saved: every two seconds, when a client goes, when the server ends."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping

from limbik.poser.server.open_session import OpenSession, log, send_note
from limbik.poser.server.store import Store
from limbik.poser.server.threads import Workers

SAVED_EVERY = 2.0  # seconds
TOUCHED_EVERY = 60.0
CLEANED_EVERY = 3600.0
LAST_SAVE = 0.4  # seconds that ending waits for what is being written


class Autosave:
    """Saves the sessions of ``open_sessions``, by their ids, which others open and close."""

    def __init__(
        self, store: Store, workers: Workers, open_sessions: Mapping[str, OpenSession]
    ) -> None:
        self._store, self._workers, self._open_sessions = store, workers, open_sessions

    async def run(self) -> None:
        """Save what changed, for as long as the server runs; clean old sessions away."""
        touched = cleaned = -math.inf
        while True:
            now = time.monotonic()
            await asyncio.gather(*(self._between(one) for one in [*self._open_sessions.values()]))
            try:
                if now - touched > TOUCHED_EVERY:
                    touched = now
                    for id in [*self._open_sessions]:
                        await self._workers.do(self._store.touch, id)
                if now - cleaned > CLEANED_EVERY:
                    cleaned = now
                    await self._workers.do(self._store.clean, self._open_sessions)
            except OSError as error:
                log.warning("old sessions cannot be cleaned away: %s", error)
            await asyncio.sleep(SAVED_EVERY)

    async def _between(self, open_session: OpenSession) -> None:
        """Write a session where it changed, read between two messages.

        One at work for long is not waited for: documents never change, so that what is read while
        a command runs is the document before it or the one after.
        """
        if open_session.unsaved:
            still = await _taken(open_session.lock, SAVED_EVERY)
            await self.save(open_session, open_session.lock.release if still else _nothing)

    async def save(self, open_session: OpenSession, read: Callable[[], None] | None = None) -> None:
        """Write a session where it changed; ``read`` is called once it need not stand still."""
        read = read or _nothing
        async with open_session.saving:
            session = open_session.session
            if session is None or not open_session.unsaved:
                read()
                return
            changes = session.dirty
            try:
                try:
                    saved = await self._workers.do(session.dump)
                finally:
                    read()
                await self._workers.do(self._store.save, open_session.id, saved)
            # A disk that refuses, or a document that cannot be written: the others are saved still.
            except Exception as error:
                self._complain(open_session, error)
            else:
                open_session.saved, open_session.complained = changes, False

    def _complain(self, open_session: OpenSession, error: Exception) -> None:
        """Tell the person once that a session cannot be saved."""
        if not open_session.complained:
            log.warning("session %s cannot be saved", open_session.id, exc_info=error)
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            why = cause.strerror if isinstance(cause, OSError) else str(error)
            self._workers.later(
                send_note(open_session.client, f"What you do cannot be saved: {why}.")
            )
        open_session.complained = True

    async def save_all(self) -> None:
        """Save everything once more; quickly, because somebody pressed Ctrl-C."""
        loop = asyncio.get_running_loop()
        end = loop.time() + LAST_SAVE
        for open_session in [*self._open_sessions.values()]:
            # What is still being written is older and must not come last.
            if not await _taken(open_session.saving, max(end - loop.time(), 0.0)):
                log.warning("session %s was still being saved at the end", open_session.id)
                continue
            # Here and not in a thread: nothing else is left to do.
            if open_session.session is not None and open_session.unsaved:
                try:
                    self._store.save(open_session.id, open_session.session.dump())
                except Exception as error:  # the others are saved still
                    self._complain(open_session, error)


def _nothing() -> None:
    """What is done where nothing was held."""


async def _taken(lock: asyncio.Lock, seconds: float) -> bool:
    """Whether a lock could be had in some seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await lock.acquire()
    except TimeoutError:
        return False

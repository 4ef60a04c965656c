"""Open sessions are saved: every two seconds, when a client goes, when the server ends."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping

from limbik.poser.server.connection import OpenSession, log, send_note
from limbik.poser.server.store import Store
from limbik.poser.server.threads import Workers

SAVED_EVERY = 2.0  # seconds
TOUCHED_EVERY = 60.0
CLEANED_EVERY = 3600.0
LAST_SAVE = 0.4  # seconds that ending waits for what is being written


class Autosave:
    """Saves the sessions of ``residents``, by their ids, which others open and close."""

    def __init__(
        self, store: Store, workers: Workers, residents: Mapping[str, OpenSession]
    ) -> None:
        self._store, self._workers, self._residents = store, workers, residents

    async def run(self) -> None:
        """Save what changed, for as long as the server runs; clean old sessions away."""
        touched = cleaned = -math.inf
        while True:
            now = time.monotonic()
            await asyncio.gather(*(self._between(one) for one in [*self._residents.values()]))
            try:
                if now - touched > TOUCHED_EVERY:
                    touched = now
                    for id in [*self._residents]:
                        await self._workers.do(self._store.touch, id)
                if now - cleaned > CLEANED_EVERY:
                    cleaned = now
                    await self._workers.do(self._store.clean, self._residents)
            except OSError as error:
                log.warning("old sessions cannot be cleaned away: %s", error)
            await asyncio.sleep(SAVED_EVERY)

    async def _between(self, resident: OpenSession) -> None:
        """Write a session where it changed, read between two messages.

        One at work for long is not waited for: documents never change, so that what is read while
        a command runs is the document before it or the one after.
        """
        if resident.unsaved:
            still = await _taken(resident.lock, SAVED_EVERY)
            await self.save(resident, resident.lock.release if still else _nothing)

    async def save(self, resident: OpenSession, read: Callable[[], None] | None = None) -> None:
        """Write a session where it changed; ``read`` is called once it need not stand still."""
        read = read or _nothing
        async with resident.saving:
            session = resident.session
            if session is None or not resident.unsaved:
                read()
                return
            changes = session.dirty
            try:
                try:
                    saved = await self._workers.do(session.dump)
                finally:
                    read()
                await self._workers.do(self._store.save, resident.id, saved)
            # A disk that refuses, or a document that cannot be written: the others are saved still.
            except Exception as error:
                self._complain(resident, error)
            else:
                resident.saved, resident.complained = changes, False

    def _complain(self, resident: OpenSession, error: Exception) -> None:
        """Tell the person once that a session cannot be saved."""
        if not resident.complained:
            log.warning("session %s cannot be saved", resident.id, exc_info=error)
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            why = cause.strerror if isinstance(cause, OSError) else str(error)
            self._workers.later(send_note(resident.client, f"What you do cannot be saved: {why}."))
        resident.complained = True

    async def save_all(self) -> None:
        """Save everything once more; quickly, because somebody pressed Ctrl-C."""
        loop = asyncio.get_running_loop()
        end = loop.time() + LAST_SAVE
        for resident in [*self._residents.values()]:
            # What is still being written is older and must not come last.
            if not await _taken(resident.saving, max(end - loop.time(), 0.0)):
                log.warning("session %s was still being saved at the end", resident.id)
                continue
            # Here and not in a thread: nothing else is left to do.
            if resident.session is not None and resident.unsaved:
                try:
                    self._store.save(resident.id, resident.session.dump())
                except Exception as error:  # the others are saved still
                    self._complain(resident, error)


def _nothing() -> None:
    """What is done where nothing was held."""


async def _taken(lock: asyncio.Lock, seconds: float) -> bool:
    """Whether a lock could be had in some seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await lock.acquire()
    except TimeoutError:
        return False

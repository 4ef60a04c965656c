"""Saving by itself: how often, through to the disk, and for whom a session still is."""

from __future__ import annotations

import asyncio
import os
import selectors
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.poser.poser_client import HAND, drag_message
from limbik.poser.server.autosave import Autosave
from limbik.poser.server.open_session import OpenSession
from limbik.poser.server.session_registry import TAKEN_OVER, SessionRegistry
from limbik.poser.server.store import Store
from limbik.poser.startup import First

# ---- how often -----------------------------------------------------------------------------------


class Skipping(selectors.SelectSelector):
    """Waits for nothing: the time that it is asked to wait has passed at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0.0)
        if not found and timeout is not None:
            self.now += timeout
        return found


class Timeless(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to whatever comes next."""

    def __init__(self) -> None:
        self.skipping = Skipping()
        super().__init__(self.skipping)

    def time(self) -> float:
        return self.skipping.now


class AtOnce:
    """Threads that do what they are asked here and now."""

    async def do(self, work: Any, *arguments: Any) -> Any:
        return work(*arguments)


class Changing:
    """A session that changes all the time, and where what is saved of it is written down."""

    dirty = 0

    def dump(self) -> dict[str, Any]:
        return {"changes": self.dirty}


class Notes:
    """A store that notes when something is saved."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop, self.times, self.saved = loop, list[float](), list[int]()

    def save(self, _: str, saved: dict[str, Any]) -> None:
        self.times.append(self.loop.time())
        self.saved.append(saved["changes"])

    def touch(self, _: str) -> None: ...

    def clean(self, _: object) -> None: ...


def test_a_session_that_changes_is_saved_every_two_seconds() -> None:
    loop = Timeless()
    store, session = Notes(loop), Changing()
    open_session = OpenSession("a" * 22)
    open_session.session = session  # type: ignore[assignment]

    async def use() -> None:
        autosave = Autosave(store, AtOnce(), {open_session.id: open_session})  # type: ignore[arg-type]
        saving = asyncio.ensure_future(autosave.run())
        for _ in range(200):
            session.dirty += 1
            await asyncio.sleep(0.1)
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)

    try:
        loop.run_until_complete(use())
    finally:
        loop.close()
    # Twenty seconds of work: nobody loses more than two of them, and the disk is left alone.
    assert max(np.diff([0.0, *store.times, loop.time()])) <= 2.0 + 0.1
    assert min(np.diff(store.times)) >= 1.0
    assert store.saved == sorted(set(store.saved))


# ---- through to the disk -------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot sync folders.")
def test_a_session_is_on_the_disk_before_it_has_its_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def noted_sync(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}")
        if path.exists():
            named = Path(os.readlink(path))  # noqa: PTH115
            size = named.stat().st_size if named.is_file() else -1
            done.append("folder" if named.is_dir() else f"file of {min(size, 1)}")
        else:
            done.append("folder" if os.path.isdir(handle) else "file of 1")  # noqa: PTH112
        sync(handle)

    def noted_replace(draft: Path, target: Path) -> None:
        done.append(f"{target.name} put in place")
        replace(draft, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    store = Store(tmp_path)
    store.save(store.new_id(), {"q": [1.0]})
    assert done == ["file of 1", "session.json put in place", "folder"]


# ---- a session that was taken over ---------------------------------------------------------------


class Window:
    """A client that only remembers why it was closed."""

    def __init__(self) -> None:
        self.code = 0
        self.sent: list[Any] = []

    async def close(self, code: int, reason: str = "") -> None:
        self.code = code

    async def send_text(self, message: str) -> None:
        self.sent.append(message)


def test_a_window_that_lost_its_session_cannot_change_it_any_more(tmp_path: Path) -> None:
    async def use() -> None:
        sessions = SessionRegistry(Store(tmp_path), First("human").session)
        sessions.loop = asyncio.get_running_loop()
        old, new = Window(), Window()
        open_session = await sessions.enter("", old)  # type: ignore[arg-type]
        session = open_session.session
        assert session is not None
        hand = next(e for e in session.document.effectors if e.joint == HAND)
        start = np.array(session.document.effector(hand.id).position)
        drag = [drag_message(hand.id, k, start + [0.0, 0.02 * k, 0.0]) for k in range(1, 4)]
        assert await sessions.receive(open_session, old, drag[0])  # type: ignore[arg-type]
        assert await sessions.enter(open_session.id, new) is open_session  # type: ignore[arg-type]
        await asyncio.sleep(0.0)
        before = session.dirty, session.document
        # What was on its way when the window lost its session comes to nothing.
        for said in (drag[1], '{"id": 1, "do": "drop"}', b"rubbish"):
            assert await sessions.receive(open_session, old, said) is None  # type: ignore[arg-type]
        assert (session.dirty, session.document) == before
        await sessions.leave(open_session, old)  # type: ignore[arg-type]
        assert sessions.get(open_session.id) is open_session
        assert await sessions.receive(open_session, new, drag[2])  # type: ignore[arg-type]
        assert old.code == TAKEN_OVER
        assert new.code == 0
        await sessions.close()

    asyncio.run(use())

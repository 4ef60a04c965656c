"""Sessions on disk: whole after any kill, cleaned when old, never while in use."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.command_line import environment
from limbik.poser.server import store as store_module
from limbik.poser.server.store import Store, state_folder

DAY = 24 * 3600.0


def aged(store: Store, days: float, size: int = 0) -> str:
    """A session that nobody has opened for some days, with an upload of ``size`` bytes."""
    id = store.new_id()
    (store.files(id) / "walk.bvh").write_bytes(b"x" * size)
    store.save(id, {"days": days})
    then = time.time() - days * DAY
    for path in (*(store.root / id).rglob("*"), store.root / id):
        os.utime(path, (then, then))
    return id


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    store, id = Store(tmp_path / "new" / "state"), "A" * 22
    assert not store.has(id)
    assert store.load(id) is None
    store.save(id, {"q": [0.1, -2.5e-300]})
    store.save(id, {"q": [0.1, 3.0], "name": "Käfig 模型"})
    assert store.has(id)
    assert Store(store.root).load(id) == {"q": [0.1, 3.0], "name": "Käfig 模型"}
    assert sorted(path.name for path in (store.root / id).iterdir()) == ["session.json"]


def test_others_on_this_machine_cannot_read_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    id = store.new_id()
    store.save(id, {})
    assert store.root.stat().st_mode & 0o077 == 0
    assert (store.root / id / "session.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("id", ["", "..", "../" + "a" * 19, "a" * 21, "a" * 23, "a" * 21 + "/"])
def test_what_is_no_id_leads_nowhere(tmp_path: Path, id: str) -> None:
    store = Store(tmp_path)
    assert not store.has(id)
    with pytest.raises(ValueError, match="not the id of a session"):
        store.load(id)
    with pytest.raises(ValueError, match="not the id of a session"):
        store.save(id, {})


def test_ids_do_not_repeat(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ids = {store.new_id() for _ in range(1000)}
    assert len(ids) == 1000
    for id in ids:
        store._folder(id)


WRITES_FOR_EVER = """
import sys
from pathlib import Path
from limbik.poser.server.store import Store
store, k = Store(Path(sys.argv[1])), 0
while True:
    k += 1
    store.save("k" * 22, {"count": k, "fill": [k] * 20000})
    print(k, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_kill_at_any_time_leaves_a_whole_file(tmp_path: Path) -> None:
    chosen = random.Random(5)
    for _ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITES_FOR_EVER, str(tmp_path)],
            stdout=subprocess.PIPE, text=True, env=environment(),
        )  # fmt: skip
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(chosen.uniform(0.0, 0.05))
        writer.send_signal(signal.SIGKILL)
        told = [int(line) for line in writer.communicate()[0].split()]
        saved = Store(tmp_path).load("k" * 22)
        assert saved is not None
        assert saved["fill"] == [saved["count"]] * 20000
        # What was told to be saved is there; the one after it may be.
        last = told[-1] if told else 1
        assert saved["count"] in (last, last + 1)


@pytest.mark.parametrize(
    "text", ["", "{", '{"format": 1}', "[]", '{"format": 99, "session": {}}', "\x00" * 100]
)
def test_a_damaged_file_is_refused_and_kept_aside(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    id = store.new_id()
    store.save(id, {"q": []})
    (tmp_path / id / "session.json").write_text(text)
    with pytest.raises(ValueError):
        store.load(id)
    aside = store.put_aside(id)
    assert aside.read_text() == text
    assert store.load(id) is None
    store.save(id, {"q": [1]})
    assert store.load(id) == {"q": [1]}
    assert aside.read_text() == text


def test_a_failing_write_keeps_the_old_file(tmp_path: Path) -> None:
    store = Store(tmp_path)
    id = store.new_id()
    store.save(id, {"q": [1]})
    with pytest.raises(TypeError):
        store.save(id, {"q": object()})
    assert store.load(id) == {"q": [1]}
    assert [path.name for path in (tmp_path / id).iterdir()] == ["session.json"]


def test_old_sessions_go_and_those_in_use_stay(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old, used, recent = aged(store, 31), aged(store, 31), aged(store, 29)
    (tmp_path / "notes.txt").write_text("somebody else's")
    assert store.clean({used}) == [old]
    assert {path.name for path in tmp_path.iterdir()} == {used, recent, "notes.txt"}


def test_the_oldest_go_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    monkeypatch.setattr(store_module, "MOST_BYTES", 60_000)
    ids = {days: aged(store, days, 20_000) for days in (1, 2, 3, 4)}
    busy = aged(store, 5, 20_000)
    assert store.clean({busy}) == [ids[4], ids[3], ids[2]]
    assert {path.name for path in tmp_path.iterdir()} == {ids[1], busy}


def test_a_session_that_another_server_touches_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "MOST_BYTES", 0)
    store = Store(tmp_path)
    touched, idle = aged(store, 40), aged(store, 1)
    Store(tmp_path).touch(touched)
    assert store.clean(()) == [idle]
    assert store.has(touched)


def test_half_an_upload_is_removed_and_whole_ones_stay(tmp_path: Path) -> None:
    store = Store(tmp_path)
    id = store.new_id()
    folder = store.files(id)
    (folder / ".upload-abc").write_bytes(b"half")
    (folder / "walk.bvh").write_bytes(b"whole")
    assert [path.name for path in store.files(id).iterdir()] == ["walk.bvh"]


def test_nothing_is_left_of_a_session_in_which_nothing_was_done(tmp_path: Path) -> None:
    store = Store(tmp_path)
    empty, uploaded, saved = store.new_id(), store.new_id(), store.new_id()
    store.files(empty)
    (store.files(uploaded) / "walk.bvh").write_bytes(b"x")
    store.files(saved)
    store.save(saved, {})
    for id in (empty, uploaded, saved):
        store.forget_if_empty(id)
    assert {path.name for path in tmp_path.iterdir()} == {uploaded, saved}


def test_a_place_that_cannot_be_written_gives_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = Store(tmp_path / "file" / "state")
    assert "cannot be kept" in store.note
    store.save("a" * 22, {"q": [2]})
    assert store.load("a" * 22) == {"q": [2]}
    assert tmp_path not in store.root.parents


def test_where_sessions_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path / "told"))
    assert state_folder() == tmp_path / "told"
    monkeypatch.delenv("LIMBIK_STATE")
    assert state_folder().parts[-2:] == ("limbik", "poser")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
        assert state_folder() == tmp_path / "xdg" / "limbik" / "poser"


def test_a_session_is_on_the_disk_when_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both the file and its folder are synced, the file before it gets its name."""
    done: list[str] = []

    def sync(handle: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        named = (tmp_path / ("a" * 22) / "session.json").exists()
        done.append(f"{kind} {'after' if named else 'before'}")

    monkeypatch.setattr("limbik.formats.files.os.fsync", sync)
    Store(tmp_path).save("a" * 22, {})
    assert done == ["file before", "folder after"]


def test_the_file_says_who_wrote_it(tmp_path: Path) -> None:
    import limbik

    store = Store(tmp_path)
    store.save("a" * 22, {})
    outer = json.loads((tmp_path / ("a" * 22) / "session.json").read_text())
    assert outer == {"format": 1, "limbik": limbik.__version__, "session": {}}

"""The server as well-behaved clients meet it: many at once, reloading, vanishing."""

from __future__ import annotations

import socket
import struct
import threading
from urllib.parse import urlsplit

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import limbik
from helpers.poser.poser_client import FOOT, HAND, WAIT, Client, client, closed, drag_message, until
from limbik.poser.protocol import page_state
from limbik.poser.server import session_registry as open_sessions
from limbik.poser.server.listen import PoserServer


def test_a_drag_is_answered_with_the_pose(server: PoserServer) -> None:
    figure = limbik.figures.human()
    with client(server.url) as page:
        hand, feet = page.effector(HAND), page.at(FOOT).copy()
        target = np.array(hand["position"]) + [-0.1, 0.25, 0.1]
        pose = page.drag(hand["id"], target)
        assert pose.ok[hand["id"]]
        assert np.linalg.norm(page.at(HAND) - target) < 1e-3
        assert np.linalg.norm(page.at(FOOT) - feet) < 1e-3
        assert figure.violation(pose.q.astype(float)) < 1e-5
        assert np.allclose(figure.positions(pose.q.astype(float)), pose.positions, atol=1e-4)


def test_twenty_clients_do_not_disturb_each_other(server: PoserServer) -> None:
    """Each drags its own figure; every third sends rubbish in between and is closed."""
    failures: list[str] = []
    ends: dict[int, np.ndarray] = {}
    gathered = threading.Barrier(20)

    def use(k: int) -> None:
        try:
            with client(server.url) as page:
                gathered.wait(WAIT)
                hand = page.effector(HAND)
                for step in range(1, 11):
                    target = np.array(hand["position"]) + [0.0, 0.03 * step, 0.01 * k]
                    if k % 3 == 0 and step == 6:
                        page.socket.send(b"rubbish")
                        assert closed(page)[0] == 1008
                        return
                    page.drag(hand["id"], target)
                    assert np.linalg.norm(page.at(HAND) - target) < 1e-3
                ends[k] = page.at(HAND).copy()
        except BaseException as error:
            failures.append(f"client {k}: {error!r}")

    threads = [threading.Thread(target=use, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(ends) == [k for k in range(20) if k % 3]
    heights = [ends[k][2] for k in sorted(ends)]
    assert np.allclose(np.diff(heights), 0.01 * np.diff(sorted(ends)), atol=1e-3)
    until(lambda: len(server.sessions) == 0)


def test_messages_wait_for_their_turn(server: PoserServer) -> None:
    """A client that does not wait for answers gets every one of them, in order."""
    with client(server.url) as page:
        hand = page.effector(HAND)
        for k in range(1, 201):
            page.socket.send(
                drag_message(hand["id"], k, np.array(hand["position"]) + [0, k / 1e3, 0])
            )
        seen = []
        while not seen or seen[-1] != 200:
            page.receive()
            assert page.pose is not None
            if page.pose.sequence:
                seen.append(page.pose.sequence)
        assert seen == list(range(1, 201))


# ---- sessions ------------------------------------------------------------------------------------


def test_a_client_that_vanishes_frees_its_session(server: PoserServer) -> None:
    page = client(server.url)
    page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 0.1, 0])
    until(lambda: len(server.sessions) == 1)  # those of earlier clients end in their own time
    # As when the power goes: the connection is reset, and nothing is said.
    linger = struct.pack("ii", 1, 0)
    page.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    page.socket.socket.close()
    until(lambda: len(server.sessions) == 0)
    assert server.sessions.store.load(page.session) is not None


def test_a_reload_brings_everything_back(server: PoserServer) -> None:
    with client(server.url) as page:
        target = page.at(HAND) + [-0.05, 0.2, 0.1]
        page.drag(page.effector(HAND)["id"], target)
        page.do("drop")
        page.do("pose.store", name="reaching")
        before, session = page.state, page.session
        q = page.pose.q if page.pose else None
    with client(server.url, session) as page:
        assert page.session == session
        assert page.pose is not None
        assert np.array_equal(page.pose.q, q)
        assert page.state["poses"] == before["poses"]
        assert page.state["undo"] == before["undo"]
        assert not any("cannot be read" in note for note in page.notes)


def test_the_newest_window_has_the_session(server: PoserServer) -> None:
    with client(server.url) as first:
        first.drag(first.effector(HAND)["id"], first.at(HAND) + [0, 0.1, 0])
        at = first.at(HAND)
        with client(server.url, first.session) as second:
            code, reason = closed(first)
            assert (code, reason) == (4001, "This figure was opened in another window.")
            assert second.session == first.session
            assert np.allclose(second.at(HAND), at, atol=1e-6)
            second.drag(second.effector(HAND)["id"], at + [0, 0.05, 0])
            assert np.linalg.norm(second.at(HAND) - at - [0, 0.05, 0]) < 1e-3


@pytest.mark.parametrize("wanted", ["unknown", "../../etc/passwd", "A" * 22, "%00", "a" * 5000])
def test_an_unknown_session_is_a_fresh_one(server: PoserServer, wanted: str) -> None:
    with client(server.url, wanted) as page:
        assert page.session != wanted
        assert len(page.session) == 22


def test_a_damaged_session_is_a_fresh_one_and_kept_aside(server: PoserServer) -> None:
    with client(server.url) as page:
        rest = page.at(HAND).copy()
        page.drag(page.effector(HAND)["id"], rest + [0, 0.1, 0])
        page.do("drop")
    until(lambda: len(server.sessions) == 0)
    folder = server.sessions.store.root / page.session
    whole = (folder / "session.json").read_text()
    for text in (whole[: len(whole) // 2], '{"format": 1, "session": {"document": 7}}'):
        (folder / "session.json").write_text(text)
        with client(server.url, page.session) as again:
            assert again.session == page.session
            assert np.allclose(again.at(HAND), rest, atol=1e-6)
            until_noted(again)
            assert any("cannot be read" in note for note in again.notes)
        aside = sorted(folder.glob("damaged-*.json"))
        assert text in [path.read_text() for path in aside]
        until(lambda: len(server.sessions) == 0)


def until_noted(page: Client) -> None:
    while not any("cannot be read" in note for note in page.notes):
        page.receive()


def test_there_is_an_end_to_sessions(server: PoserServer, monkeypatch: pytest.MonkeyPatch) -> None:
    until(lambda: len(server.sessions) == 0)
    monkeypatch.setattr(open_sessions, "MOST_SESSIONS", 2)
    with client(server.url), client(server.url) as other:
        place = urlsplit(server.url).netloc
        with connect(f"ws://{place}/ws", origin=f"http://{place}") as third:  # type: ignore[arg-type]
            code, reason = closed(Client(third))
        assert code == 1013
        assert "2 figures are open" in reason
        other.drag(other.effector(HAND)["id"], other.at(HAND) + [0, 0.1, 0])


# ---- mistakes of our own -------------------------------------------------------------------------


def test_an_error_in_the_first_state_is_sent_and_the_next_attempt_goes_on(
    server: PoserServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(page_state, "settings_of", fails)
        with pytest.raises(ConnectionClosed) as met:
            client(server.url)
        assert met.value.rcvd is not None
        code, reason = met.value.rcvd.code, met.value.rcvd.reason
        assert code == 1011
        assert "SystemError: AST recursion" in reason
    with client(server.url) as page:
        assert page.state["effectors"]


def test_a_hello_that_fails_is_sent_and_the_others_get_theirs(
    server: PoserServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(server.url) as one, client(server.url) as other:
        first = server.sessions.get(one.session)
        assert first is not None
        assert first.session is not None
        monkeypatch.setattr(first.session, "hello", fails)
        other.hello.clear()
        server.sessions.hello_again()
        code, reason = closed(one)
        assert code == 1011
        assert "SystemError" in reason
        while not other.hello:
            other.receive()


def fails(*_: object) -> None:
    raise SystemError("AST recursion")

"""``limbik pose`` in a process of its own: its address, its end, its kill, what it refuses."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import numpy as np
import pytest

import limbik
from helpers.command_line import Ran, command, environment
from helpers.poser.browser import eventually
from helpers.poser.pose_command import WAIT, Server, saved_document
from helpers.poser.poser_client import HAND, client

# ---- serving -------------------------------------------------------------------------------------


def test_ctrl_c_ends_it_quietly_while_clients_are_connected(tmp_path: Path) -> None:
    with Server(tmp_path) as server, client(server.url) as page, client(server.url):
        page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 0.1, 0])
        began = time.monotonic()
        code, err = server.end(signal.SIGINT)
        took = time.monotonic() - began
        assert (code, err) == (0, "")
        assert took < 60.0  # seconds; it waits for nobody
        session = page.session
    with Server(tmp_path) as server, client(server.url, session) as again:
        assert np.allclose(again.at(HAND), page.at(HAND), atol=1e-6)


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_kill_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        with client(server.url) as page:
            target = page.at(HAND) + [-0.05, 0.2, 0.1]
            page.drag(page.effector(HAND)["id"], target)
            page.do("drop")
            page.do("key.insert", frame=7, pose=True, goals=False)
            page.do("lock", joint=3, on=True)
            kept = {name: page.state[name] for name in ("locked", "undo", "timeline")}
            q, session = page.pose.q, page.session
            eventually(lambda: (saved := saved_document(tmp_path)) and saved.locked)
            # Somebody goes on dragging, so that the kill comes while things are being saved.
            end = time.monotonic() + 1.3
            while time.monotonic() < end:
                page.drag(page.effector("Head")["id"], page.at("Head") + [0, 0.0005, 0])
            server.end(signal.SIGKILL)
        port = int(server.url.split(":")[2].strip("/"))
    with Server(tmp_path, port=port) as server, client(server.url, session) as page:
        assert not any("cannot be read" in note for note in page.notes)
        assert {name: page.state[name] for name in ("locked", "timeline")} == {
            name: kept[name] for name in ("locked", "timeline")
        }
        # The drag that was under way may be there, and can be undone.
        if page.state["undo"] != kept["undo"]:
            assert page.state["undo"] == "Move Head"
            assert page.do("undo")["ok"]
        assert page.state["undo"] == kept["undo"]
        assert np.array_equal(page.pose.q, q)
        assert page.do("undo")["ok"]
        assert page.state["locked"] == []


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_terminated_server_has_saved_everything(tmp_path: Path) -> None:
    with Server(tmp_path) as server, client(server.url) as page:
        page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 0.1, 0])
        code, err = server.end(signal.SIGTERM)
        assert (code, err) == (-signal.SIGTERM, "")
    with Server(tmp_path) as server, client(server.url, page.session) as again:
        assert np.allclose(again.at(HAND), page.at(HAND), atol=1e-6)


def test_a_file_is_shown_with_its_clip_and_survives_without_the_file(tmp_path: Path) -> None:
    path, clip = tmp_path / "my wheel.bvh", limbik.figures.cartwheel()[:40]
    limbik.save(clip, path)
    with Server(tmp_path / "state", str(path)) as server, client(server.url) as page:
        assert page.figure["file"] == "my wheel.bvh"
        assert page.state["timeline"]["frames"] == clip.frames
        page.drag(page.effector(HAND)["id"], page.at(HAND) + [0, 1e-3, 0])
        session = page.session
        server.end()
    path.unlink()
    with Server(tmp_path / "state") as server, client(server.url, session) as page:
        assert page.figure["file"] == "my wheel.bvh"
    with Server(tmp_path / "state") as server, client(server.url) as page:
        assert page.figure["builtin"] == "human"


def test_the_port_is_the_next_one_that_is_free(tmp_path: Path) -> None:
    run = [*command("pose", "chain", "--no-open")]
    env = {**environment(), "LIMBIK_STATE": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    servers = [subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env=env) for _ in range(2)]
    try:
        ports = []
        for server in servers:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline())
            assert found is not None
            ports.append(int(found[1]))
        assert len(set(ports)) == 2
        assert all(httpx.get(f"http://127.0.0.1:{port}/").status_code == 200 for port in ports)
    finally:
        for server in servers:
            server.kill()
            server.communicate()


# ---- refusals ------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = Ran("pose", "--no-open", "--port", str(port))
    assert ran.code == 2
    assert f"Error: Port {port} of 127.0.0.1 cannot be used (Address already in use)" in ran.err
    assert "--port" in ran.err


def test_an_address_that_is_not_ours_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path))
    for host in ("192.0.2.7", "no such host"):
        ran = Ran("pose", "--no-open", "--port", "0", "--host", host)
        assert ran.code == 2
        assert host in ran.err
        assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("humn", 'Error: "humn" is neither a file nor built in (did you mean "human"?)'),
        ("missing.bvh", "missing.bvh: there is no such file"),
        ("notes.txt", ".txt is not a format limbik reads"),
        ("broken.bvh", "broken.bvh line 1"),
        ("alone.amc", "needs its skeleton"),
    ],
)
def test_what_cannot_be_shown_is_said_before_serving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path / "state"))
    if name in ("notes.txt", "broken.bvh", "alone.amc"):
        (tmp_path / name).write_text("rubbish")
    ran = Ran("pose", name, "--no-open", "--port", "0")
    assert ran.code == 2
    assert says in ran.err
    assert not (tmp_path / "state").exists()


def test_missing_packages_are_named(tmp_path: Path) -> None:
    """As in an installation of the core alone."""
    code = (
        "import sys, importlib.util as u\n"
        "found = u.find_spec\n"
        "gone = ('uvicorn', 'websockets')\n"
        "u.find_spec = lambda name, *a: None if name in gone else found(name, *a)\n"
        "import limbik\n"
        "from limbik.cli import main\n"
        "assert not {'starlette', 'uvicorn'} & set(sys.modules)\n"
        "try: limbik.view(limbik.figures.arm())\n"
        "except limbik.LimbikError as error: print(error)\n"
        "sys.argv = ['limbik', 'pose', '--no-open']\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, cwd=tmp_path, env=environment(), timeout=WAIT, check=False,
    )  # fmt: skip
    sentence = (
        "The poser needs uvicorn and websockets, which are not installed: "
        'pip install "limbik[poser]"'
    )
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (
        2,
        sentence,
        f"Error: {sentence}",
    )


def test_a_missing_page_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from limbik.poser import building

    monkeypatch.setattr(building.stands, "__defaults__", (tmp_path,))
    ran = Ran("pose", "--no-open")
    assert ran.code == 2
    assert "page is not built" in ran.err or "page is missing" in ran.err


def test_help_has_examples() -> None:
    ran = Ran("pose", "--help")
    assert ran.code == 0
    assert "limbik pose walk.bvh" in ran.out.split("Examples:")[1]
    for option in ("--port", "--no-open", "--host"):
        assert option in ran.out

"""Servers for the tests of the poser, and a person in front of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from helpers.poser.browser import Person, launched
from helpers.poser.pose_command import Server
from limbik.poser.server.listen import PoserServer
from limbik.poser.server.store import Store
from limbik.poser.startup import First

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoserServer]:
    """A running server with the built-in human; its sessions are in a folder of its own."""
    running = PoserServer(First("human").session, store=Store(tmp_path_factory.mktemp("state")))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """``limbik pose``, for all tests of the page: each visitor gets a session of their own."""
    with Server(tmp_path_factory.mktemp("state")) as server:
        yield server
        assert server.end() == (0, "")


@pytest.fixture
def person(browser: Browser, served: Server) -> Iterator[Person]:
    someone = Person(browser, served.url)
    yield someone
    assert someone.faults == []
    assert {url.split("/")[2] for url in someone.requests if url[:4] == "http"} == {
        served.url.split("/")[2]
    }
    someone.close()

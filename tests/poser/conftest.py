"""A server for the tests of the poser, in a thread of this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from limbik.poser.first import First
from limbik.poser.serving import PoserServer
from limbik.poser.store import Store


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoserServer]:
    """A running server with the built-in human; its sessions are in a folder of its own."""
    running = PoserServer(First("human").session, store=Store(tmp_path_factory.mktemp("state")))
    running.start()
    yield running
    running.stop()

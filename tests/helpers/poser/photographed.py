"""The poser's page as people see it on a screen, for pictures and films of the documentation."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.poser.browser import Person, launched
from helpers.poser.pose_command import Server

ARROW = [(0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12)]
"""A mouse pointer, which a screenshot does not have."""


@contextmanager
def photographed(scale: float = 1.0, **context: Any) -> Iterator[Person]:
    """A person in front of a page of its own, in light colours and with shadows, without the first
    hint and without times, which would say how busy the machine was that drew them.

    ``scale`` is how many pixels are drawn for one of the page: tests draw fewer.
    """
    with (
        tempfile.TemporaryDirectory() as state,
        Server(Path(state)) as server,
        launched() as browser,
    ):
        person = Person(
            browser, server.url, device_scale_factor=scale, color_scheme="light", **context
        )
        person.ask("app.set({ shadows: true })")
        person.page.get_by_role("button", name="Hide the numbers").click()
        yield person
        assert person.faults == []
        person.close()

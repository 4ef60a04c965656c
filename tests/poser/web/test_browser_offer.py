"""A drag that is stuck, in a real Chromium: the sentence, the ghost, one key to take its pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers import real_data
from helpers.poser.browser import Person
from helpers.poser.pose_command import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HAND = "panda_hand_tcp"


def test_a_stuck_robot_is_helped_out_by_one_key(browser: Browser, tmp_path: Path) -> None:
    panda = real_data.find("robots/erd_panda.urdf")
    with Server(tmp_path, str(panda)) as served:
        person = Person(browser, served.url)
        (x, y), (to_x, to_y) = person.screen(HAND), person.screen("panda_link4")
        mouse = person.page.mouse
        mouse.move(x, y)
        mouse.down()
        for part in np.linspace(0.1, 0.9, 9):
            mouse.move(x + part * (to_x - x), y + part * (to_y - y))
        person.wait("app.idle")
        assert person.ask("app.pose.why").startswith(f"stuck here: {HAND} is ")
        assert person.ask("app.pose.isStuck")
        mouse.up()
        person.wait("app.idle && app.state.offer && !app.state.offer.searching")
        short = person.ask("app.pose.goals[0].length")
        assert 0.05 < short < 0.3
        assert person.ask("app.pose.ghost.ok")
        person.says(person.page.get_by_test_id("status"), "Stuck")
        person.says(person.page.get_by_test_id("offer"), "reaches the target")
        stuck = person.q()
        person.page.keyboard.press("Enter")
        person.settle()
        assert person.ask("app.pose.status") == "reached"
        assert person.ask("app.pose.goals[0].length") < 1e-3
        person.page.keyboard.press("Control+z")
        person.settle()
        assert person.q() == pytest.approx(stuck)
        assert person.faults == []
        person.close()

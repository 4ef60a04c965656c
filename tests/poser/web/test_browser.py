"""The poser as a person meets it: a real Chromium, a real server, a real mouse."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import limbik
from helpers import real_data
from helpers.poser.browser import Person, eventually
from helpers.poser.pose_command import Server, is_saved

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HUMAN = limbik.figures.human()


def at(person: Person, name: str) -> np.ndarray:
    return person.positions()[person.joint(name)]


def test_a_hand_is_dragged_and_the_figure_follows(person: Person) -> None:
    before, q = person.positions(), person.q()
    person.drag("LeftHand", (70, -160))
    after = person.positions()
    hand, foot = person.joint("LeftHand"), person.joint("LeftFoot")
    assert np.linalg.norm(after[hand] - before[hand]) > 0.2
    assert np.linalg.norm(after[foot] - before[foot]) < 1e-3  # it is pinned
    assert np.linalg.norm(person.q() - q) > 0.1
    assert HUMAN.violation(person.q()) < 1e-6  # as float32
    # What is drawn is what the joint values say.
    np.testing.assert_allclose(after, HUMAN.positions(person.q()), atol=1e-5)
    assert person.ask("app.pose.status") == "reached"
    assert person.ask("app.roundTrip.median") > 0
    # The hand is where the mouse let go.
    x, y = person.screen("LeftHand")
    person.drag("LeftHand", (-25, 40))
    assert np.hypot(*np.subtract(person.screen("LeftHand"), (x - 25, y + 40))) < 3


def test_what_holds_it_back_is_shown(person: Person) -> None:
    person.drag("LeftHand", (260, -330), steps=20)
    assert person.ask("app.pose.status") in ("limited", "held", "out of reach")
    assert HUMAN.violation(person.q()) < 1e-6
    shown = person.page.get_by_role("region", name="Status of the solve")
    # The solver's sentence, in which coordinates have the names that the rings have.
    sentence = re.split(r"\w+\.r[xyz] ", person.ask("app.pose.why"))
    assert len(sentence) > 1
    for words in (*sentence, "LeftHand", " ms"):
        person.says(shown, words)
    assert re.search(
        "LeftShoulder −?(flex|spread|twist) at its (lower|upper) limit", shown.inner_text()
    )


def test_pinned_stays_and_freed_goes(person: Person) -> None:
    row = person.page.get_by_role("listitem").filter(has_text="RightHand")
    row.get_by_role("radio", name="Pin").click(force=True)
    person.settle()
    where = at(person, "RightHand")
    person.drag("LeftHand", (60, -120))
    person.drag("Head", (25, 30))
    assert np.linalg.norm(at(person, "RightHand") - where) < 1e-3
    row.get_by_role("radio", name="Free").click(force=True)
    person.wait("app.state.effectors.find((it) => it.name === 'RightHand').mode === 'free'")
    person.settle()
    person.drag("Hips", (-50, 40))
    assert np.linalg.norm(at(person, "RightHand") - where) > 0.02


def test_a_choice_stays_while_the_server_is_asked(person: Person) -> None:
    row = person.page.get_by_role("listitem").filter(has_text="RightHand")
    person.page.evaluate(
        """() => {
            const { app } = window.limbik, ask = app.do.bind(app);
            const allowed = new Promise((allow) => { window.allow = allow; });
            app.do = (...command) => allowed.then(() => ask(...command));
        }"""
    )
    row.get_by_role("radio", name="Pin").click(force=True)
    # A pose that arrives meanwhile draws the row anew, with the mode of before.
    person.ask(
        "app.setPose({ ...app.pose, goals: app.state.effectors.map(({ id }) =>"
        " ({ effector: id, length: 7, angle: NaN, ok: false, position: [0, 0, 0], wxyz: null })) })"
    )
    person.says(row.get_by_role("button", name="Select RightHand"), "7.00 m")
    assert person.ask("app.state.effectors.find((it) => it.name === 'RightHand').mode") == "free"
    assert row.get_by_role("radio", name="Pin").is_checked()
    person.page.evaluate("() => window.allow()")
    person.wait("app.state.effectors.find((it) => it.name === 'RightHand').mode === 'pin'")
    person.settle()
    assert row.get_by_role("radio", name="Pin").is_checked()


def test_a_double_click_makes_an_effector_that_can_be_dragged(person: Person) -> None:
    count = person.ask("app.state.effectors.length")
    person.page.mouse.dblclick(*person.screen("LeftForeArm"))
    person.wait(f"app.state.effectors.length === {count + 1}")
    assert person.ask("app.state.effectors.some(e => e.name === 'LeftForeArm')")
    before = at(person, "LeftForeArm")
    person.drag("LeftForeArm", (30, -40))
    assert np.linalg.norm(at(person, "LeftForeArm") - before) > 0.05


def test_two_keys_and_scrubbing_between_them(person: Person) -> None:
    person.page.keyboard.press("k")
    person.wait("app.state.timeline.keys.length === 1")
    first, foot = person.positions(), at(person, "RightFoot")
    frame = person.page.get_by_role("spinbutton", name="Frame", exact=True)
    frame.fill("40")
    frame.press("Enter")
    person.wait("Math.round(app.pose.frame) === 40")
    person.drag("RightHand", (-60, -150))
    person.drag("Hips", (30, 40))
    person.page.keyboard.press("k")
    person.wait("app.state.timeline.keys.length === 2")
    second = person.positions()
    playhead = person.page.get_by_role("slider", name="Playhead")
    playhead.focus()
    for _ in range(20):
        person.page.keyboard.press("ArrowLeft")
    person.wait("Math.round(app.pose.frame) === 20")
    person.settle()
    between, hand = person.positions(), person.joint("RightHand")
    assert np.linalg.norm(between[hand] - first[hand]) > 0.05
    assert np.linalg.norm(between[hand] - second[hand]) > 0.05
    # The feet are pinned in both keys, so they stay put between them.
    assert np.linalg.norm(at(person, "RightFoot") - foot) < 1e-3
    assert HUMAN.violation(person.q()) < 1e-6
    person.page.keyboard.press("Space")
    person.wait("app.pose.frame > 30")
    person.page.keyboard.press("Space")
    person.wait("!app.ui.playing")


def test_undo_and_redo(person: Person) -> None:
    start = person.q()
    person.drag("LeftHand", (50, -100))
    moved = person.q()
    person.drag("RightHand", (-50, -100))
    person.page.keyboard.press("Control+z")
    person.settle()
    np.testing.assert_allclose(person.q(), moved, atol=1e-6)
    person.page.keyboard.press("Control+z")
    person.settle()
    np.testing.assert_allclose(person.q(), start, atol=1e-6)
    person.page.keyboard.press("Control+Shift+z")
    person.settle()
    np.testing.assert_allclose(person.q(), moved, atol=1e-6)


def save_as(person: Person, label: str, folder: Path) -> Path:
    person.page.get_by_role("button", name="File", exact=True).click()
    with person.page.expect_download() as download:
        person.page.get_by_role("menuitem", name=label).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_glb_is_opened_and_dragged(person: Person) -> None:
    person.choose(real_data.find("gltf/CesiumMan.glb"))
    person.wait("app.figure.file === 'CesiumMan.glb' && app.pose !== null")
    assert person.ask("app.figure.mesh") is True
    figure = limbik.load(real_data.find("gltf/CesiumMan.glb"))
    np.testing.assert_allclose(person.positions(), figure.positions(person.q()), atol=1e-4)
    effectors: list[dict[str, Any]] = person.ask("app.state.effectors")
    hand = max(effectors, key=lambda e: abs(person.positions()[e["joint"]][0]))["name"]
    before = at(person, hand)
    person.drag(hand, (20, -60))
    assert np.linalg.norm(at(person, hand) - before) > 0.03


def test_a_bvh_is_saved_and_read_back(person: Person, tmp_path: Path) -> None:
    person.drag("LeftHand", (60, -140))
    hand = at(person, "LeftHand")
    saved = save_as(person, "BVH", tmp_path)
    clip = limbik.load_motion(saved)
    place = clip.positions()[0, clip.figure.index("LeftHand")]
    np.testing.assert_allclose(place, hand, atol=1e-4)
    person.choose(saved)
    person.wait(f"app.figure.file === '{saved.name}' && app.pose !== null")
    np.testing.assert_allclose(at(person, "LeftHand"), hand, atol=1e-4)
    before = at(person, "LeftHand")
    person.drag("LeftHand", (-30, 40))
    assert np.linalg.norm(at(person, "LeftHand") - before) > 0.02


def test_a_replay_opens_from_disk_and_plays(
    person: Person, browser: Browser, tmp_path: Path
) -> None:
    person.page.keyboard.press("k")
    person.wait("app.state.timeline.keys.length === 1")
    frame = person.page.get_by_role("spinbutton", name="Frame", exact=True)
    frame.fill("30")
    frame.press("Enter")
    person.drag("LeftHand", (60, -140))
    person.page.keyboard.press("k")
    person.wait("app.state.timeline.keys.length === 2")
    hand, last = person.joint("LeftHand"), at(person, "LeftHand")
    saved = save_as(person, "Replay", tmp_path)
    alone = Person.__new__(Person)
    alone.context = browser.new_context(offline=True)
    page = alone.page = alone.context.new_page()
    faults: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(saved.as_uri())
    alone.wait("app.pose !== null && app.ui.playing")
    page.keyboard.press("Space")
    alone.wait("!app.ui.playing")
    page.get_by_role("slider", name="Playhead").focus()
    page.keyboard.press("Home")
    alone.wait("app.pose.frame === 0")
    first = alone.positions()[hand]
    page.keyboard.press("Space")
    alone.wait("app.pose.frame >= 30 || !app.ui.playing")
    page.keyboard.press("Space")
    assert np.linalg.norm(alone.positions()[hand] - first) > 0.1
    np.testing.assert_allclose(alone.positions()[hand], last, atol=1e-3)
    assert faults == []
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    alone.close()


def test_a_reload_and_a_kill_lose_nothing(browser: Browser, tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        someone = Person(browser, server.url)
        someone.drag("LeftHand", (60, -140))
        moved = someone.q()
        someone.page.reload()
        someone.wait("app.pose !== null && app.hello.preparing === ''")
        np.testing.assert_allclose(someone.q(), moved, atol=1e-6)
        someone.drag("RightHand", (-60, -140))
        later = someone.q()
        eventually(lambda: is_saved(tmp_path, later))
        server.end(signal.SIGKILL)
        someone.wait("app.link === 'lost' || app.link === 'connecting'")
    with Server(tmp_path, port=server.port) as server:
        someone.wait("app.link === 'open' && app.pose !== null && app.hello.preparing === ''")
        eventually(lambda: someone.has_pose(later))
        someone.page.keyboard.press("Control+z")
        someone.settle()
        np.testing.assert_allclose(someone.q(), moved, atol=1e-6)
        someone.close()
        assert server.end() == (0, "")


def test_by_keyboard_alone(person: Person) -> None:
    page = person.page
    page.keyboard.press("]")
    person.wait("app.ui.effector !== null")
    name = person.ask("app.selectedEffector().name")
    before = at(person, name)
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    person.settle()
    after = at(person, name)
    assert after[1] > before[1] + 0.005
    page.keyboard.press("p")
    person.wait("app.selectedEffector().mode === 'pin'")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for(state="visible")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")


def test_limits_by_numbers_and_another_method(person: Person) -> None:
    page = person.page
    knee = person.joint("LeftForeArm")
    page.mouse.click(*person.screen("LeftForeArm"))
    person.wait(f"app.ui.joint === {knee}")
    before: Any = person.ask(f"app.state.limits[{knee}]")
    page.get_by_role("button", name="Limits").click()
    upper = page.get_by_role("group", name="Limits of LeftForeArm").get_by_role("spinbutton").last
    upper.fill("30")
    upper.press("Enter")
    person.wait("app.state.edited.length === 1")
    assert person.ask(f"app.state.limits[{knee}]") != before
    page.get_by_role("button", name="Method").click()
    page.get_by_role("combobox", name="Compare with method").select_option("jacobian_transpose")
    person.wait("app.state.compare !== null")
    person.drag("LeftHand", (50, -90))
    assert person.ask("app.pose.ghost !== null")
    assert json.dumps(person.ask("app.state.compare.name")) == '"jacobian_transpose"'

"""Fingers, the keyboard and small screens in the poser: a real Chromium with a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.poser.browser import Person
from helpers.poser.pose_command import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Spot = tuple[float, float]


class Fingers:
    """Fingers on a touch screen."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._screen = person.context.new_cdp_session(person.page)

    def _touch(self, kind: str, *spots: Spot) -> None:
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(spots)]
        self._screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def drag(self, start: Spot, end: Spot) -> None:
        self._touch("touchStart", start)
        for share in np.linspace(0.1, 1, 10):
            self._touch("touchMove", tuple(np.add(start, share * np.subtract(end, start))))
        self._touch("touchEnd")
        self._person.settle()

    def spread(self, first: Spot, second: Spot, by: float) -> None:
        """Two fingers, the second of which moves to the right."""
        self._touch("touchStart", first)
        self._touch("touchStart", first, second)
        for share in np.linspace(0.1, 1, 10):
            self._touch("touchMove", first, (second[0] + share * by, second[1]))
        self._touch("touchEnd")
        self._person.settle()


def test_fingers_drag_orbit_and_pinch(browser: Browser, served: Server) -> None:
    person = Person(browser, served.url, has_touch=True)
    person.page.set_viewport_size({"width": 1024, "height": 768})
    person.view_settles()
    fingers = Fingers(person)
    camera = "[...stage.camera.position.toArray(), stage.viewpoint.distance]"
    x, y = person.screen("LeftHand")
    seen, pose = person.ask(camera), person.positions()
    fingers.drag((x, y), (x + 20, y - 80))
    assert np.hypot(*np.subtract(person.screen("LeftHand"), (x + 20, y - 80))) < 2
    np.testing.assert_allclose(person.ask(camera), seen, atol=1e-6)

    pose = person.positions()
    fingers.drag((40, 200), (140, 220))
    assert np.linalg.norm(np.subtract(person.ask(camera), seen)) > 0.3
    np.testing.assert_array_equal(person.positions(), pose)

    # Also where the first finger comes down on an effector.
    distance = person.ask("stage.viewpoint.distance")
    x, y = person.screen("Hips")
    fingers.spread((x, y), (x + 80, y), by=80)
    person.still()
    assert person.ask("stage.viewpoint.distance") < 0.8 * distance
    np.testing.assert_array_equal(person.positions(), pose)
    assert person.faults == []
    person.close()


def test_on_a_phone_the_panel_leaves_the_figure_in_view(browser: Browser, served: Server) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    person = Person(browser, served.url, reduced_motion="reduce", **phone)
    page = person.page

    def seen() -> tuple[float, float]:
        """How high the view is, and the figure's joints in it, pixels; all joints are in view."""
        person.still()
        view = person.ask("stage.canvas.getBoundingClientRect().toJSON()")
        spots = person.ask("app.figure.joints.map((_, i) => window.limbik.screen(i))")
        x, y = np.array([[spot["x"], spot["y"]] for spot in spots]).T
        assert view["left"] < x.min()
        assert x.max() < view["right"]
        assert view["top"] < y.min()
        assert y.max() < view["bottom"]
        return view["height"], float(np.ptp(y))

    page.get_by_role("button", name="Panel").click()
    panel = page.locator(".panel")
    panel.wait_for()
    high, figure = seen()
    assert high > 0.45 * 844
    assert figure > 0.5 * high
    box, grip = panel.bounding_box(), page.get_by_role("separator", name="Height of the panel")
    assert box is not None
    assert abs(box["y"] + box["height"] - 844) < 1

    def pull(by: float) -> None:
        at = grip.bounding_box()
        assert at is not None
        page.mouse.move(at["x"] + 9, at["y"] + 2)
        page.mouse.down()
        page.mouse.move(at["x"] + 9, at["y"] + 2 + by, steps=3)
        page.mouse.up()

    pull(-120.0)
    page.wait_for_function(
        "high => document.querySelector('.panel').offsetHeight > high + 110", arg=box["height"]
    )
    lower, figure = seen()
    assert lower < high - 110
    assert figure > 0.5 * lower
    grip.press("ArrowDown")
    page.wait_for_function(
        "high => document.querySelector('.panel').offsetHeight < high + 90", arg=box["height"]
    )
    pull(500.0)
    panel.wait_for(state="detached")
    # Lying, the panel is beside the view.
    page.get_by_role("button", name="Panel").click()
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_function("() => innerWidth === 844")
    high, figure = seen()
    assert high > 300
    assert figure > 0.5 * high
    assert person.faults == []
    person.close()


def test_hint_and_timeline_fit_small_screens(browser: Browser, served: Server) -> None:
    person = Person(browser, served.url, new=True)
    page = person.page
    page.set_viewport_size({"width": 960, "height": 700})
    page.wait_for_function("() => innerWidth === 960")
    feet = [person.screen(foot)[1] for foot in ("LeftToeBase", "RightToeBase")]
    hint = page.get_by_role("complementary", name="How to begin").bounding_box()
    assert hint is not None
    assert max(feet) < hint["y"]
    page.keyboard.press("n")  # on small screens the panel takes the place of the timeline
    for width in (1024, 768, 390):
        page.set_viewport_size({"width": width, "height": 780})
        page.wait_for_function(
            """(width) => {
                const row = document.querySelector(".transport");
                return innerWidth === width && row.scrollWidth <= row.clientWidth;
            }""",
            arg=width,
        )
        row = page.locator(".transport")
        for button in row.get_by_role("button").all():
            box = button.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    page.get_by_role("button", name="More of the timeline").click()
    rate = page.get_by_role("spinbutton", name="Frames a second")
    rate.fill("24")
    rate.press("Enter")
    person.wait("app.state.timeline.fps === 24")
    page.keyboard.press("Escape")
    rate.wait_for(state="detached")
    page.wait_for_function("() => document.activeElement.ariaLabel === 'More of the timeline'")
    assert person.faults == []
    person.close()


def test_the_hint_rests_after_some_seconds_and_goes_with_the_first_drag(
    browser: Browser, served: Server
) -> None:
    person = Person(browser, served.url, new=True)
    hint = person.page.get_by_role("complementary", name="How to begin")
    hint.wait_for()
    lasting = person.page.evaluate(
        "() => document.getAnimations().map((a) => a.effect.getComputedTiming().activeDuration)"
    )
    assert 1000 < max(lasting) < 20_000  # ms; a picture that moves for ever is drawn for ever
    person.drag("LeftHand", (20, -40), steps=3)
    hint.wait_for(state="detached")
    assert person.faults == []
    person.close()


def test_keys_and_focus_by_keyboard(person: Person) -> None:
    page = person.page

    def frames() -> list[int]:
        person.settle()
        return person.ask("app.state.timeline.keys.map((key) => key.frame)")

    def focus_is_on(name: str) -> None:
        page.wait_for_function("(name) => document.activeElement.ariaLabel === name", arg=name)

    page.keyboard.press("k")
    person.wait("app.state.timeline.keys.length === 1")
    page.get_by_role("button", name="Key at frame 0").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+c")
    page.get_by_role("slider", name="Playhead").focus()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    person.wait("Math.round(app.pose.frame) === 30")
    page.keyboard.press("Control+v")
    person.wait("app.state.timeline.keys.length === 2")
    page.get_by_role("button", name="Key at frame 30").focus()
    page.keyboard.press("Alt+ArrowRight")
    assert frames() == [0, 31]
    page.keyboard.press("Delete")
    person.wait("app.state.timeline.keys.length === 1")
    focus_is_on("Key at frame 0, pose and goals")

    # What is removed, or can no longer be pressed, does not take the focus with it.
    page.get_by_role("button", name="Remove LeftFoot").focus()
    page.keyboard.press("Enter")
    person.wait("app.state.effectors.length === 5")
    focus_is_on("Remove RightFoot")
    page.get_by_role("button", name="Undo").focus()
    while person.ask("app.state.undo") is not None:
        page.keyboard.press("Enter")
        person.settle()
    focus_is_on("Undo")
    assert frames() == []
    assert person.ask("app.state.effectors.length") == 6
    page.get_by_role("combobox", name="Add an effector").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "scene-title"

    # With the tool that rotates, arrows turn the effector.
    page.locator("canvas").focus()
    page.keyboard.press("]")
    page.keyboard.press("r")
    joint = person.ask("app.selectedEffector().joint")
    turn = f"Array.from(app.pose.wxyz.slice({4 * joint}, {4 * joint + 4}))"
    before = person.ask(turn)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    person.settle()
    angle = 2 * np.arccos(min(1.0, abs(np.dot(before, person.ask(turn)))))
    assert np.degrees(angle) == pytest.approx(9, abs=0.1)

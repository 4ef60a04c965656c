"""What an animator does with the mouse, in numbers: keys, limits, square views, turns and looks.

One page for all of it: each test begins with the human at rest, in a session of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.poser.browser import Person
from helpers.poser.pose_command import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def page(browser: Browser, served: Server) -> Iterator[Person]:
    someone = Person(browser, served.url, reduced_motion="reduce")  # views do not glide
    someone.page.set_viewport_size({"width": 920, "height": 600})  # fewer pixels are drawn sooner
    someone.ask("app.set({ panel: false, shadows: false })")
    yield someone
    assert someone.faults == []
    someone.close()


@pytest.fixture
def animator(page: Person) -> Person:
    page.page.evaluate("() => window.limbik.app.do('builtin', { name: 'human' })")
    page.settle()
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("q")
    page.ask("stage.frame('all', 'corner', false)")
    return page


def wait(person: Person, condition: str) -> None:
    person.wait(condition, 20_000)


def at(person: Person, name: str) -> np.ndarray:
    return person.positions()[person.joint(name)]


def test_a_drag_is_kept_when_the_frame_changes(animator: Person) -> None:
    press = animator.page.keyboard.press
    press("k")
    wait(animator, "app.state.timeline.keys.length === 1")
    before = at(animator, "LeftHand")
    animator.drag("LeftHand", (60, -120), steps=4)
    hand = at(animator, "LeftHand")
    assert np.linalg.norm(hand - before) > 0.15
    for key, frame in ((".", 1), (",", 0)):
        press(key)
        wait(animator, f"app.pose.frame === {frame}")
    np.testing.assert_allclose(at(animator, "LeftHand"), hand, atol=1e-6)
    # Without auto-key it is kept as well, and marked.
    press("u")
    wait(animator, "app.state.timeline.auto_key === false")
    animator.drag("LeftHand", (-40, 60), steps=4)
    lower = at(animator, "LeftHand")
    animator.page.get_by_test_id("unkeyed").wait_for()
    press(".")
    wait(animator, "app.pose.frame === 1")
    np.testing.assert_allclose(at(animator, "LeftHand"), hand, atol=1e-6)
    animator.page.get_by_test_id("unkeyed").wait_for(state="detached")
    animator.page.get_by_test_id("unkeyed-mark").wait_for()
    press(",")
    wait(animator, "app.pose.frame === 0")
    np.testing.assert_allclose(at(animator, "LeftHand"), lower, atol=1e-6)
    press("Control+z")
    animator.settle()
    np.testing.assert_allclose(at(animator, "LeftHand"), hand, atol=1e-6)


def test_a_second_drag_beside_the_marker_moves_the_hand_and_no_limit(animator: Person) -> None:
    animator.drag("LeftHand", (40, -90), steps=4)
    limits, before = animator.ask("JSON.stringify(app.state.limits)"), at(animator, "LeftHand")
    x, y = animator.screen("LeftHand")
    mouse = animator.page.mouse
    for dx, dy in ((9, 0), (0, -9), (-6, 6)):
        mouse.move(x + dx, y + dy)
        mouse.down()
        mouse.move(x + dx - 32, y + dy + 48, steps=4)
        mouse.up()
        animator.settle()
        x, y = animator.screen("LeftHand")
    assert np.linalg.norm(at(animator, "LeftHand") - before) > 0.1
    assert animator.ask("JSON.stringify(app.state.limits)") == limits
    # The middle button turns the view, also on a marker; with Shift it moves it sideways.
    hand, turned, shifted = at(animator, "LeftHand"), [], []
    for shift in (False, True):
        seen = "[stage.camera.matrixWorld.elements.slice(8, 11), stage.viewpoint.target.toArray()]"
        way, target = np.array(animator.ask(seen))
        x, y = animator.screen("LeftHand")
        mouse.move(x, y)
        if shift:
            animator.page.keyboard.down("Shift")
        mouse.down(button="middle")
        mouse.move(x - 60, y + 20, steps=4)
        mouse.up(button="middle")
        animator.page.keyboard.up("Shift")
        animator.still()
        turned.append(np.linalg.norm(np.array(animator.ask(seen))[0] - way))
        shifted.append(np.linalg.norm(np.array(animator.ask(seen))[1] - target))
    assert turned[0] > 0.1 > 0.01 > turned[1]
    assert shifted[1] > 0.1 > 0.01 > shifted[0]
    np.testing.assert_array_equal(at(animator, "LeftHand"), hand)


def test_limits_change_in_the_limits_tool_only(animator: Person) -> None:
    page, mouse = animator.page, animator.page.mouse
    joint = animator.joint("LeftForeArm")
    animator.ask(f"app.select({joint})")
    page.keyboard.press("j")
    wait(animator, "app.ui.tool === 'limits'")
    limits, before = animator.ask("JSON.stringify(app.state.limits)"), animator.q()
    x, y = animator.screen("LeftHand")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 40, y - 40, steps=4)
    mouse.up()  # on a marker: nothing moves
    animator.settle()
    np.testing.assert_array_equal(animator.q(), before)
    animator.ask("stage.frame('all', 'corner', false)")
    animator.ask(f"app.select({joint})")
    knobs = page.evaluate("() => window.limbik.knobs()")
    assert len(knobs) >= 2
    knob = knobs[-1]
    mouse.move(knob["x"], knob["y"])
    mouse.down()
    mouse.move(knob["x"] + 25, knob["y"] + 25, steps=6)
    mouse.up()
    animator.settle()
    assert animator.ask("JSON.stringify(app.state.limits)") != limits
    page.keyboard.press("Control+z")
    animator.settle()
    assert animator.ask("JSON.stringify(app.state.limits)") == limits


def test_a_pin_that_gives_way_by_half_a_millimetre_is_held(animator: Person) -> None:
    page = animator.page
    animator.ask("app.set({ panel: true })")
    hips = animator.ask(f"app.effectorOn({animator.joint('Hips')}).id")
    x, y, z = at(animator, "Hips")
    animator.ask(f"app.drag({hips}, [{x}, {y + 1.8}, {z}], null)")
    animator.settle()
    feet = [
        animator.ask(f"app.effectorOn({animator.joint(n)}).id") for n in ("LeftFoot", "RightFoot")
    ]
    off = [animator.ask(f"app.pose.goals.find(g => g.effector === {foot}).length") for foot in feet]
    assert all(2.2e-4 < far < 2e-3 for far in off), off  # more than the tolerance of a goal
    rows = page.locator(".goal").filter(has_text="Foot")
    rows.locator(".dot.reached").nth(1).wait_for()
    assert rows.locator(".dot.missed").count() == 0
    assert page.locator(".goal").filter(has_text="Hips").locator(".dot.missed").count() == 1
    animator.ask("app.set({ panel: false })")


def extent(animator: Person) -> np.ndarray:
    """(2,) the width and height of all joints on the page, as shares of the picture's."""
    spots = animator.ask(
        """app.figure.joints.map((_, i) => window.limbik.screen(i)).map(({ x, y }) => [x, y])"""
    )
    box = animator.ask(
        "(({ width, height }) => [width, height])(stage.canvas.getBoundingClientRect())"
    )
    return np.ptp(np.array(spots), axis=0) / np.array(box)


def test_a_square_view_is_filled_by_the_figure(animator: Person) -> None:
    page = animator.page
    for key in ("Numpad7", "Numpad1", "Numpad3", "Control+Numpad7"):
        page.keyboard.press(key)
        wait(animator, "app.ui.square !== null")
        animator.still()
        assert 0.65 < extent(animator).max() < 0.9, key
    # A chair beside it that was in the picture stays in it.
    page.evaluate("() => window.limbik.app.do('prop.add', { kind: 'chair' })")
    animator.settle()
    page.get_by_role("button", name="3D", exact=True).click()
    wait(animator, "app.ui.square === null")
    animator.ask("stage.viewpoint.dolly(0.3)")
    page.keyboard.press("Numpad3")
    wait(animator, "app.ui.square === 'left'")
    animator.still()
    chair = "app.state.scene.props[0].position"
    spot, box = animator.ask(
        f"[stage.project({chair}), stage.canvas.getBoundingClientRect().toJSON()]"
    )
    assert box["left"] < spot["x"] < box["right"]
    # Whoever has come nearer keeps what they look at, and its size.
    animator.ask(f"stage.frame({animator.joint('LeftHand')}, null, false)")
    animator.still()
    near, looked = animator.ask("[stage.viewpoint.distance, stage.viewpoint.target.toArray()]")
    page.keyboard.press("Numpad1")
    wait(animator, "app.ui.square === 'front'")
    animator.still()
    assert np.isclose(animator.ask("stage.viewpoint.distance"), near)
    assert np.allclose(animator.ask("stage.viewpoint.target.toArray()"), looked)


def test_markers_on_one_another_are_counted_and_named(animator: Person) -> None:
    page = animator.page
    page.keyboard.press("Numpad7")
    wait(animator, "app.ui.square === 'top'")
    spot = animator.screen("Head")
    names = "window.limbik.stacks().map(s => s.map(id => app.effector(id).name))"
    assert animator.ask(names) == [["Head", "Hips"]]
    page.mouse.move(spot[0] + 1, spot[1])
    label = page.locator(".touch-label")
    animator.says(label, "Head (1 of 2 here; click again: Hips)")
    page.mouse.click(*spot)
    wait(animator, "app.effector(app.ui.effector)?.name === 'Head'")
    # Later than a double click would be, by the clock of the page's events.
    page.wait_for_function(
        "since => performance.now() > since", arg=animator.ask("performance.now()") + 600
    )
    page.mouse.click(*spot)
    wait(animator, "app.effector(app.ui.effector)?.name === 'Hips'")
    page.keyboard.press("Numpad1")
    wait(animator, "app.ui.square === 'front'")
    animator.still()
    assert animator.ask(names) == []
    assert not label.is_visible()


@pytest.mark.parametrize(
    ("key", "button", "deep"),
    [("Numpad1", "Front", 2), ("Numpad3", "Side", 0), ("Numpad7", "Top", 1)],
)
def test_a_drag_in_a_square_view_stays_in_its_plane(
    animator: Person, key: str, button: str, deep: int
) -> None:
    page = animator.page
    far = animator.ask("stage.viewpoint.distance")
    page.get_by_role("button", name="Undo").focus()  # the number pad needs no focus of the view
    page.keyboard.press(key)
    wait(animator, "app.ui.square !== null")
    assert animator.ask("stage.camera.orthographic")
    page.get_by_role("button", name=button, exact=True, pressed=True).wait_for()
    before = at(animator, "LeftHand")
    animator.drag("LeftHand", (-37, -23), steps=4)
    after = at(animator, "LeftHand")
    moved = after - before
    assert np.linalg.norm(moved) > 0.05
    # The target does not leave the plane, and the hand is at the target within a drag's tolerance.
    hand = f"app.state.effectors.find(e => e.joint === {animator.joint('LeftHand')})"
    target = np.array(animator.ask(f"Array.from(({hand}).position)"))
    assert abs(target[deep] - before[deep]) < 1e-6  # metres; poses come as 32-bit numbers
    assert np.linalg.norm(after - target) < 1e-4 * animator.ask("app.figure.size")
    # A turn of the view is in perspective again, from as far away as before the square view.
    page.mouse.move(120, 120)
    page.mouse.down()
    page.mouse.move(180, 140, steps=3)
    page.mouse.up()
    wait(animator, "app.ui.square === null")
    assert not animator.ask("stage.camera.orthographic")
    animator.still()
    assert animator.ask("stage.viewpoint.distance") == pytest.approx(far, rel=0.02)


def test_a_hand_that_rests_out_of_reach_gets_the_reason(animator: Person) -> None:
    x, y = animator.screen("LeftHand")
    mouse = animator.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 6, y - 6)
    wait(animator, "app.idle")
    mouse.move(x + 300, y)
    # Nothing moves any more, and the button is still down.
    wait(animator, "!app.pose.isFollowing && app.pose.why.includes(' short')")
    assert "so far" not in animator.ask("app.pose.why")
    mouse.up()
    animator.settle()


def test_a_body_settles_while_the_hand_rests_and_not_when_it_lets_go(animator: Person) -> None:
    page, mouse = animator.page, animator.page.mouse
    page.keyboard.press("Numpad3")
    animator.still()
    x, y = animator.screen("Head")
    place = at(animator, "Head") + [0.0, -0.2, -0.3]
    end = page.evaluate("(p) => window.limbik.stage.project(p)", place.tolist())
    mouse.move(x, y)
    mouse.down()
    for k in range(1, 21):
        mouse.move(x + (end["x"] - x) * k / 20, y + (end["y"] - y) * k / 20)
        wait(animator, "app.idle")
    before = animator.positions()
    rested, still = before, 0
    while still < 4:  # the button is still down
        page.wait_for_timeout(400)
        now = animator.positions()
        still = still + 1 if np.abs(now - rested).max() < 1e-3 else 0
        rested = now
    assert np.linalg.norm(rested - before, axis=1).max() > 0.02  # it went on by itself
    mouse.up()
    animator.settle()
    # It moved by 24 cm when the hand let go.
    assert np.linalg.norm(animator.positions() - rested, axis=1).max() < 0.015


def test_a_marker_under_the_status_is_seen_and_taken(animator: Person) -> None:
    page, mouse = animator.page, animator.page.mouse
    card = page.locator("section.status")
    assert "through" not in (card.get_attribute("class") or "")
    box = card.bounding_box()
    assert box is not None
    x, y = animator.screen("LeftHand")
    to_x, to_y = box["x"] + 0.4 * box["width"], box["y"] + 0.7 * box["height"]
    mouse.move(640, 80)  # on nothing
    page.keyboard.down("Shift")
    mouse.down()
    mouse.move(640 + to_x - x, 80 + to_y - y, steps=6)
    mouse.up()
    page.keyboard.up("Shift")
    x, y = animator.screen("LeftHand")
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]
    page.locator("section.status.through").wait_for()
    before = at(animator, "LeftHand")
    animator.drag("LeftHand", (60, -120), steps=4)
    assert np.linalg.norm(at(animator, "LeftHand") - before) > 0.1
    page.keyboard.press("Home")
    page.locator("section.status:not(.through)").wait_for()

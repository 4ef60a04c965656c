"""Rings, limbs in FK and looks in the page, with a real mouse, on three bodies; in degrees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers import real_data
from helpers.poser.browser import Person
from helpers.poser.pose_command import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BODIES = ("", "vrm/sat06_basic_armature_vrm1.vrm", "cmu_bvh/02_01.bvh")


@pytest.fixture(scope="module")
def page(browser: Browser, served: Server) -> Iterator[Person]:
    someone = Person(browser, served.url, reduced_motion="reduce")
    someone.page.set_viewport_size({"width": 920, "height": 600})
    someone.ask("app.set({ panel: false, shadows: false, hintSeen: true, follow: false })")
    yield someone
    assert someone.faults == []
    someone.close()


def opened(page: Person, path: str) -> dict[str, str]:
    """Open a body and look at it from the front; its joints by role."""
    if path:
        file = real_data.find(path)
        page.choose(file)
        page.wait(f"app.figure.file === '{file.name}' && app.pose !== null && app.idle")
    page.ask("stage.view('front')")
    page.ask("stage.frame('all', 'front', false)")
    page.settle()
    page.still()
    return page.ask("Object.fromEntries(app.figure.joints.map((j) => [j.role, j.name]))")


def wxyz(page: Person, joint: str) -> np.ndarray:
    i = page.joint(joint)
    return np.array(page.ask(f"Array.from(app.pose.wxyz.slice({4 * i}, {4 * i + 4}))"))


def ring(page: Person, name: str) -> dict[str, Any]:
    """Where a ring can be taken, once the view stands still."""
    seen: list[Any] = []
    while len(seen) < 2 or seen[-1] != seen[-2]:
        page.page.wait_for_timeout(60)
        seen.append(page.page.evaluate("() => window.limbik.rings()"))
    return next(one for one in seen[-1] if one["name"] == name)


def turned_with_mouse(page: Person, joint: str, name: str, degrees: float) -> float:
    """Lead the mouse around the middle of a ring; the angle that the joint turned by, degrees."""
    page.ask(f"app.select({page.joint(joint)})")
    page.page.keyboard.press("r")
    at, before, mouse = ring(page, name), wxyz(page, joint), page.page.mouse
    dx, dy = at["x"] - at["cx"], at["y"] - at["cy"]
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, 6):
        a = math.radians(degrees * k / 5)
        x = dx * math.cos(a) - dy * math.sin(a)
        y = dx * math.sin(a) + dy * math.cos(a)
        mouse.move(at["cx"] + x, at["cy"] + y)
    mouse.up()
    page.settle()
    page.settle()  # the end of the turn was sent after the last answer
    return math.degrees(2.0 * math.acos(min(1.0, abs(float(before @ wxyz(page, joint))))))


@pytest.mark.parametrize("path", BODIES)
def test_any_joint_turns_with_the_mouse_and_limbs_are_set_to_fk(page: Person, path: str) -> None:
    roles = opened(page, path)
    press = page.page.keyboard.press
    # Seen along its axis, a ring turns as far as the mouse goes around it: an arm from the front.
    arm, hips, hand, foot = (roles[r] for r in ("left upper arm", "hips", "left hand", "left foot"))
    assert [a["name"] for a in page.ask(f"app.figure.joints[{page.joint(arm)}].axes")] == [
        "flex", "spread", "twist",
    ]  # fmt: skip
    assert page.ask(f"app.effectorOn({page.joint(arm)}) === undefined")
    before = page.positions()
    assert abs(turned_with_mouse(page, arm, "spread", -20.0) - 20.0) < 0.7
    assert page.ask("app.state.undo") == f"Turn {arm}"
    raised = page.positions()[page.joint(hand)] - before[page.joint(hand)]
    assert raised[1] > 0.1 * np.linalg.norm(raised)  # the left arm, on the right as seen, went up
    feet = [page.joint(roles["left foot"]), page.joint(roles["right foot"])]
    np.testing.assert_allclose(
        page.positions()[feet], before[feet], atol=1e-3 * page.ask("app.figure.size")
    )
    press("Control+z")
    page.settle()
    np.testing.assert_allclose(page.positions(), before, atol=1e-4 * page.ask("app.figure.size"))

    # In FK the leg keeps its angles and its pin asks for nothing; its marker is not there.
    page.ask(f"app.select({page.joint(foot)})")
    press("i")
    page.wait("app.state.fk.length > 0")
    press("q")
    before = page.positions()
    page.drag(hips, (60, -4), steps=4)
    moved = page.positions()[page.joint(foot)] - before[page.joint(foot)]
    assert np.linalg.norm(moved) > 0.05 * page.ask("app.figure.size")
    press("Control+z")
    press("Control+z")
    page.settle()
    assert page.ask("app.state.fk") == []


def test_a_look_is_taken_by_the_eye_and_tied_to_a_hand(page: Person) -> None:
    page.page.evaluate("() => window.limbik.app.do('builtin', { name: 'human' })")
    page.wait("app.figure.builtin === 'human' && app.pose !== null && app.idle")
    page.ask("app.set({ panel: true })")
    roles = opened(page, "")
    head, hand = roles["head"], roles["left hand"]
    page.ask(f"app.select({page.joint(head)})")
    page.page.keyboard.press("q")
    page.page.keyboard.press("a")
    page.wait("app.selectedEffector()?.mode === 'aim'")
    page.settle()

    def target() -> dict[str, float]:
        return page.page.evaluate(
            "() => window.limbik.target(window.limbik.app.selectedEffector().id)"
        )

    def error() -> float:
        found = page.ask("app.report(app.selectedEffector().id).angle")
        return math.degrees(found)

    eye = page.page.evaluate(
        """() => {
          const { app, stage } = window.limbik;
          const { joint, at } = app.selectedEffector();
          const p = app.pose.positions.slice(3 * joint, 3 * joint + 3);
          return stage.project([p[0] + at[0], p[1] + at[1], p[2] + at[2]]);  // at rest
        }"""
    )
    # From the front the target hides the eyes: it is straight before them.
    assert math.hypot(target()["x"] - eye["x"], target()["y"] - eye["y"]) < 8  # pixels
    mouse = page.page.mouse
    mouse.move(eye["x"], eye["y"])
    mouse.down()
    mouse.move(eye["x"] + 60, eye["y"] + 25, steps=5)
    mouse.up()
    page.settle()
    assert math.hypot(target()["x"] - eye["x"] - 60, target()["y"] - eye["y"] - 25) < 3
    assert error() < 0.5
    page.page.get_by_label("What Head looks at").select_option(f"joint:{hand}")
    page.settle()
    page.drag(hand, (0, -60), steps=4)
    page.ask(f"app.select({page.joint(head)})")
    assert error() < 0.5
    page.page.get_by_label("What Head looks at").select_option("camera")
    page.settle()
    page.page.keyboard.press("Escape")
    mouse.move(100, 300)
    mouse.down()
    mouse.move(190, 310, steps=4)
    mouse.up()
    page.ask(f"app.select({page.joint(head)})")
    page.wait(  # the view glides to a rest
        "((at) => Math.hypot(...app.eye().map((v, k) => v - at[k])) < 0.02)"
        "(app.report(app.selectedEffector().id).position)"
    )
    page.settle()
    assert error() < 0.5


def test_a_click_on_a_ring_selects_what_is_behind_it(page: Person) -> None:
    page.page.evaluate("() => window.limbik.app.do('builtin', { name: 'human' })")
    page.settle()
    opened(page, "")
    page.ask(f"app.select({page.joint('LeftForeArm')})")
    page.page.keyboard.press("r")
    before, mouse = page.q(), page.page.mouse
    # Bring a point of the upper arm under a ring: somewhere on the rings the body is behind them.
    spots = page.page.evaluate(
        """() => {
            const { stage, rings } = window.limbik;
            const { left, top } = stage.canvas.getBoundingClientRect();
            const out = [];
            for (const ring of rings()) for (let k = 0; k < 180; k++) {
                const a = (k * Math.PI) / 90, [dx, dy] = [ring.x - ring.cx, ring.y - ring.cy];
                const x = ring.cx + dx * Math.cos(a) - dy * Math.sin(a);
                const y = ring.cy + dx * Math.sin(a) + dy * Math.cos(a);
                out.push({ x, y, joint: stage.pick(x, y)?.joint ?? -1 });
            }
            return out;
        }"""
    )
    arm, chosen = page.joint("LeftForeArm"), None
    for spot in spots:
        if spot["joint"] < 0 or spot["joint"] == arm or page.ask("app.ui.joint") != arm:
            continue
        mouse.move(spot["x"], spot["y"])
        if page.ask("stage.canvas.style.cursor") != "grab":
            continue  # not on a ring
        mouse.down()
        mouse.move(spot["x"] + 1, spot["y"] + 1)  # no hand is quite still
        mouse.up()
        page.settle()
        chosen = page.ask("app.ui.joint")
        if chosen != arm:
            break
    assert chosen not in (None, arm)
    np.testing.assert_array_equal(page.q(), before)

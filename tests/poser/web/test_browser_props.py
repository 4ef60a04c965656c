"""Props, balance and collisions in the page, with a real mouse."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbik
from helpers.poser.browser import Person

HUMAN = limbik.figures.human()


def hands(person: Person) -> np.ndarray:
    return person.positions()[[person.joint("LeftHand"), person.joint("RightHand")]]


def drawn(person: Person, name: str) -> Any:
    """Whether something is drawn in the scene, and where; its colour as hexadecimal digits."""
    return person.page.evaluate(
        """async (name) => {
          const { stage } = window.limbik;
          stage.render();
          for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
          const found = stage.world.getObjectByName(name);
          let colour = "";
          found.traverse((one) => (colour ||= one.material?.color?.getHexString() ?? ""));
          const first = found.children[0];
          const at = first ? stage.project(first.position.clone()) : null;
          return { visible: found.visible, count: found.children.length, colour, at };
        }""",
        name,
    )


def press(person: Person, at: dict[str, float], by: tuple[float, float], steps: int = 10) -> None:
    mouse = person.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, steps + 1):
        mouse.move(at["x"] + by[0] * k / steps, at["y"] + by[1] * k / steps)
    mouse.up()
    person.settle()


def colours(person: Person) -> tuple[str, str]:
    """Of what is reached, and of what is missed."""
    red, green = (
        person.page.evaluate(
            "(name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()",
            name,
        )
        for name in ("--target", "--reached")
    )
    return green.lstrip("#"), red.lstrip("#")


def test_a_box_is_put_held_by_both_hands_and_carried(person: Person) -> None:
    page = person.page
    page.get_by_role("button", name="Add a box").click()
    person.settle()
    box = person.ask("app.state.scene.props[0]")
    assert person.ask("app.ui.prop") == box["id"]
    # Dragged by the mouse it goes along, and the body stays.
    before = person.positions()
    press(person, drawn(person, "props")["at"], (-60, -30))
    moved = person.ask("app.state.scene.props[0].position")
    assert np.linalg.norm(np.subtract(moved, box["position"])) > 0.05
    np.testing.assert_array_equal(person.positions(), before)
    page.keyboard.press("Control+z")
    person.settle()
    assert person.ask("app.state.scene.props[0].position") == box["position"]
    # Looked at, it is still the box that a press takes, and the look stays tied to it.
    head, look = (
        person.ask("app.state.effectors.find(e => e.name === 'Head').id"),
        f"prop:{box['id']}",
    )
    page.evaluate(
        f"() => window.limbik.app.do('effector.set', {{ effector: {head}, look: '{look}' }})"
    )
    person.settle()
    press(person, drawn(person, "props")["at"], (-60, -90), steps=4)
    assert person.ask("app.state.scene.props[0].position[1]") - box["position"][1] > 0.1
    assert person.ask(f"app.effector({head}).look") == look
    assert person.ask(f"app.report({head}).ok")
    for _ in range(2):
        page.keyboard.press("Control+z")
        person.settle()
    assert person.ask(f"app.effector({head}).mode") == "free"
    page.get_by_role("button", name="Both hands").click()
    person.settle()
    person.says(page.get_by_role("region", name="Scene"), "Held by LeftHand and RightHand.")
    apart, before = np.linalg.norm(np.diff(hands(person), axis=0)), hands(person)
    press(person, drawn(person, "props")["at"], (20, -60))
    assert (hands(person)[:, 1] - before[:, 1] > 0.05).all()  # both hands went up with it
    assert abs(np.linalg.norm(np.diff(hands(person), axis=0)) - apart) < 2e-3
    page.get_by_role("button", name="Let go").click()
    person.settle()
    place = person.ask("app.state.scene.props[0].position")
    person.drag("LeftHand", (60, 30))
    assert person.ask("app.state.scene.props[0].position") == place


def test_balance_is_drawn_green_and_red_and_kept_on_demand(person: Person) -> None:
    page = person.page
    green, red = colours(person)
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="Centre of mass").click()
    page.get_by_role("menuitemcheckbox", name="Collision shapes").click()
    page.keyboard.press("Escape")
    person.wait("app.body !== null")
    page.wait_for_function("() => window.limbik.stage.world.getObjectByName('balance').visible")
    assert drawn(person, "balance")["colour"] == green
    assert drawn(person, "collision shapes")["count"] == len(HUMAN.shapes)
    words = page.get_by_test_id("balance-words")
    person.says(words, "inside its support")
    person.drag("Hips", (110, 20))
    page.wait_for_function(
        "() => document.querySelector('.balance-words')?.textContent.includes('outside')"
    )
    assert drawn(person, "balance")["colour"] == red
    page.get_by_role("switch", name="Auto-balance").click(force=True)
    person.settle()
    page.wait_for_function(
        "() => document.querySelector('.balance-words')?.textContent.includes('inside')"
    )
    assert drawn(person, "balance")["colour"] == green
    person.drag("Hips", (60, 10))
    outside = limbik.Balance(["LeftFoot", "RightFoot"]).outside(HUMAN, person.q())
    assert outside < 2e-3
    for _ in range(2):
        page.keyboard.press("Control+z")
    person.settle()
    assert not person.ask("app.state.scene.balance")

"""The pose library in a real Chromium: kept with a picture, taken on another figure."""

from __future__ import annotations

import numpy as np

from helpers import real_data
from helpers.poser.browser import Person


def arm(person: Person) -> np.ndarray:
    """(2, 3) the directions of the left upper and lower arm."""
    roles = person.ask("Object.fromEntries(app.figure.joints.map((j, i) => [j.role, i]))")
    joints = [roles[part] for part in ("left upper arm", "left lower arm", "left hand")]
    bones = np.diff(person.positions()[joints], axis=0)
    return bones / np.linalg.norm(bones, axis=1, keepdims=True)


def test_a_pose_is_kept_with_a_picture_and_goes_onto_another_body(person: Person) -> None:
    vrm = real_data.find("vrm/sat06_basic_armature_vrm1.vrm")
    person.drag("LeftHand", (40, -150))
    wanted = arm(person)
    person.page.get_by_role("button", name="Poses", exact=True).click()
    person.page.get_by_label("Name of the pose in the library").fill("Hand up")
    person.page.get_by_role("button", name="Keep").click()
    tile = person.page.get_by_role("button", name="Take Hand up")
    tile.wait_for()
    person.page.wait_for_function(
        "() => document.querySelector('.library img')?.naturalWidth === 144"
    )
    person.choose(vrm)
    person.wait("app.figure.file.endsWith('.vrm') && app.library.length === 1")
    person.wait("app.library[0].fit === 'roles'")
    person.settle()
    hand = person.joint("hand.L")
    before = person.positions()[hand]
    tile.click()
    person.settle()
    assert person.positions()[hand][1] > before[1] + 0.1
    # Bones point where they did on the other body, within 5 degrees.
    assert (np.sum(arm(person) * wanted, axis=1) > np.cos(np.radians(5.0))).all()
    assert person.ask("app.state.undo") == "Pose Hand up"
    person.page.keyboard.press("Control+z")
    person.settle()
    assert np.allclose(person.positions()[hand], before, atol=1e-5)
    # Flipped it is the other hand that goes up, by the button and with Shift.
    other = person.joint("hand.R")
    for press in ("button", "Shift"):
        below = person.positions()[[hand, other]]
        tile.hover()
        if press == "button":
            person.page.get_by_role("button", name="Hand up, flipped").click()
        else:
            tile.click(modifiers=["Shift"])
        person.settle()
        risen = person.positions()[[hand, other]] - below
        assert risen[1, 1] > max(0.1, risen[0, 1] + 0.1), press
        person.page.keyboard.press("Control+z")
        person.settle()
    # All sections of the panel open, with the most that they have: nothing is cut off.
    page = person.page
    for name in ("Hands", "Limits", "Method"):
        page.locator(".section h2 button").filter(has_text=name).click()
    page.get_by_role("button", name="Right palm").wait_for()
    assert (
        page.evaluate(
            """() => {
            const right = document.querySelector(".panel").getBoundingClientRect().right;
            const parts = [...document.querySelectorAll(".panel :is(.button, input, select, p)")];
            const wide = parts.filter((part) => part.getBoundingClientRect().right > right);
            return wide.map((part) => part.innerText || part.ariaLabel);
        }"""
        )
        == []
    )

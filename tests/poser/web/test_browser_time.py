"""Time as a person meets it: a clip put on another figure, contacts, curves, trails, both hands."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import limbik
from helpers.poser.browser import Person

CLIP = limbik.figures.cartwheel()[:260:13]


def test_a_clip_goes_onto_the_figure_and_its_contacts_are_dragged(
    person: Person, tmp_path: Path
) -> None:
    page = person.page
    limbik.save(CLIP, tmp_path / "wheel.bvh")
    page.get_by_role("button", name="File", exact=True).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="A clip onto this figure").click()
    chooser.value.set_files([str(tmp_path / "wheel.bvh")])
    person.wait("app.state.origin !== null && app.task === null")
    person.settle()
    assert person.ask("app.figure.builtin") == "human"
    assert person.ask("app.state.timeline.frames") == CLIP.frames
    # The source stands beside the figure.
    person.wait("window.limbik.stage.origin.outline().length > 0")
    ghost = np.array(person.ask("Array.from(stage.origin.outline())")).reshape(-1, 3)
    assert 0.5 < np.linalg.norm(ghost.mean(axis=0) - person.positions().mean(axis=0)) < 1.5
    # An end of a bar is dragged by five frames.
    bar = page.locator(".contact").first
    contact = int(bar.get_attribute("data-contact") or 0)
    now = f"app.state.timeline.contacts.find(c => c.id === {contact})"
    start, end = person.ask(f"[{now}.start, {now}.end]")
    box = bar.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] - 3, box["y"] + box["height"] / 2
    frame = box["width"] / (end - start)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - frame, y)
    page.mouse.move(x - 2.1 * frame, y)
    page.mouse.up()
    person.wait(f"{now}.end === {end - 2}")
    page.get_by_role("button", name="Retarget again").click()
    person.wait("app.state.undo.includes('again') && app.task === null")
    assert person.ask(f"[{now}.start, {now}.end]") == [start, end - 2]
    # A double click locks it, Delete deletes it.
    bar.dblclick()
    person.wait(f"{now}.held")
    bar.focus()
    page.keyboard.press("Delete")
    person.wait(f"{now} === undefined")


def test_curves_trails_and_both_hands_at_once(person: Person) -> None:
    page = person.page
    page.keyboard.press("x")
    person.wait("app.state.symmetric")
    page.keyboard.press("w")
    person.wait("app.ui.note.startsWith('Select a joint')")
    person.drag("LeftHand", (40, -120))
    assert person.ask("app.ui.note") == ""  # a joint is selected now
    left, right = (person.positions()[person.joint(name)] for name in ("LeftHand", "RightHand"))
    np.testing.assert_allclose(right, left * [-1, 1, 1], atol=2e-3)
    page.keyboard.press("x")
    person.wait("!app.state.symmetric")
    page.keyboard.press("k")
    person.wait("app.state.timeline.keys.length === 1")
    page.evaluate("() => window.limbik.app.scrub(60)")
    person.settle()
    person.drag("LeftHand", (30, 100))
    person.wait("app.state.timeline.keys.length === 2")  # by auto-key
    # The trail goes from key to key.
    page.keyboard.press("w")
    person.wait("window.limbik.stage.world.children.some(o => o.children.length === 3)")
    assert person.ask("app.ui.trails") == [person.joint("LeftHand")]
    # A point of a curve is dragged upwards: the coordinate grows, in this key alone.
    elbow = person.joint("LeftForeArm")
    page.evaluate(f"() => window.limbik.app.select({elbow})")
    page.keyboard.press("c")
    key = person.ask("app.state.timeline.keys[1].id")
    coordinate = person.ask(f"app.figure.joints[{elbow}].first")
    point = page.locator(f'.curve-key[data-key="{key}"][data-coordinate="{coordinate}"]')
    box = point.bounding_box()
    assert box is not None
    before = person.q()[coordinate]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 10)
    page.mouse.move(x, y + 25)
    page.mouse.up()
    person.wait("app.state.undo === 'Change a key'")
    person.settle()
    assert abs(person.q()[coordinate] - before) > 0.02
    assert limbik.figures.human().violation(person.q()) < 1e-6
    # The selected key holds its pose until the next one.
    page.locator(".diamond").first.click()
    page.get_by_role("combobox", name="Ease of the selected keys").select_option("step")
    person.wait("app.state.timeline.keys[0].ease === 'step'")
    person.settle()
    page.evaluate("() => window.limbik.app.scrub(59)")
    person.settle()
    held = person.q()
    page.evaluate("() => window.limbik.app.scrub(0)")
    person.settle()
    np.testing.assert_allclose(person.q(), held, atol=1e-5)

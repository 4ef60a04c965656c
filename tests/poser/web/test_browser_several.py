"""Two figures in one scene, chosen by a click and posed with a real mouse."""

from __future__ import annotations

import numpy as np

from helpers.poser.browser import Person


def test_a_second_figure_is_added_clicked_and_posed(person: Person) -> None:
    page = person.page
    first = person.positions()
    page.get_by_role("button", name="Add a figure").click()
    person.wait("app.state.others.length === 1")
    person.settle()
    second = person.positions()
    assert second[:, 0].min() > first[:, 0].max()  # metres; it stands to the left of the first
    status = page.get_by_test_id("status")
    status.get_by_text("At rest").wait_for()
    # It is in the picture, though it looks like the first and so is drawn by the same body.
    assert person.ask("stage.viewpoint.shows(stage.surface())")
    page.keyboard.press("f")
    person.drag("LeftHand", (20, -60), steps=5)
    posed = person.positions()
    hand = person.joint("LeftHand")
    assert np.linalg.norm(posed[hand] - second[hand]) > 0.05
    told = np.array(person.ask("app.state.others[0].positions")).reshape(-1, 3)
    np.testing.assert_allclose(told, first, atol=1e-5)

    # A click on the body of the first makes it the one that is posed; the view stays.
    at = person.page.evaluate(
        "() => { const { app, stage } = window.limbik; const p = app.state.others[0].positions;"
        " const k = 3 * app.figure.joints.findIndex((j) => j.name === 'Spine');"
        " return stage.project([p[k], p[k + 1], p[k + 2]]); }"
    )
    camera = person.ask("stage.camera.position.toArray()")
    page.mouse.click(at["x"], at["y"])
    person.wait("app.state.name === 'human 1' && app.idle")
    np.testing.assert_allclose(person.positions(), first, atol=1e-6)
    np.testing.assert_allclose(person.ask("stage.camera.position.toArray()"), camera, atol=1e-6)
    status.get_by_text("At rest").wait_for()  # as it always was
    person.drag("RightHand", (-15, -50), steps=5)
    told = np.array(person.ask("app.state.others[0].positions")).reshape(-1, 3)
    np.testing.assert_allclose(told, posed, atol=1e-5)
    page.get_by_role("button", name="Remove human 2").click()
    person.wait("app.state.others.length === 0")
    page.keyboard.press("Control+z")
    person.wait("app.state.others.length === 1")

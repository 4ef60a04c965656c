"""Files and clips in the poser: a real Chromium with a real server."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.poser.browser import Person

if TYPE_CHECKING:
    pass

Spot = tuple[float, float]


def drop(person: Person, *files: Path) -> None:
    """Let files fall on the view, as from a file manager."""
    contents = [[file.name, base64.b64encode(file.read_bytes()).decode()] for file in files]
    carried = person.page.evaluate_handle(
        """(files) => {
          const carried = new DataTransfer();
          for (const [name, text] of files) {
            const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
            carried.items.add(new File([bytes], name));
          }
          return carried;
        }""",
        contents,
    )
    for event in ("dragenter", "dragover", "drop"):
        person.page.dispatch_event("canvas", event, {"dataTransfer": carried})


def opened(person: Person, file: str) -> None:
    person.wait(f"app.figure.file === '{file}' && app.pose !== null && app.idle")
    person.view_settles()


def drag_first_free(person: Person) -> float:
    """Drag the first free effector; how far it went, as a share of the figure's size."""
    effectors: list[dict[str, Any]] = person.ask("app.state.effectors")
    name = next(effector["name"] for effector in effectors if effector["mode"] == "free")
    before = person.positions()[person.joint(name)]
    person.drag(name, (25, -45), steps=6)
    return float(np.linalg.norm(person.positions()[person.joint(name)] - before)) / person.ask(
        "app.figure.size"
    )


# Two of them rest outside of their limits, which loading says and the page notes.
@pytest.mark.filterwarnings("ignore:.*the rest pose is the nearest inside")
@pytest.mark.parametrize(
    "path",
    [
        "robots/erd_panda.urdf",
        "robots/dmc_humanoid_CMU_V2020.xml",
        "vrm/sat06_basic_armature_vrm1.vrm",
    ],
)
def test_robots_and_avatars_are_opened_and_dragged(person: Person, path: str) -> None:
    file = real_data.find(path)
    person.choose(file)
    opened(person, file.name)
    figure = limbik.load(file)
    size = person.ask("app.figure.size")
    np.testing.assert_allclose(person.positions(), figure.positions(person.q()), atol=1e-5 * size)
    assert drag_first_free(person) > 0.02
    assert figure.violation(person.q()) < 1e-5
    np.testing.assert_allclose(person.positions(), figure.positions(person.q()), atol=1e-5 * size)


def test_a_skeleton_and_its_motion_are_dropped_together(person: Person) -> None:
    asf = real_data.find("cmu_asfamc/02.asf")
    amc = real_data.find("cmu_asfamc/02_01.amc")
    drop(person, amc)
    person.wait("app.ui.note.includes('choose the .asf file together with it')")
    drop(person, amc, asf)
    opened(person, "02.asf")
    timeline = person.ask("app.state.timeline")
    clip = limbik.load_motion(amc)
    assert (timeline["clip"], timeline["frames"], timeline["fps"]) == ("02_01", 343, 120)
    # A thumb that was recorded beyond its limits is brought inside; the figure is 30 units tall.
    np.testing.assert_allclose(person.positions(), clip.positions()[0], atol=0.1)
    assert drag_first_free(person) > 0.02
    person.page.keyboard.press("Control+z")
    person.page.keyboard.press("Control+z")  # the opening itself
    person.wait("app.figure.builtin === 'human' && app.pose !== null")


def test_sentences_for_files_that_cannot_be_opened(person: Person, tmp_path: Path) -> None:
    lonely = tmp_path / "lonely.gltf"
    lonely.write_text(json.dumps({"asset": {"version": "2.0"}, "buffers": [{"uri": "skin.bin"}]}))
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0\n")
    photo = tmp_path / "photo.tiff"
    photo.write_bytes(b"II*\0")
    for file, sentence in (
        (lonely, "lonely.gltf needs skin.bin: choose or drop both together."),
        (broken, 'broken.bvh line 4: OFFSET of joint "Hips" has 2 of 3 values'),
        (photo, "photo.tiff cannot be opened. What can: .bvh"),
    ):
        drop(person, file)
        person.wait(f"app.ui.note.startsWith({json.dumps(sentence)})")
        assert person.ask("app.figure.builtin") == "human"


def go_to(person: Person, frame: int) -> np.ndarray:
    from playwright.sync_api import TimeoutError as Slow

    field = person.page.get_by_role("spinbutton", name="Frame", exact=True)
    for _ in range(12):
        field.fill(str(frame))
        field.press("Enter")
        try:
            person.wait(f"Math.round(app.pose.frame) === {frame} && app.idle", 10_000)
            break
        except Slow:  # a slow page wrote the frame of before between the two
            continue
    else:
        person.wait(f"Math.round(app.pose.frame) === {frame} && app.idle")
    return person.positions()


def test_a_clip_is_edited_by_hand_and_saved(person: Person, tmp_path: Path) -> None:
    file = real_data.find("cmu_bvh/02_01.bvh")
    person.choose(file)
    opened(person, "02_01.bvh")
    clip = limbik.load_motion(file).positions()
    span = person.page.get_by_role("spinbutton", name="Frames over which an edit blends")
    span.fill("50")
    span.press("Enter")
    person.wait("app.state.timeline.span === 50")
    hand, foot = person.joint("LeftHand"), person.joint("LeftFoot")
    np.testing.assert_allclose(go_to(person, 150), clip[150], atol=1e-4)
    person.view_settles()
    person.drag("LeftHand", (50, -90), steps=8)
    person.wait("app.state.timeline.keys.length === 1")
    edited = person.positions()
    assert np.linalg.norm(edited[hand] - clip[150, hand]) > 1
    assert np.linalg.norm(edited[foot] - clip[150, foot]) < 1e-2  # it is pinned
    beside = np.linalg.norm(go_to(person, 175)[hand] - clip[175, hand])
    assert 0.1 < beside < 0.9 * np.linalg.norm(edited[hand] - clip[150, hand])
    for beyond in (99, 201):
        np.testing.assert_allclose(go_to(person, beyond), clip[beyond], atol=1e-4)

    person.page.get_by_role("button", name="File", exact=True).click()
    with person.page.expect_download() as download:
        person.page.get_by_role("menuitem", name="BVH").click()
    saved = tmp_path / "edited.bvh"
    download.value.save_as(saved)
    again = limbik.load_motion(saved).positions()
    assert again.shape == clip.shape
    np.testing.assert_allclose(again[150], edited, atol=1e-3)
    np.testing.assert_allclose(again[250], clip[250], atol=1e-3)

    person.page.get_by_role("button", name="Undo").click()
    person.wait("app.state.timeline.keys.length === 0")
    np.testing.assert_allclose(go_to(person, 150), clip[150], atol=1e-4)
    person.page.keyboard.press("Control+Shift+z")  # in the field of the frame, where nobody types
    person.wait("app.state.timeline.keys.length === 1")
    # A drag ends within 1e-4 of the figure's size of its pins (0.004 here); the clip meets them.
    np.testing.assert_allclose(go_to(person, 150), edited, atol=1e-3)

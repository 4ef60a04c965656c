"""Pictures for others, and a page that heals by itself when its server was away."""

from __future__ import annotations

import io
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.poser.browser import Person, eventually
from helpers.poser.pose_command import Server, is_saved

if TYPE_CHECKING:
    from playwright.sync_api import Browser

image = pytest.importorskip("PIL.Image", reason="pip install pillow")


def saved(person: Person, item: str) -> tuple[str, np.ndarray, int]:
    """(name, pixels (height, width, channels), frames) of a picture that the menu saves."""
    page = person.page
    page.get_by_role("button", name="File", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item).click()
    with image.open(io.BytesIO(Path(download.value.path()).read_bytes())) as picture:
        frames = getattr(picture, "n_frames", 1)
        pixels = np.asarray(picture.convert("RGBA"))
    return download.value.suggested_filename, pixels.astype(int), frames


def test_pictures_have_what_their_names_say(person: Person) -> None:
    person.page.set_viewport_size({"width": 700, "height": 560})
    person.ask("app.set({ panel: false, timeline: false, hintSeen: true })")
    person.still()
    person.ask("stage.frame('all', 'front', false)")
    person.settle()
    person.still()
    spots = person.ask(
        "((joints) => Object.fromEntries(joints.map((j, i) => [j.name, window.limbik.screen(i)])))"
        "(app.figure.joints)"
    )
    box = person.ask("(({ left, top }) => ({ left, top }))(stage.canvas.getBoundingClientRect())")

    def at(pixels: np.ndarray, joint: str, dx: float = 0.0, dy: float = 0.0) -> np.ndarray:
        x, y = spots[joint]["x"] - box["left"] + dx, spots[joint]["y"] - box["top"] + dy
        return pixels[round(2 * y), round(2 * x)]

    name, pixels, _ = saved(person, "Transparent picture")
    assert name == "human.figure.png"
    assert at(pixels, "Spine")[3] == 255
    assert pixels[5, 5, 3] == 0  # nothing behind the figure
    alone = pixels[..., 3] > 128
    assert 0.02 < alone.mean() < 0.5

    name, pixels, _ = saved(person, "Depth map")
    assert name == "human.depth.png"
    grey = pixels[..., :3]
    assert (np.ptp(grey, axis=-1) == 0).all()  # white is near, black is the ground
    assert grey[5, 5, 0] == 0
    drawn = grey[..., 0] > 20
    assert (drawn == alone).mean() > 0.995
    assert grey[drawn].max() > 240
    # In the rest pose the toes are nearer to the eye than the heels' height of the shank.
    assert at(grey, "LeftToeBase")[0] > at(grey, "LeftLeg")[0] + 5

    name, pixels, _ = saved(person, "Normal map")
    assert name == "human.normal.png"
    assert pixels[5, 5, :3].tolist() == [128, 128, 255]
    red, _, blue = at(pixels, "Spine")[:3]
    assert blue > 220  # the chest faces the eye
    assert abs(red - 128) < 40
    left, right = (at(pixels, "LeftLeg", dx)[:3] for dx in (8, -8))
    assert left[0] > right[0] + 40  # red is to the right as seen

    name, pixels, _ = saved(person, "Body key points")
    assert name == "human.openpose.png"
    points = {
        "RightArm": (255, 170, 0), "RightForeArm": (255, 255, 0), "LeftForeArm": (0, 255, 0),
        "LeftHand": (0, 255, 85), "RightLeg": (0, 255, 255), "LeftFoot": (85, 0, 255),
    }  # fmt: skip
    for joint, colour in points.items():
        np.testing.assert_allclose(at(pixels, joint)[:3], colour, atol=3, err_msg=joint)

    name, pixels, frames = saved(person, "Turntable")
    assert (name, frames) == ("human.gif", 36)
    assert pixels.shape[0] == 400


def test_a_page_without_its_server_heals_and_says_what_it_waits_for(
    browser: Browser, tmp_path: Path
) -> None:
    with Server(tmp_path) as first:
        port = first.port
        someone = Person(browser, first.url)
        page, ratios = someone.page, set[float]()
        hand = someone.positions()[someone.joint("LeftHand")]
        someone.drag("LeftHand", (40, -60), steps=4)
        posed, lifted = someone.q(), someone.positions()[someone.joint("LeftHand")]
        assert np.linalg.norm(lifted - hand) > 0.05
        # Without a graphics card the resolution does not jump between movement and rest.
        for k in range(4):
            page.mouse.move(300 + 30 * k, 300)
            page.wait_for_timeout(120 if k < 3 else 500)
            ratios.add(someone.ask("stage.canvas.width / stage.canvas.clientWidth"))
        assert len(ratios) == 1
        eventually(lambda: is_saved(tmp_path, posed))
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        page.get_by_role("alertdialog").wait_for()
        where = page.url
        for key in ("Space", "Enter", "k"):  # meant for the figure
            page.keyboard.press(key)
        assert page.url == where
        assert page.get_by_role("alertdialog").is_visible()
    with Server(tmp_path, port=port):
        someone.wait("app.link === 'open' && app.pose !== null && app.idle")
        page.get_by_role("alertdialog").wait_for(state="detached")
        np.testing.assert_allclose(
            someone.positions()[someone.joint("LeftHand")], lifted, atol=1e-5
        )
        someone.wait("app.hello.preparing === ''")
        # What is being compiled stays on the page, with seconds that count, until it is ready.
        # The server, which has just come back, may still say that nothing is.
        notice = page.get_by_test_id("preparing")
        page.wait_for_function(
            """() => {
                const seconds = document.querySelector('.banner .seconds');
                if (!seconds) window.limbik.app.setPreparing('Getting the method ready.');
                else window.firstCount ??= seconds.textContent;
                return seconds && seconds.textContent !== window.firstCount;
            }"""
        )
        someone.ask("app.setPose({ ...app.pose, status: 'reached' })")
        assert notice.is_visible()
        someone.ask("app.setPreparing('')")
        notice.wait_for(state="detached")
        page.wait_for_function(
            "() => document.querySelector('[data-testid=status]').textContent !== 'At rest'"
        )
        page.keyboard.press("0")
        someone.settle()
        page.wait_for_function(
            "() => ['At rest', 'Reached'].includes("
            "document.querySelector('[data-testid=status]').textContent)"
        )
        someone.close()

"""A real Chromium with a real poser behind it, for tests that press and drag as a person does."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-gpu-compositing"),
]
"""WebGL in software, the page around it without, and no network beyond what a test asks for."""

COARSE = 0.25
"""Pixels drawn for one CSS pixel: software is slow at drawing, and few tests look at pixels."""

KNOWN = """localStorage.getItem("limbik.poser")
    ?? localStorage.setItem("limbik.poser", '{"shadows": false, "hintSeen": true}')"""
"""What a page keeps of a person who has been there: no shadows to draw and no moving hint."""

PATIENCE = 120_000
"""Milliseconds: kernels may compile, and a shared machine draws slowly."""


def chromium() -> str:
    """The path of a Chromium; where there is none the test is skipped, or fails with CI=true."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        found = shutil.which(name)
        if found:
            return found
    missing = "No Chromium was found. On Debian and Ubuntu: apt-get install chromium"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless browser."""
    path = chromium()
    api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


_STILL = """() => new Promise((done) => {
    const { stage } = window.limbik;
    let last = "", same = 0;
    const look = () => {
        const { x, y, width, height } = stage.canvas.getBoundingClientRect();
        const now = [x, y, width, height, stage.canvas.width, ...stage.camera.matrixWorld.elements];
        same = String(now) === last ? same + 1 : 0;
        last = String(now);
        if (same < 3) requestAnimationFrame(look);
        else done();
    };
    requestAnimationFrame(look);
})"""


class Person:
    """A person in front of a page: sees the figure, presses, drags, types."""

    def __init__(self, browser: Browser, url: str, *, new: bool = False, **context: Any) -> None:
        """``new``: the page keeps nothing of the person yet."""
        asked = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": COARSE}
        self.context = browser.new_context(accept_downloads=True, **(asked | context))
        if not new:
            self.context.add_init_script(KNOWN)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.faults.append(said.text) if said.type == "error" else None,
        )
        self.requests: list[str] = []
        self.page.on("request", lambda asked: self.requests.append(asked.url))
        self.open(url)

    def open(self, url: str) -> None:
        """Go to the page and wait until a figure is posed."""
        self.page.goto(url)
        self.wait("app.pose !== null && app.figure !== null && app.hello.preparing === ''")

    def wait(self, condition: str, patience: float = PATIENCE) -> None:
        """Until something about the app is true."""
        self.page.wait_for_function(
            f"() => window.limbik && ((app) => {condition})(window.limbik.app)", timeout=patience
        )

    def says(self, where: Locator, words: str) -> None:
        """Until a part of the page says this: it is drawn some frames after the app knows it."""
        where.filter(has_text=words).wait_for()

    def ask(self, expression: str) -> Any:
        """A value of the page."""
        return self.page.evaluate(
            f"() => ((app, stage) => {expression})(window.limbik.app, window.limbik.stage)"
        )

    def joint(self, name: str) -> int:
        """The index of a joint."""
        return self.ask(f"app.figure.joints.findIndex(j => j.name === '{name}')")

    def positions(self) -> np.ndarray:
        """(joints, 3) as they are drawn, in the figure's unit."""
        return np.array(self.ask("Array.from(app.pose.positions)")).reshape(-1, 3)

    def q(self) -> np.ndarray:
        """(n,) the pose."""
        return np.array(self.ask("Array.from(app.pose.q)"))

    def has_pose(self, q: np.ndarray) -> bool:
        """Whether it is the pose q (n,) now; there is none while a page finds its server again."""
        now = np.array(self.ask("Array.from(app.pose?.q ?? [])"))
        return now.shape == q.shape and np.allclose(now, q, atol=1e-6)

    def still(self) -> None:
        """Until the view stands still: layouts settle and cameras glide for some frames."""
        self.page.evaluate(_STILL)

    def view_settles(self) -> None:
        """Until the view has gone along with a figure that walks away."""
        seen: list[list[float]] = []
        while len(seen) < 3 or seen[-3:].count(seen[-1]) < 3:
            self.page.wait_for_timeout(300)
            seen.append(self.ask("stage.camera.position.toArray()"))

    def screen(self, name: str) -> tuple[float, float]:
        """Where a joint is on the page, CSS pixels, when the view stands still."""
        self.still()
        at = self.page.evaluate(f"() => window.limbik.screen({self.joint(name)})")
        return at["x"], at["y"]

    def drag(self, name: str, by: tuple[float, float], steps: int = 12) -> None:
        """Press on a joint, move the mouse by so many pixels, and let go."""
        x, y = self.screen(name)
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        for k in range(1, steps + 1):
            mouse.move(x + by[0] * k / steps, y + by[1] * k / steps)
        mouse.up()
        self.settle()

    def choose(self, *files: Path) -> None:
        """Open files through the menu and the file chooser."""
        self.page.get_by_role("button", name="File", exact=True).click()
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("menuitem", name="Open").click()
        chooser.value.set_files([str(file) for file in files])

    def settle(self) -> None:
        """Until the page has the answer to all it asked, and the poses that came of it."""
        self.wait("app.idle")
        # Messages keep their order: with this answer everything before it is there.
        self.page.evaluate("() => window.limbik.app.do('drop')")

    def close(self) -> None:
        self.context.close()


def eventually(true: Any, seconds: float = 120.0) -> None:
    """Wait for something outside the page."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)

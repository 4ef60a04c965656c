"""Make the films of the five sessions, docs/session-*.gif, on the real page.

    python docs/session_films.py [sit shelf push-up walk fist]

It needs what the tests of the page need (playwright, a Chromium and the built page: ``make page``)
and Pillow, which comes with matplotlib.  What is done is that of the tests
(tests/helpers/pose_sessions.py).
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from helpers.browser import Person, launched  # noqa: E402
from helpers.pose_command import Server  # noqa: E402
from helpers.pose_sessions import SESSIONS, Step  # noqa: E402

MOVES, SHOWN_EVERY = 12, 2  # messages of a drag, and which of them are shown
PAUSE = 110  # milliseconds that each picture is shown
SIZE = {"width": 760, "height": 720}
WIDTH, COLOURS = 420, 96
VIEWS = {"sit": "left", "shelf": "corner", "push-up": "left", "walk": "left", "fist": "corner"}


def picture(person: Person) -> Image.Image:
    """The scene as it is now."""
    shot = person.page.screenshot(type="png", clip={"x": 0, "y": 44, "width": 760, "height": 500})
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    return image.resize((WIDTH, WIDTH * image.height // image.width), Image.Resampling.LANCZOS)


def effector(person: Person, joint: str) -> int:
    """The id of a joint's effector, or of the chair."""
    if joint == "chair":
        return person.ask("app.state.scene.props[0].id")
    return person.ask(f"app.state.effectors.find(e => e.name === '{joint}').id")


def moved(person: Person, step: Step) -> list[Image.Image]:
    """Drag an effector to a place; the pictures of it."""
    id = effector(person, step.what)
    if step.what == "chair":
        start = np.array(person.ask("app.state.scene.props[0].position"))
    elif step.do == "look":
        person.page.evaluate(
            f"() => window.limbik.app.do('effector.set', {{ effector: {id}, mode: 'aim' }})"
        )
        person.settle()
        found = f"app.state.effectors.find(e => e.name === '{step.what}').position"
        start = np.array(person.ask(found))
    else:
        start = person.positions()[person.joint(step.what)]
    out = []
    for k in range(1, MOVES + 1):
        share = 0.5 - 0.5 * np.cos(np.pi * k / MOVES)
        place = (start + share * (np.array(step.to) - start)).tolist()
        person.ask(f"app.drag({id}, {place}, null)")
        person.wait("app.idle")
        if k % SHOWN_EVERY == 0:
            out.append(picture(person))
    person.settle()
    return out


def record(person: Person, name: str) -> list[Image.Image]:
    """All pictures of a session."""
    frames = [picture(person)]
    for step in SESSIONS[name]:
        if step.do in ("drag", "look"):
            frames += moved(person, step)
        else:
            if step.do == "pin":
                what, given = "effector.set", {"effector": effector(person, step.what)}
                given["mode"] = "pin"
            else:
                what, given = step.what, step.to
            do = "([what, given]) => window.limbik.app.do(what, given)"
            person.page.evaluate(do, [what, given])
            person.settle()
            frames.append(picture(person))
    if name == "walk":
        for frame in list(range(0, 25, 2)) * 2:
            person.ask(f"app.scrub({frame})")
            person.wait("app.idle")
            frames.append(picture(person))
    return [*frames, *[frames[-1]] * 6]


def write(frames: list[Image.Image], out: Path) -> None:
    """One palette for all, so that what does not move does not flicker."""
    some = frames[:: max(1, len(frames) // 4)]
    sheet = Image.new("RGB", (WIDTH, sum(frame.height for frame in some)))
    for k, frame in enumerate(some):
        sheet.paste(frame, (0, k * frame.height))
    palette = sheet.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    flat[0].save(out, save_all=True, append_images=flat[1:], duration=PAUSE, loop=0, optimize=True)
    print(f"{out.name}: {len(flat)} pictures, {out.stat().st_size / 1e6:.2f} MB")


def main(names: list[str]) -> None:
    """Record each session in a page of its own and write its file."""
    with (
        tempfile.TemporaryDirectory() as state,
        Server(Path(state)) as server,
        launched() as browser,
    ):
        person = Person(browser, server.url, color_scheme="light", reduced_motion="reduce")
        person.page.set_viewport_size(SIZE)  # type: ignore[arg-type]
        person.page.get_by_role("button", name="Dismiss the hint").click()
        # Times would say how busy the machine was that drew this.
        person.page.get_by_role("button", name="Hide the numbers").click()
        person.ask("app.set({ panel: false, shadows: false })")
        for name in names:
            person.page.evaluate("() => window.limbik.app.do('builtin', { name: 'human' })")
            person.settle()
            person.ask(f"stage.frame('all', '{VIEWS[name]}', false)")
            write(record(person, name), PROJECT / "docs" / f"session-{name}.gif")
        person.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(SESSIONS))

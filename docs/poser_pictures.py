"""Make the pictures of docs/poser.md: the page with a drag, pins, a look, poses, keys and more.

    python docs/poser_pictures.py [drag pins look compare library time retarget pictures]

It needs what the tests of the page need (playwright, a Chromium and the built page: ``make page``)
and Pillow, which comes with matplotlib.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import limbik  # noqa: E402
from helpers.poser.browser import Person  # noqa: E402
from helpers.poser.photographed import ARROW, photographed  # noqa: E402
from helpers.poser.pose_sessions import SESSIONS, Step  # noqa: E402

PAGE = {"width": 1200, "height": 750}
SCALE = 1.5  # pixels drawn for one of the page, before the picture is made smaller
WIDTH = 1200
QUALITY = 80


class Studio:
    """The page of a person who makes pictures of it."""

    def __init__(self, person: Person) -> None:
        self.person, self.page = person, person.page

    def begin(self, *sections: str, timeline: bool = False) -> None:
        """The built-in human at rest, with these sections of the panel open and nothing else."""
        ui = {"panel": bool(sections), "timeline": timeline, "follow": False, "onion": False}
        self.page.evaluate("(ui) => window.limbik.app.set({ ...ui, shadows: true })", ui)
        for prop in self.person.ask("app.state.scene.props.map((prop) => prop.id)"):
            self.do("prop.remove", prop=prop)
        self.do("builtin", name="human")
        for head in self.page.locator(".section h2 button").all() if sections else []:
            wanted = any(head.inner_text().startswith(name) for name in sections)
            if (head.get_attribute("aria-expanded") == "true") != wanted:
                head.click()
        self.page.keyboard.press("Escape")
        self.page.evaluate("() => document.activeElement?.blur()")  # no frame around a button
        self.person.ask("stage.frame('all', 'corner', false)")

    def do(self, what: str, **given: object) -> None:
        """A command of the page."""
        self.page.evaluate("([what, given]) => window.limbik.app.do(what, given)", [what, given])
        self.person.settle()

    def effector(self, joint: str) -> int:
        return self.person.ask(f"app.effectorOn({self.person.joint(joint)}).id")

    def place(self, joint: str) -> np.ndarray:
        """(3,) where a joint is."""
        return self.person.positions()[self.person.joint(joint)]

    def bring(self, joint: str, to: Sequence[float], *, drop: bool = True) -> None:
        """Drag the effector of a joint to a place."""
        effector, start = self.effector(joint), self.place(joint)
        if self.person.ask(f"app.effector({effector}).mode") == "aim":
            start = np.array(self.person.ask(f"app.effector({effector}).position"))
        for share in np.linspace(0.0, 1.0, 13)[1:]:
            at = (start + share * (np.array(to) - start)).tolist()
            self.person.ask(f"app.drag({effector}, {at}, null)")
            self.person.wait("app.idle")
        if drop:
            self.person.settle()

    def play(self, steps: list[Step]) -> None:
        """What a session of the tests does."""
        for step in steps:
            if step.do == "command":
                self.do(step.what, **step.to)
            elif step.what == "chair":
                prop = self.person.ask("app.state.scene.props[0].id")
                self.do("prop.set", prop=prop, position=list(step.to))
            elif step.do == "pin":
                self.do("effector.set", effector=self.effector(step.what), mode="pin")
            else:
                if step.do == "look":
                    self.do("effector.set", effector=self.effector(step.what), mode="aim")
                self.bring(step.what, step.to)

    def look(self, turn: float, lift: float = 0.2, room: float = 0.05) -> None:
        """See all that is there from a turn, radians from the front."""
        self.person.ask("stage.viewpoint.view('front', false)")
        self.person.ask(f"stage.viewpoint.orbit({turn}, {lift})")
        self.person.ask(f"stage.frame('all', null, false, {room})")
        self.person.still()

    def shoot(self, name: str, pointer: tuple[float, float] | None = None) -> None:
        """The page as it is now, into docs/pictures/."""
        self.person.ask("app.set({ note: '' })")
        self.person.still()
        image = Image.open(io.BytesIO(self.page.screenshot(type="png"))).convert("RGB")
        if pointer:
            scale = image.width / PAGE["width"]
            arrow = [(scale * (pointer[0] + x), scale * (pointer[1] + y)) for x, y in ARROW]
            ImageDraw.Draw(image).polygon(arrow, fill="white", outline="black")
        write(name, image)


def write(name: str, image: Image.Image) -> None:
    """A picture of the docs."""
    size = (WIDTH, round(WIDTH * image.height / image.width))
    out = PROJECT / "docs" / "pictures" / f"poser-{name}.webp"
    image.resize(size, Image.Resampling.LANCZOS).save(out, quality=QUALITY, method=6)
    print(f"{out.name}: {size[0]} × {size[1]}, {out.stat().st_size / 1e3:.0f} kB")


def drag(studio: Studio) -> None:
    """A hand is dragged further than the arm reaches; the mouse is still down."""
    studio.begin("Goals", "Joint")
    studio.look(0.5, room=0.14)
    person, mouse = studio.person, studio.page.mouse
    x, y = person.screen("LeftHand")
    end = (x + 120.0, y - 320.0)
    mouse.move(x, y)
    mouse.down()
    mouse.move(*end, steps=12)
    person.wait("app.idle")
    studio.shoot("drag", end)
    mouse.up()
    person.settle()


def pins(studio: Studio) -> None:
    """Feet and a hand are pinned, and the hips are dragged down; the mouse is still down."""
    studio.begin("Goals", "Scene")
    studio.bring("LeftHand", (0.5, 1.2, 0.25))
    studio.do("effector.set", effector=studio.effector("LeftHand"), mode="pin")
    studio.look(0.6)
    person, mouse = studio.person, studio.page.mouse
    x, y = person.screen("Hips")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 35.0, y + 62.0, steps=12)
    person.wait("app.idle")
    studio.shoot("pins", (x - 35.0, y + 62.0))
    mouse.up()
    person.settle()


def look(studio: Studio) -> None:
    """The head looks at a ball that a hand points at."""
    studio.begin("Goals", "Scene")
    studio.do("prop.add", kind="ball")
    ball = studio.person.ask("app.state.scene.props[0].id")
    studio.do("prop.set", prop=ball, size=[0.2, 0.2, 0.2], position=[0.8, 1.75, 0.6])
    studio.bring("LeftHand", (0.5, 1.5, 0.4))
    studio.do("effector.set", effector=studio.effector("Head"), mode="aim")
    studio.do("effector.set", effector=studio.effector("Head"), look=f"prop:{ball}")
    studio.person.ask(f"app.selectEffector({studio.effector('Head')})")
    studio.look(0.5)
    studio.shoot("look")


def compare(studio: Studio) -> None:
    """Two methods at the same goals."""
    studio.begin("Method")
    studio.do("compare.set", name="ccd", settings={})
    studio.look(0.5)
    studio.bring("LeftHand", (0.15, 0.5, 0.6), drop=False)
    studio.person.wait("app.idle && app.pose.ghost")
    studio.shoot("compare")
    studio.person.settle()
    studio.do("compare.set", name=None, settings={})


def library(studio: Studio) -> None:
    """Six poses of the sessions, kept with their pictures; the last one is taken."""
    studio.begin("Poses")
    page = studio.page
    for name, steps in {
        "Stand": [],
        "Sit": [step for step in SESSIONS["sit"] if "chair" not in (step.what, step.to)],
        "Reach up": SESSIONS["shelf"][:1],
        "Push-up": SESSIONS["push-up"],
        "Step": SESSIONS["walk"][:5],
        "Lunge": LUNGE,
    }.items():
        studio.do("builtin", name="human")
        studio.play([step for step in steps if step.do != "command"])
        studio.look(0.7, 0.12)
        page.get_by_label("Name of the pose in the library").fill(name)
        page.get_by_role("button", name="Keep").click()
        page.get_by_role("button", name=f"Take {name}", exact=True).wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.library img')].every((img) => img.naturalWidth > 0)"
    )
    studio.shoot("library")


LUNGE = [
    Step("drag", "Hips", (0.0, 0.85, 0.0)),
    Step("drag", "LeftFoot", (0.1, 0.07, 0.42)),
    Step("drag", "Hips", (0.0, 0.72, 0.2)),
]


def time(studio: Studio) -> None:
    """The walk of the sessions, with onion skins and the way of a hand."""
    studio.begin("Goals", timeline=True)
    studio.do("timeline.set", frames=33)
    studio.play(SESSIONS["walk"])
    studio.person.ask("app.scrub(4)")
    studio.person.wait("app.idle && app.pose.frame === 4")
    studio.person.ask(f"app.select({studio.person.joint('LeftHand')})")
    studio.person.ask(f"app.set({{ onion: true, trails: [{studio.person.joint('LeftHand')}] }})")
    studio.look(1.0, 0.12)
    studio.shoot("time")
    studio.person.ask("app.set({ onion: false, trails: [] })")


def retarget(studio: Studio) -> None:
    """The built-in cartwheel, put onto the human; the source stands beside it."""
    studio.begin("Goals", timeline=True)
    page = studio.page
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "cartwheel.bvh"
        limbik.save(limbik.figures.cartwheel(), clip)
        page.get_by_role("button", name="File", exact=True).click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("menuitem", name="A clip onto this figure").click()
        chooser.value.set_files([str(clip)])
        studio.person.wait("app.state.origin !== null && app.task === null")
        studio.person.settle()
    studio.person.ask("app.set({ contacts: true })")
    studio.person.ask("app.scrub(250)")
    studio.person.wait("app.idle && app.pose.frame === 250")
    studio.look(0.9, 0.15)
    studio.shoot("retarget")
    studio.person.ask("app.set({ contacts: false })")


def pictures(studio: Studio) -> None:
    """One pose as the file menu saves it: picture, transparent, depth, normals, key points."""
    studio.begin()
    studio.play(SESSIONS["shelf"])
    studio.page.set_viewport_size({"width": 420, "height": 640})
    studio.look(0.5, 0.1)
    sheet: list[Image.Image] = []
    for item in (
        "Picture of the view",
        "Transparent picture",
        "Depth map",
        "Normal map",
        "Body key",
    ):
        studio.page.get_by_role("button", name="File", exact=True).click()
        with studio.page.expect_download() as download:
            studio.page.get_by_role("menuitem", name=item).click()
        with Image.open(download.value.path()) as picture:
            sheet.append(on_squares(picture.convert("RGBA")))
    studio.page.set_viewport_size(PAGE)  # type: ignore[arg-type]
    gap = 12
    wide = sum(image.width + gap for image in sheet) - gap
    out = Image.new("RGB", (wide, sheet[0].height), "white")
    for k, image in enumerate(sheet):
        out.paste(image, (k * (image.width + gap), 0))
    write("pictures", out)


def on_squares(picture: Image.Image) -> Image.Image:
    """A picture before grey squares, which show where it is transparent."""
    x, y = np.meshgrid(np.arange(picture.width) // 24, np.arange(picture.height) // 24)
    squares = np.where((x + y) % 2, 255, 225).astype(np.uint8)
    back = Image.fromarray(np.stack([squares] * 3, axis=-1)).convert("RGBA")
    return Image.alpha_composite(back, picture).convert("RGB")


PICTURES = {
    "drag": drag,
    "pins": pins,
    "look": look,
    "compare": compare,
    "library": library,
    "time": time,
    "retarget": retarget,
    "pictures": pictures,
}


def main(names: list[str]) -> None:
    """Each picture, one after the other in the same page."""
    with photographed(SCALE, viewport=PAGE, reduced_motion="reduce") as person:
        for name in names:
            PICTURES[name](Studio(person))


if __name__ == "__main__":
    main(sys.argv[1:] or list(PICTURES))

"""Make the films of docs/poser.md: five poses, made with the mouse in the real page.

    python docs/films.py [sit shelf push-up walk hand]

It needs what the tests of the page need (playwright, a Chromium and the built page: ``make page``)
and Pillow, which comes with matplotlib.  What is dragged where is that of the tests
(tests/helpers/poser/pose_sessions.py).  Every drag is one stroke of the mouse in the plane of the
view; before it the view turns until the place where the joint shall go is in that plane.
"""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from helpers.poser.browser import Person  # noqa: E402
from helpers.poser.photographed import ARROW, photographed  # noqa: E402
from helpers.poser.pose_sessions import SESSIONS, Step  # noqa: E402

PAGE = {"width": 960, "height": 644}
BAR = 44  # pixels of the page's upper bar, which is not shown
WIDTH, HEIGHT = 640, 400
PAUSE = 80  # milliseconds that each picture is shown
QUALITY = 62
LIFT = math.radians(6.0)  # how far the view is above the horizon

Place = tuple[float, float]


def eased(count: int) -> list[float]:
    """Shares of a way, slow at both ends; the last is 1."""
    return [0.5 - 0.5 * math.cos(math.pi * k / count) for k in range(1, count + 1)]


class Film:
    """A person in front of the page who is filmed."""

    def __init__(self, person: Person) -> None:
        self.person, self.page = person, person.page
        self.frames: list[Image.Image] = []
        self.pointer: Place = (700.0, 560.0)
        self.turn = 0.0
        self.pause = PAUSE
        self.hold = 4  # pictures for which a key that is pressed is shown

    # The view

    def look(self, points: list[list[float]], turn: float) -> None:
        """See all points (of the figure's space) from this turn, degrees from the front."""
        self.turn = math.radians(turn)
        self.page.evaluate(
            """([points, turn, lift]) => {
                const { stage } = window.limbik, { viewpoint } = stage;
                const at = viewpoint.target.clone(), { world } = stage;
                const seen = points.flatMap((p) => world.localToWorld(at.set(...p)).toArray());
                viewpoint.view("front", false);
                viewpoint.orbit(turn, lift);
                viewpoint.frame(Float32Array.from(seen), 0, null, false);
            }""",
            [points, self.turn, LIFT],
        )
        self.person.still()

    def into_plane(self, way: np.ndarray) -> float:
        """By how much to turn (radians) so that ``way`` (3,) lies in the plane of the view."""
        across = math.hypot(way[0], way[2])
        if across < 0.01:
            return 0.0
        share = float(np.clip(-way[1] * math.tan(LIFT) / across, -1.0, 1.0))
        middle = math.atan2(way[0], way[2])
        turns = [
            math.remainder(middle + side * math.acos(share) - self.turn, math.tau)
            for side in (1.0, -1.0)
        ]
        return min(turns, key=abs)

    def spot(self, place: np.ndarray) -> Place:
        """Where a place of the figure's space is on the page."""
        at = self.page.evaluate(
            "(place) => window.limbik.stage.project(place)", [float(x) for x in place]
        )
        return at["x"], at["y"]

    # Pictures

    def shoot(self, pressed: bool = False, key: str = "", times: int = 1) -> None:
        """The page as it is now, with the mouse pointer, and the key that is pressed beside it."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
        clip = {"x": 0, "y": BAR, "width": PAGE["width"], "height": PAGE["height"] - BAR}
        shot = self.page.screenshot(type="png", clip=clip)  # type: ignore[arg-type]
        image = Image.open(io.BytesIO(shot)).convert("RGB")
        image = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        x = self.pointer[0] * WIDTH / PAGE["width"]
        y = (self.pointer[1] - BAR) * WIDTH / PAGE["width"]
        draw = ImageDraw.Draw(image)
        if pressed:
            draw.ellipse((x - 13, y - 13, x + 13, y + 13), outline="#2a6df4", width=2)
        draw.polygon([(x + dx, y + dy) for dx, dy in ARROW], fill="white", outline="black")
        if key:
            font = ImageFont.load_default(15)
            box = draw.textbbox((x + 24, y + 10), key, font=font)
            frame = (box[0] - 7, box[1] - 5, box[2] + 7, box[3] + 5)
            draw.rounded_rectangle(frame, 5, fill="#22262d")
            draw.text((x + 24, y + 10), key, font=font, fill="white")
        self.frames += [image] * times

    def write(self, out: Path) -> None:
        """The film, as an animated WebP; a picture that stays is one with a longer time."""
        kept: list[Image.Image] = []
        times: list[int] = []
        for frame in self.frames:
            if kept and frame is kept[-1]:
                times[-1] += self.pause
            else:
                kept.append(frame)
                times.append(self.pause)
        kept[0].save(
            out, save_all=True, append_images=kept[1:], duration=times, loop=0,
            quality=QUALITY, method=6, minimize_size=True,
        )  # fmt: skip
        seconds, size = sum(times) / 1000, out.stat().st_size / 1e3
        print(f"{out.name}: {len(kept)} pictures, {seconds:.1f} s, {size:.0f} kB")

    # The hand

    def go(self, to: Callable[[], Place], turn: float = 0.0, count: int | None = None) -> None:
        """Bring the pointer to a place of the page, while the view turns by so many radians."""
        start, before = self.pointer, 0.0
        count = self.hold + 1 if count is None else count
        count = max(count, math.ceil(abs(math.degrees(turn)) / (28.0 / self.hold)))
        for share in eased(count):
            self.page.evaluate(
                "(turn) => window.limbik.stage.viewpoint.orbit(turn, 0)", (share - before) * turn
            )
            before = share
            end = to()
            self.pointer = (
                start[0] + share * (end[0] - start[0]),
                start[1] + share * (end[1] - start[1]),
            )
            self.page.mouse.move(*self.pointer)
            self.shoot()
        self.turn += turn

    def stroke(self, to: Place, count: int) -> None:
        """Press, bring the pointer there, let go."""
        start, mouse = self.pointer, self.page.mouse
        mouse.down()
        self.shoot(pressed=True)
        for share in eased(count):
            self.pointer = (
                start[0] + share * (to[0] - start[0]),
                start[1] + share * (to[1] - start[1]),
            )
            mouse.move(*self.pointer)
            self.person.wait("app.idle")
            self.shoot(pressed=True)
        mouse.up()
        self.person.settle()
        self.shoot()

    def click(self, name: str) -> None:
        """Press a button of the page."""
        box = self.page.get_by_role("button", name=name, exact=True).bounding_box()
        assert box is not None
        self.press_at((box["x"] + 0.5 * box["width"], box["y"] + 0.6 * box["height"]))

    def press_at(self, place: Place) -> None:
        self.go(lambda: place)
        self.page.mouse.down()
        self.shoot(pressed=True)
        self.page.mouse.up()
        self.person.settle()
        self.shoot(times=self.hold // 2)

    def key(self, chord: str, shown: str = "") -> None:
        """Press a key, and show that."""
        self.page.keyboard.press(chord)
        self.person.settle()
        self.person.ask("app.set({ note: '' })")  # what it says hides the feet
        self.shoot(key=shown or chord.upper(), times=self.hold)

    def at_frame(self, frame: int) -> Place:
        """Press the strip of the timeline at a frame; the page's 33 frames are all in view."""
        box = self.page.locator(".strip .scale").bounding_box()
        assert box is not None
        ends = [
            self.page.evaluate(
                "(frame) => [...document.querySelectorAll('.scale text')]"
                ".find((text) => text.textContent === frame).getBoundingClientRect().toJSON()",
                text,
            )
            for text in ("0", "30")
        ]
        zero, thirty = (end["x"] + 0.5 * end["width"] for end in ends)
        place = (zero + (thirty - zero) * frame / 30.0, box["y"] + 12.0)
        self.press_at(place)
        return place

    def copied(self, key: int, frame: int, paste: str) -> None:
        """Copy the key at a frame to another one."""
        box = self.page.get_by_role("button", name=f"Key at frame {key},").bounding_box()
        assert box is not None
        self.press_at((box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]))
        self.key("Control+c", "Ctrl+C")
        self.at_frame(frame)
        self.key(paste, paste.replace("Control", "Ctrl"))

    def do(self, what: str, **given: object) -> dict[str, object]:
        """A command of the page, which is not shown."""
        done = self.page.evaluate(
            "([what, given]) => window.limbik.app.do(what, given)", [what, given]
        )
        self.person.settle()
        return done

    def prop(self, kind: str, place: list[float], size: list[float] | None = None) -> None:
        """Something that is there before the film begins."""
        self.do("prop.add", kind=kind)
        prop = self.person.ask("app.state.scene.props[0].id")
        self.do("prop.set", prop=prop, position=place, **({"size": size} if size else {}))
        self.person.ask("app.select(null)")

    def last(self, turn: float) -> None:
        """The hand goes away, nothing is selected, and the view turns to show the pose."""
        self.page.keyboard.press("Escape")
        self.go(lambda: (820.0, 560.0), math.radians(turn) - self.turn, 10)

    # What the sessions of the tests do

    def place_of(self, step: Step) -> np.ndarray:
        """(3,) where a step's joint is, or the target of its look."""
        if step.do == "look":
            target = f"app.state.effectors.find(e => e.name === '{step.what}').position"
            return np.array(self.person.ask(f"Array.from({target})"))
        return self.person.positions()[self.person.joint(step.what)]

    def drag(self, step: Step, count: int = 12) -> None:
        """One stroke that brings a joint where the step says."""
        if step.do == "look":  # the head is selected, and A gives it a target before its eyes
            head = self.person.positions()[self.person.joint(step.what)]
            self.go(lambda: self.spot(head))
            self.page.mouse.click(*self.pointer)
            self.person.settle()
            self.key("a")
        start, end = self.place_of(step), np.array(step.to)
        self.go(lambda: self.spot(start), self.into_plane(end - start))
        self.stroke(self.spot(end), count)
        # The test of the session holds the same drag to 2 cm.
        assert step.do == "look" or np.linalg.norm(self.place_of(step) - end) < 0.03, step

    def play(self, steps: list[Step], count: int = 12) -> None:
        """Drags and pins, one after the other."""
        for step in steps:
            if step.do == "pin":
                self.key("p")
            else:
                self.drag(step, count)


def bodily(name: str) -> list[Step]:
    """The steps of a session that a hand does in the view."""
    return [s for s in SESSIONS[name] if s.do != "command" and s.what != "chair"]


def sit(film: Film) -> None:
    """The chair is there already."""
    film.prop("chair", list(SESSIONS["sit"][1].to))
    film.look([[-0.5, -0.05, 0.0], [0.5, -0.05, 0.0], [0.0, 1.72, -0.2]], 98)
    film.shoot(times=5)
    film.play(bodily("sit"))
    film.last(-55.0)


def shelf(film: Film) -> None:
    """A box is the shelf."""
    film.prop("box", [-0.35, 2.05, 0.6], [0.9, 0.035, 0.3])
    film.look([[-0.5, -0.05, 0.0], [0.5, -0.05, 0.0], [0.0, 2.12, 0.0]], -63)
    film.shoot(times=5)
    film.play(bodily("shelf"))
    film.last(-40.0)


def push_up(film: Film) -> None:
    film.look([[0.0, -0.35, -0.2], [0.0, -0.35, 1.75], [0.0, 1.72, 0.0]], 86)
    film.shoot(times=5)
    film.play(bodily("push-up"), 10)
    film.last(50.0)


def walk(film: Film) -> None:
    """Two poses are made with the mouse; their mirror images and the end are pasted."""
    person = film.person
    drags = bodily("walk")
    person.ask("app.set({ timeline: true })")
    film.do("timeline.set", frames=33)
    film.look([[0.0, -0.05, -0.5], [0.0, -0.05, 0.5], [0.0, 1.72, 0.0]], 90)
    film.pause, film.hold = 55, 2
    film.shoot(times=6)
    film.play(drags[:5], 5)
    film.key("k")
    film.copied(0, 16, "Control+Shift+V")
    film.at_frame(24)
    film.play(drags[5:], 5)
    film.copied(24, 8, "Control+Shift+V")
    film.copied(0, 32, "Control+V")
    film.page.keyboard.press("Escape")
    film.go(lambda: (880.0, 480.0), math.radians(60.0) - film.turn, 6)
    for frame in [*range(0, 32, 2), *range(0, 33, 2)]:
        person.ask(f"app.scrub({frame})")
        person.wait(f"app.idle && app.pose.frame === {frame}")
        film.shoot()


def hand(film: Film) -> None:
    """The built-in hand: its human has mittens."""
    film.do("builtin", name="hand")
    film.person.ask("app.set({ panel: true })")
    for name in ("Goals", "Scene", "Joint", "Hands"):
        head = film.page.locator(".panel summary, .panel h2 button").filter(has_text=name)
        head.first.click()
    film.person.ask("stage.viewpoint.view('front', false)")
    film.person.ask("stage.viewpoint.orbit(0.95, 0.12)")
    film.person.ask("stage.frame('all', null, false)")
    film.person.still()
    film.shoot(times=6)
    film.click("Fist")
    film.shoot(times=8)
    film.click("Point")
    film.shoot(times=6)
    index = film.person.ask("app.state.effectors.find((one) => one.name === 'Index3').id")
    spot = film.page.evaluate("(effector) => window.limbik.target(effector)", index)
    tip = (spot["x"], spot["y"])
    film.go(lambda: tip)
    film.stroke((tip[0] + 40.0, tip[1] + 75.0), 12)
    film.page.keyboard.press("Escape")
    film.go(lambda: (520.0, 520.0))


FILMS = {"sit": sit, "shelf": shelf, "push-up": push_up, "walk": walk, "hand": hand}


def main(names: list[str]) -> None:
    """Record each film, one after the other in the same page."""
    with photographed(viewport=PAGE, reduced_motion="reduce") as person:
        for name in names:
            person.ask("app.set({ panel: false, timeline: false, follow: false })")
            film = Film(person)
            for prop in person.ask("app.state.scene.props.map((prop) => prop.id)"):
                film.do("prop.remove", prop=prop)
            film.do("builtin", name="human")
            # On nothing: nothing is selected, and the view has no frame.
            person.page.mouse.click(30, 120)
            FILMS[name](film)
            film.shoot(times=16)
            film.write(PROJECT / "docs" / "pictures" / f"poser-{name}.webp")


if __name__ == "__main__":
    main(sys.argv[1:] or list(FILMS))

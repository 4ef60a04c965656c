"""Make docs/pictures/drag.gif: a hand is dragged in the real page, out of its reach, and back.

    python docs/drag_picture.py

It needs what the tests of the page need (playwright, a Chromium and the built page: ``make page``)
and Pillow, which comes with matplotlib.
"""

from __future__ import annotations

import io
import math
import sys
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageDraw

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from helpers.poser.browser import Person  # noqa: E402
from helpers.poser.photographed import ARROW, photographed  # noqa: E402

OUT = PROJECT / "docs" / "pictures" / "drag.gif"
JOINT = "LeftHand"
PATH = [(0, 0), (60, -120), (150, -205), (250, -265), (120, -120), (40, 70), (0, 0)]
"""Where the mouse goes, in pixels from where the joint is at first; the fourth is out of reach."""
SHOWN = (0, 45, 960, 675)  # pixels of the page: the scene and the status, without panels
STEPS = 9  # pictures from one of these to the next
PAUSE = 90  # milliseconds that each picture is shown
WIDTH, COLOURS = 720, 224


def places() -> list[tuple[float, float]]:
    """The mouse's way, slow at each end of a stretch."""
    out = []
    for (x0, y0), (x1, y1) in pairwise(PATH):
        for k in range(STEPS):
            share = 0.5 - 0.5 * math.cos(math.pi * k / STEPS)
            out.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    return [*out, PATH[-1]]


def picture(person: Person, x: float, y: float) -> Image.Image:
    """The page as it is now, with the mouse pointer at (x, y)."""
    shot = Image.open(io.BytesIO(person.page.screenshot(type="png"))).convert("RGB")
    pointer = [(x + dx, y + dy) for dx, dy in ARROW]
    ImageDraw.Draw(shot).polygon(pointer, fill="white", outline="black")
    shot = shot.crop(SHOWN)
    return shot.resize((WIDTH, WIDTH * shot.height // shot.width), Image.Resampling.LANCZOS)


def record(person: Person) -> list[Image.Image]:
    """A picture for every place of the mouse, each after the figure has followed."""
    x, y = person.screen(JOINT)
    mouse = person.page.mouse
    mouse.move(x, y)
    mouse.down()
    frames = []
    for dx, dy in places():
        mouse.move(x + dx, y + dy)
        person.wait("app.idle")
        frames.append(picture(person, x + dx, y + dy))
    mouse.up()
    return frames


def main() -> None:
    """Record and write the file."""
    with photographed() as person:
        frames = record(person)
    # One palette for all, so that what does not move does not flicker.
    some = frames[:: len(frames) // 5]
    sheet = Image.new("RGB", (WIDTH, sum(frame.height for frame in some)))
    for k, frame in enumerate(some):
        sheet.paste(frame, (0, k * frame.height))
    palette = sheet.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    flat[0].save(OUT, save_all=True, append_images=flat[1:], duration=PAUSE, loop=0, optimize=True)
    print(f"{OUT.name}: {len(flat)} pictures, {OUT.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()

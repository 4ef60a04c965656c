"""``limbik.save(motion, "clip.html")``: a page that plays, whole or not at all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import limbik
from helpers.real_data import find
from limbik.poser import building
from limbik.poser.files.replay_file import write_replay

PAGE = {
    "index.html": '<!doctype html><html><head><title>t</title><link href="poser.css"></head>'
    '<body><script src="poser.js"></script></body></html>',
    "poser.js": "play();",
    "poser.css": "body {}",
}


def replay(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="replay">(.*?)</script', page, re.S)
    assert found is not None
    return json.loads(found.group(1))


def test_the_page_holds_the_motion(tmp_path: Path) -> None:
    clip = limbik.figures.cartwheel()
    write_replay(clip, tmp_path / "clip.html", file=PAGE.__getitem__)
    data = replay((tmp_path / "clip.html").read_text())
    assert (data["frames"], data["fps"], data["mesh"]) == (clip.frames, clip.fps, None)
    assert data["figure"]["up"] == "y"


def test_a_figure_is_one_frame_with_its_mesh(tmp_path: Path) -> None:
    write_replay(limbik.load(find("gltf/Fox.glb")), tmp_path / "fox.html", file=PAGE.__getitem__)
    data = replay((tmp_path / "fox.html").read_text())
    assert data["frames"] == 1
    assert len(data["mesh"]) > 1000


def test_save_writes_the_page_or_says_how_to_build_it(tmp_path: Path) -> None:
    path = tmp_path / "clip.html"
    if (building.PAGE / "index.html").is_file():
        limbik.save(limbik.figures.cartwheel(), path)
        assert replay(path.read_text(encoding="utf-8"))["title"] == "cartwheel"
    else:
        with pytest.raises(limbik.LimbikError, match="build"):
            limbik.save(limbik.figures.cartwheel(), path)
        assert not list(tmp_path.iterdir())


def test_a_page_is_written_and_not_read(tmp_path: Path) -> None:
    with pytest.raises(limbik.FormatError, match="not a format limbik reads"):
        limbik.load_motion(tmp_path / "clip.html")
    with pytest.raises(limbik.FormatError, match=r"\.bvh.*\.html"):
        limbik.save(limbik.figures.cartwheel(), tmp_path / "clip.htm")

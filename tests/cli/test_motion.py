"""``limbik motion``: every tool as a command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.command_line import Ran


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("motion") / "walk.bvh"
    limbik.save(limbik.figures.cartwheel()[:60], file, precision=9)
    return file


COMMANDS = {
    "smooth": (["--seconds", "0.1"], lambda clip: clip.smooth(0.1)),
    "edit": (
        ["--joint", "LeftHand", "--frame", "20", "--at", "0,0.05,0", "--relative", "--span", "9"],
        lambda clip: clip.edit(
            "LeftHand", 20, clip.figure.positions(clip.q[20], "LeftHand") + [0, 0.05, 0], 9
        ),
    ),
    "plant-feet": (["--fade", "0.1"], lambda clip: clip.plant_feet(fade=0.1)),
    "mirror": ([], lambda clip: clip.mirror()),
    "resample": (["--fps", "30"], lambda clip: clip.resample(30)),
    "slice": (["--from", "0.1", "--until", "0.3"], lambda clip: clip.slice(0.1, 0.3)),
    "concatenate": (["--then", "WALK"], lambda clip: clip.concatenate(clip)),
    "blend": (["--with", "WALK", "--share", "0.3"], lambda clip: clip.blend(clip, 0.3)),
    "loop": (["--times", "2"], lambda clip: clip.loop(2)),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_what_the_call_does(tmp_path: Path, walk: Path, name: str) -> None:
    options, call = COMMANDS[name]
    given = [str(walk) if option == "WALK" else option for option in options]
    out = tmp_path / "out.bvh"
    ran = Ran("motion", name, walk, out, "--json", *given)
    assert (ran.code, ran.err) == (0, "")
    expected, found = call(limbik.load_motion(walk)), limbik.load_motion(out)
    said = json.loads(ran.out)
    assert (said["wrote"], said["frames"]) == ([str(out)], expected.frames)
    assert found.fps == pytest.approx(expected.fps, rel=1e-6)
    np.testing.assert_allclose(found.positions(), expected.positions(), atol=1e-4)


def test_a_plot_and_refusals(tmp_path: Path, walk: Path) -> None:
    picture = tmp_path / "walk.svg"
    assert Ran("motion", "plot", walk, picture, "--view", "side").code == 0
    assert b"<svg" in picture.read_bytes()
    assert "already exists" in Ran("motion", "plot", walk, picture).err
    assert "is the file to read" in Ran("motion", "mirror", walk, walk).err
    at = ["--joint", "LeftHand", "--frame", "3", "--at"]
    assert "expected x,y,z" in Ran("motion", "edit", walk, tmp_path / "a.bvh", *at, "1,2").err
    unknown = ["--joint", "LeftHnd", "--frame", "3", "--at", "1,2,3"]
    ran = Ran("motion", "edit", walk, tmp_path / "a.bvh", *unknown)
    assert (ran.code, 'did you mean "LeftHand"' in ran.err) == (2, True)
    assert "both write to standard output" in Ran("motion", "mirror", walk, "-", "--json").err

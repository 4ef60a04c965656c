"""The demonstration: what it follows, what it writes, what it draws with."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import limbik
from limbik import demo, plots
from limbik.cli import app

FRAMES = 21


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that does not exist yet, one level down."""
    return tmp_path_factory.mktemp("demo") / "new" / "out"


@pytest.fixture(scope="module")
def printed(folder: Path) -> str:
    arguments = ["demo", "--frames", str(FRAMES), "--out", str(folder)]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.output


def test_the_table(printed: str) -> None:
    assert f"{FRAMES} of {FRAMES}" in printed
    for row in ("worst error", "mean error", "µs per frame", "active limits", "outside limits"):
        assert row in printed
    assert "jumps" in printed


def test_the_motion_meets_its_targets_inside_the_limits(printed: str, folder: Path) -> None:
    saved = limbik.load_motion(folder / "demo.bvh")
    clip = limbik.figures.cartwheel()
    clip = clip.sample(clip.duration / (FRAMES - 1))
    assert saved.frames == clip.frames == FRAMES
    for name in demo.EFFECTORS:
        there = saved.positions()[:, saved.figure.index(name)]
        away = np.linalg.norm(there - clip.positions()[:, clip.figure.index(name)], axis=1)
        assert away.max() < 1e-4 * clip.figure.size + 1e-5, name


def test_the_picture(printed: str, folder: Path) -> None:
    from matplotlib.image import imread

    picture = imread(folder / "demo.png")[..., :3]
    assert picture.shape[1] > 1200
    assert picture.shape[0] > 600

    def share(colour: str) -> float:
        wanted = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        return float((np.abs(picture - wanted).max(axis=-1) < 0.02).mean())

    assert share(plots.TARGET) > 1e-3
    assert share(plots.EFFECTOR) > 5e-4
    assert 0.1 < (picture.min(axis=-1) < 0.9).mean() < 0.5  # bodies, and room around them


def test_a_progress_bar_changes_nothing() -> None:
    clip = limbik.figures.cartwheel()[150:250]
    at = [clip.figure.index(name) for name in demo.EFFECTORS]
    whole = limbik.track(
        clip.figure, demo.EFFECTORS, clip.positions()[:, at], start=clip.q[0], fps=clip.fps
    )
    found = demo.follow(clip, Console(quiet=True))
    assert np.array_equal(found.motion.q, whole.motion.q)
    assert np.array_equal(found.errors, whole.errors)
    assert found.violation == 0.0


def test_what_is_at_a_limit() -> None:
    leg = limbik.figures.leg()
    knee = leg.coordinates.index("Knee")
    poses = np.tile(leg.rest, (4, 1))
    poses[1, knee] = leg.lower[knee]
    poses[2, knee] = leg.upper[knee]
    poses[3, :2] = 9.0  # far outside the cone of the hip, then on its edge
    found = demo.at_limits(leg, leg.project(poses))
    names = [[leg.joints[k] for k in np.nonzero(row)[0]] for row in found]
    assert names == [[], ["Knee"], ["Knee"], ["Hip"]]


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot be made" in result.output


def test_without_matplotlib_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "pip install limbik[plots]" in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["human", "hand", "arm", "leg", "spider", "chain"])
def test_limbs_cover_every_bone_once(name: str) -> None:
    figure = getattr(limbik.figures, name)()
    drawn = [(a, b) for run in plots.limbs(figure) for a, b in pairwise(run)]
    wanted = [(int(p), i) for i, p in enumerate(figure.parents) if p >= 0]
    assert sorted(drawn) == sorted(wanted)
    assert (plots.radii(figure) > 0).all()


@pytest.mark.parametrize(("thick_a", "thick_b"), [(0.3, 0.1), (0.2, 0.2), (0.1, 1.5)])
def test_a_capsule_is_two_discs_and_what_lies_between(thick_a: float, thick_b: float) -> None:
    a, b = np.array([1.0, 2.0]), np.array([2.0, 2.5])
    outline = plots.capsule(a, b, thick_a, thick_b)
    share = np.linspace(0, 1, 401)[:, None]
    centres, radii = a + share * (b - a), thick_a + share[:, 0] * (thick_b - thick_a)
    away = np.linalg.norm(outline[:, None] - centres, axis=-1) - radii
    assert np.abs(away.min(axis=1)).max() < 1e-4

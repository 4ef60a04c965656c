"""A motion through every pair of formats that can carry one: its joints stay where they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import FORMATS

CARRY = [e for e, form in FORMATS.items() if form.motion and form.write and e[:4] != ".vrm"]
TABLES = (".csv", ".npz")


def test_these_are_all() -> None:
    assert CARRY == [".bvh", ".amc", ".glb", ".gltf", ".csv", ".npz"]


@pytest.fixture(scope="module")
def clip() -> Motion:
    whole = limbik.figures.cartwheel()
    return Motion(whole.figure, whole.q[::100], whole.fps, "turning")


def through(motion: Motion, file: Path) -> Motion:
    """Save a motion and read it again; tables are read on the figure they were written for."""
    limbik.save(motion, file, precision=9)
    figure: Figure | None = motion.figure if file.suffix in TABLES else None
    if file.suffix == ".amc" and not file.with_suffix(".asf").exists():
        figure = motion.figure  # it came from an ASF file, and went back into an AMC file for that
    return limbik.load_motion(file, figure=figure)


@pytest.mark.filterwarnings("ignore:two.gl.*the figure's unit is not known:UserWarning")
@pytest.mark.parametrize("second", CARRY)
@pytest.mark.parametrize("first", CARRY)
def test_a_motion_through_two_formats(
    tmp_path: Path, clip: Motion, first: str, second: str
) -> None:
    here = through(clip, tmp_path / f"one{first}")
    there = through(here, tmp_path / f"two{second}")
    assert there.frames == clip.frames
    assert there.fps == pytest.approx(clip.fps, rel=1e-6)
    at = [
        there.figure.index("root" if name == "Hips" and "Hips" not in there.figure.joints else name)
        for name in clip.figure.joints
    ]
    np.testing.assert_allclose(there.positions()[:, at], clip.positions(), atol=2e-6)
    turned = np.linalg.norm(np.diff(there.positions()[:, at], axis=0))
    assert turned > 1.0

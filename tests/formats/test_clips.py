"""``load_motion(path, clip=)``: one of the motions in a file."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik.formats.gltf.read import clips


def test_a_clip_is_chosen_by_its_name() -> None:
    path = find("gltf/Fox.glb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = limbik.load_motion(path, clip="Run")
    assert run.name == "Run"
    np.testing.assert_array_equal(run.q, clips(path)["Run"].q)
    on = limbik.load_motion(path, clip="Run", figure=run.figure.with_balls("euler"))
    assert on.figure.coordinates != run.figure.coordinates
    with pytest.raises(limbik.FormatError, match=r'Fox.glb: has no clip "run".*mean "Run"'):
        limbik.load_motion(path, clip="run")
    with pytest.warns(limbik.LimbikWarning, match="clip= takes another"):
        assert limbik.load_motion(path).name == "Survey"


def test_other_files_hold_one_motion(tmp_path) -> None:
    path = tmp_path / "turn.bvh"
    limbik.save(limbik.figures.cartwheel()[:3], path)
    name = limbik.load_motion(path).name
    assert limbik.load_motion(path, clip=name).frames == 3
    with pytest.raises(limbik.FormatError, match=r'no clip "run": .bvh files hold one motion'):
        limbik.load_motion(path, clip="run")
    with pytest.raises(limbik.FormatError, match="clip: needs the name"):
        limbik.load_motion(path, clip=3)  # type: ignore[arg-type]

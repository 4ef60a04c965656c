"""Markers on a body whose bones and markers are known: both are found, lost and swapped or not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik.animate.markers.fit_markers import MarkerFit, fit_markers
from limbik.animate.markers.gaps import continuous, filled
from limbik.animate.markers.model import MarkerModel, Prior, limbs_of, scaled
from limbik.animate.markers.names import seats
from limbik.errors import FigureError
from limbik.figure.motion import Motion
from limbik.formats.markers.markers import Markers
from limbik.humanoid.recognise import recognise
from limbik.maths.so3 import exp_map, quat_to_matrix

MIDDLE = ("C7", "T10", "CLAV", "STRN")
SIDED = ("FHD", "BHD", "SHO", "UPA", "ELB", "WRA", "WRB", "FIN", "FWT", "BWT", "THI", "KNE", "SHN",
         "ANK", "HEE", "TOE", "MT5")  # fmt: skip
NAMES = tuple(
    f"Liz:{name}" for name in (*MIDDLE, *(side + name for name in SIDED for side in "LR"))
)
SCALES = {"upper legs": 1.08, "lower legs": 1.02, "trunk": 1.06}


@cache
def recording() -> tuple[Motion, Markers]:
    """A longer-legged body that moves its arms and knees, with markers near where they belong."""
    human = limbik.figures.human()
    body = recognise(human)
    limbs = tuple(limbs_of(human, body))
    scales = {limb: SCALES.get(limb, 1.04) for limb in set(limbs) - {""}}
    clip = limbik.figures.cartwheel()[0:140:14]
    own = scaled(clip.figure, limbs, scales)
    places = seats(human, body, NAMES)
    rng = np.random.default_rng(0)
    at = np.array([1.04 * places[name].at for name in NAMES]) + rng.normal(0, 0.008, (38, 3))
    joints = tuple(human.index(places[name].joint) for name in NAMES)
    model = MarkerModel(own, human, limbs, scales, joints, at)
    seen = model.places(clip.q) + rng.normal(0, 0.001, (len(clip), 38, 3))
    motion = Motion(own, clip.q, clip.fps)
    return motion, Markers(NAMES, 1e3 * seen, clip.fps, unit="mm", up="y", name="liz")


def test_bones_and_markers_are_found() -> None:
    truth, markers = recording()
    fit = fit_markers(markers, limbik.figures.human())
    assert isinstance(fit, MarkerFit)
    assert fit.rms_mm < 5.0
    away = np.linalg.norm(fit.motion.positions() - truth.positions(), axis=-1)
    assert 1e3 * np.median(away) < 20.0
    assert fit.scales["upper legs"] == pytest.approx(1.08, abs=0.04)
    np.testing.assert_array_equal(fit.figure.project(fit.motion.q), fit.motion.q)
    assert (fit.ignored, fit.swapped, fit.motion.name) == ((), (), "liz")
    assert fit.markers["Liz:LKNE"][0] == "LeftUpLeg"


def test_the_model_is_linear_in_what_is_calibrated() -> None:
    """With the true rotations, one solve finds the scales and the markers' places."""
    truth, markers = recording()
    human = limbik.figures.human()
    body = recognise(human)
    limbs = tuple(limbs_of(human, body))
    places = seats(human, body, NAMES)
    joints = tuple(human.index(places[name].joint) for name in NAMES)
    start = MarkerModel(
        human, human, limbs, dict.fromkeys(set(limbs) - {""}, 1.0), joints, np.zeros((38, 3))
    )
    seen = markers.in_units("m").positions
    prior = Prior(np.zeros((38, 3)), np.full(38, 1e3), 1.0, 1e4)
    found = start.refined(truth.q, seen, np.ones(seen.shape[:2]), prior)
    assert found.scales["upper legs"] == pytest.approx(1.08, abs=0.02)
    # The root's place is found apart from the pose's own.
    away = found.places(truth.q) - seen
    away -= away.mean(axis=1, keepdims=True)
    assert np.sqrt((away**2).sum(axis=-1).mean()) < 0.003


def test_exchanged_names_are_put_right_by_continuity() -> None:
    t = np.linspace(0, 1, 60)
    paths = np.stack([np.column_stack([t, k + 0 * t, np.sin(3 * t)]) for k in range(4)], axis=1)
    seen = paths.copy()
    seen[20:30, [0, 2]] = seen[20:30, [2, 0]]  # for ten frames
    seen[40, [1, 3]] = seen[40, [3, 1]]
    seen[50, 1] += 5.0  # a reflection somewhere
    seen[5:9, 3] = np.nan
    fixed, found = continuous(seen, 60.0, 1.0)
    expected = paths.copy()
    expected[50, 1] = np.nan
    expected[5:9, 3] = np.nan
    np.testing.assert_array_equal(fixed, expected)
    assert found == [(f, 0, 2) for f in range(20, 30)] + [(40, 1, 3)]
    first = paths.copy()
    first[0, [0, 2]] = first[0, [2, 0]]  # in the first frame: what is usual counts
    fixed, found = continuous(first, 60.0, 1.0)
    np.testing.assert_array_equal(fixed, paths)
    assert found == [(0, 0, 2)]
    assert np.abs(filled(expected, 60.0) - paths).max() < 0.01


def test_a_long_gap_is_filled_by_the_markers_around_it() -> None:
    rng = np.random.default_rng(2)
    body, frames = rng.normal(0, 0.2, (6, 3)), 120
    angles = np.linspace(0.0, 4.0, frames)
    turns = quat_to_matrix(exp_map(angles[:, None] * np.array([0.0, 0.0, 1.0])))
    paths = np.einsum("fij,mj->fmi", turns, body) + angles[:, None, None]
    seen = paths.copy()
    seen[30:80, 2] = np.nan
    seen[40:60, 4] = np.nan
    np.testing.assert_allclose(filled(seen, 60.0), paths, atol=0.002)


def test_lost_markers_cost_little() -> None:
    truth, markers = recording()
    at = markers.positions.copy()
    at[np.random.default_rng(1).random(at.shape[:2]) < 0.2] = np.nan
    lost = Markers(NAMES, at, markers.fps, unit="mm", up="y")
    fit = fit_markers(lost, limbik.figures.human())
    assert np.isnan(fit.errors).mean() == pytest.approx(0.2, abs=0.05)
    away = np.linalg.norm(fit.motion.positions() - truth.positions(), axis=-1)
    assert 1e3 * np.median(away) < 25.0


def test_what_cannot_be_fitted() -> None:
    strange = Markers(["a", "b"], np.zeros((3, 2, 3)), 30, unit="m")
    with pytest.raises(FigureError, match="bones are known for 0 markers"):
        fit_markers(strange, limbik.figures.human())
    with pytest.raises(FigureError, match='no marker "c"'):
        fit_markers(strange, limbik.figures.human(), seats_of={"c": "Hips"})
    with pytest.raises(FigureError, match="needs a Figure"):
        fit_markers(strange, "human")  # type: ignore[arg-type]


def test_a_recording_of_cmu() -> None:
    """The same take was solved by those who recorded it."""
    markers = limbik.load_markers(find("motion/cmu_02_01.c3d"))[::14]
    unit = 0.0254 / 0.45
    skeleton = limbik.load(find("cmu_asfamc/02.asf"))
    truth = limbik.load_motion(find("cmu_asfamc/02_01.amc"), figure=skeleton)
    truth = truth.in_units("m", from_unit=unit)[::14]
    fit = fit_markers(markers, truth.figure)
    assert fit.rms_mm < 10.0
    x, y, z = np.moveaxis(fit.motion.positions(), -1, 0)
    away = np.linalg.norm(np.stack([-z, y, x], axis=-1) - truth.positions(), axis=-1)
    main = ["root", "thorax", "lowerneck", "head"]
    main += [s + b for s in "lr" for b in ("femur", "tibia", "foot", "humerus", "radius", "wrist")]
    columns = [truth.figure.index(name) for name in main]
    assert 1e3 * np.median(away[:, columns]) < 30.0

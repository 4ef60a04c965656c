"""Markers on a body whose bones and markers are known: both are found, lost and swapped or not."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik.animate.markers.calibrate import calibrated, objective
from limbik.animate.markers.expected import pelvis
from limbik.animate.markers.fit_markers import MarkerFit, fit_markers
from limbik.animate.markers.gaps import continuous, filled
from limbik.animate.markers.model import PREFIX, MarkerModel, Prior, limbs_of, scaled, stiffness
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
    seen = model.positions(clip.q) + rng.normal(0, 0.001, (len(clip), 38, 3))
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


def _model(scales: dict[str, float], at: np.ndarray) -> MarkerModel:
    """The body of the recording with other scales and places."""
    human = limbik.figures.human()
    body = recognise(human)
    limbs = tuple(limbs_of(human, body))
    places = seats(human, body, NAMES)
    joints = tuple(human.index(places[name].joint) for name in NAMES)
    bends = stiffness(human, body, 0.05)
    return MarkerModel(scaled(human, limbs, scales), human, limbs, scales, joints, at, bends)


def _posed(model: MarkerModel, q: np.ndarray, *, seen: np.ndarray) -> np.ndarray:
    reach = [limbik.Reach(f"{PREFIX}{m}", position=seen[:, m]) for m in range(len(NAMES))]
    goals = [*reach, limbik.Rest(model.stiffness)]
    return limbik.solve_many(model.with_markers(), goals, starts=q, restarts=0).q


def test_derivatives_of_the_places() -> None:
    truth, _ = recording()
    limbs = sorted({limb for limb in _model(SCALES, np.zeros((38, 3))).limbs if limb})
    at = np.random.default_rng(3).normal(0, 0.05, (38, 3))
    model = _model({limb: SCALES.get(limb, 1.04) for limb in limbs}, at)
    q, step = truth.q[:2], 1e-6
    by_pose, by_scale, turns = model.derivatives(q)
    for c in range(0, model.figure.n, 5):
        away = step * np.eye(model.figure.n)[c]
        slope = (model.positions(q + away) - model.positions(q - away)) / (2 * step)
        np.testing.assert_allclose(by_pose[..., c], slope, atol=1e-7)
    values, count = model.values(), len(limbs)
    # The root carries the whole body and has its place from the pose.
    still = model.figure.positions(q, model.figure.joints[0])[:, None]
    for k in range(0, len(values), 4):
        away = step * np.eye(len(values))[k]
        ends = []
        for sign in (1.0, -1.0):
            other = model.with_values(values + sign * away)
            root = other.figure.positions(q, other.figure.joints[0])[:, None]
            ends.append(other.positions(q) - root + still)
        slope = (ends[0] - ends[1]) / (2 * step)
        if k < count:
            np.testing.assert_allclose(by_scale[..., k], slope, atol=1e-7)
        else:
            m, i = divmod(k - count, 3)
            np.testing.assert_allclose(turns[:, m, :, i], slope[:, m], atol=1e-7)
            assert np.abs(np.delete(slope, m, axis=1)).max() < 1e-7


def test_the_trunk_bends_no_more_than_it_must_and_hips_not_at_all() -> None:
    """Some skeletons have a joint between pelvis and thigh, which does not move in a body."""
    figure = limbik.load_motion(find("cmu_bvh/02_01.bvh")).figure
    found = np.array(stiffness(figure, recognise(figure), 0.05))
    weights = {name: found[figure.owner == figure.index(name)] for name in figure.joints}
    for name in ("LowerBack", "Spine1", "Neck", "Head"):
        assert (weights[name] == weights["Spine"][0]).all()
    for name in ("LHipJoint", "RHipJoint"):
        assert (weights[name] == 100.0 * weights["Spine"][0]).all()
    for name in ("Hips", "LeftUpLeg", "LeftShoulder", "LeftArm"):
        assert not weights[name].any()


def test_joints_come_to_where_the_markers_of_both_bones_turn() -> None:
    """Markers of the pelvis are 8 cm from where they are expected; the legs move a great deal."""
    truth, markers = recording()
    seen = markers.in_units("m").positions
    limbs = sorted({limb for limb in _model(SCALES, np.zeros((38, 3))).limbs if limb})
    human = limbik.figures.human()
    places = seats(human, recognise(human), NAMES)
    at = 1.04 * np.array([places[name].at for name in NAMES])
    waist = [k for k, name in enumerate(NAMES) if name.endswith("WT")]
    at[waist, 2] += 0.08
    start = _model(dict.fromkeys(limbs, 1.04), at)
    prior = Prior(at, np.full(38, 50.0), 1.04, 5.0)

    posed = partial(_posed, seen=seen)
    q, weights = posed(start, truth.q), np.ones(seen.shape[:2])
    hips = ["LeftUpLeg", "RightUpLeg"]

    def away(model: MarkerModel, q: np.ndarray) -> float:
        apart = model.figure.positions(q, hips) - truth.figure.positions(truth.q, hips)
        return float(np.median(np.linalg.norm(apart, axis=-1)))

    before = objective(start, q, seen, weights, prior)
    model, found = calibrated(start, q, seen, weights, prior, posed, steps=10)
    assert objective(model, found, seen, weights, prior) < 0.3 * before
    assert away(start, q) > 0.05
    assert away(model, found) < 0.02


def test_hips_are_where_published_regressions_have_them() -> None:
    """Harrington and others (2007): w = 250 mm, d = 160 mm."""
    human = limbik.figures.human()
    body = recognise(human)
    names = ["LASI", "RASI", "LPSI", "RPSI"]
    seen = np.array([[[0.125, 1, 0.1], [-0.125, 1, 0.1], [0.05, 1, -0.06], [-0.05, 1, -0.06]]])
    found = pelvis(human, body, names, seen, 1.0, 1.1)
    frame = human.frames(human.rest)[human.index(body["hips"])]
    hips = human.positions(human.rest, ["LeftUpLeg", "RightUpLeg"]).mean(axis=0)
    middle = 1.1 * frame[:3, :3].T @ (hips - frame[:3, 3])
    one, two, back, other = (found[k] - middle for k in range(4))
    assert np.linalg.norm(one - two) == pytest.approx(0.25)
    assert np.linalg.norm((one + two) / 2) == pytest.approx(
        np.hypot(0.24 * 0.16 + 0.0099, 0.30 * 0.25 + 0.0109)
    )
    assert np.linalg.norm((one + two - back - other) / 2) == pytest.approx(0.16)
    assert pelvis(human, body, names[:3], seen[:, :3], 1.0, 1.0) == {}
    sacrum = pelvis(human, body, ["LFWT", "RFWT", "SACR"], seen[:, :3], 1.0, 1.0)
    assert len(sacrum) == 3


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
    assert 1e3 * np.median(away[:, columns]) < 20.0
    assert 1e3 * np.median(away) < 20.0

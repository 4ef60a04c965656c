"""Figures: what is refused, how joints and coordinates are ordered and named, and variations."""

from __future__ import annotations

import copy
import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import limbik
from helpers.random_figures import SEEDS, random_figure
from limbik import Figure, FigureError, Joint, Range, Reach, SwingTwist
from limbik.figure import joints as jt
from limbik.figure.joints import Coupling, SwingTwistBall, Turn, euler, free, prismatic, revolute

HINGE = revolute("z")


def limb() -> Figure:
    return Figure(
        [
            Joint("Root", parts=free()),
            Joint("Arm", "Root", jt.swing_twist("x"), (1, 0, 0)),
            Joint("ForeArm", "Arm", HINGE, (1, 0, 0)),
            Joint("Hand", "ForeArm", jt.universal("y", "z"), (1, 0, 0)),
            Joint("Thumb", "Hand", revolute("z", coupled=Coupling("Hand.rz", -2.0, 0.5))),
        ]
    )


# ---- what is refused ----------------------------------------------------------------------------


def coupled(name: str, to: str, scale: float = 1.0, offset: float = 0.0) -> Joint:
    return Joint(name, "A", revolute("z", coupled=Coupling(to, scale, offset)))


A = Joint("A", parts=HINGE)


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ([], "at least one joint"),
        ([Joint("")], "name"),
        ([A, Joint("A", parts=HINGE)], 'two joints are called "A"'),
        ([Joint("A", "B"), Joint("B", "C"), Joint("C", "A")], "cycle: A → B → C → A"),
        ([Joint("A", "A")], "cycle: A → A"),
        ([Joint("Spine"), Joint("Head", "Spline")], '"Head".*"Spline".*did you mean "Spine"'),
        ([Joint("A", offset=(0, math.nan, 0))], '"A": offset'),
        ([Joint("A", offset=(0, 0))], '"A": offset'),
        ([Joint("A", wxyz=(0, 0, 0, 0))], '"A": wxyz'),
        ([Joint("A", wxyz=(1, 0, 0, math.inf))], '"A": wxyz'),
        ([Joint("A", tip=(0, 0, math.nan))], '"A": tip'),
        ([Joint("A", parts=(Turn((0.0, 0.0, 0.0)),))], '"A".*zero length'),
        ([Joint("A", parts=(jt.Slide((0.0, math.nan, 0.0)),))], '"A".*finite'),
        ([Joint("A", parts=(SwingTwistBall((0.0, 0.0, 0.0)),))], "A"),
        ([Joint("A", parts=(SwingTwistBall((0.0, 1.0, 0.0), (0.0, 1.0, 0.0)),))], "A"),
        ([Joint("A", parts=Turn((0.0, 0.0, 1.0)))], "A"),
        ([A, coupled("B", "C")], '"B" is coupled to "C", which is not there'),
        ([A, coupled("B", "A", 0.0)], '"B".*scale 0'),
        ([A, coupled("B", "A", math.nan)], '"B".*not finite'),
        ([A, coupled("B", "C"), coupled("C", "B")], "couplings form a cycle: B → C → B"),
        ([A, coupled("B", "B")], "couplings form a cycle"),
    ],
)
def test_impossible_figures_are_refused_by_name(joints: list[Joint], words: str) -> None:
    with pytest.raises(FigureError, match=words):
        Figure(joints)


@pytest.mark.parametrize("axis", [(0, 0, 0), (1, 0), (math.nan, 0, 1), "w", "+x", (1e-13, 0, 0)])
@pytest.mark.parametrize("make", [revolute, prismatic, jt.exponential, jt.swing_twist])
def test_impossible_axes_are_refused(make, axis) -> None:
    with pytest.raises(FigureError, match="axis"):
        make(axis)


def test_a_swing_axis_along_the_twist_and_a_wrong_order_are_refused() -> None:
    with pytest.raises(FigureError, match="parallel"):
        jt.swing_twist((0, 1, 1), (0, -2, -2))
    with pytest.raises(FigureError, match='"XWZ"'):
        euler("XWZ")


def test_poses_are_checked() -> None:
    figure = limb()
    for bad, words in (
        (np.zeros(figure.n + 1), f"needs {figure.n} values"),
        (np.zeros((2, 2, figure.n)), "shape"),
        (np.where(np.arange(figure.n) == 7, math.nan, 0.0), "Arm.swing2 is not finite"),
        (np.full((3, figure.n), math.inf), "Root.tx is not finite"),
    ):
        for use in (figure.positions, figure.project, figure.violation, figure.with_rest):
            with pytest.raises(FigureError, match=words):
                use(bad)
    with pytest.raises(FigureError, match="rest"):
        figure.with_rest(np.zeros((2, figure.n)))
    with pytest.raises(FigureError, match='did you mean "ForeArm"'):
        figure.jacobian(figure.rest, "ForArm")
    for at in ([1.0], [0, 0, math.nan], np.zeros((2, 3))):
        with pytest.raises(FigureError, match="at"):
            figure.jacobian(figure.rest, "Hand", at=at)


# ---- order and names ----------------------------------------------------------------------------


def test_parents_come_first_and_otherwise_the_order_is_kept() -> None:
    figure = Figure(
        [Joint("C", "B"), Joint("D", "A"), Joint("A"), Joint("B", "A"), Joint("E", "D"), Joint("F")]
    )
    assert figure.joints == ("A", "B", "C", "D", "E", "F")
    assert figure.parents.tolist() == [-1, 0, 1, 0, 3, -1]
    assert figure.index("D") == 3


def test_coordinates_are_named_after_their_joint_and_axis() -> None:
    figure = Figure(
        [
            Joint("Root", parts=free(jt.exponential())),
            Joint("Hinge", "Root", revolute((1, 1, 0))),
            Joint("Ball", "Root", euler("ZYZ")),
            Joint("Cone", "Root", jt.swing_twist()),
            Joint("Odd", "Root", revolute((1, 1, 0)) + prismatic((0, 1, 1)) + revolute("-x")),
            Joint("Driven", "Root", revolute("z", coupled=Coupling("Odd.rx"))),
        ]
    )
    assert figure.coordinates == (
        "Root.tx", "Root.ty", "Root.tz", "Root.wx", "Root.wy", "Root.wz", "Hinge",
        "Ball.rz", "Ball.ry", "Ball.rz2", "Cone.swing1", "Cone.swing2", "Cone.twist",
        "Odd.turn", "Odd.slide", "Odd.rx",
    )  # fmt: skip
    assert figure.n == 16
    assert figure.slides.tolist() == [True] * 3 + [False] * 11 + [True, False]
    assert [figure.joints[k] for k in figure.owner[[0, 6, 12, 15]]] == [
        "Root",
        "Hinge",
        "Cone",
        "Odd",
    ]
    assert figure.coordinates_of("Driven").tolist() == [15]
    assert figure.coordinates_of("Ball").tolist() == [7, 8, 9]


# ---- coupling -----------------------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=50)
def test_a_coupled_joint_moves_as_its_formula_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (a, b), (c, d) = rng.normal(size=(2, 2))
    parts = {"A": HINGE, "B": revolute("-y"), "C": prismatic((1, 2, 2))}
    offsets = rng.normal(size=(3, 3))
    free_joints = [
        Joint(name, parent, parts[name], tuple(offset))
        for name, parent, offset in zip("ABC", (None, "A", "B"), offsets, strict=True)
    ]
    chained = [
        free_joints[0],
        Joint("B", "A", revolute("-y", coupled=Coupling("C", a, b)), tuple(offsets[1])),
        Joint("C", "B", prismatic((1, 2, 2), coupled=Coupling("A", c, d)), tuple(offsets[2])),
    ]
    whole, driven = Figure(free_joints), Figure(chained)
    assert driven.coordinates == ("A",)
    q = rng.normal()
    slide = c * q + d
    np.testing.assert_allclose(
        driven.frames([q]), whole.frames([q, a * slide + b, slide]), atol=1e-13
    )


def test_a_driven_joint_keeps_to_its_limit_in_every_chain() -> None:
    figure = Figure(
        [
            A,
            coupled("B", "A", 2.0, 0.1),
            Joint("C", "A", revolute("z", coupled=Coupling("B", -1.0)), limit=Range(-0.5, 0.3)),
        ]
    )
    # −0.5 ≤ −(2q + 0.1) ≤ 0.3 is −0.2 ≤ q ≤ 0.2.
    np.testing.assert_allclose([figure.lower[0], figure.upper[0]], [-0.2, 0.2], atol=1e-15)


def test_the_limit_of_a_joint_that_follows_a_cone_is_not_forgotten() -> None:
    cone = Joint("A", parts=jt.swing_twist("y"), limit=SwingTwist(swing=1.0))
    follower = Joint("B", "A", revolute("x", coupled=Coupling("A.swing1")), limit=Range(-0.1, 0.1))
    try:
        figure = Figure([cone, follower])
    except FigureError:
        return  # saying that the two cannot be had together is fine too
    assert abs(figure.project([0.9, 0.0, 0.0])[0]) <= 0.1


# ---- limits -------------------------------------------------------------------------------------


def test_limits_by_joint_and_by_coordinate() -> None:
    figure = limb().with_limits(
        {
            "Arm": SwingTwist(swing=(80, 60), twist=(-45, 30), center=(10, 0), degrees=True),
            "ForeArm": Range(0, 145, degrees=True),
            "Hand.ry": Range(-0.2, 0.3),
            "Root.tx": Range(-1, math.inf),
        }
    )
    bounds = dict(
        zip(figure.coordinates, zip(figure.lower, figure.upper, strict=True), strict=True)
    )
    degrees = {name: tuple(np.degrees(ends).round(9)) for name, ends in bounds.items()}
    assert degrees["Arm.swing1"] == (-70, 90)
    assert degrees["Arm.swing2"] == (-60, 60)
    assert degrees["Arm.twist"] == (-45, 30)
    assert degrees["ForeArm"] == (0, 145)
    assert bounds["Hand.ry"] == (-0.2, 0.3)
    assert bounds["Hand.rz"] == (-math.inf, math.inf)
    assert bounds["Root.tx"] == (-1, math.inf)
    again = figure.with_limits({"Hand.rz": Range(-1, 1), "ForeArm": None, "Arm": None})
    bounds = dict(zip(again.coordinates, zip(again.lower, again.upper, strict=True), strict=True))
    assert bounds["Hand.ry"] == (-0.2, 0.3)
    assert bounds["Hand.rz"] == (-1, 1)
    assert bounds["ForeArm"] == (-math.inf, math.inf)
    assert bounds["Arm.twist"] == (-math.inf, math.inf)
    # limb() itself is as it was.
    assert np.isinf(limb().with_limits({"ForeArm": Range(0, 1)}).lower[:6]).all()


def test_the_limit_of_a_coupled_joint_holds_for_its_driver() -> None:
    figure = limb().with_limits({"Thumb": Range(-0.5, 1.5), "Hand.rz": Range(-0.3, 2.0)})
    driver = figure.coordinates.index("Hand.rz")
    # −0.5 ≤ −2q + 0.5 ≤ 1.5 is −0.5 ≤ q ≤ 0.5.
    assert (figure.lower[driver], figure.upper[driver]) == (-0.3, 0.5)
    with pytest.raises(FigureError, match="Thumb"):
        figure.with_limits({"Thumb": Range(2.0, 3.0)})


# ---- size, immutability, copies -----------------------------------------------------------------


def test_a_thousand_joints_work() -> None:
    count = 1000
    joints = [Joint("J0", parts=HINGE, limit=Range(-0.1, 0.1))]
    for k in range(1, count):
        spin = revolute("zxy"[k % 3])
        joints.append(Joint(f"J{k}", f"J{k - 1}", spin, (0.01, 0, 0), limit=Range(-0.1, 0.1)))
    figure = Figure(joints)
    assert figure.n == count
    assert figure.positions(np.zeros(count))[-1] == pytest.approx([9.99, 0, 0], abs=1e-12)
    q = np.random.default_rng(0).uniform(-0.1, 0.1, count)
    rows = figure.jacobian(q, "J999")
    h = 1e-6
    for c in (0, 1, 2, 500, 998, 999):
        ahead, behind = q.copy(), q.copy()
        ahead[c], behind[c] = q[c] + h, q[c] - h
        slope = (figure.positions(ahead)[-1] - figure.positions(behind)[-1]) / (2 * h)
        np.testing.assert_allclose(rows[:3, c], slope, atol=1e-7)
    answer = limbik.solve(figure, [Reach("J999", position=figure.positions(q)[-1])])
    assert answer.ok
    assert figure.violation(answer.q) == 0.0


def test_nothing_in_a_figure_can_be_changed() -> None:
    offset = np.array([1.0, 0.0, 0.0])
    figure = Figure([A, Joint("B", "A", HINGE, offset)])  # type: ignore[arg-type]
    for array in (
        figure.rest,
        figure.lower,
        figure.upper,
        figure.parents,
        figure.slides,
        figure.owner,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    before = figure.positions([0.1, 0.2])
    offset[0] = 5.0
    changed = figure.with_limits({"A": Range(-1, 1)})
    np.testing.assert_array_equal(figure.positions([0.1, 0.2]), before)
    np.testing.assert_array_equal(changed.positions([0.1, 0.2]), before)


def test_a_figure_can_be_copied_and_sent_to_another_process() -> None:
    rng = np.random.default_rng(0)
    figure = random_figure(rng, ["free swing–twist", "exponential", "coupled turn"], limits=True)
    q = rng.normal(size=figure.n)
    for twin in (copy.deepcopy(figure), pickle.loads(pickle.dumps(figure))):
        np.testing.assert_array_equal(twin.project(q), figure.project(q))
        np.testing.assert_array_equal(twin.frames(q), figure.frames(q))


def test_size_is_the_longest_chain_or_the_extent() -> None:
    links = [A, Joint("B", "A", HINGE, (3, 0, 0)), Joint("C", "B", HINGE, (0, 4, 0), tip=(0, 0, 2))]
    assert Figure(links).size == pytest.approx(9.0)
    assert Figure([Joint("A", tip=np.array([2.0, 0, 0]))]).size == pytest.approx(2.0)  # type: ignore[arg-type]
    assert Figure([A]).size == 1.0


def test_a_huge_pose_is_a_pose_and_warns_of_nothing() -> None:
    arm = limbik.figures.arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (arm.pose(np.full(arm.n, 1e300)) == 1e300).all()

"""Masses, shapes, speed limits and loops on figures: what they give, and what they survive."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import limbik
from helpers.random_figures import COUPLED, JOINTS, random_figure, random_pose
from limbik import (
    Box,
    Capsule,
    Cylinder,
    Figure,
    FigureError,
    HalfSpace,
    Inertia,
    Joint,
    Loop,
    Sphere,
)
from limbik.figure.collision.capsule_fit import capsule_around
from limbik.figure.collision.shape_buffers import shape_buffers
from limbik.figure.collision_pairs import collision_pairs, shape_distances
from limbik.figure.joints import Coupling, Slide, Turn, prismatic, revolute
from limbik.figure.physical.properties import JointNumbers, Physical, merged
from limbik.figure.physical.properties_json import physical_from_json, physical_to_json
from limbik.maths.distance import distances

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def arm() -> Figure:
    """Two hinges, a slide and a hinge that follows the first at twice its angle."""
    joints = [
        Joint("Upper", parts=revolute("z")),
        Joint("Lower", "Upper", revolute("z"), offset=(1, 0, 0), alias="elbow"),
        Joint("Slider", "Lower", prismatic("x"), offset=(1, 0, 0)),
        Joint("Follower", "Slider", (Turn(Z, coupled=Coupling("Upper", 2.0)),), offset=(0, 1, 0)),
        Joint("Plate", "Follower", offset=(0.5, 0, 0)),
    ]
    shapes = (
        Capsule.between((0, 0, 0), (1, 0, 0), 0.1, joint="Upper"),
        Box((0.2, 0.1, 0.1), (0.5, 0, 0), joint="Lower", name="cover"),
        Cylinder(0.1, 0.3, joint="Slider"),
        Sphere(0.2, joint="Follower"),
        Sphere(0.1, (0.1, 0, 0), joint="Plate"),
    )
    return Figure(
        joints,
        name="arm",
        unit="m",
        up="z",
        physical=Physical(
            inertias=(
                ("Upper", Inertia(2.0, (0.5, 0, 0), (0.1, 0.2, 0.3, 0.01, 0.02, 0.03))),
                ("Slider", Inertia(1.0, (0, 0.2, 0.1))),
                ("Plate", Inertia(0.5)),
            ),
            shapes=shapes,
            exclusions=(("Upper", "Follower"),),
            speeds=(
                JointNumbers("Upper", (4.0,)),
                JointNumbers("Slider", (0.5,)),
                JointNumbers("Follower", (3.0,)),
            ),
            efforts=(JointNumbers("Lower", (20.0,)),),
            loops=(
                Loop("Plate", (0, 0, 0), "Upper", (0.1, 0.2, 0.3), name="rod"),
                Loop("Slider", (0, 0, 0), "", (1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5)),
            ),
        ),
    )


# ---- masses --------------------------------------------------------------------------------------


def test_the_centre_of_mass_is_the_mean_of_the_masses() -> None:
    figure, q = arm(), np.array([0.3, -0.5, 0.2])
    total = np.zeros(3)
    for name, own in figure.inertias.items():
        frame = figure.frame(q, name)
        total += own.mass * (frame[:3, :3] @ np.array(own.center) + frame[:3, 3])
    np.testing.assert_allclose(figure.com(q), total / 3.5, atol=1e-12)
    assert figure.mass == 3.5
    assert figure.masses.tolist() == [2.0, 0.0, 1.0, 0.0, 0.5]
    many = figure.com(np.array([q, figure.rest]))
    np.testing.assert_array_equal(many, [figure.com(q), figure.com(figure.rest)])


@pytest.mark.parametrize("seed", range(6))
def test_the_jacobian_of_the_centre_of_mass(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.permutation([*JOINTS, *COUPLED])]
    figure = random_figure(rng, kinds)
    masses = {
        name: Inertia(rng.uniform(0.1, 2.0), tuple(rng.normal(size=3)))
        for name in figure.joints
        if rng.uniform() < 0.7
    } or {figure.joints[-1]: 1.0}
    figure = figure.with_masses(masses)
    q, step = random_pose(rng, figure, spread=0.5), 1e-6
    columns = [
        (figure.com(q + step * axis) - figure.com(q - step * axis)) / (2.0 * step)
        for axis in np.eye(figure.n)
    ]
    jacobian = figure.com_jacobian(q)
    assert jacobian.shape == (3, figure.n)
    np.testing.assert_allclose(jacobian, np.array(columns).reshape(-1, 3).T, atol=1e-7)
    np.testing.assert_array_equal(figure.com_jacobian(np.array([q, q]))[1], jacobian)


def test_masses_are_changed_by_number_total_or_inertia() -> None:
    figure = arm()
    heavy = figure.with_masses(7.0)
    assert heavy.mass == pytest.approx(7.0)
    np.testing.assert_allclose(heavy.com(figure.rest), figure.com(figure.rest))
    assert heavy.inertias["Upper"].moments[2] == pytest.approx(0.6)
    other = figure.with_masses({"elbow": 1.5, "Plate": Inertia(1.0, X)})
    assert other.inertias["Lower"] == Inertia(1.5)
    assert other.inertias["Plate"].center == X
    assert other.mass == pytest.approx(5.5)
    assert figure.mass == 3.5
    with pytest.raises(TypeError):
        figure.inertias["Upper"] = Inertia(1.0)  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        figure.masses[0] = 1.0


def test_a_figure_without_masses_says_so() -> None:
    chain = limbik.figures.chain(lengths=[1, 1])
    assert chain.mass == 0.0
    with pytest.raises(FigureError, match=r"has no masses.*with_masses"):
        chain.com(chain.rest)
    with pytest.raises(FigureError, match="no mass is known"):
        chain.with_masses(70.0)


def test_two_masses_become_one() -> None:
    whole = merged([Inertia(1.0, (1, 0, 0)), Inertia(1.0, (-1, 0, 0))])
    assert whole == Inertia(2.0, (0, 0, 0), (0, 2, 2, 0, 0, 0))


# ---- speeds --------------------------------------------------------------------------------------


def test_a_joint_that_follows_another_limits_its_speed() -> None:
    figure = arm()
    assert figure.speed_limits.tolist() == [1.5, np.inf, 0.5]  # the follower turns twice as fast
    assert figure.effort_limits.tolist() == [np.inf, 20.0, np.inf]
    faster = figure.with_speed_limits({"elbow": 2.0, "Slider": 1.0})
    assert faster.speed_limits.tolist() == [1.5, 2.0, 1.0]
    assert figure.with_speed_limits(3.0).speed_limits.tolist() == [3.0] * 3
    assert figure.with_speed_limits([1, 2, np.inf]).speed_limits.tolist() == [1, 2, np.inf]
    for wrong in (-1.0, np.nan, [1.0, 2.0], "fast", {"elbow": [1, 2]}):
        with pytest.raises(FigureError, match="with_speed_limits"):
            figure.with_speed_limits(wrong)
    for name in ("Plate", "Follower"):
        with pytest.raises(FigureError, match=f'"{name}" has no coordinates of its own'):
            figure.with_speed_limits({name: 1.0})
    with pytest.raises(FigureError, match=r'no joint "elbw".*elbow'):
        figure.with_speed_limits({"elbw": 1.0})


# ---- what they survive ---------------------------------------------------------------------------

CHANGES: dict[str, Callable[[Figure], Figure]] = {
    "pickle": lambda f: pickle.loads(pickle.dumps(f)),
    "deepcopy": copy.deepcopy,
    "limits": lambda f: f.with_limits({"elbow": limbik.Range(-1, 1)}),
    "rest": lambda f: f.with_rest([0.1, 0.1, 0.1]),
    "tool": lambda f: f.with_tool("Plate", (1, 0, 0)),
    "base": lambda f: f.with_base("planar"),
    "balls": lambda f: f.with_balls("euler"),
    "units": lambda f: f.in_units("cm").in_units("m"),
    "stated": lambda f: f.in_units(from_unit="m"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_everything_survives_a_change(change: str) -> None:
    figure = arm()
    made = CHANGES[change](figure).physical
    if change != "units":
        assert made == figure.physical
        return
    assert made.inertias is not None
    for (name, own), (other, same) in zip(made.inertias, figure.physical.inertias, strict=True):  # type: ignore[arg-type]
        assert name == other
        np.testing.assert_allclose(own.center, same.center, atol=1e-12)
        np.testing.assert_allclose(own.moments, same.moments, atol=1e-12)


def test_other_units_scale_lengths_and_leave_masses() -> None:
    figure = arm()
    same = figure.in_units("cm", up="y")
    q, there = np.array([0.3, -0.5, 0.2]), np.array([0.3, -0.5, 20.0])
    assert same.mass == figure.mass
    x, y, z = figure.com(q)
    np.testing.assert_allclose(same.com(there), [100 * x, 100 * z, -100 * y], atol=1e-9)
    assert same.speed_limits.tolist() == [1.5, np.inf, 50.0]
    assert same.effort_limits.tolist() == figure.effort_limits.tolist()
    assert same.inertias["Upper"].moments[0] == pytest.approx(0.1e4)
    np.testing.assert_allclose(
        shape_distances(same, there)[0], 100.0 * shape_distances(figure, q)[0], atol=1e-9
    )
    rod, held = same.loops
    np.testing.assert_allclose(rod.at_b, [10, 20, 30])
    np.testing.assert_allclose(held.at_b, [100, 300, -200], atol=1e-12)  # the world was turned
    # The slider's orientation at which the loop is closed was turned along.
    frame = np.eye(3) @ limbik.maths.so3.quat_to_matrix(held.wxyz).T
    before = limbik.maths.so3.quat_to_matrix(figure.loops[1].wxyz).T
    turn = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    np.testing.assert_allclose(frame, turn @ before, atol=1e-12)


def test_new_coordinates_take_the_speeds_along() -> None:
    parts = (Turn(Z), Turn((0.0, 1.0, 0.0)), Turn(X), Slide(X))
    figure = Figure([Joint("Root", parts=parts)]).with_speed_limits([1, 2, 3, 9])
    made = figure.with_balls("exponential")
    assert made.coordinates[0] == "Root.tx"
    assert made.speed_limits.tolist() == [9, 1, 2, 3]


def test_everything_can_be_written_as_json() -> None:
    said = arm().physical
    assert physical_from_json(json.loads(json.dumps(physical_to_json(said)))) == said
    nothing = Physical()
    assert physical_from_json(json.loads(json.dumps(physical_to_json(nothing)))) == nothing


@pytest.mark.parametrize(
    ("physical", "message"),
    [
        (Physical(inertias=(("Uper", Inertia(1.0)),)), 'mass is given for "Uper".*Upper'),
        (Physical(shapes=(Sphere(1.0, joint="nowhere"),)), 'shape is given for "nowhere"'),
        (Physical(shapes=(HalfSpace(Z),)), "shapes are of Sphere"),  # type: ignore[arg-type]
        (Physical(exclusions=(("Upper", "none"),)), 'exclusion is given for "none"'),
        (Physical(speeds=(JointNumbers("Upper", (1.0, 2.0)),)), "needs 1 numbers"),
        (Physical(efforts=(JointNumbers("Upper", (-1.0,)),)), "needs 1 numbers"),
        (Physical(loops=(Loop("", (0, 0, 0), "Upper", (0, 0, 0)),)), 'loop is given for ""'),
    ],
)
def test_what_does_not_fit_the_joints_is_refused(physical: Physical, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        Figure(arm().definition, physical=physical)


# ---- shapes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(-1.0), "Sphere: radius is below 0"),
        (lambda: Sphere(float("nan")), "radius needs a finite number"),
        (lambda: Box((1, 2)), "Box: half_sizes needs 3 finite numbers"),
        (lambda: Capsule(0.1, 0.2, wxyz=(0, 0, 0, 0)), "wxyz has zero length"),
        (lambda: HalfSpace((0, 0, 0)), "normal has zero length"),
        (lambda: Sphere(1.0, joint=3), "joint must be text"),
        (lambda: Inertia(-1.0), "mass must be 0 or more"),
        (lambda: Inertia(1.0, (0, 0)), "center needs 3 finite numbers"),
    ],
)
def test_faulty_shapes_and_masses_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(FigureError, match=message):
        make()


def test_shapes_are_replaced_by_name_or_alias() -> None:
    figure = arm().with_shapes([Sphere(1.0, joint="elbow")], exclusions=[("Upper", "elbow")])
    assert figure.shapes == (Sphere(1.0, joint="Lower"),)
    assert figure.exclusions == (("Upper", "Lower"),)
    with pytest.raises(FigureError, match="with_shapes: needs a list"):
        figure.with_shapes(Sphere(1.0))  # type: ignore[arg-type]


def test_pairs_leave_out_neighbours_fixed_joints_exclusions_and_masks() -> None:
    figure = arm()

    def pairs(made: Figure) -> set[tuple[str, str]]:
        found = collision_pairs(made, touching=True)
        return {(made.shapes[i].joint, made.shapes[j].joint) for i, j in found}

    # The plate is fixed to the follower, so that what the one may touch the other may too.
    assert pairs(figure) == {("Upper", "Slider"), ("Lower", "Follower"), ("Lower", "Plate")}
    shapes = [
        Sphere(0.1, joint="Upper", contype=2, conaffinity=0),
        Sphere(0.1, joint="Slider", contype=1, conaffinity=1),
        Sphere(0.1, joint="Follower", contype=0, conaffinity=2),
    ]
    assert pairs(figure.with_shapes(shapes, exclusions=[])) == {("Upper", "Follower")}
    # Without shapes on the elbow, the slider is the neighbour of the upper arm.
    kept = [shape for shape in figure.shapes if shape.joint in ("Upper", "Slider")]
    assert pairs(figure.with_shapes(kept)) == set()


def test_pairs_that_overlap_at_rest_are_left_out() -> None:
    figure = arm().with_shapes([Sphere(0.1, joint="Upper"), Sphere(3.0, joint="Slider")])
    assert len(collision_pairs(figure, touching=True)) == 0  # neighbours
    figure = arm().with_shapes(
        [Sphere(1.2, joint="Upper"), Sphere(0.1, joint="Lower"), Sphere(1.2, joint="Slider")]
    )
    assert collision_pairs(figure, touching=True).tolist() == [[0, 2]]
    assert collision_pairs(figure).tolist() == []


def test_a_figure_without_shapes_has_no_pairs() -> None:
    bare = arm().with_shapes([])
    assert collision_pairs(bare).shape == (0, 2)
    assert shape_distances(bare, bare.rest)[0].shape == (0,)


def test_distances_in_a_pose_and_from_a_scene() -> None:
    figure = arm().with_shapes([Sphere(0.1, joint="Upper"), Sphere(0.2, joint="Slider")])
    wall = HalfSpace((-1, 0, 0), -3.0)  # everything beyond x = 3
    d, where = shape_distances(figure, [0, 0, 0.5], np.array([[0, 1], [1, 2]]), [wall])
    np.testing.assert_allclose(d, [2.5 - 0.3, 0.5 - 0.2], atol=1e-12)
    np.testing.assert_allclose(where[0], [0.1, 0, 0, 2.3, 0, 0, 1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(where[1, 6:], [1, 0, 0], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_fitted_capsule_holds_all_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stretch = np.array([[3, 1, 0.5], [1, 1, 1], [2, 2, 0.1], [5, 0, 0]][seed], float)
    turn = limbik.maths.so3.quat_to_matrix(limbik.maths.so3.exp_map(rng.normal(size=3)))
    points = (rng.uniform(-1, 1, (3000, 3)) * stretch) @ turn.T + rng.normal(size=3)
    capsule = capsule_around(points)
    start, end = capsule.ends
    along = end - start
    s = np.clip((points - start) @ along / max(along @ along, 1e-300), 0, 1)
    away = np.linalg.norm(points - start - np.outer(s, along), axis=1)
    assert away.max() <= capsule.radius * (1 + 1e-9) + 1e-12
    reach = np.linalg.norm(points - points.mean(axis=0), axis=1).max()
    volume = np.pi * capsule.radius**2 * (2 * capsule.half_length + 4 / 3 * capsule.radius)
    assert volume <= 4 / 3 * np.pi * reach**3


@pytest.mark.parametrize("half", [0.1, 2.0])
def test_a_cylinder_is_never_further_away_than_it_is(half: float) -> None:
    rng = np.random.default_rng(0)
    around = rng.uniform(0, 2 * np.pi, 200)
    rim = np.column_stack([np.cos(around), np.sin(around), half * rng.choice([-1, 1], 200)])
    buffers = shape_buffers([Cylinder(1.0, half), *(Sphere(0.0, tuple(p)) for p in rim)], {})
    pairs = np.array([[0, k + 1] for k in range(200)], np.uint32)
    d, where = np.empty(200), np.empty((200, 9))
    distances(buffers.kinds, buffers.sizes, buffers.local, pairs, 200, d, where)
    assert d.max() <= 1e-12
    assert d.min() >= -0.02

"""Avoid: shapes stay apart, judged by MuJoCo, in every way of solving; and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.differences import differences
from helpers.robot_comparisons import load, values_of
from limbik import (
    Avoid,
    Box,
    Capsule,
    Cylinder,
    Figure,
    GoalError,
    HalfSpace,
    Joint,
    Pin,
    Problem,
    Reach,
    Rest,
    Sphere,
)
from limbik.figure.collision_pairs import collision_pairs, shape_distances
from limbik.figure.joints import revolute
from limbik.maths.so3 import exp_map

ARM, HUMAN = limbik.figures.arm(), limbik.figures.human()
WALL = Box((0.02, 0.15, 0.3), (0.3, 0.0, 0.3), name="wall")
FLOOR = HalfSpace((0, 0, 1), name="floor")
SCENE = [
    Sphere(0.3, (0.1, 1.0, 0.3)), HalfSpace((0, 1, 0), 0.2), Box((0.2, 0.3, 0.2), (0, 0.5, 0.2)),
    Cylinder(0.1, 0.3, (0.3, 1, 0)), Capsule(0.1, 0.5, (-0.3, 1, 0), (1, 1, 0, 0)),
]  # fmt: skip


@pytest.mark.parametrize("scene", [[], SCENE])
def test_the_jacobian_of_a_body_is_that_of_differences(scene) -> None:
    problem = Problem(HUMAN, Avoid(scene, margin=0.05, own=not scene))
    rng, felt = np.random.default_rng(3), 0
    for _ in range(3):
        q = HUMAN.project(HUMAN.rest + 0.4 * rng.normal(size=HUMAN.n))
        slope = -differences(problem.residual, q)
        np.testing.assert_allclose(problem.jacobian(q), slope, atol=1e-7)
        felt += (problem.residual(q) > 0.0).sum()
    assert felt >= 6


def test_f_is_the_sum_over_all_pairs() -> None:
    rng, goal = np.random.default_rng(1), Avoid(SCENE, margin=0.02, own=False, weight=3.0)
    problem, first = Problem(HUMAN, goal), len(HUMAN.shapes)
    pairs = [(i, first + k) for i in range(first) for k in range(len(SCENE))]
    margin = 0.02 + 1e-4 * HUMAN.size
    for _ in range(4):
        q = HUMAN.project(HUMAN.rest + 0.3 * rng.normal(size=HUMAN.n))
        short = np.maximum(margin - shape_distances(HUMAN, q, np.array(pairs), SCENE)[0], 0.0)
        assert problem.objective(q) == pytest.approx(3.0 * (short**2).sum(), rel=1e-12)
        assert problem.term_errors(q)[0] == pytest.approx(short.max(), rel=1e-12)


def test_rows_are_those_of_all_pairs_wherever_the_figure_was_before() -> None:
    """What is known of the last pose saves work, and changes no bit."""
    scene = [replace(shape, name=f"s{k}") for k, shape in enumerate(SCENE)]
    leave = [("LeftHand", "s1"), ("LeftHand", "s3"), ("Head", "s0"), ("LeftHand", "RightUpLeg")]
    goal, rng = Avoid(scene, margin=0.03, exclude=leave), np.random.default_rng(5)
    walked, tested = Problem(HUMAN, goal), goal._tested(HUMAN)
    margin = np.minimum(0.03 + 1e-4 * HUMAN.size, tested.least)
    for spread in (0.5, 0.02, 0.5, 0.0, 0.3):
        q = HUMAN.project(HUMAN.rest + spread * rng.normal(size=HUMAN.n))
        fresh = Problem(HUMAN, goal)
        assert walked.residual(q).tobytes() == fresh.residual(q).tobytes()
        assert walked.jacobian(q).tobytes() == fresh.jacobian(q).tobytes()
        short = np.maximum(margin - shape_distances(HUMAN, q, tested.pairs, scene)[0], 0.0)
        assert fresh.term_errors(q)[0] == pytest.approx(short.max(), rel=1e-12)
        assert fresh.objective(q) == pytest.approx(10.0 * (short**2).sum(), rel=1e-12)


def test_an_arm_reaches_behind_a_wall() -> None:
    reach, avoid = Reach("Tool", position=[0.5, 0.0, 0.3]), Avoid([WALL, FLOOR], margin=0.01)
    careless = limbik.solve(ARM, reach)
    assert careless.ok
    assert avoid.nearest(ARM, careless.q)[2] < -0.05
    r = limbik.solve(ARM, [reach, avoid])
    assert r.ok
    assert avoid.nearest(ARM, r.q)[2] >= 0.01


def test_it_holds_in_every_way_of_solving() -> None:
    targets = np.linspace([0.45, -0.2, 0.4], [0.45, 0.2, 0.4], 8)
    goals = [Reach("Tool", position=targets), Avoid([WALL, FLOOR]), Rest(weight=1e-6)]
    many = limbik.solve_many(ARM, goals)
    track = limbik.track(ARM, goals, fps=30)
    judge = Avoid([WALL, FLOOR])
    assert many.ok.sum() >= 7
    assert all(judge.nearest(ARM, q)[2] >= 0.0 for q in many.q[many.ok])
    reached = np.linalg.norm(ARM.positions(track.motion.q)[:, -1] - targets, axis=1) < 1e-3
    assert reached.sum() >= 5
    assert all(judge.nearest(ARM, q)[2] > -1e-3 for q in track.motion.q[reached])


def test_rows_that_are_nothing_change_no_bit() -> None:
    """The last rows are left out of a step where they are 0, the first ones are not."""
    far, rng = Avoid([Box((1, 1, 1), (99, 0, 0))], own=False), np.random.default_rng(4)
    foot = Pin("RightFoot", rotation=True)
    for _ in range(6):
        at = HUMAN.positions(HUMAN.project(HUMAN.rest + 0.4 * rng.normal(size=HUMAN.n)))
        hands = [Reach(hand, position=at[HUMAN.index(hand)]) for hand in ("LeftHand", "RightHand")]
        last, first = (
            limbik.solve(HUMAN, [*hands, foot, far]),
            limbik.solve(HUMAN, [far, *hands, foot]),
        )
        assert last.iterations == first.iterations
        np.testing.assert_allclose(last.q, first.q, atol=1e-9)


def test_a_start_inside_a_wall_comes_out() -> None:
    inside = limbik.solve(ARM, Reach("Tool", position=[0.5, 0.0, 0.3])).q
    avoid = Avoid([WALL, FLOOR])
    assert avoid.nearest(ARM, inside)[2] < 0.0
    r = limbik.solve(ARM, avoid, start=inside, restarts=0)
    assert r.ok
    assert avoid.nearest(ARM, r.q)[2] >= 0.0


def test_crossed_arms_do_not_go_through_each_other() -> None:
    rng, pairs = np.random.default_rng(0), collision_pairs(HUMAN)
    pins = [Pin(foot, rotation=True) for foot in ("LeftFoot", "RightFoot")]
    through = 0
    for _ in range(8):
        at = np.array([rng.uniform(-0.16, -0.06), rng.uniform(1.0, 1.3), rng.uniform(0.35, 0.5)])
        crossed = [Reach("LeftHand", position=at), Reach("RightHand", position=at * [-1, 1, 1])]
        q = limbik.solve(HUMAN, [*crossed, *pins]).q
        through += shape_distances(HUMAN, q, pairs)[0].min() < -1e-3
        r = limbik.solve(HUMAN, [*crossed, *pins, Avoid()])
        assert r.ok
        assert shape_distances(HUMAN, r.q, pairs)[0].min() >= 0.0
    assert through >= 5


def penetrations(figure: Figure, q: np.ndarray, model, data) -> dict[tuple[int, int], float]:
    """The depth of every contact that MuJoCo sees, by bodies."""
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)  # type: ignore[attr-defined]
        values, at = values_of(figure, q, name), model.jnt_qposadr[j]
        if len(values) == 6:
            values = [*values[:3], *exp_map(values[3:])]
        data.qpos[at : at + len(values)] = values
    mujoco.mj_forward(model, data)  # type: ignore[attr-defined]
    found: dict[tuple[int, int], float] = {}
    for contact in data.contact[: data.ncon]:
        one, two = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
        found[one, two] = max(found.get((one, two), 0.0), -contact.dist)
    return found


HANDS = ("left_wrist_yaw_link", "right_wrist_yaw_link")
FEET = [Pin(f"{side}_ankle_roll_link", rotation=True) for side in ("left", "right")]


def g1_and_mujoco() -> tuple[limbik.Figure, Any, Any]:
    """The G1, and MuJoCo's model of it with data."""
    path = real_data.find("robots_mjcf/unitree_g1/g1.xml")
    model = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    return load(path), model, mujoco.MjData(model)  # type: ignore[attr-defined]


def test_a_robot_that_reaches_does_not_touch_itself_by_mujoco() -> None:
    robot, model, data = g1_and_mujoco()
    goals = [*(Reach(hand, position=[0, 0, 0]) for hand in HANDS), *FEET]
    solvers = [limbik.Solver(robot, goals), limbik.Solver(robot, [*goals, Avoid()])]
    rng, through, reached = np.random.default_rng(0), 0, 0
    moving = robot.owner != 0
    for _ in range(30):
        pose = robot.project(robot.rest + 0.6 * rng.normal(size=robot.n) * moving)
        places = robot.positions(pose)
        targets = {hand: places[robot.index(hand)] for hand in HANDS}
        careless, careful = (solver.solve(robot.rest, targets) for solver in solvers)
        depths = penetrations(robot, careless.q, model, data)
        through += max(depths.values(), default=0.0) > 1e-3
        if careful.ok:
            reached += 1
            depths = penetrations(robot, careful.q, model, data)
            assert max(depths.values(), default=0.0) < 1e-3, depths
    assert through >= 5
    assert reached >= 25


# Where both wrists of the G1 shall be: the upper arm went 1.2 to 2.5 mm into the torso, or one part
# of the wrist into another, while the capsules around their meshes overlap at rest and may.
THROUGH_MESHES = [
    ([0.114, -0.136, 1.121], [-0.237, -0.062, 0.608]),
    ([0.095, 0.067, 0.87], [0.047, 0.117, 0.877]),
    ([0.104, -0.061, 1.125], [-0.368, -0.059, 1.029]),
    ([0.19, 0.09, 0.847], [-0.096, -0.17, 0.701]),
    ([-0.245, 0.075, 1.075], [0.288, -0.082, 0.838]),
    ([0.209, 0.151, 0.851], [0.127, 0.176, 0.863]),
    ([0.005, -0.016, 1.1], [-0.081, 0.136, 1.085]),
    ([0.136, -0.044, 0.805], [0.045, 0.405, 0.779]),
]


def test_meshes_do_not_go_through_each_other_by_mujoco() -> None:
    robot, model, data = g1_and_mujoco()
    reached = 0
    for targets in THROUGH_MESHES:
        reach = [Reach(hand, position=at) for hand, at in zip(HANDS, targets, strict=True)]
        r = limbik.solve(robot, [*reach, *FEET, Avoid()])
        if r.ok:
            reached += 1
            depths = penetrations(robot, r.q, model, data)
            assert max(depths.values(), default=0.0) < 1e-3, depths
    assert reached >= 6


def plates(tmp_path: Path) -> Path:
    """A robot of three thin plates side by side: the capsules around the outer two overlap, and
    they turn towards each other about hinges of the one between."""
    x, y, z = np.meshgrid([-0.2, 0.2], [-0.01, 0.01], [0.0, 0.3], indexing="ij")
    corners = " ".join(f"{v:g}" for v in np.stack([x, y, z], axis=-1).ravel())
    faces = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3"
    path = tmp_path / "plates.xml"
    path.write_text(
        f"""<mujoco><compiler angle="radian" autolimits="true"/>
        <asset><mesh name="plate" vertex="{corners}" face="{faces}"/></asset>
        <worldbody><body name="one">
          <geom type="mesh" mesh="plate" pos="0 -0.06 0.05"/>
          <body name="between"><joint name="a" axis="1 0 0" range="-1 1"/>
            <geom type="sphere" size="0.02" pos="0 0.1 0"/>
            <body name="two"><joint name="b" axis="1 0 0" range="-1 1"/>
              <geom type="mesh" mesh="plate" pos="0 0.06 0.05"/>
              <site name="tip" pos="0 0.06 0.35"/>
            </body>
          </body>
        </body></worldbody></mujoco>"""
    )
    return path


def test_what_stands_for_meshes_may_overlap_at_rest_where_they_do_not(tmp_path: Path) -> None:
    """Also after the figure's unit has changed, and judged by MuJoCo."""
    path = plates(tmp_path)
    robot = limbik.load(path)
    model = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    data = mujoco.MjData(model)  # type: ignore[attr-defined]
    pairs = Avoid()._tested(robot).pairs
    assert [{robot.shapes[k].joint for k in pair} for pair in pairs] == [{"one", "two"}]
    rest = shape_distances(robot, robot.rest, pairs)[0][0]
    assert rest == pytest.approx(0.1, abs=1e-6)
    bare = robot.with_shapes(
        [replace(s, mesh=None) if isinstance(s, Capsule) else s for s in robot.shapes]
    )
    assert shape_distances(bare, bare.rest, pairs)[0][0] < -0.1
    for turn in (0.2, 0.5, 0.9):
        at = robot.positions([turn, 0.1], "two") + [0.0, -0.15, 0.3]
        r = limbik.solve(robot, [Reach("two", position=at, at=(0.0, 0.06, 0.35)), Avoid()])
        depths = penetrations(robot, r.q, model, data)
        assert max(depths.values(), default=0.0) < 1e-3, depths
        # It comes as near as the plates allow, not only as near as the capsules.
        assert shape_distances(robot, r.q, pairs)[0][0] < 0.001
    problem = Problem(robot, Avoid(margin=0.15))
    rng = np.random.default_rng(1)
    for _ in range(4):
        q = np.array([0.2, 0.1]) + 0.05 * rng.normal(size=2)
        slope = -differences(problem.residual, q)
        assert slope.any()
        np.testing.assert_allclose(problem.jacobian(q), slope, atol=1e-6)
    larger = robot.in_units("cm")
    np.testing.assert_allclose(shape_distances(larger, larger.rest, pairs)[0], 100.0 * rest)


def test_a_robot_whose_meshes_are_neighbours_has_no_pairs(tmp_path: Path) -> None:
    path = tmp_path / "neighbours.xml"
    path.write_text(
        """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"
        face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset><worldbody><body name="one">
        <geom type="mesh" mesh="m"/><body name="two"><joint name="a" axis="1 0 0"/>
        <geom type="mesh" mesh="m" pos="0.5 0 0"/></body></body></worldbody></mujoco>"""
    )
    robot = limbik.load(path)
    assert not len(collision_pairs(robot, touching=True))
    assert shape_distances(robot, robot.rest, np.array([[0, 1]]))[0] < 0.0
    ball = Sphere(0.1, (0.6, 0.2, 0.2))
    assert not limbik.solve(robot, Avoid([ball])).ok
    assert limbik.solve(robot, Avoid()).ok


def test_why_names_what_would_touch() -> None:
    r = limbik.solve(ARM, [Reach("Tool", position=[0.3, 0.0, 0.3]), Avoid([WALL])])
    assert not r.ok
    assert r.why.startswith("Tool is")
    assert "would touch wall" in r.why
    buried = Avoid([HalfSpace((0, 0, 1), 5.0, name="sand")])
    r = limbik.solve(ARM, buried)
    assert "inside sand" in r.why
    assert not r.ok


def test_what_is_excluded_may_touch() -> None:
    around = Sphere(0.1, tuple(ARM.positions(ARM.rest)[-1]), name="ball")
    start = {"start": ARM.rest, "restarts": 0}
    assert limbik.solve(ARM, Avoid([around]), **start).iterations > 0
    r = limbik.solve(ARM, Avoid([around], exclude=[(j, "ball") for j in ARM.joints]), **start)
    assert r.ok
    assert (r.q == ARM.rest).all()
    own = Problem(HUMAN, Avoid())
    names = [(shape.joint, other.joint) for shape in HUMAN.shapes for other in HUMAN.shapes]
    assert own.rows > 0
    assert Problem(HUMAN, Avoid(exclude=names)).rows == 0
    # A base that cannot move is not held against the floor that it stands on.
    assert limbik.solve(ARM, Avoid([FLOOR], own=False), **start).ok


def test_shapes_that_overlap_at_rest_and_seldom_elsewhere_get_little_deeper() -> None:
    """An upper arm that touches the trunk at rest, with the shoulder between: it may stay as it is,
    and does not go through the trunk.  What overlaps wherever it turns is left out."""
    robot = Figure(
        [
            Joint("Trunk", None, offset=(0, 0, 0)),
            Joint("Shoulder", "Trunk", revolute("z"), (0.2, 0, 0)),
            Joint("Arm", "Shoulder", revolute("y"), (0.05, 0, 0)),
            Joint("Hand", "Arm", offset=(0, 0, -0.4)),
        ]
    ).with_shapes(
        [
            Capsule(0.1, 0.8, (0, 0, 0), joint="Trunk"),
            Sphere(0.06, (0.05, 0, 0), joint="Shoulder"),
            Capsule(0.1, 0.2, (-0.052, 0, -0.3), joint="Arm"),
            Sphere(0.11, (-0.1, 0, 0), joint="Arm"),
        ]
    )
    tested = Avoid()._tested(robot)
    assert tested.pairs.tolist() == [[0, 2]]
    rest = shape_distances(robot, robot.rest, tested.pairs)[0]
    assert rest[0] == pytest.approx(-0.002)
    assert tested.least == pytest.approx(rest - 0.01 * robot.size)
    assert limbik.solve(robot, Avoid()).iterations == 0
    inside = Reach("Hand", position=(-0.1, 0.0, -0.35))
    assert shape_distances(robot, limbik.solve(robot, inside).q, tested.pairs)[0] < -0.05
    held = limbik.solve(robot, [inside, Avoid(weight=1e3)])
    assert not held.ok
    assert shape_distances(robot, held.q, tested.pairs)[0] > tested.least - 1e-3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Avoid(["ball"]), "'ball' is not a shape"),
        (lambda: Avoid("ball"), "scene needs a list of shapes"),
        (lambda: Avoid([Sphere(0.1, joint="Head")]), 'follows "Head".*with_shapes'),
        (lambda: Avoid(exclude=[("Head", "Hipz")]), "Avoid: exclude: .*Hips"),
        (lambda: Avoid(exclude=["Head"]), "pairs of names"),
        (lambda: Avoid(exclude=[("Head", 3)]), "pairs of names"),
        (lambda: Avoid(margin=np.nan), "margin: .* is not finite"),
        (lambda: Avoid(weight=-1), "weight -1 is negative"),
    ],
)
def test_impossible_goals_are_refused(make, words: str) -> None:
    with pytest.raises(GoalError, match=words):
        Problem(HUMAN, make())


def test_a_figure_without_shapes_is_refused() -> None:
    with pytest.raises(GoalError, match=r"has no shapes.*with_shapes"):
        Problem(ARM.with_shapes([]), Avoid())

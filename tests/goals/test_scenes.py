"""Avoid against meshes and maps of heights, and scenes that move."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.differences import differences
from limbik import Avoid, Box, FigureError, GoalError, HeightMap, Problem, Reach, Sphere
from limbik.figure.collision_pairs import shape_distances

ARM = limbik.figures.arm()
CORNERS = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, 0.2)])
FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip
CUBE = limbik.TriangleMesh(CORNERS, FACES, 0.025, center=(0.45, 0.0, 0.4), name="cube")
TURNED = (0.9, 0.1, 0.3, -0.2)
SPACING = 0.05
X, Y = np.meshgrid(np.arange(41) * SPACING, np.arange(41) * SPACING, indexing="ij")
HILLS = HeightMap(0.1 * np.sin(2 * X) * np.cos(2 * Y), SPACING, center=(-1, -1, 0.1), name="hills")
START = limbik.solve(ARM, Reach("Tool", position=[0.35, 0.0, 0.5])).q


def test_a_mesh_is_as_far_away_as_the_box_that_it_is() -> None:
    rng, count = np.random.default_rng(0), len(ARM.shapes)
    pairs = np.array([(k, count) for k in range(count)])
    mesh = limbik.TriangleMesh(CORNERS, FACES, 0.025, center=(0.45, 0, 0.4), wxyz=TURNED)
    box = Box((0.2, 0.2, 0.2), (0.45, 0, 0.4), TURNED)
    outside = 0
    for _ in range(20):
        q = ARM.project(ARM.rest + 0.6 * rng.normal(size=ARM.n))
        found, wanted = (shape_distances(ARM, q, pairs, [thing])[0] for thing in (mesh, box))
        near = (wanted > 0.0) & (wanted < 0.1)
        np.testing.assert_allclose(found[near], wanted[near], atol=0.5 * 0.025)
        assert (found[wanted < -0.02] < 0.0).all()
        outside += int(near.sum())
    assert outside >= 10


def test_a_ground_is_where_its_heights_are() -> None:
    """A level map is a half-space, also beyond its edges and far below."""
    ground = HeightMap(np.full((5, 5), 0.3), 0.1, center=(-0.2, -0.2, 0.1))
    ball = ARM.with_shapes([Sphere(0.05, joint="Tool")])
    pairs = np.array([(0, 1)])
    for q in ARM.project(ARM.rest + np.random.default_rng(1).normal(size=(6, ARM.n))):
        d = shape_distances(ball, q, pairs, [ground])[0][0]
        assert d == pytest.approx(ARM.positions(q, "Tool")[2] - 0.4 - 0.05, abs=1e-9)


@pytest.mark.parametrize("scene", [[CUBE], [HILLS], [CUBE, HILLS, Sphere(0.1, (0.3, 0.2, 0.3))]])
def test_the_jacobian_is_that_of_differences(scene) -> None:
    problem, rng, felt = (
        Problem(ARM, Avoid(scene, margin=0.05, own=False)),
        np.random.default_rng(3),
        0,
    )
    for _ in range(8):
        q = ARM.project(ARM.rest + 0.8 * rng.normal(size=ARM.n))
        slope = -differences(problem.residual, q, 1e-7)
        np.testing.assert_allclose(problem.jacobian(q), slope, atol=1e-7)
        felt += int((problem.residual(q) > 0.0).sum())
    assert felt >= 3


def test_an_arm_reaches_past_a_mesh_and_says_what_holds_it() -> None:
    avoid, reach = Avoid([CUBE, HILLS], margin=0.01), Reach("Tool", position=[0.3, 0.4, 0.45])
    r = limbik.solve(ARM, [reach, avoid])
    assert r.ok
    assert avoid.nearest(ARM, r.q)[2] >= 0.01
    r = limbik.solve(ARM, [Reach("Tool", position=[0.45, 0.0, 0.4]), avoid])
    assert not r.ok
    assert "would touch cube" in r.why


def test_a_scene_moves_by_problem_by_frame_and_by_hand() -> None:
    """A ball flies through where the arm is, and the arm gives way."""
    places = np.linspace([0.3, -0.3, 0.5], [0.3, 0.3, 0.5], 7)
    ball, rest = Sphere(0.1, (9, 9, 9), name="ball"), limbik.Rest(pose=START)

    def clear(q: np.ndarray, at: np.ndarray) -> float:
        return Avoid([Sphere(0.1, tuple(at))], own=False).nearest(ARM, q)[2]

    assert clear(START, places[3]) < -0.05
    moving = Avoid([ball], own=False, positions=places[:, None])
    many = limbik.solve_many(ARM, [moving, rest], starts=START)
    assert many.ok.all()
    assert all(clear(q, at) >= 0.0 for q, at in zip(many.q, places, strict=True))
    track = limbik.track(ARM, [moving, rest], start=START, fps=10)
    assert all(clear(q, at) >= 0.0 for q, at in zip(track.motion.q, places, strict=True))
    solver = limbik.Solver(ARM, [Avoid([ball], own=False), rest], start=START)
    assert clear(solver.solve(targets={"collisions": {"positions": places[3:4]}}).q, places[3]) >= 0
    live = limbik.Live(ARM, [Avoid([ball], own=False), rest], rate=100, start=START)
    for at in np.linspace(places[0], places[3], 40):
        live.move("collisions", positions=[at])
        q = live.step()
    assert clear(q, places[3]) >= -1e-3


def test_a_box_turns() -> None:
    long = Box((0.4, 0.02, 0.02), (0.3, 0.0, 0.9), name="bar")
    turn = [[np.cos(0.6), 0.0, np.sin(0.6), 0.0]]
    one = Problem(ARM, Avoid([long], own=False, margin=0.3, wxyz=turn, positions=[[0.3, 0.1, 0.8]]))
    two = Problem(
        ARM, Avoid([Box((0.4, 0.02, 0.02), (0.3, 0.1, 0.8), tuple(turn[0]))], own=False, margin=0.3)
    )
    assert two.objective(START) > 0.0
    assert one.objective(START) == pytest.approx(two.objective(START), rel=1e-12)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(FigureError, match="faces has an index of no vertex"):
        limbik.TriangleMesh(CORNERS, [[0, 1, 8]])
    with pytest.raises(FigureError, match="HeightMap: spacing"):
        HeightMap(np.zeros((3, 3)), 0.0)
    with pytest.raises(FigureError, match="at least two rows"):
        HeightMap(np.zeros((1, 3)), 1.0)
    with pytest.raises(FigureError, match="TriangleMesh: center"):
        limbik.TriangleMesh(CORNERS, FACES, center=(0, 0))
    with pytest.raises(FigureError, match="make them larger"):
        limbik.TriangleMesh(CORNERS, FACES, 1e-3).numbers
    with pytest.raises(GoalError, match="3 numbers for each of 2 shapes"):
        Avoid([CUBE, HILLS], positions=[[0, 0, 0]])


def test_why_knows_where_a_scene_was_moved_to() -> None:
    """Two balls change places: the one that is named is the one that was in the way then."""
    balls = [Sphere(0.12, (0, 0, 9), name="red"), Sphere(0.12, (0, 0, -9), name="blue")]
    target, far = [0.45, 0.0, 0.4], [0.0, 0.0, 9.0]
    solver = limbik.Solver(ARM, [Reach("Tool", position=target), Avoid(balls)], restarts=2)
    red = solver.solve(START, {"collisions": {"positions": [target, far]}})
    blue = solver.solve(START, {"collisions": {"positions": [far, target]}})
    assert not red.ok
    assert not blue.ok
    assert "red" in red.why
    assert "blue" not in red.why
    assert "blue" in blue.why
    assert "red" not in blue.why

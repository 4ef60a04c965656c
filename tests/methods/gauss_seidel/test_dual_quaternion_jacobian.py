"""Figure 8 of dual_quaternion and its rivals: three Jacobians of the same goals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.random_figures import (
    COUPLED,
    JOINTS,
    SEEDS,
    TREES,
    random_figure,
    random_goals,
    random_pose,
)
from limbik import Aim, MethodError, Problem, PythonGoal, Reach
from limbik.maths.dual_quaternions import dq_to_matrix
from limbik.methods.gauss_seidel.dual_quaternion_jacobian import (
    chains_size,
    place_by_dual_quaternions,
    view_chains,
)
from limbik.methods.gauss_seidel.jacobians import JACOBIANS, jacobian_by

PLACES = ["Reach", "Reach at", "Reach vector", "Reach both", "Pin", "Pin rotation"]


def compare(problem: Problem, q: np.ndarray) -> None:
    geometric, dual, differences = (jacobian_by(problem, q, kind) for kind in JACOBIANS)
    np.testing.assert_array_equal(geometric, problem.jacobian(q))
    scale = max(1.0, np.abs(geometric).max())
    np.testing.assert_allclose(dual, geometric, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(differences, geometric, rtol=0, atol=1e-5 * scale)


@given(seed=SEEDS, kinds=TREES)
@settings(max_examples=60, deadline=None)
def test_the_three_jacobians_agree(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds)
    q = random_pose(rng, figure)
    compare(Problem(figure, random_goals(rng, figure, PLACES, q), start=q), q)


@pytest.mark.parametrize("kind", sorted({*JOINTS, *COUPLED}))
def test_the_three_jacobians_agree_for_every_kind_of_joint(kind: str) -> None:
    rng = np.random.default_rng(5)
    figure = random_figure(rng, ["euler ZYX", kind, "revolute"], chain=True)
    for spread in (1.0, 1e-3, 1e-7):  # near 0 the series take over
        q = random_pose(rng, figure, spread=spread)
        compare(Problem(figure, random_goals(rng, figure, PLACES, q), start=q), q)


def test_locked_joints_have_no_column() -> None:
    rng = np.random.default_rng(6)
    figure = random_figure(
        rng, ["euler XYZ", "exponential", "swing–twist", "prismatic"], chain=True
    )
    q = random_pose(rng, figure)
    goals = random_goals(rng, figure, PLACES, q)
    problem = Problem(figure, goals, start=q, lock=[figure.joints[1]])
    for kind in JACOBIANS:
        jacobian = jacobian_by(problem, q, kind)
        np.testing.assert_array_equal(jacobian[:, 3:6], 0.0)
        assert np.abs(jacobian).max() > 0.1


@given(seed=SEEDS, kinds=TREES)
@settings(max_examples=40, deadline=None)
def test_forward_kinematics_by_dual_quaternions(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds)
    q = random_pose(rng, figure)
    problem = Problem(figure, [Reach(joint, position=np.zeros(3)) for joint in figure.joints])
    chains, _ = view_chains(problem.ints, True, np.empty(chains_size(problem)))
    place_by_dual_quaternions(problem.ints, problem.floats, q, chains)
    found = dq_to_matrix(chains.world)
    np.testing.assert_allclose(found, figure.frames(q), rtol=0, atol=1e-11 * max(1, len(kinds)))


def test_other_rows_come_from_the_axes() -> None:
    rng = np.random.default_rng(7)
    figure = random_figure(rng, ["euler XYZ", "exponential", "revolute"], chain=True)
    q = random_pose(rng, figure)
    joint = figure.joints[-1]
    goals = [
        Aim(joint, axis="z", target=[1.0, 2.0, 3.0]),
        Reach(joint, position=[0.0, 1.0, 0.0]),
        PythonGoal(lambda figure, q: figure.positions(q)[-1, :2] ** 2),
    ]
    compare(Problem(figure, goals, start=q), q)


def test_a_whole_weight_matrix_is_refused() -> None:
    rng = np.random.default_rng(8)
    figure = random_figure(rng, ["euler XYZ", "revolute"], chain=True)
    goals = [Reach(figure.joints[-1], position=[0.0, 1.0, 0.0])]
    problem = Problem(figure, goals, weights=np.eye(3) + 0.1)
    with pytest.raises(MethodError, match="row by row"):
        jacobian_by(problem, figure.rest, "dual_quaternion")
    difference = jacobian_by(problem, figure.rest, "differences") - problem.jacobian(figure.rest)
    assert np.abs(difference).max() < 1e-5

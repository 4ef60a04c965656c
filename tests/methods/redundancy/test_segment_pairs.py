"""Basic elements on trees, against finite differences of what they measure; stiffness tables."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Figure, Joint, MethodError, Problem, Range, Reach
from limbik.figure import layout as lay
from limbik.figure.joints import Coupling, exponential, revolute, slides, swing_twist, universal
from limbik.methods.redundancy.segment_pairs import (
    basic_elements,
    element_rows,
    place_all,
    that_count,
    turns_with_others,
)
from limbik.methods.redundancy.stiffness import stiffness_at, stiffness_table
from limbik.papers.extended_jacobian.planar import extended_jacobian_of


def rows_of(problem: Problem, q: np.ndarray) -> np.ndarray:
    """(3 · elements, n) the rows of all elements."""
    figure, elements = problem.figure, basic_elements(problem)
    world = np.empty(len(figure.joints) * lay.WORLD)
    axes, at = np.empty(1000), np.full((figure.n, 3 * len(elements)), np.nan)
    place_all(problem.ints, problem.floats, q, world, axes, np.empty(54))
    element_rows(problem.ints, problem.floats, np.ravel(elements), world, axes, 0, at)
    return at.T


def measured(problem: Problem, q: np.ndarray) -> np.ndarray:
    """(3 · elements,) from first joint to end, in the frame of the first joint's parent."""
    frames, parents = problem.figure.frames(q), problem.figure.parents
    found = []
    for first, last, *at in basic_elements(problem):
        start, end = frames[int(first)], frames[int(last)]
        vector = end[:3, :3] @ at + end[:3, 3] - start[:3, 3]
        parent = parents[int(first)]
        found.append(vector if parent < 0 else frames[parent][:3, :3].T @ vector)
    return np.concatenate(found)


def mixed() -> Problem:
    """Every kind of joint, a branch, a coupled turn and a bone with a tip."""
    joints = [
        Joint("Root", None, slides() + swing_twist("y")),
        Joint("A", "Root", exponential(), offset=(0.1, 1.0, 0.2)),
        Joint("B", "A", revolute("z") + slides("X"), offset=(0.0, 0.8, 0.0), wxyz=(0.8, 0.6, 0, 0)),
        Joint("C", "B", universal("x", (1, 1, 0)), offset=(0.3, 0.0, 0.1)),
        Joint("D", "C", revolute("y", coupled=Coupling("B.rz", 0.5)), offset=(0.2, 0.4, 0.0)),
        Joint("E", "D", revolute("x"), offset=(0.0, 0.3, 0.1), tip=(0.1, 0.2, 0.3)),
        Joint("F", "B", slides("Z") + revolute("x"), offset=(0.5, 0.0, 0.0)),
        Joint("G", "F", revolute("y"), offset=(0.0, 0.5, 0.0)),
        Joint("Unused", "B", revolute("x"), offset=(0.0, 0.0, 1.0)),
    ]
    goals = [Reach("E", position=[1, 1, 1]), Reach("G", position=[0, 1, 2])]
    return Problem(Figure(joints), goals)


def test_rows_are_the_derivatives_of_what_an_element_measures() -> None:
    problem = mixed()
    q, h = np.random.default_rng(5).normal(size=problem.figure.n) * 0.5, 1e-6
    wanted = np.transpose(
        [
            (measured(problem, q + s) - measured(problem, q - s)) / (2 * h)
            for s in h * np.eye(len(q))
        ]
    )
    np.testing.assert_allclose(rows_of(problem, q), wanted, atol=1e-8)


def test_elements_are_pairs_of_segments_on_the_way_to_the_goals() -> None:
    problem = mixed()
    figure = problem.figure
    found = {
        (figure.joints[int(first)], figure.joints[int(last)], tuple(at))
        for first, last, *at in basic_elements(problem)
    }
    none = (0.0, 0.0, 0.0)
    pairs = ["Root B", "A C", "B D", "C E", "A F", "B G"]
    assert found == {(*pair.split(), none) for pair in pairs} | {("D", "E", (0.1, 0.2, 0.3))}
    counts = that_count(problem, basic_elements(problem))
    unmoved = {figure.coordinates[c] for c in np.flatnonzero(~counts)}
    assert unmoved == {"Unused", "G"}  # G turns about itself: neither a goal nor an element moves


def test_locked_joints_are_no_unknowns() -> None:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach("Tip", position=[1, 1, 0])]
    problem = Problem(figure, goals, lock=["Joint2"])
    assert that_count(problem, basic_elements(problem)).tolist() == [True, False, True]
    problem = Problem(figure, goals, lock=["Joint1", "Joint2"])
    assert len(basic_elements(problem)) == 1


def test_turns_of_joints_that_have_several() -> None:
    problem = mixed()
    found = {problem.figure.coordinates[c] for c in np.flatnonzero(turns_with_others(problem))}
    balls = {"Root.swing1", "Root.swing2", "Root.twist", "A.wx", "A.wy", "A.wz"}
    assert {name for name in found if not name.startswith("C.")} == balls
    assert len(found) == len(balls) + 2
    chain = Problem(limbik.figures.chain([1.0, 1.0]), [Reach("Tip", position=[1, 1, 0])])
    assert not turns_with_others(chain).any()


def test_a_chain_has_the_rows_of_equation_9() -> None:
    lengths, q = np.array([90.0, 60.0, 90.0, 150.0]), np.array([0.3, -0.5, 0.7, 0.2])
    problem = Problem(limbik.figures.chain(lengths), [Reach("Tip", position=[1, 1, 0])])
    rows = rows_of(problem, q)
    np.testing.assert_allclose(rows[2::3], 0.0, atol=1e-12)
    in_the_plane = np.concatenate([rows[0::3], rows[1::3]])
    np.testing.assert_allclose(in_the_plane, extended_jacobian_of(lengths, q)[:6], atol=1e-12)


# --- stiffness -------------------------------------------------------------------------------


def test_a_stiffness_is_looked_up_by_value() -> None:
    figure = mixed().figure.with_limits({"E": Range(-1.0, 2.0)})
    table = np.array(
        stiffness_table(figure, {"E": lambda v: 1.0 + v**2, "A": 3.0, "B.rz": abs_plus}, "m")
    )
    n, at = figure.n, figure.coordinates.index
    for value in (-1.0, -0.3, 0.0, 1.234, 2.0):
        # Between samples it is a straight line: off by at most h²/8·f'' = h²/4.
        error = (3.0 / 512) ** 2 / 4
        assert stiffness_at(table, n, at("E"), value) == pytest.approx(1 + value**2, abs=error)
        assert stiffness_at(table, n, at("B.rz"), value) == pytest.approx(
            abs_plus(value), rel=1e-12
        )
        assert stiffness_at(table, n, at("A.wy"), value) == 3.0
        assert stiffness_at(table, n, at("C.rx"), value) == 1.0
    # Beyond the limits it stays what it is there, and without limits it goes a turn either way.
    assert stiffness_at(table, n, at("E"), 5.0) == stiffness_at(table, n, at("E"), 2.0) == 5.0
    assert stiffness_at(table, n, at("E"), -5.0) == 2.0
    assert stiffness_at(table, n, at("B.rz"), 6.0) == pytest.approx(6.5)
    assert stiffness_at(table, n, at("B.rz"), 60.0) == pytest.approx(2 * np.pi + 0.5)


def abs_plus(value: float) -> float:
    return abs(value) + 0.5


@pytest.mark.parametrize(
    ("stiffness", "says"),
    [
        ({"Elbow": 2.0}, 'no joint or coordinate "Elbow"'),
        ({"Joint1": 0.0}, "the stiffness of Joint1 must be positive, got 0"),
        ({"Joint1": lambda v: v}, "the stiffness of Joint1 must be positive, got -2 at -2"),
        ({"Joint1": float("nan")}, "must be positive, got nan"),
    ],
)
def test_refusals(stiffness: dict, says: str) -> None:
    figure = limbik.figures.chain([1.0, 1.0], limits=Range(-2.0, 2.0))
    with pytest.raises(MethodError, match=says):
        stiffness_table(figure, stiffness, "extended_jacobian")

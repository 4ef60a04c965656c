"""Selectively damped least squares against the formulas of Buss and Kim (2005) in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Aim, Figure, Joint, MethodError, Plane, Problem, PythonGoal, Range, Reach, Rest
from limbik.figure.joints import revolute, slides
from limbik.methods import SelectivelyDamped


def planar() -> tuple[Figure, list, list[float]]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(-0.5, 0.9))
    goals = [Reach("Tip", position=[0.6, 1.2, 0.0], weight=[2.0, 0.5, 1.0])]
    return figure, goals, [0.4, 0.3, -0.2]


def stretched() -> tuple[Figure, list, list[float]]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    return figure, [Reach("Tip", position=[1.0, 0.5, 0.0])], [0.0, 0.01, 0.0]


def tall() -> tuple[Figure, list, list[float]]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [Reach(joint, position=[0.5, 1.0, 0.0]) for joint in ("Joint2", "Joint3", "Tip")]
    return figure, goals, [0.4, 0.3, -0.2]


def mixed() -> tuple[Figure, list, list[float]]:
    """Blocks of 1, 3 and 6 rows, slides, and a diagonal goal."""
    figure = Figure(
        [
            Joint("Cart", parts=slides()),
            Joint("Hinge", "Cart", revolute("z"), offset=(1.0, 0.0, 0.0)),
            Joint("Wrist", "Hinge", revolute("y"), offset=(2.0, 0.0, 0.0)),
            Joint("Tip", "Wrist", offset=(1.0, 0.0, 0.0)),
        ]
    )
    goals = [
        Plane("Hinge", normal=[0.0, 1.0, 0.0], offset=0.4),
        Reach("Tip", position=[1.0, 2.0, 3.0], wxyz=[0.8, 0.0, 0.6, 0.0], rows="axes"),
        Aim("Wrist", axis="x", target=[0.0, 5.0, 1.0]),
        Rest(weight=0.1, pose=figure.rest + 0.3),
    ]
    return figure, goals, [0.0, 0.1, 0.0, 0.2, 0.3]


def human() -> tuple[Figure, list, np.ndarray]:
    figure = limbik.figures.human()
    at = figure.positions(figure.rest)
    names = ("Head", "LeftHand", "RightHand", "LeftFoot")
    goals = [Reach(name, position=at[figure.index(name)] + [0.1, -0.2, 0.2]) for name in names]
    return figure, goals, figure.rest


def in_python() -> tuple[Figure, list, list[float]]:
    figure = limbik.figures.chain([1.0, 1.0, 0.5])
    goals = [PythonGoal(lambda f, q: q[:2] - 0.7), Reach("Tip", position=[0.5, 1.0, 0.0])]
    return figure, goals, [0.4, 0.3, -0.2]


CASES = [planar, stretched, tall, mixed, human, in_python]


def clamp_max_abs(values: np.ndarray, most: float) -> np.ndarray:
    return values * min(1.0, most / np.abs(values).max())


def buss_and_kim(problem: Problem, q: np.ndarray, most: float, reach: float | None) -> np.ndarray:
    """The step, block by block as the paper writes it."""
    e, jacobian = problem.residual(q), problem.jacobian(q)
    sizes = [term.rows for term in problem.terms]
    blocks = [np.arange(sum(sizes[:k]), sum(sizes[: k + 1])) for k in range(len(sizes))]
    if reach is not None:
        errors = problem.term_errors(q)[: len(blocks)]
        for term, block, error in zip(problem.terms, blocks, errors, strict=True):
            if term.unit != "number":  # nobody knows how far that is
                longest = 4 * reach if term.is_angle else reach * problem.figure.size
                e[block] *= min(1.0, longest / error)
    for goal in problem.goals:
        if isinstance(goal, Rest):
            weight, pose = goal.diagonal(problem.scene)
            blocks += [np.array([len(e) + c]) for c in range(problem.figure.n)]
            e = np.concatenate([e, np.sqrt(weight) * (pose - q)])
            jacobian = np.concatenate([jacobian, np.diag(np.sqrt(weight))])
    assert sum(len(block) for block in blocks) == len(e)
    scale = np.where(problem.figure.slides, problem.scene.lever, 1.0)
    jacobian = jacobian * scale
    u, sigma, vt = np.linalg.svd(jacobian, full_matrices=False)
    total = np.zeros(problem.figure.n)
    for i in range(len(sigma)):
        if sigma[i] <= 1e-12 * sigma[0]:
            continue
        n_i = sum(np.linalg.norm(u[block, i]) for block in blocks)
        m_i = 0.0
        for block in blocks:
            for j in range(problem.figure.n):
                m_i += abs(vt[i, j]) * np.linalg.norm(jacobian[block, j]) / sigma[i]
        total += clamp_max_abs((u[:, i] @ e) / sigma[i] * vt[i], min(1.0, n_i / m_i) * most)
    return scale * clamp_max_abs(total, most)


@pytest.mark.parametrize(
    "method",
    [SelectivelyDamped(), SelectivelyDamped(most=0.1), SelectivelyDamped(reach_clamp=0.05)],
    ids=str,
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_steps_are_those_of_buss_and_kim(case, method: SelectivelyDamped) -> None:
    figure, goals, start = case()
    r = limbik.solve(
        figure, goals, start=start, method=method, budget=5, tolerance=1e-9, restarts=0,
        history=True,
    )  # fmt: skip
    assert r.history is not None
    assert r.iterations == 5
    problem = Problem(figure, goals, start=start)
    for q, following in zip(r.history.q, r.history.q[1:], strict=False):
        step = buss_and_kim(problem, q, method.most, method.reach_clamp)
        np.testing.assert_allclose(following, figure.project(q + step), rtol=0, atol=1e-8)


def test_no_coordinate_turns_further_than_the_most() -> None:
    figure, goals, start = stretched()
    asked: dict = {"start": start, "restarts": 0, "history": True}
    r = limbik.solve(figure, goals, method=SelectivelyDamped(), **asked)
    assert r.ok
    assert r.history is not None
    changes = np.abs(np.diff(r.history.q, axis=0)).max(axis=1)
    assert changes.max() <= np.pi / 4 * (1 + 1e-12)
    # Nearly stretched, the pseudo-inverse would turn a joint round many times.
    problem = Problem(figure, goals, start=start)
    wild = np.linalg.pinv(problem.jacobian(problem.start)) @ problem.residual(problem.start)
    assert np.abs(wild).max() > 2 * np.pi


def test_a_direction_in_which_joints_fight_each_other_is_damped_and_a_good_one_is_not() -> None:
    """Stretched, the arm gets closer to its base only by folding: large turns, little gain.  To the
    side it moves at once, with the step of the pseudo-inverse."""
    figure, start = limbik.figures.chain([1.0, 1.0, 0.5]), np.array([0.0, 0.001, 0.0])
    tip = figure.positions(start)[-1]
    problem = Problem(figure, [Reach("Tip", position=tip)], start=start)
    ways, _, turns = np.linalg.svd(problem.jacobian(start))
    taken = []
    for way, turn in zip(ways.T[:2], turns, strict=False):
        goals = [Reach("Tip", position=tip + 0.05 * way)]
        r = limbik.solve(
            figure, goals, start=start, method=SelectivelyDamped(), budget=1, restarts=0,
            tolerance=1e-9,
        )  # fmt: skip
        whole = np.linalg.pinv(problem.jacobian(start)) @ (0.05 * way)
        taken.append(turn @ (r.q - start) / (turn @ whole))
    assert taken[0] == pytest.approx(1.0, abs=1e-9)
    assert 0.0 < taken[1] < 0.01


def test_units_do_not_matter() -> None:
    found = []
    for unit in (1.0, 1000.0):
        joints = [
            Joint("Cart", parts=slides()),
            Joint("Hinge", "Cart", revolute("z"), offset=(unit, 0.0, 0.0)),
            Joint("Tip", "Hinge", offset=(2.0 * unit, 0.0, 0.0)),
        ]
        figure = Figure(joints)
        goals = [Reach("Tip", position=[-unit, 2.0 * unit, unit], wxyz=[0.8, 0.0, 0.0, 0.6])]
        r = limbik.solve(figure, goals, method=SelectivelyDamped(), budget=4, restarts=0)
        found.append(r.q / np.where(figure.slides, unit, 1.0))
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


@pytest.mark.parametrize(
    "settings", [{"most": 0.0}, {"most": np.inf}, {"reach_clamp": 0.0}], ids=str
)
def test_refused(settings: dict[str, float]) -> None:
    with pytest.raises(MethodError, match="selectively_damped"):
        SelectivelyDamped(**settings)  # type: ignore[arg-type]

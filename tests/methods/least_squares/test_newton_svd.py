"""Newton by SVD against NumPy: its steps, halved or not, dropped columns, several arms."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.method_samples import with_rest
from limbik import Figure, Joint, MethodError, Problem, Range, Reach, Rest, Result, Status
from limbik.figure.joints import revolute
from limbik.methods import NewtonSVD

START = np.array([0.4, 0.3, -0.2])


def arm(limit: Range | None = None) -> Figure:
    return limbik.figures.chain([1.0, 1.0, 0.5], limits=limit)


def two_arms() -> Figure:
    """A trunk that turns, and on it two arms of two hinges each."""
    return Figure(
        [
            Joint("Trunk", parts=revolute("z")),
            Joint("LeftUpper", "Trunk", revolute("z"), offset=(-0.3, 1.0, 0.0)),
            Joint("LeftLower", "LeftUpper", revolute("z"), offset=(-0.8, 0.0, 0.0)),
            Joint("LeftHand", "LeftLower", offset=(-0.6, 0.0, 0.0)),
            Joint("RightUpper", "Trunk", revolute("z"), offset=(0.3, 1.0, 0.0)),
            Joint("RightLower", "RightUpper", revolute("z"), offset=(0.8, 0.0, 0.0)),
            Joint("RightHand", "RightLower", offset=(0.6, 0.0, 0.0)),
        ]
    )


def solve(figure: Figure, goals: list, method: NewtonSVD, **asked: object) -> Result:
    defaults: dict = {"start": START, "tolerance": 1e-9, "restarts": 0, "history": True}
    return limbik.solve(figure, goals, method=method, **(defaults | asked))


@pytest.mark.parametrize("rest", [[], [Rest(weight=2.0, pose=[0.1, 0.2, 0.3])]], ids=["", "rest"])
@pytest.mark.parametrize(
    "method",
    [
        NewtonSVD(halving=False),
        NewtonSVD(),
        NewtonSVD(halving=False, limits="each step"),
        NewtonSVD(limits="each step"),
    ],
    ids=str,
)
def test_steps_are_those_of_the_notes_in_numpy(method: NewtonSVD, rest: list[Rest]) -> None:
    figure, start = arm(Range(-1.5, 1.5)), [1.2, -0.8, 0.4]
    goals = [Reach("Tip", position=[-1.7, 1.3, 0.0]), *rest]
    r = solve(figure, goals, method, budget=8, start=start)
    assert r.history is not None
    assert r.iterations > 2 or method.limits == "each step"
    problem, halved = Problem(figure, goals, start=start), 0
    for q, following in zip(r.history.q, r.history.q[1 : r.iterations + 1], strict=False):
        e, jacobian = with_rest(problem, q)
        step = np.linalg.pinv(jacobian, rcond=method.cutoff) @ e
        limit = figure.project if method.limits == "each step" else np.array
        found = limit(q + step)
        while method.halving and not problem.objective(found) < problem.objective(q):
            step, halved = step / 2, halved + 1
            found = limit(q + step)
        np.testing.assert_allclose(following, found, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(r.q, figure.project(r.history.q[r.iterations]))
    if method == NewtonSVD() and not rest:
        assert halved > 0


@pytest.mark.parametrize("target", [[1.0, 1.0, 0.0], [3.0, 3.0, 0.0], [-1.2, 0.4, 0.0]], ids=str)
@pytest.mark.parametrize("high", [0.5, 2.5])
def test_halved_and_projected_each_step_it_descends_inside_the_limits(
    target: list[float], high: float
) -> None:
    figure = arm(Range(-0.3, high))
    r = solve(figure, [Reach("Tip", position=target)], NewtonSVD(limits="each step"))
    assert r.history is not None
    assert (np.diff(r.history.f) < 0).all()
    assert np.max(figure.violation(r.history.q)) == 0.0


def test_halving_turns_a_step_that_leads_away_into_one_that_does_not() -> None:
    goals, start = [Reach("Tip", position=[-1.7, 1.3, 0.0])], [1.2, -0.8, 0.4]
    plain = solve(arm(), goals, NewtonSVD(halving=False), start=start)
    halved = solve(arm(), goals, NewtonSVD(), start=start)
    assert plain.history is not None
    assert halved.history is not None
    assert plain.history.f[1] > 1.5 * plain.history.f[0]
    assert np.diff(halved.history.f).max() < 0
    assert halved.ok


def test_without_halvings_left_it_gives_up_and_says_so() -> None:
    goals, start = [Reach("Tip", position=[-1.7, 1.3, 0.0])], [1.2, -0.8, 0.4]
    r = solve(arm(), goals, NewtonSVD(halvings=0), start=start)
    assert r.iterations == 0
    assert r.status is Status.STALLED
    np.testing.assert_array_equal(r.q, start)


def test_a_straight_arm_is_stationary_toward_its_base() -> None:
    r = solve(arm(), [Reach("Tip", position=[1.0, 0.0, 0.0])], NewtonSVD(), start=[0.0, 0.0, 0.0])
    assert r.iterations == 0
    assert r.status is Status.OUT_OF_REACH


@pytest.mark.parametrize("lock", [("Joint2",), ("Joint1", "Joint3")])
def test_locking_a_joint_is_dropping_its_column(lock: tuple[str, ...]) -> None:
    """Section 4: constrain joints not to move by reducing the Jacobian not to include them."""
    figure, goals = arm(), [Reach("Tip", position=[1.1, 1.4, 0.0])]
    r = solve(figure, goals, NewtonSVD(halving=False), lock=lock, budget=3)
    assert r.history is not None
    whole = Problem(figure, goals, start=START)
    free = [c for c, name in enumerate(figure.joints[:3]) if name not in lock]
    q = START.copy()
    for found in r.history.q[:4]:
        np.testing.assert_allclose(found, q, rtol=0, atol=1e-9)
        q = found.copy()
        q[free] += np.linalg.pinv(whole.jacobian(q)[:, free]) @ whole.residual(q)
    locked = Problem(figure, goals, start=START, lock=lock).jacobian(START)
    held = [c for c in range(3) if c not in free]
    assert not locked[:, held].any()
    np.testing.assert_array_equal(locked[:, free], whole.jacobian(START)[:, free])
    assert whole.jacobian(START)[:, held].any()


def test_two_arms_are_one_system() -> None:
    """Section 4: multiple goals with multiple arms by expanding the Jacobian."""
    figure, start = two_arms(), np.array([0.1, 0.2, -0.3, 0.3, 0.4])
    aim = figure.positions([0.4, -0.3, 0.5, 0.6, -0.2])
    goals = [Reach(hand, position=aim[figure.index(hand)]) for hand in ("LeftHand", "RightHand")]
    problem = Problem(figure, goals, start=start)
    jacobian = problem.jacobian(start)
    assert jacobian.shape == (6, 5)
    # The trunk moves both hands, each arm only its own: one block column, two blocks.
    assert (np.abs(jacobian[:2, 0]) > 0).all()
    assert (np.abs(jacobian[3:5, 0]) > 0).all()
    assert not jacobian[:3, 3:].any()
    assert not jacobian[3:, 1:3].any()
    r = solve(figure, goals, NewtonSVD(halving=False), start=start)
    assert r.history is not None
    step = np.linalg.pinv(jacobian) @ problem.residual(start)
    np.testing.assert_allclose(r.history.q[1], start + step, atol=1e-9)
    assert r.ok
    assert max(r.errors) < 1e-9
    # Arm by arm the second would undo what the trunk did for the first.
    one = solve(figure, goals[:1], NewtonSVD(), start=start)
    other = solve(figure, goals[1:], NewtonSVD(), start=one.q)
    assert np.linalg.norm(other.errors[0]) < 1e-9
    assert problem.term_errors(one.q)[0] < 1e-9
    assert problem.term_errors(other.q)[0] > 5e-3


def test_singular_iterations_are_reported() -> None:
    """Two hinges and a point in space: the row for z is 0, so no iteration has full rank.  An arm
    that moves in space has it except where it is stretched."""
    flat = solve(arm(), [Reach("Tip", position=[1.0, 1.0, 0.0])], NewtonSVD())
    assert flat.singular == flat.iterations > 0
    figure = limbik.figures.arm()
    aim = figure.positions(figure.rest + 0.1)[figure.index("Tool")]
    full = solve(figure, [Reach("Tool", position=aim)], NewtonSVD(), start=figure.rest)
    assert full.ok
    assert full.singular == 0


@pytest.mark.parametrize(
    "settings", [{"halvings": -1}, {"limits": "never"}, {"cutoff": 1.0}, {"cutoff": -0.1}], ids=str
)
def test_refused(settings: dict) -> None:
    with pytest.raises(MethodError, match="newton_svd"):
        NewtonSVD(**settings)

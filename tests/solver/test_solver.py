"""Solver: built once, solved for targets that move; and goals whose targets are arrays."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import limbik
from limbik import Aim, Distance, GoalError, Pin, Plane, Problem, Reach, Rest, Solver, Status
from limbik.goals import Goal

ARM = limbik.figures.arm()
HUMAN = limbik.figures.human()
POSES = ARM.project(np.random.default_rng(1).uniform(-1.5, 1.5, size=(6, 7)))
PLACES = ARM.positions(POSES, "Tool")


def test_it_gives_the_bits_of_solve_and_of_solve_many() -> None:
    solver = Solver(ARM, Reach("Tool", position=PLACES[0]), restarts=None)
    many = limbik.solve_many(ARM, Reach("Tool", position=PLACES))
    old = limbik.solve_many(ARM, ["Tool"], positions=PLACES[:, None])
    assert many == old
    for k, place in enumerate(PLACES):
        one = limbik.solve(ARM, Reach("Tool", position=place))
        moved = solver.solve(targets={"Tool": place})
        assert moved.q.tobytes() == one.q.tobytes()
        if k == 0:  # the random numbers of a problem depend on its place in a batch
            assert moved.q.tobytes() == many.q[k].tobytes()
        assert moved == one


def test_every_target_moves_without_compiling_anew() -> None:
    """A problem whose targets were moved is the problem made with them."""
    turn, other = np.array([1.0, 0.2, 0.0, 0.1]), np.array([0.8, -0.3, 0.5, 0.0])
    rest = HUMAN.rest + 0.1

    def goals(k: int) -> list[Goal]:
        return [
            Reach("LeftHand", position=[0.4, 1.2 + 0.1 * k, 0.3], wxyz=turn if k == 0 else other),
            Reach("RightHand", wxyz=other if k == 0 else turn, rows="axes"),
            Aim("Head", target=[0.0, 1.6, 3.0 + k]),
            Plane("LeftFoot", [0.0, 1.0, 0.1 * k], 0.1 * k),
            Distance("RightFoot", "Head", 1.2 + 0.1 * k),
            Rest(1e-3, pose=HUMAN.rest if k == 0 else rest),
            Pin("RightFoot"),
        ]

    moved, made = Problem(HUMAN, goals(0)), Problem(HUMAN, goals(1))
    moved.set_target("LeftHand", position=[0.4, 1.3, 0.3], wxyz=other)
    moved.set_target(1, wxyz=turn)
    moved.set_target("Head", target=[0.0, 1.6, 4.0])
    moved.set_target("LeftFoot", normal=[0.0, 1.0, 0.1], offset=0.1)
    moved.set_target("RightFoot–Head", distance=1.3)
    moved.set_target("Rest", pose=rest)
    q = HUMAN.project(HUMAN.rest + 0.05)
    np.testing.assert_allclose(moved.residual(q), made.residual(q), atol=1e-14)
    assert moved.objective(q) == pytest.approx(made.objective(q), rel=1e-13)


def test_a_result_speaks_of_the_targets_it_was_found_for() -> None:
    solver = Solver(ARM, Reach("Tool", position=PLACES[0]))
    far = solver.solve(targets={"Tool": [9.0, 0.0, 0.0]})
    near = solver.solve(targets={"Tool": PLACES[1]}, start=POSES[1])
    assert near.ok
    assert far.status in (Status.LIMITED, Status.OUT_OF_REACH)
    assert float(far.errors[0]) > 5.0
    assert "short" in far.why
    assert far.problem is not None
    assert far.problem.objective(far.q) == far.objective > 1.0
    for other in (pickle.loads(pickle.dumps(far)), copy.deepcopy(far)):
        assert other == far
        assert other.why == far.why
    with pytest.raises(AttributeError, match="whence"):
        far.whence  # type: ignore[attr-defined]


def test_targets_come_in_several_forms() -> None:
    turn = np.array([0.9, 0.1, 0.2, 0.0])
    solver = Solver(ARM, [Reach("Tool", position=PLACES[0], wxyz=[1, 0, 0, 0])])
    both = solver.solve(POSES[1], {"Tool": (PLACES[1], turn)})
    named = solver.solve(POSES[1], {0: {"position": PLACES[1], "wxyz": turn}})
    assert both.q.tobytes() == named.q.tobytes()
    listed = solver.solve(POSES[1], {"Tool": PLACES[1].tolist()})
    assert listed.q.tobytes() == both.q.tobytes()  # the rotation is kept


@pytest.mark.parametrize(
    ("targets", "says"),
    [
        ({"Tol": [1, 2, 3]}, 'did you mean "Tool"'),
        ({5: [1, 2, 3]}, "none of the goals"),
        ({"Tool": [1, 2]}, "3 numbers"),
        ({"Tool": [1, 2, np.nan]}, "not finite"),
        ({"Tool": np.array([1.0, 2.0, np.inf])}, "not finite"),
        ({"Tool": "there"}, "numbers"),
        ({"Tool": {"wxyz": [1, 0, 0, 0]}}, "made without wxyz"),
        ({"Tool": {"place": [1, 0, 0]}}, "no target 'place'"),
        ({"Joint1": [1, 2, 3]}, "no target that can be moved"),
        ([1, 2], "targets by goal"),
    ],
)
def test_targets_that_cannot_be_are_refused(targets: object, says: str) -> None:
    solver = Solver(ARM, [Reach("Tool", position=PLACES[0]), Pin("Joint1")])
    with pytest.raises(GoalError, match=says):
        solver.solve(targets=targets)  # type: ignore[arg-type]


def test_the_pose_of_one_of_two_rests_stays() -> None:
    problem = Problem(ARM, [Reach("Tool", position=PLACES[0]), Rest(1e-3), Rest(1e-4)])
    with pytest.raises(GoalError, match="several Rest"):
        problem.set_target(1, pose=ARM.rest)


def test_one_solver_used_by_two_threads_gives_each_a_whole_answer() -> None:
    solver = Solver(ARM, Reach("Tool", position=PLACES[0]))
    alone = solver.solve().q.tobytes()
    answers: list[bytes] = []

    def many() -> None:
        answers.extend(solver.solve().q.tobytes() for _ in range(200))

    threads = [threading.Thread(target=many) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {alone}


def test_all_goals_in_a_batch_with_arrays_inside() -> None:
    """Each problem of a batch is the problem that solve would be given."""
    rng = np.random.default_rng(0)
    places = np.array([0.35, 1.2, 0.3]) + 0.05 * rng.normal(size=(3, 3))
    looks = np.array([0.0, 1.6, 3.0]) + rng.normal(size=(3, 3))
    apart = np.array([0.5, 0.6, 0.7])
    rests = HUMAN.rest + 0.01 * rng.normal(size=(3, HUMAN.n))

    def goals(k: int | slice) -> list[Goal]:
        return [
            Reach("LeftHand", position=places[k]),
            Aim("Head", target=looks[k]),
            Distance("LeftHand", "RightHand", apart[k]),  # type: ignore[arg-type]
            Plane("RightFoot", [0, 1, 0], 0.1),
            Pin("LeftFoot"),
            Rest(1e-4, pose=rests[k]),
        ]

    many = limbik.solve_many(HUMAN, goals(slice(None)), restarts=0)
    for k in range(3):
        one = limbik.solve(HUMAN, goals(k), restarts=0)
        np.testing.assert_allclose(many.q[k], one.q, atol=1e-12)
        assert many.status[k] is one.status
    path = limbik.track(HUMAN, goals(slice(None)), start=HUMAN.rest, fps=30)
    assert len(path.motion) == 3
    assert path.errors.shape == (3, 5)  # Rest has no error
    hand = np.linalg.norm(HUMAN.positions(path.motion.q, "LeftHand") - places, axis=1)
    np.testing.assert_allclose(path.errors[:, 0], hand, atol=1e-12)


@pytest.mark.parametrize(
    ("goals", "more", "says"),
    [
        ([Reach("Tool", position=PLACES), Rest(pose=POSES[:2])], {}, "not equally many"),
        ([Reach("Tool", position=PLACES), "Joint1"], {}, "not both"),
        ([Reach("Tool", position=PLACES)], {"positions": PLACES}, "goals hold their own"),
        ([Distance("Tool", "Joint1", [[1.0]])], {}, "distance"),  # type: ignore[arg-type]
        ([Reach("Tool", position=[[1, 2, np.nan]])], {}, "not finite"),
        (3, {}, "needs goals or names"),
        (None, {}, "needs goals or names"),
    ],
)
def test_batches_that_cannot_be_are_refused(goals: object, more: dict, says: str) -> None:
    with pytest.raises(GoalError, match=says):
        limbik.solve_many(ARM, goals, **more)  # type: ignore[arg-type]


def test_a_batch_of_starts_needs_no_array_of_targets() -> None:
    many = limbik.solve_many(ARM, Reach("Tool", position=PLACES[0]), starts=POSES)
    assert many.ok.all()
    assert len(many.q) == len(POSES)
    assert limbik.solve_many(ARM, effectors=["Tool"], positions=PLACES[:, None]).ok.all()

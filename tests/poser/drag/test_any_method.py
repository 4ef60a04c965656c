"""Nothing breaks a drag: wild targets, every method, what cannot be asked."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helpers.poser.dragged import FEET, HUMAN, held, turned, walk
from limbik import Figure, GoalError, Joint, LimbikError, MethodError, figures
from limbik.methods import METHODS
from limbik.poser.document.effector import Effector
from limbik.poser.drag.drag_solver import DragSolver
from limbik.poser.drag.method_choice import is_ready, prepare

# ---- nothing breaks it --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [figures.human, figures.hand, figures.spider, figures.arm])
def test_wild_targets_are_survived(make):
    figure = make()
    last = len(figure.joints) - 1
    effectors = held(figure, [figure.joints[last], figure.joints[last // 2]])
    rng = np.random.default_rng(8)
    for dragged in (1, 2):
        live = DragSolver(figure, effectors, dragged, figure.rest)
        for _ in range(60):
            far = figure.size * 10.0 ** rng.uniform(-3, 6)
            wxyz = rng.normal(size=4) if rng.random() < 0.4 else None
            answer = live.drag(rng.normal(size=3) * far, wxyz)
            assert np.isfinite(answer.q).all()
            assert figure.violation(answer.q) == 0.0
            assert np.isfinite(answer.goals[:, 1]).all()
            assert answer.why
        for extreme in (1e30, -1e30, 0.0, 1e-300):
            answer = live.drag((extreme, 0.0, extreme))
            assert figure.violation(answer.q) == 0.0


def test_a_figure_that_cannot_move_stays_where_it_is():
    rigid = Figure([Joint("Base"), Joint("Top", "Base", offset=(0.0, 1.0, 0.0))])
    answer = DragSolver(rigid, held(rigid, ["Top"]), 1, rigid.rest).drag((0.0, 2.0, 0.0))
    assert answer.q.shape == (0,)
    assert answer.error_of(1)[0] == 1.0
    assert not answer.ok


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_felt(name):
    arm = figures.arm()
    effectors = held(arm, ["Tool"])
    live = DragSolver(arm, effectors, 1, arm.rest, method=name)
    start = np.array(effectors[0].position)
    errors = []
    for share in np.linspace(0.0, 1.0, 12):
        answer = live.drag(start + share * np.array([-0.1, 0.15, 0.1]))
        assert np.isfinite(answer.q).all()
        assert arm.violation(answer.q) == 0.0
        errors.append(answer.error_of(1)[0])
    assert errors[-1] < 0.02
    assert is_ready(name)


def test_a_method_that_cannot_solve_for_a_goal_says_so():
    aiming = Effector(4, "RightHand", mode="aim", position=(0.0, 1.6, 3.0))
    with pytest.raises(MethodError, match="fabrik cannot solve for the goal of RightHand"):
        DragSolver(HUMAN, [*held(HUMAN, FEET), aiming], 1, HUMAN.rest, method="fabrik")
    # A look is not asked of the method: the neck alone turns to it, after the rest of the body.
    looking = Effector(4, "Head", mode="aim", position=(1.0, 1.6, 3.0))
    live = DragSolver(HUMAN, [*held(HUMAN, FEET), looking], 1, HUMAN.rest, method="fabrik")
    answer = live.drag((0.45, 0.9, 0.2))
    assert answer.error_of(1)[0] < 1e-3
    assert answer.error_of(4)[1] < 1e-3
    live = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, method="fabrik")
    with pytest.raises(MethodError, match="fabrik cannot solve for the goal of LeftHand"):
        live.drag(None, (1.0, 0.0, 0.0, 0.0))
    # Nothing is broken by that: the place can be dragged on.
    answer = live.drag((0.45, 0.9, 0.2))
    assert answer.error_of(1)[0] < 1e-3
    assert answer.goals.shape == (3, 11)


def test_an_arm_moves_before_the_body_that_carries_it():
    effectors = held(HUMAN, FEET)
    live = DragSolver(HUMAN, effectors, 1, HUMAN.rest)
    x, y, z = effectors[0].position
    answer = live.drag((x, y + 0.3, z + 0.2))
    assert answer.ok
    angles = dict(zip(HUMAN.joints, turned(HUMAN, HUMAN.rest, answer.q), strict=True))
    arm = angles["LeftShoulder"] + angles["LeftArm"] + angles["LeftForeArm"]
    back = angles["LowerBack"] + angles["Spine"] + angles["Spine1"]
    assert arm > 1.5 * back
    assert np.abs(HUMAN.positions(answer.q) - HUMAN.positions(HUMAN.rest))[0].max() < 0.03


def test_settings_are_felt():
    slow = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, settings={"iterations": 1})
    fast = DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest)
    target = (0.1, 1.5, 0.5)
    assert slow.drag(target).iterations == 2  # one with the pull, and one without
    assert fast.drag(target).error_of(1)[0] <= 1e-4 * HUMAN.size


def test_two_methods_side_by_side_do_not_disturb_each_other():
    prepare("damped_least_squares")
    effectors = held(HUMAN, FEET)
    alone = DragSolver(HUMAN, effectors, 1, HUMAN.rest)
    solid = DragSolver(HUMAN, effectors, 1, HUMAN.rest)
    ghost = DragSolver(HUMAN, effectors, 1, HUMAN.rest, method="damped_least_squares")
    start = np.array(effectors[0].position)
    for target in walk(np.random.default_rng(1), start, 0.4, 0.02, 40):
        expected = alone.drag(target)
        answer, other = solid.drag(target), ghost.drag(target)
        np.testing.assert_array_equal(answer.q, expected.q)
    assert np.abs(other.q - answer.q).max() > 0.01
    assert other.ok


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: DragSolver(HUMAN, held(HUMAN, FEET), 99, HUMAN.rest), "no effector 99"),
        (
            lambda: DragSolver(HUMAN, held(HUMAN, FEET), None, HUMAN.rest).drag((0, 0, 0)),
            "nothing is dra",
        ),
        (
            lambda: DragSolver(HUMAN, [], None, HUMAN.rest).move(1, (0, 0, 0)),
            "effector 1 is not held",
        ),
        (lambda: DragSolver(HUMAN, [Effector(1, "Tail")], 1, HUMAN.rest), 'no joint "Tail"'),
        (lambda: DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest[:-1]), "needs 74 values"),
        (
            lambda: DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, locked=["Tail"]),
            'no joint "Tail"',
        ),
        (lambda: DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest, method="x"), 'no method "x"'),
        (
            lambda: DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest).drag((0.0, math.nan, 0.0)),
            "not finite",
        ),
        (
            lambda: DragSolver(HUMAN, held(HUMAN, FEET), 1, HUMAN.rest).drag(
                None, (0.0, 0.0, 0.0, 0.0)
            ),
            "zero length",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(make, complaint):
    with pytest.raises(LimbikError, match=complaint):
        make()
    assert issubclass(GoalError, LimbikError)

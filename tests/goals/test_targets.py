"""Targets as people hold them, and goals that say one thing each."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik import Aim, Distance, GoalError, Pin, Plane, PythonGoal, Reach, Rest

ARM = limbik.figures.arm()
TURN = Rotation.from_euler("xyz", [0.3, -0.4, 1.1])  # roll, pitch, yaw about fixed axes
PLACE = np.array([0.4, 0.1, 0.5])


def matrix(rows: int = 4) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = TURN.as_matrix(), PLACE
    return pose[:rows]


def same_rotation(wxyz: object) -> bool:
    return bool(np.isclose(abs(np.asarray(wxyz) @ np.roll(TURN.as_quat(), 1)), 1.0, atol=1e-12))


@pytest.mark.parametrize("rows", [4, 3])
def test_a_pose_is_a_position_and_a_rotation(rows: int) -> None:
    goal = Reach("Tool", pose=matrix(rows))
    np.testing.assert_array_equal(goal.position, PLACE)
    assert same_rotation(goal.wxyz)


@pytest.mark.parametrize(
    "how",
    [
        {"xyzw": TURN.as_quat()},
        {"xyzw": list(TURN.as_quat())},
        {"rpy": [0.3, -0.4, 1.1]},
        {"rotation": TURN},
        {"rotation": TURN.as_matrix()},
        {"rotation": TURN.as_matrix().tolist()},
    ],
    ids=str,
)
def test_a_rotation_is_given_as_people_have_it(how: dict) -> None:
    assert same_rotation(Reach("Tool", **how).wxyz)


def test_a_pose_of_the_figure_is_reached_again() -> None:
    q = ARM.project(ARM.rest + 0.2)
    r = limbik.solve(ARM, Reach("Tool", pose=ARM.frame(q, "Tool")))
    assert r.ok
    np.testing.assert_allclose(ARM.frame(r.q, "Tool"), ARM.frame(q, "Tool"), atol=2e-3)


class Rigid:
    """Stands for the transforms of other libraries, which have one of these."""

    def __init__(self, name: str) -> None:
        setattr(self, name, (lambda: matrix()) if name == "as_matrix" else matrix())


@pytest.mark.parametrize("name", ["as_matrix", "homogeneous"])
def test_transforms_of_other_libraries_are_taken(name: str) -> None:
    assert same_rotation(Reach("Tool", pose=Rigid(name)).wxyz)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"pose": np.eye(3)}, "4 × 4"),
        ({"pose": "x"}, "needs a matrix"),
        ({"pose": matrix().T}, "transposed"),
        ({"pose": np.diag([2.0, 1, 1, 1])}, "not a rotation"),
        ({"pose": np.diag([-1.0, 1, 1, 1])}, "not a rotation"),
        ({"pose": matrix() * np.nan}, "not finite"),
        ({"pose": matrix(), "position": PLACE}, "nothing beside it"),
        ({"pose": matrix(), "rpy": [0, 0, 0]}, "nothing beside it"),
        ({"wxyz": [1, 0, 0, 0], "rpy": [0, 0, 0]}, "wxyz= and rpy="),
        ({"wxyz": TURN}, "rotation= takes a Rotation"),
        ({"xyzw": [1, 0, 0]}, "xyzw needs 4"),
        ({"rpy": [0, np.inf, 0]}, "rpy.*not finite"),
        ({"rotation": np.eye(4)}, "3 × 3"),
    ],
)
def test_what_is_no_target_is_refused_by_name(how: dict, message: str) -> None:
    with pytest.raises(GoalError, match=f'Reach "Tool".*{message}'):
        Reach("Tool", **how)


def test_a_matrix_in_the_place_of_a_position_is_told_where_it_belongs() -> None:
    with pytest.raises(GoalError, match="pose= takes a matrix"):
        limbik.solve(ARM, Reach("Tool", matrix()))


# ---- one meaning each ------------------------------------------------------------------------


def head_error(goal: Aim, q: np.ndarray) -> float:
    return float(limbik.Problem(limbik.figures.human(), goal).term_errors(q)[0])


def test_at_is_a_point_on_the_joint_in_aim_too() -> None:
    human = limbik.figures.human()
    place, point = [0.3, 1.5, 2.0], np.array([0.0, 0.1, 0.2])
    frame = human.frame(human.rest, "Head")
    ray = np.array(place) - (frame[:3, :3] @ point + frame[:3, 3])
    angle = np.arccos(frame[:3, 2] @ ray / np.linalg.norm(ray))
    assert head_error(Aim("Head", axis="z", target=place, at=point), human.rest) == pytest.approx(
        angle
    )


def test_the_old_words_of_aim_still_mean_the_same() -> None:
    with pytest.warns(DeprecationWarning, match="target=") as told:
        old = Aim("Head", axis="z", at=[0.3, 1.5, 2.0])
    assert issubclass(told[0].category, limbik.LimbikWarning)
    assert told[0].filename == __file__
    assert old == Aim("Head", axis="z", target=[0.3, 1.5, 2.0])
    with pytest.warns(DeprecationWarning, match="called at="):
        old = Aim("Head", target=[0, 1, 2], origin=[0, 0.1, 0])
    assert old == Aim("Head", target=[0, 1, 2], at=[0, 0.1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Aim("Head", "z", [0.3, 1.5, 2.0]).target == [0.3, 1.5, 2.0]


def test_a_pin_takes_no_place() -> None:
    with pytest.raises(GoalError, match=r'Pin "Tool".*use Reach'):
        Pin("Tool", [1, 2, 3])  # type: ignore[call-arg]
    assert Pin("Tool", at=[0, 0, 0.1]).at == [0, 0, 0.1]


@pytest.mark.parametrize(
    "make",
    [
        lambda joint: Reach(joint, [0, 0, 0]),
        lambda joint: Pin(joint),
        lambda joint: Aim(joint, target=[0, 0, 1]),
        lambda joint: Plane(joint, [0, 0, 1], 0.5),
        lambda joint: Distance(joint, "Tool", 0.5),
        lambda joint: Distance("Tool", joint, 0.5),
    ],
)
@pytest.mark.parametrize("joint", [["Tool"], None, 3])
def test_a_joint_that_is_no_name_is_refused_when_the_goal_is_made(make, joint: object) -> None:
    with pytest.raises(GoalError, match="given by its name"):
        make(joint)


# ---- equality --------------------------------------------------------------------------------

PAIRS = [
    (Reach("Tool", [1, 2, 3]), Reach("Tool", np.array([1.0, 2.0, 3.0])), Reach("Tool", [1, 2, 4])),
    (Reach("Tool", pose=matrix()), Reach("Tool", pose=matrix()), Reach("Tool", PLACE)),
    (Pin("Tool"), Pin("Tool"), Pin("Tool", rotation=True)),
    (Aim("Tool", target=[0, 0, 1]), Aim("Tool", target=(0, 0, 1)), Aim("Tool", target=[0, 1, 1])),
    (
        Plane("Tool", [0, 0, 1], 1),
        Plane("Tool", np.array([0, 0, 1]), 1),
        Plane("Tool", [0, 0, 1], 2),
    ),
    (Distance("a", "b", 1), Distance("a", "b", 1.0), Distance("b", "a", 1)),
    (Rest(pose=np.zeros(7)), Rest(pose=[0] * 7), Rest()),
    (PythonGoal(np.sum), PythonGoal(np.sum), PythonGoal(np.prod)),
]


@pytest.mark.parametrize(("one", "same", "other"), PAIRS, ids=lambda goal: type(goal).__name__)
def test_goals_are_equal_by_value_and_can_be_counted(one, same, other) -> None:
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "Tool"
    assert len({one, same, other}) == 2
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert replace(one) == one


def test_the_repr_of_a_goal_leaves_out_what_is_usual() -> None:
    assert repr(Pin("Tool")) == "Pin(joint='Tool')"
    assert repr(Aim("Head", target=[0, 1, 2])) == "Aim(joint='Head', target=[0, 1, 2])"
    assert len(repr(Rest(pose=np.zeros(74)))) < 60


@pytest.mark.parametrize("kind", [Reach, Pin, Aim, Plane, Distance, Rest, PythonGoal])
def test_the_first_line_of_a_goal_says_what_it_does(kind: type) -> None:
    first = (kind.__doc__ or "").strip().splitlines()[0]
    assert "A" <= first[0] <= "Z", first

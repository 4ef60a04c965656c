"""The chain view against the Jacobian, the tree and the distances it speaks of."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Aim, Figure, Joint, Problem, PythonGoal, Reach, Rest
from limbik.figure.joints import (
    Coupling,
    euler,
    exponential,
    free,
    prismatic,
    revolute,
    swing_twist,
)
from limbik.figures import FINGERTIPS
from limbik.methods.chains import chain_view as ch
from limbik.solver.objective import evaluate

KINDS = {ch.ALONE: 1, ch.TURN: 1, ch.SLIDE: 1, ch.BALL: 3, ch.TRIPLE: 3, ch.BENDS: 3}


def human() -> Problem:
    figure = limbik.figures.human()
    names = ("Head", "Hips", "LeftHand", "RightHand", "LeftFoot", "RightToeBase")
    goals = [Reach(name, position=[0.1, 1.0, 0.2]) for name in names]
    return Problem(figure, [*goals, Reach("LThumb", position=[0, 1, 0], at=(0.0, 0.0, 0.1))])


def hand() -> Problem:
    goals = [Reach(joint, position=[0, 0, 0.1], at=at) for joint, at in FINGERTIPS.values()]
    return Problem(limbik.figures.hand(), goals, lock=("Index2",))


def spider() -> Problem:
    figure = limbik.figures.spider()
    feet = [name for name in figure.joints if name.endswith("Foot")]
    return Problem(figure, [Reach(name, position=[0, 0, 0]) for name in feet[:5]])


def arm() -> Problem:
    return Problem(limbik.figures.arm(), Reach("Tool", position=[0.4, 0.3, 0.5]))


PROBLEMS = [human, hand, spider, arm]


def coordinates(problem: Problem, step: np.ndarray) -> list[int]:
    count = KINDS[int(step[ch.S_KIND])]
    slots = problem.figure.tree.slots[int(step[ch.S_SLOT]) :][:count]
    return [slot.coordinate for slot in slots]


@pytest.mark.parametrize("make", PROBLEMS)
def test_steps_move_what_the_jacobian_says(make) -> None:
    problem = make()
    chain = ch.chain_view(problem)
    rng = np.random.default_rng(1)
    poses = [problem.figure.project(rng.normal(size=problem.figure.n)) for _ in range(4)]
    columns = np.max([np.abs(problem.jacobian(q)) for q in poses], axis=0).reshape(
        len(problem.terms), 3, -1
    )
    moved = columns.max(axis=1) > 1e-12  # (terms, n)
    seen: list[int] = []
    for step in chain.steps:
        own = coordinates(problem, step)
        seen += own
        below = chain.below[step[ch.S_FIRST] : step[ch.S_FIRST] + step[ch.S_COUNT]]
        truly = np.flatnonzero(moved[:, own].any(axis=1))
        # A point on the axis of a turn hangs below it, though it does not move.
        assert set(truly) <= set(below.tolist())
        for term in set(below.tolist()) - set(truly.tolist()):
            assert problem.figure.parents[problem.terms[term].joint] == step[ch.S_JOINT]
    assert len(seen) == len(set(seen))
    assert set(np.flatnonzero(moved.any(axis=0))) <= set(seen)
    assert problem.moves[seen].all()


@pytest.mark.parametrize("make", PROBLEMS)
def test_steps_go_inwards_and_pivots_outwards(make) -> None:
    problem = make()
    chain = ch.chain_view(problem)
    parents = problem.figure.parents
    done: set[int] = set()
    for joint in chain.steps[:, ch.S_JOINT]:
        above = int(parents[joint])
        while above >= 0:
            assert above not in done
            above = int(parents[above])
        done.add(int(joint))
    for k, pivot in enumerate(chain.pivots):
        assert pivot[ch.P_PARENT] < k
        own = chain.steps[pivot[ch.P_STEP] : pivot[ch.P_STEP] + pivot[ch.P_STEPS]]
        assert (own[:, ch.S_JOINT] == pivot[ch.P_JOINT]).all()
    assert chain.pivots[:, ch.P_STEPS].sum() == len(chain.steps)


@pytest.mark.parametrize("make", PROBLEMS)
def test_bones_keep_their_length_in_every_pose(make) -> None:
    problem = make()
    figure, chain = problem.figure, ch.chain_view(problem)
    pivots = len(chain.pivots)
    rng = np.random.default_rng(2)

    def lengths(q: np.ndarray) -> list[float]:
        frames, found = figure.frames(q), []
        for pivot in chain.pivots:
            for end in chain.bones[pivot[ch.P_FIRST] :][: pivot[ch.P_COUNT]]:
                if end < pivots:
                    at = frames[chain.pivots[end, ch.P_JOINT], :3, 3]
                else:
                    term = problem.terms[end - pivots]
                    at = frames[term.joint, :3, :3] @ term.at + frames[term.joint, :3, 3]
                found.append(float(np.linalg.norm(at - frames[pivot[ch.P_JOINT], :3, 3])))
        return found

    random = np.where(problem.moves, rng.normal(size=figure.n), problem.start)
    np.testing.assert_allclose(lengths(random), lengths(problem.start), atol=1e-12)
    # Every pivot but the first hangs from one bone, and so does every term.
    assert sorted(chain.bones.tolist()) == list(range(1, pivots + len(problem.terms)))


@pytest.mark.parametrize("make", PROBLEMS)
def test_a_kernel_reads_the_same_chain(make) -> None:
    problem = make()
    chain = ch.chain_view(problem)
    for ours, theirs in zip(chain, ch.open_chain(chain.table()), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_places_are_those_of_forward_kinematics() -> None:
    problem = human()
    q = problem.figure.project(np.random.default_rng(3).normal(size=problem.figure.n))
    state, r = np.empty_like(problem.state), np.empty(problem.rows)
    evaluate(problem.ints, problem.floats, q, state, r)
    world, axes = ch.world_and_axes(problem.ints, state)
    frames = problem.figure.frames(q)
    for joint in ch.chain_view(problem).pivots[:, ch.P_JOINT]:
        np.testing.assert_allclose(world[12 * joint :][:9], frames[joint, :3, :3].ravel())
        np.testing.assert_allclose(world[12 * joint + 9 :][:3], frames[joint, :3, 3])
    assert len(axes) >= 6 * len(problem.figure.tree.slots)


def kinds(problem: Problem) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for step in ch.chain_view(problem).steps:
        name = problem.figure.joints[step[ch.S_JOINT]]
        found.setdefault(name, []).append(int(step[ch.S_KIND]))
    return found


def mixed() -> Figure:
    return Figure(
        [
            Joint("Root", None, free()),
            Joint("Spine", "Root", swing_twist("y"), offset=(0.0, 1.0, 0.0)),
            Joint("Neck", "Spine", exponential(), offset=(0.0, 1.0, 0.0)),
            Joint("Elbow", "Neck", euler("ZX"), offset=(0.0, 1.0, 0.0)),
            Joint("Odd", "Elbow", revolute("x") + swing_twist("y"), offset=(0.0, 1.0, 0.0)),
            Joint("Rail", "Odd", prismatic("x"), offset=(0.0, 1.0, 0.0)),
            Joint("Lead", "Rail", revolute("z"), offset=(0.0, 1.0, 0.0)),
            Joint("Follow", "Lead", revolute("z", coupled=Coupling("Lead")), offset=(0, 1.0, 0)),
            Joint("Tip", "Follow", offset=(0.0, 1.0, 0.0)),
            Joint("Ear", "Spine", revolute("z"), offset=(1.0, 0.0, 0.0)),
            Joint("EarTip", "Ear", offset=(1.0, 0.0, 0.0)),
        ]
    )


REACH = [Reach("Tip", position=[1, 2, 3]), Reach("EarTip", position=[1, 2, 3])]


def test_kinds_of_steps() -> None:
    assert kinds(Problem(mixed(), REACH)) == {
        "Ear": [ch.TURN],
        "Follow": [ch.ALONE],  # and Lead's coordinate is the same one
        "Rail": [ch.SLIDE],
        "Odd": [ch.BENDS, ch.TURN],
        "Elbow": [ch.TURN, ch.TURN],
        "Neck": [ch.BALL],
        "Spine": [ch.BALL],
        "Root": [ch.TRIPLE, ch.SLIDE, ch.SLIDE, ch.SLIDE],
    }


def test_other_goals_are_for_coordinates_alone() -> None:
    found = kinds(Problem(mixed(), [REACH[0], Aim("EarTip", axis="x", target=[3, 3, 3])]))
    assert found["Ear"] == [ch.ALONE]
    assert found["Spine"] == [ch.ALONE] * 3
    assert found["Root"] == [ch.ALONE] * 6
    assert found["Neck"] == [ch.BALL]
    everything = [*REACH, PythonGoal(lambda figure, q: q[:1])]
    full = np.eye(6) + 0.1
    for problem in (Problem(mixed(), everything), Problem(mixed(), REACH, weights=full)):
        assert {kind for own in kinds(problem).values() for kind in own} == {ch.ALONE}


def test_what_is_locked_or_moves_nothing_has_no_step() -> None:
    found = kinds(Problem(mixed(), REACH[1], lock=("Root",)))
    assert found == {"Ear": [ch.TURN], "Spine": [ch.BALL]}
    # Rest pulls on what moves no goal.
    assert "Rail" in kinds(Problem(mixed(), [REACH[1], Rest()], lock=("Root",)))


def test_aims_lie_beyond_joints_that_cannot_turn_every_way() -> None:
    chain = ch.chain_view(arm())

    def ends(pivot: int, first: int, count: int, of: np.ndarray) -> list[int]:
        row = chain.pivots[pivot]
        return of[row[first] : row[first] + row[count]].tolist()

    assert ends(0, ch.P_FIRST, ch.P_COUNT, chain.bones) == [1]
    # No two neighbours of the arm's hinges are parallel, but the second and the fourth are.
    assert ends(0, ch.P_AIM, ch.P_AIMS, chain.aims)[:3] == [1, 2, 3]
    assert ends(1, ch.P_AIM, ch.P_AIMS, chain.aims) == [2, 3]
    planar = Problem(limbik.figures.chain([1, 1, 1]), Reach("Tip", position=[1, 1, 0]))
    straight = ch.chain_view(planar)
    np.testing.assert_array_equal(straight.aims, straight.bones)
    np.testing.assert_array_equal(straight.bones, [1, 2, 3])
    limb = [
        Joint("Shoulder", None, swing_twist()),
        Joint("Elbow", "Shoulder", revolute("z"), offset=(0.0, 1.0, 0.0)),
        Joint("Rail", "Elbow", prismatic("y"), offset=(0.0, 1.0, 0.0)),
        Joint("Wrist", "Rail", exponential(), offset=(0.0, 1.0, 0.0)),
        Joint("Tip", "Wrist", offset=(0.0, 1.0, 0.0)),
    ]
    chain = ch.chain_view(Problem(Figure(limb), Reach("Tip", position=[1, 1, 0])))
    assert ends(0, ch.P_AIM, ch.P_AIMS, chain.aims) == [1, 3]
    assert ends(1, ch.P_AIM, ch.P_AIMS, chain.aims) == [3]
    assert ends(3, ch.P_AIM, ch.P_AIMS, chain.aims) == [4]

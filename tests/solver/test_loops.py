"""Closed loops: a figure's own are closed before anything else, as MuJoCo finds too."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.robot_comparisons import gaps, load
from limbik import Close, Figure, GoalError, Joint, Live, Loop, Reach, Rest, Status, solve
from limbik.figure.joints import revolute
from limbik.goals.close import close_of, with_loops

CASSIE = ("robots_mjcf/agility_cassie/cassie.xml", ("left-foot", "right-foot"))
GRIPPER = ("robots_mjcf/robotiq_2f85/2f85.xml", ("left_pad",))


def four_bar(*, weld: bool = False) -> Figure:
    """A square of four bars, one unit long each: two cranks on the ground and a coupler."""
    joints = [
        Joint("Base"),
        Joint("Left", "Base", revolute("z")),
        Joint("Coupler", "Left", revolute("z"), offset=(0, 1, 0)),
        Joint("Right", "Base", revolute("z"), offset=(1, 0, 0)),
    ]
    loop = Loop("Coupler", (1, 0, 0), "Right", (0, 1, 0), (1, 0, 0, 0) if weld else None)
    return Figure(joints, name="four bars").with_loops([loop])


@pytest.mark.parametrize(("file", "ends"), [CASSIE, GRIPPER])
def test_loops_of_robots_are_closed_as_mujoco_says(file: str, ends: tuple[str, ...]) -> None:
    path = real_data.find(file)
    figure = load(path)
    theirs = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    data = mujoco.MjData(theirs)  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    home = solve(figure, Rest()).q
    assert max(gaps(figure, home, theirs, data)) <= 1e-8
    solver = limbik.Solver(figure, [Reach(end, position=np.zeros(3)) for end in ends])
    counts = {True: 0, False: 0}
    for k in range(30):
        # Where another closed pose has the ends, and every third time far beyond that.
        thrown = figure.project(home + 0.4 * rng.normal(size=figure.n))
        there = figure.positions(solve(figure, Rest(pose=thrown), start=home).q)
        far = 3.0 if k % 3 == 0 else 1.0
        result = solver.solve(home, {end: far * there[figure.index(end)] for end in ends})
        assert max(gaps(figure, result.q, theirs, data)) <= 1e-8
        assert figure.violation(result.q) == 0.0
        counts[result.ok] += 1
    assert counts[True] >= 20
    if ends == GRIPPER[1]:
        assert counts[False] == 10


def test_a_loop_stays_closed_beyond_reach_and_is_named() -> None:
    figure = four_bar()
    result = solve(figure, Reach("Coupler", position=[-3.0, 1.0, 0.0]), restarts=0)
    assert float(result.errors[1]) <= 1e-8 * figure.size
    goal = Reach("Coupler", at=(0.5, 0, 0), position=[0.5, 1.4, 0.0])
    result = solve(figure, goal, restarts=0)
    assert result.errors[0] == pytest.approx(0.4, abs=1e-6)
    assert result.status is Status.HELD
    assert "the loop Right–Coupler holds it back" in result.why


def test_loops_can_be_left_open_or_asked_for_in_another_way() -> None:
    figure = four_bar()
    goal = Reach("Coupler", at=(1, 0, 0), position=[0.6, 1.5, 0.0])
    free = solve(figure, goal, loops=False)
    assert free.ok
    assert len(free.errors) == 1
    own = Close("Coupler", "Right", (1, 0, 0), (0, 1, 0), weight=1.0)
    assert with_loops(figure, [goal, own], True) == (goal, own)
    both = solve(figure, [goal, own], restarts=0)
    assert both.errors[1] > 1e-3  # by its weight only
    with pytest.raises(GoalError, match="loops is True or False"):
        solve(figure, goal, loops="open")  # type: ignore[arg-type]


def test_a_weld_and_an_end_in_the_world_hold() -> None:
    figure = four_bar(weld=True)
    result = solve(figure, Rest(pose=[0.5, -0.3, 0.4]))
    frames = figure.frames(result.q)
    np.testing.assert_allclose(frames[2, :3, :3], frames[3, :3, :3], atol=1e-8)
    held = four_bar().with_loops([Loop("Coupler", (1, 0, 0), "", (0.8, 1.3, 0), name="pin")])
    result = solve(held, Rest())
    end = held.frames(result.q)[2] @ [1, 0, 0, 1]
    np.testing.assert_allclose(end[:3], [0.8, 1.3, 0], atol=1e-8)
    assert close_of(held.loops[0]).label == "Coupler–the world"


def test_batches_tracks_and_steps_close_loops_too() -> None:
    figure = four_bar()
    turn = np.linspace(0.0, 0.5, 5)
    places = np.column_stack((-np.sin(turn), np.cos(turn), 0 * turn))
    goals = [Reach("Coupler", position=places)]
    answers = [
        limbik.solve_many(figure, goals).q,
        limbik.track(figure, goals).motion.q,
        limbik.track(figure, goals, fps=20.0, speed_limits=20.0).motion.q,
    ]
    live = Live(figure, Reach("Coupler", position=places[0]), rate=20.0, speed_limits=20.0)
    steps = []
    for place in places:
        live.move("Coupler", place)
        steps.append(live.step())
    for q in [*answers, np.array(steps)]:
        frames = figure.frames(q)
        ends = frames[:, 2] @ [1, 0, 0, 1], frames[:, 3] @ [0, 1, 0, 1]
        np.testing.assert_allclose(frames[:, 2, :3, 3], places, atol=1e-3)
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-8 * figure.size)

"""The experiments of dual_quaternion: their hands, their verdicts, and what the text gets wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

import limbik
from helpers.quick_papers import quick_paper
from limbik.figures import FINGERTIPS, hand
from limbik.maths import so3 as rot
from limbik.methods import METHODS
from limbik.papers.contract import Chapter, Order, Verdict
from limbik.papers.dual_quaternion import (
    coupled_fingers,
    other_sweeps,
    pressed_against_limits,
    three_jacobians,
)
from limbik.papers.dual_quaternion.contest import _goals
from limbik.papers.dual_quaternion.hands import (
    coupled_hand,
    exponential_hand,
    gestures,
    leaping,
    tips,
    wandering,
)
from limbik.papers.dual_quaternion.parallel import centipede
from limbik.papers.dual_quaternion.session import TOLERANCE, Session
from limbik.papers.dual_quaternion.stability import jitter
from limbik.papers.dual_quaternion.verdicts import PAPER, READINGS, graded

HANDS = {"hinges": hand(), "exponential": exponential_hand(), "coupled": coupled_hand()}


@pytest.fixture(scope="module")
def chapters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Chapter]:
    paper, told = quick_paper("dual_quaternion", tmp_path_factory)
    assert {what for what, done, total in told if done == total} >= {"gestures", "out of reach"}
    return {chapter.title: chapter for chapter in paper.chapters}


def test_every_chapter_has_claims_tables_and_settings(chapters: dict[str, Chapter]) -> None:
    assert len(chapters) == 10
    for chapter in chapters.values():
        assert chapter.claims
        assert chapter.settings
        assert chapter.numbers
        for table in chapter.tables:
            assert table.rows
            assert all(len(row) == len(table.columns) for row in table.rows)
        for picture in chapter.pictures:
            assert picture.data.startswith(b"<?xml")


def test_the_same_order_gives_the_same_numbers(chapters: dict[str, Chapter]) -> None:
    order = Order(quick=True)
    for again in (f(order) for f in (pressed_against_limits, three_jacobians, coupled_fingers)):
        before = chapters[again.title]
        np.testing.assert_equal(again.numbers, before.numbers)
        assert again.claims == before.claims
        assert [p.data for p in again.pictures] == [p.data for p in before.pictures]
    other = three_jacobians(Order(quick=True, seed=1))
    assert other.numbers["largest deviation"] != chapters[other.title].numbers["largest deviation"]


def test_verdicts_follow_from_the_numbers(chapters: dict[str, Chapter]) -> None:
    frames = chapters["Iterations per frame"]
    counts = frames.numbers["iterations"]
    small = [counts[f"{name} / {PAPER} / small"].mean() for name in ("hinges", "exponential maps")]
    assert frames.claims[0].verdict is graded(1.5 <= mean < 3.5 for mean in small)
    assert f"{small[0]:.1f}" in frames.claims[0].seen
    stable = chapters["Out of reach"]
    shakes = stable.numbers["jitter"]
    cases = [
        v for k, v in shakes.items() if k.endswith(tuple(f"{r}, δ = 0.0001" for r in READINGS))
    ]
    assert len(cases) == 18
    assert stable.claims[0].verdict is graded(value <= 0.1 for value in cases)
    # Far out of reach whole steps never settle; halved ones always do.
    assert shakes[f"hinges / 50 cm / {PAPER}, δ = 0.0001"] > 10.0
    assert all(value == 0.0 for key, value in shakes.items() if key.endswith("steps halved"))


def test_jacobians_of_the_hands_agree(chapters: dict[str, Chapter]) -> None:
    apart = chapters["Three Jacobians"].numbers["largest deviation"]
    assert apart["dual_quaternion"] < 1e-12
    assert 1e-12 < apart["differences"] < 1e-6


def test_rivals_are_all_there(chapters: dict[str, Chapter]) -> None:
    chapter = chapters["Open, close, stretch; Newton, Broyden and the default"]
    methods = {row[1] for row in chapter.tables[0].rows}
    assert methods >= {
        name for name in ("newton_svd", "broyden", "projected_lm") if name in METHODS
    }
    reached = chapter.numbers["reached (%)"]
    assert reached["hinges / projected_lm, restarted"] == 100.0


def test_sweeps_of_every_order_fall(chapters: dict[str, Chapter]) -> None:
    chapter = chapters["Sweeps side by side"]
    left = chapter.numbers["model left after each sweep"]
    for course in left.values():
        assert course[0] == 1.0
        assert course[-1] < 0.01
    sequential, colored = left["hinges / sequential"], left["hinges / colored"]
    np.testing.assert_allclose(colored, sequential, rtol=1e-6, atol=1e-12)
    assert left["hinges / blocked"][10] > sequential[10]
    assert chapter.claims[1].verdict is Verdict.FAILS  # O(n)


def test_the_shift_keeps_a_ball_away_from_its_singularity(chapters: dict[str, Chapter]) -> None:
    chapter = chapters["Turning on and on"]
    lengths, reached = chapter.numbers["length of w"], chapter.numbers["reached (%)"]
    assert lengths["gauss_seidel, shifted"].max() <= math.pi
    assert lengths["gauss_seidel, not shifted"].max() > 1.5 * math.pi
    assert reached["gauss_seidel, shifted"] == 100.0
    assert chapter.claims[0].verdict is Verdict.HOLDS


def test_coupled_fingers_move_together(chapters: dict[str, Chapter]) -> None:
    flexed = chapters["Coupled fingers"].numbers["turned by the index finger (degrees)"]
    assert flexed["alone"] == [0.0, 0.0, 0.0]
    middle, ring, little = flexed["together"]
    assert ring == pytest.approx(middle / 2, rel=0.05)
    assert little == pytest.approx(ring / 2, rel=0.05)


@pytest.mark.parametrize("name", HANDS)
def test_hands_and_their_motions_are_inside_the_limits(name: str) -> None:
    figure, rng = HANDS[name], np.random.default_rng(3)
    assert figure.n == {"hinges": 22, "exponential": 28, "coupled": 18}[name]
    names, poses = gestures(figure, 30, rng)
    assert set(names) == {"open", "closed", "stretched", "anyhow"}
    for motion in (wandering(figure, 30, rng, speed=1.0), leaping(figure, 30, rng), poses):
        assert np.max(figure.violation(motion)) == 0.0
    places, turns = tips(figure, poses)
    frame = figure.frames(poses[4])[figure.index("Ring3")]
    at = frame[:3, :3] @ np.array(FINGERTIPS["Ring"][1]) + frame[:3, 3]
    np.testing.assert_allclose(places[4, 3], at, atol=1e-15)
    np.testing.assert_array_equal(turns[4, 3], frame[:3, :3])
    closed, opened = (poses[names.index(kind)] for kind in ("closed", "open"))
    flexion = figure.coordinates.index("Middle2")
    assert closed[flexion] > opened[flexion] + 0.5


def test_the_two_hands_stand_alike_at_rest() -> None:
    for figure in (exponential_hand(), coupled_hand()):
        apart = np.linalg.norm(tips(figure, figure.rest)[0] - tips(hand(), hand().rest)[0], axis=1)
        assert apart.max() < 0.005


@pytest.mark.parametrize("name", HANDS)
def test_a_session_is_solve_without_restarts(name: str) -> None:
    figure = HANDS[name]
    pose = leaping(figure, 1, np.random.default_rng(4))[0]
    for reading in READINGS.values():
        session = Session(figure, reading)
        session.aim_at(pose)
        frame = session.solve(figure.rest, noted=reading.iterations + 1)
        r = limbik.solve(
            figure, _goals(figure, pose), method=reading, tolerance=TOLERANCE, restarts=0
        )
        assert frame.iterations == r.iterations
        np.testing.assert_allclose(frame.q, r.q, atol=1e-6)
        assert frame.reached == r.ok
        assert len(frame.path) == frame.iterations + 1
        if reading.sweeps == 1:
            assert frame.sweeps == frame.iterations


def test_jitter_is_the_largest_turn_at_the_end() -> None:
    session = Session(hand(), READINGS[PAPER], iterations=300, tolerance=(1e-9, 1e-9))
    session.aim(*(part + 5.0 * (k == 0) for k, part in enumerate(tips(hand(), hand().rest))))
    frame = session.solve(hand().rest, noted=301)
    assert frame.iterations == 300
    last = np.abs(frame.path[-1, 1:] - frame.path[-2, 1:]).max()
    assert jitter(frame) >= math.degrees(last)
    assert jitter(frame, last=1) == pytest.approx(math.degrees(last))


def test_a_centipede_has_legs_that_do_not_know_each_other() -> None:
    figure = centipede(3)
    assert figure.n == 42
    goals = [limbik.Reach(f"Foot{k}", position=[0.0, 0.0, 0.0]) for k in range(6)]
    jacobian = limbik.Problem(figure, goals).jacobian(figure.rest + 0.1)
    a = jacobian.T @ jacobian
    assert np.count_nonzero(a[6:12, 12:18]) == 0
    assert np.count_nonzero(np.abs(a[:6, 6:]) > 1e-9) > 150


def test_graded() -> None:
    assert graded([True, True]) is Verdict.HOLDS
    assert graded([True, False]) is Verdict.DEPENDS
    assert graded([False, False]) is Verdict.FAILS


# ---- what the text gets wrong, beyond test_misprints.py -------------------------------------


def hand_jacobian() -> np.ndarray:
    session = Session(hand(), READINGS[PAPER])
    session.aim_at(leaping(hand(), 1, np.random.default_rng(5))[0])
    return session.problem.jacobian(hand().rest)


def test_26_stacks_the_columns_of_j_as_rows() -> None:
    """J = ∂e/∂w (equation 20) has ∂e/∂w_k as columns; stacked as printed, JᵀΔe does not exist."""
    jacobian = hand_jacobian()
    e = np.ones(len(jacobian))
    printed = np.array([jacobian[:, k] for k in range(jacobian.shape[1])])  # row k is ∂e/∂w_k
    assert printed.shape == (22, 30)
    with pytest.raises(ValueError, match="mismatch"):
        printed.T @ e
    np.testing.assert_array_equal(printed, jacobian.T)
    assert (jacobian.T @ e).shape == (22,)


def test_22_24_and_31_invert_a_matrix_that_has_no_inverse() -> None:
    """J is 30 × 22 for the hand: Δw = J⁻¹Δe can only mean the normal equations (28)."""
    jacobian = hand_jacobian()
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(jacobian)


def test_7_a_2_the_shift_helps_beyond_pi_only() -> None:
    """(1 − 2π/‖w‖)w "if ‖w‖ is close to π": below π it leads towards the singularity at 2π."""
    for length, shifted in ((3.0, 2 * math.pi - 3.0), (3.3, 2 * math.pi - 3.3)):
        w = length * np.array([0.6, 0.0, 0.8])
        other = (1 - 2 * math.pi / length) * w
        np.testing.assert_allclose(
            rot.quat_to_matrix(rot.exp_map(other)), rot.quat_to_matrix(rot.exp_map(w)), atol=1e-14
        )
        assert np.linalg.norm(other) == pytest.approx(shifted)
    assert 2 * math.pi - 3.0 > 3.0  # nearer to 2π than before
    np.testing.assert_array_equal(rot.wrap([3.0, 0.0, 0.0]), [3.0, 0.0, 0.0])


def test_7_b_the_diagonal_need_not_dominate() -> None:
    """It is called essential; the hand's JᵀJ + δI is far from it, and the sweeps converge."""
    jacobian = hand_jacobian()
    a = jacobian.T @ jacobian
    a += 1e-2 * np.diag(a).mean() * np.eye(len(a))
    others = np.abs(a).sum(axis=1) - np.diag(a)
    assert (others > np.diag(a)).sum() >= 15
    b, x = jacobian.T @ np.ones(len(jacobian)), np.zeros(len(a))
    for _ in range(5000):
        for i in range(len(x)):
            x[i] += (b[i] - a[i] @ x) / a[i, i]
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-6, atol=1e-8)


def test_42_is_not_the_twist() -> None:
    """q_s² + q_x² is called q_twist; it is the square of the swing's cosine, as 43 then uses it."""
    q = np.array([0.5, -0.3, 0.6, 0.2])
    q /= np.linalg.norm(q)
    swing, twist = rot.swing_twist(q, [1.0, 0.0, 0.0])
    square = q[0] ** 2 + q[1] ** 2
    assert math.sqrt(square) == pytest.approx(swing[0])
    assert np.abs(square - twist).min() > 0.1


def test_other_sweeps_report_times_apart() -> None:
    chapter = other_sweeps(Order(quick=True))
    assert [claim.timed for claim in chapter.claims] == [False, False, True]
    assert all(value > 0.0 for value in chapter.timings["seconds a sweep"].values())

"""newton_svd: the notes' formulas and misprints, and the experiments with verdicts from data."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.quick_papers import quick_paper
from limbik import Problem
from limbik.methods import NewtonSVD
from limbik.papers.contract import Chapter, Order, Verdict
from limbik.papers.newton_svd import arm, convergence, systems, tangent

POSES = np.random.default_rng(5).uniform(-np.pi, np.pi, size=(20, 3))
LENGTHS = np.array([1.3, 0.9, 0.4])


@pytest.fixture(scope="module")
def chapters(tmp_path_factory: pytest.TempPathFactory) -> list[Chapter]:
    return quick_paper("newton_svd", tmp_path_factory).paper.chapters


def verdicts(chapters: list[Chapter]) -> dict[str, Verdict]:
    return {claim.says: claim.verdict for chapter in chapters for claim in chapter.claims}


# --- the formulas ----------------------------------------------------------------------------


@pytest.mark.parametrize("q", POSES[:5])
def test_section_2_is_forward_kinematics_clockwise_from_y(q: np.ndarray) -> None:
    a, b, c = LENGTHS
    t1, t2, t3 = q
    x = a * np.sin(t1) + b * np.sin(t1 + t2) + c * np.sin(t1 + t2 + t3)
    y = a * np.cos(t1) + b * np.cos(t1 + t2) + c * np.cos(t1 + t2 + t3)
    np.testing.assert_allclose(arm.tip(q, LENGTHS), [x, y], atol=1e-15)
    np.testing.assert_allclose(arm.tip(q), arm.three_joint_arm().positions(q)[-1, :2], atol=1e-15)
    # Clockwise from the y axis: a quarter turn of the first joint points along x.
    np.testing.assert_allclose(arm.tip(np.array([np.pi / 2, 0, 0])), [3.0, 0.0], atol=1e-15)


@pytest.mark.parametrize("q", POSES[:5])
def test_equation_3_is_the_derivative_and_limbiks_jacobian(q: np.ndarray) -> None:
    steps = 1e-6 * np.eye(3)
    slopes = [(arm.tip(q + h, LENGTHS) - arm.tip(q - h, LENGTHS)) / 2e-6 for h in steps]
    np.testing.assert_allclose(arm.jacobian(q, LENGTHS), np.transpose(slopes), atol=1e-9)
    problem = Problem(arm.three_joint_arm(), arm.goal(np.zeros(2)), start=q)
    np.testing.assert_allclose(problem.jacobian(q)[:2], arm.jacobian(q), atol=1e-14)


def test_equation_4_is_exact_to_first_order() -> None:
    q, way = POSES[0], np.array([0.6, -0.8, 0.3])
    far = np.linalg.norm(arm.linear(q + 1e-2 * way, q) - arm.tip(q + 1e-2 * way))
    near = np.linalg.norm(arm.linear(q + 1e-3 * way, q) - arm.tip(q + 1e-3 * way))
    assert far / near == pytest.approx(100.0, rel=0.05)
    np.testing.assert_array_equal(arm.linear(q, q), arm.tip(q))


# --- misprints -------------------------------------------------------------------------------


def test_section_3_1_1_the_jacobian_has_three_columns() -> None:
    """The text we have prints two whole columns and a rest of the third, then forms that contradict
    them.  The two are right; the third is (l₃ cos, −l₃ sin) of the whole angle."""
    for q in POSES:
        a, b, c = LENGTHS
        one, two, three = np.cumsum(q)
        true = arm.jacobian(q, LENGTHS)
        first = [
            a * np.cos(one) + b * np.cos(two) + c * np.cos(three),
            -a * np.sin(one) - b * np.sin(two) - c * np.sin(three),
        ]
        second = [
            b * np.cos(two) + c * np.cos(three),
            -b * np.sin(two) - c * np.sin(three),
        ]
        np.testing.assert_allclose(true[:, :2], np.transpose([first, second]), atol=1e-14)
        np.testing.assert_allclose(true[:, 2], [c * np.cos(three), -c * np.sin(three)], atol=1e-14)
        # The last forms in print, l₁cos(whole) + l₁cos(θ₁ + θ₂) over −l₁sin(whole), are no column.
        printed = np.array([a * np.cos(three) + a * np.cos(two), -a * np.sin(three)])
        assert np.abs(true - printed[:, None]).max(axis=0).min() > 1e-3


def test_section_3_2_theta_has_as_many_entries_as_joints() -> None:
    """θ = (θ₁, θ₂) is printed for the arm of three joints: J·Δθ would not exist."""
    matrix = arm.jacobian(POSES[0])
    with pytest.raises(ValueError, match="matmul"):
        matrix @ POSES[0][:2]
    assert (matrix @ POSES[0]).shape == (2,)


def test_section_3_3_the_pseudo_inverse_of_equation_9_is_unique() -> None:
    """It is printed as "not necessarily unique".  Other right inverses of J meet
    some of Penrose's conditions; the one of equation 9 meets all four, and only it does."""
    rng = np.random.default_rng(0)
    for q in POSES:
        matrix = arm.jacobian(q)
        u, s, vt = np.linalg.svd(matrix, full_matrices=False)
        nine = vt.T @ np.diag(1 / s) @ u.T
        np.testing.assert_allclose(nine, np.linalg.pinv(matrix), atol=1e-9 / s[-1])
        assert tangent.penrose(matrix, nine) < 1e-11 / s[-1]
        # Another right inverse: JXJ = J still holds, but XJ is no longer symmetric.
        other = nine + (np.eye(3) - nine @ matrix) @ rng.normal(size=(3, 2))
        np.testing.assert_allclose(matrix @ other @ matrix, matrix, atol=1e-9 / s[-1])
        assert tangent.penrose(matrix, other) > 1e-3


def test_section_3_3_3_halving_as_printed_never_ends_at_a_stationary_pose() -> None:
    """The straight arm and a target on its line: Δθ = 0, and half of nothing brings nothing nearer.
    The notes name no end; limbik stops and says that it is stationary."""
    q, target = np.zeros(3), np.array([0.0, 1.5])
    step = np.linalg.pinv(arm.jacobian(q)) @ (target - arm.tip(q))
    distance = np.linalg.norm(target - arm.tip(q))
    assert np.abs(step).max() < 1e-15
    for _ in range(200):
        assert np.linalg.norm(target - arm.tip(q + step)) >= distance
        step = step / 2
    r = limbik.solve(
        arm.three_joint_arm(), arm.goal(target), start=q, method=NewtonSVD(), restarts=0
    )
    assert r.iterations == 0
    assert r.status is limbik.Status.OUT_OF_REACH


def test_section_3_3_4_the_error_is_of_positions_not_of_angles() -> None:
    """Printed is Δθ = θ_goal − θ_current as the error to be minimised.  A redundant arm can have
    its tip at the goal with Δθ as large as one likes; equation 6 is what must vanish."""
    figure, goal = arm.three_joint_arm(), np.array([0.4, 0.9, 0.7])
    r = limbik.solve(
        figure, arm.goal(arm.tip(goal)), start=[-1.0, 2.0, -0.5], method=NewtonSVD(), restarts=0,
        tolerance=1e-9,
    )  # fmt: skip
    assert np.linalg.norm(arm.tip(goal) - arm.tip(r.q)) < 1e-9
    assert np.abs(np.angle(np.exp(1j * (goal - r.q)))).max() > 0.3


# --- the experiments -------------------------------------------------------------------------


def test_every_claim_has_its_verdict(chapters: list[Chapter]) -> None:
    found = verdicts(chapters)
    assert found["p₃ and its derivatives, for angles clockwise from the y axis"] is Verdict.HOLDS
    assert found["The pseudo-inverse is not necessarily unique"] is Verdict.FAILS
    # From random poses it does; from the straight arm to a target on its line it cannot.
    assert found["Newton's method does not always converge"] is Verdict.DEPENDS
    assert found["Halving the step amends this"] is Verdict.DEPENDS
    assert len(found) == 11
    for chapter in chapters:
        assert chapter.tables
        assert chapter.settings


def test_the_numbers_say_what_the_verdicts_say(chapters: list[Chapter]) -> None:
    numbers = chapters[1].numbers
    within = np.hypot(*numbers["targets"].T) <= arm.REACH
    assert numbers["plain solved"][within].mean() > 0.95
    assert numbers["plain solved"][~within].mean() < 0.1
    assert not numbers["halved rose"].any()
    assert numbers["plain rose"].any()
    # Solved is recomputed from where the tip ended.
    tight = np.where(within, convergence.TOLERANCE, convergence.NEAREST)[:, None]
    for name in convergence.METHODS:
        np.testing.assert_array_equal(numbers[f"{name} solved"], numbers[f"{name} short"] <= tight)


def made_up(targets: int) -> dict[str, convergence.Runs]:
    """Runs in which everything arrives and nothing rises."""
    shape = (targets, 3)
    return {
        name: convergence.Runs(
            np.zeros(shape),
            np.ones(shape, bool),
            np.zeros(shape, bool),
            np.ones(shape, int),
            {},
            np.zeros((*shape, 3)),
        )
        for name in convergence.METHODS
    }


ALWAYS = "Newton's method does not always converge"
CLOSER = "A whole step does not necessarily lead closer"
HALVING = "Halving the step amends this"


def test_verdicts_follow_the_data() -> None:
    """Made-up runs in which everything arrives and nothing rises turn the verdicts round."""
    zones = {"inside": np.array([True, False]), "out of reach": np.array([False, True])}
    runs, straight = made_up(2), made_up(1)

    def judge() -> dict[str, Verdict]:
        found = convergence.claims_of(runs, zones, straight)
        return {claim.says: claim.verdict for claim in found}

    claims = judge()
    assert (claims[ALWAYS], claims[CLOSER]) == (Verdict.FAILS, Verdict.FAILS)
    # All starts end at one pose: not a local solver.
    assert claims["It is a local solver: what it finds depends on where it starts"] is Verdict.FAILS
    # What happens to targets that nobody can reach changes nothing.
    for one in runs.values():
        one.solved[1], one.rose[1] = False, True
    assert judge() == claims
    # Only from the straight arm, where halving does not help: it depends, and nothing is amended.
    for one in straight.values():
        one.solved[0, 0] = False
    assert (judge()[ALWAYS], judge()[HALVING]) == (Verdict.DEPENDS, Verdict.FAILS)
    runs["plain"].solved[0, 0], runs["plain"].rose[0, 0] = False, True
    found = judge()
    assert (found[ALWAYS], found[CLOSER]) == (Verdict.HOLDS, Verdict.HOLDS)
    assert found[HALVING] is Verdict.DEPENDS
    for one in straight.values():
        one.solved[:] = True
    assert judge()[HALVING] is Verdict.HOLDS


def test_distinct_poses_are_counted_up_to_whole_turns() -> None:
    pose = np.array([0.1, 0.2, 0.3])
    turned = pose + [2 * np.pi, 0.0, -4 * np.pi]
    assert convergence.distinct(np.array([pose, turned, pose + 1e-4])) == 1
    assert convergence.distinct(np.array([pose, turned, pose + 0.1])) == 2


@pytest.mark.parametrize("share", [1.0, 0.95, 0.6, 0.4])
def test_shares_become_verdicts(share: float) -> None:
    wanted = {1.0: Verdict.HOLDS, 0.95: Verdict.HOLDS, 0.6: Verdict.DEPENDS, 0.4: Verdict.FAILS}
    assert systems.verdict_of(share) is wanted[share]


def test_two_runs_are_the_same_and_another_seed_is_not(chapters: list[Chapter]) -> None:
    again = [systems.two_arms_as_one(Order(quick=True)), systems.frozen_joints(Order(quick=True))]
    for one, other in zip(chapters[2:], again, strict=True):
        assert one.claims == other.claims
        assert [p.data for p in one.pictures] == [p.data for p in other.pictures]
        for name, value in one.numbers.items():
            np.testing.assert_array_equal(np.asarray(value), np.asarray(other.numbers[name]))
    third = systems.two_arms_as_one(Order(quick=True, seed=1))
    assert not np.array_equal(third.numbers["starts"], chapters[2].numbers["starts"])


def test_pictures_are_svg(chapters: list[Chapter]) -> None:
    pictures = [picture for chapter in chapters for picture in chapter.pictures]
    assert len(pictures) == 4
    for picture in pictures:
        assert picture.kind == "svg"
        assert picture.data.startswith(b"<?xml")
        assert b"<path" in picture.data


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    systems.frozen_joints(Order(quick=True, progress=lambda *step: told.append(step)))
    assert told[0] == ("newton_svd: frozen joints", 0, 4)
    assert told[-1] == ("newton_svd: frozen joints", 4, 4)

"""extended_jacobian: its misprints, each shown by a number, and its experiments run again."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers.differences import differences
from helpers.quick_papers import quick_paper
from limbik import Problem, Reach
from limbik.methods import Baillieul
from limbik.papers.contract import Chapter, Order, Verdict
from limbik.papers.extended_jacobian.ellipse import of_all
from limbik.papers.extended_jacobian.path import (
    BASE,
    LENGTHS,
    Walk,
    ellipse,
    end,
    extension,
    inversion,
    joints,
    walk,
)
from limbik.papers.extended_jacobian.planar import (
    end_of,
    extended_jacobian_of,
    jacobian_of,
    planar_step,
)
from limbik.papers.extended_jacobian.rank import EQUAL, FOLDED, rank_on_the_way
from limbik.papers.extended_jacobian.space import beyond_the_plane
from limbik.papers.extended_jacobian.weight import accurate, limit, weight_to_nothing
from limbik.papers.raw import json_text, plain

Q = np.array([0.3, -0.5, 0.7, 0.2, -0.4, 0.6])


# --- misprints -------------------------------------------------------------------------------


def printed_rows(q: np.ndarray, angle) -> np.ndarray:
    """Equation 9 with one meaning of qⱼ for the whole matrix: ``angle`` (n,)."""
    n, sine, cosine = len(q), LENGTHS * np.sin(angle), LENGTHS * np.cos(angle)
    rows = np.zeros((2 * n, n))
    for i in range(n - 1):
        rows[i, i], rows[i, i + 1] = -sine[i] - sine[i + 1], -sine[i + 1]
        rows[n - 1 + i, i], rows[n - 1 + i, i + 1] = cosine[i] + cosine[i + 1], cosine[i + 1]
    for c in range(n):
        rows[2 * n - 2, c], rows[2 * n - 1, c] = -sine[c:].sum(), cosine[c:].sum()
    return rows


def test_equation_9_gives_one_symbol_two_meanings() -> None:
    """qⱼ is a sum from the row's own first joint on, so it differs from row to row."""

    def measured(q: np.ndarray) -> np.ndarray:
        pairs = np.array([end_of(LENGTHS, q, i, 2) for i in range(5)])
        return np.concatenate([pairs[:, 0], pairs[:, 1], end_of(LENGTHS, q, 0, 6)])

    h = 1e-6
    true = np.transpose([(measured(Q + s) - measured(Q - s)) / (2 * h) for s in h * np.eye(6)])
    np.testing.assert_allclose(extended_jacobian_of(LENGTHS, Q), true, atol=1e-6)
    # As joint angles, and as sums from joint 0 on: each is wrong somewhere by many points.
    as_angles, as_sums = printed_rows(Q, Q), printed_rows(Q, np.cumsum(Q))
    assert np.abs(as_angles - true).max() > 50.0
    assert np.abs(as_sums - true).max() > 50.0
    # Sums from 0 are right for the main link and for pair 0, and for no other pair.
    np.testing.assert_allclose(as_sums[[0, 5, 10, 11]], true[[0, 5, 10, 11]], atol=1e-6)
    assert all(np.abs(as_sums[i] - true[i]).max() > 1.0 for i in (1, 2, 3, 4))


def test_section_2_3_the_pairs_alone_can_have_rank_n() -> None:
    """ "At most n − 1, the number of pairs": a pair has two rows."""
    assert np.linalg.matrix_rank(extended_jacobian_of(LENGTHS, Q)[:-2]) == 6
    assert np.linalg.matrix_rank(extended_jacobian_of(LENGTHS[:2], Q[:2])[:-2]) == 2
    # Only where all segments lie on a line is it n − 1.
    assert np.linalg.matrix_rank(extended_jacobian_of(LENGTHS, np.zeros(6))[:-2]) == 5


def test_section_3_rank_n_is_not_guaranteed() -> None:
    rows = extended_jacobian_of(EQUAL, FOLDED)
    np.testing.assert_allclose(rows[:, 0], 0.0, atol=1e-15)
    assert np.linalg.matrix_rank(rows, tol=1e-12) == 3
    assert not planar_step(EQUAL, FOLDED, np.array([0.1, 0.2]))[1]
    # A hair away it has rank again, so it is this pose and no slip.
    assert planar_step(EQUAL, FOLDED + [0.0, 1e-3, 0.0, 0.0], np.array([0.1, 0.2]))[1]


def test_section_1_1_the_printed_pseudo_inverse_is_not_there_at_the_start() -> None:
    """A⁺ = Aᵀ(AAᵀ)⁻¹ needs rows that are independent; the experiment starts where they are not."""
    jacobian = jacobian_of(LENGTHS, np.zeros(6))
    assert np.linalg.matrix_rank(jacobian) == 1
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(jacobian @ jacobian.T)
    assert np.isfinite(np.linalg.pinv(jacobian)).all()
    bent = jacobian_of(LENGTHS, Q)
    np.testing.assert_allclose(
        bent.T @ np.linalg.inv(bent @ bent.T), np.linalg.pinv(bent), atol=1e-12
    )


def test_equation_7_lacks_a_step_length() -> None:
    """Angles must not depend on the unit of length; Jᵀdx grows with its square."""
    dx = np.array([3.0, -5.0])
    for q in (Q, 2 * Q):
        plain_step, inverse = (
            jacobian_of(LENGTHS, q).T @ dx,
            np.linalg.pinv(jacobian_of(LENGTHS, q)) @ dx,
        )
        in_mm = jacobian_of(1000 * LENGTHS, q)
        np.testing.assert_allclose(np.linalg.pinv(in_mm) @ (1000 * dx), inverse, rtol=1e-9)
        np.testing.assert_allclose(in_mm.T @ (1000 * dx), 1e6 * plain_step, rtol=1e-9)
        # With the experiment's points as unit it leads further away: |x + JJᵀdx| > |x|.
        moved = end_of(LENGTHS, q + plain_step, 0, 6) - np.array(end_of(LENGTHS, q, 0, 6))
        assert np.linalg.norm(dx - moved) > 10.0 * np.linalg.norm(dx)


def test_equation_6_keeps_the_gradient_instead_of_zeroing_it() -> None:
    """ "With the goal to zero the gradient": zeros on its left keep ηᵢ·∇g as it is."""
    figure = limbik.figures.chain([1.0, 0.8, 0.9])
    start = np.array([0.2, 1.2, 0.9])
    way = np.linspace(0.0, 1.0, 41)[1:, None] * [0.3, 0.2, 0.0]
    targets = figure.positions(start)[-1] + way

    def free_part(q: np.ndarray) -> float:
        """η·∇g for g = Σq², whose sign η's own sign decides."""
        eta = np.linalg.svd(figure.jacobian(q, "Tip")[:2])[2][2]
        return abs(float(eta @ differences(lambda at: float(at @ at), q, 1e-5)))

    left = []
    for correction in (0.0, 1.0):
        q = start
        for target in targets:
            method = Baillieul(correction=correction, settle=False)
            q = limbik.solve(
                figure, [Reach("Tip", position=target)], start=q, method=method, budget=1,
                restarts=0, tolerance=1e-12,
            ).q  # fmt: skip
        left.append(free_part(q))
    assert left[0] == pytest.approx(free_part(start), rel=0.1)
    assert left[1] < 0.01 * left[0]


@pytest.mark.parametrize("seed", range(3))
def test_section_3_no_weight_turns_the_extended_jacobian_into_the_plain_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    q, dx = random.uniform(-1.5, 1.5, size=6), random.normal(size=2)
    step, plain_step = accurate(1e-6)(q, dx), inversion()(q, dx)
    np.testing.assert_allclose(step, limit(q, dx), rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(jacobian_of(LENGTHS, q) @ limit(q, dx), dx, atol=1e-9)
    # Both go all the way, and the limit moves the pairs less, J⁺ the joints.
    assert np.linalg.norm(step - plain_step) > 0.2 * np.linalg.norm(plain_step)
    pairs = extended_jacobian_of(LENGTHS, q)[:-2]
    assert np.linalg.norm(pairs @ limit(q, dx)) < np.linalg.norm(pairs @ plain_step)
    assert np.linalg.norm(plain_step) < np.linalg.norm(limit(q, dx))


# --- the path --------------------------------------------------------------------------------


def test_the_structure_touches_the_ellipse_at_its_right_end() -> None:
    np.testing.assert_allclose(end(np.zeros(6)), [400.0, 0.0])
    np.testing.assert_allclose(joints(Q)[[0, -1]], [BASE, end(Q)], atol=1e-12)
    path = ellipse(40)
    np.testing.assert_allclose((path[:, 0] / 400) ** 2 + (path[:, 1] / 50) ** 2, 1.0)
    np.testing.assert_allclose(
        path[[0, 10, 20, -1]], [[400, 0], [0, 50], [-400, 0], [400, 0]], atol=1e-12
    )


def test_a_walk_takes_one_step_for_each_position() -> None:
    found = walk(50, extension())
    assert found.q.shape == (51, 6)
    targets = ellipse(50)
    for k in (1, 7, 30):
        q = found.q[k - 1]
        np.testing.assert_array_equal(
            found.q[k], q + planar_step(LENGTHS, q, targets[k] - end(q), cutoff=0.0)[0]
        )
        assert found.distance[k] == pytest.approx(np.linalg.norm(targets[k] - end(found.q[k])))
    assert found.leaving == slice(0, 5)
    still = Walk(np.array([[0.0, 1.0], [0.5, -1.0]]), np.zeros(2))
    np.testing.assert_array_equal(still.jumps, [2.0])


def test_verdicts_over_several_settings() -> None:
    assert of_all([True, True]) is Verdict.HOLDS
    assert of_all([True, False]) is Verdict.DEPENDS
    assert of_all([False, False]) is Verdict.FAILS


# --- the experiments -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chapters(tmp_path_factory: pytest.TempPathFactory) -> list[Chapter]:
    return quick_paper("extended_jacobian", tmp_path_factory).paper.chapters


def test_every_chapter_is_complete(chapters: list[Chapter]) -> None:
    assert len(chapters) == 6
    for chapter in chapters:
        assert chapter.claims
        assert chapter.tables
        assert chapter.settings
        for picture in chapter.pictures:
            assert picture.data.startswith(b"<?xml")
        for table in chapter.tables:
            assert all(len(row) == len(table.columns) for row in table.rows)
        json_text(plain(chapter.numbers, chapter.title))


def test_the_jump_and_the_recovery(chapters: list[Chapter]) -> None:
    numbers = chapters[0].numbers["100 steps"]
    inverse, extended = numbers["Jacobian inversion"], numbers["extended Jacobian, w = 1"]
    # The first step is tiny and the second throws the structure over.
    assert inverse["turn"][0] < 0.01 < 3.0 < inverse["turn"][1]
    assert extended["turn"][:5].max() < 0.3
    assert inverse["distance"].max() > 10 * extended["distance"].max()
    # But on the rest of the way the pairs hold the end back.
    assert np.median(extended["distance"]) > 10 * np.median(inverse["distance"])
    # Claims follow from the numbers.
    verdicts = {claim.says: claim.verdict for claim in chapters[0].claims}
    assert verdicts["The extended Jacobian recovers well from the singular start."] is Verdict.HOLDS
    jump = next(verdict for says, verdict in verdicts.items() if "big jump" in says)
    assert jump is Verdict.HOLDS


def test_with_less_weight_only_the_arithmetic_fails(chapters: list[Chapter]) -> None:
    numbers = chapters[1].numbers
    turns = numbers["largest turn"]
    assert max(turns["least squares by SVD"]) < 0.6
    assert max(turns["normal equations and LU"]) > 3.0
    assert numbers["one step against Jacobian inversion"][-1] > 0.2
    assert numbers["one step against the limit"][-1] < 1e-3
    verdicts = [claim.verdict for claim in chapters[1].claims]
    assert verdicts == [Verdict.FAILS, Verdict.HOLDS, Verdict.DEPENDS]


def test_the_rank_is_not_guaranteed(chapters: list[Chapter]) -> None:
    numbers = chapters[2].numbers
    assert numbers["counterexample"][-1] < 1e-12
    assert min(numbers["on the way"]["extended Jacobian, on its own way"]) > 1e-3
    assert numbers["on the way"]["plain Jacobian, on that way"][0] < 1e-12
    assert [claim.verdict for claim in chapters[2].claims] == [Verdict.FAILS, Verdict.FAILS]


def test_other_methods_on_the_way(chapters: list[Chapter]) -> None:
    numbers = chapters[3].numbers
    ours = numbers["solved"]["limbik's default"]
    assert ours["distance"].max() < 0.1
    assert ours["turn"].max() < 0.5
    once = numbers["one iteration"]
    # The same step as the kernels of the plane, through solve.
    found = walk(len(once["limbik's default"]["distance"]) - 1, extension())
    through_solve = once["extended Jacobian (9, 10)"]["distance"]
    np.testing.assert_allclose(through_solve, found.distance, rtol=1e-4, atol=1e-6)


def test_stiff_joints_move_less_and_balls_need_their_own_rows(chapters: list[Chapter]) -> None:
    numbers = chapters[5].numbers
    for travelled in numbers["travelled"].values():
        assert (np.diff(travelled) < 0.0).all()
    assert numbers["difference in the plane"] < 1e-12
    hinges, balls, with_rows = numbers["reached by hinges, balls, balls with rows for turns"]
    assert balls < with_rows
    assert min(hinges, with_rows) >= 0.9
    without, with_wall = numbers["furthest without and with the wall"]
    assert with_wall < 0.35 < 0.6 < without


@pytest.mark.parametrize("chapter", [weight_to_nothing, rank_on_the_way, beyond_the_plane])
def test_two_runs_give_the_same_numbers(chapter, chapters: list[Chapter]) -> None:
    again = chapter(Order(quick=True))
    first = next(one for one in chapters if one.title == again.title)
    assert json_text(plain(again.numbers, "")) == json_text(plain(first.numbers, ""))
    assert [(c.verdict, c.seen) for c in again.claims] == [
        (c.verdict, c.seen) for c in first.claims
    ]
    assert [p.data for p in again.pictures] == [p.data for p in first.pictures]


def test_the_paper_names_what_a_problem_is() -> None:
    """The chain as a figure has the Jacobian of the plane."""
    problem = Problem(limbik.figures.chain(LENGTHS), [Reach("Tip", position=[1.0, 1.0, 0.0])])
    np.testing.assert_allclose(problem.jacobian(Q)[:2], jacobian_of(LENGTHS, Q), atol=1e-10)

"""line_search done again: each verdict turns with the data it rests on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from limbik.methods import JacobianTranspose
from limbik.papers.contract import Claim, Order, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search import steps, verdicts
from limbik.papers.line_search.chapters import (
    divergence,
    flip,
    leg,
    redundancy,
    singular,
    timelapse,
)
from limbik.papers.line_search.drawing import hull
from limbik.papers.line_search.follow import Entry, path_of
from limbik.papers.line_search.follow import Path as Iterates
from limbik.papers.line_search.statistics import Box
from limbik.papers.line_search.subject import Subject

# ---- verdicts: they follow the data -------------------------------------------------------------


def box(median: float, spread: float = 0.0, worst: float | None = None) -> Box:
    outliers = () if worst is None else (worst,)
    low, high = median - spread / 2, median + spread / 2
    return Box(low, low, median, high, high, outliers)


def test_the_default_is_lowest_or_not() -> None:
    def judge(ours: float, theirs: float):
        rows = {every: {"d": box(ours), "a": box(theirs), "b": box(9.0)} for every in (0.05, 0.7)}
        return verdicts.default_is_lowest(rows, "d", ["a", "b"], 1e-22)

    assert judge(1e-3, 1e-2).verdict is Verdict.HOLDS
    assert judge(1e-28, 1e-2).verdict is Verdict.HOLDS
    assert judge(1e-28, 1e-25).verdict is Verdict.HOLDS
    # Both solved to the last digit: the lower one is chance, and is named.
    tie = judge(1e-28, 1e-30)
    assert tie.verdict is Verdict.DEPENDS
    assert "a 1e-30" in tie.seen
    beaten = judge(1e-2, 1e-3)
    assert beaten.verdict is Verdict.FAILS
    assert "lower: a 0.001" in beaten.seen
    # Solved by the other, not by the default: no tie.
    assert judge(1e-2, 1e-30).verdict is Verdict.FAILS


def test_limits_are_kept_or_not() -> None:
    assert verdicts.inside_limits({"d": 0.0, "a": 0.0}, "d").verdict is Verdict.HOLDS
    leak = verdicts.inside_limits({"d": 0.0, "a": 0.2}, "d")
    assert leak.verdict is Verdict.DEPENDS
    assert "a 0.2 rad" in leak.seen
    assert verdicts.inside_limits({"d": 1e-9, "a": 0.0}, "d").verdict is Verdict.FAILS


def test_lower_and_more_compact_than_the_best_stable_rivals_or_not() -> None:
    def judge(ours: Box, good: Box, poor: Box | None = None) -> Claim:
        row = {"own": ours, "good": good, "poor": poor or box(99.0, 99.0), "wild": box(99.0)}
        rows = dict.fromkeys((0.05, 1.0), row)
        return verdicts.lower_and_more_compact(rows, "own", "r", ["poor", "good"], ["wild"])

    assert judge(box(1.0, 0.5), box(2.0, 1.0)).verdict is Verdict.HOLDS
    # Lower, but not much lower.
    assert judge(box(1.5, 0.5), box(2.0, 1.0)).verdict is Verdict.DEPENDS
    assert judge(box(1.0, 1.5), box(2.0, 1.0)).verdict is Verdict.DEPENDS
    assert judge(box(3.0, 1.5), box(2.0, 1.0)).verdict is Verdict.FAILS
    # However bad the other settings of a rival are, its best one counts.
    assert judge(box(3.0, 1.5), box(50.0, 60.0), box(2.0, 1.0)).verdict is Verdict.FAILS
    assert "not judged, because unstable: wild 99" in judge(box(1.0, 0.5), box(2.0, 1.0)).seen


def test_guests_and_other_methods_are_better_or_not() -> None:
    def rows(guest: float) -> dict[float, dict[str, Box]]:
        return {every: {"own": box(1.0, 0.5), "g": box(guest, guest)} for every in (0.05, 1.0)}

    found = [verdicts.better_than_guests(rows(value), "own", ["g"]) for value in (2.0, 0.7, 0.1)]
    assert [claim and claim.verdict for claim in found] == [
        Verdict.HOLDS, Verdict.DEPENDS, Verdict.FAILS,
    ]  # fmt: skip
    assert verdicts.better_than_guests(rows(2.0), "own", []) is None
    others = [verdicts.lowest_of_all(rows(value), "own", ["g"]) for value in (2.0, 0.1)]
    assert [claim and claim.verdict for claim in others] == [Verdict.HOLDS, Verdict.FAILS]
    assert all(claim is not None and claim.own for claim in others)
    assert verdicts.lowest_of_all(rows(2.0), "own", ["absent"]) is None


def test_the_best_stable_step_is_found_among_the_stable_ones() -> None:
    def rung(step: float, error: float, restless: int) -> steps.Rung:
        entry = Entry("t", np.full(3, error), np.zeros(3))
        return steps.Rung(step, {0.05: entry, 1.0: entry}, {0.05: 0, 1.0: restless})

    slow, good, wild = rung(0.001, 1.0, 0), rung(0.002, 0.1, 0), rung(0.004, 0.01, 1)
    assert steps.best_stable([slow, good, wild]) is good
    assert steps.best_stable([wild]) is None
    assert (good.stable, wild.stable) == (True, False)


def test_an_answer_is_restless_where_it_moves_and_comes_no_nearer() -> None:
    far, near = np.array([[0.0], [0.5], [0.0]]), np.array([[0.0], [1e-4], [0.0]])
    assert steps.restless(np.array([1.0, 2.0, 1.0]), far)
    assert steps.restless(np.array([1.0, 1.0, 1.0]), far)
    assert not steps.restless(np.array([1.0, 0.9, 0.8]), far)  # slow, not unstable
    assert not steps.restless(np.array([1.0, 2.0, 1.0]), near)
    assert not steps.restless(np.array([1.0]), far[:1])


def test_the_step_of_the_paper_is_restless_on_the_cartwheel_and_half_of_it_is_not(
    subject: Subject,
) -> None:
    drills = [subject.drill(0.05, most=4), subject.drill(1.0, most=2)]
    rungs = steps.sweep(Order(quick=True), subject, drills, 400, {})
    found = {rung.step: rung.stable for rung in rungs}
    assert found == {0.00125: True, 0.0025: True, 0.005: False}
    assert steps.table(rungs).rows[2][-1] is False


def test_outliers_around_eighty_or_not() -> None:
    def judge(own: tuple[float, float], stable: tuple[float, float]) -> Verdict:
        pairs = zip((0.05, 1.0), own, stable, strict=True)
        rows = {
            every: {"t": box(1.0, 0.1, worst), "s": box(1.0, 0.1, calm)}
            for every, worst, calm in pairs
        }
        return verdicts.outliers_of_transpose(rows, "t", "s").verdict

    assert judge((8.0, 80.0), (1.0, 90.0)) is Verdict.HOLDS
    assert judge((8.0, 80.0), (1.0, 1.5)) is Verdict.DEPENDS  # the step's fault
    assert judge((8.0, 20.0), (1.0, 1.5)) is Verdict.DEPENDS  # worse, but not around 80
    assert judge((90.0, 80.0), (1.0, 1.5)) is Verdict.FAILS  # no worse at 1 s
    assert judge((8.0, 9.0), (1.0, 1.5)) is Verdict.FAILS


def test_descent_slot_and_smoothness() -> None:
    counts = {"a": 10, "b": 10}
    for rises, verdict in ((0, Verdict.HOLDS), (1, Verdict.FAILS)):
        assert verdicts.never_rises({"a": rises, "b": 5}, counts, "a").verdict is verdict
        own = verdicts.default_never_rises({"a": 5, "b": rises}, counts, "b")
        assert (own.verdict, own.own) == (verdict, True)

    def slot(*shares: float) -> Verdict:
        by_sampling = dict(zip((0.05, 0.7), shares, strict=True))
        return verdicts.slot_suffices(by_sampling, "m", 0.015, "").verdict

    assert [slot(1.0, 0.99), slot(1.0, 0.5), slot(0.9, 0.5)] == [
        Verdict.HOLDS, Verdict.DEPENDS, Verdict.FAILS,
    ]  # fmt: skip
    for own, verdict in ((1.0, Verdict.HOLDS), (3.0, Verdict.DEPENDS), (9.0, Verdict.FAILS)):
        rough = {"m": own, "i": 4.0, "c": 2.0}
        assert verdicts.smoother(rough, "m", ["i", "c"]).verdict is verdict


def test_quasi_newton_is_too_costly_or_not() -> None:
    def judge(quasi: float):
        rows = {0.05: {"own": box(1.0), "bfgs": box(quasi)}}
        return verdicts.quasi_newton(rows, {"own": 1e-5, "bfgs": 3e-5}, "own", ["bfgs", "absent"])

    costly, good = judge(2.0), judge(1e-9)
    assert costly is not None
    assert costly.verdict is Verdict.HOLDS
    assert "3 times as much" in costly.seen
    assert good is not None
    assert good.verdict is Verdict.FAILS
    assert verdicts.quasi_newton({0.05: {"own": box(1.0)}}, {}, "own", ["bfgs"]) is None


# ---- the fixed step -----------------------------------------------------------------------------


def _path(f: list[float], q: list[list[float]]) -> Iterates:
    return Iterates(np.array(f), np.array(q))


def test_settled_flipping_and_wandering_are_told_apart() -> None:
    calm = _path([1.0, 0.5, 0.4], [[0.0], [0.5], [0.5005]])
    to_and_fro = _path([1.0, 1.0, 1.0, 1.0], [[0.0], [1.0], [0.01], [1.0]])
    astray = _path([1.0, 2.0, 3.0], [[0.0], [1.0], [2.0]])
    assert divergence.settled(calm)
    assert not divergence.flips(calm)
    assert not divergence.settled(to_and_fro)
    assert divergence.flips(to_and_fro)
    assert not divergence.settled(astray)
    assert not divergence.flips(astray)


def test_orders_of_convergence() -> None:
    k = np.arange(12)
    linear, quadratic = 0.7**k, 0.5 ** (2.0 ** np.arange(6))
    for e, order in ((linear, 1.0), (quadratic, 2.0)):
        path = Iterates(e**2, np.zeros((len(e), 1)))
        assert divergence.convergence_order(path) == pytest.approx(order, abs=1e-9)


def test_the_threshold_is_one_by_the_largest_singular_value_squared(subject: Subject) -> None:
    """Below 1/σ₁² the transpose settles close to a solution, above it does not."""
    from limbik.solver.targets.tables import batch_problem

    there = subject.clip.sample(0.05).q[30]
    targets = subject.figure.positions(there)[subject.index()]
    _, _, problem = batch_problem(subject.figure, subject.effectors, targets[None], None)
    limit = 1.0 / float(np.linalg.norm(problem.jacobian(there), 2)) ** 2
    start = subject.clip.sample(0.05).q[29]
    for share, calm in ((0.8, True), (1.25, False)):
        method = JacobianTranspose(step=share * limit)
        path = path_of(subject.figure, subject.effectors, targets, start, method, 300)
        assert divergence.settled(path) is calm
    assert 0.0025 < limit < 0.01  # the paper's 0.005, for this body in its unit


def test_verdicts_about_the_step_follow_the_paths() -> None:
    settled = _path([1.0, 0.5, 0.5], [[0.0], [1.0], [1.0]])
    flipping = _path([1.0, 1.0, 1.0, 1.0], [[0.0], [1.0], [0.0], [1.0]])
    wild = {step: [flipping] for step in divergence.STEPS} | {0.0025: [settled]}
    tame = {step: [settled] for step in divergence.STEPS}
    orders = {"Jacobian transpose": [1.02], "projected LM": [2.0]}
    near, far = np.array([0.004]), np.array([0.05])
    # 0.005 does not settle and its half does: it depends on what τ multiplies.
    holds = divergence.claims(near, near, wild, orders)
    assert [claim.verdict for claim in holds] == [
        Verdict.DEPENDS, Verdict.HOLDS, Verdict.HOLDS, Verdict.HOLDS,
    ]  # fmt: skip
    calm = wild | {0.005: [settled]}
    assert divergence.claims(near, near, calm, orders)[0].verdict is Verdict.HOLDS
    fails = divergence.claims(far, near, tame, orders | {"Jacobian transpose": [2.0]})
    assert [fails[k].verdict for k in (0, 2, 3)] == [Verdict.FAILS] * 3
    shorter_is_better = wild | {0.0025: [_path([1.0, 1e-3], [[0.0], [0.0]])]}
    assert divergence.claims(near, near, shorter_is_better, orders)[1].verdict is Verdict.FAILS


# ---- leg, flip, singular pose, redundancy, pictures ---------------------------------------------


def test_the_leg_is_held_back_by_its_limits() -> None:
    chapter = leg.chapter(Order())
    *papers, own = (claim.verdict for claim in chapter.claims)
    assert papers == [Verdict.HOLDS] * 2
    # limbik's own claim: in one of the five poses the default ends in another optimum.
    assert own in (Verdict.HOLDS, Verdict.DEPENDS)
    assert chapter.numbers["outside"] == 0.0
    for key in (who.LINE_SEARCH, who.DEFAULT):
        with_limits, without = np.array(chapter.numbers["distance"][key]).T
        assert with_limits[2] > 0.5
        assert without[2] < 1e-6
        assert with_limits[4] > without[4] > 0.5  # out of reach either way
    assert len(chapter.pictures) == 1


def test_verdicts_about_the_leg_follow_the_poses() -> None:
    near, far = [(0.0, 0.0)] * 5, [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.3, 0.0), (2.0, 1.0)]
    wide, none = [1.0] * 5, [0.0] * 5
    both = (who.LINE_SEARCH, who.DEFAULT)
    good = leg.claims(dict.fromkeys(both, far), dict.fromkeys(both, wide), 0.0)
    assert [claim.verdict for claim in good] == [Verdict.HOLDS] * 3
    bad = leg.claims({both[0]: near, both[1]: far}, dict.fromkeys(both, none), 0.0)
    assert [claim.verdict for claim in bad] == [Verdict.FAILS, Verdict.FAILS, Verdict.DEPENDS]


def test_the_figure_of_the_flip_has_sixteen_coordinates_and_cones() -> None:
    figure = flip.trunk_with_arms()
    assert figure.n == 16
    left, right = (figure.coordinates_of(f"{side}Shoulder") for side in ("Left", "Right"))
    np.testing.assert_allclose(figure.upper[left], figure.upper[right] * [1, 1, 1], atol=2)
    mirrored = figure.positions(figure.rest)[figure.index("LeftHand")] * [-1, 1, 1]
    np.testing.assert_allclose(figure.positions(figure.rest)[figure.index("RightHand")], mirrored)


def test_verdicts_about_the_flip_follow_the_turns() -> None:
    feasible = {who.LINE_SEARCH: True, who.DEFAULT: True, who.INVERSE: False, who.CLAMPED: False}
    calm = {who.LINE_SEARCH: 0.1, who.DEFAULT: 0.2, who.INVERSE: 2.0, who.CLAMPED: 2.0}

    def judge(largest: dict[str, float]) -> list[Verdict]:
        flips = {key: int(value > math.radians(60)) for key, value in largest.items()}
        return [claim.verdict for claim in flip.claims(largest, flips, feasible)]

    assert judge(calm) == [Verdict.HOLDS, Verdict.HOLDS, Verdict.HOLDS]
    assert judge(calm | {who.CLAMPED: 0.3})[0] is Verdict.DEPENDS
    assert judge(calm | {who.INVERSE: 0.3, who.CLAMPED: 0.3})[0] is Verdict.FAILS
    assert judge(calm | {who.LINE_SEARCH: 2.0}) == [
        Verdict.FAILS, Verdict.DEPENDS, Verdict.FAILS,
    ]  # fmt: skip
    assert judge(calm | {who.DEFAULT: 2.0})[1] is Verdict.FAILS
    assert judge(calm | {who.DEFAULT: 0.05})[2] is Verdict.FAILS


def test_verdicts_about_the_singular_pose_follow_the_numbers() -> None:
    def judge(own: float, ours: float, left: float) -> list[Verdict]:
        rough = {who.LINE_SEARCH: own, who.INVERSE: 1.0, who.DEFAULT: ours, who.TRANSPOSE: 1.0}
        missed = dict.fromkeys(rough, 0.5) | {who.DEFAULT: left}
        found = singular.claims(rough, dict.fromkeys(rough, 0.1), missed)
        return [claim.verdict for claim in found]

    assert judge(0.1, 0.1, 0.0) == [Verdict.HOLDS, Verdict.HOLDS, Verdict.HOLDS]
    assert judge(0.5, 0.7, 0.5) == [Verdict.DEPENDS, Verdict.FAILS, Verdict.FAILS]
    assert judge(2.0, 0.2, 0.9) == [Verdict.FAILS, Verdict.HOLDS, Verdict.FAILS]


def test_the_targets_of_the_singular_pose_cross_the_end_of_the_reach() -> None:
    for way, low, high in ((singular.AROUND, 2.3, 4.1), (singular.STRAIGHT, 3.3, 4.2)):
        away = np.linalg.norm(singular.paths()[way][:, 0], axis=1)
        assert (away.min(), away.max()) == (pytest.approx(low), pytest.approx(high, abs=1e-3))
        assert low < sum(singular.LENGTHS) < high


def test_verdicts_about_redundancy_and_jitter_follow_the_numbers() -> None:
    def judge(far: float, ratio: float) -> list[Verdict]:
        found = redundancy.claims(
            dict.fromkeys(redundancy.KEYS, far),
            dict.fromkeys(redundancy.KEYS, 5),
            {who.LINE_SEARCH: [ratio], who.DEFAULT: [1.0]},
        )
        return [claim.verdict for claim in found]

    assert judge(1.0, 1.0) == [Verdict.HOLDS, Verdict.HOLDS]
    assert judge(0.1, 1.5) == [Verdict.FAILS, Verdict.DEPENDS]
    assert judge(0.1, 3.0)[1] is Verdict.FAILS
    near = {who.LINE_SEARCH: 0.1, who.INVERSE: 1.0, who.CLAMPED: 0.5}
    wild = {who.LINE_SEARCH: 0, who.INVERSE: 4, who.CLAMPED: 1}
    assert timelapse.claims(near, wild)[0].verdict is Verdict.HOLDS
    assert timelapse.claims(near, wild | {who.CLAMPED: 0})[0].verdict is Verdict.DEPENDS
    assert timelapse.claims(near, dict.fromkeys(wild, 0))[0].verdict is Verdict.DEPENDS
    swapped = {who.LINE_SEARCH: 1.0, who.INVERSE: 0.1, who.CLAMPED: 0.1}
    assert timelapse.claims(swapped, dict.fromkeys(wild, 0))[0].verdict is Verdict.FAILS


def test_joints_between_root_and_effectors_are_open(subject: Subject) -> None:
    names = {subject.figure.joints[k] for k in np.nonzero(redundancy.between(subject))[0]}
    assert {"LeftForeArm", "RightLeg", "Spine", "Neck"} <= names
    assert not names & {"LeftHand", "LeftHandIndex1", "RightToeBase", "Head", "Hips"}


def test_a_hull_is_what_the_points_span() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.0]])
    assert sorted(map(tuple, hull(square))) == [(0, 0), (0, 1), (1, 0), (1, 1)]

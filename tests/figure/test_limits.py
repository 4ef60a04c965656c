"""Limits: projections onto ranges and cones, and the directions they leave free."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from helpers.random_figures import SEEDS, TREES, random_figure
from limbik import Figure, FigureError, Joint, Range, SwingTwist
from limbik.figure import cones, projection
from limbik.figure.joints import (
    euler,
    exponential,
    prismatic,
    revolute,
    swing_twist,
    universal,
)

AXES = st.floats(-3, 0.49).map(lambda e: 10.0**e)  # 1e-3 to π
FAR = st.one_of(st.floats(-4, 4), st.floats(-1e3, 1e3), st.sampled_from([0.0, 1e-12, -1e-6]))


def one(parts, limit=None) -> Figure:
    return Figure([Joint("Joint", parts=parts, limit=limit)])


# ---- every limit --------------------------------------------------------------------------------


@given(SEEDS, TREES)
@settings(max_examples=150)
def test_projection_is_idempotent_and_lands_exactly_inside(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    wild = rng.normal(size=(10, figure.n)) * rng.choice([0.1, 1.0, 3.0, 100.0], size=(10, 1))
    inside = figure.project(wild)
    np.testing.assert_array_equal(figure.project(inside), inside)
    assert (figure.violation(inside) == 0.0).all()
    # Whole turns, which the projection leaves alone, are not counted (test_whole_turns.py).
    apart = np.abs(inside - wild).max(axis=1, initial=0.0)
    assert (figure.violation(wild) <= apart).all()
    # A cone that an exponential ball wears has a bounding range too.
    assert (inside >= figure.lower).all()
    assert (inside <= figure.upper).all()


@pytest.mark.parametrize(
    "limit",
    [
        SwingTwist(twist=(0.3, 0.3)),
        SwingTwist(swing=(1.0, 0.5), twist=(-0.2, -0.2)),
        SwingTwist(swing=1e-3, twist=(0.0, 1e-6)),
        SwingTwist(swing=(1e-3, 0.5), center=(1.0, -0.5)),
        SwingTwist(swing=(1e-5, 2e-6), center=(2.0, 0.3)),
        SwingTwist(twist=(2.0, 3.0)),
        SwingTwist(swing=3.0),
    ],
)
@pytest.mark.parametrize("ball", [swing_twist("y"), swing_twist((1, 2, 3)), exponential("z")])
def test_narrow_cones_hold_exactly_too(ball, limit: SwingTwist) -> None:
    figure = one(ball, limit)
    inside = figure.project(np.random.default_rng(0).normal(size=(500, 3)) * 2)
    np.testing.assert_array_equal(figure.project(inside), inside)
    if isinstance(ball[0], type(swing_twist()[0])) and limit.swing is not None:
        (a, b), (x, y) = limit.swing, limit.center
        assert (((inside[:, 0] - x) / a) ** 2 + ((inside[:, 1] - y) / b) ** 2 <= 1.0).all()


WIDTHS = st.one_of(
    st.floats(-12, math.log10(math.radians(179.0))).map(lambda e: 10.0**e),
    st.sampled_from([1e-300, 1e-16, 1e-8, 1e-9, 4e-9, math.radians(179.0)]),
)
"""Half a cone's angle, in rad: from what rounding hides to all that can be set."""
TWISTS = st.one_of(
    st.none(),
    st.tuples(st.floats(-math.pi, math.pi), st.one_of(st.just(0.0), WIDTHS)).map(
        lambda pair: (pair[0], min(math.pi, pair[0] + pair[1]))
    ),
    st.sampled_from([(-math.pi, -math.pi), (math.pi, math.pi), (-math.inf, 0.5), (-1.0, math.inf)]),
)
MIDDLES = st.one_of(st.just((0.0, 0.0)), st.tuples(st.floats(-2.2, 2.2), st.floats(-2.2, 2.2)))
BALLS = st.sampled_from(
    [swing_twist("y"), swing_twist((1, 2, 3)), exponential("z"), exponential((3, 1, -2))]
)


@given(BALLS, WIDTHS, WIDTHS, TWISTS, MIDDLES, SEEDS)
@example(exponential("z"), 1e-8, 1e-8, None, (0.0, 0.0), 0)
@example(exponential("z"), 1e-8, 1.0, (-math.pi, -math.pi), (0.0, 0.0), 0)
@example(exponential("z"), 1.0, 1e-12, (0.3, 0.3), (2.2, 2.2), 1)
@example(swing_twist("y"), 1e-16, 1e-300, (0.0, 0.0), (1.0, 0.3), 2)
@settings(max_examples=200)
def test_every_cone_that_can_be_set_is_kept_to_the_bit(
    ball, a: float, b: float, twist, center: tuple[float, float], seed: int
) -> None:
    assume(math.hypot(*center) < math.radians(179.0))
    figure = one(ball, SwingTwist(swing=(a, b), twist=twist, center=center))
    rng = np.random.default_rng(seed)
    wild = rng.normal(size=(12, 3)) * 10.0 ** rng.uniform(-12, 2, size=(12, 1))
    inside = figure.project(np.concatenate([wild, wild + [*center, 0.0]]))
    np.testing.assert_array_equal(figure.project(inside), inside)
    assert (figure.violation(inside) == 0.0).all()
    # Half way between two allowed poses of a convex set nothing moves either.
    if ball[0] == swing_twist("y")[0] and min(a, b) > 1e-6:
        between = 0.5 * (inside[:12] + inside[12:])
        np.testing.assert_allclose(figure.project(between), between, rtol=0, atol=1e-14)
    # The limit itself is kept, except where it is narrower than rounding.
    limit = figure.definition[0].limit
    if isinstance(ball[0], type(exponential()[0])):
        basis = Rotation.from_matrix(ball[0].basis)
        turns = basis.inv() * Rotation.from_rotvec(inside) * basis
        twists = turns.as_quat() * [0, 0, 1, 1]
        swings = (turns * Rotation.from_quat(twists).inv()).as_rotvec()[:, :2]
        room = np.maximum(limit.swing, 3e-9)
        assert ((((swings - limit.center) / room) ** 2).sum(axis=1) <= 1.0 + 1e-3).all()


@given(
    st.lists(
        st.tuples(st.floats(-50, 50), st.one_of(st.just(0.0), WIDTHS)), min_size=3, max_size=3
    ),
    SEEDS,
)
def test_every_range_that_can_be_set_is_kept_to_the_bit(ranges, seed: int) -> None:
    lower = np.array([low for low, _ in ranges])
    figure = one(euler("ZYX"), Range(lower, lower + [width for _, width in ranges], degrees=False))
    inside = figure.project(np.random.default_rng(seed).normal(size=(20, 3)) * 60)
    np.testing.assert_array_equal(figure.project(inside), inside)
    assert (figure.violation(inside) == 0.0).all()
    assert ((inside >= figure.lower) & (inside <= figure.upper)).all()


@pytest.mark.parametrize("ball", [exponential("z"), swing_twist("y")])
def test_a_ball_without_limits_stays_in_its_chart(ball) -> None:
    figure = one(ball)
    rng = np.random.default_rng(0)
    wild = rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-3, 9, size=(200, 1))
    inside = figure.project(wild)
    np.testing.assert_array_equal(figure.project(inside), inside)
    assert (figure.violation(inside) == 0.0).all()


# ---- the nearest point --------------------------------------------------------------------------


@given(SEEDS)
def test_a_range_gives_the_nearest_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lower, upper = -rng.exponential(size=3), rng.exponential(size=3)
    lower[rng.random(3) < 0.2] = -np.inf
    figure = one(euler("ZYX"), Range(lower, upper, degrees=False))
    q = rng.normal(size=3) * 3
    np.testing.assert_array_equal(figure.project(q), np.clip(q, lower, upper))


def nearest_by_search(x: float, y: float, a: float, b: float) -> float:
    """Distance from (x, y) to the edge of an ellipse, by ever finer search over the angle."""
    centre, width = math.pi, math.pi
    for _ in range(12):
        angle = np.linspace(centre - width, centre + width, 4001)
        apart = np.hypot(a * np.cos(angle) - x, b * np.sin(angle) - y)
        centre, width = float(angle[np.argmin(apart)]), width / 1000
    return float(apart.min())


@given(FAR, FAR, AXES, AXES)
@example(1.0, 1.0, 1e-3, 3.0)
@example(0.0, 1e-3, 3.0, 1e-3)
@example(2.999, 0.0, 3.0, 1e-3)
@example(1e3, 1e3, 1e-3, 1e-3)
@example(1e-12, 2e-3, 3.0, 1e-3)
@settings(max_examples=300)
def test_a_swing_cone_gives_the_nearest_point(x: float, y: float, a: float, b: float) -> None:
    nx, ny = cones.nearest_on_ellipse(x, y, a, b)
    assert (nx / a) * (nx / a) + (ny / b) * (ny / b) <= 1.0
    if (x / a) * (x / a) + (y / b) * (y / b) <= 1.0:
        assert (nx, ny) == (x, y)
        return
    best = nearest_by_search(x, y, a, b)
    assert math.hypot(nx - x, ny - y) <= best * (1 + 1e-12) + 1e-14
    # The way out is along the normal (x/a², y/b²) of the edge.
    away, normal = np.array([x - nx, y - ny]), np.array([nx / a**2, ny / b**2])
    size = np.linalg.norm(away)
    assume(size > 1e-6 * max(abs(x), abs(y), 1e-3))
    cross = away[0] * normal[1] - away[1] * normal[0]
    assert abs(cross) < 1e-6 * size * np.linalg.norm(normal)


@given(SEEDS)
def test_a_cone_off_centre_is_the_same_cone_moved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    swing, center = tuple(rng.uniform(0.1, 1.5, 2)), rng.uniform(-1, 1, 2)
    there = one(swing_twist(), SwingTwist(swing=swing, center=tuple(center), twist=(-0.5, 0.5)))
    here = one(swing_twist(), SwingTwist(swing=swing, twist=(-0.5, 0.5)))
    q = rng.normal(size=3) * 2
    moved = there.project(q + [*center, 0.0]) - [*center, 0.0]
    np.testing.assert_allclose(moved, here.project(q), atol=1e-14)


def swing_and_twist(w: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, float]:
    """Swing numbers and twist of exp(w), by SciPy."""
    x, y, z, s = Rotation.from_rotvec(basis.T @ w).as_quat()
    twist = 2 * math.atan2(z, s)
    swing = Rotation.from_quat([x, y, z, s]) * Rotation.from_rotvec([0, 0, -twist])
    return swing.as_rotvec()[:2], (twist + math.pi) % (2 * math.pi) - math.pi


@given(SEEDS)
def test_a_cone_on_an_exponential_ball_bounds_its_swing_and_twist(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = exponential(rng.normal(size=3), rng.normal(size=3))
    a, b, low, high = *rng.uniform(0.2, 2.0, 2), -rng.uniform(0, 2.5), rng.uniform(0, 2.5)
    figure = one(parts, SwingTwist(swing=(a, b), twist=(low, high)))
    for wild in rng.normal(size=(20, 3)):
        w = figure.project(wild)
        (s1, s2), twist = swing_and_twist(w, parts[0].basis)
        assert (s1 / a) ** 2 + (s2 / b) ** 2 <= 1 + 1e-12
        assert low - 1e-12 <= twist <= high + 1e-12
        (s1, s2), twist = swing_and_twist(wild, parts[0].basis)
        if (s1 / a) ** 2 + (s2 / b) ** 2 < 1 - 1e-9 and low + 1e-9 < twist < high - 1e-9:
            np.testing.assert_array_equal(w, wild)
        # What is inside on its own stays as it was: a twist too far does not move the swing.
        if low < twist < high:
            assert swing_and_twist(w, parts[0].basis)[1] == pytest.approx(twist, abs=1e-8)
        else:
            far, near = sorted((low, high), key=lambda end: math.cos(twist - end))
            if math.cos(twist - near) - math.cos(twist - far) > 1e-6:
                assert swing_and_twist(w, parts[0].basis)[1] == pytest.approx(near, abs=1e-6)


@pytest.mark.parametrize(
    ("twist", "end"),
    [(1.0, 0.6), (-1.0, -0.2), (3.0, 0.6), (3.5, -0.2), (-2.5, -0.2), (-3.0, 0.6), (0.3, 0.3)],
)
def test_the_twist_of_an_exponential_ball_stops_at_the_nearer_end(twist: float, end: float) -> None:
    figure = one(exponential("z"), SwingTwist(swing=1.0, twist=(-0.2, 0.6)))
    x, y, z = figure.project([0.0, 0.0, twist])
    np.testing.assert_allclose([x, y, math.remainder(z, 2 * math.pi)], [0.0, 0.0, end], atol=1e-6)


# ---- free directions ----------------------------------------------------------------------------


def directions(figure: Figure, q: np.ndarray, descent: np.ndarray) -> np.ndarray:
    """(count, n) the free directions as rows."""
    n = figure.n
    starts, spans = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    coefficients = np.zeros((n, 3))
    ints, floats = figure.tree.kernel_buffers
    count = projection.free_directions(
        ints, floats, q, descent, starts, spans, coefficients, np.empty(cones.SCRATCH)
    )
    rows = np.zeros((count, n))
    for d in range(count):
        rows[d, starts[d] : starts[d] + spans[d]] = coefficients[d, : spans[d]]
    return rows


@given(SEEDS)
def test_at_a_cones_edge_only_the_tangent_is_free(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.1, 1.5, 2)
    figure = one(swing_twist(), SwingTwist(swing=(a, b)))
    angle = rng.uniform(0, 2 * math.pi)
    q = figure.project([2 * a * math.cos(angle), 2 * b * math.sin(angle), 0.1])
    normal = np.array([q[0] / a**2, q[1] / b**2, 0.0])
    normal /= np.linalg.norm(normal)
    rows = directions(figure, q, normal + [0, 0, 1])
    np.testing.assert_allclose(rows @ normal, 0.0, atol=1e-12)
    np.testing.assert_allclose(rows @ rows.T, np.eye(2), atol=1e-12)
    # Pushed inwards, or away from the edge, everything is free.
    assert len(directions(figure, q, -normal)) == 3
    assert len(directions(figure, q * [0.99, 0.99, 1.0], normal)) == 3


@given(SEEDS)
def test_at_an_exponential_cones_edge_the_free_directions_stay_on_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = exponential(rng.normal(size=3), rng.normal(size=3))
    a, b = rng.uniform(0.3, 1.5, 2)
    figure = one(parts, SwingTwist(swing=(a, b)))

    def level(w: np.ndarray) -> float:
        (s1, s2), _ = swing_and_twist(w, parts[0].basis)
        return (s1 / a) ** 2 + (s2 / b) ** 2

    q = figure.project(rng.normal(size=3) * 1.5)
    assume(level(q) > 1 - 1e-8)
    slope = np.array([level(q + h) - level(q - h) for h in 1e-6 * np.eye(3)]) / 2e-6
    rows = directions(figure, q, slope)
    assert len(rows) == 2
    np.testing.assert_allclose(rows @ slope / np.linalg.norm(slope), 0.0, atol=1e-6)
    assert len(directions(figure, q, -slope)) == 3


@given(SEEDS)
def test_where_two_edges_meet_the_free_directions_hold_the_nearest_way_down(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = exponential(rng.normal(size=3), rng.normal(size=3))
    a, b = rng.uniform(0.3, 1.5, 2)
    figure = one(parts, SwingTwist(swing=(a, b), twist=(-0.3, 0.4)))
    q = figure.project(rng.normal(size=3) * 1.5)
    ints, floats = figure.tree.kernel_buffers
    normals = np.empty((2, 3))
    assume(cones.cone_normals(ints, floats, 0, q, normals, np.empty(cones.SCRATCH)) == 2)
    descent = rng.normal(size=3)
    # What is left of the descent inside both edges, by non-negative least squares.
    multipliers = nnls(normals.T, descent)[0]
    allowed = descent - multipliers @ normals
    rows = directions(figure, q, descent)
    assert len(rows) == 3 - (multipliers > 0.0).sum()
    np.testing.assert_allclose(rows.T @ rows @ descent, allowed, atol=1e-9)


def test_a_range_frees_what_is_not_pushed_into_its_end() -> None:
    figure = one(euler("ZYX"), Range([-1, -1, 0.5], [1, 1, 0.5]))
    descent = np.array([1.0, -1.0, 1.0])
    assert directions(figure, np.array([0.0, 0.0, 0.5]), descent).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert directions(figure, np.array([1.0, 0.0, 0.5]), descent).tolist() == [[0, 1, 0]]
    assert directions(figure, np.array([-1.0, -1.0, 0.5]), descent).tolist() == [[1, 0, 0]]


# ---- rest and refusals ---------------------------------------------------------------------------


def test_the_rest_pose_is_projected() -> None:
    figure = one(euler("XYZ")).with_limits({"Joint.ry": Range(0.2, 1.0)})
    assert figure.rest.tolist() == [0.0, 0.2, 0.0]
    assert figure.with_rest([2.0, 2.0, 2.0]).rest.tolist() == [2.0, 1.0, 2.0]
    cone = one(swing_twist(), SwingTwist(swing=0.2, center=(1.0, 0.0)))
    np.testing.assert_allclose(cone.rest, [0.8, 0.0, 0.0], atol=1e-15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Range(1, 0), "lower 1 is above upper 0"),
        (lambda: Range(math.nan, 1), "NaN"),
        (lambda: Range(0, [1, math.nan]), "NaN"),
        (lambda: Range(math.inf, math.inf), "allows nothing"),
        (lambda: Range([0, 0], [1, 1, 1]), "Range"),
        (lambda: SwingTwist(swing=(-1, 1)), "positive"),
        (lambda: SwingTwist(swing=0.0), "positive"),
        (lambda: SwingTwist(swing=(math.nan, 1)), "positive"),
        (lambda: SwingTwist(swing=(1, 2, 3)), "SwingTwist"),
        (lambda: SwingTwist(twist=(1, 0)), "above"),
        (lambda: SwingTwist(twist=(0, math.nan)), "NaN"),
        (lambda: SwingTwist(twist=(math.inf, math.inf)), "twist"),
        (lambda: SwingTwist(swing=1, center=(math.nan, 0)), "center"),
        (lambda: SwingTwist(swing=1, center=(4, 0)), "center"),
        (lambda: one(revolute("z"), Range([0, 0], [1, 1])), "Joint.*2 values for 1"),
        (lambda: one(euler("XYZ"), SwingTwist(swing=1)), "Joint.*give it a Range"),
        (lambda: one(prismatic("x"), SwingTwist(swing=1)), "Joint.*prismatic"),
        (lambda: one(swing_twist(), Range(-3, 3)), "Joint.*SwingTwist"),
        (lambda: one(exponential(), Range(-6, 6)), "Joint.*2π"),
        (lambda: one(revolute("z"), (0, 1)), "Joint"),
        (lambda: one(revolute("z")).with_limits({"Jiont": Range(0, 1)}), 'did you mean "Joint"'),
        (lambda: one(universal("x", "y")).with_limits({"Joint.rz": Range(0, 1)}), "Joint.rz"),
        (lambda: one(euler()).with_limits({"Joint.ry": Range([0, 0], [1, 1])}), "Joint.ry"),
        (lambda: one(swing_twist()).with_limits({"Joint.twist": SwingTwist(swing=1)}), "Joint"),
    ],
)  # fmt: skip
def test_impossible_limits_are_refused_by_name(make, words: str) -> None:
    with pytest.raises(FigureError, match=words):
        make()

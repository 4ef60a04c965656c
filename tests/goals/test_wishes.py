"""FarFromLimits and Manipulability: wishes that take what other goals leave free."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import FarFromLimits, GoalError, Manipulability, Problem, Reach, Rest

ARM = limbik.figures.arm()
TARGETS = np.linspace([0.4, -0.2, 0.5], [0.4, 0.2, 0.5], 6)


def volume(q: np.ndarray) -> float:
    """Yoshikawa's measure of the tool's position."""
    jacobian = ARM.jacobian(q, "Tool")[:3]
    return float(np.sqrt(np.linalg.det(jacobian @ jacobian.T)))


def off_middle(q: np.ndarray) -> float:
    half = 0.5 * (ARM.upper - ARM.lower)
    return float(np.mean(((q - ARM.lower) / half - 1.0) ** 2))


def test_wishes_below_a_reach_get_better_and_do_not_move_it() -> None:
    reach = Reach("Tool", position=TARGETS[-1])
    plain = limbik.solve(ARM, reach)
    wide = limbik.solve(ARM, [reach, Manipulability("Tool", priority=1)])
    middle = limbik.solve(ARM, [reach, FarFromLimits(priority=1)])
    assert plain.ok
    assert wide.ok
    assert middle.ok
    assert volume(wide.q) > 1.03 * volume(plain.q)
    assert off_middle(middle.q) < 0.7 * off_middle(plain.q)
    for r in (wide, middle):
        assert float(r.errors[0]) <= float(plain.errors[0]) + 1e-6


def test_a_wish_alone_is_fulfilled_as_far_as_it_can_be() -> None:
    r = limbik.solve(ARM, FarFromLimits())
    assert r.ok
    np.testing.assert_allclose(r.q, 0.5 * (ARM.lower + ARM.upper), atol=1e-6)
    r = limbik.solve(ARM, Manipulability("Tool"))
    assert r.ok
    slope = Problem(ARM, Manipulability("Tool", weight=1.0)).gradient(r.q)
    free = (r.q > ARM.lower) & (r.q < ARM.upper)
    assert np.abs(slope[free]).max() < 1e-4
    assert volume(r.q) > volume(ARM.rest)


def test_wishes_in_batches_tracks_and_ticks() -> None:
    goals = [Reach("Tool", position=TARGETS), FarFromLimits(weight=1e-2, priority=1)]
    many = limbik.solve_many(ARM, goals)
    assert many.ok.all()
    plain = limbik.solve_many(ARM, goals[:1])
    assert sum(map(off_middle, many.q)) < sum(map(off_middle, plain.q))
    wide = limbik.track(ARM, [goals[0], Manipulability("Tool", weight=1e-6)], fps=30)
    assert np.max(wide.error) < 1e-3
    live = limbik.Live(ARM, [Reach("Tool", position=TARGETS[0]), Manipulability("Tool")], rate=100)
    for _ in range(50):
        q = live.step()
    assert np.isfinite(q).all()
    assert ARM.violation(q) == 0.0


def test_far_from_limits_is_a_rest_in_the_middle_of_the_ranges() -> None:
    q = ARM.project(ARM.rest + 0.3)
    lever = ARM.size / 4
    assert Problem(ARM, FarFromLimits(weight=2.0)).objective(q) == pytest.approx(
        2.0 * lever**2 * off_middle(q), rel=1e-12
    )
    both = Problem(ARM, [FarFromLimits(weight=2.0), Rest(weight=0.5)]).objective(q)
    assert both == pytest.approx(
        2.0 * lever**2 * off_middle(q) + 0.5 * lever**2 * np.mean((q - ARM.rest) ** 2), rel=1e-9
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Manipulability("Tol"), "Manipulability: .*Tool"),
        (lambda: Manipulability("Tool", weight=-1), "weight -1"),
        (lambda: FarFromLimits(weight=-1), "FarFromLimits: weight -1"),
    ],
)
def test_impossible_wishes_are_refused(make, words: str) -> None:
    with pytest.raises(GoalError, match=words):
        Problem(ARM, make())


def test_why_names_the_floor_a_sphere_a_wish_and_a_speed() -> None:
    human, at = limbik.figures.human(), [0.4, 0.2, 0.5]
    low = Reach("LeftHand", position=[0.3, -0.3, 0.3], priority=1)
    assert limbik.solve(human, [low, limbik.Above("LeftHand")]).why.endswith(
        "LeftHand would go below the floor"
    )
    inside = limbik.Within("Tool", sphere=([0.4, 0, 0.5], 0.1))
    outside = limbik.solve(ARM, [Reach("Tool", position=at, priority=1), inside])
    assert "Tool would leave its sphere" in outside.why
    heavy = limbik.solve(ARM, [Reach("Tool", position=at), Manipulability("Tool", weight=100.0)])
    assert heavy.why.endswith(": manipulability of Tool holds it back")
    live = limbik.Live(ARM.with_speed_limits(1.0), Reach("Tool", position=at), rate=100)
    live.step()
    assert "as fast as" in live.why
    for _ in range(300):
        live.step()
    assert live.why == "every goal is within its tolerance"

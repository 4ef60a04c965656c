"""A clip solved at once: f never rises, limits and speeds hold, passes are joined."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.animate.whole_clip.spacetime import ClipSolver, unlimited_balls, with_free_balls
from limbik.solver.problem import Problem
from limbik.solver.targets.frame_values import FrameValues

FRAMES, FPS = 40, 30.0
TIP = "Tool"


def wave() -> np.ndarray:
    """(frames, 3) a way that the arm can follow in part."""
    time = np.arange(FRAMES) / FPS
    return np.column_stack(
        [0.4 + 0.1 * np.sin(6 * time), 0.5 * np.sin(4 * time), 0.4 + 0.3 * np.cos(5 * time)]
    )


def solver_of(**options: object) -> tuple[ClipSolver, np.ndarray]:
    arm = limbik.figures.arm()
    problem = Problem(arm, [limbik.Reach(TIP, position=(0, 0, 0)), limbik.Rest(1e-3)])
    values = FrameValues(problem, FRAMES)
    values.position(0, wave())
    return ClipSolver(values, fps=FPS, **options), np.repeat(arm.rest[None], FRAMES, axis=0)  # type: ignore[arg-type]


def test_the_objective_falls_and_limits_hold() -> None:
    solver, starts = solver_of()
    first = solver.chain(starts)
    q, steps = solver.together(first.copy())
    assert steps > 0
    assert solver.total(q) < solver.total(first)
    assert np.max(solver.figure.violation(q)) == 0.0
    rough, smooth = (np.abs(np.diff(x, 3, axis=0)).max() for x in (first, q))
    assert smooth < 0.85 * rough
    reached = solver.figure.positions(q, TIP)
    assert np.linalg.norm(reached - wave(), axis=1).mean() < 0.01


def test_every_step_of_every_window_lowers_the_objective() -> None:
    solver, starts = solver_of()
    q = solver.chain(starts)
    before = solver.total(q)
    for low, high in ((0, 15), (10, 25), (20, 40), (5, 12), (0, 40)):
        for _ in range(3):
            solver.improve(q, low, high, iterations=1)
            now = solver.total(q)
            assert now <= before * (1 + 1e-12)
            before = now


def test_limits_that_cut_steps_off_do_not_slow_the_solve_down() -> None:
    """A firm goal, and a pose to stay near that is far beyond limits on all sides."""
    arm = limbik.figures.arm()
    rng = np.random.default_rng(0)
    middle = arm.project(arm.rest + rng.uniform(-0.6, 0.6, arm.n))
    ranges = zip(arm.coordinates, middle - 0.05, middle + 0.05, strict=True)
    tight = arm.with_limits({name: limbik.Range(low, high) for name, low, high in ranges})
    q = middle + 0.025 * np.sin(np.arange(FRAMES)[:, None] / 10.0 + np.arange(arm.n))
    goals = [limbik.Reach(TIP, position=(0, 0, 0), weight=1e3), limbik.Rest(1e-2)]
    values = FrameValues(Problem(tight, goals), FRAMES)
    values.position(0, tight.positions(q, TIP))
    values.near(np.repeat((middle + rng.uniform(-3.0, 3.0, arm.n))[None], FRAMES, axis=0))
    solver = ClipSolver(values, fps=FPS)
    before = solver.total(q)
    gained = []
    for steps in (40, 300):
        out = q.copy()
        solver.improve(out, 0, FRAMES, iterations=steps, tolerance=1e-12)
        assert np.max(tight.violation(out)) == 0.0
        gained.append(before - solver.total(out))
    assert gained[0] > 0.999 * gained[1] > 0.0


def test_a_window_leaves_other_frames_alone_and_whole_is_better_than_windows() -> None:
    solver, starts = solver_of()
    q = solver.chain(starts)
    part = q.copy()
    solver.improve(part, 10, 20, iterations=5)
    assert (part[:10] == q[:10]).all()
    assert (part[20:] == q[20:]).all()
    assert (part[10:20] != q[10:20]).any()
    assert solver.total(solver.together(q.copy())[0]) <= solver.total(part)


def test_speed_limits_are_exact() -> None:
    free, starts = solver_of()
    fast = free.solve(starts)[0]
    speeds = np.abs(np.diff(fast, axis=0)).max(axis=0) * FPS
    limits = np.where(np.arange(len(speeds)) % 2, 0.6 * speeds, np.inf)
    solver, starts = solver_of(speed_limits=limits)
    q = solver.solve(starts)[0]
    assert (np.abs(np.diff(q, axis=0)) * FPS <= limits).all()
    assert np.max(solver.figure.violation(q)) == 0.0


def test_the_cheapest_way_through_the_passes_is_taken() -> None:
    solver, starts = solver_of()
    good = solver.together(solver.chain(starts))[0]
    one, two = good.copy(), good.copy()
    one[:20, 0] += 0.7  # each pass is wrong in one half
    two[20:, 0] -= 0.7
    q, which = solver.best_of([one, two])
    assert (which[:20] == 1).all()
    assert (which[20:] == 0).all()
    assert (q == good).all()


def test_staying_near_a_reference_moves_what_targets_leave_free() -> None:
    arm = limbik.figures.arm()
    problem = Problem(arm, [limbik.Reach(TIP, position=(0, 0, 0)), limbik.Rest(1e-2)])
    near = arm.project(np.repeat(arm.rest[None] + 0.6, FRAMES, axis=0))
    results = []
    for reference in (arm.rest[None].repeat(FRAMES, axis=0), near):
        values = FrameValues(problem, FRAMES)
        values.position(0, wave())
        values.near(reference)
        solver = ClipSolver(values, fps=FPS)
        results.append(solver.solve(np.repeat(arm.rest[None], FRAMES, axis=0))[0])
    apart = [np.abs(q - near).mean() for q in results]
    assert apart[1] < 0.7 * apart[0]


def test_balls_without_limits_become_exponential_maps() -> None:
    figure = with_free_balls(limbik.figures.human())
    assert figure.coordinates[3:6] == ("Hips.wx", "Hips.wy", "Hips.wz")
    assert unlimited_balls(figure).tolist() == [3]  # every other joint has limits


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(limbik.GoalError, match="smooth"):
        solver_of(smooth=-1.0)
    with pytest.raises(limbik.GoalError, match="speed_limits"):
        solver_of(speed_limits=np.zeros(7))

"""solve_many: batches, their statuses, threads, and how surely an arm finds random poses."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import limbik
from helpers.random_figures import random_pose
from limbik import Figure, Joint, LimbikError, Range, Reach, Status
from limbik.figure.joints import revolute
from limbik.maths.so3 import angle_between, matrix_to_quat


def arm() -> Figure:
    return limbik.figures.arm()


def random_poses(figure: Figure, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    poses = np.random.default_rng(seed).uniform(figure.lower, figure.upper, (count, figure.n))
    frames = figure.frames(poses)[:, [figure.index("Tool")]]
    return frames[..., :3, 3], matrix_to_quat(frames[..., :3, :3])


def test_any_number_of_threads_gives_the_same_bits() -> None:
    figure = arm()
    positions, wxyz = random_poses(figure, 300)
    starts = np.random.default_rng(1).uniform(figure.lower, figure.upper, (300, 7))
    runs = [
        limbik.solve_many(
            figure, ["Tool"], positions=positions, wxyz=wxyz, starts=starts, seed=5, threads=threads
        )
        for threads in (1, 2, 4, 1)
    ]
    for other in runs[1:]:
        for name in ("q", "ok", "status", "objective", "iterations", "evaluations", "attempts"):
            np.testing.assert_array_equal(getattr(runs[0], name), getattr(other, name))


def test_a_batch_of_one_and_of_none() -> None:
    figure = arm()
    positions, wxyz = random_poses(figure, 1)
    one = limbik.solve_many(figure, ["Tool"], positions=positions, wxyz=wxyz, restarts=100)
    assert one.ok.all()
    np.testing.assert_allclose(figure.positions(one.q)[:, [-1]], positions, atol=1e-3)
    none = limbik.solve_many(figure, "Tool", positions=np.zeros((0, 1, 3)))
    assert none.q.shape == (0, 7)


def test_a_batch_tells_each_status() -> None:
    figure = Figure(
        [
            Joint("Shoulder", parts=revolute("z")),
            Joint("Elbow", "Shoulder", revolute("z"), (1, 0, 0), limit=Range(0, 30, degrees=True)),
            Joint("Hand", "Elbow", offset=(1, 0, 0)),
        ]
    )
    places = np.array([[1.96, 0.1, 0], [1, 1, 0], [0, 3, 0]])[:, None]
    many = limbik.solve_many(figure, ["Hand"], positions=places, starts=[0.3, 0.3])
    singles = [
        limbik.solve(figure, [Reach("Hand", position=p[0])], start=[0.3, 0.3]) for p in places
    ]
    assert many.status.tolist() == ["REACHED", "LIMITED", "OUT_OF_REACH"]
    assert many.status.tolist() == [r.status for r in singles]
    assert all(isinstance(status, Status) for status in many.status)
    np.testing.assert_allclose(many.objective, [r.objective for r in singles], atol=1e-7)


def test_a_batch_lets_other_threads_run() -> None:
    figure = arm()
    positions, wxyz = random_poses(figure, 3000)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    other = threading.Thread(target=tick)
    limbik.solve_many(figure, ["Tool"], positions=positions[:1], wxyz=wxyz[:1], starts=figure.rest)
    other.start()
    began = time.perf_counter()
    limbik.solve_many(
        figure, ["Tool"], positions=positions, wxyz=wxyz, restarts=100, tolerance=1e-6
    )
    ended = time.perf_counter()
    done.set()
    other.join()
    # Python could not tick in the middle of the call if the call held the interpreter's lock.
    edge = 0.2 * (ended - began)
    assert sum(began + edge < t < ended - edge for t in ticks) > 5


def test_an_arm_finds_random_poses() -> None:
    figure = arm()
    middle = 0.5 * (figure.lower + figure.upper)
    positions, wxyz = random_poses(figure, 1000, seed=11)
    found = limbik.solve_many(
        figure, ["Tool"], positions=positions, wxyz=wxyz, starts=middle, restarts=100,
        tolerance=1e-6, threads=2,
    )  # fmt: skip
    assert found.ok.mean() >= 0.995
    reached = figure.frames(found.q)[:, -1]
    assert np.linalg.norm(reached[:, :3, 3] - positions[:, 0], axis=1)[found.ok].max() <= 1e-6
    turns = angle_between(matrix_to_quat(reached[:, :3, :3]), wxyz[:, 0])
    assert turns[found.ok].max() <= 1.001e-6
    assert (figure.violation(found.q) == 0.0).all()


def test_a_batch_keeps_what_is_locked() -> None:
    figure = limbik.figures.human()
    starts = np.array([random_pose(np.random.default_rng(k), figure, spread=0.2) for k in range(4)])
    lock = ["Hips", "LeftArm", "Spine"]
    kept = np.concatenate([figure.coordinates_of(name) for name in lock])
    places = figure.positions(starts)[:, [figure.index("LeftHand")]] + [0.05, 0.1, 0.05]
    many = limbik.solve_many(figure, ["LeftHand"], positions=places, starts=starts, lock=lock)
    np.testing.assert_array_equal(many.q[:, kept], starts[:, kept])
    assert (many.q != starts).any(axis=1).all()


@pytest.mark.parametrize(
    ("effectors", "options", "words"),
    [
        ([], {"positions": np.zeros((2, 0, 3))}, "no effectors"),
        (["Tol"], {"positions": np.zeros((2, 1, 3))}, 'did you mean "Tool"'),
        (["Tool"], {}, "no targets"),
        (["Tool"], {"positions": np.zeros((2, 2, 3))}, r"\(problems, 1, 3\)"),
        (["Tool"], {"positions": np.full((2, 1, 3), np.nan)}, 'target 0 of "Tool" is not finite'),
        (["Tool"], {"positions": np.ones((2, 1, 3)), "wxyz": np.ones((3, 1, 4))}, "equally many"),
        (["Tool"], {"wxyz": np.zeros((2, 1, 4))}, "zero length"),
        (["Tool"], {"positions": np.ones((2, 1, 3)), "starts": np.zeros((3, 7))}, "3 poses for 2"),
        (["Tool"], {"positions": np.ones((2, 1, 3)), "threads": 0}, "threads"),
        (["Tool"], {"positions": np.ones((2, 1, 3)), "restarts": -1}, "restarts"),
        (["Tool"], {"positions": np.ones((2, 1, 3)), "method": "lm"}, 'no method "lm"'),
    ],
)
def test_impossible_batches_are_refused(effectors, options, words: str) -> None:
    with pytest.raises(LimbikError, match=words):
        limbik.solve_many(arm(), effectors, **options)

"""track: the built-in cartwheel and real clips, followed without leaving limits or flipping."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbik
from helpers import real_data
from limbik import Figure, GoalError, Joint, LimbikError, Motion, Range
from limbik.animate.learn import limits_from
from limbik.animate.track import JUMP, Track, jumps, rotation_changes
from limbik.figure.joints import exponential, free, revolute, swing_twist

SIX = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
CLIPS = (
    "02_01", "02_03", "02_04", "05_02", "13_33", "143_18", "16_01", "49_06", "49_08", "85_05",
    "88_01", "90_10",
)  # fmt: skip
WITHIN = 0.05  # of the clips' unit, about 2.8 mm


def places(clip: Motion, effectors: list[str] = SIX) -> np.ndarray:
    """(frames, effectors, 3) where the clip has its effectors."""
    return clip.positions()[:, [clip.figure.index(name) for name in effectors]]


def follow(clip: Motion, figure: Figure, **options) -> Track:
    """Follow a clip's own effectors from its first pose; checks what a Track says of itself."""
    targets = places(clip)
    found = limbik.track(
        figure, SIX, targets, start=clip.q[0], fps=clip.fps, reference=clip.q, **options
    )
    apart = np.linalg.norm(places(found.motion) - targets, axis=-1)
    np.testing.assert_allclose(found.errors, apart, atol=1e-12)
    np.testing.assert_array_equal(found.error, found.errors.max(axis=1))
    assert found.violation == 0.0
    assert (figure.violation(found.motion.q) == 0.0).all()
    further = rotation_changes(figure, found.motion.q) - rotation_changes(figure, clip.q)
    expected = [k + 1 for k, row in enumerate(further) if row.max(initial=0.0) > JUMP]
    assert found.jumps.tolist() == expected
    return found


# ---- the cartwheel ------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 6])
def test_the_human_follows_the_cartwheel(every: int) -> None:
    clip = limbik.figures.cartwheel()[::every]
    found = follow(clip, clip.figure)
    assert found.ok
    assert found.error.max() <= 1e-4 * clip.figure.size
    assert len(found.jumps) == 0
    assert rotation_changes(clip.figure, found.motion.q).max() < JUMP


def test_the_same_seed_gives_the_same_motion() -> None:
    clip = limbik.figures.cartwheel()[::60]
    one, two = follow(clip, clip.figure, seed=1), follow(clip, clip.figure, seed=1)
    np.testing.assert_array_equal(one.motion.q, two.motion.q)
    np.testing.assert_array_equal(one.iterations, two.iterations)


def test_several_clips_share_threads_and_give_the_same_bits() -> None:
    clip = limbik.figures.cartwheel()
    targets = np.stack([places(clip[a : a + 160 : 8]) for a in (0, 120, 240, 300)])
    runs = [
        limbik.track_many(clip.figure, SIX, targets, start=clip.q[0], fps=15, threads=threads)
        for threads in (1, 2, 4)
    ]
    single = [limbik.track(clip.figure, SIX, t, start=clip.q[0], fps=15) for t in targets]
    for many in runs:
        for one, alone in zip(many, single, strict=True):
            np.testing.assert_array_equal(one.motion.q, alone.motion.q)


def test_progress_is_told_and_changes_nothing() -> None:
    clip = limbik.figures.cartwheel()[::4]
    told: list[int] = []
    plain = follow(clip, clip.figure)
    watched = limbik.track(
        clip.figure,
        SIX,
        places(clip),
        start=clip.q[0],
        fps=clip.fps,
        reference=clip.q,
        progress=told.append,
    )
    assert told[-1] == clip.frames
    assert sorted(set(told)) == told
    np.testing.assert_array_equal(watched.motion.q, plain.motion.q)


def test_what_is_locked_stays_and_orientations_are_followed() -> None:
    clip = limbik.figures.cartwheel()[:240:4]
    figure = clip.figure
    frames = figure.frames(clip.q)[:, [figure.index("Hips"), figure.index("LeftHand")]]
    wxyz = limbik.maths.so3.matrix_to_quat(frames[..., :3, :3])
    found = limbik.track(
        figure, ["Hips", "LeftHand"], frames[..., :3, 3], wxyz=wxyz, start=clip.q[0], fps=30,
        lock=["Head", "RightLeg"],
    )  # fmt: skip
    assert found.ok
    kept = np.concatenate([figure.coordinates_of(name) for name in ("Head", "RightLeg")])
    np.testing.assert_array_equal(found.motion.q[:, kept], np.tile(clip.q[0, kept], (60, 1)))
    now = figure.frames(found.motion.q)[:, [figure.index("Hips"), figure.index("LeftHand")]]
    turned = limbik.maths.so3.matrix_to_quat(now[..., :3, :3])
    assert limbik.maths.so3.angle_between(turned, wxyz).max() <= 1e-3


@pytest.mark.parametrize(
    "ball", [None, exponential(), swing_twist("y")], ids=["ZYX", "exp", "swing"]
)
def test_a_root_turns_round_and_round(ball) -> None:
    arms = [
        Joint(name, "Root", revolute("z"), place, limit=Range(-0.5, 0.5))
        for name, place in (("A", (1, 0, 0)), ("B", (0, 1, 0)), ("C", (0, 0, 1)))
    ]
    figure = Figure([Joint("Root", parts=free(ball)), *arms])
    angle = np.linspace(0, 6 * np.pi, 200)
    q = np.zeros((200, figure.n))
    turn = Figure(
        [
            Joint("Spin", parts=revolute((1, 2, 2))),
            *(Joint(j.name, "Spin", offset=j.offset) for j in arms),
        ]
    )
    targets = turn.positions(angle[:, None])[:, 1:]
    found = limbik.track(figure, ["A", "B", "C"], targets, start=q[0], fps=30)
    assert found.ok
    assert rotation_changes(figure, found.motion.q).max() < 0.3


# ---- real clips ---------------------------------------------------------------------------------


def learnt(name: str) -> tuple[Motion, Figure]:
    """A real clip without its T-pose, and its figure with the ranges it uses and 10 degrees."""
    path = real_data.find(f"cmu_bvh/{name}.bvh")
    clip = limbik.load_motion(path)[1:]
    return clip, clip.figure.with_limits(limits_from(clip, margin=10.0))


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("every", [0.7, 1.0])
def test_real_clips_seldom_sampled(name: str, every: float) -> None:
    clip, figure = learnt(name)
    clip = clip.sample(every)
    found = follow(clip, figure)
    assert found.ok
    assert found.error.max() <= WITHIN
    assert len(found.jumps) <= 0.5 * clip.frames


@pytest.mark.parametrize("name", ["49_08", "88_01"])
def test_real_clips_often_sampled_do_not_flip(name: str) -> None:
    clip, figure = learnt(name)
    clip = clip.sample(0.05)
    found = follow(clip, figure)
    assert found.ok
    assert found.error.max() <= WITHIN
    assert len(found.jumps) == 0


# ---- small things -------------------------------------------------------------------------------


def test_one_effector_by_name_and_a_target_out_of_reach() -> None:
    figure = Figure([Joint("A", parts=revolute("z")), Joint("B", "A", offset=(1, 0, 0))])
    found = limbik.track(figure, "B", np.array([[1.0, 0, 0], [0, 1, 0], [0, 3, 0]]))  # type: ignore[arg-type]
    assert found.status.tolist() == ["REACHED", "REACHED", "OUT_OF_REACH"]
    assert not found.ok
    assert found.error[2] == pytest.approx(2.0, abs=1e-5)
    assert found.jumps.tolist() == [1]
    assert jumps(figure, found.motion.q, found.motion.q).tolist() == []


@pytest.mark.parametrize(
    ("targets", "options", "words"),
    [
        (np.full((3, 1, 3), np.nan), {}, 'target 0 of "Head" is not finite'),
        (np.zeros((3, 2, 3)), {}, r"targets: needs shape \(frames, 1, 3\), got \(3, 2, 3\)"),
        (np.zeros((0, 1, 3)), {}, "frame"),
        (np.zeros((3, 1, 3)), {"fps": 0.0}, "fps"),
        (np.zeros((3, 1, 3)), {"relax": -1.0}, "relax"),
        (np.zeros((3, 1, 3)), {"relax": np.nan}, "relax"),
        (np.zeros((3, 1, 3)), {"reference": np.zeros((2, 74))}, "reference"),
        (np.zeros((2, 3, 1, 3)), {}, "track_many"),
        (np.zeros((2, 3, 1, 3)), {"threads": 0}, "threads"),
        (np.zeros((3, 1, 3)), {"threads": 0}, "threads"),
    ],
)
def test_impossible_tracks_are_refused(targets, options, words: str) -> None:
    with pytest.raises(LimbikError, match=words):
        limbik.track(limbik.figures.human(), ["Head"], targets, **options)


WRONG: list[tuple[str, list[object]]] = [
    ("fps", ["x", None, 0, -1.0, math.nan, math.inf, True, [30.0]]),
    ("relax", ["x", None, -1.0, math.nan, math.inf, True, [1.0]]),
    ("threads", ["x", None, 0, -1, 1.5, math.nan, True]),
    ("reference", ["x", 3, np.zeros(7), np.zeros((3, 7)), np.full((2, 7), np.nan), [None]]),
    ("targets", ["x", None, 3, [], [["x"]], {}, np.zeros((2, 1, 2)), np.zeros((2, 1, 3)) * 1j]),
    ("progress", [3, "x"]),
    ("wxyz", ["x", 3, np.zeros((2, 1, 4)), np.ones((2, 1, 3)), np.ones((3, 1, 4))]),
    ("effectors", [None, 3, []]),
]


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG for value in values]
)
def test_a_wrong_argument_is_refused_by_its_name(name: str, value: object) -> None:
    options: dict[str, Any] = {"effectors": ["Tool"], "targets": np.zeros((2, 1, 3)), name: value}
    effectors, targets = options.pop("effectors"), options.pop("targets")
    arm = limbik.figures.arm()
    with pytest.raises(LimbikError, match=name):
        limbik.track(arm, effectors, targets, **options)
    with pytest.raises(LimbikError, match=name):
        limbik.track_many(arm, effectors, [targets], **options)


@pytest.mark.parametrize("clips", [None, "x", 3])
def test_track_many_needs_clips(clips: Any) -> None:
    with pytest.raises(GoalError, match="clips: needs targets of several clips, got"):
        limbik.track_many(limbik.figures.arm(), ["Tool"], clips)


def test_a_reference_may_be_a_motion() -> None:
    clip = limbik.figures.cartwheel()[:3]
    poses, motion = (
        limbik.track(clip.figure, SIX, places(clip), start=clip.q[0], reference=reference)
        for reference in (clip.q, clip)
    )
    assert poses == motion


def test_an_unknown_effector_is_refused() -> None:
    with pytest.raises(GoalError, match='did you mean "Head"'):
        limbik.track(limbik.figures.human(), ["Heat"], np.zeros((3, 1, 3)))


def test_two_runs_are_equal_and_say_so_briefly() -> None:
    clip = limbik.figures.cartwheel()
    at = clip.positions()[:10, [clip.figure.index("LeftHand")]]
    one, two = (limbik.track(clip.figure, ["LeftHand"], at, start=clip.q[0]) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == "<Track: 10 of 10 frames reached>"
    other = limbik.track(clip.figure, ["LeftHand"], at + 0.01, start=clip.q[0])
    assert one != other

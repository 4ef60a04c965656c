"""Gimbal lock: where do Euler angles, exponential maps and swing–twist lose an axis?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik.animate.track import track
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Part, euler, exponential, swing_twist
from limbik.maths.so3 import exp_map, matrix_to_quat, quat_to_matrix
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.dual_quaternion.verdicts import percent
from limbik.plots import EFFECTOR, INK, LINE, QUIET, TARGET, legend_beside, new_page, quiet

EXPONENTIAL, BEYOND, TWIST = "exponential map", "exponential map beyond π", "swing and twist"
XYZ, ZYZ = "Euler angles XYZ", "Euler angles ZYZ"
LOCK = 0.05
"""An axis is lost where the smallest singular value of the three axes is below this."""

PITCHED, ROLLED = "pitched by 90°, then turned about the lost axis", "rolled from the rest pose"


def _parts(kind: str) -> tuple[Part, ...]:
    if kind in (XYZ, ZYZ):
        return euler(kind[-3:])
    return swing_twist("y") if kind == TWIST else exponential("y")


def ball(kind: str) -> Figure:
    """A ball without limits, and a tip."""
    return Figure(
        [
            Joint("Ball", None, _parts(kind)),
            Joint("Tip", "Ball", offset=(0.0, 1.0, 0.3)),
        ],
        name=kind,
    )


def coordinates(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, 3) coordinates of a ball whose rotations are spread evenly over all rotations."""
    turn = rng.uniform(-np.pi, np.pi, (count, 2))
    even = rng.uniform(-1.0, 1.0, count)
    if kind == XYZ:
        return np.column_stack([turn[:, 0], np.arcsin(even), turn[:, 1]])
    if kind == ZYZ:
        return np.column_stack([turn[:, 0], np.arccos(even), turn[:, 1]])
    if kind == TWIST:
        tilt = np.arccos(even)
        return np.column_stack([tilt * np.cos(turn[:, 0]), tilt * np.sin(turn[:, 0]), turn[:, 1]])
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    angle = 2.0 * np.arccos(np.abs(q[:, 0]))
    axis = q[:, 1:] / np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    if kind == BEYOND:
        angle = 2.0 * np.pi - angle  # the same rotations, held as the longer way round
    return angle[:, None] * axis


def course(kind: str, count: int = 181) -> np.ndarray:
    """(count, 3) coordinates along the one that may lock, to the end of its range."""
    first, last = {XYZ: (0.0, 0.5), ZYZ: (0.0, 0.5), BEYOND: (1.0, 2.0)}.get(kind, (0.0, 1.0))
    angle = np.pi * np.linspace(first, last, count)
    q = np.zeros((count, 3))
    q[:, 1 if kind in (XYZ, ZYZ) else 0] = angle
    return q


def weakest(kind: str, q: np.ndarray) -> np.ndarray:
    """(count,) the smallest singular value of the ball's three axes; 0 where one is lost."""
    figure = ball(kind)
    return np.array(
        [np.linalg.svd(figure.jacobian(one, "Ball")[3:], compute_uv=False)[-1] for one in q]
    )


def ways(frames: int) -> dict[str, np.ndarray]:
    """(frames, 3, 3) rotations that lead through the locks of XYZ and of ZYZ."""
    half = frames // 2
    pitch = np.linspace(0.0, np.pi / 2, half)[:, None] * np.array([0.0, 1.0, 0.0])
    after = np.linspace(0.0, np.pi / 2, frames - half)[:, None] * np.array([0.0, 0.0, 1.0])
    down = quat_to_matrix(exp_map(pitch))
    roll = np.linspace(0.0, np.pi / 2, frames)[:, None] * np.array([1.0, 0.0, 0.0])
    return {
        PITCHED: np.concatenate([down, quat_to_matrix(exp_map(after)) @ down[-1]]),
        ROLLED: quat_to_matrix(exp_map(roll)),
    }


def gimbal_lock(order: Order) -> Chapter:
    """Axes at random rotations, and two ways through the locks of Euler angles."""
    count, frames = (300, 60) if order.quick else (3000, 240)
    rng = np.random.default_rng(order.seed)
    kinds = (XYZ, ZYZ, EXPONENTIAL, BEYOND, TWIST)
    found = {kind: weakest(kind, coordinates(kind, count, rng)) for kind in kinds}
    worst = {
        kind: min(float(values.min()), float(weakest(kind, course(kind)).min()))
        for kind, values in found.items()
    }
    led: dict[str, dict[str, tuple[float, float]]] = {}
    jobs = [(way, kind) for way in ways(frames) for kind in kinds if kind != BEYOND]
    for way, kind in order.steps("gimbal lock", jobs):
        led.setdefault(way, {})[kind] = _follow(kind, ways(frames)[way], order.seed)
    rows = [
        [kind, worst[kind], percent(values < LOCK),
         *(x for way in led for x in led[way].get(kind, ("–", "–")))]
        for kind, values in found.items()
    ]  # fmt: skip
    return Chapter(
        title="Gimbal lock",
        text=(
            f"The three axes of a ball at {count} rotations, spread evenly over all, and along the "
            "coordinate that may lock: where the smallest singular value of the axes comes to 0, "
            "one direction of turning is lost. An "
            "exponential map is looked at up to ‖w‖ = π, where the shift of section VII.A.2 keeps "
            "it, and beyond.\n\n"
            f"Then a ball is led, in {frames} frames, by the paper's method and without restarts, "
            "along two ways: pitched by 90° and turned about what XYZ angles have lost there, and "
            "rolled from the rest pose, where ZYZ angles have lost the roll. The gain is the "
            "largest step of a coordinate by the turn of the target in a frame: 1 is as it should "
            "be."
        ),
        settings={"rotations": count, "frames": frames, "an axis is lost below": LOCK,
                  "method": repr(ProjectedGaussSeidel()), "seed": order.seed},
        claims=lock_claims(worst, led),
        tables=[
            Table(
                "Axes that are left",
                ["ball", "smallest singular value", "rotations with a lost axis (%)",
                 *(f"{what}, {way}" for way in led for what in ("gain", "reached (%)"))],
                rows,
            )
        ],
        pictures=[_picture(found)],
        numbers={"smallest singular value": found, "smallest of all": worst,
                 "gain and reached (%)": led},
    )  # fmt: skip


def _follow(kind: str, turns: np.ndarray, seed: int) -> tuple[float, float]:
    """(largest step of a coordinate by the target's, frames reached in %)."""
    figure = ball(kind)
    places = turns @ np.array(figure.definition[1].offset)
    found = track(
        figure, ["Tip"], places[:, None], wxyz=matrix_to_quat(turns[:, None]),
        start=figure.rest, method=ProjectedGaussSeidel(), restarts=0, seed=seed,
    )  # fmt: skip
    moved = np.abs(np.diff(found.motion.q, axis=0)).max()
    traces = np.einsum("kij,kij->k", turns[:-1], turns[1:])
    turned = np.arccos(np.clip((traces - 1.0) / 2.0, -1.0, 1.0)).max()
    return float(moved / turned), percent(found.status == "REACHED")


def lock_claims(
    worst: Mapping[str, float], led: Mapping[str, Mapping[str, tuple[float, float]]]
) -> list[Claim]:
    """Is the exponential map without the lock that Euler angles have?

    ``worst`` is the smallest singular value of each ball's axes; ``led`` has gain and share reached
    by way and ball.
    """
    ours = [row[EXPONENTIAL] for row in led.values()]
    free = worst[EXPONENTIAL] >= LOCK and all(reached == 100.0 for _, reached in ours)
    if not free or min(worst[XYZ], worst[ZYZ]) >= LOCK:
        verdict = Verdict.FAILS
    else:
        verdict = Verdict.HOLDS if worst[BEYOND] >= LOCK else Verdict.DEPENDS
    text = "; ".join(f"{kind} {value:.2g}" for kind, value in worst.items())
    gains = "; ".join(
        f"{way}: "
        + ", ".join(f"{kind} {gain:.1f} ({reached:.0f} %)" for kind, (gain, reached) in row.items())
        for way, row in led.items()
    )
    return [
        Claim(
            "section III",
            "Exponential maps are as compact as Euler angles but without the gimbal lock problem.",
            verdict,
            f"Smallest singular value of the axes – {text}. Gain and frames reached – {gains}. "
            "Holds where the exponential map loses no axis and follows both ways; depends where "
            "that is so up to ‖w‖ = π only, with the shift of section VII.A.2.",
        )
    ]


def _picture(found: Mapping[str, np.ndarray]) -> Picture:
    page = new_page(8.0, 3.0)
    axes = page.add_axes((0.08, 0.17, 0.56, 0.76))
    colors = dict(zip(found, (TARGET, "#d1802b", EFFECTOR, QUIET, INK), strict=True))
    for kind, values in found.items():
        axes.plot(
            np.sort(values), 100.0 * np.arange(1, len(values) + 1) / len(values),
            color=colors[kind], linewidth=1.5, label=kind,
        )  # fmt: skip
    axes.axvline(LOCK, color=LINE, linewidth=1.0)
    axes.set_xlim(0.0, 1.02)
    axes.set_ylim(0.0, 100.0)
    axes.set_xlabel("smallest singular value of the three axes", color=QUIET)
    axes.set_ylabel("rotations up to here, %", color=QUIET)
    quiet(axes)
    legend_beside(axes, size=8, colour=INK, gap=0.02)
    return Picture.of(
        page,
        "Axes that are left, over all rotations",
        "A curve that starts at 0 belongs to a ball that loses an axis somewhere; left of the "
        "line one is as good as lost.",
    )

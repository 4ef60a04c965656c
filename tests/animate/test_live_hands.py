"""Live on robot hands: fingertips follow a recorded hand, inside ranges, speeds and couplings."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import limbik
from limbik import Distance, Figure, Live, Reach
from limbik.figure.joints import Coupling, Turn
from tests.helpers.real_data import find

mujoco: Any = pytest.importorskip("mujoco")

RATE, FASTEST = 60.0, 8.0
TIPS = [4, 8, 12, 16, 20]  # of 21 key points: thumb to little finger; 0 is the wrist


def allegro() -> tuple[Figure, str, list[str], np.ndarray, np.ndarray]:
    """(figure, palm, fingertips, turn from the recording's axes to the palm's, the wrist there)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", limbik.LimbikWarning)
        figure = limbik.load(find(FILES[allegro]))
    tips = ["th_tip", "ff_tip", "mf_tip", "rf_tip"]
    return figure, "palm", tips, 1.4 * np.eye(3), np.array([0.0, 0.0, -0.13])


def shadow() -> tuple[Figure, str, list[str], np.ndarray, np.ndarray]:
    """The same; each finger's last joint is driven by the one before, as a tendon drives both."""
    figure = limbik.load(find(FILES[shadow]))
    joints = list(figure.definition)
    for k, joint in enumerate(joints):
        if joint.name in {f"rh_{finger}distal" for finger in ("ff", "mf", "rf", "lf")}:
            (part,) = joint.parts
            assert isinstance(part, Turn)
            assert joint.parent is not None
            driver = figure.coordinates[figure.coordinates_of(joint.parent)[0]]
            joints[k] = replace(joint, parts=(replace(part, coupled=Coupling(driver)),))
    tips = [f"rh_{finger}distal" for finger in ("th", "ff", "mf", "rf", "lf")]
    turn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return Figure(joints), "rh_palm", tips, 1.05 * turn, np.array([0.0, 0.0, -0.03])


FILES = {
    allegro: "robots_mjcf/wonik_allegro/right_hand.xml",
    shadow: "robots_mjcf/shadow_hand/right_hand.xml",
}


def by_mujoco(
    path: str, figure: Figure, palm: str, tips: list[str], motion: np.ndarray
) -> np.ndarray:
    """(frames, tips, 3) where MuJoCo has the fingertips in the palm's frame."""
    model = mujoco.MjModel.from_xml_path(str(find(path)))
    data = mujoco.MjData(model)
    slots = figure.tree.slots
    assert len(slots) == model.nq  # the driven joints too
    found = np.empty((len(motion), len(tips), 3))
    for k, q in enumerate(motion):
        data.qpos[:] = [slot.scale * q[slot.coordinate] + slot.shift for slot in slots]
        mujoco.mj_kinematics(model, data)
        frame = data.body(palm).xmat.reshape(3, 3)
        for i, tip in enumerate(tips):
            found[k, i] = frame.T @ (data.body(tip).xpos - data.body(palm).xpos)
    return found


@pytest.mark.parametrize("hand", [allegro, shadow])
def test_fingertips_follow_a_recorded_hand(hand) -> None:
    figure, palm, tips, turn, wrist = hand()
    points = np.load(find("motion/hand_right_621x21x3.npy"))[60:180]
    vectors = (points[:, TIPS] - points[:, :1]) @ turn.T + wrist  # wrist to tip, in the palm
    pinch = np.linalg.norm(vectors[:, 1] - vectors[:, 0], axis=1)
    goals = [Reach(tip, relative_to=palm, position=[0.0, 0.0, 0.1]) for tip in tips]
    close = Distance(tips[0], tips[1], 0.1, weight=0.5)
    live = Live(
        figure, [*goals, close, limbik.Rest(1e-4)], rate=RATE, speed_limits=FASTEST, recover=False
    )
    poses = [live.q]
    for frame, apart in zip(vectors, pinch, strict=True):
        for tip, vector in zip(tips, frame, strict=False):
            live.move(tip, vector)
        live.move(close, distance=apart)
        poses.append(live.step())
    motion = np.array(poses)
    assert np.max(figure.violation(motion)) == 0.0
    assert 0.3 < np.abs(np.diff(motion, axis=0)).max() * RATE <= FASTEST
    assert (np.abs(np.diff(motion, axis=0)).max(axis=1) > 0.0).all()  # no tick stands still
    found = by_mujoco(FILES[hand], figure, palm, tips, motion[1:])
    away = np.linalg.norm(found - vectors[:, : len(tips)], axis=2)
    assert np.median(away) < 0.03  # m; the hands are not of one shape
    for _ in range(60):
        live.step()
    last = [
        Reach(tip, relative_to=palm, position=vector)
        for tip, vector in zip(tips, vectors[-1], strict=False)
    ]
    pinched = Distance(tips[0], tips[1], pinch[-1], weight=0.5)
    whole = [*last, pinched, limbik.Rest(1e-4)]
    best = limbik.solve(figure, whole, start=live.q, restarts=0).objective
    assert live.problem.objective(live.q) <= 1.001 * best  # there is no way down from here

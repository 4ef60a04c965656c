"""The two-arm teleoperation problem of the G1, for limbik and for CasADi with IPOPT.

    minimise 50·‖p − p*‖² + ‖log(R·R*ᵀ)‖² per hand + 0.02·‖q‖² + 0.1·‖q − q_last‖²

over the 14 joints of the arms inside their ranges, as Unitree's teleoperation states it.  The hands
are 5 cm in front of the wrists.  ``Judge`` works out the cost of any answer with Pinocchio.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from limbik.maths.so3 import exp_map, matrix_to_quat, quat_multiply, quat_to_matrix

POSITION, ROTATION, POSTURE, SMOOTHNESS = 50.0, 1.0, 0.02, 0.1
HAND = (0.05, 0.0, 0.0)
SIDES = ("left", "right")
ARM = ("shoulder", "elbow", "wrist")


class Judge:
    """The cost of an answer and the places of the hands, by Pinocchio."""

    def __init__(self, urdf: Path) -> None:
        self.pin = pin = importlib.import_module("pinocchio")
        whole = pin.buildModelFromUrdf(str(urdf))
        locked = [k for k, name in enumerate(whole.names) if k and not any(p in name for p in ARM)]
        self.model = pin.buildReducedModel(whole, locked, np.zeros(whole.nq))
        self.data = self.model.createData()
        self.joints = [self.model.getJointId(f"{side}_wrist_yaw_joint") for side in SIDES]
        self.names = list(self.model.names)[1:]
        self.lower, self.upper = self.model.lowerPositionLimit, self.model.upperPositionLimit

    def hands(self, q: np.ndarray) -> list[Any]:
        """Where q (14,) has both hands, as SE3."""
        self.pin.forwardKinematics(self.model, self.data, q)
        offset = self.pin.SE3(np.eye(3), np.array(HAND))
        return [self.data.oMi[joint] * offset for joint in self.joints]

    def cost(self, q: np.ndarray, last: np.ndarray, places: np.ndarray, turns: np.ndarray) -> float:
        """The formula above; places (2, 3), turns (2, 3, 3)."""
        total = POSTURE * float(q @ q) + SMOOTHNESS * float((q - last) @ (q - last))
        for hand, place, turn in zip(self.hands(q), places, turns, strict=True):
            away = hand.translation - place
            angle = self.pin.log3(hand.rotation @ turn.T)
            total += POSITION * float(away @ away) + ROTATION * float(angle @ angle)
        return total


class LimbikArms:
    """``limbik.Live`` with the same formula."""

    def __init__(
        self, urdf: Path, names: list[str], rate: float, speed_limits: Any, **more: Any
    ) -> None:
        self.figure = figure = limbik.load(urdf)
        self.arms = np.array([figure.coordinates.index(name) for name in names])
        locked = [
            joint
            for joint in figure.joints
            if len(figure.coordinates_of(joint)) and not any(part in joint for part in ARM)
        ]
        radian = (0.25 * figure.size) ** 2  # what a radian weighs in limbik's goals
        self.labels = [f"{side}_wrist_yaw_link" for side in SIDES]
        hands = [
            limbik.Reach(
                label, position=[0.3, 0.0, 0.2], wxyz=[1.0, 0.0, 0.0, 0.0], at=HAND,
                weight=POSITION, rotation_weight=ROTATION / radian,
            )
            for label in self.labels
        ]  # fmt: skip
        zero = np.zeros(figure.n)
        self.live = limbik.Live(
            figure, [*hands, limbik.Rest(POSTURE * figure.n / radian, zero)], rate=rate, start=zero,
            smoothness=SMOOTHNESS * figure.n / radian, tolerance=1e-9, lock=locked, recover=False,
            speed_limits=speed_limits, **more,
        )  # fmt: skip

    def step(self, places: np.ndarray, wxyz: np.ndarray) -> np.ndarray:
        """(14,) the next pose for hands at places (2, 3) and turns wxyz (2, 4)."""
        live, (left, right) = self.live, self.labels
        live.move(left, places[0], wxyz[0])
        live.move(right, places[1], wxyz[1])
        return live.step()[self.arms]


class Casadi:
    """The same with CasADi and IPOPT; the forward kinematics of Pinocchio's model, symbolically."""

    def __init__(self, judge: Judge, **options: Any) -> None:
        self.ca = ca = importlib.import_module("casadi")
        n, model = judge.model.nq, judge.model
        q, last = ca.SX.sym("q", n), ca.SX.sym("last", n)
        place, turn = ca.SX.sym("place", 3, 2), ca.SX.sym("turn", 3, 6)
        frames: list[tuple[Any, Any]] = [(ca.SX.eye(3), ca.SX.zeros(3))]
        for joint in range(1, model.njoints):
            rotation, position = frames[model.parents[joint]]
            fixed = model.jointPlacements[joint]
            # The axis of a turn is what its motion subspace has in the angular rows.
            data = model.createData()
            judge.pin.computeJointJacobians(model, data, np.zeros(n))
            jacobian = judge.pin.getJointJacobian(
                model, data, joint, judge.pin.ReferenceFrame.LOCAL
            )
            axis = jacobian[3:, model.joints[joint].idx_v]
            position = position + rotation @ ca.DM(fixed.translation)
            rotation = rotation @ ca.DM(fixed.rotation)
            angle = q[model.joints[joint].idx_q]
            cross = ca.skew(ca.DM(axis))
            rotation = rotation @ (
                ca.SX.eye(3) + ca.sin(angle) * cross + (1 - ca.cos(angle)) * (cross @ cross)
            )
            frames.append((rotation, position))
        cost = POSTURE * ca.sumsqr(q) + SMOOTHNESS * ca.sumsqr(q - last)
        for side, joint in enumerate(judge.joints):
            rotation, position = frames[joint]
            away = position + rotation @ ca.DM(HAND) - place[:, side]
            cost += POSITION * ca.sumsqr(away)
            cost += ROTATION * self._angle_squared(rotation @ turn[:, 3 * side : 3 * side + 3].T)
        parameters = ca.vertcat(last, ca.vec(place), ca.vec(turn))
        quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"}
        self.solver = ca.nlpsol(
            "arms", "ipopt", {"x": q, "p": parameters, "f": cost},
            quiet | {"ipopt.warm_start_init_point": "yes"} | options,
        )  # fmt: skip
        self.lower, self.upper = judge.lower, judge.upper

    def _angle_squared(self, m: Any) -> Any:
        """‖log m‖², smooth where m is the identity."""
        ca = self.ca
        sine = 0.5 * ca.vertcat(m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
        square, cosine = ca.sumsqr(sine), 0.5 * (ca.trace(m) - 1.0)
        size = ca.sqrt(ca.fmax(square, 1e-10))
        angle = ca.atan2(size, cosine)
        small = square * (1.0 + square / 3.0)
        return ca.if_else(ca.logic_and(square < 1e-10, cosine > 0), small, angle * angle)

    def step(self, last: np.ndarray, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """(14,) the answer from the last pose, for hands at places (2, 3), turns (2, 3, 3)."""
        parameters = np.concatenate([last, places.ravel(), turns[0].T.ravel(), turns[1].T.ravel()])
        answer = self.solver(x0=last, p=parameters, lbx=self.lower, ubx=self.upper)
        return np.array(answer["x"]).ravel()


def hands_at(judge: Judge, ticks: int, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(places (ticks, 2, 3), wxyz (ticks, 2, 4), turns (ticks, 2, 3, 3)) of two moving hands.

    They go round in front of the chest at up to 0.3 m/s, and turn.
    """
    home = np.zeros(judge.model.nq)
    for k, name in enumerate(judge.names):
        home[k] = -0.3 if "shoulder_pitch" in name else 0.3 if "elbow" in name else 0.0
    at = judge.hands(home)
    t = np.arange(ticks) / rate
    places, wxyz = np.empty((ticks, 2, 3)), np.empty((ticks, 2, 4))
    for side, mirrored in enumerate((1.0, -1.0)):
        swing = np.array([0.05, 0.06 * mirrored, 0.09])
        phase = np.outer(t, [1.9, 1.3, 2.3]) + [0.0, 0.5, 1.1 + side]
        places[:, side] = at[side].translation + swing * (np.sin(phase) - np.sin(phase[0]))
        turned = exp_map(0.35 * np.sin(np.outer(t, [1.1, 1.7, 0.9]) + side))
        wxyz[:, side] = quat_multiply(turned, matrix_to_quat(at[side].rotation))
    return places, wxyz, quat_to_matrix(wxyz)

"""Balance: random problems of robots that stand on both feet, every answer judged by Pinocchio.

A robot stands with its feet pinned and reaches with both hands.  Half of the problems are feasible
for sure: their targets are where a pose has the hands that stands on the same feet with its centre
of mass well inside, by Pinocchio.  The other targets are anywhere around the robot.  Each is solved
without ``Balance``, with it as a goal among others, and with it before the hands (``priority=1``).
Pinocchio works out the centre of mass and the feet, SciPy the hull of the soles.

    python -m benchmarks.robots.balance [PROBLEMS]
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio
from scipy.spatial import ConvexHull

import limbik
from benchmarks.report import keep, show
from limbik import Balance, Figure, Pin, Reach, Rest
from limbik.goals import Goal
from limbik.maths.quaternions import matrix_to_quat

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "robots"
MARGIN = 0.01  # m


class Robot(NamedTuple):
    """file, foot links, corners of a sole in a foot's frame (m), hand links."""

    file: str
    feet: tuple[str, str]
    sole: list[tuple[float, float, float]]
    hands: tuple[str, str]


ROBOTS = {
    "G1": Robot(
        "unitree_g1_29dof_rev_1_0.urdf",
        ("left_ankle_roll_link", "right_ankle_roll_link"),
        [(x, y, -0.03) for x in (-0.05, 0.12) for y in (-0.025, 0.025)],
        ("left_rubber_hand", "right_rubber_hand"),
    ),
    "Talos": Robot(
        "erd_talos_full_v2.urdf",
        ("left_sole_link", "right_sole_link"),
        [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.06, 0.06)],
        ("gripper_left_base_link", "gripper_right_base_link"),
    ),
}


_pin: Any = pinocchio


class Judge:
    """Pinocchio's model of the same file."""

    def __init__(self, path: Path, figure: Figure, robot: Robot) -> None:
        self.model: Any = _pin.buildModelFromUrdf(str(path), _pin.JointModelFreeFlyer())
        self.data, self.figure, self.robot = self.model.createData(), figure, robot
        self.slots: list[tuple[int, Any]] = []
        for name in list(self.model.names)[2:]:
            at = next(i for i, known in enumerate(figure.definition) if known.alias == name)
            (slot,) = (figure.tree.slots[k] for k in figure.tree.slots_of[at])
            self.slots.append((self.model.joints[self.model.getJointId(name)].idx_q, slot))

    def outside(self, q: np.ndarray) -> float:
        """How far the centre of mass is outside the hull of the soles (m); negative inside."""
        theirs = _pin.neutral(self.model)
        base = self.figure.frames(q)[1]  # the link that the moving base carries
        w, x, y, z = matrix_to_quat(base[:3, :3])
        theirs[:7] = [*base[:3, 3], x, y, z, w]
        for at, slot in self.slots:
            theirs[at] = slot.scale * q[slot.coordinate] + slot.shift
        center = _pin.centerOfMass(self.model, self.data, theirs)
        _pin.framesForwardKinematics(self.model, self.data, theirs)
        corners = []
        for foot in self.robot.feet:
            frame = self.data.oMf[self.model.getFrameId(foot)]
            sole = np.array(self.robot.sole) @ frame.rotation.T + frame.translation
            corners += list(sole[:, :2])
        lines = ConvexHull(corners).equations
        return float((lines[:, :2] @ center[:2] + lines[:, 2]).max())


def run(name: str, robot: Robot, problems: int) -> list[dict[str, Any]]:
    """Rows of the table: feasible problems and others, each solved in three ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        figure = limbik.load(DATA / robot.file).with_base("free")
    judge = Judge(DATA / robot.file, figure, robot)
    support = [(foot, corner) for foot in robot.feet for corner in robot.sole]
    pins: list[Goal] = [Pin(foot, rotation=True) for foot in robot.feet]
    balance, rest = Balance(support, MARGIN), Rest(1e-6)
    stand = limbik.solve(figure, [*pins, balance, rest])
    assert stand.ok
    posed = limbik.Solver(figure, [*pins, Balance(support, 2 * MARGIN)])
    hands = [Reach(hand, position=[0, 0, 0]) for hand in robot.hands]
    later = [replace(hand, priority=1) for hand in hands]
    solvers = {
        "without": limbik.Solver(figure, [*pins, *hands, rest], restarts=None),
        "as a goal": limbik.Solver(figure, [*pins, balance, *hands, rest], restarts=None),
        "hands priority=1": limbik.Solver(figure, [*pins, balance, *later], restarts=None),
    }
    rng, rows = np.random.default_rng(0), []
    turns = np.arange(figure.n) >= 6  # all but the base
    for feasible in (True, False):
        asked: list[dict[str, np.ndarray]] = []
        while len(asked) < problems // 2:
            if feasible:
                made = posed.solve(
                    figure.project(stand.q + 0.6 * turns * rng.normal(size=figure.n))
                )
                if not made.ok or judge.outside(made.q) > -2 * MARGIN:
                    continue
                places = [figure.positions(made.q, hand) for hand in robot.hands]
            else:
                middle = figure.positions(stand.q, robot.hands[0]) * [1, 0, 1]
                places = [middle + 0.6 * rng.normal(size=3) for _ in robot.hands]
            asked.append(dict(zip(robot.hands, places, strict=True)))
        for way, solver in solvers.items():
            reached, wrong, outside, explained, worst, spent = 0, 0, 0, 0, -np.inf, 0.0
            for targets in asked:
                began = time.process_time()
                answer = solver.solve(stand.q, targets=targets)
                spent += time.process_time() - began
                away = judge.outside(answer.q)
                reached += answer.ok
                outside += away > 0.0
                if answer.ok:
                    wrong += away > -MARGIN
                    worst = max(worst, away)
                elif way != "without":
                    explained += "centre of mass" in answer.why or "balance" in answer.why
            rows.append(
                {
                    "robot": name, "targets": "feasible" if feasible else "anywhere",
                    "Balance": way, "problems": len(asked), "REACHED": reached,
                    "of them outside the margin": wrong, "nearest to the edge (mm)":
                    round(-1e3 * worst, 2) if reached else "", "all outside the hull": outside,
                    "short, why names balance": explained, "ms": round(1e3 * spent / len(asked), 2),
                }
            )  # fmt: skip
    return rows


def main(problems: int) -> None:
    rows = [row for name, robot in ROBOTS.items() for row in run(name, robot, problems)]
    show("balance, judged by Pinocchio", rows)
    keep("robots/balance", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

"""The figures of newton_svd, and its formulas for the arm of three joints as the notes write them.

Angles turn clockwise and begin at the y axis.  The notes give no lengths; every link is 1 here.
"""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute
from limbik.goals.reach import Reach

LENGTHS = np.ones(3)
REACH = float(LENGTHS.sum())
HANDS = ("LeftHand", "RightHand")


def three_joint_arm() -> Figure:
    """Figure 2 of newton_svd: hinges that turn clockwise, straight up along y at rest."""
    joints: list[Joint] = []
    at = 0.0
    for k, length in enumerate(LENGTHS, start=1):
        parent = joints[-1].name if joints else None
        joints.append(Joint(f"Joint{k}", parent, revolute("-z"), offset=(0.0, at, 0.0)))
        at = float(length)
    joints.append(Joint("Tip", joints[-1].name, offset=(0.0, at, 0.0)))
    return Figure(joints, name="three_joint_arm", up="y")


def two_armed() -> Figure:
    """A trunk that turns and carries two arms of two hinges each: five joints, one system."""
    hinge = revolute("-z")
    return Figure(
        [
            Joint("Trunk", parts=hinge),
            Joint("LeftUpper", "Trunk", hinge, offset=(-0.3, 1.0, 0.0)),
            Joint("LeftLower", "LeftUpper", hinge, offset=(-0.8, 0.0, 0.0)),
            Joint("LeftHand", "LeftLower", offset=(-0.7, 0.0, 0.0)),
            Joint("RightUpper", "Trunk", hinge, offset=(0.3, 1.0, 0.0)),
            Joint("RightLower", "RightUpper", hinge, offset=(0.8, 0.0, 0.0)),
            Joint("RightHand", "RightLower", offset=(0.7, 0.0, 0.0)),
        ],
        name="two_armed",
        up="y",
    )


def links(angles: np.ndarray, lengths: np.ndarray = LENGTHS) -> np.ndarray:
    """(joints, 2) Equations 1 and 2 for each link: l·sin Ω to the right and l·cos Ω upwards."""
    heading = np.cumsum(angles)
    return np.column_stack([lengths * np.sin(heading), lengths * np.cos(heading)])


def tip(angles: np.ndarray, lengths: np.ndarray = LENGTHS) -> np.ndarray:
    """(2,) p₃ of section 2: the links one after another, from an origin at 0."""
    return links(angles, lengths).sum(axis=0)


def jacobian(angles: np.ndarray, lengths: np.ndarray = LENGTHS) -> np.ndarray:
    """(2, joints) Equation 3 for the arm: J_ij = ∂p_i/∂θ_j, l·cos above and −l·sin below.

    Joint j turns every link from the j-th on.
    """
    heading = np.cumsum(angles)
    rows = np.array([lengths * np.cos(heading), -lengths * np.sin(heading)])
    return np.cumsum(rows[:, ::-1], axis=1)[:, ::-1]


def linear(angles: np.ndarray, current: np.ndarray, lengths: np.ndarray = LENGTHS) -> np.ndarray:
    """(2,) Equation 4: p(θ) ≈ p(θ_current) + J(θ_current)·(θ − θ_current)."""
    return tip(current, lengths) + jacobian(current, lengths) @ (angles - current)


def goal(target: np.ndarray) -> list[Reach]:
    """The tip at target (2,) in the plane."""
    return [Reach("Tip", position=[float(target[0]), float(target[1]), 0.0])]

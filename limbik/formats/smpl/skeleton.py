"""The joints of SMPL, SMPL-H and SMPL-X: names, tree, and the lengths of an average adult."""

from __future__ import annotations

import math

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, exponential, slides

_BODY = {  # joint: (parent, offset in m of an average adult in the models' rest pose)
    "pelvis": ("", (0.0, 0.0, 0.0)),
    "left_hip": ("pelvis", (0.06, -0.09, -0.01)),
    "right_hip": ("pelvis", (-0.06, -0.09, -0.01)),
    "spine1": ("pelvis", (0.0, 0.12, -0.02)),
    "left_knee": ("left_hip", (0.04, -0.38, 0.0)),
    "right_knee": ("right_hip", (-0.04, -0.38, 0.0)),
    "spine2": ("spine1", (0.0, 0.14, 0.02)),
    "left_ankle": ("left_knee", (-0.01, -0.41, -0.04)),
    "right_ankle": ("right_knee", (0.01, -0.41, -0.04)),
    "spine3": ("spine2", (0.0, 0.05, 0.0)),
    "left_foot": ("left_ankle", (0.03, -0.06, 0.12)),
    "right_foot": ("right_ankle", (-0.03, -0.06, 0.12)),
    "neck": ("spine3", (0.0, 0.22, -0.03)),
    "left_collar": ("spine3", (0.08, 0.12, -0.03)),
    "right_collar": ("spine3", (-0.08, 0.12, -0.03)),
    "head": ("neck", (0.0, 0.08, 0.05)),
    "left_shoulder": ("left_collar", (0.1, 0.03, -0.01)),
    "right_shoulder": ("right_collar", (-0.1, 0.03, -0.01)),
    "left_elbow": ("left_shoulder", (0.26, -0.01, -0.02)),
    "right_elbow": ("right_shoulder", (-0.26, -0.01, -0.02)),
    "left_wrist": ("left_elbow", (0.25, 0.01, 0.0)),
    "right_wrist": ("right_elbow", (-0.25, 0.01, 0.0)),
}
_HANDS = {
    "left_hand": ("left_wrist", (0.09, -0.01, -0.01)),
    "right_hand": ("right_wrist", (-0.09, -0.01, -0.01)),
}
_FACE = {
    "jaw": ("head", (0.0, 0.0, 0.01)),
    "left_eye_smplhf": ("head", (0.03, 0.06, 0.08)),
    "right_eye_smplhf": ("head", (-0.03, 0.06, 0.08)),
}
_FINGERS = {  # of the left hand: offsets of the three joints
    "index": ((0.1, 0.0, 0.02), (0.03, 0.0, 0.0), (0.02, 0.0, 0.0)),
    "middle": ((0.11, 0.01, 0.0), (0.03, 0.0, 0.0), (0.02, 0.0, 0.0)),
    "pinky": ((0.08, -0.01, -0.04), (0.02, 0.0, 0.0), (0.02, 0.0, 0.0)),
    "ring": ((0.09, 0.0, -0.02), (0.03, 0.0, 0.0), (0.02, 0.0, 0.0)),
    "thumb": ((0.04, -0.01, 0.03), (0.02, 0.0, 0.02), (0.02, 0.0, 0.02)),
}


def _fingers() -> dict[str, tuple[str, tuple[float, float, float]]]:
    found = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for finger, offsets in _FINGERS.items():
            above = f"{side}_wrist"
            for k, (x, y, z) in enumerate(offsets):
                found[f"{side}_{finger}{k + 1}"] = (above, (sign * x, y, z))
                above = f"{side}_{finger}{k + 1}"
    return found


TREES = {
    22: _BODY,
    24: {**_BODY, **_HANDS},
    52: {**_BODY, **_fingers()},
    55: {**_BODY, **_FACE, **_fingers()},
}
"""By the number of joints: the body alone, SMPL, SMPL-H and SMPL-X, in the models' own order."""

KINDS = {22: "SMPL (body)", 24: "SMPL", 52: "SMPL-H", 55: "SMPL-X"}

_PELVIS = {22: -0.23, 24: -0.23, 52: -0.24, 55: -0.35}
"""Height in m of the pelvis above the models' origin, which the files' ``trans`` speaks of."""


def average_joints(count: int) -> np.ndarray:
    """(joints, 3) of an average adult in m: right to a few centimetres, and nobody's own."""
    tree = TREES[count]
    at: dict[str, np.ndarray] = {"": np.array([0.0, _PELVIS[count], 0.0])}
    for name, (parent, offset) in tree.items():
        at[name] = at[parent] + np.array(offset)
    return np.array([at[name] for name in tree])


def skeleton(joints: np.ndarray, name: str = "") -> Figure:
    """The figure with joints (joints, 3) of the models' rest pose, in m.

    Its world is that of AMASS, z up, in which a model without rotation lies on its back: the rest
    pose turns it upright.
    """
    tree = TREES[len(joints)]
    at = dict(zip(tree, joints, strict=True))
    made = []
    for joint, (parent, _) in tree.items():
        parts = exponential() if parent else slides() + exponential()
        offset = at[joint] - at[parent] if parent else at[joint]
        made.append(Joint(joint, parent or None, parts, tuple(offset.tolist())))
    figure = Figure(made, name=name, unit="m", up="z")
    pelvis, lowest = joints[0], float(joints[:, 1].min())
    upright = {
        "pelvis.wx": 0.5 * math.pi,
        "pelvis.tx": -pelvis[0],
        "pelvis.ty": -pelvis[1],
        "pelvis.tz": pelvis[1] - lowest - pelvis[2],
    }
    return figure.with_rest(figure.pose(upright))

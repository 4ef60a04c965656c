"""How unwilling each coordinate is to move: limbs move first, the trunk later, the hips last.

The numbers are ratios of Rest weights.  A weight w lets its coordinate move by 1/w of what an arm's
would for the same gain, so that a trunk of 300 bends by a third of a degree where the arms that
could do it alone turn by a hundred.
"""

from __future__ import annotations

import weakref

import numpy as np

from limbik.figure.appearance.capsules import bones
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import Body
from limbik.posture.known_body import known_body

ARM, WRIST, SHOULDER, LEG, FOOT, FINGER = 1.0, 2.0, 20.0, 1.0, 2.0, 2.0
NECK, TRUNK, TURN, PLACE = 60.0, 300.0, 1200.0, 5000.0
"""Weights of the parts of a body beside those of an arm; TURN and PLACE are those of the hips."""

HEAVIEST = 3000.0
"""The weight of what carries a whole figure that is no body; what carries nothing has 1."""

_known: weakref.WeakKeyDictionary[Figure, np.ndarray] = weakref.WeakKeyDictionary()


def joint_weights(figure: Figure) -> np.ndarray:
    """(n,) a weight for each coordinate, 1 for those of an arm.

    Joints without a role count as the nearest joint above them that has one.  Figures that are no
    bodies have the square of the share of the bones' length that a joint carries, times HEAVIEST,
    and 1 at least.
    """
    if figure not in _known:
        body = known_body(figure)
        _known[figure] = _of_body(figure, body) if body.complete else _of_any(figure)
    return _known[figure].copy()


def _of_body(figure: Figure, body: Body) -> np.ndarray:
    roles = {figure.index(joint): role for role, joint in body.roles.items()}
    hips = figure.index(body["hips"])
    carrying = set(figure.tree.ancestors(hips))
    weights = np.empty(len(figure.joints))
    for i, parent in enumerate(figure.parents.tolist()):
        if i in carrying:
            weights[i] = TURN
        elif i in roles:
            weights[i] = _of_role(roles[i])
        else:
            weights[i] = TRUNK if parent in carrying else weights[parent]
    out = weights[figure.owner]
    return np.where(figure.slides & np.isin(figure.owner, list(carrying)), PLACE, out)


def _of_role(role: str) -> float:
    if role in ("neck", "head", "jaw", "leftEye", "rightEye"):
        return NECK
    for ending, weight in (
        ("Shoulder", SHOULDER),
        ("Arm", ARM),
        ("Leg", LEG),
        ("Hand", WRIST),
        ("Foot", FOOT),
        ("Toes", FOOT),
    ):
        if role.endswith(ending):
            return weight
    return FINGER if role.startswith(("left", "right")) else TRUNK


def _of_any(figure: Figure) -> np.ndarray:
    return np.maximum(1.0, HEAVIEST * carried_share(figure) ** 2)[figure.owner]


def carried_share(figure: Figure) -> np.ndarray:
    """(joints,) the share of the bones' length that each joint carries, 1 for the most."""
    owner, start, end = bones(figure)
    carried = np.bincount(owner, np.linalg.norm(end - start, axis=1), minlength=len(figure.parents))
    for joint in range(len(figure.parents) - 1, -1, -1):
        if figure.parents[joint] >= 0:
            carried[figure.parents[joint]] += carried[joint]
    most = carried.max(initial=0.0)
    return carried / most if most > 0.0 else np.ones(len(carried))

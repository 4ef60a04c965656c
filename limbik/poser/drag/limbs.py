"""Limbs: which arm or leg a drag moves, and other poses of it from which a drag may do better."""

from __future__ import annotations

import weakref
from collections.abc import Iterable

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid.at_ease import at_ease
from limbik.humanoid.recognise import SIDES
from limbik.posture.joint_weights import NECK, joint_weights
from limbik.posture.known_body import known_body

_STRAIGHT = 0.99  # cosine of the angle between two bones that are straight: 8 degrees
_NUDGE = 0.08  # of the way to the middle of the limits: about 6 degrees of an elbow
_BENT = 0.4
_known: weakref.WeakKeyDictionary[Figure, dict[str, list[Limb]]] = weakref.WeakKeyDictionary()

Limb = tuple[int, int, int]
"""The upper and the lower joint of an arm or a leg, and the one at its end."""


def limbs_moved(figure: Figure, joint: str) -> list[Limb]:
    """The limbs that a drag of a joint moves first."""
    known = _known.setdefault(figure, {})
    if joint not in known:
        known[joint] = _found(figure, joint)
    return known[joint]


def bent_limb(figure: Figure, joint: str, q: np.ndarray) -> np.ndarray | None:
    """(n,) the pose q with the limb that a drag of ``joint`` moves bent a little, where it is
    straight: there, no first derivative says that it could bend.  None where it is not.

    Dragging the hips moves both legs.
    """
    frames, out = figure.frames(q), None
    for upper, lower, end in limbs_moved(figure, joint):
        one = frames[lower, :3, 3] - frames[upper, :3, 3]
        two = frames[end, :3, 3] - frames[lower, :3, 3]
        lengths = float(np.linalg.norm(one) * np.linalg.norm(two))
        if float(one @ two) < _STRAIGHT * lengths:
            continue
        own = (figure.owner == lower) & _bounded(figure)
        middle = 0.5 * (figure.lower[own] + figure.upper[own])
        out = q.copy() if out is None else out
        out[own] += _NUDGE * (middle - q[own])
    return None if out is None else figure.project(out)


def starts(figure: Figure, joint: str, q: np.ndarray) -> list[np.ndarray]:
    """Poses (n,) from which a drag of ``joint`` may come to a better one than from q (n,): its
    limb clearly bent, as it is in a body at ease, and in the middle of its limits."""
    limbs = limbs_moved(figure, joint)
    if not limbs:
        return []
    bounded, middle = _bounded(figure), q.copy()
    middle[bounded] = 0.5 * (figure.lower[bounded] + figure.upper[bounded])
    hinges = np.isin(figure.owner, [limb[1] for limb in limbs])
    whole = np.isin(figure.owner, [i for limb in limbs for i in limb])
    found = [np.where(hinges, q + _BENT * (middle - q), q), np.where(whole, middle, q)]
    ease = at_ease(figure, q)
    if ease is not None:
        found.append(np.where(whole, ease, q))
    return [figure.project(pose) for pose in found]


def beside_limb(figure: Figure, joint: str) -> list[str]:
    """All joints but those of the limb that carries ``joint``; none where no limb does."""
    limbs = limbs_moved(figure, joint)
    if len(limbs) != 1 or joint == known_body(figure).roles.get("hips"):
        return []
    own = {*limbs[0][:2], figure.index(joint)}
    body = known_body(figure)
    for side in SIDES:  # the collarbone is part of the arm
        collar = body.roles.get(side + "Shoulder")
        if collar is not None and figure.index(body[side + "UpperArm"]) in own:
            own.add(figure.index(collar))
    i = figure.index(joint)
    while i >= 0 and i not in limbs[0][:2]:
        own.add(i)
        i = int(figure.parents[i])
    return [name for i, name in enumerate(figure.joints) if i not in own]


def beside_limbs(figure: Figure, joints: Iterable[str]) -> tuple[str, ...]:
    """All joints of a body but those of the limbs that carry ``joints``, and but its neck; none
    where one of them is on no limb."""
    if not known_body(figure).complete:
        return ()
    others = [set(beside_limb(figure, joint)) for joint in joints]
    neck = {figure.joints[i] for i in figure.owner[joint_weights(figure) == NECK]}
    still = set.intersection(*others) - neck if all(others) else set()
    return tuple(joint for joint in figure.joints if joint in still)


def _found(figure: Figure, joint: str) -> list[Limb]:
    body = known_body(figure)
    out = []
    for side in SIDES:
        for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot")):
            chain = [figure.index(body[side + part]) for part in parts]
            below = chain[1] in figure.tree.ancestors(figure.index(joint))
            if below or (joint == body["hips"] and parts[0] == "UpperLeg"):
                out.append((chain[0], chain[1], chain[2]))
    return out


def _bounded(figure: Figure) -> np.ndarray:
    return np.isfinite(figure.lower) & np.isfinite(figure.upper)

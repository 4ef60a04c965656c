"""Which points of a body stay above a floor, and how much room each needs below itself."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np

from limbik.figure.collision.shapes import Capsule
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import SIDES
from limbik.posture.feet import feet_of
from limbik.posture.known_body import known_body


class FloorPoint(NamedTuple):
    """A point ``at`` (3,) of a joint, in its frame, that stays ``clearance`` above the floor; both
    in the figure's unit."""

    joint: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    clearance: float = 0.0


_THIN = 0.006  # of the figure's size: half of a hand's thickness
_THICK = 0.03  # of the figure's size: half of a limb's thickness, at most
_known: weakref.WeakKeyDictionary[Figure, tuple[FloorPoint, ...]] = weakref.WeakKeyDictionary()


def floor_points(figure: Figure) -> tuple[FloorPoint, ...]:
    """Heels, balls of the feet, toes, knees, palms, fingertips, elbows, hips and head of a body;
    the joints and tips at the ends of any other figure."""
    if figure not in _known:
        _known[figure] = tuple(_found(figure))
    return _known[figure]


def _found(figure: Figure) -> list[FloorPoint]:
    body = known_body(figure)
    if not body.complete:
        return _ends(figure)
    out: list[FloorPoint] = []
    for foot in feet_of(figure):
        ankle, toes = figure.joints[foot.joint], figure.joints[foot.toes]
        points = ((ankle, foot.heel), (ankle, foot.ball), (toes, foot.tip))
        out += [FloorPoint(joint, _vec3(at)) for joint, at in points]
    for side in SIDES:
        for part in ("LowerLeg", "LowerArm"):
            out.append(FloorPoint(body[side + part], clearance=_radius(figure, body[side + part])))
        out += _hand(figure, figure.index(body[side + "Hand"]))
    for role in ("hips", "head"):
        out.append(FloorPoint(body[role], clearance=_radius(figure, body[role])))
    return out


def _hand(figure: Figure, wrist: int) -> list[FloorPoint]:
    """The wrist, the knuckle of the longest finger, and the ends of all fingers."""
    thin = _THIN * figure.size
    out = [FloorPoint(figure.joints[wrist], clearance=thin)]
    frames = figure.frames(figure.rest)
    ways: dict[int, list[int]] = {wrist: []}
    for i, parent in enumerate(figure.parents.tolist()):
        if parent in ways:
            ways[i] = [*ways[parent], i]
    inner = set(figure.parents.tolist())
    best, length = None, 0.0
    for i in ways:
        tip = figure.definition[i].tip
        end = frames[i, :3, 3] if tip is None else frames[i, :3, :3] @ tip + frames[i, :3, 3]
        far = float(np.linalg.norm(end - frames[wrist, :3, 3]))
        if far > length:
            best, length = i, far
    if best is None:
        return out
    if ways[best] and ways[best][0] != best:
        out.append(FloorPoint(figure.joints[ways[best][0]], clearance=thin))
    for i in ways:
        tip = figure.definition[i].tip
        if i != wrist and (tip is not None or i not in inner):
            at = np.zeros(3) if tip is None else np.array(tip)
            out.append(FloorPoint(figure.joints[i], _vec3(at), 0.3 * thin))
    return out


def _radius(figure: Figure, joint: str) -> float:
    """Half of the thickness of a limb at a joint, from the shapes that follow it."""
    known = [s.radius for s in figure.shapes if s.joint == joint and isinstance(s, Capsule)]
    return min([*known, _THICK * figure.size])


def _ends(figure: Figure) -> list[FloorPoint]:
    inner = set(figure.parents.tolist())
    return [
        FloorPoint(name, _vec3(np.array(figure.definition[i].tip or (0.0, 0.0, 0.0))))
        for i, name in enumerate(figure.joints)
        if i not in inner
    ]


def _vec3(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z

"""Feet: where heel, ball and toes of a body touch the floor, and when a sole is flat."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid.at_ease import at_ease
from limbik.humanoid.recognise import SIDES
from limbik.posture.known_body import known_body, known_up

HEEL = 0.3
"""How far the heel lies behind the ankle, as a part of the way from there to the toes."""

_TOES = 0.4  # length of toes without a tip, as a part of the way from the ankle to them
_known: weakref.WeakKeyDictionary[Figure, tuple[Foot, ...]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot of a body, in figure's units.

    joint:  index of the ankle
    toes:   index of the joint that carries the toes; the ankle where there is none
    heel, ball: (3,) points of the sole in the ankle's frame
    tip:    (3,) the sole below the toes' ends, in the frame of ``toes``
    normal: (3,) the direction that is up where the sole is flat, in the ankle's frame
    """

    joint: int
    toes: int
    heel: np.ndarray
    ball: np.ndarray
    tip: np.ndarray
    normal: np.ndarray


def feet_of(figure: Figure) -> tuple[Foot, ...]:
    """The feet of a body, left before right; none where no body is found."""
    if figure not in _known:
        _known[figure] = _found(figure)
    return _known[figure]


def _found(figure: Figure) -> tuple[Foot, ...]:
    body = known_body(figure)
    if not body.complete:
        return ()
    q = at_ease(figure)  # the soles are flat in it
    frames = figure.frames(figure.rest if q is None else q)
    up = np.eye(3)[known_up(figure)]
    out = []
    for side in SIDES:
        ankle = figure.index(body[side + "Foot"])
        toes = figure.index(body[side + "Toes"]) if side + "Toes" in body else ankle
        out.append(_foot(figure, frames, up, ankle, toes))
    return tuple(out)


def _foot(figure: Figure, frames: np.ndarray, up: np.ndarray, ankle: int, toes: int) -> Foot:
    here = frames[ankle, :3, 3]
    ends = [_point(frames, toes, figure.definition[toes].tip)]
    below = [i for i, parent in enumerate(figure.parents.tolist()) if parent == toes]
    ends += [frames[i, :3, 3] for i in below]
    ends = [end for end in ends if end is not None]
    base = frames[toes, :3, 3] if toes != ankle else None
    if base is None:
        far = ends[0] if ends else here
        base = here + 0.7 * (far - here)
    if not ends:
        ends = [base + _TOES * (base - here - up * ((base - here) @ up))]
    tip = max(ends, key=lambda end: float(np.linalg.norm(end - here)))
    sole = min(float(point @ up) for point in (here, base, tip))
    ahead = base - here
    ahead = ahead - up * (ahead @ up)

    def down(point: np.ndarray) -> np.ndarray:
        return point + up * (sole - float(point @ up))

    turned = frames[ankle, :3, :3]
    return Foot(
        ankle,
        toes,
        turned.T @ (down(here - HEEL * ahead) - here),
        turned.T @ (down(base) - here),
        frames[toes, :3, :3].T @ (down(tip) - frames[toes, :3, 3]),
        turned.T @ up,
    )


def _point(frames: np.ndarray, joint: int, at: tuple[float, ...] | None) -> np.ndarray | None:
    return None if at is None else frames[joint, :3, :3] @ np.array(at) + frames[joint, :3, 3]

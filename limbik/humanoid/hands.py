"""Hands: the joints of each finger, and where a hand has its palm.

All directions are those of the rest pose.  A hand has three axes: towards the thumb, forward to the
knuckles, and out of the palm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.appearance.capsules import joint_radii
from limbik.figure.figure import Figure
from limbik.humanoid.fingers import fingers
from limbik.humanoid.joint_names import take_apart
from limbik.humanoid.recognise import SIDES, Body, recognise

Side = Literal["left", "right"]
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
_PLACES = ("Proximal", "Intermediate", "Distal")
_THUMB_PLACES = ("Metacarpal", "Proximal", "Distal")
_FEWEST = 3  # fingers by which a hand without a body is known
_TIP = 0.8  # of the bone before: how long a last bone without a tip is
_TINY = 1e-9
_THIN = 0.16  # half the thickness of a slim finger, of the first bone of the longest


@dataclass(frozen=True, eq=False)
class Finger:
    """The joints of a finger from the knuckle on, and its bones at rest.

    joints:  indices of the joints, from the knuckle (of the thumb: from the wrist) on
    ends:    (k, 3) where the bone of each joint ends, in that joint's frame
    along:   (k, 3) the directions of the bones at rest, in the world
    lengths: (k,) of the bones
    radius:  half its thickness, as it is drawn without a mesh, or more where that is thin
    """

    joints: tuple[int, ...]
    ends: np.ndarray
    along: np.ndarray
    lengths: np.ndarray
    radius: float

    def points(self, frames: np.ndarray) -> np.ndarray:
        """(…, k + 1, 3) the joints and the tip, for the frames (…, joints, 4, 4) of poses."""
        last = frames[..., self.joints[-1], :3, :]
        tip = last[..., :3] @ self.ends[-1] + last[..., 3]
        return np.concatenate(
            [frames[..., :3, 3][..., list(self.joints), :], tip[..., None, :]], axis=-2
        )


@dataclass(frozen=True, eq=False)
class Hand:
    """A hand of a figure.

    side:    "left" or "right"
    wrist:   index of its joint
    fingers: those that it has, by name: "Thumb", "Index", "Middle", "Ring", "Little"
    axes:    (3, 3) columns: towards the thumb, forward, out of the palm, in the world at rest
    length:  from the wrist to the knuckles
    """

    side: Side
    wrist: int
    fingers: Mapping[str, Finger]
    axes: np.ndarray
    length: float

    @property
    def joints(self) -> tuple[int, ...]:
        """Indices of the joints of all fingers."""
        return tuple(i for finger in self.fingers.values() for i in finger.joints)

    def palm(self, figure: Figure) -> np.ndarray:
        """(3,) the middle of the palm, in the wrist's frame."""
        rest = figure.frames(figure.rest)
        at = rest[self.wrist]
        knuckles = [rest[f.joints[0], :3, 3] for name, f in self.fingers.items() if name != "Thumb"]
        middle = 0.45 * at[:3, 3] + 0.55 * np.mean(knuckles, axis=0)
        return at[:3, :3].T @ (middle - at[:3, 3])


def find_hand(figure: Figure, side: str, body: Body | None = None) -> Hand:
    """The hand on a side, or the only hand of a figure that is nothing else.

    Args:
        figure: any figure whose fingers have names (``limbik.humanoid.recognise``).
        side: "left" or "right".
        body: which joint is which, where that is known already.

    Returns:
        The hand.

    Raises:
        FigureError: where there is no such hand, or it has no fingers that move.

    >>> import limbik
    >>> sorted(find_hand(limbik.figures.hand(), "right").fingers)
    ['Index', 'Little', 'Middle', 'Ring', 'Thumb']
    """
    if side not in SIDES:
        raise FigureError(f'there is no side "{side}"{did_you_mean(str(side), SIDES)}')
    for hand in find_hands(figure, body):
        if hand.side == side:
            return hand
    raise FigureError(f'the figure "{figure.name}" has no {side} hand with fingers')


def find_hands(figure: Figure, body: Body | None = None) -> tuple[Hand, ...]:
    """The hands of a figure that have fingers: none, one or two."""
    known = recognise(figure) if body is None else body
    radii = joint_radii(figure, known.roles)
    out: list[Hand] = []
    for side in SIDES:
        if side + "Hand" in known:
            hand = _hand(figure, known.roles, side, figure.index(known[side + "Hand"]), radii)
            if hand is not None:
                out.append(hand)
    if out or known.roles:
        return tuple(out)
    alone = _hand_alone(figure, radii)
    return () if alone is None else (alone,)


def _hand_alone(figure: Figure, radii: np.ndarray) -> Hand | None:
    """The hand of a figure that has no body: the last joint that carries all of its fingers;
    ``radii`` (joints,) is how thick it is drawn."""
    names = [take_apart(joint.name) for joint in figure.definition]
    lengths = [float(np.linalg.norm(joint.offset)) for joint in figure.definition]
    parents = figure.parents.tolist()
    best: tuple[int, dict[str, int], int] | None = None
    for i in range(len(names)):
        roles = fingers(names, parents, "left", i, lengths)
        count = sum(any(role.startswith(f"left{finger}") for role in roles) for finger in FINGERS)
        if count >= _FEWEST and (best is None or count >= best[2]):
            best = i, roles, count
    if best is None:
        return None
    wrist, found, _ = best
    roles = {role: figure.joints[i] for role, i in found.items()}
    sides = {name.side for name in names if name.side}
    left = _hand(figure, roles, "left", wrist, radii)
    if left is None or sides == {"left"}:
        return left
    # Fingers and the thumb are bent towards the palm at rest, or lie in its plane.
    rest = figure.frames(figure.rest)
    bent = sum(
        float((f.points(rest)[-1] - f.points(rest)[0]) @ left.axes[:, 2])
        for f in left.fingers.values()
    )
    if sides != {"right"} and bent >= 0.0:
        return left
    roles = {role.replace("left", "right"): joint for role, joint in roles.items()}
    return _hand(figure, roles, "right", wrist, radii)


def _hand(
    figure: Figure, roles: Mapping[str, str], side: str, wrist: int, radii: np.ndarray
) -> Hand | None:
    rest = figure.frames(figure.rest)
    found: dict[str, Finger] = {}
    for name in FINGERS:
        places = _THUMB_PLACES if name == "Thumb" else _PLACES
        joints = [figure.index(roles[r]) for p in places if (r := side + name + p) in roles]
        joints = [i for i in joints if len(figure.coordinates_of(figure.joints[i]))]
        if joints:
            found[name] = _finger(figure, rest, tuple(joints), float(radii[joints].max()))
    knuckles = {name: rest[f.joints[0], :3, 3] for name, f in found.items() if name != "Thumb"}
    if not knuckles:
        return None
    at = rest[wrist, :3, 3]
    forward = knuckles.get("Middle", np.mean(list(knuckles.values()), axis=0)) - at
    if "Index" in knuckles and "Little" in knuckles:
        across = knuckles["Index"] - knuckles["Little"]
    elif "Thumb" in found:
        across = found["Thumb"].points(rest)[-1] - at
    else:
        return None  # nothing tells where the palm is
    length = float(np.linalg.norm(forward))
    longest = max(float(f.lengths[0]) for name, f in found.items() if name != "Thumb")
    slim = _THIN * min(longest, 0.5 * length)
    found = {name: replace(f, radius=max(f.radius, slim)) for name, f in found.items()}
    across = across - forward * (across @ forward) / (forward @ forward)
    if length < _TINY * figure.size or np.linalg.norm(across) < 1e-3 * length:
        return None
    forward, across = forward / length, across / np.linalg.norm(across)
    palm = np.cross(forward, across) if side == "left" else np.cross(across, forward)
    axes = np.column_stack([across, forward, palm])
    return Hand("left" if side == "left" else "right", wrist, found, axes, length)


def _finger(figure: Figure, rest: np.ndarray, joints: tuple[int, ...], radius: float) -> Finger:
    places = [rest[i, :3, 3] for i in joints]
    last = joints[-1]
    tip = figure.definition[last].tip
    below = [figure.definition[k].offset for k in np.flatnonzero(figure.parents == last)]
    if tip is None and below:
        tip = np.mean(below, axis=0)
    if tip is None or float(np.linalg.norm(tip)) < _TINY * figure.size:
        before = rest[int(figure.parents[joints[-1]]), :3, 3]
        tip = rest[last, :3, :3].T @ (_TIP * (places[-1] - before))
    places.append(rest[last, :3, :3] @ np.asarray(tip, float) + places[-1])
    bones = np.diff(np.array(places), axis=0)
    lengths = np.linalg.norm(bones, axis=1)
    ends = np.array([
        rest[i, :3, :3].T @ bone for i, bone in zip(joints, bones, strict=True)
    ])  # fmt: skip
    along = bones / np.maximum(lengths, _TINY * figure.size)[:, None]
    return Finger(joints, ends, along, lengths, radius)

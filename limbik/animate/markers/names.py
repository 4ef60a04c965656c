"""Where the markers of the usual sets sit on a body: which bone carries each, and about where.

Names are those of Vicon's Plug-in Gait and of the sets of CMU and AMASS, without the subject's name
before a colon.  A place is a joint, or the middle of two, and a shift in metres of an adult:
forwards, outwards (to the marker's own side) and upwards in the rest pose, along the bone, and
along the axis of the hinge there, backwards (the outer side of an elbow is where its axis ends).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.animate.contacts import metre
from limbik.figure.figure import Figure
from limbik.humanoid.ground import AXES, up_axis
from limbik.humanoid.recognise import Body

LOOSE, CLOSE, BONY, TRUNK = 0.06, 0.015, 0.03, 0.1
"""Metres by which a marker may sit elsewhere than it is said here: somewhere on a limb; at a joint;
on a point of the pelvis or shoulder from which the joint's centre is known (that of the hip as
measured by Bell and others, 1990); on the trunk, whose joints lie elsewhere in every skeleton."""


class Place(NamedTuple):
    """A marker's bone (a role, without its side where it has one) and about where it sits."""

    bone: str
    near: tuple[str, ...]
    forward: float = 0.0
    outward: float = 0.0
    up: float = 0.0
    along: float = 0.0
    hinge: float = 0.0
    spread: float = LOOSE


_ARM = ("LowerArm", "Wrist")
_MIDDLE = {
    "C7": Place("upperChest", ("neck",), forward=-0.06, spread=TRUNK),
    "T10": Place("upperChest", ("chest",), forward=-0.12, spread=TRUNK),
    "CLAV": Place("upperChest", ("neck",), forward=0.06, up=-0.05, spread=TRUNK),
    "STRN": Place("upperChest", ("chest",), forward=0.12, spread=TRUNK),
    "RBAC": Place("upperChest", ("chest", "neck"), forward=-0.1, spread=TRUNK),
    "SACR": Place("hips", ("hips",), forward=-0.12, up=0.05, spread=TRUNK),
}
_SIDED = {
    "FHD": Place("head", ("head",), forward=0.1, outward=0.07, up=0.1, spread=TRUNK),
    "BHD": Place("head", ("head",), forward=-0.07, outward=0.07, up=0.1, spread=TRUNK),
    "SHO": Place("Shoulder", ("UpperArm",), up=0.045, spread=BONY),
    "UPA": Place("UpperArm", ("UpperArm", "LowerArm")),
    "ELB": Place("UpperArm", ("LowerArm",), hinge=0.05, spread=CLOSE),
    "FRM": Place("LowerArm", _ARM),
    "FRA": Place("LowerArm", _ARM),
    "WRA": Place("AboveWrist", ("Wrist",), forward=0.06, up=0.03),
    "WRB": Place("AboveWrist", ("Wrist",), forward=-0.06, up=0.03),
    "FIN": Place("Wrist", ("Wrist",), along=0.08, up=0.02),
    "FWT": Place("hips", ("UpperLeg",), forward=0.055, outward=0.035, up=0.08, spread=BONY),
    "ASI": Place("hips", ("UpperLeg",), forward=0.055, outward=0.035, up=0.08, spread=BONY),
    "BWT": Place("hips", ("UpperLeg",), forward=-0.11, outward=-0.04, up=0.09, spread=BONY),
    "PSI": Place("hips", ("UpperLeg",), forward=-0.11, outward=-0.04, up=0.09, spread=BONY),
    "THI": Place("UpperLeg", ("UpperLeg", "LowerLeg"), outward=0.08),
    "KNE": Place("UpperLeg", ("LowerLeg",), outward=0.062, spread=CLOSE),
    "SHN": Place("LowerLeg", ("LowerLeg", "Foot"), outward=0.06),
    "TIB": Place("LowerLeg", ("LowerLeg", "Foot"), outward=0.06),
    "ANK": Place("LowerLeg", ("Foot",), outward=0.046, spread=CLOSE),
    "HEE": Place("Foot", ("Foot",), forward=-0.06, up=-0.05),
    "HEL": Place("Foot", ("Foot",), forward=-0.06, up=-0.05),
    "TOE": Place("Foot", ("Toes",), up=0.03),
    "MT5": Place("Foot", ("Toes",), outward=0.05),
    "MT1": Place("Foot", ("Toes",), outward=-0.03),
}
_INSTEAD = {  # roles that a figure may lack, and what carries its markers then
    "upperChest": ("chest", "spine", "hips"),
    "chest": ("spine", "hips"),
    "neck": ("head",),
    "Shoulder": ("upperChest", "chest", "spine"),
    "Toes": ("Foot",),
}


class Seat(NamedTuple):
    """A marker on a figure: the joint that carries it and about where it is in that joint's frame,
    in the figure's unit."""

    joint: str
    at: np.ndarray
    spread: float = LOOSE
    """Metres of an adult by which it may sit elsewhere."""


def bare(name: str) -> str:
    """A marker's name without the subject's, in capitals: "Liz:LFHD" is "LFHD"."""
    return name.rpartition(":")[2].strip().upper()


def seats(figure: Figure, body: Body, names: tuple[str, ...]) -> dict[str, Seat]:
    """The markers that are known by name, and where they sit on a body; others are left out."""
    found = {}
    frames, adult = figure.frames(figure.rest), metre(figure, body)
    forward, left, up = directions(figure, body)
    for name in names:
        word = bare(name)
        place, side = _MIDDLE.get(word), ""
        if place is None and word[:1] in ("L", "R"):
            place, side = _SIDED.get(word[1:]), "left" if word[0] == "L" else "right"
        if place is None:
            continue
        bone = _joint(figure, body, side, place.bone)
        near = [_joint(figure, body, side, role) for role in place.near]
        if bone is None or None in near:
            continue
        at = np.mean([frames[figure.index(str(role)), :3, 3] for role in near], axis=0)
        k = figure.index(bone)
        outward = left if side == "left" else -left
        at = at + adult * (place.forward * forward + place.outward * outward + place.up * up)
        if place.hinge:
            axis = _axis(figure, frames, figure.index(str(near[0])), -forward)
            at = at + place.hinge * adult * axis
        if place.along:
            bone_above = frames[k, :3, 3] - frames[int(figure.parents[k]), :3, 3]
            length = float(np.linalg.norm(bone_above))
            at = at + place.along * adult * bone_above / (length or 1.0)
        at = frames[k, :3, :3].T @ (at - frames[k, :3, 3])
        found[name] = Seat(bone, at, place.spread)
    return found


def directions(figure: Figure, body: Body) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors forwards, to the left and upwards of a body in its rest pose."""
    up = np.eye(3)[AXES.index(up_axis(figure))]
    across = np.zeros(3)
    for part in ("UpperLeg", "UpperArm"):
        if f"left{part}" in body and f"right{part}" in body:
            ends = figure.positions(figure.rest, [body[f"left{part}"], body[f"right{part}"]])
            across = across + ends[0] - ends[1]
    across -= up * (across @ up)
    length = float(np.linalg.norm(across))
    left = across / length if length > 0.0 else np.eye(3)[(AXES.index(up_axis(figure)) + 2) % 3]
    return np.cross(left, up), left, up


def _axis(figure: Figure, frames: np.ndarray, k: int, towards: np.ndarray) -> np.ndarray:
    """The axis of joint k in the world where it is a hinge, towards a direction; else that."""
    hinge = figure.definition[k].hinge
    if hinge is None:
        return towards
    axis = frames[k, :3, :3] @ np.array(hinge.axis)
    return axis if axis @ towards >= 0.0 else -axis


def _wrist(figure: Figure, body: Body, hand: int) -> int:
    """The joint between forearm and hand: below the one that is taken for the hand where fingers
    hang on another joint in between, as in skeletons whose forearm has two bones."""
    roles = {figure.index(joint) for joint in body.roles.values()}
    for child in np.flatnonzero(figure.parents == hand).tolist():
        if child not in roles and any(figure.parents[k] == child for k in roles):
            return child
    return hand


def _joint(figure: Figure, body: Body, side: str, role: str) -> str | None:
    """The joint of a role, which has a side where it begins with a capital, or what stands in."""
    if role in ("Wrist", "AboveWrist"):
        if f"{side}Hand" not in body:
            return None
        wrist = _wrist(figure, body, figure.index(body[f"{side}Hand"]))
        return figure.joints[wrist if role == "Wrist" else int(figure.parents[wrist])]
    for one in (role, *_INSTEAD.get(role, ())):
        whole = side + one if one[0].isupper() else one
        if whole in body:
            return body[whole]
    return None

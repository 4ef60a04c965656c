"""plant_feet: contacts that do not slide, held where they are by inverse kinematics."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from limbik.animate.contacts import Contact, find_contacts, find_ground, metre, runs
from limbik.animate.edit import followed
from limbik.animate.mix import ease
from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Above, Goal, Reach
from limbik.humanoid.ground import AXES, up_axis
from limbik.humanoid.recognise import recognise
from limbik.maths.so3 import matrix_to_quat

FADE = 0.2
"""Seconds before and after a contact in which a foot goes to its place and leaves it."""

FLAT = 0.008
"""Metres of an adult by which an ankle may rise while its foot is flat."""

_FEET = ("leftFoot", "rightFoot", "leftToes", "rightToes")
_SHARES = {"leftHand": 0.5, "rightHand": 0.5, "leftLowerLeg": 0.2, "rightLowerLeg": 0.2}
"""How much hands and knees stay where they are, of how much the hips do.  A leg that is nearly
straight changes its length by a millimetre only where its knee moves by centimetres: there the hips
give way."""
_KEEP = 1e-2
"""Weight of what stays where it is, of that of feet."""
_FRAMES = 2000  # that are solved at a time; it bounds the memory


def plant_feet(
    motion: Motion,
    joints: Iterable[str] | None = None,
    *,
    contacts: Iterable[Contact] | None = None,
    fade: float = FADE,
) -> Motion:
    """The motion with its feet held still while they are on the ground.

    Each contact of the ``joints`` (feet and toes unless given) is held at its mean place; between
    contacts the correction fades in and out over ``fade`` seconds, or shares what time there is.
    ``contacts`` are found in the motion unless given.  Poses are found by inverse kinematics from
    the motion's own, inside the limits: legs do what they can, hips move only where these are too
    short or nearly straight, and hands stay where they are.  These joints and their tips are not
    left in the ground: toes bend.

    >>> before, after = limbik.check(clip), limbik.check(clip.plant_feet())
    >>> bool(after.slide_mm.min() < 0.1 * before.slide_mm.min())
    True
    """
    if not (math.isfinite(fade) and fade >= 0):
        raise FigureError(f"plant_feet: fade must not be negative, got {fade!r}")
    figure = motion.figure
    if joints is None:
        body = recognise(figure)
        names = [body[role] for role in _FEET if role in body]
        if not names:
            raise FigureError("plant_feet: no feet are recognised; name the joints with joints=")
    else:
        given = [joints] if isinstance(joints, str) else list(joints)
        names = [figure.joints[figure.index(name)] for name in given]
    held = find_contacts(motion, names) if contacts is None else tuple(contacts)
    held = tuple(contact for contact in held if contact.joint in names)
    for contact in held:
        if not 0 <= contact.start < contact.end <= motion.frames:
            raise FigureError(f"plant_feet: {contact} is not within {motion.frames} frames")
    if not held:
        return motion
    places = dict(zip(names, np.moveaxis(figure.positions(motion.q, names), 1, 0), strict=True))
    shift: dict[str, np.ndarray] = {}
    for name in sorted(names, key=figure.index, reverse=True):  # toes before the feet they are on
        own = [contact for contact in held if contact.joint == name]
        below = next(
            (c for c in shift if figure.parents[figure.index(c)] == figure.index(name)), ""
        )
        base = np.zeros_like(places[name])
        if below:
            base = shift[below]
            own = _flat(motion, own, [c for c in held if c.joint == below], places, base)
        shift[name] = base + _shifts(own, places[name] + base, fade * motion.fps)
    wanted = np.stack([places[name] + shift[name] for name in names], axis=1)
    axis, ground = AXES.index(up_axis(figure, motion.q)), find_ground(motion)
    for name in names:  # nobody holds a foot in the ground
        low = np.minimum(wanted[:, names.index(name), axis] - ground, 0.0)
        wanted[:, names.index(name), axis] -= low
    floor, deep = _floor(motion, names, axis, ground)
    out = motion.q.copy()
    shifted = np.any(wanted != np.stack([places[name] for name in names], axis=1), axis=(1, 2))
    moving = np.flatnonzero(shifted | deep)
    kept = _kept_joints(figure, names)
    for low in range(0, len(moving), _FRAMES):
        part = moving[low : low + _FRAMES]
        more = [*floor, *_keep(figure, kept, motion.q[part])]
        out[part] = followed(figure, names, wanted[part], motion.q[part], more=more)
    return Motion(figure, out, motion.fps, motion.name)


def _kept_joints(figure: Figure, names: list[str]) -> dict[str, float]:
    """Joint → how much it stays where it is: hips, or roots, before hands and knees."""
    body, feet = recognise(figure), {figure.index(name) for name in names}
    above = {i for foot in feet for i in figure.tree.ancestors(foot)}
    roots = [figure.joints[i] for i in np.flatnonzero(figure.parents < 0).tolist() if i in above]
    out = dict.fromkeys([body["hips"]] if "hips" in body else roots, 1.0)
    out |= {body[role]: share for role, share in _SHARES.items() if role in body}
    return {name: share for name, share in out.items() if figure.index(name) not in feet}


def _keep(figure: Figure, kept: dict[str, float], q: np.ndarray) -> list[Goal]:
    """Light goals that keep joints where they are in poses q (frames, n), so that legs do what they
    can and arms make up for what the hips must do; hips keep their turn too."""
    world, goals = figure.frames(q), list[Goal]()
    for name, share in kept.items():
        frame = world[:, figure.index(name)]
        goals.append(
            Reach(
                name,
                position=frame[:, :3, 3],
                wxyz=matrix_to_quat(frame[:, :3, :3]) if share == 1.0 else None,
                weight=share * _KEEP,
                rotation_weight=_KEEP,
            )
        )
    return goals


def _floor(
    motion: Motion, names: list[str], axis: int, ground: float
) -> tuple[list[Goal], np.ndarray]:
    """Goals that keep the tips of joints above the ground, and (frames,) where one is below it."""
    figure, goals, deep = motion.figure, list[Goal](), np.zeros(motion.frames, bool)
    x, y, z = np.eye(3)[axis].tolist()
    for name in names:
        tip = figure.definition[figure.index(name)].tip
        if tip is None:
            continue
        goals.append(Above(name, normal=(x, y, z), offset=ground, at=tip))
        for low in range(0, motion.frames, _FRAMES):
            world = figure.frames(motion.q[low : low + _FRAMES])[:, figure.index(name), axis]
            deep[low : low + _FRAMES] |= world[:, :3] @ np.array(tip) + world[:, 3] < ground
    return goals, deep


def _flat(
    motion: Motion,
    feet: list[Contact],
    toes: list[Contact],
    places: dict[str, np.ndarray],
    base: np.ndarray,
) -> list[Contact]:
    """The contacts of an ankle, each cut to the frames in which the foot is flat while its toes are
    on the ground; where the heel rises, the foot turns about the toes and is left to do so.

    Their places are as far from those of the toes as the bone is long.
    """
    figure, out = motion.figure, []
    axis = AXES.index(up_axis(figure, motion.q))
    for foot in feet:
        at = places[foot.joint][foot.start : foot.end]
        level = np.percentile(at[:, axis], 10.0) + FLAT * metre(figure)
        spans = runs(at[:, axis] <= level)
        first, last = max(spans, key=lambda span: span[1] - span[0])
        start, end = foot.start + first, foot.start + last
        point = (places[foot.joint] + base)[start:end].mean(axis=0)
        overlaps = [(min(end, toe.end) - max(start, toe.start), toe.point) for toe in toes]
        overlap, toe = max(overlaps, default=(0, foot.point))
        away = point - np.array(toe)
        length = float(np.linalg.norm(away))
        if overlap > 0 and length > 0.0:
            child = next(t.joint for t in toes if t.point == toe)
            bone = float(np.linalg.norm(figure.definition[figure.index(child)].offset))
            point = np.array(toe) + away * bone / length
        x, y, z = point.tolist()
        out.append(Contact(foot.joint, start, end, (x, y, z)))
    return out


def _shifts(contacts: list[Contact], places: np.ndarray, fade: float) -> np.ndarray:
    """(frames, 3) how far a joint at ``places`` (frames, 3) has to move to rest in its contacts,
    eased to nothing over ``fade`` frames, or half of what there is between two."""
    out = np.zeros_like(places)
    spans = sorted((contact.start, contact.end, contact.point) for contact in contacts)
    for start, end, point in spans:
        out[start:end] = np.array(point) - places[start:end]
    edges = [0, *(end for _, end, _ in spans)]
    for k, low in enumerate(edges):
        high = spans[k][0] if k < len(spans) else len(places)
        gap = np.arange(low, high)
        between = 0 < k < len(spans)
        width = (min(fade, 0.5 * (high - low)) if between else fade) + 1.0
        if k > 0 and len(gap):
            out[gap] += ease(1.0 - (gap - low + 1) / width)[:, None] * out[low - 1]
        if k < len(spans) and len(gap):
            out[gap] += ease(1.0 - (high - gap) / width)[:, None] * out[high]
    return out

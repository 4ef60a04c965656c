"""What a document starts with: the pose, the timeline and the effectors a person would want."""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.humanoid import Body, recognise
from limbik.humanoid.ground import AXES, up_axis
from limbik.poser.document.document import Document, Source
from limbik.poser.document.effector import Effector, Mode, Vec3
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.files.open import Opened

_HUMANOID: tuple[tuple[str, Mode], ...] = (
    ("leftHand", "free"),
    ("rightHand", "free"),
    ("leftFoot", "pin"),
    ("rightFoot", "pin"),
    ("head", "free"),
    ("hips", "free"),
)
_STAND = ("leftHand", "rightHand", "leftFoot", "rightFoot")  # what a body stands on
_ORIGIN: Vec3 = (0.0, 0.0, 0.0)
_MOST_ENDS = 8  # effectors that a figure which is no body starts with, besides its root

_ONE_LIMB = 0.1  # of the figure's size: ends that are nearer along the bones are of one hand

_ON_THE_FLOOR = 0.03  # of the figure's size: as far above its lowest point

_ROBOT_TOOLS = ("tcp", "tool", "ee_link", "flange", "hand", "gripper", "tip")


def first_document(source: Source, opened: Opened) -> Document:
    """The document for a figure that was just opened, at the start of its first clip."""
    figure = opened.figure
    q, timeline = figure.rest, Timeline()
    if opened.clips:
        motion = opened.clips[0].read()
        q = figure.project(motion.q[0])
        if motion.frames > 1:
            timeline = Timeline.over(motion)
    effectors = anchored(figure, opened.effectors or default_effectors(figure), q)
    last = max((effector.id for effector in effectors), default=0)
    return Document(source=source, q=q, effectors=effectors, timeline=timeline, next_id=last + 1)


def default_effectors(figure: Figure) -> tuple[Effector, ...]:
    """Hands, feet, head and hips of a body; elsewhere the ends of the chains, and the root where
    that is free to move.  What it stands on is pinned, or the root where it does not stand.  Their
    positions are not set yet."""
    body = recognise(figure)
    root = free_root(figure, np.ones(figure.n, bool))
    low = _standing(figure) if root >= 0 else set()
    chosen: list[tuple[str, Mode, Vec3]]
    if body.complete:
        chosen = [
            (
                body[role],
                "pin" if role in _STAND and figure.index(body[role]) in low else mode,
                _ORIGIN,
            )
            for role, mode in _HUMANOID
        ]
    else:
        ends = chain_ends(figure)
        stands = len(low.intersection(ends)) > 1
        chosen = [
            (
                figure.joints[i],
                "pin" if stands and i in low else "free",
                figure.definition[i].tip or _ORIGIN,
            )
            for i in ends
        ]
        if root >= 0:
            chosen.append((figure.joints[root], "free" if stands else "pin", _ORIGIN))
    return tuple(
        Effector(id=k, joint=joint, mode=mode, at=at, axis=natural_axis(figure, body, joint))
        for k, (joint, mode, at) in enumerate(chosen, start=1)
    )


def _standing(figure: Figure) -> set[int]:
    """Joints on the floor, or whose tip is, at rest."""
    axis = AXES.index(up_axis(figure))
    frames = figure.frames(figure.rest)
    heights = frames[:, axis, 3].copy()
    for i, joint in enumerate(figure.definition):
        if joint.tip is not None:
            heights[i] = min(heights[i], frames[i, axis, :3] @ np.array(joint.tip) + heights[i])
    on = heights < heights.min() + _ON_THE_FLOOR * figure.size
    return set(np.flatnonzero(on).tolist())


def chain_ends(figure: Figure) -> list[int]:
    """At most eight joints at the ends of chains that can move, spread over the figure: first the
    longest chain, then each time the end furthest from those chosen; one for all that is close by.

    A robot whose end has a name that says so (a tool, a hand) has that instead of its fingers.
    """
    count = len(figure.joints)
    parents = figure.parents.tolist()
    moving = [len(figure.coordinates_of(name)) > 0 for name in figure.joints]
    ways, reach = [0] * count, [0.0] * count
    for i, joint in enumerate(figure.definition):
        above = parents[i]
        ways[i] = int(moving[i]) + (ways[above] if above >= 0 else 0)
        reach[i] = float(np.linalg.norm(joint.offset)) + (reach[above] if above >= 0 else 0.0)
    tools = [i for i, name in enumerate(figure.joints) if name.lower().endswith(_ROBOT_TOOLS)]
    if tools and free_root(figure, np.ones(figure.n, bool)) < 0:
        return [max(tools, key=lambda i: (ways[i], reach[i]))]
    leaves = [i for i in range(count) if i not in set(parents) and ways[i] > 0]
    # What is fixed on the same moving joint is one thing; the furthest of them stands for it.
    carrier: dict[int, int] = {}
    for i in leaves:
        k = i
        while not moving[k]:
            k = parents[k]
        if k not in carrier or reach[i] > reach[carrier[k]]:
            carrier[k] = i
    left = sorted(carrier.values(), key=lambda i: (-ways[i], -reach[i], i))
    ends: list[int] = []
    while left and len(ends) < _MOST_ENDS:
        # Along the bones, so that limbs that hang side by side are far apart.
        apart = [min((_between(i, k, parents, reach) for k in ends), default=np.inf) for i in left]
        if max(apart) < _ONE_LIMB * figure.size:
            break
        ends.append(left.pop(int(np.argmax(apart))))
    return sorted(ends)


def _between(one: int, other: int, parents: list[int], reach: list[float]) -> float:
    """Length of the way along the bones between two joints, from their ``reach`` to the root."""
    above = set()
    k = one
    while k >= 0:
        above.add(k)
        k = parents[k]
    k = other
    while k >= 0 and k not in above:
        k = parents[k]
    return reach[one] + reach[other] - (2.0 * reach[k] if k >= 0 else 0.0)


def natural_axis(figure: Figure, body: Body, joint: str) -> Vec3:
    """The axis of a joint, in its own frame, that a person would aim: a head looks ahead, other
    bones point along themselves."""
    i = figure.index(joint)
    frames = figure.frames(figure.rest)
    sides = [body[role] for role in ("leftUpperLeg", "rightUpperLeg") if role in body]
    if body.role_of(joint) in ("head", "neck", "hips", "leftEye", "rightEye") and len(sides) == 2:
        left, right = (frames[figure.index(side), :3, 3] for side in sides)
        above = (
            frames[figure.index(body["head"]), :3, 3] - frames[figure.index(body["hips"]), :3, 3]
        )
        world = np.cross(left - right, above)
        local = frames[i, :3, :3].T @ world
        # Frames of most files lie along the body: what is meant is an axis of the joint.
        nearest = np.eye(3)[int(np.argmax(np.abs(local)))]
        if abs(local @ nearest) > 0.95 * np.linalg.norm(local):
            local = nearest * np.sign(local @ nearest)
    else:
        children = [figure.definition[k].offset for k in np.flatnonzero(figure.parents == i)]
        tip = figure.definition[i].tip
        local = np.array(tip) if tip is not None else np.zeros(3)
        if children:
            local = np.mean(children, axis=0)
    length = float(np.linalg.norm(local))
    if length < 1e-9 * figure.size:
        return (0.0, 0.0, 1.0)
    x, y, z = (local / length).tolist()
    return (x, y, z)

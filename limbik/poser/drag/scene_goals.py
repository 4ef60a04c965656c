"""The goals that a scene asks for while one drags: balance, collisions, and props held by several
joints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Avoid, Balance, Reach
from limbik.goals.masses.contacts import up_axis
from limbik.humanoid import recognise
from limbik.poser.document.document import Document
from limbik.poser.document.effector import LAST_ID, Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.prop import Prop
from limbik.poser.drag.looks.look_goals import look_goals
from limbik.poser.drag.prop_shapes import (
    hold_frame,
    inverse,
    place_of,
    position_of,
    shapes_of,
    wxyz_of,
)

BALANCE, COLLISIONS = LAST_ID + 1, LAST_ID + 2
"""Ids of the goals, which no effector has."""
HOLDS = LAST_ID + 16
"""The id of the goal that keeps the second joint on the first prop that is held by two."""

MARGIN = 0.005
"""Of the figure's size: so far inside the edge of its support the centre of mass stays."""


def scene_goals(figure: Figure, document: Document) -> list[KeptGoal]:
    """The goals of the document's scene, made for the pose that it has."""
    scene, out = document.scene, []
    if scene.balance:
        support = balance_support(figure, document.effectors, document.q)
        if support:
            balance = Balance(support, margin=MARGIN * figure.size)
            out.append(KeptGoal.of(BALANCE, balance))
    if scene.collisions and figure.shapes:
        out.append(KeptGoal.of(COLLISIONS, _avoided(figure, document)))
    out += hold_goals(scene.props)
    out += look_goals(document)
    return out


def balance_support(
    figure: Figure, effectors: Sequence[Effector], q: np.ndarray
) -> list[str | tuple[str, tuple[float, float, float]]]:
    """What the figure stands on in the pose q (n,): its pins below the centre of mass; a body
    without such pins stands on its feet.  Empty where it has no masses, or nothing to stand on."""
    if not figure.mass:
        return []
    up, places = up_axis(figure), figure.positions(q)
    height = float(figure.com(q)[up])
    pins = [e for e in effectors if e.mode == "pin" and places[figure.index(e.joint)][up] < height]
    if pins:
        joints = {e.joint for e in pins}
        above = _above(figure, joints)
        # What carries another of them, as hips on a chair do, stands for its own point alone.
        return [(e.joint, e.at) if e.joint in above else e.joint for e in pins]
    return [*feet_of(figure)]


def feet_of(figure: Figure) -> list[str]:
    """The joints of a body's feet."""
    body = recognise(figure)
    return [body[role] for role in ("leftFoot", "rightFoot") if role in body.roles]


def timeline_goals(document: Document) -> tuple[KeptGoal, ...]:
    """What holds in every frame of the timeline: the goals of a program, and hands on props."""
    return (*document.goals, *hold_goals(document.scene.props), *look_goals(document))


@lru_cache(maxsize=16)
def hold_goals(props: tuple[Prop, ...]) -> tuple[KeptGoal, ...]:
    """A goal for each joint that holds a prop beside its first: it stays on the prop."""
    out: list[KeptGoal] = []
    for prop in props:
        for hold in prop.holds[1:]:
            first = prop.holds[0]
            there = inverse(hold_frame(first)) @ hold_frame(hold)
            goal = Reach(
                hold.joint,
                position=position_of(there),
                wxyz=wxyz_of(there),
                relative_to=first.joint,
            )
            out.append(KeptGoal.of(HOLDS + len(out), goal))
    return tuple(out)


def _avoided(figure: Figure, document: Document) -> Avoid:
    """Collisions with itself and with the props that nobody holds; what is pinned on a prop
    touches it."""
    frames = figure.frames(document.q)
    free = [prop for prop in document.scene.props if not prop.holds]
    shapes = [shape for prop in free for shape in shapes_of(prop, place_of(prop, figure, frames))]
    return Avoid(shapes)


def _above(figure: Figure, joints: set[str]) -> set[str]:
    """Those of some joints that have another of them below themselves."""
    out: set[str] = set()
    for joint in joints:
        carriers = figure.tree.ancestors(figure.index(joint))[1:]
        out.update(joints.intersection(figure.joints[at] for at in carriers))
    return out

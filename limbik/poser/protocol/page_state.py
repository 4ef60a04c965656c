"""The document and the methods as the page needs them: State, FigureInfo and Hello's methods."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from limbik.figure.figure import Figure
from limbik.goals import Distance, Goal, Plane, Rest
from limbik.humanoid import Body, unlimited
from limbik.methods import METHODS
from limbik.methods.settings import Setting, settings_of
from limbik.poser.document.document import Choice, Document, Source
from limbik.poser.document.effector import Effector
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.origin import Origin
from limbik.poser.files.natural_limits import Natural
from limbik.poser.files.open import Opened
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.binary import placed
from limbik.poser.protocol.figure_info import figure_info, limits_info
from limbik.poser.protocol.scene_info import scene_info


def state_of(
    document: Document,
    figure: Figure,
    *,
    figure_id: int,
    revision: int,
    undo: str | None,
    redo: str | None,
    advice: msg.AdviceInfo | None,
    offer: msg.OfferInfo | None = None,
    symmetric: bool = False,
    hands: list[msg.HandInfo] | None = None,
    name: str = "",
    others: list[msg.OtherInfo] | None = None,
) -> msg.State:
    """The document; ``undo`` and ``redo`` are the labels of the steps."""
    return msg.State(
        revision=revision,
        figure=figure_id,
        effectors=[_effector(effector, figure) for effector in document.effectors],
        goals=[_goal(kept, figure) for kept in document.goals],
        locked=[figure.index(joint) for joint in document.locked],
        fk=[figure.index(joint) for joint in document.fk if joint in figure.joints],
        limits=limits_info(figure),
        edited=sorted(figure.index(joint) for joint in document.limits),
        method=_choice(document.method),
        compare=None if document.compare is None else _choice(document.compare),
        timeline=_timeline(document, figure),
        poses=[msg.PoseInfo(pose.id, pose.name) for pose in document.poses],
        scene=scene_info(document, figure),
        undo=undo,
        redo=redo,
        advice=advice,
        offer=offer,
        symmetric=symmetric,
        hands=hands or [],
        name=name,
        others=others or [],
        origin=None
        if document.origin is None
        else msg.OriginInfo(origin_id(document.origin), document.origin.clip.name),
    )


def other_info(figure: Figure, q: np.ndarray, number: int, name: str, id: int) -> msg.OtherInfo:
    """A figure that is not posed just now, in the pose q (n,)."""
    positions, wxyz = placed(figure, q)
    return msg.OtherInfo(
        number, name, id, positions.round(6).ravel().tolist(), wxyz.round(7).ravel().tolist()
    )


def origin_id(origin: Origin) -> int:
    """A number that changes when the motion that was retargeted, or its place, does."""
    known = repr((origin.source, origin.clip.name, origin.clip.q.shape, origin.placement))
    return zlib.crc32(known.encode() + origin.clip.q[-1].tobytes()) & 0x7FFFFFFF


def _effector(effector: Effector, figure: Figure) -> msg.EffectorInfo:
    index = figure.index(effector.joint)
    return msg.EffectorInfo(**{**effector.to_json(), "joint": index, "name": effector.joint})


def _goal(kept: KeptGoal, figure: Figure) -> msg.GoalInfo:
    sentence = "It was a function of a program that has ended, and is not asked any more."
    if kept.goal is not None:
        sentence = _sentence(kept.goal, figure.unit)
    return msg.GoalInfo(kept.id, kept.kind, kept.label, sentence, kept.goal is None)


def _sentence(goal: Goal, unit: str) -> str:
    match goal:
        case Plane():
            x, y, z = np.asarray(goal.normal, float)
            return f"In the plane with the normal {x:g} {y:g} {z:g} at {goal.offset:g} {unit}."
        case Distance():
            return f"{goal.joint} and {goal.other} {goal.distance:g} {unit} apart."
        case Rest():
            return f"Near {'the rest pose' if goal.pose is None else 'a given pose'}."
        case _:
            return f"A goal of the program, of the kind {type(goal).__name__}."


def _choice(choice: Choice) -> msg.ChoiceInfo:
    return msg.ChoiceInfo(choice.name, dict(choice.settings))


def _timeline(document: Document, figure: Figure) -> msg.TimelineInfo:
    """The timeline with the frame that is looked at."""
    timeline = document.timeline
    return msg.TimelineInfo(
        **timeline.settings,
        frame=document.frame,
        keys=[
            msg.KeyInfo(
                key.id, key.frame, key.pose is not None, bool(key.goals), key.ease, key.handles
            )
            for key in timeline.keys
        ],
        clip=None if timeline.clip is None else timeline.clip.name or "clip",
        unkeyed=sorted(one.frame for one in document.unkeyed),
        contacts=[
            msg.ContactInfo(c.id, figure.index(c.joint), c.start, c.end, c.held)
            for c in timeline.contacts
            if c.joint in figure.joints
        ],
    )


def advice_for(
    document: Document, figure: Figure, body: Body, natural: Callable[[Source], Natural]
) -> msg.AdviceInfo | None:
    """What helps a body whose file's ``figure`` has no limits: those of people; where it has them
    already, that it has, and how to do without.

    ``natural`` gives a source's anatomical limits.
    """
    if not body.complete or not unlimited(figure):
        return None
    if not document.limits:
        return msg.AdviceInfo(
            sentence="This file has no joint limits, so that every joint bends any way.",
            button="Use anatomical limits",
            command="limits.humanoid",
            args={},
        )
    if document.source.kind == "files" and document.limits == natural(document.source).limits:
        return msg.AdviceInfo(
            sentence="This file has no joint limits: those of a human body are used.",
            button="No limits",
            command="limits.file",
            args={},
        )
    return None


def figure_of(figure: Figure, opened: Opened, *, figure_id: int, mirrors: bool) -> msg.FigureInfo:
    """The figure with what its file says of it."""
    return figure_info(
        figure,
        id=figure_id,
        up=opened.up,
        floor=opened.floor,
        mesh=bool(opened.meshes),
        clips=[clip.name for clip in opened.clips],
        file=opened.file,
        builtin=opened.builtin,
        mirrors=mirrors,
        poses=opened.clips[0].read().q if opened.clips else None,
        own=opened.figure,
    )


def methods_info() -> list[msg.MethodInfo]:
    """Every method with its settings."""
    return [
        msg.MethodInfo(
            name=name,
            title=(inspect.getdoc(method) or name).split("\n")[0],
            settings=[_setting(setting) for setting in settings_of(method) if setting.kind],
        )
        for name, method in METHODS.items()
    ]


def _setting(setting: Setting) -> msg.SettingInfo:
    kind: Any = setting.kind  # one of SettingInfo's: those without a kind are left out
    return msg.SettingInfo(
        name=setting.name,
        kind=kind,
        value=setting.default,
        choices=list(setting.choices) if setting.kind == "choice" else None,
        help=setting.meaning,
    )

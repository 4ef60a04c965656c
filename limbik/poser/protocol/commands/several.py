"""Several figures in one scene: added, chosen to be posed, removed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.goals.masses.contacts import up_axis
from limbik.maths.so3 import quat_to_matrix
from limbik.poser.document.document import Document
from limbik.poser.document.effector import LAST_ID
from limbik.poser.document.parked import MOST_FIGURES, Parked, park, unpark
from limbik.poser.document.prop import Prop
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.drag.prop_shapes import place_of, position_of, wxyz_of
from limbik.poser.files.default_document import first_document
from limbik.poser.protocol.commands.limits import start_limited
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

_GAP = 0.1
"""Between a new figure and those beside it, in sizes."""


def name_of(document: Document) -> str:
    """What a figure is called: its source, and its number."""
    return f"{document.source.name.rsplit('.', 1)[0]} {document.number}"


def _resting(session: Session) -> Document:
    """The document with props put where the pose has them, held as before."""
    document, figure = session.document, session.figure
    frames = figure.frames(document.q)

    def placed(prop: Prop) -> Prop:
        place = place_of(prop, figure, frames)
        return replace(prop, position=position_of(place), wxyz=wxyz_of(place))

    props = tuple(placed(prop) if prop.holds else prop for prop in document.scene.props)
    return replace(document, scene=replace(document.scene, props=props))


@command("figure.add", "Add a figure")
def add(session: Session) -> Reply:
    """A second figure like the one that is posed, beside it and at rest; it is posed from now on.
    Opening a file or a built-in figure then replaces it alone, beside the others too."""
    document = _resting(session)
    if len(document.others) + 1 >= MOST_FIGURES:
        raise LimbikError(f"There are {MOST_FIGURES} figures, and there is no room for more.")
    parked, scene = park(document)
    others = (*document.others, parked)
    fresh = first_document(document.source, session.opened)
    if fresh.next_id + document.next_id > LAST_ID:
        raise LimbikError("There is no room for more effectors.")
    effectors = tuple(replace(e, id=document.next_id + k) for k, e in enumerate(fresh.effectors))
    session.document = replace(
        fresh,
        effectors=effectors,
        method=document.method,
        compare=document.compare,
        floor=document.floor,
        scene=scene,
        number=max(one.number for one in others) + 1,
        others=others,
        next_id=document.next_id + len(effectors),
    )
    start_limited(session)
    if not place_beside(session):
        raise LimbikError("This figure is fixed to the ground: a second one has no room there.")
    return None


def place_beside(session: Session) -> bool:
    """Move the figure that is posed, and its clip, sideways past the others; False where it is
    fixed to the ground."""
    document, figure = session.document, session.figure
    root = free_root(figure, np.ones(figure.n, bool))
    if root < 0:
        return False
    side = 0 if up_axis(figure) != 0 else 1

    def reach(one: Parked) -> float:
        own: Figure = session.figure_cache.figure(one.document)
        return float(own.positions(one.document.q)[:, side].max())

    least = float(figure.positions(document.q)[:, side].min())
    way = max(map(reach, document.others)) - least + _GAP * figure.size
    joint = figure.definition[root]
    along = quat_to_matrix(np.array(joint.wxyz)).T[:, side]  # the way in the slides' axes
    by = np.zeros(figure.n)
    slides = np.array([part.axis for part in joint.slide_parts])
    by[figure.coordinates_of(joint.name)[:3]] = way * slides @ along
    q, clip = figure.project(document.q + by), document.timeline.clip
    timeline = document.timeline
    if clip is not None:
        timeline = replace(timeline, clip=replace(clip, q=clip.q + by))
    effectors = anchored(figure, document.effectors, q)
    session.document = replace(document, q=q, effectors=effectors, timeline=timeline)
    return True


def _parked(session: Session, figure: int) -> int:
    """The place of a figure among the others."""
    for k, one in enumerate(session.document.others):
        if one.number == figure:
            return k
    raise LimbikError("That figure is not there any more.")


def _called(session: Session, figure: int) -> str:
    return name_of(session.document.others[_parked(session, figure)].document)


@command("figure.activate", lambda session, given: f"Pose {_called(session, given['figure'])}")
def activate(session: Session, figure: int) -> Reply:
    """Another figure of the scene is posed from now on."""
    k = _parked(session, figure)
    document = _resting(session)
    mine, scene = park(document)
    rest = (*document.others[:k], *document.others[k + 1 :], mine)
    others = tuple(sorted(rest, key=lambda one: one.number))
    session.document = replace(unpark(document.others[k], scene, document), others=others)
    return None


@command("figure.remove", lambda session, given: f"Remove {_called(session, given['figure'])}")
def remove(session: Session, figure: int) -> Reply:
    """A figure that is not posed just now goes."""
    k = _parked(session, figure)
    others = session.document.others
    session.document = replace(session.document, others=(*others[:k], *others[k + 1 :]))
    return None

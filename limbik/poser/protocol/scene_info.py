"""The scene of a document for the page: SceneInfo of the messages."""

from __future__ import annotations

import hashlib

import numpy as np

from limbik.figure.figure import Figure
from limbik.poser.document.document import Document
from limbik.poser.document.prop import Prop
from limbik.poser.drag.prop_shapes import parts_of, place_of, position_of, wxyz_of
from limbik.poser.protocol import messages as msg


def scene_info(document: Document, figure: Figure) -> msg.SceneInfo:
    """Switches and props; what is held is where the pose has it."""
    scene = document.scene
    frames = figure.frames(document.q) if scene.props else np.empty((0, 4, 4))
    return msg.SceneInfo(
        floor=document.floor,
        balance=scene.balance,
        collisions=scene.collisions,
        props=[_prop(prop, figure, frames) for prop in scene.props],
    )


def _prop(prop: Prop, figure: Figure, frames: np.ndarray) -> msg.PropInfo:
    place = place_of(prop, figure, frames)
    return msg.PropInfo(
        id=prop.id,
        kind=prop.kind,
        name=prop.name,
        position=position_of(place),
        wxyz=wxyz_of(place),
        size=prop.size,
        parts=[msg.PropPartInfo(part.ball, part.center, part.half) for part in parts_of(prop)],
        holds=[
            msg.HoldInfo(figure.index(hold.joint), hold.position, hold.wxyz) for hold in prop.holds
        ],
        mesh=hashlib.sha256(prop.file.encode()).hexdigest()[:16] if prop.file else "",
    )

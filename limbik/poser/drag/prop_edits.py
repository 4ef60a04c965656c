"""Changes of one prop in a document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from limbik.figure.figure import Figure
from limbik.poser.document.document import Document
from limbik.poser.document.prop import Prop
from limbik.poser.drag.prop_shapes import place_of, position_of, wxyz_of


def with_prop(document: Document, prop: Prop) -> Document:
    """The document with a prop in the place of the one with its id."""
    props = tuple(prop if one.id == prop.id else one for one in document.scene.props)
    return replace(document, scene=replace(document.scene, props=props))


def put_prop(prop: Prop, place: np.ndarray) -> Prop:
    """The prop at ``place`` (4, 4)."""
    return replace(prop, position=position_of(place), wxyz=wxyz_of(place))


def release_prop(figure: Figure, document: Document, prop: Prop) -> Prop:
    """The prop where it is, held by nobody."""
    return replace(put_prop(prop, place_of(prop, figure, figure.frames(document.q))), holds=())

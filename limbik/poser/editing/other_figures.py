"""The other figures of a scene: where they are, and what they are drawn by."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from limbik.poser.animation.in_betweens import Moments
from limbik.poser.document.document import Document
from limbik.poser.editing.figure_cache import FigureCache
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.commands.several import name_of
from limbik.poser.protocol.page_state import figure_of, other_info
from limbik.poser.protocol.text import text


def figure_id_of(document: Document) -> int:
    """A number that changes when what is drawn changes; limits do not count."""
    named = repr((document.source, document.balls)).encode()
    return zlib.crc32(named) & 0x7FFFFFFF


class OtherFigures:
    """What a session knows of the other figures; ``sent`` are those that the page can draw."""

    def __init__(self) -> None:
        self.sent: set[int] = set()
        self._moments: dict[int, Moments] = {}

    def at(self, document: Document, cache: FigureCache, frame: float) -> Document:
        """The document with its other figures as their own keys have them at a frame."""
        others = []
        for one in document.others:
            own = one.document
            moment = self._moments.setdefault(one.number, Moments()).of(
                cache.figure(own), own, frame
            )
            if moment is not None and not np.array_equal(moment.q, own.q):
                one = replace(one, document=replace(own, q=moment.q))
            others.append(one)
        if all(a is b for a, b in zip(others, document.others, strict=True)):
            return document
        return replace(document, others=tuple(others))

    def drawn_by(self, document: Document, cache: FigureCache) -> list[str | bytes]:
        """Messages about what the other figures are drawn by, as far as the page does not know."""
        out: list[str | bytes] = []
        for one in document.others:
            id = figure_id_of(one.document)
            if id not in self.sent:
                self.sent.add(id)
                opened, figure = cache.opened(one.document.source), cache.figure(one.document)
                info = figure_of(figure, opened, figure_id=id, mirrors=False)
                out.append(text(msg.OtherFigureMessage(info)))
        return out

    def infos(self, document: Document, cache: FigureCache) -> list[msg.OtherInfo]:
        """Where the other figures are."""
        return [
            other_info(
                cache.figure(one.document),
                one.document.q,
                one.number,
                name_of(one.document),
                figure_id_of(one.document),
            )
            for one in document.others
        ]

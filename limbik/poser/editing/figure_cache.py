"""The figures behind documents: made when a document needs them, kept while that is likely again.

A document names its figure (source, coordinates of the balls, edited limits); undo goes back to
figures that were there a moment ago, so the last few stay on the cache.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.humanoid import Body, recognise
from limbik.humanoid.ground import sampled
from limbik.poser.document.coordinate_change import with_balls
from limbik.poser.document.document import Document, Source
from limbik.poser.editing.mirroring import Mirror
from limbik.poser.files.natural_limits import BODY, Natural, body_balls, natural_limits
from limbik.poser.files.open import Opened, open_source

_OPENED, _FIGURES = 3, 12  # of each kind that are kept

Thing = TypeVar("Thing")


class FigureCache:
    """Figures of one session; ``folder`` is where its files lie.

    A program that shows a figure may ask for it while a message is at work in another thread.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.RLock()
        self._opened: OrderedDict[Hashable, Any] = OrderedDict()
        self._figures: OrderedDict[Hashable, Any] = OrderedDict()
        self._mirrors: OrderedDict[Hashable, Any] = OrderedDict()
        self._bodies: OrderedDict[Hashable, Any] = OrderedDict()
        self._natural: OrderedDict[Hashable, Any] = OrderedDict()

    def opened(self, source: Source) -> Opened:
        """The source's figure, meshes and clips."""
        return self._kept(self._opened, source, lambda: open_source(source, self._folder), _OPENED)

    def plain(self, source: Source, balls: str) -> Figure:
        """The source's figure with its own limits, its balls in the coordinates asked for."""
        opened = self.opened(source)
        if not balls:
            return opened.figure
        return self._kept(
            self._figures, (source, balls), lambda: self._in_balls(source, balls), _FIGURES
        )

    def _in_balls(self, source: Source, balls: str) -> Figure:
        opened = self.opened(source)
        if balls == BODY:
            return body_balls(opened, self.body(source))
        return with_balls(opened.figure, balls)

    def natural(self, source: Source) -> Natural:
        """Anatomical limits of the source's figure, or why it has none."""
        return self._kept(
            self._natural,
            source,
            lambda: natural_limits(self.opened(source), self.body(source)),
            _OPENED,
        )

    def figure(self, document: Document) -> Figure:
        """The figure of a document, with its edited limits."""
        plain = self.plain(document.source, document.balls)
        if not document.limits:
            return plain
        key = (document.source, document.balls, tuple(document.limits.items()))
        return self._kept(self._figures, key, lambda: plain.with_limits(document.limits), _FIGURES)

    def body(self, source: Source) -> Body:
        """Which joint is which bone of a body."""
        return self._kept(
            self._bodies, source, lambda: recognise(self.opened(source).figure), _OPENED
        )

    def mirror(self, document: Document) -> Mirror | None:
        """What mirrors the document's figure, None where left and right are not known."""
        key = (document.source, document.balls, tuple(document.limits.items()))
        return self._kept(self._mirrors, key, lambda: self._mirror(document), _FIGURES)

    def _mirror(self, document: Document) -> Mirror | None:
        figure, opened = self.figure(document), self.opened(document.source)
        clip = document.timeline.clip
        poses = None if clip is None else sampled(figure, clip.q)
        try:
            return Mirror(figure, opened.up, poses)
        except LimbikError:
            return None

    def _kept(
        self, cache: OrderedDict[Hashable, Any], key: Hashable, make: Callable[[], Thing], most: int
    ) -> Thing:
        """What lies under a key, made where it is missing; the one used longest ago goes."""
        with self._lock:
            if key not in cache:
                cache[key] = make()
                while len(cache) > most:
                    cache.popitem(last=False)
            cache.move_to_end(key)
            return cache[key]

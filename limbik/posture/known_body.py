"""The body of a figure, recognised once: drags ask for it at every step."""

from __future__ import annotations

import weakref

from limbik.figure.figure import Figure
from limbik.humanoid.ground import AXES, up_axis
from limbik.humanoid.recognise import Body, recognise

_bodies: weakref.WeakKeyDictionary[Figure, Body] = weakref.WeakKeyDictionary()
_ups: weakref.WeakKeyDictionary[Figure, int] = weakref.WeakKeyDictionary()


def known_body(figure: Figure) -> Body:
    """``humanoid.recognise``, remembered for as long as the figure lives."""
    if figure not in _bodies:
        _bodies[figure] = recognise(figure)
    return _bodies[figure]


def known_up(figure: Figure) -> int:
    """The number of the axis that is up for a figure, remembered likewise."""
    if figure not in _ups:
        _ups[figure] = AXES.index(up_axis(figure))
    return _ups[figure]

"""Dragging a finger: the finger moves and the hand stays, so that four fingers turn no wrist."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace

from limbik.figure.figure import Figure
from limbik.humanoid import Body
from limbik.humanoid.hands import Hand, find_hands
from limbik.poser.drag.answer import Answer

HELD = "the hand is held while its fingers move; drag the hand to bring it along"

_known: weakref.WeakKeyDictionary[Figure, tuple[Hand, ...]] = weakref.WeakKeyDictionary()


def hands_of(figure: Figure, body: Body) -> tuple[Hand, ...]:
    """The hands of a figure that have fingers, found once."""
    hands = _known.get(figure)
    if hands is None:
        hands = _known[figure] = find_hands(figure, body)
    return hands


def above_fingers(figure: Figure, hands: Sequence[Hand], joint: str) -> tuple[str, ...]:
    """The joints that stay while ``joint`` is dragged: those that carry the hand, where it belongs
    to a finger; else none."""
    at = figure.index(joint)
    for hand in hands:
        chain = [at]
        while chain[-1] >= 0 and chain[-1] != hand.wrist:
            chain.append(int(figure.parents[chain[-1]]))
        if chain[-1] != hand.wrist or not set(chain) & set(hand.joints):
            continue
        while int(figure.parents[chain[-1]]) >= 0:
            chain.append(int(figure.parents[chain[-1]]))
        return tuple(figure.joints[i] for i in chain[chain.index(hand.wrist) :])
    return ()


def hand_is_held(answer: Answer) -> Answer:
    """An answer to a finger's drag that ends short, with the reason in words."""
    if answer.ok or answer.status is None or answer.is_stuck:
        return answer
    return replace(answer, why=f"{answer.why.split(':')[0]}: {HELD}")

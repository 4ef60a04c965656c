"""Hands: put into a shape, fingers curled and spread, an effector in the palm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from limbik.errors import LimbikError
from limbik.humanoid.hand_poses import HandShape, hand_pose, hand_shape
from limbik.humanoid.hands import Hand
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.protocol.commands.effectors import add
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

Side = Literal["left", "right"]
Sides = Literal["left", "right", "both"]
_FURTHEST = 2.0  # of a curl or a spread that a slider may ask for
_SPREADS = ("Index", "Middle", "Ring", "Little")


@command("hand.shape", lambda session, given: _label(given["side"], given["shape"]))
def shape(
    session: Session,
    side: Sides,
    shape: Literal["relaxed", "fist", "point", "pinch", "flat"],
) -> Reply:
    """Put a hand, or both, into a shape."""
    figure = session.figure
    _change(session, side, lambda hand, q: hand_pose(figure, hand.side, shape, q, hand=hand))
    return None


@command("hand.curl", lambda session, given: _label(given["side"], given["finger"]), merges=True)
def curl(
    session: Session,
    side: Sides,
    finger: Literal["all", "Thumb", "Index", "Middle", "Ring", "Little", "spread"],
    value: float,
) -> Reply:
    """Curl one finger or all of them, or spread them; the wrist stays as it is."""
    if not abs(value) <= _FURTHEST:
        raise LimbikError(f"A finger is curled by at most {_FURTHEST:g}.")
    figure = session.figure

    def curled(hand: Hand, q: np.ndarray) -> np.ndarray:
        now = hand_shape(figure, hand.side, q, hand=hand)
        if finger == "all":
            changed = HandShape(value, value, value, value, value, now.spread)
            return hand_pose(figure, hand.side, changed, q, hand=hand)
        if finger == "spread":
            wanted = replace(now, spread=value)
            return hand_pose(figure, hand.side, wanted, q, only=_SPREADS, hand=hand)
        wanted = replace(now, **{finger.lower(): value})
        return hand_pose(figure, hand.side, wanted, q, only=(finger,), hand=hand)

    _change(session, side, curled)
    return None


@command("hand.palm", lambda session, given: f"Add the {given['side']} palm")
def palm(session: Session, side: Side) -> Reply:
    """An effector in the middle of a palm; replies with its id."""
    for hand in session.hands:
        if hand.side == side:
            x, y, z = hand.palm(session.figure).tolist()
            return add(session, hand.wrist, (x, y, z))
    raise LimbikError(f"This figure has no {side} hand with fingers.")


def _change(session: Session, side: str, change: Callable[[Hand, np.ndarray], np.ndarray]) -> None:
    hands = [hand for hand in session.hands if side in (hand.side, "both")]
    if not hands:
        which = "hand" if side == "both" else f"{side} hand"
        raise LimbikError(f"This figure has no {which} with fingers.")
    figure, document = session.figure, session.document
    q = document.q
    for hand in hands:
        q = change(hand, q)
    if np.array_equal(q, document.q):
        return
    fingers = {figure.joints[i] for hand in hands for i in hand.joints}
    # What is pinned on a finger goes along with it; pins elsewhere are where they were.
    effectors = tuple(
        anchored(figure, (e,), q)[0] if e.joint in fingers else e for e in document.effectors
    )
    session.document = replace(document, effectors=effectors)
    session.pose(q, anchor=False)


def _label(side: str, what: str) -> str:
    words: dict[str, Any] = {"all": "Curl", "spread": "Spread"}
    text = words.get(what, f"{what[:1].upper()}{what[1:]}")
    return f"{text}, both hands" if side == "both" else f"{text}, {side} hand"

"""Hands whose joints all hang beside each other, as WebXR delivers them: who belongs to whom.

WebXR gives every joint of a hand on its own, so the joints of its hand models are siblings.  Their
names ("index-finger-phalanx-proximal") say what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FINGERS = ("thumb", "index", "middle", "ring", "pinky", "little")
SEGMENTS = ("metacarpal", "proximal", "intermediate", "distal", "tip")

_NAME = re.compile(
    rf"(?P<side>.*?)(?:(?P<wrist>wrist)|(?P<finger>{'|'.join(FINGERS)})(?:[-_ .]?finger)?"
    rf"[-_ .]?(?:phalanx)?[-_ .]?(?P<segment>{'|'.join(SEGMENTS)}))(?P<end>.*)",
    re.IGNORECASE,
)


def finger_parents(
    names: Mapping[int, str], parents: Mapping[int, int | None]
) -> dict[int, int | None]:
    """New parents of the joints of flat hands, in the order from wrist to fingertips.

    ``names`` and ``parents`` are those of all joints by number; joints that already form chains
    are left alone.  A wrist beside its fingers keeps what it hangs on.
    """
    hands: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for joint, name in names.items():
        match = _NAME.fullmatch(name[:200])
        if match:
            parts = {key: (text or "").lower() for key, text in match.groupdict().items()}
            hand = hands.setdefault((parts["side"], parts["end"]), {})
            hand.setdefault((parts["finger"], parts["segment"]), joint)
    found: dict[int, int | None] = {}
    above = {parent for parent in parents.values() if parent is not None}
    for hand in hands.values():
        wrist = hand.pop(("", ""), None)
        if wrist is None or len(hand) < 2 or above & set(hand.values()):
            continue
        if {parents[joint] for joint in hand.values()} - {wrist, parents[wrist]}:
            continue
        found[wrist] = parents[wrist]
        for finger in FINGERS:
            last = wrist
            for segment in SEGMENTS:
                joint = hand.get((finger, segment))
                if joint is not None:
                    found[joint] = last
                    last = joint
    return found

"""Fingers: the joints of a hand, by the finger and by the place in it that their names give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from limbik.humanoid.joint_names import Name

_CALLED = {
    "thumb": "Thumb",
    "index": "Index",
    "middle": "Middle",
    "mid": "Middle",
    "ring": "Ring",
    "pinky": "Little",
    "little": "Little",
}
_COUNTED = ("Thumb", "Index", "Middle", "Ring", "Little")  # "finger2" is one of them
_PLACES = ("Proximal", "Intermediate", "Distal")
_THUMB_PLACES = ("Metacarpal", "Proximal", "Distal")
_PLACE_OF_WORD = {
    "metacarpal": "Metacarpal",
    "in": "Metacarpal",
    "proximal": "Proximal",
    "intermediate": "Intermediate",
    "medial": "Intermediate",
    "distal": "Distal",
}
_MITTEN = ("fingers", "fingerbase")  # one bone for all four fingers
_AT_WRIST = 0.05
_NEARER = 0.9  # of its bone's length: a metacarpal begins at the wrist, a finger at its far end
_ONE_PLACE = 1e-3  # of a finger's longest bone, within which joints are in one place


def fingers(
    names: Sequence[Name],
    parents: Sequence[int],
    side: str,
    hand: int,
    lengths: Sequence[float],
) -> dict[str, int]:
    """Role → joint of the fingers that hang on a hand.

    One chain for all four fingers counts as the index finger.  ``lengths`` are those from parent to
    joint: what starts within a twentieth of a forearm from the wrist belongs to the wrist.
    """
    below = {hand: 0.0}
    chains: dict[str, list[int]] = {}
    mitten: list[int] = []
    own: list[int] = []
    for i in range(hand + 1, len(names)):
        if parents[i] in below:
            below[i] = below[parents[i]] + lengths[i]
            own.append(i)
    zero = _thumb_is_zero([names[i] for i in own])
    for i in own:
        name = names[i]
        finger = "" if name.aside else _finger(name, zero)
        if finger:
            chains.setdefault(finger, []).append(i)
        elif name.has(*_MITTEN) and not name.aside and below[i] > _AT_WRIST * lengths[hand]:
            mitten.append(i)
    if mitten and not {"Middle", "Ring", "Little"} & set(chains):
        chains["Index"] = sorted(mitten + chains.get("Index", []))
    out: dict[str, int] = {}
    for finger, joints in chains.items():
        line = _line(joints, parents, lengths)
        above = parents[joints[0]]
        if finger != "Thumb" and above != hand and names[above].has("metacarpal", "palm"):
            out.setdefault(f"{side}{finger}Metacarpal", above)
        for place, joint in _joint_by_place(finger, line, names, below).items():
            out[f"{side}{finger}{place}"] = joint
    return out


def _thumb_is_zero(names: Sequence[Name]) -> bool:
    """Whether fingers are counted from the thumb as 0: one has that number, or the thumb has a name
    and finger 1 is another."""
    counted = {name.digits[0] for name in names if name.has("finger", "digit") and name.digits}
    named = any(name.has("thumb") and not name.has("finger", "digit") for name in names)
    return "0" in counted or (named and any(number[0] == "1" for number in counted))


def _finger(name: Name, zero: bool) -> str:
    """The finger a joint belongs to: by its name, or by its number counted from 0 or 1."""
    for word in name.words:
        if word in _CALLED:
            return _CALLED[word]
    if name.has("finger", "digit") and name.digits:
        number = int(name.digits[0][0]) - (not zero)
        return _COUNTED[number] if 0 <= number < len(_COUNTED) else ""
    return ""


def _line(joints: list[int], parents: Sequence[int], lengths: Sequence[float]) -> list[int]:
    """The joints of a finger that hang on one another, from its first; parents come first.

    Joints in one place are the hinges of one ball: the last of them, which moves the bone, stands
    for all.
    """
    line = [joints[0]]
    longest = max((lengths[joint] for joint in joints[1:]), default=0.0)
    for joint in joints[1:]:
        if parents[joint] == line[-1]:
            if lengths[joint] <= _ONE_PLACE * longest:
                line[-1] = joint
            else:
                line.append(joint)
    return line


def _joint_by_place(
    finger: str, line: list[int], names: Sequence[Name], from_hand: Mapping[int, float]
) -> dict[str, int]:
    """Place → joint: as the names say, else in order.

    Of four counted joints the first is the metacarpal's where counting starts at 0, or where it is
    nearer to the hand than to the next; else the fourth is the tip.  ``from_hand`` has the length
    of the way from the hand to each joint.
    """
    if finger == "Thumb":
        named = [_place_in_name(names[joint]) for joint in line]
        # Before VRM 1.0 the thumb's three were called proximal, intermediate and distal.
        if len(line) >= 3 or "Intermediate" in named or not all(named):
            return dict(zip(_THUMB_PLACES, line, strict=False))
        return {place: joint for place, joint in zip(named, line, strict=True) if place}
    out: dict[str, int] = {}
    counted: list[int] = []
    for joint in line:
        place = _place_in_name(names[joint])
        if place:
            out.setdefault(place, joint)
        else:
            counted.append(joint)
    first = names[counted[0]].digits if counted else ()
    if len(counted) > 3:
        near, after = from_hand[counted[0]], from_hand[counted[1]]
        if near < _NEARER * (after - near) or (first and int(first[-1]) == 0):
            out.setdefault("Metacarpal", counted.pop(0))
    return out | dict(zip(_PLACES, counted, strict=False))


def _place_in_name(name: Name) -> str:
    return next((_PLACE_OF_WORD[word] for word in name.words if word in _PLACE_OF_WORD), "")

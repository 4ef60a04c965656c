"""The words in a joint's name: which side it is on, and what it calls itself."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_LONGEST = 120  # letters of a name that are read

# Prefixes that a whole skeleton has and that say nothing: Mixamo, 3ds Max's biped, VRoid, Rigify.
_PREFIX = re.compile(
    r"^(?:.*[:|]|mixamorig\d*[_ ]?|bip\d*[_ ]|j_(?:bip|adj)_|def[-_]|org[-_]|"
    r"valvebiped[._]|cc_base_|rig[-_]|armature[_ ]|skeleton[_ ])",
    re.IGNORECASE,
)
_SHORT = re.compile(r"^([LR])([UF])Arm$")  # OptiTrack's upper arm and forearm
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

# After a side of its own, the letter before is "upper" or "lower": "l_lleg" is no left leg.
_HALVES = {
    "uarm": "upperarm", "larm": "lowerarm", "uleg": "upperleg", "lleg": "lowerleg",
}  # fmt: skip
_SAID = {"left": "left", "lft": "left", "right": "right", "rgt": "right"}
_MARKED = {"l": "left", "lf": "left", "lt": "left", "r": "right", "rt": "right"}

_BODY = (
    "upperarm", "uparm", "lowerarm", "lowarm", "loarm", "forearm", "upperleg", "upleg", "lowerleg",
    "lowleg", "loleg", "shank", "ulna", "scapula", "bicep", "biceps", "forefoot", "carpus", "talus",
    "hipjoint", "toebase", "fingerbase", "upperchest", "upperback", "lowerback", "lowerneck",
    "upperneck", "humerus", "clavicle", "clav", "shoulder", "shldr", "collar", "radius", "femur",
    "tibia", "cervical", "skull", "cranium",
    "fingers", "finger", "digit", "thumb", "index", "middle", "mid", "ring", "pinky", "little",
    "wrist", "ankle", "elbow", "knee", "thigh", "calf", "shin", "foot", "toes", "toe", "hand",
    "palm", "pelvis", "abdomen", "thorax", "torso", "chest", "spine", "waist", "neck", "head",
    "hips", "hip", "arm", "leg", "ball", "eye", "jaw", "metacarpals", "metacarpal", "metatarsals",
    "metatarsal", "root", "proximal", "intermediate", "medial", "distal",
)  # fmt: skip
_OTHER = (
    "twist", "roll", "end", "tip", "nub", "site", "joint", "jnt", "base", "bone", "top",
    "effector", "bend", "left", "right", "rx", "ry", "rz", "tx", "ty", "tz",
)  # fmt: skip
_KNOWN = frozenset(_BODY)
_BACKWARDS = frozenset(
    ("upperarm", "uparm", "lowerarm", "lowarm", "upperleg", "upleg", "lowerleg", "lowleg")
)  # "ArmUpper" too
_RUN = re.compile("|".join(sorted({*_BODY, *_OTHER}, key=len, reverse=True)))

# What hangs on a body and moves no part of it: ends of chains, helpers of an animator, clothes, and
# the bodies that a joint was split into, one an axis.
_ASIDE = frozenset((
    "twist", "roll", "end", "tip", "nub", "site", "ik", "fk", "pole", "target", "ctrl", "control",
    "helper", "effector", "dummy", "slot", "sec", "skirt", "hair", "bust", "breast", "cloth",
    "sleeve", "hood", "cape", "tops", "weapon", "prop", "tail", "wing", "ear", "rx", "ry", "rz",
    "tx", "ty", "tz",
))  # fmt: skip


class Name(NamedTuple):
    """A joint's name taken apart: its side ("left", "right" or ""), words and groups of digits."""

    side: str
    words: tuple[str, ...]
    digits: tuple[str, ...]
    aside: bool = False
    """Whether it is no part of the body itself: a twist bone, a chain's end, a helper, clothes."""

    def has(self, *any_of: str) -> bool:
        """Whether one of these words is in it."""
        return any(word in self.words for word in any_of)


def is_known(name: Name) -> bool:
    """Whether one of its words is a part of a body."""
    return not _KNOWN.isdisjoint(name.words)


@lru_cache(maxsize=4096)
def take_apart(name: str) -> Name:
    """A joint's name in pieces.

    >>> take_apart("mixamorig:LeftHandIndex1")
    Name(side='left', words=('hand', 'index'), digits=('1',), aside=False)
    >>> take_apart("Bip01 R UpperArm").side, take_apart("lfemur").side, take_apart("Thumb2_L").side
    ('right', 'left', 'left')
    """
    plain, before = name[:_LONGEST], ""
    aside = plain.startswith("__") or plain[:6].casefold() in ("j_sec_", "j_opt_")
    while plain != before:
        before, plain = plain, _PREFIX.sub("", plain, count=1) or plain
    plain = _SHORT.sub(lambda m: f"{m[1]}_{'up' if m[2] == 'U' else 'fore'}arm", plain)
    spelt_out: list[str] = []
    marked: list[str] = []
    words: list[str] = []
    digits: list[str] = []
    pieces = [piece.casefold() for piece in _PIECE.findall(plain)]
    sided = any(piece in _SAID or piece in _MARKED for piece in pieces)
    for piece in pieces:
        half = _HALVES.get(piece) if sided else None
        for word in [half] if half else _split(piece):
            if word.isdigit():
                digits.append(word[:6])
            elif word in _SAID:
                spelt_out.append(_SAID[word])
            elif word in _MARKED:
                marked.append(_MARKED[word])
            else:
                words.append(word)
    # A side that is spelt out counts before a letter, and the first before the others.
    side = next(iter((*spelt_out, *marked)), "")
    words = _joined(words)
    return Name(side, tuple(words), tuple(digits), aside or not _ASIDE.isdisjoint(words))


def _split(word: str) -> list[str]:
    """The words written without a gap in one: "lefthandindex", "lfemur", "handr"."""
    if word in _KNOWN or word in _SAID or word in _MARKED or word.isdigit():
        return [word]
    for first, rest, last in ((0, word, 0), (1, word[1:], 0), (0, word[:-1], 1)):
        mark = word[:1] if first else word[-1:] if last else ""
        if mark and mark not in "lr":
            continue
        run = _RUN.findall(rest)
        if run and sum(map(len, run)) == len(rest):
            return [*([mark] if first else []), *run, *([mark] if last else [])]
    return [word]


def _joined(words: list[str]) -> list[str]:
    """Pieces such as "up", "leg" as the one word they make, also "leg", "upper"."""
    out: list[str] = []
    for word in words:
        if out and out[-1] + word in _KNOWN:
            out[-1] += word
        elif out and word + out[-1] in _BACKWARDS:
            out[-1] = word + out[-1]
        else:
            out.append(word)
    return out

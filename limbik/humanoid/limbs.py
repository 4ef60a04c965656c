"""Arms and legs: the chain of joints on a side whose names fit the levels of a limb best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from limbik.humanoid.joint_names import Name

# Level, whether every body has it, and the words for it, the clearest first.  Words stand at two
# levels where rigs differ: "shoulder" is the collarbone where an arm follows, "leg" the shank where
# a thigh came before, "foot" the ball of the foot where an ankle did.
_Levels = tuple[tuple[str, bool, tuple[str, ...]], ...]
_ARM: _Levels = (
    ("Shoulder", False, ("clavicle", "clav", "collar", "shoulder", "shldr", "scapula", "thorax")),
    (
        "UpperArm",
        True,
        ("upperarm", "uparm", "humerus", "bicep", "biceps", "arm", "shldr", "shoulder"),
    ),
    ("LowerArm", True, ("lowerarm", "lowarm", "loarm", "forearm", "elbow", "ulna", "radius")),
    ("Hand", True, ("wrist", "hand", "palm", "carpus")),
)
_LEG: _Levels = (
    ("UpperLeg", True, ("upperleg", "upleg", "thigh", "femur", "hip", "leg", "hipjoint")),
    (
        "LowerLeg",
        True,
        ("lowerleg", "lowleg", "loleg", "calf", "shin", "shank", "knee", "tibia", "leg"),
    ),
    ("Foot", True, ("foot", "ankle", "talus")),
    (
        "Toes",
        False,
        ("toes", "toebase", "toe", "ball", "forefoot", "metatarsals", "metatarsal", "foot"),
    ),
)
_FINGERS = frozenset((
    "thumb", "index", "middle", "mid", "ring", "pinky", "little", "finger", "fingers",
    "fingerbase", "digit", "metacarpal", "in",
))  # fmt: skip
# Words that tell the legs of an animal apart: a body has one leg on a side.
_PAIRS = frozenset(("front", "fore", "back", "rear", "hind", "middle", "mid"))
# Words that say too little when a limb has only one of them.
_VAGUE = frozenset(("arm", "leg", "hip", "hipjoint", "shoulder", "shldr", "ball", "palm"))


class _Way:
    """A way through the levels of a limb that ends at a joint, as a list linked backwards."""

    __slots__ = ("before", "joint", "level", "score")

    def __init__(self, before: _Way | None, joint: int, level: int, score: float) -> None:
        self.before, self.joint, self.level, self.score = before, joint, level, score

    def steps(self) -> list[tuple[int, int]]:
        """(level, joint) from the body outward."""
        at: _Way | None = self
        found: list[tuple[int, int]] = []
        while at is not None:
            found.append((at.level, at.joint))
            at = at.before
        return found[::-1]


def limb(names: Sequence[Name], parents: Sequence[int], side: str, kind: str) -> dict[str, int]:
    """Role → joint of the "arm" or "leg" on a side, as far as names tell; empty where they do not.

    The best way through the levels is carried down the tree: ``ends[i][k]`` is the best among the
    chains from a root to joint i that have come as far as level k.  A level that every body has
    counts 1.0, another 0.9, less a little for words that are less clear.
    """
    levels = _ARM if kind == "arm" else _LEG
    ends: list[tuple[_Way | None, ...]] = []
    none: tuple[_Way | None, ...] = (None,) * len(levels)
    best: list[_Way] = []
    for i, name in enumerate(names):
        above = ends[parents[i]] if parents[i] >= 0 else none
        if name.side == side and not name.aside and _FINGERS.isdisjoint(name.words):
            here = _extended(above, levels, name, i)
            best += [way for way, old in zip(here, above, strict=True) if way and way is not old]
            above = here
        ends.append(above)
    if not best:
        return {}
    top = max(best, key=lambda way: way.score)  # the first of equals
    if _repeated(top, best, names):
        return {}
    roles = {levels[level][0]: joint for level, joint in top.steps()}
    if "Toes" in roles and "Foot" in roles and _second_foot(names, roles["Foot"], roles["Toes"]):
        del roles["Toes"]
    if len(roles) == 1 and not set(names[top.joint].words) & set(levels[top.level][2]) - _VAGUE:
        return {}
    called = [i for i in roles.values() if names[i].has(kind)]
    counted = sum(name.side == side and name.has(kind) and not name.aside for name in names)
    # Several joints that are only called "leg" are thigh and shank where a foot follows two.
    if called and counted > (2 if "Foot" in roles or len(called) == 1 else 1):
        return {}
    return {side + role: joint for role, joint in roles.items()}


def _extended(
    above: tuple[_Way | None, ...], levels: _Levels, name: Name, joint: int
) -> tuple[_Way | None, ...]:
    """The best ways as far as each level, with one more joint; earlier joints win a draw."""
    out = list(above)
    reached: _Way | None = None
    for k, (_, needed, words) in enumerate(levels):
        rank = min((words.index(word) for word in name.words if word in words), default=None)
        if rank is not None:
            number = min(int(name.digits[0]), 9) if name.digits else 0
            score = (1.0 if needed else 0.9) - 0.01 * rank - 0.0001 * number
            way = _Way(reached, joint, k, score + (reached.score if reached else 0.0))
            held = out[k]
            if held is None or way.score > held.score:
                out[k] = way
        step = above[k]
        if step is not None and (reached is None or step.score > reached.score):
            reached = step
    return tuple(out)


def _repeated(top: _Way, ways: list[_Way], names: Sequence[Name]) -> bool:
    """Whether the figure has the same limb twice or more on this side, as a spider has."""
    words = [set(names[joint].words) - _PAIRS for _, joint in top.steps()]
    own = {joint for _, joint in top.steps()}
    for way in ways:
        if way.level == top.level and top.score - way.score < 0.005 and way.joint not in own:
            steps = [joint for _, joint in way.steps()]
            if own.isdisjoint(steps) and [set(names[j].words) - _PAIRS for j in steps] == words:
                return True
    return False


def _second_foot(names: Sequence[Name], foot: int, toes: int) -> bool:
    """Whether what was taken for toes is one more joint that is only called foot."""
    clear = set(names[toes].words) & set(_LEG[-1][2]) - {"foot"}
    return names[foot].has("foot") and not clear


def only_numbered(
    names: Sequence[Name], parents: Sequence[int], side: str, kind: str
) -> dict[str, int]:
    """A limb whose joints are only counted: "arm_joint_L_1", "arm_joint_L_2", "arm_joint_L_3".

    Three of them are the bones of an arm, three or four those of a leg; more are a robot's.
    """
    plain = {kind, "joint", "jnt", "bone"}
    own = [i for i, n in enumerate(names) if n.side == side and n.has(kind) and plain >= {*n.words}]
    parts = ("UpperArm", "LowerArm", "Hand")
    if kind == "leg":
        parts = ("UpperLeg", "LowerLeg", "Foot", "Toes")
    in_line = all(parents[b] == a for a, b in pairwise(own))
    if not 3 <= len(own) <= len(parts) or not in_line:
        return {}
    return {side + part: joint for part, joint in zip(parts, own, strict=False)}


def numbered_robot(
    names: Sequence[Name],
    parents: Sequence[int],
    side: str,
    kind: str,
    lengths: Sequence[float],
) -> dict[str, int]:
    """A robot's limb whose joints are only counted: "leg_left_1_link" … "leg_left_6_link".

    Its two longest bones are thigh and shank, or upper arm and forearm; the joint at the end of
    each is the next one.  Nothing where two of them do not stand out, by half of the next longest.
    """
    plain = {kind, "joint", "jnt", "bone", "link"}
    own = [i for i, n in enumerate(names) if n.side == side and n.has(kind) and plain >= {*n.words}]
    if not 5 <= len(own) <= 8 or not all(parents[b] == a for a, b in pairwise(own)):
        return {}
    bones = sorted(range(1, len(own)), key=lambda k: -lengths[own[k]])
    knee, ankle = sorted(bones[:2])
    if lengths[own[bones[1]]] < 1.5 * lengths[own[bones[2]]]:
        return {}
    parts = ("UpperArm", "LowerArm", "Hand") if kind == "arm" else ("UpperLeg", "LowerLeg", "Foot")
    ends = (own[knee - 1], own[knee], own[ankle])
    return {side + part: joint for part, joint in zip(parts, ends, strict=True)}

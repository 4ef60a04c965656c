"""Which joint of a figure is which bone of a body, from names and from how they hang together.

Roles are named as VRM 1.0 names its humanoid bones: "hips", "leftUpperArm", "rightIndexProximal".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint
from limbik.humanoid.fingers import fingers
from limbik.humanoid.joint_names import Name, is_known, take_apart
from limbik.humanoid.limbs import limb, numbered_robot, only_numbered

SIDES = ("left", "right")

REQUIRED = (
    "hips", "spine", "head",
    *(side + part for side in SIDES
      for part in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")),
)  # fmt: skip
"""Roles that every body has (those of VRM 1.0)."""

_NECK = ("neck", "lowerneck", "upperneck", "cervical")
_HEAD = ("head", "skull", "cranium")
_MIDDLES = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))


@dataclass(frozen=True)
class Body:
    """Roles and the joints that have them."""

    roles: Mapping[str, str]
    """Role → joint."""
    missing: tuple[str, ...]
    """Required roles that no joint was found for."""
    unplaced: tuple[str, ...]
    """Joints that have no role."""

    def __getitem__(self, role: str) -> str:
        return self.roles[role]

    def __contains__(self, role: object) -> bool:
        return role in self.roles

    def role_of(self, joint: str) -> str:
        """The role of a joint, empty where it has none."""
        return next((role for role, name in self.roles.items() if name == joint), "")

    @property
    def complete(self) -> bool:
        """Whether every required role was found."""
        return not self.missing


def recognise(figure: Figure) -> Body:
    """The body in a figure: CMU, Mixamo, VRM, Rokoko, MakeHuman, LAFAN, biped, Rigify, Unreal,
    SMPL, SOMA, Xsens, Nokov and English names, and robots whose links or joints say what they are
    (Unitree, Booster, Talos).

    A file that says which bone is which (VRM) is believed.  Where names leave a doubt – a limb that
    is there twice on a side, joints that are only counted – the roles stay empty, and ``missing``
    and ``unplaced`` say so.

    Args:
        figure: to look at.

    Returns:
        The joints by their roles, and what is ``missing`` and ``unplaced``.

    Example:
        >>> import limbik
        >>> recognise(limbik.figures.human())["leftUpperArm"]
        'LeftArm'
    """
    if not isinstance(figure, Figure):
        raise FigureError(f"recognise: needs a Figure, got {figure!r}")
    by_file = getattr(figure.source, "roles", None)
    roles = _roles_of_file(figure, by_file) if isinstance(by_file, Mapping) else {}
    roles = roles or _Search(figure).roles()
    taken = set(roles.values())
    return Body(
        roles,
        tuple(role for role in REQUIRED if role not in roles),
        tuple(name for name in figure.joints if name not in taken),
    )


def _roles_of_file(figure: Figure, by_file: Mapping[object, object]) -> dict[str, str]:
    """The file's own map, for joints that the figure has."""
    known = set(figure.joints)
    roles = {str(role): str(joint) for role, joint in by_file.items() if joint in known}
    for side in SIDES:
        # VRM 0.x calls the thumb's bones proximal, intermediate and distal.
        if side + "ThumbIntermediate" in roles:
            metacarpal = roles.pop(side + "ThumbProximal", None)
            roles[side + "ThumbProximal"] = roles.pop(side + "ThumbIntermediate")
            if metacarpal is not None:
                roles[side + "ThumbMetacarpal"] = metacarpal
    return roles


class _Search:
    """The roles of a figure's joints by their names."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._names = [_read(joint) for joint in figure.definition]
        self._parents: list[int] = figure.parents.tolist()
        offsets = np.array([joint.offset for joint in figure.definition])
        self._lengths: list[float] = np.linalg.norm(offsets, axis=1).tolist()

    def roles(self) -> dict[str, str]:
        found: dict[str, int] = {}
        for side in SIDES:
            for kind in ("leg", "arm"):
                found |= (
                    limb(self._names, self._parents, side, kind)
                    or only_numbered(self._names, self._parents, side, kind)
                    or numbered_robot(self._names, self._parents, side, kind, self._lengths)
                )
            self._drop_second_ankle(found, side)
            found |= self._middles(found, side)
            if side + "Hand" in found:
                hand = found[side + "Hand"]
                found |= fingers(self._names, self._parents, side, hand, self._lengths)
        found |= self._column(found)
        joints = self._figure.definition
        return {role: joints[i].name for role, i in found.items()}

    def _drop_second_ankle(self, found: dict[str, int], side: str) -> None:
        """No toes that are only called foot and start at the ankle: a robot's second axis."""
        foot, toes, shank = (found.get(side + part) for part in ("Foot", "Toes", "LowerLeg"))
        if foot is None or toes is None or shank is None or self._parents[toes] != foot:
            return
        if self._names[toes].has("foot") and self._lengths[toes] < 0.1 * self._lengths[foot]:
            del found[side + "Toes"]

    def _middles(self, found: dict[str, int], side: str) -> dict[str, int]:
        """A forearm or a shank whose name says nothing: the only joint between its neighbours."""
        out: dict[str, int] = {}
        for first, middle, last in ([side + part for part in parts] for parts in _MIDDLES):
            if first not in found or last not in found or middle in found:
                continue
            line = list(self._above(found[last]))
            line = line[1 : line.index(found[first])] if found[first] in line else []
            own = [i for i in line if not self._names[i].aside and self._lengths[i] > 0.0]
            if len(own) == 1:
                out[middle] = own[0]
        return out

    def _above(self, joint: int) -> Iterator[int]:
        """The joint and its ancestors, up to the root."""
        while joint >= 0:
            yield joint
            joint = self._parents[joint]

    def _meet(self, joints: list[int]) -> int | None:
        """The lowest joint that carries all of these."""
        common: dict[int, None] | None = None
        for joint in joints:
            above = dict.fromkeys(self._above(joint))
            common = above if common is None else {i: None for i in common if i in above}
        return next(iter(common), None) if common else None

    def _column(self, limbs: dict[str, int]) -> dict[str, int]:
        """Hips, back, neck, head, and what the head has."""
        out: dict[str, int] = {}
        middle = [i for i, name in enumerate(self._names) if not name.side and not name.aside]
        arms = [limbs[s + "UpperArm"] for s in SIDES if s + "UpperArm" in limbs]
        legs = [limbs[s + "UpperLeg"] for s in SIDES if s + "UpperLeg" in limbs]
        head, above = self._head(middle), list[int]()
        if head is None and len(arms) == 2:
            above = self._vertebrae_above(arms)
            head = above[-1] if above else None
        top = head if head is not None else self._meet(arms) if len(arms) == 2 else None
        hips = self._hips(legs, top, middle)
        if hips is not None:
            out["hips"] = hips
        if top is None or hips is None:
            return out | ({} if head is None else {"head": head})
        unnamed = set(above)
        line = list(self._above(top))[::-1]
        line = line[line.index(hips) + 1 :] if hips in line else []
        necks = [i for i in line if (self._names[i].has(*_NECK) or i in unnamed) and i != head]
        back = line[: line.index(necks[0])] if necks else [i for i in line if i != head]
        # Other things between hips and neck that have a side or help an animator are no vertebrae;
        # numbers alone ("L5", "T8") are.
        here = [(i, self._names[i]) for i in back]
        back = [i for i, name in here if not name.aside and not (name.side and name.words)]
        out |= dict(zip(("spine", "chest", "upperChest"), _three(back), strict=False))
        if necks:
            out["neck"] = necks[0]
        if head is not None:
            out["head"] = head
            out |= self._face(head)
        return out

    def _head(self, middle: list[int]) -> int | None:
        """The head, or the last of several necks where nothing is called head."""
        heads = [i for i in middle if self._names[i].has(*_HEAD)]
        plain = [i for i in heads if self._names[i].words in [(word,) for word in _HEAD]]
        if heads:
            return (plain or heads)[0]
        necks = [i for i in middle if self._names[i].has(*_NECK)]
        hung = [i for i in necks if self._parents[i] in necks]
        return hung[-1] if hung else None

    def _vertebrae_above(self, arms: list[int]) -> list[int]:
        """What goes on from where the arms meet, neck and head that are called spine (Rigify)."""
        at = self._meet(arms)
        line: list[int] = []
        for i, name in enumerate(self._names):
            if self._parents[i] == at and name.has("spine") and not name.side and not name.aside:
                at = i
                line.append(i)
        return line

    def _face(self, head: int) -> dict[str, int]:
        out: dict[str, int] = {}
        below = {head}
        for i in range(head + 1, len(self._names)):
            if self._parents[i] in below:
                below.add(i)
                name = self._names[i]
                if not name.aside and name.words in (("eye",), ("face", "eye")) and name.side:
                    out.setdefault(name.side + "Eye", i)
                elif not name.aside and name.words == ("jaw",) and not name.side:
                    out.setdefault("jaw", i)
        return out

    def _hips(self, legs: list[int], top: int | None, middle: list[int]) -> int | None:
        """The joint that carries the legs and the back: where they meet, or above it by name."""
        words = ("hips", "pelvis") if top is None and not legs else ("hips", "pelvis", "hip")
        named = [i for i in middle if self._names[i].has(*words)]
        if len(legs) < 2:
            return named[0] if named else None
        meet = self._meet(legs if top is None else [*legs, top])
        if meet is None:
            return None
        known = set(named)
        return next((i for i in self._above(meet) if i in known), meet)


def _read(joint: Joint) -> Name:
    """A joint's name taken apart; its other name where only that says something of a body (a link
    "AL1" that hangs on a joint "Left_Shoulder_Pitch")."""
    own = take_apart(joint.name)
    if joint.alias and not is_known(own) and not own.aside:
        other = take_apart(joint.alias)
        if is_known(other):
            return other
    return own


def _three(joints: list[int]) -> list[int]:
    """At most three joints that stand for a longer back: the first, a middle one and the last."""
    if len(joints) <= 3:
        return joints
    return [joints[0], joints[len(joints) // 2], joints[-1]]

"""A small TOML file that says what shall differ from what retargeting finds by itself.

[source.roles]          # or [target.roles]: role = joint; an empty name takes a role away
leftHand = "hand_l"

[weights]               # role, or part of the body without its side: a factor
Hand = 2.0
head = 0.0

[offsets]               # lengths: of the target's ankles above its soles, of the source's ground
leftSole = 0.07
rightSole = 0.07
ground = 0.0
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from limbik.errors import FormatError, did_you_mean
from limbik.humanoid.recognise import REQUIRED, SIDES, Body

_TABLES = ("source", "target", "weights", "offsets")
_PARTS = frozenset(
    ("UpperLeg", "LowerLeg", "Foot", "Ball", "Toes")
    + ("Shoulder", "UpperArm", "LowerArm", "Hand", "trunk")
)
_ROLES = frozenset(
    [*REQUIRED, "chest", "upperChest", "neck", "jaw", "leftEye", "rightEye"]
    + [side + part for side in SIDES for part in _PARTS if part != "trunk"]
    + [
        side + finger + bone
        for side in SIDES
        for finger in ("Thumb", "Index", "Middle", "Ring", "Little")
        for bone in ("Metacarpal", "Proximal", "Intermediate", "Distal")
    ]
)
_WORDS = {
    "hip": "UpperLeg", "thigh": "UpperLeg", "knee": "LowerLeg", "shin": "LowerLeg",
    "ankle": "Foot", "toe": "Toes", "collar": "Shoulder", "clavicle": "Shoulder",
    "arm": "UpperArm", "elbow": "LowerArm", "forearm": "LowerArm", "wrist": "Hand",
}  # fmt: skip
"""Joints as people call them, and the bones that begin there."""
_OFFSETS = ("leftSole", "rightSole", "ground")


@dataclass(frozen=True)
class Overrides:
    """Roles, weights and offsets that replace those that were found."""

    source: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    offsets: Mapping[str, float] = field(default_factory=dict)

    def source_roles(self, body: Body) -> Body:
        """The source's body with its roles changed."""
        return _changed(body, self.source)

    def target_roles(self, body: Body) -> Body:
        """The target's body with its roles changed."""
        return _changed(body, self.target)

    def weight(self, role: str, weight: float) -> float:
        """The weight of a role: times the factor for it or for its part of the body."""
        part = role.removeprefix("left").removeprefix("right")
        return weight * self.weights.get(role, self.weights.get(part, 1.0))

    @property
    def ground(self) -> float | None:
        """The height of the source's ground, where it is stated."""
        return self.offsets.get("ground")

    @property
    def soles(self) -> dict[str, float | None]:
        """Heights of the target's ankles above its soles by side, where they are stated."""
        return {side: self.offsets.get(side + "Sole") for side in ("left", "right")}


def _changed(body: Body, roles: Mapping[str, str]) -> Body:
    found = {**body.roles, **roles}
    found = {role: joint for role, joint in found.items() if joint}
    for role in roles:
        twin = next((r for r in found if r != role and found[r] == found.get(role)), None)
        if twin is not None:
            raise FormatError(
                f'"{found[role]}" is said to be {role} and is {twin} too: give {twin} another '
                f'joint, or take it away with {twin} = ""'
            )
    taken = set(found.values())
    unplaced = tuple(joint for joint in body.unplaced if joint not in taken)
    return Body(found, tuple(role for role in REQUIRED if role not in found), unplaced)


def read_overrides(path: str | Path | None) -> Overrides:
    """The overrides of a TOML file; none without a file."""
    if path is None:
        return Overrides()
    place = Path(path)
    try:
        data: dict[str, Any] = tomllib.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        raise FormatError("there is no such file", place) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{place.name}: {error}") from None
    for table in data:
        _check_key(place, table, _TABLES, "")
        if not isinstance(data[table], dict):
            raise FormatError(f"{place.name}: {table} is a table: write [{table}] and its keys")
    for side in ("source", "target"):
        for name, table in data.get(side, {}).items():
            _check_key(place, name, ("roles",), f"[{side}] ")
            if not isinstance(table, dict):
                raise FormatError(f"{place.name}: write [{side}.roles] and a line for each role")
    for name in data.get("offsets", {}):
        _check_key(place, name, _OFFSETS, "[offsets] ")
    roles = [data.get(side, {}).get("roles", {}) for side in ("source", "target")]
    for table in roles:
        if not all(isinstance(joint, str) for joint in table.values()):
            raise FormatError(f"{place.name}: a role is given a joint's name, in quotes")
    for table, known in ((data.get("weights", {}), _PARTS | _ROLES), *((t, _ROLES) for t in roles)):
        for name in table:
            if name not in known:
                hint = _other_word(name, known) or did_you_mean(name, sorted(known))
                hint = (
                    hint or f" (it knows {', '.join(sorted(_PARTS))} and more, as VRM names them)"
                )
                raise FormatError(f'{place.name}: "{name}" is no part of a body{hint}')
    numbers = [_numbers(data.get(table, {}), table, place) for table in ("weights", "offsets")]
    if any(value < 0 for value in numbers[0].values()):
        raise FormatError(f"{place.name}: [weights] must not be negative")
    if any(numbers[1].get(name, 1.0) <= 0 for name in ("leftSole", "rightSole")):
        raise FormatError(f"{place.name}: [offsets] ankles are above their soles")
    return Overrides(*roles, *numbers)


def _check_key(place: Path, name: str, known: tuple[str, ...], where: str) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f" (it has {', '.join(known)})"
        raise FormatError(f'{place.name}: {where}has no "{name}"{hint}')


def _other_word(name: str, known: frozenset[str]) -> str:
    """A hint where a joint is named by what people call it: leftKnee is leftLowerLeg."""
    side = next((side for side in SIDES if name.startswith(side)), "")
    part = _WORDS.get(name.removeprefix(side).casefold(), "")
    other = side + part
    return f' (did you mean "{other}"?)' if part and other in known else ""


def _numbers(table: Mapping[str, Any], name: str, path: Path) -> dict[str, float]:
    out = {}
    for key, value in table.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise FormatError(f"{path.name}: [{name}] {key} needs a number, got {value!r}")
        out[key] = float(value)
    return out

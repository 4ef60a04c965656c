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
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{place.name}: {error}") from None
    for table in data:
        if table not in _TABLES or not isinstance(data[table], dict):
            raise FormatError(
                f"{place.name}: [{table}] is not one of {', '.join(_TABLES)}"
                f"{did_you_mean(table, _TABLES)}"
            )
    for name in data.get("offsets", {}):
        if name not in _OFFSETS:
            hint = did_you_mean(name, _OFFSETS)
            raise FormatError(f'{place.name}: [offsets] has no "{name}"{hint}')
    roles = [data.get(side, {}).get("roles", {}) for side in ("source", "target")]
    for table in roles:
        if not all(isinstance(joint, str) for joint in table.values()):
            raise FormatError(f"{place.name}: a role is given a joint's name, in quotes")
    for table, known in ((data.get("weights", {}), _PARTS | _ROLES), *((t, _ROLES) for t in roles)):
        for name in table:
            if name not in known:
                hint = did_you_mean(name, sorted(known))
                raise FormatError(f'{place.name}: "{name}" is no part of a body{hint}')
    numbers = [_numbers(data.get(table, {}), table, place) for table in ("weights", "offsets")]
    if any(value < 0 for value in numbers[0].values()):
        raise FormatError(f"{place.name}: [weights] must not be negative")
    return Overrides(*roles, *numbers)


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

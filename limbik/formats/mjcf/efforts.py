"""The largest torques and forces at the joints of an MJCF model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from limbik.errors import FormatError
from limbik.figure.physical.properties import JointNumbers
from limbik.formats.mjcf.tree import ACTUATORS, Tree
from limbik.formats.text_numbers import number


def efforts_of(tree: Tree, moves: Sequence[tuple[str, str, Any]]) -> list[JointNumbers]:
    """The largest torque or force at every hinge and slide.

    moves: (the figure's joint, the MJCF joint, its element with its class) for each of them.
    From <joint actuatorfrcrange>, and from the force ranges of actuators times their gear; a motor
    without one has its control range.  Several actuators of a joint add up.
    """
    driven: dict[str, float] = {}
    for element in tree.root.iterfind("actuator/*"):
        joint = element.get("joint") or element.get("jointinparent")
        if joint is None or element.tag not in ACTUATORS:
            continue
        try:
            most = _actuator(tree, tree.filled(element, None))
        except FormatError:
            most = math.inf  # what cannot be read limits nothing
        driven[joint] = driven.get(joint, 0.0) + most
    out = []
    for name, own, move in moves:
        most = driven.get(own, math.inf)
        if move.get("actuatorfrcrange") is not None and move.get("actuatorfrclimited") != "false":
            most = min(most, max(map(abs, tree.numbers(move, "actuatorfrcrange", 2))))
        if most < math.inf:
            out.append(JointNumbers(name, (most,)))
    return out


def _actuator(tree: Tree, actuator: Any) -> float:
    gear = number(((actuator.get("gear") or "1").split(None, 1) or ["1"])[0])
    for key, limited, tags in (
        ("forcerange", "forcelimited", None),
        ("ctrlrange", "ctrllimited", ("motor",)),
    ):
        if actuator.get(key) is None or actuator.get(limited) == "false":
            continue
        if tags is None or actuator.tag in tags:
            return max(map(abs, tree.numbers(actuator, key, 2))) * abs(gear or 0.0)
    return math.inf

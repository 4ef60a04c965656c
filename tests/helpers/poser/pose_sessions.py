"""Five sessions of a person who poses the built-in human: what is dragged where, in metres.

The tests do them in a session of the server.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Step(NamedTuple):
    """One thing that a person does: "drag" a joint to a place, "pin" it, let it "look" at a place,
    or a "command" of the page with its arguments."""

    do: str
    what: str
    to: Any = None


def drag(joint: str, x: float, y: float, z: float) -> Step:
    return Step("drag", joint, (x, y, z))


def command(name: str, **arguments: Any) -> Step:
    return Step("command", name, arguments)


SIT = [
    command("prop.add", kind="chair"),
    drag("chair", 0.0, 0.45, -0.42),
    drag("Hips", 0.0, 0.54, -0.36),
    drag("LeftHand", 0.13, 0.59, 0.0),
    drag("RightHand", -0.13, 0.59, 0.0),
    drag("Head", 0.0, 1.13, -0.3),
]

SHELF = [
    drag("RightHand", -0.3, 2.0, 0.3),
    Step("look", "Head", (-0.35, 2.05, 0.6)),
]

PUSH_UP = [
    drag("Hips", 0.0, 0.5, 0.72),
    drag("LeftHand", 0.27, 0.08, 1.3),
    Step("pin", "LeftHand"),
    drag("RightHand", -0.27, 0.08, 1.3),
    Step("pin", "RightHand"),
    drag("Head", 0.0, 0.66, 1.58),
    drag("Head", 0.0, 0.32, 1.66),
]

_CONTACT = [
    drag("Hips", 0.0, 0.95, 0.0),
    drag("LeftFoot", 0.091, 0.07, 0.28),
    drag("RightFoot", -0.091, 0.07, -0.28),
    drag("RightHand", -0.26, 0.95, 0.26),
    drag("LeftHand", 0.26, 0.93, -0.22),
]
_PASSING = [
    drag("LeftFoot", 0.091, 0.16, 0.02),
    drag("RightFoot", -0.091, 0.07, 0.0),
    drag("Hips", 0.0, 0.991, 0.0),
    drag("RightHand", -0.27, 0.91, 0.02),
    drag("LeftHand", 0.27, 0.91, 0.02),
]
WALK = [
    *_CONTACT, command("timeline.set", auto_key=False), command("key.insert", frame=0),
    command("pose.mirror"), command("key.insert", frame=16),
    *_PASSING, command("key.insert", frame=24),
    command("pose.mirror"), command("key.insert", frame=8),
    command("unkeyed.drop", frame=0),  # all poses were made there; now it shows its key
]  # fmt: skip

FIST_AND_POINT = [
    command("hand.shape", side="left", shape="fist"),
    drag("LeftHand", 0.3, 1.25, 0.35),
    command("hand.shape", side="right", shape="point"),
    drag("RightHand", -0.25, 1.35, 0.42),
]

SESSIONS: dict[str, list[Step]] = {
    "sit": SIT,
    "shelf": SHELF,
    "push-up": PUSH_UP,
    "walk": WALK,
    "fist": FIST_AND_POINT,
}


def drags(steps: list[Step]) -> int:
    """How many drags of the body a pose of a session takes, at most."""
    most = count = 0
    for step in steps:
        count += step.do in ("drag", "look") and step.what != "chair"
        most = max(most, count)
        count = 0 if step.what == "key.insert" else count
    return most

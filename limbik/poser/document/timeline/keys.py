"""A key frame: what holds at one moment of the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.poser.document.clip import MOST_FRAMES
from limbik.poser.document.effector import MODES, Mode, Vec3, Vec4
from limbik.poser.document.strict_json import Saved, vec3, vec4
from limbik.poser.document.timeline.ease import (
    FIRST_HANDLES,
    KEY_EASES,
    Handles,
    KeyEase,
    checked_handles,
)


@dataclass(frozen=True)
class Target:
    """Where an effector is to be at some time.

    ``position`` is in the figure's unit, ``wxyz`` the orientation or None where none is asked, and
    ``mode`` what the effector was then.  In a key over a clip both are changes against the clip: a
    displacement, and a turn in world axes that comes after the clip's own; the position of an aim
    is the point aimed at in either case.
    """

    position: Vec3
    wxyz: Vec4 | None = None
    mode: Mode = "free"

    def to_json(self) -> dict[str, Any]:
        wxyz = None if self.wxyz is None else list(self.wxyz)
        return {"position": list(self.position), "wxyz": wxyz, "mode": self.mode}

    @classmethod
    def from_json(cls, saved: object, what: str) -> Target:
        data = Saved(saved, what)
        wxyz = data.get("wxyz")
        return cls(
            vec3(data.get("position"), f"{what}: position"),
            None if wxyz is None else vec4(wxyz, f"{what}: wxyz"),
            data.choice("mode", MODES),
        )


@dataclass(frozen=True, eq=False)
class Key:
    """What holds at one frame: a pose, goals of the effectors by their id, or both.

    Over a clip a key is an edit: ``pose`` (n,) is then the change against the clip, a rotation
    vector in the parent's axes for each ball and a difference for every other coordinate, and
    ``span`` is how many frames it takes to fade out on either side.  Elsewhere ``pose`` is q.
    ``ease`` is how poses go on from here to the next key (or how an edit fades), None as the
    timeline has it; ``handles`` are those of "bezier".
    """

    id: int
    frame: int
    pose: np.ndarray | None = None
    goals: Mapping[int, Target] | None = None
    span: int = 0
    ease: KeyEase | None = None
    handles: Handles = FIRST_HANDLES

    def __post_init__(self) -> None:
        if self.pose is not None:
            kept = np.array(self.pose, dtype=np.float64)
            kept.setflags(write=False)
            object.__setattr__(self, "pose", kept)
        if self.goals is not None:
            object.__setattr__(self, "goals", dict(self.goals))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.id, self.frame, self.span))

    def to_json(self) -> dict[str, Any]:
        goals = self.goals
        return {
            "id": self.id,
            "frame": self.frame,
            "span": self.span,
            "pose": None if self.pose is None else self.pose.tolist(),
            "goals": None if goals is None else {str(k): goals[k].to_json() for k in goals},
            "ease": self.ease,
            "handles": list(self.handles),
        }

    @classmethod
    def from_json(cls, saved: object, n: int) -> Key:
        data = Saved(saved, "key")
        key, frame = data.whole_number("id", 1), data.whole_number("frame", 0, MOST_FRAMES)
        what = f"key at frame {frame}"
        goals = data.get("goals")
        if goals is not None:
            named = Saved(goals, f"{what}: goals")
            goals = {
                named.number_of(name): Target.from_json(named.get(name), f"{what}: goal {name}")
                for name in named.names
            }
        pose = data.get("pose")
        return cls(
            key,
            frame,
            None if pose is None else data.floats("pose", n),
            goals,
            data.whole_number("span", 0, MOST_FRAMES),
            *_ease(data),
        )


def _ease(data: Saved) -> tuple[KeyEase | None, Handles]:
    """The ease of a saved key; those of older versions have none."""
    if "ease" not in data.names or data.get("ease") is None:
        return None, FIRST_HANDLES
    x1, y1, x2, y2 = data.floats("handles", 4).tolist()
    return data.choice("ease", KEY_EASES), checked_handles((x1, y1, x2, y2))

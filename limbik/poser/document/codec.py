"""Documents on disk: a whole history as JSON, in which what documents share is written once.

Parts (a pose, an effector, a key, ...) stand in a table, in which documents and larger parts name
them by number.  Poses of clips are large and never change: each is an .npz in the session's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from limbik.errors import LimbikError
from limbik.poser.document.clip import Clip
from limbik.poser.document.clip_files import ClipFiles
from limbik.poser.document.document import (
    CHAIN_OF_EIGHT,
    Choice,
    Document,
    Source,
    StoredPose,
)
from limbik.poser.document.effector import Effector
from limbik.poser.document.figure_codec import limit_from_json, limit_to_json
from limbik.poser.document.history import Step
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.document.origin import Origin
from limbik.poser.document.parked import Parked
from limbik.poser.document.prop import hold_from_json
from limbik.poser.document.scene import Scene
from limbik.poser.document.strict_json import number
from limbik.poser.document.timeline.keys import Key
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.document.timeline.unkeyed import UnkeyedPose

_CHAIN, _CHAIN_OF_EIGHT = Source("builtin", "chain"), Source("builtin", CHAIN_OF_EIGHT)
_PLAIN = ("balls", "frame", "floor", "number", "next_id")
_LATER = {
    "goals",
    "unkeyed",
    "floor",
    "scene",
    "origin",
    "fk",
    "number",
    "others",
}  # not in documents of older versions
_SHARED = tuple(field.name for field in fields(Document) if field.name not in _PLAIN)


@dataclass(frozen=True)
class Snapshot:
    """The document of a moment and its history."""

    document: Document
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()


# ---- writing ------------------------------------------------------------------------------------


class _Table:
    """Parts by number; the same object is written once."""

    def __init__(self, files: ClipFiles) -> None:
        self.parts: list[Any] = []
        self.clips: set[str] = set()
        self._files = files
        self._numbers: dict[tuple[str, int], int] = {}
        self._alive: list[Any] = []  # what is gone may lend its identity to another object

    def number(self, kind: str, part: Any) -> int:
        """The number of a part, which is written into the table where it is new."""
        key = (kind, id(part))
        if key not in self._numbers:
            self._alive.append(part)
            written = getattr(self, f"_{kind}")(part)
            self._numbers[key] = len(self.parts)
            self.parts.append(written)
        return self._numbers[key]

    def document(self, document: Document) -> dict[str, Any]:
        out = {name: getattr(document, name) for name in _PLAIN}
        return out | {name: self.number(name, getattr(document, name)) for name in _SHARED}

    def _source(self, source: Source) -> Any:
        return [source.kind, source.name, list(source.files)]

    def _q(self, q: np.ndarray) -> Any:
        return q.tolist()

    def _limits(self, limits: Mapping[str, Any]) -> Any:
        return {joint: limit_to_json(limit) for joint, limit in limits.items()}

    def _effectors(self, effectors: tuple[Effector, ...]) -> Any:
        return [self.number("effector", effector) for effector in effectors]

    def _effector(self, effector: Effector) -> Any:
        return effector.to_json()

    def _locked(self, locked: tuple[str, ...]) -> Any:
        return list(locked)

    _fk = _locked

    def _method(self, choice: Choice) -> Any:
        return {"name": choice.name, "settings": dict(choice.settings)}

    def _compare(self, choice: Choice | None) -> Any:
        return None if choice is None else self._method(choice)

    def _poses(self, poses: tuple[StoredPose, ...]) -> Any:
        return [[pose.id, pose.name, self.number("q", pose.q)] for pose in poses]

    def _goals(self, goals: tuple[KeptGoal, ...]) -> Any:
        return [goal.to_json() for goal in goals]

    def _others(self, others: tuple[Parked, ...]) -> Any:
        return [
            {
                "number": one.number,
                "document": self.document(one.document),
                "holds": [[id, [asdict(hold) for hold in holds]] for id, holds in one.holds],
            }
            for one in others
        ]

    def _scene(self, scene: Scene) -> Any:
        return scene.to_json()

    def _unkeyed(self, unkeyed: tuple[UnkeyedPose, ...]) -> Any:
        return [
            [one.frame, self.number("q", one.q), self.number("effectors", one.effectors)]
            for one in unkeyed
        ]

    def _origin(self, origin: Origin | None) -> Any:
        if origin is None:
            return None
        return {
            "source": self._source(origin.source),
            "clip": self._clip(origin.clip),
            "joints": dict(origin.joints),
            "placement": list(origin.placement),
        }

    def _clip(self, clip: Clip) -> str:
        """The name of a clip's file."""
        name = self._files.name_of(clip)
        self.clips.add(name)
        return name

    def _timeline(self, timeline: Timeline) -> Any:
        clip = None if timeline.clip is None else self._clip(timeline.clip)
        keys = [self.number("key", key) for key in timeline.keys]
        settings = replace(timeline, keys=()).to_json()
        return {"settings": settings, "keys": keys, "clip": clip}

    def _key(self, key: Key) -> Any:
        return key.to_json()


def dump(snapshot: Snapshot, files: ClipFiles) -> dict[str, Any]:
    """A snapshot as JSON; its clips are written to ``files``, and others that were there go."""
    table = _Table(files)

    def steps(some: tuple[Step, ...]) -> list[dict[str, Any]]:
        return [{"label": s.label, "document": table.document(s.document)} for s in some]

    saved = {
        "document": table.document(snapshot.document),
        "past": steps(snapshot.past),
        "future": steps(snapshot.future),
        "parts": table.parts,
    }
    files.keep_only(table.clips)
    return saved


# ---- reading ------------------------------------------------------------------------------------


class _Parts:
    """The table read again; a part that was shared is shared again."""

    def __init__(self, parts: list[Any], files: ClipFiles) -> None:
        self._parts, self._files = parts, files
        self._made: dict[tuple[str, int, int], Any] = {}
        self._clips: dict[str, Clip] = {}
        self._n = 0

    def document(self, saved: dict[str, Any]) -> Document:
        self._n = len(self._parts[saved["q"]])
        plain = {n: saved[n] for n in _PLAIN if n in saved or n not in _LATER}
        shared = {name: self.part(name, saved[name]) for name in _SHARED if name in saved}
        if missing := set(_SHARED) - set(shared) - _LATER:
            raise LimbikError(f"the saved document has no {min(missing)}")
        document = Document(**plain, **shared)
        if document.source == _CHAIN and self._n == 8:
            return replace(document, source=_CHAIN_OF_EIGHT)
        return document

    def part(self, kind: str, number: int) -> Any:
        # What has a number for every coordinate is checked against their count.
        key = (kind, number, self._n)
        if key not in self._made:
            make: Callable[[Any], Any] = getattr(self, f"_{kind}")
            self._made[key] = make(self._parts[number])
        return self._made[key]

    def _source(self, saved: Any) -> Source:
        return Source(saved[0], saved[1], tuple(saved[2]))

    def _q(self, saved: Any) -> np.ndarray:
        q = np.array(saved, float)
        if q.shape != (self._n,) or not np.isfinite(q).all():
            raise LimbikError(f"a saved pose is not {self._n} finite numbers")
        q.setflags(write=False)
        return q

    def _limits(self, saved: Any) -> Mapping[str, Any]:
        return MappingProxyType({joint: limit_from_json(limit) for joint, limit in saved.items()})

    def _effectors(self, saved: Any) -> tuple[Effector, ...]:
        return tuple(self.part("effector", number) for number in saved)

    def _effector(self, saved: Any) -> Effector:
        return Effector.from_json(saved)

    def _locked(self, saved: Any) -> tuple[str, ...]:
        return tuple(saved)

    _fk = _locked

    def _method(self, saved: Any) -> Choice:
        return Choice(saved["name"], MappingProxyType(saved["settings"]))

    def _compare(self, saved: Any) -> Choice | None:
        return None if saved is None else self._method(saved)

    def _poses(self, saved: Any) -> tuple[StoredPose, ...]:
        return tuple(StoredPose(id, name, self.part("q", number)) for id, name, number in saved)

    def _goals(self, saved: Any) -> tuple[KeptGoal, ...]:
        return tuple(KeptGoal.from_json(goal) for goal in saved)

    def _others(self, saved: Any) -> tuple[Parked, ...]:
        n, out = self._n, []
        for one in saved:
            holds = tuple(
                (int(id), tuple(hold_from_json(hold, "holds") for hold in some))
                for id, some in one["holds"]
            )
            out.append(Parked(int(one["number"]), self.document(one["document"]), holds))
        self._n = n
        return tuple(out)

    def _scene(self, saved: Any) -> Scene:
        return Scene.from_json(saved)

    def _unkeyed(self, saved: Any) -> tuple[UnkeyedPose, ...]:
        return tuple(
            UnkeyedPose(int(frame), self.part("q", q), self.part("effectors", effectors))
            for frame, q, effectors in saved
        )

    def _origin(self, saved: Any) -> Origin | None:
        if saved is None:
            return None
        joints = {str(one): str(other) for one, other in saved["joints"].items()}
        placement = tuple(number(value, "origin: placement") for value in saved["placement"])
        if len(placement) != 16:
            raise LimbikError("a saved origin needs a placement of 16 numbers")
        clip = self._clip(saved["clip"])
        return Origin(self._source(saved["source"]), clip, MappingProxyType(joints), placement)

    def _timeline(self, saved: Any) -> Timeline:
        clip = None if saved["clip"] is None else self._clip(saved["clip"])
        timeline = Timeline.from_json(saved["settings"], self._n, clip=clip)
        return replace(timeline, keys=tuple(self.part("key", number) for number in saved["keys"]))

    def _key(self, saved: Any) -> Key:
        return Key.from_json(saved, self._n)

    def _clip(self, name: str) -> Clip:
        if name not in self._clips:
            self._clips[name] = self._files.read(name)
        return self._clips[name]


def load(saved: dict[str, Any], files: ClipFiles) -> Snapshot:
    """What ``dump`` wrote; LimbikError where it is something else."""
    try:
        parts = _Parts(saved["parts"], files)

        def steps(some: Any) -> tuple[Step, ...]:
            return tuple(Step(step["label"], parts.document(step["document"])) for step in some)

        return Snapshot(
            parts.document(saved["document"]), steps(saved["past"]), steps(saved["future"])
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise LimbikError(f"the saved session is damaged: {error!r:.100}") from error

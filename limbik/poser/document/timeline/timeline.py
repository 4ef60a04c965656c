"""The timeline: key frames and the clip under them, plain data that is never changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from limbik.errors import LimbikError
from limbik.figure.motion import Motion
from limbik.poser.document.clip import MOST_FRAMES, Clip
from limbik.poser.document.strict_json import Saved
from limbik.poser.document.timeline.contact_span import Contacts, contacts_from_json, cut_to
from limbik.poser.document.timeline.ease import EASES, Ease
from limbik.poser.document.timeline.keys import Key, Target

__all__ = ["EASES", "Clip", "Ease", "Key", "Target", "Timeline"]

LONGEST = 100_000
"""Frames that a timeline without a clip may have; each of them may have to be solved."""
WIDEST = 10_000
"""Frames over which an edit may blend to either side."""
MOST_KEYS = 10_000


@dataclass(frozen=True)
class Timeline:
    """Keys in order of their frames, at most one a frame, over ``frames`` frames 0 … frames − 1.

    ``span`` is the span of edits to come, ``ease`` how poses go from key to key, ``auto_key``
    whether a pose that is changed by hand becomes a key, once there are keys or a clip.  The frame
    that is looked at is no part of it.  ``contacts`` are where joints rest.
    """

    fps: float = 30.0
    frames: int = 121
    loop: bool = True
    span: int = 15
    ease: Ease = "smooth"
    auto_key: bool = True
    keys: tuple[Key, ...] = ()
    clip: Clip | None = None
    next_id: int = 1
    contacts: Contacts = ()

    @classmethod
    def over(cls, clip: Clip | Motion) -> Timeline:
        """A timeline that edits a clip, with edits of half a second to either side."""
        held = Clip.of(clip) if isinstance(clip, Motion) else clip
        span = min(max(1, round(held.fps / 2)), WIDEST)
        return cls(fps=held.fps, frames=len(held.q), span=span, clip=held)

    @property
    def last(self) -> int:
        """The last frame."""
        return self.frames - 1

    @property
    def least(self) -> int:
        """The smallest number of frames that holds all keys, and the whole clip."""
        if self.clip is not None:
            return len(self.clip.q)
        return self.keys[-1].frame + 1 if self.keys else 1

    def key(self, key: int) -> Key:
        """The key with an id."""
        for found in self.keys:
            if found.id == key:
                return found
        raise LimbikError(f"There is no key {key} any more.")

    def key_at(self, frame: int) -> Key | None:
        return next((key for key in self.keys if key.frame == frame), None)

    def with_settings(
        self,
        *,
        fps: float | None = None,
        frames: int | None = None,
        loop: bool | None = None,
        span: int | None = None,
        ease: str | None = None,
        auto_key: bool | None = None,
    ) -> Timeline:
        """Other settings; a new rate plays the same frames faster or slower."""
        changes: dict[str, Any] = {}
        if fps is not None:
            if not (math.isfinite(fps) and 0.1 <= fps <= 1000.0):
                raise LimbikError(f"Frames a second must be between 0.1 and 1000, not {fps:g}.")
            changes["fps"] = float(fps)
        if frames is not None:
            if self.clip is not None and frames != self.frames:
                raise LimbikError(f"The clip has {self.frames} frames; remove it to change that.")
            if frames != self.frames and not self.least <= frames <= LONGEST:
                why = f" because frame {self.least - 1} has a key" if self.keys else ""
                raise LimbikError(f"Frames must be {self.least} to {LONGEST:,}{why}.")
            changes["frames"] = int(frames)
            changes["contacts"] = cut_to(self.contacts, int(frames))
        if loop is not None:
            changes["loop"] = bool(loop)
        if span is not None:
            if not 1 <= span <= WIDEST:
                raise LimbikError(f"An edit blends over 1 to {WIDEST:,} frames, not {span}.")
            changes["span"] = int(span)
        if ease is not None:
            if ease not in EASES:
                raise LimbikError(f'Ease is {", ".join(EASES)}, not "{ease}".')
            changes["ease"] = ease
        if auto_key is not None:
            changes["auto_key"] = bool(auto_key)
        return replace(self, **changes)

    def with_key(self, key: Key) -> Timeline:
        """One key more; it takes the place of one with its id or on its frame."""
        if not 0 <= key.frame < self.frames:
            raise LimbikError(f"Frame {key.frame} is outside the timeline (0 to {self.last}).")
        if key.pose is None and key.goals is None:
            raise LimbikError("A key needs a pose or goals.")
        kept = [k for k in self.keys if k.id != key.id and k.frame != key.frame]
        if len(kept) >= MOST_KEYS:
            raise LimbikError(f"There are {MOST_KEYS:,} keys, and there is no room for more.")
        return self._with(kept + [key], max(self.next_id, key.id + 1))

    def without(self, ids: Iterable[int]) -> Timeline:
        """Without some keys."""
        gone = {self.key(key).id for key in ids}
        return self._with([key for key in self.keys if key.id not in gone], self.next_id)

    def moved(self, ids: Iterable[int], by: int) -> Timeline:
        """Some keys so many frames later (or earlier); a key that they land on is replaced."""
        chosen = self._shifted(ids, by)
        stay = {key.id for key in chosen}
        landed = {key.frame for key in chosen}
        kept = [k for k in self.keys if k.id not in stay and k.frame not in landed]
        return self._with(kept + chosen, self.next_id)

    def copied(self, ids: Iterable[int], by: int) -> Timeline:
        """Copies of some keys so many frames later; a key that they land on is replaced."""
        copies = [replace(key, id=self.next_id + i) for i, key in enumerate(self._shifted(ids, by))]
        landed = {key.frame for key in copies}
        kept = [key for key in self.keys if key.frame not in landed]
        if len(kept) + len(copies) > MOST_KEYS:
            raise LimbikError(f"That would be more than {MOST_KEYS:,} keys.")
        return self._with(kept + copies, self.next_id + len(copies))

    def without_clip(self) -> Timeline:
        """Without the clip and the edits, which mean nothing without it."""
        return replace(self, clip=None, keys=(), contacts=(), frames=min(self.frames, LONGEST))

    def _shifted(self, ids: Iterable[int], by: int) -> list[Key]:
        chosen = [self.key(key) for key in dict.fromkeys(ids)]
        for key in chosen:
            if not 0 <= key.frame + by < self.frames:
                raise LimbikError(
                    f"The key at frame {key.frame} would go to frame {key.frame + by}, "
                    f"outside the timeline (0 to {self.last})."
                )
        return [replace(key, frame=key.frame + by) for key in chosen]

    def _with(self, keys: Iterable[Key], next_id: int) -> Timeline:
        ordered = tuple(sorted(keys, key=lambda key: key.frame))
        return replace(self, keys=ordered, next_id=next_id)

    def to_json(self) -> dict[str, Any]:
        """Everything but the clip, for ``from_json``."""
        return {
            **self.settings,
            "next_id": self.next_id,
            "keys": [key.to_json() for key in self.keys],
            "contacts": [contact.to_json() for contact in self.contacts],
        }

    @classmethod
    def from_json(cls, saved: object, n: int, *, clip: Clip | None = None) -> Timeline:
        """What ``to_json`` gave, for a figure of ``n`` coordinates; anything else is refused.

        ``clip`` is kept elsewhere.
        """
        data = Saved(saved, "timeline")
        out = cls(
            fps=data.number("fps", above=0.0),
            frames=data.whole_number("frames", 1, MOST_FRAMES),
            loop=data.flag("loop"),
            span=data.whole_number("span", 1, WIDEST),
            ease=data.choice("ease", EASES),
            # Timelines of older versions do not have it.
            auto_key="auto_key" not in data.names or data.flag("auto_key"),
            clip=clip,
        )
        if clip is not None and clip.q.shape != (out.frames, n):
            raise LimbikError(f"timeline: {out.frames} frames over a clip of shape {clip.q.shape}")
        for key in _keys(data, n):
            if out.key_at(key.frame) is not None or any(k.id == key.id for k in out.keys):
                raise LimbikError(f"timeline: two keys at frame {key.frame} or with id {key.id}")
            out = out.with_key(key)
        contacts: Contacts = ()
        if "contacts" in data.names:  # those of older versions have none
            contacts = contacts_from_json(data.get("contacts"), out.frames)
        ids = (
            out.next_id,
            data.whole_number("next_id", 1),
            *(contact.id + 1 for contact in contacts),
        )
        return replace(out, next_id=max(ids), contacts=contacts)

    @property
    def settings(self) -> dict[str, Any]:
        """What ``with_settings`` changes, by name."""
        return {
            "fps": self.fps,
            "frames": self.frames,
            "loop": self.loop,
            "span": self.span,
            "ease": self.ease,
            "auto_key": self.auto_key,
        }


def _keys(data: Saved, n: int) -> Iterator[Key]:
    saved = data.get("keys")
    if not isinstance(saved, list) or len(saved) > MOST_KEYS:
        raise LimbikError(f"timeline: keys must be a list of at most {MOST_KEYS:,}")
    return (Key.from_json(key, n) for key in saved)

"""Undo and redo: the documents before and after, each with what was done in between."""

from __future__ import annotations

from dataclasses import dataclass, replace

from limbik.poser.document.document import Document

LONGEST = 200
"""Steps that are kept; the oldest go first."""

LARGEST_CLIPS = 400_000_000
"""Bytes of the clips that all steps may have together, beyond the last step's; the oldest go."""

MERGE_SECONDS = 1.0
"""Two merging steps further apart than this are two steps, unless they are of one gesture."""


@dataclass(frozen=True)
class Step:
    """What was done (``label``) and the document on the other side of it.

    ``merge`` is what a following step must have in common with this one to become part of it,
    ``seconds`` when it was last added to, and ``held`` whether the gesture that makes it goes on.
    """

    label: str
    document: Document
    merge: object = None
    seconds: float = 0.0
    held: bool = False


class History:
    """Steps that can be undone and, while nothing else is done, redone."""

    def __init__(self, past: tuple[Step, ...] = (), future: tuple[Step, ...] = ()) -> None:
        self._past, self._future = list(past), list(future)

    @property
    def past(self) -> tuple[Step, ...]:
        """Steps that can be undone, the last one last, each with the document before it."""
        return tuple(self._past)

    @property
    def future(self) -> tuple[Step, ...]:
        """Steps that can be redone, the next one last, each with the document after it."""
        return tuple(self._future)

    @property
    def undo_label(self) -> str | None:
        """What undo takes back, None where there is nothing."""
        return self._past[-1].label if self._past else None

    @property
    def redo_label(self) -> str | None:
        """What redo does again, None where there is nothing."""
        return self._future[-1].label if self._future else None

    def did(
        self,
        label: str,
        before: Document,
        *,
        merge: object = None,
        seconds: float = 0.0,
        held: bool = False,
    ) -> None:
        """Something was done to the document ``before``; what could be redone is forgotten.

        A step with the ``merge`` of the last one becomes part of it where that was at most a second
        ago, or is ``held``: a knob in somebody's hand may rest for as long as it likes.
        """
        last = self._past[-1] if self._past else None
        self._future.clear()
        if (
            last is not None
            and merge is not None
            and last.merge == merge
            and (last.held or 0.0 <= seconds - last.seconds <= MERGE_SECONDS)
        ):
            self._past[-1] = replace(last, seconds=seconds, held=held)
            return
        self._past.append(Step(label, before, merge, seconds, held))
        del self._past[: max(-LONGEST, -self._affordable())]

    def _affordable(self) -> int:
        """How many of the last steps keep no more clips than there is room for, at least one."""
        seen: set[int] = set()
        size = 0
        for count, step in enumerate(reversed(self._past)):
            document = step.document
            origin = None if document.origin is None else document.origin.clip
            for clip in (document.timeline.clip, origin):
                if clip is not None and id(clip) not in seen:
                    seen.add(id(clip))
                    size += clip.q.nbytes
            if size > LARGEST_CLIPS and count:
                return count
        return len(self._past)

    def end_merging(self) -> None:
        """Nothing is held any more."""
        if self._past and self._past[-1].held:
            self._past[-1] = replace(self._past[-1], held=False)

    def undo(self, now: Document) -> Document | None:
        """The document before the last step, None where there is none."""
        if not self._past:
            return None
        step = self._past.pop()
        self._future.append(Step(step.label, now))
        return step.document

    def redo(self, now: Document) -> Document | None:
        """The document after the step that was undone last, None where there is none."""
        if not self._future:
            return None
        step = self._future.pop()
        self._past.append(Step(step.label, now))
        return step.document

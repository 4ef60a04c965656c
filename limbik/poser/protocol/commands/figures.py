"""Figures: a built-in one, one from files, and the clips that came with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.poser.document.clip import Clip
from limbik.poser.document.coordinate_change import across
from limbik.poser.document.document import Source
from limbik.poser.document.scene import Scene
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.files.default_document import first_document
from limbik.poser.files.exported import lay_record_beside
from limbik.poser.files.open import discard_files, holds_figure, keep_files, open_motion
from limbik.poser.protocol.commands.limits import start_limited
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.commands.several import place_beside
from limbik.poser.protocol.text import note

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

MOST_FILES = 64


@command("builtin", "Open {name}")
def builtin(session: Session, name: str) -> Reply:
    """A figure that needs no file."""
    _start(session, Source("builtin", name))
    return None


def _opening(session: Session, arguments: dict[str, Any]) -> str:
    return f"Open {arguments['files'][0]}" if arguments["files"] else ""


@command("open", _opening)
def open_files(session: Session, files: list[str]) -> Reply:
    """Files that were uploaded: a figure with what belongs to it, or a motion for the figure that
    is there."""
    if len(files) > MOST_FILES:
        raise LimbikError(f"At most {MOST_FILES} files can be opened together.")
    kept = keep_files(files, session.folder)
    if session.exported is not None:
        record = lay_record_beside(session.exported, session.folder / kept[0])
        if record is not None:
            kept = (*kept, record.relative_to(session.folder).as_posix())
    source = Source("files", kept[0].rsplit("/", 1)[-1], kept)
    try:
        if holds_figure(kept):
            _start(session, source)
        else:
            _play(session, open_motion(kept, session.folder, session.opened.figure))
    finally:
        # What cannot be read is not kept, nor a motion, which the timeline has now.
        if source not in session.sources:
            discard_files(kept, session.folder)
    return None


@command("clip.choose", "Choose a clip")
def choose(session: Session, index: int) -> Reply:
    """Another clip of the figure's file; edits of the one before go with it."""
    clips = session.opened.clips
    if not 0 <= index < len(clips):
        raise LimbikError(f"There is no clip {index} in this file.")
    _play(session, clips[index].read())
    return None


def _start(session: Session, source: Source) -> None:
    """Begin with another figure; the methods stay."""
    opened, old = session.figure_cache.opened(source), session.document
    new = first_document(source, opened)
    scene = old.scene.without_holds() if _same_space(opened.figure, session.opened.figure) else None
    session.document = replace(
        new,
        method=old.method,
        compare=old.compare,
        scene=scene or Scene(),
        number=old.number,
        others=old.others if scene else (),
        next_id=max(new.next_id, old.next_id if scene else 1),
    )
    start_limited(session)
    if session.document.others:
        place_beside(session)
    for sentence in opened.notes[:3]:
        session.also(note(sentence))


def _same_space(one: Figure, other: Figure) -> bool:
    """Whether lengths and the axis that is up mean the same, so that props can stay."""
    return (one.unit, one.up) == (other.unit, other.up)


def _play(session: Session, motion: Motion) -> None:
    """Lay a motion under the timeline and stand at its start."""
    q = across(motion.figure, session.figure, motion.q)
    clip = Clip(q, motion.fps, motion.name)
    session.document = replace(session.document, timeline=Timeline.over(clip))
    session.show(0.0)

"""Retargeting: the clip onto another figure, a file's motion onto this one, and again after edits.

Each runs in the background; the result is one step of the history.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from limbik.errors import LimbikError
from limbik.figure.motion import Motion
from limbik.poser.animation.carrying import Carried, carry, source_contacts
from limbik.poser.document import figure_codec as figure_json
from limbik.poser.document.document import Document
from limbik.poser.document.source import Source
from limbik.poser.document.timeline.timeline import Timeline
from limbik.poser.drag.effector_targets import anchored
from limbik.poser.files.default_document import default_effectors
from limbik.poser.files.open import Opened, discard_files, holds_figure, keep_files
from limbik.poser.files.save import baked
from limbik.poser.protocol.commands.registry import Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.background import Progress
    from limbik.poser.editing.session import Session


@command("retarget.onto")
def onto(session: Session, builtin: str = "", files: list[str] | None = None) -> Reply:
    """The clip onto another figure: a built-in one, or one in files that were uploaded."""
    if session.document.timeline.clip is None:
        raise LimbikError("There is no clip to put on another figure; open one first.")
    motion, source = _source_motion(session)
    kept = keep_files(files, session.folder) if files else ()
    target = Source("builtin", builtin)
    if kept:
        target = Source("files", kept[0].rsplit("/", 1)[-1], kept)
        if not holds_figure(kept):
            discard_files(kept, session.folder)
            raise LimbikError(f"{target.name} holds no figure that the clip could go onto.")

    def work(progress: Progress) -> Document:
        fresh = type(session).of_source(target, session.folder)
        figure, opened = fresh.figure, fresh.opened
        carried = carry(motion, source, figure, up=opened.up, floor=opened.floor, progress=progress)
        return _new_document(session, fresh.document, opened, carried)

    def take(document: Document) -> None:
        old = session.document
        session.document = replace(document, method=old.method, compare=old.compare)
        session.show(0.0)

    name = builtin or target.name
    session.begin_task(f"Retarget onto {name}", work, take, lambda: _discard(session, target))
    return None


@command("retarget.motion")
def motion(session: Session, files: list[str]) -> Reply:
    """The motion in files that were uploaded onto the figure that is there."""
    kept = keep_files(files, session.folder)
    source = Source("files", kept[0].rsplit("/", 1)[-1], kept)
    if not holds_figure(kept):
        discard_files(kept, session.folder)
        raise LimbikError(
            f"{source.name} has no figure of its own; open it together with its figure, or with "
            "Open onto the figure that it was made for."
        )
    _onto_this(session, source, None)
    return None


@command("retarget.again")
def again(session: Session) -> Reply:
    """The motion that the clip comes from once more, with the contacts as they are now."""
    if session.document.origin is None:
        raise LimbikError("This clip was not retargeted; plant its feet instead.")
    _onto_this(session, session.document.origin.source, session.document)
    return None


@command("task.cancel")
def cancel(session: Session) -> Reply:
    """Stop what is at work in the background."""
    if session.task is not None:
        session.task.cancel()
    return None


def _onto_this(session: Session, source: Source, edited: Document | None) -> None:
    """Retarget onto the document's figure; with the contacts of ``edited``, where that is given."""
    figure, opened = session.figure, session.opened

    def work(progress: Progress) -> Carried:
        other = session.figure_cache.opened(source)
        contacts = None
        if edited is not None and edited.origin is not None:
            contacts = source_contacts(edited.origin, edited.timeline.contacts, other.figure)
            motion = edited.origin.clip.motion(other.figure)
        elif not other.clips:
            raise LimbikError(f"{source.name} holds no motion.")
        else:
            motion = other.clips[0].read()
            motion = Motion(other.figure, motion.q, motion.fps, motion.name or source.name)
        return carry(
            motion, source, figure,
            up=opened.up, floor=opened.floor, contacts=contacts, progress=progress,
        )  # fmt: skip

    def take(carried: Carried) -> None:
        now = session.document
        if session.figure is not figure:
            raise LimbikError("Another figure was opened meanwhile; the motion was not put on it.")
        if len(carried.figure.joints) != len(figure.joints):
            session.document = _new_document(session, now, opened, carried)
        else:
            timeline = Timeline.over(carried.clip)
            timeline = replace(timeline, loop=now.timeline.loop, contacts=carried.contacts)
            if edited is not None:
                timeline = replace(now.timeline, clip=carried.clip, frames=timeline.frames)
            timeline = replace(timeline, next_id=_next_id(timeline))
            session.document = replace(now, timeline=timeline, origin=carried.origin)
        session.show(0.0 if edited is None else now.frame)

    name = opened.builtin or opened.file or figure.name or "this figure"
    label = f"Retarget {source.name}" if edited is None else f"Retarget onto {name} again"
    session.begin_task(label, work, take, lambda: _discard(session, source))


def _source_motion(session: Session) -> tuple[Motion, Source]:
    """The motion to carry over, and where its figure comes from: the clip with its edits, or what
    it was retargeted from itself where it has none."""
    document = session.document
    if document.origin is not None and not document.timeline.keys:
        figure = session.figure_cache.opened(document.origin.source).figure
        return document.origin.clip.motion(figure), document.origin.source
    return baked(session).onto(session.opened.figure), document.source


def _new_document(session: Session, fresh: Document, opened: Opened, carried: Carried) -> Document:
    """The document of a figure that gets a clip; a figure that got a base for it is written into
    the session's folder."""
    figure, source, effectors = carried.figure, fresh.source, fresh.effectors
    q = figure.project(carried.clip.q[0])
    timeline = replace(Timeline.over(carried.clip), contacts=carried.contacts)
    timeline = replace(timeline, next_id=_next_id(timeline))
    changes: dict[str, Any] = {}
    if len(figure.joints) != len(opened.figure.joints):
        base = len(figure.joints) - len(opened.figure.joints)
        meshes = tuple(replace(m, joints=m.joints + base) for m in opened.meshes)
        name = f"memory-based-{opened.file or opened.builtin or 'figure'}.json"
        kept = figure_json.Kept(figure, (carried.clip.motion(figure),), meshes)  # tells the floor
        figure_json.write(session.folder / name, kept)
        source = Source("memory", figure.name or "figure", (name,))
        effectors = default_effectors(figure)
        changes = {"limits": MappingProxyType({}), "balls": ""}
    return replace(
        fresh,
        source=source,
        q=q,
        effectors=anchored(figure, effectors, q),
        timeline=timeline,
        origin=carried.origin,
        next_id=max(fresh.next_id, len(effectors) + 1),
        **changes,
    )


def _next_id(timeline: Timeline) -> int:
    return max([timeline.next_id, *(c.id + 1 for c in timeline.contacts)])


def _discard(session: Session, source: Source) -> None:
    """Remove files that no document needs."""
    if source.kind == "files" and source not in session.sources:
        discard_files(source.files, session.folder)

"""Saving: what a person made, as BVH, GLB, pose JSON or a page that replays it."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import save
from limbik.formats.gltf.rig import Rig
from limbik.poser.animation.in_betweens import bake
from limbik.poser.document.coordinate_change import across
from limbik.poser.drag.scene_goals import timeline_goals
from limbik.poser.files.exported import remember
from limbik.poser.files.natural_limits import BODY
from limbik.poser.files.pose_file import pose_json
from limbik.poser.files.replay import replay_page
from limbik.poser.protocol.page_state import figure_of

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

KINDS = {
    "bvh": "application/octet-stream",
    "glb": "model/gltf-binary",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
}
"""What can be saved, with its media type."""

_VRM = ("VRM", "VRMC_vrm")


class File(NamedTuple):
    """A file to hand over: its name, its media type and its bytes."""

    name: str
    media_type: str
    data: bytes


def saved_as(session: Session, kind: str) -> File:
    """The session's work as a file of a kind: "bvh", "glb", "json" or "html".

    A figure that came from a glTF or VRM file goes back into it, with the motion as an animation; a
    BVH file has the channels that it had.
    """
    if kind not in KINDS:
        raise LimbikError(f'Saved are {", ".join(KINDS)}, not "{kind[:20]}".')
    document, figure = session.document, session.figure
    stem = _stem(session)
    if kind == "json":
        q = document.q
        if document.balls == BODY:  # its zero is a pose of the clip, which others do not know
            here, figure = figure, session.opened.figure
            q = across(here, figure, q[None])[0]
        saved = pose_json(figure, q, document.effectors)
        text = json.dumps(saved, ensure_ascii=False, allow_nan=False, indent=1)
        return File(f"{stem}.json", KINDS[kind], text.encode())
    motion = baked(session)
    if kind == "html":
        return File(f"{stem}.html", KINDS[kind], _replay(session, motion, stem))
    ending = ".vrm" if kind == "glb" and is_vrm(figure) else f".{kind}"
    own = motion.onto(session.opened.figure)
    data = written(own, ending)
    if kind == "bvh" and session.exported is not None:
        remember(session.exported, data, own.figure, document.effectors)
    return File(stem + ending, KINDS[kind], data)


def baked(session: Session) -> Motion:
    """Every frame of the session's timeline, or the one pose where it has none."""
    document = session.document
    return bake(
        session.figure,
        document.timeline,
        document.q,
        document.solved,
        document.still,
        timeline_goals(document),
    )


def written(motion: Motion, ending: str) -> bytes:
    """The bytes of a motion as a file with this ending."""
    with tempfile.TemporaryDirectory(prefix="limbik-") as folder:
        path = Path(folder) / f"motion{ending}"
        save(motion, path)
        return path.read_bytes()


def is_vrm(figure: Figure) -> bool:
    """Whether a figure came from a VRM file, into which it goes back."""
    if not isinstance(figure.source, Rig):
        return False
    held = figure.source.document.json.get("extensions")
    return isinstance(held, dict) and any(mark in held for mark in _VRM)


def _stem(session: Session) -> str:
    """A name for the file, without an ending: that of the clip or of what was opened."""
    opened, clip = session.opened, session.document.timeline.clip
    name = (clip.name if clip is not None else "") or Path(opened.file).stem or opened.builtin
    plain = re.sub(r"[^\w .()-]+", "_", name or session.figure.name).strip(" .")
    return plain[:80] or "figure"


def _replay(session: Session, motion: Motion, title: str) -> bytes:
    document, opened = session.document, session.opened
    info = figure_of(session.figure, opened, figure_id=session.figure_id, mirrors=False)
    page = replay_page(
        motion,
        info=info,
        meshes=session.meshes,
        title=title,
        loop=document.timeline.loop,
        keys=[key.frame for key in document.timeline.keys],
    )
    return page.encode()

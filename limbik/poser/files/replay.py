"""A replay: the poser's page with a motion inside, one file that plays without a server."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from limbik.errors import LimbikError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.motion import Motion
from limbik.poser.page_files import page_file
from limbik.poser.protocol.binary import placed
from limbik.poser.protocol.mesh_bytes import mesh_bytes
from limbik.poser.protocol.messages import FigureInfo, Replay
from limbik.poser.protocol.text import json_of

FORMAT = "limbik replay 1"
LARGEST = 300_000_000
"""Bytes of poses that a replay may have; a browser reads the whole file at once."""

_FRAMES_AT_ONCE = 4096
_STYLE = re.compile(r'<link\b[^>]*\bhref="(?:\./|/)?poser\.css"[^>]*>')
_SCRIPT = re.compile(r'<script\b[^>]*\bsrc="(?:\./|/)?poser\.js"[^>]*>\s*</script>')
_TITLE = re.compile(r"<title>[^<]*</title>")
_HEAD = re.compile(r"<head\b[^>]*>")


def replay_page(
    motion: Motion,
    *,
    info: FigureInfo,
    meshes: Sequence[SkinnedMesh] = (),
    title: str = "",
    loop: bool = True,
    keys: Sequence[int] = (),
    file: Callable[[str], str] = page_file,
) -> str:
    """The HTML of a replay; ``info`` is FigureInfo of the page's messages, ``file`` gives the
    page's own files.  It may not reach any network: its policy forbids that."""
    data = replay_data(motion, info=info, meshes=meshes, title=title, loop=loop, keys=keys)
    inside = json_of(data, ascii=True)
    # In the place of "<" nothing can end the element early, nor begin another.
    inside = inside.replace("<", "\\u003c")
    script = _newlines(file("poser.js")).replace("<!--", "\\x3C!--")
    script = re.sub("</(?=script)", r"\\x3C/", script, flags=re.IGNORECASE)
    style = re.sub("</(?=style)", r"<\\/", _newlines(file("poser.css")), flags=re.IGNORECASE)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    guard = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = _newlines(file("index.html"))
    page = _put(_STYLE, f"<style>{style}</style>", page, "poser.css")
    block = f'<script type="application/json" id="replay">{inside}</script>'
    page = _put(_SCRIPT, f"{block}\n<script>{script}</script>", page, "poser.js")
    page = _put(_TITLE, f"<title>{html.escape(title or 'limbik')}</title>", page, "a title")
    # The policy counts from where it stands, so nothing comes before it.
    return _put(_HEAD, lambda found: found.group() + guard, page, "a head")


def replay_data(
    motion: Motion,
    *,
    info: FigureInfo,
    meshes: Sequence[SkinnedMesh] = (),
    title: str = "",
    loop: bool = True,
    keys: Sequence[int] = (),
) -> Replay:
    """Replay of the page's messages: the figure, its meshes and where its joints are in all frames,
    with a row of (positions, wxyz) of all joints a frame."""
    figure = motion.figure
    size = motion.frames * len(figure.joints) * 28
    if size > LARGEST:
        raise LimbikError(
            f"{motion.frames:,} frames of {len(figure.joints)} joints are too many for a replay."
        )
    rows = []
    for low in range(0, motion.frames, _FRAMES_AT_ONCE):
        positions, wxyz = placed(figure, motion.q[low : low + _FRAMES_AT_ONCE])
        count = len(positions)
        both = np.concatenate([positions.reshape(count, -1), wxyz.reshape(count, -1)], axis=1)
        rows.append(both.astype("<f4"))
    mesh = mesh_bytes(meshes) if meshes else None
    return Replay(
        format=FORMAT,
        title=title,
        figure=msgspec.structs.replace(info, mesh=mesh is not None),
        mesh=None if mesh is None else base64.b64encode(mesh).decode("ascii"),
        fps=motion.fps,
        frames=motion.frames,
        loop=loop,
        keys=[int(key) for key in keys],
        poses=base64.b64encode(np.concatenate(rows).tobytes()).decode("ascii"),
    )


def _put(
    where: re.Pattern[str], what: str | Callable[[re.Match[str]], str], page: str, named: str
) -> str:
    """The page with its one match replaced; scripts hold backslashes, which must stay."""
    parts = list(where.finditer(page))
    if not parts:
        raise LimbikError(f"The poser's page has no place for {named}; build it again.")
    found = parts[0]
    text = what if isinstance(what, str) else what(found)
    return page[: found.start()] + text + page[found.end() :]


def _newlines(text: str) -> str:
    """With line ends as a browser sees them, so that the digest is that of what it runs."""
    return text.replace("\r\n", "\n").replace("\r", "\n")

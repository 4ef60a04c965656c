"""The pose library: poses on disk with their pictures, for every figure and every session.

One JSON file for each pose, written whole or not at all.  A pose goes back exactly onto the figure
that it was stored from, and by roles onto any other body.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from limbik.errors import FigureError, LimbikError
from limbik.figure.figure import Figure
from limbik.formats.files import write_whole
from limbik.humanoid import Body
from limbik.humanoid.role_pose import RolePose, role_pose, with_role_pose
from limbik.poser.files.pose_file import pose_json, read_pose

FORMAT = "limbik library pose 1"
MOST = 500
MOST_DELETED = 50
LARGEST_PICTURE = 40_000
LARGEST_FILE = 1_000_000
"""Bytes of a picture and of a whole file; larger ones are not read."""

LONGEST_NAME = 100
Fit = Literal["exact", "roles", "none"]

_ID = re.compile(r"[0-9a-f]{16}")
_PICTURES = {b"\x89PNG": "image/png", b"RIFF": "image/webp", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True)
class Entry:
    """A pose of the library: its id and name, the figure it was stored from, when (seconds since
    1970), whether it has a picture, and its content."""

    id: str
    name: str
    figure: str
    stored: float
    picture: str
    pose: dict[str, Any]
    roles: dict[str, list[float]] | None
    hips: list[float] | None

    def fit(self, figure: Figure, body: Body) -> Fit:
        """How the pose goes onto a figure."""
        if sorted(self.pose["joints"]) == sorted(figure.joints) and self._same_unit(figure):
            return "exact"
        return "roles" if self.roles and body.complete else "none"

    def onto(
        self, figure: Figure, body: Body, q: np.ndarray, poses: np.ndarray | None
    ) -> np.ndarray:
        """(n,) the pose on a figure that is in the pose q (n,)."""
        fit = self.fit(figure, body)
        if fit == "exact":
            return read_pose(self.pose, figure)[0]
        if fit == "none" or self.roles is None or self.hips is None:
            raise LimbikError(
                f'"{self.name}" was stored from "{self.figure}", and this figure has other joints; '
                "only poses of bodies go from one figure to another."
            )
        turns = {role: np.array(wxyz, float) for role, wxyz in self.roles.items()}
        pose = RolePose(turns, np.array(self.hips, float))
        return with_role_pose(figure, pose, q, body=body, poses=poses)

    def _same_unit(self, figure: Figure) -> bool:
        return self.pose["unit"] == figure.unit


class PoseLibrary:
    """The poses in a folder, which is made when the first is stored.

    Several servers may share it: it is read anew whenever it has changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, tuple[tuple[int, int], Entry]] = {}

    def entries(self) -> list[Entry]:
        """All poses, the newest first; files that are damaged are left out."""
        found: dict[str, tuple[tuple[int, int], Entry]] = {}
        paths = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        for path in paths[: 2 * MOST]:
            if _ID.fullmatch(path.stem):
                try:
                    status = path.stat()
                    stamp = (status.st_mtime_ns, status.st_size)
                    known = self._seen.get(path.stem)
                    fresh = known is None or known[0] != stamp
                    found[path.stem] = (stamp, _read(path)) if fresh else known  # type: ignore[assignment]
                except (OSError, LimbikError):
                    continue
        self._seen = found
        return sorted((entry for _, entry in found.values()), key=lambda e: (-e.stored, e.id))

    def get(self, id: str) -> Entry:
        """A pose by its id."""
        path = self._path(id)
        try:
            return _read(path)
        except FileNotFoundError:
            raise LimbikError("That pose is not in the library any more.") from None
        except OSError as error:
            raise LimbikError(f"The pose cannot be read: {error.strerror}.") from error

    def add(
        self,
        name: str,
        figure: Figure,
        q: np.ndarray,
        body: Body,
        *,
        poses: np.ndarray | None = None,
        picture: str = "",
    ) -> Entry:
        """Store the pose q (n,) of a figure; ``picture`` is a data URL of a PNG, WebP or JPEG."""
        if len(self.entries()) >= MOST:
            raise LimbikError(f"The library has {MOST} poses, and there is no room for more.")
        roles: RolePose | None = None
        if body.complete:
            try:
                roles = role_pose(figure, q, body=body, poses=poses)
            except FigureError:
                roles = None  # a body that never stands: its pose stays with its own figure
        entry = Entry(
            id=secrets.token_hex(8),
            name=plain_name(name),
            figure=figure.name,
            stored=time.time(),
            picture=checked_picture(picture),
            pose=pose_json(figure, q, ()),
            roles=None if roles is None else {r: t.tolist() for r, t in roles.turns.items()},
            hips=None if roles is None else roles.hips.tolist(),
        )
        self._write(entry)
        return entry

    def rename(self, id: str, name: str) -> None:
        """Another name for a pose."""
        old = self.get(id)
        self._write(Entry(**{**vars(old), "name": plain_name(name)}))

    def delete(self, id: str) -> str:
        """Take a pose out; its file is kept among the last that were deleted.  Returns its name."""
        entry, kept = self.get(id), self.folder / "deleted"
        try:
            kept.mkdir(exist_ok=True, mode=0o700)
            self._path(id).replace(kept / f"{id}.json")
            old = sorted(kept.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for path in old[: max(0, len(old) - MOST_DELETED)]:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise LimbikError(f'"{entry.name}" cannot be deleted: {error.strerror}.') from error
        return entry.name

    def picture(self, id: str) -> tuple[bytes, str]:
        """(bytes, media type) of a pose's picture; LimbikError where it has none."""
        found = self.get(id).picture
        if not found:
            raise LimbikError("That pose has no picture.")
        return _decoded(found)

    def _path(self, id: str) -> Path:
        if _ID.fullmatch(id) is None:
            raise LimbikError("That pose is not in the library.")
        return self.folder / f"{id}.json"

    def _write(self, entry: Entry) -> None:
        text = json.dumps({"format": FORMAT, **vars(entry)}, allow_nan=False).encode()

        def write(file: BinaryIO) -> None:
            file.write(text)

        if len(text) > LARGEST_FILE:
            raise LimbikError(f"The pose has {len(text)} bytes, and at most {LARGEST_FILE} fit.")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise LimbikError(
                f"The library cannot be kept in {self.folder}: {error.strerror}."
            ) from error
        write_whole(self._path(entry.id), write, durable=True, private=True)


def plain_name(name: str) -> str:
    """A name without line breaks, "Pose" where it is empty."""
    plain = " ".join(name.split())
    if len(plain) > LONGEST_NAME:
        raise LimbikError(f"A name has at most {LONGEST_NAME} letters.")
    return plain or "Pose"


def checked_picture(url: str) -> str:
    """A data URL of a small picture, as it is; refused where it is anything else."""
    if url:
        _decoded(url)
    return url


def _decoded(url: str) -> tuple[bytes, str]:
    head, _, data = url.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        raise LimbikError("The picture of a pose must be a data URL in base64.")
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise LimbikError("The picture of a pose is not base64.") from None
    kind = next((kind for start, kind in _PICTURES.items() if raw.startswith(start)), "")
    if not kind or len(raw) > LARGEST_PICTURE:
        raise LimbikError(
            f"The picture of a pose must be a PNG, WebP or JPEG of at most {LARGEST_PICTURE} bytes."
        )
    return raw, kind


def _read(path: Path) -> Entry:
    if path.stat().st_size > LARGEST_FILE:
        raise LimbikError(f"{path.name} is too large for a pose.")
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(saved, dict) or saved.pop("format", None) != FORMAT:
            raise LimbikError(f"{path.name} is no pose of a library.")
        entry = Entry(**saved)
        fits = (
            entry.id == path.stem
            and all(isinstance(text, str) for text in (entry.name, entry.figure, entry.picture))
            and isinstance(entry.pose, dict)
            and isinstance(entry.pose.get("joints"), list)
            and isinstance(entry.pose.get("unit"), str)
            and np.isfinite(float(entry.stored))
            and (entry.roles is None) == (entry.hips is None)
            and np.shape(list((entry.roles or {}).values())) in ((0,), (len(entry.roles or {}), 4))
            and np.shape(entry.hips or [0.0] * 3) == (3,)
        )
    except (TypeError, ValueError, RecursionError):
        fits, entry = False, None
    if not fits or entry is None:
        raise LimbikError(f"{path.name} is damaged.")
    return entry

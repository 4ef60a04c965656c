"""The files of clips in a session's folder: poses are large and never change."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FormatError
from limbik.formats.files import write_whole
from limbik.poser.document.clip import Clip

_CLIPS = "clips"


class ClipFiles:
    """The files of clips in a session's folder; each is written once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _CLIPS
        # The clip is kept beside its name, so that its identity stays its own.
        self._names: dict[int, tuple[Clip, str]] = {}
        self._before: set[str] = set()

    def name_of(self, clip: Clip) -> str:
        """The name of a clip's file, which is there when this returns."""
        if id(clip) not in self._names:
            content = clip.q.tobytes() + repr((clip.q.shape, clip.fps, clip.name)).encode()
            name = hashlib.sha256(content).hexdigest()[:32]
            path = self._folder / f"{name}.npz"
            if not path.exists():
                self._folder.mkdir(parents=True, exist_ok=True)
                meta = np.array([clip.name])
                fps = np.array(clip.fps)

                def write(file: Any) -> None:
                    np.savez_compressed(file, q=clip.q, fps=fps, name=meta)

                write_whole(path, write)
            self._names[id(clip)] = clip, name
        return self._names[id(clip)][1]

    def read(self, name: str) -> Clip:
        """The clip in a file."""
        path = self._folder / f"{name}.npz"
        try:
            with np.load(path, allow_pickle=False) as arrays:
                clip = Clip(arrays["q"], float(arrays["fps"]), str(arrays["name"][0]))
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise FormatError(f"the clip cannot be read: {error}", path) from error
        self._names[id(clip)] = clip, name
        return clip

    def keep_only(self, names: set[str]) -> None:
        """Remove files that neither this state of the session nor the one before it names: the one
        before may be what is on disk if the server is killed now."""
        needed, self._before = names | self._before, names
        self._names = {key: (c, name) for key, (c, name) in self._names.items() if name in needed}
        for path in self._folder.glob("*.npz"):
            if path.stem not in needed:
                path.unlink(missing_ok=True)

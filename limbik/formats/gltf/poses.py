"""Poses as glTF has them: quaternions and places of nodes, and animations made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik.figure.figure import Figure
from limbik.formats.gltf.accessors import FLOAT
from limbik.formats.gltf.animation import FRAME_RATE
from limbik.formats.gltf.draft import Draft
from limbik.maths.so3 import matrix_to_quat

_CHUNK = 50_000  # joints over several frames that are taken at a time; it bounds the memory


def on_anchors(
    figure: Figure, q: np.ndarray, anchors: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(frames, joints, 3, 3) rotations and (frames, joints, 3) places of all joints on others.

    ``anchors`` has for each joint the index of that other one, or −1 for the world.
    """
    frames = figure.frames(q)
    others = np.array(anchors)
    hung = np.flatnonzero(others >= 0)
    below = frames[:, others[hung]]
    turn, place = frames[..., :3, :3].copy(), frames[..., :3, 3].copy()
    back = np.swapaxes(below[..., :3, :3], -1, -2)
    turn[:, hung] = back @ turn[:, hung]
    away = place[:, hung] - below[..., :3, 3]
    place[:, hung] = np.einsum("fjab,fjb->fja", back, away)
    return turn, place


class Tracks:
    """Rotations (frames, joints, 4) wxyz and places (frames, joints, 3) of nodes over a motion."""

    def __init__(
        self,
        figure: Figure,
        q: np.ndarray,
        anchors: Sequence[int],
        turns: np.ndarray,
        linears: np.ndarray,
        at: np.ndarray,
    ) -> None:
        """A joint on its anchor is turns·R and at + linears·t; R and t are its node's."""
        count = len(figure.joints)
        self.wxyz = np.empty((len(q), count, 4))
        self.place = np.empty((len(q), count, 3))
        inverse = np.linalg.pinv(linears)
        step = max(1, _CHUNK // count)
        for low in range(0, len(q), step):
            part = slice(low, low + step)
            turn, place = on_anchors(figure, q[part], anchors)
            self.wxyz[part] = matrix_to_quat(np.swapaxes(turns, -1, -2) @ turn)
            self.place[part] = np.einsum("jab,fjb->fja", inverse, place - at)
        # The shorter way between two keys is the one that was meant.
        dots = np.einsum("fja,fja->fj", self.wxyz[1:], self.wxyz[:-1])
        self.wxyz[1:] *= np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)[..., None]


def turned(wxyz: np.ndarray, rest: np.ndarray) -> bool:
    """Whether any rotation (frames, 4) differs from one (4,), beyond rounding."""
    return bool((1.0 - np.abs(wxyz @ rest)).max() > 1e-14)


def add_animation(
    draft: Draft,
    name: str,
    fps: float,
    channels: Sequence[tuple[int, str, np.ndarray]],
    kept: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """An animation of (node, "rotation" or "translation", keys (frames, 4 or 3)) at a frame rate,
    behind what is ``kept`` of an older one."""
    out: dict[str, Any] = {"name": name} if kept is None else dict(kept)
    out["samplers"] = list(out.get("samplers", []))
    out["channels"] = list(out.get("channels", []))
    frames = len(channels[0][2])
    if frames == 1:  # one key alone has no rate
        held = out.get("extras")
        out["extras"] = {**(held if isinstance(held, dict) else {}), FRAME_RATE: fps}
    times = draft.add(np.arange(frames) / fps, FLOAT, "SCALAR", ends=True)
    for node, path, values in channels:
        keys = values[:, [1, 2, 3, 0]] if path == "rotation" else values
        at = draft.add(keys, FLOAT, "VEC4" if path == "rotation" else "VEC3")
        out["channels"].append(
            {"sampler": len(out["samplers"]), "target": {"node": node, "path": path}}
        )
        out["samplers"].append({"input": times, "output": at, "interpolation": "LINEAR"})
    return out

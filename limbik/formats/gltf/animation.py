"""The animations of a glTF file: keys of nodes, and their values between the keys."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from limbik.formats.gltf.accessors import FLOAT, FRACTIONS, Values, read_values
from limbik.formats.gltf.file import Document, unique_names
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import slerp

RATES = (30.0, 24.0, 25.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
"""Frames per second that keys may lie on, the usual one first."""

SLOWEST = 10.0
"""Frames per second below which keys at equal times are not taken for frames."""

FRAME_RATE = "fps"
"""What the extras of an animation call its frame rate, where it has one frame."""

_WIDTH = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_WAYS = ("LINEAR", "STEP", "CUBICSPLINE")


@dataclass(frozen=True, eq=False)
class Channel:
    """How one property of one node changes: times (keys,) in seconds, and the values there."""

    times: np.ndarray
    values: Values
    way: str
    turns: bool
    what: str
    document: Document

    def at(self, times: np.ndarray) -> np.ndarray:
        """(frames, 3), or (frames, 4) as wxyz: the values at times, the end keys' beyond them."""
        after = np.clip(np.searchsorted(self.times, times, "right"), 1, max(len(self.times) - 1, 1))
        before, after = after - 1, np.minimum(after, len(self.times) - 1)
        step = self.times[after] - self.times[before]
        share = np.clip((times - self.times[before]) / np.where(step > 0.0, step, 1.0), 0.0, 1.0)
        if self.way == "CUBICSPLINE":
            return self._spline(before, after, step, share)
        # Frames on keys, as far as float32 can tell the time, are those keys.
        late = np.spacing(np.float32(np.abs(self.times[[0, -1]]).max()))
        slack = 1e-4 + 4.0 * float(late) / np.where(step > 0.0, step, 1.0)
        if self.way == "STEP":
            return self._rows(np.where(1.0 - share < slack, after, before), 0)
        if (np.minimum(share, 1.0 - share) < slack).all():
            return self._rows(np.where(share < 0.5, before, after), 0)
        one, other = self._rows(before, 0), self._rows(after, 0)
        if self.turns:
            return slerp(one, other, share)
        return one + share[:, None] * (other - one)

    def _rows(self, keys: np.ndarray, part: int) -> np.ndarray:
        """Values at keys; of a spline the arriving tangents (0), values (1) or leaving ones (2)."""
        spline = self.way == "CUBICSPLINE"
        rows = self.values.floats(3 * keys + part if spline else keys)
        if self.turns:
            rows = rows[:, [3, 0, 1, 2]]
            if not spline or part == 1:
                rows = self._unit(rows)
        return rows

    def _unit(self, rows: np.ndarray) -> np.ndarray:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if (lengths < 1e-6).any():
            self.document.fail(f"{self.what}: has a rotation of length 0")
        return rows / lengths

    def _spline(
        self, before: np.ndarray, after: np.ndarray, step: np.ndarray, share: np.ndarray
    ) -> np.ndarray:
        """Appendix C of the specification: (2s³ − 3s² + 1)v₀ + d(s³ − 2s² + s)b₀ + (3s² − 2s³)v₁
        + d(s³ − s²)a₁, with d the time between the keys."""
        s, d = share[:, None], step[:, None]
        leaving, arriving = self._rows(before, 2), self._rows(after, 0)
        with np.errstate(over="ignore", invalid="ignore"):
            value = (
                (2 * s**3 - 3 * s**2 + 1) * self._rows(before, 1)
                + d * (s**3 - 2 * s**2 + s) * leaving
                + (3 * s**2 - 2 * s**3) * self._rows(after, 1)
                + d * (s**3 - s**2) * arriving
            )
        if not np.isfinite(value).all():
            self.document.fail(f"{self.what}: its spline is not finite")
        return self._unit(value) if self.turns else value

    def stirs(self, rest: np.ndarray) -> bool:
        """Whether the values ever leave ``rest``, (3,) or wxyz; exporters write keys for all."""
        least, most = self.hull
        if self.turns:
            least, most = least[[3, 0, 1, 2]], most[[3, 0, 1, 2]]
        away = [np.abs(np.array([least, most]) - sign * rest).max() for sign in (1, -1)]
        return (min(away) if self.turns else away[0]) > 1e-5 * max(1.0, np.abs(rest).max())

    @cached_property
    def hull(self) -> tuple[np.ndarray, np.ndarray]:
        """(3,) least and greatest values that lie between the keys, or a little beyond.

        A spline stays within the control points v₀ + d·b₀/3 and v₁ − d·a₁/3 of its Bézier form.
        """
        if self.way != "CUBICSPLINE":
            values = self.values.raw
            least, most = (
                Values(f(axis=0)[None], self.values.normalised) for f in (values.min, values.max)
            )
            return least.floats()[0], most.floats()[0]
        rows = self.values.floats().reshape(len(self.times), 3, -1)
        third = np.diff(self.times)[:, None] / 3.0
        points = [rows[:, 1], rows[:-1, 1] + third * rows[:-1, 2]]
        points.append(rows[1:, 1] - third * rows[1:, 0])
        every = np.concatenate(points)
        return every.min(axis=0), every.max(axis=0)


@dataclass(eq=False)
class Clip:
    """One animation: its name, unique in the file, and its channels by node and property."""

    name: str
    channels: dict[tuple[int, str], Channel] = field(default_factory=dict)
    fps: float | None = None
    """The frame rate that the file gives a clip of one frame."""


class Clips:
    """The animations of a file."""

    def __init__(self, document: Document) -> None:
        self._document = document
        # Channels share accessors: each is looked at once, or a small file could cost hours.
        self._channels: dict[tuple[int, int, str, str], Channel] = {}
        self._times: dict[int, np.ndarray] = {}
        self._values: dict[int, Values] = {}
        entries = [document.entry("animations", i) for i in range(document.count("animations"))]
        names = [document.name(entry) or f"clip {i}" for i, entry in enumerate(entries, 1)]
        self.clips = [
            self._clip(entry, i, name)
            for i, (entry, name) in enumerate(zip(entries, unique_names(names), strict=True))
        ]

    def _clip(self, entry: dict[str, Any], index: int, name: str) -> Clip:
        document, clip = self._document, Clip(name, fps=_stored_rate(entry))
        what = f"animation {index}"
        samplers = document.listed(entry, "samplers", f"{what}: its samplers")
        for found in document.listed(entry, "channels", f"{what}: its channels"):
            channel = document.object(found, f"{what}: a channel")
            target = document.object(channel.get("target"), f"{what}: a channel's target")
            path = target.get("path")
            at = document.whole_number(
                channel.get("sampler"), f"{what}: a channel's sampler", 0, len(samplers) - 1
            )
            if target.get("node") is None or not isinstance(path, str) or path not in _WIDTH:
                continue
            node = document.whole_number(
                target["node"], f"{what}: a channel's node", 0, document.count("nodes") - 1
            )
            sampler = document.object(samplers[at], f"{what}: sampler {at}")
            if (node, path) in clip.channels:
                document.fail(f"{what}: two channels for the {path} of node {node}")
            clip.channels[node, path] = self._channel(sampler, f"{what} sampler {at}", path)
        return clip

    def _channel(self, sampler: dict[str, Any], what: str, path: str) -> Channel:
        document = self._document
        way = sampler.get("interpolation", "LINEAR")
        if way not in _WAYS:
            document.fail(f"{what}: {shown(str(way))} is not a kind of interpolation")
        source = document.whole_number(sampler.get("input"), f"{what}: its input")
        at = document.whole_number(sampler.get("output"), f"{what}: its output")
        key = (source, at, way, _WIDTH[path])
        if key not in self._channels:
            times = self._keys(source, what)
            values = self._rows(at, what, path)
            needed = len(times) * (3 if way == "CUBICSPLINE" else 1)
            if len(values.raw) != needed:
                document.fail(f"{what}: has {len(values.raw):,} values for {len(times):,} keys")
            turns = path == "rotation"
            self._channels[key] = Channel(times, values, way, turns, what, document)
        return self._channels[key]

    def _rows(self, at: int, what: str, path: str) -> Values:
        kinds = FRACTIONS if path == "rotation" else (FLOAT,)
        if at not in self._values or self._values[at].raw.shape[1] != int(_WIDTH[path][-1]):
            values = read_values(self._document, at, f"{what}: its output", _WIDTH[path], kinds)
            if values.raw.dtype.kind != "f" and not values.normalised:
                self._document.fail(f"{what}: its rotations are whole numbers")
            self._values[at] = values
        return self._values[at]

    def _keys(self, at: int, what: str) -> np.ndarray:
        if at not in self._times:
            values = read_values(self._document, at, f"{what}: its times", "SCALAR")
            times = values.floats()[:, 0]
            if (np.diff(times) < 0.0).any():
                self._document.fail(f"{what}: its times run backwards")
            self._times[at] = times
        return self._times[at]


def _stored_rate(animation: dict[str, Any]) -> float | None:
    extras = animation.get("extras")
    stored = extras.get(FRAME_RATE) if isinstance(extras, dict) else None
    if not isinstance(stored, int | float) or isinstance(stored, bool):
        return None
    return float(stored) if 0.0 < stored < 1e6 else None


def frame_times(clip: Clip) -> tuple[float, float, int]:
    """(start, fps, frames) of a steady frame rate for a clip, from its first key to its last.

    The rate is the keys' own where they come at equal times, ten or more a second; otherwise the
    first of ``RATES`` on whose frames all keys lie; otherwise 30.  One key alone has the rate that
    the file says.
    """
    arrays = {id(channel.times): channel.times for channel in clip.channels.values()}
    keys = np.unique(np.concatenate(list(arrays.values())))
    start, end = float(keys[0]), float(keys[-1])
    # Times are float32 in the file: late keys lie beside their frames by what that rounds.
    slack = 4.0 * float(np.spacing(np.float32(max(abs(start), abs(end)))))
    fps = clip.fps if clip.fps and len(keys) == 1 else _rate(keys - start, slack)
    frames = (end - start) * fps
    return start, fps, math.floor(frames + 0.01 + slack * fps) + 1


def _rate(keys: np.ndarray, slack: float) -> float:
    if len(keys) > 2:
        step = float(keys[-1]) / (len(keys) - 1)
        even = np.abs(keys - step * np.arange(len(keys))).max() < 0.01 * step + slack
        if even and SLOWEST * (1.0 - 1e-6) <= 1.0 / step <= 1000.0:
            near = round(1.0 / step)
            exact = abs((len(keys) - 1) / near - float(keys[-1])) <= slack
            return float(near) if exact else 1.0 / step
    for rate in RATES:
        places = keys * rate
        if np.abs(places - np.round(places)).max() < 0.01 + slack * rate:
            return rate
    return 30.0

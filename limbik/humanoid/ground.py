"""Which way is up for a figure, and where its floor lies; only drawing and mirroring ask."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.humanoid import recognise

Axis = Literal["x", "y", "z"]
AXES: tuple[Axis, Axis, Axis] = ("x", "y", "z")

_LYING = 2.0  # z is up where a figure that does not say is this many times taller than along y
_SAMPLES = 100  # poses of a clip that are looked at
_POINTS = 200_000  # vertices beyond which a mesh is thinned out before its lowest is sought


def sampled(figure: Figure, clip: np.ndarray | None) -> np.ndarray:
    """(k, n) poses that show how a figure stands: from all over its clip, or its rest pose."""
    if clip is None or not len(clip):
        return figure.rest[None]
    return np.asarray(clip)[np.linspace(0, len(clip) - 1, min(len(clip), _SAMPLES)).astype(int)]


def up_axis(figure: Figure, clip: np.ndarray | None = None) -> Axis:
    """The axis that is up: what the figure says, else a guess from how it stands.

    A body's head is above its feet in most poses of ``clip`` (frames, n) or at rest.  Other
    figures have y up unless they are much taller along z.
    """
    for axis in AXES:
        if figure.up == axis:
            return axis
    positions = figure.positions(sampled(figure, clip))
    body = recognise(figure)
    feet = [body[role] for role in ("leftFoot", "rightFoot") if role in body]
    if feet and "head" in body:
        low = positions[:, [figure.index(foot) for foot in feet]].mean(axis=1)
        standing = (positions[:, figure.index(body["head"])] - low).mean(axis=0)
        return AXES[int(np.argmax(np.abs(standing)))]
    points = points_of(figure, figure.rest)
    extent = points.max(axis=0) - points.min(axis=0)
    return "z" if extent[2] > _LYING * extent[1] else "y"


def points_of(figure: Figure, q: np.ndarray) -> np.ndarray:
    """(..., points, 3) the joints of a figure and the tips of its last bones, in poses (..., n)."""
    frames = figure.frames(q)
    ends = [i for i, joint in enumerate(figure.definition) if joint.tip is not None]
    at = np.array([figure.definition[i].tip for i in ends], float).reshape(-1, 3)
    last = frames[..., ends, :, :]
    tips = np.einsum("...jk,...k->...j", last[..., :3, :3], at) + last[..., :3, 3]
    return np.concatenate([frames[..., :3, 3], tips], axis=-2)


def floor_height(
    figure: Figure,
    up: Axis,
    clip: np.ndarray | None = None,
    meshes: tuple[SkinnedMesh, ...] = (),
) -> float:
    """Height of the floor along ``up``: the lowest point at rest, or under a clip's poses.

    Many files have the root at the origin at rest and walk elsewhere, so that a clip knows better.
    Its median counts: most of the time something is on the floor.  What is bolted down stands on a
    base at the origin, though its first joint is higher.
    """
    axis = AXES.index(up)
    lowest = points_of(figure, sampled(figure, clip))[..., axis].min(axis=-1)
    bones = float(np.median(lowest))
    roots = np.flatnonzero(figure.parents < 0)
    if not figure.slides[np.isin(figure.owner, roots)].any():
        bones = min(bones, 0.0)
    if not meshes:
        return bones
    # A sole is below the ankle by as much in every pose that stands.
    frames = figure.frames(figure.rest)
    thin = max(1, sum(len(mesh.positions) for mesh in meshes) // _POINTS)
    skin = min(float(mesh.posed(frames)[::thin, axis].min(initial=np.inf)) for mesh in meshes)
    rest = float(points_of(figure, figure.rest)[:, axis].min())
    return bones + min(0.0, skin - rest) if np.isfinite(skin) else bones

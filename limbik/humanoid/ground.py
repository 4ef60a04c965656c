"""Which way is up for a figure, and where its floor lies; only drawing and mirroring ask."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import Body, recognise

Axis = Literal["x", "y", "z"]
AXES: tuple[Axis, Axis, Axis] = ("x", "y", "z")

_LYING = 2.0  # z is up where a figure that does not say is this many times taller than along y
_CLEAR = 0.9  # of the way from the feet to the head: what lies along an axis that is surely up
_STRAIGHT = 0.7  # cosine of the angle between legs and back of a body that stands
_SAMPLES = 100  # poses of a clip that are looked at
_POINTS = 200_000  # vertices beyond which a mesh is thinned out before its lowest is sought


def sampled(figure: Figure, clip: np.ndarray | None) -> np.ndarray:
    """(k, n) poses that show how a figure stands: from all over its clip, or its rest pose."""
    if clip is None or not len(clip):
        return figure.rest[None]
    return np.asarray(clip)[np.linspace(0, len(clip) - 1, min(len(clip), _SAMPLES)).astype(int)]


def up_axis(figure: Figure, clip: np.ndarray | None = None) -> Axis:
    """The axis that is up: what the figure says, else a guess from how it stands.

    A body's head is above its feet in most poses of ``clip`` (frames, n), and at rest where it
    turns over or lies for much of the clip.  Other figures have y up unless they are much taller
    along z.
    """
    for axis in AXES:
        if figure.up == axis:
            return axis
    body = recognise(figure)
    if "head" in body and ("leftFoot" in body or "rightFoot" in body):
        standing = _standing(figure, body, sampled(figure, clip))
        if not _is_clear(standing):
            rest = _standing(figure, body, figure.rest[None])
            standing = rest if _is_clear(rest) and _is_upright(figure, body) else standing
        return AXES[int(np.argmax(np.abs(standing.mean(axis=0))))]
    points = points_of(figure, figure.rest)
    extent = points.max(axis=0) - points.min(axis=0)
    return "z" if extent[2] > _LYING * extent[1] else "y"


def _standing(figure: Figure, body: Body, poses: np.ndarray) -> np.ndarray:
    """(k, 3) from the feet to the head in poses (k, n)."""
    feet = [body[foot] for foot in ("leftFoot", "rightFoot") if foot in body]
    places = figure.positions(poses, [body["head"], *feet])
    return places[:, 0] - places[:, 1:].mean(axis=1)


def _is_clear(standing: np.ndarray) -> bool:
    """Whether ways from the feet to the head (k, 3) show one axis."""
    lengths = np.linalg.norm(standing, axis=1).mean()
    return bool(np.abs(standing.mean(axis=0)).max() > _CLEAR * lengths)


def _is_upright(figure: Figure, body: Body) -> bool:
    """Whether the back goes on at rest where the legs end: in some files all bones lie one way."""
    if "hips" not in body:
        return False
    hips = figure.positions(figure.rest, body["hips"])
    legs = hips - figure.positions(
        figure.rest, [body[foot] for foot in ("leftFoot", "rightFoot") if foot in body]
    ).mean(axis=0)
    back = figure.positions(figure.rest, body["head"]) - hips
    return bool(back @ legs > _STRAIGHT * np.linalg.norm(back) * np.linalg.norm(legs))


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

"""Figures and motions into glTF files: back into their own, or into new ones.

A figure that was read from a glTF file goes back into it.  A figure changes the transforms of the
nodes that its rest pose moves; a motion adds an animation, or replaces the one of its name.
Everything else, meshes and materials too, stays as it is, and so do the file's bytes; new ones
follow behind.  (The keys of a replaced animation stay in the file, unused.)

Any other figure makes a new file of its skeleton and capsules for its bones (new.py); a motion of a
VRM avatar also makes a VRM animation (new_vrma.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.gltf.draft import Draft
from limbik.formats.gltf.new import write_new
from limbik.formats.gltf.new_vrma import write_vrma
from limbik.formats.gltf.nodes import Local
from limbik.formats.gltf.poses import Tracks, add_animation, turned
from limbik.formats.gltf.rig import Rig
from limbik.formats.gltf.scale import linears
from limbik.formats.remarks import Remarks
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import matrix_to_quat, quat_to_matrix

_MARKS = {".vrm": ("VRM", "VRMC_vrm"), ".vrma": ("VRMC_vrm_animation",)}


def write(thing: Figure | Motion, path: Path, precision: int = 6) -> None:
    """Write a motion, or a figure in its rest pose; ``precision`` is for formats that are text."""
    figure = thing.figure if isinstance(thing, Motion) else thing
    rig = figure.source if isinstance(figure.source, Rig) else None
    marks = _MARKS.get(path.suffix.lower())
    held = rig.document.json.get("extensions") if rig else None
    avatar = isinstance(held, dict) and not set(_MARKS[".vrm"]).isdisjoint(held)
    if path.suffix.lower() == ".vrma" and rig is not None and avatar and isinstance(thing, Motion):
        write_vrma(thing, rig, path)
        return
    if marks and not (isinstance(held, dict) and set(marks) & set(held)):
        what = f"is to be {path.suffix}, and the figure does not come from such a file"
        raise FormatError(f"{what}; write .glb", path)
    if rig is None:
        write_new(thing, path)
        return
    if set(rig.bound) != set(figure.joints):
        raise FormatError("the figure has other joints than the glTF file it came from", path)
    draft = Draft(path, rig.document)
    if isinstance(thing, Motion):
        _animate(draft, rig, thing)
    else:
        _pose(draft, rig, figure)
    draft.write()


def _tracks(rig: Rig, figure: Figure, q: np.ndarray) -> Tracks:
    bound = [rig.bound[name] for name in figure.joints]
    return Tracks(
        figure,
        q,
        [-1 if b.anchor is None else figure.index(b.anchor) for b in bound],
        np.array([b.turn for b in bound]),
        np.array([b.linear for b in bound]),
        np.array([b.at for b in bound]),
    )


def _shifted(places: np.ndarray, rest: np.ndarray) -> bool:
    """Whether any place (frames, 3) differs from one (3,), beyond rounding."""
    return bool(np.abs(places - rest).max() > 1e-9 * max(1.0, float(np.abs(rest).max())))


def _pose(draft: Draft, rig: Rig, figure: Figure) -> None:
    """Set the nodes to the figure's rest pose, those that it moves."""
    tracks = _tracks(rig, figure, figure.rest[None])
    nodes = draft.own("nodes")
    for k, name in enumerate(figure.joints):
        bound = rig.bound[name]
        local = rig.nodes.local(bound.node)
        wxyz, place = tracks.wxyz[:, k], tracks.place[:, k]
        turns = turned(wxyz, matrix_to_quat(local.turn))
        shifts = _shifted(place, local.place)
        entry = dict(nodes[bound.node])
        if local.given_as_matrix and (turns or shifts):
            matrix = np.eye(4)
            matrix[:3, :3] = (quat_to_matrix(wxyz[0]) if turns else local.turn) @ local.stretch
            matrix[:3, 3] = place[0] if shifts else local.place
            entry["matrix"] = matrix.T.ravel().tolist()
        else:
            if turns:
                entry["rotation"] = wxyz[0, [1, 2, 3, 0]].tolist()
            if shifts:
                entry["translation"] = place[0].tolist()
        nodes[bound.node] = entry


def _animate(draft: Draft, rig: Rig, motion: Motion) -> None:
    """Add the motion as an animation, or put it in the place of the one of its name."""
    tracks = _tracks(rig, motion.figure, motion.q)
    name = motion.name or motion.figure.name or "motion"
    if name in rig.clips:  # its changes of scale stay, and move joints by themselves
        for joint, linear in linears(rig, rig.clips[name], motion.times).items():
            k = motion.figure.index(joint)
            away = rig.bound[joint].linear @ tracks.place[:, k, :, None]
            tracks.place[:, k] = (np.linalg.pinv(linear) @ away)[..., 0]
    nodes = draft.own("nodes")
    channels: list[tuple[int, str, np.ndarray]] = []
    remarks = Remarks(draft.path)
    for k, joint in enumerate(motion.figure.joints):
        bound = rig.bound[joint]
        local = rig.nodes.local(bound.node)
        wxyz, place = tracks.wxyz[:, k], tracks.place[:, k]
        moves = turned(wxyz, matrix_to_quat(local.turn)), _shifted(place, local.place)
        if moves[0] or k == 0:  # an animation needs a channel, and this one says how long it is
            channels.append((bound.node, "rotation", wxyz))
        if moves[1]:
            channels.append((bound.node, "translation", place))
        if (any(moves) or k == 0) and local.given_as_matrix:
            nodes[bound.node] = _without_matrix(nodes[bound.node], local, remarks)
    remarks.warn(stacklevel=5)
    animations = draft.own("animations")
    at = list(rig.clips).index(name) if name in rig.clips else len(animations)
    kept = (
        _kept(animations[at], {b.node for b in rig.bound.values()}) if name in rig.clips else None
    )
    animations[at:] = [
        add_animation(draft, name, motion.fps, channels, kept),
        *animations[at + 1 :],
    ]


def _kept(animation: dict[str, Any], joints: set[int]) -> dict[str, Any]:
    """What stays of an animation that is replaced: what it does to anything but our joints."""
    channels = [
        channel
        for channel in animation.get("channels", [])
        if channel["target"].get("node") not in joints
        or channel["target"].get("path") not in ("rotation", "translation")
    ]
    used = sorted({int(channel["sampler"]) for channel in channels})
    samplers = [animation["samplers"][k] for k in used]
    fresh = {k: i for i, k in enumerate(used)}
    channels = [{**c, "sampler": fresh[int(c["sampler"])]} for c in channels]
    return {**animation, "channels": channels, "samplers": samplers}


def _without_matrix(entry: dict[str, Any], local: Local, remarks: Remarks) -> dict[str, Any]:
    """A node with translation, rotation and scale, as animations need it."""
    scale = np.diagonal(local.stretch)
    if np.abs(local.stretch - np.diag(scale)).max() > 1e-4 * np.abs(scale).max(initial=0.0):
        name = str(entry.get("name", ""))
        text = f"node {shown(name)} loses the shear of its matrix, which an animation cannot keep"
        remarks.add("shear", name, text)
    out = {key: value for key, value in entry.items() if key != "matrix"}
    w, x, y, z = matrix_to_quat(local.turn).tolist()
    out["translation"], out["rotation"] = local.place.tolist(), [x, y, z, w]
    if np.abs(scale - 1.0).max() > 1e-7:
        out["scale"] = scale.tolist()
    return out

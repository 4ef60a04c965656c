"""New VRM animations: a motion of a VRM avatar as a file that other avatars can play.

The file has the bones of the human and nothing else, in the T-pose that the avatar's file rests in,
every node turned like the world, looking along +z.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.gltf.draft import Draft
from limbik.formats.gltf.poses import add_animation, turned
from limbik.formats.gltf.rig import Rig
from limbik.maths.so3 import matrix_to_quat
from limbik.version import __version__

KEY = "VRMC_vrm_animation"
_GAZE = ("leftEye", "rightEye")
"""A VRM animation has a gaze instead of eyes that turn."""


def write_vrma(motion: Motion, rig: Rig, path: Path) -> None:
    """Write a motion of a VRM avatar as a VRM animation.

    With W the world rotation of a bone and W₀ that of its T-pose, its node is turned like the world
    in W₀ and by W·W₀ᵀ in the motion; an avatar of VRM 0.x, which looks along −z, is turned about y.
    """
    figure = motion.figure
    joints = {role: name for role, name in rig.roles.items() if role not in _GAZE}
    roles = sorted(joints, key=lambda role: figure.index(joints[role]))  # parents come first
    at = [figure.index(joints[role]) for role in roles]
    about = np.diag([-1.0, 1.0, -1.0]) if rig.forward == "-z" else np.eye(3)
    stands = [rig.nodes.world(rig.bound[joints[role]].node) for role in roles]
    rest = np.array([world.frame for world in stands])
    places = np.array([world.place for world in stands]) @ about.T
    frames = figure.frames(motion.q)[:, at]
    world = about @ frames[..., :3, :3] @ np.swapaxes(rest, -1, -2) @ about.T
    above = _above(figure, at)
    draft = Draft(path)
    draft.json["asset"] = {"version": "2.0", "generator": f"limbik {__version__}"}
    nodes, channels = draft.own("nodes"), list[tuple[int, str, np.ndarray]]()
    straight = np.array([1.0, 0.0, 0.0, 0.0])
    for k, role in enumerate(roles):
        over = above[k]
        away = places[k] if over < 0 else places[k] - places[over]
        node: dict[str, Any] = {"name": role, "translation": away.tolist()}
        children = [i for i, parent in enumerate(above) if parent == k]
        nodes.append(node | ({"children": children} if children else {}))
        own = world[:, k] if over < 0 else np.swapaxes(world[:, over], 1, 2) @ world[:, k]
        wxyz = matrix_to_quat(own)
        signs = np.where((wxyz[1:] * wxyz[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
        wxyz[1:] *= np.cumprod(signs)[:, None]  # the shorter way between two keys
        if over < 0 or turned(wxyz, straight):
            channels.append((k, "rotation", wxyz))
        if role == "hips":
            channels.append((k, "translation", frames[:, k, :3, 3] @ about.T))
    bones = {role: {"node": k} for k, role in enumerate(roles)}
    draft.json |= {
        "scene": 0,
        "scenes": [{"nodes": [k for k, over in enumerate(above) if over < 0]}],
        "extensionsUsed": [KEY],
        "extensions": {KEY: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}},
    }
    name = motion.name or figure.name or "motion"
    draft.own("animations").append(add_animation(draft, name, motion.fps, channels))
    draft.write()


def _above(figure: Figure, joints: list[int]) -> list[int]:
    """For each of some joints, which of them is the nearest above it; −1 where none is."""
    places, out = {joint: k for k, joint in enumerate(joints)}, list[int]()
    for joint in joints:
        parent = int(figure.parents[joint])
        while parent >= 0 and parent not in places:
            parent = int(figure.parents[parent])
        out.append(places.get(parent, -1))
    return out

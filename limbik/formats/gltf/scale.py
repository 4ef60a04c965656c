"""Scales that clips change: joints have none, so what hangs on a joint slides instead.

With M = F⁻¹·A of a node (gltf_nodes.py), a child's place in the joint's frame is M·t, and
M_child = (turn·R)ᵀ·M·R·S with R and S the child's own rotation and scale (``Bound.turn`` is turn).
At rest M is ``Bound.linear`` of the children.  In a clip that changes S it differs from frame to
frame; places that follow from it are exact, also where scales are unequal.
"""

from __future__ import annotations

import numpy as np

from limbik.formats.gltf.animation import Clip
from limbik.formats.gltf.nodes import Nodes
from limbik.formats.gltf.rig import Bound, Rig, stretches
from limbik.maths.so3 import quat_to_matrix

_FAR = 1e12  # times as large


def scaled(nodes: Nodes, clip: Clip) -> set[int]:
    """The nodes whose scale a clip changes."""
    return {
        node for node, path in clip.channels if path == "scale" and stretches(nodes, clip, node)
    }


def linears(rig: Rig, clip: Clip, times: np.ndarray) -> dict[str, np.ndarray]:
    """(frames, 3, 3) M of the joint's parent, for each joint below one whose scale a clip changes;
    ``times`` (frames,) are seconds."""
    roots = scaled(rig.nodes, clip) & rig.joint_nodes
    if not roots:
        return {}
    below: dict[str, np.ndarray] = {}  # M of a joint itself
    out: dict[str, np.ndarray] = {}
    for name in rig.in_order:
        bound = rig.bound[name]
        above = None if bound.anchor is None else below.get(bound.anchor)
        if above is not None:
            out[name] = above
        if above is not None or bound.node in roots:
            turn, stretch = _own(rig, bound, clip, times)
            linear = bound.linear if above is None else above
            below[name] = np.swapaxes(bound.turn @ turn, -1, -2) @ linear @ turn @ stretch
    return out


def _own(rig: Rig, bound: Bound, clip: Clip, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A node's rotation and scale, (3, 3) or (frames, 3, 3)."""
    local = rig.nodes.local(bound.node)
    turning = clip.channels.get((bound.node, "rotation"))
    scaling = clip.channels.get((bound.node, "scale"))
    turn = local.turn if turning is None else quat_to_matrix(turning.at(times))
    if scaling is None:
        return turn, local.stretch
    stretch = np.zeros((len(times), 3, 3))
    stretch[:, range(3), range(3)] = scaling.at(times)
    return turn, stretch


def factors(rig: Rig) -> dict[str, tuple[float, float]]:
    """How many times as large as at rest what lies below a joint's parent becomes in any clip: the
    least and the most, for the joints that this concerns."""
    own: dict[int, tuple[float, float]] = {}
    for clip in rig.clips.values():
        for node in scaled(rig.nodes, clip) & rig.joint_nodes:
            least, most = own.get(node, (1.0, 1.0))
            low, high = _ratios(rig.nodes, clip, node)
            own[node] = min(least, low), max(most, high)
    below: dict[str, tuple[float, float]] = {}
    out: dict[str, tuple[float, float]] = {}
    for name in rig.in_order if own else ():
        bound = rig.bound[name]
        above = None if bound.anchor is None else below.get(bound.anchor)
        if above is not None:
            out[name] = above
        low, high = above or (1.0, 1.0)
        least, most = own.get(bound.node, (1.0, 1.0))
        if above is not None or bound.node in own:
            corners = [low * least, low * most, high * least, high * most]
            below[name] = min(corners), max(corners)
    return out


def _ratios(nodes: Nodes, clip: Clip, node: int) -> tuple[float, float]:
    """A scale in a clip over that at rest, least and most of all directions and times."""
    rest = np.diagonal(nodes.local(node).stretch)
    ends = np.array(clip.channels[node, "scale"].hull)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = ends / rest
    if not (np.abs(ratios) < _FAR).all():
        return -_FAR, _FAR  # from nothing to something: no bound is known
    return float(ratios.min()), float(ratios.max())

"""Which nodes of a glTF file are joints, and how they hang together.

Joints are the joints of all skins and the bones of a VRM's human; the nodes between them, which
stay stiff unless a clip moves them; and the nodes above or below them that clips move.  In a file
without skins and humans they are the nodes that clips move, and without clips all nodes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from limbik.errors import FormatError, LimbikWarning
from limbik.figure.figure import Figure
from limbik.formats.gltf.animation import Clip, Clips
from limbik.formats.gltf.file import Document, unique_names
from limbik.formats.gltf.hands import finger_parents
from limbik.formats.gltf.nodes import Nodes
from limbik.formats.gltf.vrm import read_humanoid
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import matrix_to_quat

SCALED = 1e-3
"""A scale that stays within this share of itself does not change."""

MAX_JOINTS = 10_000
"""A file with more joints is refused."""


class Bound(NamedTuple):
    """How a joint's node sits in its file: F = F_anchor·turn·R and p = p_anchor +
    F_anchor·(at + linear·t), where R and t are the node's rotation and translation.

    ``anchor`` is the joint whose node is the parent; without one F_anchor is the world.
    """

    node: int
    anchor: str | None
    turn: np.ndarray
    linear: np.ndarray
    at: np.ndarray


@dataclass(frozen=True, eq=False)
class Rig:
    """What a figure from a glTF file remembers of it: enough to write the file again.

    ``roles`` has joints by what they are in a human ("leftUpperArm"), where the file is a VRM, and
    ``forward`` is where that human looks: "z" or "-z".  ``clips`` are the animations by name.
    """

    document: Document
    nodes: Nodes
    bound: dict[str, Bound]
    clips: dict[str, Clip]
    roles: dict[str, str] = field(default_factory=dict)
    forward: str = ""
    flat: bool = False
    """Whether some joints hang on others than their nodes do (see hands.py)."""

    @cached_property
    def joint_nodes(self) -> frozenset[int]:
        """The nodes that are joints."""
        return frozenset(bound.node for bound in self.bound.values())

    @cached_property
    def in_order(self) -> list[str]:
        """The joints, each after the one whose node its own hangs on."""
        by_node = {bound.node: name for name, bound in self.bound.items()}
        return [by_node[i] for i in self.nodes.order if i in by_node]


class Layout(NamedTuple):
    """The joints of a rig, parents first: their names, parents, and whether each can move."""

    rig: Rig
    parents: dict[str, str | None]
    moving: set[str]


def read_layout(document: Document) -> Layout:
    """The joints of a file and how they hang together."""
    nodes = Nodes(document)
    clips = Clips(document).clips
    human = read_humanoid(document)
    skinned = [_skin(document, k, len(nodes)) for k in range(document.count("skins"))]
    animated = {node for clip in clips for node, path in clip.channels if path != "scale"}
    animated -= human.signals
    moves = ((clip, node) for clip in clips for node in {node for node, _ in clip.channels})
    stirred = {node for clip, node in moves if node in animated and _stirs(nodes, clip, node)}
    core = {node for skin in skinned for node in skin} | set(human.nodes.values())
    scaled = _scaled_above(nodes, clips, core or animated)
    stirred |= scaled
    moving = core | stirred if core else animated | scaled or set(range(len(nodes)))
    chosen = core | _near(nodes, core, stirred) if core else set(moving)
    parents = _hang(nodes, chosen)
    names = _names(document, parents)
    rehung = finger_parents(names, parents)
    if rehung:
        parents = {**{k: v for k, v in parents.items() if k not in rehung}, **rehung}
    else:
        hubs = {_common(nodes, [k for k in skin if parents[k] is None]) for skin in skinned}
        if hubs - {-1}:
            parents = _hang(nodes, chosen | (hubs - {-1}))
            names = _names(document, parents)
    if len(parents) > MAX_JOINTS:
        document.fail(f"has more than {MAX_JOINTS:,} joints")
    unique = dict(zip(parents, unique_names([names[k] for k in parents]), strict=True))
    _warn_of_renamed(document, names, unique)
    bound = {unique[k]: _bound(nodes, k, unique) for k in parents}
    roles = {role: unique[k] for role, k in human.nodes.items()}
    by_name = {clip.name: clip for clip in clips}
    rig = Rig(document, nodes, bound, by_name, roles, human.forward, bool(rehung))
    above = {unique[k]: None if v is None else unique[v] for k, v in parents.items()}
    return Layout(rig, above, {unique[k] for k in parents if k in moving})


def _skin(document: Document, index: int, count: int) -> list[int]:
    entry = document.entry("skins", index)
    joints = document.listed(entry, "joints", f"skin {index}: its joints")
    if not joints:
        document.fail(f"skin {index}: has no joints")
    return [document.whole_number(k, f"skin {index}: its joints", 0, count - 1) for k in joints]


def _stirs(nodes: Nodes, clip: Clip, node: int) -> bool:
    """Whether a clip turns or shifts a node away from its place."""
    local = nodes.local(node)
    turning = clip.channels.get((node, "rotation"))
    shifting = clip.channels.get((node, "translation"))
    return (turning is not None and turning.stirs(matrix_to_quat(local.turn))) or (
        shifting is not None and shifting.stirs(local.place)
    )


def _scaled_above(nodes: Nodes, clips: list[Clip], joints: set[int]) -> set[int]:
    """The nodes above joints whose scale a clip changes, which moves all that hangs on them."""
    above = set(joints)
    for i in reversed(nodes.order):
        if i in above:
            above.add(nodes.parents[i])
    return {
        node
        for clip in clips
        for node, path in clip.channels
        if path == "scale" and node in above and stretches(nodes, clip, node)
    }


def stretches(nodes: Nodes, clip: Clip, node: int) -> bool:
    """Whether a clip changes the scale of a node."""
    stretch = nodes.local(node).stretch
    apart = np.array(clip.channels[node, "scale"].hull) - np.diagonal(stretch)
    return bool(np.abs(apart).max() > SCALED * np.abs(stretch).max())


def _near(nodes: Nodes, core: set[int], animated: set[int]) -> set[int]:
    """The animated nodes that have one of the core above or below them."""
    below, above = set(core), set(core)
    for i in nodes.order:
        if nodes.parents[i] in below:
            below.add(i)
    for i in reversed(nodes.order):
        if i in above:
            above.add(nodes.parents[i])
    return animated & (below | above)


def _hang(nodes: Nodes, chosen: set[int]) -> dict[int, int | None]:
    """The parent of each chosen node and of the nodes between them, parents first."""
    inside: set[int] = set()  # has a chosen node above it
    leads: set[int] = set(chosen)  # is one, or has one below it
    for i in nodes.order:
        if nodes.parents[i] in chosen or nodes.parents[i] in inside:
            inside.add(i)
    for i in reversed(nodes.order):
        if i in leads:
            leads.add(nodes.parents[i])
    joints = {i for i in nodes.order if i in chosen or (i in inside and i in leads)}
    found: dict[int, int | None] = {}
    waiting = [i for i in reversed(nodes.order) if i in joints and nodes.parents[i] not in joints]
    while waiting:
        i = waiting.pop()
        found[i] = nodes.parents[i] if nodes.parents[i] in joints else None
        waiting += [k for k in reversed(nodes.children[i]) if k in joints]
    return found


def _common(nodes: Nodes, roots: list[int]) -> int:
    """The lowest node above several roots of one skin, or −1: a body must not fall apart."""
    return reduce(nodes.common, roots) if len(set(roots)) > 1 else -1


def _names(document: Document, joints: Iterable[int]) -> dict[int, str]:
    return {i: document.name(document.entry("nodes", i)) or f"node {i}" for i in joints}


def _warn_of_renamed(document: Document, names: dict[int, str], unique: dict[int, str]) -> None:
    renamed = [
        f"{shown(names[i])} (node {i}) is now {shown(name)}"
        for i, name in unique.items()
        if name != names[i]
    ]
    if renamed:
        more = f" and {len(renamed) - 3} more" if len(renamed) > 3 else ""
        text = f"joint names are used twice: {', '.join(renamed[:3])}{more}"
        warnings.warn(f"{document.path.name}: {text}", LimbikWarning, stacklevel=6)


def _bound(nodes: Nodes, i: int, names: dict[int, str]) -> Bound:
    parent = nodes.parents[i]
    world = nodes.world(parent)
    if parent in names:
        back = world.frame.T
        return Bound(i, names[parent], back @ world.below, back @ world.linear, np.zeros(3))
    return Bound(i, None, world.below, world.linear, world.place)


def rig_of(figure: Figure) -> Rig:
    """The rig behind a figure that was read from a glTF file."""
    if not isinstance(figure.source, Rig):
        raise FormatError("needs a figure that was read from a glTF file")
    return figure.source

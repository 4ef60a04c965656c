"""VRM avatars (0.x and 1.0) and VRM animations: which node is which bone of a human.

Roles are named as VRM 1.0 names them ("leftUpperArm").  VRM 0.x calls the three bones of a thumb
proximal, intermediate and distal; here they are metacarpal, proximal and distal for both.

An avatar of VRM 0.x looks along −z, one of VRM 1.0 along +z, like a VRM animation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbik.formats.gltf.file import Document

_THUMBS = {
    f"{side}Thumb{old}": f"{side}Thumb{new}"
    for side in ("left", "right")
    for old, new in (("Proximal", "Metacarpal"), ("Intermediate", "Proximal"))
}


class Humanoid(NamedTuple):
    """The human in a file: nodes by role, where it looks, and nodes that stand for no bone."""

    nodes: dict[str, int]
    forward: str = ""
    signals: frozenset[int] = frozenset()


def read_humanoid(document: Document) -> Humanoid:
    """What a file says of a human, empty where it says nothing."""
    extensions = document.json.get("extensions")
    if not isinstance(extensions, dict):
        return Humanoid({})
    for key, forward in (("VRMC_vrm", "z"), ("VRM", "-z"), ("VRMC_vrm_animation", "z")):
        if key in extensions:
            extension = document.object(extensions[key], key)
            bones = _bones(document, extension, key)
            return Humanoid(bones, forward, _signals(document, extension))
    return Humanoid({})


def _bones(document: Document, extension: dict[str, Any], key: str) -> dict[str, int]:
    humanoid = document.object(extension.get("humanoid", {}), f"{key}: its humanoid")
    bones = humanoid.get("humanBones", {})
    found: dict[str, int] = {}
    pairs: list[tuple[Any, Any]] = []
    if isinstance(bones, list):  # VRM 0.x
        for bone in document.listed(humanoid, "humanBones", f"{key}: its bones"):
            entry = document.object(bone, f"{key}: a bone")
            role = entry.get("bone")
            pairs.append((_THUMBS.get(role, role) if isinstance(role, str) else role, entry))
    else:
        pairs = list(document.object(bones, f"{key}: its bones").items())
    for role, bone in pairs:
        entry = document.object(bone, f"{key}: a bone")
        if not isinstance(role, str) or not role:
            document.fail(f"{key}: a bone has no role")
        node = entry.get("node")
        if node is None or node == -1:  # written by early exporters for "no such bone"
            continue
        found[role] = document.whole_number(
            node, f"{key}: bone {role[:40]}", 0, document.count("nodes") - 1
        )
    twice = len(found) - len(set(found.values()))
    if twice:
        document.fail(f"{key}: one node is said to be two bones")
    return found


def _signals(document: Document, extension: dict[str, Any]) -> frozenset[int]:
    """Nodes of a VRM animation that carry an expression's strength or the gaze, not a bone."""
    found: set[int] = set()
    entries: list[Any] = [extension.get("lookAt")]
    expressions = extension.get("expressions")
    if isinstance(expressions, dict):
        for group in expressions.values():
            entries += group.values() if isinstance(group, dict) else ()
    for entry in entries:
        node = entry.get("node") if isinstance(entry, dict) else None
        if isinstance(node, int):
            found.add(node)
    return frozenset(found)

"""Props: put into the scene, moved, scaled, held by joints, and imported from files."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from limbik.errors import LimbikError
from limbik.goals.masses.contacts import up_axis
from limbik.maths.so3 import matrix_to_quat
from limbik.poser.document.effector import FURTHEST, LAST_ID, Vec3, Vec4
from limbik.poser.document.prop import LARGEST, MOST_HOLDS, MOST_PROPS, Prop, PropKind
from limbik.poser.drag.looks.look_goals import looked_at
from limbik.poser.drag.prop_edits import release_prop, with_prop
from limbik.poser.files.open import discard_files, keep_files
from limbik.poser.files.prop_mesh import prop_mesh
from limbik.poser.protocol.commands.registry import KEEP, Reply, command

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

_SIZES: dict[PropKind, Vec3] = {
    "box": (0.17, 0.14, 0.14),
    "ball": (0.13, 0.13, 0.13),
    "chair": (0.25, 0.5, 0.25),
}
"""Edges of a new prop, as parts of a person's height."""

_AHEAD = {"box": 0.25, "ball": 0.25, "chair": -0.22}
"""How far in front of the figure a new prop is put, as a part of its height."""

_STEP = 0.2  # parts of the height between new props that would be in each other


def prop_of(session: Session, id: int) -> Prop:
    """A prop by its id."""
    found = session.document.scene.prop(id)
    if found is None:
        raise LimbikError(f"There is no prop {id} any more.")
    return found


@command("prop.add", lambda _, given: f"Add a {given['kind']}")
def add(session: Session, kind: Literal["box", "ball", "chair"]) -> Reply:
    """A new prop in front of the figure; replies with its id."""
    x, y, z = (edge * _height(session) for edge in _SIZES[kind])
    return _added(session, kind, kind.capitalize(), (x, y, z), lifted=kind != "chair")


@command("prop.open", lambda _, given: f"Add {given['file']}")
def open_prop(session: Session, file: str) -> Reply:
    """A prop from a glTF file that was uploaded; replies with its id."""
    kept = keep_files([file], session.folder)
    try:
        mesh = prop_mesh(session.folder / kept[0])
    except LimbikError:
        if kept[0] not in session.prop_files:
            discard_files(kept, session.folder)
        raise
    # The file is in metres.
    scale = {"m": 1.0, "cm": 100.0, "mm": 1000.0}.get(session.figure.unit, 1.0)
    x, y, z = (min(max(float(edge) * scale, 1e-6), LARGEST) for edge in mesh.size)
    name = file.rsplit(".", 1)[0][:60] or "Mesh"
    return _added(session, "mesh", name, (x, y, z), file=kept[0])


def _height(session: Session) -> float:
    """The figure's height, or what stands for it."""
    figure = session.figure
    up = up_axis(figure)
    heights = figure.positions(figure.rest)[:, up]
    return float(np.ptp(heights)) or float(figure.size)


def _added(
    session: Session,
    kind: PropKind,
    name: str,
    size: Vec3,
    *,
    lifted: bool = False,
    file: str = "",
) -> Reply:
    document, figure = session.document, session.figure
    props = document.scene.props
    if len(props) >= MOST_PROPS or document.next_id > LAST_ID:
        raise LimbikError(f"There are {MOST_PROPS} props, and there is no room for more.")
    up, height = up_axis(figure), _height(session)
    y_up = np.roll(np.eye(3), up - 1, axis=0)  # from the prop's axes to the figure's
    ahead = y_up[:, 2]
    middle = figure.positions(document.q).mean(axis=0)
    away = _AHEAD.get(kind, 0.35) * height
    place = middle + away * ahead
    place[up] = session.opened.floor + 0.5 * size[1] + (0.55 * height if lifted else 0.0)
    while any(math.dist(place, prop.position) < 0.5 * _STEP * height for prop in props):
        place = place + _STEP * height * y_up[:, 0]
    w, x, y, z = matrix_to_quat(y_up).tolist()
    prop = Prop(
        document.next_id, kind, _fresh(name, [prop.name for prop in props]),
        (float(place[0]), float(place[1]), float(place[2])), (w, x, y, z), size, file=file,
    )  # fmt: skip
    scene = replace(document.scene, props=(*props, prop))
    session.document = replace(document, scene=scene, next_id=document.next_id + 1)
    return {"prop": prop.id}


def _fresh(name: str, taken: list[str]) -> str:
    """The name, with a number where there is one of it already."""
    count = 2
    found = name
    while found in taken:
        found, count = f"{name} {count}", count + 1
    return found


@command("prop.remove", lambda session, given: f"Remove {prop_of(session, given['prop']).name}")
def remove(session: Session, prop: int) -> Reply:
    """A prop goes."""
    gone, scene = prop_of(session, prop), session.document.scene
    kept = tuple(one for one in scene.props if one is not gone)
    effectors = tuple(
        replace(e, look="", position=looked_at(session.figure, session.document, e))
        if e.look == f"prop:{prop}"
        else e
        for e in session.document.effectors
    )
    scene = replace(scene, props=kept)
    session.document = replace(session.document, scene=scene, effectors=effectors)
    return None


def _label(session: Session, arguments: dict[str, Any]) -> str:
    name = prop_of(session, arguments["prop"]).name
    for what, verb in (("size", "Scale"), ("name", "Rename"), ("wxyz", "Turn")):
        if what in arguments:
            return f"{verb} {name}"
    return f"Move {name}"


@command("prop.set", _label, merges=True)
def set_prop(
    session: Session,
    prop: int,
    name: str = KEEP,
    position: Vec3 = KEEP,
    wxyz: Vec4 = KEEP,
    size: Vec3 = KEEP,
) -> Reply:
    """Change a prop.  One that is held is moved by a drag, not here."""
    new = old = prop_of(session, prop)
    if name is not KEEP:
        if not name.strip() or len(name) > 80:
            raise LimbikError("The name of a prop has 1 to 80 letters.")
        others = [one.name for one in session.document.scene.props if one is not old]
        new = replace(new, name=_fresh(name.strip(), others))
    if size is not KEEP:
        if not 0.0 < min(size) <= max(size) <= LARGEST:
            raise LimbikError(f"The edges of {old.name} must be above 0, and {LARGEST:g} at most.")
        new = replace(new, size=(size[0],) * 3 if old.kind == "ball" else size)
    if (position is not KEEP or wxyz is not KEEP) and old.holds:
        raise LimbikError(f"{old.name} is held: drag it, or let go of it first.")
    if position is not KEEP:
        if max(map(abs, position)) > FURTHEST:
            raise LimbikError("That place is too far away.")
        new = replace(new, position=position)
    if wxyz is not KEEP:
        length = math.hypot(*wxyz)
        if not 1e-9 < length < math.inf:
            raise LimbikError(f"The turn of {old.name} has no direction.")
        w, x, y, z = (value / length for value in wxyz)
        new = replace(new, wxyz=(w, x, y, z))
    session.document = with_prop(session.document, new)
    if position is not KEEP and any(e.look == f"prop:{prop}" for e in session.document.effectors):
        session.solve()  # eyes follow what they look at
    return None


def _holding(session: Session, arguments: dict[str, Any]) -> str:
    name = prop_of(session, arguments["prop"]).name
    joints = [session.joint(joint) for joint in arguments["joints"]]
    return f"Hold {name} with {' and '.join(joints)}" if joints else f"Let go of {name}"


@command("prop.hold", _holding)
def hold(session: Session, prop: int, joints: list[int]) -> Reply:
    """Joints take hold of a prop, or all let go of it.  They go to its surface first."""
    if len(joints) > MOST_HOLDS or len(set(joints)) < len(joints):
        raise LimbikError(f"A prop is held by {MOST_HOLDS} different joints at most.")
    held, names = prop_of(session, prop), [session.joint(joint) for joint in joints]
    for other in session.document.scene.props:
        for one in other.holds if other is not held else ():
            if one.joint in names:
                raise LimbikError(f"{one.joint} holds {other.name} already.")
    if not names:
        free = release_prop(session.figure, session.document, held)
        session.document = with_prop(session.document, free)
        return None
    session.hold_prop(held, names)
    return None

"""What an MJCF model says of its bodies beyond their joints, gathered while its tree is walked.

A fault in any of it is a warning, and what it speaks of is left out: the model still moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.collision.shapes import Quaternion
from limbik.figure.joints import Vector
from limbik.figure.physical.properties import Inertia, JointNumbers, Loop, Physical, moments_of
from limbik.formats.mjcf.geoms import (
    SOLID,
    BodyGeoms,
    Geom,
    MassesOfModel,
    MassRules,
    ShapesOfModel,
    sizes_given,
    sizes_needed,
    turn_along,
)
from limbik.formats.mjcf.meshes import Mesh
from limbik.formats.mjcf.tree import Tree
from limbik.formats.remarks import Remarks
from limbik.formats.text_numbers import number, shown
from limbik.maths.so3 import quat_conjugate, quat_multiply, quat_rotate, quat_to_matrix

MAX_GEOMS = 100_000
"""A model with more geoms is refused."""

Frame = tuple[np.ndarray, np.ndarray]
_HOME: Frame = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


class Bodies:
    """Geoms, inertials and sites of a model, by the figure's joint that their body is."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._remarks = Remarks(tree.path)
        self._joint_of: dict[str, str] = {}
        self._places: dict[str, Frame] = {}
        self._inertial: dict[str, Inertia] = {}
        self._geoms: dict[str, list[Geom]] = {}
        self._sites: dict[str, tuple[str, Frame]] = {}
        self._count = 0
        self._meshes: dict[str, Mesh] | None = None

    def body(self, element: Any, joint: str, parent: str | None, frame: Frame) -> None:
        """A body that is a joint of the figure, and where it is at rest on the body above."""
        self._places[joint] = after(self._places.get(parent or "", _HOME), frame)
        if element.get("name"):
            self._joint_of.setdefault(element.get("name"), joint)
        self._geoms.setdefault(joint, [])

    def add(self, element: Any, joint: str, childclass: str | None, frame: Frame) -> None:
        """A <geom>, <inertial>, <site> or <replicate> of a body."""
        tag = element.tag
        try:
            if tag == "geom":
                self._geom(element, joint, childclass, frame)
            elif tag == "inertial":
                self._inertial[joint] = self._mass(element, frame)
            elif tag == "site" and element.get("name"):
                site = self._tree.filled(element, childclass)
                self._sites.setdefault(element.get("name"), (joint, self._frame(site, frame)))
            elif tag == "replicate" and element.find("geom") is not None:
                raise FormatError("copies of geoms are not made", self._tree.path)
        except (FormatError, FigureError) as error:
            why = error.message if isinstance(error, FormatError) else str(error)
            self._remarks.add(tag, joint, f"a <{tag}> of {shown(joint)} is left out: {why}")

    def _frame(self, element: Any, frame: Frame) -> Frame:
        place = np.array(self._tree.numbers(element, "pos", 3, (0.0, 0.0, 0.0)))
        return after(frame, (place, self._tree.turn(element)))

    def _mass(self, element: Any, frame: Frame) -> Inertia:
        place, turn = self._frame(element, frame)
        (mass,) = self._tree.numbers(element, "mass", 1)
        if element.get("fullinertia") is not None:
            xx, yy, zz, xy, xz, yz = self._tree.numbers(element, "fullinertia", 6)
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            matrix = np.diag(self._tree.numbers(element, "diaginertia", 3, (0.0, 0.0, 0.0)))
        rotation = quat_to_matrix(turn)
        return Inertia(mass, _vector(place), moments_of(rotation @ matrix @ rotation.T))

    # ---- geoms ---------------------------------------------------------------------------------

    def _geom(self, element: Any, joint: str, childclass: str | None, frame: Frame) -> None:
        self._count += 1
        if self._count > MAX_GEOMS:
            self._tree.fail(f"has more than {MAX_GEOMS:,} geoms", element)
        geom = self._tree.filled(element, childclass)
        kind = geom.get("type") or "sphere"
        if kind not in SOLID:
            return
        line, place = None, None
        if geom.get("fromto") is not None:
            ends = np.array(self._tree.numbers(geom, "fromto", 6))
            line, place = _vector(ends[3:] - ends[:3]), 0.5 * (ends[:3] + ends[3:])
        mesh = self._mesh(geom.get("mesh")) if geom.get("mesh") else None
        if mesh is None and kind == "mesh":
            raise FormatError("its type is mesh, and it names none", self._tree.path)
        if mesh is not None and kind != "mesh" and self._fits_boxes():
            raise FormatError("fitaabb is not supported", self._tree.path)
        needed = 0 if mesh is not None else sizes_needed(kind, line is not None)
        given = self._sizes(geom, needed)
        size = () if mesh is not None else sizes_given(kind, given, line)
        if any(value <= 0.0 for value in size):
            raise FormatError(f"its size must be above 0, found {given}", self._tree.path)
        if line is not None and place is not None:
            own = after(frame, (place, np.array(turn_along(line))))
        else:
            own = self._frame(geom, frame)
        mass = self._tree.numbers(geom, "mass", 1)[0] if geom.get("mass") is not None else None
        self._geoms[joint].append(
            Geom(
                kind,
                size,
                _vector(own[0]),
                _quat(own[1]),
                mesh,
                mass,
                self._tree.numbers(geom, "density", 1, (1000.0,))[0],
                geom.get("shellinertia") == "true",
                self._int(geom, "group", 0),
                self._int(geom, "contype", 1),
                self._int(geom, "conaffinity", 1),
                element.get("name") or "",
            )
        )

    def _int(self, element: Any, key: str, otherwise: int) -> int:
        value = self._tree.numbers(element, key, 1, (float(otherwise),))[0]
        return int(value) if abs(value) < 2**31 else otherwise

    def _sizes(self, geom: Any, needed: int) -> tuple[float, ...]:
        words = (geom.get("size") or "")[:1000].split(None, 3)[:3]
        values = [number(word) for word in words]
        if len(values) < needed or any(value is None for value in values[:needed]):
            raise FormatError(f"size needs {needed} numbers", self._tree.path)
        return tuple(value for value in values[:needed] if value is not None)

    def _mesh(self, name: str | None) -> Mesh:
        if self._meshes is None:
            self._meshes = {}
            for element in self._tree.root.iterfind("asset/mesh"):
                try:
                    self._read_asset(element, self._meshes)
                except FormatError as error:
                    text = f"a <mesh> is left out: {error.message}"
                    self._remarks.add("asset", element.get("name") or "", text)
        found = self._meshes.get(name or "")
        if found is None:
            raise FormatError(f"there is no mesh {shown(name or '')}", self._tree.path)
        return found

    def _read_asset(self, element: Any, into: dict[str, Mesh]) -> None:
        asset = self._tree.filled(element, None)
        file = element.get("file")
        name = element.get("name") or Path(file or "").stem
        base = Mesh(
            name,
            scale=_vector(np.array(self._tree.numbers(asset, "scale", 3, (1.0, 1.0, 1.0)))),
            place=_vector(np.array(self._tree.numbers(asset, "refpos", 3, (0.0, 0.0, 0.0)))),
            wxyz=_quat(np.array(self._tree.numbers(asset, "refquat", 4, (1, 0, 0, 0)))),
            inertia=asset.get("inertia") or "legacy",
        )
        if file:
            into[name] = replace(base, files=tuple(at / file for at in self._mesh_folders()))
        elif element.get("vertex"):
            try:
                points = tuple(map(float, element.get("vertex").split()))
                faces = tuple(map(int, (element.get("face") or "").split()))
            except ValueError:
                raise FormatError(
                    "its vertices or faces are not numbers", self._tree.path
                ) from None
            if len(points) % 3 or len(faces) % 3:
                raise FormatError("its vertices or faces are not in threes", self._tree.path)
            into[name] = replace(base, vertices=points, faces=faces)

    def _mesh_folders(self) -> list[Path]:
        folder = Path()
        for compiler in self._tree.root.findall("compiler"):
            folder = Path(compiler.get("meshdir") or compiler.get("assetdir") or folder)
        top = self._tree.path.parent
        return [top / folder, top]

    def _fits_boxes(self) -> bool:
        settings = self._tree.root.findall("compiler")
        return any(compiler.get("fitaabb") == "true" for compiler in settings)

    # ---- what came together --------------------------------------------------------------------

    def physical(self, efforts: Sequence[JointNumbers]) -> Physical:
        """Masses, shapes, exclusions, effort limits and loops of the model."""
        path = self._tree.path
        bodies = tuple(
            BodyGeoms(joint, self._inertial.get(joint), tuple(geoms))
            for joint, geoms in self._geoms.items()
        )
        masses = MassesOfModel(path, bodies, self._rules())
        shapes = ShapesOfModel(path, bodies)
        loops, exclusions = tuple(self._loops()), tuple(self._exclusions())
        self._remarks.warn(stacklevel=5)
        return Physical(
            inertias=masses if masses.needs_meshes else masses(),
            shapes=shapes if shapes.needs_meshes else shapes(),
            exclusions=exclusions,
            efforts=tuple(efforts),
            loops=loops,
        )

    def _rules(self) -> MassRules:
        rules = MassRules()
        for compiler in self._tree.root.findall("compiler"):
            low, high = self._tree.numbers(compiler, "inertiagrouprange", 2, rules.groups)
            rules = MassRules(
                compiler.get("inertiafromgeom") or rules.from_geoms,
                (int(low), int(high)),
                self._tree.numbers(compiler, "boundmass", 1, (rules.least_mass,))[0],
                self._tree.numbers(compiler, "settotalmass", 1, (rules.total,))[0],
            )
        return rules

    def _exclusions(self) -> Iterator[tuple[str, str]]:
        for element in self._tree.root.iterfind("contact/exclude"):
            pair = [self._joint_of.get(element.get(key) or "") for key in ("body1", "body2")]
            if pair[0] and pair[1]:
                yield pair[0], pair[1]

    def _loops(self) -> Iterator[Loop]:
        for equality in self._tree.root.findall("equality"):
            for element in equality:
                if element.tag in ("connect", "weld") and self._tree.active(element):
                    try:
                        loop = self._loop(element)
                        numbers = (*loop.at_a, *loop.at_b, *(loop.wxyz or ()))
                        if not loop.joint_a or not np.isfinite(numbers).all():
                            raise FormatError("it joins no bodies", self._tree.path)
                        yield loop
                    except FormatError as error:
                        tag = element.tag
                        text = f"a <{tag}> is left out: {error.message}"
                        self._remarks.add(tag, element.get("name") or "", text)

    def _loop(self, element: Any) -> Loop:
        """A <connect> or <weld>: what it does not say is as at rest."""
        name = element.get("name") or ""
        if element.get("site1") is not None:
            (a, at_a), (b, at_b) = (self._site(element, key) for key in ("site1", "site2"))
            turn = quat_multiply(at_a[1], quat_conjugate(at_b[1]))
            wxyz = _quat(turn) if element.tag == "weld" else None
            return _turned_round(Loop(a, _vector(at_a[0]), b, _vector(at_b[0]), wxyz, name))
        a, b = self._end(element, "body1"), self._end(element, "body2")
        # Body b in the frame of body a, at rest.
        rest = after(_back(self._place(a)), self._place(b))
        if element.tag == "connect":
            at_a = np.array(self._tree.numbers(element, "anchor", 3))
            at_b = after(_back(rest), (at_a, _IDENTITY))[0]
            return _turned_round(Loop(a, _vector(at_a), b, _vector(at_b), None, name))
        pose = self._tree.numbers(element, "relpose", 7, (0.0,) * 7)
        if any(pose[3:]):
            rest = (np.array(pose[:3]), self._tree.unit(np.array(pose[3:]), element))
        at_b = np.array(self._tree.numbers(element, "anchor", 3, (0.0, 0.0, 0.0)))
        at_a = after(rest, (at_b, _IDENTITY))[0]
        return _turned_round(Loop(a, _vector(at_a), b, _vector(at_b), _quat(rest[1]), name))

    def _site(self, element: Any, key: str) -> tuple[str, Frame]:
        name = element.get(key) or ""
        if name not in self._sites:
            raise FormatError(f"there is no site {shown(name)} on a body", self._tree.path)
        return self._sites[name]

    def _end(self, element: Any, key: str) -> str:
        name = element.get(key) or "world"
        if name == "world":
            return ""
        if name not in self._joint_of:
            raise FormatError(f"there is no body {shown(name)}", self._tree.path)
        return self._joint_of[name]

    def _place(self, joint: str) -> Frame:
        return self._places[joint] if joint else _HOME


_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def after(first: Frame, second: Frame) -> Frame:
    """The second frame, which is given in the first, in what that one is given in."""
    place, turn = first
    return place + quat_rotate(turn, second[0]), quat_multiply(turn, second[1])


def _back(frame: Frame) -> Frame:
    turn = quat_conjugate(frame[1])
    return -quat_rotate(turn, frame[0]), turn


def _turned_round(loop: Loop) -> Loop:
    """The loop with a joint in the first place, where only the second is one."""
    if loop.joint_a:
        return loop
    wxyz = None if loop.wxyz is None else _quat(quat_conjugate(np.array(loop.wxyz)))
    return Loop(loop.joint_b, loop.at_b, "", loop.at_a, wxyz, loop.name)


def _vector(values: np.ndarray) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))


def _quat(values: np.ndarray) -> Quaternion:
    return (float(values[0]), float(values[1]), float(values[2]), float(values[3]))

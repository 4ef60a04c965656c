"""MJCF as one tree: includes put in, defaults worked out, orientations as quaternions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from limbik.errors import FormatError
from limbik.formats.files import read_bytes
from limbik.formats.text_numbers import shown
from limbik.formats.xml import attribute, direction, numbers, parse
from limbik.maths.so3 import (
    exp_map,
    matrix_to_quat,
    quat_multiply,
    quat_normalise,
)

MAX_INCLUDES, DEEPEST = 1_000, 20
"""Includes in all, and inside each other, beyond which a file is refused."""

_READ = ("type", "pos", "axis", "ref", "limited", "range", "actuatorfrcrange", "actuatorfrclimited")
_TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto")  # either of them says it
ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
)  # fmt: skip
_ACTUATOR = ("forcerange", "forcelimited", "gear", "ctrlrange", "ctrllimited")
_GEOM = ("type", "size", "mesh", "mass", "density", "contype", "conaffinity", "group")
_TAGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "geom": ("geom", (*_GEOM, "shellinertia", "pos", *_TURNS)),
    "site": ("site", ("pos", *_TURNS)),
    "mesh": ("mesh", ("scale", "inertia", "refpos", "refquat")),
    **dict.fromkeys(ACTUATORS, ("actuator", _ACTUATOR)),
}
"""What is read of the classes of other elements; all actuators share one set of defaults."""

_ACTIVE = "active"  # of equality constraints


class Filled:
    """An element that takes from its class what it does not say itself.

    Nothing is copied into the element: what a class says once may be meant for every joint.
    """

    def __init__(self, element: Any, defaults: Mapping[str, str], *, turns: bool = False) -> None:
        self._element, self._defaults = element, defaults
        self.tag, self.sourceline = element.tag, element.sourceline
        # How it is turned is said in one way; its own comes before that of its class.
        own_turn = turns and any(element.get(key) is not None for key in _TURNS)
        self._own = _TURNS if own_turn else ()

    def get(self, key: str, otherwise: str | None = None) -> str | None:
        """An attribute, of the element or of its class."""
        own = self._element.get(key)
        if own is not None:
            return own
        return otherwise if key in self._own else self._defaults.get(key, otherwise)

    def getparent(self) -> Any:
        """The element itself, for those who look which file this is from."""
        return self._element


class Tree:
    """A parsed model: its root element, compiler settings, and the defaults of its joints."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._included: set[Path] = {path.resolve()}
        self._file_of: dict[Any, Path] = {}
        self.root = self._load(path, 0)
        if self.root.tag != "mujoco":
            raise FormatError(f"is not MJCF: <{str(self.root.tag)[:40]}>", path, 1)
        self._settings()
        self.defaults: dict[str, dict[str, str]] = {"main": {}}
        self.tag_defaults: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        for element in self.root.findall("default"):
            self._default(element, element.get("class") or "main")

    def fail(self, message: str, element: Any) -> NoReturn:
        """Refuse the file at an element."""
        at = element
        while at is not None and at not in self._file_of:
            at = at.getparent()
        file = self.path if at is None else self._file_of[at]
        raise FormatError(message, file, element.sourceline)

    def attribute(self, element: Any, name: str) -> str:
        """An attribute that must be there."""
        return self._of(element, attribute, element, name, self.path)

    def numbers(
        self, element: Any, name: str, count: int, otherwise: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """``count`` finite numbers of an attribute, or ``otherwise`` where there is none."""
        return self._of(element, numbers, element, name, count, self.path, otherwise)

    def direction(
        self, element: Any, name: str, otherwise: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Three numbers of an attribute that say a direction."""
        return self._of(element, direction, element, name, self.path, otherwise)

    def _of(self, element: Any, read: Callable[..., Any], *given: Any) -> Any:
        """What is read from an element; a fault is that of the file which the element stands in."""
        try:
            return read(*given)
        except FormatError as error:
            self.fail(error.message, element)

    def _load(self, path: Path, depth: int) -> Any:
        """The file's elements, with those of the files that it includes in their places."""
        root = parse(read_bytes(path), path)
        for include in list(root.iter("include")):
            file = self._beside(include, path)
            if depth >= DEEPEST or file in self._included or len(self._included) > MAX_INCLUDES:
                where = shown(include.get("file") or "")
                line = include.sourceline
                raise FormatError(f"includes {where} again, too many files, or itself", path, line)
            self._included.add(file)
            inner = self._load(file, depth + 1)
            parent = include.getparent()
            if parent is None:
                raise FormatError("is nothing but an include", path, include.sourceline)
            for child in list(inner):
                self._file_of[child] = file
                include.addprevious(child)
            parent.remove(include)
        return root

    def _beside(self, include: Any, path: Path) -> Path:
        """The file that an <include> names: beside the first file, or else beside the one that
        includes it, as MuJoCo looks it up.  It must lie in the folder of the first."""
        named = attribute(include, "file", path)
        top = self.path.parent.resolve()
        outside = False
        try:
            for folder in (top, path.parent):
                file = (folder / named).resolve()
                inside = file.is_relative_to(top)
                outside = outside or not inside
                if inside and file.is_file():
                    return file
        except (OSError, RuntimeError, ValueError) as error:  # too long a name, links in a circle
            what = f"includes {shown(named)}, which cannot be found"
            raise FormatError(what, path, include.sourceline) from error
        why = "outside its folder" if outside else "which is not there"
        raise FormatError(f"includes {shown(named)}, {why}", path, include.sourceline)

    def _settings(self) -> None:
        self.angle, self.order, self.autolimits = math.pi / 180.0, "xyz", True
        for compiler in self.root.findall("compiler"):
            angle = compiler.get("angle", "degree" if self.angle != 1.0 else "radian")
            if angle not in ("degree", "radian"):
                self.fail(f"angle must be degree or radian, found {shown(angle)}", compiler)
            self.angle = 1.0 if angle == "radian" else math.pi / 180.0
            self.order = compiler.get("eulerseq", self.order)
            if len(self.order) != 3 or any(letter not in "xyzXYZ" for letter in self.order):
                self.fail(f"eulerseq {shown(self.order)} is not three axes", compiler)
            if compiler.get("coordinate", "local") != "local":
                self.fail("global coordinates are not supported", compiler)
            limits = compiler.get("autolimits", "true" if self.autolimits else "false")
            self.autolimits = limits == "true"

    def _default(self, element: Any, name: str) -> None:
        """Note the settings of a class and of those in it; files in files nest them deeply."""
        waiting = [(element, name, self.defaults["main"], self.tag_defaults["main"])]
        while waiting:
            element, name, above, above_tags = waiting.pop()
            own, tags = dict(above), {tag: dict(values) for tag, values in above_tags.items()}
            for joint in element.findall("joint"):
                own.update((key, joint.get(key)) for key in _READ if joint.get(key) is not None)
            for equality in element.findall("equality"):
                own[_ACTIVE] = equality.get(_ACTIVE, own.get(_ACTIVE, "true"))
            for child in element:
                if child.tag in _TAGS:
                    tag, keys = _TAGS[child.tag]
                    values = {key: child.get(key) for key in keys if child.get(key) is not None}
                    known = tags.setdefault(tag, {})
                    if any(key in values for key in _TURNS):
                        known = {k: v for k, v in known.items() if k not in _TURNS}
                    tags[tag] = known | values
            self.defaults[name], self.tag_defaults[name] = own, tags
            inner = [(d, self.attribute(d, "class"), own, tags) for d in element.findall("default")]
            waiting += reversed(inner)

    def filled(self, element: Any, childclass: str | None) -> Filled:
        """A <geom>, <site>, <mesh> or actuator with the defaults of its class."""
        name = element.get("class") or childclass or "main"
        if name not in self.tag_defaults:
            self.fail(f"there is no default class {shown(name)}", element)
        defaults = self.tag_defaults[name].get(_TAGS[element.tag][0], {})
        return Filled(element, defaults, turns=True)

    def joint(self, element: Any, childclass: str | None) -> Filled:
        """A <joint> with the defaults of its class."""
        name = element.get("class") or childclass or "main"
        if name not in self.defaults:
            self.fail(f"there is no default class {shown(name)}", element)
        return Filled(element, self.defaults[name])

    def active(self, element: Any) -> bool:
        """Whether an equality constraint holds, by its own word or that of its class."""
        name = element.get("class") or "main"
        if name not in self.defaults:
            self.fail(f"there is no default class {shown(name)}", element)
        return element.get(_ACTIVE, self.defaults[name].get(_ACTIVE, "true")) != "false"

    def turn(self, element: Any) -> np.ndarray:
        """The orientation of an element as a quaternion wxyz, however it is written."""
        if element.get("quat") is not None:
            return self.unit(np.array(self.numbers(element, "quat", 4)), element)
        if element.get("axisangle") is not None:
            *axis, angle = self.numbers(element, "axisangle", 4)
            return exp_map(self.unit(np.array(axis), element) * angle * self.angle)
        if element.get("euler") is not None:
            angles = np.array(self.numbers(element, "euler", 3)) * self.angle
            return self._euler(angles)
        if element.get("xyaxes") is not None:
            values = np.array(self.numbers(element, "xyaxes", 6))
            x = self.unit(values[:3], element)
            y = self.unit(values[3:] - x * (x @ values[3:]), element)
            return matrix_to_quat(np.column_stack([x, y, np.cross(x, y)]))
        if element.get("zaxis") is not None:
            z = self.unit(np.array(self.numbers(element, "zaxis", 3)), element)
            return _shortest_arc(z)
        return np.array([1.0, 0.0, 0.0, 0.0])

    def _euler(self, angles: np.ndarray) -> np.ndarray:
        """Lower-case letters turn about axes that move along, upper-case ones about fixed axes."""
        out = np.array([1.0, 0.0, 0.0, 0.0])
        for letter, angle in zip(self.order, angles, strict=True):
            step = np.zeros(3)
            step["xyz".index(letter.lower())] = angle
            one = exp_map(step)
            out = quat_multiply(out, one) if letter.islower() else quat_multiply(one, out)
        return quat_normalise(out)

    def unit(self, vector: np.ndarray, element: Any) -> np.ndarray:
        """A vector or quaternion of length 1 in the direction of one that an element has."""
        # Divided by its largest number first: the squares of very large ones are not finite.
        vector = vector / max(1.0, float(np.abs(vector).max()))
        length = float(np.linalg.norm(vector))
        if not length > 1e-12:
            self.fail(f"an axis or quaternion of <{element.tag}> has zero length", element)
        return vector / length


def _shortest_arc(z: np.ndarray) -> np.ndarray:
    """The least rotation that brings (0, 0, 1) to z."""
    axis = np.cross([0.0, 0.0, 1.0], z)
    length = float(np.linalg.norm(axis))
    angle = math.atan2(length, float(z[2]))
    if length < 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0]) if z[2] > 0 else np.array([0.0, 1.0, 0.0, 0.0])
    return exp_map(axis / length * angle)

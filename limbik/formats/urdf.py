"""URDF robots into figures.

Every link is a joint of the figure, placed and moved by the URDF joint above it: it has the link's
name, and the URDF joint's name as its alias, after which its coordinate is called.  Lengths are
metres and z is up, as URDF says.  Masses, shapes and speeds are read by urdf_bodies.py.
"""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FigureError, FormatError, LimbikWarning, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.joints import Coupling, Joint, Part, Slide, Turn, exponential, slides, unit_axis
from limbik.figure.limits import Range
from limbik.formats.files import read_bytes
from limbik.formats.remarks import Remarks
from limbik.formats.rest_pose import warn_of_moved
from limbik.formats.text_numbers import shown
from limbik.formats.urdf_bodies import physical_of
from limbik.formats.xml import attribute, check_chains, direction, numbers, parse
from limbik.maths.so3 import euler_to_quat

MAX_LINKS = 10_000
"""A file with more is refused."""

IS_XACRO = "is a xacro file: run xacro on it and load what it prints"
_WIDE = ("floating", "planar")  # move in several ways
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_XACRO = re.compile(r"\{[^}]*xacro")  # whatever address its namespace has
_FILLED_IN = re.compile(r"\$[({]")  # by xacro: ${length}, $(arg prefix)
_READ = ("link", "joint", "origin", "axis", "limit", "mimic", "parent", "child")


def read_figure(path: Path) -> Figure:
    """The robot in a URDF file, at rest in its zero pose or the nearest inside its limits."""
    root = parse(read_bytes(path), path)
    if root.tag != "robot":
        raise FormatError(f"is not URDF: <{_plain(root.tag)}> instead of <robot>", path, 1)
    for element in root.iter():
        values = element.attrib.values() if element.tag in _READ else ()
        if _XACRO.match(str(element.tag)) or any(map(_FILLED_IN.search, values)):
            raise FormatError(IS_XACRO, path, element.sourceline)
    return _Robot(root, path).figure()


def _plain(tag: object) -> str:
    return str(tag).rpartition("}")[2][:40]


class _Robot:
    """The links and joints of a <robot>."""

    def __init__(self, root: Any, path: Path) -> None:
        self._path, self._root = path, root
        self._remarks = Remarks(path)
        self._links = self._named("link")
        self._moves = self._named("joint")
        self._above: dict[str, Any] = {}
        for element in self._moves.values():
            child = self._end(element, "child")
            if child in self._above:
                self._fail(f"link {shown(child)} has two joints above it", element)
            self._above[child] = element
        mimics = [(name, element.find("mimic")) for name, element in self._moves.items()]
        check_chains({k: m.get("joint") or "" for k, m in mimics if m is not None}, path)

    def _fail(self, message: str, element: Any) -> Any:
        raise FormatError(message, self._path, element.sourceline)

    def _named(self, tag: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for element in self._root.findall(tag):
            name = attribute(element, "name", self._path)
            if name in found:
                self._fail(f"there are two {tag}s {shown(name)}", element)
            found[name] = element
            if len(found) > MAX_LINKS:
                self._fail(f"has more than {MAX_LINKS} {tag}s", element)
        if tag == "link" and not found:
            self._fail("has no links", self._root)
        return found

    def _end(self, element: Any, which: str) -> str:
        end = element.find(which)
        if end is None:
            self._fail(f"joint {shown(element.get('name'))} has no <{which}>", element)
        link = attribute(end, "link", self._path)
        if link not in self._links:
            hint = did_you_mean(link[:80], self._links)
            self._fail(f"there is no link {shown(link)}{hint}", end)
        return link

    def figure(self) -> Figure:
        joints = [self._joint(link) for link in self._links]
        roots = [joint.name for joint in joints if joint.parent is None]
        if len(roots) > 1:
            text = f"{self._path.name}: {len(roots)} links hang on nothing: {', '.join(roots[:4])}"
            warnings.warn(text, LimbikWarning, stacklevel=4)
        self._remarks.warn(stacklevel=4)
        name = self._root.get("name") or self._path.stem
        try:
            physical = physical_of(self._links, self._moves, joints, self._path)
            figure = Figure(joints, name=name, unit="m", up="z", physical=physical)
        except FigureError as error:
            raise FormatError(str(error), self._path) from error
        warn_of_moved(figure, 0.0, "0", self._path)
        return figure

    def _joint(self, link: str) -> Joint:
        element = self._above.get(link)
        if element is None:
            return Joint(link)
        name = attribute(element, "name", self._path)
        kind = attribute(element, "type", self._path)
        if kind not in KINDS:
            hint = did_you_mean(kind[:40], KINDS)
            self._fail(f"joint {shown(name)} is of type {shown(kind)}{hint}", element)
        place, turn = (0.0, 0.0, 0.0), np.array([1.0, 0.0, 0.0, 0.0])
        origin = element.find("origin")
        if origin is not None:
            place = numbers(origin, "xyz", 3, self._path, (0.0, 0.0, 0.0))
            roll, pitch, yaw = numbers(origin, "rpy", 3, self._path, (0.0, 0.0, 0.0))
            turn = euler_to_quat([yaw, pitch, roll], "ZYX")
        limit = self._limit(element, kind, name)
        held = self._held(element, kind)
        limit = limit if held is None else Range(held, held, degrees=False)
        return Joint(
            link,
            self._end(element, "parent"),
            self._parts(element, kind, name),
            (place[0], place[1], place[2]),
            tuple(float(v) for v in turn),  # type: ignore[arg-type]
            limit,
            alias=name,
        )

    def _parts(self, element: Any, kind: str, name: str) -> tuple[Part, ...]:
        if kind == "fixed":
            return ()
        if kind == "floating":
            return slides() + exponential()
        given = element.find("axis")
        try:
            along = (1.0, 0.0, 0.0) if given is None else direction(given, "xyz", self._path)
            axis = unit_axis(along, f"axis of joint {shown(name)}")
        except FigureError as error:
            return self._fail(str(error), element)
        if kind == "planar":
            # Two slides in the plane and a turn about its normal.
            first = np.eye(3)[int(np.argmin(np.abs(axis)))]
            u = unit_axis(first - np.array(axis) * (first @ np.array(axis)))
            v = unit_axis(np.cross(axis, u))
            return (Slide(u, "t1"), Slide(v, "t2"), Turn(axis))
        coupled = self._mimic(element)
        if kind == "prismatic":
            return (Slide(axis, coupled=coupled),)
        return (Turn(axis, coupled=coupled),)

    def _mimic(self, element: Any) -> Coupling | None:
        mimic = element.find("mimic")
        if mimic is None:
            return None
        other = attribute(mimic, "joint", self._path)
        if other not in self._moves:
            own = element.get("name")
            self._remarks.add("mimic", own, lambda: self._no_joint(own, other))
            return None
        driver = self._moves[other].get("type")
        if driver == "fixed":
            return None
        if driver in _WIDE:
            own = shown(element.get("name"))
            self._fail(f"joint {own} mimics {shown(other)}, which is {driver}", mimic)
        scale = numbers(mimic, "multiplier", 1, self._path, (1.0,))[0]
        shift = numbers(mimic, "offset", 1, self._path, (0.0,))[0]
        return Coupling(other, scale, shift)

    def _no_joint(self, own: str, other: str) -> str:
        hint = did_you_mean(other, self._moves)
        what = f"joint {shown(own)} mimics {shown(other)}, which is not a joint{hint}"
        return f"{what}; it moves by itself"

    def _end_of(self, limit: Any, which: str) -> float:
        endless = {"lower": ("-inf", -math.inf), "upper": ("inf", math.inf)}
        word, end = endless[which]
        if (limit.get(which) or "").strip().lower().removeprefix("+") == word:
            return end
        return numbers(limit, which, 1, self._path, (0.0,))[0]

    def _held(self, element: Any, kind: str) -> float | None:
        """Where a joint stays that mimics one that is fixed, whose value is always 0."""
        mimic = element.find("mimic")
        driver = None if mimic is None else self._moves.get(mimic.get("joint") or "")
        if driver is None or driver.get("type") != "fixed" or kind in ("fixed", *_WIDE):
            return None
        return numbers(mimic, "offset", 1, self._path, (0.0,))[0]

    def _limit(self, element: Any, kind: str, name: str) -> Range | None:
        if kind not in ("revolute", "prismatic"):
            return None
        limit = element.find("limit")
        if limit is None:
            text = f"{kind} joint {shown(name)} has no <limit>; it is unlimited"
            self._remarks.add("no limit", name, text)
            return None
        low, high = (self._end_of(limit, which) for which in ("lower", "upper"))
        if low > high:  # Bullet's way to say that a joint is free
            text = f"joint {shown(name)}: lower limit {low:g} is above {high:g}; it is unlimited"
            self._remarks.add("upside down", name, text)
            return None
        if low == high == 0.0 and limit.get("lower") is None and limit.get("upper") is None:
            text = f"the <limit> of {shown(name)} has no ends; it is unlimited"
            self._remarks.add("no ends", name, text)
            return None
        return Range(low, high, degrees=False)

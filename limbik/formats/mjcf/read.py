"""MJCF models (MuJoCo's XML) into figures, and their keyframes into motions.

Every body is a joint of the figure, with the body's name.  Its last MJCF joint moves it; those
before it, and those that turn about a point beside the body's origin, are joints of the figure of
their own, so that every hinge and slide keeps its name and its range.  q is MuJoCo's qpos, but for
free and ball joints, whose rotations are rotation vectors here.

MuJoCo itself is not asked: it would refuse a model without its meshes, and run its own code on
files of unknown origin.  It is the independent check in the tests.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FigureError, FormatError, NoMotionError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.joints import (
    Coupling,
    Joint,
    Part,
    Slide,
    Turn,
    Vector,
    exponential,
    slides,
    unit_axis,
)
from limbik.figure.limits import Range, SwingTwist
from limbik.figure.motion import Motion
from limbik.formats.mjcf.bodies import Bodies
from limbik.formats.mjcf.couplings import couplings
from limbik.formats.mjcf.efforts import efforts_of
from limbik.formats.mjcf.tree import Tree
from limbik.formats.rest_pose import warn_of_moved
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import exp_map, log_map, quat_multiply, quat_normalise, quat_rotate

MAX_BODIES, MAX_JOINTS, MAX_KEYS = 10_000, 10_000, 100_000
"""A model with more bodies, joints or keyframes is refused."""

KINDS = ("hinge", "slide", "ball", "free")
_MAKERS = ("replicate", "composite", "flexcomp", "attach")


def read_figure(path: Path) -> Figure:
    """The model in an MJCF file, at rest where MuJoCo puts it (qpos0)."""
    with _quietly():
        return _Model(Tree(path)).figure()


def read_motion(path: Path, figure: Figure | None = None) -> Motion:
    """The keyframes of an MJCF file, one frame a key, at one frame a second."""
    with _quietly():
        model = _Model(Tree(path))
        own, keys = model.figure(), model.keys()
    try:
        motion = Motion(own, keys, 1.0, path.stem)
        return motion if figure is None else motion.onto(figure)
    except FigureError as error:
        raise FormatError(str(error), path) from error


def _quietly() -> np.errstate:
    """Lengths that grow beyond all numbers are refused by the figure, and need no warning."""
    return np.errstate(over="ignore", invalid="ignore")


class _Model:
    """Bodies and joints of a model, gathered from its tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree, self._path = tree, tree.path
        self._joints: list[Joint] = []
        self._rest: list[float] = []
        self._reference: dict[str, float] = {}
        self._bodies = 0
        self._uses: dict[str, int] = {}
        self._widths: list[tuple[str, int]] = []
        self._rules = couplings(tree)
        self._driven: list[tuple[int, str]] = []
        self._bodies_of, self._moves = Bodies(tree), list[tuple[str, str, Any]]()
        stack = [(world, None, None, (np.zeros(3), _IDENTITY)) for world in self._worlds()]
        while stack:
            element, parent, childclass, frame = stack.pop()
            if element.tag in _MAKERS and _makes_bodies(element):
                tree.fail(f"<{element.tag}> is not supported", element)
            if element.tag not in ("worldbody", "frame", "body"):
                if parent is not None and isinstance(element.tag, str):
                    self._bodies_of.add(element, parent, childclass, frame)
                continue
            childclass = element.get("childclass") or childclass
            if element.tag != "worldbody":
                frame = self._placed(element, frame)
            if element.tag == "body":
                above, parent = parent, self._body(element, parent, childclass, frame)
                self._bodies_of.body(element, parent, above, frame)
                frame = (np.zeros(3), _IDENTITY)
            stack += [(child, parent, childclass, frame) for child in reversed(element)]
        self._couple()

    def _worlds(self) -> list[Any]:
        found = self._tree.root.findall("worldbody")
        if not found:
            self._tree.fail("has no <worldbody>", self._tree.root)
        return list(reversed(found))

    def _placed(self, element: Any, frame: tuple[np.ndarray, np.ndarray]) -> Any:
        """(place, turn) of an element on the body above, which may stand in frames."""
        place = np.array(self._tree.numbers(element, "pos", 3, (0.0, 0.0, 0.0)))
        turn = self._tree.turn(element)
        return frame[0] + quat_rotate(frame[1], place), quat_multiply(frame[1], turn)

    def _unique(self, name: str) -> str:
        """The name, with a number where it was used before: "leg", "leg_2", "leg_3"."""
        free = name
        while free in self._uses:
            self._uses[name] += 1
            free = f"{name}_{self._uses[name]}"
        self._uses[free] = 1
        return free

    def _body(self, element: Any, parent: str | None, childclass: str | None, frame: Any) -> str:
        self._bodies += 1
        if self._bodies > MAX_BODIES:
            self._tree.fail(f"has more than {MAX_BODIES} bodies", element)
        place, turn = frame
        moves = [child for child in element if child.tag in ("joint", "freejoint")]
        if len(self._widths) + len(moves) > MAX_JOINTS:
            self._tree.fail(f"has more than {MAX_JOINTS} joints", element)
        moves = [self._tree.joint(m, childclass) if m.tag == "joint" else m for m in moves]
        name = self._unique(element.get("name") or f"body{self._bodies}")
        at = np.zeros(3)
        for k, move in enumerate(moves):
            kind = "free" if move.tag == "freejoint" else move.get("type") or "hinge"
            if kind not in KINDS:
                hint = did_you_mean(kind[:40], KINDS)
                self._tree.fail(f"{shown(kind)} is not a kind of joint{hint}", move)
            point = np.array(self._tree.numbers(move, "pos", 3, (0.0, 0.0, 0.0)))
            if kind == "free":
                if parent is not None or len(moves) > 1:
                    self._tree.fail("a free joint must be the only one of a top body", move)
                self._rest += [*place, *log_map(turn)]
                place, turn, point = np.zeros(3), _IDENTITY, np.zeros(3)
            own = move.get("name") or f"{name}_joint{k + 1 if len(moves) > 1 else ''}"
            last = k == len(moves) - 1 and not point.any()
            offset = place + quat_rotate(turn, point - at)
            label = name if last else self._unique(own)
            self._joints.append(self._moving(move, kind, label, own, parent, offset, turn))
            parent, place, turn, at = label, np.zeros(3), _IDENTITY, point
            if last:
                return name
        self._joints.append(Joint(name, parent, (), _vector(place - at), _quat(turn)))
        return name

    def _moving(
        self, move: Any, kind: str, name: str, own: str, parent: str | None, offset: Any, turn: Any
    ) -> Joint:
        """One MJCF joint; its reference value goes into the fixed placement before it."""
        self._widths.append((kind, {"free": 7, "ball": 4}.get(kind, 1)))
        alias = own if own != name else ""
        if kind == "free":
            parts = slides() + exponential()
            return Joint(name, parent, parts, _vector(offset), _quat(turn), alias=alias)
        if kind == "ball":
            self._rest += [0.0] * 3
            limit = self._ball_limit(move)
            return Joint(
                name, parent, exponential(), _vector(offset), _quat(turn), limit, alias=alias
            )
        try:
            axis = unit_axis(self._tree.direction(move, "axis", (0.0, 0.0, 1.0)), "axis")
        except FigureError as error:
            self._tree.fail(str(error), move)
        self._moves.append((name, own, move))
        scale = self._tree.angle if kind == "hinge" else 1.0
        zero = self._tree.numbers(move, "ref", 1, (0.0,))[0] * scale
        rule = self._rules.get(own)
        if rule is not None and rule.other:
            self._driven.append((len(self._joints), own))
        else:
            self._rest.append(zero)
        self._reference[own] = zero
        part: Part
        if kind == "hinge":
            turn = quat_multiply(turn, exp_map(-zero * np.array(axis)))
            part = Turn(axis)
        else:
            offset = offset - quat_rotate(turn, zero * np.array(axis))
            part = Slide(axis)
        limit = self._range(move, scale)
        if rule is not None and not rule.other:
            limit = Range(zero + rule.shift, zero + rule.shift, degrees=False)
        return Joint(name, parent, (part,), _vector(offset), _quat(turn), limit, alias=alias)

    def _couple(self) -> None:
        """Tie the joints that follow others to them, now that every reference value is known."""
        for name, rule in self._rules.items():
            for end in filter(None, (name, rule.other)):
                if end not in self._reference:
                    hint = did_you_mean(end[:80], self._reference)
                    self._tree.fail(f"there is no hinge or slide {shown(end)}{hint}", rule.element)
        for i, name in self._driven:
            rule, joint = self._rules[name], self._joints[i]
            shift = self._reference[name] + rule.shift - rule.scale * self._reference[rule.other]
            (part,) = joint.parts
            assert isinstance(part, Turn | Slide)
            part = replace(part, coupled=Coupling(rule.other, rule.scale, shift))
            self._joints[i] = replace(joint, parts=(part,))

    # ---- limits, keys --------------------------------------------------------------------------

    def _limited(self, move: Any) -> bool:
        limited = move.get("limited", "auto")
        if limited == "auto" and self._tree.autolimits and move.get("range") is not None:
            low, high = self._tree.numbers(move, "range", 2)
            return low < high  # as MuJoCo has it: "0 0" in a class takes the range away again
        return limited == "true"

    def _range(self, move: Any, scale: float) -> Range | None:
        if not self._limited(move):
            return None
        low, high = self._tree.numbers(move, "range", 2, (0.0, 0.0))
        if low > high:
            self._tree.fail(f"range: lower {low:g} is above {high:g}", move)
        return Range(low * scale, high * scale, degrees=False)

    def _ball_limit(self, move: Any) -> SwingTwist | None:
        """MuJoCo limits how far a ball turns; the cone and the twist range that enclose that."""
        if not self._limited(move):
            return None
        most = self._tree.numbers(move, "range", 2, (0.0, 0.0))[1] * self._tree.angle
        if not 0.0 < most < math.pi:
            return None
        return SwingTwist(swing=most, twist=(-most, most))

    def figure(self) -> Figure:
        if not self._joints:
            self._tree.fail("has no bodies", self._tree.root)
        name = self._tree.root.get("model") or self._path.stem
        physical = self._bodies_of.physical(efforts_of(self._tree, self._moves))
        try:
            figure = Figure(
                self._joints, rest=self._rest, name=name, unit="m", up="z", physical=physical
            )
        except FigureError as error:
            raise FormatError(str(error), self._path) from error
        warn_of_moved(figure, self._rest, "the reference pose", self._path)
        return figure

    def keys(self) -> np.ndarray:
        """(keys, n) the poses of <keyframe>."""
        rows = []
        width = sum(count for _, count in self._widths)
        for key in self._tree.root.iterfind("keyframe/key"):
            if key.get("qpos") is not None:
                values = np.array(self._tree.numbers(key, "qpos", width))
                rows.append(self._from_qpos(values))
                if len(rows) > MAX_KEYS:
                    self._tree.fail(f"has more than {MAX_KEYS:,} keyframes", key)
        if not rows:
            raise NoMotionError("has no keyframes with a qpos", self._path)
        return np.array(rows)

    def _from_qpos(self, qpos: np.ndarray) -> np.ndarray:
        out: list[float] = []
        at = 0
        coupled = [p.coupled is not None for joint in self._joints for p in joint.parts[:1]]
        for (kind, width), driven in zip(self._widths, coupled, strict=True):
            values = qpos[at : at + width]
            at += width
            if kind in ("free", "ball"):
                out += [*values[:-4], *log_map(_unit_or_identity(values[-4:]))]
            elif not driven:
                out.append(float(values[0]))
        return np.array(out)


_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def _makes_bodies(element: Any) -> bool:
    """Whether an element that makes others makes bodies; copies of shapes alone move nothing."""
    moving = ("body", "joint", "freejoint", *_MAKERS[1:])
    return element.tag != "replicate" or next(element.iter(*moving), None) is not None


def _unit_or_identity(wxyz: np.ndarray) -> np.ndarray:
    """A quaternion of length 1; one of zero length is no rotation, as in MuJoCo's keyframes."""
    largest = float(np.abs(wxyz).max())
    return quat_normalise(wxyz / largest) if largest > 1e-15 else _IDENTITY


def _vector(values: np.ndarray) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))


def _quat(values: np.ndarray) -> tuple[float, float, float, float]:
    return (float(values[0]), float(values[1]), float(values[2]), float(values[3]))

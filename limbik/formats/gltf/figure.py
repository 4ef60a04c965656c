"""The nodes of a glTF file as the joints of a figure.

Joints (rig.py says which nodes they are) are swing–twist balls whose twist runs along the
bone; the rest pose, q = 0, is the pose of the nodes.  A root is free: three slides along the
world's axes, which are its place in the world, and a ball by exponential map, since it may turn
right round.  Scales are worked into the offsets, so joints are where the file has them; unequal
scales above joints, and shears, are right in the rest pose and said in a warning.

Clips that shift a joint by more than ``SHIFTED`` of the figure's size, as cartoon rigs do, give it
three slides, limited to how far the clips take it.  Smaller shifts are left out.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from limbik.errors import FigureError, FormatError, LimbikWarning
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Part, Slide, Vector, exponential, swing_twist, unit_axis
from limbik.figure.limits import Range
from limbik.figure.tree.order import ordered
from limbik.formats.gltf.animation import Channel
from limbik.formats.gltf.rig import Layout
from limbik.formats.gltf.scale import factors
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import matrix_to_quat

SHIFTED = 5e-3
"""A shift by a larger share of the figure's size makes a joint slide."""

_UNBOUNDED = 1e6  # times that a scale grows, beyond which its joints slide without limits


def figure_of(layout: Layout) -> Figure:
    """The figure of a file's joints; its ``source`` is the rig."""
    try:
        return _Builder(layout).figure()
    except FigureError as error:
        raise FormatError(str(error), layout.rig.document.path) from error


class _Builder:
    """Joints of a figure from the nodes of a rig."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._rig = layout, layout.rig
        self._nodes = layout.rig.nodes
        self._world = {
            name: self._nodes.world(bound.node) for name, bound in self._rig.bound.items()
        }
        self._children: dict[str, list[str]] = {name: [] for name in self._world}
        for name, parent in layout.parents.items():
            if parent is not None:
                self._children[parent].append(name)
        self._shifts: dict[int, list[Channel]] = {}
        for clip in self._rig.clips.values():
            for (node, path), channel in clip.channels.items():
                if path == "translation":
                    self._shifts.setdefault(node, []).append(channel)
        self._factors = factors(self._rig)
        places = np.array([world.place for world in self._world.values()])
        with np.errstate(over="ignore"):
            size = float(np.linalg.norm(places.max(axis=0) - places.min(axis=0)))
        self._size = size if math.isfinite(size) and size > 0.0 else 1.0

    def figure(self) -> Figure:
        joints = ordered(tuple(self._joint(joint) for joint in self._layout.parents))
        self._warn_of_unequal_scales()
        rest: list[float] = []
        for joint in joints:
            place = self._world[joint.name].place if joint.parent is None else np.zeros(3)
            rest += [*place, *[0.0] * joint.width][: joint.width]
        return Figure(
            joints, rest=rest, name=self._rig.document.path.stem, unit="m", up="y", source=self._rig
        )

    def _warn_of_unequal_scales(self) -> None:
        bound, nodes = self._rig.bound, self._nodes
        bad = [name for name in bound if self._children[name] and nodes.unequal(bound[name].node)]
        # Unequal scales of a joint itself do no harm while its children have none.
        bad = [name for name in bad if any(self._children[k] for k in self._children[name])]
        bad += [
            name
            for name, b in bound.items()
            if b.anchor is None
            and nodes.parents[b.node] >= 0
            and nodes.unequal(nodes.parents[b.node])
        ]
        if bad:
            text = f"the scale at {shown(bad[0])} differs between directions or has a shear"
            more = f" (and at {len(bad) - 1} more joints)" if len(bad) > 1 else ""
            text += f"{more}; joints are where the file has them at rest, and nearly so in motion"
            warnings.warn(f"{self._rig.document.path.name}: {text}", LimbikWarning, stacklevel=5)

    def _joint(self, name: str) -> Joint:
        world, parent = self._world[name], self._layout.parents[name]
        if parent is None:
            turn = world.frame
            parts: tuple[Part, ...] = (*_slides(turn.T), *exponential(self._twist(name)))
            return Joint(name, None, parts, (0.0, 0.0, 0.0), _wxyz(turn), tip=self._tip(name))
        above = self._world[parent]
        turn = above.frame.T @ world.frame
        offset = _vector(above.frame.T @ (world.place - above.place))
        parts, limit = (), None
        if name in self._layout.moving:
            parts = swing_twist(self._twist(name))
            limit = self._shift(name)
            if limit is not None:
                parts = _slides(turn.T @ self._rig.bound[name].turn) + parts
        return Joint(name, parent, parts, offset, _wxyz(turn), limit, self._tip(name))

    def _shift(self, name: str) -> Range | None:
        """The range of a joint's slides, where clips shift it far enough; the ball has none."""
        if self._rig.flat:
            return None  # flat joints are shifted by the turns of those they should hang on
        low, high = self._travel(name)
        if max(-low.min(), high.max()) <= SHIFTED * self._size:
            return None
        spare = 1e-9 * self._size  # rounding must not put the clips outside
        return Range(
            [*(low - spare), *[-math.inf] * 3],
            [*(high + spare), *[math.inf] * 3],
            degrees=False,
        )

    def _travel(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """(3,) how far clips shift a joint's node from its place, least and most, along the axes of
        its parent, in the world's unit."""
        bound = self._rig.bound[name]
        axes = bound.turn.T @ bound.linear
        rest = self._nodes.local(bound.node).place
        low, high = np.zeros(3), np.zeros(3)
        for channel in self._shifts.get(bound.node, ()):
            least, most = channel.hull
            # The corners of the box between them, scaled, enclose it again.
            one, other = axes * (least - rest), axes * (most - rest)
            low = np.minimum(low, np.minimum(one, other).sum(axis=1))
            high = np.maximum(high, np.maximum(one, other).sum(axis=1))
        if name in self._factors:
            # Where scales change, the place (rest and shift) is as many times as far away.
            at = axes @ rest
            least, most = self._factors[name]
            if most - least > _UNBOUNDED:
                return np.full(3, -math.inf), np.full(3, math.inf)
            ends = [factor * (at + end) - at for factor in (least, most) for end in (low, high)]
            low, high = np.min([low, *ends], axis=0), np.max([high, *ends], axis=0)
            # What unequal scales do to the direction is between these factors too.
            aside = 0.5 * (most - least) * float(np.abs([at + low, at + high, at]).max())
            low, high = low - aside, high + aside
        return low, high

    def _twist(self, name: str) -> list[float]:
        """Where the bone goes in the joint's frame: to its children, to a node at its end, or on
        in the direction it came from."""
        world, parent = self._world[name], self._layout.parents[name]
        ends = [self._world[child].place - world.place for child in self._children[name]]
        tip = self._tip(name)
        along = np.zeros(3)
        if ends:
            longest = max(ends, key=lambda end: float(np.linalg.norm(end)))
            along = np.mean(ends, axis=0)
            if np.linalg.norm(along) < 0.1 * np.linalg.norm(longest):
                along = longest
        elif tip is not None:
            along = world.frame @ np.array(tip)
        elif parent is not None:
            along = world.place - self._world[parent].place
        if not np.linalg.norm(along) > 1e-6 * self._size:
            return [0.0, 1.0, 0.0]
        return list(unit_axis(world.frame.T @ along))

    def _tip(self, name: str) -> Vector | None:
        """The end of a last bone, where one node without a mesh hangs there ("head_end")."""
        i = self._rig.bound[name].node
        below = self._nodes.children[i]
        if self._children[name] or len(below) != 1 or self._nodes.children[below[0]]:
            return None
        entry = self._rig.document.entry("nodes", below[0])
        if {"mesh", "camera", "extensions"} & set(entry):
            return None
        world = self._world[name]
        tip = world.frame.T @ (self._nodes.world(below[0]).place - world.place)
        return _vector(tip) if np.linalg.norm(tip) > 1e-6 * self._size else None


def _slides(axes: np.ndarray) -> tuple[Part, ...]:
    """Slides along three axes, the columns of a matrix, in the joint's turned frame."""
    return tuple(Slide(unit_axis(axes[:, k]), "t" + "xyz"[k]) for k in range(3))


def _vector(values: np.ndarray) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))


def _wxyz(turn: np.ndarray) -> tuple[float, float, float, float]:
    w, x, y, z = (float(v) for v in matrix_to_quat(turn))
    return (w, x, y, z)

"""The nodes of a glTF file: a forest of transforms, and the rigid frames inside them.

A node's transform on its parent is translate(t)·R·S.  Its scale S reaches everything below it,
while a joint here is rigid.  So for each node: A, the linear part of its world transform, and its
frame F = Q·R, a rotation, where Q is the rotation in its parent's A.  As long as A is Q times one
number (negative ones mirror), turning R turns everything below rigidly, and F⁻¹·A never changes.
Under unequal scales it does; the file is then right in its rest pose and nearly so elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.formats.gltf.file import Document
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import quat_normalise, quat_to_matrix

FAR = 1e30
"""A place or a scale beyond this is refused: its square must be a number still."""

UNEQUAL = 1e-3
"""Scales that differ by a larger share than this count as unequal."""


class Local(NamedTuple):
    """A node on its parent: translate(place)·turn·stretch, the stretch (3, 3) diagonal unless the
    node's matrix has a shear."""

    place: np.ndarray
    turn: np.ndarray
    stretch: np.ndarray
    given_as_matrix: bool


@dataclass(frozen=True, eq=False)
class World:
    """A node in the world: its position, its linear part A, its frame F, and Q of its children."""

    place: np.ndarray
    linear: np.ndarray
    frame: np.ndarray
    below: np.ndarray


_ORIGIN = World(np.zeros(3), np.eye(3), np.eye(3), np.eye(3))


class Nodes:
    """All nodes of a file: who hangs on whom, and transforms as they are asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document
        count = document.count("nodes")
        if count == 0:
            document.fail("has no nodes")
        self.parents = [-1] * count
        self.children: list[list[int]] = []
        for i in range(count):
            entry = document.entry("nodes", i)
            found = document.listed(entry, "children", f"node {i}: its children")
            below = [
                document.whole_number(k, f"node {i}: its children", 0, count - 1) for k in found
            ]
            self.children.append(below)
            for k in below:
                if self.parents[k] >= 0:
                    document.fail(f"node {k} hangs on node {self.parents[k]} and on node {i}")
                self.parents[k] = i
        self._check_cycles()
        self._depth, self._jump = self._shortcuts()
        self._local: dict[int, Local] = {}
        self._world: dict[int, World] = {-1: _ORIGIN}

    def __len__(self) -> int:
        return len(self.parents)

    def _check_cycles(self) -> None:
        order = [i for i, parent in enumerate(self.parents) if parent < 0]
        for i in order:
            order += self.children[i]
        if len(order) < len(self.parents):
            i = min(set(range(len(self.parents))) - set(order))
            self._document.fail(f"node {i} hangs below itself")
        self.order = order
        """Every node, parents before children."""

    def _shortcuts(self) -> tuple[list[int], list[int]]:
        """The depth of every node, and a node far above it: so placed that any node above is
        reached in steps that grow with the logarithm of the depth (Myers 1983)."""
        depth, jump = [0] * len(self), [-1] * len(self)
        for i in self.order:
            parent = self.parents[i]
            if parent >= 0:
                depth[i] = depth[parent] + 1
                far = jump[parent]
                twice = far >= 0 and jump[far] >= 0
                even = twice and depth[parent] - depth[far] == depth[far] - depth[jump[far]]
                jump[i] = jump[far] if even else parent
        return depth, jump

    def common(self, one: int, other: int) -> int:
        """The lowest node that is both or above both, −1 where there is none."""
        if min(one, other) < 0:
            return -1
        if self._depth[one] < self._depth[other]:
            one, other = other, one
        while self._depth[one] > self._depth[other]:
            far = self._jump[one]
            one = far if self._depth[far] >= self._depth[other] else self.parents[one]
        while one != other:
            # Nodes of equal depth have shortcuts of equal length.
            if self._jump[one] == self._jump[other]:
                one, other = self.parents[one], self.parents[other]
            else:
                one, other = self._jump[one], self._jump[other]
        return one

    def title(self, i: int) -> str:
        """A node for people."""
        name = self._document.name(self._document.entry("nodes", i))
        return f"node {i} {shown(name)}" if name else f"node {i}"

    def local(self, i: int) -> Local:
        """The transform of a node on its parent."""
        if i not in self._local:
            self._local[i] = self._read(i)
        return self._local[i]

    def _read(self, i: int) -> Local:
        local = self._parse(i)
        if not (np.abs(local.place).max() < FAR and np.abs(local.stretch).max() < FAR):
            self._document.fail(f"{self.title(i)}: its transform is beyond all bounds")
        return local

    def _parse(self, i: int) -> Local:
        document, what = self._document, f"node {i}"
        entry = document.entry("nodes", i)
        if entry.get("matrix") is not None:
            values = document.numbers(entry, "matrix", np.eye(4).ravel().tolist(), what)
            matrix = np.array(values).reshape(4, 4).T
            if np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max() > 1e-6:
                document.fail(f"{what}: the last row of its matrix is not 0, 0, 0, 1")
            turn = self._rotation_in(matrix[:3, :3], i)
            return Local(matrix[:3, 3], turn, turn.T @ matrix[:3, :3], True)
        place = np.array(document.numbers(entry, "translation", (0.0, 0.0, 0.0), what))
        x, y, z, w = document.numbers(entry, "rotation", (0.0, 0.0, 0.0, 1.0), what)
        scale = document.numbers(entry, "scale", (1.0, 1.0, 1.0), what)
        length = max(abs(v) for v in (w, x, y, z))
        if length < 1e-6:
            document.fail(f"{what}: its rotation has length 0")
        wxyz = quat_normalise(np.array([w, x, y, z]) / length)
        return Local(place, quat_to_matrix(wxyz), np.diag(scale), False)

    def _rotation_in(self, linear: np.ndarray, i: int) -> np.ndarray:
        """The rotation Q nearest to A, or to −A where A mirrors."""
        with np.errstate(all="ignore"):
            largest = float(np.abs(linear).max())
            # Squares of huge or tiny entries would over- or underflow.
            scaled = linear / largest if 0.0 < largest < np.inf else np.eye(3)
            if not np.isfinite(scaled).all():
                self._document.fail(f"{self.title(i)}: its transform is not finite")
            u, _, vt = np.linalg.svd(scaled)
        turn = u @ vt
        # For a mirror det(u·vᵀ) is −1: −u·vᵀ is a rotation, and A is it times a negative number.
        return turn if np.linalg.det(turn) > 0.0 else -turn

    def world(self, i: int) -> World:
        """A node in the world, at rest."""
        chain = []
        while i not in self._world:
            chain.append(i)
            i = self.parents[i]
        for k in reversed(chain):
            self._world[k] = self._placed(self._world[self.parents[k]], k)
        return self._world[chain[0] if chain else i]

    def _placed(self, parent: World, i: int) -> World:
        local = self.local(i)
        with np.errstate(all="ignore"):
            place = parent.place + parent.linear @ local.place
            frame = parent.below @ local.turn
            linear = parent.linear @ local.turn @ local.stretch
        if not (np.abs(place).max() < FAR and np.abs(linear).max() < FAR):
            self._document.fail(f"{self.title(i)}: its place in the world is not finite")
        return World(place, linear, frame, self._rotation_in(linear, i))

    def unequal(self, i: int) -> bool:
        """Whether a node's scale in the world differs between directions, so that turning what
        hangs on it is not rigid."""
        linear = self.world(i).linear
        size = float(np.abs(linear).max())
        if size == 0.0:
            return False
        values = np.linalg.svd(linear / size, compute_uv=False)
        return bool(values[2] < (1.0 - UNEQUAL) * values[0])

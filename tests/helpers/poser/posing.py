"""A person who poses a body in a session, and what a body does, in degrees and centimetres.

Centimetres are those of a body of the built-in human's height, whatever unit a file has.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from helpers.poser.poser_talk import Talk
from limbik.humanoid import recognise
from limbik.poser.editing.session import Session
from limbik.posture import Floor

_TRUNK = 0.59  # m from the hips to the head of the built-in human


class Posing(Talk):
    """A talk with a session in terms of roles: ``drag_to("leftHand", place)``."""

    kind = ""

    @classmethod
    def of_file(cls, path: Path, folder: Path) -> Posing:
        (folder / path.name).write_bytes(path.read_bytes())
        return cls(Session.of_files([path.name], folder))

    def begin(self) -> Posing:
        """Remember the pose as the one to compare with; nothing below the floor then counts."""
        session = self.session
        self.body, self.start = recognise(session.figure), session.document
        self.up = np.eye(3)["xyz".index(session.opened.up)]
        self.height = session.opened.floor
        trunk = np.linalg.norm(self.at("head") - self.at("hips"))
        self.metre = float(trunk) / _TRUNK
        left = self.at("leftUpperLeg") - self.at("rightUpperLeg")
        left = left - self.up * (left @ self.up)
        self.left = left / np.linalg.norm(left)
        self.ahead = np.cross(self.left, self.up)
        return self

    def reset(self) -> None:
        """Back to the pose of ``begin``."""
        self.session.drop()
        self.session.document = self.start

    def name(self, role: str) -> str:
        return self.body.roles.get(role, role)

    def at(self, role: str, q: np.ndarray | None = None) -> np.ndarray:
        """(3,) where a joint is."""
        figure = self.session.figure
        q = self.session.document.q if q is None else q
        return figure.positions(q)[figure.index(self.name(role))]

    def way(self, left: float = 0.0, up: float = 0.0, ahead: float = 0.0) -> np.ndarray:
        """(3,) so many metres of a human to the left, up and ahead."""
        return self.metre * (left * self.left + up * self.up + ahead * self.ahead)

    def drag_to(self, role: str, place: np.ndarray, steps: int = 12) -> float:
        """Drag a joint's effector there and let go; how far it ended from there, in cm."""
        start, effector = self.at(role), self.effector(self.name(role))
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            self.session.drag(effector.id, (start + share * (place - start)).tolist(), None)
        self.session.drop()
        return self.centimetres(self.at(role) - place)

    def drag_by(
        self, role: str, left: float = 0.0, up: float = 0.0, ahead: float = 0.0, steps: int = 12
    ) -> float:
        """Drag a joint by so many metres of a human."""
        return self.drag_to(role, self.at(role) + self.way(left, up, ahead), steps)

    def centimetres(self, way: np.ndarray) -> float:
        return 100.0 * float(np.linalg.norm(way)) / self.metre

    def moved(self, role: str, since: np.ndarray | None = None) -> float:
        """How far a joint has moved from the first pose, in cm."""
        return self.centimetres(self.at(role) - self.at(role, self._since(since)))

    def turned(self, role: str, since: np.ndarray | None = None) -> float:
        """By how many degrees a joint has turned in the world."""
        figure = self.session.figure
        frames = figure.frames(np.stack([self._since(since), self.session.document.q]))
        one, two = frames[:, figure.index(self.name(role)), :3, :3]
        return float(np.degrees(Rotation.from_matrix(two @ one.T).magnitude()))

    def depth(self) -> float:
        """How far the lowest point is below the floor (or below where it was in the first pose,
        where that was lower), in cm; negative above."""
        figure, floor = self.session.figure, Floor(self.height)
        first = [max(0.0, d) for _, d in floor.depths(figure, self.start.q)]
        now = [d for _, d in floor.depths(figure, self.session.document.q)]
        return 100.0 * max(n - f for n, f in zip(now, first, strict=True)) / self.metre

    def _since(self, q: np.ndarray | None) -> np.ndarray:
        return self.start.q if q is None else q

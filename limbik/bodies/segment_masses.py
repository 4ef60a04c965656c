"""The masses of a person's body segments, for bodies whose files have none.

From P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", Journal of
Biomechanics 29 (1996), 1223–1230, table 4, men: shares of the whole mass, where the centre of mass
lies between the joints, and radii of gyration as shares of a segment's length.

The table speaks of points on the skin where a skeleton has joints: a trunk of three parts lies
along the spine from the middle of the hips to the neck, each part at the height that its ends have
there; head and neck are one segment from the neck on; a foot's mass is put two fifths of the way
from the ankle to the toes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.physical.properties import Inertia, merged, moments_of
from limbik.humanoid import recognise

MASS = 73.0
"""kg: the mean of the men in the table."""


class Segment(NamedTuple):
    """mass: share of the whole; center: share of the way from its first end to its second;
    along, across: radii of gyration about and across that line, shares of its length."""

    mass: float
    center: float
    along: float
    across: float


LIMBS = {
    ("UpperArm", "LowerArm"): Segment(0.0271, 0.5772, 0.158, 0.277),
    ("LowerArm", "Hand"): Segment(0.0162, 0.4574, 0.121, 0.271),
    ("UpperLeg", "LowerLeg"): Segment(0.1416, 0.4095, 0.149, 0.329),
    ("LowerLeg", "Foot"): Segment(0.0433, 0.4395, 0.102, 0.249),
}
"""Segments between two joints of a limb, by their roles."""

HAND = Segment(0.0061, 0.7900, 0.401, 0.571)
FOOT = Segment(0.0137, 0.4000, 0.124, 0.251)
HEAD = Segment(0.0694, 0.4998, 0.261, 0.309)
TRUNK = (
    (0.094, 0.1457, Segment(0.1117, 0.0, 0.587, 0.583)),
    (0.438, 0.2155, Segment(0.1633, 0.0, 0.468, 0.433)),
    (0.797, 0.2421, Segment(0.1596, 0.0, 0.465, 0.413)),
)
"""Lower, middle and upper part: how high its centre lies between hips and neck, and its length in m
where those are ``_TRUNK`` apart."""

_TRUNK = 0.6033  # m from the hips to the neck, in the table
_HEAD = 0.2429  # m from the neck to the top of the head
_HAND = 0.3206  # from the wrist to the third knuckle, as a share of the forearm


def segment_masses(figure: Figure) -> tuple[tuple[str, Inertia], ...]:
    """The masses of a body by joint name, ``MASS`` in all; none for a figure that is not a body.

    >>> import limbik
    >>> dict(segment_masses(limbik.figures.human()))["LeftUpLeg"].mass
    10.3368
    """
    body = recognise(figure)
    if body.missing:
        return ()
    found = _Body(figure, body.roles)
    out: dict[str, Inertia] = {}
    for joint, inertia in found.segments():
        out[joint] = merged([out[joint], inertia]) if joint in out else inertia
    return tuple(out.items())


class _Body:
    """A body in its rest pose."""

    def __init__(self, figure: Figure, roles: Mapping[str, str]) -> None:
        self._figure, self._roles = figure, roles
        self._frames = figure.frames(figure.rest)

    def _at(self, joint: str) -> np.ndarray:
        return self._frames[self._figure.index(joint), :3, 3]

    def _role(self, role: str) -> np.ndarray:
        return self._at(self._roles[role])

    def segments(self) -> Iterator[tuple[str, Inertia]]:
        """(joint, mass) of every segment."""
        yield from self._trunk_and_head()
        for side in ("left", "right"):
            for (first, second), segment in LIMBS.items():
                a, b = self._role(side + first), self._role(side + second)
                yield self._segment(self._roles[side + first], segment, a, b)
            elbow, wrist = self._role(f"{side}LowerArm"), self._role(f"{side}Hand")
            knuckle = wrist + _HAND * (wrist - elbow)
            if f"{side}MiddleProximal" in self._roles:
                knuckle = self._role(f"{side}MiddleProximal")
            yield self._segment(self._roles[f"{side}Hand"], HAND, wrist, knuckle)
            ankle = self._role(f"{side}Foot")
            yield self._segment(self._roles[f"{side}Foot"], FOOT, ankle, self._toes(side, ankle))

    def _toes(self, side: str, ankle: np.ndarray) -> np.ndarray:
        """The ball of a foot, or its tip, or the ankle where neither is known."""
        if f"{side}Toes" in self._roles:
            return self._role(f"{side}Toes")
        at = self._figure.index(self._roles[f"{side}Foot"])
        tip = self._figure.definition[at].tip
        return ankle if tip is None else self._frames[at, :3, :3] @ np.array(tip) + ankle

    def _trunk_and_head(self) -> Iterator[tuple[str, Inertia]]:
        names = self._spine()
        hips = 0.5 * (self._role("leftUpperLeg") + self._role("rightUpperLeg"))
        line = np.array([hips, *(self._at(name) for name in names[1:])])
        steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
        height = np.concatenate([[0.0], np.cumsum(steps)])
        whole = float(height[-1])
        for share, length, segment in TRUNK:
            k = min(int(np.searchsorted(height, share * whole, "right")) - 1, len(steps) - 1)
            part = (share * whole - height[k]) / steps[k] if steps[k] > 0.0 else 0.0
            center = line[k] + part * (line[k + 1] - line[k])
            half = 0.5 * length / _TRUNK * whole * _unit(line[-1] - line[0])
            own = segment._replace(center=0.5)
            yield self._segment(names[k], own, center - half, center + half)
        neck, head = line[-1], self._role("head")
        onwards = _unit(head - neck if np.linalg.norm(head - neck) > 0.0 else neck - line[0])
        top = neck + _HEAD / _TRUNK * whole * onwards
        yield self._segment(self._roles["head"], HEAD, neck, top)

    def _spine(self) -> list[str]:
        """The joints from the hips to the neck, or to the head where there is no neck."""
        figure = self._figure
        at = figure.index(self._roles.get("neck", self._roles["head"]))
        hips = figure.index(self._roles["hips"])
        names = [figure.joints[at]]
        while at != hips and figure.parents[at] >= 0:
            at = int(figure.parents[at])
            names.append(figure.joints[at])
        return names[::-1]

    def _segment(
        self, joint: str, segment: Segment, first: np.ndarray, second: np.ndarray
    ) -> tuple[str, Inertia]:
        """A segment between two points of the world, in the frame of the joint it follows."""
        frame = self._frames[self._figure.index(joint)]
        back = frame[:3, :3].T
        length, mass = float(np.linalg.norm(second - first)), MASS * segment.mass
        d = back @ _unit(second - first)
        center = back @ (first + segment.center * (second - first) - frame[:3, 3])
        across, along = mass * (segment.across * length) ** 2, mass * (segment.along * length) ** 2
        moments = across * np.eye(3) + (along - across) * np.outer(d, d)
        place: Any = tuple(center.tolist())
        return joint, Inertia(mass, place, moments_of(moments))


def _unit(v: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(v))
    return v / length if length > 0.0 else np.zeros(3)

"""A figure that wears markers: its bones scaled limb by limb, and where each marker sits.

With the rotations R of a pose known, a marker m on joint j is at

    p = t + Σ_i s_g(i) · R_parent(i) · b_i + R_j · o_m

with the root's place t, the bones b_i from the root to j, a scale s for each limb and the marker's
offset o_m: linear in t, s and o, which one least-squares solve over all frames finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint
from limbik.humanoid.recognise import Body

PREFIX = "marker "
"""Before the names of the joints that stand for markers."""

FIXED = 1e-4
"""A standard deviation of scales that means that they do not change."""

SCALES = 0.02, 50.0
"""Scales of limbs that are taken for possible."""

_LIMBS = {  # which limb the bone that ends in a joint of a role belongs to
    "Shoulder": "shoulders",
    "UpperArm": "shoulders",
    "LowerArm": "upper arms",
    "Hand": "lower arms",
    "UpperLeg": "pelvis",
    "LowerLeg": "upper legs",
    "Foot": "lower legs",
    "Toes": "feet",
    "spine": "trunk",
    "chest": "trunk",
    "upperChest": "trunk",
    "neck": "trunk",
    "head": "neck",
}


def limbs_of(figure: Figure, body: Body) -> list[str]:
    """(joints,) the limb whose scale a joint's offset has; "" for a root."""
    known = {}
    for role, joint in body.roles.items():
        bare = role.removeprefix("left").removeprefix("right")
        known[figure.index(joint)] = _LIMBS.get(bare, "hands" if bare != "hips" else "")
    out = [known.get(k, "") for k in range(len(figure.joints))]
    # Joints between known ones are of the limb below them, others of the one above.
    for k in reversed(range(len(out))):
        above = int(figure.parents[k])
        if above >= 0 and above not in known and not out[above]:
            out[above] = out[k]
    for k in range(len(out)):
        above = int(figure.parents[k])
        if above >= 0 and not out[k]:
            out[k] = out[above] or "trunk"
    return ["" if figure.parents[k] < 0 else limb for k, limb in enumerate(out)]


def stiffness(figure: Figure, body: Body, lever: float) -> tuple[float, ...]:
    """(n,) weights of ``Rest`` that count a radian as ``lever`` in the joints from the hips to the
    head, as ten times that in joints between hips and thighs, and as nothing in others."""
    weights = dict[int, float]()
    for end, weight in (("head", 1.0), ("leftUpperLeg", 100.0), ("rightUpperLeg", 100.0)):
        if "hips" in body and end in body:
            hips, last = (figure.index(body[role]) for role in ("hips", end))
            chain = figure.tree.ancestors(last)[0 if end == "head" else 1 :]
            weights |= dict.fromkeys(set(chain) - set(figure.tree.ancestors(hips)), weight)
    radian = figure.n * (4.0 * lever / figure.size) ** 2  # as ``Rest`` counts one
    return tuple(radian * weights.get(int(k), 0.0) for k in figure.owner)


class Tie(NamedTuple):
    """Two markers whose departures δ from where they are expected belong together:
    one·δ_first + other·δ_second is 0 but for ``spread``."""

    first: int
    second: int
    one: np.ndarray
    """(rows, 3)"""
    other: np.ndarray
    """(rows, 3)"""
    spread: float


class Prior(NamedTuple):
    """What is expected before anything is seen.  Standard deviations are in parts of that of a
    marker from where the model has it, and so in no unit for lengths and in its inverse for scales.
    """

    at: np.ndarray
    """(markers, 3) where the markers sit."""
    spread: np.ndarray
    """(markers,)"""
    scale: float
    """Of all limbs."""
    scale_spread: float
    ties: tuple[Tie, ...] = ()

    def equations(self, limbs: int) -> tuple[np.ndarray, np.ndarray]:
        """(matrix, values): (x − values)ᵀ·matrix·(x − values) is what it adds to the objective, x
        being the scales of so many limbs and then the places of the markers."""
        values = np.concatenate([np.full(limbs, self.scale), self.at.reshape(-1)])
        spreads = np.concatenate([np.full(limbs, self.scale_spread), np.repeat(self.spread, 3)])
        matrix = np.diag(1.0 / spreads**2)
        for tie in self.ties:
            own = np.concatenate([tie.one, tie.other], axis=1) / tie.spread
            pair = np.array([tie.first, tie.second])
            at = (limbs + 3 * pair[:, None] + np.arange(3)).reshape(-1)
            matrix[np.ix_(at, at)] += own.T @ own
        return matrix, values


@dataclass(frozen=True)
class MarkerModel:
    """A figure, the limb of each of its bones, and its markers."""

    figure: Figure
    """With its bones scaled."""
    unscaled: Figure
    limbs: tuple[str, ...]
    scales: Mapping[str, float]
    joints: tuple[int, ...]
    """The joint that carries each marker."""
    at: np.ndarray
    """(markers, 3) where each sits in its joint's frame."""
    stiffness: tuple[float, ...] = ()
    """(n,) weights of ``Rest`` by which coordinates stay at rest."""

    def with_markers(self) -> Figure:
        """The figure with a fixed joint for each marker."""
        markers = [
            Joint(f"{PREFIX}{k}", self.figure.joints[j], offset=(float(x), float(y), float(z)))
            for k, (j, (x, y, z)) in enumerate(zip(self.joints, self.at, strict=True))
        ]
        figure = self.figure
        joints = [*figure.definition, *markers]
        return Figure(joints, rest=figure.rest, unit=figure.unit, up=figure.up)

    def positions(self, q: np.ndarray) -> np.ndarray:
        """(frames, markers, 3) where the markers are in poses q (frames, n)."""
        frames = self.figure.frames(q)[:, list(self.joints)]
        return np.einsum("fmij,mj->fmi", frames[..., :3, :3], self.at) + frames[..., :3, 3]

    def values(self) -> np.ndarray:
        """(limbs + 3·markers,) what is calibrated: scales in the order of their names, places."""
        return np.concatenate([[self.scales[k] for k in sorted(self.scales)], self.at.reshape(-1)])

    def with_values(self, values: np.ndarray) -> MarkerModel:
        """The model with other ``values``; scales stay within reason."""
        names = sorted(self.scales)
        scales = np.clip(values[: len(names)], *SCALES).tolist()
        places = values[len(names) :].reshape(-1, 3)
        return self.with_scales(dict(zip(names, scales, strict=True)), places)

    def rest_weights(self) -> np.ndarray:
        """(n,) D of D·(q − rest)², as ``Rest`` counts the stiffness."""
        figure = self.figure
        lever = np.where(figure.slides, 1.0, (figure.size / 4.0) ** 2)
        return np.array(self.stiffness) * lever / figure.n

    def derivatives(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(frames, markers, 3, n), (frames, markers, 3, limbs) and (frames, markers, 3, 3): how the
        places of markers depend on the poses q (frames, n), on the scales in the order of their
        names, and each on where it sits in its joint's frame."""
        turns, on = self.figure.frames(q)[..., :3, :3], list(self.joints)
        by_pose = [
            self.figure.jacobian(q, self.figure.joints[j], at=at)[:, :3]
            for j, at in zip(on, self.at, strict=True)
        ]
        by_scale = self._chains(turns, sorted(self.scales))[:, on]
        return np.stack(by_pose, axis=1), by_scale, turns[:, on]

    def with_scales(self, scales: Mapping[str, float], at: np.ndarray) -> MarkerModel:
        """The model with other scales of its limbs, and markers elsewhere."""
        return replace(
            self, figure=scaled(self.unscaled, self.limbs, scales), scales=dict(scales), at=at
        )

    def _chains(self, turns: np.ndarray, names: list[str]) -> np.ndarray:
        """(frames, joints, 3, limbs) how a joint's place depends on the scales, from the root."""
        figure = self.unscaled
        out = np.zeros((*turns.shape[:2], 3, len(names)))
        for j, joint in enumerate(figure.definition):
            above = int(figure.parents[j])
            if above >= 0:
                out[:, j] = out[:, above]
                bone = turns[:, above] @ np.array(joint.offset)
                out[:, j, :, names.index(self.limbs[j])] += bone
        return out


def scaled(figure: Figure, limbs: tuple[str, ...], scales: Mapping[str, float]) -> Figure:
    """The figure with each bone as long as the scale of its limb makes it; tips and slides of the
    root go along with the mean of all."""
    mean = float(np.mean(list(scales.values()))) if scales else 1.0
    joints = []
    for joint, limb in zip(figure.definition, limbs, strict=True):
        by = scales.get(limb, mean)
        x, y, z = (by * np.array(joint.offset)).tolist()
        tip = joint.tip if joint.tip is None else tuple((by * np.array(joint.tip)).tolist())
        joints.append(replace(joint, offset=(x, y, z), tip=tip))
    return Figure(joints, rest=figure.rest, name=figure.name, unit=figure.unit, up=figure.up)

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

    def with_markers(self) -> Figure:
        """The figure with a fixed joint for each marker."""
        markers = [
            Joint(f"{PREFIX}{k}", self.figure.joints[j], offset=(float(x), float(y), float(z)))
            for k, (j, (x, y, z)) in enumerate(zip(self.joints, self.at, strict=True))
        ]
        figure = self.figure
        joints = [*figure.definition, *markers]
        return Figure(joints, rest=figure.rest, unit=figure.unit, up=figure.up)

    def places(self, q: np.ndarray) -> np.ndarray:
        """(frames, markers, 3) where the markers are in poses q (frames, n)."""
        frames = self.figure.frames(q)[:, list(self.joints)]
        return np.einsum("fmij,mj->fmi", frames[..., :3, :3], self.at) + frames[..., :3, 3]

    def with_scales(self, scales: Mapping[str, float], at: np.ndarray) -> MarkerModel:
        """The model with other scales of its limbs, and markers elsewhere."""
        return replace(
            self, figure=scaled(self.unscaled, self.limbs, scales), scales=dict(scales), at=at
        )

    def refined(
        self,
        q: np.ndarray,
        seen: np.ndarray,
        weights: np.ndarray,
        prior: Prior,
    ) -> MarkerModel:
        """The model whose scales and markers fit markers ``seen`` (frames, markers, 3) best, with
        the rotations of the poses q (frames, n).

        ``weights`` (frames, markers) are 0 where a marker does not count.
        """
        figure = self.unscaled
        turns = figure.frames(q)[..., :3, :3]
        names = sorted(set(self.limbs) - {""})
        frames, markers = seen.shape[:2]
        chains = self._chains(turns, names)
        columns = 3 * frames + len(names) + 3 * markers
        first, offsets = 3 * frames, 3 * frames + len(names)
        normal, right = np.zeros((columns, columns)), np.zeros(columns)
        for m, j in enumerate(self.joints):
            block = slice(offsets + 3 * m, offsets + 3 * m + 3)
            for f in np.flatnonzero(weights[:, m] > 0.0):
                w = weights[f, m]
                root = slice(3 * f, 3 * f + 3)
                own = np.concatenate([np.eye(3), chains[f, j], turns[f, j]], axis=1)
                at = np.r_[root, first:offsets, block]
                normal[np.ix_(at, at)] += w * own.T @ own
                right[at] += w * own.T @ seen[f, m]
            normal[block, block] += np.eye(3) / prior.spread[m] ** 2
            right[block] += prior.at[m] / prior.spread[m] ** 2
        for k in range(first, offsets):
            normal[k, k] += 1.0 / prior.scale_spread**2
            right[k] += prior.scale / prior.scale_spread**2
        normal[np.diag_indices(columns)] += 1e-9  # frames in which nothing was seen
        found = np.linalg.solve(normal, right)
        if prior.scale_spread <= FIXED:
            found[first:offsets] = prior.scale
        ends = 0.2 * prior.scale, 5.0 * prior.scale
        scales = dict(zip(names, np.clip(found[first:offsets], *ends), strict=True))
        return self.with_scales(
            {name: float(value) for name, value in scales.items()}, found[offsets:].reshape(-1, 3)
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

"""Poses made by hand at a frame that has no key for them: kept until they are keyed or dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from limbik.poser.document.effector import Effector

MOST_UNKEYED = 1000
"""Unkeyed poses that are kept; the oldest go first."""


@dataclass(frozen=True, eq=False)
class UnkeyedPose:
    """The pose q (n,) at a frame that has no key for it, with the effectors as they were."""

    frame: int
    q: np.ndarray
    effectors: tuple[Effector, ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UnkeyedPose)
            and (self.frame, self.effectors) == (other.frame, other.effectors)
            and np.array_equal(self.q, other.q)
        )

    def __hash__(self) -> int:
        return hash((self.frame, len(self.effectors)))


def at_frame(unkeyed: Iterable[UnkeyedPose], frame: float) -> UnkeyedPose | None:
    """The unkeyed pose at a whole frame; None between frames and where there is none."""
    return next((one for one in unkeyed if abs(one.frame - frame) < 1e-6), None)


def with_pose(unkeyed: tuple[UnkeyedPose, ...], new: UnkeyedPose) -> tuple[UnkeyedPose, ...]:
    """One unkeyed pose more, in place of the one at its frame."""
    return (*without(unkeyed, new.frame), new)[-MOST_UNKEYED:]


def without(unkeyed: tuple[UnkeyedPose, ...], frame: int) -> tuple[UnkeyedPose, ...]:
    """The unkeyed poses but for the one at a frame."""
    return tuple(one for one in unkeyed if one.frame != frame)

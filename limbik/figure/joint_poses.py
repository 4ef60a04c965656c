"""Coordinates with which one joint stands in a given place, near values that are guessed."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import lru_cache

import numpy as np

from limbik.figure.coordinates import joint_values
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint

_SAME = 1e-9  # of a joint's frame: two transforms that differ by less are the same


def values_near(
    joint: Joint, placed: np.ndarray, guess: np.ndarray, rest: np.ndarray
) -> np.ndarray:
    """(k,) coordinates that bring a joint to the transform ``placed`` (4, 4) on its parent.

    Where some of the numbers in ``guess``, or their opposites, do it exactly, these are the answer:
    mirrored joints mostly have the same numbers but for signs, whole turns included.  Otherwise the
    nearest, on the branch of ``rest`` (k,).
    """
    alone = _alone(joint)
    if alone is not None and len(guess) == len(rest):
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(guess))))
        tries = signs * guess
        slid = joint.slide_columns
        tries[:, slid] = joint_values(_without_turns(joint), placed[None], rest[slid])[0]
        away = np.abs(alone.frames(tries)[:, 0] - placed).max(axis=(1, 2))
        if away.min() < _SAME * (1.0 + np.abs(placed).max()):
            return tries[int(np.argmin(away))]
    return joint_values(joint, placed[None], rest)[0]


@lru_cache(maxsize=4096)
def _alone(joint: Joint) -> Figure | None:
    """A figure of this joint only; None where another drives it or it has too many ways to move."""
    if joint.coupled or not 0 < joint.width <= 6:
        return None
    return Figure([replace(joint, parent=None, limit=None, slide_limit=None)])


@lru_cache(maxsize=4096)
def _without_turns(joint: Joint) -> Joint:
    return replace(joint, parts=joint.slide_parts, limit=None, slide_limit=None)

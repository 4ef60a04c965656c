"""The built-in human in the paper's unit, posed by goals that are written down, not recorded."""

from __future__ import annotations

from functools import cache

import numpy as np

from limbik.figure.motion import Motion
from limbik.figures import human
from limbik.methods import ProjectedLevenbergMarquardt
from limbik.papers.line_search.follow import path_of
from limbik.papers.line_search.subject import BODY, Subject, find_effectors, height, in_unit

HANDS, FEET, PELVIS, HEAD = slice(0, 2), slice(2, 4), 4, 5
"""Where the effectors stand in an array of targets: left and right hand and foot, pelvis, head."""


@cache
def actor() -> Subject:
    """The human, standing."""
    figure = human()
    unit = height(figure) / BODY
    clip = in_unit(Motion(figure, figure.rest[None], 1.0), unit)
    return Subject(clip, "human", find_effectors(figure), unit, "the figure's own ranges and cones")


def standing() -> np.ndarray:
    """(6, 3) where the effectors are in the rest pose: left, up, forward, in units."""
    one = actor()
    return one.figure.positions(one.figure.rest)[one.index()]


def first_pose(targets: np.ndarray) -> np.ndarray:
    """The pose for the first targets (6, 3), from standing, by the default."""
    one = actor()
    method = ProjectedLevenbergMarquardt()
    return path_of(one.figure, one.effectors, targets, one.figure.rest, method, 200).q[-1]

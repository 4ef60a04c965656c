"""One root for figures that have several, for formats whose skeletons have one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Slide, Turn, unit_axis
from limbik.figure.motion import Motion

_FREE = (
    *(Slide(unit_axis(axis)) for axis in "xyz"),
    *(Turn(unit_axis(axis)) for axis in "zyx"),
)


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, with a number where it is taken: "root", "root_2", "root_3"."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def under_one_root(motion: Motion) -> Motion:
    """The same motion; where its figure has several roots, they hang on a new one that stands still
    at the origin."""
    figure = motion.figure
    if int((figure.parents < 0).sum()) < 2:
        return motion
    root = free_name("root", figure.joints)
    hung = [
        replace(joint, parent=root) if joint.parent is None else joint
        for joint in figure.definition
    ]
    whole = Figure(
        [Joint(root, parts=_FREE), *hung],
        rest=[*[0.0] * len(_FREE), *figure.rest],
        name=figure.name,
        unit=figure.unit,
        up=figure.up,
        source=figure.source,
        physical=figure.physical,
    )
    q = np.hstack([np.zeros((len(motion), len(_FREE))), motion.q])
    return Motion(whole, q, motion.fps, motion.name)

"""Where an arm without a hand ends: robots such as Unitree's H1 have a forearm and no wrist."""

from __future__ import annotations

import numpy as np

from limbik.animate.retargeting.sole_points import fixed_to, outer_balls
from limbik.figure.figure import Figure


def arm_end(figure: Figure, link: int, least: float) -> np.ndarray | None:
    """(3,) the far end of a forearm in its link's own frame, or None where nothing is further away
    than ``least``.

    It is the furthest of its tip, of links that are fixed to it, of their tips, and of the centres
    of the shapes' ends, where the figure's own file gives it shapes.
    """
    rest, fixed = figure.frames(figure.rest), fixed_to(figure, link)
    back, points = np.linalg.inv(rest[link]), list[np.ndarray]()
    for i in sorted(fixed):
        frame = back @ rest[i]
        points.append(frame[:3, 3])
        tip = figure.definition[i].tip
        if tip is not None:
            points.append(frame[:3, :3] @ np.array(tip) + frame[:3, 3])
    for shape in figure.shapes if figure.physical.shapes is not None else ():
        i = figure.index(shape.joint)
        if i in fixed:
            frame = back @ rest[i]
            points += list(outer_balls(shape, frame[:3, :3])[0] + frame[:3, 3])
    far = max(points, key=lambda point: float(np.linalg.norm(point)))
    return far if np.linalg.norm(far) > least else None

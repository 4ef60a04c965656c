"""Fingers of a retargeted clip: they bend against the hand as the source's do."""

from __future__ import annotations

import numpy as np

from limbik.animate.retargeting.body_shape import BodyShape
from limbik.figure.coordinates import joint_values
from limbik.figure.motion import Motion
from limbik.humanoid.recognise import SIDES

_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
_PLACES = ("Metacarpal", "Proximal", "Intermediate", "Distal")


def copy_fingers(clip: Motion, source: BodyShape, target: BodyShape, q: np.ndarray) -> np.ndarray:
    """q (frames, n) of the target's figure with its fingers bent as in the clip, inside the limits.

    Only where both bodies have the finger's role, and the target stands at rest, so that it is
    known how its fingers lie.
    """
    if not target.stands:
        return q
    figure, out = target.figure, q.copy()
    theirs = clip.figure.frames(clip.q)[:, :, :3, :3]
    for place in _PLACES:  # from the hand outward
        world = figure.frames(out)
        for side in SIDES:
            hand = side + "Hand"
            if hand not in source.at or hand not in target.at:
                continue
            own = _segments(world[:, :, :3, :3], target, hand)
            other = _segments(theirs, source, hand)
            for finger in _FINGERS:
                role = side + finger + place
                if role not in source.at or role not in target.at:
                    continue
                i = target.at[role]
                columns = np.flatnonzero(figure.owner == i)
                if not len(columns):
                    continue
                bent = np.swapaxes(other, 1, 2) @ _segments(theirs, source, role)
                wanted = own @ bent @ target.t_frames[i]
                above = world[:, int(figure.parents[i])]
                local = np.linalg.inv(above) @ world[:, i]
                local[:, :3, :3] = np.swapaxes(above[:, :3, :3], 1, 2) @ wanted
                start = figure.rest[columns]
                out[:, columns] = joint_values(figure.definition[i], local, start)
        out = figure.project(out)
    return out


def _segments(turned: np.ndarray, shape: BodyShape, role: str) -> np.ndarray:
    """(frames, 3, 3) left, up and forward of a role's segment, from all joints' rotations."""
    joint = shape.at[role]
    return turned[:, joint] @ shape.t_frames[joint].T

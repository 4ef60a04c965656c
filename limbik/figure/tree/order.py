"""The order of a tree of joints, parents before children, and what is refused."""

from __future__ import annotations

import numpy as np

from limbik.errors import FigureError, did_you_mean
from limbik.figure.joints import Joint, Part


def ordered(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """The joints with parents before children, checked one by one; otherwise in the given order."""
    if not joints:
        raise FigureError("a figure needs at least one joint")
    names: dict[str, Joint] = {}
    for joint in joints:
        if not isinstance(joint, Joint):
            raise FigureError(f"a figure is made of Joints, got {joint!r}")
        if not isinstance(joint.parent, str | None):
            raise FigureError(f'joint "{joint.name}": a parent is a name, got {joint.parent!r}')
        if not isinstance(joint.name, str) or not joint.name:
            raise FigureError(f"a joint needs a name, got {joint.name!r}")
        if joint.name in names:
            raise FigureError(f'two joints are called "{joint.name}"')
        if not isinstance(joint.parts, tuple) or not all(isinstance(p, Part) for p in joint.parts):
            raise FigureError(f'joint "{joint.name}": parts must be a tuple of Turn, Slide, ...')
        for what, values, length in (
            ("offset", joint.offset, 3),
            ("wxyz", joint.wxyz, 4),
            ("tip", (0, 0, 0) if joint.tip is None else joint.tip, 3),
        ):
            try:
                array = np.asarray(values, float)
            except (TypeError, ValueError, OverflowError):
                array = np.empty(0)
            if array.shape != (length,) or not np.isfinite(array).all():
                raise FigureError(f'joint "{joint.name}": {what} needs {length} finite numbers')
        if np.linalg.norm(joint.wxyz) < 1e-12:
            raise FigureError(f'joint "{joint.name}": wxyz has zero length')
        names[joint.name] = joint
    done: dict[str, Joint] = {}
    for joint in joints:
        path: dict[str, Joint] = {}
        step: Joint | None = joint
        while step is not None and step.name not in done:
            if step.name in path:
                loop = [*list(path)[list(path).index(step.name) :], step.name]
                raise FigureError("the joints form a cycle: " + " → ".join(loop))
            path[step.name] = step
            if step.parent is not None and step.parent not in names:
                hint = did_you_mean(step.parent, tuple(names))
                raise FigureError(f'joint "{step.name}": no parent "{step.parent}"{hint}')
            step = None if step.parent is None else names[step.parent]
        done.update(reversed(path.items()))
    return tuple(done.values())

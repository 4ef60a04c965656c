"""What a body's unit and upward axis look like, for people to confirm."""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.units import METRES
from limbik.humanoid import Body

GROWN = (1.35, 2.1)
"""Metres between the lowest and the highest joint of a grown person."""

CMU = 0.0254 / 0.45
"""Metres of a unit in CMU's motion capture library: its values divided by 0.45 are inches."""


def looks_like(figure: Figure, body: Body, q: np.ndarray) -> str:
    """ "y up, cm" with the reasons, for a body in a pose q (n,); empty where nothing fits."""
    if "hips" not in body.roles or "head" not in body.roles:
        return ""
    frames = figure.frames(q)
    points = [*frames[:, :3, 3]]
    for joint, frame in zip(figure.definition, frames, strict=True):
        if joint.tip is not None:
            points.append(frame[:3, :3] @ np.array(joint.tip) + frame[:3, 3])
    up = frames[figure.index(body["head"]), :3, 3] - frames[figure.index(body["hips"]), :3, 3]
    axis = int(np.argmax(np.abs(up)))
    if not up[axis] > 0.8 * float(np.linalg.norm(up)):
        return ""
    height = float(np.ptp(np.array(points)[:, axis]))
    sizes = {**METRES, "CMU's, 0.0564 m": CMU}
    fits = [name for name, metres in sizes.items() if GROWN[0] <= height * metres <= GROWN[1]]
    parts = [] if figure.up else [f"{'xyz'[axis]} up"]
    if fits and not figure.unit:
        metres = height * sizes[fits[0]]
        parts.append(f"unit {fits[0]}, if {metres:.2f} m is how tall this person is")
    return "; ".join(parts)

"""A pose as a JSON file: what it is of, joint values, and the effectors with their targets.

Balls are told as rotations too, so that a pose fits the same figure in other coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.poser.animation.pose_rotations import Turning
from limbik.poser.document.effector import MOST_EFFECTORS, Effector
from limbik.poser.document.strict_json import Saved, vec4

FORMAT = "limbik pose 1"

_NAMES = ("format", "figure", "unit", "joints", "coordinates", "q", "balls", "effectors")


def pose_json(figure: Figure, q: np.ndarray, effectors: Sequence[Effector]) -> dict[str, Any]:
    """The pose q (n,) of a figure and its effectors, for ``read_pose``."""
    turning = Turning(figure)
    owners = [figure.joints[k] for k in figure.owner[turning.columns[:, 0]]]
    return {
        "format": FORMAT,
        "figure": figure.name,
        "unit": figure.unit,
        "joints": list(figure.joints),
        "coordinates": list(figure.coordinates),
        "q": np.asarray(q, float).tolist(),
        "balls": dict(zip(owners, turning.wxyz(np.asarray(q, float)).tolist(), strict=True)),
        "effectors": [effector.to_json() for effector in effectors],
    }


def read_pose(saved: object, figure: Figure) -> tuple[np.ndarray, tuple[Effector, ...]]:
    """(q (n,) inside the limits, effectors) out of what ``pose_json`` made, on a figure with the
    same joints; anything else is refused with a sentence that names what does not fit."""
    data = Saved(saved, "pose")
    if data.get("format") != FORMAT:
        raise LimbikError(f'pose: its format must be "{FORMAT}"')
    data.only(_NAMES)
    joints, coordinates = _texts(data, "joints"), _texts(data, "coordinates")
    _same_joints(figure, data.text("figure"), joints)
    unit = data.text("unit")
    if unit != figure.unit:
        ours = figure.unit or "no unit"
        raise LimbikError(f"The pose is in {unit or 'no unit'}, and this figure in {ours}.")
    values = data.floats("q", len(coordinates))
    if tuple(coordinates) == figure.coordinates:
        q = values
    else:
        q = _by_name(figure, dict(zip(coordinates, values.tolist(), strict=True)), data)
    effectors = data.get("effectors")
    if not isinstance(effectors, list) or len(effectors) > MOST_EFFECTORS:
        raise LimbikError(f"pose: effectors must be a list of at most {MOST_EFFECTORS}")
    read = tuple(_effector(effector, figure) for effector in effectors)
    if len({effector.id for effector in read}) != len(read):
        raise LimbikError("pose: two effectors have the same id")
    return figure.project(q), read


def _texts(data: Saved, name: str) -> list[str]:
    value = data.get(name)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise LimbikError(f"pose: {name} must be a list of names")
    return value


def _same_joints(figure: Figure, name: str, joints: list[str]) -> None:
    if sorted(joints) == sorted(figure.joints):
        return
    of = f'The pose is of "{name}"' if name else "The pose is of another figure"
    for joint in joints:
        if joint not in figure.joints:
            raise LimbikError(f'{of}: this figure has no joint "{joint[:60]}".')
    missing = next((joint for joint in figure.joints if joint not in joints), "")
    raise LimbikError(f'{of}, which has no joint "{missing}".')


def _by_name(figure: Figure, values: dict[str, float], data: Saved) -> np.ndarray:
    """(n,) numbers by the names of their coordinates, balls by their rotations."""
    turning, turns = Turning(figure), Saved(data.get("balls"), "pose: balls")
    q = figure.rest.copy()
    for c in turning.others:
        name = figure.coordinates[c]
        if name not in values:
            raise LimbikError(f'The pose has no value for "{name}".')
        q[c] = values[name]
    owners = [figure.joints[k] for k in figure.owner[turning.columns[:, 0]]]
    wxyz = [vec4(turns.get(joint), f"pose: balls: {joint}") for joint in owners]
    turning.put(q, np.array(wxyz).reshape(-1, 4), q)
    return q


def _effector(saved: object, figure: Figure) -> Effector:
    effector = Effector.from_json(saved, "pose: effector")
    if effector.joint not in figure.joints:
        raise LimbikError(f'pose: effector "{effector.joint[:60]}": there is no such joint')
    return effector

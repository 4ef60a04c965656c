"""What is expected of markers together: the pelvis by its own width and depth, and the same on the
left as on the right."""

from __future__ import annotations

import numpy as np

from limbik.animate.markers.model import MarkerModel, Tie
from limbik.animate.markers.names import LOOSE, bare, directions
from limbik.figure.figure import Figure
from limbik.humanoid.recognise import SIDES, Body

FRONT, BACK, SACRUM = ("ASI", "FWT"), ("PSI", "BWT"), "SACR"
"""Markers on the pelvis, without their side: front and back, by the names that sets have."""

ALIKE = 0.015
"""Metres by which what is on the left may differ from what is on the right, and by which the wrist
may be beside the middle between the two markers of its bar."""

_TILT = 0.06  # rad: the front of the pelvis is lower than its back, as in ``names``
BAR = ("WRA", "WRB")
"""Markers at the ends of a bar across the wrist, without their side."""


def pelvis(
    figure: Figure, body: Body, names: list[str], seen: np.ndarray, adult: float, size: float
) -> dict[int, np.ndarray]:
    """Marker → where it is expected in the frame of the joint "hips", from ``seen`` (frames,
    markers, 3), where the front and the back of the pelvis are seen on both sides.

    Hips are where the regressions of Harrington and others (2007) put them: with the width w
    between the front markers and the depth d from there to the back ones, in millimetres, each is
    0.24 d + 9.9 behind, 0.30 w + 10.9 below and 0.33 w + 7.3 beside the middle of the front.
    ``adult`` is a metre, ``size`` how much larger the subject is than the figure.
    """
    at = {bare(name): k for k, name in enumerate(names)}
    front = next((x for x in FRONT if {"L" + x, "R" + x} <= at.keys()), None)
    back = next((x for x in BACK if {"L" + x, "R" + x} <= at.keys()), None)
    ends = [SACRUM] if back is None else ["L" + back, "R" + back]
    hips = [side + "UpperLeg" for side in SIDES]
    if front is None or not all(end in at for end in ends) or any(h not in body for h in hips):
        return {}
    one, two = (seen[:, at[side + front]] for side in "LR")
    behind = np.mean([seen[:, at[end]] for end in ends], axis=0)
    width = _median(one - two)
    depth = _median((one + two) / 2 - behind)
    if not width > 0.0 or not depth > 0.0:
        return {}
    frame = figure.frames(figure.rest)[figure.index(body["hips"])]
    middle = figure.positions(figure.rest, [body[hip] for hip in hips]).mean(axis=0)
    forward, left, up = directions(figure, body)
    forward, up = (
        np.cos(_TILT) * forward - np.sin(_TILT) * up,
        np.sin(_TILT) * forward + np.cos(_TILT) * up,
    )
    ahead = 0.24 * depth + 0.0099 * adult
    above = (0.30 * width + 0.0109 * adult) * up
    places = {
        "L" + front: ahead * forward + above + width / 2 * left,
        "R" + front: ahead * forward + above - width / 2 * left,
    }
    apart = 0.0 if back is None else _median(seen[:, at[ends[0]]] - seen[:, at[ends[1]]])
    for end, sign in zip(ends, (1.0, -1.0), strict=False):
        places[end] = (ahead - depth) * forward + above + sign * apart / 2 * left
    root = size * (middle - frame[:3, 3])
    return {at[name]: frame[:3, :3].T @ (root + place) for name, place in places.items()}


def _median(between: np.ndarray) -> float:
    """The median length of vectors (frames, 3); 0 where none is known."""
    lengths = np.linalg.norm(between, axis=-1)
    return float(np.nanmedian(lengths)) if np.isfinite(lengths).any() else 0.0


def ties(
    model: MarkerModel, body: Body, names: list[str], spread: np.ndarray, alike: float
) -> tuple[Tie, ...]:
    """Markers that are expected alike on both sides, and wrists in the middle of their bars.

    ``spread`` (markers,) are those of single markers in metres, and ``alike`` that of a tie.
    Markers somewhere on a limb are left out: on purpose they do not mirror each other.
    """
    figure = model.figure
    turns = figure.frames(figure.rest)[:, :3, :3]
    forward, left, _ = directions(figure, body)
    mirror = np.eye(3) - 2.0 * np.outer(left, left)
    at = {bare(name): k for k, name in enumerate(names)}
    out = []

    def tie(one: int, two: int, rows: np.ndarray, others: np.ndarray) -> None:
        a, b = (turns[model.joints[k]] for k in (one, two))
        out.append(Tie(one, two, rows @ a, others @ b, alike))

    for word, k in at.items():
        twin = at.get("R" + word[1:]) if word[0] == "L" else None
        if twin is not None and spread[k] != LOOSE:
            tie(k, twin, np.eye(3), -mirror)
    for side in "LR":
        one, two = (at.get(side + end) for end in BAR)
        if one is not None and two is not None:
            tie(one, two, forward[None], forward[None])
    return tuple(out)

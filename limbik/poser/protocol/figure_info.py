"""A figure and its limits as JSON, for the page to draw: FigureInfo and Limit of its messages.

The placement of a joint is told completely, so that the page can find the frame in which each of
its parts turns, and with it where a limit's arc or cone belongs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Limit, Slide, SwingTwistBall, Turn
from limbik.figure.limits import Range, SwingTwist
from limbik.humanoid import recognise
from limbik.poser.drag.method_choice import methods_info
from limbik.poser.protocol.capsules import capsules
from limbik.poser.protocol.messages import ProtocolError

__all__ = ["figure_info", "limit_from", "limit_info", "limits_info", "methods_info"]


def figure_info(
    figure: Figure,
    *,
    id: int,
    up: str,
    floor: float,
    file: str = "",
    builtin: str = "",
    clips: Iterable[str] = (),
    mesh: bool = False,
    mirrors: bool = False,
) -> dict[str, Any]:
    """All that the page needs to draw a figure; the arguments are what the figure cannot know.

    ``up`` is the axis that is up ("x", "y" or "z"), ``floor`` the height of the floor along it in
    the figure's unit, ``mesh`` whether there are meshes to fetch, ``mirrors`` whether its poses can
    be mirrored.
    """
    roles = recognise(figure).roles
    return {
        "id": id,
        "name": figure.name,
        "unit": figure.unit,
        "up": up,
        "size": float(figure.size),
        "floor": float(floor),
        "joints": _joints(figure, {joint: role for role, joint in roles.items()}),
        "coordinates": [
            {"name": name, "joint": int(owner), "slides": bool(slides), "rest": float(rest)}
            for name, owner, slides, rest in zip(
                figure.coordinates, figure.owner, figure.slides, figure.rest, strict=True
            )
        ],
        "bones": capsules(figure, roles),
        "mesh": mesh,
        "clips": list(clips),
        "file": file,
        "builtin": builtin,
        "mirrors": mirrors,
    }


def _joints(figure: Figure, roles: Mapping[str, str]) -> list[dict[str, Any]]:
    out = []
    for i, joint in enumerate(figure.definition):
        turn = np.array(joint.wxyz, float)
        first, last = np.searchsorted(figure.owner, [i, i + 1]).tolist()
        out.append(
            {
                "name": joint.name,
                "parent": int(figure.parents[i]),
                "kind": joint.kind,
                "role": _words(roles.get(joint.name, "")),
                "first": first,
                "count": last - first,
                "offset": _floats(joint.offset),
                "wxyz": _floats(turn / np.linalg.norm(turn)),
                "parts": _parts(figure, i),
            }
        )
    return out


def _parts(figure: Figure, i: int) -> list[dict[str, Any]]:
    """The moving parts of a joint; a part turns or slides by scale · q[driver] + shift, and its
    ``coordinate`` is its own entry of q, −1 where it follows another's."""
    out: list[dict[str, Any]] = []
    slots = iter(figure.tree.slots_of[i])
    for part in figure.definition[i].parts:
        first, *_ = [figure.tree.slots[next(slots)] for _ in part.labels]
        if isinstance(part, Turn | Slide):
            axis = np.array(part.axis, float)
            own = part.coupled is None
            out.append(
                {
                    "kind": "turn" if isinstance(part, Turn) else "slide",
                    "axis": _floats(axis / np.linalg.norm(axis)),
                    "coordinate": first.coordinate if own else -1,
                    "scale": float(first.scale),
                    "shift": float(first.shift),
                    "driver": first.coordinate,
                }
            )
        else:
            out.append(
                {
                    "kind": "swing-twist" if isinstance(part, SwingTwistBall) else "exponential",
                    "coordinate": first.coordinate,
                    "twist": _floats(part.twist),
                    "swing": _floats(part.swing),
                }
            )
    return out


def _words(role: str) -> str:
    """ "leftUpperArm" -> "left upper arm"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", role).lower()


def _floats(values: Sequence[float] | np.ndarray) -> list[float]:
    return [float(value) for value in values]


# ---- limits -------------------------------------------------------------------------------------


def limits_info(figure: Figure) -> list[dict[str, Any] | None]:
    """The limit of every joint."""
    return [limit_info(joint) for joint in figure.definition]


def limit_info(joint: Joint) -> dict[str, Any] | None:
    """A joint's limit: a range for each of its own coordinates, or a cone; None without one.

    Radians and the figure's unit; None in the place of a number is "no end".
    """
    limit = joint.limit
    if isinstance(limit, SwingTwist):
        return {
            "kind": "cone",
            "swing": None if limit.swing is None else _floats(limit.swing),
            "center": _floats(limit.center),
            "twist": [_end(end) for end in limit.twist],
        }
    own = _own(joint)
    if limit is None or not own.any():
        return None
    lower, upper = (np.broadcast_to(ends.ravel(), own.shape)[own] for ends in _ends(limit))
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        return None
    return {
        "kind": "range",
        "lower": [_end(end) for end in lower],
        "upper": [_end(end) for end in upper],
    }


def limit_from(joint: Joint, limit: Mapping[str, Any] | None) -> Limit | None:
    """What ``limit_info`` tells, the other way: a limit for this joint.

    Parts that follow other coordinates keep the ranges they have.  A message of another shape
    raises ProtocolError; a limit that cannot be, such as lower above upper, FigureError.
    """
    what = f'the limit of "{joint.name}"'
    if limit is None:
        return None
    if limit.get("kind") == "cone" and set(limit) == {"kind", "swing", "center", "twist"}:
        swing = None if limit["swing"] is None else _pair(limit["swing"], what)
        twist = _numbers(limit["twist"], 2, what)
        low, high = _or(twist[0], -math.inf), _or(twist[1], math.inf)
        return SwingTwist(swing=swing, center=_pair(limit["center"], what), twist=(low, high))
    if limit.get("kind") == "range" and set(limit) == {"kind", "lower", "upper"}:
        own = _own(joint)
        if not own.any():
            raise FigureError(f'"{joint.name}" has no coordinates of its own to limit')
        lower, upper = np.full(len(own), -np.inf), np.full(len(own), np.inf)
        if isinstance(joint.limit, Range):
            lower[:], upper[:] = (ends.ravel() for ends in _ends(joint.limit))
        count = int(own.sum())
        lower[own] = [_or(v, -math.inf) for v in _numbers(limit["lower"], count, what)]
        upper[own] = [_or(v, math.inf) for v in _numbers(limit["upper"], count, what)]
        return Range(lower, upper, degrees=False)
    raise _unfit(what)


def _own(joint: Joint) -> np.ndarray:
    """(slots,) True for those of a joint's moving directions that are entries of q."""
    return np.array(
        [
            not isinstance(part, Turn | Slide) or part.coupled is None
            for part in joint.parts
            for _ in part.labels
        ],
        bool,
    )


def _ends(limit: Range) -> tuple[np.ndarray, np.ndarray]:
    return limit.lower, limit.upper


def _end(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _or(value: float | None, none: float) -> float:
    return none if value is None else value


def _pair(values: object, what: str) -> tuple[float, float]:
    a, b = _numbers(values, 2, what)
    if a is None or b is None:
        raise _unfit(what)
    return a, b


def _numbers(values: object, count: int, what: str) -> list[float | None]:
    if not isinstance(values, list | tuple) or len(values) != count:
        raise _unfit(what)
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and math.isfinite(value)):
            raise _unfit(what)
    return [None if value is None else float(value) for value in values]


def _unfit(what: str) -> ProtocolError:
    return ProtocolError(f"{what} is neither a range nor a cone of this joint")

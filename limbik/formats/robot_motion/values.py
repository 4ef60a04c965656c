"""What all these files hold: where the root is, and one value per joint, in a stated order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limbik.errors import FigureError, FormatError
from limbik.figure.coordinates import balls, from_quat, joint_values, to_quat
from limbik.figure.figure import Figure
from limbik.figure.free_root import free_root
from limbik.figure.joints import Joint
from limbik.figure.motion import Motion
from limbik.figure.whole_turns import short_vectors
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import matrix_to_quat, quat_normalise, quat_to_matrix

Order = Callable[[Figure], list[int]]

RIGID = 1e-6
"""By how much the root of a figure that has no free root may move in a file, in its unit."""


class RobotMotion(NamedTuple):
    """A robot's motion: metres, radians, z up; ``names`` are those of the joints."""

    names: tuple[str, ...]
    values: np.ndarray
    """(frames, values): one per hinge or slide, four (wxyz) per ball."""
    root: np.ndarray
    """(frames, 3) where the root is."""
    wxyz: np.ndarray
    """(frames, 4) how the root is turned."""
    fps: float


def root_of(figure: Figure) -> int:
    """Index of the joint that carries the whole figure freely, or −1."""
    return free_root(figure, np.ones(figure.n, bool))


def base_of(figure: Figure) -> int:
    """Index of the robot's own first body: below a base that ``with_base`` added, else the root."""
    root = root_of(figure)
    below = np.flatnonzero(figure.parents == root) if root >= 0 else np.zeros(0, int)
    if len(below) == 1 and not figure.definition[below[0]].parts:
        return int(below[0])
    return max(root, 0)


def fixed_base(figure: Figure) -> np.ndarray:
    """(4, 4) where a figure without a free root stands, whatever its first joint does."""
    out = np.eye(4)
    out[:3, :3] = quat_to_matrix(np.array(figure.definition[0].wxyz))
    out[:3, 3] = figure.definition[0].offset
    return out


def _is_ball(joint: Joint) -> bool:
    return len(joint.parts) == len(joint.ball_parts) == 1


def depth_first(figure: Figure) -> list[int]:
    """All joints, each before its children and these before its next sibling, as in MuJoCo."""
    return _walk(figure, -1)


def breadth_first(figure: Figure) -> list[int]:
    """All joints, those nearer to the root first, as in Isaac Lab."""
    return _walk(figure, 0)


def _walk(figure: Figure, end: int) -> list[int]:
    below: list[list[int]] = [[] for _ in figure.joints]
    waiting = []
    for k, parent in enumerate(figure.parents.tolist()):
        (waiting if parent < 0 else below[parent]).append(k)
    found, step = [], 1 if end == 0 else -1
    waiting = waiting[::step]
    while waiting:
        k = waiting.pop(end)
        found.append(k)
        waiting += below[k][::step]
    return found


def moving(
    figure: Figure, path: Path, *, order: Order = depth_first, with_balls: bool = False
) -> list[int]:
    """The joints with values, in an order: hinges and slides, and balls where ``with_balls``; any
    other is refused."""
    root, found = root_of(figure), []
    for k in order(figure):
        joint = figure.definition[k]
        if k == root or not joint.parts:
            continue
        if len(joint.parts) > 1 or (_is_ball(joint) and not with_balls):
            text = f'joint "{joint.name}" is a {joint.kind}: these files are for robots, whose '
            raise FormatError(f"{text}joints are hinges and slides", path)
        found.append(k)
    return found


def names_of(figure: Figure, joints: list[int]) -> tuple[str, ...]:
    """The names that robots have for joints, which are not those of the links they move."""
    return tuple(figure.definition[k].alias or figure.definition[k].name for k in joints)


def in_metres(motion: Motion) -> Motion:
    """The motion in metres with z up, where its figure says what it is in."""
    figure = motion.figure
    if figure.unit in ("", "m") and figure.up in ("", "z"):
        return motion
    return motion.in_units("m" if figure.unit else "", up="z" if figure.up else "")


def robot_motion(
    motion: Motion, path: Path, *, order: Order = depth_first, with_balls: bool = False
) -> RobotMotion:
    """The values of a motion that is in metres with z up."""
    figure = motion.figure
    joints, tree = moving(figure, path, order=order, with_balls=with_balls), figure.tree
    turned = {int(columns[0]): part for part, columns in balls(figure.definition)}
    columns = []
    for k in joints:
        slots = [tree.slots[s] for s in tree.slots_of[k]]
        if _is_ball(figure.definition[k]):
            first = slots[0].coordinate
            wxyz = to_quat(turned[first], motion.q[:, first : first + 3])
            columns += list(_one_side(wxyz).T)
        else:
            columns.append(slots[0].scale * motion.q[:, slots[0].coordinate] + slots[0].shift)
    if root_of(figure) >= 0:
        base = figure.frames(motion.q)[:, base_of(figure)]
    else:
        base = np.tile(fixed_base(figure), (len(motion), 1, 1))
    values = np.column_stack(columns) if columns else np.zeros((len(motion), 0))
    wxyz = _one_side(matrix_to_quat(base[:, :3, :3]))
    return RobotMotion(names_of(figure, joints), values, base[:, :3, 3], wxyz, motion.fps)


def _one_side(wxyz: np.ndarray) -> np.ndarray:
    """The same rotations without changes of sign from frame to frame."""
    signs = np.where((wxyz[1:] * wxyz[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return wxyz * np.concatenate([[1.0], np.cumprod(signs)])[:, None]


def check_names(found: tuple[str, ...], expected: tuple[str, ...], path: Path) -> None:
    """Refuse names of joints that are not the figure's, or not in its order."""
    for k, (have, want) in enumerate(zip(found, expected, strict=False)):
        if have != want:
            what = "in another order" if sorted(found) == sorted(expected) else "not the figure's"
            text = f"its joints are {what}: number {k + 1} is {shown(have)}, the figure's is"
            raise FormatError(f"{text} {shown(want)}", path)
    if len(found) != len(expected):
        raise FormatError(f"has {len(found)} joints, the figure has {len(expected)}", path)


def motion_of(
    values: RobotMotion, figure: Figure, path: Path, name: str, *, order: Order = depth_first
) -> Motion:
    """The motion of a figure whose joints have these values; names are not checked here.

    Values of joints that follow others are theirs to say, and those of the file are not read.
    """
    here = figure
    if figure.unit not in ("", "m") or figure.up not in ("", "z"):
        here = figure.in_units("m" if figure.unit else "", up="z" if figure.up else "")
    frames, first, root = len(values.values), 0, root_of(here)
    q = np.broadcast_to(here.rest, (frames, here.n)).copy()
    for k in moving(here, path, order=order, with_balls=True):
        joint, owned = here.definition[k], np.flatnonzero(here.owner == k)
        if _is_ball(joint):
            wxyz = _unit(values.values[:, first : first + 4], path)
            ((_, ball),) = joint.ball_parts
            q[:, owned] = from_quat(ball, wxyz, here.rest[owned])
            first += 4
            continue
        if len(owned):
            q[:, owned[0]] = values.values[:, first]
        first += 1
    placed = np.zeros((frames, 4, 4))
    placed[:, :3, :3] = quat_to_matrix(_unit(values.wxyz, path))
    placed[:, :3, 3], placed[:, 3, 3] = values.root, 1.0
    try:
        if root >= 0:
            # The base is fixed on the joint that moves freely.
            base = np.linalg.inv(here.frame(here.rest, here.joints[root]))
            base = base @ here.frame(here.rest, here.joints[base_of(here)])
            columns = np.flatnonzero(here.owner == root)
            joint = here.definition[root]
            assert len(columns) == joint.width
            q[:, columns] = joint_values(joint, placed @ np.linalg.inv(base), here.rest[columns])
        elif np.abs(placed - fixed_base(here)).max() > RIGID:
            text = "moves the root, which is fixed in the figure: figure.with_base('free') frees it"
            raise FormatError(text, path)
        motion = Motion(here, short_vectors(here.definition, q), values.fps, name)
        return motion if here is figure else motion.onto(figure)
    except FigureError as error:
        raise FormatError(str(error), path) from error


def _unit(wxyz: np.ndarray, path: Path) -> np.ndarray:
    """Quaternions of length 1; those that are far from it are refused."""
    with np.errstate(over="ignore"):
        length = np.linalg.norm(wxyz, axis=1)
    if not (np.abs(length - 1.0) < 0.01).all():
        frame = int(np.argmax(~(np.abs(length - 1.0) < 0.01)))
        raise FormatError(f"frame {frame + 1} has a quaternion of length {length[frame]:.3g}", path)
    return quat_normalise(wxyz)

"""Robot motions in, on the robot they were made for; ``write.py`` says what the files hold.

Joints are checked by name where the file has names, and a file in another order is refused.  Files
of others may have none: then the number of values has to fit, and a warning says that the order
was not checked.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np

from limbik.errors import FormatError, LimbikWarning, NoMotionError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.npz_arrays import Arrays
from limbik.formats.robot_motion.values import (
    Order,
    RobotMotion,
    breadth_first,
    check_names,
    depth_first,
    fixed_base,
    motion_of,
    moving,
    names_of,
    root_of,
)
from limbik.formats.robot_motion.write import ROOT
from limbik.formats.tables import STILL
from limbik.formats.text_numbers import number, read_frames, shown
from limbik.maths.so3 import matrix_to_quat

_NAMES = ("joint_names", "dof_names")
_COMMENT = re.compile(rb"[ \t]*#([^\r\n]*)(?:\r\n|\r|\n|\Z)")


def is_clip(arrays: Arrays) -> bool:
    """Whether the arrays of a file are those of a robot's motion."""
    return "qpos" in arrays or "dof_pos" in arrays or "joint_pos" in arrays


def from_arrays(arrays: Arrays, path: Path, figure: Figure) -> Motion:
    """The motion of an NPZ file in one of the layouts, on the robot it was made for."""
    found = next((name for name in _NAMES if name in arrays), None)
    names = None if found is None else tuple(arrays.texts(found))
    fps = arrays.numbers("fps").ravel() if "fps" in arrays else np.array([STILL])
    if "fps" not in arrays:
        _warn(path, f"does not say its frame rate; {STILL:g} per second are assumed")
    if len(fps) != 1:
        raise FormatError('"fps" must be one number', path)
    order = depth_first
    base = fixed_base(figure)
    fixed = np.concatenate([base[:3, 3], matrix_to_quat(base[:3, :3])])
    if "qpos" in arrays:
        qpos = arrays.numbers("qpos", (None, None)).astype(float)
        free = 7 if root_of(figure) >= 0 else 0
        if qpos.shape[1] < free:
            raise FormatError(f"qpos has {qpos.shape[1]} values per frame, fewer than a root", path)
        root = qpos[:, :7] if free else np.broadcast_to(fixed, (len(qpos), 7))
        recorded = RobotMotion(names or (), qpos[:, free:], root[:, :3], root[:, 3:], float(fps[0]))
    elif "dof_pos" in arrays:
        values = arrays.numbers("dof_pos", (None, None)).astype(float)
        root = arrays.numbers("root_pos", (len(values), 3)).astype(float)
        turn = arrays.numbers("root_rot", (len(values), 4)).astype(float)
        recorded = RobotMotion(names or (), values, root, np.roll(turn, 1, axis=1), float(fps[0]))
    else:
        values = arrays.numbers("joint_pos", (None, None)).astype(float)
        places = arrays.numbers("body_pos_w", (len(values), None, 3)).astype(float)
        turns = arrays.numbers("body_quat_w", (len(values), None, 4)).astype(float)
        if names is None:
            text = 'has no "joint_names", and files with "joint_pos" are in two orders: add them'
            raise FormatError(text, path)
        if places.shape[1] == 0 or turns.shape[1] == 0:
            raise FormatError("has no bodies", path)
        if names == names_of(figure, moving(figure, path, order=breadth_first)):
            order = breadth_first
        root = np.concatenate([places[:, 0], turns[:, 0]], axis=1)
        if root_of(figure) < 0 and figure.definition[0].parts:
            # The first body is the first that moves, on a base that does not.
            root = np.broadcast_to(fixed, root.shape)
        recorded = RobotMotion(names, values, root[:, :3], root[:, 3:], float(fps[0]))
    return _checked(recorded, figure, path, names, order)


def _checked(
    recorded: RobotMotion, figure: Figure, path: Path, names: tuple[str, ...] | None, order: Order
) -> Motion:
    if len(recorded.values) == 0:
        raise NoMotionError("has no frames", path)
    joints = moving(figure, path, order=order, with_balls=True)
    if names is not None:
        check_names(names, names_of(figure, joints), path)
    width = sum(4 if len(figure.definition[k].parts[0].labels) == 3 else 1 for k in joints)
    if recorded.values.shape[1] != width:
        text = f"has {recorded.values.shape[1]} joint values per frame, the figure takes {width}"
        raise FormatError(text, path)
    if not (np.isfinite(recorded.values).all() and np.isfinite(recorded.root).all()):
        raise FormatError("has values that are not finite", path)
    if names is None:
        _warn(path, "does not name its joints; they are taken in the order of the figure's")
    return motion_of(recorded, figure, path, path.stem, order=order)


def _warn(path: Path, text: str) -> None:
    warnings.warn(f"{path.name}: {text}", LimbikWarning, stacklevel=6)


# ---- CSV -----------------------------------------------------------------------------------------


def is_table(data: bytes) -> bool:
    """Whether the bytes of a CSV file are of the layout ``unitree``: they begin with a comment or
    with a number."""
    head = data[:400].lstrip()
    first = head.split(b",", 1)[0]
    return head.startswith(b"#") or (b"," in head and number(first.strip() or b"x") is not None)


def from_table(data: bytes, path: Path, figure: Figure) -> Motion:
    """The motion of a CSV file of the layout ``unitree``: xyz, xyzw, joints."""
    start, line, fps, names = 0, 1, None, None
    while (comment := _COMMENT.match(data, start)) and comment.end() > start:
        text = comment.group(1).decode("utf-8", "replace").strip()
        key, equals, value = text.partition("=")
        if key.strip() == "fps" and equals:
            fps = number(value.strip())
            if fps is None or fps <= 0.0:
                raise FormatError(f"fps needs a number above 0, found {shown(value)}", path, line)
        elif "," in text:
            names = tuple(word.strip() for word in text.split(","))
        start, line = comment.end(), line + 1
    if names is not None:
        if names[: len(ROOT)] != ROOT:
            raise FormatError(f"its first columns are not {','.join(ROOT)}", path, line - 1)
        names = names[len(ROOT) :]
    end = data.find(b"\n", start)
    width = data.count(b",", start, end if end >= 0 else len(data)) + 1
    if width <= len(ROOT):
        raise FormatError(f"has {width} columns, fewer than a root and a joint", path, line)
    rows = read_frames(data.replace(b",", b" "), start, line, width, 0, path)
    if fps is None:
        _warn(path, f"does not say its frame rate; {STILL:g} per second are assumed")
    recorded = RobotMotion(
        names or (), rows[:, 7:], rows[:, :3], np.roll(rows[:, 3:7], 1, axis=1), fps or STILL
    )
    return _checked(recorded, figure, path, names, depth_first)

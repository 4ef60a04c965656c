"""Robot motions out: metres, radians, z up, with the names of the joints inside.

mujoco       .npz  qpos (frames, nq), fps, joint_names: the root as xyz and wxyz, then the
                   joints in MuJoCo's order (depth first)
gmr          .npz  root_pos (frames, 3), root_rot (frames, 4) xyzw, dof_pos (frames, joints),
                   fps, dof_names: as GMR's pickles, without the pickle; depth first
mjlab        .npz  fps, joint_pos, joint_vel, body_pos_w, body_quat_w (wxyz), body_lin_vel_w,
                   body_ang_vel_w, joint_names, body_names: depth first
beyondmimic  .npz  the same in the order of Isaac Lab: breadth first, links that move only
unitree      .csv  a line per frame: xyz, xyzw, joints, depth first; lines that begin with #
                   say the frame rate and the names
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from limbik.errors import FormatError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.files import write_whole
from limbik.formats.robot_motion.values import (
    Order,
    base_of,
    breadth_first,
    depth_first,
    in_metres,
    robot_motion,
    root_of,
)
from limbik.formats.tables import STILL
from limbik.formats.text_numbers import shown
from limbik.maths.so3 import log_map, matrix_to_quat, quat_conjugate, quat_multiply

ROOT = ("root_x", "root_y", "root_z", "root_qx", "root_qy", "root_qz", "root_qw")
"""Names of a CSV file's first columns."""


def write(thing: Figure | Motion, path: Path, layout: str) -> None:
    """Write a motion, or a figure's rest pose as one frame, in one of the ``LAYOUTS``."""
    if layout not in LAYOUTS:
        hint = did_you_mean(str(layout), LAYOUTS) or f" (knows {', '.join(LAYOUTS)})"
        raise FormatError(f"layout {shown(str(layout))} is not known{hint}", path)
    ending, make = LAYOUTS[layout]
    if path.suffix.lower() != ending:
        raise FormatError(f"files of the layout {layout} end in {ending}", path)
    if isinstance(thing, Figure):
        thing = Motion(thing, thing.rest[None], STILL, thing.name)
    make(in_metres(thing), path)


def layout_of(path: Path) -> str:
    """The layout that a name such as "dance.unitree.csv" asks for, or ""."""
    word = Path(path.stem).suffix.lower().removeprefix(".")
    return word if word in LAYOUTS and LAYOUTS[word][0] == path.suffix.lower() else ""


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    write_whole(path, lambda file: np.savez(file, **arrays))  # pyright: ignore[reportArgumentType]


def _words(names: tuple[str, ...] | list[str]) -> np.ndarray:
    return np.array(names, str)


def _xyzw(wxyz: np.ndarray) -> np.ndarray:
    return np.roll(wxyz, -1, axis=1)


def _mujoco(motion: Motion, path: Path) -> None:
    joints = robot_motion(motion, path, with_balls=True)
    free = [joints.root, joints.wxyz] if root_of(motion.figure) >= 0 else []
    arrays = {
        "qpos": np.column_stack([*free, joints.values]),
        "fps": np.array(joints.fps),
        "joint_names": _words(joints.names),
    }
    _save(path, arrays)


def _gmr(motion: Motion, path: Path) -> None:
    joints = robot_motion(motion, path)
    arrays = {
        "fps": np.array(joints.fps),
        "root_pos": joints.root,
        "root_rot": _xyzw(joints.wxyz),
        "dof_pos": joints.values,
        "dof_names": _words(joints.names),
        "root_rot_order": np.array("xyzw"),
    }
    _save(path, arrays)


def _unitree(motion: Motion, path: Path) -> None:
    joints = robot_motion(motion, path)
    for name in joints.names:
        if any(letter in name for letter in ',\r\n"') or name != name.strip():
            raise FormatError(f"a CSV file of this layout cannot hold the name {shown(name)}", path)
    rows = np.column_stack([joints.root, _xyzw(joints.wxyz), joints.values])
    line = ",".join(["%.9g"] * rows.shape[1]) + "\n"
    head = f"# fps={joints.fps!r}\n# {','.join([*ROOT, *joints.names])}\n"

    def fill(file: BinaryIO) -> None:
        file.write(head.encode("utf-8", "replace"))
        for start in range(0, len(rows), 1000):
            part = rows[start : start + 1000]
            file.write((line * len(part) % tuple(part.ravel().tolist())).encode())

    write_whole(path, fill)


def _tracking(order: Order, all_bodies: bool) -> Callable[[Motion, Path], None]:
    """The writer of what a motion-tracking policy is trained on, in an order of joints."""

    def write_tracking(motion: Motion, path: Path) -> None:
        joints, figure = robot_motion(motion, path, order=order), motion.figure
        base, root = base_of(figure), root_of(figure)
        bodies = [
            k
            for k in order(figure)
            if k == base or (k != root and (all_bodies or figure.definition[k].parts))
        ]
        placed = figure.frames(motion.q)[:, bodies]
        wxyz = matrix_to_quat(placed[..., :3, :3])
        arrays = {
            "fps": np.array([joints.fps]),
            "joint_pos": joints.values,
            "joint_vel": _rates(joints.values, joints.fps),
            "body_pos_w": placed[..., :3, 3],
            "body_quat_w": wxyz,
            "body_lin_vel_w": _rates(placed[..., :3, 3], joints.fps),
            "body_ang_vel_w": _turn_rates(wxyz, joints.fps),
            "joint_names": _words(joints.names),
            "body_names": _words([figure.joints[k] for k in bodies]),
            "order": np.array("breadth first" if order is breadth_first else "depth first"),
        }
        _save(path, arrays)

    return write_tracking


def _rates(values: np.ndarray, fps: float) -> np.ndarray:
    """Change per second by central differences, one-sided at both ends."""
    return np.gradient(values, axis=0) * fps if len(values) > 1 else np.zeros_like(values)


def _turn_rates(wxyz: np.ndarray, fps: float) -> np.ndarray:
    """(frames, bodies, 3) angular velocities in the world, rad/s, by central differences."""
    out = np.zeros((*wxyz.shape[:2], 3))
    if len(wxyz) < 2:
        return out
    after, before = np.arange(1, len(wxyz) + 1), np.arange(-1, len(wxyz) - 1)
    after[-1], before[0] = len(wxyz) - 1, 0
    turned = log_map(quat_multiply(wxyz[after], quat_conjugate(wxyz[before])))
    return turned * (fps / (after - before))[:, None, None]


LAYOUTS: dict[str, tuple[str, Callable[[Motion, Path], None]]] = {
    "mujoco": (".npz", _mujoco),
    "gmr": (".npz", _gmr),
    "mjlab": (".npz", _tracking(depth_first, all_bodies=True)),
    "beyondmimic": (".npz", _tracking(breadth_first, all_bodies=False)),
    "unitree": (".csv", _unitree),
}
"""By name: the ending of the files, and what writes them."""

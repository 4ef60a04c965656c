"""Motions of SMPL, SMPL-H and SMPL-X bodies, as AMASS stores them (NPZ).

    poses              (frames, 3·joints) rotation vectors; or root_orient, pose_body, pose_jaw,
                       pose_eye and pose_hand, which together are the same
    trans              (frames, 3) in m, where the model's origin is; z is up
    mocap_framerate    frames per second; or mocap_frame_rate, or fps
    betas              (shapes,) the subject's shape

The rotations are exact.  How long the bones are, only a body model says, which each user has to
fetch from its makers; without its file they are those of an average adult, and a warning says so.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from limbik.errors import FigureError, FormatError, LimbikWarning, NoMotionError
from limbik.figure.coordinates import balls, from_quat
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figure.whole_turns import short_vectors
from limbik.formats.npz_arrays import Arrays
from limbik.formats.smpl.model import model_joints
from limbik.formats.smpl.skeleton import KINDS, TREES, average_joints, skeleton
from limbik.maths.so3 import exp_map

_RATES = ("mocap_framerate", "mocap_frame_rate", "fps")
_PIECES = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")


def is_clip(arrays: Arrays) -> bool:
    """Whether the arrays of a file are those of a motion of this family."""
    return "trans" in arrays and ("poses" in arrays or "pose_body" in arrays)


def from_arrays(
    arrays: Arrays, path: Path, figure: Figure | None = None, model: Path | None = None
) -> Motion:
    """The motion, on the skeleton of a body ``model``'s file, or on an average one.

    A ``figure`` must have the same joints by name.
    """
    trans = arrays.numbers("trans", (None, 3)).astype(float)
    poses = _poses(arrays, len(trans), path)
    rates = [name for name in _RATES if name in arrays]
    if not rates:
        raise FormatError(f"does not say its frame rate ({', '.join(_RATES)})", path)
    fps = arrays.numbers(rates[0]).ravel()
    betas = arrays.numbers("betas").ravel().astype(float) if "betas" in arrays else np.zeros(0)
    count = poses.shape[1] // 3
    if len(trans) == 0:
        raise NoMotionError("has no frames", path)
    if len(fps) != 1 or not np.isfinite(betas).all():
        raise FormatError(f'"{rates[0]}" and "betas" must be numbers', path)
    if model is not None:
        joints = model_joints(model, betas)
        if count not in (len(joints), 22):  # all have the same 22 joints of the body
            have = KINDS[len(joints)]
            raise FormatError(f"the motion is of {KINDS[count]}, the model of {have}", path)
        joints = joints[:count]
    else:
        joints = average_joints(count)
    own = skeleton(joints, KINDS[count])
    q = np.zeros((len(trans), own.n))
    q[:, :3] = trans
    q[:, 3:] = poses
    try:
        q = own.pose(q, "motion")
        with np.errstate(over="ignore", invalid="ignore"):
            for part, columns in balls(own.definition):
                # Files jump from a rotation vector of angle π to the opposite one.
                q[:, columns] = from_quat(part, exp_map(q[:, columns]), q[0, columns])
        q = short_vectors(own.definition, q)
        motion = Motion(own, q, float(fps[0]), path.stem)
        if figure is not None:
            motion = motion.onto(figure)
    except FigureError as error:
        raise FormatError(str(error), path) from error
    if model is None and figure is None:
        text = (
            f"{path.name}: holds rotations of {KINDS[count]} and no bone lengths; those of an "
            "average adult are used (load_motion(..., model=FILE), or --figure FILE, "
            "in limbik retarget --clip-figure FILE, with the body model's .npz file "
            "takes the subject's own)"
        )
        warnings.warn(text, LimbikWarning, stacklevel=4)
    return motion


def _poses(arrays: Arrays, frames: int, path: Path) -> np.ndarray:
    """(frames, 3·joints) rotation vectors, in the order of the model's joints."""
    if "poses" in arrays:
        found = arrays.numbers("poses")
        if found.ndim == 3 and found.shape[2] == 3:
            found = found.reshape(len(found), -1)
    else:
        pieces = [arrays.numbers(name, (frames, None)) for name in _PIECES if name in arrays]
        found = np.concatenate(pieces, axis=1)
    if found.ndim != 2 or len(found) != frames or found.shape[1] not in [3 * k for k in TREES]:
        known = ", ".join(f"{3 * number} ({KINDS[number]})" for number in TREES)
        text = f"has poses of shape {found.shape} and {frames} frames; known are {known} per frame"
        raise FormatError(text, path)
    return found

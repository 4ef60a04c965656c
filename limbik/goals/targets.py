"""Targets as people hold them: matrices, quaternions in either order, angles, SciPy's rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.maths.euler import euler_to_quat
from limbik.maths.so3 import matrix_to_quat

_SQUARE = 1e-4  # how far RᵀR may be from 1 in what counts as a rotation


def split_pose(pose: object, what: str) -> tuple[np.ndarray, np.ndarray]:
    """(position (..., 3), wxyz (..., 4)) of a transform (..., 4, 4) or (..., 3, 4).

    Objects of other libraries are taken by their ``as_matrix()`` (SciPy's RigidTransform) or
    ``homogeneous`` (Pinocchio's SE3).
    """
    matrix = _matrix(pose, f"{what}: pose")
    if matrix.ndim < 2 or matrix.shape[-2:] not in ((4, 4), (3, 4)):
        raise GoalError(f"{what}: pose needs a 4 × 4 or 3 × 4 matrix, got shape {matrix.shape}")
    if matrix.shape[-2] == 4 and not np.allclose(matrix[..., 3, :], [0, 0, 0, 1], atol=1e-6):
        raise GoalError(f"{what}: pose: its last row must be 0, 0, 0, 1 (is it transposed?)")
    return matrix[..., :3, 3].copy(), _wxyz(matrix[..., :3, :3], f"{what}: pose")


def one_rotation(
    what: str, *, wxyz: Any = None, xyzw: Any = None, rpy: Any = None, rotation: Any = None
) -> Any:
    """The one rotation that was given, as wxyz (..., 4); None where none was.

    ``wxyz`` comes back as it is; several at a time are refused.
    """
    given = {"wxyz": wxyz, "xyzw": xyzw, "rpy": rpy, "rotation": rotation}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise GoalError(
            f"{what}: {' and '.join(f'{name}=' for name in named)} both say how to turn"
        )
    if xyzw is not None:
        return np.roll(_numbers(xyzw, 4, f"{what}: xyzw"), 1, axis=-1)
    if rpy is not None:
        return euler_to_quat(_numbers(rpy, 3, f"{what}: rpy")[..., ::-1], "ZYX")
    if rotation is not None:
        matrix = _matrix(rotation, f"{what}: rotation")
        if matrix.ndim < 2 or matrix.shape[-2:] != (3, 3):
            raise GoalError(f"{what}: rotation needs a 3 × 3 matrix, got shape {matrix.shape}")
        return _wxyz(matrix, f"{what}: rotation")
    if hasattr(wxyz, "as_matrix"):
        raise GoalError(f"{what}: wxyz needs 4 numbers; rotation= takes a {type(wxyz).__name__}")
    return wxyz


def _wxyz(matrix: np.ndarray, what: str) -> np.ndarray:
    square = np.swapaxes(matrix, -1, -2) @ matrix
    if np.abs(square - np.eye(3)).max() > _SQUARE or (np.linalg.det(matrix) < 0).any():
        raise GoalError(f"{what}: is not a rotation: it scales, shears or mirrors")
    return matrix_to_quat(matrix)


def _matrix(value: Any, what: str) -> np.ndarray:
    if hasattr(value, "as_matrix"):
        value = value.as_matrix()
    elif hasattr(value, "homogeneous"):
        value = value.homogeneous
    try:
        array = np.array(value, float)
    except (TypeError, ValueError):
        raise GoalError(f"{what} needs a matrix, got {value!r}") from None
    if not np.isfinite(array).all():
        raise GoalError(f"{what} is not finite")
    return array


def _numbers(values: object, length: int, what: str) -> np.ndarray:
    try:
        array = np.array(values, float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if not array.ndim or array.shape[-1] != length:
        raise GoalError(f"{what} needs {length} numbers, got {values!r}")
    if not np.isfinite(array).all():
        raise GoalError(f"{what}: {values!r} is not finite")
    return array

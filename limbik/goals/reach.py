"""Reach: a point of a joint at a place, a joint turned a given way, or both; and Pin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from limbik.errors import GoalError
from limbik.figure import layout as lay
from limbik.goals import terms as tm
from limbik.goals.kernels.relative import other_joint, relative_position, relative_rotation
from limbik.goals.priority import Prioritized
from limbik.goals.targets import one_rotation, split_pose
from limbik.maths.so3 import quat_to_matrix


@dataclass(frozen=True, eq=False, repr=False)
class Reach(Prioritized):
    """A point of a joint goes to a place, a joint turns a given way, or both.

    The rows are g − p(q) for a position, and the rotation that is missing for an orientation.

    ``position`` (3,) is where the point ``at`` (in the joint's own frame, figure's unit) shall be;
    ``wxyz`` (4,) how the joint shall be turned in the world.  Instead of them ``pose`` takes a
    4 × 4 or 3 × 4 matrix for both, and instead of ``wxyz`` there are ``xyzw`` (4,), ``rpy`` (3,)
    (roll, pitch and yaw in radians about the world's x, y and z, in this order, as in URDF files)
    and ``rotation``, a 3 × 3 matrix or a SciPy Rotation.  ``weight`` is one number, three (the
    world's x, y, z) or a 3 × 3 matrix, the W of equation 17 of line_search; ``rotation_weight``
    weighs the orientation, where a radian counts as much as a quarter of the figure's size.
    ``rows`` chooses how an orientation is measured: "vector", three rows, the rotation vector
    log(R_goal·Rᵀ); or "axes", six rows, the differences of the axes î and ĵ (equation A.1).
    ``relative_to`` names a joint in whose frame position and rotation are then meant: a hand on a
    prop, or one hand as the other has it; both joints may move for it.

    >>> Reach("LeftHand", position=[0.4, 1.2, 0.3])
    Reach(joint='LeftHand', position=[0.4, 1.2, 0.3])
    """

    TARGETS: ClassVar[Mapping[str, int | None]] = {"position": 3, "wxyz": 4}

    joint: str
    position: tm.Vector | None = None
    wxyz: tm.Vector | None = None
    at: tm.Vector = (0.0, 0.0, 0.0)
    weight: float | tm.Vector | np.ndarray = 1.0
    rotation_weight: float | tm.Vector = 1.0
    rows: Literal["vector", "axes"] = "vector"
    relative_to: str | None = field(default=None, kw_only=True)
    pose: InitVar[Any] = field(default=None, kw_only=True)
    xyzw: InitVar[tm.Vector | None] = field(default=None, kw_only=True)
    rpy: InitVar[tm.Vector | None] = field(default=None, kw_only=True)
    rotation: InitVar[Any] = field(default=None, kw_only=True)

    def __post_init__(self, pose: Any, xyzw: Any, rpy: Any, rotation: Any) -> None:
        tm.joint_name(self.joint, "Reach")
        if self.relative_to is not None:
            tm.joint_name(self.relative_to, f'Reach "{self.joint}": relative_to')
        what = f'Reach "{self.joint}"'
        turn = one_rotation(what, wxyz=self.wxyz, xyzw=xyzw, rpy=rpy, rotation=rotation)
        if pose is not None:
            if turn is not None or self.position is not None:
                raise GoalError(f"{what}: pose= says position and rotation; give nothing beside it")
            place, turn = split_pose(pose, what)
            object.__setattr__(self, "position", place)
        object.__setattr__(self, "wxyz", turn)

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        what = f'Reach "{self.joint}"'
        joint = tm.joint_index(scene.figure, self.joint, "Reach")
        if self.position is None and self.wxyz is None:
            raise GoalError(f"{what}: no target: give position=, wxyz= or both")
        other = None
        if self.relative_to is not None:
            other = other_joint(scene, self.relative_to, joint, what)
            if self.rows != "vector":
                raise GoalError(f'{what}: rows="axes" cannot be relative to a joint')
        terms = []
        if self.position is not None:
            point = tm.vector(self.position, 3, f"{what}: position")
            at = tm.vector(self.at, 3, f"{what}: at")
            diagonal, full = tm.weights(self.weight, 3, what)
            if other is None:
                terms.append(
                    tm.Term(
                        tm.POSITION, joint, at, point=point, weight=diagonal, matrix_weight=full
                    )
                )
            elif full is not None:
                raise GoalError(f"{what}: relative to a joint weight takes one number or three")
            else:
                terms.append(relative_position(joint, at, other, point, diagonal))
        if self.wxyz is not None:
            turn = tm.vector(self.wxyz, 4, f"{what}: wxyz")
            if np.linalg.norm(turn) < 1e-12:
                raise GoalError(f"{what}: wxyz has zero length")
            if self.rows not in ("vector", "axes"):
                raise GoalError(f'{what}: rows must be "vector" or "axes", got {self.rows!r}')
            kind = tm.ROTATION if self.rows == "vector" else tm.AXES
            if kind == tm.AXES and np.ndim(self.rotation_weight):
                raise GoalError(f'{what}: rows="axes" takes one rotation_weight')
            diagonal, full = tm.weights(self.rotation_weight, 3, f"{what}: rotation_weight")
            if full is not None:
                raise GoalError(f"{what}: rotation_weight takes one number or three")
            matrix = quat_to_matrix(turn)
            if other is not None:
                weight = diagonal * scene.lever**2
                return [*terms, relative_rotation(joint, other, matrix, weight)]
            # Two rotated axes move twice as far as the angle's rows (on average): halve them.
            scale = scene.lever**2 * (0.5 if kind == tm.AXES else 1.0)
            terms.append(tm.Term(kind, joint, matrix=matrix, weight=diagonal * scale))
        return terms

    def target_writes(self, tables: Mapping[str, np.ndarray]) -> list[tm.TargetWrite]:
        writes = []
        relative = self.relative_to is not None
        if "position" in tables:
            writes.append(
                tm.TargetWrite(0, tm.NUMBERS if relative else lay.T_POINT, tables["position"])
            )
        if "wxyz" in tables:
            turns = tables["wxyz"]
            if (np.linalg.norm(turns, axis=-1) < 1e-12).any():
                raise GoalError(f'Reach "{self.joint}": wxyz has zero length')
            matrices = quat_to_matrix(turns).reshape(len(turns), 9)
            writes.append(tm.TargetWrite(-1, tm.NUMBERS if relative else lay.T_MATRIX, matrices))
        return writes


@dataclass(frozen=True, eq=False, repr=False)
class Pin(Prioritized):
    """A point of a joint stays where the start pose has it; with ``rotation=True`` its turn too.

    ``at`` (3,) is the point, in the joint's own frame.  For another place there is ``Reach``.
    ``to`` names a joint to which it is then fixed, as the start pose has the two: a prop in a hand.
    """

    joint: str
    at: tm.Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    rotation: bool = field(default=False, kw_only=True)
    weight: float | tm.Vector | np.ndarray = field(default=1.0, kw_only=True)
    rotation_weight: float | tm.Vector = field(default=1.0, kw_only=True)
    to: str | None = field(default=None, kw_only=True)

    def __new__(cls, *given: Any, **named: Any) -> Pin:
        if len(given) > 1:
            raise GoalError(
                f'Pin "{given[0]}": keeps the joint where the start pose has it and takes no place '
                f"({given[1]!r}); use Reach to go to a place, or at= for a point on the joint"
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        tm.joint_name(self.joint, "Pin")
        if self.to is not None:
            tm.joint_name(self.to, f'Pin "{self.joint}": to')
        if not isinstance(self.rotation, bool | np.bool_):
            raise GoalError(f'Pin "{self.joint}": rotation is True or False, got {self.rotation!r}')

    @property
    def label(self) -> str:
        return self.joint

    def terms(self, scene: tm.Scene) -> list[tm.Term]:
        joint = tm.joint_index(scene.figure, self.joint, "Pin")
        at = tm.vector(self.at, 3, f'Pin "{self.joint}": at')
        diagonal, full = tm.weights(self.weight, 3, f'Pin "{self.joint}"')
        frame = scene.frames[joint]
        point = frame[:3, :3] @ at + frame[:3, 3]
        other = None
        if self.to is not None:
            what = f'Pin "{self.joint}"'
            other = other_joint(scene, self.to, joint, what)
            if full is not None:
                raise GoalError(f"{what}: pinned to a joint weight takes one number or three")
            there = scene.frames[other]
            place = there[:3, :3].T @ (point - there[:3, 3])
            terms = [relative_position(joint, at, other, place, diagonal)]
        else:
            terms = [
                tm.Term(tm.POSITION, joint, at, point=point, weight=diagonal, matrix_weight=full)
            ]
        if self.rotation:
            turn, full = tm.weights(self.rotation_weight, 3, f'Pin "{self.joint}": rotation_weight')
            if full is not None:
                raise GoalError(f'Pin "{self.joint}": rotation_weight takes one number or three')
            weight = turn * scene.lever**2
            if other is None:
                terms.append(
                    tm.Term(tm.ROTATION, joint, matrix=frame[:3, :3].copy(), weight=weight)
                )
            else:
                matrix = scene.frames[other][:3, :3].T @ frame[:3, :3]
                terms.append(relative_rotation(joint, other, matrix, weight))
        return terms

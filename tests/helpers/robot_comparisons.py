"""Robots and models as limbik loads them beside Pinocchio (URDF) and MuJoCo (MJCF), to 1e-9."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio

import limbik
from limbik import Figure
from limbik.maths.so3 import exp_map


def load(path: Path) -> Figure:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return limbik.load(path)


def values_of(figure: Figure, q: np.ndarray, joint: str) -> list[float]:
    """What an MJCF joint is set to by q."""
    tree = figure.tree
    at = next(
        i
        for i, known in enumerate(figure.definition)
        if known.parts and (known.alias or known.name) == joint
    )
    slots = [tree.slots[k] for k in tree.slots_of[at]]
    return [slot.scale * q[slot.coordinate] + slot.shift for slot in slots]


def mujoco_of(path: Path) -> tuple[Any, Any]:
    """(MuJoCo's model of a file, its data)."""
    model = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    return model, mujoco.MjData(model)  # type: ignore[attr-defined]


def name_of(theirs: Any, kind: str, k: int) -> str:
    """What MuJoCo's model calls the k-th of a kind, such as mjOBJ_BODY."""
    return mujoco.mj_id2name(theirs, getattr(mujoco.mjtObj, kind), k)  # type: ignore[attr-defined]


def set_pose(figure: Figure, q: np.ndarray, theirs: Any, data: Any) -> None:
    """Write a pose q (n,) into the qpos of MuJoCo's model of the same file."""
    for j in range(theirs.njnt):
        body = theirs.jnt_bodyid[j]
        own = [k for k in range(theirs.njnt) if theirs.jnt_bodyid[k] == body]
        number = str(own.index(j) + 1) if len(own) > 1 else ""
        stands = name_of(theirs, "mjOBJ_BODY", body) or f"body{body}"
        name = name_of(theirs, "mjOBJ_JOINT", j) or f"{stands}_joint{number}"
        values, at = values_of(figure, q, name), theirs.jnt_qposadr[j]
        if len(values) == 6:
            data.qpos[at : at + 7] = [*values[:3], *exp_map(values[3:])]
        elif len(values) == 3:
            data.qpos[at : at + 4] = exp_map(values)
        else:
            data.qpos[at] = values[0]


def gaps(figure: Figure, q: np.ndarray, theirs: Any, data: Any) -> list[float]:
    """How far the anchors of each ``connect`` are apart in a pose, and how far each coupling of
    joints is from its polynomial, by MuJoCo."""
    set_pose(figure, q, theirs, data)
    mujoco.mj_forward(theirs, data)  # type: ignore[attr-defined]
    out = []
    for e in range(theirs.neq):
        one, two, numbers = theirs.eq_obj1id[e], theirs.eq_obj2id[e], theirs.eq_data[e]
        if theirs.eq_type[e] == mujoco.mjtEq.mjEQ_CONNECT:  # type: ignore[attr-defined]
            ends = [
                data.xpos[body] + data.xmat[body].reshape(3, 3) @ at
                for body, at in ((one, numbers[:3]), (two, numbers[3:6]))
            ]
            out.append(float(np.linalg.norm(ends[0] - ends[1])))
        elif theirs.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT:  # type: ignore[attr-defined]
            at, by = theirs.jnt_qposadr[one], theirs.jnt_qposadr[two]
            moved, leads = data.qpos[[at, by]] - theirs.qpos0[[at, by]]
            out.append(abs(float(moved - np.polyval(numbers[4::-1], leads))))
    return out


def compare_with_mujoco(path: Path, poses: int = 5, theirs: Any = None) -> int:
    """Compares every body, to 1e-9, at rest and in random poses; returns how many there are.

    ``theirs`` is MuJoCo's model of the file, where it has been read already.
    """
    figure = load(path)
    data = None if theirs is None else mujoco.MjData(theirs)  # type: ignore[attr-defined]
    if theirs is None:
        theirs, data = mujoco_of(path)
    rng = np.random.default_rng(0)
    bodies = [name_of(theirs, "mjOBJ_BODY", b) or f"body{b}" for b in range(theirs.nbody)]
    for pose in range(poses):
        q = figure.rest if pose == 0 else rng.uniform(-1.0, 1.0, figure.n)
        set_pose(figure, q, theirs, data)
        mujoco.mj_kinematics(theirs, data)  # type: ignore[attr-defined]
        frames = figure.frames(q)
        for b in range(1, theirs.nbody):
            ours = frames[figure.index(bodies[b])]
            np.testing.assert_allclose(ours[:3, 3], data.xpos[b], atol=1e-9, err_msg=bodies[b])
            turned = data.xmat[b].reshape(3, 3)
            np.testing.assert_allclose(ours[:3, :3], turned, atol=1e-9, err_msg=bodies[b])
    return theirs.nbody - 1


def slot_values(figure: Figure, q: np.ndarray, joint: str) -> list[float]:
    """What a URDF joint is set to by q, its own coordinates or what drives it."""
    tree = figure.tree
    at = next(i for i, known in enumerate(figure.definition) if known.alias == joint)
    slots = [tree.slots[k] for k in tree.slots_of[at]]
    return [slot.scale * q[slot.coordinate] + slot.shift for slot in slots]


def compare_with_pinocchio(path: Path, poses: int = 10, model: Any = None) -> int:
    """Compares every link that both know, to 1e-9; returns how many.

    ``model`` is Pinocchio's of the file, where it has been read already.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        figure = limbik.load(path)
    if model is None:
        model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    rng = np.random.default_rng(0)
    links = [name for name in figure.joints if model.existBodyName(name)]
    for _ in range(poses):
        q = rng.uniform(-1.5, 1.5, figure.n)
        theirs = pinocchio.neutral(model)
        for name in list(model.names)[1:]:
            joint = model.joints[model.getJointId(name)]
            values = slot_values(figure, q, name)
            at = joint.idx_q
            if (joint.nq, len(values)) == (1, 1):
                theirs[at] = values[0]
            elif (joint.nq, len(values)) == (2, 1):
                theirs[at : at + 2] = math.cos(values[0]), math.sin(values[0])
            elif (joint.nq, len(values)) == (7, 6):
                turn = limbik.maths.so3.exp_map(values[3:])
                theirs[at : at + 7] = [*values[:3], *turn[1:], turn[0]]
            else:
                raise AssertionError(f"{name}: {joint.nq} numbers there, {len(values)} here")
        pinocchio.framesForwardKinematics(model, data, theirs)
        frames = figure.frames(q)
        for name in links:
            other = data.oMf[model.getBodyId(name)].homogeneous
            np.testing.assert_allclose(frames[figure.index(name)], other, atol=1e-9, err_msg=name)
    return len(links)

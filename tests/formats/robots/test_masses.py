"""Masses of robots, beside what Pinocchio and MuJoCo make of them."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

from helpers import real_data
from helpers.robot_comparisons import load, mujoco_of, name_of, set_pose, slot_values

URDFS = ["erd_panda", "erd_romeo", "erd_talos_full_v2", "erd_ur5_robot", "unitree_g1_29dof_rev_1_0"]
MODELS = [
    "unitree_g1/g1", "booster_t1/t1", "agility_cassie/cassie", "robotiq_2f85/2f85",
    "shadow_hand/right_hand", "wonik_allegro/left_hand",
]  # fmt: skip


@pytest.mark.parametrize("name", URDFS)
def test_masses_of_a_urdf_are_those_of_pinocchio(name: str) -> None:
    path = real_data.find(f"robots/{name}.urdf")
    figure = load(path)
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    data = model.createData()
    assert figure.mass == pytest.approx(pinocchio.computeTotalMass(model), abs=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, theirs = rng.uniform(-1.5, 1.5, figure.n), pinocchio.neutral(model)
        for joint in list(model.names)[2:]:
            (value,) = slot_values(figure, q, joint)
            own = model.joints[model.getJointId(joint)]
            whole = [value] if own.nq == 1 else [math.cos(value), math.sin(value)]
            theirs[own.idx_q : own.idx_q + own.nq] = whole
        com = pinocchio.centerOfMass(model, data, theirs)
        np.testing.assert_allclose(figure.com(q), com, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_masses_of_a_model_are_those_of_mujoco(name: str) -> None:
    path = real_data.find(f"robots_mjcf/{name}.xml")
    figure, (model, data) = load(path), mujoco_of(path)
    assert figure.mass == pytest.approx(model.body_mass.sum(), abs=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = rng.uniform(-1.0, 1.0, figure.n)
        set_pose(figure, q, model, data)
        mujoco.mj_forward(model, data)  # type: ignore[attr-defined]
        np.testing.assert_allclose(figure.com(q), data.subtree_com[0], atol=1e-9)
    for b in range(1, model.nbody):
        own = figure.inertias.get(name_of(model, "mjOBJ_BODY", b))
        assert (0.0 if own is None else own.mass) == pytest.approx(model.body_mass[b], abs=1e-9)
        if own is not None:
            moments = np.sort(np.linalg.eigvalsh(own.matrix))
            np.testing.assert_allclose(moments, np.sort(model.body_inertia[b]), atol=1e-9)


CUBE = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1"
FACES = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 1 2 6 1 6 5 0 4 7 0 7 3"
GEOMS = {
    "sphere": '<geom size="0.1" pos="1 0 0"/>',
    "capsule": '<geom type="capsule" size="0.1 0.3" euler="30 40 50" pos="0 1 0"/>',
    "line": '<geom type="capsule" size="0.1" fromto="0 0 0 1 2 3" density="500"/>',
    "line box": '<geom type="box" size="0.1" fromto="0 0 0 1 2 -3"/>',
    "ellipsoid": '<geom type="ellipsoid" size="0.1 0.2 0.3" mass="3" zaxis="1 1 0"/>',
    "two": '<geom type="box" size="0.1 0.2 0.3"/><geom type="cylinder" size=".1 .2" pos="1 1 1"/>',
    "group": '<geom size="0.1" group="3"/><geom size="0.2" group="1"/>',
    "frame": '<frame pos="1 2 3" euler="10 20 30"><geom type="box" size="1 2 3"/></frame>',
    "class": '<geom class="thin" size="0.1 0.2"/>',
    "turned class": '<geom class="thin" size="0.1 0.2" euler="1 2 3"/>',
    "inertial": '<geom size="1"/><inertial mass="2" pos="1 0 0" diaginertia="2 1 2"/>',
    "full": '<inertial mass="2" pos="1 0 0" fullinertia="1 2 2.5 0.1 0.2 0.3"/>',
    "mesh": '<geom type="mesh" mesh="brick" pos="1 2 3" euler="10 20 30"/>',
    "fitted": '<geom type="capsule" mesh="brick"/>',
    "fitted box": '<geom type="box" mesh="brick" euler="10 20 30" mass="2"/>',
    "plane": '<geom type="plane" size="1 1 1"/><geom size="0.1"/>',
}  # fmt: skip
COMPILERS = {
    "": [*GEOMS],
    'inertiafromgeom="true"': ["inertial"],
    'inertiagrouprange="0 2"': ["group"],
    'angle="radian" eulerseq="ZYX"': ["capsule"],
}


@pytest.mark.parametrize(
    ("compiler", "geoms"), [(c, g) for c, each in COMPILERS.items() for g in each]
)
def test_masses_from_geoms(compiler: str, geoms: str, tmp_path: Path) -> None:
    thin = (
        '<default><default class="thin"><geom type="cylinder" quat="1 1 0 0"/></default></default>'
    )
    mesh = f'<mesh name="brick" vertex="{CUBE}" face="{FACES}" scale="0.1 0.2 0.5"/>'
    text = (
        f"<mujoco><compiler {compiler}/>{thin}<asset>{mesh}</asset>"
        f'<worldbody><body name="b" pos="0 0 1">{GEOMS[geoms]}</body></worldbody></mujoco>'
    )
    path = tmp_path / "model.xml"
    path.write_text(text)
    figure, (model, data) = load(path), mujoco_of(path)
    mujoco.mj_forward(model, data)  # type: ignore[attr-defined]
    assert figure.mass == pytest.approx(model.body_mass[1], rel=1e-12)
    np.testing.assert_allclose(figure.com(figure.rest), data.xipos[1], atol=1e-12)
    moments = np.sort(np.linalg.eigvalsh(figure.inertias["b"].matrix))
    np.testing.assert_allclose(moments, np.sort(model.body_inertia[1]), rtol=1e-9)

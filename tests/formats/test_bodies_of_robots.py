"""Masses, shapes, speeds and loops of robots, beside what Pinocchio and MuJoCo make of them."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

import limbik
from helpers import real_data
from helpers.robot_comparisons import load, slot_values, values_of
from limbik import Box, Capsule, Cylinder, Figure, FormatError, LimbikWarning, Sphere
from limbik.formats.mesh_files import read_mesh
from limbik.maths.so3 import exp_map, quat_to_matrix

URDFS = ["erd_panda", "erd_romeo", "erd_talos_full_v2", "erd_ur5_robot", "unitree_g1_29dof_rev_1_0"]
MODELS = [
    "unitree_g1/g1", "booster_t1/t1", "agility_cassie/cassie", "robotiq_2f85/2f85",
    "shadow_hand/right_hand", "wonik_allegro/left_hand",
]  # fmt: skip


def mujoco_of(path: Path) -> tuple[mujoco.MjModel, mujoco.MjData]:  # type: ignore[name-defined]
    model = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    return model, mujoco.MjData(model)  # type: ignore[attr-defined]


def name_of(model: object, kind: str, k: int) -> str:
    return mujoco.mj_id2name(model, getattr(mujoco.mjtObj, kind), k)  # type: ignore[attr-defined]


def set_pose(figure: Figure, q: np.ndarray, model: object, data: object) -> None:
    """Bring MuJoCo's model to a pose of the figure."""
    for j in range(model.njnt):  # type: ignore[attr-defined]
        body = model.jnt_bodyid[j]  # type: ignore[attr-defined]
        unnamed = f"{name_of(model, 'mjOBJ_BODY', body)}_joint"
        values = values_of(figure, q, name_of(model, "mjOBJ_JOINT", j) or unnamed)
        if len(values) == 6:
            values = [*values[:3], *exp_map(values[3:])]
        elif len(values) == 3:
            values = list(exp_map(values))
        at = model.jnt_qposadr[j]  # type: ignore[attr-defined]
        data.qpos[at : at + len(values)] = values  # type: ignore[attr-defined]
    mujoco.mj_forward(model, data)  # type: ignore[attr-defined]


# ---- masses --------------------------------------------------------------------------------------


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


# ---- shapes --------------------------------------------------------------------------------------


def test_shapes_of_a_model_are_its_geoms_that_touch() -> None:
    path = real_data.find("robots_mjcf/booster_t1/t1.xml")
    figure, (model, data) = load(path), mujoco_of(path)
    touch = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
    kinds = {2: Sphere, 3: Capsule, 5: Cylinder, 6: Box}
    assert [type(shape) for shape in figure.shapes] == [kinds[model.geom_type[g]] for g in touch]
    q = figure.rest
    set_pose(figure, q, model, data)
    for g, shape in zip(touch, figure.shapes, strict=True):
        frame = figure.frame(q, shape.joint)
        place = frame[:3, :3] @ np.array(shape.center) + frame[:3, 3]
        np.testing.assert_allclose(place, data.geom_xpos[g], atol=1e-9)
        if not isinstance(shape, Sphere):
            turn = frame[:3, :3] @ quat_to_matrix(np.array(shape.wxyz))
            np.testing.assert_allclose(turn, data.geom_xmat[g].reshape(3, 3), atol=1e-9)
        sizes = shape.half_sizes if isinstance(shape, Box) else (shape.radius,)
        np.testing.assert_allclose(model.geom_size[g][: len(sizes)], sizes)


def test_meshes_become_capsules_around_them() -> None:
    path = real_data.find("robots_mjcf/robotiq_2f85/2f85.xml")
    figure = load(path)
    assert {type(shape) for shape in figure.shapes} == {Box, Capsule}
    assert ("base", "left_driver") in figure.exclusions
    own = next(s for s in figure.shapes if s.joint == "left_coupler")
    assert isinstance(own, Capsule)
    points = 0.001 * read_mesh(path.parent / "assets" / "coupler.stl").vertices
    start, end = own.ends
    s = np.clip((points - start) @ (end - start) / float((end - start) @ (end - start)), 0, 1)
    away = np.linalg.norm(points - start - np.outer(s, end - start), axis=1)
    assert away.max() == pytest.approx(own.radius, rel=1e-6)
    # What was read once is not read again, and a copy has it.
    assert pickle.loads(pickle.dumps(figure)).physical.shapes == figure.shapes


URDF = """<robot name="r">
<link name="base"><inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
<inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="hull"><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>
<geometry><cylinder radius="0.1" length="0.6"/></geometry></collision></link>
<link name="tip"><collision><geometry><box size="1 2 3"/></geometry></collision>
<collision><geometry><sphere radius="0.3"/></geometry></collision>
<collision><geometry><mesh filename="package://r/meshes/part.{mesh}" scale="2 2 2"/></geometry>
</collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="tip"/>
<limit lower="-1" upper="1" velocity="2.5" effort="{effort}"/></joint></robot>"""


def write_urdf(folder: Path, mesh: str = "stl", effort: str = "7") -> Path:
    path = folder / "r.urdf"
    path.write_text(URDF.format(mesh=mesh, effort=effort))
    (folder / "meshes").mkdir()
    return path


def test_what_a_urdf_says_of_its_links(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    path = write_urdf(folder, "obj", "0")
    (folder / "meshes" / "part.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1/1 2/2 3/3\nf -1 -2 -3\nf 1 2 3 4\n"
    )
    (folder / "r.srdf").write_text(
        '<robot><disable_collisions link1="base" link2="tip"/>'
        '<disable_collisions link1="base" link2="other"/></robot>'
    )
    figure = limbik.load(path)
    assert figure.mass == 2.0
    np.testing.assert_allclose(figure.inertias["base"].matrix, np.diag([2, 1, 3]), atol=1e-12)
    assert figure.exclusions == (("base", "tip"),)
    assert figure.speed_limits.tolist() == [2.5]
    assert figure.effort_limits.tolist() == [math.inf]  # 0 says nothing
    hull, box, ball, part = figure.shapes
    assert hull == Cylinder(0.1, 0.3, (0, 0, 1), hull.wxyz, "base", "hull")
    np.testing.assert_allclose(hull.wxyz, [0.5**0.5, 0, 0.5**0.5, 0])
    assert box == Box((0.5, 1, 1.5), joint="tip")
    assert ball == Sphere(0.3, joint="tip")
    assert isinstance(part, Capsule)
    assert part.joint == "tip"
    assert 1.0 < part.radius + part.half_length < 3.0  # it was scaled


def test_a_missing_mesh_is_told_when_shapes_are_asked_for(tmp_path: Path) -> None:
    figure = limbik.load(write_urdf(tmp_path))  # without a word
    with pytest.warns(LimbikWarning, match=r"r.urdf: the mesh part.stl is left out: there is no"):
        shapes = figure.shapes
    assert len(shapes) == 3
    assert figure.shapes is shapes


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<mass value="2"/>', '<mass value="heavy"/>', "<inertial> of .base. is left out: value"),
        ('<mass value="2"/>', '<mass value="-2"/>', "<inertial> of .base. is left out: Inertia"),
        ('size="1 2 3"', 'size="1 2"', "<collision> of .tip. is left out: size of <box>"),
        ("sphere", "cone", "<collision> of .tip. is left out: <cone> is not a shape"),
    ],
)
def test_a_fault_is_a_warning_and_the_robot_moves(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    path = write_urdf(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.warns(LimbikWarning, match=message):
        figure = limbik.load(path)
    assert figure.n == 1


# ---- meshes --------------------------------------------------------------------------------------


def test_stl_files_as_text_and_as_numbers_are_the_same(tmp_path: Path) -> None:
    corners = np.arange(18, dtype="<f4").reshape(2, 3, 3)
    records = np.zeros(2, [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("x", "<u2")])
    records["c"] = corners
    binary = tmp_path / "binary.STL"
    binary.write_bytes(b"solid".ljust(80) + (2).to_bytes(4, "little") + records.tobytes())
    facets = [
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {' '.join(f'{v:e}' for v in corner)}\n" for corner in triangle)
        + "endloop\nendfacet\n"
        for triangle in corners
    ]
    text = tmp_path / "text.stl"
    text.write_text("solid x\n" + "".join(facets) + "endsolid x\n")
    for file in (binary, text):
        found = read_mesh(file)
        np.testing.assert_array_equal(found.vertices[found.triangles], corners)


def test_msh_files_have_counts_first(tmp_path: Path) -> None:
    points, faces = np.arange(12, dtype="<f4"), np.array([0, 1, 2, 0, 2, 3], "<i4")
    path = tmp_path / "a.msh"
    counts = np.array([4, 1, 2, 2], "<i4").tobytes()
    path.write_bytes(counts + points.tobytes() + bytes(4 * (3 + 4)) + faces.tobytes())
    found = read_mesh(path)
    np.testing.assert_array_equal(found.vertices, points.reshape(-1, 3))
    np.testing.assert_array_equal(found.triangles, faces.reshape(-1, 3))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.stl", b"", "no triangles"),
        ("a.stl", b"solid x vertex 1 2 y", "not three numbers"),
        ("a.stl", b"solid x vertex 1 2 3", "not three corners"),
        ("a.obj", b"v 1 2\n", "needs three numbers"),
        ("a.obj", b"v 1 2 3\nf 1 2 3\n", "not there"),
        ("a.obj", b"v 1 2 3\nf 1 x 3\n", "for a vertex"),
        ("a.obj", b"v nan 2 3\nf 1 1 1\n", "not finite"),
        ("a.msh", b"1234", "its size is not what it says"),
        ("a.msh", np.array([1, 0, 0, 1] + [0] * 5 + [7], "<i4").tobytes(), "not there"),
        ("a.dae", b"<x/>", "not a mesh limbik reads"),
    ],
)
def test_faulty_meshes_are_refused(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_mesh(path)


# ---- loops and efforts ---------------------------------------------------------------------------


def loop_errors(figure: Figure, q: np.ndarray) -> np.ndarray:
    """How far apart the two points of each loop are, and by how much they are turned."""
    frames, out = figure.frames(q), []
    for loop in figure.loops:
        a = frames[figure.index(loop.joint_a)]
        b = frames[figure.index(loop.joint_b)] if loop.joint_b else np.eye(4)
        out.append(a[:3, :3] @ loop.at_a + a[:3, 3] - b[:3, :3] @ loop.at_b - b[:3, 3])
    return np.array(out)


@pytest.mark.parametrize("name", ["agility_cassie/cassie", "robotiq_2f85/2f85"])
def test_loops_are_open_by_as_much_as_in_mujoco(name: str) -> None:
    path = real_data.find(f"robots_mjcf/{name}.xml")
    figure, (model, data) = load(path), mujoco_of(path)
    assert len(figure.loops) == sum(model.eq_type == 0)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = rng.uniform(-0.5, 0.5, figure.n)
        set_pose(figure, q, model, data)
        rows = (data.efc_type == 0) & np.isin(data.efc_id, np.flatnonzero(model.eq_type == 0))
        theirs = data.efc_pos[rows].reshape(-1, 3)
        assert np.abs(theirs).max() > 0.01
        np.testing.assert_allclose(loop_errors(figure, q), theirs, atol=1e-9)


WELDED = """<mujoco><worldbody>
<body name="a" pos="0 0 1" euler="10 20 30"><joint name="ja" axis="1 2 3"/><geom size="0.1"/>
<site name="sa" pos="0.1 0.2 0.3" euler="5 6 7"/></body>
<body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0" ref="20"/><geom size="0.1"/>
<site name="sb" pos="0.3 0 0"/></body></worldbody>
<equality>{}</equality></mujoco>"""


@pytest.mark.parametrize(
    "equality",
    [
        '<weld body1="a" body2="b"/>',
        '<weld body1="a" body2="b" anchor="0.1 0.2 0.3"/>',
        '<weld body1="b" relpose="0.1 0.2 0.3 1 1 0 0"/>',
        '<connect body1="a" anchor="0.3 0 0"/>',
        '<connect site1="sa" site2="sb"/>',
        '<weld site1="sa" site2="sb"/>',
    ],
)
def test_welds_sites_and_the_world(equality: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(WELDED.format(equality))
    figure, (model, data) = load(path), mujoco_of(path)
    (loop,) = figure.loops
    q = np.array([0.2, -0.3])
    set_pose(figure, q, model, data)
    np.testing.assert_allclose(
        np.abs(loop_errors(figure, q)[0]), np.abs(data.efc_pos[:3]), atol=1e-9
    )
    assert (loop.wxyz is not None) == equality.startswith("<weld")
    if loop.wxyz is not None:  # MuJoCo shows sin of half the angle, times its torquescale of 1
        a = figure.frame(q, loop.joint_a)[:3, :3]
        b = figure.frame(q, loop.joint_b)[:3, :3] if loop.joint_b else np.eye(3)
        off = np.trace((a @ quat_to_matrix(loop.wxyz)).T @ b)
        half = math.sin(0.5 * math.acos(np.clip((off - 1) / 2, -1, 1)))
        assert np.linalg.norm(data.efc_pos[3:6]) == pytest.approx(half, abs=1e-9)


def test_loops_that_are_off_or_faulty_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(WELDED.format('<weld body1="a" body2="b" active="false"/>'))
    assert limbik.load(path).loops == ()
    path.write_text(WELDED.format('<connect body1="a" body2="c" anchor="0 0 0"/>'))
    with pytest.warns(LimbikWarning, match="<connect> is left out: there is no body"):
        assert limbik.load(path).loops == ()


def test_efforts_come_from_joints_and_actuators(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><default><motor ctrlrange="-2 3"/></default><worldbody><body>'
        + "".join(
            f'<joint name="j{k}" axis="0 0 1" {extra}/>'
            for k, extra in enumerate(["", 'actuatorfrcrange="-5 4"', "", ""])
        )
        + '<geom size="0.1"/></body></worldbody><actuator><motor joint="j0" gear="10"/>'
        '<position joint="j1" forcerange="-8 8"/><general joint="j2" ctrlrange="0 1"/>'
        '<motor joint="j2" forcerange="-1 1" gear="-2"/></actuator></mujoco>'
    )
    assert limbik.load(path).effort_limits.tolist() == [30.0, 5.0, math.inf, math.inf]


@pytest.mark.parametrize(
    ("geoms", "message"),
    [
        ('<geom type="box" size="1 2"/>', "<geom> of .b. is left out: size needs 3 numbers"),
        ('<geom size="-1"/>', "<geom> of .b. is left out: its size must be above 0"),
        ('<geom size="1" density="-5"/>', "mass of .b. is left out: Inertia: a mass must"),
        ('<geom size="1e200"/>', "mass of .b. is left out"),
        ('<geom type="capsule" size="1" fromto="0 0 0 0 0 0"/>', "<geom> of .b. is left out"),
        ('<geom type="mesh" mesh="none"/>', "there is no mesh"),
        ('<geom type="mesh" mesh="bad"/>', "<mesh> is left out: its vertices or faces are not"),
        ('<replicate count="3"><geom size="1"/></replicate>', "copies of geoms are not made"),
        ('<inertial mass="-1" pos="0 0 0" diaginertia="1 1 1"/>', "<inertial> of .b. is left out"),
        ('<geom class="none" size="1"/>', "no default class"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*is left out.*:limbik.LimbikWarning")
def test_a_fault_of_a_model_is_a_warning_and_it_moves(
    geoms: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><asset><mesh name="bad" vertex="0 0 x"/></asset><worldbody><body name="b">'
        f'<joint name="j"/>{geoms}</body></worldbody>'
        '<actuator><motor joint="j" gear=" "/><plugin joint="j"/></actuator></mujoco>'
    )
    with pytest.warns(LimbikWarning, match=message):
        figure = limbik.load(path)
    assert figure.n == 1
    assert figure.mass == 0.0

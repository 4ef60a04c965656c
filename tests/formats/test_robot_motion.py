"""Robot motions in the files of others: MuJoCo agrees, they come back, a wrong order is refused."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import limbik
from limbik.errors import FormatError, LimbikWarning
from limbik.figure.motion import Motion

MJCF = """<mujoco model="walker"><compiler angle="radian"/><worldbody>
<body name="trunk" pos="0 0 1"><freejoint name="root"/><geom size="0.1"/>
 <body name="thigh" pos="0 0.1 0"><joint name="hip" axis="0 1 0" range="-1 1"/><geom size="0.1"/>
  <body name="shin" pos="0 0 -0.4"><joint name="knee" axis="0 1 0" ref="0.1"/><geom size="0.1"/>
   <body name="sole" pos="0 0 -0.4"><geom size="0.1"/></body></body></body>
 <body name="arm" pos="0 -0.1 0.3"><joint name="shoulder" axis="1 0 0"/><geom size="0.1"/>
  <body name="hand" pos="0 0 -0.3"><joint name="lift" type="slide" axis="0 0 1"/><geom size="0.1"/>
  </body></body></body></worldbody>
<equality><joint joint1="lift" joint2="knee" polycoef="0 0.05 0 0 0"/></equality></mujoco>"""

LAYOUTS = {
    "mujoco": ".npz",
    "gmr": ".npz",
    "mjlab": ".npz",
    "beyondmimic": ".npz",
    "unitree": ".csv",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("robot") / "walker.xml"
    path.write_text(MJCF)
    return path


@pytest.fixture(scope="module")
def clip(model: Path) -> Motion:
    figure = limbik.load(model)
    steps = np.linspace(0.0, 1.0, 12)[:, None]
    q = figure.rest + steps * np.array([0.3, -0.2, 0.1, 0.4, -3.5, 0.2, 0.5, 0.9, -0.7])
    return Motion(figure, q, 50.0, "walk")


def body_positions(model: Path, qpos: np.ndarray, names: list[str]) -> np.ndarray:
    judge = mujoco.MjModel.from_xml_path(str(model))
    data = mujoco.MjData(judge)
    found = []
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(judge, data)
        found.append([data.body(name).xpos.copy() for name in names])
    return np.array(found)


def test_mujoco_has_the_bodies_where_limbik_has_them(
    tmp_path: Path, model: Path, clip: Motion
) -> None:
    limbik.save(clip, tmp_path / "a.npz", layout="mujoco")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        qpos, names = found["qpos"], found["joint_names"].tolist()
        assert float(found["fps"]) == 50.0
    judge = mujoco.MjModel.from_xml_path(str(model))
    assert names == [judge.joint(k).name for k in range(1, judge.njnt)]
    np.testing.assert_allclose(
        body_positions(model, qpos, list(clip.figure.joints)), clip.positions(), atol=1e-12
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_they_come_back(tmp_path: Path, clip: Motion, layout: str) -> None:
    file = tmp_path / f"walk.{layout}{LAYOUTS[layout]}"
    limbik.save(clip, file)
    back = limbik.load_motion(file, figure=clip.figure)
    assert (back.frames, back.fps) == (12, 50.0)
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-8)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_another_order_is_refused(tmp_path: Path, clip: Motion, layout: str) -> None:
    file = tmp_path / f"walk{LAYOUTS[layout]}"
    limbik.save(clip, file, layout=layout)
    if layout == "unitree":
        text = file.read_text()
        file.write_text(text.replace("hip,knee", "knee,hip"))
        assert file.read_text() != text
    else:
        with np.load(file) as found:
            arrays = dict(found)
        key = "dof_names" if layout == "gmr" else "joint_names"
        arrays[key] = arrays[key][[1, 0, *range(2, len(arrays[key]))]]
        np.savez(file, **arrays)
    with pytest.raises(FormatError, match=r'in another order: number 1 is "\w+", the figure'):
        limbik.load_motion(file, figure=clip.figure)


def test_joints_of_another_robot_are_refused(tmp_path: Path, clip: Motion) -> None:
    limbik.save(clip, tmp_path / "a.npz", layout="gmr")
    other = Motion(limbik.figures.arm(), limbik.figures.arm().rest[None], 30)
    with pytest.raises(FormatError, match=r'not the figure\'s: number 1 is "hip"'):
        limbik.load_motion(tmp_path / "a.npz", figure=other.figure)
    with pytest.raises(FormatError, match="no figure"):
        limbik.load_motion(tmp_path / "a.npz")


def test_a_table_without_names_is_read_with_a_warning(tmp_path: Path, clip: Motion) -> None:
    limbik.save(clip, tmp_path / "a.csv", layout="unitree")
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",")  # as trackers read it
    assert rows.shape == (12, 7 + 4)
    np.savetxt(tmp_path / "b.csv", rows, delimiter=",")
    with pytest.warns(LimbikWarning, match="does not name|frame rate") as told:
        back = limbik.load_motion(tmp_path / "b.csv", figure=clip.figure)
    assert len(told) == 2
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-8)
    np.savetxt(tmp_path / "c.csv", rows[:, :-1], delimiter=",")
    with pytest.warns(LimbikWarning), pytest.raises(FormatError, match="3 joint values per frame"):
        limbik.load_motion(tmp_path / "c.csv", figure=clip.figure)


def test_tracking_files_have_velocities_and_their_order(tmp_path: Path, clip: Motion) -> None:
    for layout in ("mjlab", "beyondmimic"):
        limbik.save(clip, tmp_path / f"{layout}.npz", layout=layout)
    with np.load(tmp_path / "mjlab.npz") as found:
        assert found["joint_names"].tolist() == ["hip", "knee", "shoulder", "lift"]
        assert found["body_names"].tolist() == ["trunk", "thigh", "shin", "sole", "arm", "hand"]
        np.testing.assert_allclose(found["body_pos_w"], clip.positions(), atol=1e-12)
        # A steady turn about a fixed axis, and steady joints.
        rate = np.array([0.4, -3.5, 0.2]) * 50 / 11
        np.testing.assert_allclose(found["joint_vel"][:, 1], 0.9 * 50 / 11, rtol=1e-9)
        np.testing.assert_allclose(found["body_ang_vel_w"][:, 0], np.tile(rate, (12, 1)), rtol=1e-9)
        np.testing.assert_allclose(
            found["body_lin_vel_w"][5, 0], np.array([0.3, -0.2, 0.1]) * 50 / 11
        )
    with np.load(tmp_path / "beyondmimic.npz") as found:
        assert found["joint_names"].tolist() == ["hip", "shoulder", "knee", "lift"]
        assert found["body_names"].tolist() == ["trunk", "thigh", "arm", "shin", "hand"]
        assert found["order"] == "breadth first"


def test_a_base_that_was_added_is_not_a_body(tmp_path: Path) -> None:
    arm = limbik.figures.arm()
    figure = arm.with_base("free", up="z")
    q = np.concatenate([[0.1, 0.2, 0.3, 0.4, 0.0, 0.0], arm.rest])
    limbik.save(Motion(figure, q[None], 30), tmp_path / "a.npz", layout="mjlab")
    with np.load(tmp_path / "a.npz") as found:
        assert "mobile_base" not in found["joint_names"]
        np.testing.assert_allclose(found["body_pos_w"][0, 0], [0.1, 0.2, 0.3], atol=1e-12)


def test_what_cannot_be_written(tmp_path: Path, clip: Motion) -> None:
    with pytest.raises(FormatError, match=r'layout "unitre" is not known .*"unitree"'):
        limbik.save(clip, tmp_path / "a.csv", layout="unitre")
    with pytest.raises(FormatError, match=r"end in \.csv"):
        limbik.save(clip, tmp_path / "a.npz", layout="unitree")
    with pytest.raises(FormatError, match=r'joint "\w+" is a ball'):
        limbik.save(limbik.figures.cartwheel()[:2], tmp_path / "a.npz", layout="gmr")
    assert not list(tmp_path.iterdir())


def test_a_moving_root_needs_a_free_one(tmp_path: Path, clip: Motion) -> None:
    arm = limbik.figures.arm()
    q = arm.project([arm.rest, arm.rest + 0.3])
    for layout in ("mujoco", "mjlab", "gmr"):
        limbik.save(Motion(arm, q, 30), tmp_path / "a.npz", layout=layout)
        np.testing.assert_allclose(limbik.load_motion(tmp_path / "a.npz", figure=arm).q, q)
    with np.load(tmp_path / "a.npz") as found:
        arrays = dict(found)
    arrays["root_pos"] = arrays["root_pos"] + 0.1
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(FormatError, match="moves the root, which is fixed"):
        limbik.load_motion(tmp_path / "a.npz", figure=arm)
    for times, length in ((2.0, "2"), (1e200, "inf")):
        np.savez(tmp_path / "a.npz", **(arrays | {"root_rot": arrays["root_rot"] * times}))
        with pytest.raises(FormatError, match=f"quaternion of length {length}"):
            limbik.load_motion(tmp_path / "a.npz", figure=arm)

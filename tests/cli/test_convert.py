"""``limbik convert`` and ``limbik info``, over all formats."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.command_line import Ran, command, environment
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, euler, free
from limbik.figure.motion import Motion


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A clip that does not say what it is in."""
    file = tmp_path / "walk.bvh"
    limbik.save(limbik.figures.cartwheel()[:6], file)
    return file


# ---- convert -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".bvh", ".glb", ".gltf", ".csv", ".npz", ".amc", ".asf"])
def test_to_every_format(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"out{ending}"
    ran = Ran("convert", "cartwheel", file)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"wrote {file}  ")
    assert file.stat().st_size > 1000
    assert (tmp_path / "out.asf").exists() == (ending in (".amc", ".asf"))
    assert f"wrote {tmp_path / 'out.asf'}" in ran.out or ending not in (".amc", ".asf")


def test_a_figure_without_motion(tmp_path: Path) -> None:
    ran = Ran("convert", "arm", tmp_path / "arm.bvh")
    assert ran.code == 0
    assert "8 joints, in m, z up" in ran.out
    arm, back = limbik.figures.arm(), limbik.load_motion(tmp_path / "arm.bvh")
    np.testing.assert_allclose(back.positions()[0], arm.positions(arm.rest), atol=1e-6)


def test_units(tmp_path: Path, walk: Path) -> None:
    out = tmp_path / "out.bvh"
    ran = Ran(
        "convert", walk, out, "--unit", "cm", "--from-unit", "m", "--up", "z", "--from-up", "y"
    )
    assert (ran.code, ran.err) == (0, "")
    assert "in cm, z up" in ran.out
    before, after = limbik.load_motion(walk).positions(), limbik.load_motion(out).positions()
    np.testing.assert_allclose(after[..., 2], 100 * before[..., 1], atol=1e-4)
    np.testing.assert_allclose(after[..., 1], -100 * before[..., 2], atol=1e-4)
    ran = Ran("convert", walk, out, "--force", "--unit", "m", "--from-unit", "0.5")
    np.testing.assert_allclose(limbik.load_motion(out).positions(), 0.5 * before, atol=1e-5)


def test_glb_is_told_what_it_is_in(tmp_path: Path, walk: Path) -> None:
    ran = Ran("convert", walk, tmp_path / "a.glb")
    assert "Warning: a.glb: glTF is in metres, and the figure's unit is not known" in ran.err
    assert ran.err.count("Warning") == 1
    ran = Ran("convert", walk, tmp_path / "b.glb", "--from-unit", "m")
    assert (ran.code, ran.err) == (0, "")
    file = real_data.find("gltf/CesiumMan.glb")
    assert "the mesh does not follow" in Ran("convert", file, tmp_path / "c.glb", "--up", "z").err
    assert "the mesh" not in Ran("convert", file, tmp_path / "d.glb").err


def test_a_clip_by_its_name(tmp_path: Path) -> None:
    fox = real_data.find("gltf/Fox.glb")
    out = tmp_path / "out.bvh"
    ran = Ran("convert", fox, out)
    assert ran.code == 2
    assert ran.err == f"Error: {fox} has 3 clips: choose --clip (Survey, Walk, Run)\n"
    ran = Ran("convert", fox, out, "--clip", "walk")
    assert ran.err == f'Error: {fox} has no clip "walk" (did you mean "Walk"?)\n'
    assert Ran("convert", fox, out, "--clip", "Walk").code == 0
    assert limbik.load_motion(out).frames == 18


def test_a_figure_for_values(tmp_path: Path) -> None:
    skeleton = real_data.find("cmu_asfamc/02.asf")
    motion = real_data.find("cmu_asfamc/02_01.amc")
    values, out = tmp_path / "values.csv", tmp_path / "out.bvh"
    assert Ran("convert", motion, values, "--figure", skeleton).code == 0
    ran = Ran("convert", values, out)
    assert ran.code == 2
    assert ran.err == (
        f"Error: {values}: holds joint values and no figure: load_motion(path, figure=...), "
        "or --figure FILE\n"
    )
    assert Ran("convert", values, out, "--figure", skeleton).code == 0
    expected = limbik.load_motion(motion).positions()
    np.testing.assert_allclose(limbik.load_motion(out).positions(), expected, atol=1e-5)


def test_what_is_there_stays(tmp_path: Path, walk: Path) -> None:
    for name in ("out.glb", "b.asf"):
        (tmp_path / name).write_text("mine")
    ran = Ran("convert", walk, tmp_path / "out.glb")
    assert (ran.code, ran.err) == (
        2,
        f"Error: {tmp_path / 'out.glb'}: already exists (use --force)\n",
    )
    ran = Ran("convert", walk, tmp_path / "b.amc")
    assert (ran.code, ran.err) == (
        2,
        f"Error: {tmp_path / 'b.asf'}: already exists (use --force)\n",
    )
    assert not (tmp_path / "b.amc").exists()
    assert (tmp_path / "out.glb").read_text() == (tmp_path / "b.asf").read_text() == "mine"
    assert Ran("convert", walk, tmp_path / "b.amc", "-f").code == 0
    assert limbik.load_motion(tmp_path / "b.amc").frames == 6
    ran = Ran("convert", walk, walk, "--force")
    assert (ran.code, ran.err) == (2, f"Error: {walk}: is the file to read; write to another\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.bvh", "out.bvh"], "nothing.bvh: there is no such file"),
        (["walk.txt", "out.bvh"], ".txt is not a format limbik reads"),
        (["human", "out.pdf"], ".pdf is not a format limbik writes"),
        (["human", "out"], "a name without an ending is not a format limbik writes"),
        (["human", "no/out.bvh"], 'there is no folder "no"'),
        (["humn", "out.bvh"], '(did you mean "human"?)'),
        (["human", "out.bvh", "--unit", "mile"], '"mile" is not a unit limbik knows'),
        (["human", "out.bvh", "--up", "u"], "up must be"),
        (["chain", "out.bvh", "--unit", "m"], 'state it with --from-unit "cm"'),
        (["chain", "out.bvh", "--unit", "m", "--from-unit", "1e300"], "--from-unit must be a unit"),
        (["human", "-", "--json"], "choose one"),
        (["human", "-", "--to", "pdf"], '--to "pdf": is not a format limbik writes'),
        (["human", "out.bvh", "--clip", "Walk"], 'human has no clip "Walk"'),
        (["human", "out.vrm"], "the figure does not come from such a file; write .glb"),
    ],
)
def test_wrong_use_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = Ran("convert", *arguments)
    assert (ran.code, ran.out) == (2, "")
    (line,) = ran.err.splitlines()
    assert line.startswith("Error: ")
    assert told in line
    assert list(tmp_path.iterdir()) == []


def test_no_arguments_say_what_is_missing() -> None:
    ran = Ran("convert")
    assert ran.code == 2
    assert "Missing argument 'IN'" in ran.err
    assert "limbik convert walk.bvh walk.glb" in Ran("convert", "--help").out


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    fig = Figure([Joint("A", parts=free()), Joint("B", "A", euler("ZYX"), (0, 1, 0))])
    limbik.save(Motion(fig, np.zeros((200_000, fig.n)), 120), tmp_path / "long.bvh")
    run = subprocess.Popen(
        command("convert", "long.bvh", "out.csv"), cwd=tmp_path, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while run.poll() is None and not list(tmp_path.glob(".out.csv*")):
        time.sleep(0.002)
    os.kill(run.pid, signal.SIGINT)
    out, err = run.communicate()
    assert run.returncode == 130, err
    assert (out, err.strip()) in {("", ""), ("", "Aborted.")}
    assert [file.name for file in tmp_path.iterdir()] == ["long.bvh"]


# ---- info ----------------------------------------------------------------------------------------


def test_info_tells_the_bones_of_a_body() -> None:
    text = Ran("info", real_data.find("cmu_bvh/49_08.bvh")).out
    assert "leftUpperArm" in next(line for line in text.splitlines() if " LeftArm " in line)
    summary = text.split("\n\n")[0]
    assert "unit    not stated" in summary
    assert "y up; unit CMU's, 0.0564 m, if 1.50 m is how tall this person is" in summary
    assert "(nothing is converted)" in summary
    assert "1 free (ZYX), 30 ball (ZYX)" in summary


def test_info_guesses_only_what_a_file_does_not_say(tmp_path: Path) -> None:
    assert "guess" not in Ran("info", "human").out
    limbik.save(limbik.figures.human().in_units("cm", up="z"), tmp_path / "body.bvh")
    text = " ".join(Ran("info", tmp_path / "body.bvh").out.split())
    assert "guess z up; unit cm, if 1." in text
    limbik.save(limbik.figures.spider(), tmp_path / "spider.bvh")
    assert "guess" not in Ran("info", tmp_path / "spider.bvh").out


def test_info_of_a_gltf_file() -> None:
    text = Ran("info", real_data.find("gltf/Fox.glb")).out
    assert "3 clips  Survey  83 frames at 24 fps, 3.42 s" in text
    assert "Run  140 frames at 120 fps" in text
    assert "1,728 vertices, 576 triangles in 1 piece" in text
    assert "unit     m" in text


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_info_of_robots() -> None:
    ran = Ran("info", real_data.find("robots/erd_panda.urdf"))
    assert ran.code == 0
    (link,) = [line for line in ran.out.splitlines() if line.startswith("panda_link4")]
    assert link.split()[1:] == ["panda_joint4", "revolute", "rz", "-176°…-4°"]
    assert "bone" not in ran.out


def test_info_of_what_a_figure_is_made_of() -> None:
    text = " ".join(Ran("info", real_data.find("robots/erd_ur5_robot.urdf")).out.split())
    assert "mass 20.99 kg on 7 joints" in text
    assert "speed 6 of 6 limited, turns 3.15…3.2 rad/s" in text
    assert "effort 6 of 6 limited, turns 28…150 N·m" in text
    text = " ".join(
        Ran("info", real_data.find("robots_mjcf/agility_cassie/cassie.xml")).out.split()
    )
    assert "shapes 19 capsules" in text
    assert "loops left-plantar-rod – left-foot (connect)" in text
    text = " ".join(Ran("info", "human").out.split())
    assert "mass 73 kg on 16 joints (a table of body segments)" in text
    assert "capsules (fitted)" in text


def test_json_of_what_a_figure_is_made_of() -> None:
    found = json.loads(Ran("info", "human", "--json").out)
    assert found["mass"] == pytest.approx(73.0)
    assert sum(found["masses"].values()) == pytest.approx(73.0)
    assert {shape["kind"] for shape in found["shapes"]} == {"Capsule"}
    assert found["coordinates"][0]["speed_limit"] is None
    path = real_data.find("robots_mjcf/robotiq_2f85/2f85.xml")
    found = json.loads(Ran("info", path, "--json").out)
    assert [loop["joint_a"] for loop in found["loops"]] == ["right_follower", "left_follower"]
    assert ["base", "left_driver"] in found["exclusions"]


def test_info_of_many_joints_is_a_line_each(tmp_path: Path) -> None:
    joints = [Joint("root", parts=free())]
    joints += [
        Joint(f"bone_{k}", "root" if k % 20 == 0 else f"bone_{k - 1}", euler("ZYX"), (0, 1, 0))
        for k in range(200)
    ]
    limbik.save(Figure(joints), tmp_path / "many.bvh")
    lines = Ran("info", tmp_path / "many.bvh").out.split("\n\n")[1].splitlines()
    assert len(lines) == 202
    assert max(len(line.rstrip()) for line in lines) < 60


def test_info_of_values_needs_their_figure(tmp_path: Path) -> None:
    limbik.save(limbik.figures.cartwheel()[:5], tmp_path / "a.npz")
    assert "no figure" in Ran("info", tmp_path / "a.npz").err
    ran = Ran("info", tmp_path / "a.npz", "--figure", "human")
    assert "5 frames at 120 fps" in ran.out


def test_a_robot_motion_in_the_layout_of_others(tmp_path: Path) -> None:
    arm = limbik.figures.arm()
    limbik.save(Motion(arm, [arm.rest, arm.rest * 0.9], 50), tmp_path / "a.npz")
    out = tmp_path / "a.csv"
    ran = Ran("convert", tmp_path / "a.npz", out, "--figure", "arm", "--layout", "unitree")
    assert (ran.code, ran.err) == (0, "")
    assert out.read_text().startswith("# fps=50.0\n# root_x,root_y,root_z,root_qx")
    wrong = Ran("convert", tmp_path / "a.npz", tmp_path / "b.npz", "--figure", "arm",
                "--layout", "unitree")  # fmt: skip
    assert wrong.code == 2
    assert "end in .csv" in wrong.err

"""The command line, as people and other programs use it; test_track.py has ``limbik track``."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.command_line import PROJECT, Ran, environment, in_a_shell

# ---- first contact -------------------------------------------------------------------------------


def test_no_arguments_print_help(tmp_path: Path) -> None:
    done = in_a_shell(cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    for name in ("info", "solve", "track", "methods", "demo"):
        assert name in done.stdout


def test_version() -> None:
    ran = Ran("--version")
    assert (ran.code, ran.out) == (0, f"limbik {limbik.__version__}\n")


@pytest.mark.parametrize("name", ["info", "solve", "track", "methods", "demo"])
def test_help_has_an_example(name: str) -> None:
    for flag in ("--help", "-h"):
        ran = Ran(name, flag)
        assert ran.code == 0
        assert f"limbik {name}" in ran.out.split("Examples:")[1]


def test_help_does_not_load_what_it_does_not_need(tmp_path: Path) -> None:
    code = "import sys; from limbik.cli import main\ntry: main()\nfinally: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False,
    )  # fmt: skip
    loaded = done.stdout.splitlines()[-1].split()
    assert "limbik.cli" in loaded
    assert not {"matplotlib", "limbik.demo", "limbik.plots"} & set(loaded)


def test_methods() -> None:
    ran = Ran("methods")
    assert ran.code == 0
    for name in limbik.methods:
        assert [line for line in ran.out.splitlines() if line.split()[:1] == [name]]
    assert "projected_lm is the default" in ran.out


@pytest.mark.parametrize("name", limbik.methods)
def test_one_method_and_its_settings(name: str) -> None:
    ran = Ran("methods", name)
    assert ran.code == 0
    assert f"({limbik.methods[name].__name__})" in ran.out
    assert f"iterations={limbik.methods[name]().iterations} " in ran.out
    for field in dataclasses.fields(limbik.methods[name]):
        # Each setting stands at the beginning of a line, with what it means behind it.
        assert re.search(rf"^{field.name}=\S+ +\S", ran.out, re.MULTILINE)


def test_a_method_that_there_is_not() -> None:
    ran = Ran("methods", "projectedlm")
    assert ran.code == 2
    assert 'did you mean "projected_lm"' in ran.err


# ---- info ----------------------------------------------------------------------------------------


def test_info_of_the_human() -> None:
    ran = Ran("info", "human")
    assert ran.code == 0
    assert "74  (71 turns, 3 slides)" in ran.out
    (knee,) = [line for line in ran.out.splitlines() if " LeftLeg " in line]
    assert " ".join(knee.split()).endswith("universal rx 0°…140°, ry -10°…15°")
    (arm,) = [line for line in ran.out.splitlines() if " LeftArm " in line]
    assert "ball (swing–twist)" in arm
    assert "cone 110° × 76°" in arm
    (hips,) = [line for line in ran.out.splitlines() if line.startswith("Hips")]
    assert "tx ty tz free" in hips


def test_info_draws_the_tree() -> None:
    names = [line.split("  ")[0] for line in Ran("info", "spider").out.splitlines() if "─ " in line]
    branches = [name for name in names if name.startswith("├─ ")]
    spider = limbik.figures.spider()
    of_root = [i for i, parent in enumerate(spider.parents) if parent == 0]
    assert len(branches) == len(of_root) - 1


def test_info_of_a_real_clip() -> None:
    ran = Ran("info", real_data.find("cmu_bvh/49_08.bvh"))
    assert ran.code == 0
    assert "96  (93 turns, 3 slides)" in ran.out
    assert "576 frames at 120 fps" in ran.out
    assert "free (ZYX)" in ran.out


def test_info_of_a_skeleton_without_motion(tmp_path: Path) -> None:
    file = tmp_path / "bones.bvh"
    limbik.save(limbik.figures.chain([1, 2]), file)
    text = file.read_text().split("MOTION")[0]
    file.write_text(text)
    ran = Ran("info", file)
    assert ran.code == 0
    assert "motion  none" in ran.out
    assert Ran("track", file, "--effectors", "Tip").err.startswith("Error: ")


def test_a_warning_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "clip.bvh"
    limbik.save(limbik.figures.cartwheel()[:3], file)
    file.write_text(file.read_text().replace("Frames: 3", "Frames: 5"))
    ran = Ran("info", file)
    assert ran.code == 0
    assert ran.err.splitlines() == [f"Warning: {file}: announces 5 frames and has 3"]


def test_a_warning_about_a_file_without_motion_comes_once() -> None:
    ran = Ran("info", real_data.find("robots/dmc_humanoid_CMU_V2020.xml"))
    assert (ran.code, ran.err.count("Warning:")) == (0, 1)


# ---- solve ---------------------------------------------------------------------------------------


def test_solve_reaches() -> None:
    ran = Ran("solve", "human", "--reach", "LeftHand=0.4,1.2,0.3", "--pin", "LeftFoot")
    assert ran.code == 0
    assert "REACHED  every goal is within its tolerance" in ran.out
    assert [line.split()[:2] for line in ran.out.splitlines()[1:3]] == [
        ["reach", "LeftHand"],
        ["pin", "LeftFoot"],
    ]


def test_solve_falls_short_and_says_why() -> None:
    ran = Ran("solve", "arm", "--reach", "Tool=3,0,0.5")
    assert ran.code == 1
    assert "Tool is 2.15 m short" in ran.out


def test_solve_as_json_with_every_kind_of_goal(tmp_path: Path) -> None:
    pose = tmp_path / "pose.bvh"
    ran = Ran(
        "solve", "human", "--reach", "LeftHand=0.3,1.3,0.3", "--pin", "LeftFoot",
        "--aim", "Head=0,1.6,3", "--plane", "RightHand=0,1,0,1.0", "--distance",
        "LeftHand,RightHand=0.5", "--rest", "0.001", "--lock", "Hips", "--tolerance", "1e-4",
        "--restarts", "5", "--seed", "3", "--out", pose, "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["ok"] is True
    assert told["status"] == "REACHED"
    kinds = [goal["goal"] for goal in told["goals"]]
    assert kinds == ["reach", "pin", "aim", "plane", "distance", "rest"]
    human = limbik.figures.human()
    q = np.array([told["q"][name] for name in human.coordinates])
    assert human.violation(q) == 0.0
    hips = human.coordinates_of("Hips")
    assert np.array_equal(q[hips], human.rest[hips])
    at = dict(zip(human.joints, human.positions(q), strict=True))
    assert np.linalg.norm(at["LeftHand"] - [0.3, 1.3, 0.3]) <= 1e-4
    assert abs(np.linalg.norm(at["LeftHand"] - at["RightHand"]) - 0.5) <= 1e-4
    assert abs(at["RightHand"][1] - 1.0) <= 1e-4
    head = human.frames(q)[human.index("Head")]
    toward = np.array([0, 1.6, 3]) - head[:3, 3]
    assert head[:3, 2] @ toward / np.linalg.norm(toward) > 1 - 1e-6
    saved = limbik.load_motion(pose)
    assert saved.frames == 1
    assert told["out"] == str(pose)
    assert np.abs(saved.positions()[0, saved.figure.index("Head")] - at["Head"]).max() < 1e-5


def test_aim_along_another_axis() -> None:
    ran = Ran("solve", "arm", "--aim", "Tool=0.5,0.5,0.5,-x", "--json")
    assert ran.code == 0
    arm = limbik.figures.arm()
    tool = arm.frames(list(json.loads(ran.out)["q"].values()))[arm.index("Tool")]
    toward = np.array([0.5, 0.5, 0.5]) - tool[:3, 3]
    assert -tool[:3, 0] @ toward / np.linalg.norm(toward) > 1 - 1e-6


def test_solve_limits_a_body_whose_file_has_none() -> None:
    """The hand behind the shoulder: without limits the elbow bends backwards, with them it does
    not; a figure that has limits of its own keeps them, and nothing is said."""
    file = real_data.find("cmu_bvh/02_01.bvh")
    asked = ("solve", file, "--pin", "Hips", "--pin", "LeftArm", "--reach", "LeftHand=13,22,-34")
    ran = Ran(*asked, "--json")
    (line,) = [line for line in ran.err.splitlines() if line.startswith("Limits: ")]
    assert "anatomical" in line
    told = json.loads(ran.out)
    assert told["limits_used"] == "anatomical"
    clip = limbik.load_motion(file)
    assert tuple(told["q"]) == clip.figure.coordinates
    free = json.loads(Ran(*asked, "--limits", "none", "--json").out)
    assert free["limits_used"] == "none"
    figure = limbik.humanoid.limited(clip.figure, clip.q, hold=True)
    for answer, inside in ((told, True), (free, False)):
        q = limbik.Motion(clip.figure, [list(answer["q"].values())], 1.0).onto(figure).q[0]
        assert (figure.violation(q) < 1e-6) is inside
    human = Ran("solve", "human", "--pin", "Hips", "--json")
    assert "Limits" not in human.err
    assert json.loads(human.out)["limits_used"] is None


def test_solve_starts_from_the_first_frame() -> None:
    clip = limbik.load_motion(file := real_data.find("cmu_bvh/49_08.bvh"))
    told = json.loads(Ran("solve", file, "--pin", "Hips", "--pin", "Head", "--json").out)
    assert told["iterations"] == 0
    assert np.allclose(list(told["q"].values()), clip.q[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["arm", "--reach", "Tol=0.4,0.2,0.5"], 'no joint "Tol" (did you mean "Tool"?)'),
        (["arm", "--pin", "Tool", "--lock", "joint3"], '"Joint3"?'),
        (["arm", "--reach", "Tool=0.4,0.2"], "expected Joint=x,y,z or Joint=x,y,z,qw,qx,qy,qz,"),
        (["arm", "--reach", "0.4,0.2,0.5"], "expected Joint=x,y,z or"),
        (["arm", "--reach", "Tool=a,b,c"], "expected Joint=x,y,z or"),
        (["arm", "--reach", "Tool=1,2,3,1"], "expected Joint=x,y,z or"),
        (["arm", "--pin", "Tool", "--weight", "Tol=2"], 'no goal is on "Tol" (did you mean "Tool'),
        (["arm", "--pin", "Tool", "--weight", "Tool"], "expected Joint=weight"),
        (["arm", "--pin", "Tool", "--to", "bvh", "--out", "a.bvh"], "is for standard output (-)"),
        (["arm", "--pin", "Tool", "--to", "pdf", "--out", "-"], "not a format limbik writes"),
        (["arm", "--pin", "Tool", "--json", "--out", "-"], "choose one"),
        (["arm", "--pin", "Tool", "--clip", "Run"], 'arm has no clip "Run"'),
        (["arm", "--reach", "Tool=1,2,nan"], "not finite"),
        (["arm", "--aim", "Tool=1,2"], "expected Joint=x,y,z or"),
        (["arm", "--plane", "Tool=0,1,0"], "expected Joint=nx,ny,nz,offset"),
        (["arm", "--distance", "Tool=1"], "expected Joint,Joint=length"),
        (["arm"], "no goals: give --reach"),
        (["human"], "such as --reach LeftHand=0.542,0.997,0.059"),
        (["arm", "--pin", "Tool", "--method", "newton"], 'no method "newton"'),
        (["arm", "--pin", "Tool", "--method", "projectedlm"], '(did you mean "projected_lm"?)'),
        (["arm", "--pin", "Tool", "--out", "pose.txt"], ".txt is not a format limbik writes"),
        (["arm", "--pin", "Tool", "--out", "no/where/pose.bvh"], "there is no folder"),
        (["humn", "--pin", "Hips"], 'neither a file nor built in (did you mean "human"?)'),
        (["missing.bvh", "--pin", "Hips"], "missing.bvh: there is no such file"),
        (["walk.txt", "--pin", "Hips"], ".txt is not a format limbik reads"),
        ([str(PROJECT / "README.md"), "--pin", "Hips"], ".md is not a format limbik reads"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(arguments: list[str], told: str) -> None:
    ran = Ran("solve", *arguments)
    assert ran.code == 2
    assert ran.out == ""
    (line,) = ran.err.splitlines()
    assert line.startswith("Error: ")
    assert told in line


@pytest.mark.parametrize("given", [["Tool=0.3,0.2,0.5"], ["--reach", "Tool", "0.3,0.2,0.5"]])
def test_a_target_without_its_option_is_told_how_it_is_written(given: list[str]) -> None:
    ran = Ran("solve", "arm", *given)
    assert ran.code == 2
    said = re.sub(r"[\s│]+", " ", ran.err)
    assert f"There is no place for '{given[-1]}'. A target is written --reach JOINT=X,Y,Z" in said


def test_an_argument_too_many_is_named() -> None:
    ran = Ran("info", "human", "walk.bvh")
    assert ran.code == 2
    assert "There is no place for 'walk.bvh' " in ran.err


def test_an_unknown_option_is_exit_code_2() -> None:
    assert Ran("solve", "arm", "--pin", "Tool", "--bogus").code == 2
    assert Ran("solv").code == 2
    assert Ran("solve", "arm", "--pin", "Tool", "--restarts", "-1").code == 2


def test_a_broken_file_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.bvh"
    limbik.save(limbik.figures.cartwheel()[:2], file)
    text = file.read_text().replace("CHANNELS 6", "CHANNELS 7")
    file.write_text(text)
    done = in_a_shell("info", "broken.bvh", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: broken.bvh line ")
    assert "Traceback" not in done.stderr


def test_a_folder_is_told_from_a_file(tmp_path: Path) -> None:
    with pytest.raises(limbik.FormatError, match="is a folder"):
        limbik.load(tmp_path)
    ran = Ran("info", tmp_path)
    assert ran.code == 2
    assert "is a folder" in ran.err


def test_a_terminal_that_knows_no_degrees(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "limbik", "info", "arm"],
        capture_output=True,
        cwd=tmp_path,
        env={**environment(), "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Joint1" in done.stdout
    assert b"?" in done.stdout


def test_a_folder_without_a_name() -> None:
    assert Ran("info", "").err == "Error: .: is a folder, not a file\n"


def test_rest_means_the_same_pose_as_in_a_program(tmp_path: Path) -> None:
    """The figure's rest pose, also where the solve starts from a clip's first frame."""
    path = tmp_path / "clip.bvh"
    arm = limbik.figures.arm()
    limbik.save(limbik.Motion(arm, [arm.project(arm.rest + 0.3)] * 2, 30), path)
    clip = limbik.load_motion(path)
    goals = [limbik.Reach("Tool", [0.4, 0.1, 0.5]), limbik.Rest(weight=10.0)]
    wanted = limbik.solve(clip.figure, goals, start=clip.q[0]).q
    ran = Ran("solve", str(path), "--reach", "Tool=0.4,0.1,0.5", "--rest", "10", "--json")
    found = list(json.loads(ran.out)["q"].values())
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    start = limbik.solve(clip.figure, [goals[0], limbik.Rest(10.0, clip.q[0])], start=clip.q[0]).q
    assert np.abs(start - wanted).max() > 0.05

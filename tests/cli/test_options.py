"""What commands print and take: joint values, orientations, weights, targets, JSON, the tree."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.command_line import Ran
from limbik.cli import app
from limbik.cli.commands.info import _tree
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, free, revolute
from limbik.formats.gltf.read import clips
from limbik.maths.so3 import matrix_to_quat

COMMANDS = [
    "pose", "info", "convert", "solve", "track", "retarget", "check", "fit-markers", "methods",
    "papers", "demo",
]  # fmt: skip


# ---- solve ---------------------------------------------------------------------------------------


def test_solve_prints_the_joint_values() -> None:
    arguments = ("solve", "arm", "--reach", "Tool=0.4,0.2,0.5")
    rows = [line.split() for line in Ran(*arguments).out.splitlines()]
    shown = {row[0]: row[1:] for row in rows if len(row) == 4 and row[2] == "rad"}
    q = json.loads(Ran(*arguments, "--json").out)["q"]
    assert list(shown) == list(q)
    for name, (value, _, degrees) in shown.items():
        assert float(value) == pytest.approx(q[name], rel=1e-5)
        assert float(degrees) == pytest.approx(np.degrees(q[name]), abs=0.006)
    text = Ran("solve", "human", "--pin", "Hips").out
    assert re.search(r"^Hips\.tx +\S+ +m *$", text, re.MULTILINE)


def test_reach_a_place_and_an_orientation() -> None:
    arm = limbik.figures.arm()
    goal = arm.frames(arm.project(arm.rest + 0.2))[arm.index("Tool")]
    x, y, z = goal[:3, 3]
    wxyz = matrix_to_quat(goal[:3, :3])
    numbers = ",".join(repr(float(v)) for v in (x, y, z, *wxyz))
    ran = Ran("solve", "arm", "--reach", f"Tool={numbers}", "--json")
    assert ran.code == 0, ran.err
    found = arm.frames(list(json.loads(ran.out)["q"].values()))[arm.index("Tool")]
    assert np.linalg.norm(found[:3, 3] - goal[:3, 3]) < 1e-3
    assert np.trace(found[:3, :3].T @ goal[:3, :3]) > 3 - 1e-5


def test_weights_decide_between_goals() -> None:
    chain = limbik.figures.chain()
    apart = ("--reach", "Tip=2,0,0", "--reach", "Joint3=0,2,0")

    def short(weight: str) -> float:
        ran = Ran("solve", "chain", *apart, "--weight", weight, "--restarts", "0", "--json")
        q = np.array(list(json.loads(ran.out)["q"].values()))
        return float(np.linalg.norm(chain.positions(q)[-1] - [2.0, 0.0, 0.0]))

    assert short("Tip=1000") < 0.1 * short("Joint3=1000")


def test_a_root_that_flies_is_told_and_can_be_fixed() -> None:
    far = ("solve", "human", "--reach", "LeftHand=100000,1,0")
    ran = Ran(*far)
    assert ran.code == 0
    assert (
        ran.err == "Warning: Hips moved 100 km; the figure's size is 2.17 m (--fix-root holds it)\n"
    )
    ran = Ran(*far, "--fix-root", "--json")
    told = json.loads(ran.out)
    assert (ran.code, ran.err, told["root_moved"]) == (1, "", 0.0)
    human = limbik.figures.human()
    for c in human.coordinates_of("Hips"):
        assert told["q"][human.coordinates[c]] == human.rest[c]
    assert Ran("solve", "human", "--reach", "LeftHand=0.5,1.2,0.3").err == ""


def test_solve_starts_from_a_clip_by_name() -> None:
    fox = real_data.find("gltf/Fox.glb")
    told = json.loads(Ran("solve", fox, "--clip", "Run", "--pin", "b_Head_05", "--json").out)
    run = clips(fox)["Run"]
    assert list(told["q"].values()) == run.q[0].tolist()
    assert "--clip chooses another" in Ran("solve", fox, "--pin", "b_Head_05").err


# ---- track ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wave() -> np.ndarray:
    """(frames, 1, 3) a small circle of the arm's tool."""
    arm = limbik.figures.arm()
    centre = arm.positions(arm.rest)[arm.index("Tool")]
    angle = np.linspace(0.0, 2.0 * np.pi, 13)
    circle = np.stack([np.cos(angle) - 1.0, np.sin(angle), 0.0 * angle], axis=-1)
    return (centre + 0.05 * circle)[:, None]


@pytest.mark.parametrize("ending", [".npy", ".csv", ".bvh"])
def test_track_targets_of_another_file(tmp_path: Path, wave: np.ndarray, ending: str) -> None:
    file, out = tmp_path / f"targets{ending}", tmp_path / "out.npz"
    names, effectors = "Tool", "Tool"
    if ending == ".npy":
        np.save(file, wave)
    elif ending == ".csv":
        rows = [f"{k / 25},{x!r},{y!r},{z!r}" for k, (x, y, z) in enumerate(wave[:, 0].tolist())]
        file.write_text("\n".join(["time,Tool.x,Tool.y,Tool.z", *rows]))
    else:
        point = Figure([Joint("hand", parts=free())])
        q = np.zeros((len(wave), point.n))
        q[:, point.slides] = wave[:, 0]
        limbik.save(limbik.Motion(point, q, 25.0), file, precision=9)
        effectors = "Tool=hand"
    ran = Ran("track", "arm", "--effectors", effectors, "--targets", file, "--out", out, "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert (told["frames"], told["reached"], told["effectors"]) == (13, 13, [names])
    assert told["fps"] == pytest.approx(30.0 if ending == ".npy" else 25.0)
    arm = limbik.figures.arm()
    found = limbik.load_motion(out, figure=arm).positions()[:, arm.index("Tool")]
    assert np.linalg.norm(found - wave[:, 0], axis=1).max() < 1e-3


def test_track_takes_the_frame_rate_and_samples(tmp_path: Path, wave: np.ndarray) -> None:
    np.save(tmp_path / "t.npy", wave)
    more = ("--targets", tmp_path / "t.npy", "--fps", "60", "--every", "0.1", "--json")
    told = json.loads(Ran("track", "arm", "--effectors", "Tool", *more).out)
    assert (told["frames"], told["fps"]) == (3, pytest.approx(10.0))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Tool.x,Tool.y\n1,2\n", 'has no column "Tool.z"'),
        ("Tool.x,Tool.y,Tool.z\n1,2\n", "row 1 has 2 of 3 values"),
        ("Tool.x,Tool.y,Tool.z\n1,2,a\n", 'column "Tool.z": could not convert'),
        ("Tool.x,Tool.y,Tool.z\n1,2,nan\n", "not finite"),
        ("Tool.x,Tool.y,Tool.z\n", "has no frames"),
        ("", "is empty"),
        ("time,Tool.x,Tool.y,Tool.z\n0,1,2,3\n0,1,2,3\n", "must rise by equal steps"),
    ],
)
def test_targets_that_are_refused(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(content)
    ran = Ran("track", "arm", "--effectors", "Tool", "--targets", file)
    assert ran.code == 2
    (line,) = ran.err.splitlines()
    assert line.startswith(f"Error: {file}: ")
    assert told in line


def test_an_array_of_another_shape_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.zeros((4, 2, 3)))
    ran = Ran("track", "arm", "--effectors", "Tool", "--targets", tmp_path / "t.npy")
    assert "expected (frames, 1, 3) numbers, found (4, 2, 3)" in ran.err
    assert "for --targets" in Ran("track", "cartwheel", "--effectors", "Head=a").err


# ---- files that exist ----------------------------------------------------------------------------


def test_existing_files_are_treated_alike(tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    for arguments in (
        ["convert", "arm", out],
        ["solve", "arm", "--pin", "Tool", "--out", out],
        ["track", "cartwheel", "--effectors", "Hips", "--every", "1", "--out", out],
    ):
        out.write_text("mine")
        ran = Ran(*arguments)
        assert (ran.code, ran.err) == (2, f"Error: {out}: already exists (use --force)\n")
        assert out.read_text() == "mine"
        assert Ran(*arguments, "--force").code == 0
        assert out.read_text().startswith("HIERARCHY")


def test_one_clip_is_written_alone(tmp_path: Path) -> None:
    out = tmp_path / "run.glb"
    ran = Ran("convert", real_data.find("gltf/Fox.glb"), out, "--clip", "Run")
    assert ran.code == 0
    told = json.loads(Ran("info", out, "--json").out)
    assert [clip["name"] for clip in told["clips"]] == ["Run"]
    assert told["meshes"]
    before = clips(real_data.find("gltf/Fox.glb"))["Run"]
    np.testing.assert_allclose(clips(out)["Run"].positions(), before.positions(), atol=1e-3)


def test_amc_to_amc_writes_its_asf(tmp_path: Path) -> None:
    source = real_data.find("cmu_asfamc/02_01.amc")
    out = tmp_path / "out.amc"
    ran = Ran("convert", source, out)
    assert ran.code == 0, ran.err
    assert [line.split("  ")[0] for line in ran.out.splitlines()] == [
        f"wrote {out}",
        f"wrote {tmp_path / 'out.asf'}",
    ]
    before, after = limbik.load_motion(source), limbik.load_motion(out)
    np.testing.assert_allclose(after.positions(), before.positions(), atol=1e-5)
    (tmp_path / "b.asf").write_text("mine")
    assert "b.asf: already exists" in Ran("convert", source, tmp_path / "b.amc").err


# ---- info ----------------------------------------------------------------------------------------


def test_the_tree_of_links_that_are_not_depth_first() -> None:
    joints = [
        Joint("base"),
        Joint("arm", "base", revolute("z"), (1, 0, 0)),
        Joint("foot", "base", offset=(0, 1, 0)),
        Joint("wrist", "arm", revolute("z"), (1, 0, 0)),
        Joint("tool", "wrist", offset=(1, 0, 0)),
        Joint("camera", "wrist", offset=(1, 1, 0)),
    ]
    figure = Figure(joints)
    rows = [f"{lines}{figure.joints[i]}" for i, lines in _tree(figure.parents, ("+ ", "\\ ", "| "))]
    assert rows == ["base", "+ arm", "| wrist", "| + tool", "| \\ camera", "\\ foot"]


def test_the_tool_of_a_robot_hangs_on_its_wrist_and_joints_have_names() -> None:
    text = Ran("info", real_data.find("robots/erd_ur5_robot.urdf")).out
    rows = text.split("\n\n")[1].splitlines()
    assert rows[0].split() == ["link", "joint", "kind", "ranges"]
    names = [re.sub(r"[│├└─]", " ", row).split()[0] for row in rows[1:]]
    assert names.index("wrist_3_link") < names.index("tool0") < names.index("base")
    assert rows[1 + names.index("tool0")].startswith("│  ")
    assert "shoulder_pan_joint" in rows[1 + names.index("shoulder_link")]


# ---- every command -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_flags_show_no_type_and_every_command_has_json(name: str) -> None:
    text = Ran(name, "--help").out
    assert "<bool>" not in text
    assert re.search(r"--json {2,}", text)
    assert " if left" not in text
    assert len(COMMANDS) == len(app.registered_commands)


def test_json_of_info() -> None:
    told = json.loads(Ran("info", "human", "--json").out)
    human = limbik.figures.human()
    assert [joint["name"] for joint in told["joints"]] == list(human.joints)
    assert told["joints"][human.index("LeftArm")]["bone"] == "leftUpperArm"
    assert "cone" in told["joints"][human.index("LeftArm")]
    assert [c["name"] for c in told["coordinates"]] == list(human.coordinates)
    for c, entry in enumerate(told["coordinates"]):
        lower = entry["lower"] if entry["lower"] is not None else -np.inf
        assert lower == human.lower[c]
    assert json.loads(Ran("info", "cartwheel", "--json").out)["clips"][0]["frames"] == 601


def test_json_of_convert_and_methods(tmp_path: Path) -> None:
    out = tmp_path / "a.amc"
    told = json.loads(Ran("convert", "cartwheel", out, "--json").out)
    assert told["wrote"] == [str(out), str(tmp_path / "a.asf")]
    assert (told["frames"], told["unit"]) == (601, "m")
    told = json.loads(Ran("methods", "--json").out)["methods"]
    assert [method["name"] for method in told] == list(limbik.methods)
    assert [method["name"] for method in told if method["default"]] == ["projected_lm"]
    (one,) = json.loads(Ran("methods", "projected_lm", "--json").out)["methods"]
    assert one == told[[method["name"] for method in told].index("projected_lm")]
    assert "iterations" in [setting["name"] for setting in one["settings"]]


def test_json_of_the_demonstration(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    ran = Ran("demo", "--frames", "5", "--out", tmp_path, "--json")
    told = json.loads(ran.out)
    assert told["reached"] == told["frames"] == 5
    assert all(Path(file).is_file() for file in told["wrote"])

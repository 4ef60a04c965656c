"""``limbik retarget``: the file it writes, the numbers it tells, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.command_line import Ran
from limbik.cli.commands import retarget as command


def test_a_clip_on_the_human_as_a_file(tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    ran = Ran("retarget", "cartwheel", "human", out, "--every", "0.25", "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["frames"] == 21
    assert told["limit_violation"] == 0.0
    assert told["roles"] >= 20
    assert told["slide"] < 0.002
    motion = limbik.load_motion(out)
    assert motion.frames == 21
    human = limbik.figures.human()
    assert np.max(human.violation(motion.onto(human).q)) < 1e-4  # BVH rounds


def test_what_it_cannot_do_is_said(tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    ran = Ran("retarget", "human", "human", out)
    assert ran.code == 2
    assert "no motion" in ran.err
    ran = Ran("retarget", "cartwheel", "arm", out)
    assert ran.code == 2
    assert "leftUpperLeg" in ran.err
    ran = Ran("retarget", "cartwheel", "human", out, "--scale", "long", "--every", "1")
    assert ran.code == 2
    assert "limbs, common, fitted" in ran.err
    assert not out.exists()


def test_a_table_is_read(tmp_path: Path) -> None:
    table = tmp_path / "pair.toml"
    table.write_text("[weights]\nHnad = oops\n")
    ran = Ran(
        "retarget", "cartwheel", "human", tmp_path / "out.bvh", "--overrides", table
    )  # fmt: skip
    assert ran.code == 2
    assert "pair.toml" in ran.err


def test_a_robot_motion_in_the_layout_of_others(tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    robot = real_data.find("robots_mjcf/unitree_g1/g1.xml")
    options = ("--every", "0.5", "--layout", "mujoco", "--speed", "1.5", "--json")
    ran = Ran("retarget", "cartwheel", robot, out, *options)
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert len(told["held"]) == told["contacts"]
    with np.load(out) as file:
        qpos, names = file["qpos"], file["joint_names"].tolist()
    assert qpos.shape == (told["frames"], 36)
    assert "left_knee_joint" in names
    assert np.abs(np.diff(qpos[:, 7:], axis=0)).max() <= 1.5 * 0.5 * (1 + 1e-6)


def test_what_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "carry_over", None)  # calling it would fail
    for name, options, message in (
        ("out.vrma", (), "does not come from such a file"),
        ("out.npz", ("--layout", "mujco"), 'did you mean "mujoco"'),
        ("out.npz", ("--layout", "unitree"), "end in .csv"),
    ):
        ran = Ran("retarget", "cartwheel", "human", tmp_path / name, *options)
        assert (ran.code, message in ran.err) == (2, True), ran.err
    assert not list(tmp_path.iterdir())


def test_a_clip_with_its_figure_in_another_file(tmp_path: Path) -> None:
    clip = limbik.figures.cartwheel()[::150]
    limbik.save(clip, tmp_path / "clip.npz")
    out = tmp_path / "out.bvh"
    ran = Ran("retarget", tmp_path / "clip.npz", "human", out)
    assert (ran.code, "--figure" in ran.err) == (2, True)
    ran = Ran("retarget", tmp_path / "clip.npz", "human", out, "--clip-figure", "cartwheel")
    assert ran.code == 0, ran.err
    assert limbik.load_motion(out).frames == clip.frames


@pytest.mark.parametrize("option", ["--scale", "--smooth", "--overrides", "--clip", "--every"])
def test_its_help_names_its_options(option: str) -> None:
    assert option in Ran("retarget", "--help").out

"""``limbik retarget``: the file it writes, the numbers it tells, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.command_line import Ran


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


@pytest.mark.parametrize("option", ["--scale", "--smooth", "--overrides", "--clip", "--every"])
def test_its_help_names_its_options(option: str) -> None:
    assert option in Ran("retarget", "--help").out

"""Three hinges in a row turn what they carry the same in two ways."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.animate.whole_clip.other_turns import hinges_in_a_row, other_way
from tests.helpers import real_data


@pytest.fixture(scope="module")
def robot() -> limbik.Figure:
    return limbik.load(real_data.find("robots_mjcf/unitree_g1/g1.xml"))


def test_a_robot_has_its_hips_and_shoulders_in_threes(robot: limbik.Figure) -> None:
    first = [robot.coordinates[hinges.columns[0]] for hinges in hinges_in_a_row(robot)]
    for part in ("hip_pitch", "shoulder_pitch"):
        assert [f"{side}_{part}_joint" in first for side in ("left", "right")] == [True, True]
    columns = np.concatenate([hinges.columns for hinges in hinges_in_a_row(robot)])
    assert len(columns) == len(set(columns.tolist()))
    assert hinges_in_a_row(limbik.figures.human()) == []


def test_the_other_way_turns_the_last_link_the_same(robot: limbik.Figure) -> None:
    names = [name for name in robot.coordinates[6:] if "shoulder" in name]
    loose = robot.with_limits({name: limbik.Range(-9.0, 9.0) for name in names})
    q = np.random.default_rng(0).uniform(-2.5, 2.5, (50, robot.n))
    for hinges in hinges_in_a_row(loose):
        if "shoulder" not in loose.coordinates[hinges.columns[0]]:
            continue
        other, worth = other_way(loose, hinges, q)
        link = int(loose.owner[hinges.columns[2]])
        turned = [loose.frames(poses)[:, link, :3, :3] for poses in (q, other)]
        assert worth.sum() > 5
        assert turned[0] == pytest.approx(turned[1], abs=1e-9)
        assert np.abs(other - q)[worth].max(axis=1).min() > 1.0
        back, _ = other_way(loose, hinges, other)
        assert (other[~worth] == q[~worth]).all()
        assert back[worth] == pytest.approx(other[worth], abs=1e-9)  # it was the nearer one to rest


def test_a_shoulder_that_begins_the_wrong_way_is_turned_the_other(robot: limbik.Figure) -> None:
    clip = limbik.load_motion(real_data.find("cmu_bvh/49_06.bvh"))[100:400:2]
    whole, part = (limbik.retarget(clip[k:], onto=robot, avoid=False).motion for k in (0, 42))
    second = round(clip.fps)
    apart = np.abs(part.q[second:, 6:] - whole.q[42 + second :, 6:])
    assert np.degrees(apart.max()) < 15.0

"""A floor, balance, collisions and joints that stay together on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.command_line import Ran
from limbik.goals import Avoid, Balance

FEET = ("--pin", "LeftFoot", "--pin", "RightFoot")
HUMAN = limbik.figures.human()


def solved(*arguments: str) -> tuple[dict, np.ndarray]:
    """What ``limbik solve human ... --json`` says, and the pose (n,)."""
    ran = Ran("solve", "human", *arguments, "--json")
    assert ran.code in (0, 1), ran.err
    told = json.loads(ran.out)
    return told, np.array(list(told["q"].values()))


def test_nothing_goes_below_a_floor() -> None:
    down = ("--reach", "LeftHand=0.3,-0.4,0.3", "--pin", "Hips")
    _, free = solved(*down)
    told, q = solved(*down, "--floor", "0.1")
    assert HUMAN.positions(free)[:, 1].min() < -0.1
    assert HUMAN.positions(q)[HUMAN.index("LeftHand"), 1] > 0.095
    assert not told["ok"]


def test_a_reach_that_would_make_the_body_fall_is_told() -> None:
    far = (*FEET, "--reach", "LeftHand=0.4,1.0,1.1")
    feet = Balance(["LeftFoot", "RightFoot"])
    assert feet.outside(HUMAN, solved(*far)[1]) > 0.03
    for support in ("feet", "LeftFoot,RightFoot"):
        told, q = solved(*far, "--balance", support)
        assert feet.outside(HUMAN, q) < 0.01
        if not told["ok"]:
            assert "centre of mass" in told["why"]


def test_the_body_and_an_obstacle_are_avoided() -> None:
    hand = (*FEET, "--pin", "Spine1", "--reach", "LeftHand=0.1,1.2,0.12")
    told, q = solved(*hand, "--avoid")
    assert any(goal["goal"] == "avoid" for goal in told["goals"])
    assert Avoid().nearest(HUMAN, q)[2] > -0.01
    place = ("--reach", "LeftHand=0.3,1.2,0.4", *FEET)
    told, q = solved(*place, "--obstacle", "0.3,1.2,0.4,0.1")
    assert not told["ok"]
    assert "would touch obstacle 1" in told["why"]
    box = limbik.Box((0.1, 0.1, 0.1), (0.3, 1.2, 0.4))
    _, q = solved(*place, "--obstacle", "0.2,1.1,0.3,0.4,1.3,0.5")
    assert Avoid([box], own=False).nearest(HUMAN, q)[2] > -0.02


def test_two_hands_stay_together() -> None:
    reach = (*FEET, "--reach", "LeftHand=0.2,1.3,0.4")
    told, q = solved(*reach, "--relative", "RightHand,LeftHand=0,0,0.3")
    frame = HUMAN.frames(q)[HUMAN.index("LeftHand")]
    place = frame[:3, :3].T @ (HUMAN.positions(q)[HUMAN.index("RightHand")] - frame[:3, 3])
    assert told["ok"]
    assert place == pytest.approx([0.0, 0.0, 0.3], abs=1e-3)
    told, q = solved(*reach, "--close", "RightHand,LeftHand")
    hands = HUMAN.positions(q)[[HUMAN.index("LeftHand"), HUMAN.index("RightHand")]]
    assert np.linalg.norm(hands[0] - hands[1]) < 1e-6
    told, q = solved("--reach", "LeftHand=0.6,1.5,0.2", "--hold", "RightHand,LeftHand")
    apart = np.diff(HUMAN.positions(q)[[HUMAN.index("LeftHand"), HUMAN.index("RightHand")]], axis=0)
    rest = HUMAN.positions(HUMAN.rest)[[HUMAN.index("LeftHand"), HUMAN.index("RightHand")]]
    assert told["ok"]
    assert np.linalg.norm(apart) == pytest.approx(np.linalg.norm(np.diff(rest, axis=0)), abs=1e-3)


def test_a_joint_stays_above_a_plane_and_within_a_sphere() -> None:
    told, q = solved("--above", "LeftHand=1.7", "--within", "RightHand=-0.3,1.3,0.3,0.05", *FEET)
    assert told["ok"]
    assert HUMAN.positions(q)[HUMAN.index("LeftHand"), 1] > 1.7 - 1e-3
    away = HUMAN.positions(q)[HUMAN.index("RightHand")] - [-0.3, 1.3, 0.3]
    assert np.linalg.norm(away) < 0.05 + 1e-3
    text = Ran("solve", "human", "--above", "LeftHand=1,0,0,0.2", "--floor", "-1").out
    assert "above" in text
    assert text.count("above") == 1  # the floor is no line for each joint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--above", "LeftHand"), "expected Joint=height"),
        (("--above", "LeftHand=1,2"), "expected Joint=height"),
        (("--within", "LeftHand=1,2,3"), "expected Joint=x,y,z,radius"),
        (("--balance", "LeftFoot,,"), "expected joint names with commas"),
        (("--balance", "LeftFot"), "LeftFoot"),
        (("--obstacle", "1,2,3"), "expected x,y,z,radius"),
        (("--obstacle", "1,2,3,-1"), "radius must be above 0"),
        (("--obstacle", "1,2,nan,1"), "expected x,y,z,radius"),
        (("--relative", "LeftHand=1,2,3"), "expected Joint,Other=x,y,z"),
        (("--hold", "LeftHand"), "expected Joint,Other"),
        (("--hold", "LeftHand,RightHnd"), "RightHand"),
        (("--close", "A,B,C"), "expected Joint,Other"),
        (("--floor", "nan"), "finite height"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, str], said: str) -> None:
    ran = Ran("solve", "human", *FEET, *arguments)
    assert ran.code == 2 or ran.code == 1
    assert said in " ".join(ran.err.split())
    assert not ran.out


def test_feet_need_a_body() -> None:
    ran = Ran("solve", "chain", "--reach", "Tip=1,1,0", "--balance", "feet")
    assert "not seen as a body" in " ".join(ran.err.split())


def test_track_holds_the_conditions_in_every_frame(tmp_path: Path) -> None:
    arguments = ("cartwheel", "--effectors", "LeftHand,RightHand", "--every", "0.2", "--json")
    out = tmp_path / "out.bvh"
    ran = Ran("track", *arguments, "--floor", "0.3", "--out", str(out))
    assert ran.code in (0, 1), ran.err
    told = json.loads(ran.out)
    motion = limbik.load_motion(out)
    hands = [motion.figure.index(name) for name in ("LeftHand", "RightHand")]
    assert motion.positions()[:, hands, 1].min() > 0.2
    assert told["reached"] < told["frames"]
    free = json.loads(Ran("track", *arguments).out)
    assert free["reached"] > told["reached"]
    ran = Ran("track", *arguments, "--hold", "LeftHand")
    assert "expected Joint,Other" in " ".join(ran.err.split())

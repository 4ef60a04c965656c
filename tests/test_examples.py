"""Every example runs as it stands and prints what it promises."""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from helpers import real_data

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

# A pattern whose number is asked for, and the range it must lie in.
NUMBERS: dict[str, list[tuple[str, float, float]]] = {
    "01_reach.py": [
        (r"the tool is ([\d.]+) mm from its target", 0.0, 0.11),
        (r"orientation: [\d.]+ mm and ([\d.]+) rad", 0.0, 1e-3),
    ],
    "02_limits_and_why.py": [
        (r"stiff: LIMITED - Ankle is ([\d.]+) cm short: Knee at its upper limit", 39.0, 40.0),
        (r"Knee at its upper limit, (\d+) degrees", 60, 60),
        (r"worth ([\d.]+) per radian", 0.1, 0.3),
    ],
    "03_many_goals.py": [
        (r"Reach +LeftHand +([\d.]+) mm", 0.0, 0.22),
        (r"Aim +Head +([\d.]+) rad", 0.0, 1e-3),
        (r"LIMITED - RightFoot is ([\d.]+) cm short", 5.0, 60.0),
    ],
    "04_follow_a_clip.py": [
        (r"(\d+) of 601 frames reached", 601, 601),
        (r"worst error ([\d.e-]+) m", 0.0, 2.2e-4),
        (r"limits, (\d+) jumps", 0, 0),
    ],
    "05_your_own_goal.py": [
        (r"REACHED: leaning ([\d.]+) cm from above the feet", 5.0, 80.0),
        (r"REACHED: leaning ([\d.]+) cm, ", 0.0, 0.2),
    ],
    "06_many_problems.py": [
        (r"(\d+) of 1000 solved", 1000, 1000),
        (r"worst error ([\d.]+) mm", 0.0, 0.1),
    ],
    "07_pose_by_hand.py": [
        (r"hand is ([\d.]+) cm above the floor", 174.9, 175.1),
        (r"([\d.]+) rad outside its limits", 0.0, 0.0),
    ],
    "08_stay_on_your_feet.py": [
        (r"careless: REACHED, the centre of mass is ([\d.]+) cm outside", 5.0, 15.0),
        (r"balanced: REACHED, the centre of mass is ([\d.]+) cm inside", 2.0, 6.0),
        (r"squat: REACHED, ([\d.]+) cm down", 25.0, 25.0),
    ],
    "09_a_scene_to_avoid.py": [
        (r"careless: REACHED, \w+ and wall are (-?\d+) mm apart", -150, -50),
        (r"careful: REACHED, \w+ and \w+ are (-?\d+) mm apart", 10, 60),
        (r"inside: \w+ - Tool is ([\d.]+) cm short", 1.0, 12.0),
    ],
    "10_two_hands_on_a_box.py": [
        (r"lifted: REACHED, ([\d.]+) cm apart", 29.97, 30.03),
        (r"lifted: .*, ([\d.]+) degrees off", 0.0, 0.06),
        (r"tilted: REACHED, ([\d.]+) cm apart", 29.97, 30.03),
    ],
    "11_a_grasp.py": [
        (r"careless: \w+ and \w+ are (-[\d.]+) mm apart", -50.0, -20.0),
        (r"careful: \w+ and \w+ are ([\d.]+) mm apart", 0.4, 1.0),
        (r"apart, (\d) of 5 fingertips lie on the ball\n$", 5, 5),
    ],
    "12_a_control_loop.py": [
        (r"2000 ticks, the fastest joint ([\d.]+) rad/s", 1.45, 1.5),
        (r"largest acceleration ([\d.]+) rad/s²", 14.5, 15.0),
        (r"([\d.]+) rad outside the limits", 0.0, 0.0),
        (r"in the end ([\d.]+) mm from the target", 0.0, 0.15),
        (r"with measured poses ([\d.]+) mm from the target", 0.0, 1.0),
    ],
}


def run(example: str, *arguments: str, folder: Path) -> str:
    """What the example prints, run from another folder in a Python of its own."""
    state = folder.with_name(f"{folder.name} state")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / example), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(EXAMPLES.parent),
            "PYTHONIOENCODING": "utf-8",
            "LIMBIK_STATE": str(state),
            "BROWSER": "true",  # the command that does nothing
        },
        input="\n",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_tested() -> None:
    assert sorted(NUMBERS) == sorted(path.name for path in EXAMPLES.glob("*.py"))


def run_here(example: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the example prints as the main program of this process, where limbik is loaded."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [example])
    printed = io.StringIO()
    with redirect_stdout(printed):
        runpy.run_path(str(EXAMPLES / example), run_name="__main__")
    return printed.getvalue()


@pytest.mark.parametrize("example", NUMBERS)
def test_it_prints_what_it_promises(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if example == "07_pose_by_hand.py":  # it waits for a person to press Enter
        printed = run(example, folder=tmp_path)
    else:
        printed = run_here(example, tmp_path, monkeypatch)
    for pattern, low, high in NUMBERS[example]:
        found = re.search(pattern, printed)
        assert found, f"nothing like {pattern!r} in:\n{printed}"
        assert low <= float(found[1]) <= high, found[0]
    assert list(tmp_path.iterdir()) == []


def test_reaching_with_a_robot_from_a_file(tmp_path: Path) -> None:
    robot = real_data.find("robots/erd_ur5_robot.urdf")
    printed = run("01_reach.py", str(robot), "tool0", folder=tmp_path)
    assert printed.startswith("<Figure ur5")  # not the built-in arm
    for pattern, low, high in NUMBERS["01_reach.py"]:
        found = re.search(pattern, printed)
        assert found, printed
        assert low <= float(found[1]) <= 2 * high


def test_following_a_file(tmp_path: Path) -> None:
    clip = real_data.find("cmu_bvh/02_01.bvh")
    printed = run("04_follow_a_clip.py", str(clip), "LeftHand,RightHand,Hips", folder=tmp_path)
    found = re.search(r"(\d+) of (\d+) frames reached", printed)
    assert found
    assert found[1] == found[2]

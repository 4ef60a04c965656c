"""``limbik track``: the numbers it tells, the file it writes, and Ctrl-C in the middle of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.command_line import Ran, command, environment, rest_of

SIX = ["Hips", "Head", "LeftHand", "RightHand", "LeftToeBase", "RightToeBase"]
TRACK_KEYS = {
    "frames", "reached", "worst_error", "sum_squared_error", "us_per_frame", "limit_violation",
    "jumps", "effectors", "method", "every", "restarts", "out",
}  # fmt: skip


@pytest.fixture(scope="module")
def saved_cartwheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("clips") / "cartwheel.bvh"
    limbik.save(limbik.figures.cartwheel(), file)
    return file


def test_near_the_clip_itself_it_is_found_again(saved_cartwheel: Path, tmp_path: Path) -> None:
    found = tmp_path / "found.bvh"
    ran = Ran(
        "track", saved_cartwheel, "--effectors", "LeftHand,RightHand", "--every", "0.25", "--near",
        saved_cartwheel, "--out", found, "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert (told["method"], told["near"]) == ("whole clip", str(saved_cartwheel))
    clip = limbik.load_motion(saved_cartwheel).sample(0.25)
    away = np.abs(limbik.load_motion(found).positions() - clip.positions())
    assert away.max() < 1e-3
    ran = Ran("track", saved_cartwheel, "--effectors", "Head", "--near", "cartwheel.txt")
    assert ran.code == 2
    assert "cartwheel.txt" in ran.err
    ran = Ran("track", saved_cartwheel, "--effectors", "Head", "--near", "spider")
    assert ran.code == 2
    assert "has no motion" in ran.err


def test_track_a_saved_clip(saved_cartwheel: Path, tmp_path: Path) -> None:
    found = tmp_path / "found.bvh"
    ran = Ran(
        "track", saved_cartwheel, "--effectors", ",".join(SIX), "--every", "0.05", "--limits",
        "clip+10", "--out", found, "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert set(told) >= TRACK_KEYS
    assert told["frames"] == told["reached"] == 101
    assert told["effectors"] == SIX
    assert told["every"] == 0.05
    assert told["method"] == "projected_lm"
    assert told["limit_violation"] == 0.0
    assert told["us_per_frame"] > 0
    assert isinstance(told["jumps"], int)
    # The numbers are those of the motion that was written.
    clip = limbik.load_motion(saved_cartwheel).sample(0.05)
    motion = limbik.load_motion(found)
    at = [clip.figure.index(name) for name in SIX]
    away = np.linalg.norm((motion.positions() - clip.positions())[:, at], axis=-1)
    assert away.max() == pytest.approx(told["worst_error"], abs=1e-5)
    assert np.allclose((away**2).sum(axis=1), told["sum_squared_error"], rtol=0, atol=1e-8)
    whole = limbik.load_motion(saved_cartwheel)
    turns = ~clip.figure.slides
    margin = np.radians(10) + 1e-7
    assert (motion.q >= whole.q.min(axis=0) - margin)[:, turns].all()
    assert (motion.q <= whole.q.max(axis=0) + margin)[:, turns].all()


def test_track_gives_what_the_library_gives() -> None:
    told = json.loads(Ran("track", "cartwheel", "--effectors", "LeftHand,Head", "--json").out)
    clip = limbik.figures.cartwheel()
    names = ["LeftHand", "Head"]
    at = clip.positions()[:, [clip.figure.index(name) for name in names]]
    track = limbik.track(clip.figure, names, at, start=clip.q[0], fps=clip.fps)
    assert isinstance(track, limbik.Track)
    assert told["sum_squared_error"] == (track.errors**2).sum(axis=1).tolist()


def test_track_as_a_table() -> None:
    ran = Ran("track", "cartwheel", "--effectors", "LeftHand, Hips", "--every", "0.5")
    assert ran.code == 0
    rows = {line[:16].strip(): line[16:].strip() for line in ran.out.splitlines()}
    assert rows["reached"] == "11 of 11"
    assert rows["outside limits"] == "0"
    assert "µs per frame, projected_lm" in rows["time"]


def test_track_that_falls_short_is_exit_code_1() -> None:
    ran = Ran(
        "track", "cartwheel", "--effectors", ",".join(SIX), "--every", "0.5", "--restarts", "0",
        "--method", "jacobian_transpose", "--tolerance", "1e-12",
    )  # fmt: skip
    assert ran.code == 1
    assert "STALLED" in ran.out


@pytest.mark.parametrize("every", ["0.05", "0.7"])
@pytest.mark.parametrize("clip", ["02_01", "49_08", "88_01"])
def test_track_real_clips(clip: str, every: str) -> None:
    file = real_data.find(f"cmu_bvh/{clip}.bvh")
    ran = Ran(
        "track", file, "--effectors", ",".join(SIX), "--every", every, "--limits", "clip+10",
        "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["reached"] == told["frames"] == len(told["sum_squared_error"])
    assert told["worst_error"] < 0.05
    assert told["limit_violation"] == 0.0


def test_track_limits_a_body_whose_file_has_none(tmp_path: Path) -> None:
    """By default and in one line; the file that is written has the channels of the one read."""
    file = real_data.find("cmu_bvh/49_06.bvh")
    ends = "Hips,Head,LeftHand,RightHand,LeftFoot,RightFoot"
    asked = ("track", file, "--effectors", ends, "--every", "0.2", "--json")
    ran = Ran(*asked, "--out", tmp_path / "found.bvh")
    assert ran.code == 0, ran.err
    lines = [line for line in ran.err.splitlines() if line.startswith("Limits: ")]
    (line,) = lines
    assert line.startswith("Limits: anatomical")
    assert "--limits none" in line
    told = json.loads(ran.out)
    assert told["limits"] == "anatomical"
    assert told["reached"] == told["frames"]
    found, clip = limbik.load_motion(tmp_path / "found.bvh"), limbik.load_motion(file)
    assert found.figure.coordinates == clip.figure.coordinates
    held = limbik.humanoid.limited(clip.figure, clip.q, hold=True)
    assert np.max(held.violation(found.onto(held).q)) < 1e-5
    free = Ran(*asked, "--limits", "none")
    assert "Limits: " not in free.err
    assert json.loads(free.out)["limits"] == "none"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["human", "--effectors", "Hips"], '"human" has no motion to follow'),
        (["cartwheel", "--effectors", "Hips,Hed"], 'no joint "Hed" (did you mean "Head"?)'),
        (["cartwheel", "--effectors", "Hips,,Head"], "expected joint names with commas"),
        (["cartwheel", "--effectors", "Hips", "--limits", "clop"], "expected clip, or clip+"),
        (["cartwheel", "--effectors", "Hips", "--limits", "clip-5"], "expected clip, or clip+"),
        (["cartwheel", "--effectors", "Hips", "--every", "0"], "above 0 seconds"),
        (["cartwheel", "--effectors", "Hips", "--method", "x"], 'no method "x"'),
        (["cartwheel", "--effectors", "Hips", "--out", "a.b"], "not a format limbik writes"),
    ],
)
def test_track_refuses(arguments: list[str], told: str) -> None:
    ran = Ran("track", *arguments)
    assert ran.code == 2
    (line,) = ran.err.splitlines()
    assert line.startswith("Error: ")
    assert told in line


@pytest.mark.skipif(os.name == "nt", reason="signals and terminals differ there")
def test_ctrl_c_is_quiet(tmp_path: Path) -> None:
    """Pressed while a kernel runs, a minute before it would be done."""
    import pty

    clip = limbik.figures.cartwheel()
    file = tmp_path / "long.bvh"
    limbik.save(limbik.Motion(clip.figure, np.tile(clip.q, (5, 1)), clip.fps), file)
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        command(
            "track", str(file), "--effectors", ",".join(SIX), "--method", "jacobian_transpose",
            "--tolerance", "1e-12", "--out", str(tmp_path / "out.bvh"),
        ),
        stdout=subprocess.PIPE, stderr=theirs, text=True, env={**environment(), "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while b"following 3005 frames" not in seen:
        seen += os.read(ours, 1000)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=120)
    assert running.returncode == 130
    assert printed == ""
    seen += rest_of(ours)
    assert b"Traceback" not in seen
    assert seen.rindex(b"\x1b[?25h") > seen.rindex(b"\x1b[?25l")  # the cursor is back
    assert [path.name for path in tmp_path.iterdir()] == ["long.bvh"]

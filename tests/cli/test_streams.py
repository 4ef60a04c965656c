"""Standard input and output, encodings, colours, full disks, Ctrl-C: the command as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.command_line import Ran, command, environment
from limbik.cli.files import ending_of
from limbik.errors import LimbikError

POSIX = pytest.mark.skipif(os.name == "nt", reason="devices, terminals and signals differ there")


def run(
    *arguments: str, given: bytes = b"", env: dict[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command(*arguments), input=given, env={**environment(), **(env or {})}, check=False,
        stderr=subprocess.PIPE, **{"stdout": subprocess.PIPE, **options},
    )  # type: ignore[call-overload]  # fmt: skip


# ---- "-" -----------------------------------------------------------------------------------------


def test_a_clip_through_pipes(tmp_path: Path) -> None:
    clip = limbik.figures.cartwheel()[:4]
    limbik.save(clip, tmp_path / "clip.bvh")
    bvh = (tmp_path / "clip.bvh").read_bytes()
    out = run("convert", "-", "-", "--to", "glb", given=bvh)
    assert out.returncode == 0, out.stderr
    assert out.stdout[:4] == b"glTF"
    assert b"wrote standard output" in out.stderr
    again = run("info", "-", "--json", given=out.stdout)
    told = json.loads(again.stdout)
    assert (told["clips"][0]["frames"], len(told["joints"])) == (4, len(clip.figure.joints))
    assert run("convert", "-", "-", given=bvh).stdout == bvh


def test_a_pose_to_standard_output(tmp_path: Path) -> None:
    out = run("solve", "arm", "--reach", "Tool=0.4,0.2,0.5", "--out", "-")
    assert out.returncode == 0
    (tmp_path / "pose.bvh").write_bytes(out.stdout)
    tool = limbik.load_motion(tmp_path / "pose.bvh").positions()[0, -1]
    np.testing.assert_allclose(tool, [0.4, 0.2, 0.5], atol=1e-3)
    assert b"REACHED" in out.stderr


def test_what_comes_in_broken_is_told_as_standard_input() -> None:
    out = run("info", "-", given=b"HIERARCHY\nROOT a\n{\n")
    assert out.returncode == 2
    assert out.stderr.startswith(b"Error: standard input line ")
    assert run("info", "-").stderr.strip() == b"Error: standard input: is empty"


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (b"\xef\xbb\xbf\nHierarchy\n", ".bvh"),
        (b"glTF\2\0\0\0", ".glb"),
        (b' {"asset":{}}', ".gltf"),
        (b"PK\3\4", ".npz"),
        (b"<?xml version='1.0'?><robot/>", ".xml"),
        (b"# CMU\n:version 1.10\n:name x\n", ".asf"),
        (b"#!OML\n:FULLY-SPECIFIED\n:DEGREES\n1\n", ".amc"),
        (b"time,Hips.tx\n0,1\n", ".csv"),
    ],
)
def test_the_format_of_bytes(data: bytes, ending: str) -> None:
    assert ending_of(data) == ending


def test_bytes_of_no_format() -> None:
    with pytest.raises(LimbikError, match="is in no format that limbik reads"):
        ending_of(b"\x00\x01\x02")


def test_the_poser_of_a_figure_that_is_piped_in(tmp_path: Path) -> None:
    limbik.save(limbik.figures.chain([1, 2]), tmp_path / "two.bvh")
    env = {**environment(), "LIMBIK_STATE": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with (tmp_path / "two.bvh").open("rb") as given:
        poser = subprocess.Popen(
            command("pose", "-", "--json", "--no-open", "--port", "0"),
            stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
        )  # fmt: skip
    assert poser.stdout is not None
    try:
        line = poser.stdout.readline()
        assert line, poser.communicate()[1]
        assert json.loads(line)["url"].startswith("http://127.0.0.1:")
    finally:
        poser.kill()
        poser.communicate()


# ---- where output goes ---------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("arguments", [("info", "arm"), ("--help",), ("convert", "arm", "-")])
def test_a_full_disk_is_one_line(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        b"Error: the output cannot be written: No space left on device"
    )
    assert b"Traceback" not in done.stderr


@POSIX
def test_a_reader_that_leaves_early_is_no_error() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as pipe:
        done = run("info", "human", stdout=pipe)
    assert done.stderr == b""


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_signs_and_branches_in_every_encoding(encoding: str) -> None:
    text = run("info", "human", env={"PYTHONIOENCODING": encoding}).stdout.decode(encoding)
    (knee,) = [line for line in text.splitlines() if " LeftLeg " in line]
    assert "ry -10°" in knee
    assert ("├─ LHipJoint" if encoding == "utf-8" else "|- LHipJoint") in text
    if encoding == "cp1252":
        assert "?" not in text


@POSIX
def test_no_color_is_kept() -> None:
    import pty

    seen = {}
    for value in ("", "1"):
        ours, theirs = pty.openpty()
        shown = subprocess.Popen(
            command("methods"), stdout=theirs, stderr=theirs,
            env={**environment(), "TERM": "xterm-256color", "NO_COLOR": value},
        )  # fmt: skip
        os.close(theirs)
        text = b""
        try:
            while more := os.read(ours, 4096):
                text += more
        except OSError:  # how Linux says that the other end is closed
            pass
        shown.wait()
        os.close(ours)
        seen[value] = text
    assert b"\x1b[32m" in seen[""]
    assert b"\x1b[3" not in seen["1"]
    assert b"projected_lm" in seen["1"]


# ---- Ctrl-C and defects --------------------------------------------------------------------------


@POSIX
def test_ctrl_c_during_import(tmp_path: Path) -> None:
    """NumPy is imported among the first, and here that takes a minute."""
    slow = "import sys, time\nprint('importing', flush=True)\ntime.sleep(60)\n"
    (tmp_path / "numpy.py").write_text(slow)
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    starting = subprocess.Popen(
        command("methods"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**environment(), "PYTHONPATH": path},
    )  # fmt: skip
    assert starting.stdout is not None
    assert starting.stdout.readline() == "importing\n"
    starting.send_signal(signal.SIGINT)
    _, told = starting.communicate(timeout=120)
    assert (starting.returncode, told) == (130, "")


@POSIX
def test_other_programs_keep_their_ctrl_c() -> None:
    code = "import signal, limbik; print(signal.getsignal(signal.SIGINT).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout == "default_int_handler\n"


def test_a_defect_is_told_without_a_traceback() -> None:
    code = (
        "import limbik.cli as c\n"
        "def broken(*a, **k): raise ZeroDivisionError('by zero')\n"
        "c.app = broken\nc.main()"
    )
    for variable, traceback in (("", False), ("1", True)):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False,
            env={**environment(), "LIMBIK_TRACEBACK": variable},
        )  # fmt: skip
        assert ("Traceback" in done.stderr) == traceback
        assert "ZeroDivisionError: by zero" in done.stderr
        assert done.returncode == (1 if traceback else 70)


# ---- names ---------------------------------------------------------------------------------------

LONG = "x" * 300


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["info", f"{LONG}.bvh"], f"{LONG}.bvh: cannot be read: File name too long"),
        (["info", LONG], "is neither a file nor built in"),
        (["convert", "arm", f"{LONG}.bvh"], f"{LONG}.bvh: cannot be written: File name too long"),
        (["convert", "arm", f"{LONG}/a.bvh"], "there is no folder"),
        (["convert", f"{LONG}.glb", "a.bvh"], "cannot be read: File name too long"),
        (["convert", "values.csv", "a.bvh", "--figure", f"{LONG}.asf"], "File name too long"),
        (["solve", "arm", "--pin", "Tool", "--out", f"{LONG}.glb"], "File name too long"),
        (["track", f"{LONG}.bvh", "--effectors", "A"], "File name too long"),
        (["track", "human", "--effectors", "Head", "--targets", f"{LONG}.npy"], "too long"),
    ],
)
@POSIX
def test_names_over_255_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = Ran(*arguments)
    assert ran.code == 2
    (line,) = ran.err.splitlines()
    assert line.startswith("Error: ")
    assert told in line


def test_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert Ran("convert", "arm", "~/arm.bvh").code == 0
    assert (tmp_path / "arm.bvh").is_file()
    assert Ran("info", "~/arm.bvh").code == 0
    ran = Ran("convert", "~/arm.bvh", "~/arm.bvh", "--force")
    assert "is the file to read" in ran.err
    assert Ran("solve", "~/arm.bvh", "--pin", "Tool", "--out", "~/pose.bvh").code == 0
    assert (tmp_path / "pose.bvh").is_file()
    assert Ran("info", "~nobody-here/arm.bvh").code == 2


def test_whole_paths_in_messages(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    file = tmp_path / "deep" / "broken.bvh"
    file.write_text("HIERARCHY\nROOT a\n{\n")
    assert Ran("info", file).err.startswith(f"Error: {file} line ")
    assert Ran("info", file.with_name("none.glb")).err == (
        f"Error: {file.with_name('none.glb')}: there is no such file\n"
    )

"""Runs that are killed, stopped, refused or out of room: then resumed, with the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import limbik
from helpers.batch_runs import (
    JOB,
    JOB_TEXT,
    InThread,
    drafts,
    is_alive,
    kill,
    make_faults,
    outputs,
    wait_for,
    worker_at,
    write_clips,
)
from helpers.command_line import command, environment
from limbik.jobs.clip import JobFolders, do_clip
from limbik.jobs.folder import RunFolder
from limbik.jobs.job_file import read_job
from limbik.jobs.lock import BusyError
from limbik.jobs.sidecar import ENDING

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

CLIPS = ("waits-1.bvh", "a/two.bvh", "a/three.bvh", "four.bvh")


@pytest.fixture(scope="module")
def src(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clips(tmp_path_factory.mktemp("src"), *CLIPS)


@pytest.fixture(scope="module")
def undisturbed(src: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed")
    assert limbik.batch(src, out, JOB, workers=2).ok
    found = outputs(out)
    assert len(found) == 3 * len(CLIPS)
    return found


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_faults(tmp_path / "faults")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def sidecars(out: Path) -> int:
    return len(list(out.rglob(f"*{ENDING}")))


def started(src: Path, out: Path, faults: Path, *options: str) -> subprocess.Popen[str]:
    """``limbik batch`` in a process of its own."""
    job = faults / "job.toml"
    job.write_text(JOB_TEXT)
    env = environment()
    env["PYTHONPATH"] = os.pathsep.join([str(faults), env["PYTHONPATH"]])
    return subprocess.Popen(
        command("batch", str(src), str(out), "--job", str(job), *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )


def test_a_killed_worker_costs_nothing_and_a_second_run_is_refused(
    src: Path, tmp_path: Path, faults: Path, undisturbed: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    run = InThread(src, out, JOB, workers=2)
    first = worker_at(faults, CLIPS[0])
    with pytest.raises(BusyError, match=rf"another run .*process {os.getpid()} on"):
        limbik.batch(src, out, JOB, workers=1)
    with pytest.raises(BusyError, match="run: process"):
        limbik.batch(src, out, JOB, shard="1/2")
    kill(first)
    second = worker_at(faults, CLIPS[0])  # the clip is tried again, in another process
    assert second != first
    (faults / "go").touch()
    assert run.end().ok
    assert outputs(out) == undisturbed
    assert not drafts(out)


def test_a_killed_parent_takes_its_workers_along_and_is_resumed(
    src: Path, tmp_path: Path, faults: Path, undisturbed: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    run = started(src, out, faults, "--workers", "2")
    worker = worker_at(faults, CLIPS[0])
    wait_for(lambda: sidecars(out) == len(CLIPS) - 1)
    kill(run.pid)
    run.communicate()
    wait_for(lambda: not is_alive(worker))
    assert sidecars(out) == len(CLIPS) - 1
    (faults / "go").touch()
    resumed = limbik.batch(src, out, resume=True, workers=1)
    assert (resumed.ok, resumed.before, resumed.done) == (True, len(CLIPS) - 1, 1)
    assert outputs(out) == undisturbed
    assert not drafts(out)


def test_ctrl_c_ends_cleanly_and_says_how_to_resume(
    src: Path, tmp_path: Path, faults: Path, undisturbed: dict[str, bytes]
) -> None:
    out, log = tmp_path / "out", tmp_path / "log.txt"
    run = started(src, out, faults, "--workers", "2", "--log", str(log))
    worker = worker_at(faults, CLIPS[0])
    wait_for(lambda: log.read_text().count(" done ") == len(CLIPS) - 1)
    run.send_signal(signal.SIGINT)
    said, told = run.communicate()
    assert run.returncode == 130
    assert "1 left" in said
    assert f"limbik batch {src} {out} --resume" in told
    assert "Traceback" not in told
    assert not is_alive(worker)
    assert not drafts(out)
    assert "stopped" in log.read_text()
    (faults / "go").touch()
    assert limbik.batch(src, out, resume=True, workers=1).ok
    assert outputs(out) == undisturbed


def test_a_file_that_may_not_be_that_large_fails_alone(
    src: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    bash = "/bin/bash"
    if not Path(bash).exists():
        pytest.skip("bash sets the limit on the size of files")
    large = write_clips(tmp_path / "src", "large.bvh", frames=1200)
    write_clips(large, "small.bvh")
    (tmp_path / "job.toml").write_text(JOB_TEXT)
    out = tmp_path / "out"
    words = command("batch", str(large), str(out), "--job", str(tmp_path / "job.toml"))
    ran = subprocess.run(
        [bash, "-c", 'ulimit -f 16; exec "$@"', "bash", *words, "--workers", "1"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    assert "large.bvh  not written: " in ran.stdout
    assert "File too large" in ran.stdout
    assert "2 clips: 1 done, 1 failed" in ran.stdout
    assert not drafts(out)
    assert not (out / "large.bvh").exists()
    assert limbik.batch(large, out, resume=True, workers=1).done == 1
    fresh = tmp_path / "fresh"
    here = JobFolders(large, fresh, RunFolder(fresh).new_drafts("run", alone=True))
    for name in ("large.bvh", "small.bvh"):
        assert do_clip(read_job(JOB), here, name).ok
    assert outputs(out) == outputs(fresh)


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A disk with room for one clip's outputs, where disks may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("a disk cannot be mounted here")
    yield disk  # type: ignore[misc]
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_stops_the_run_and_it_is_resumed(
    src: Path, small_disk: Path, undisturbed: dict[str, bytes]
) -> None:
    out = small_disk / "out"
    stopped = limbik.batch(src, out, JOB, workers=1)
    assert "no room left" in stopped.stopped
    assert stopped.done < len(CLIPS)
    assert stopped.left > 0
    assert outputs(out).items() <= undisturbed.items()  # what is there is whole
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    assert limbik.batch(src, out, JOB, workers=1).ok
    assert outputs(out) == undisturbed

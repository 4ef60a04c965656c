"""Runs on Dask: a worker or the scheduler is killed in the middle, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import limbik
from helpers.batch_runs import (
    JOB,
    InThread,
    is_alive,
    kill,
    make_faults,
    outputs,
    parent_of,
    wait_for,
    worker_at,
    write_clips,
)
from helpers.command_line import PROJECT
from limbik.errors import LimbikError
from limbik.jobs.engines.cluster import AHEAD, TASK_SECONDS, _Bundles

pytest.importorskip("distributed", reason='pip install "limbik[cluster]"')
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

CLIPS = ("waits-1.bvh", "a/two.bvh", "three.bvh")


@pytest.fixture
def faults(tmp_path: Path) -> Path:
    return make_faults(tmp_path / "faults")


@pytest.fixture
def cluster(tmp_path: Path, faults: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a scheduler with two workers, and the process of the scheduler."""
    path = os.pathsep.join([str(faults), str(PROJECT)])
    env = {**os.environ, "PYTHONPATH": path}
    file = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(file)]
    with ExitStack() as stack, (tmp_path / "dask.log").open("wb") as log:

        def start(*words: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *common], env=env, stdout=log, stderr=log
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        for _ in range(2):
            start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        wait_for(lambda: file.exists() and file.read_text())
        yield json.loads(file.read_text())["address"], scheduler


def test_workers_and_the_scheduler_may_be_killed(
    tmp_path: Path, faults: Path, cluster: tuple[str, subprocess.Popen[bytes]]
) -> None:
    address, scheduler = cluster
    src = write_clips(tmp_path / "src", *CLIPS)
    run = InThread(src, tmp_path / "one", JOB, cluster=address)
    process = worker_at(faults, CLIPS[0])
    kill(parent_of(process))  # a worker of Dask, with the process that does its clip
    wait_for(lambda: not is_alive(process))
    assert worker_at(faults, CLIPS[0]) != process  # done again by the other worker
    (faults / "go").touch()
    assert run.end().ok

    (faults / "go").unlink()
    run = InThread(src, tmp_path / "two", JOB, cluster=address)
    worker_at(faults, CLIPS[0])
    kill(scheduler.pid)
    stopped = run.end()
    assert not stopped.ok
    assert "the scheduler of Dask tcp://127.0.0.1" in stopped.stopped
    assert "no longer answers" in stopped.stopped
    # The worker's clip goes on, and is not put into a run that has ended.
    (faults / "go").touch()
    assert limbik.batch(src, tmp_path / "two", JOB, workers=1).ok
    assert outputs(tmp_path / "two") == outputs(tmp_path / "one")


def test_a_cluster_of_this_machine_alone(tmp_path: Path) -> None:
    src = write_clips(tmp_path / "src", "one.bvh")
    assert limbik.batch(src, tmp_path / "out", JOB, cluster="local:1").ok
    assert (tmp_path / "out" / "one.csv").exists()


@pytest.mark.parametrize(
    ("address", "said"),
    [("local:0", "local:N"), ("local:x", "local:N"), ("here", "tcp://host:port")],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str, said: str) -> None:
    src = write_clips(tmp_path / "src", "one.bvh")
    with pytest.raises(LimbikError, match=said):
        limbik.batch(src, tmp_path / "out", JOB, cluster=address)


class Threads:
    """A client of which only the number of threads is asked."""

    def nthreads(self) -> dict[str, int]:
        return {"one": 1, "two": 1}


def test_short_clips_go_in_bundles_and_the_last_ones_alone() -> None:
    bundles = _Bundles([str(k) for k in range(100)], Threads())
    assert [len(bundle) for bundle in bundles.next_ones(0)] == [1] * 2 * AHEAD
    bundles.took(0.25)
    sizes = []
    while found := [len(bundle) for bundle in bundles.next_ones(2 * AHEAD - 1)]:
        sizes += found
    assert sum(sizes) == 100 - 2 * AHEAD
    assert sizes[0] == TASK_SECONDS / 0.25
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    bundles.alone += ["7", "8"]
    assert list(bundles.next_ones(0)) == [["8"], ["7"]]

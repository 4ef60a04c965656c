"""One bad clip never stops the rest: each kind of failure is a line with file and sentence."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import limbik
from helpers.batch_runs import JOB, make_faults, outputs, write_clips
from helpers.command_line import Ran
from limbik.jobs.job_file import read_job
from limbik.jobs.result import Summary
from limbik.jobs.sidecar import read_sidecar, sidecar_path
from limbik.jobs.summary import status_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")

GOOD = ("good.bvh", "folder/fine.bvh")
BAD = {
    "unreadable.bvh": ("unreadable", "line 1: is not a BVH file"),
    "refused.bvh": ("refused", "check: speed is .*, at most 1000 is allowed"),
    "kills-its-worker.bvh": ("killed its worker", "ended by SIGKILL"),
    "hogs.bvh": ("out of memory", "more memory than a worker may take"),
    "swells.bvh": ("out of memory", "more memory than 0.4 GB"),
}
LIMITED = {
    **JOB,
    "steps": [*JOB["steps"][:1], {"do": "check", "at_most": {"speed": 1000}}],
    "limits": {"memory": "400 MB"},  # a worker by itself has 170 MB
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Summary, Path]:
    """One run with every kind of clip."""
    folder = tmp_path_factory.mktemp("failures")
    src = write_clips(folder / "src", *GOOD, *(name for name in BAD if name != "unreadable.bvh"))
    (src / "unreadable.bvh").write_text("HIERARCHY of nothing")
    chain = limbik.figures.chain()
    there_and_back = [[t % 2, 0, 0] for t in range(8)]
    limbik.save(limbik.Motion(chain, there_and_back, 20), src / "refused.bvh")
    for step in read_job(LIMITED).steps:
        step.prepare()  # to compile takes more memory than the workers have here
    faults = make_faults(folder / "faults")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(faults))
        return limbik.batch(src, folder / "out", LIMITED, workers=2), folder / "out"


def test_the_rest_is_done(run: tuple[Summary, Path]) -> None:
    summary, out = run
    assert not summary.ok
    assert not summary.stopped
    assert (summary.clips, summary.done, summary.left) == (len(GOOD) + len(BAD), len(GOOD), 0)
    for name in GOOD:
        assert (out / name).exists()


@pytest.mark.parametrize("name", BAD)
def test_a_failure_has_its_reason_and_sentence(run: tuple[Summary, Path], name: str) -> None:
    summary, out = run
    (found,) = [failed for failed in summary.failed if failed.source == name]
    reason, sentence = BAD[name]
    assert found.reason == reason
    assert re.search(sentence, found.sentence), found.sentence
    record = read_sidecar(sidecar_path(out, name.removesuffix(".bvh")))
    assert record is not None
    assert (record.status, record.reason, record.sentence) == ("failed", reason, found.sentence)
    assert record.input is not None
    assert not record.outputs
    assert not (out / name).exists()


def test_status_counts_them_by_reason(run: tuple[Summary, Path]) -> None:
    _, out = run
    shown = Ran("batch", "status", out)
    assert shown.code == 1
    assert "out of memory  2" in shown.out
    for name in BAD:
        assert f"  {name}  " in shown.out
    assert len(outputs(out)) == 3 * len(GOOD) + len(BAD)


def test_a_clip_that_was_deleted_has_not_failed(run: tuple[Summary, Path]) -> None:
    _, out = run
    clip = out.parent / "src" / "unreadable.bvh"
    clip.rename(clip.with_suffix(".away"))
    try:
        found = status_of(out)
    finally:
        clip.with_suffix(".away").rename(clip)
    assert found["failed"] == len(BAD) - 1
    assert "unreadable" not in found["reasons"]
    assert status_of(out)["failed"] == len(BAD)


def test_a_clip_that_takes_too_long_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    src = write_clips(tmp_path / "src", "hangs.bvh")
    monkeypatch.setenv("PYTHONPATH", str(make_faults(tmp_path / "faults")))
    summary = limbik.batch(src, tmp_path / "out", {**JOB, "limits": {"time": 0.5}}, workers=1)
    (failed,) = summary.failed
    assert (failed.reason, failed.sentence) == ("too slow", "took longer than 0.5 seconds")
    record = read_sidecar(tmp_path / "out" / "hangs.batch.json")
    assert record is not None
    assert record.timings["total"] > 0.5

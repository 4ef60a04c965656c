"""``limbik batch``, ``limbik batch init`` and ``limbik batch status``."""

from __future__ import annotations

import csv
import io
import json
import signal
import sqlite3
import sys
from pathlib import Path

import pytest
from rich.console import Console

import limbik
from helpers.batch_runs import JOB, JOB_TEXT, outputs, write_clips
from helpers.command_line import Ran
from helpers.gltf_samples import leg
from limbik.cli.commands import batch as command
from limbik.cli.commands import batch_progress
from limbik.jobs.clip import JobFolders, do_clip
from limbik.jobs.engines.slot import Slot
from limbik.jobs.folder import RunFolder
from limbik.jobs.index import FILE, open_index
from limbik.jobs.job_file import EXAMPLE, read_job
from limbik.jobs.outcome import Outcome
from limbik.jobs.plan import Clip, Plan
from limbik.jobs.result import BatchInterrupt
from limbik.jobs.run import batch

CLIPS = ("a/one.bvh", "two.bvh")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """A folder with src, job.toml and out, and the run that filled it."""
    folder = tmp_path_factory.mktemp("batch")
    write_clips(folder / "src", *CLIPS)
    (folder / "src" / "bad.bvh").write_text("nonsense")
    (folder / "job.toml").write_text('reports = ["csv", "json", "png"]\n' + JOB_TEXT)
    words = ("batch", folder / "src", folder / "out", "--job", folder / "job.toml")
    return folder, Ran(*words, "--workers", "1", "--log", folder / "log.txt")


def test_a_run_says_what_failed_and_how_many_are_done(done: tuple[Path, Ran]) -> None:
    folder, ran = done
    assert ran.code == 1
    first, last = ran.out.splitlines()
    assert first.startswith("bad.bvh  unreadable: line 1: is not a BVH file")
    assert last.startswith("3 clips: 2 done, 1 failed  (")
    assert (folder / "out" / "a" / "one.csv").exists()
    lines = (folder / "log.txt").read_text().splitlines()
    told = [" ".join(line.split()[2:4]) for line in lines]
    assert sorted(told[:3]) == ["done a/one.bvh", "done two.bvh", "failed bad.bvh"]
    assert told[3:] == ["ended: <batch:"]


def test_a_second_run_does_what_is_left(done: tuple[Path, Ran]) -> None:
    folder, _ = done
    words = ("batch", folder / "src", folder / "out", "--resume")
    dry = Ran(*words, "--dry-run")
    assert dry.code == 0
    assert dry.out.splitlines() == ["3 clips: 1 to do, 2 done before", "  1  failed before"]
    before = outputs(folder / "out")
    found = json.loads(Ran(*words, "--workers", "1", "--json").out)
    assert (found["done"], found["before"], found["left"]) == (0, 2, 0)
    assert [failed["source"] for failed in found["failed"]] == ["bad.bvh"]
    assert outputs(folder / "out").keys() == before.keys()


def test_reports_have_a_row_per_clip(done: tuple[Path, Ran]) -> None:
    out = done[0] / "out"
    with (out / "report.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["status"]) for row in rows] == [
        ("a/one.bvh", "done"),
        ("bad.bvh", "failed"),
        ("two.bvh", "done"),
    ]
    assert float(rows[0]["jerk"]) >= 0.0
    assert json.loads((out / "report.json").read_text())[2]["frames"] == 7
    assert (out / "report.png").read_bytes().startswith(b"\x89PNG")


def test_status_as_a_table_json_and_picture(done: tuple[Path, Ran], tmp_path: Path) -> None:
    out = done[0] / "out"
    shown = Ran("batch", "status", out, "--picture", tmp_path / "status.png")
    assert shown.code == 1
    words = [line.split() for line in shown.out.splitlines()]
    assert ["done", "2", "(66.7", "%)"] in words
    assert ["unreadable", "1"] in words
    assert [line[0] for line in words if "█" in "".join(line)] == [
        "jumps",
        "violation",
        "speed",
        "slide",
        "jerk",
    ]
    assert (tmp_path / "status.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(Ran("batch", "status", out, "--json").out)
    assert (found["clips"], found["done"], found["failed"], found["left"]) == (3, 2, 1, 0)
    assert found["reasons"] == {"unreadable": 1}
    assert {clip["source"] for clip in found["slowest"]} == set(CLIPS)
    assert found["quality"]["speed"]["worst"] == "two.bvh"
    assert found["frames"] == 14


def test_the_index_can_be_thrown_away(done: tuple[Path, Ran]) -> None:
    out = done[0] / "out"
    count = "SELECT count(*) FROM clips"
    open_index(out).close()
    assert sqlite3.connect(out / FILE).execute(count).fetchone() == (3,)
    for spoilt in (b"no database at all" * 100, None):
        (out / FILE).unlink()
        if spoilt is not None:
            (out / FILE).write_bytes(spoilt)
        assert open_index(out).execute(count).fetchone() == (3,)
    (out / FILE).unlink()
    (out / FILE).mkdir()  # a place that SQLite cannot write to
    assert open_index(out).execute(count).fetchone() == (3,)
    (out / FILE).rmdir()


def test_init_writes_the_example(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    assert Ran("batch", "init", path).code == 0
    assert path.read_text() == EXAMPLE
    again = Ran("batch", "init", path)
    assert again.code == 2
    assert "already exists (use --force)" in again.err
    assert Ran("batch", "init", "-").out == EXAMPLE


def test_help_is_that_of_a_run() -> None:
    for words in (("batch",), ("batch", "--help")):
        shown = Ran(*words)
        assert shown.code == 0
        assert all(option in shown.out for option in ("--job", "--cluster", "--shard", "status"))
    assert "--picture" in Ran("batch", "status", "--help").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("src", "out"), "a job is needed"),
        (("src", "out", "--resume"), "no run to go on with"),
        (("gone", "out", "--job", "job.toml"), 'no folder "gone"'),
        (("src", "src", "--job", "job.toml"), "must be another folder"),
        (("src", "out", "--job", "gone.toml"), "gone.toml: there is no such file"),
        (("src", "out", "--job", "wrong.toml"), "wrong.toml line 2: do: there is no step"),
        (("src", "out", "--job", "job.toml", "--shard", "3/2"), "expected I/N"),
        (("src", "out", "--job", "job.toml", "--shard", "x"), "expected I/N"),
        (
            ("src", "out", "--job", "job.toml", "--cluster", "local:1", "--workers", "1"),
            "in place of",
        ),
        (("status", "src"), "src: there is no run here"),
        (("src", "out", "--job", "none.toml", "--dry-run"), "there are no clips that match *.amc"),
    ],
)
def test_wrong_use_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_clips(tmp_path / "src", "one.bvh")
    (tmp_path / "job.toml").write_text(JOB_TEXT)
    (tmp_path / "none.toml").write_text('clips = ["*.amc"]\n' + JOB_TEXT)
    (tmp_path / "wrong.toml").write_text('[[steps]]\ndo = "dance"\n')
    ran = Ran("batch", *words)
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_shards_do_what_one_process_does_alone(tmp_path: Path) -> None:
    """With a step that needs its figure: that of a file with a mesh goes to the workers."""
    onto = limbik.load(leg().save(tmp_path))
    src = tmp_path / "src"
    src.mkdir()
    for k in range(2):
        swing = [onto.rest + 0.01 * k * t for t in range(5)]
        limbik.save(limbik.Motion(onto, swing, 30), src / f"{k}.glb")
    job = read_job(
        {
            "steps": [{"do": "track", "effectors": ["foot"], "onto": onto}],
            "outputs": {"formats": ["glb"]},
        }
    )
    assert [batch(src, tmp_path / "parts", job, shard=(k, 2)).done for k in (1, 2)] == [1, 1]
    here = tmp_path / "here"
    folders = JobFolders(src, here, RunFolder(here).new_drafts("run", alone=True))
    for name in ("0.glb", "1.glb"):
        assert do_clip(job, folders, name).ok
    assert outputs(tmp_path / "parts") == outputs(here)


def test_an_interrupt_in_python_has_the_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    src = write_clips(tmp_path / "src", "one.bvh")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Slot, "do", lambda *_: Outcome("one.bvh", True))
    with pytest.raises(BatchInterrupt, match="--resume") as stopped:
        batch(src, tmp_path / "out", JOB, progress=lambda news: hasattr(news, "ok") and stop())
    assert stopped.value.summary.done == 1


def test_the_bar_shows_rate_time_left_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=120, color_system=None)
    monkeypatch.setattr(batch_progress, "notes", terminal)
    todo = [Clip(f"{k}.bvh", 100, "new") for k in range(4)]
    with batch_progress.batch_bar(hidden=False) as bar:
        bar.take(Plan(4, 4, todo, []))
        for k in range(3):
            bar.take(Outcome(f"{k}.bvh", k != 1))
    shown = screen.getvalue()
    assert "3/4, 1 failed" in shown
    assert " clips/s " in shown
    assert "left" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_a_queue_that_ends_a_run_is_heard_as_ctrl_c() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), command._ended_by_signals():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before

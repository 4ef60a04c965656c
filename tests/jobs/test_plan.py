"""What is left to do, the locks on OUT, and clips that are put in their folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import limbik
from helpers.batch_runs import JOB, drafts, outputs, write_clips
from limbik.errors import LimbikError
from limbik.jobs.clip import JobFolders, do_clip
from limbik.jobs.companions import companions
from limbik.jobs.folder import RunFolder
from limbik.jobs.job import Job
from limbik.jobs.job_file import read_job
from limbik.jobs.lock import BusyError, RunLock
from limbik.jobs.plan import Shard, make_plan
from limbik.jobs.sidecar import input_of, read_sidecar, same_input

CLIPS = ("a/one.bvh", "a/two.bvh", "three.bvh")


@pytest.fixture
def folders(tmp_path: Path) -> JobFolders:
    src = write_clips(tmp_path / "src", *CLIPS)
    drafts = RunFolder(tmp_path / "out").new_drafts("run", alone=True)
    return JobFolders(src, tmp_path / "out", drafts)


def job(**changes: object) -> Job:
    return read_job({**JOB, **changes})


def todo(folders: JobFolders, found: Job, shard: Shard | None = None) -> dict[str, str]:
    return {
        clip.source: clip.why for clip in make_plan(folders.src, folders.out, found, shard).todo
    }


def do_all(folders: JobFolders, found: Job) -> None:
    for source in todo(folders, found):
        done = do_clip(found, folders, source)
        assert done.ok, done.sentence


def test_only_what_is_missing_or_changed_is_done(folders: JobFolders) -> None:
    assert todo(folders, job()) == dict.fromkeys(CLIPS, "new")
    do_all(folders, job())
    assert todo(folders, job()) == {}
    clip = folders.src / "three.bvh"
    os.utime(clip, ns=(1, 1))
    assert todo(folders, job()) == {}  # another time, the same bytes
    clip.write_bytes(clip.read_bytes().replace(b"0.033333", b"0.033334"))
    assert todo(folders, job()) == {"three.bvh": "the clip changed"}
    (folders.out / "a" / "one.csv").unlink()
    (folders.out / "a" / "two.bvh").write_bytes(b"cut short")
    assert todo(folders, job()) == {
        "a/one.bvh": "an output is missing",
        "a/two.bvh": "an output is missing",
        "three.bvh": "the clip changed",
    }
    assert set(todo(folders, job(outputs={"formats": ["npz"]})).values()) == {"the job changed"}
    (folders.out / "a" / "one.batch.json").write_bytes(b'{"limbik_batch": 1, "sou')
    assert todo(folders, job())["a/one.bvh"] == "new"


def test_outputs_of_an_older_job_go_with_it(folders: JobFolders) -> None:
    do_all(folders, job())
    tables = job(outputs={"formats": ["csv"]})
    do_all(folders, tables)
    names = {path.name for path in (folders.out / "a").iterdir()}
    assert names == {"one.csv", "one.batch.json", "two.csv", "two.batch.json"}
    (folders.src / "three.bvh").write_text("nonsense")
    assert not do_clip(tables, folders, "three.bvh").ok
    assert not (folders.out / "three.csv").exists()  # it was of another clip
    assert todo(folders, tables) == {"three.bvh": "failed before"}


def test_shards_share_the_clips_out(folders: JobFolders) -> None:
    parts = [todo(folders, job(), Shard(k, 2)) for k in (1, 2)]
    assert sorted([*parts[0], *parts[1]]) == sorted(CLIPS)
    assert {len(part) for part in parts} == {1, 2}


def test_patterns_choose_clips_and_outputs_are_no_clips(folders: JobFolders) -> None:
    assert set(todo(folders, job(clips=["a/*"], skip=["*two*"]))) == {"a/one.bvh"}
    (folders.src / "notes.txt").write_text("no clip")
    (folders.src / "empty").mkdir()
    inside = JobFolders(folders.src, folders.src / "out", folders.drafts)
    inside.out.mkdir()
    (inside.out / "one.bvh").write_text("an output")
    assert set(todo(inside, job())) == set(CLIPS)


def test_clips_that_would_have_the_same_outputs_are_refused(folders: JobFolders) -> None:
    metres = limbik.load_motion(folders.src / "three.bvh", from_unit="m")
    limbik.save(metres, folders.src / "three.glb")
    with pytest.raises(LimbikError, match=r'"three.bvh" and "three.glb" would have the same'):
        todo(folders, job())
    kept = job(outputs={"formats": ["bvh"], "keep_ending": True})
    assert {"three.bvh", "three.glb"} <= set(todo(folders, kept))
    do_all(folders, kept)
    assert (folders.out / "three.glb.bvh").exists()


def test_what_belongs_to_a_clip_counts_as_the_clip(tmp_path: Path) -> None:
    limbik.save(limbik.figures.cartwheel()[:2], tmp_path / "walk.amc")
    clip = tmp_path / "walk.amc"
    assert companions(clip) == [tmp_path / "walk.asf"]
    found = input_of(clip)
    assert same_input(clip, found)
    skeleton = (tmp_path / "walk.asf").read_bytes()
    (tmp_path / "walk.asf").write_bytes(skeleton.replace(b"length", b"Length", 1))
    assert not same_input(clip, found)
    (tmp_path / "clip.bin").write_bytes(b"1234")
    uris = [{"uri": "clip.bin"}, {"uri": "data:,x"}, {"uri": "gone.bin"}, {}]
    (tmp_path / "clip.gltf").write_text(json.dumps({"buffers": uris}))
    assert companions(tmp_path / "clip.gltf") == [tmp_path / "clip.bin"]


def test_a_run_that_was_superseded_places_nothing(folders: JobFolders) -> None:
    do_all(folders, job())
    before = outputs(folders.out)
    folder = RunFolder(folders.out)
    folder.new_drafts("run", alone=True)  # another run begins
    (folders.src / "three.bvh").write_text("nonsense")
    found = do_clip(job(), folders, "three.bvh")
    assert found.superseded
    assert do_clip(job(), folders, "a/one.bvh").superseded
    assert outputs(folders.out) == before


def test_a_record_says_how_it_went(folders: JobFolders) -> None:
    done = do_clip(job(), folders, "three.bvh")
    record = read_sidecar(folders.out / "three.batch.json")
    assert record is not None
    assert (record.source, record.job, record.version) == (
        "three.bvh",
        job().digest,
        limbik.__version__,
    )
    assert record.done
    assert record.frames == done.frames == 7
    assert [output.file for output in record.outputs] == ["three.bvh", "three.csv"]
    assert {"read", "convert", "check", "write", "total"} <= set(record.timings)
    assert record.quality["jumps"] == 0
    assert not drafts(folders.out)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("run", "run", False),
        ("run", "shard-1-of-2", False),
        ("shard-1-of-2", "run", False),
        ("shard-1-of-2", "shard-1-of-2", False),
        ("shard-1-of-2", "shard-2-of-3", False),
        ("shard-1-of-2", "shard-2-of-2", True),
    ],
)
def test_locks(tmp_path: Path, first: str, second: str, both: bool) -> None:
    folder = tmp_path / ".limbik" / "locks"
    with RunLock(folder, first) as lock:
        assert lock.held
        if both:
            with RunLock(folder, second):
                pass
        else:
            with pytest.raises(BusyError, match=f"process {os.getpid()}"), RunLock(folder, second):
                pass
    with RunLock(folder, second):
        pass

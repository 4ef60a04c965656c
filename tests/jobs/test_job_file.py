"""Job files: what is read from them, and what is refused, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import limbik
from helpers.gltf_samples import leg
from limbik.errors import FormatError
from limbik.jobs.clip import JobFolders
from limbik.jobs.engines.order import EngineError, give_order
from limbik.jobs.job_file import EXAMPLE, parse_job, read_job
from limbik.jobs.section import line_of
from limbik.jobs.steps import STEPS, Check, Clean, Convert, Retarget, Track, Work

TRACK = '[[steps]]\ndo = "track"\neffectors = ["Tip"]\n'


def test_the_example_is_a_job() -> None:
    job = parse_job(EXAMPLE, Path("job.toml"))
    assert [step.kind for step in job.steps] == ["track", "check"]
    assert job.formats == (".bvh",)
    assert (job.time_limit, job.memory_limit) == (600.0, 4 * 10**9)
    assert ".bvh" in job.endings()
    assert ".csv" not in job.endings()  # without a figure it has none


def test_every_setting_of_the_example_is_one() -> None:
    """With the notes' # taken away, what they offer is understood."""
    lines = [
        line.removeprefix("# ") if " = " in line or "[[" in line else line
        for line in EXAMPLE.splitlines()
        if "hero.vrm" not in line and "skeleton.asf" not in line and "lHand" not in line
        and not line.startswith(("# A job", "# By default", "# Tables", "# Which"))
    ]  # fmt: skip
    job = parse_job("\n".join(lines), Path("job.toml"))
    kinds = ["track", "check", "retarget", "clean", "convert"]
    assert [step.kind for step in job.steps] == kinds
    assert sorted(kinds) == sorted(STEPS)  # it shows every kind of step there is
    assert job.steps[1] == Check({"jumps": 0.0, "violation": 0.0, "error_max": 0.05})
    assert job.steps[3] == Clean(0.1, True)
    assert job.steps[4] == Convert("m", "y", "cm", "z", 30.0)
    assert (job.clips, job.skip, job.clip) == (("*.bvh",), ("calibration/*",), "Run")
    assert job.keep_ending


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("x = [1,\n2", 2, "is not TOML: unclosed array"),
        ("a = 1\na = 2", 2, "is not TOML: cannot overwrite a value"),
        ("# note\n\nclip = 3", 3, "clip: needs text in quotes, got 3"),
        ("clips = [\n  3,\n]", 1, "clips: needs a list of texts"),
        ('colour = "red"\n' + TRACK, 1, "colour: is not known here"),
        ("step = 1\n" + TRACK, 1, r'step: is not known here \(did you mean "steps"\?\)'),
        ('[[steps]]\ndo = "trak"', 2, r'no step "trak" .*\(did you mean "track"\?\)'),
        ('[[steps]]\ndo = "retarget"', 1, "a retarget step needs onto"),
        ('[[steps]]\ndo = "clean"', 1, "a clean step needs smooth"),
        ('[[steps]]\ndo = "retarget"\nonto = "human"\nscale = "x"', 4, 'scale: "x" is none of'),
        ("[[steps]]\n\nevery = 1", 1, "a step needs do"),
        (TRACK + '[[steps]]\n# do\ndo = "track"', 4, "needs effectors"),
        (TRACK + "every = 0", 4, "every: needs a number above 0"),
        (TRACK + "restarts = 1.5", 4, "restarts: needs a whole number"),
        (TRACK + 'method = "lm"', 4, 'method: "lm" is none of'),
        (TRACK + 'limits = "clib+3"', 4, 'limits: "clib.3": expected clip'),
        (TRACK + 'onto = "humann"', 4, r'onto: .*did you mean "human"\?'),
        (TRACK + 'onto = "gone.bvh"', 4, "onto: gone.bvh: there is no such file"),
        (TRACK + 'onto = "human"', 3, 'effectors: no joint "Tip"'),
        (TRACK + 'onto = "chain"\nlimits = "clip+3"', 5, "takes limits from a clip"),
        ('[[steps]]\ndo = "check"\nat_most = { jumbs = 1 }', 3, "jumbs: is not known here"),
        ('[[steps]]\ndo = "check"\n[steps.at_most]\njumps = -1', 4, "at least 0"),
        ('[[steps]]\ndo = "convert"\nup = "x"', 3, 'up: "x" is none of y, z'),
        ('[outputs]\nformats = ["bhv"]', 2, r'does not write "bhv" .*mean "bvh"'),
        ('[outputs]\nformats = "amc"\nprecision = -1', 3, "precision: needs a whole number"),
        (TRACK + '[limits]\nmemory = "4 G"', 5, 'memory: needs a size such as "4 GB"'),
        ('reports = ["pdf"]\n' + TRACK, 1, 'reports: "pdf" is none of csv, json, png'),
        ("", None, "does nothing"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(text: str, line: int | None, said: str) -> None:
    with pytest.raises(FormatError, match=said) as refused:
        parse_job(text, Path("job.toml"))
    assert refused.value.line == line
    assert str(refused.value).startswith("job.toml" if line is None else f"job.toml line {line}: ")


def test_a_picture_without_matplotlib_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limbik.jobs.job, "find_spec", lambda name: None)
    with pytest.raises(FormatError, match=r"line 1: reports: a png needs matplotlib"):
        parse_job('reports = "png"\n' + TRACK, Path("job.toml"))


def test_a_value_of_several_lines_is_found_where_it_begins() -> None:
    text = 'a = 1\n\n# note\nb = [\n  """\n[[c]]\n""",\n]\n[[c]]\nd = 1\n[[c]]\nd = 2\n'
    assert line_of(text, ["b"]) == 4
    assert line_of(text, ["c", 1, "d"]) == 12
    assert line_of(text, ["e"]) is None


def test_the_digest_changes_with_what_outputs_depend_on_alone(tmp_path: Path) -> None:
    plain = {"steps": [{"do": "convert", "fps": 30}], "outputs": {"formats": ["bvh"]}}
    same = {**plain, "limits": {"time": 3, "memory": "1 GB"}, "reports": ["csv"], "clips": ["a*"]}
    other = {**plain, "steps": [{"do": "convert", "fps": 31}]}
    assert read_job(plain).digest == read_job(same).digest
    assert read_job(plain).digest != read_job(other).digest
    limbik.save(limbik.figures.chain([1, 1]), tmp_path / "figure.bvh")
    (tmp_path / "job.toml").write_text(TRACK.replace('"Tip"', '"Joint2"') + 'onto = "figure.bvh"')
    first = read_job(tmp_path / "job.toml").digest
    assert read_job(tmp_path / "job.toml").digest == first
    limbik.save(limbik.figures.chain([1, 2]), tmp_path / "figure.bvh")
    assert read_job(tmp_path / "job.toml").digest != first


def test_figures_of_python_have_digests_by_value() -> None:
    def job(length: float) -> str:
        onto = limbik.figures.chain([1, length])
        return read_job({"steps": [{"do": "track", "effectors": ["Tip"], "onto": onto}]}).digest

    assert job(1.0) == job(1.0)
    assert job(1.0) != job(1.5)


@pytest.mark.parametrize("ending", [".glb", ".vrm"])
def test_a_figure_of_a_file_with_a_mesh_travels_to_workers(tmp_path: Path, ending: str) -> None:
    file = leg().save(tmp_path, f"leg{ending}")
    figure = limbik.load(file)
    (tmp_path / "job.toml").write_text(
        f'[[steps]]\ndo = "track"\nonto = "leg{ending}"\neffectors = ["foot"]\n'
        '[outputs]\nformats = ["glb"]\n'
    )
    job = read_job(tmp_path / "job.toml")
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    order = give_order(job, JobFolders(tmp_path, tmp_path, drafts))
    file.unlink()  # workers may have no such file
    there = order.job()
    assert there.digest == job.digest
    clip = limbik.Motion(figure, [figure.rest] * 3, 30)
    works = [Work(clip), Work(clip)]
    for found, work in zip((job, there), works, strict=True):
        found.steps[0].run(work)
        limbik.save(work.motion, tmp_path / f"{id(work)}.glb")
    one, other = ((tmp_path / f"{id(work)}.glb").read_bytes() for work in works)
    assert one == other
    assert b"JOINTS_0" in one  # the mesh went along
    assert works[1].quality["unreached"] == 0


def test_workers_take_no_other_file_for_the_job(tmp_path: Path) -> None:
    order = give_order(
        read_job({"steps": [{"do": "check"}]}), JobFolders(tmp_path, tmp_path, tmp_path)
    )
    Path(order.job_file).write_bytes(b"another")
    with pytest.raises(EngineError, match="is not the file that this run wrote"):
        order.job()
    Path(order.job_file).unlink()
    with pytest.raises(EngineError, match="a disk that every worker reaches"):
        order.job()


def test_each_kind_of_step_is_in_the_table_by_its_name() -> None:
    kinds = (Track, Retarget, Clean, Convert, Check)
    assert {name: kind.kind for name, kind in STEPS.items()} == {k.kind: k.kind for k in kinds}
    assert list(STEPS) == ["track", "retarget", "clean", "convert", "check"]

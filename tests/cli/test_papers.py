"""``limbik papers``: what it is told, what it writes, and the real experiments in quick form."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest

import limbik
from helpers import sample_paper
from helpers.command_line import Ran, environment, in_a_shell, rest_of
from helpers.poser.web_page import Page
from helpers.quick_papers import quick_paper
from limbik.papers import catalogue
from limbik.papers.catalogue import PAPERS
from limbik.papers.cells import typeset
from limbik.papers.contract import Chapter, Order, Table, Verdict
from limbik.papers.report import write_report

WRITTEN = ["numbers.json", "report.html", "timings.json"]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[Order]:
    """All papers are the sample; the orders they got are kept here."""
    seen: list[Order] = []

    def run(order: Order) -> list[Chapter]:
        seen.append(order)
        return sample_paper.run(order)

    for name in PAPERS:
        module = types.ModuleType(name)
        module.run = run  # pyright: ignore[reportAttributeAccessIssue]
        monkeypatch.setitem(sys.modules, f"limbik.papers.{name}", module)
    # In this process, where the sample stands in for the papers.
    monkeypatch.setattr(catalogue, "cores", lambda: 1)
    return seen


# ---- what it is told -----------------------------------------------------------------------------


def test_all_papers_in_one_report(orders: list[Order], tmp_path: Path) -> None:
    ran = Ran("papers", "--quick", "--seed", "5", "--out", tmp_path / "new" / "out")
    assert (ran.code, ran.err) == (0, "")
    assert [(o.quick, o.seed, o.clip, o.clip_name) for o in orders] == 4 * [
        (True, 5, None, "built-in cartwheel")
    ]
    assert names_in(tmp_path / "new" / "out") == WRITTEN
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["paper", "holds", "does", "not", "hold", "depends"]
    assert lines[1:5] == [[name, "1", "1", "1"] for name in PAPERS]
    assert lines[5] == ["limbik's", "own", "claims", "4", "0", "0"]
    assert str(tmp_path / "new" / "out" / "report.html") in ran.out


def test_one_paper(orders: list[Order], tmp_path: Path) -> None:
    ran = Ran("papers", "newton_svd", "--out", tmp_path)
    assert ran.code == 0
    assert [o.quick for o in orders] == [False]
    numbers = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    assert list(numbers["papers"]) == ["newton_svd"]


def test_json_of_papers(orders: list[Order], tmp_path: Path) -> None:
    ran = Ran("papers", "newton_svd", "--out", tmp_path, "--json")
    told = json.loads(ran.out)
    (paper,) = told["papers"]
    assert paper["paper"] == "newton_svd"
    assert paper["verdicts"] == {"holds": 1, "does not hold": 1, "depends": 1}
    assert all(Path(file).is_file() for file in told["wrote"])
    assert len(orders) == 1


def test_a_clip(orders: list[Order], tmp_path: Path) -> None:
    file = tmp_path / "wheel.bvh"
    limbik.save(limbik.figures.cartwheel()[:4], file)
    assert Ran("papers", "newton_svd", "--clip", file, "--out", tmp_path).code == 0
    (order,) = orders
    assert order.clip_name == "wheel.bvh"
    assert order.clip is not None
    assert order.clip.frames == 4
    assert "wheel.bvh" in Page((tmp_path / "report.html").read_text(encoding="utf-8")).text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["line-search"], 'there is no paper called "line-search" (did you mean "line_search"?)'),
        (["x"], 'there is no paper called "x" (there are line_search, extended_jacobian, '),
        (["--clip", "missing.bvh"], "missing.bvh: there is no such file"),
        (["--clip", "bones.bvh"], "bones.bvh"),
        (["--clip", "notes.txt"], "notes.txt: .txt is not a format limbik reads"),
        (["--out", "notes.txt"], 'nothing can be written to the folder "notes.txt"'),
        (["newton_svd", "--calibrate"], "--calibrate measures for line_search, not for newton_svd"),
    ],
)
def test_refusals(
    arguments: list[str],
    sentence: str,
    orders: list[Order],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    limbik.save(limbik.figures.chain([1, 2]), tmp_path / "bones.bvh")
    text = (tmp_path / "bones.bvh").read_text().split("MOTION")[0]
    (tmp_path / "bones.bvh").write_text(text)
    (tmp_path / "notes.txt").write_text("")
    ran = Ran("papers", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Error: {sentence}")
    assert len(ran.err.splitlines()) == 1
    assert orders == []
    assert names_in(tmp_path) == ["bones.bvh", "notes.txt"]


def test_without_matplotlib_the_remedy_is_named_before_the_work(
    orders: list[Order], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = Ran("papers", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "pip install limbik[plots]" in ran.err
    assert orders == []
    assert names_in(tmp_path) == []


def test_calibrate_says_what_it_kept(
    orders: list[Order], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Order] = []

    def calibrate(order: Order) -> Chapter:
        told.append(order)
        rows = [["default", 105.25, 142], ["[other]", 3.5, 4285]]
        table = Table("Iterations", ["method", "µs each", "in 15 ms"], rows)
        return Chapter("Caps", "Kept in caps.json.", tables=[table])

    monkeypatch.setattr(sys.modules["limbik.papers.line_search"], "calibrate", calibrate, False)
    monkeypatch.chdir(tmp_path)
    ran = Ran("papers", "--calibrate", "--quick")
    assert (ran.code, ran.err) == (0, "")
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[1:3] == [["default", "105.25", "142"], ["[other]", "3.50", "4", "285"]]
    assert lines[3] == ["Kept", "in", "caps.json."]
    as_json = json.loads(Ran("papers", "line_search", "--calibrate", "--json").out)
    assert as_json["tables"][0]["columns"] == ["method", "µs each", "in 15 ms"]
    assert [o.quick for o in told] == [True, False]
    assert orders == []
    assert names_in(tmp_path) == []


SLOW = """
import sys, time, types
from limbik.cli import main

def run(order):
    for _ in order.steps("walking [far]", range(1000)):
        time.sleep(0.02)
    return []

sys.modules["limbik.papers.newton_svd"] = module = types.ModuleType("newton_svd")
module.run = run
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals and terminals differ there")
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    """In a terminal, where a bar for the paper and one for the experiment are drawn."""
    import pty

    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", SLOW, "papers", "newton_svd", "--out", "a/b"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        cwd=tmp_path,
        env={**environment(), "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    seen = b""
    while re.search(rb"[1-9]\d*/1000", seen) is None:
        seen += os.read(ours, 1000)
    running.send_signal(signal.SIGINT)
    seen += rest_of(ours)
    printed, _ = running.communicate(timeout=120)
    assert (running.returncode, printed) == (130, "")
    assert b"papers" in seen
    assert b"walking [far]" in seen
    assert b"Traceback" not in seen
    assert names_in(tmp_path) == []


# ---- the real experiments ------------------------------------------------------------------------


@pytest.fixture(scope="module", params=PAPERS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the quick report of one paper."""
    return report_of(request.param, tmp_path_factory)


def report_of(name: str, factory: pytest.TempPathFactory) -> Path:
    folder = factory.mktemp(name)
    write_report(folder, [quick_paper(name, factory).paper], Order(quick=True))
    assert names_in(folder) == WRITTEN
    return folder


def chapters_of(report: Path) -> list[dict]:
    (paper,) = json.loads((report / "numbers.json").read_text(encoding="utf-8"))["papers"].values()
    return paper["chapters"]


def claims_of(report: Path) -> list[dict]:
    """The claims of both files."""
    (timed,) = json.loads((report / "timings.json").read_text(encoding="utf-8"))["papers"].values()
    return [
        claim
        for chapter in chapters_of(report) + timed["chapters"]
        for claim in chapter["claims"] + chapter["own claims"]
    ]


def test_a_real_page_is_sound(report: Path) -> None:
    page = Page((report / "report.html").read_text(encoding="utf-8"))
    assert page.wrong == []
    assert len(page.pictures) >= 1
    for chapter in chapters_of(report):
        assert " ".join(typeset(chapter["title"]).replace("`", "").split()) in page.text


def test_real_claims_have_a_verdict_and_stand_in_the_page(report: Path) -> None:
    page = Page((report / "report.html").read_text(encoding="utf-8"))
    claims = claims_of(report)
    assert claims
    for claim in claims:
        assert claim["verdict"] in set(Verdict)
        for words in (claim["says"], claim["seen"], claim["where"]):
            assert words
            # Code is set apart, which puts a space around it here.
            plain = "".join(typeset(words).replace("`", "").split())
            assert plain in "".join(page.text.split())


def test_real_chapters_tell_their_settings_and_numbers(report: Path) -> None:
    chapters = chapters_of(report)
    assert chapters
    for chapter in chapters:
        assert chapter["settings"], chapter["title"]
        assert chapter["numbers"], chapter["title"]


def test_two_runs_give_the_same_numbers(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The command in a process of its own, so that nothing kept in memory can make them agree."""
    done = in_a_shell("papers", "newton_svd", "--quick", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert names_in(tmp_path / "out") == WRITTEN
    here = report_of("newton_svd", tmp_path_factory) / "numbers.json"
    assert (tmp_path / "out" / "numbers.json").read_bytes() == here.read_bytes()


def test_two_processes_give_the_numbers_of_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    both = 2 * [catalogue.PAPERS["newton_svd"]]
    told: list[str] = []
    order = Order(quick=True, progress=lambda what, done, total: told.append(what))
    together = catalogue.reproduce_all(both, order)
    alone = quick_paper("newton_svd", tmp_path_factory).paper
    assert [done.paper.name for done in together] == ["newton_svd", "newton_svd"]
    for done in together:
        assert done.claims == alone.claims
        for here, there in zip(done.chapters, alone.chapters, strict=True):
            assert str(here.numbers) == str(there.numbers)
            assert [p.data for p in here.pictures] == [p.data for p in there.pictures]
    assert len(set(told)) > 2

"""The report: a sound page that needs nothing else, numbers that repeat, files whole or not."""

from __future__ import annotations

import base64
import json
import platform
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers import sample_paper
from helpers.poser.web_page import Page
from limbik.errors import LimbikError
from limbik.papers.catalogue import PAPERS, Reproduced, chosen
from limbik.papers.contract import Chapter, Order, Picture, Verdict
from limbik.papers.machine import cores, machine, processor
from limbik.papers.markup import picture, prose, size_of
from limbik.papers.page import duration_text
from limbik.papers.report import folder_for, write_report

ORDER = Order(seed=3, clip_name="walk <1>.bvh")


def reproduced(order: Order = ORDER, seconds: float = 75.0) -> list[Reproduced]:
    return [
        Reproduced(PAPERS["newton_svd"], sample_paper.run(order), seconds),
        Reproduced(PAPERS["line_search"], sample_paper.run(replace(order, seed=9)), 1.5),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    assert write_report(folder, reproduced(), ORDER) == folder / "report.html"
    return folder


@pytest.fixture(scope="module")
def html(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_page_is_sound_and_needs_nothing_else(html: str) -> None:
    page = Page(html)
    assert page.wrong == []
    outside = {to for to in page.links if not to.startswith("#")}
    assert outside == {"numbers.json", "timings.json"}


def test_the_checks_of_the_page_find_what_is_wrong() -> None:
    page = Page('<h1 id="a"><p></h1><h3 id="a">x</h3><img src="http://x/y.png"><a href="#b">z</a>')
    assert page.wrong == [
        "</h1> closes something else",
        "h3 after h1",
        "img loads http://x/y.png",
        "a picture without words",
        "<h1> is never closed",
        "id a twice",
        "#b leads nowhere",
    ]


def test_every_claim_is_there_twice_with_its_verdict(html: str) -> None:
    page = Page(html)
    own = [claim for paper in reproduced() for claim in paper.own_claims]
    claims = [claim for paper in reproduced() for claim in paper.claims] + own
    assert (len(claims), len(own)) == (8, 2)
    for claim in claims:
        assert claim.says in page.text
        assert claim.seen in page.text
    shown = [badge for badge in page.badges if badge in set(Verdict)]
    assert sorted(shown) == sorted(2 * [claim.verdict.value for claim in claims])
    # The papers' claims are counted without limbik's own, which have their own count.
    assert page.badges[:4] == ["2 hold", "2 do not hold", "2 depend", "2 hold"]
    assert page.badges[4:7] == ["1 holds", "1 does not hold", "1 depends"]


def test_limbiks_own_claims_stand_apart(html: str, folder: Path) -> None:
    assert "about 6 claims" in html
    assert "2 claims are limbik's own" in html
    overview = html[html.index('<section class="overview"') : html.index('<section class="paper"')]
    groups = re.findall(r'class="group"[^>]*>([^<]*)</th>', overview)
    assert groups[-1] == "limbik&#x27;s own claims"
    assert len(groups) == 3
    theirs, ours = overview.split(groups[-1])
    assert "limbik walks, too." in ours
    assert "limbik walks, too." not in theirs
    assert "There is something." not in ours
    # In the chapter, too, they have a table of their own, and links from the overview lead there.
    assert html.count("columnheader\">limbik's own claim</th>") == 2
    numbers = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
    second = numbers["papers"]["newton_svd"]["chapters"][1]
    assert [claim["says"] for claim in second["claims"]] == ["There is something."]
    assert [claim["says"] for claim in second["own claims"]] == ["limbik walks, too."]


def test_what_people_typed_stays_text(html: str) -> None:
    assert "A walk & its <end>" in Page(html).text
    assert "walk <1>.bvh" in Page(html).text
    assert "<end>" not in html


def test_pictures_are_inside_whole(html: str) -> None:
    drawn = [p for paper in reproduced() for chapter in paper.chapters for p in chapter.pictures]
    inside = [src.split(",", 1) for src in Page(html).pictures]
    assert [base64.b64decode(data) for _, data in inside] == [p.data for p in drawn]
    assert [kind for kind, _ in inside] == 2 * [
        "data:image/svg+xml;base64",
        "data:image/png;base64",
    ]


def test_pictures_are_as_large_in_either_kind() -> None:
    drawn = sample_paper.run(ORDER)[0].pictures
    assert [p.kind for p in drawn] == ["svg", "png"]
    for p in drawn:
        assert size_of(p) == pytest.approx((7 * 96, 3.2 * 96), abs=1.0)
    bare = Picture("Title", "", b"<svg viewBox='0 0 1 1'></svg>", "svg")
    assert size_of(bare) == (0.0, 0.0)
    assert "width=" not in picture(bare)


def test_a_table_lines_its_numbers_up(html: str) -> None:
    (table,) = re.findall(r"<table><caption>Where it was</caption>.*?</table>", html, re.S)[:1]
    assert table.count('<td class="number">') == 9  # place, error and share of three rows
    assert "1.25×10⁻⁹" in table
    assert "NaN" in table
    assert '<th scope="row" class="name">the first</th>' in table


def test_settings_and_times_are_told_exactly(html: str) -> None:
    folded = re.search(r"<details>.*?</details>", html, re.S)
    assert folded is not None
    assert ">scale · sigma</th><td>1.0</td>" in folded[0]
    assert ">seconds</th><td>0.003</td>" in folded[0]


def contrast(one: str, other: str) -> float:
    """The ratio of relative luminances, as the Web Content Accessibility Guidelines define it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_letters_stand_out_by_day_by_night_and_in_print(html: str) -> None:
    schemes = [dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in
               re.findall(r":root \{(.*?)\}", html, re.S)]  # fmt: skip
    assert len(schemes) == 3
    for colours in schemes:
        pairs = [("ink", "paper"), ("quiet", "paper"), ("quiet", "raised"), ("link", "raised")]
        pairs += [(name, f"{name}-back") for name in ("holds", "fails", "depends")]
        for front, back in pairs:
            assert contrast(colours[front], colours[back]) > 4.5, (front, back, colours)


def test_prose() -> None:
    assert prose("One\nline & `a<b`.\n\n \nTwo.") == (
        '<div class="prose"><p>One line &amp; <code>a&lt;b</code>.</p><p>Two.</p></div>'
    )
    assert prose("- one\n  more\n- two") == (
        '<div class="prose"><ul><li>one more</li><li>two</li></ul></div>'
    )
    assert prose("`1e-3` is 1e-3, `so") == (
        '<div class="prose"><p><code>1e-3</code> is 10⁻³, `so</p></div>'
    )
    assert prose(" ") == ""


def test_a_chapter_may_be_bare(tmp_path: Path) -> None:
    done = [Reproduced(PAPERS["newton_svd"], [Chapter("Bare", "")], 0.1)]
    page = Page(write_report(tmp_path, done, Order()).read_text(encoding="utf-8"))
    assert page.wrong == []
    assert page.badges == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


# ---- numbers -------------------------------------------------------------------------------------


def test_the_numbers(folder: Path) -> None:
    numbers = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
    order = {"quick": False, "seed": 3, "clip": "walk <1>.bvh", "rigs": []}
    assert numbers["order"] == order
    first = numbers["papers"]["newton_svd"]["chapters"][0]
    walk = np.cumsum(np.random.default_rng(3).normal(size=40))
    assert np.array_equal(first["numbers"]["walk"], walk)
    assert first["numbers"]["lost"] == ["NaN", "Infinity", "-Infinity"]
    assert first["settings"]["scale"] == {"mean": 0.0, "sigma": 1.0}
    assert [claim["verdict"] for claim in first["claims"]] == ["holds"]


def test_what_was_measured_in_time_stands_apart(folder: Path) -> None:
    timings = json.loads((folder / "timings.json").read_text(encoding="utf-8"))
    assert timings["machine"] == machine()
    assert timings["papers"]["newton_svd"]["seconds"] == 75.0
    first = timings["papers"]["newton_svd"]["chapters"][0]
    assert first["timings"] == {"seconds": 0.003}
    assert [claim["says"] for claim in first["claims"]] == ["A step takes no time."]


def test_numbers_do_not_depend_on_times(folder: Path, tmp_path: Path) -> None:
    write_report(tmp_path, reproduced(seconds=1e3), ORDER)
    for name, same in (("numbers.json", True), ("timings.json", False), ("report.html", False)):
        assert ((tmp_path / name).read_bytes() == (folder / name).read_bytes()) is same, name


def test_a_mistake_leaves_the_last_report(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    broken = [Reproduced(PAPERS["newton_svd"], [Chapter("Odd", "", timings={"a": {1}})], 0.1)]
    with pytest.raises(TypeError, match="Odd: timings, a: set"):
        write_report(folder, broken, Order())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# ---- the folder, the machine, the names ----------------------------------------------------------


def interrupted(folder: Path, *, leaving: Path | None = None) -> None:
    with folder_for(folder) as made:
        assert made.is_dir()
        if leaving is not None:
            leaving.write_text("")
        raise KeyboardInterrupt


def test_a_new_folder_goes_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_stays(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "a" / "b", leaving=tmp_path / "a" / "kept")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["kept"]


@pytest.mark.parametrize("where", ["file", "file/below"])
def test_a_folder_that_cannot_be(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(LimbikError, match=f'to the folder ".*{where}"'),
        folder_for(tmp_path / where),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_machine_has_no_name() -> None:
    told = machine()
    assert told["Python"] == platform.python_version()
    assert told["cores"] == cores() >= 1
    assert platform.node() not in {str(value) for value in told.values()}


def test_the_processor(tmp_path: Path) -> None:
    described = tmp_path / "cpuinfo"
    described.write_text("processor\t: 0\nmodel name\t: Fast: 3000\nmodel name\t: Other\n")
    assert processor(described) == "Fast: 3000"
    described.write_text("processor\t: 0\n")
    assert processor(described) == processor(tmp_path / "missing") != ""


def test_names() -> None:
    assert [paper.name for paper in chosen(None)] == list(PAPERS)
    assert chosen("newton_svd") == [PAPERS["newton_svd"]]
    with pytest.raises(LimbikError, match='did you mean "dual_quaternion"'):
        chosen("dual_quaternions")
    with pytest.raises(LimbikError, match="there are line_search, extended_jacobian"):
        chosen("x")

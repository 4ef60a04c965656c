"""docs/papers.md and docs/how-to-choose.md: all equations, and only functions and tests there are.

The texts themselves are not part of the project, so the equations they number stand here.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from limbik.methods import METHODS

PROJECT = Path(__file__).resolve().parent.parent
PAPERS = (PROJECT / "docs" / "papers.md").read_text(encoding="utf-8")
CHOICE = (PROJECT / "docs" / "how-to-choose.md").read_text(encoding="utf-8")
EQUATIONS = {
    "line_search": {str(k) for k in range(1, 41)} | {f"A.{k}" for k in range(1, 23)},
    "extended_jacobian": {str(k) for k in range(1, 11)},
    "dual_quaternion": {str(k) for k in range(1, 48)},
    "newton_svd": {str(k) for k in range(1, 10)},
}
FIGURES = {"line_search": 12, "extended_jacobian": 6, "dual_quaternion": 8, "newton_svd": 4}
"""How many figures each text has, line_search as printed."""
ELSEWHERE = ("section ", "Algorithm ", "Figure ")
NUMBER = re.compile(r"(A\.)?(\d+)[abc]?(?:–(A\.)?(\d+)[abc]?)?")


def table(chapter: str) -> list[list[str]]:
    """The rows of the table under a heading of docs/papers.md."""
    text = PAPERS.split(f"\n## {chapter}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    assert {len(row) for row in rows} == {3}
    return rows


def numbers(cell: str) -> set[str]:
    """ "4–9, 14, A.1–A.3": each number; what is not an equation must say what it is."""
    found: set[str] = set()
    for item in cell.split(", "):
        match = NUMBER.fullmatch(item)
        if match is None:
            assert item.startswith(ELSEWHERE), item
            continue
        appendix, first, last_appendix, last = match.groups()
        assert last is None or appendix == last_appendix, item
        span = range(int(first), int(last or first) + 1)
        assert len(span) > 0, item
        found |= {f"{appendix or ''}{k}" for k in span}
    return found


def resolve(path: str) -> Any:
    """What limbik has under a dotted name."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(["limbik", *parts[:count]]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            thing = getattr(thing, name)
        return thing
    raise AttributeError(f"limbik has no {path}")


def names(cell: str) -> list[str]:
    """The dotted names in a cell, with the settings they mention."""
    return [name for name in re.findall(r"`([^`]+)`", cell) if not name.startswith('"')]


def test_numbers_of_a_cell() -> None:
    assert numbers("4–6, 14, 19a, A.2–A.3, section 3") == {"4", "5", "6", "14", "19", "A.2", "A.3"}
    with pytest.raises(AssertionError):
        numbers("somewhere")


@pytest.mark.parametrize("paper", EQUATIONS)
def test_every_equation_has_its_row(paper: str) -> None:
    found: set[str] = set()
    for cell, _, _ in table(paper):
        found |= numbers(cell)
    assert found == EQUATIONS[paper]


@pytest.mark.parametrize("paper", EQUATIONS)
def test_every_row_names_functions_that_exist_or_says_why_none_does(paper: str) -> None:
    for equations, _, where in table(paper):
        if where.startswith("none"):
            assert len(where.split()) > 4, f"{equations}: no reason"
        else:
            assert names(where), equations
        for name in names(where):
            path, _, settings = name.partition("(")
            thing = resolve(path)
            for setting in re.findall(r"(\w+)=", settings):
                assert setting in inspect.signature(thing).parameters, name


def test_every_figure_has_its_experiment_or_says_why_none() -> None:
    found: dict[str, list[int]] = {paper: [] for paper in FIGURES}
    for cell, what, where in table("Figures"):
        _, paper, listed = cell.split("`")
        found[paper] += [int(number) for number in listed.split(",")]
        assert what
        assert names(where), cell
        for name in names(where):
            resolve(name)
        if where.startswith("none"):
            assert len(where.split()) > 4, cell
    assert {paper: sorted(numbers) for paper, numbers in found.items()} == {
        paper: list(range(1, count + 1)) for paper, count in FIGURES.items()
    }


def test_what_verdicts_rest_on_exists() -> None:
    text = PAPERS.split("## What a verdict rests on")[1].split("\n## ")[0]
    for name in names(text):
        if "." in name:
            path, _, settings = name.partition("(")
            thing = resolve(path)
            for setting in re.findall(r"(\w+)=", settings):
                assert setting in inspect.signature(thing).parameters, name


def test_misprints_have_their_tests() -> None:
    written = {
        name
        for file in (PROJECT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    for where, what, cell in table("Misprints"):
        assert where.split("`")[1] in EQUATIONS, where
        assert what
        assert names(cell), where
        for name in names(cell):
            pattern = re.compile(name.replace("*", r"\w+"))
            assert any(pattern.fullmatch(one) for one in written), name


def test_names_outside_tables_exist() -> None:
    text = PAPERS.split("## What limbik adds to them")[1].split("## Misprints")[0]
    found = names(text)
    assert found
    for name in found:
        resolve(name)


def test_every_method_has_its_paragraph_and_its_rows() -> None:
    described = re.findall(r"^\*\*`(\w+)`\*\*", CHOICE, re.MULTILINE)
    assert sorted(described) == sorted(METHODS)
    for name in METHODS:
        assert CHOICE.count(f"\n| `{name}` |") >= 3, f"{name}: no figures"


def test_settings_that_are_recommended_exist() -> None:
    for name, settings in re.findall(r"`limbik\.methods\[\"(\w+)\"\]\(([^`]*)\)`", CHOICE):
        for setting in re.findall(r"(\w+)=", settings):
            assert setting in inspect.signature(METHODS[name]).parameters, f"{name} {setting}"


@pytest.mark.parametrize("page", ["papers.md", "how-to-choose.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)  # code has brackets of its own
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("https://"):
            assert (PROJECT / "docs" / target).exists(), target


def test_the_readme_leads_here_and_counts_right() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert "(docs/papers.md)" in readme
    assert "(docs/how-to-choose.md)" in readme
    assert f"one of {len(METHODS)} methods" in readme

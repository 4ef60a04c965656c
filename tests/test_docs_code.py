"""The programs in the documentation run, with real files where there are some and without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import real_data

DOCS = Path(__file__).resolve().parent.parent / "docs"
FILES = {
    "ur5_robot.urdf": "robots/erd_ur5_robot.urdf",
    "avatar.vrm": "vrm/sat06_basic_armature_vrm1.vrm",
    "walk.bvh": "cmu_bvh/02_01.bvh",
}
"""Names that recipes give to files of the reader, and what stands in for them."""
PAGES_WITH_FILES = {
    "limits.md": ["walk.bvh"],
    "from-your-file.md": ["ur5_robot.urdf", "walk.bvh"],
}


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


COOKBOOK = (DOCS / "cookbook.md").read_text(encoding="utf-8")
RECIPES = {
    part.splitlines()[0]: blocks(part) for part in re.split(r"^### ", COOKBOOK, flags=re.M)[1:]
}
WITH_FILES = [
    (title, name) for title, (code,) in RECIPES.items() for name in FILES if f'"{name}"' in code
]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path / "state"))


def run(code: str, where: str, names: dict[str, object] | None = None) -> None:
    exec(compile(code, where, "exec"), {"__name__": "__main__"} if names is None else names)


def test_each_recipe_is_one_program_that_checks_itself() -> None:
    assert len(RECIPES) == COOKBOOK.count("```python")
    for title, found in RECIPES.items():
        assert len(found) == 1, title
        assert "\nassert " in found[0] or "\n    assert " in found[0], title


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_without_files(title: str) -> None:
    run(RECIPES[title][0], f"cookbook.md: {title}")


@pytest.mark.parametrize(("title", "name"), WITH_FILES)
def test_a_recipe_runs_with_a_real_file(title: str, name: str) -> None:
    Path(name).write_bytes(real_data.find(FILES[name]).read_bytes())
    run(RECIPES[title][0], f"cookbook.md: {title}")


def test_every_file_of_the_list_is_in_a_recipe() -> None:
    assert {name for _, name in WITH_FILES} == set(FILES)


@pytest.mark.parametrize(
    "page",
    [
        "index.md",
        "from-your-file.md",
        "concepts.md",
        "limits.md",
        "bodies.md",
        "live.md",
        "motion.md",
    ],
)
def test_a_page_runs_from_top_to_bottom(page: str) -> None:
    for name in PAGES_WITH_FILES.get(page, ()):
        Path(name).write_bytes(real_data.find(FILES[name]).read_bytes())
    found = blocks((DOCS / page).read_text(encoding="utf-8"))
    assert found
    names: dict[str, object] = {}
    for code in found:
        run(code, page, names)

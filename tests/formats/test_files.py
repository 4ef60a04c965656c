"""Files are written whole: what was there hands on its permissions, or stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import limbik

HUMAN = limbik.figures.human()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private.bvh"
    path.write_text("old")
    path.chmod(0o600)
    limbik.save(HUMAN, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert limbik.load(path).joints == HUMAN.joints


@pytest.mark.parametrize("ending", ["bvh", "glb", "asf", "amc", "csv", "npz"])
def test_a_read_only_file_stays(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"kept.{ending}"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(
        limbik.FormatError, match=rf"kept\.{ending}: cannot be written: it is read-only"
    ):
        limbik.save(HUMAN, path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]

"""Files are written whole: what was there hands on its permissions, or stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

import limbik
from limbik.formats import FORMATS, files
from limbik.formats.files import write_whole

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


# ---- whole or not at all -------------------------------------------------------------------------


def test_the_file_that_was_there_is_whole_until_the_new_one_is(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")

    def fill(file: BinaryIO) -> None:
        for _ in range(3):
            file.write(bytes(1 << 20))
            file.flush()
            assert path.read_bytes() == b"old"

    with path.open("rb") as reader:
        write_whole(path, fill)
        assert reader.read() == b"old"  # whoever reads it still reads all of it
    assert path.read_bytes() == bytes(3 << 20)
    assert [file.name for file in tmp_path.iterdir()] == ["out.bin"]


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_half_way_leaves_what_was_there(
    tmp_path: Path, fault: BaseException
) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")

    def fill(file: BinaryIO) -> None:
        file.write(b"half of it")
        file.flush()
        raise fault

    with pytest.raises((limbik.FormatError, KeyboardInterrupt)):
        write_whole(path, fill)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.bin"]


def test_ctrl_c_in_the_moment_of_opening_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(path: Path, mode: str, opener: object = None) -> BinaryIO:
        Path(path).touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "open", opened, raising=False)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a.bvh", lambda file: None)
    assert list(tmp_path.iterdir()) == []


def test_a_name_too_long_for_the_draft_is_refused(tmp_path: Path) -> None:
    with pytest.raises(limbik.FormatError, match="cannot be written"):
        write_whole(tmp_path / ("a" * 250), lambda file: None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [k for k, v in FORMATS.items() if v.write and "vrm" not in k])
def test_every_format_is_written_beside_and_then_put_in_place(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last step alone touches the file that was there: where it fails, nothing has changed."""

    def refuse(*_: object) -> None:
        raise OSError(13, "Permission denied")

    path = tmp_path / f"kept{ending}"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(limbik.FormatError, match="cannot be written: Permission denied"):
        limbik.save(HUMAN, path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]

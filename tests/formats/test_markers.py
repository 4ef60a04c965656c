"""Markers of C3D and TRC files: ezc3d reads the same, every kind of number, what is refused."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import ezc3d
import numpy as np
import pytest

import limbik
from helpers.real_data import find
from limbik.errors import FigureError, FormatError
from limbik.formats.markers.markers import Markers

TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
    "100\t100\t2\t2\tmm\n"
    "Frame#\tTime\tLFHD\t\t\tRFHD\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.00\t1\t2\t3\t4\t5\t6\n"
    "2\t0.01\t1.5\t2\t3\t\t\t\n"
)


def written(path: Path, points: np.ndarray, names: list[str], rate: float = 100.0) -> None:
    """A C3D file of points (frames, markers, 3), by ezc3d."""
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [rate]
    file["parameters"]["POINT"]["LABELS"]["value"] = names
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    whole = np.ones((4, len(names), len(points)))
    whole[:3] = points.transpose(2, 1, 0)
    file["data"]["points"] = whole
    file.write(str(path))


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).normal(0, 300, (7, 3, 3)).astype(np.float32).astype(float)


def test_what_ezc3d_writes(tmp_path: Path, points: np.ndarray) -> None:
    points[2, 1] = np.nan
    written(tmp_path / "a.c3d", points, ["LFHD", "RFHD", "LFHD"])
    found = limbik.load_markers(tmp_path / "a.c3d")
    assert found.names == ("LFHD", "RFHD", "LFHD*3")
    assert (found.fps, found.unit, found.name) == (100.0, "mm", "a")
    np.testing.assert_allclose(found.positions, points, rtol=1e-7)
    assert not found.seen[2, 1]
    assert found.seen.sum() == 20


def test_what_ezc3d_reads_of_a_recording() -> None:
    path = find("motion/cmu_02_01.c3d")
    found, other = limbik.load_markers(path), ezc3d.c3d(str(path))
    expected = other["data"]["points"][:3].transpose(2, 1, 0)
    np.testing.assert_array_equal(found.positions, expected)
    assert list(found.names) == other["parameters"]["POINT"]["LABELS"]["value"]
    assert (found.fps, found.unit, found.up) == (120.0, "mm", "z")


def by_hand(kind: int, scale: float) -> tuple[bytes, np.ndarray]:
    """A file of a processor, as floats (scale < 0) or integers; one marker is lost in frame 2."""
    order = ">" if kind == 86 else "<"

    def real(value: float) -> bytes:
        if kind != 85:
            return struct.pack(f"{order}f", value)
        halves = struct.pack("<f", value * 4.0)
        return halves[2:] + halves[:2]

    records = b""
    for name, data in (
        (b"RATE", struct.pack("bB", 4, 0) + real(50.0)),
        (b"LABELS", struct.pack("bBBB", -1, 2, 4, 2) + b"LFHDRFHD"),
        (b"Y_SCREEN", struct.pack("bBB", -1, 1, 2) + b"+Z"),
    ):
        records += struct.pack("bb", len(name), 1) + name
        records += struct.pack(f"{order}H", len(data) + 3) + data + b"\0"
    records += struct.pack("bb", 5, -1) + b"POINT" + struct.pack(f"{order}H", 0)
    head = struct.pack(f"{order}4H", 2, 0, 1, 2) + b"\0\0" + real(scale)
    head = b"\2\x50" + head + struct.pack(f"{order}HH", 3, 0) + real(50.0)
    values = np.array([[[1, 2, 3, 0], [4, 5, 6, 0]], [[7, 8, 9, 0], [0, 0, 0, -1]]], float)
    if scale > 0:
        body = b"".join(struct.pack(f"{order}h", int(v)) for v in values.ravel())
    else:
        body = b"".join(real(v) for v in values.ravel())
    sections = (head, b"\1\x50\1" + bytes([kind]) + records, body)
    expected = values[..., :3] * max(scale, 1.0 if scale < 0 else 0.0)
    expected[1, 1] = np.nan
    return b"".join(section.ljust(512, b"\0") for section in sections), expected


@pytest.mark.parametrize("scale", [-1.0, 0.5])
@pytest.mark.parametrize("kind", [84, 85, 86])
def test_every_processor_and_kind_of_number(tmp_path: Path, kind: int, scale: float) -> None:
    data, expected = by_hand(kind, scale)
    (tmp_path / "a.c3d").write_bytes(data)
    found = limbik.load_markers(tmp_path / "a.c3d")
    np.testing.assert_array_equal(found.positions, expected)
    assert (found.names, found.fps, found.up) == (("LFHD", "RFHD"), 50.0, "z")


def test_broken_files_are_refused(tmp_path: Path) -> None:
    whole, _ = by_hand(84, -1.0)
    path = tmp_path / "a.c3d"
    for data, sentence in (
        (b"hello", "is not a C3D file"),
        (whole[:1030], "holds 0 frames of the 2"),
        (b"\xc8" + whole[1:], "beyond its end"),
        (whole.replace(b"\1\x50\1T", b"\1\x50\1x"), "processor that is not known"),
        (
            whole.replace(struct.pack("bBBB", -1, 2, 4, 2), b"\xff\2\xff\xff"),
            "longer than the file",
        ),
        (whole[:2] + b"\0\0" + whole[4:], "has no markers"),
    ):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=sentence):
            limbik.load_markers(path)
    rng = np.random.default_rng(1)
    for _ in range(300):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), 4):
            data[at] = rng.integers(256)
        path.write_bytes(bytes(data))
        with contextlib.suppress(FormatError):
            assert limbik.load_markers(path).frames > 0


def test_a_trc_file(tmp_path: Path) -> None:
    (tmp_path / "walk.trc").write_text(TRC)
    found = limbik.load_markers(tmp_path / "walk.trc")
    assert (found.names, found.fps, found.unit) == (("LFHD", "RFHD"), 100.0, "mm")
    np.testing.assert_array_equal(found.positions[0], [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(found.positions[1], [[1.5, 2, 3], [np.nan] * 3])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("PathFileType", "Path", "line 1: is not a TRC file"),
        ("\t2\tmm", "\t3\tmm", "line 4: names 2 markers of 3"),
        ("\t2\tmm", "\tmany\tmm", 'line 3: NumMarkers: needs a number, found "many"'),
        ("\t2\tmm", "\t1e9\tmm", "NumMarkers: needs 1 to"),
        ("100\t100", "0\t100", "fps must be above 0"),
        ("1.5", "abc", 'line 8: "abc" is not a number'),
        ("5\t6\n", "5\t6\t7\n", "line 7: has 7 values"),
        ("RFHD", "LFHD", "two have the same name"),
        (TRC[TRC.index("1\t0.00") :], "", "has no frames"),
    ],
)
def test_trc_files_that_are_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in TRC
    (tmp_path / "walk.trc").write_text(TRC.replace(old, new))
    with pytest.raises(FormatError, match=sentence):
        limbik.load_markers(tmp_path / "walk.trc")


def test_markers_in_other_units() -> None:
    one = Markers(["a"], np.array([[[1000.0, 0.0, 2000.0]]]), 10, unit="mm", up="z")
    two = one.in_units("m", up="y")
    np.testing.assert_allclose(two.positions[0, 0], [1, 2, 0], atol=1e-12)
    assert (two.unit, two.up) == ("m", "y")
    with pytest.raises(FigureError, match='no marker "b"'):
        one.index("b")


def test_files_without_markers_are_refused(tmp_path: Path) -> None:
    limbik.save(limbik.figures.arm(), tmp_path / "a.bvh")
    with pytest.raises(FormatError, match=r"\.bvh is not a format limbik reads markers from"):
        limbik.load_markers(tmp_path / "a.bvh")
    (tmp_path / "walk.trc").write_text(TRC)
    with pytest.raises(FormatError, match=r"it holds markers, which limbik\.load_markers reads"):
        limbik.load_motion(tmp_path / "walk.trc")

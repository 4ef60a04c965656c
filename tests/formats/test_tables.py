"""Joint values as CSV and NPZ: other readers agree, they come back, and what is refused."""

from __future__ import annotations

import csv
import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik.errors import FormatError, NoMotionError
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute, slides
from limbik.figure.motion import Motion


@pytest.fixture
def clip() -> Motion:
    return limbik.figures.cartwheel()[100:130]


def test_csv_as_others_read_it(tmp_path: Path, clip: Motion) -> None:
    file = tmp_path / "clip.csv"
    limbik.save(clip, file, precision=1)
    with file.open(newline="", encoding="utf-8") as text:
        rows = list(csv.reader(text))
    assert rows[0] == ["time", *clip.figure.coordinates]
    values = np.array([[float(cell) for cell in row] for row in rows[1:]])
    np.testing.assert_array_equal(values[:, 1:], clip.q)
    np.testing.assert_array_equal(values[:, 0], clip.times)
    np.testing.assert_array_equal(np.genfromtxt(file, delimiter=",", skip_header=1), values)


def test_npz_as_numpy_reads_it(tmp_path: Path, clip: Motion) -> None:
    limbik.save(clip, tmp_path / "clip.npz")
    with np.load(tmp_path / "clip.npz", allow_pickle=False) as found:
        np.testing.assert_array_equal(found["q"], clip.q)
        np.testing.assert_array_equal(found["positions"], clip.positions())
        assert found["coordinates"].tolist() == list(clip.figure.coordinates)
        assert found["joints"].tolist() == list(clip.figure.joints)
        assert found["parents"].tolist() == clip.figure.parents.tolist()
        assert (float(found["fps"]), str(found["unit"]), str(found["up"])) == (clip.fps, "m", "y")


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_it_comes_back(tmp_path: Path, clip: Motion, ending: str) -> None:
    file = tmp_path / f"clip{ending}"
    limbik.save(clip, file)
    back = limbik.load_motion(file, figure=clip.figure)
    np.testing.assert_array_equal(back.q, clip.q)
    assert back.fps == pytest.approx(clip.fps, rel=1e-12)
    assert back.figure is clip.figure
    limbik.save(clip.figure, file)
    rest = limbik.load_motion(file, figure=clip.figure)
    np.testing.assert_array_equal(rest.q, clip.figure.rest[None])


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    fig = Figure([Joint('a "b", c', parts=slides("XY")), Joint("d", 'a "b", c', revolute("x"))])
    limbik.save(Motion(fig, [[1, 2, 3], [4, 5, 6]], 10), tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == 'time,"a ""b"", c.tx","a ""b"", c.ty",d'
    head = 'time,d,"a ""b"", c.ty","a ""b"", c.tx"'
    (tmp_path / "b.csv").write_bytes(f"\ufeff{head}\r\n0, 3, 2, 1\r\n0.1,6,5,4\r\n\r\n".encode())
    back = limbik.load_motion(tmp_path / "b.csv", figure=fig)
    np.testing.assert_array_equal(back.q, [[1, 2, 3], [4, 5, 6]])
    assert back.fps == pytest.approx(10)


BAD = {
    "nothing": ("", 1, "first column"),
    "no time": ("x,y\n1,2\n", 1, "first column"),
    "not text": (b"\xff\xfe\x00t", 1, "is not a CSV file"),
    "unknown": ("time,x,z\n0,1,2\n", 1, 'no coordinate "z"'),
    "twice": ("time,x,x\n0,1,2\n", 1, 'names "x" twice'),
    "missing": ("time,x\n0,1\n", 1, 'no column for "y"'),
    "short": ("time,x,y\n0,1,2\n1,2\n", 3, "frame 2 has 2 of 3 values"),
    "long": ("time,x,y\n0,1,2\n1,2,3,4\n", 3, "frame 2 has more than 3 values"),
    "shifted": ("time,x,y\n0,1\n2,3,4,5\n", 2, "frame 1 has 2 of 3 values"),
    "empty cell": ("time,x,y\n0,1,2\n1,,3 4\n", 3, "empty cell"),
    "last cell empty": ("time,x,y\n0,1 2,\n", 2, "empty cell"),
    "a word": ("time,x,y\n0,1,two\n", 2, '"two" is not a finite number'),
    "nan": ("time,x,y\n0,1,nan\n", 2, '"nan" is not a finite number'),
    "unsteady": ("time,x,y\n0,1,2\n1,1,2\n5,1,2\n6,1,2\n", 3, "same step"),
    "backwards": ("time,x,y\n1,1,2\n0,1,2\n", 2, "same step"),
    "no frames": ("time,x,y\n", None, "has no frames"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_broken_csv_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    text, line, message = BAD[name]
    file = tmp_path / "bad.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    fig = Figure([Joint("x", parts=revolute("x")), Joint("y", "x", revolute("x"))])
    with pytest.raises(FormatError, match=message) as caught:
        limbik.load_motion(file, figure=fig)
    assert caught.value.line == line


def test_tables_need_a_figure(tmp_path: Path, clip: Motion) -> None:
    for ending in (".csv", ".npz"):
        limbik.save(clip, tmp_path / f"a{ending}")
        with pytest.raises(FormatError, match=r"no figure: load_motion\(path, figure="):
            limbik.load_motion(tmp_path / f"a{ending}")


def npz(file: Path, **arrays: object) -> Path:
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file


FIG = Figure([Joint("x", parts=revolute("x"))], unit="m", up="y")
GOOD = {"q": np.zeros((3, 1)), "coordinates": np.array(["x"]), "fps": np.array(30.0)}


def test_an_npz_by_somebody_else(tmp_path: Path) -> None:
    whole = np.array([[1], [2], [3]], ">i2")
    file = npz(tmp_path / "a.npz", **{**GOOD, "q": np.asfortranarray(whole)})
    back = limbik.load_motion(file, figure=FIG)
    assert back.q.ravel().tolist() == [1.0, 2.0, 3.0]
    assert back.name == "a"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros((3, 2))}, "do not fit together"),
        ({"q": np.zeros(3)}, "do not fit together"),
        ({"q": np.zeros((0, 1))}, "has no frames"),
        ({"q": np.full((3, 1), np.nan)}, "x is not finite"),
        ({"q": np.array([["a"]])}, "of no use"),
        ({"q": np.array([[None]])}, "of no use"),
        ({"fps": np.array(0.0)}, "fps must be above 0"),
        ({"fps": np.zeros(2)}, "do not fit together"),
        ({"coordinates": np.array(["z"])}, 'no coordinate "z"'),
        ({"coordinates": np.array([object()])}, "of no use"),
        ({"unit": np.array("cm")}, 'its unit is "cm", that of the figure is m'),
        ({"up": np.array("z")}, 'its up is "z", that of the figure is y'),
    ],
)
def test_a_wrong_npz_is_refused(
    tmp_path: Path, change: dict[str, np.ndarray], message: str
) -> None:
    file = npz(tmp_path / "a.npz", **{**GOOD, **change})
    with pytest.raises(FormatError, match=message):
        limbik.load_motion(file, figure=FIG)


def test_npz_of_other_things(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    file.write_bytes(b"not a zip")
    with pytest.raises(FormatError, match="is not an NPZ file"):
        limbik.load_motion(file, figure=FIG)
    npz(file, fps=np.array(1.0))
    with pytest.raises(FormatError, match='has no array "q"'):
        limbik.load_motion(file, figure=FIG)
    npz(file, **{**GOOD, "q": np.zeros((0, 1))})
    with pytest.raises(NoMotionError):
        limbik.load_motion(file, figure=FIG)


def test_a_damaged_npz_is_refused(tmp_path: Path) -> None:
    whole = npz(tmp_path / "a.npz", **GOOD).read_bytes()
    rng = np.random.default_rng(5)
    for _ in range(300):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), 4):
            data[at] = rng.integers(256)
        (tmp_path / "b.npz").write_bytes(data[: rng.integers(1, len(data) + 1)])
        try:
            limbik.load_motion(tmp_path / "b.npz", figure=FIG)
        except FormatError:
            continue


def test_an_npz_that_swells_is_refused_before_it_does(tmp_path: Path) -> None:
    file = npz(tmp_path / "bomb.npz", **{**GOOD, "q": np.zeros((40_000_000, 1))})
    assert file.stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="too large for the file"):
            limbik.load_motion(file, figure=FIG)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_an_array_that_says_it_is_larger_than_it_is(tmp_path: Path) -> None:
    body = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        body, {"shape": (10**12, 1), "fortran_order": False, "descr": "<f8"}
    )
    file = npz(tmp_path / "a.npz", coordinates=GOOD["coordinates"], fps=GOOD["fps"])
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("q.npy", body.getvalue() + bytes(80))
    with pytest.raises(FormatError, match='array "q" is not as long as it says'):
        limbik.load_motion(file, figure=FIG)

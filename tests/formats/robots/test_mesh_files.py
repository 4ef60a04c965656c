"""Mesh files: STL, OBJ and MSH."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limbik import FormatError
from limbik.formats.mesh_files import read_mesh


def test_stl_files_as_text_and_as_numbers_are_the_same(tmp_path: Path) -> None:
    corners = np.arange(18, dtype="<f4").reshape(2, 3, 3)
    records = np.zeros(2, [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("x", "<u2")])
    records["c"] = corners
    binary = tmp_path / "binary.STL"
    binary.write_bytes(b"solid".ljust(80) + (2).to_bytes(4, "little") + records.tobytes())
    facets = [
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {' '.join(f'{v:e}' for v in corner)}\n" for corner in triangle)
        + "endloop\nendfacet\n"
        for triangle in corners
    ]
    text = tmp_path / "text.stl"
    text.write_text("solid x\n" + "".join(facets) + "endsolid x\n")
    for file in (binary, text):
        found = read_mesh(file)
        np.testing.assert_array_equal(found.vertices[found.triangles], corners)


def test_msh_files_have_counts_first(tmp_path: Path) -> None:
    points, faces = np.arange(12, dtype="<f4"), np.array([0, 1, 2, 0, 2, 3], "<i4")
    path = tmp_path / "a.msh"
    counts = np.array([4, 1, 2, 2], "<i4").tobytes()
    path.write_bytes(counts + points.tobytes() + bytes(4 * (3 + 4)) + faces.tobytes())
    found = read_mesh(path)
    np.testing.assert_array_equal(found.vertices, points.reshape(-1, 3))
    np.testing.assert_array_equal(found.triangles, faces.reshape(-1, 3))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.stl", b"", "no triangles"),
        ("a.stl", b"solid x vertex 1 2 y", "not three numbers"),
        ("a.stl", b"solid x vertex 1 2 3", "not three corners"),
        ("a.obj", b"v 1 2\n", "needs three numbers"),
        ("a.obj", b"v 1 2 3\nf 1 2 3\n", "not there"),
        ("a.obj", b"v 1 2 3\nf 1 x 3\n", "for a vertex"),
        ("a.obj", b"v nan 2 3\nf 1 1 1\n", "not finite"),
        ("a.msh", b"1234", "its size is not what it says"),
        ("a.msh", np.array([1, 0, 0, 1] + [0] * 5 + [7], "<i4").tobytes(), "not there"),
        ("a.dae", b"<x/>", "not a mesh limbik reads"),
    ],
)
def test_faulty_meshes_are_refused(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_mesh(path)

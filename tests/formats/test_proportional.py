"""Reading takes time and memory in proportion to the file, also where parts of it multiply.

Each kind of file is read at one size and at a multiple of it.  Time is counted, not measured: the
calls of functions, Python's own and built-in ones.
"""

from __future__ import annotations

import json
import random
import sys
import tracemalloc
import warnings
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik
from limbik.formats.gltf import read as gltf
from limbik.formats.gltf.file import read_document
from limbik.formats.gltf.nodes import Nodes


def calls(work: Callable[[], Any]) -> int:
    """How many functions a piece of work calls."""
    count = 0

    def seen(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def peak(work: Callable[[], Any]) -> int:
    """The most bytes that a piece of work holds at a time."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def quietly(work: Callable[[Path], Any], path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        work(path)


# ---- robots --------------------------------------------------------------------------------------


def mimics_of_nothing(count: int) -> str:
    joints = "".join(
        f'<link name="link{k}"/><joint name="joint{k}" type="continuous"><parent link="l"/>'
        f'<child link="link{k}"/><mimic joint="jiont{k}x"/></joint>'
        for k in range(count)
    )
    return f'<robot name="r"><link name="l"/>{joints}</robot>'


# ---- glTF ----------------------------------------------------------------------------------------


def document(**parts: Any) -> str:
    return json.dumps({"asset": {"version": "2.0"}, **parts})


def keys() -> dict[str, Any]:
    """Two keys of a rotation and of a shift, in 76 bytes."""
    half = float(np.sqrt(0.5))
    data = np.array([0, 1, 0, 0, 0, 1, half, 0, 0, half, 0, 0, 0, 0.1, 0, 0], "<f4").tobytes()
    uri = "data:application/octet-stream;base64," + b64encode(data).decode()
    starts = ((0, 2, "SCALAR"), (8, 2, "VEC4"), (40, 2, "VEC3"))
    return {
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
        "accessors": [
            {"bufferView": 0, "byteOffset": at, "componentType": 5126, "count": n, "type": kind}
            for at, n, kind in starts
        ],
    }


def channel(node: int, path: str) -> dict[str, Any]:
    return {"sampler": 0, "target": {"node": node, "path": path}}


def many_clips_and_nodes(count: int) -> str:
    """A clip for each node, which stirs that node alone."""
    clips = [
        {
            "samplers": [{"input": 0, "output": 2}],
            "channels": [channel(k, "translation")],
        }
        for k in range(count)
    ]
    nodes = [{"children": list(range(1, count))}, *({"name": f"n{k}"} for k in range(1, count))]
    skins = [{"joints": list(range(count))}]
    return document(nodes=nodes, animations=clips, skins=skins, **keys())


def many_skins_and_nodes(count: int) -> str:
    """Skins of two joints each, far apart at the ends of long chains."""
    chains = 2
    nodes: list[dict[str, Any]] = [{"children": [1, count + 1]}]
    for k in range(chains):
        first = 1 + k * count
        nodes += [{"children": [i + 1]} for i in range(first, first + count - 1)] + [{}]
    ends = [count, 2 * count]
    return document(nodes=nodes, skins=[{"joints": ends} for _ in range(count)])


FILES: dict[str, tuple[Callable[[int], str], Callable[[Path], Any], int]] = {
    "mimics of nothing.urdf": (mimics_of_nothing, limbik.load, 100),
    "clips and nodes.gltf": (many_clips_and_nodes, limbik.load, 120),
    "skins and nodes.gltf": (many_skins_and_nodes, limbik.load, 120),
}
TIMES = 4


@pytest.mark.parametrize("name", FILES)
def test_work_and_memory_grow_with_the_file_and_no_faster(name: str, tmp_path: Path) -> None:
    make, read, count = FILES[name]
    paths = [tmp_path / f"{k} {name}" for k in (1, TIMES)]
    for path, size in zip(paths, (count, TIMES * count), strict=True):
        path.write_text(make(size))
        if path is paths[0]:
            quietly(read, path)  # what is made once is made
    small, large = (path.stat().st_size for path in paths)
    grown = large / small
    one, other = (calls(lambda path=path: quietly(read, path)) for path in paths)
    assert other < 1.4 * grown * one
    one, other = (peak(lambda path=path: quietly(read, path)) for path in paths)
    assert other < 1.4 * grown * one + 1_000_000


def test_the_common_node_of_two_is_that_of_their_lines_upward(tmp_path: Path) -> None:
    rng = random.Random(0)
    parents = [-1] * 3 + [rng.randrange(max(0, k - 5), k) for k in range(3, 300)]
    nodes = [{"children": [c for c, p in enumerate(parents) if p == k]} for k in range(300)]
    nodes = [node if node["children"] else {} for node in nodes]
    path = tmp_path / "tree.gltf"
    path.write_text(document(nodes=nodes))
    tree = Nodes(read_document(path))

    def upward(k: int) -> list[int]:
        return [k, *upward(parents[k])] if k >= 0 else [-1]

    for _ in range(500):
        one, other = rng.randrange(300), rng.randrange(300)
        above = set(upward(other))
        assert tree.common(one, other) == next(k for k in upward(one) if k in above)


# ---- bytes that are used again -------------------------------------------------------------------


def buffers_of_one_file(folder: Path, count: int, size: int) -> Path:
    (folder / "large.bin").write_bytes(bytes(size))
    views = [{"buffer": k, "byteLength": 24} for k in range(count)]
    accessor = {"componentType": 5126, "count": 2, "type": "VEC3"}
    times = {**accessor, "count": 2, "type": "SCALAR", "bufferView": 0}
    clips = [
        {
            "samplers": [{"input": count, "output": k}],
            "channels": [channel(k % 2, "translation")],
        }
        for k in range(count)
    ]
    path = folder / "m.gltf"
    path.write_text(
        document(
            nodes=[{"children": [1]}, {}],
            skins=[{"joints": [0, 1]}],
            buffers=[{"byteLength": size, "uri": "large.bin"} for _ in range(count)],
            bufferViews=views,
            accessors=[{**accessor, "bufferView": k} for k in range(count)] + [times],
            animations=clips,
        )
    )
    return path


def test_buffers_that_lie_in_one_file_are_in_memory_once(tmp_path: Path) -> None:
    path = buffers_of_one_file(tmp_path, 50, 2_000_000)
    quietly(limbik.load_motion, path)
    assert peak(lambda: quietly(limbik.load_motion, path)) < 8_000_000


def test_buffers_that_lie_in_one_file_are_not_written_over_and_over(tmp_path: Path) -> None:
    path = buffers_of_one_file(tmp_path, 200, 2_000_000)
    figure = limbik.load(path)
    (tmp_path / "elsewhere").mkdir()
    for name in ("m.glb", "elsewhere/m.gltf"):
        with pytest.raises(limbik.FormatError, match="used over and over"):
            limbik.save(figure, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_all_clips_at_once_are_refused_where_they_are_much_more_than_the_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "many.gltf"
    path.write_text(many_clips_and_nodes(700))
    with pytest.raises(limbik.FormatError, match="too much to read at once"):
        gltf.clips(path)

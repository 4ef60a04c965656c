"""Broken and hostile glTF files: refused by name, in bounded time and memory, and nothing worse."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from helpers.gltf_samples import Sample, leg, packed, xyzw
from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.gltf.mesh import read_meshes

TURNS = [xyzw("x", 0), xyzw("x", 90)]


def walking() -> Sample:
    """A leg with an animation: accessors 0–4 are its mesh, 5 the times, 6 the turns."""
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], TURNS)])
    return sample


def refused(data: bytes, folder: Path, message: str, name: str = "bad.glb") -> None:
    path = folder / name
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        limbik.load(path)
    assert caught.value.file == path


# ---- the container -------------------------------------------------------------------------------

GLB = walking().glb()
JSON_LENGTH = struct.unpack_from("<I", GLB, 12)[0]


def patched(at: int, value: int) -> bytes:
    return GLB[:at] + struct.pack("<I", value) + GLB[at + 4 :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"glTF", "ends within its header"),
        (b"", "is empty"),
        (GLB[:15], "ends within its header"),
        (GLB[:100], "is cut short: 100 of"),
        (GLB[:-1], "is cut short"),
        (patched(4, 1), "GLB version 1"),
        (patched(8, 20), "reaches beyond its end"),
        (patched(8, 0xFFFFFFFF), "is cut short"),
        (patched(12, 0xFFFFFFFF), "chunk of 4,294,967,295 bytes that reaches beyond"),
        (patched(12, 0), "reaches beyond its end"),
        (patched(16, 0x004E4942), "does not begin with its JSON"),
        (patched(20 + JSON_LENGTH, 0x7FFFFFFF), "reaches beyond its end"),
        (patched(20 + JSON_LENGTH, 4), "reaches beyond its end"),
        (packed(b"\xff\xfe{}", b""), "is not glTF"),
        (packed(b"[]", b""), "its JSON is no object"),
        (packed(b'{"asset": {"version": "1.0"}}', b""), 'is glTF "1.0"'),
        (packed(b"{}", b""), 'is glTF "None"'),
        (packed(b"[" * 200_000, b""), "nested too deeply"),
        (packed(b'{"a":' * 200_000, b""), "nested too deeply"),
        (packed(b'{"asset": {"version": "2.0"}, "x": NaN}', b""), "has NaN, which is not JSON"),
        (packed(b'{"asset": ' + b"9" * 100_000 + b"}", b""), "is not glTF"),
        (packed(b"[" + b"[]," * 3_000_000 + b"[]]", b""), "more JSON than any model needs"),
    ],
)
def test_broken_containers(data: bytes, message: str, tmp_path: Path) -> None:
    refused(data, tmp_path, message)


def test_trailing_bytes_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "more.glb").write_bytes(GLB + b"more")
    assert len(limbik.load(tmp_path / "more.glb").joints) == 3


# ---- what the JSON says --------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], object]


def at(*keys: Any, value: Any) -> Change:
    """A change of the JSON: the entry that the keys lead to becomes a value."""

    def change(found: Any) -> None:
        for key in keys[:-1]:
            found = found[key]
        found[keys[-1]] = value

    return change


NODES: list[tuple[Change, str]] = [
    (at("nodes", value=[]), "has no nodes"),
    (at("nodes", value={}), "nodes: is not a list"),
    (at("nodes", value=[{}] * 100_001), "more than 100,000 entries"),
    (at("nodes", 1, value=7), "nodes 1: is not an object"),
    (at("nodes", 3, "children", value=[1]), "node 1 hangs on node 0 and on node 3"),
    (at("nodes", 0, "children", value=[0]), "node 0 hangs below itself|node 1"),
    (at("nodes", 0, "children", value=[99]), "children: 99 is out of range"),
    (at("nodes", 0, "children", value=[-1]), "children: -1 is out of range"),
    (at("nodes", 0, "children", value=[1.5]), "needs a whole number, found 1.5"),
    (at("nodes", 0, "children", value=[True]), "needs a whole number"),
    (at("nodes", 0, "children", value=[10**40]), "a huge number is out of range"),
    (at("nodes", 1, "translation", value=[1, 2]), "its translation needs 3 numbers"),
    (at("nodes", 1, "translation", value=[1, 2, "3"]), 'has "3", which is not a finite number'),
    (at("nodes", 1, "translation", value=[1, 2, 10**400]), "a huge number, which is not a finite"),
    (at("nodes", 1, "translation", value=[1e300, 0, 0]), "beyond all bounds"),
    (at("nodes", 1, "rotation", value=[0, 0, 0, 0]), "its rotation has length 0"),
    (at("nodes", 1, "scale", value=[1e31] * 3), "is beyond all bounds"),
    (at("nodes", 1, "matrix", value=[0] * 15), "its matrix needs 16 numbers"),
    (at("nodes", 1, "matrix", value=[1] * 16), "the last row of its matrix"),
    (at("skins", 0, "joints", value=[]), "skin 0: has no joints"),
    (at("skins", 0, "joints", value=[1, 50]), "skin 0: its joints: 50 is out of range"),
    (at("skins", 0, "joints", value=3), "is not a list"),
]

ACCESSORS: list[tuple[Change, str]] = [
    (at("accessors", 6, "count", value=10**9), "reaches beyond its 32 bytes"),
    (at("accessors", 6, "count", value=-1), "count: -1 is out of range"),
    (at("accessors", 6, "count", value=0), "count: 0 is out of range"),
    (at("accessors", 6, "count", value=1), "has 1 values for 2 keys"),
    (at("accessors", 6, "byteOffset", value=8), "reaches beyond its 32 bytes"),
    (at("accessors", 6, "byteOffset", value=-8), "byteOffset: -8 is out of range"),
    (at("accessors", 6, "type", value="VEC3"), 'must be VEC4, is "VEC3"'),
    (at("accessors", 6, "type", value=None), 'must be VEC4, is "None"'),
    (at("accessors", 6, "componentType", value=5125), "cannot have components of type 5125"),
    (at("accessors", 6, "componentType", value=5121), "its rotations are whole numbers"),
    (at("accessors", 6, "componentType", value=1), "cannot have components of type 1"),
    (at("accessors", 6, "bufferView", value=70), "bufferViews: 70 is out of range"),
    (at("accessors", 6, value={"count": 10**9, "type": "VEC4", "componentType": 5126}), "zeros"),
    (at("accessors", 5, "sparse", value={"count": 10**9}), "sparse count: 1000000000 is out"),
    (at("accessors", 5, "sparse", value=[]), "is not an object"),
    (at("bufferViews", 6, "byteLength", value=10**12), "reaches beyond the"),
    (at("bufferViews", 6, "byteOffset", value=10**12), "reaches beyond the"),
    (at("bufferViews", 6, "byteStride", value=2), "items of 16 bytes every 2"),
    (at("bufferViews", 6, "byteStride", value=10**6), "byteStride: 1000000 is out of range"),
    (at("bufferViews", 6, "buffer", value=3), "buffers: 3 is out of range"),
    (at("bufferViews", 6, "extensions", value={"EXT_meshopt_compression": {}}), "EXT_meshopt"),
    (at("buffers", value=[{"byteLength": 10**12}]), "has [0-9,]+ of 1,000,000,000,000 bytes"),
    (at("buffers", value=[{}]), "byteLength: needs a whole number"),
    (at("animations", 0, "samplers", 0, "interpolation", value="WAVY"), '"WAVY" is not a kind'),
    (at("animations", 0, "samplers", 0, "interpolation", value="CUBICSPLINE"), "2 values for 2"),
    (at("animations", 0, "samplers", 0, "input", value=6), "must be SCALAR"),
    (at("animations", 0, "samplers", value=[]), "sampler: 0 is out of range"),
    (at("animations", 0, "channels", 0, "target", value=4), "is not an object"),
    (at("animations", 0, "channels", 0, "target", "node", value=44), "node: 44 is out of range"),
]


@pytest.mark.parametrize(("change", "message"), NODES + ACCESSORS)
def test_broken_json(change: Change, message: str, tmp_path: Path) -> None:
    sample = walking()
    sample.json["buffers"] = [{"byteLength": len(sample.blob)}]
    change(sample.json)
    refused(sample.glb(), tmp_path, message)


def test_cycles_of_nodes(tmp_path: Path) -> None:
    sample = Sample()
    for _ in range(4):
        sample.node()
    for i, children in enumerate([[], [2], [3], [1]]):
        sample.json["nodes"][i]["children"] = children
    refused(sample.glb(), tmp_path, "node 1 hangs below itself")


def test_scales_that_multiply_beyond_all_bounds(tmp_path: Path) -> None:
    sample = walking()
    for k in range(3):
        sample.json["nodes"][k]["scale"] = [1e20] * 3
    refused(sample.glb(), tmp_path, '"hip": its place in the world is not finite')


def test_more_joints_than_any_rig_has(tmp_path: Path) -> None:
    sample = Sample()
    for k in range(10_001):
        sample.node(str(k))
    refused(sample.glb(), tmp_path, "has more than 10,000 joints")


def test_values_that_are_not_finite(tmp_path: Path) -> None:
    for bad in (np.nan, np.inf):
        sample = leg()
        sample.animate([(2, "rotation", [0, bad], TURNS)])
        refused(sample.glb(), tmp_path, "has values that are not finite")
    sample = leg()
    skin = sample.json["skins"][0]
    skin["inverseBindMatrices"] = sample.add(np.full((3, 16), np.nan), "MAT4")
    path = sample.save(tmp_path)
    assert len(limbik.load(path).joints) == 3  # a figure needs none of them
    with pytest.raises(FormatError, match="has values that are not finite"):
        read_meshes(path)


def test_keys_that_cannot_be(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [1, 0], TURNS)])
    refused(sample.glb(), tmp_path, "its times run backwards")
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], TURNS), (2, "rotation", [0, 1], TURNS)])
    refused(sample.glb(), tmp_path, "two channels for the rotation of node 2")
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], [[0, 0, 0, 0], TURNS[0]])])
    with pytest.raises(FormatError, match="has a rotation of length 0"):
        limbik.load_motion(sample.save(tmp_path))


def test_a_clip_of_ages_is_refused(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [0, 1e9], TURNS)])
    with pytest.raises(FormatError, match=r"1e\+09 seconds are too long"):
        limbik.load_motion(sample.save(tmp_path))


@pytest.mark.parametrize(
    ("indices", "message"),
    [([1, 1], "do not rise"), ([1, 0], "do not rise"), ([0, 7], "do not rise within its 2 values")],
)
def test_broken_sparse_accessors(indices: list[int], message: str, tmp_path: Path) -> None:
    sample = walking()
    sample.json["accessors"][6]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": sample.view(bytes(indices)), "componentType": 5121},
        "values": {"bufferView": sample.view(bytes(32))},
    }
    refused(sample.glb(), tmp_path, message)


# ---- other files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("../secret.bin", "outside the file's folder"),
        ("sub/../../secret.bin", "outside the file's folder"),
        ("%2e%2e/secret.bin", "outside the file's folder"),
        ("/etc/passwd", "outside the file's folder"),
        ("..\\secret.bin", "outside the file's folder"),
        ("file:///etc/passwd", "outside the file's folder"),
        ("http://example.org/a.bin", "outside the file's folder"),
        ("C:/secret.bin", "outside the file's folder"),
        ("link.bin", "outside the file's folder"),
        ("a%00b", "outside the file's folder"),
        ("", "outside the file's folder"),
        ("sub", "there is no file"),
        ("pipe", "there is no file"),
        ("none.bin", "there is no file"),
        ("x" * 5000, "there is no file|cannot be read"),
        ("short.bin", "has fewer than"),
        ("data:application/octet-stream,abc", "is not base64"),
        ("data:application/octet-stream;base64,a%&", "is not base64"),
        ("data:application/octet-stream;base64,AAAA", "has 3 of"),
    ],
)
def test_only_files_of_its_own_folder(uri: str, message: str, tmp_path: Path) -> None:
    sample = walking()
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(sample.blob)
    (folder / "short.bin").write_bytes(b"1234")
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    os.mkfifo(folder / "pipe")  # reading it would wait for ever
    refused(sample.gltf(uri=uri), folder, message, "bad.gltf")


# ---- time and memory -----------------------------------------------------------------------------


def test_many_accessors_on_the_same_bytes(tmp_path: Path) -> None:
    sample = Sample()
    node = sample.node("a")
    count = 200_000
    times = sample.view(np.arange(count, dtype="<f4").tobytes())
    turns = sample.view(np.tile(np.array([0, 0, 0, 1], "<f4"), count).tobytes())
    for k in range(200):
        key = {"bufferView": times, "componentType": 5126, "count": count, "type": "SCALAR"}
        row = {"bufferView": turns, "componentType": 5126, "count": count, "type": "VEC4"}
        sampler = {"input": sample.put("accessors", key), "output": sample.put("accessors", row)}
        channel = {"sampler": 0, "target": {"node": node, "path": "rotation"}}
        sample.put("animations", {"name": str(k), "channels": [channel], "samplers": [sampler]})
    refused(sample.glb(), tmp_path, "its bytes are used over and over")


def test_long_chains_and_wide_trees_take_no_time(tmp_path: Path) -> None:
    deep = Sample()
    for k in range(3000):
        deep.node(None, k - 1 if k else None, translation=[0, 0.1, 0])
    assert len(limbik.load(deep.save(tmp_path)).joints) == 3000
    wide = Sample()
    top = wide.node("top")
    joints = [wide.node("same", top, translation=[0, 0.1, k]) for k in range(3000)]
    wide.put("skins", {"joints": joints})
    with pytest.warns(UserWarning, match="used twice"):
        assert len(limbik.load(wide.save(tmp_path)).joints) == 3001


def bounded(path: Path, read: Callable[[Path], object]) -> None:
    """Read a file: only answers and FormatErrors, within ten times its size and 200 MB."""
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.suppress(FormatError):
                read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * path.stat().st_size + 200e6


@pytest.mark.parametrize(
    "filler", [b"[],", b"{},", b'{"a":1},', b"1.5,", b'"ab",', b'{"name":"\xf0\x9f\x98\x80"},']
)
def test_json_of_nothing_much(filler: bytes, tmp_path: Path) -> None:
    body = filler * (6_000_000 // len(filler))
    text = b'{"asset":{"version":"2.0"},"nodes":[{}],"extras":[' + body + b"0]}"
    path = tmp_path / "filled.gltf"
    path.write_bytes(text)
    bounded(path, limbik.load)


def everything(path: Path) -> None:
    found = limbik.load(path)
    assert isinstance(found, Figure)
    limbik.save(found, path.with_suffix(".again.gltf"))
    motion = limbik.load_motion(path)
    assert isinstance(motion, Motion)
    limbik.save(motion, path.with_suffix(".again.glb"))
    read_meshes(path)


VALUES = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([10**9, 2**31, 2**63, 10**400, 1e300, -1e-300, 0.5, None, True, "x", [], {}]),
    st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=4),
)


def slots(found: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON document that holds a value."""
    out: list[tuple[Any, Any]] = []
    pairs = list(found.items()) if isinstance(found, dict) else list(enumerate(found))
    for key, value in pairs:
        out.append((found, key))
        if isinstance(value, dict | list):
            out += slots(value)
    return out


@settings(max_examples=100)
@given(st.data())
def test_any_change_of_the_json(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    found = json.loads(json.dumps(walking().json))
    blob = walking().blob
    found["buffers"] = [{"byteLength": len(blob)}]
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(slots(found)))
        holder[key] = data.draw(VALUES)
    path = tmp_path_factory.getbasetemp() / "changed.glb"
    path.write_bytes(packed(json.dumps(found).encode(), bytes(blob)))
    bounded(path, everything)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, len(GLB) - 1), st.integers(0, 255)), max_size=6), st.data()
)
def test_any_change_of_the_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    changes: list[tuple[int, int]],
    data: st.DataObject,
) -> None:
    spoilt = bytearray(GLB)
    for place, value in changes:
        spoilt[place] = value
    end = data.draw(st.integers(0, len(GLB)) | st.just(len(GLB)))
    path = tmp_path_factory.getbasetemp() / "spoilt.glb"
    path.write_bytes(spoilt[:end])
    bounded(path, everything)

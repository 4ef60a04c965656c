"""A large GLB: how much memory it takes to read, beside its size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.gltf_samples import Sample, unpacked
from helpers.real_data import find
from limbik.formats.gltf import read as gltf
from limbik.formats.gltf.mesh import read_meshes

LARGE = 10_000_000


def large_clip(path: Path) -> None:
    """The figure of a real file with one clip of 10 MB: every joint turned in every frame."""
    sample = Sample()
    sample.json, blob = unpacked(find("gltf/RiggedFigure.glb").read_bytes())
    sample.blob = bytearray(blob)
    del sample.json["buffers"], sample.json["animations"]
    joints = sample.json["skins"][0]["joints"]
    frames = LARGE // (16 * len(joints))
    times = np.arange(frames) / 60
    rng = np.random.default_rng(0)
    channels = []
    for joint in joints:
        rest = np.array(sample.json["nodes"][joint]["rotation"])
        turns = rest + 0.2 * np.sin(times[:, None] * rng.uniform(0.1, 2, 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        channels.append((joint, "rotation", times, turns))
    sample.animate(channels, "long")
    path.write_bytes(sample.glb())


def large_mesh(path: Path) -> None:
    """A real file with its mesh repeated until the file has 10 MB."""
    source = Sample()
    found, blob = unpacked(find("gltf/CesiumMan.glb").read_bytes())
    source.json, source.blob = found, bytearray(blob)
    del found["buffers"]
    (mesh,) = read_meshes(find("gltf/CesiumMan.glb"))
    many = LARGE // (len(mesh.positions) * 52)
    piece = found["meshes"][0]["primitives"][0]
    assert mesh.normals is not None
    assert mesh.texcoords is not None
    piece["attributes"] = {
        "POSITION": source.add(np.tile(mesh.positions, (many, 1)), "VEC3"),
        "NORMAL": source.add(np.tile(mesh.normals, (many, 1)), "VEC3"),
        "TEXCOORD_0": source.add(np.tile(mesh.texcoords, (many, 1)), "VEC2"),
        "JOINTS_0": source.add(np.tile(mesh.bones, (many, 1)), "VEC4", 5121),
        "WEIGHTS_0": source.add(np.tile(mesh.weights, (many, 1)), "VEC4"),
    }
    del piece["indices"]
    path.write_bytes(source.glb())


@pytest.mark.parametrize(
    ("make", "read"),
    [
        (large_clip, limbik.load),
        (large_clip, gltf.clips),
        (large_mesh, limbik.load),
        (large_mesh, read_meshes),
    ],
    ids=["clip-load", "clip-motion", "mesh-load", "mesh-mesh"],
)
def test_a_large_file(
    make: Callable[[Path], None], read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "large.glb"
    make(path)
    size = path.stat().st_size
    assert size > 0.9 * LARGE
    read(find("gltf/RiggedFigure.glb"))  # compiles what it needs
    tracemalloc.start()
    try:
        read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6 * size

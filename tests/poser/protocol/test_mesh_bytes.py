"""Meshes as bytes: what the page draws of them is what the library poses."""

from __future__ import annotations

import json
import struct

import numpy as np

from helpers.random_figures import random_pose
from limbik import Figure, figures
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.poser.protocol.mesh_bytes import mesh_bytes, strongest

# ---- meshes -------------------------------------------------------------------------------------


def sample_mesh(figure: Figure, influences: int, *, plain: bool = False) -> SkinnedMesh:
    rng = np.random.default_rng(influences)
    joints = rng.permutation(len(figure.joints))[:9]
    weights = rng.random((50, influences)) ** 3
    return SkinnedMesh(
        name="häut",
        positions=rng.normal(size=(50, 3)).astype(np.float32),
        triangles=rng.integers(0, 50, (21, 3)),
        bones=rng.integers(0, 9, (50, influences)),
        weights=(weights / weights.sum(axis=1, keepdims=True)).astype(np.float32),
        joints=joints,
        bind=np.concatenate(
            [rng.normal(size=(9, 3, 4)), np.tile([0.0, 0.0, 0.0, 1.0], (9, 1, 1))], axis=1
        ),
        normals=None if plain else rng.normal(size=(50, 3)),
        texcoords=None if plain else rng.random((50, 2)),
        color=(0.5, 0.25, 1.0, 1.0),
        image=None if plain else b"\x89PNG" + bytes(range(7)),
    )


def drawn_by_the_page(data: bytes, frames: np.ndarray) -> list[tuple[dict, np.ndarray]]:
    """(piece, vertices in the world) as a skinning shader makes them of the bytes."""
    (length,) = struct.unpack_from("<I", data)
    assert length % 4 == 0
    header, body = json.loads(data[4 : 4 + length]), data[4 + length :]

    def array(offset: int, kind: str, *shape: int) -> np.ndarray:
        assert offset % 4 == 0
        return np.frombuffer(body, kind, int(np.prod(shape)), offset).reshape(shape)

    out = []
    for piece in header["pieces"]:
        count, bones = piece["vertices"], piece["bones"]
        at = array(piece["position"], "<f4", count, 3)
        bone, weight = (
            array(piece[k], t, count, 4) for k, t in (("bone", "<u2"), ("weight", "<f4"))
        )
        bind = array(piece["bind"], "<f4", bones, 4, 4).transpose(0, 2, 1)
        matrices = frames[piece["joints"]] @ bind
        skin = np.einsum("vk,vkij->vij", weight, matrices[bone])
        world = np.einsum("vij,vj->vi", skin, np.c_[at, np.ones(count)])[:, :3]
        piece["indices"] = array(piece["index"], "<u4", piece["triangles"], 3)
        if piece["normal"] is not None:
            piece["normals"] = array(piece["normal"], "<f4", count, 3)
            piece["uvs"] = array(piece["uv"], "<f4", count, 2)
            start = piece["image"]["offset"]
            piece["picture"] = body[start : start + piece["image"]["length"]]
        out.append((piece, world))
    return out


def test_meshes_follow_as_the_library_has_it():
    figure = figures.human()
    meshes = [sample_mesh(figure, k, plain=k == 2) for k in (1, 2, 4)]
    q = random_pose(np.random.default_rng(1), figure)
    frames = figure.frames(q)
    drawn = drawn_by_the_page(mesh_bytes(meshes), frames)
    assert len(drawn) == 3
    for mesh, (piece, world) in zip(meshes, drawn, strict=True):
        np.testing.assert_allclose(world, mesh.posed(frames), atol=2e-5)
        np.testing.assert_array_equal(piece["indices"], mesh.triangles)
        assert (piece["name"], piece["color"]) == ("häut", [0.5, 0.25, 1.0, 1.0])
        if mesh.normals is not None and mesh.texcoords is not None:
            np.testing.assert_allclose(piece["normals"], mesh.normals, atol=1e-6)
            np.testing.assert_allclose(piece["uvs"], mesh.texcoords, atol=1e-6)
            assert piece["picture"] == mesh.image
            assert piece["image"]["type"] == "image/png"
        else:
            assert piece["normal"] is piece["uv"] is piece["image"] is None


def test_of_more_than_four_bones_the_strongest_are_kept():
    bones = np.array([[5, 6, 7, 8, 9, 10]])
    weights = np.array([[0.1, 0.3, 0.05, 0.25, 0.2, 0.1]])
    kept, shares = strongest(bones, weights)
    assert kept.tolist() == [[6, 8, 9, 5]]
    np.testing.assert_allclose(shares, np.array([[0.3, 0.25, 0.2, 0.1]]) / 0.85, rtol=1e-6)
    figure = figures.human()
    mesh = sample_mesh(figure, 6)
    frames = figure.frames(figure.rest)
    ((_, world),) = drawn_by_the_page(mesh_bytes([mesh]), frames)
    few, share = strongest(mesh.bones, mesh.weights)
    same = SkinnedMesh("", mesh.positions, mesh.triangles, few, share, mesh.joints, mesh.bind)
    np.testing.assert_allclose(world, same.posed(frames), atol=2e-5)


def test_no_meshes_are_an_empty_list():
    assert drawn_by_the_page(mesh_bytes([]), np.empty((0, 4, 4))) == []

"""Skinned meshes: at rest where they were bound, and elsewhere where the nodes take them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import limbik
from helpers.gltf_samples import CORNERS, DTYPES, Plain, Sample, leg, world_matrices, xyzw
from helpers.real_data import find
from limbik.errors import FormatError
from limbik.formats.gltf.mesh import meshes, read_meshes

REAL = {
    # vertices, triangles
    "gltf/CesiumMan.glb": (3273, 4672),
    "gltf/Fox.glb": (1728, 576),
    "gltf/RiggedFigure.glb": (370, 256),
    "gltf/SimpleSkin_embedded.gltf": (10, 8),
    "gltf/webxr_hand/left.glb": (1360, 2314),
}


@pytest.mark.parametrize("name", REAL)
def test_real_meshes_have_the_vertices_that_trimesh_reads(name: str) -> None:
    (mesh,) = read_meshes(find(name))
    assert (len(mesh.positions), len(mesh.triangles)) == REAL[name]
    scene = trimesh.load_scene(find(name), process=False)
    (other,) = scene.geometry.values()
    np.testing.assert_allclose(mesh.positions, other.vertices, atol=1e-6)
    np.testing.assert_array_equal(mesh.triangles, other.faces)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("name", REAL)
def test_real_meshes_follow_a_pose_as_the_nodes_do(name: str, tmp_path: Path) -> None:
    """Skin by the file's own matrices, as the specification says, at rest and in a pose."""
    figure = limbik.load(find(name))
    rng = np.random.default_rng(3)
    for k, q in enumerate([figure.rest, figure.project(rng.normal(0, 0.4, figure.n))]):
        out = tmp_path / f"{k}.glb"
        limbik.save(figure.with_rest(q), out)
        plain = Plain(out)
        worlds, skin = world_matrices(plain.nodes), plain.reader.skins[0]
        inverse = plain.values(skin.inverseBindMatrices).reshape(-1, 4, 4).swapaxes(1, 2)
        moved = worlds[skin.joints] @ inverse
        (mesh,) = meshes(figure)
        piece = plain.reader.meshes[0].primitives[0].attributes
        points = np.c_[plain.values(piece.POSITION), np.ones(len(mesh.positions))]
        bones, weights = plain.values(piece.JOINTS_0), plain.values(piece.WEIGHTS_0)
        blend = np.einsum("vk,vkij->vij", weights, moved[bones])
        expected = np.einsum("vij,vj->vi", blend, points)[:, :3]
        np.testing.assert_allclose(mesh.posed(figure.frames(q)), expected, atol=1e-5 * figure.size)


def test_the_rest_pose_is_the_bind_pose(tmp_path: Path) -> None:
    path = leg(rotation=xyzw("y", 70), scale=[0.01] * 3, translation=[1, 2, 3]).save(tmp_path)
    (mesh,) = read_meshes(path)
    figure = limbik.load(path)
    # Inverse bind matrices of hundreds, in float32: a few units of the sixth digit.
    np.testing.assert_allclose(mesh.posed(figure.frames(figure.rest)), CORNERS, atol=1e-5)


def test_real_bind_poses() -> None:
    for name, turn in (("gltf/RiggedFigure.glb", [0, 2, 1]), ("gltf/CesiumMan.glb", [1, 2, 0])):
        figure = limbik.load(find(name))
        (mesh,) = meshes(figure)
        posed = mesh.posed(figure.frames(figure.rest))
        # Both were bound with z up and stand with y up.
        extent, bound = np.ptp(posed, axis=0), np.ptp(mesh.positions, axis=0)[turn]
        np.testing.assert_allclose(extent, bound, atol=2e-3)


def test_a_mesh_without_a_skin_follows_its_joint(tmp_path: Path) -> None:
    sample = leg()
    box = sample.put("meshes", {"primitives": [{"attributes": {"POSITION": 1}, "mode": 5}]})
    sample.node("shoe", 3, translation=[0, 0, 0.1], scale=[2, 1, 1], mesh=box)
    sample.node("scenery", mesh=box)
    path = sample.save(tmp_path)
    figure = limbik.load(path)
    found = meshes(figure)
    assert len(found) == 2
    shoe = found[1]
    world = world_matrices(sample.json["nodes"])[5]
    np.testing.assert_allclose(
        shoe.posed(figure.frames(figure.rest)), CORNERS @ world[:3, :3].T + world[:3, 3], atol=1e-6
    )
    # A strip of four vertices is two triangles that face the same way.
    assert shoe.triangles.tolist() == [[0, 1, 2], [1, 3, 2]]


def test_eight_weights_a_vertex(tmp_path: Path) -> None:
    sample = leg()
    attributes = sample.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["JOINTS_1"] = sample.add(np.full((4, 4), 2), "VEC4", 5123)
    attributes["WEIGHTS_1"] = sample.add(np.full((4, 4), 63), "VEC4", 5121, normalized=True)
    (mesh,) = read_meshes(sample.save(tmp_path))
    assert mesh.bones.shape == (4, 8)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-6)
    assert mesh.weights[1, 0] == pytest.approx(1 / (1 + 4 * 63 / 255))


def test_colour_and_picture() -> None:
    (man,) = read_meshes(find("gltf/CesiumMan.glb"))
    assert man.image is not None
    assert man.image[:3] == b"\xff\xd8\xff"  # a JPEG
    assert man.texcoords is not None
    (rigged,) = read_meshes(find("gltf/RiggedFigure.glb"))
    assert rigged.color == pytest.approx((0.8, 0.8, 0.8, 1.0))


def spoilt(**attributes: object) -> Sample:
    sample = leg()
    piece = sample.json["meshes"][0]["primitives"][0]
    for key, value in attributes.items():
        (piece if key in piece else piece["attributes"])[key] = value
    return sample


def test_meshes_that_cannot_be(tmp_path: Path) -> None:
    sample = spoilt()
    far = sample.add(np.full((4, 4), 7), "VEC4", 5121)
    few = sample.add(np.ones((3, 4)), "VEC4")
    none = sample.add(np.zeros((4, 4)), "VEC4")
    corner = sample.add([0, 1, 9], "SCALAR", 5123)
    for change, message in [
        ({"JOINTS_0": far}, "follows joint 7 of 3"),
        ({"WEIGHTS_0": few}, "too few weights"),
        ({"WEIGHTS_0": none}, "a vertex has no weights"),
        ({"WEIGHTS_0": None}, "weights: needs a whole number"),
        ({"indices": corner}, "uses vertex 9 of 4"),
        ({"POSITION": 99}, "out of range"),
        ({"POSITION": corner}, "must be VEC3"),
    ]:
        broken = spoilt(**change)
        broken.json["accessors"], broken.json["bufferViews"] = (
            sample.json["accessors"],
            sample.json["bufferViews"],
        )
        broken.blob = sample.blob
        with pytest.raises(FormatError, match=message):
            read_meshes(broken.save(tmp_path))
    packed = spoilt()
    piece = packed.json["meshes"][0]["primitives"][0]
    piece["extensions"] = {"KHR_draco_mesh_compression": {}}
    with pytest.raises(FormatError, match="KHR_draco_mesh_compression"):
        read_meshes(packed.save(tmp_path))
    for extension in ("EXT_meshopt_compression", "KHR_meshopt_compression"):
        packed = spoilt()
        packed.json["bufferViews"][0]["extensions"] = {extension: {"buffer": 0}}
        with pytest.raises(FormatError, match=f"buffer view 0: is packed by {extension}"):
            read_meshes(packed.save(tmp_path))


@pytest.mark.parametrize(("component", "full"), [(5120, 127), (5122, 32767), (5123, 65535)])
def test_positions_may_be_small_integers(tmp_path: Path, component: int, full: int) -> None:
    """KHR_mesh_quantization: as whole numbers, or as parts of one, four bytes or more apart."""
    whole = np.array([[0, 0, 0], [100, 0, 3], [0, 120, 0], [7, 7, 127]])
    for normalised in (False, True):
        sample = spoilt()
        size = np.dtype(DTYPES[component]).itemsize
        rows = np.zeros((4, 4), DTYPES[component])
        rows[:, :3] = whole
        entry = {"componentType": component, "count": 4, "type": "VEC3", "normalized": normalised}
        view = sample.view(rows.tobytes(), byteStride=4 * size)
        at = sample.put("accessors", {**entry, "bufferView": view})
        sample.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = at
        sample.json["extensionsRequired"] = ["KHR_mesh_quantization"]
        (mesh,) = read_meshes(sample.save(tmp_path))
        np.testing.assert_allclose(mesh.positions, whole / (full if normalised else 1), rtol=1e-6)

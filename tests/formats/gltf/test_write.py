"""glTF files written: back into the file they came from, and new, read again by others."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import limbik
from helpers.gltf_samples import Plain, leg, local_matrix, unpacked, world_matrices, xyzw
from helpers.real_data import find
from limbik.errors import FormatError
from limbik.formats.gltf import read as gltf
from limbik.formats.gltf.capsules import AROUND, RINGS
from limbik.formats.gltf.mesh import read_meshes
from limbik.formats.gltf.rig import rig_of

REAL = [
    "gltf/CesiumMan.glb",
    "gltf/Fox.glb",
    "gltf/RiggedFigure.glb",
    "gltf/kaykit_Med_MovementBasic.glb",
    "gltf/webxr_hand/left.glb",
    "vrm/sat06_basic_armature_vrm0.vrm",
    "vrm/sat06_basic_armature_vrm1.vrm",
]


def some_pose(figure: limbik.Figure, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return figure.project(figure.rest + rng.normal(0, 0.4, figure.n) * ~figure.slides)


def in_balls(figure: limbik.Figure, q: np.ndarray, kind: str) -> limbik.Figure:
    """The figure with other balls, at rest in the pose q of the first."""
    other = figure.with_balls(kind)
    return other.with_rest(limbik.Motion(figure, q[None], 30).onto(other).q[0])


@pytest.mark.parametrize("kind", ["swing-twist", "euler", "exponential"])
@pytest.mark.parametrize("name", REAL)
def test_a_pose_goes_back_into_its_file(name: str, kind: str, tmp_path: Path) -> None:
    path = find(name)
    figure = limbik.load(path)
    q = some_pose(figure)
    out = tmp_path / path.name
    limbik.save(in_balls(figure, q, kind), out)
    before, blob = unpacked(path.read_bytes())
    after, written = unpacked(out.read_bytes())
    assert written == blob
    assert {k: v for k, v in before.items() if k != "nodes"} == {
        k: v for k, v in after.items() if k != "nodes"
    }
    joints = {bound.node for bound in rig_of(figure).bound.values()}
    for i, (old, new) in enumerate(zip(before["nodes"], after["nodes"], strict=True)):
        moved = {"rotation", "translation", "matrix"} if i in joints else set()
        assert {k: v for k, v in old.items() if k not in moved} == {
            k: v for k, v in new.items() if k not in moved
        }
    nodes = [rig_of(figure).bound[joint].node for joint in figure.joints]
    worlds = world_matrices(Plain(out).nodes)
    np.testing.assert_allclose(figure.positions(q), worlds[nodes, :3, 3], atol=1e-6 * figure.size)


@pytest.mark.parametrize("name", REAL)
def test_the_rest_pose_changes_nothing(name: str, tmp_path: Path) -> None:
    path = find(name)
    limbik.save(limbik.load(path), tmp_path / path.name)
    assert unpacked((tmp_path / path.name).read_bytes()) == unpacked(path.read_bytes())


def test_a_text_file_keeps_its_buffers(tmp_path: Path) -> None:
    path = find("gltf/SimpleSkin_embedded.gltf")
    figure = limbik.load(path)
    motion = limbik.Motion(figure, np.array([figure.rest, some_pose(figure)]), 10, "nod")
    limbik.save(motion, tmp_path / "nod.gltf")
    before, after = json.loads(path.read_text()), json.loads((tmp_path / "nod.gltf").read_text())
    assert after["buffers"][: len(before["buffers"])] == before["buffers"]
    assert len(after["buffers"]) == len(before["buffers"]) + 1
    assert list(gltf.clips(tmp_path / "nod.gltf")) == ["clip 1", "nod"]


CLIPS = [
    ("gltf/Fox.glb", "Run"),
    ("gltf/RiggedFigure.glb", "clip 1"),
    ("gltf/kaykit_Med_MovementBasic.glb", "Rig_Medium|Running_A"),
]


def changed_clip(motion: limbik.Motion) -> limbik.Motion:
    """The clip with all its turns halved."""
    q = motion.q * np.where(motion.figure.slides, 1.0, 0.5)
    return limbik.Motion(motion.figure, q, motion.fps, motion.name)


@pytest.mark.parametrize("balls", ["swing-twist", "euler"])
@pytest.mark.parametrize(("name", "clip"), CLIPS)
def test_a_clip_replaces_its_old_self(name: str, clip: str, balls: str, tmp_path: Path) -> None:
    path, out = find(name), tmp_path / "out.glb"
    clips = gltf.clips(path)
    motion = changed_clip(clips[clip])
    limbik.save(motion.onto(motion.figure.with_balls(balls)), out)
    before, blob = unpacked(path.read_bytes())
    after, written = unpacked(out.read_bytes())
    assert written[: len(blob)] == blob
    grown = ("buffers", "bufferViews", "accessors", "animations")
    untouched = {k: v for k, v in before.items() if k not in (*grown, "nodes")}
    assert untouched == {k: v for k, v in after.items() if k not in (*grown, "nodes")}
    for key in ("bufferViews", "accessors"):
        assert after[key][: len(before[key])] == before[key]
    index = list(clips).index(clip)
    assert len(after["animations"]) == len(before["animations"])
    for k, animation in enumerate(before["animations"]):
        assert (after["animations"][k] == animation) == (k != index)
    assert after["animations"][index].get("name") == before["animations"][index].get("name")
    plain = Plain(out)
    nodes = [rig_of(motion.figure).bound[joint].node for joint in motion.figure.joints]
    positions = motion.positions()
    for frame in range(0, len(motion), 9):
        places = plain.at(index, frame / motion.fps)[nodes, :3, 3]
        away = np.abs(places - positions[frame]).max()
        assert away < 1e-5 * motion.figure.size
    again = gltf.clips(out)[clip]
    assert (again.fps, len(again)) == (motion.fps, len(motion))


def test_a_new_clip_is_added_and_scales_of_other_nodes_stay(tmp_path: Path) -> None:
    path, out = find("gltf/Fox.glb"), tmp_path / "out.glb"
    figure = limbik.load(path)
    q = np.linspace(figure.rest, some_pose(figure), 20)
    limbik.save(limbik.Motion(figure, q, 60, "Bow"), out)
    clips = gltf.clips(out)
    assert list(clips) == ["Survey", "Walk", "Run", "Bow"]
    np.testing.assert_allclose(
        clips["Bow"].positions(), figure.positions(q), atol=1e-5 * figure.size
    )


def test_what_a_clip_does_to_others_stays_when_it_is_replaced(tmp_path: Path) -> None:
    sample = leg()
    lamp = sample.node("lamp")
    turns = [xyzw("x", 0), xyzw("x", 50)]
    scales = [[1, 1, 1], [1, 1, 1]]
    channels = [(lamp, "rotation", [0, 1], turns), (2, "rotation", [0, 1], turns)]
    sample.animate([*channels, (2, "scale", [0, 1], scales)], "show")
    motion = limbik.load_motion(sample.save(tmp_path))
    limbik.save(changed_clip(motion), tmp_path / "out.glb")
    animation = unpacked((tmp_path / "out.glb").read_bytes())[0]["animations"][0]
    old = sample.json["animations"][0]
    assert animation["samplers"][:2] == [old["samplers"][0], old["samplers"][2]]
    targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
    assert targets == [(lamp, "rotation"), (2, "scale"), (1, "rotation"), (2, "rotation")]


def as_matrix(sample: Any, i: int) -> None:
    node = sample.json["nodes"][i]
    kept = {key: node[key] for key in ("name", "children") if key in node}
    sample.json["nodes"][i] = {**kept, "matrix": local_matrix(node).T.ravel().tolist()}


def test_nodes_with_a_matrix(tmp_path: Path) -> None:
    sample = leg()
    sample.json["nodes"][2]["scale"] = [1.5, 1.5, 1.5]
    as_matrix(sample, 2)
    figure = limbik.load(sample.save(tmp_path))
    q = some_pose(figure)
    out = tmp_path / "out.glb"
    limbik.save(figure.with_rest(q), out)
    nodes = unpacked(out.read_bytes())[0]["nodes"]
    assert "rotation" not in nodes[2]
    np.testing.assert_allclose(figure.positions(q), world_matrices(nodes)[1:4, :3, 3], atol=1e-9)
    # Animations cannot move a matrix: it is taken apart.
    limbik.save(limbik.Motion(figure, q[None], 30, "one"), out)
    node = unpacked(out.read_bytes())[0]["nodes"][2]
    assert "matrix" not in node
    assert node["scale"] == pytest.approx([1.5] * 3)
    np.testing.assert_allclose(figure.positions(q), Plain(out).at(0, 0.0)[1:4, :3, 3], atol=1e-6)


def test_containers_may_change(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], [xyzw("x", 0), xyzw("x", 60)])])
    (tmp_path / "sub").mkdir()
    (tmp_path / "leg.bin").write_bytes(sample.blob)
    (tmp_path / "apart.gltf").write_bytes(sample.gltf(uri="leg.bin"))
    expected = limbik.load_motion(tmp_path / "apart.gltf")
    for source in (
        tmp_path / "apart.gltf",
        sample.save(tmp_path, "a.glb"),
        sample.save(tmp_path, "a.gltf"),
    ):
        for target in ("sub/new.glb", "sub/new.gltf", "new.gltf"):
            limbik.save(limbik.load(source), tmp_path / target)
            again = limbik.load_motion(tmp_path / target)
            assert again.q.tobytes() == expected.q.tobytes()
            (mesh,) = read_meshes(tmp_path / target)
            assert len(mesh.positions) == 4
            motion = limbik.load_motion(source)
            limbik.save(motion, tmp_path / target)
            np.testing.assert_allclose(limbik.load_motion(tmp_path / target).q, motion.q, atol=1e-6)
    assert (tmp_path / "leg.bin").read_bytes() == bytes(sample.blob)
    links = json.loads((tmp_path / "new.gltf").read_text())["buffers"]
    assert all(link["uri"].startswith("data:") for link in links)


def test_chunks_that_nobody_knows_stay(tmp_path: Path) -> None:
    data = leg().glb() + b"\x04\0\0\0ABCDdata"
    data = data[:8] + len(data).to_bytes(4, "little") + data[12:]
    (tmp_path / "extra.glb").write_bytes(data)
    limbik.save(limbik.load(tmp_path / "extra.glb"), tmp_path / "out.glb")
    assert (tmp_path / "out.glb").read_bytes().endswith(b"\x04\0\0\0ABCDdata")


def test_pictures_beside_the_file_are_named_when_it_moves(tmp_path: Path) -> None:
    sample = leg()
    sample.put("images", {"uri": "skin.png"})
    figure = limbik.load(sample.save(tmp_path))
    limbik.save(figure, tmp_path / "here.glb")
    (tmp_path / "sub").mkdir()
    with pytest.warns(UserWarning, match=r"pictures \(skin.png, ...\) stay in another folder"):
        limbik.save(figure, tmp_path / "sub" / "there.glb")


# ---- new files -----------------------------------------------------------------------------------


def figures() -> dict[str, limbik.Figure]:
    return {
        "human": limbik.figures.human(),
        "hand": limbik.figures.hand(),
        "spider": limbik.figures.spider(),
        "chain": limbik.figures.chain(lengths=[1, 1, 0.5]),
    }


def capsules(body: trimesh.Trimesh) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Vertices and triangles of each capsule on its own."""
    size = AROUND * 2 * (RINGS + 1)
    assert len(body.vertices) % size == 0
    owner = body.faces[:, 0] // size
    for k in range(len(body.vertices) // size):
        yield body.vertices[k * size : (k + 1) * size], body.faces[owner == k] - k * size


@pytest.mark.filterwarnings("ignore:new.gl.*the figure's unit is not known:UserWarning")
@pytest.mark.parametrize("ending", [".glb", ".gltf"])
@pytest.mark.parametrize("name", ["human", "hand", "spider", "chain"])
def test_new_files_are_read_by_others(name: str, ending: str, tmp_path: Path) -> None:
    figure = figures()[name]
    out = tmp_path / f"new{ending}"
    limbik.save(figure, out)
    plain = Plain(out)
    worlds = world_matrices(plain.nodes)
    places = np.array([worlds[plain.index(joint), :3, 3] for joint in figure.joints])
    metres = {"m": 1.0, "cm": 0.01}.get(figure.unit, 1.0)
    expected = figure.positions(figure.rest) * metres
    if figure.up == "z":
        expected = expected[:, [0, 2, 1]] * [1, 1, -1]
    np.testing.assert_allclose(places, expected, atol=1e-9)
    if ending == ".glb":
        (body,) = trimesh.load_scene(out).geometry.values()
        for corners, faces in capsules(body):
            capsule = trimesh.Trimesh(corners, faces, process=True)
            capsule.update_faces(capsule.nondegenerate_faces())
            assert capsule.is_watertight
            assert capsule.volume > 0.0
    (mesh,) = read_meshes(out)
    again = limbik.load(out)
    posed = mesh.posed(again.frames(again.rest))
    assert np.isfinite(posed).all()
    # The capsules lie about the joints, and no further out than they are thick.
    reach = 0.031 * figure.size * metres
    tips = np.ptp(expected, axis=0)
    assert (np.ptp(posed, axis=0) >= tips).all()
    assert posed.min() >= min(expected.min(), posed.min() + reach) - reach


def test_a_new_motion(tmp_path: Path) -> None:
    motion = limbik.load_motion(find("cmu_bvh/02_01.bvh"))[::4]
    out = tmp_path / "walk.glb"
    with pytest.warns(UserWarning, match=r"walk\.glb: glTF is in metres, and the figure's unit is"):
        limbik.save(motion, out)
    again = limbik.load_motion(out)
    assert (again.figure.joints, len(again)) == (motion.figure.joints, len(motion))
    assert again.fps == pytest.approx(motion.fps, rel=1e-3)
    np.testing.assert_allclose(
        again.positions(), motion.positions(), atol=1e-5 * motion.figure.size
    )
    plain = Plain(out)
    nodes = [plain.index(joint) for joint in motion.figure.joints]
    for frame in (0, 20, len(motion) - 1):
        np.testing.assert_allclose(
            plain.at(0, frame / motion.fps)[nodes, :3, 3],
            motion.positions()[frame],
            atol=1e-4 * motion.figure.size,
        )


def test_units_and_the_up_axis_become_metres_and_y(tmp_path: Path) -> None:
    chain = limbik.figures.chain(lengths=[1, 1, 0.5])
    figure = limbik.Figure(chain.definition, rest=chain.rest, unit="cm", up="z")
    limbik.save(figure, tmp_path / "cm.glb")
    again = limbik.load(tmp_path / "cm.glb")
    was = figure.positions(figure.rest)
    np.testing.assert_allclose(
        again.positions(again.rest), 0.01 * was[:, [0, 2, 1]] * [1, 1, -1], atol=1e-9
    )


def test_what_cannot_be_written(tmp_path: Path) -> None:
    figure = limbik.figures.arm()
    for ending in (".vrm", ".vrma"):
        with pytest.raises(FormatError, match=r"does not come from such a file; write \.glb"):
            limbik.save(figure, tmp_path / f"arm{ending}")
    rig = limbik.load(leg().save(tmp_path)).source
    with pytest.raises(FormatError, match="other joints than the glTF file it came from"):
        limbik.save(limbik.Figure(figure.definition, source=rig), tmp_path / "arm.glb")
    assert not (tmp_path / "arm.glb").exists()
    sample = leg()
    sample.json["extras"] = {"far": "FAR"}
    data = sample.gltf().replace(b'"FAR"', b"1e999")
    (tmp_path / "far.gltf").write_bytes(data)
    with pytest.raises(FormatError, match="too large to be written"):
        limbik.save(limbik.load(tmp_path / "far.gltf"), tmp_path / "out.gltf")
    assert not (tmp_path / "out.gltf").exists()


def test_keys_take_the_shorter_way(tmp_path: Path) -> None:
    """A ball that turns right round must not run backwards between two keys."""
    figure = limbik.load(leg().save(tmp_path))
    q = np.tile(figure.rest, (73, 1))
    q[:, 3] = np.linspace(0.0, 1.9 * math.pi, 73)
    limbik.save(limbik.Motion(figure, q, 24, "round"), tmp_path / "out.glb")
    plain = Plain(tmp_path / "out.glb")
    rotation = plain.reader.animations[0].samplers[0].output
    keys = plain.values(rotation)
    assert (np.sum(keys[1:] * keys[:-1], axis=1) > 0.9).all()

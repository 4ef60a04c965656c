"""glTF figures: joints where the file's nodes are, for every way a file can hang them together."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

import limbik
from helpers.gltf_samples import Plain, Sample, leg, world_matrices, xyzw
from helpers.real_data import find
from limbik.figure.joints import ExponentialBall, Slide, SwingTwistBall
from limbik.formats.gltf.rig import rig_of

REAL = {
    # joints, coordinates
    "gltf/CesiumMan.glb": (19, 60),
    "gltf/Fox.glb": (24, 78),
    "gltf/RiggedFigure.glb": (19, 60),
    "gltf/SimpleSkin_embedded.gltf": (2, 9),
    "gltf/kaykit_Med_MovementBasic.glb": (23, 87),
    "gltf/webxr_hand/left.glb": (25, 78),
    "vrm/sat06_basic_armature_vrm0.vrm": (53, 162),
    "vrm/sat06_basic_armature_vrm1.vrm": (53, 162),
}


@pytest.mark.parametrize("name", REAL)
def test_real_figures_stand_where_the_plain_reading_has_them(name: str) -> None:
    path = find(name)
    figure = limbik.load(path)
    assert (len(figure.joints), figure.n) == REAL[name]
    assert (figure.unit, figure.up) == ("m", "y")
    worlds = world_matrices(Plain(path).nodes)
    bound = rig_of(figure).bound
    nodes = [bound[joint].node for joint in figure.joints]
    np.testing.assert_allclose(
        figure.positions(figure.rest), worlds[nodes, :3, 3], atol=1e-9 * figure.size
    )
    turns = worlds[nodes, :3, :3]
    turns = turns / np.cbrt(np.linalg.det(turns))[:, None, None]
    # Scales of 1.0000001 in the files are not in the frames.
    np.testing.assert_allclose(figure.frames(figure.rest)[:, :3, :3], turns, atol=3e-6)


@pytest.mark.parametrize("name", ["gltf/CesiumMan.glb", "gltf/Fox.glb", "gltf/RiggedFigure.glb"])
def test_real_figures_stand_where_trimesh_has_them(name: str) -> None:
    path = find(name)
    figure = limbik.load(path)
    graph = trimesh.load_scene(path).graph
    for joint, place in zip(figure.joints, figure.positions(figure.rest), strict=True):
        np.testing.assert_allclose(place, graph[joint][0][:3, 3], atol=1e-6 * figure.size)


def test_joints_are_balls_that_twist_along_their_bones() -> None:
    figure = limbik.load(find("gltf/RiggedFigure.glb"))
    positions, frames = figure.positions(figure.rest), figure.frames(figure.rest)
    root, *others = figure.definition
    assert [type(part) for part in root.parts] == [Slide] * 3 + [ExponentialBall]
    for joint in others:
        (ball,) = joint.parts
        assert isinstance(ball, SwingTwistBall)
        i = figure.index(joint.name)
        children = np.flatnonzero(figure.parents == i)
        if len(children) == 1:
            along = positions[children[0]] - positions[i]
            twist = frames[i, :3, :3] @ np.array(ball.twist)
            np.testing.assert_allclose(twist, along / np.linalg.norm(along), atol=1e-9)


def test_a_root_slides_along_the_axes_of_the_world(tmp_path: Path) -> None:
    figure = limbik.load(leg(rotation=xyzw("xyz"[0], 70), translation=[3, 2, 1]).save(tmp_path))
    moved = figure.rest.copy()
    moved[:3] = [7.0, 8.0, 9.0]
    np.testing.assert_allclose(figure.positions(moved)[0], [7, 8, 9], atol=1e-12)
    np.testing.assert_allclose(figure.rest[3:], 0.0)


number = st.floats(-2, 2).map(lambda v: round(v, 3))
angle = st.floats(-180, 180).map(lambda v: round(v, 1))


@given(
    st.tuples(number, number, number),
    st.tuples(st.sampled_from("xyz"), angle),
    st.sampled_from([0.01, 1.0, 2.5, -0.5, (0.7, 0.7, -0.7), (-2.0, 2.0, 2.0)]),
    st.booleans(),
    st.lists(angle, min_size=3, max_size=3),
)
def test_scales_on_ancestors_also_mirrors_hold_in_every_pose(
    tmp_path_factory: pytest.TempPathFactory,
    place: tuple[float, float, float],
    turn: tuple[str, float],
    scale: float | tuple[float, float, float],
    as_matrix: bool,
    bends: list[float],
) -> None:
    scales = [scale] * 3 if isinstance(scale, float) else list(scale)
    armature = {"translation": list(place), "rotation": xyzw(*turn), "scale": scales}
    sample = leg(**armature)
    if as_matrix:
        matrix = world_matrices(sample.json["nodes"])[0]
        sample.json["nodes"][0] = {"matrix": matrix.T.ravel().tolist(), "children": [1]}
    figure = limbik.load(sample.save(tmp_path_factory.mktemp("scaled")))
    bound = rig_of(figure).bound
    np.testing.assert_allclose(
        figure.positions(figure.rest), world_matrices(sample.json["nodes"])[1:4, :3, 3], atol=1e-9
    )
    # Turn the nodes and write what the figure thinks of it: they must agree in a pose too.
    q = figure.rest.copy()
    for bend, joint in zip(bends, figure.joints, strict=True):
        q[figure.coordinates_of(joint)[-3]] = math.radians(bend) * 0.9
    out = tmp_path_factory.mktemp("posed") / "posed.gltf"
    limbik.save(figure.with_rest(q), out)
    worlds = world_matrices(Plain(out).nodes)
    nodes = [bound[joint].node for joint in figure.joints]
    np.testing.assert_allclose(figure.positions(q), worlds[nodes, :3, 3], atol=1e-8)


def test_the_own_scale_of_a_joint_may_be_unequal_while_only_leaves_hang_on_it(
    tmp_path: Path,
) -> None:
    sample = Sample()
    a = sample.node("a", scale=[1, 2, 3], rotation=xyzw("x", 30))
    b = sample.node("b", a, translation=[1, 1, 1])
    sample.put("skins", {"joints": [a, b]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = limbik.load(sample.save(tmp_path))
    np.testing.assert_allclose(
        figure.positions(figure.rest), world_matrices(sample.json["nodes"])[:, :3, 3], atol=1e-12
    )


@pytest.mark.parametrize(
    "armature",
    [
        {"scale": [1, 2, 1]},
        {"matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},  # a shear
    ],
)
def test_unequal_scales_and_shears_are_right_at_rest_and_said(
    tmp_path: Path, armature: dict[str, list[float]]
) -> None:
    sample = leg(**armature)
    with pytest.warns(UserWarning, match="differs between directions or has a shear"):
        figure = limbik.load(sample.save(tmp_path))
    np.testing.assert_allclose(
        figure.positions(figure.rest), world_matrices(sample.json["nodes"])[1:4, :3, 3], atol=1e-9
    )


def test_skins_may_be_several_and_nested_and_share_joints(tmp_path: Path) -> None:
    sample = leg()
    hair = sample.node("hair", 2, translation=[0, 0.1, 0])  # on the knee, why not
    end = sample.node("hair end", hair, translation=[0, 0.1, 0])
    sample.put("skins", {"joints": [end, hair]})
    sample.put("skins", {"joints": [3, 2]})
    figure = limbik.load(sample.save(tmp_path))
    assert figure.joints == ("hip", "knee", "foot", "hair", "hair end")
    assert figure.parents.tolist() == [-1, 0, 1, 1, 3]


def test_nodes_between_joints_are_stiff_joints(tmp_path: Path) -> None:
    sample = Sample()
    top = sample.node("top")
    between = sample.node("between", top, translation=[0, 1, 0])
    low = sample.node("low", between, translation=[0, 1, 0])
    sample.node("aside", between)
    sample.put("skins", {"joints": [low, top]})
    figure = limbik.load(sample.save(tmp_path))
    assert figure.joints == ("top", "between", "low")
    assert [joint.kind for joint in figure.definition] == [
        "free (exponential)",
        "fixed",
        "ball (swing–twist)",
    ]


def test_two_roots_of_one_skin_hang_on_what_they_share(tmp_path: Path) -> None:
    sample = Sample()
    world = sample.node("world")
    rig = sample.node("rig", world, translation=[0, 1, 0])
    stem = sample.node("stem", rig, translation=[0, 1, 0])
    one = sample.node("one", stem, translation=[1, 0, 0])
    two = sample.node("two", rig, translation=[-1, 0, 0])
    sample.put("skins", {"joints": [one, two]})
    figure = limbik.load(sample.save(tmp_path))
    assert figure.joints == ("rig", "stem", "one", "two")
    assert figure.parents.tolist() == [-1, 0, 1, 0]
    assert figure.n == 6 + 3 + 3


def test_roots_that_share_nothing_stay_free(tmp_path: Path) -> None:
    sample = Sample()
    one, two = sample.node("one"), sample.node("two", translation=[1, 0, 0])
    sample.put("skins", {"joints": [one, two]})
    figure = limbik.load(sample.save(tmp_path))
    assert figure.parents.tolist() == [-1, -1]
    assert figure.n == 12


def test_without_skins_the_animated_nodes_are_the_joints(tmp_path: Path) -> None:
    sample = Sample()
    scene = sample.node("scene")
    base = sample.node("base", scene)
    arm = sample.node("arm", base, translation=[0, 1, 0])
    link = sample.node("link", arm, translation=[0, 1, 0])
    hand = sample.node("hand", link, translation=[0, 1, 0])
    turns = [xyzw("x", 0), xyzw("x", 40)]
    sample.animate([(hand, "rotation", [0, 1], turns), (arm, "rotation", [0, 1], turns)])
    assert limbik.load(sample.save(tmp_path)).joints == ("arm", "link", "hand")


def test_without_skins_and_animations_all_nodes_are(tmp_path: Path) -> None:
    sample = Sample()
    base = sample.node("base")
    sample.node("left", base, translation=[1, 0, 0])
    sample.node("right", base, translation=[-1, 0, 0])
    assert limbik.load(sample.save(tmp_path)).joints == ("base", "left", "right")


def test_an_ancestor_that_a_clip_moves_is_a_joint(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(0, "translation", [0, 1], [[0, 0, 0], [0, 0, 5]])])
    figure = limbik.load(sample.save(tmp_path))
    assert figure.joints == ("Armature", "hip", "knee", "foot")
    still = leg()
    still.animate([(0, "translation", [0, 1], [[0, 0, 0], [0, 0, 0]])])
    assert limbik.load(still.save(tmp_path)).joints == ("hip", "knee", "foot")


def test_names_used_twice_or_missing_become_unique(tmp_path: Path) -> None:
    sample = Sample()
    a = sample.node("bone")
    b = sample.node("bone", a, translation=[0, 1, 0])
    c = sample.node("bone_2", b, translation=[0, 1, 0])
    d = sample.node(None, c, translation=[0, 1, 0])
    sample.put("skins", {"joints": [a, b, c, d]})
    with pytest.warns(UserWarning, match=r'used twice: "bone" \(node 1\) is now "bone_3"'):
        figure = limbik.load(sample.save(tmp_path))
    assert figure.joints == ("bone", "bone_3", "bone_2", "node 3")


def test_the_node_at_the_end_of_a_last_bone_is_its_tip(tmp_path: Path) -> None:
    sample = leg()
    sample.node("foot_end", 3, translation=[0.0, 0.0, 0.2])
    figure = limbik.load(sample.save(tmp_path))
    assert figure.definition[-1].tip == pytest.approx((0, 0, 0.2))
    (ball,) = figure.definition[-1].parts
    assert isinstance(ball, SwingTwistBall)
    assert ball.twist == pytest.approx((0, 0, 1))


def test_a_flat_hand_gets_its_fingers_from_the_names() -> None:
    figure = limbik.load(find("gltf/webxr_hand/left.glb"))
    above = {
        joint: None if parent < 0 else figure.joints[parent]
        for joint, parent in zip(figure.joints, figure.parents, strict=True)
    }
    assert above["wrist"] is None
    assert above["thumb-phalanx-proximal"] == "thumb-metacarpal"
    assert above["thumb-phalanx-distal"] == "thumb-phalanx-proximal"
    for finger in ("index", "middle", "ring", "pinky"):
        chain = ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"]
        names = ["wrist", *(f"{finger}-finger-{segment}" for segment in chain)]
        assert [above[name] for name in names[1:]] == names[:-1]
    # Bending a knuckle now carries the finger: distances along it stay.
    q = figure.rest.copy()
    q[figure.coordinates_of("index-finger-phalanx-proximal")[:2]] = 0.4, 0.7
    bone = [figure.index(f"index-finger-{end}") for end in ("phalanx-distal", "tip")]
    before, after = figure.positions(figure.rest)[bone], figure.positions(q)[bone]
    assert np.linalg.norm(after[1] - before[1]) > 0.02
    assert np.linalg.norm(np.diff(after, axis=0)) == pytest.approx(
        np.linalg.norm(np.diff(before, axis=0))
    )


def test_two_flat_hands_are_told_apart(tmp_path: Path) -> None:
    sample = Sample()
    rig = sample.node("rig")
    joints = []
    for side, x in (("left-", -1), ("right-", 1)):
        for k, name in enumerate(("index-finger-tip", "index-finger-phalanx-distal", "wrist")):
            joints.append(sample.node(side + name, rig, translation=[x, -k, 0]))
    sample.put("skins", {"joints": joints})
    figure = limbik.load(sample.save(tmp_path))
    assert [figure.joints[k] for k in np.flatnonzero(figure.parents < 0)] == [
        "left-wrist",
        "right-wrist",
    ]
    tip = figure.index("right-index-finger-tip")
    assert figure.joints[figure.parents[tip]] == "right-index-finger-phalanx-distal"


def test_buffers_may_be_a_file_beside_or_inside(tmp_path: Path) -> None:
    sample = leg()
    sample.animate([(2, "rotation", [0, 1], [xyzw("x", 0), xyzw("x", 60)])])
    (tmp_path / "the data.bin").write_bytes(sample.blob)
    (tmp_path / "apart.gltf").write_bytes(sample.gltf(uri="the%20data.bin"))
    motions = [
        limbik.load_motion(path)
        for path in (
            tmp_path / "apart.gltf",
            sample.save(tmp_path, "inside.gltf"),
            sample.save(tmp_path, "one.glb"),
        )
    ]
    assert len({motion.q.tobytes() for motion in motions}) == 1

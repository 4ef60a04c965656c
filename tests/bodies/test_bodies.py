"""Masses and shapes of bodies whose files have none."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.robot_comparisons import load
from limbik import Capsule
from limbik.bodies import fitted_shapes, segment_masses
from limbik.bodies.segment_masses import FOOT, HAND, HEAD, LIMBS, TRUNK
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.collision_pairs import collision_pairs
from limbik.formats.gltf.mesh import meshes

HUMAN = limbik.figures.human()


def test_the_shares_of_the_table_are_a_whole() -> None:
    limbs = sum(segment.mass for segment in LIMBS.values()) + HAND.mass + FOOT.mass
    trunk = sum(segment.mass for _, _, segment in TRUNK)
    assert 2 * limbs + trunk + HEAD.mass == pytest.approx(1.0, abs=1e-12)


def test_a_person_has_the_masses_of_the_table() -> None:
    assert HUMAN.mass == pytest.approx(73.0)
    assert HUMAN.inertias["LeftArm"].mass == pytest.approx(0.0271 * 73.0)
    # The centre of an upper arm lies 57.72 % of the way to the elbow.
    places = HUMAN.frames(HUMAN.rest)
    frame = places[HUMAN.index("LeftArm")]
    center = frame[:3, :3] @ np.array(HUMAN.inertias["LeftArm"].center) + frame[:3, 3]
    elbow = places[HUMAN.index("LeftForeArm"), :3, 3]
    np.testing.assert_allclose(center, frame[:3, 3] + 0.5772 * (elbow - frame[:3, 3]), atol=1e-12)
    assert all(np.linalg.eigvalsh(own.matrix).min() > 0.0 for own in HUMAN.inertias.values())


def test_a_person_s_centre_of_mass_lies_in_the_pelvis() -> None:
    com, hips = HUMAN.com(HUMAN.rest), HUMAN.positions(HUMAN.rest, "Hips")
    assert abs(com[0]) < 1e-9
    assert abs(com[1] - hips[1]) < 0.12
    assert abs(com[2] - hips[2]) < 0.05
    # It moves as the mass moves: an arm of 4.94 % raised from one side.
    raised = HUMAN.pose({"LeftArm": [1.0, 0.0, 0.0]})
    jacobian = HUMAN.com_jacobian(HUMAN.rest)
    assert np.linalg.norm(jacobian[:, HUMAN.coordinates.index("LeftArm.swing1")]) > 0.005
    assert np.linalg.norm(HUMAN.com(raised) - com) > 0.005


def test_other_rigs_have_the_same_masses() -> None:
    for name in ("cmu_bvh", "bvh_other/bvhtoolbox_walk01.bvh", "vrm/sat06_basic_armature_vrm1.vrm"):
        path = real_data.find(name)
        path = path if path.is_file() else sorted(path.rglob("*.bvh"))[0]
        figure = load(path)
        assert figure.mass == pytest.approx(73.0), name
        rest = figure.positions(figure.rest)
        share = (figure.com(figure.rest) - rest.min(axis=0)) / np.ptp(rest, axis=0)
        assert 0.5 < share[1] < 0.7, name


def test_what_is_not_a_body_has_no_masses_and_robots_are_not_guessed() -> None:
    assert segment_masses(limbik.figures.spider()) == ()
    assert limbik.figures.arm().mass == 0.0
    puma = load(real_data.find("robots/rtb_puma560_robot.urdf"))
    assert (puma.mass, puma.shapes) == (0.0, ())


def test_bones_get_capsules_between_their_joints() -> None:
    shapes = HUMAN.shapes
    forearm = [s for s in shapes if s.joint == "LeftForeArm"]
    assert len(forearm) == 1
    assert isinstance(forearm[0], Capsule)
    start, end = forearm[0].ends
    np.testing.assert_allclose(start, 0.0, atol=1e-12)
    hand = HUMAN.definition[HUMAN.index("LeftHand")].offset
    np.testing.assert_allclose(end, hand, atol=1e-12)
    assert 0.02 < forearm[0].radius < 0.06
    pairs = collision_pairs(HUMAN)
    named = {frozenset((shapes[i].joint, shapes[j].joint)) for i, j in pairs}
    assert frozenset(("LeftForeArm", "RightForeArm")) in named
    assert frozenset(("LeftForeArm", "LeftArm")) not in named


def inside(capsule: Capsule, points: np.ndarray) -> np.ndarray:
    start, end = capsule.ends
    along = end - start
    s = np.clip((points - start) @ along / max(float(along @ along), 1e-300), 0, 1)
    away = np.linalg.norm(points - start - np.outer(s, along), axis=1)
    return away <= capsule.radius * (1 + 1e-9)


def held_by(figure: limbik.Figure, mesh: SkinnedMesh, joint: str) -> np.ndarray:
    bone = mesh.joints.tolist().index(figure.index(joint))
    rows = (mesh.weights * (mesh.bones == bone)).sum(axis=1) >= 0.5
    return mesh.positions[rows] @ mesh.bind[bone, :3, :3].T + mesh.bind[bone, :3, 3]


def test_skins_get_capsules_around_what_follows_a_joint() -> None:
    figure = load(real_data.find("gltf/CesiumMan.glb"))
    shapes = fitted_shapes(figure)
    assert len(shapes) == len({shape.joint for shape in shapes}) > 10
    (mesh,) = meshes(figure)
    for shape in shapes:
        assert isinstance(shape, Capsule)
        points = held_by(figure, mesh, shape.joint)
        if len(points) >= 30:
            assert 0.9 <= inside(shape, points).mean() <= 1.0, shape.joint
    assert figure.physical.shapes is None  # worked out when asked for, not read

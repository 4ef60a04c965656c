"""Volumes and moments of simple solids, against meshes of them and against trimesh."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from limbik.maths import solids


@pytest.mark.parametrize(
    ("made", "mesh"),
    [
        (solids.box(0.1, 0.2, 0.3), trimesh.creation.box([0.2, 0.4, 0.6])),
        (solids.sphere(0.4), trimesh.creation.icosphere(4, 0.4)),
        (solids.cylinder(0.2, 0.5), trimesh.creation.cylinder(0.2, 1.0, sections=200)),
        (solids.capsule(0.2, 0.3), trimesh.creation.capsule(0.6, 0.2, count=[80, 80])),
    ],
    ids=["box", "sphere", "cylinder", "capsule"],
)
def test_simple_solids(made: solids.Solid, mesh: trimesh.Trimesh) -> None:
    assert made.volume == pytest.approx(mesh.volume, rel=1e-2)
    np.testing.assert_allclose(made.moments, mesh.moment_inertia, rtol=2e-2, atol=1e-6)


def test_a_mesh_has_the_moments_of_what_it_encloses() -> None:
    mesh = trimesh.creation.box([0.2, 0.4, 0.6])
    mesh.apply_transform(trimesh.transformations.random_rotation_matrix(np.array([0.1, 0.5, 0.9])))
    mesh.apply_translation([1.0, 2.0, 3.0])
    for absolute in (False, True):
        found = solids.mesh(mesh.vertices, mesh.faces, absolute=absolute)
        assert found.volume == pytest.approx(0.048, rel=1e-12)
        np.testing.assert_allclose(found.center, [1.0, 2.0, 3.0], atol=1e-12)
        np.testing.assert_allclose(found.moments, mesh.moment_inertia, atol=1e-12)


def test_triangles_that_face_inwards_count_too_where_signs_do_not() -> None:
    mesh = trimesh.creation.box([1.0, 1.0, 1.0])
    faces = mesh.faces.copy()
    faces[:6] = faces[:6, ::-1]
    assert solids.mesh(mesh.vertices, faces, absolute=True).volume == pytest.approx(1.0)
    assert solids.mesh(mesh.vertices, faces).volume < 0.9
    assert solids.shell(mesh.vertices, faces).volume == pytest.approx(6.0)

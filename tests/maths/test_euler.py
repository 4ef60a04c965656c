"""Euler angles in all twelve orders, against SciPy and in gimbal lock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from helpers.rotation_samples import (
    random_rotations,
    scipy_rotation,
    wxyz,
)
from limbik.maths import so3 as rot
from limbik.maths.euler import ORDERS


def test_there_are_twelve_orders() -> None:
    assert len(ORDERS) == len(set(ORDERS)) == 12


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_agree_with_scipy(order: str) -> None:
    rotation = random_rotations(2000)
    angles = rotation.as_euler(order)
    np.testing.assert_allclose(rot.quat_to_euler(wxyz(rotation), order), angles, atol=1e-12)
    assert (
        scipy_rotation(rot.euler_to_quat(angles, order)) * rotation.inv()
    ).magnitude().max() < 1e-14
    in_degrees = rot.quat_to_euler(wxyz(rotation), order, degrees=True)
    np.testing.assert_allclose(in_degrees, np.degrees(angles), atol=1e-10)
    there = rot.euler_to_quat(in_degrees, order, degrees=True)
    assert rot.angle_between(there, wxyz(rotation)).max() < 1e-14


@pytest.mark.parametrize("order", ORDERS)
@given(
    first=st.floats(-4, 4), third=st.floats(-4, 4), near=st.sampled_from([0, 1e-15, 1e-13, 1e-9])
)
def test_gimbal_lock_has_a_valid_answer(order: str, first, third, near) -> None:
    for lock in (-np.pi, -np.pi / 2, 0.0, np.pi / 2, np.pi):
        q = rot.euler_to_quat([first, lock + near, third], order)
        angles = rot.quat_to_euler(q, order)
        assert np.all(np.abs(angles) <= np.pi * (1 + 1e-15))
        assert rot.angle_between(rot.euler_to_quat(angles, order), q) < 1e-11
        assert rot.angle_between(rot.euler_to_quat(rot.quat_to_euler(-q, order), order), q) < 1e-11


def test_bvh_order_turns_about_z_first() -> None:
    q = rot.euler_to_quat([10, 20, 30], "ZXY", degrees=True)
    z, x, y = (
        Rotation.from_euler(a, d, degrees=True) for a, d in [("z", 10), ("x", 20), ("y", 30)]
    )
    np.testing.assert_allclose(rot.quat_to_matrix(q), (z * x * y).as_matrix(), atol=1e-15)

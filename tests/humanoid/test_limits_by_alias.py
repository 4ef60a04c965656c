"""limits_from where coordinates are called after a joint's second name."""

from __future__ import annotations

import numpy as np

import limbik
from limbik.figure.joints import Joint, euler, revolute


def test_a_robot_whose_coordinates_are_called_otherwise() -> None:
    figure = limbik.Figure(
        [
            Joint("base_link"),
            Joint("upper_link", "base_link", revolute("z"), alias="shoulder"),
            Joint("lower_link", "upper_link", euler("ZYX"), alias="elbow"),
        ]
    )
    assert figure.coordinates[:2] == ("shoulder", "elbow.rz")
    q = np.array([[0.1, -0.2, 0.0, 0.5], [0.4, 0.3, 0.1, 0.6]])
    limits = limbik.limits_from(limbik.Motion(figure, q, fps=30), margin=0)
    assert set(limits) == {"upper_link", "lower_link"}
    limited = figure.with_limits(limits)
    assert np.array_equal(limited.lower, q.min(axis=0))
    assert np.array_equal(limited.upper, q.max(axis=0))

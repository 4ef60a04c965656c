"""Poses by roles: from one body to another, bone by bone."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from helpers import real_data
from limbik.figure.figure import Figure
from limbik.humanoid import recognise
from limbik.humanoid.role_pose import role_pose, with_role_pose

HUMAN = limbik.figures.human()


def vrm() -> Figure:
    path = real_data.find("vrm/sat06_basic_armature_vrm1.vrm")
    return limbik.humanoid.limited(limbik.load(path))


def bones(figure: Figure, q: np.ndarray) -> dict[str, np.ndarray]:
    """Directions of the limbs' bones, in the world."""
    body, places = recognise(figure), figure.positions(q)
    out: dict[str, np.ndarray] = {}
    chains = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))
    for side in ("left", "right"):
        for first, second, third in chains:
            for a, b in ((first, second), (second, third)):
                along = places[figure.index(body[side + b])] - places[figure.index(body[side + a])]
                out[side + a] = along / np.linalg.norm(along)
    return out


def sitting() -> np.ndarray:
    """One arm up, one knee raised, hips lowered and turned."""
    goals = [
        limbik.Reach("LeftHand", position=[0.5, 1.6, 0.3]),
        limbik.Reach("RightFoot", position=[-0.1, 0.45, 0.3]),
        limbik.Pin("LeftFoot"),
        limbik.Reach("Hips", position=[0.05, 0.8, -0.05]),
    ]
    result = limbik.solve(HUMAN, goals)
    assert result.ok
    return result.q


def test_there_and_back_on_the_same_body_is_the_same_pose() -> None:
    q = sitting()
    back = with_role_pose(HUMAN, role_pose(HUMAN, q))
    assert HUMAN.positions(back) == pytest.approx(HUMAN.positions(q), abs=2e-3)


def test_another_body_bends_its_limbs_the_same_way() -> None:
    figure, q = vrm(), sitting()
    there = with_role_pose(figure, role_pose(HUMAN, q))
    assert figure.violation(there) < 1e-9
    ours, theirs = bones(HUMAN, q), bones(figure, there)
    # The VRM faces the other way where its file says so: compare in each body's own axes.
    for name in ours:
        assert abs(ours[name][1] - theirs[name][1]) < 0.15, name
        angle = np.degrees(np.arccos(np.clip(ours[name] @ theirs[name], -1.0, 1.0)))
        assert angle < 15.0, (name, angle)


def test_the_hips_go_down_in_proportion() -> None:
    figure, q = vrm(), sitting()
    there = with_role_pose(figure, role_pose(HUMAN, q))
    hips = figure.index(recognise(figure)["hips"])
    fell = figure.positions(figure.rest)[hips] - figure.positions(there)[hips]
    ours = (
        HUMAN.positions(HUMAN.rest)[HUMAN.index("Hips")] - HUMAN.positions(q)[HUMAN.index("Hips")]
    )
    assert 0.5 * ours[1] < fell[1] < 1.5 * ours[1]


def test_what_is_no_body_is_refused() -> None:
    spider = limbik.figures.spider()
    with pytest.raises(limbik.FigureError, match="no body"):
        role_pose(spider, spider.rest)

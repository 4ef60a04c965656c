"""What the page is told of a figure: enough to place every joint without the library."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from helpers.random_figures import COUPLED, JOINTS, random_figure
from limbik import Figure, FigureError, Joint, Range, SwingTwist, figures, humanoid
from limbik.figure import joints as jt
from limbik.figure.appearance.capsules import capsules, joint_radii
from limbik.figure.joints import Coupling
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.commands.registry import checked
from limbik.poser.protocol.figure_info import figure_info, limit_from, limit_info, limits_info
from limbik.poser.protocol.text import ProtocolError, json_of

FIGURES = {
    "human": figures.human,
    "human, Euler": lambda: figures.human().with_balls("euler"),
    "human, exponential": lambda: figures.human().with_balls("exponential"),
    "hand": figures.hand,
    "arm": figures.arm,
    "leg": figures.leg,
    "spider": figures.spider,
    "chain": lambda: figures.chain(lengths=[0.3, 0.2, 0.1]),
}
RANDOM = {
    f"random {seed}": lambda seed=seed: random_figure(
        np.random.default_rng(seed),
        [
            "free euler",
            "revolute",
            *np.random.default_rng(seed).choice([*JOINTS, *COUPLED * 6], 12).tolist(),
        ],
        limits=True,
    )
    for seed in range(12)
}


def told(figure: Figure) -> dict:
    """FigureInfo as it arrives in the page."""
    info = figure_info(figure, id=3, up="y", floor=0.0, file="a.bvh", clips=["walk"])
    return json.loads(json_of(info))


def plain(limit: Any) -> Any:
    """A limit as JSON."""
    return None if limit is None else json.loads(json_of(limit))


def as_sent(limit: Any) -> Any:
    """A limit as a command of the page gives it."""
    return checked(limit, msg.Limit, "the limit")


def matrix(rotation: Rotation, place=(0.0, 0.0, 0.0)) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation.as_matrix(), place
    return out


def placed_by_the_page(info: dict, q: np.ndarray) -> np.ndarray:
    """(joints, 4, 4) by the rule in messages.ts: translate(offset) · rotate(wxyz) · parts."""
    world: list[np.ndarray] = []
    for joint in info["joints"]:
        local = matrix(Rotation.from_quat(joint["wxyz"], scalar_first=True), joint["offset"])
        for part in joint["parts"]:
            if part["kind"] in ("turn", "slide"):
                value = part["scale"] * q[part["driver"]] + part["shift"]
                along = value * np.array(part["axis"])
                if part["coordinate"] >= 0:
                    assert (part["driver"], value) == (part["coordinate"], q[part["coordinate"]])
                turn = (
                    Rotation.from_rotvec(along) if part["kind"] == "turn" else Rotation.identity()
                )
                local = local @ matrix(turn, along if part["kind"] == "slide" else (0, 0, 0))
            else:
                c = part["coordinate"]
                u, t = np.array(part["swing"]), np.array(part["twist"])
                if part["kind"] == "exponential":
                    turn = Rotation.from_rotvec(q[c : c + 3])
                else:
                    swing = q[c] * u + q[c + 1] * np.cross(t, u)
                    turn = Rotation.from_rotvec(swing) * Rotation.from_rotvec(q[c + 2] * t)
                local = local @ matrix(turn)
        world.append(local if joint["parent"] < 0 else world[joint["parent"]] @ local)
    return np.array(world)


@pytest.mark.parametrize("name", [*FIGURES, *RANDOM])
def test_placements_reproduce_the_frames(name):
    figure = (FIGURES | RANDOM)[name]()
    info, rng = told(figure), np.random.default_rng(5)
    for spread in (0.0, 0.3, 1.0, 2.0):
        q = figure.project(figure.rest + rng.normal(0, spread, figure.n))
        np.testing.assert_allclose(placed_by_the_page(info, q), figure.frames(q), atol=1e-11)


def test_the_random_figures_have_coupled_joints():
    parts = [p for make in RANDOM.values() for j in told(make())["joints"] for p in j["parts"]]
    coupled = [p for p in parts if p["coordinate"] < 0]
    assert len(coupled) > 10
    assert {p["kind"] for p in coupled} == {"turn", "slide"}


@pytest.mark.parametrize("name", [*FIGURES, *RANDOM])
def test_joints_own_their_coordinates(name):
    figure = (FIGURES | RANDOM)[name]()
    info = told(figure)
    owned = [joint["first"] + k for joint in info["joints"] for k in range(joint["count"])]
    assert owned == list(range(figure.n))
    for i, joint in enumerate(info["joints"]):
        for c in range(joint["first"], joint["first"] + joint["count"]):
            assert info["coordinates"][c]["joint"] == i
            assert info["coordinates"][c]["name"] == figure.coordinates[c]
    assert [c["slides"] for c in info["coordinates"]] == figure.slides.tolist()
    np.testing.assert_array_equal([c["rest"] for c in info["coordinates"]], figure.rest)


def test_what_else_is_told():
    figure = figures.human()
    info = told(figure)
    assert (info["id"], info["unit"], info["up"], info["file"]) == (3, "m", "y", "a.bvh")
    assert info["size"] == figure.size
    hand = info["joints"][figure.index("LeftHand")]
    assert (hand["role"], hand["parent"]) == ("left hand", figure.index("LeftForeArm"))
    assert info["joints"][figure.index("LeftArm")]["role"] == "left upper arm"
    assert info["joints"][figure.index("LHipJoint")]["role"] == ""


# ---- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*FIGURES, *RANDOM])
def test_limits_there_and_back_allow_the_same(name):
    figure, rng = (FIGURES | RANDOM)[name](), np.random.default_rng(2)
    sent = [None if one is None else as_sent(plain(one)) for one in limits_info(figure)]
    again = figure.with_limits(
        {
            joint.name: limit_from(joint, limit)
            for joint, limit in zip(figure.definition, sent, strict=True)
            if limit is not None
        }
    )
    np.testing.assert_array_equal(again.lower, figure.lower)
    np.testing.assert_array_equal(again.upper, figure.upper)
    for _ in range(20):
        q = figure.rest + rng.normal(0, 2.0, figure.n)
        np.testing.assert_array_equal(again.project(q), figure.project(q))


def test_ranges_and_cones_as_numbers():
    hinge = Joint("Knee", parts=jt.revolute("x"), limit=Range(0, 2.5))
    assert plain(limit_info(hinge)) == {"kind": "range", "lower": [0.0], "upper": [2.5]}
    open_ended = Joint("Root", parts=jt.slides(), limit=Range([-1, -np.inf, 0], np.inf))
    assert plain(limit_info(open_ended)) == {
        "kind": "range",
        "lower": [-1.0, None, 0.0],
        "upper": [None, None, None],
    }
    ball = Joint("Hip", parts=jt.swing_twist(), limit=SwingTwist(swing=(1.0, 0.5), twist=(-1, 2)))
    cone = {"kind": "cone", "swing": [1.0, 0.5], "center": [0.0, 0.0], "twist": [-1.0, 2.0]}
    assert plain(limit_info(ball)) == cone
    assert limit_from(ball, as_sent(cone)) == ball.limit
    unlimited = {"kind": "cone", "swing": None, "center": [0, 0], "twist": [None, 1]}
    assert limit_from(ball, as_sent(unlimited)) == SwingTwist(twist=(-np.inf, 1.0))
    assert limit_info(Joint("Free", parts=jt.slides())) is None
    assert limit_from(ball, None) is None


def test_one_number_for_all_coordinates_becomes_one_each():
    joint = Joint("Wrist", parts=jt.universal("x", "y"), limit=Range(-0.5, 0.5))
    assert plain(limit_info(joint)) == {"kind": "range", "lower": [-0.5, -0.5], "upper": [0.5, 0.5]}


def test_coupled_parts_keep_their_ranges():
    follows = jt.revolute("x", coupled=Coupling("Finger", 0.7))
    both = Joint("Tip", "Finger", follows + jt.revolute("y"), limit=Range([0, -1], [1.4, 1]))
    figure = Figure([Joint("Finger", parts=jt.revolute("x")), both])
    assert plain(limit_info(both)) == {"kind": "range", "lower": [-1.0], "upper": [1.0]}
    changed = limit_from(both, as_sent({"kind": "range", "lower": [-0.25], "upper": [None]}))
    assert changed == Range([0, -0.25], [1.4, np.inf])
    assert figure.with_limits({"Tip": changed}).upper.tolist() == [2.0, np.inf]
    only = Joint("Tip", "Finger", follows, limit=Range(0, 1))
    assert limit_info(only) is None
    with pytest.raises(FigureError, match="no coordinates of its own"):
        limit_from(only, as_sent({"kind": "range", "lower": [], "upper": []}))


@pytest.mark.parametrize(
    "limit",
    [
        {},
        {"kind": "box"},
        {"kind": "range", "lower": [0]},
        {"kind": "range", "lower": [0], "upper": [1], "more": 1},
        {"kind": "range", "lower": [0, 0], "upper": [1, 1]},
        {"kind": "range", "lower": 0, "upper": 1},
        {"kind": "range", "lower": ["0"], "upper": [1]},
        {"kind": "range", "lower": [True], "upper": [1]},
        {"kind": "cone", "swing": [1, None], "center": [0, 0], "twist": [0, 1]},
        {"kind": "cone", "swing": [1, 1], "center": [0], "twist": [0, 1]},
        {"kind": "cone", "swing": [1, 1], "center": [0, 0], "twist": [0]},
    ],
)
def test_limits_that_no_page_sends(limit):
    with pytest.raises(ProtocolError, match="the limit"):
        limit_from(Joint("Knee", parts=jt.revolute("x")), as_sent(limit))


def test_limits_that_a_person_gets_wrong():
    knee = Joint("Knee", parts=jt.revolute("x"))
    with pytest.raises(FigureError, match="above upper"):
        limit_from(knee, as_sent({"kind": "range", "lower": [1], "upper": [0]}))
    with pytest.raises(FigureError, match="positive"):
        limit_from(
            knee, as_sent({"kind": "cone", "swing": [0, 1], "center": [0, 0], "twist": [0, 1]})
        )


# ---- capsules -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*FIGURES, *RANDOM])
def test_capsules_join_the_joints(name):
    figure = (FIGURES | RANDOM)[name]()
    frames = figure.frames(figure.rest)
    bones = told(figure)["bones"]
    covered = {bone["joint"] for bone in bones}
    assert covered == set(range(len(figure.joints)))
    ends = np.array(
        [frames[b["joint"], :3, :3] @ b["to"] + frames[b["joint"], :3, 3] for b in bones]
    )
    for i, parent in enumerate(figure.parents):
        if parent >= 0:
            mine = [k for k, b in enumerate(bones) if b["joint"] in (parent, i)]
            near = np.abs(ends[mine] - frames[i, :3, 3]).max(axis=1).min()
            same = np.abs(frames[i, :3, 3] - frames[parent, :3, 3]).max()
            assert min(near, same) < 1e-9
    radii = np.array([bone["radius"] for bone in bones])
    assert (radii > 0.002 * figure.size).all()
    assert (radii < 0.08 * figure.size).all()


def test_a_body_is_thick_where_bodies_are():
    figure = figures.human()
    radius = {}
    found = capsules(figure, humanoid.recognise(figure).roles)
    for joint, thick in zip(found.joints, found.radius, strict=True):
        radius.setdefault(figure.joints[joint], float(thick))
    order = ["Spine1", "LeftUpLeg", "LeftLeg", "LeftArm", "LeftForeArm", "LeftHand", "LThumb"]
    thickness = [radius[joint] for joint in order]
    assert thickness == sorted(thickness, reverse=True)
    assert 0.06 < radius["LeftUpLeg"] < 0.10  # a thigh is 12 to 20 cm across
    assert 0.08 < radius["Head"] < 0.12
    for joint, thick in radius.items():
        if joint.startswith("Left"):
            assert radius["Right" + joint[4:]] == pytest.approx(thick, rel=1e-9)


def test_a_head_that_carries_eyes_alone_is_drawn_as_a_head():
    """As high as one without any bone above it, and not as high as its eyes."""
    human = figures.human()
    joints = [replace(j, tip=None) if j.name == "Head" else j for j in human.definition]
    eye = Joint("LeftEye", parent="Head", offset=(0.03, 0.06, 0.05))
    tops = []
    for figure in (Figure(joints), Figure([*joints, eye])):
        found = capsules(figure, humanoid.recognise(figure).roles)
        mine = found.joints == figure.index("Head")
        tops.append(found.end[mine][:, 1].max())
        assert found.radius[mine].max() > 0.08
    assert tops[1] == pytest.approx(tops[0])


def test_the_end_of_a_head_is_no_second_head():
    human = figures.human()
    top = Joint("HeadEnd", parent="Head", offset=(0.0, 0.18, 0.0))
    eye = Joint("LeftEye", parent="Head", offset=(0.03, 0.06, 0.05))
    figure = Figure([*human.definition, top, eye])
    found = capsules(figure, humanoid.recognise(figure).roles)
    thick = {
        (figure.joints[j], float(length) > 0.1): r
        for j, length, r in zip(
            found.joints, np.linalg.norm(found.end - found.start, axis=1), found.radius, strict=True
        )
    }
    assert thick["Head", True] > 0.08
    assert thick["HeadEnd", False] < 0.02  # one stood on the other
    assert thick["Head", False] < 0.02  # to the eye


def test_thickness_does_not_grow_outwards_and_scales_with_the_figure():
    for make in (figures.hand, figures.arm, figures.spider):
        figure = make()
        radius = joint_radii(figure)
        for i, parent in enumerate(figure.parents):
            if parent >= 0:
                assert radius[i] <= radius[parent] + 1e-12
    small, large = figures.hand(), figures.hand().in_units("mm")
    assert joint_radii(large) == pytest.approx(1000 * joint_radii(small), rel=1e-9)

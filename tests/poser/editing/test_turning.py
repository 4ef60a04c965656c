"""Joints turned one by one, limbs in FK, and looks that are tied to something; in numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.poser.poser_talk import Talk
from limbik.humanoid import recognise
from limbik.maths.so3 import exp_map, matrix_to_quat, quat_multiply
from limbik.poser.editing.session import Session
from limbik.poser.files.save import saved_as
from limbik.poser.protocol.joint_axes import joint_axes, role_axes

HUMAN = limbik.figures.human()


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(Session.builtin("human", tmp_path))


def turned(q: np.ndarray, joint: str, about: np.ndarray, degrees: float) -> list[float]:
    """The orientation of a joint turned about an axis of its own frame."""
    wxyz = matrix_to_quat(HUMAN.frames(q)[HUMAN.index(joint), :3, :3])
    return quat_multiply(wxyz, exp_map(np.radians(degrees) * about)).tolist()


def test_anatomical_axes_move_bones_as_their_names_say() -> None:
    axes = joint_axes(HUMAN, recognise(HUMAN))
    forward = {"LeftUpLeg": "LeftLeg", "RightUpLeg": "RightLeg", "LowerBack": "Head"}
    for joint, end in forward.items():
        i = HUMAN.index(joint)
        ahead, _, up = (axes[i][:, k] for k in (0, 1, 2))
        talk_q = HUMAN.rest.copy()
        frame = HUMAN.frames(talk_q)[i]
        arm = HUMAN.positions(talk_q)[HUMAN.index(end)] - frame[:3, 3]
        moved = np.cross(frame[:3, :3] @ ahead, arm)
        assert moved[2] > 0.8 * np.linalg.norm(arm), joint  # flexed, it goes forward
        assert abs((frame[:3, :3] @ up) @ arm) > 0.9 * np.linalg.norm(arm)  # twist is along it
    for side in ("left", "right"):  # spread lifts arms and legs away from the body
        for part, bone in (("UpperArm", (1, 0, 0)), ("UpperLeg", (0, -1, 0))):
            sign = 1.0 if side == "left" else -1.0
            out = np.cross(role_axes(side + part)[:, 1], np.array(bone) * [sign, 1, 1])
            assert out @ ([0, 1, 0] if part == "UpperArm" else [sign, 0, 0]) > 0.99
        np.testing.assert_allclose(np.linalg.norm(role_axes(f"{side}ThumbDistal"), axis=0), 1.0)


def test_a_joint_without_an_effector_is_turned_and_pins_stay(talk: Talk) -> None:
    before, axes = talk.session.document.q, joint_axes(HUMAN, recognise(HUMAN))
    i = HUMAN.index("LeftArm")
    for step in (10.0, 20.0, 30.0):
        talk.do("joint.turn", joint=i, wxyz=turned(before, "LeftArm", axes[i][:, 0], step))
    q = talk.session.document.q
    changed = {HUMAN.joints[j] for j in HUMAN.owner[np.abs(q - before) > 1e-9]}
    assert changed == {"LeftArm"}
    one, other = (HUMAN.frames(pose)[i, :3, :3] for pose in (before, q))
    angle = np.degrees(np.arccos((np.trace(one.T @ other) - 1.0) / 2.0))
    assert abs(angle - 30.0) < 1e-6
    talk.do("coordinates.drop")
    assert talk.state["undo"] == "Turn LeftArm"
    talk.do("undo")
    np.testing.assert_array_equal(talk.session.document.q, before)
    # The hips turn by 20 degrees, and both feet stay where they are pinned.
    hips = HUMAN.index("Hips")
    talk.do("joint.turn", joint=hips, wxyz=turned(before, "Hips", axes[hips][:, 2], 20.0))
    q = talk.session.document.q
    feet = [HUMAN.index("LeftFoot"), HUMAN.index("RightFoot")]
    np.testing.assert_allclose(HUMAN.positions(q)[feet], HUMAN.positions(before)[feet], atol=5e-4)
    across = HUMAN.frames(q)[hips, :3, 0] @ HUMAN.frames(before)[hips, :3, 0]
    assert abs(np.degrees(np.arccos(across)) - 20.0) < 0.1


def test_a_limb_in_fk_keeps_its_angles_and_lets_go_of_its_pin(talk: Talk) -> None:
    foot, shin = HUMAN.index("LeftFoot"), HUMAN.index("LeftLeg")
    leg = HUMAN.owner == HUMAN.index("LeftUpLeg")
    leg |= np.isin(HUMAN.owner, [shin, foot])
    talk.do("limb.fk", joint=shin, on=True)
    assert talk.state["undo"] == "Turn the left leg joint by joint"
    before = talk.session.document.q
    hips = next(e for e in talk.state["effectors"] if e["name"] == "Hips")
    x, y, z = hips["position"]
    talk.drag(hips["id"], [x + 0.15, y - 0.01, z])
    talk.do("drop")
    after = talk.session.document.q
    np.testing.assert_array_equal(after[leg], before[leg])  # as it was, down to the last bit
    moved = HUMAN.positions(after)[foot] - HUMAN.positions(before)[foot]
    assert np.linalg.norm(moved) > 0.1  # its pin asks for nothing
    own = next(e for e in talk.state["effectors"] if e["name"] == "LeftFoot")
    refused = talk.ask("grab", effector=own["id"])["error"]
    assert "turned joint by joint (FK)" in refused
    talk.do("limb.fk", joint=shin, on=False)
    held = next(e for e in talk.state["effectors"] if e["name"] == "LeftFoot")
    assert held["mode"] == "pin"  # and holds from now on where the foot is
    np.testing.assert_allclose(held["position"], HUMAN.positions(after)[foot], atol=1e-9)
    assert talk.ask("limb.fk", joint=HUMAN.index("Head"), on=True)["error"] == (
        "Head is no part of an arm or a leg."
    )


def looks(talk: Talk) -> float:
    """Degrees between where the head looks and its target."""
    head = next(e for e in talk.session.document.effectors if e.joint == "Head")
    goals = talk.session.answer
    assert goals is not None
    return float(np.degrees(goals.error_of(head.id)[1]))


def test_a_look_begins_before_the_eyes_and_follows_what_it_is_tied_to(talk: Talk) -> None:
    head = next(e for e in talk.state["effectors"] if e["name"] == "Head")["id"]
    talk.do("effector.set", effector=head, mode="aim")
    aim = next(e for e in talk.state["effectors"] if e["id"] == head)
    frame = HUMAN.frames(HUMAN.rest)[HUMAN.index("Head")]
    eye = frame[:3, :3] @ np.array(aim["at"]) + frame[:3, 3]
    assert 0.04 < eye[1] - frame[1, 3] < 0.15  # metres above the joint
    away = np.array(aim["position"]) - eye
    assert 0.5 < away[2] < 1.0  # within arm's reach
    assert abs(away[[0, 1]]).max() < 1e-9  # straight ahead
    hand = next(e for e in talk.state["effectors"] if e["name"] == "LeftHand")
    talk.do("effector.set", effector=head, look="joint:LeftHand")
    # Where a look can go it goes, while the hand is dragged.
    for height in (0.0, 0.15, 0.3):
        talk.drag(hand["id"], [0.3, 1.1 + height, 0.45])
        assert looks(talk) < 0.5
    talk.do("drop")
    talk.do("prop.add", kind="ball")
    prop = talk.state["scene"]["props"][0]
    talk.do("effector.set", effector=head, look=f"prop:{prop['id']}")
    talk.do("prop.set", prop=prop["id"], position=[0.5, 1.4, 0.6])
    assert looks(talk) < 0.5
    talk.do("prop.remove", prop=prop["id"])
    aim = next(e for e in talk.state["effectors"] if e["id"] == head)
    assert (aim["look"], aim["position"]) == ("", [0.5, 1.4, 0.6])
    talk.do("effector.set", effector=head, look="camera", position=[1.0, 1.7, 2.0])
    undo = talk.state["undo"]
    talk.do("look.camera", position=[-1.0, 1.5, 2.0])
    assert looks(talk) < 0.5
    assert talk.state["undo"] == undo  # turning the view is no step
    refused = talk.ask("effector.set", effector=head, look="x")["error"]
    assert "nothing that can be looked at" in refused


def test_eyes_follow_a_prop_that_is_dragged_and_the_trunk_stays(talk: Talk) -> None:
    head = next(e for e in talk.state["effectors"] if e["name"] == "Head")["id"]
    ball = talk.do("prop.add", kind="ball")["prop"]
    talk.do("prop.set", prop=ball, position=[0.0, 1.5, 0.8])
    talk.do("effector.set", effector=head, look=f"prop:{ball}")
    chest, before = HUMAN.index("Spine1"), talk.session.document.q
    for k in range(1, 11):
        talk.drag(ball, [0.08 * k, 1.5 + 0.03 * k, 0.8 - 0.05 * k])
        assert looks(talk) < 0.5, k
        turn = HUMAN.frames(talk.session.document.q)[chest, :3, :3]
        assert np.degrees(np.arccos((np.trace(turn) - 1.0) / 2.0)) < 3.0, k  # 11 once
    talk.do("drop")
    assert looks(talk) < 0.5
    assert talk.state["undo"] == "Move Ball"
    assert talk.session.document.effector(head).look == f"prop:{ball}"
    talk.do("undo")
    assert talk.session.document.scene.prop(ball).position == (0.0, 1.5, 0.8)
    assert np.array_equal(talk.session.document.q, before)


BEYOND = {
    "before the belly": (0.0, 1.0, 0.3),
    "above": (0.0, 2.6, 0.1),
    "behind": (0.02, 1.5, -0.8),
    "right behind": (0.0, 1.5, -0.8),
}


def tilt(one: np.ndarray, other: np.ndarray, joint: str = "Spine1") -> float:
    """Degrees between two poses of a joint."""
    a, b = (HUMAN.frames(q)[HUMAN.index(joint), :3, :3] for q in (one, other))
    return float(np.degrees(np.arccos(np.clip((np.trace(a.T @ b) - 1.0) / 2.0, -1.0, 1.0))))


@pytest.mark.parametrize("held", [False, True], ids=["free", "a hand is pinned"])
@pytest.mark.parametrize("place", BEYOND.values(), ids=list(BEYOND))
def test_a_look_beyond_the_limits_of_the_neck_turns_the_trunk_where_nothing_holds_it(
    talk: Talk, place: tuple[float, float, float], held: bool
) -> None:
    head = talk.effector("Head").id
    if held:
        talk.do("effector.set", effector=talk.effector("LeftHand").id, mode="pin")
    ball = talk.do("prop.add", kind="ball")["prop"]
    talk.do("prop.set", prop=ball, position=list(place))
    before = talk.session.document.q
    turning = ["Neck", "Neck1", "Head", *([] if held else ["LowerBack", "Spine", "Spine1"])]
    others = ~np.isin(HUMAN.owner, [HUMAN.index(name) for name in turning])
    talk.do("effector.set", effector=head, look=f"prop:{ball}")
    for step in range(6):  # as it is taken up, and while the ball is dragged
        q = talk.session.document.q
        np.testing.assert_allclose(q[others], before[others], atol=1e-6)
        assert tilt(before, q, "Head") > 45.0
        answer = talk.session.answer
        assert answer is not None
        if held:
            assert tilt(before, q) < 0.01
            assert 10.0 < looks(talk) < 100.0
            assert answer.why.startswith("Head is ")
            assert "limit" in answer.why or "cone" in answer.why
        else:
            assert 10.0 < tilt(before, q) < 80.0
            assert looks(talk) < 45.0
        assert "lock" not in answer.why
        talk.drag(ball, [place[0] + 0.01 * step, place[1], place[2]])
    talk.do("drop")
    assert (tilt(before, talk.session.document.q) < 0.01) == held


def test_looks_follow_a_hand_to_the_face_among_collisions_and_balance(talk: Talk) -> None:
    for switch in ("collisions", "balance"):
        talk.do(switch, on=True)
    head, hand = talk.effector("Head").id, talk.effector("LeftHand").id
    talk.do("effector.set", effector=head, look="joint:LeftHand")
    start = talk.position("LeftHand")
    for share in np.linspace(0.0, 1.0, 13)[1:].tolist():
        talk.drag(hand, tuple((start + share * (np.array([0.06, 1.55, 0.2]) - start)).tolist()))
        assert looks(talk) < 20.0
    talk.do("drop")
    assert talk.session.answer is not None
    assert not (talk.session.answer.goals[:, 0] < 0).any()
    assert limbik.Avoid().nearest(HUMAN, talk.session.document.q)[2] > -0.01


@pytest.mark.parametrize("place", [(0.35, 1.6, 0.1), (0.35, 1.6, 0.3), (-0.1, 1.75, 0.25)])
def test_a_ball_beside_the_head_is_looked_at_and_taken_with_an_upright_chest(
    talk: Talk, place: tuple[float, float, float]
) -> None:
    ball = talk.do("prop.add", kind="ball")["prop"]
    talk.do("prop.set", prop=ball, position=list(place))
    before = talk.session.document.q
    talk.do("effector.set", effector=talk.effector("Head").id, look=f"prop:{ball}")
    talk.do("prop.hold", prop=ball, joints=[HUMAN.index("LeftHand")])
    after = talk.session.document.q
    assert tilt(before, after) < 2.0  # 35 degrees once
    assert tilt(before, after, "Head") > 15.0
    assert looks(talk) < 1.0


def test_eyes_go_to_what_a_hand_holds_and_not_the_hand_to_the_eyes(talk: Talk) -> None:
    ids = {e["name"]: e["id"] for e in talk.state["effectors"]}
    talk.do("prop.add", kind="ball")
    prop = talk.state["scene"]["props"][0]["id"]
    talk.do("prop.set", prop=prop, position=[0.3, 1.3, 0.35])  # the neck alone can look there
    talk.do("prop.hold", prop=prop, joints=[HUMAN.index("LeftHand")])
    before = talk.position("LeftHand")
    talk.do("effector.set", effector=ids["Head"], mode="aim")
    talk.do("effector.set", effector=ids["Head"], look=f"prop:{prop}")
    assert np.linalg.norm(np.subtract(talk.position("LeftHand"), before)) < 1e-4
    assert looks(talk) < 0.5


def test_a_saved_bvh_opens_with_its_unit_and_its_pins(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    saving = Session.builtin("human", one)
    saving.exported = tmp_path / "exported"
    talk = Talk(saving)
    hand = next(e for e in talk.state["effectors"] if e["name"] == "LeftHand")
    talk.do("effector.set", effector=hand["id"], mode="pin")
    file = saved_as(saving, "bvh")
    assert file.name == "human.bvh"
    opening = Session.builtin("arm", other)
    opening.exported = saving.exported
    (other / file.name).write_bytes(file.data)
    talk = Talk(opening)
    talk.do("open", files=[file.name])
    pins = {e["name"] for e in talk.state["effectors"] if e["mode"] == "pin"}
    assert pins == {"LeftHand", "LeftFoot", "RightFoot"}
    assert (talk.figure["unit"], talk.figure["mirrors"]) == ("m", True)
    # The record lies beside the file: a restored session knows it too, and a changed file does not.
    again = Session.restore(opening.dump(), other)
    assert again.figure.unit == "m"
    (other / "human.bvh").write_bytes(file.data + b"\n")
    talk.do("open", files=["human.bvh"])
    assert talk.figure["unit"] == ""

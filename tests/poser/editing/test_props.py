"""Props: put, moved, scaled, held by one hand and by two, imported, and kept over a restart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

from helpers.poser.poser_talk import Talk
from limbik.figure.collision_pairs import shape_distances
from limbik.poser.document.prop import Prop
from limbik.poser.drag.prop_shapes import inverse, parts_of, place_of, shapes_of
from limbik.poser.editing.session import Session
from limbik.poser.files.prop_mesh import prop_mesh
from limbik.poser.protocol.text import ProtocolError


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("human", tmp_path)


def prop_of(talk: Talk, id: int) -> Prop:
    found = talk.session.document.scene.prop(id)
    assert found is not None
    return found


def place(talk: Talk, id: int) -> np.ndarray:
    """(4, 4) where a prop is now."""
    session = talk.session
    return place_of(prop_of(talk, id), session.figure, session.figure.frames(session.document.q))


def between(talk: Talk, one: str, other: str) -> np.ndarray:
    """(4, 4) a joint as another has it."""
    session = talk.session
    frames = session.figure.frames(session.document.q)
    return inverse(frames[talk.joint(one)]) @ frames[talk.joint(other)]


def hold(talk: Talk, prop: int, *joints: str) -> None:
    talk.do("prop.hold", prop=prop, joints=[talk.joint(joint) for joint in joints])


def test_a_new_prop_stands_before_the_figure_and_is_told(talk: Talk) -> None:
    chair = talk.do("prop.add", kind="chair")["prop"]
    told = talk.state["scene"]["props"][0]
    assert (told["id"], told["name"], len(told["parts"])) == (chair, "Chair", 6)
    # It stands on the floor: its lowest corner is there.
    lowest = min(part["center"][1] - part["half"][1] for part in told["parts"])
    assert told["position"][1] + lowest == pytest.approx(talk.figure["floor"], abs=1e-9)
    assert talk.do("prop.add", kind="chair")["prop"] != chair
    assert [p["name"] for p in talk.state["scene"]["props"]] == ["Chair", "Chair 2"]
    assert talk.state["undo"] == "Add a chair"


def test_a_prop_goes_where_the_mouse_puts_it_and_undo_brings_it_back(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    before, q = prop_of(talk, box).position, talk.session.document.q
    for k in range(3):
        talk.drag(box, (0.1 * k, 1.0, 0.5))
    talk.drag(box, None, (0.0, 1.0, 0.0, 0.0))
    talk.do("drop")
    assert prop_of(talk, box).position == (0.2, 1.0, 0.5)
    assert prop_of(talk, box).wxyz == pytest.approx((0.0, 1.0, 0.0, 0.0))
    assert np.array_equal(talk.session.document.q, q)  # nobody holds it
    assert talk.state["undo"] == "Move Box"
    talk.do("undo")
    assert prop_of(talk, box).position == before


def test_sizes_are_scaled_in_one_step_and_a_ball_stays_round(talk: Talk) -> None:
    ball = talk.do("prop.add", kind="ball")["prop"]
    for k in range(4):
        talk.do("prop.set", prop=ball, size=[0.1 + 0.05 * k, 9.0, 9.0], held=k < 3)
    assert prop_of(talk, ball).size == (0.25, 0.25, 0.25)
    assert parts_of(prop_of(talk, ball))[0].half == (0.125, 0.125, 0.125)
    talk.do("undo")
    assert talk.state["undo"] == "Add a ball"


def test_a_hand_goes_to_a_prop_and_carries_it(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    at = place(talk, box)
    hold(talk, box, "LeftHand")
    assert np.allclose(place(talk, box), at, atol=1e-9)  # it was taken where it was
    figure, session = talk.session.figure, talk.session
    hand = [k for k, shape in enumerate(figure.shapes) if shape.joint == "LeftHand"]
    pairs = np.array([(k, len(figure.shapes)) for k in hand])
    shapes = shapes_of(prop_of(talk, box), at)
    away = shape_distances(figure, session.document.q, pairs, shapes)[0]
    assert np.abs(away).min() < 0.02  # the hand touches it, within 2 cm
    talk.drag(talk.effector("LeftHand").id, (0.4, 1.3, 0.3))
    talk.do("drop")
    assert place(talk, box)[1, 3] - at[1, 3] > 0.1
    told = talk.state["scene"]["props"][0]
    assert told["position"] == pytest.approx(place(talk, box)[:3, 3])


def test_two_hands_stay_on_a_prop_whichever_is_dragged(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    hold(talk, box, "LeftHand", "RightHand")
    grip = between(talk, "LeftHand", "RightHand")
    for name in ("LeftHand", "RightHand", "Hips"):
        (x, y, z), up = talk.position(name), -0.008 if name == "Hips" else 0.008
        for k in range(1, 11):
            talk.drag(talk.effector(name).id, (x, y + up * k, z + 0.004 * k))
        talk.do("drop")
        assert talk.pose is not None
        assert talk.pose.status == 0  # reached
        assert np.abs(between(talk, "LeftHand", "RightHand") - grip).max() < 1e-3, name


def test_hands_follow_a_held_prop_that_is_dragged(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    hold(talk, box, "LeftHand", "RightHand")
    grip, (x, y, z) = between(talk, "LeftHand", "RightHand"), place(talk, box)[:3, 3]
    for k in range(1, 13):
        talk.drag(box, (x + 0.01 * k, y + 0.015 * k, z))
    talk.do("drop")
    assert place(talk, box)[:3, 3] == pytest.approx((x + 0.12, y + 0.18, z), abs=2e-3)
    assert np.abs(between(talk, "LeftHand", "RightHand") - grip).max() < 1e-3
    # Far beyond reach it stays in the hands.
    for k in range(1, 9):
        talk.drag(box, (x + 0.6 * k, y, z))
    talk.do("drop")
    assert place(talk, box)[0, 3] - x < 2.5
    assert np.abs(between(talk, "LeftHand", "RightHand") - grip).max() < 0.02
    hold(talk, box)
    at = place(talk, box)
    talk.do("pose.reset")
    assert np.allclose(place(talk, box), at)  # let go of, it stays where it was


def test_heels_that_rise_for_a_held_prop_are_pinned_there_and_come_down_with_it(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    hold(talk, box, "LeftHand", "RightHand")
    x, y, z = place(talk, box)[:3, 3]
    low = talk.position("LeftFoot")[1]
    for k in range(1, 25):
        talk.drag(box, (x, y + 0.055 * k, z))
    talk.do("drop")
    risen, foot = talk.position("LeftFoot"), talk.effector("LeftFoot")
    assert risen[1] - low > 0.05
    assert foot.placed
    assert foot.position == pytest.approx(risen, abs=1e-6)
    for k in range(23, 0, -1):
        talk.drag(box, (x, y + 0.055 * k, z))
    talk.do("drop")
    assert talk.position("LeftFoot")[1] - low < 0.015


def test_what_cannot_be_held_is_said(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    ball = talk.do("prop.add", kind="ball")["prop"]
    talk.do("prop.set", prop=ball, position=[30.0, 1.0, 0.0])
    for joint in ("LeftFoot", "RightFoot"):
        talk.do("effector.set", effector=talk.effector(joint).id, mode="pin")
    told = talk.ask("prop.hold", prop=ball, joints=[talk.joint("LeftHand")])
    assert "LeftHand cannot reach Ball" in told["error"]
    hold(talk, box, "LeftHand")
    told = talk.ask("prop.hold", prop=ball, joints=[talk.joint("LeftHand")])
    assert told["error"] == "LeftHand holds Box already."
    told = talk.ask("prop.set", prop=box, position=[0.0, 1.0, 0.0])
    assert told["error"] == "Box is held: drag it, or let go of it first."
    assert "above 0" in talk.ask("prop.set", prop=box, size=[0.0, 1.0, 1.0])["error"]
    assert talk.ask("prop.remove", prop=99)["error"] == "There is no prop 99 any more."
    with pytest.raises(ProtocolError):
        talk.ask("prop.add", kind="horse")


def test_a_glb_file_becomes_a_prop_with_its_size(talk: Talk, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    trimesh.creation.box((0.4, 0.2, 0.6)).export(folder / "crate.glb")
    talk.upload(folder / "crate.glb")
    crate = talk.do("prop.open", file="crate.glb")["prop"]
    prop = prop_of(talk, crate)
    assert (prop.name, prop.kind) == ("crate", "mesh")
    assert prop.size == pytest.approx((0.4, 0.2, 0.6))
    mesh = prop_mesh(talk.session.folder / prop.file)
    vertices = np.concatenate([piece.positions for piece in mesh.pieces])
    assert vertices.min(axis=0) == pytest.approx([-0.5] * 3)
    assert vertices.max(axis=0) == pytest.approx([0.5] * 3)
    assert talk.state["scene"]["props"][0]["mesh"]


@pytest.mark.parametrize(("name", "content"), [("a.glb", b"glTF"), ("a.obj", b"v 0 0 0")])
def test_a_file_that_is_no_prop_is_refused_and_not_kept(
    talk: Talk, name: str, content: bytes
) -> None:
    (talk.session.folder / name).write_bytes(content)
    assert name in talk.ask("prop.open", file=name)["error"]
    assert not talk.session.document.scene.props
    assert not list(talk.session.folder.rglob(name))


def test_a_scene_comes_back_after_a_restart_and_old_documents_have_none(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    hold(talk, box, "LeftHand", "RightHand")
    talk.do("collisions", on=True)
    saved = json.loads(json.dumps(talk.session.dump()))
    again = Session.restore(saved, talk.session.folder)
    assert again.document == talk.session.document
    for document in (saved["document"], *(step["document"] for step in saved["past"])):
        del document["scene"]
    old = Session.restore(saved, talk.session.folder)
    assert old.document.scene.props == ()
    assert not old.document.scene.balance


def test_props_stay_when_a_figure_of_the_same_unit_is_opened(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    hold(talk, box, "LeftHand")
    talk.do("builtin", name="human")
    assert [(p.id, p.holds) for p in talk.session.document.scene.props] == [(box, ())]
    new = talk.do("effector.add", joint=talk.joint("LeftArm"))["effector"]
    assert new > box


def test_hands_stay_on_a_prop_between_keys(talk: Talk) -> None:
    box = talk.do("prop.add", kind="box")["prop"]
    hold(talk, box, "LeftHand", "RightHand")
    grip, (x, y, z) = between(talk, "LeftHand", "RightHand"), place(talk, box)[:3, 3]
    talk.do("key.insert", frame=0)
    talk.scrub(40)
    for k in range(1, 9):
        talk.drag(box, (x + 0.03 * k, y + 0.04 * k, z))
    talk.do("drop")
    talk.do("key.insert", frame=40)
    talk.scrub(20)
    assert y + 0.05 < place(talk, box)[1, 3] < y + 0.3
    assert np.abs(between(talk, "LeftHand", "RightHand") - grip).max() < 2e-3

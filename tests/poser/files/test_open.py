"""Opening files as a page does: uploaded under their names, then opened together."""

from __future__ import annotations

import base64
import json
import shutil
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.poser.poser_talk import Talk, moved
from limbik.figures import BUILT_IN
from limbik.humanoid.ground import floor_height, up_axis
from limbik.poser.editing.session import Session
from limbik.poser.files.open import keep_files
from limbik.poser.files.save import saved_as


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.builtin("arm", tmp_path)


def drags(talk: Talk, name: str, share: float = 0.05) -> None:
    """An effector goes a little way, is where it was sent, and every joint is inside its limits."""
    effector, size = talk.effector(name), talk.session.figure.size
    target = moved(effector, 0.3 * share * size, share * size, 0.2 * share * size)
    talk.drag(effector.id, target)
    talk.do("drop")
    joint = talk.joint(name)
    frame = talk.session.figure.frames(talk.session.document.q)[joint]
    reached = frame[:3, :3] @ np.array(effector.at) + frame[:3, 3]
    assert reached == pytest.approx(target, abs=2e-3 * size)
    assert talk.session.figure.violation(talk.session.document.q) == 0.0


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_figure_opens_and_undo_brings_the_old_one_back(
    talk: Talk, name: str
) -> None:
    before = talk.figure["id"]
    talk.do("builtin", name=name)
    if name == "arm":
        return
    assert talk.figure["builtin"] == name
    assert talk.state["undo"] == f"Open {name}"
    assert (talk.state["timeline"]["clip"] == "cartwheel") == (name == "cartwheel")
    talk.do("undo")
    assert talk.figure["id"] == before


def test_bvh(talk: Talk) -> None:
    file = real_data.find("cmu_bvh/02_01.bvh")
    talk.do("open", files=talk.upload(file))
    clip = limbik.load_motion(file)
    assert (talk.figure["file"], talk.figure["clips"]) == ("02_01.bvh", ["02_01"])
    assert talk.state["timeline"]["frames"] == clip.frames == 344
    assert talk.state["timeline"]["fps"] == pytest.approx(120.0, rel=1e-4)
    assert (talk.figure["up"], talk.figure["unit"]) == ("y", "")
    pose = talk.scrub(100.0)
    assert np.allclose(pose.positions, clip.positions()[100], atol=1e-4)
    # The file has its root at the origin at rest; the walk is on the floor nevertheless.
    feet = clip.positions()[:, :, 1].min(axis=1)
    assert talk.figure["floor"] == pytest.approx(np.median(feet), abs=0.5)
    # It is a body without limits: it gets those of people, which hold the clip, and can lose them.
    assert talk.state["advice"]["sentence"].endswith("those of a human body are used.")
    assert talk.state["limits"][talk.joint("LeftLeg")]["kind"] == "cone"
    on_clip = talk.session.document.timeline.clip
    assert on_clip is not None
    assert np.max(talk.session.figure.violation(on_clip.q)) < 1e-9
    drags(talk, "LeftHand")
    talk.do("undo")
    talk.do(talk.state["advice"]["command"])
    assert talk.state["advice"]["command"] == "limits.humanoid"
    assert talk.state["limits"][talk.joint("LeftLeg")] is None
    assert np.allclose(talk.scrub(100.0).positions, clip.positions()[100], atol=1e-4)
    talk.do("limits.humanoid")
    assert talk.session.figure.violation(talk.session.document.q) == 0.0
    drags(talk, "LeftHand")


@pytest.mark.parametrize("file", ["lafan1_dance1_subject2.bvh", "soma_pick_up.bvh"])
def test_a_body_that_does_not_stand_at_rest(talk: Talk, file: str) -> None:
    """Its limits lie around a pose of its clip that does; the file's frames stay as they are."""
    path = real_data.find(f"motion/{file}")
    talk.do("open", files=talk.upload(path))
    clip = limbik.load_motion(path)
    assert talk.session.document.balls == "body"
    assert np.allclose(talk.scrub(300.0).positions, clip.positions()[300], atol=1e-3)
    assert talk.state["limits"][talk.joint("LeftForeArm")]["kind"] == "cone"
    saved = json.loads(saved_as(talk.session, "json").data)
    talk.scrub(0.0)
    talk.do("pose.load", pose=saved)
    assert np.allclose(
        talk.session.figure.positions(talk.session.document.q), clip.positions()[300], atol=1e-3
    )
    again = Session.restore(json.loads(json.dumps(talk.session.dump())), talk.session.folder)
    assert np.array_equal(again.document.q, talk.session.document.q)
    assert again.figure.violation(again.document.q) == 0.0


def test_asf_with_two_amc(talk: Talk) -> None:
    names = ["cmu_asfamc/02_03.amc", "cmu_asfamc/02.asf", "cmu_asfamc/02_01.amc"]
    talk.do("open", files=talk.upload(*map(real_data.find, names)))
    assert talk.figure["file"] == "02.asf"
    assert talk.figure["clips"] == ["02_03", "02_01"]
    assert talk.state["timeline"]["clip"] == "02_03"
    talk.do("clip.choose", index=1)
    assert talk.state["timeline"]["clip"] == "02_01"
    assert talk.state["timeline"]["frames"] == 343
    assert talk.state["advice"] is None  # an ASF file has limits
    drags(talk, "lwrist", 0.02)


def test_an_amc_alone_moves_the_figure_that_is_there(talk: Talk) -> None:
    talk.do("open", files=talk.upload(real_data.find("cmu_asfamc/02.asf")))
    figure = talk.figure["id"]
    assert talk.state["timeline"]["clip"] is None
    talk.do("open", files=talk.upload(real_data.find("cmu_asfamc/02_04.amc")))
    assert talk.figure["id"] == figure
    assert talk.state["timeline"]["clip"] == "02_04"
    assert talk.state["undo"] == "Open 02_04.amc"
    motion = limbik.load_motion(
        real_data.find("cmu_asfamc/02_04.amc"),
        figure=limbik.load(real_data.find("cmu_asfamc/02.asf")),
    )
    pose = talk.scrub(50.0)
    assert np.allclose(pose.q, talk.session.figure.project(motion.q[50]), atol=1e-5)


def test_an_amc_for_another_figure_is_refused(talk: Talk) -> None:
    before = talk.session.document
    reply = talk.ask("open", files=talk.upload(real_data.find("cmu_asfamc/02_04.amc")))
    assert "02_04.amc" in reply["error"]
    assert talk.session.document is before


@pytest.mark.parametrize(
    ("file", "clips", "hand"),
    [("gltf/CesiumMan.glb", 1, "Skeleton_arm_joint_L__2_"), ("gltf/Fox.glb", 3, "b_LeftHand_011")],
)
def test_glb_with_mesh_and_clips(talk: Talk, file: str, clips: int, hand: str) -> None:
    talk.do("open", files=talk.upload(real_data.find(file)))
    assert talk.figure["mesh"] is True
    assert len(talk.figure["clips"]) == clips
    meshes = talk.session.meshes
    posed = meshes[0].posed(talk.session.figure.frames(talk.session.document.q))
    assert posed[:, 1].min() > talk.figure["floor"] - 0.05 * talk.figure["size"]
    talk.do("clip.choose", index=clips - 1)
    assert talk.state["timeline"]["clip"] == talk.figure["clips"][-1]
    talk.scrub(10.0)
    drags(talk, hand, 0.03)


def test_gltf_with_its_bin_beside_it(talk: Talk, tmp_path: Path) -> None:
    whole = json.loads(real_data.find("gltf/SimpleSkin_embedded.gltf").read_text())
    away = tmp_path / "made"
    away.mkdir()
    for k, buffer in enumerate(whole["buffers"]):
        data = base64.b64decode(buffer["uri"].split(",", 1)[1])
        (away / f"part{k}.bin").write_bytes(data)
        buffer["uri"] = f"part{k}.bin"
    (away / "skin.gltf").write_text(json.dumps(whole))
    names = talk.upload(*sorted(away.glob("*.bin")), away / "skin.gltf")
    talk.do("open", files=names)
    assert talk.figure["file"] == "skin.gltf"
    assert talk.figure["mesh"] is True
    saved = json.loads(json.dumps(talk.session.dump()))
    assert not any((talk.session.folder / name).exists() for name in names)  # moved aside
    assert Talk(Session.restore(saved, talk.session.folder)).figure["mesh"] is True


def test_vrm(talk: Talk) -> None:
    talk.do("open", files=talk.upload(real_data.find("vrm/sat06_basic_armature_vrm1.vrm")))
    assert {e["name"] for e in talk.state["effectors"]} == {
        "hand.L", "hand.R", "foot.L", "foot.R", "head", "hips",
    }  # fmt: skip
    talk.do("limits.humanoid")
    drags(talk, "hand.L", 0.04)


@pytest.mark.parametrize(
    ("file", "tip"), [("erd_panda.urdf", "panda_hand_tcp"), ("erd_ur5_robot.urdf", "ee_link")]
)
def test_urdf(talk: Talk, file: str, tip: str) -> None:
    talk.do("open", files=talk.upload(real_data.find(f"robots/{file}")))
    assert talk.figure["up"] == "z"
    (effector,) = talk.state["effectors"]
    assert (effector["name"], effector["mode"]) == (tip, "free")
    talk.do("pose.set", q=(talk.session.figure.rest + 0.3).tolist())
    drags(talk, tip, 0.02)


def test_mjcf_with_includes(talk: Talk, tmp_path: Path) -> None:
    away = tmp_path / "made"
    away.mkdir()
    (away / "a_leg.xml").write_text(
        '<mujoco><worldbody><body name="leg" pos="0 0 1"><joint name="swing" axis="0 1 0"/>'
        '<geom size=".1"/><body name="shin" pos="0 0 -0.5"><joint name="knee" axis="0 1 0"/>'
        '<geom size=".1"/></body></body></worldbody></mujoco>'
    )
    (away / "robot.xml").write_text('<mujoco model="hopper"><include file="a_leg.xml"/></mujoco>')
    talk.do("open", files=talk.upload(away / "a_leg.xml", away / "robot.xml"))
    assert talk.figure["file"] == "robot.xml"
    assert [c["name"] for c in talk.figure["coordinates"]] == ["swing", "knee"]


def test_a_file_that_cannot_be_read_is_said(talk: Talk) -> None:
    (talk.session.folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0\n}\n")
    before = talk.session.document
    reply = talk.ask("open", files=["broken.bvh"])
    assert reply["error"].startswith("broken.bvh line 4")
    assert talk.session.document is before
    (talk.session.folder / "notes.txt").write_text("hello")
    assert "notes.txt" in talk.ask("open", files=["notes.txt"])["error"]


def test_a_second_upload_of_the_same_name_does_not_touch_what_was_opened(talk: Talk) -> None:
    folder = talk.session.folder
    lines = (
        "HIERARCHY\nROOT A\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{{\nOFFSET 0 {} 0\n}}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n10 0 0\n"
    )
    (folder / "one.bvh").write_text(lines.format(1))
    talk.do("open", files=["one.bvh"])
    first = talk.figure
    draft = folder / ".upload-x"
    draft.write_text(lines.format(7))
    draft.replace(folder / "one.bvh")  # as uploads do
    talk.do("open", files=["one.bvh"])
    assert talk.figure["size"] == 7.0
    assert talk.figure["id"] != first["id"]
    saved = json.loads(json.dumps(talk.session.dump()))
    again = Talk(Session.restore(saved, folder))
    again.do("undo")
    assert again.figure == first


def test_only_what_documents_need_is_kept(talk: Talk) -> None:
    """Opening goes on for as long as a person likes; what was opened and undone can be redone."""
    folder, kept = talk.session.folder, talk.session.folder / "opened"
    bad = folder / "bad.bvh"
    bad.write_text("HIERARCHY\nnothing")
    assert "error" in talk.ask("open", files=["bad.bvh"])
    assert not bad.exists()
    assert not any(kept.iterdir())
    limbik.save(limbik.figures.cartwheel(), folder / "wheel.bvh")
    talk.do("open", files=["wheel.bvh"])
    talk.do("undo")
    limbik.save(limbik.figures.cartwheel(), folder / "wheel.bvh")
    shutil.copy(folder / "wheel.bvh", folder / "again.bvh")
    assert "error" in talk.ask("open", files=["wheel.bvh", "no such.bvh"])
    talk.do("redo")
    assert talk.figure["file"] == "wheel.bvh"
    assert len([*kept.iterdir()]) == 1


def test_links_and_folders_are_no_uploads(tmp_path: Path) -> None:
    (tmp_path / "secret.bvh").write_text("x")
    session = tmp_path / "session"
    session.mkdir()
    (session / "link.bvh").symlink_to(tmp_path / "secret.bvh")
    (session / "folder").mkdir()
    for name in ("link.bvh", "folder", "..", ".", "../secret.bvh", "", "a\0b"):
        with pytest.raises(limbik.LimbikError):
            keep_files([name], session)


def test_what_a_reader_warns_of_is_a_note_and_no_warning(talk: Talk) -> None:
    file = real_data.find("gltf/CesiumMan.glb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        talk.do("open", files=talk.upload(file))
    assert any("CesiumMan.glb" in note for note in talk.notes)


def test_sessions_open_files_at_once(tmp_path: Path) -> None:
    file = real_data.find("gltf/RiggedFigure.glb")
    talks = [Talk.builtin("arm", tmp_path / str(k)) for k in range(6)]
    threads = [
        threading.Thread(target=lambda t=talk: t.do("open", files=t.upload(file))) for talk in talks
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {talk.figure["file"] for talk in talks} == {"RiggedFigure.glb"}
    assert len({id(talk.session.figure) for talk in talks}) == 6


# ---- up and the floor ---------------------------------------------------------------------------


def test_a_figure_that_says_what_is_up_is_believed() -> None:
    assert up_axis(limbik.figures.human()) == "y"
    assert up_axis(limbik.figures.human().in_units(up="z")) == "z"


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_body_that_does_not_say_has_its_head_above_its_feet(up: str) -> None:
    told = limbik.figures.human().in_units(up=up)
    silent = limbik.Figure(told.definition, rest=told.rest, name="silent")
    assert silent.up == ""
    assert up_axis(silent) == up
    assert floor_height(silent, up_axis(silent)) == pytest.approx(0.0, abs=0.005)


def test_what_is_up_does_not_change_where_a_body_turns_over() -> None:
    clip = limbik.figures.cartwheel()
    silent = limbik.Figure(clip.figure.definition, rest=clip.figure.rest, name="silent")
    for low, high in ((0, clip.frames), (200, 280), (200, 400)):
        assert up_axis(silent, clip.q[low:high]) == "y"


def test_the_floor_of_the_spider_is_under_its_feet() -> None:
    spider = limbik.figures.spider()
    lowest = spider.positions(spider.rest)[:, 1].min()
    assert floor_height(spider, "y") <= lowest


def test_what_is_bolted_down_stands_on_its_base() -> None:
    arm = limbik.figures.arm()
    assert arm.positions(arm.rest)[:, 2].min() > 0.3
    assert floor_height(arm, "z") == 0.0
    human = limbik.figures.human()
    lifted = human.with_rest(human.rest + 0.25 * (np.arange(human.n) == 1))
    assert floor_height(lifted, "y") == pytest.approx(floor_height(human, "y") + 0.25)

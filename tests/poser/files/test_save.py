"""Saved files, read again: BVH, GLB, pose JSON, and the page that replays."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik
from helpers.gltf_samples import Plain, leg, packed
from helpers.poser.posed_keys import crouch
from limbik import LimbikError
from limbik.figure.motion import Motion
from limbik.poser.animation.in_betweens import bake
from limbik.poser.document.timeline.timeline import Clip, Timeline
from limbik.poser.editing.session import Session
from limbik.poser.files.pose_file import pose_json, read_pose
from limbik.poser.files.replay import replay_page
from limbik.poser.files.save import saved_as
from limbik.poser.page_files import page_file
from limbik.poser.protocol.binary import placed
from limbik.poser.protocol.figure_info import figure_info
from limbik.poser.protocol.mesh_bytes import mesh_bytes

PAGE = {
    "index.html": """<!doctype html><html><head lang="en"><title>limbik poser</title>
    <link rel="icon" href="data:image/svg+xml,%3Csvg/%3E" />
    <link rel="stylesheet" href="poser.css" />
    </head><body><script src="poser.js"></script></body></html>""",
    "poser.js": 'const a = "</script>", b = /<!--\\d/;\r\nlet c = `\\1 \\g<0>`;',
    "poser.css": 'body { content: "</style>" }',
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The human crouching between two keys."""
    made, scene = Session.builtin("human", tmp_path_factory.mktemp("session")), crouch()
    timeline = scene.timeline.with_settings(frames=61, fps=24.0)
    made.document = replace(made.document, q=scene.q, effectors=scene.effectors, timeline=timeline)
    return made


def baked(session: Session) -> Motion:
    document = session.document
    return bake(session.figure, document.timeline, document.q, document.effectors)


def put(session: Session, kind: str, folder: Path) -> Path:
    file = saved_as(session, kind)
    path = folder / file.name
    path.write_bytes(file.data)
    return path


def test_a_bvh_has_every_frame(session: Session, tmp_path: Path) -> None:
    path, motion = put(session, "bvh", tmp_path), baked(session)
    assert path.name == "human.bvh"
    again = limbik.load_motion(path)
    assert again.frames == 61
    assert again.fps == pytest.approx(24.0, rel=1e-4)
    for frame in (0, 10, 30, 60):
        wanted = motion.figure.positions(motion.q[frame])
        names = [again.figure.index(joint) for joint in motion.figure.joints]
        np.testing.assert_allclose(again.positions()[frame][names], wanted, atol=1e-5)


def test_a_glb_has_every_frame(session: Session, tmp_path: Path) -> None:
    path, motion = put(session, "glb", tmp_path), baked(session)
    assert path.name == "human.glb"
    plain = Plain(path)
    assert len(plain.reader.animations) == 1
    for frame in (0, 30, 60):
        world = plain.at(0, frame / 24.0)
        wanted = motion.figure.frames(motion.q[frame])
        for k, joint in enumerate(motion.figure.joints):
            np.testing.assert_allclose(
                world[plain.index(joint)][:3, 3], wanted[k, :3, 3], atol=1e-5
            )
    again = limbik.load_motion(path)
    assert again.frames == 61


def test_without_keys_the_pose_alone_is_saved(tmp_path: Path) -> None:
    session = Session.builtin("arm", tmp_path / "s")
    q = session.figure.project(np.full(session.figure.n, 0.4))
    session.document = replace(session.document, q=q)
    again = limbik.load_motion(put(session, "bvh", tmp_path))
    assert again.frames == 1
    names = [again.figure.index(joint) for joint in session.figure.joints]
    np.testing.assert_allclose(again.positions()[0][names], session.figure.positions(q), atol=1e-5)


@pytest.fixture
def opened(tmp_path: Path) -> tuple[Session, dict[str, Any]]:
    """A session with a skinned GLB of one clip, and its JSON."""
    sample = leg()
    turn = [[0, 0, 0, 1], [0, 0, 0.25881904510252074, 0.9659258262890683]]
    sample.animate([(2, "rotation", [0.0, 1.0], turn)], name="Kick")
    folder = tmp_path / "session"
    folder.mkdir()
    text = json.dumps({**sample.json, "buffers": [{"byteLength": len(sample.blob)}]})
    (folder / "leg.glb").write_bytes(packed(text.encode(), bytes(sample.blob)))
    return Session.of_files(["leg.glb"], folder), sample.json


def test_a_figure_goes_back_into_its_own_glb(
    opened: tuple[Session, dict[str, Any]], tmp_path: Path
) -> None:
    session, original = opened
    assert session.meshes
    clip = session.document.timeline.clip
    assert clip is not None
    assert clip.name == "Kick"
    path = put(session, "glb", tmp_path)
    plain = Plain(path)
    assert [animation.name for animation in plain.reader.animations] == ["Kick"]
    assert len(plain.reader.meshes) == len(original["meshes"])
    assert len(plain.reader.skins) == 1
    motion = baked(session)
    for frame in (0, motion.frames // 2, motion.frames - 1):
        world = plain.at(0, frame / motion.fps)
        wanted = motion.figure.frames(motion.q[frame])
        for k, joint in enumerate(motion.figure.joints):
            np.testing.assert_allclose(
                world[plain.index(joint)][:3, 3], wanted[k, :3, 3], atol=1e-5
            )


# ---- pose JSON ---------------------------------------------------------------------------------


def test_a_pose_comes_back_with_its_effectors(session: Session) -> None:
    file = saved_as(session, "json")
    assert file.name == "human.json"
    q, effectors = read_pose(json.loads(file.data), session.figure)
    np.testing.assert_array_equal(q, session.document.q)
    assert effectors == session.document.effectors


@pytest.mark.parametrize("kind", ["euler", "exponential"])
def test_a_pose_fits_the_figure_in_other_coordinates(session: Session, kind: str) -> None:
    figure, q = session.figure, session.document.q
    other = figure.with_balls(kind)
    moved, _ = read_pose(pose_json(figure, q, ()), other)
    np.testing.assert_allclose(other.positions(moved), figure.positions(q), atol=0.02)
    back, _ = read_pose(pose_json(other, other.rest, ()), figure)
    np.testing.assert_allclose(figure.positions(back), other.positions(other.rest), atol=0.02)


def test_loading_a_pose_brings_it_inside_the_limits(session: Session) -> None:
    saved = pose_json(session.figure, session.document.q, ())
    saved["q"] = [5.0] * session.figure.n
    q, _ = read_pose(saved, session.figure)
    assert session.figure.violation(q) == 0.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "limbik pose 2"}, "format must be"),
        ({"q": [0.0]}, "list of 74 numbers"),
        ({"q": [None] * 74}, "needs a number"),
        ({"q": [float("inf")] * 74}, "not finite"),
        ({"joints": ["Tail"]}, 'The pose is of "human": this figure has no joint "Tail"'),
        ({"joints": ["Hips"]}, 'has no joint "LHipJoint"'),
        ({"joints": "Hips"}, "list of names"),
        ({"unit": "cm"}, "in cm, and this figure in m"),
        ({"shape": 1}, '"shape" is unknown'),
        ({"effectors": {}}, "list of at most"),
        ({"effectors": [{"id": 1}]}, "missing"),
    ],
)
def test_a_pose_that_does_not_fit_is_refused(
    session: Session, change: dict[str, Any], sentence: str
) -> None:
    saved = pose_json(session.figure, session.document.q, session.document.effectors)
    with pytest.raises(LimbikError, match=sentence):
        read_pose({**saved, **change}, session.figure)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"joint": "Tail"}, "no such joint"),
        ({"mode": "glued"}, "free, pin, aim"),
        ({"weight": -1}, "above 0"),
        ({"weight": "1"}, "needs a number"),
        ({"wxyz": [0, 0, 0, 0]}, "not a rotation"),
        ({"axis": [0, 0, 0]}, "no direction"),
        ({"id": 70000}, "whole number"),
        ({"id": 2}, "same id"),
        ({"speed": 1}, "unknown"),
    ],
)
def test_an_effector_that_cannot_be_is_refused(
    session: Session, change: dict[str, Any], sentence: str
) -> None:
    saved = pose_json(session.figure, session.document.q, session.document.effectors)
    saved["effectors"][0] |= change
    with pytest.raises(LimbikError, match=sentence):
        read_pose(saved, session.figure)


@pytest.mark.parametrize("saved", [None, [], 3, "pose", {}])
def test_anything_else_is_no_pose(session: Session, saved: object) -> None:
    with pytest.raises(LimbikError):
        read_pose(saved, session.figure)


# ---- replay ------------------------------------------------------------------------------------


def embedded(page: str) -> dict[str, Any]:
    """The data of a replay as a browser finds them: up to the first end of the element."""
    found = re.search(r'<script type="application/json" id="replay">(.*?)</script', page, re.S)
    assert found is not None
    return json.loads(found.group(1))


def poses_of(data: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    joints = len(data["figure"]["joints"])
    numbers = np.frombuffer(base64.b64decode(data["poses"], validate=True), "<f4")
    rows = numbers.reshape(data["frames"], 7 * joints)
    return (
        rows[:, : 3 * joints].reshape(-1, joints, 3),
        rows[:, 3 * joints :].reshape(-1, joints, 4),
    )


def made(session: Session, title: str = "A </script><b> & co") -> str:
    info = figure_info(session.figure, id=1, up="y", floor=0.0, file="</script><script>", mesh=True)
    return replay_page(baked(session), info=info, title=title, keys=[10, 50], file=PAGE.__getitem__)


def test_a_replay_has_the_motion_as_kinematics_have_it(session: Session) -> None:
    data, motion = embedded(made(session)), baked(session)
    assert data["format"] == "limbik replay 1"
    assert (data["frames"], data["fps"], data["loop"], data["keys"]) == (61, 24.0, True, [10, 50])
    assert data["title"] == "A </script><b> & co"
    assert data["mesh"] is None
    assert data["figure"]["mesh"] is False
    positions, wxyz = poses_of(data)
    wanted = placed(motion.figure, motion.q)
    np.testing.assert_allclose(positions, motion.positions(), atol=1e-6)
    np.testing.assert_allclose(wxyz, wanted[1], atol=1e-6)


def test_nothing_in_a_replay_ends_its_elements_early(session: Session) -> None:
    page = made(session)
    assert len(re.findall(r"<script\b", page)) == len(re.findall(r"</script", page)) == 2
    assert len(re.findall(r"</style", page)) == 1
    assert "<!--" not in page
    assert f"<title>{html.escape('A </script><b> & co')}</title>" in page
    assert "poser.js" not in page
    assert "poser.css" not in page


def test_a_replay_runs_its_own_script_and_reaches_no_network(session: Session) -> None:
    page = made(session)
    policy = re.search(
        r'<head lang="en"><meta http-equiv="Content-Security-Policy" content="(.*?)">', page
    )
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.group(1).split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == rules["img-src"] == "data: blob:"
    script = re.search(r"<script>(.*?)</script>", page, re.S)
    assert script is not None
    assert script.group(1) == 'const a = "\\x3C/script>", b = /\\x3C!--\\d/;\nlet c = `\\1 \\g<0>`;'
    digest = base64.b64encode(hashlib.sha256(script.group(1).encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert "http://" not in page.replace("http-equiv", "")
    assert "https://" not in page


def test_a_replay_carries_the_mesh(opened: tuple[Session, dict[str, Any]]) -> None:
    session, _ = opened
    page = replay_page(
        baked(session),
        info=figure_info(session.figure, id=1, up="y", floor=0.0),
        meshes=session.meshes,
        file=PAGE.__getitem__,
    )
    data = embedded(page)
    assert data["figure"]["mesh"] is True
    assert base64.b64decode(data["mesh"]) == mesh_bytes(session.meshes)


def test_a_motion_too_long_for_a_browser_is_refused(session: Session) -> None:
    figure = session.figure
    long = Motion(figure, np.broadcast_to(figure.rest, (350_000, figure.n)), 30.0)
    with pytest.raises(LimbikError, match="350,000 frames of 31 joints are too many"):
        replay_page(long, info=figure_info(figure, id=1, up="y", floor=0.0), file=PAGE.__getitem__)


def test_a_page_that_is_not_built_says_how(tmp_path: Path) -> None:
    with pytest.raises(LimbikError, match="page is"):
        page_file("index.html", tmp_path)
    motion = limbik.figures.cartwheel()[:2]
    info = figure_info(motion.figure, id=1, up="y", floor=0.0)
    with pytest.raises(LimbikError, match=r"no place for poser\.css"):
        replay_page(motion, info=info, file=lambda name: "<head><title></title>")


def test_an_unknown_kind_is_refused(session: Session) -> None:
    with pytest.raises(LimbikError, match="bvh, glb, json, html"):
        saved_as(session, "exe")


def test_names_of_files_hold_no_tricks(session: Session) -> None:
    document = session.document
    clip = Clip(baked(session).q, 30.0, '../../etc/pass "wd"\n.')
    session.document = replace(document, timeline=Timeline.over(clip))
    try:
        assert saved_as(session, "json").name == "_.._etc_pass _wd_.json"
    finally:
        session.document = document

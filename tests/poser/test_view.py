"""``limbik.view``: a program shows a figure, reads its pose, and goes on or waits."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

import limbik
from helpers.command_line import environment
from helpers.poser.poser_client import HAND, WAIT, client, closed
from limbik.poser import view_handle as shown


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path / "state"))
    yield tmp_path / "state"
    for view in [*shown._views]:
        view.close()


def page_of(view: shown.View):
    url, _, session = view.url.partition("#session=")
    return client(url, session)


def test_a_figure_is_shown_and_its_pose_read() -> None:
    figure = limbik.figures.human()
    view = limbik.view(figure, open=False, block=False)
    assert np.array_equal(view.pose, figure.rest)
    assert view.result is None
    with page_of(view) as page:
        assert [joint["name"] for joint in page.figure["joints"]] == list(figure.joints)
        assert {one["name"] for one in page.state["effectors"]} >= {HAND, "LeftFoot"}
        target = page.at(HAND) + [-0.05, 0.2, 0.1]
        page.drag(page.effector(HAND)["id"], target)
        assert np.linalg.norm(figure.positions(view.pose)[figure.index(HAND)] - target) < 1e-3
        assert figure.violation(view.pose) == 0.0
    with page_of(view) as page:  # a reload; the session is held meanwhile
        assert np.linalg.norm(page.at(HAND) - target) < 1e-3
        view.close()
        assert closed(page)[0] in (4002, 1012)
    assert np.linalg.norm(figure.positions(view.pose)[figure.index(HAND)] - target) < 1e-3
    with pytest.raises(httpx.ConnectError):
        httpx.get(view.url)


def test_goals_become_effectors_and_are_solved_at_once() -> None:
    figure = limbik.figures.human()
    at = figure.positions(figure.rest)
    goals = [
        limbik.Reach(HAND, position=at[figure.index(HAND)] + [-0.1, 0.2, 0.1], weight=2.0),
        limbik.Pin("LeftFoot", rotation=True, at=[0.0, 0.0, 0.05]),
        limbik.Aim("Head", axis="z", target=[1.0, 1.5, 2.0]),
        limbik.Reach("RightHand", wxyz=[2.0, 0.0, 0.0, 0.0]),
    ]
    view = limbik.view(figure, goals, open=False, block=False)
    assert view.result is not None
    assert view.result.ok
    assert np.array_equal(view.pose, view.result.q)
    with page_of(view) as page:
        hand, foot, head, right = page.state["effectors"]
        assert [one["mode"] for one in (hand, foot, head, right)] == ["free", "pin", "aim", "free"]
        assert hand["weight"] == 2.0
        assert np.linalg.norm(np.array(hand["position"]) - goals[0].position) < 1e-3
        frame = figure.frames(figure.rest)[figure.index("LeftFoot")]
        assert np.allclose(foot["position"], frame[:3, :3] @ [0, 0, 0.05] + frame[:3, 3])
        assert foot["at"] == [0.0, 0.0, 0.05]
        assert foot["wxyz"] is not None
        assert (head["position"], head["axis"]) == ([1.0, 1.5, 2.0], [0.0, 0.0, 1.0])
        now = figure.positions(view.pose)[figure.index("RightHand")]
        assert np.allclose(right["position"], now, atol=1e-6)
        assert abs(right["wxyz"][0]) > 0.999
        # Pins and aims go on holding while another effector is dragged.
        pose = page.drag(hand["id"], np.array(hand["position"]) + [0.0, 0.05, 0.0])
        assert pose.ok[foot["id"]]
        assert pose.ok[head["id"]]


README = Path(__file__).resolve().parents[2] / "README.md"


def readme_goals() -> tuple[limbik.Figure, list[limbik.Reach]]:
    """The figure and the goals of README's first block, by running its lines up to the solve."""
    block = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names: dict = {}
    exec(block.split("result = ")[0], names)
    return names["human"], names["goals"]


def test_the_goals_of_the_readme_are_shown() -> None:
    human, goals = readme_goals()
    assert any(isinstance(goal, limbik.Rest) for goal in goals)
    view = limbik.view(human, goals, open=False, block=False)
    assert view.result is not None
    with page_of(view) as page:
        assert len(page.state["effectors"]) + len(page.state["goals"]) == len(goals)
        (rest,) = page.state["goals"]
        assert (rest["kind"], rest["sentence"]) == ("Rest", "Near the rest pose.")
        hand = page.effector(HAND)
        pose = page.drag(hand["id"], np.array(hand["position"]) + [0.0, -0.1, 0.0])
        assert pose.ok[rest["id"]]
        assert pose.ok[page.effector("LeftFoot")["id"]]


def test_goals_that_cannot_be_dragged_are_listed_and_hold_while_dragging() -> None:
    figure = limbik.figures.human()
    hands = [figure.index(HAND), figure.index("RightHand")]
    height = float(figure.positions(figure.rest)[figure.index("Hips"), 1]) - 0.05
    goals = [
        limbik.Reach(HAND, position=[0.3, 1.2, 0.4]),
        limbik.Distance(HAND, "RightHand", 0.4),
        limbik.Plane("Hips", normal=[0, 1, 0], offset=height),
        limbik.Reach("LeftFoot", position=[0.1, 0.1, 0.0], weight=[1.0, 2.0, 3.0]),
    ]
    with limbik.view(figure, goals, open=False, block=False) as view, page_of(view) as page:
        (hand,) = page.state["effectors"]
        listed = [(one["kind"], one["label"], one["lost"]) for one in page.state["goals"]]
        between = f"{HAND}–RightHand"
        assert listed == [
            ("Distance", between, False), ("Plane", "Hips", False), ("Reach", "LeftFoot", False),
        ]  # fmt: skip
        for step in ([0.05, 0.1, 0.0], [0.1, 0.2, 0.1]):
            pose = page.drag(hand["id"], np.array(hand["position"]) + step)
            assert all(pose.ok[one["id"]] for one in page.state["goals"])
            at = figure.positions(view.pose)
            assert np.linalg.norm(at[hands[0]] - at[hands[1]]) == pytest.approx(0.4, abs=1e-3)
            assert at[figure.index("Hips"), 1] == pytest.approx(height, abs=1e-3)
        # One that is removed holds no longer, and undo brings it back.
        distance = page.state["goals"][0]["id"]
        page.do("goal.remove", goal=distance)
        assert len(page.state["goals"]) == 2
        page.drag(hand["id"], np.array(hand["position"]) + [0.3, 0.4, 0.1])
        at = figure.positions(view.pose)
        assert abs(np.linalg.norm(at[hands[0]] - at[hands[1]]) - 0.4) > 0.01
        page.do("undo")  # the drag
        page.do("undo")
        assert page.state["goals"][0]["id"] == distance


def test_a_goal_in_python_holds_while_dragging_and_ends_with_its_program(state: Path) -> None:
    arm = limbik.figures.arm()
    tip = arm.joints[-1]
    target = arm.positions(arm.project(arm.rest + 0.3))[-1]

    def level(figure: limbik.Figure, q: np.ndarray) -> np.ndarray:
        return figure.positions(q)[-1, 1:2] - target[1]

    goals = [limbik.Reach(tip, position=target), limbik.PythonGoal(level, name="level")]
    with limbik.view(arm, goals, open=False, block=False) as view:
        with page_of(view) as page:
            (kept,) = page.state["goals"]
            assert (kept["kind"], kept["label"], kept["lost"]) == ("PythonGoal", "level", False)
            # The hand wants to go up as well, and gives way.
            page.drag(page.state["effectors"][0]["id"], target + [0.0, 0.05, 0.0])
            assert arm.positions(view.pose)[-1, 1] == pytest.approx(target[1], abs=2e-3)
        session = view.url.partition("#session=")[2]
    with (
        limbik.view(arm, open=False, block=False) as other,
        client(other.url.partition("#")[0], session) as page,
    ):
        (lost,) = page.state["goals"]
        assert (lost["label"], lost["lost"]) == ("level", True)
        page.drag(page.state["effectors"][0]["id"], target)


def test_a_goal_that_is_wrong_is_refused_and_nothing_is_started() -> None:
    wrong = limbik.Reach("LeftHnd", position=[0.4, 1.2, 0.3])
    with pytest.raises(limbik.GoalError, match="LeftHnd"):
        limbik.view(limbik.figures.human(), [wrong], open=False, block=False)
    assert shown._server is None


def test_two_views_share_a_server_and_not_a_figure() -> None:
    with limbik.view(limbik.figures.human(), open=False, block=False) as human:
        with limbik.view(limbik.figures.spider(), open=False, block=False) as spider:
            assert human.url.split("#")[0] == spider.url.split("#")[0]
            assert len(human.pose) != len(spider.pose)
            with page_of(human) as one, page_of(spider) as other:
                assert len(one.figure["joints"]) == len(limbik.figures.human().joints)
                assert len(other.figure["joints"]) == len(limbik.figures.spider().joints)
            with pytest.raises(limbik.LimbikError, match="is on port"):
                limbik.view(limbik.figures.arm(), port=1, open=False, block=False)
        assert httpx.get(human.url).status_code == 200
        assert spider.closed
    assert shown._server is None


def test_a_motion_comes_with_its_timeline() -> None:
    motion = limbik.figures.cartwheel()
    with limbik.view(motion, open=False, block=False) as view, page_of(view) as page:
        assert page.state["timeline"]["frames"] == motion.frames
        assert np.allclose(view.pose, motion.q[0], atol=1e-9)


def test_a_closed_view_can_be_opened_again_from_disk(state: Path) -> None:
    with limbik.view(limbik.figures.spider(), open=False, block=False) as view:
        with page_of(view) as page:
            first = page.state["effectors"][0]
            page.drag(first["id"], np.array(first["position"]) + [0.0, 0.02, 0.0])
        session, pose = view.url.partition("#session=")[2], view.pose
    with limbik.view(limbik.figures.arm(), open=False, block=False) as other:
        url = other.url.partition("#")[0]
        with client(url, session) as page:
            assert page.pose is not None
            assert np.allclose(page.pose.q, pose, atol=1e-6)


# ---- where it is called --------------------------------------------------------------------------


def test_a_notebook_shows_it_in_the_cell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the two things that are asked of IPython: its shell, and whether that has a kernel."""
    shell = type("Shell", (), {"kernel": object()})()
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(shown, "open_browser", lambda url: pytest.fail("opened a browser"))
    with limbik.view(limbik.figures.arm()) as view:
        shown_as = view._repr_html_()
        assert "<svg" in shown_as  # in a notebook that no server can reach
        assert capsys.readouterr().out == ""
        source = re.search(r'<iframe src="([^"]+)"', shown_as)
        assert source is not None
        assert source[1] == view.url
        policy = httpx.get(source[1]).headers["content-security-policy"]
        assert "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*" in policy
    assert "closed" in view._repr_html_()


SCRIPT = """
import limbik
view = limbik.view(limbik.figures.arm(), open=False)
print("went on", view.closed, len(view.pose), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_script_waits_for_ctrl_c(tmp_path: Path) -> None:
    script = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**environment(), "LIMBIK_STATE": str(tmp_path)},
    )  # fmt: skip
    try:
        assert script.stdout is not None
        url = script.stdout.readline().split()[-1]
        with client(url.partition("#")[0], url.partition("#session=")[2]):
            assert script.poll() is None
            script.send_signal(signal.SIGINT)
            out, err = script.communicate(timeout=WAIT)
        assert (script.returncode, out.strip(), err) == (
            0,
            f"went on True {limbik.figures.arm().n}",
            "",
        )
    finally:
        script.kill()
        script.communicate()


ENDS = """
import limbik, numpy as np, sys
view = limbik.view(limbik.figures.arm(), open=False, block=False)
sys.stdin.readline()
"""


def test_a_program_that_just_ends_has_saved_what_was_done(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", ENDS], text=True,
        env={**environment(), "LIMBIK_STATE": str(tmp_path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert program.stdout is not None
        url, _, session = program.stdout.readline().split()[-1].partition("#session=")
        page = client(url, session)
        tip = page.state["effectors"][0]
        page.drag(tip["id"], np.array(tip["position"]) * 0.9)
        _, err = program.communicate("\n", timeout=WAIT)
        assert (program.returncode, err) == (0, "")
        with pytest.raises(ConnectionClosed):
            page.do("undo")
    finally:
        program.kill()
        program.communicate()
    with limbik.view(limbik.figures.chain(), open=False, block=False) as other:
        # The same folder as the program had.
        other._server.sessions.store.root = tmp_path
        with client(other.url.partition("#")[0], session) as again:
            assert again.pose is not None
            assert page.pose is not None
            assert np.allclose(again.pose.q, page.pose.q, atol=1e-6)


def test_a_cell_that_is_run_again_and_again_finds_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limbik.poser.server.session_registry.MOST_SESSIONS", 3)
    figure = limbik.figures.arm()
    seen, *unseen = [limbik.view(figure, open=False, block=False) for _ in range(3)]
    with page_of(seen):
        again = [limbik.view(figure, open=False, block=False) for _ in range(2)]
        assert all(view.closed for view in unseen)
        assert not any(view.closed for view in (seen, *again))
        with page_of(again[0]), page_of(again[1]), pytest.raises(limbik.LimbikError, match="3 fig"):
            limbik.view(figure, open=False, block=False)

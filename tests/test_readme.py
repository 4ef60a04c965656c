"""The README's code and commands run as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from typer.testing import CliRunner

import limbik
from helpers.poser.pose_command import Server
from limbik.cli import app

PROJECT = Path(__file__).resolve().parent.parent
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


COMMANDS = [
    line for block in blocks("sh") for line in block.splitlines() if line.startswith("limbik ")
]


def test_the_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert capsys.readouterr().out.startswith("REACHED - ")
    human, result = names["human"], names["result"]
    assert isinstance(human, limbik.Figure)
    assert isinstance(result, limbik.Result)
    hand = human.positions(result.q)[human.index("LeftHand")]
    assert np.linalg.norm(hand - [0.35, 1.75, 0.40]) < 1e-4 * human.size
    saved = limbik.load_motion(tmp_path / "pose.bvh")
    again = saved.positions()[0, saved.figure.index("LeftHand")]
    assert np.abs(again - hand).max() < 1e-5


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if command.split()[1] == "pose":
        with Server(tmp_path, *shlex.split(command)[2:]) as server:
            assert urlopen(server.url).status == 200
            assert server.end() == (0, "")
        return
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output


def test_every_command_is_shown() -> None:
    shown = {command.split()[1] for command in COMMANDS}
    known = {command.callback.__name__ for command in app.registered_commands}
    assert shown == known - {"fit_markers"}  # which needs a recording
    for name in ("limbik motion", "limbik batch", "limbik fit-markers"):
        assert f"`{name}`" in README


def test_it_says_what_it_is_before_anything_else() -> None:
    first = README.splitlines()[2]
    assert "inverse kinematics (IK)" in first
    assert README.index("pip install") < README.index("make demo")
    assert [line.split()[1] for line in README.splitlines() if line.startswith("make ")] == [
        "demo",
        "test",
    ]


def test_the_goals_can_be_shown_in_the_poser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path / "state"))
    (code,) = blocks("python")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert "`limbik.view(human, goals)`" in README
    shown = eval("limbik.view(human, goals, open=False, block=False)", names)
    try:
        assert shown.result.status == "REACHED"
    finally:
        shown.close()


def test_links_and_pictures_are_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    local = [target for target in targets if not target.startswith("https://")]
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    # Shown, with words beside them.
    assert {"docs/pictures/demo.png", "docs/pictures/drag.gif"} <= set(pictures)
    assert [target for target in local if not (PROJECT / target).exists()] == []
    examples = {path.name for path in (PROJECT / "examples").glob("[0-9]*.py")}
    assert examples == {Path(target).name for target in local if target.startswith("examples/")}


def test_the_pictures_are_small() -> None:
    assert (PROJECT / "docs" / "pictures" / "demo.png").stat().st_size < 300_000
    assert (PROJECT / "docs" / "pictures" / "drag.gif").stat().st_size < 2_000_000

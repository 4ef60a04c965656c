"""A file on the command line brings along what it refers to, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import limbik
from limbik.errors import FormatError
from limbik.poser.document.document import Source
from limbik.poser.files.companions import bring
from limbik.poser.files.open import open_source


def brought(path: Path, folder: Path) -> list[str]:
    """The names brought, below the place where they are kept; the figure can be opened there."""
    folder.mkdir()
    files = bring(path, folder)
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert there == set(files)
    assert open_source(Source("files", path.name, files), folder).figure.n > 0
    return [name.removeprefix("opened/given/") for name in files]


def test_a_file_that_stands_alone_comes_alone(tmp_path: Path) -> None:
    limbik.save(limbik.figures.human(), tmp_path / "body.bvh")
    limbik.save(limbik.figures.human(), tmp_path / "other.bvh")
    assert brought(tmp_path / "body.bvh", tmp_path / "session") == ["body.bvh"]


def test_a_motion_brings_its_skeleton_and_the_skeleton_comes_first(tmp_path: Path) -> None:
    limbik.save(limbik.figures.cartwheel(), tmp_path / "wheel.amc")
    found = brought(tmp_path / "wheel.amc", tmp_path / "session")
    assert found == ["wheel.asf", "wheel.amc"]


def test_a_gltf_brings_its_buffers_from_folders_below(tmp_path: Path) -> None:
    limbik.save(limbik.figures.human(), tmp_path / "body.glb")
    whole = (tmp_path / "body.glb").read_bytes()
    length = int.from_bytes(whole[12:16], "little")
    document = json.loads(whole[20 : 20 + length])
    (tmp_path / "my data").mkdir()
    (tmp_path / "my data" / "body.bin").write_bytes(whole[28 + length :])
    (tmp_path.parent / "secret.png").write_bytes(b"not ours")
    document["buffers"][0]["uri"] = "my%20data/body.bin"
    document["images"] = [{"uri": "../secret.png"}, {"uri": "data:image/png;base64,AA=="}]
    (tmp_path / "body.gltf").write_text(json.dumps(document))
    found = brought(tmp_path / "body.gltf", tmp_path / "session")
    assert found == ["body.gltf", "my data/body.bin"]


def test_an_mjcf_brings_what_it_includes(tmp_path: Path) -> None:
    link = '<body name="{0}"><joint name="{0}j" axis="0 1 0"/><geom size="0.1"/></body>'
    (tmp_path / "robot.xml").write_text(
        f'<mujoco><worldbody>{link.format("a")}</worldbody><include file="arm.xml"/></mujoco>'
    )
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{link.format('b')}</worldbody></mujoco>")
    found = brought(tmp_path / "robot.xml", tmp_path / "session")
    assert found == ["robot.xml", "arm.xml"]


def test_what_is_no_figure_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(FormatError, match="not a format limbik reads"):
        bring(tmp_path / "a.txt", tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        bring(tmp_path / "a.bvh", tmp_path)

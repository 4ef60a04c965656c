"""Clips that change scales: joints stay where the file has them, or the clip is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.gltf_samples import Plain, Sample, xyzw
from limbik import FormatError, Motion

TIMES = np.arange(7) / 30


def growing(kind: str = "equal", *, above: bool = False) -> Sample:
    """A chain of four joints that turns, whose second (or what is above them) grows and shrinks."""
    sample = Sample()
    rig = sample.node("rig", scale=[2.0, 2.0, 2.0], rotation=xyzw("x", 30))
    joints = [rig]
    for k in range(4):
        joints.append(
            sample.node(
                f"j{k}", joints[-1], translation=[0.1, 1.0, 0.2], rotation=xyzw("z", 10 * k)
            )
        )
    sample.put("skins", {"joints": joints[1:]})
    size = 1.0 + 0.8 * np.sin(9.0 * TIMES)
    other = size if kind == "equal" else 1.0 + 0.3 * np.cos(5.0 * TIMES)
    channels = [
        (joint, "rotation", TIMES, [xyzw("y", 40 * t + 15 * k) for t in TIMES])
        for k, joint in enumerate(joints[1:])
    ]
    start = 2.0 if above else 1.0
    channels.append(
        (rig if above else joints[2], "scale", TIMES, start * np.stack([size, other, size], 1))
    )
    if kind == "shifted":
        channels.append((joints[3], "translation", TIMES, np.outer(1 + TIMES, [0.1, 1.0, 0.2])))
    sample.animate(channels, name="grow")
    return sample


def apart(path: Path, motion: Motion) -> float:
    """How far joints are from where a plain reading has them."""
    plain = Plain(path)
    found = [
        np.abs(plain.at(0, t)[plain.index(name)][:3, 3] - motion.positions()[frame, k]).max()
        for frame, t in enumerate(plain.start(0) + motion.times)
        for k, name in enumerate(motion.figure.joints)
    ]
    return float(max(found))


@pytest.mark.parametrize("above", [False, True], ids=["a joint", "what is above"])
@pytest.mark.parametrize("kind", ["equal", "unequal", "shifted"])
def test_joints_are_where_the_file_has_them(tmp_path: Path, kind: str, above: bool) -> None:
    path = growing(kind, above=above).save(tmp_path)
    motion = limbik.load_motion(path)
    assert len(motion) == len(TIMES)
    assert apart(path, motion) < 1e-5
    still = Motion(motion.figure, np.tile(motion.figure.rest, (len(motion), 1)), motion.fps)
    assert apart(path, still) > 0.3
    assert np.max(motion.figure.violation(motion.q)) < 1e-9
    slid = [name for name in motion.figure.coordinates if ".t" in name or name.endswith("tx")]
    assert slid
    sliding = motion.figure.slides & (np.arange(motion.figure.n) >= 6)
    assert np.isfinite(motion.figure.upper[sliding]).all()


@pytest.mark.parametrize("kind", ["equal", "unequal", "shifted"])
def test_written_again_the_scale_is_still_there_and_counted_once(tmp_path: Path, kind: str) -> None:
    path = growing(kind).save(tmp_path, "m.gltf")
    motion = limbik.load_motion(path)
    limbik.save(motion, tmp_path / "again.gltf")
    targets = [
        channel["target"]["path"]
        for channel in json.loads((tmp_path / "again.gltf").read_text())["animations"][0][
            "channels"
        ]
    ]
    assert targets.count("scale") == 1
    again = limbik.load_motion(tmp_path / "again.gltf")
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=1e-5)
    assert apart(tmp_path / "again.gltf", motion) < 1e-5
    named = Motion(motion.figure, motion.q, motion.fps, "another")
    limbik.save(named, tmp_path / "another.glb")
    last = limbik.formats.gltf.read.clips(tmp_path / "another.glb")["another"]
    np.testing.assert_allclose(last.positions(), motion.positions(), atol=1e-5)


def test_it_is_refused_where_that_is_asked(tmp_path: Path) -> None:
    path = growing().save(tmp_path)
    with pytest.raises(FormatError, match='clip "grow" changes the scale of "j1"'):
        limbik.load_motion(path, scale="refuse")
    with pytest.raises(FormatError, match='scale must be "keep" or "refuse"'):
        limbik.load_motion(path, scale="drop")


def test_keys_that_say_what_the_node_says_change_nothing(tmp_path: Path) -> None:
    sample = growing()
    clip = sample.json["animations"][0]
    (scale,) = (c for c in clip["channels"] if c["target"]["path"] == "scale")
    same = sample.add(np.ones((len(TIMES), 3)), "VEC3")
    clip["samplers"][scale["sampler"]]["output"] = same
    path = sample.save(tmp_path)
    motion = limbik.load_motion(path, scale="refuse")
    assert motion.figure.slides.sum() == 3  # the root's
    assert apart(path, motion) < 1e-5


def test_a_scale_that_starts_at_nothing_has_slides_without_limits(tmp_path: Path) -> None:
    sample = growing()
    sample.json["nodes"][2]["scale"] = [0.0, 0.0, 0.0]
    path = sample.save(tmp_path)
    motion = limbik.load_motion(path)
    assert apart(path, motion) < 1e-5


def test_a_clip_of_scales_alone_is_a_clip(tmp_path: Path) -> None:
    sample = growing()
    clip = sample.json["animations"][0]
    clip["channels"] = [c for c in clip["channels"] if c["target"]["path"] == "scale"]
    path = sample.save(tmp_path)
    assert apart(path, limbik.load_motion(path)) < 1e-5

"""Position channels on the joints of a BVH file: kept, fixed, and free when asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data

ALL = "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"


def chain(path: Path, arm: tuple[float, float, float] = (0.0, 2.0, 0.0)) -> Path:
    """Root > Arm > Hand, and a second child, all with position channels, three frames."""
    values = [
        "1 2 3 0 0 0  {} {} {} 10 0 0  0 1 0 0 0 0  1 0 0 0 0 0".format(*arm),
        "1 2 3 0 0 0  {} {} {} 20 0 0  0 1 0 0 5 0  1 0 0 0 0 0".format(*arm),
        "1 2 4 0 0 0  {} {} {} 30 0 0  0 1.01 0 0 0 0  1 0 0 0 0 0".format(*arm),
    ]
    path.write_text(
        f"""HIERARCHY
ROOT Root
{{
 OFFSET 0 0 0
 CHANNELS {ALL}
 JOINT Arm
 {{
  OFFSET 0 2 0
  CHANNELS {ALL}
  JOINT Hand
  {{
   OFFSET 0 1 0
   CHANNELS {ALL}
   End Site
   {{
    OFFSET 0 1 0
   }}
  }}
 }}
 JOINT Tail
 {{
  OFFSET 1 0 0
  CHANNELS {ALL}
 }}
}}
MOTION
Frames: 3
Frame Time: 0.1
"""
        + "\n".join(values)
        + "\n"
    )
    return path


def test_bones_do_not_stretch(tmp_path: Path) -> None:
    clip = limbik.load_motion(chain(tmp_path / "a.bvh"))
    figure = clip.figure
    fixed = figure.slides & (figure.lower == figure.upper)
    assert [figure.coordinates[c] for c in np.flatnonzero(fixed)] == [
        f"{joint}.t{axis}" for joint in ("Arm", "Hand", "Tail") for axis in "xyz"
    ]
    far = limbik.Reach("Hand", position=[1.0, 50.0, 3.0])
    short = limbik.solve(figure, [far, limbik.Pin("Root")], start=clip.q[0])
    assert not short.ok
    bones = np.linalg.norm(np.diff(figure.positions(short.q)[:3], axis=0), axis=1)
    assert bones == pytest.approx([2.0, 1.0], abs=1e-12)
    assert "Arm.t" not in short.why
    assert not any(".t" in limit.coordinate for limit in short.limits)
    free = limbik.load_motion(tmp_path / "a.bvh", stretch=True)
    assert np.array_equal(free.q, clip.q)
    assert limbik.solve(free.figure, [far, limbik.Pin("Root")], start=free.q[0]).ok
    assert np.isinf(limbik.load(tmp_path / "a.bvh", stretch=True).upper[6:9]).all()


def test_a_motion_keeps_its_values(tmp_path: Path) -> None:
    """Also one whose bones change their length; and what is written is read again."""
    clip = limbik.load_motion(chain(tmp_path / "a.bvh"))
    lengths = np.linalg.norm(clip.positions()[:, 2] - clip.positions()[:, 1], axis=1)
    assert lengths == pytest.approx([1.0, 1.0, 1.01])
    limbik.save(clip, tmp_path / "b.bvh", precision=9)
    again = limbik.load_motion(tmp_path / "b.bvh")
    assert np.allclose(again.q, clip.q, atol=1e-8)
    assert np.array_equal(again.figure.lower, clip.figure.lower)


def test_bones_are_as_long_as_in_the_motion(tmp_path: Path) -> None:
    """OFFSET says 2, every frame 3: that is how long the bone is."""
    clip = limbik.load_motion(chain(tmp_path / "a.bvh", (0.0, 3.0, 0.0)))
    c = clip.figure.coordinates.index("Arm.ty")
    assert clip.figure.lower[c] == clip.figure.upper[c] == clip.figure.rest[c] == 1.0
    assert clip.figure.violation(clip.q[0]) == 0.0
    assert limbik.load(tmp_path / "a.bvh").rest[c] == 0.0


def test_a_cone_leaves_them_fixed_and_none_too(tmp_path: Path) -> None:
    figure = limbik.load(chain(tmp_path / "a.bvh"))
    cone = limbik.SwingTwist(swing=60, twist=(-30, 30), degrees=True)
    coned = figure.with_balls("swing-twist").with_limits({"Arm": cone})
    for one in (coned, coned.with_limits({"Arm": None}), figure.with_limits({"Arm": None})):
        assert np.array_equal(one.upper[6:9], np.zeros(3))
        assert np.array_equal(one.lower[6:9], np.zeros(3))
    assert figure.with_limits({"Arm.ty": None}).upper[7] == np.inf


def test_what_carries_the_whole_figure_moves() -> None:
    """Root > Hips, both with positions: the hips go where they go, and nothing else stretches."""
    figure = limbik.load(real_data.find("motion/soma_pick_up.bvh"))
    slides = [figure.coordinates[c] for c in np.flatnonzero(figure.slides)]
    assert slides == [f"{joint}.t{axis}" for joint in ("Root", "Hips") for axis in "xyz"]
    assert np.isinf(figure.upper[figure.slides]).all()
    body = limbik.load(real_data.find("bvh_other/makehuman_tpose.bvh"))
    fixed = body.lower == body.upper
    assert (body.slides & ~fixed).sum() == 3
    assert (body.slides & fixed).sum() > 300

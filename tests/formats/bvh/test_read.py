"""Reading BVH files: what every feature means, and real files against SciPy's rotations."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from helpers.real_data import find, root
from limbik.errors import FormatError
from limbik.figure.limits import Range
from limbik.formats import load, load_motion

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -5 0.5
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
1 2 3 10 20 30 40 50 60
4 5 6 -10 -20 -30 .5 -5e-1 1E+1
"""

# Without the data there is one name, whose test says what is missing and skips.
REAL = [str(p.relative_to(root())) for p in sorted(root().glob("*bvh*/*.bvh"))] or ["cmu_bvh"]


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "clip.bvh"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def one_joint(channels: str, values: str, offset: str = "0 0 0") -> str:
    """A root with these channels that carries a tip-like joint at (1, 2, 3), in one frame."""
    count = len(channels.split())
    return (
        f"HIERARCHY\nROOT a\n{{\nOFFSET {offset}\nCHANNELS {count} {channels}\n"
        f"JOINT b\n{{\nOFFSET 1 2 3\n}}\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n{values}\n"
    )


def test_a_small_file(file) -> None:
    clip = load_motion(file(SMALL))
    fig = clip.figure
    assert (fig.name, clip.name, fig.unit, fig.up) == ("clip", "clip", "", "")
    assert fig.joints == ("Hips", "Leg")
    assert fig.coordinates[:4] == ("Hips.tx", "Hips.ty", "Hips.tz", "Hips.rz")
    assert fig.coordinates[6:] == ("Leg.rz", "Leg.rx", "Leg.ry")
    assert fig.definition[1].tip == (0.0, -5.0, 0.5)
    assert clip.fps == pytest.approx(25)
    np.testing.assert_array_equal(fig.rest, [1, 2, 3, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(clip.q[1, :3], [4, 5, 6])
    np.testing.assert_allclose(np.degrees(clip.q[1, 3:]), [-10, -20, -30, 0.5, -0.5, 10])
    np.testing.assert_allclose(fig.positions(fig.rest), [[1, 2, 3], [1, -2, 3]])


@pytest.mark.parametrize(
    "order", ["".join(p) for n in (1, 2, 3) for p in itertools.permutations("XYZ", n)]
)
def test_rotations_apply_in_the_order_of_the_channels(file, order: str) -> None:
    angles = [25.0, -130.0, 70.0][: len(order)]
    names = " ".join(f"{axis}rotation" for axis in order)
    clip = load_motion(file(one_joint(names, " ".join(map(str, angles)))))
    turned = Rotation.from_euler(order, angles, degrees=True).apply([1, 2, 3])
    np.testing.assert_allclose(clip.positions()[0, 1], turned, atol=1e-12)


@pytest.mark.parametrize(
    ("channels", "values"),
    [
        ("Zrotation Xposition Yrotation Zposition Yposition Xrotation", "10 1 20 3 2 30"),
        ("Zrotation Yrotation Xrotation Xposition Yposition Zposition", "10 20 30 1 2 3"),
        ("Zposition Yposition Xposition Zrotation Yrotation Xrotation", "3 2 1 10 20 30"),
    ],
)
def test_positions_come_before_rotations_wherever_they_stand(file, channels, values) -> None:
    usual = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"
    expected = load_motion(file(one_joint(usual, "1 2 3 10 20 30", "7 8 9"))).positions()
    clip = load_motion(file(one_joint(channels, values, "7 8 9")))
    np.testing.assert_allclose(clip.positions(), expected, atol=1e-12)
    assert list(clip.figure.slides) == [True] * 3 + [False] * 3


def test_a_root_position_replaces_its_offset_axis_by_axis(file) -> None:
    clip = load_motion(file(one_joint("Yposition", "50", "7 8 9")))
    np.testing.assert_array_equal(clip.positions()[0, 0], [7, 50, 9])
    np.testing.assert_array_equal(clip.figure.positions(clip.figure.rest)[0], [7, 8, 9])


def moving_bones(first: str, second: str) -> str:
    place = "CHANNELS 3 Xposition Yposition Zposition"
    return (
        f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nJOINT b\n{{\nOFFSET 0 10 0\n{place}\n"
        f"JOINT c\n{{\nOFFSET 0 20 0\n{place}\n}}\n}}\n}}\n"
        f"MOTION\nFrames: 2\nFrame Time: 1\n{first}\n{second}\n"
    )


def test_joint_positions_replace_their_offsets(file) -> None:
    clip = load_motion(file(moving_bones("0 11 0 0 20 0", "0 10 0 1 21 0")))
    np.testing.assert_allclose(clip.positions()[:, 2], [[0, 31, 0], [1, 31, 0]])
    np.testing.assert_allclose(clip.q, [[0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0]])


def test_joint_positions_add_where_replacing_would_collapse_the_skeleton(file) -> None:
    clip = load_motion(file(moving_bones("0 0.5 0 0 0 0", "0 0 0 0 1 0")))
    np.testing.assert_allclose(clip.positions()[:, 2], [[0, 30.5, 0], [0, 31, 0]])


def test_lengths_near_the_largest_number_do_not_overflow(file) -> None:
    text = moving_bones("0 11 0 0 20 0", "0 10 0 1 21 0").replace(
        "OFFSET 0 10 0", "OFFSET 0 1e200 0"
    )
    clip = load_motion(file(text))
    assert clip.figure.definition[1].offset[1] == 1e200
    assert np.isfinite(clip.q).all()


def test_steadily_longer_bones_are_lengths_and_no_angles(file) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = load_motion(file(moving_bones("0 40 0 0 20 0", "0 40 0 0 20 0")))
    np.testing.assert_allclose(clip.positions()[0], [[0, 0, 0], [0, 40, 0], [0, 60, 0]])


def test_no_channels_and_no_end_site(file) -> None:
    fig = load(file("HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 0\n}\n"))
    assert fig.n == 0
    assert fig.definition[0].tip is None
    np.testing.assert_array_equal(fig.positions([])[0], [1, 2, 3])


def test_several_end_sites_keep_the_first(file) -> None:
    end = "End Site\n{\nOFFSET %d 0 0\n}\n"
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + end % 1 + end % 2 + "}\n"
    with pytest.warns(UserWarning, match='first End Site of "a"'):
        assert load(file(text)).definition[0].tip == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("mark", ["\r\n", "\r", "\n\n", "\t\n \t", "\v\f\n"])
def test_line_ends_and_blanks(file, mark: str) -> None:
    expected = load_motion(file(SMALL))
    clip = load_motion(file(SMALL.replace("\n", mark).replace(" ", "\t ")))
    np.testing.assert_array_equal(clip.q, expected.q)
    assert clip.figure.joints == expected.figure.joints


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("}\n", "}\r\n", 1).replace("0.04\n", "0.04\r"),  # mixed
        lambda text: text.rstrip(),
        lambda text: "\ufeff" + text,
        str.upper,
        str.lower,
        lambda text: text.replace("\n  {", " {").replace("\n{", "{"),
        lambda text: text.replace("Frames: ", "Frames:").replace("Frame Time: ", "Frame Time:\t"),
        lambda text: text.replace("1 2 3 10 20", "1 2 3\n10 20").replace("4 5 6 -", "4 5 6\n\n-"),
        lambda text: text.replace("60\n", "60 "),
        lambda text: text.replace("}\nMOTION", "}\n\n\nMOTION\n"),
    ],
)
def test_layouts_that_mean_the_same(file, change) -> None:
    expected = load_motion(file(SMALL))
    clip = load_motion(file(change(SMALL)))
    np.testing.assert_array_equal(clip.q, expected.q)
    assert clip.fps == expected.fps
    assert [j.tip for j in clip.figure.definition] == [j.tip for j in expected.figure.definition]


@pytest.mark.parametrize(("announced", "there"), [("3", 2), ("1", 2), ("1000000000", 2), ("0", 2)])
def test_a_wrong_count_of_frames_is_told(file, announced: str, there: int) -> None:
    with pytest.warns(
        UserWarning, match=rf"clip.bvh: announces {announced} frames and has {there}"
    ):
        assert len(load_motion(file(SMALL.replace("Frames: 2", f"Frames: {announced}")))) == there


@pytest.mark.parametrize(
    "name", ["mixamorig:Hips", "Left Hand", "pelvis.R", "J_Bip_C-Hips", "腰", "a}b", "  wide  "]
)
def test_names_are_the_rest_of_the_line(file, name: str) -> None:
    assert load(file(SMALL.replace("Leg", name))).joints == ("Hips", name.strip())


def test_names_that_are_not_utf8(file) -> None:
    assert load(file(SMALL.encode().replace(b"Leg", b"H\xfcfte"))).joints == ("Hips", "Hüfte")


def test_names_used_twice_get_a_number(file) -> None:
    one = "JOINT {}\n{{\nOFFSET 0 0 0\n}}\n"
    text = SMALL.replace(
        "  JOINT Leg", "".join(map(one.format, ["x", "x", "x_2", "x"])) + "  JOINT Leg"
    )
    with pytest.warns(UserWarning, match='"x" of line 10 is now "x_3"'):
        assert load(file(text)).joints == ("Hips", "x", "x_3", "x_2", "x_4", "Leg")


def test_several_roots(file) -> None:
    second = "ROOT Prop\n{\nOFFSET 9 9 9\nCHANNELS 1 Xposition\n}\nMOTION"
    text = SMALL.replace("MOTION", second).replace("30 40 50 60", "30 40 50 60 77")
    clip = load_motion(file(text.replace("1E+1", "1E+1 78")))
    assert list(clip.figure.parents) == [-1, 0, -1]
    np.testing.assert_array_equal(clip.positions()[:, 2], [[77, 9, 9], [78, 9, 9]])


def test_numbers_are_correctly_rounded(file) -> None:
    words = [
        "0.1",
        "123456789012345678901234567890",
        "1e-5",
        "-.5",
        "8.",
        "+7",
        "0.30000000000000004",
    ]
    text = one_joint("Xposition", "\n".join(words)).replace("Frames: 1", f"Frames: {len(words)}")
    assert load_motion(file(text)).q.ravel().tolist() == list(map(float, words))


def test_frames_on_a_given_figure(file) -> None:
    path = file(SMALL)
    limited = load(path).with_limits({"Leg": Range(-90, 90, degrees=True)})
    assert load_motion(path, figure=limited).figure is limited
    other = load(file(one_joint("Xrotation", "0")))
    with pytest.raises(
        FormatError, match=r"clip.bvh: does not fit .* has Hips.tx where that has a"
    ):
        load_motion(file(SMALL), figure=other)


def test_five_megabytes(file) -> None:
    rows = np.random.default_rng(0).normal(scale=90, size=(60_000, 9)).round(4)
    body = "\n".join(" ".join(map(str, row)) for row in rows.tolist())
    head = SMALL[: SMALL.index("1 2 3 10")].replace("Frames: 2", "Frames: 60000")
    assert len(body) > 4e6
    clip = load_motion(file(head + body))
    np.testing.assert_array_equal(clip.q[:, :3], rows[:, :3])
    np.testing.assert_array_equal(clip.q[:, 3:], np.radians(rows[:, 3:]))


def by_scipy(path: Path, step: int) -> tuple[list[str], np.ndarray]:
    """Names and world positions of every step-th frame, the plain way: words, SciPy, no limbik."""
    words = path.read_text().split()
    at = words.index("MOTION")
    nodes: list[dict] = []
    stack: list[dict | None] = []
    for i, word in enumerate(words[:at]):
        if word in ("ROOT", "JOINT"):
            parent = stack[-1] if stack else None
            new = {"name": words[i + 1], "parent": parent, "channels": []}
            nodes.append(new)
        elif word == "End":
            new = None
        elif word == "{":
            stack.append(new)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET" and stack[-1] is not None:
            stack[-1]["offset"] = np.array(words[i + 1 : i + 4], float)
        elif word == "CHANNELS":
            stack[-1]["channels"] = words[i + 2 : i + 2 + int(words[i + 1])]
    count = sum(len(node["channels"]) for node in nodes)
    frames = np.array(words[words.index("Time:") + 2 :], float).reshape(-1, count)[::step]
    column = 0
    for node in nodes:
        turn = Rotation.identity(len(frames))
        place = np.tile(node["offset"], (len(frames), 1))
        for name in node["channels"]:
            axis, value = "XYZ".index(name[0]), frames[:, column]
            column += 1
            if name.endswith("rotation"):
                turn = turn * Rotation.from_euler(name[0], value[:, None], degrees=True)
            elif node["parent"] is None:
                place[:, axis] = value
            else:
                place[:, axis] += value  # the only real file that has these, makehuman_tpose, adds
        parent = node["parent"]
        node["turn"] = turn if parent is None else parent["turn"] * turn
        node["place"] = place if parent is None else parent["place"] + parent["turn"].apply(place)
    return [node["name"] for node in nodes], np.stack([node["place"] for node in nodes], axis=1)


@pytest.mark.parametrize("name", REAL)
def test_real_files_stand_where_scipy_puts_them(name: str) -> None:
    path = find(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = load_motion(path)
    names, positions = by_scipy(path, 40)
    assert list(clip.figure.joints) == names
    np.testing.assert_allclose(clip.positions()[::40], positions, atol=1e-9)


def test_an_axis_may_come_back(tmp_path: Path) -> None:
    """Z Y Z is an order of Euler angles too (Appendix A.1 of line_search)."""
    file = tmp_path / "zyz.bvh"
    file.write_text(
        "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Yrotation Zrotation\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.01\n10 20 30\n"
    )
    motion = load_motion(file)
    assert motion.figure.coordinates == ("Hips.rz", "Hips.ry", "Hips.rz2")
    turned = motion.figure.frames(motion.q[0])[0, :3, :3]
    expected = Rotation.from_euler("ZYZ", [10, 20, 30], degrees=True).as_matrix()
    np.testing.assert_allclose(turned, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("said", "fps"),
    [
        ("0.033333", 30.0),  # LAFAN1
        ("0.008333", 120.0),  # SOMA
        ("0.0083333", 120.0),  # CMU
        ("0.004184", 239.0),  # Xsens
        ("0.04", 25.0),
        ("0.0333", 1 / 0.0333),
        ("1e-2", 100.0),
    ],
)
def test_a_rounded_frame_time_means_a_whole_frame_rate(file, said: str, fps: float) -> None:
    assert load_motion(file(SMALL.replace("0.04", said))).fps == pytest.approx(fps, rel=1e-14)


def test_the_root_of_lafan1_is_where_its_channels_say() -> None:
    """Its OFFSET repeats the position of the first frame, which must not count twice."""
    motion = load_motion(find("motion/lafan1_dance1_subject2.bvh"))
    heights = motion.positions()[..., 1]
    assert motion.fps == 30.0
    assert -3.0 < heights.min() < 0.5  # cm: the toes are on the floor
    assert 150.0 < np.median(heights.max(axis=1)) < 200.0


def test_the_hips_of_soma_move_below_a_root_that_stays() -> None:
    motion = load_motion(find("motion/soma_pick_up.bvh"))
    hips = motion.figure.index("Hips")
    assert np.ptp(motion.positions()[:, 0], axis=0).max() < 1e-6
    # The position channels of a joint replace its OFFSET, which is 101.3 cm high.
    assert np.abs(motion.positions()[:, hips, 1] - 99.4).max() < 0.3
    assert motion.figure.violation(motion.q).max() == 0.0

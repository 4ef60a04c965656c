"""Broken and hostile BVH files: refused, with the line that is wrong, and nothing worse."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.errors import FormatError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import load, load_motion, save

SMALL = """HIERARCHY
ROOT Hips
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
JOINT Leg
{
OFFSET 0 -4 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 -5 0
}
}
}
MOTION
Frames: 3
Frame Time: 0.04
1 2 3 10 20 30 40 50 60
1 2 3 10 20 30 40 50 60
1 2 3 10 20 30 40 50 60"""
LINES = SMALL.splitlines()

ZEROS = "0 0 0 0 0 0 0 0 0"


def changed(**lines: str | None) -> str:
    """The small file with some lines, L1 the first, replaced, or left out where None."""
    given = {int(key[1:]): text for key, text in lines.items()}
    kept = [given.get(i, line) for i, line in enumerate(LINES, start=1)]
    return "\n".join(line for line in kept if line is not None)


BROKEN = [
    ("", 1, "expected HIERARCHY, found nothing"),
    ("hello", 1, 'expected HIERARCHY, found "hello"'),
    ("\n\n\x00\x01", 3, 'found "[?][?]"'),
    ("HIERARCHY", 1, "has no ROOT"),
    (changed(L2="JOINT Hips"), 2, "JOINT stands outside a joint"),
    (changed(L2="ROOT"), 2, "ROOT has no name"),
    (changed(L2="ROTO Hips"), 2, r'"ROTO" is not a keyword \(did you mean "ROOT"'),
    (changed(L3="OFFSET 0 0 0"), 3, 'expected "{" of joint "Hips", found "OFFSET 0 0 0"'),
    (changed(L3="{{"), 3, '"{" does not follow'),
    (changed(L4=None), 14, 'joint "Hips" has no OFFSET'),
    (changed(L4="OFFSET 0 0"), 4, 'OFFSET of joint "Hips" has 2 of 3 values'),
    (changed(L4="OFFSET 0 0 0 0"), 4, "has 4 of 3 values"),
    (changed(L4="OFFSET 0 nan 0"), 4, '"nan" is not a finite number'),
    (changed(L4="OFFSET 0 1,5 0"), 4, '"1,5" is not a finite number'),
    (changed(L4="OFFSET 0 0 0\nOFFSET 0 0 0"), 5, 'joint "Hips" has a second OFFSET'),
    (changed(L5="CHANNELS"), 5, 'CHANNELS needs a count, found ""'),
    (changed(L5="CHANNELS -1"), 5, 'found "-1"'),
    (changed(L5="CHANNELS 3 Xposition"), 5, "CHANNELS announces 3 and lists 1"),
    (changed(L5="CHANNELS 1 Xrotatoin"), 5, r'"Xrotatoin" is not a channel .*"Xrotation"'),
    (changed(L5="CHANNELS 2 Xrotation XROTATION"), 5, 'joint "Hips" has Xrotation twice'),
    (changed(L6="ROOT Leg"), 6, 'ROOT "Leg" stands inside joint "Hips"'),
    (changed(L9="CHANNELS 0\nCHANNELS 0"), 10, 'joint "Leg" has a second CHANNELS'),
    (changed(L12=None), 12, 'the End Site of joint "Leg" has no OFFSET'),
    (changed(L12="CHANNELS 0"), 12, 'the End Site of joint "Leg" has CHANNELS'),
    (changed(L12="JOINT Toe"), 12, 'JOINT "Toe" stands in an End Site'),
    (changed(L12="End Site"), 12, "an End Site stands in an End Site"),
    (changed(L15=None), 15, 'joint "Hips" of line 2 has no closing "}"'),
    (changed(L15="} }"), 15, '"}" without "{"'),
    ("\n".join(LINES[:13]), 13, 'joint "Leg" of line 6 has no closing "}"'),
    ("\n".join(LINES[:6]), 6, 'joint "Leg" has no "{"'),
    (changed(L17="Frames: many"), 17, 'Frames: needs a count, found "many"'),
    (changed(L17="Frames: -3"), 17, 'found "-3"'),
    (changed(L17="Frames: 9" + "9" * 5000), 17, "Frames: needs a count"),
    (changed(L17=None, L18=None), 17, 'expected "Frames:" and "Frame Time:", found "1 2 3 10'),
    (changed(L18="Frames: 3"), 18, 'says "frames" twice'),
    (changed(L18="Frame Time: 0"), 18, 'Frame Time: needs seconds above 0, found "0"'),
    (changed(L18="Frame Time: 1e-320"), 18, "needs seconds above 0"),
    (changed(L18="Frame Time: inf"), 18, "needs seconds above 0"),
    ("\n".join(LINES[:17]), 17, "MOTION ends before Frames: and Frame Time:"),
    ("\n".join(LINES[:18]), 19, "has no frames"),
    (changed(L19="1 2 3 10 20 30 40 50"), 19, "frame 1 has 8 of 9 values"),
    (changed(L20="1 2 3 10 20 30 40 50"), 20, "frame 2 has 8 of 9 values"),
    (changed(L21="1 2 3 10 20 30 40 50"), 21, "frame 3 has 8 of 9 values"),
    (changed(L20=f"\n{ZEROS} 1"), 21, "frame 2 has more than 9 values"),
    (changed(L19="0 " * 8, L20="0 " * 10), 19, "frame 1 has 8 of 9 values"),
    (changed(L20="1 2 3 10 20 x 40 50 60"), 20, '"x" is not a finite number'),
    (changed(L20="1 2 3 10 20 1.#QNAN 40 50 60"), 20, '"1.#QNAN" is not a finite number'),
    (changed(L20="1 2 3 10 20 NaN 40 50 60"), 20, '"NaN" is not'),
    (changed(L20="1 2 3 10 20 1e999 40 50 60"), 20, '"1e999" is not'),
    (changed(L20="1 2 3 10 20 1_0 40 50 60"), 20, '"1_0" is not'),
    (changed(L21=LINES[20] + "\r\rend"), 23, '"end" is not'),
    (changed(L5="CHANNELS 0", L9="CHANNELS 0"), 16, "has no channels, so nothing moves"),
]


@pytest.mark.parametrize(("text", "line", "message"), BROKEN, ids=[m for *_, m in BROKEN])
def test_broken_files_are_refused_with_the_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "bad.bvh"
    path.write_bytes(text.encode())
    with pytest.raises(FormatError, match=message.replace("{", r"\{")) as caught:
        load_motion(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"bad.bvh line {line}: ")


def test_no_motion_section_is_a_figure_but_no_motion(tmp_path: Path) -> None:
    path = tmp_path / "still.bvh"
    path.write_text("\n".join(LINES[:15]))
    assert load(path).joints == ("Hips", "Leg")
    with pytest.raises(FormatError, match=r"still.bvh: has no MOTION section"):
        load_motion(path)


def test_a_fault_far_into_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "large.bvh"
    head = changed(L17="Frames: 200000", L19=None, L20=None, L21=None)
    rows = [ZEROS] * 200_000
    for bad, message in (("0 0 0", "has 3 of 9 values"), ("0 0 x" + " 0" * 6, '"x" is not')):
        rows[150_000] = bad
        path.write_text(head + "\r\n" + "\r\n".join(rows))
        with pytest.raises(FormatError, match=message) as caught:
            load_motion(path)
        assert caught.value.line == 18 + 150_001


JOINT = "JOINT j\n{\nOFFSET 0 0 0\n"
ROOT = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\n"


HOSTILE = [
    (ROOT + JOINT * 100_000, "line 30002: has more than 10,000 joints"),
    (ROOT + (JOINT + "}\n") * 100_000, "line 40001: has more than 10,000 joints"),
    (ROOT + "End Site\n{\nOFFSET 0 0 0\n}\n" * 100_000, "line 40005: has more than 10,000 End"),
    (ROOT + "CHANNELS 200000000", "announces 200000000 and lists 0"),
    (ROOT + "CHANNELS 500000" + " Xrotation" * 500_000, "Xrotation twice"),
    ("HIERARCHY\n" + "{" * 1_000_000, "does not follow"),
    ("\n" * 1_000_000, "expected HIERARCHY, found nothing"),
    ("x" * 1_000_000, 'expected HIERARCHY, found "xxx'),
    (changed(L17="Frames: 1000000000", L19=None, L20=None, L21=None), "has no frames"),
    (changed(L19="1" * 1_000_000), "is not a finite number"),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE, ids=[message for _, message in HOSTILE])
def test_hostile_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "hostile.bvh"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        load_motion(path)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The small file with some bytes changed, put in, taken out, or a piece of it repeated."""
    data = bytearray("\n".join(LINES).encode())
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(data) - 1))
        other = draw(
            st.binary(max_size=4) | st.sampled_from([b"{", b"}", b"\n", b"\r", b" ", b"9"])
        )
        size = draw(st.sampled_from([0, 0, 1, 1, 2, 20]))
        if draw(st.booleans()):
            other = bytes(data[at : at + draw(st.integers(0, 60))]) + other
        data[at : at + size] = other
        if not data:
            data += b"H"
    return bytes(data)


@given(data=damaged())
def test_any_damage_gives_a_result_or_a_format_error(data: bytes, tmp_path_factory) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.bvh"
    path.write_bytes(data)
    for read, kind in ((load, Figure), (load_motion, Motion)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message="damaged.bvh: ")
            with contextlib.suppress(FormatError):
                assert isinstance(read(path), kind)


def test_endings_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"walk.bhv: .bhv is not a format limbik reads") as caught:
        load(tmp_path / "walk.bhv")
    assert "knows .bvh" in str(caught.value)
    assert 'did you mean ".bvh"?' in str(caught.value)
    with pytest.raises(FormatError, match=r"walk: a name without an ending is not a format"):
        load_motion("walk")
    with pytest.raises(FormatError, match=r"^walk.bvh: there is no such file"):
        load(str(tmp_path / "walk.bvh"))
    (tmp_path / "folder.BVH").mkdir()
    with pytest.raises(FormatError, match=r"^folder.BVH: is a folder"):
        load(tmp_path / "folder.BVH")
    with pytest.raises(FormatError, match="only a Figure or a Motion can be saved, not list"):
        save([1, 2], tmp_path / "x.bvh")  # type: ignore[arg-type]

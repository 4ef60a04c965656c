"""Hostile files in every format: refused in a sentence, within bounds of memory, and nothing worse.

``hostile_files.py`` has those whose reading would take much memory or time.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from helpers.hostile_files import ATTACKS, COORDINATES, SKELETON, npz, robot
from helpers.real_data import PROJECT

if not (PROJECT / "fuzz").is_dir():
    pytest.skip("The fuzzer's seeds are not beside the tests.", allow_module_level=True)

import limbik
from fuzz.__main__ import LOADERS
from fuzz.check import beside_companions, check, readers
from fuzz.containers import packed, unpacked, unzipped, zipped
from fuzz.seeds import ASF, BVH, MJCF, URDF, companions, figure_for, seeds
from limbik.errors import FormatError
from limbik.figure.joints import Joint, revolute

# ---- memory and time -----------------------------------------------------------------------------

SCRIPT = """
import json, os, sys, time, warnings
from pathlib import Path
import limbik
from limbik.figure.joints import Joint, revolute

sys.path += sys.argv[2:]
from helpers.hostile_files import COORDINATES, written

warnings.simplefilter("ignore", UserWarning)
limbik.load("warm.bvh"), limbik.load("warm.urdf"), limbik.load("a.asf")
table = limbik.Figure([Joint(name, parts=revolute("x")) for name in COORDINATES])


def held(key):
    return 1024 * int(Path("/proc/self/status").read_text().split(f"{key}:")[1].split()[0])


def answer(path):
    kind = limbik.formats.FORMATS[path.suffix]
    try:
        if kind.figure is not None:
            limbik.load(path)
        if kind.motion is not None:
            limbik.load_motion(path, figure=table if path.suffix in (".csv", ".npz") else None)
    except limbik.FormatError as error:
        return str(error)[:500]
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:500]
    return "read"


for path in written(Path(sys.argv[1])):
    # A child for every file: its peak is its own.
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        before, began = held("VmRSS"), time.monotonic()
        said = answer(path)
        row = [path.name, path.stat().st_size, held("VmHWM") - before, said]
        print(json.dumps(row), flush=True)
        os._exit(0)
    limit = time.monotonic() + 120
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.02)
        if time.monotonic() > limit:
            os.kill(child, 9)
            print(json.dumps([path.name, path.stat().st_size, 0, "hangs"]), flush=True)
    path.unlink()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Memory is measured on Linux.")
def test_no_attack_takes_more_than_its_share(tmp_path: Path) -> None:
    (tmp_path / "warm.bvh").write_text(BVH)
    (tmp_path / "warm.urdf").write_text(URDF)
    (tmp_path / "a.asf").write_text(SKELETON)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(Path(__file__).parents[1])],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(PROJECT), *sys.path])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, *_ in rows] == list(ATTACKS)
    wrong = [row for row in rows if row[2] > 10 * row[1] + 70_000_000 or not _as_expected(*row)]
    assert not wrong


def _as_expected(name: str, size: int, memory: int, said: str) -> bool:
    expected = ATTACKS[name][1]
    if expected is None:
        still = ("has no MOTION", "has no animation", "has no keyframes")
        return said == "read" or any(words in said for words in still)
    return said.startswith(name) and any(words in said for words in expected.split("|"))


# ---- damage to files that are right --------------------------------------------------------------


@pytest.mark.parametrize("loader", LOADERS)
def test_files_cut_short_and_with_zeros_in_them(loader: str, tmp_path: Path) -> None:
    path = tmp_path / f"damaged.{loader}"
    reads = beside_companions(path)
    for whole in seeds(loader):
        for tenth in range(10):
            at = len(whole) * tenth // 10
            check(whole[:at], path, reads)
            check(whole[:at] + b"\0" + whole[at:], path, reads)
            check(whole[:at] + b"\0" + whole[at + 1 :], path, reads)
        assert check(whole, path, reads) > 0


def refused(path: Path, text: str | bytes, figure: limbik.Figure | None = None) -> str:
    """What is said of a file that neither a figure nor a motion is read from."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = ""
    for read in readers(path.suffix, figure)[:2]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", path.name, UserWarning)
            with pytest.raises(FormatError) as caught:
                read(path)
        said = str(caught.value)
    return said


NANS = {
    "bvh": BVH.replace("Frame Time: 0.0333333\n0 9.5", "Frame Time: 0.0333333\n0 nan"),
    "asf": ASF.replace("length 7.2", "length nan"),
    "urdf": URDF.replace('xyz="0 0 1"', 'xyz="0 nan 1"'),
    "mjcf": MJCF.replace('pos="0 0 -1"', 'pos="0 0 NaN"'),
    "gltf": seeds("gltf")[0].decode().replace("100", "NaN", 1),
}


@pytest.mark.parametrize("ending", NANS)
def test_nan_in_text(ending: str, tmp_path: Path) -> None:
    (tmp_path / "beside.xml").write_bytes(companions()["beside.xml"])
    text = NANS[ending]
    assert "nan" in text.casefold()
    path = tmp_path / f"nan.{ending}"
    path.write_text(text)
    read = limbik.load_motion if ending == "bvh" else limbik.load
    with pytest.raises(FormatError, match=r"(?i)nan"):
        read(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("length 7.2", "length 1e300"),
        ("length 7.2", "length -1e60"),
        ("direction 0.34 -0.93 0", "direction 0.34 -1e200 0"),
    ],
)
def test_lengths_whose_products_overflow(old: str, new: str, tmp_path: Path) -> None:
    said = refused(tmp_path / "far.asf", ASF.replace(old, new))
    assert re.search(r"line \d+: (length|direction) .* is beyond 1e\+50", said)


@pytest.mark.parametrize("ends", ["inf inf", "-inf -inf"])
def test_limits_that_allow_nothing(ends: str, tmp_path: Path) -> None:
    text = re.sub(r"limits \(.*?\)", f"limits ({ends})", ASF, count=1)
    assert "allow nothing" in refused(tmp_path / "never.asf", text)


def test_nan_in_tables_and_motions(tmp_path: Path) -> None:
    (tmp_path / "leg.asf").write_text(ASF)
    amc = seeds("amc")[0].replace(b"thigh 10", b"thigh nan")
    assert "not a finite number" in refused(tmp_path / "nan.amc", amc)
    table = limbik.Figure([Joint(name, parts=revolute("x")) for name in COORDINATES])
    values = np.zeros((2, 7))
    values[1, 3] = np.nan
    assert "is not finite" in refused(tmp_path / "nan.npz", npz(q=values), table)
    rows = f"time,{','.join(COORDINATES)}\n0,0,0,0,nan,0,0,0\n"
    assert "not a finite number" in refused(tmp_path / "nan.csv", rows, table)


# ---- XML -----------------------------------------------------------------------------------------

SECRET = "a secret of this machine"
OUTSIDE = {
    "entity": '<!DOCTYPE r [<!ENTITY e SYSTEM "{secret}">]>' + robot("<a>&e;</a>"),
    "in a name": '<!DOCTYPE r [<!ENTITY e SYSTEM "{secret}">]>' + robot('<link name="&e;"/>'),
    "parameter": '<!DOCTYPE r [<!ENTITY % e SYSTEM "{secret}"> %e;]>' + robot(""),
    "definition": '<!DOCTYPE r SYSTEM "{secret}">' + robot(""),
    "network": '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/r.dtd">' + robot(""),
    "empty": "<!DOCTYPE r []>" + robot(""),
}


@pytest.mark.parametrize("ending", ["urdf", "xml", "mjcf"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_an_xml_file_is_read(name: str, ending: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    text = OUTSIDE[name].format(secret=secret.as_uri()).replace("robot", _root(ending))
    said = refused(tmp_path / f"x.{ending}", text)
    assert "document type" in said or "is not XML" in said
    assert SECRET not in said


def _root(ending: str) -> str:
    return "mujoco" if ending == "mjcf" else "robot"


def test_xinclude_is_only_an_element(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    inside = '<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="secret.txt" parse="text"/>'
    path = tmp_path / "x.urdf"
    path.write_text(robot(inside))
    assert limbik.load(path).joints == ("l0",)


def test_models_include_only_files_of_their_folder_and_each_once(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "outside.xml").write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    (folder / "link.xml").symlink_to(tmp_path / "outside.xml")
    (folder / "part.xml").write_text('<mujoco><compiler angle="radian"/></mujoco>')
    path = folder / "m.xml"
    around = "<mujoco>{}<worldbody><body/></worldbody></mujoco>"
    for named in ("../outside.xml", str(tmp_path / "outside.xml"), "link.xml", "a/../../b.xml"):
        said = refused(path, around.format(f'<include file="{named}"/>'))
        assert "outside its folder" in said
    said = refused(path, around.format('<include file="part.xml"/>' * 2))
    assert 'm.xml line 1: includes "part.xml" again' in said
    assert "cannot be found" in refused(path, around.format(f'<include file="{"a" * 300}.xml"/>'))


# ---- what the fuzzer found -----------------------------------------------------------------------


def test_very_long_axes_are_directions_all_the_same(tmp_path: Path) -> None:
    urdf, mjcf = tmp_path / "a.urdf", tmp_path / "a.mjcf"
    urdf.write_text(URDF.replace('<axis xyz="0 1 1"/>', '<axis xyz="0 1e200 1e200"/>'))
    with pytest.warns(UserWarning, match="outside the limits"):
        shoulder = limbik.load(urdf).definition[1].parts[0]
    assert np.allclose(shoulder.axis, np.sqrt([0.0, 0.5, 0.5]))  # type: ignore[union-attr]
    body = '<body axisangle="0 1e200 0 90"><joint axis="0 -1e300 0"/></body>'
    mjcf.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    figure = limbik.load(mjcf)
    assert np.allclose(figure.definition[0].wxyz, np.sqrt([0.5, 0.0, 0.5, 0.0]))
    assert figure.definition[0].parts[0].axis == (0.0, -1.0, 0.0)  # type: ignore[union-attr]


def test_lengths_that_add_up_beyond_all_numbers(tmp_path: Path) -> None:
    inside = '<frame pos="1e308 0 0"><frame pos="1e308 0 0"><body/></frame></frame>'
    said = refused(tmp_path / "a.mjcf", f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert "needs 3 finite numbers" in said


def test_keyframes_of_no_rotation(tmp_path: Path) -> None:
    path = tmp_path / "a.mjcf"
    world = '<worldbody><body><joint type="ball"/></body></worldbody>'
    path.write_text(f'<mujoco>{world}<keyframe><key qpos="0 0 0 0"/></keyframe></mujoco>')
    assert np.array_equal(limbik.load_motion(path).q, [[0.0, 0.0, 0.0]])  # as MuJoCo reads it
    path.write_text(f'<mujoco>{world}<keyframe><key qpos="1e200 0 1e200 0"/></keyframe></mujoco>')
    assert np.allclose(limbik.load_motion(path).q, [[0.0, np.pi / 2, 0.0]])


def test_an_address_that_no_file_can_have(tmp_path: Path) -> None:
    model, blob = unpacked(seeds("glb")[0])
    model["buffers"][0]["uri"] = "\ud800.bin"
    assert "outside the file's folder" in refused(tmp_path / "a.glb", packed(model, blob))


def test_letters_and_headers_that_numpy_writes_never(tmp_path: Path) -> None:
    figure = figure_for("npz")
    members = unzipped(seeds("npz")[0])

    def said(**changed: bytes) -> str:
        new = {f"{name}.npy": content for name, content in changed.items()}
        return refused(tmp_path / "a.npz", zipped(members | new), figure)

    names = members["coordinates.npy"]
    for letter in (b"\xff\xff\xff\x7f", b"\x00\xd8\x00\x00"):
        assert "letters that there are not" in said(coordinates=names[:128] + letter + names[132:])
    q = members["q.npy"]
    assert "is not one of NumPy" in said(q=q.replace(b"}", b" ", 1))
    assert "is not one of NumPy" in said(q=q.replace(b", 7), }", b", 7L),}", 1))
    assert "of no use" in said(q=q.replace(b"<f8", b"<f16", 1).replace(b"  \n", b" \n", 1))

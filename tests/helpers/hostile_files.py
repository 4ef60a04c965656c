"""Files that are small to send and would be large or slow to read, for every format.

Each has a name, its text, and what the refusal says; None where the file is odd and still right.
"""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

COORDINATES = [f"c{k}" for k in range(7)]

Attack = tuple[str, Callable[[], str | bytes], str | None]

# ---- BVH -----------------------------------------------------------------------------------------

ROOT = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
JOINT = "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
MOTION = "}\nMOTION\nFrames: 1000000000\nFrame Time: 1\n"
TURNS_FIRST = ROOT.replace("3 Xrotation", "4 Xrotation").replace(
    "Zrotation\n", "Zrotation Xposition\n"
)


def one_line() -> str:
    joints = "".join(f"JOINT {'n' * 2000}{i} {{ OFFSET 0 0 0 }} " for i in range(9990))
    return f"HIERARCHY\nROOT r {{ {joints} OFFSET 0 0 0 }}"


BVH: list[Attack] = [
    ("nested.bvh", lambda: ROOT + JOINT * 100_000, "more than 10,000 joints"),
    ("one_line.bvh", one_line, None),
    ("no_frames.bvh", lambda: ROOT + MOTION, "has no frames"),
    ("dense.bvh", lambda: ROOT + MOTION + "0 0 0\n" * 500_000, None),
    ("turns_first.bvh", lambda: TURNS_FIRST + MOTION + "0 0 0 0\n" * 400_000, None),
    (
        "channels.bvh",
        lambda: ROOT.replace("3 X", "900000 " + "Xrotation Yrotation " * 449_998 + "X"),
        "more than 12 channels",
    ),
    ("long_word.bvh", lambda: ROOT + MOTION + "1" * 20_000_000, "is not a finite number"),
    ("long_name.bvh", lambda: ROOT.replace("ROOT r", "ROOT " + "r" * 20_000_000), "no closing"),
]

# ---- ASF and AMC ---------------------------------------------------------------------------------

HEAD = ":root\naxis XYZ\nposition 0 0 0\norientation 0 0 0\n:bonedata\nbegin\nname a\n"
BONE = "direction 0 1 0\nlength 1\naxis 0 0 0 XYZ\ndof rx\nend\n"
SKELETON = f"{HEAD}{BONE}:hierarchy\nbegin\nroot a\nend\n"

ASF: list[Attack] = [
    ("dof.asf", lambda: HEAD + "dof " + "rx " * 5_000_000, "is not a degree of freedom"),
    ("limits.asf", lambda: HEAD + "limits " + "(1 2) " * 3_000_000, "is not a number"),
    ("lines.asf", lambda: HEAD + "id 1\n" * 1_000_000, "more than 500,000 lines"),
]
AMC: list[Attack] = [
    ("dense.amc", lambda: "1\na 10\n" * 330_000, None),
    ("long_line.amc", lambda: "1\na " + "10 " * 7_000_000, "7000000 of 1 values"),
    ("numbers.amc", lambda: "1\n" * 10_000_000, "frame 1 has no values"),
]

# ---- XML -----------------------------------------------------------------------------------------


def entities() -> str:
    """Ten times ten times ten ...: a billion letters."""
    tenfold = (f"&e{k};" * 10 for k in range(9))
    steps = "".join(f"<!ENTITY e{k + 1} '{ten}'>" for k, ten in enumerate(tenfold))
    return f"<!DOCTYPE r [<!ENTITY e0 'aaaaaaaaaa'>{steps}]>"


def robot(inside: str) -> str:
    return f'<robot name="r"><link name="l0"/>{inside}</robot>'


def model(inside: str) -> str:
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


def mimics(first: int, step: int) -> str:
    """Ten thousand joints that follow each other, forwards or backwards."""
    joints = (
        f'<link name="l{i}"/><joint name="j{i}" type="continuous"><parent link="l0"/>'
        f'<child link="l{i}"/>'
        + ("" if i == first else f'<mimic joint="j{i + step}"/>')
        + "</joint>"
        for i in range(1, 9990)
    )
    return robot("".join(joints))


def couplings() -> str:
    bodies = "".join(f'<body><joint name="j{i}"/></body>' for i in range(9990))
    pairs = "".join(f'<joint joint1="j{i}" joint2="j{i + 1}"/>' for i in range(9989))
    return f"<mujoco><worldbody>{bodies}</worldbody><equality>{pairs}</equality></mujoco>"


def mimics_of_nothing() -> str:
    """Names that are all alike, for hints to compare with each other."""
    joints = (
        f'<link name="l{i}"/><joint name="joint_number_{i}" type="continuous"><parent link="l0"/>'
        f'<child link="l{i}"/><mimic joint="jiont_number_{i}x"/></joint>'
        for i in range(1, 3001)
    )
    return robot("".join(joints))


def classes_over_bodies() -> str:
    """A long word that a class gives to each of 2,500 joints."""
    default = f'<default><joint limited="{" " * 240_000}"/></default>'
    bodies = "<body><joint/></body>" * 2_500
    return f"<mujoco>{default}<worldbody>{bodies}</worldbody></mujoco>"


def numbers_over_bodies() -> str:
    default = f'<default><joint pos="0 0 0{" " * 60_000}"/></default>'
    bodies = "<body><joint/></body>" * 9_990
    return f"<mujoco>{default}<worldbody>{bodies}</worldbody></mujoco>"


MANY = "more tags and attributes"
FOLLOW = "more than 32 joints follow each other"
UTF7 = '<?xml version="1.0" encoding="UTF-7"?><robot>'

XML: list[Attack] = [
    ("laughs.urdf", lambda: entities() + robot("&e9;"), "is not XML|document type"),
    ("laughs.mjcf", lambda: entities() + '<mujoco model="&e9;"/>', "is not XML|document type"),
    (
        "long_entity.urdf",
        lambda: "<!DOCTYPE r [<!ENTITY a '" + "a" * 10**6 + "'>]>" + robot("&a;" * 5000),
        "is not XML|document type",
    ),
    ("nested.urdf", lambda: robot("<a>" * 100_000 + "</a>" * 100_000), "is not XML"),
    ("nested.mjcf", lambda: model("<body>" * 100_000 + "</body>" * 100_000), "is not XML"),
    ("tags.urdf", lambda: robot("<a/>" * 5_000_000), MANY),
    ("attributes.mjcf", lambda: model("<a b='' c='' d='' e='' f='' g=''/>" * 500_000), MANY),
    ("hidden_tags.urdf", lambda: UTF7 + "+ADw-a/+AD4-" * 2_000_000 + "</robot>", "written in"),
    ("long_name.urdf", lambda: robot("").replace("r", "r" * 20_000_000), "is not XML"),
    ("mimics.urdf", lambda: mimics(1, -1), FOLLOW),
    ("mimics_back.urdf", lambda: mimics(9989, 1), FOLLOW),
    ("mimics_of_nothing.urdf", mimics_of_nothing, None),
    ("couplings.mjcf", couplings, FOLLOW),
    ("classes.mjcf", classes_over_bodies, None),
    ("class_numbers.mjcf", numbers_over_bodies, "60,005 letters for 3 numbers"),
    ("names.mjcf", lambda: model('<body name="b"/>' * 4000), None),
    ("joints.mjcf", lambda: model("<body>" + "<joint/>" * 99_999 + "</body>"), "10000 joints"),
]

# ---- glTF ----------------------------------------------------------------------------------------


def gltf(extras: str) -> str:
    start = '{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{}],"skins":[{"joints":[0,1]}]'
    return f'{start},"extras":{extras}}}'


def keys() -> str:
    pairs = ",".join(f'"{i:x}":0' for i in range(2_000_000))
    return gltf(f"{{{pairs}}}")


def clips_and_nodes() -> str:
    """Many nodes, and of clips that each move one of them."""
    count = 1_800
    data = base64.b64encode(np.zeros(8, "<f4").tobytes()).decode()
    clip = '{"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":%s}]}'
    target = '{"node":%d,"path":"translation"}'
    clips = ",".join(clip % (target % k) for k in range(count))
    kinds = ('"count":1,"type":"SCALAR"', '"count":1,"type":"VEC3"')
    accessors = ",".join(f'{{"bufferView":0,"componentType":5126,{kind}}}' for kind in kinds)
    return (
        f'{{"asset":{{"version":"2.0"}},"nodes":[{",".join(["{}"] * count)}],'
        f'"buffers":[{{"byteLength":32,"uri":"data:;base64,{data}"}}],'
        f'"bufferViews":[{{"buffer":0,"byteLength":32}}],"accessors":[{accessors}],'
        f'"skins":[{{"joints":[{",".join(map(str, range(count)))}]}}],"animations":[{clips}]}}'
    )


def skins_and_nodes() -> str:
    """Skins of two joints each, under a long chain that has them in common."""
    chain = ",".join(f'{{"children":[{k + 1}]}}' for k in range(6_000))
    skins = ",".join(['{"joints":[6001,6002]}'] * 15_000)
    nodes = f'{chain},{{"children":[6001,6002]}},{{}},{{}}'
    return f'{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],"skins":[{skins}]}}'


GLTF: list[Attack] = [
    ("nested.gltf", lambda: gltf("[" * 100_000 + "]" * 100_000), "nested too deeply"),
    ("keys.gltf", keys, "more JSON than any model needs"),
    ("clips_and_nodes.gltf", clips_and_nodes, None),
    ("skins_and_nodes.gltf", skins_and_nodes, None),
    ("wide.gltf", lambda: gltf('"\U0001f600' + "a" * 10_000_000 + '"'), None),
]

# ---- tables --------------------------------------------------------------------------------------


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    content = {"fps": 30.0, "coordinates": np.array(COORDINATES), **arrays}
    np.savez_compressed(out, **content)
    return out.getvalue()


def npz_of_shape(shape: tuple[int, ...]) -> bytes:
    head = io.BytesIO()
    what = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, what)
    return _archive(head.getvalue())


def _archive(q: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("q.npy", q)
    return out.getvalue()


# bz2.compress of a thousand million zero bytes, which takes long to make; packed once more.
ZEROS = (
    b"c-nJ{%CIzaj8qGb<l}sFpE17Af#CoH1BU{GL4&WG(*o6%Tn*Dl<wxZQUf!8S^(&*u`~wO=c^0s"
    b"WGpw4+RxMI7W0<J;=$*%ME+Lj}&0-G#7bDsI"
)


def npz_that_lies() -> bytes:
    """A gigabyte in a thousand bytes of bzip2, said to be of eight bytes."""
    packed = _archive(b"12345678", zipfile.ZIP_BZIP2)
    large = zlib.decompress(base64.b85decode(ZEROS))
    at = packed.index(b"BZh")
    size = struct.unpack_from("<I", packed, 18)[0]
    out = bytearray(packed[:at] + large + packed[at + size :])
    directory = out.index(b"PK\x01\x02")
    struct.pack_into("<I", out, 18, len(large))
    struct.pack_into("<I", out, directory + 20, len(large))
    struct.pack_into("<I", out, len(out) - 6, directory)
    return bytes(out)


TABLE: list[Attack] = [
    ("shape.npz", lambda: npz_of_shape((10**9, 7)), "not as long as it says"),
    ("bytes.npz", lambda: npz(q=np.zeros((12_000_000, 7), "u1")), "too large for the file"),
    ("doubles.npz", lambda: npz(q=np.zeros((1_500_000, 7))), "too large for the file"),
    (
        "words.npz",
        lambda: npz(q=np.zeros((1, 7)), coordinates=np.full(20_000_000, "a")),
        "too large for the file",
    ),
    ("lies.npz", npz_that_lies, "packed in a way"),
    ("arrays.npz", lambda: b"PK\x01\x02" * 1_000_000, "more than 10,000 arrays"),
    (
        "dense.csv",
        lambda: (
            f"time,{','.join(reversed(COORDINATES))}\n"
            + "".join(f"{i},0,0,0,0,0,0,0\n" for i in range(200_000))
        ),
        None,
    ),
]

ATTACKS = {name: (make, says) for name, make, says in [*BVH, *ASF, *AMC, *XML, *GLTF, *TABLE]}


def written(folder: Any) -> Iterator[Any]:
    """The paths of all of them, each written when it is its turn."""
    for name, (make, _) in ATTACKS.items():
        content = make()
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield path

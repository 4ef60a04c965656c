"""A figure with a joint of any kind in it, for writers whose formats know few kinds."""

from __future__ import annotations

from scipy.spatial.transform import Rotation

from limbik.figure.figure import Figure
from limbik.figure.joints import (
    Coupling,
    Joint,
    Part,
    Slide,
    Turn,
    euler,
    exponential,
    free,
    prismatic,
    revolute,
    slides,
    swing_twist,
    unit_axis,
    universal,
)

KINDS: dict[str, tuple[Part, ...]] = {
    "fixed": (),
    "revolute": revolute("y"),
    "revolute against z": revolute("-z"),
    "oblique revolute": revolute([1, 2, 3]),
    "universal": universal("x", "z"),
    "oblique universal": universal([1, 1, 0], [1, -1, 0]),
    "skew universal": universal([1, 1, 0], [0, 1, 0]),
    "ball XZY": euler("XZY"),
    "ball ZYZ": euler("ZYZ"),
    "ball ZYX": euler("ZYX"),
    "four turns": euler("XYZY"),
    "exponential ball": exponential(),
    "swing-twist ball": swing_twist([1, 1, 0]),
    "prismatic": prismatic("-x"),
    "oblique prismatic": prismatic([1, -1, 2]),
    "slide after a turn": revolute("x") + prismatic("y"),
    "slides and ball": slides("ZX") + euler("YXZ"),
    "slide twice": prismatic("y") + prismatic("y"),
    "free": free(exponential()),
    "coupled": (Turn(unit_axis("x"), coupled=Coupling("Drive", -0.5, 0.3)), Turn(unit_axis("y"))),
    "coupled slide": (Slide(unit_axis("x"), coupled=Coupling("Drive", 0.3)),),
}


def with_joint(kind: str, *, as_root: bool, placed: bool) -> Figure:
    """Base, Tested, Drive and Hand, of which Tested is a joint of the kind: the root, or on Base.

    ``placed`` ones are turned against their parents, Base and Tested both.
    """
    x, y, z, w = Rotation.from_euler("XYZ", [20, -70, 130], degrees=True).as_quat().tolist()
    wxyz = (w, x, y, z) if placed else (1.0, 0.0, 0.0, 0.0)
    return Figure(
        [
            Joint("Base", "Tested" if as_root else None, euler("ZXY"), (0.5, 4.0, 0.0), wxyz),
            Joint("Tested", None if as_root else "Base", KINDS[kind], (3.0, -1.0, 2.0), wxyz),
            Joint("Drive", "Tested", revolute("z"), (0.0, 2.0, 0.5)),
            Joint("Hand", "Drive", euler("ZYX"), (1.0, 2.0, 3.0), tip=(0.0, 0.25, -0.5)),
        ]
    )

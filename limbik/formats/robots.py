"""Files that end in .xml: MJCF or URDF, as their first element says."""

from __future__ import annotations

from pathlib import Path

from limbik.figure.figure import Figure
from limbik.formats import urdf
from limbik.formats.files import read_bytes
from limbik.formats.mjcf import read as mjcf
from limbik.formats.xml import parse


def read_figure(path: Path) -> Figure:
    """The robot or model in an XML file."""
    is_robot = parse(read_bytes(path), path).tag == "robot"
    return urdf.read_figure(path) if is_robot else mjcf.read_figure(path)

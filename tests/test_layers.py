"""Imports point downwards: the layers of the package, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "limbik"

# Top to bottom: a module may import what stands below it, and the modules of its own folder.
LAYERS = [
    "cli",
    "poser",
    "papers",
    "demo",
    "plots",
    "batch",
    "animate",
    "many",
    "solve",
    "result",
    "attempts",
    "align",
    "methods",
    "chains",
    "problem",
    "objective",
    "goals",
    "humanoid",
    "formats",
    "figures",
    "mesh",
    "motion",
    "figure",
    "units",
    "recoordinate",
    "whole_turns",
    "balls",
    "turns",
    "tree",
    "joints",
    "projection",
    "rigid",
    "limits",
    "kinematics",
    "dual_quaternions",
    "rotations",
    "euler",
    "quaternions",
    "linear",
    "compiling",
    "errors",
    "version",
]
ON_TOP = {"__init__", "__main__"}  # the public names, and "python -m limbik"

MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def layer_of(module: Path) -> str:
    """The first part of a module's dotted name below limbik."""
    return module.with_suffix("").parts[0]


def imported_layers(source: str, module: Path) -> Iterator[tuple[int, str]]:
    """Line and layer of each import of limbik, wherever in the source it stands.

    A public name taken from limbik itself counts as the layer ``__init__``.
    """
    package = ["limbik", *module.parent.parts]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            names = [[*base, alias.name] for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "limbik":
                layer = name[1] if len(name) > 1 else "__init__"
                is_module = (PACKAGE / layer).is_dir() or (PACKAGE / f"{layer}.py").is_file()
                known = is_module or layer in LAYERS
                yield node.lineno, layer if known else "__init__"


def upward_imports(source: str, module: Path) -> list[str]:
    """A line of text for each import that does not point downwards."""
    own = layer_of(module)
    height = {name: -row for row, name in enumerate(LAYERS)}
    return [
        f"line {line}: limbik.{own} imports limbik.{other}"
        for line, other in imported_layers(source, module)
        if other != own and height.get(other, 1) >= height.get(own, 0)
    ]


def test_every_module_has_a_layer() -> None:
    unknown = {layer_of(module) for module in MODULES} - {*LAYERS, *ON_TOP}
    assert not unknown, f"not in the list of layers: {sorted(unknown)}"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_point_downwards(module: Path) -> None:
    if layer_of(module) not in ON_TOP:
        wrong = upward_imports((PACKAGE / module).read_text(encoding="utf-8"), module)
        assert not wrong, "; ".join(wrong)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("figure.py", "from limbik.solve import solve"),
        ("figure.py", "import limbik.solve as s"),
        ("figure.py", "from limbik import solve"),
        ("figure.py", "from limbik import Figure"),
        ("figure.py", "from .motion import Motion"),
        ("figure.py", "from . import motion"),
        ("formats/bvh.py", "from ..humanoid import names"),
        ("formats/bvh.py", "def read():\n    import limbik"),
        ("formats/bvh.py", "if TYPE_CHECKING:\n    from limbik.goals.reach import Reach"),
    ],
)
def test_an_upward_import_is_found(module: str, source: str) -> None:
    assert upward_imports(source, Path(module))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("figure.py", "import numpy\nfrom limbik.errors import FigureError"),
        ("figure.py", "from limbik import joints, limits"),
        ("formats/bvh.py", "from .text import lines\nfrom limbik.formats import text"),
        ("formats/bvh.py", "from ..figure import Figure"),
    ],
)
def test_a_downward_import_is_allowed(module: str, source: str) -> None:
    assert upward_imports(source, Path(module)) == []

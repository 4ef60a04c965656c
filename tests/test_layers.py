"""Imports point downwards: the layers of the package and of its larger folders, from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "limbik"
MOST = 14  # layers of one folder; with more, nobody knows them by heart

# Top to bottom, for the package and for folders that have an order of their own.  A module belongs
# to the longest name here that its own begins with; it may import what stands below that name, and
# whatever has the same name.  Names in one line do not import each other.
LAYERS = {
    "": [
        "cli",
        "poser papers demo jobs",
        "animate plots bodies posture",
        "solver",
        "methods",
        "solver.problem",
        "solver.layout solver.problem_arguments solver.targets.target_slots",
        "solver.objective solver.root_alignment",
        "goals humanoid formats",
        "figures",
        "figure",
        "maths",
        "jit",
        "errors version equality interrupt compiling",
    ],
    "maths": [
        "dual_quaternions turn_angles broad_phase",
        "so3 hull_distance",
        "distance",
        "euler box_distance convex_distance cylinder_distance",
        "quaternions linear cores solids planar_hull distance_field",
    ],
    "figure": [
        "motion appearance.mesh joint_poses free_root collision_pairs physical.properties_json",
        "figure",
        "posed_figure",
        "units variations whole_turns appearance.drawing motion_tools",
        "physical.physical_figure",
        "coordinates tree physical",
        "collision",
        "physical.center_of_mass",
        "joints",
        "parts projection rigid_fit appearance",
        "cones",
        "limits kinematics",
        "layout",
    ],
    "solver": [
        "batch solve targets.frame_values",
        "batch_runs solver",
        "stepping",
        "ordered",
        "runner explanation.report targets",
        "explanation",
        "result direct_call",
        "compiled_frames",
        "frames",
        "restarts explanation.sensitivity",
        "explanation.holders",
        "problem",
        "layout problem_arguments targets.target_slots",
        "objective root_alignment",
    ],
    "methods": [
        "table",
        "constrained redundancy chains gauss_seidel",
        "gradient",
        "default least_squares",
        "loop",
        "workspace base",
        "settings",
    ],
    "jobs": [
        "run",
        "reports result",
        "summary",
        "index engines",
        "plan clip",
        "job_file",
        "job",
        "steps",
        "section measures sidecar",
        "companions folder lock outcome",
    ],
    "poser": [
        "view",
        "view_handle",
        "startup view_goals",
        "server",
        "editing protocol.typescript",
        "protocol.commands",
        "files.save",
        "protocol.page_state",
        "files",
        "protocol",
        "animation",
        "drag",
        "document installed page_files",
        "building",
    ],
}
ON_TOP = {"__init__", "__main__"}  # what a folder offers, and "python -m limbik"

MODULES = sorted(
    path.relative_to(PACKAGE)
    for path in PACKAGE.rglob("*.py")
    if "node_modules" not in path.relative_to(PACKAGE).parts
)
INSIDE = [
    (folder, module) for folder in LAYERS for module in MODULES if folder in ("", module.parts[0])
]


def height_of(folder: str) -> dict[str, int]:
    """How high each name of a folder's layers stands."""
    return {name: -row for row, names in enumerate(LAYERS[folder]) for name in names.split()}


def layer_of(name: str, folder: str) -> str | None:
    """The layer of a dotted name below a folder; None where it is not in the list."""
    known = [layer for layer in height_of(folder) if f"{name}.".startswith(f"{layer}.")]
    return max(known, key=len, default=None)


def imports(source: str, module: Path, types: bool) -> Iterator[tuple[int, str]]:
    """Line and full name of each import, wherever in the source it stands.

    Without ``types``, those under ``if TYPE_CHECKING`` are left out.
    """
    package = ["limbik", *module.parent.parts]
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types:
            skipped.update(inner for statement in node.body for inner in ast.walk(statement))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            yield from ((node.lineno, ".".join([*base, alias.name])) for alias in node.names)


def upward_imports(source: str, module: Path, folder: str = "") -> list[str]:
    """A line of text for each import inside a folder that does not point downwards.

    Inside one of the larger folders a type may be named whoever has it; between them it may not.
    """
    height = height_of(folder)
    own = layer_of(".".join(module.with_suffix("").parts).removeprefix(f"{folder}."), folder)
    assert own is not None, f"{module} has no layer"
    start = f"limbik.{folder}.".replace("..", ".")
    wrong = []
    for line, name in imports(source, module, types=not folder):
        if f"{name}.".startswith(start):
            other = layer_of(
                name.removeprefix(start), folder
            )  # None: what the folder itself offers
            if other != own and (other is None or height[other] >= height[own]):
                wrong.append(f"line {line}: {start}{own} imports {name}")
    return wrong


@pytest.mark.parametrize("folder", LAYERS)
def test_there_are_few_layers_and_each_is_there(folder: str) -> None:
    assert len(LAYERS[folder]) <= MOST
    for name in height_of(folder):
        path = PACKAGE.joinpath(folder, *name.split("."))
        assert path.is_dir() or path.with_suffix(".py").is_file(), name


@pytest.mark.parametrize(("folder", "module"), INSIDE, ids=str)
def test_imports_point_downwards(folder: str, module: Path) -> None:
    below = module.parts[1:] if folder else module.parts
    if Path(below[-1]).stem not in ON_TOP or len(below) > 1:
        source = (PACKAGE / module).read_text(encoding="utf-8")
        wrong = upward_imports(source, module, folder)
        assert not wrong, "; ".join(wrong)


@pytest.mark.parametrize(
    ("folder", "module", "source"),
    [
        ("", "figure/figure.py", "from limbik.solver.solve import solve"),
        ("", "figure/figure.py", "import limbik.solver.solve as s"),
        ("", "figure/figure.py", "from limbik import solver"),
        ("", "figure/figure.py", "from limbik import Figure"),
        ("", "figure/figure.py", "import limbik"),
        ("", "jit.py", "from .maths import so3"),
        ("", "jit.py", "from . import maths"),
        ("", "formats/bvh/read.py", "from ...humanoid import names"),
        ("", "formats/bvh/read.py", "def read():\n    import limbik"),
        ("", "formats/urdf.py", "if TYPE_CHECKING:\n    from limbik.goals.reach import Reach"),
        ("", "solver/problem.py", "from limbik.methods.base import Method"),
        ("", "solver/objective.py", "from limbik.solver.problem import Problem"),
        ("", "methods/base.py", "from limbik.solver import result"),
        ("figure", "figure/figure.py", "from .motion import Motion"),
        ("figure", "figure/figure.py", "from . import motion"),
        ("methods", "methods/base.py", "from limbik.methods import METHODS"),
        ("methods", "methods/base.py", "from limbik.methods.default.directions import pulls"),
        ("methods", "methods/chains/fabrik.py", "from limbik.methods.redundancy import criteria"),
        ("poser", "poser/drag/answer.py", "from limbik.poser.editing.session import Session"),
        ("poser", "poser/files/open.py", "from limbik.poser.files.save import save"),
        ("poser", "poser/protocol/binary.py", "from . import page_state"),
    ],
)
def test_an_upward_import_is_found(folder: str, module: str, source: str) -> None:
    assert upward_imports(source, Path(module), folder)


@pytest.mark.parametrize(
    ("folder", "module", "source"),
    [
        ("", "figure/figure.py", "import numpy\nfrom limbik.errors import FigureError"),
        ("", "figure/figure.py", "from limbik.figure import joints, limits"),
        ("", "figure/figure.py", "from limbik import maths"),
        ("", "formats/urdf.py", "from .text import lines\nfrom limbik.formats import text"),
        ("", "formats/urdf.py", "from ..figure.figure import Figure"),
        ("", "solver/restarts.py", "from limbik.solver.problem import Problem"),
        ("", "methods/base.py", "from limbik.solver import objective"),
        ("methods", "methods/chains/fabrik.py", "from limbik.methods.base import Method"),
        ("methods", "methods/chains/fabrik.py", "from limbik.methods.chains import chain_view"),
        ("poser", "poser/files/save.py", "from limbik.poser.protocol.page_state import figure_of"),
        (
            "poser",
            "poser/drag/answer.py",
            "if TYPE_CHECKING:\n    from limbik.poser import editing",
        ),
    ],
)
def test_a_downward_import_is_allowed(folder: str, module: str, source: str) -> None:
    assert upward_imports(source, Path(module), folder) == []

"""The public surface: what it shows, what it explains, and how it refuses wrong calls."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pickle
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik import FigureError, FormatError, GoalError, LimbikError, MethodError, PythonGoal, Reach
from limbik.methods import METHODS, table

PROJECT = Path(__file__).resolve().parent.parent
ARM, CLIP = limbik.figures.arm(), limbik.figures.cartwheel()
GOAL = Reach("Tool", [0.4, 0.1, 0.5])


# ---- what it shows ---------------------------------------------------------------------------


def test_dir_shows_the_public_names_only() -> None:
    assert dir(limbik) == sorted(limbik.__all__)
    for name in limbik.__all__:
        assert hasattr(limbik, name), name


def test_contacts_has_a_short_name_too() -> None:
    assert limbik.contacts is limbik.find_contacts


def test_the_methods_are_a_read_only_mapping() -> None:
    assert list(limbik.methods) == list(METHODS)
    assert limbik.methods["damped_least_squares"](damping=0.05).damping == 0.05
    with pytest.raises(TypeError):
        limbik.methods["mine"] = limbik.methods["fabrik"]  # type: ignore[index]
    with pytest.raises(TypeError):
        del limbik.methods["fabrik"]  # type: ignore[attr-defined]
    assert limbik.methods.get("nothing") is None
    with pytest.raises(KeyError):
        limbik.methods["nothing"]


def test_type_checkers_know_the_class_of_every_method() -> None:
    tree = ast.parse(inspect.getsource(table))
    said = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__getitem__":
            name, result = node.args.args[1].annotation, node.returns
            assert name is not None
            assert result is not None
            if "Literal" in ast.unparse(name):
                said[ast.literal_eval(name.slice)] = ast.unparse(result)  # type: ignore[attr-defined]
    assert said == {name: f"type[m.{kind.__name__}]" for name, kind in METHODS.items()}


def test_pyright_knows_the_settings_of_a_method(tmp_path: Path) -> None:
    pytest.importorskip("pyright")
    lines = [
        "import limbik",
        'limbik.methods["damped_least_squares"](damping=0.05).damping',
        'limbik.methods[str("fabrik")]()',
        'limbik.methods["damped_least_squares"](dampening=0.05)',
        'limbik.methods["fabrik"] = limbik.methods["ccd"]',
    ]
    (tmp_path / "use.py").write_text("\n".join(lines))
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PROJECT)]}))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    ran = subprocess.run(
        [*command, "-p", str(tmp_path)], capture_output=True, text=True, timeout=300, check=False
    )
    found = json.loads(ran.stdout)["generalDiagnostics"]
    assert {1 + d["range"]["start"]["line"] for d in found} == {4, 5}, found


def dotted_names() -> list[str]:
    names = set()
    for page in [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]:
        names |= set(re.findall(r"\blimbik(?:\.[A-Za-z_]\w*)+", page.read_text(encoding="utf-8")))
    return sorted(names)


@pytest.mark.parametrize(
    "name", [*dotted_names(), "limbik.methods.base.Method", "limbik.solver.solve.solve"]
)
def test_what_the_docs_name_is_there(name: str) -> None:
    found: object = limbik
    for k, part in enumerate(parts := name.split(".")[1:], start=1):
        if not hasattr(found, part):
            importlib.import_module(".".join(["limbik", *parts[:k]]))
        found = getattr(found, part)


# ---- what it explains ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [limbik.Result, limbik.Results])
def test_help_explains_every_field(kind: type) -> None:
    said = inspect.getdoc(kind) or ""
    assert [f.name for f in fields(kind) if f"{f.name}:" not in said] == []


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (limbik.Status, [status.value for status in limbik.Status]),
        (limbik.ActiveLimit, limbik.ActiveLimit._fields),
        (limbik.Miss, ["label", "length", "angle", "ok"]),
    ],
)
def test_help_explains_every_status_and_part(kind: type, names: list[str]) -> None:
    said = inspect.getdoc(kind) or ""
    assert [name for name in names if f"{name}:" not in said] == []


def test_reprs_are_short() -> None:
    r = limbik.solve(ARM, GOAL, history=True)
    R = limbik.solve_many(ARM, ["Tool"], positions=np.tile(GOAL.position, (50, 1)))  # type: ignore[arg-type]
    assert repr(R) == "<Results: 50 of 50 problems reached>"
    for thing in (r, R, ARM, CLIP, GOAL, limbik.Problem(ARM, GOAL)):
        assert len(repr(thing)) < 100


def test_results_are_equal_by_value() -> None:
    one, same = (limbik.solve(ARM, GOAL, history=True) for _ in range(2))
    other = limbik.solve(ARM, Reach("Tool", [0.4, 0.1, 0.51]))
    assert one == same
    assert hash(one) == hash(same)
    assert one.seconds != same.seconds
    assert one != other
    assert len({one, same, other}) == 2
    assert pickle.loads(pickle.dumps(one)) == one
    place = np.array([GOAL.position])
    first, second = (limbik.solve_many(ARM, ["Tool"], positions=place) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != limbik.solve_many(ARM, ["Tool"], positions=place + 0.01)


# ---- how it refuses wrong calls --------------------------------------------------------------


@pytest.mark.parametrize("q", [[1.0, 2.0], np.zeros(8), np.zeros((2, 7)), "q", None, [np.nan] * 7])
@pytest.mark.parametrize(
    "call", ["objective", "residual", "jacobian", "gradient", "hessian", "term_errors"]
)
def test_a_problem_checks_the_pose_it_is_given(call: str, q: object) -> None:
    problem = limbik.Problem(ARM, GOAL)
    with pytest.raises(FigureError, match=r"^q:"):
        getattr(problem, call)(q)


def mine(value: object, jacobian: object = None) -> PythonGoal:
    slope = None if jacobian is None else (lambda figure, q: jacobian)
    return PythonGoal(lambda figure, q: value, slope, name="mine")  # type: ignore[arg-type]


WRONG = [
    (lambda: limbik.solve("human", GOAL), FigureError, r"Figure, got 'human'.*figures.human\(\)"),
    (lambda: limbik.solve("walk.bvh", GOAL), FigureError, "limbik.load"),
    (lambda: limbik.solve(CLIP, GOAL), FigureError, r"Motion is its \.figure"),
    (lambda: limbik.solve(None, GOAL), FigureError, "got None"),
    (lambda: limbik.solve(ARM, None), GoalError, "goals: needs a goal"),
    (lambda: limbik.solve(ARM, 3), GoalError, "goals: needs a goal"),
    (lambda: limbik.solve(ARM, "Tool"), GoalError, "goals: needs a goal"),
    (lambda: limbik.solve(ARM, {"Tool": 1}), GoalError, "goals: needs a goal"),
    (lambda: limbik.solve(ARM, ["Tool"]), GoalError, "'Tool' is not a goal"),
    (lambda: limbik.solve(ARM, [Reach]), GoalError, "not a goal"),
    (lambda: limbik.solve(ARM, GOAL, lock=None), GoalError, "lock: .*None"),
    (lambda: limbik.solve(ARM, GOAL, lock=[3]), GoalError, "lock: .*name, got 3"),
    (lambda: limbik.solve(ARM, GOAL, seed=None), MethodError, "seed .*None"),
    (lambda: limbik.solve(ARM, GOAL, seed=1.5), MethodError, "seed"),
    (lambda: limbik.solve(ARM, GOAL, tolerance="x"), GoalError, "tolerance 'x'"),
    (lambda: limbik.solve(ARM, GOAL, tolerance=[1, 2, 3]), GoalError, "tolerance"),
    (lambda: limbik.solve(ARM, GOAL, budget="x"), MethodError, "budget"),
    (lambda: limbik.solve(ARM, GOAL, restarts="x"), MethodError, "restarts .*'x'"),
    (lambda: limbik.solve(ARM, GOAL, restarts=1.5), MethodError, "restarts"),
    (lambda: limbik.solve(ARM, GOAL, method=3), MethodError, "method: .*3"),
    (lambda: limbik.solve(ARM, GOAL, method=["fabrik"]), MethodError, "method"),
    (lambda: limbik.solve(ARM, GOAL, weights="x"), GoalError, "weights"),
    (lambda: limbik.solve(ARM, GOAL, start="x"), FigureError, "start: needs numbers"),
    (lambda: limbik.solve(ARM, GOAL, start=[1, 2]), FigureError, "start: needs 7"),
    (lambda: limbik.solve(ARM, Reach(["Tool"], [0, 0, 0])), GoalError, "by its name"),  # type: ignore[arg-type]
    (lambda: limbik.solve(ARM, Reach("Tool", "abc")), GoalError, "position: needs 3"),
    (lambda: limbik.solve(ARM, Reach("Tool", [0, 0, 0], weight="x")), GoalError, "weight"),  # type: ignore[arg-type]
    (lambda: limbik.solve(ARM, limbik.Rest(weight="x")), GoalError, "Rest: weight"),
    (lambda: limbik.solve(ARM, limbik.Rest(pose="x")), GoalError, "Rest: pose"),
    (lambda: limbik.solve(ARM, mine(None)), GoalError, "mine: its residual must be numbers"),
    (lambda: limbik.solve(ARM, mine("abc")), GoalError, "mine: its residual must be numbers"),
    (lambda: limbik.solve(ARM, mine({"a": 1})), GoalError, "mine: its residual must be numbers"),
    (
        lambda: limbik.solve(ARM, mine([0.1], "abc")),
        GoalError,
        "mine: its jacobian must be numbers",
    ),
    (lambda: limbik.solve(ARM, mine([0.1], [[1.0]])), GoalError, "mine: jacobian .*shape"),
    (lambda: limbik.solve(ARM, PythonGoal(3)), GoalError, "residual must be a function"),  # type: ignore[arg-type]
    (lambda: limbik.solve_many(ARM, ["Tool"], positions="x"), GoalError, "positions: needs"),  # type: ignore[arg-type]
    (
        lambda: limbik.solve_many(ARM, ["Tool"], positions=np.zeros((1, 3)), seed=None),  # type: ignore[arg-type]
        MethodError,
        "seed",
    ),
    (
        lambda: limbik.solve_many("human", ["Tool"], positions=np.zeros((1, 3))),  # type: ignore[arg-type]
        FigureError,
        "got 'human'",
    ),
    (lambda: ARM.with_limits([limbik.Range(0, 1)]), FigureError, "with_limits"),  # type: ignore[arg-type]
    (lambda: ARM.with_limits({3: limbik.Range(0, 1)}), FigureError, "with_limits"),  # type: ignore[dict-item]
    (lambda: ARM.with_limits({"Joint1": 3}), FigureError, "Range or a SwingTwist"),  # type: ignore[dict-item]
    (lambda: limbik.SwingTwist(twist=3), FigureError, "twist 3 must be two"),  # type: ignore[arg-type]
    (lambda: limbik.SwingTwist(twist="ab"), FigureError, "twist"),  # type: ignore[arg-type]
    (lambda: limbik.SwingTwist(swing="x"), FigureError, "swing"),  # type: ignore[arg-type]
    (lambda: limbik.SwingTwist(swing=1, center=3), FigureError, "center"),  # type: ignore[arg-type]
    (lambda: limbik.Range("a", 1), FigureError, "Range: lower"),
    (lambda: limbik.Range(None, 1), FigureError, "Range: lower"),
    (lambda: ARM.jacobian(ARM.rest, "Tool", at="x"), FigureError, "at needs three"),  # type: ignore[arg-type]
    (lambda: ARM.positions("x"), FigureError, "needs numbers"),
    (lambda: ARM.index(None), FigureError, "by its name"),  # type: ignore[arg-type]
    (lambda: limbik.Figure([], unit=3), FigureError, "unit must be text"),  # type: ignore[arg-type]
    (lambda: limbik.Motion(ARM, "x", 30), FigureError, "needs numbers"),  # type: ignore[arg-type]
    (lambda: limbik.Motion(ARM, [ARM.rest], "x"), FigureError, "fps"),  # type: ignore[arg-type]
    (lambda: CLIP.resample(None), FigureError, "resample: fps"),  # type: ignore[arg-type]
    (lambda: CLIP.sample("x"), FigureError, "sample"),  # type: ignore[arg-type]
    (lambda: limbik.Figure(3), FigureError, "made of Joints"),  # type: ignore[arg-type]
    (lambda: limbik.Figure(["A"]), FigureError, "made of Joints"),  # type: ignore[list-item]
    (lambda: limbik.Figure([limbik.Joint("A", ["B"])]), FigureError, "parent is a name"),  # type: ignore[arg-type]
    (lambda: limbik.Figure([limbik.Joint("A", offset="x")]), FigureError, "offset needs 3"),  # type: ignore[arg-type]
    (lambda: ARM.positions(ARM.rest, 3), FigureError, "by its name"),  # type: ignore[arg-type]
    (lambda: ARM.in_units(["m"]), FigureError, "unit must be text"),  # type: ignore[arg-type]
    (lambda: ARM.in_units("m", from_unit=None), FigureError, "from_unit must be"),  # type: ignore[arg-type]
    (lambda: ARM.with_rest("x"), FigureError, "rest: needs numbers"),
    (lambda: CLIP.onto("human"), FigureError, "onto: needs a Figure"),  # type: ignore[arg-type]
    (lambda: limbik.limits_from(None), FigureError, "needs a Motion"),  # type: ignore[arg-type]
    (lambda: limbik.humanoid.recognise(None), FigureError, "needs a Figure"),  # type: ignore[arg-type]
    (lambda: limbik.solve_many(ARM, None, positions=np.zeros((1, 3))), GoalError, "effectors"),  # type: ignore[arg-type]
    (
        lambda: limbik.solve(ARM, limbik.Aim("Tool", axis={}, target=[0, 0, 1])),  # type: ignore[arg-type]
        GoalError,
        "axis",
    ),
    (lambda: limbik.load(3), FormatError, "given by its path"),  # type: ignore[arg-type]
    (lambda: limbik.load_motion(None), FormatError, "given by its path"),  # type: ignore[arg-type]
    (lambda: limbik.load_motion("a.csv", figure="human"), FormatError, "needs a Figure"),  # type: ignore[arg-type]
    (lambda: limbik.save(CLIP, None), FormatError, "given by its path"),  # type: ignore[arg-type]
    (lambda: limbik.save("clip", "a.bvh"), FormatError, "Figure or a Motion"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_a_wrong_call_gets_an_error_of_limbik_by_name(call, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        call()
    assert issubclass(error, LimbikError)


def test_every_warning_is_a_limbik_warning() -> None:
    plain = []
    for path in sorted((PROJECT / "limbik").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "node_modules" in path.parts or "warnings.warn" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn":
                said = ast.unparse(node)
                if "Limbik" not in said and "warning.message" not in said:
                    plain.append(f"{path.name}:{node.lineno}")
    assert not plain

"""Every example in a docstring runs and prints what it says.

Examples may use ``limbik``, ``np``, ``fig`` (the built-in human) and ``clip`` (the built-in
cartwheel) without making them, and the files walk.bvh and walk.glb, which hold that motion, and
walk.trc with two markers.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik

PACKAGE = Path(limbik.__file__).parent
SOURCES = {
    path: len(re.findall(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE))
    for path in sorted(PACKAGE.rglob("*.py"))
    if "node_modules" not in path.parts
}
WITH_EXAMPLES = [path.relative_to(PACKAGE) for path, count in SOURCES.items() if count]
FLAGS = doctest.ELLIPSIS


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What examples may use, and a folder with the files they name."""
    clip = limbik.figures.cartwheel()
    clip = limbik.Motion(clip.figure, clip.q, clip.fps, name="walk")
    folder = tmp_path_factory.mktemp("examples")
    limbik.save(clip, folder / "walk.bvh")
    limbik.save(clip, folder / "walk.glb")
    (folder / "walk.trc").write_text(
        "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tNumMarkers\tUnits\n100\t2\tmm\n"
        "Frame#\tTime\tLFHD\t\t\tRFHD\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
        "1\t0\t1\t2\t3\t4\t5\t6\n2\t0.01\t1\t2\t3\t4\t5\t6\n"
    )
    return {"limbik": limbik, "np": np, "fig": clip.figure, "clip": clip, "folder": folder}


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_examples_run(
    path: Path, names: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(names["folder"]))
    monkeypatch.setenv("LIMBIK_STATE", str(tmp_path))
    parts = [part for part in path.with_suffix("").parts if part != "__init__"]
    module = importlib.import_module(".".join(["limbik", *parts]))
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = finder.find(module, extraglobs=dict(names))
    wrong: list[str] = []
    for test in found:
        runner.run(test, out=wrong.append)
    assert not wrong, "".join(wrong)
    # None is overlooked, none is skipped.
    assert runner.summarize(verbose=False).attempted == SOURCES[PACKAGE / path]


def test_a_wrong_example_is_found() -> None:
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert runner.run(test, out=lambda text: None).failed == 1


# ---- what an API reference is made from ----------------------------------------------------------


def _documented(thing: Any) -> tuple[list[str], str]:
    """(the parameters of a public function or class, its docstring)."""
    names = [
        name
        for name, parameter in inspect.signature(thing).parameters.items()
        if parameter.kind is not parameter.VAR_POSITIONAL
    ]
    return names, inspect.getdoc(thing) or ""


PUBLIC = {
    name: getattr(limbik, name)
    for name in limbik.__all__
    if inspect.isfunction(getattr(limbik, name)) or name in ("Live", "Problem", "Solver")
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_docstring_says_every_argument(name: str) -> None:
    names, doc = _documented(PUBLIC[name])
    said = re.findall(r"^    (\w+): ", doc.partition("\nArgs:\n")[2], flags=re.MULTILINE)
    assert said[: len(names)] == names
    if inspect.isfunction(PUBLIC[name]):
        returns = inspect.signature(PUBLIC[name]).return_annotation
        assert ("\nReturns:\n" in doc) == (returns != "None")
        assert "\nRaises:\n" in doc


ASKED_BY_SOLVERS = {"terms", "target_writes", "describe", "diagonal", "as_rest", "flat_target"}
"""What solvers ask of every goal is explained once, by ``Goal`` in goals/terms.py."""
ASKED_BY_SOLVERS |= {"rows", "derivative"}  # of goals that are functions


def _methods() -> dict[str, Any]:
    """The public functions of public classes and modules, by their full names."""
    found = {}
    for name in limbik.__all__:
        thing = getattr(limbik, name)
        if inspect.isclass(thing) or inspect.ismodule(thing):
            for own, value in inspect.getmembers(thing):
                function = value.__func__ if inspect.ismethod(value) else value
                public = not own.startswith("_") and own not in ASKED_BY_SOLVERS
                if public and inspect.isfunction(function):
                    found[f"{name}.{own}"] = function
    return {name: value for name, value in found.items() if value.__module__.startswith("limbik.")}


METHODS = _methods()


@pytest.mark.parametrize("name", METHODS)
def test_a_public_method_says_its_arguments_and_what_comes_back(name: str) -> None:
    names, doc = _documented(METHODS[name])
    names = [one for one in names if one not in ("self", "cls")]
    assert doc
    if names:
        told = re.findall(r"^    (\w+): ", doc.partition("\nArgs:\n")[2], flags=re.MULTILINE)
        assert [one for one in told if one in names] == names
        returns = inspect.signature(METHODS[name]).return_annotation
        assert ("\nReturns:\n" in doc) == (returns != "None")


KERNELS = {"kernel", "inner", "external", "inlined", "inlined_by_llvm", "kernel_part"}
KERNELS |= {"term_function", "second_function"}


def test_every_kernel_says_what_it_computes() -> None:
    without = [
        f"{path}: {node.name}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and not ast.get_docstring(node)
        if any(ast.unparse(one).partition("(")[0] in KERNELS for one in node.decorator_list)
    ]
    assert not without

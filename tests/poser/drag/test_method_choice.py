"""Methods and their settings, as the page shows and sends them."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from limbik import MethodError
from limbik.methods import METHODS
from limbik.poser.drag.method_choice import method_of
from limbik.poser.protocol.page_state import methods_info
from limbik.poser.protocol.text import json_of

# ---- methods ------------------------------------------------------------------------------------


def test_every_method_is_told_with_its_settings():
    told_methods = [json.loads(json_of(method)) for method in methods_info()]
    assert [method["name"] for method in told_methods] == list(METHODS)
    for method in told_methods:
        names = {setting["name"] for setting in method["settings"]}
        assert names <= {field.name for field in fields(METHODS[method["name"]])}
        assert "iterations" in names
        assert method["title"].endswith((".", ":"))
        for setting in method["settings"]:
            assert setting["kind"] in ("float", "int", "bool", "choice", "text")
            assert (setting["choices"] is not None) == (setting["kind"] == "choice")
            assert setting["help"], f"{method['name']}.{setting['name']}"
        defaults = {setting["name"]: setting["value"] for setting in method["settings"]}
        assert method_of(method["name"], defaults) == METHODS[method["name"]]()


def test_kinds_of_settings():
    by_name = {method.name: json.loads(json_of(method)) for method in methods_info()}

    def setting(method: str, name: str) -> dict:
        return next(s for s in by_name[method]["settings"] if s["name"] == name)

    assert setting("projected_lm", "damping")["kind"] == "float"
    assert setting("projected_lm", "passes") == {
        "name": "passes",
        "kind": "int",
        "value": 3,
        "choices": None,
        "help": "How often a step may be solved for again with its clipped coordinates held.",
    }
    assert setting("projected_gradient", "barzilai_borwein")["kind"] == "bool"
    assert setting("gauss_seidel", "sweep")["choices"] == ["sequential", "colored", "blocked"]
    assert setting("null_space", "criterion")["choices"] == ["manipulability", "limits", "rest"]
    assert setting("jacobian_transpose", "rate_clamp")["value"] is None
    assert "pose" not in {s["name"] for s in by_name["null_space"]["settings"]}
    assert "first" not in {s["name"] for s in by_name["hybrid"]["settings"]}


def test_settings_are_applied():
    method = method_of("gauss_seidel", {"sweeps": 7.0, "warm": True, "sweep": "blocked"})
    assert (method.sweeps, method.warm, method.sweep) == (7, True, "blocked")  # type: ignore
    assert method_of("jacobian_transpose", {"step": None}).step is None  # type: ignore


@pytest.mark.parametrize(
    ("name", "settings", "complaint"),
    [
        ("newton", {}, 'no method "newton"'),
        ("projected_lm", {"speed": 1}, 'projected_lm has no setting "speed"'),
        ("projected_lm", {"damping": "much"}, "projected_lm: damping must be a number"),
        ("projected_lm", {"damping": float("nan")}, "must be a number"),
        ("projected_lm", {"damping": -1.0}, "needs damping > 0"),
        ("projected_lm", {"iterations": 2.5}, "whole number from 1 to 5000"),
        ("projected_lm", {"iterations": 0}, "whole number from 1 to 5000"),
        ("projected_lm", {"iterations": 10**9}, "whole number from 1 to 5000"),
        ("projected_lm", {"alpha": None}, "alpha must be a number"),
        ("projected_gradient", {"barzilai_borwein": 1}, "must be on or off"),
        ("gauss_seidel", {"sweep": "any"}, "one of sequential, colored, blocked"),
        ("gauss_seidel", {"sweep": ["blocked"]}, "one of sequential, colored, blocked"),
        ("hybrid", {"first": "x"}, 'has no setting "first"'),
    ],
)
def test_settings_that_cannot_be(name, settings, complaint):
    with pytest.raises(MethodError, match=complaint):
        method_of(name, settings)

"""What the methods with a second wish have in common: their workspace, and what they refuse."""

from __future__ import annotations

import pytest

import limbik
from helpers.method_samples import run_as_python
from limbik import Problem, Range, Reach
from limbik.errors import MethodError
from limbik.methods.redundancy.baillieul import Baillieul
from limbik.methods.redundancy.criteria import CRITERIA
from limbik.methods.redundancy.null_space import NullSpace


@pytest.mark.parametrize(("method", "iterations"), [(Baillieul, 2), (NullSpace, 4)])
def test_the_workspace_is_as_large_as_needed(method: type, iterations: int) -> None:
    figure = limbik.figures.chain([1.0, 0.8, 0.9, 0.5], limits=Range(-3.0, 2.5))
    problem = Problem(figure, [Reach("Tip", position=[1.0, 1.5, 0.0])], start=[0.3, 0.5, 0.7, 0.4])
    for name in CRITERIA:
        run_as_python(problem, method(criterion=name), iterations)


@pytest.mark.parametrize("method", [Baillieul, NullSpace])
@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"criterion": "beauty"}, "criterion must be .* got 'beauty'"),
        ({"criterion": "limits", "pose": [0.0]}, 'a pose is for the criterion "rest"'),
        ({"cutoff": 2.0}, "0 ≤ cutoff < 1, got 2"),
    ],
)
def test_refusals(method: type, settings: dict, says: str) -> None:
    with pytest.raises(MethodError, match=f"{method.name}: .*" + says):
        method(**settings)


def test_a_gain_and_a_correction_have_ranges() -> None:
    with pytest.raises(MethodError, match=r"baillieul: .*0 ≤ correction ≤ 1 or None, got 1.5"):
        Baillieul(correction=1.5)
    with pytest.raises(MethodError, match=r"null_space: .*gain must be positive or None, got -1"):
        NullSpace(gain=-1.0)

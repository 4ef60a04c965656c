"""Who takes part: the paper's three, the default, and every other method there is."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from limbik.errors import MethodError
from limbik.methods import (
    METHODS,
    JacobianTranspose,
    Method,
    ProjectedGradient,
    ProjectedLevenbergMarquardt,
    PseudoInverse,
)
from limbik.papers.line_search.subject import Subject
from limbik.solver.targets.tables import batch_problem

STEP = 0.005
"""The paper's fixed step of the Jacobian transpose, in its own unit."""

CLAMP = 0.1
"""Radians that the gentler Jacobian inverse may turn a coordinate by in an iteration."""

TRANSPOSE, INVERSE = "jacobian_transpose", "pseudo_inverse"
CLAMPED = f"{INVERSE}_clamped"
LINE_SEARCH, DEFAULT = "projected_gradient", "projected_lm"
PAPERS = (TRANSPOSE, INVERSE, LINE_SEARCH)
"""The three methods that the paper compares."""

RESTARTED = "projected_lm_restarts"
"""The default method with restarts, which share its iterations."""

SHIPPED = "limbik.track"
"""The default method as a user gets it, with restarts and momentum."""


@dataclass(frozen=True)
class Named:
    """A method with its settings, under the name that caps and numbers are kept by."""

    key: str
    label: str
    method: Method

    @property
    def settings(self) -> str:
        """Its settings in words, without the number of iterations, which is the cap."""
        values = dataclasses.asdict(self.method)
        values.pop("iterations")
        return ", ".join(f"{name} {value}" for name, value in values.items()) or "none"


HALF = f"{TRANSPOSE}_half"
BEST = f"{TRANSPOSE}_best"
"""The best of the fixed steps that are stable on the clip; known after the others have run."""

EQUATION_28 = f"{TRANSPOSE}_28"
BORWEIN = f"{LINE_SEARCH}_bb"

_LABELS = {
    TRANSPOSE: f"Jacobian transpose, step {STEP}",
    HALF: f"Jacobian transpose, step {STEP / 2}",
    BEST: "Jacobian transpose, best stable step",
    EQUATION_28: "Jacobian transpose, equation 28",
    INVERSE: "Jacobian inverse (SVD), limits after",
    CLAMPED: f"Jacobian inverse, steps ≤ {CLAMP} rad",
    LINE_SEARCH: "projected line search",
    BORWEIN: "projected line search, Barzilai–Borwein",
    DEFAULT: "projected LM (default)",
    "ccd": "cyclic coordinate descent",
    RESTARTED: "projected LM with restarts",
    SHIPPED: "limbik.track as shipped",
}


def label_of(key: str) -> str:
    """A contestant's name for people."""
    return _LABELS.get(key, key.replace("_", " "))


def _named(methods: dict[str, Method]) -> list[Named]:
    return [Named(key, label_of(key), method) for key, method in methods.items()]


def papers_and_default() -> list[Named]:
    """The three methods of the paper, with its settings, and the default."""
    return _named(
        {
            TRANSPOSE: JacobianTranspose(step=STEP),
            INVERSE: PseudoInverse(),
            LINE_SEARCH: ProjectedGradient(),
            DEFAULT: ProjectedLevenbergMarquardt(),
        }
    )


def few() -> list[Named]:
    """Who takes part in a quick run: few kernels to compile.

    Beside the paper's methods with its settings stand its rivals with better ones: the transpose
    with half the step and with that of equation 28, and the inverse with a bound on its step, as
    programs for animators have it.
    """
    fair = {
        CLAMPED: PseudoInverse(clamp=CLAMP),
        HALF: JacobianTranspose(step=STEP / 2),
        EQUATION_28: JacobianTranspose(step=None),
    }
    return [*papers_and_default(), *_named(fair)]


def everyone(subject: Subject) -> tuple[list[Named], dict[str, str]]:
    """(contestants, who cannot take part and why).

    Beside those of a quick run stand the methods in ``limbik.methods`` as they come, and the line
    search with another first step.
    """
    found = [*few(), *_named({BORWEIN: ProjectedGradient(barzilai_borwein=True)})]
    taken = {one.key for one in found}
    found += _named({key: kind() for key, kind in METHODS.items() if key not in taken})
    _, _, problem = batch_problem(
        subject.figure, subject.effectors, subject.clip.positions()[:1, subject.index()], None
    )
    able, refused = [], {}
    for one in found:
        try:
            one.method.options(problem)
        except MethodError as error:
            refused[one.key] = str(error)
        else:
            able.append(one)
    return able, refused

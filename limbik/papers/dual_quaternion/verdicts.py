"""Verdicts from measurements, and the ways of reading the paper that are measured."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.papers.contract import Verdict

READINGS = {
    "one sweep, x kept": ProjectedGaussSeidel(sweeps=1, warm=True),
    "one sweep, x = 0": ProjectedGaussSeidel(sweeps=1),
    "20 sweeps": ProjectedGaussSeidel(),
}
"""The paper counts iterations without saying of what.  With one sweep for each Jacobian, iterations
and sweeps are the same thing; the x of the last iteration is kept (section VIII), or not."""

PAPER = "one sweep, x kept"
"""The reading whose counts come nearest to the paper's, chosen for that: its claims are judged by
it, and the other readings stand beside it in the tables."""


def graded(seen: Iterable[bool]) -> Verdict:
    """Holds where it did in all cases, fails where in none, and depends otherwise."""
    cases = [bool(case) for case in seen]
    if all(cases):
        return Verdict.HOLDS
    return Verdict.DEPENDS if any(cases) else Verdict.FAILS


def percent(cases: Iterable[bool]) -> float:
    """How many of the cases hold, in percent."""
    return 100.0 * float(np.mean([bool(case) for case in cases]))

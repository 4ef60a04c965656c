"""Projected Levenberg–Marquardt, limbik's default: second-order speed, and f never rises."""

from __future__ import annotations

from dataclasses import dataclass

from limbik.jit import kernel
from limbik.methods.default.levenberg_marquardt import levenberg_marquardt
from limbik.methods.default.settings import LevenbergMarquardt
from limbik.methods.default.workspace import view_lm


@kernel(borrows=True)
def projected_lm(ints, floats, work, options, q, out, history):
    """``levenberg_marquardt`` for the goals as they are: no rows are held."""
    lm, _ = view_lm(ints, work)
    return levenberg_marquardt(ints, floats, lm, options, q, out, history, None)


@dataclass(frozen=True)
class ProjectedLevenbergMarquardt(LevenbergMarquardt):
    """The default: damped Gauss–Newton on the coordinates the limits leave free, then Newton.

    The damping λ grows with f.  Where f falls slowly, because targets cannot be reached, the exact
    Hessian takes the place of JᵀJ.  f never rises and every iterate is inside the limits.
    """

    name = "projected_lm"
    kernel = projected_lm

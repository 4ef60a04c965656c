"""Secondary criteria by NumPy, for the tests of the methods that use them."""

from __future__ import annotations

import numpy as np

from limbik import Problem


def criterion(name: str, problem: Problem, q: np.ndarray, pose: np.ndarray | None = None) -> float:
    """g(q) by NumPy."""
    figure = problem.figure
    if name == "rest":
        pose = figure.rest if pose is None else pose
        return float((((q - pose) / np.where(figure.slides, figure.size / 4, 1.0)) ** 2).sum())
    if name == "limits":
        bounded = np.isfinite(figure.upper - figure.lower)
        mid, span = (figure.lower + figure.upper) / 2, figure.upper - figure.lower
        return float((((q - mid) / span)[bounded] ** 2).sum())
    sigma = np.linalg.svd(problem.jacobian(q), compute_uv=False)
    return float(-np.log(sigma[sigma > 1e-9 * sigma[0]]).sum())  # rows that are always 0 left out

"""Derivatives by central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def differences(function: Callable[[np.ndarray], object], q: np.ndarray, step: float = 1e-6):
    """(..., n): (function(q + h) − function(q − h)) / 2‖h‖, h a step along each coordinate."""
    columns = [
        (np.asarray(function(q + h)) - np.asarray(function(q - h))) / (2.0 * step)
        for h in step * np.eye(len(q))
    ]
    return np.stack(columns, axis=-1)

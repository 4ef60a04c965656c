"""The boxes of a box plot, and how smooth a motion is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.figure.figure import Figure


@dataclass(frozen=True)
class Box:
    """Median, quartiles, whiskers and outliers, as the paper's Figures 9 to 11 show them.

    Whiskers end at the last value within 1.5 times the distance of the quartiles from them; what
    lies beyond is an outlier.  Quartiles are interpolated linearly between values.
    """

    low: float
    first: float
    median: float
    third: float
    high: float
    outliers: tuple[float, ...]

    @property
    def spread(self) -> float:
        """Third quartile less the first: how compact the distribution is."""
        return self.third - self.first


def box_of(values: np.ndarray) -> Box:
    """The box of some values; NaN is refused, because it has no place in one."""
    values = np.sort(np.asarray(values, float))
    if not len(values) or np.isnan(values).any():
        raise ValueError("a box needs values, and none of them NaN")
    first, median, third = np.percentile(values, [25, 50, 75])
    reach = 1.5 * (third - first)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    beyond = values[(values < first - reach) | (values > third + reach)]
    return Box(
        low=float(inside[0]),
        first=float(first),
        median=float(median),
        third=float(third),
        high=float(inside[-1]),
        outliers=tuple(beyond.tolist()),
    )


def second_differences(figure: Figure, poses: np.ndarray) -> np.ndarray:
    """(frames − 2, joints) lengths of p(k+1) − 2p(k) + p(k−1) for the joints' positions."""
    return np.linalg.norm(np.diff(figure.positions(poses), n=2, axis=0), axis=-1)


def roughness(figure: Figure, poses: np.ndarray) -> float:
    """Root mean square of the second differences of all joints' positions."""
    return float(np.sqrt(np.mean(second_differences(figure, poses) ** 2)))

"""extended_jacobian run again: ellipse, weight, rank, rivals, penalties, and beyond the plane."""

from __future__ import annotations

from limbik.papers.contract import Chapter, Order
from limbik.papers.extended_jacobian.ellipse import around_the_ellipse
from limbik.papers.extended_jacobian.penalty import penalties
from limbik.papers.extended_jacobian.rank import rank_on_the_way
from limbik.papers.extended_jacobian.rivals import other_methods
from limbik.papers.extended_jacobian.space import beyond_the_plane
from limbik.papers.extended_jacobian.weight import weight_to_nothing


def run(order: Order) -> list[Chapter]:
    """The experiments of extended_jacobian."""
    return [
        around_the_ellipse(order),
        weight_to_nothing(order),
        rank_on_the_way(order),
        other_methods(order),
        penalties(order),
        beyond_the_plane(order),
    ]

"""newton_svd run again: the three-joint arm of the notes, Newton plain and halved, two arms."""

from __future__ import annotations

from limbik.papers.contract import Chapter, Order
from limbik.papers.newton_svd.convergence import newton_plain_and_halved
from limbik.papers.newton_svd.systems import frozen_joints, two_arms_as_one
from limbik.papers.newton_svd.tangent import arm_and_tangent


def run(order: Order) -> list[Chapter]:
    """The experiments of newton_svd."""
    return [
        arm_and_tangent(order),
        newton_plain_and_halved(order),
        two_arms_as_one(order),
        frozen_joints(order),
    ]

"""Kenwright's hand: iterations, stability, rivals, limits, Jacobians, sweeps, and costs."""

from __future__ import annotations

from limbik.papers.contract import Chapter, Order
from limbik.papers.dual_quaternion.contest import gestures_and_rivals
from limbik.papers.dual_quaternion.coupling import coupled_fingers
from limbik.papers.dual_quaternion.derivatives import three_jacobians
from limbik.papers.dual_quaternion.efficiency import dual_quaternions_or_not
from limbik.papers.dual_quaternion.frames import iterations_a_frame
from limbik.papers.dual_quaternion.gimbal import gimbal_lock
from limbik.papers.dual_quaternion.parallel import other_sweeps
from limbik.papers.dual_quaternion.pressed import pressed_against_limits
from limbik.papers.dual_quaternion.stability import out_of_reach
from limbik.papers.dual_quaternion.turning import turning_on


def run(order: Order) -> list[Chapter]:
    """All experiments of dual_quaternion."""
    return [
        iterations_a_frame(order),
        out_of_reach(order),
        gestures_and_rivals(order),
        pressed_against_limits(order),
        three_jacobians(order),
        other_sweeps(order),
        coupled_fingers(order),
        turning_on(order),
        gimbal_lock(order),
        dual_quaternions_or_not(order),
    ]

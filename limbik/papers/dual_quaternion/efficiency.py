"""Are dual quaternions an efficient way to hold and to compose rigid transforms?"""

from __future__ import annotations

from collections.abc import Mapping

from limbik.papers.contract import Chapter, Claim, Order
from limbik.papers.dual_quaternion.verdicts import graded
from limbik.papers.transform_cost import JOINTS, KINDS, cost_table, counts, timed

MATRICES, QUATERNIONS, DUAL = KINDS
NUMBERS = {MATRICES: 12, QUATERNIONS: 7, DUAL: 8}
"""What a rigid transform is held in: a matrix and a place, a quaternion and a place, eight."""


def dual_quaternions_or_not(order: Order) -> Chapter:
    """Operations counted, numbers held, and the same compiled and timed."""
    found = counts()
    seconds, apart = timed(order.seed)
    return Chapter(
        title="What dual quaternions cost",
        text=(
            "A joint is placed below its parent: by matrices, by a quaternion and a place, and by "
            "dual quaternions, the way of equations 13 to 15. All three give the same places (to "
            f"{apart:.0e}). A product of dual quaternions is three products of quaternions, and "
            "the place has to be read out of the dual part again."
        ),
        settings={"joints timed": JOINTS, "numbers a transform": NUMBERS, "seed": order.seed},
        claims=efficiency_claims(found, seconds),
        tables=[cost_table(found)],
        numbers={"operations a joint": found, "places apart": apart},
        timings={"seconds a joint": seconds},
    )


def efficiency_claims(
    found: Mapping[str, Mapping[str, int]], seconds: Mapping[str, float]
) -> list[Claim]:
    """Fewer operations, fewer numbers, less time than the others?"""
    cheaper = [
        row[DUAL] < row[other] for row in found.values() for other in (MATRICES, QUATERNIONS)
    ]
    smaller = [NUMBERS[DUAL] < NUMBERS[other] for other in (MATRICES, QUATERNIONS)]
    return [
        Claim(
            "abstract and section II",
            "Dual quaternions are a computationally efficient technique for representing "
            "transforms.",
            graded(cheaper),
            "Multiplications and additions a joint, dual quaternions, quaternion and place, "
            "matrices – "
            + "; ".join(
                f"{case}: {row[DUAL]}, {row[QUATERNIONS]}, {row[MATRICES]}"
                for case, row in found.items()
            )
            + ".",
        ),
        Claim(
            "section II",
            "Dual quaternions are compact.",
            graded(smaller),
            "Numbers a transform – "
            + ", ".join(f"{kind}: {value}" for kind, value in NUMBERS.items())
            + ".",
        ),
        Claim(
            "abstract",
            "Compiled, dual quaternions place the joints of a chain in less time.",
            graded([seconds[DUAL] < seconds[other] for other in (MATRICES, QUATERNIONS)]),
            "Thread time a joint – "
            + ", ".join(f"{kind}: {1e9 * value:.0f} ns" for kind, value in seconds.items())
            + ".",
            timed=True,
            own=True,
        ),
    ]

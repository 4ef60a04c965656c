"""Appendix A: are absolute transformations cheaper by quaternions than by matrices?"""

from __future__ import annotations

from collections.abc import Mapping

from limbik.papers.contract import Chapter, Claim, Order
from limbik.papers.line_search.verdicts import share_of_cases
from limbik.papers.transform_cost import JOINTS, KINDS, cost_table, counts, timed

MATRICES, QUATERNIONS = KINDS[:2]


def chapter(order: Order) -> Chapter:
    """Operations counted, and the same compiled and timed."""
    found = counts()
    seconds, apart = timed(order.seed)
    return Chapter(
        title="Quaternions or matrices (appendix A)",
        text=(
            "The absolute transformation of a joint is its parent's, its offset and its own turn. "
            "By matrices that is a product of 3×3 matrices and a matrix times the offset; by "
            "quaternions a product of quaternions and the offset turned by one. A product of "
            "quaternions is cheaper, turning a vector by one is dearer: what is cheaper in all "
            "depends on the joint, and on whether its axes are wanted in the world as well.\n\n"
            f"The same functions were compiled and timed on a chain of {JOINTS} hinges about any "
            f"axis; they place its joints within {apart:.0e} of each other."
        ),
        settings={"joints timed": JOINTS, "seed": order.seed},
        claims=[counted_claim(found), timed_claim(seconds)],
        tables=[cost_table(found)],
        numbers={"operations a joint": found, "places apart": apart},
        timings={"seconds a joint": seconds},
    )


def counted_claim(found: Mapping[str, Mapping[str, int]]) -> Claim:
    """Fewer operations in all cases, in some, in none?"""
    fewer = [case for case, row in found.items() if row[QUATERNIONS] < row[MATRICES]]
    return Claim(
        where="appendix A",
        says="Computing the absolute transformation of each joint is less expensive with "
        "quaternions than with matrices.",
        verdict=share_of_cases(len(fewer), len(found)),
        seen="Multiplications and additions a joint, quaternions and matrices – "
        + "; ".join(
            f"{case}: {row[QUATERNIONS]} and {row[MATRICES]}" for case, row in found.items()
        )
        + ".",
    )


def timed_claim(seconds: Mapping[str, float]) -> Claim:
    """The same, by the clock of the thread."""
    return Claim(
        where="appendix A",
        says="On today's processors quaternions place the joints of a chain in less time.",
        verdict=share_of_cases(int(seconds[QUATERNIONS] < 0.95 * seconds[MATRICES]), 1),
        seen="Thread time a joint, hinges about any axis: "
        + ", ".join(f"{kind} {1e9 * value:.0f} ns" for kind, value in seconds.items())
        + ". Holds where it is at least 5 % less.",
        timed=True,
        own=True,
    )

"""What the numbers of the contest say about the claims: pure functions from numbers to verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from limbik.papers.contract import Claim, Verdict
from limbik.papers.line_search.contestants import label_of
from limbik.papers.line_search.statistics import Box

Boxes = Mapping[float, Mapping[str, Box]]


def share_of_cases(true: int, cases: int) -> Verdict:
    """HOLDS where all cases say so, FAILS where none does."""
    if true == cases:
        return Verdict.HOLDS
    return Verdict.FAILS if true == 0 else Verdict.DEPENDS


def default_is_lowest(
    boxes: Boxes,
    default: str,
    others: Sequence[str],
    solved: float,
    kin: Sequence[str] = (),
    given: str = "In the same time slot",
) -> Claim:
    """Is the default's median below every other's, in every plot?

    Where a lower or equal median belongs to a method that also solved the frame to the last digit
    (both below ``solved``), the order says nothing: the verdict is then DEPENDS.  ``kin`` are other
    ways to run the default; they are mentioned and not compared.  ``given`` says what all get.
    """
    below, tied, parts = [], [], []
    for every, row in boxes.items():
        own, present = row[default].median, sum(key in row for key in others)
        lower = [key for key in others if key in row and row[key].median <= own]
        ties = [key for key in lower if own <= solved and row[key].median <= solved]
        beaten = [key for key in lower if key not in ties]
        rounding = [key for key in others if key in row and row[key].median <= solved]
        below += beaten
        tied += ties
        text = f"{every:g} s: default {own:.3g}"
        if beaten:
            text += "; lower: " + _listed(beaten, row)
        if own <= solved and rounding:
            text += f", solved to rounding as are {len(rounding)} of {present} others" + (
                f", of which lower by chance: {_listed(ties, row)}" if ties else ""
            )
        if own > solved and kin:
            text += f"; with restarts: {_listed([key for key in kin if key in row], row)}"
        above = [key for key in others if key in row and row[key].median > max(own, solved)]
        if above:
            best = min(above, key=lambda key: row[key].median)
            text += f"; next: {_listed([best], row)}"
        parts.append(text)
    verdict = Verdict.FAILS if below else Verdict.DEPENDS if tied else Verdict.HOLDS
    return Claim(
        where="limbik's own claim, in the paper's plots",
        says=f"{given} the default method has a lower median error than every other method, at all "
        "three samplings.",
        verdict=verdict,
        seen=". ".join(parts)
        + f". Medians up to {solved:.1g} are frames solved to the tolerance of the comparison; "
        "which of those is lower is rounding.",
    )


def _listed(keys: Sequence[str], row: Mapping[str, Box]) -> str:
    return ", ".join(f"{label_of(key)} {row[key].median:.3g}" for key in keys)


def inside_limits(violations: Mapping[str, float], default: str) -> Claim:
    """Is the default never outside its limits, and who else is?"""
    out = {key: value for key, value in violations.items() if value > 0.0}
    seen = f"default: {violations[default]:g} rad outside at worst, over all frames and samplings"
    if out:
        worst = ", ".join(f"{label_of(key)} {value:.2g} rad" for key, value in out.items())
        seen += f"; outside: {worst}"
    else:
        seen += f"; the answers of all {len(violations)} contestants are inside"
    return Claim(
        where="section 4.3 (5.3 in print), equation 40",
        says="Projection keeps every answer inside the joint limits.",
        verdict=Verdict.FAILS if default in out else Verdict.DEPENDS if out else Verdict.HOLDS,
        seen=seen + ".",
    )


def lower_and_more_compact(boxes: Boxes, own: str, rivals: Sequence[str]) -> Claim:
    """Has the paper's method a lower median and a smaller spread than its rivals?"""
    true, cases, parts = 0, 0, []
    for every, row in boxes.items():
        text = [f"{label_of(own)} {row[own].median:.2g} (spread {row[own].spread:.2g})"]
        for key in rivals:
            cases += 2
            true += row[own].median < row[key].median
            true += row[own].spread < row[key].spread
            text.append(f"{label_of(key)} {row[key].median:.2g} ({row[key].spread:.2g})")
        parts.append(f"{every:g} s: " + ", ".join(text))
    return Claim(
        where="section 5, Figures 8–10 (6.3, Figures 9–11 in print)",
        says="In the slot of 0.015 s the projected line search has a much lower median and a more "
        "compact distribution than the SVD Jacobian inverse and the Jacobian transpose.",
        verdict=share_of_cases(true, cases),
        seen="Medians and distances of the quartiles. " + "; ".join(parts) + ".",
    )


def outliers_of_transpose(boxes: Boxes, transpose: str) -> Claim:
    """Does the transpose get into trouble where frames lie far apart?"""
    worst = {
        every: max([row[transpose].high, *row[transpose].outliers]) for every, row in boxes.items()
    }
    fine, coarse = min(worst), max(worst)
    listed = ", ".join(f"{value:.3g} at {every:g} s" for every, value in worst.items())
    return Claim(
        where="section 5, Figure 10 (Figure 11 in print)",
        says="At 1 s the Jacobian transpose begins to have problems, with outliers around 80.",
        verdict=Verdict.HOLDS if worst[coarse] > 2.0 * worst[fine] else Verdict.FAILS,
        seen=f"Its worst frames: {listed}.",
    )


def never_rises(
    rises: Mapping[str, int], steps: Mapping[str, int], promised: Sequence[str]
) -> Claim:
    """Does f never rise from one iterate to the next?"""
    bad = sum(rises[key] > 0 for key in promised)
    listed = ", ".join(f"{label_of(key)} {rises[key]} of {steps[key]}" for key in rises)
    return Claim(
        where="section 5.2 (6.4 in print)",
        says="The line search guarantees that the objective falls, which makes the method robust.",
        verdict=share_of_cases(len(promised) - bad, len(promised)),
        seen=f"Iterations in which f rose: {listed}.",
    )


def slot_suffices(shares: Mapping[float, float], key: str, slot: float, others: str) -> Claim:
    """Does the paper's method meet the paper's tolerance within the slot?"""
    listed = ", ".join(f"{100 * share:.0f} % at {every:g} s" for every, share in shares.items())
    enough = sum(share >= 0.99 for share in shares.values())
    return Claim(
        where="section 5 (6.2 in print)",
        says=f"The method is sufficiently exact in {1e3 * slot:g} ms per frame: within the "
        "tolerance of 0.05 units, about a centimetre.",
        verdict=share_of_cases(enough, len(shares)),
        seen=f"Frames with every effector within 0.05 units, {label_of(key)}: {listed}. {others}",
    )


def smoother(rough: Mapping[str, float], own: str, rival: str) -> Claim:
    """Is the paper's method smoother than the Jacobian inverse, and near the reference?"""
    listed = ", ".join(f"{label_of(key)} {value:.3g}" for key, value in rough.items())
    return Claim(
        where="section 5.1 (6.3 in print)",
        says="The animation of the projected line search is smoother than that of the SVD Jacobian "
        "inverse, which jitters from frame to frame.",
        verdict=Verdict.HOLDS if rough[own] < rough[rival] else Verdict.FAILS,
        seen="Second differences of all joints' positions at 0.05 s, as multiples of those of the "
        f"reference motion: {listed}.",
    )


def quasi_newton(
    boxes: Boxes, seconds: Mapping[str, float], own: str, quasi: Sequence[str]
) -> Claim | None:
    """Are quasi-Newton methods too costly for interactive use?  None where there are none."""
    present = [key for key in quasi if all(key in row for row in boxes.values())]
    if not present:
        return None
    worse, cases, parts = 0, 0, []
    for key in present:
        text = label_of(key)
        if key in seconds and own in seconds:
            text += f": an iteration costs {seconds[key] / seconds[own]:.2g} times as much"
        medians = []
        for every, row in boxes.items():
            cases += 1
            worse += row[key].median > row[own].median
            medians.append(f"{row[key].median:.2g} against {row[own].median:.2g} at {every:g} s")
        parts.append(f"{text}; median in the slot {', '.join(medians)}")
    return Claim(
        where="section 3 (4 in print)",
        says="Quasi-Newton methods (BFGS) are too costly for interactive use, compared with "
        "methods that use first-order information only.",
        verdict=share_of_cases(worse, cases),
        seen=". ".join(parts) + ".",
    )

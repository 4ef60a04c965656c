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
        where="the paper's plots",
        own=True,
        says=f"{given} the default method has a lower median error than every other method, at all "
        "three samplings.",
        verdict=verdict,
        seen=". ".join(parts)
        + f". Medians up to {solved:.1g} are frames solved to the tolerance of the comparison; "
        "which of those is lower is rounding.",
    )


def _listed(keys: Sequence[str], row: Mapping[str, Box]) -> str:
    return ", ".join(f"{label_of(key)} {row[key].median:.3g}" for key in keys)


def inside_limits(violations: Mapping[str, float], own: str) -> Claim:
    """Is the paper's method never outside its limits, and who else is?"""
    out = {key: value for key, value in violations.items() if value > 0.0}
    seen = (
        f"{label_of(own)}: {violations[own]:g} rad outside at worst, over all frames and samplings"
    )
    if out:
        worst = ", ".join(f"{label_of(key)} {value:.2g} rad" for key, value in out.items())
        seen += f"; outside: {worst}"
    else:
        seen += f"; the answers of all {len(violations)} contestants are inside"
    return Claim(
        where="section 4.3 (5.3 in print), equation 40",
        says="Projection keeps every answer inside the joint limits.",
        verdict=Verdict.FAILS if own in out else Verdict.DEPENDS if out else Verdict.HOLDS,
        seen=seen + ".",
    )


MUCH = 0.5
"""A median is much lower when it is at most this part of the other."""


def lower_and_more_compact(
    boxes: Boxes, own: str, rival: str, settings: Sequence[str], unstable: Sequence[str] = ()
) -> Claim:
    """Has the paper's method a much lower median and a smaller spread than a rival?

    ``settings`` of the rival are those that are stable on the clip: the one with the lowest median
    counts, sampling by sampling.  ``unstable`` ones are told and not judged.
    """
    true, cases, parts = 0, 0, []
    for every, row in boxes.items():
        best = min((key for key in settings if key in row), key=lambda key: row[key].median)
        cases += 2
        true += row[own].median <= MUCH * row[best].median
        true += row[own].spread < row[best].spread
        text = f"{every:g} s: {row[own].median:.2g} ({row[own].spread:.2g}) against " + ", ".join(
            f"{label_of(key)} {row[key].median:.2g} ({row[key].spread:.2g})"
            for key in settings
            if key in row
        )
        left_out = ", ".join(
            f"{label_of(key)} {row[key].median:.2g} ({row[key].spread:.2g})"
            for key in unstable
            if key in row
        )
        parts.append(text + (f"; not judged, because unstable: {left_out}" if left_out else ""))
    return Claim(
        where="section 5, Figures 8–10 (6.3, Figures 9–11 in print)",
        says="In the slot of 0.015 s the projected line search has a much lower median and a more "
        f"compact distribution than the {rival}.",
        verdict=share_of_cases(true, cases),
        seen=f"{true} of {cases} comparisons with the rival's best stable setting favour it "
        f"(median at most {MUCH:g} of the rival's, smaller distance of the quartiles). Medians and "
        "distances of the quartiles – " + ". ".join(parts) + ".",
    )


def better_than_guests(boxes: Boxes, own: str, guests: Sequence[str]) -> Claim | None:
    """Is the paper's method better than other programs' solvers?  None where there are none."""
    true, cases, parts = 0, 0, []
    for every, row in boxes.items():
        present = [key for key in guests if key in row]
        for key in present:
            cases += 2
            true += row[own].median < row[key].median
            true += row[own].spread < row[key].spread
        listed = ", ".join(
            f"{key} {row[key].median:.2g} ({row[key].spread:.2g})" for key in present
        )
        parts.append(f"{every:g} s: {row[own].median:.2g} ({row[own].spread:.2g}) against {listed}")
    if not cases:
        return None
    return Claim(
        where="sections 5 and 5.1 (6.1 and 6.3 in print)",
        says="The projected line search gives better results than the solver of Blender.",
        verdict=share_of_cases(true, cases),
        seen="Medians, and distances of the quartiles. " + "; ".join(parts) + ".",
    )


def lowest_of_all(boxes: Boxes, own: str, others: Sequence[str]) -> Claim | None:
    """How does the paper's method stand among limbik's others?  None where there are none."""
    lower, cases, parts = 0, 0, []
    for every, row in boxes.items():
        present = [key for key in others if key in row]
        beaten = [key for key in present if row[key].median < row[own].median]
        lower += len(beaten)
        cases += len(present)
        listed = ", ".join(f"{label_of(key)} {row[key].median:.2g}" for key in beaten) or "nobody"
        parts.append(f"{every:g} s: {row[own].median:.2g}; lower: {listed}")
    if not cases:
        return None
    return Claim(
        where="the paper's plots with limbik's other methods",
        says="The projected line search has a lower median error than limbik's other methods, the "
        "transpose and the inverse left aside (which the paper does not claim).",
        verdict=share_of_cases(cases - lower, cases),
        seen=". ".join(parts) + ".",
        own=True,
    )


AROUND = (40.0, 160.0)
"""Squared units that pass for "around 80": within a factor of two."""


def outliers_of_transpose(boxes: Boxes, transpose: str, stable: str) -> Claim:
    """Does the transpose get outliers around 80 where frames lie far apart, and only there?

    Holds where an outlier of the coarsest sampling is around 80 and the finer ones have none so
    large, with the paper's step and with the best stable one; depends where that is so with one of
    them, or where the worst frame doubles from the finest to the coarsest without being around 80.
    """
    fine, coarse = min(boxes), max(boxes)
    keys = [key for key in (transpose, stable) if all(key in row for row in boxes.values())]
    low, high = AROUND
    shown, grows, parts = [], [], []
    for key in keys:
        worst = {every: max([row[key].high, *row[key].outliers]) for every, row in boxes.items()}
        around = [value for value in boxes[coarse][key].outliers if low <= value <= high]
        calm = all(value < low for every, value in worst.items() if every != coarse)
        shown.append(bool(around) and calm)
        grows.append(worst[coarse] > 2.0 * worst[fine])
        listed = ", ".join(f"{value:.3g} at {every:g} s" for every, value in worst.items())
        parts.append(
            f"{label_of(key)}: worst frames {listed}; {len(around)} outliers between {low:g} and "
            f"{high:g} at {coarse:g} s"
        )
    if all(shown):
        verdict = Verdict.HOLDS
    else:
        verdict = Verdict.DEPENDS if any(shown) or any(grows) else Verdict.FAILS
    return Claim(
        where="section 5, Figure 10 (Figure 11 in print)",
        says="At 1 s the Jacobian transpose begins to have problems, with outliers around 80.",
        verdict=verdict,
        seen=". ".join(parts) + ".",
    )


def never_rises(rises: Mapping[str, int], steps: Mapping[str, int], own: str) -> Claim:
    """Does f never rise from one iterate of the paper's method to the next?"""
    listed = ", ".join(f"{label_of(key)} {rises[key]} of {steps[key]}" for key in rises)
    return Claim(
        where="section 5.2 (6.4 in print)",
        says="The line search guarantees that the objective falls, which makes the method robust.",
        verdict=Verdict.FAILS if rises[own] else Verdict.HOLDS,
        seen=f"Iterations in which f rose: {listed}.",
    )


def default_never_rises(rises: Mapping[str, int], steps: Mapping[str, int], default: str) -> Claim:
    """The same promise, made by limbik for its default."""
    return Claim(
        where="the promise of equation 39",
        says="limbik's default never raises the objective either.",
        verdict=Verdict.FAILS if rises[default] else Verdict.HOLDS,
        seen=f"Iterations in which f rose: {rises[default]} of {steps[default]}.",
        own=True,
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


def smoother(rough: Mapping[str, float], own: str, rivals: Sequence[str]) -> Claim:
    """Is the paper's method smoother than the Jacobian inverse, without and with a bound?"""
    listed = ", ".join(f"{label_of(key)} {value:.3g}" for key, value in rough.items())
    true = sum(rough[own] < rough[rival] for rival in rivals)
    return Claim(
        where="section 5.1 (6.3 in print)",
        says="The animation of the projected line search is smoother than that of the SVD Jacobian "
        "inverse, which jitters from frame to frame.",
        verdict=share_of_cases(true, len(rivals)),
        seen="Second differences of all joints' positions at 0.05 s, as multiples of those of the "
        f"reference motion: {listed}. Judged against the inverse without and with a bound on its "
        "steps.",
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

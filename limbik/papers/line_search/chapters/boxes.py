"""Experiment (a): box plots of the per-frame error at three samplings, in one time slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik.papers.contract import Chapter, Claim, Order, Table
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search import verdicts
from limbik.papers.line_search.caps import FALLBACK, Caps
from limbik.papers.line_search.chapters.box_pictures import IN_THE_PAPER, as_in_the_paper, everyone
from limbik.papers.line_search.contest import EQUAL, HASTE, SLOTS, Contest
from limbik.papers.line_search.follow import path_of
from limbik.papers.line_search.statistics import Box, box_of, roughness
from limbik.papers.line_search.steps import table as ladder
from limbik.papers.line_search.subject import BODY, SAMPLINGS, TIGHT, TOLERANCE

QUASI_NEWTON = ("zhao_badler", "projected_quasi_newton", "broyden")

_RULES = {
    "slot": "the paper's slot",
    "short slot": f"a {HASTE}th of the slot",
    **{str(count): f"{count} iterations" for count in EQUAL},
}


def chapter(order: Order, contest: Contest, caps: Caps) -> Chapter:
    """The box plots, their numbers, and what they say about the paper's claims."""
    subject = contest.subject
    boxes = contest.boxes()
    labels = {one.key: one.label for one in contest.contestants}
    labels |= {key: who.label_of(key) for key in (who.RESTARTED, who.SHIPPED, who.BEST)}
    labels |= {name: name for name in contest.guests}
    frames = ", ".join(f"{drill.frames} at {drill.every:g} s" for drill in contest.drills)
    others = ", ".join(_RULES[rule] for rule in contest.entries if rule != "slot")
    unknown = [one.key for one in contest.contestants if not caps.knows(one.key)]
    text = (
        f"Hands, feet, pelvis and head of the clip ({subject.name}) are position goals for a "
        f"figure of {subject.figure.n} coordinates with limits on all its joints "
        f"({subject.limits}). Every frame starts at the answer before it; there are no restarts "
        "and nothing is carried on from the last movement, but for two extra entries: the default "
        "with restarts that share its iterations, and limbik.track as a user gets it, which takes "
        "the time it needs. The value of a frame is the sum of the "
        "squared distances of the six effectors, in the paper's unit: a body is 9 units tall, so "
        "0.05 units are about a centimetre.\n\n"
        f"Frames compared: {frames}. A short clip gives few frames at 0.7 and 1 s, so it is run "
        "through from several first frames.\n\n"
        f"Every method gets the iterations that fit into {1e3 * caps.slot:g} ms (measured once, "
        f"on {caps.machine.get('processor', 'another machine')}). The paper stops at 0.05 units; "
        f"here nothing stops before {TIGHT:g} of the body's height, so that what shows is how far "
        "each method gets. Today's processors do far more in the slot than the paper's: methods "
        "with second-order steps end at rounding, and then their order says nothing. So the same "
        f"was done under other rules, in the last table: {others}."
    )
    if contest.rungs:
        best = contest.best_step
        text += (
            "\n\nThe paper's claims about its rivals are judged against these as they are at their "
            "best: the Jacobian transpose with the best of the fixed steps that are stable on this "
            f"clip ({'none is' if best is None else f'{best.step:g}'}) and with the step of "
            "equation 28, and the Jacobian inverse with a bound on its step."
        )
    if unknown:
        text += f"\n\nNot measured, so with {FALLBACK} iterations: {', '.join(unknown)}."
    for name in contest.guests:
        notes = {row[name].note for row in contest.entries["slot"].values() if name in row}
        text += "".join(f"\n\n{name}: {note}" for note in sorted(notes) if note)
    if contest.refused:
        text += "\n\nCannot take part: " + "; ".join(contest.refused.values()) + "."
    return Chapter(
        title="Errors in a time slot (Figures 9–11)",
        text=text,
        settings={
            "clip": subject.name,
            "limits": subject.limits,
            "effectors": list(subject.effectors),
            "unit": f"{subject.unit:.6g} of the clip's unit",
            "tolerance": f"{TIGHT * BODY:g} units",
            "slot": f"{caps.slot:g} s",
            "caps measured on": caps.machine,
            "iterations in the slot": {one.key: caps.cap(one.key) for one in contest.contestants},
            "settings": {one.key: one.settings for one in contest.contestants},
            "seed (limbik.track only)": order.seed,
        },
        claims=_claims(contest, caps, boxes),
        tables=_tables(contest, labels),
        pictures=[
            as_in_the_paper(boxes),
            *(everyone(every, row, labels, contest.solved) for every, row in boxes.items()),
        ],
        numbers={
            "errors": {
                rule: {
                    str(every): {key: entry.errors for key, entry in row.items()}
                    for every, row in by_sampling.items()
                }
                for rule, by_sampling in contest.entries.items()
            },
            "iterations": {
                str(every): {key: entry.iterations for key, entry in row.items()}
                for every, row in contest.entries["slot"].items()
            },
            "steps of the Jacobian transpose": {
                str(rung.step): {
                    str(every): {"errors": entry.errors, "restless frames": rung.restless[every]}
                    for every, entry in rung.entries.items()
                }
                for rung in contest.rungs
            },
        },
        timings={
            "median seconds per frame": {
                str(every): {
                    key: float(np.median(entry.seconds))
                    for key, entry in row.items()
                    if len(entry.seconds)
                }
                for every, row in contest.entries["slot"].items()
            }
        },
    )


def within(contest: Contest, key: str, every: float, rule: str = "slot") -> float:
    """Share of the frames in which every effector is within the paper's tolerance."""
    return float(np.mean(contest.entry(key, every, rule).worst <= TOLERANCE))


def roughnesses(contest: Contest) -> dict[str, float]:
    """Second differences at 0.05 s, as multiples of the reference motion's, by contestant."""
    figure, chains = contest.subject.figure, contest.drills[0].chains
    own = roughness(figure, chains[0].reference)
    entries = contest.entries["slot"][SAMPLINGS[0]]
    return {
        key: roughness(figure, entry.poses[0]) / own
        for key, entry in entries.items()
        if entry.poses
    }


def rises(contest: Contest, keys: Sequence[str], frames: int) -> tuple[dict, dict]:
    """(iterations in which f rose, iterations) along the paths of some frames at 0.7 s."""
    drill = contest.drills[1]
    named = {one.key: one for one in contest.contestants}
    rose, steps = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    for key in keys:
        for chain in drill.chains[:frames]:
            path = path_of(
                contest.subject.figure, contest.subject.effectors, chain.targets[0], chain.start,
                named[key].method, 200,
            )  # fmt: skip
            rose[key] += int((np.diff(path.f) > 0.0).sum())
            steps[key] += len(path.f) - 1
    return rose, steps


def _claims(contest: Contest, caps: Caps, boxes: dict[float, dict[str, Box]]) -> list[Claim]:
    others = [one.key for one in contest.contestants if one.key != who.DEFAULT]
    others += contest.guests
    if contest.best_step is not None:
        others.append(who.BEST)
    transposes = [who.BEST, who.EQUATION_28] if contest.best_step else [who.EQUATION_28]
    unstable = [
        key
        for key, step in ((who.TRANSPOSE, who.STEP), (who.HALF, who.STEP / 2))
        if any(rung.step == step and not rung.stable for rung in contest.rungs)
    ]
    inverses = [who.INVERSE, who.CLAMPED]
    fair = {*transposes, *inverses}
    methods = [
        one.key for one in contest.contestants
        if one.key not in fair | {who.TRANSPOSE, who.HALF, who.LINE_SEARCH}
    ]  # fmt: skip
    violations: dict[str, float] = {}
    for row in contest.entries["slot"].values():
        for key, entry in row.items():
            if key in contest.guests:
                continue  # other programs: the claim is about the papers' methods and limbik's
            violations[key] = max(violations.get(key, 0.0), entry.violation)
    keys = (who.LINE_SEARCH, who.DEFAULT, who.TRANSPOSE, who.HALF, who.INVERSE, who.CLAMPED)
    rose, steps = rises(contest, keys, len(contest.drills[1].chains))
    default = ", ".join(
        f"{100 * within(contest, who.DEFAULT, every):.0f} % at {every:g} s" for every in SAMPLINGS
    )
    rough = roughnesses(contest)
    claims: list[Claim | None] = [
        verdicts.default_is_lowest(
            boxes, who.DEFAULT, others, contest.solved, (who.RESTARTED, who.SHIPPED)
        ),
        *(
            verdicts.default_is_lowest(
                contest.boxes(rule), who.DEFAULT, others, contest.solved, given=f"With {name}"
            )
            for rule, name in _RULES.items()
            if rule in contest.entries and rule != "slot"
        ),
        verdicts.inside_limits(violations, who.LINE_SEARCH),
        verdicts.lower_and_more_compact(
            boxes, who.LINE_SEARCH, "Jacobian transpose", transposes, unstable
        ),
        verdicts.lower_and_more_compact(boxes, who.LINE_SEARCH, "SVD Jacobian inverse", inverses),
        verdicts.better_than_guests(boxes, who.LINE_SEARCH, contest.guests),
        verdicts.lowest_of_all(boxes, who.LINE_SEARCH, methods),
        verdicts.outliers_of_transpose(boxes, who.TRANSPOSE, who.BEST),
        verdicts.slot_suffices(
            {every: within(contest, who.LINE_SEARCH, every) for every in SAMPLINGS},
            who.LINE_SEARCH,
            caps.slot,
            f"The default: {default}.",
        ),
        verdicts.never_rises(rose, steps, who.LINE_SEARCH),
        verdicts.default_never_rises(rose, steps, who.DEFAULT),
        verdicts.smoother(
            {key: rough[key] for key in IN_THE_PAPER if key in rough},
            who.LINE_SEARCH,
            (who.INVERSE, who.CLAMPED),
        ),
        verdicts.quasi_newton(boxes, caps.seconds, who.LINE_SEARCH, QUASI_NEWTON),
    ]
    return [claim for claim in claims if claim is not None]


def _tables(contest: Contest, labels: dict[str, str]) -> list[Table]:
    rough = roughnesses(contest)
    tables = []
    for every, row in contest.boxes().items():
        lines: list[list[Any]] = []
        for key, box in sorted(row.items(), key=lambda item: item[1].median):
            entry = contest.entry(key, every)
            lines.append(
                [
                    labels[key],
                    "own rule" if entry.cap is None else entry.cap,
                    box.median,
                    box.first,
                    box.third,
                    box.high,
                    len(box.outliers),
                    max([box.high, *box.outliers]),
                    f"{100 * within(contest, key, every):.0f} %",
                    entry.violation,
                    *([rough.get(key, "")] if every == SAMPLINGS[0] else []),
                ]
            )
        columns = ["method", "iterations", "median", "1st quartile", "3rd quartile", "whisker"]
        columns += ["outliers", "worst", "within 0.05 units", "outside limits"]
        note = "Sums of squared distances, squared units of the paper; lowest median first."
        if every == SAMPLINGS[0]:
            columns.append("roughness")
            note += " Roughness: second differences of the joints' positions by the reference's."
        tables.append(Table(f"Every {every:g} s, in the slot", columns, lines, note))
    rows = [
        [
            labels[one.key],
            *(
                _median(contest, rule, every, one.key)
                for every in SAMPLINGS
                for rule in contest.entries
            ),
        ]
        for one in contest.contestants
    ]
    columns = [
        f"{every:g} s, {name}" for every in SAMPLINGS for name in map(_RULES.get, contest.entries)
    ]
    if contest.rungs:
        tables.append(ladder(contest.rungs))
    tables.append(
        Table(
            "Median errors under other rules",
            ["method", *columns],
            rows,
            f"Squared units. A dash: so many iterations would take more than {SLOTS} slots.",
        )
    )
    return tables


def _median(contest: Contest, rule: str, every: float, key: str) -> float | str:
    row = contest.entries[rule][every]
    return box_of(row[key].errors).median if key in row else "–"

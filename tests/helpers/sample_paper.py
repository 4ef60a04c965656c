"""A small paper with something of everything that a report can hold."""

from __future__ import annotations

import numpy as np

from limbik import plots
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict


def run(order: Order) -> list[Chapter]:
    """Two chapters; the first has a walk of random numbers and says how far it went."""
    walk = np.cumsum(np.random.default_rng(order.seed).normal(size=40))
    for _ in order.steps("walking", range(3)):
        pass
    far = float(np.abs(walk).max())
    verdict = Verdict.HOLDS if far > 1.0 else Verdict.FAILS
    first = Chapter(
        title="A walk & its <end>",
        text="Forty steps, each of `numpy.random`, were taken one after another from where the "
        "last one ended. What follows is how far from home they led.\n\nThree things were looked "
        "at:\n\n- how far it went at most,\n- where it ended,\n- and whether it came back.",
        settings={"steps": 40, "seed": order.seed, "scale": {"mean": 0.0, "sigma": 1.0}},
        claims=[
            Claim(
                "section 2", "Walks go further than 1 & stay away.", verdict, f"{far:.3g} at most."
            ),
            Claim(
                "section 3, table 2", "A step takes no time.", Verdict.DEPENDS, "3 ms.", timed=True
            ),
        ],
        tables=[
            Table(
                "Where it was",
                ["after", "place", "error", "ended", "share of steps"],
                [
                    ["the first", float(walk[0]), 1.25e-9, "REACHED", "12 %"],
                    ["the last", float(walk[-1]), 0.5, "OUT_OF_REACH", "–"],
                    ["none", 0.0, float("nan"), "–", "100 %"],
                ],
                note="Places are in steps; `NaN` where nothing was measured.",
            )
        ],
        pictures=[_drawing(walk, "svg"), _drawing(walk, "png")],
        numbers={"walk": walk, "lost": [float("nan"), np.inf, -np.inf], "steps": np.int64(40)},
        timings={"seconds": 0.003},
    )
    second = Chapter(
        title="Nothing to see",
        text="A chapter with a claim alone.",
        claims=[
            Claim("section 9", "There is something.", Verdict.FAILS, "There was nothing."),
            Claim("the walk", "limbik walks, too.", Verdict.HOLDS, "It did.", own=True),
        ],
    )
    return [first, second]


def _drawing(walk: np.ndarray, kind: str) -> Picture:
    page = plots.new_page(7.0, 3.2)
    axes = page.subplots()
    axes.plot(walk, color=plots.INK)
    axes.set_title("How far")
    plots.quiet(axes)
    return Picture.of(
        page, f"The walk as {kind}", "Steps from left to right, place upwards.", kind=kind
    )

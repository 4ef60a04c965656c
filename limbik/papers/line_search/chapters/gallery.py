"""Figure 1 and section 6.5: any conceivable skeleton, built in or from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from limbik import figures, plots
from limbik.errors import LimbikError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import FORMATS, load
from limbik.methods import Method, ProjectedGradient, ProjectedLevenbergMarquardt
from limbik.papers.contract import Chapter, Claim, Order, Picture, Table, Verdict
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.drawing import colour_of, rgb, stand
from limbik.papers.line_search.follow import path_of
from limbik.papers.line_search.subject import BODY, in_unit

MOST = 6
"""Effectors of a rig: the ends of so many limbs, the longest first."""

ITERATIONS = 500
NEAR = 0.01
"""Of the figure's size: an effector so near has reached its target."""

OWN_UNIT = "line search in the rig's own unit"

TURN = 0.35
"""Radians, and that part of the size for slides: how far the poses are from the start."""

_ACROSS = np.array([[0.87, 0.0, -0.5], [-0.17, 0.94, -0.29]])  # from the front, a little above


@dataclass(frozen=True)
class Posed:
    """What a method made of one rig."""

    reached: float
    """Share of the problems in which every effector came near its target."""
    outside: float
    """How far the worst answer is outside the limits, rad."""
    rises: int
    """Iterations in which f rose."""
    finite: bool

    @property
    def sound(self) -> bool:
        """Whether the method works on the rig at all."""
        return self.finite and self.outside == 0.0 and self.rises == 0


def built_in() -> dict[str, Figure]:
    """The figures that limbik comes with."""
    return {
        "human": figures.human(),
        "hand": figures.hand(),
        "arm": figures.arm(),
        "leg": figures.leg(),
        "spider": figures.spider(),
        "chain": figures.chain([1.0] * 12),
    }


def from_files(paths: Sequence[Path]) -> tuple[dict[str, Figure], dict[str, str]]:
    """(rigs by their folder and file, what could not be read and why)."""
    rigs, refused, known = {}, {}, set()
    for path in paths:
        name = f"{path.parent.name}/{path.name}"
        try:
            figure = load(path)
        except LimbikError as error:
            refused[name] = str(error).removeprefix(f"{path}: ")
            continue
        bones = (figure.joints, tuple(joint.offset for joint in figure.definition))
        if bones not in known:  # many clips have the same skeleton
            known.add(bones)
            rigs[name] = figure
    return rigs, refused


def in_the_papers_unit(figure: Figure) -> Figure:
    """The same figure, BODY units large: the first step of the line search depends on the unit."""
    return in_unit(Motion(figure, figure.rest[None], 1.0), figure.size / BODY).figure


def files_in(folder: Path) -> tuple[Path, ...]:
    """The files below a folder that figures can be read from, in the order of their names."""
    readable = {ending for ending, format in FORMATS.items() if format.figure is not None}
    return tuple(sorted(p for p in folder.rglob("*") if p.suffix.lower() in readable))


def effectors_of(figure: Figure) -> list[str]:
    """The ends of at most MOST limbs, those with the most coordinates above them first."""
    parents = [int(p) for p in figure.parents]
    ends = [j for j in range(len(parents)) if j not in parents]
    moving = {int(j) for j in figure.owner}

    def depth(joint: int) -> int:
        return len(moving.intersection(figure.tree.ancestors(joint)))

    return [figure.joints[j] for j in sorted(ends, key=lambda j: (-depth(j), j))[:MOST]]


def problems(
    figure: Figure, effectors: Sequence[str], count: int, seed: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    """(start (n,), targets (effectors, 3) for each problem), all of them inside the limits."""
    start, rng = figure.project(figure.rest), np.random.default_rng(seed)
    index = [figure.index(name) for name in effectors]
    scale = np.where(figure.slides, 0.2 * figure.size, 1.0)
    poses = [figure.project(start + TURN * scale * rng.normal(size=figure.n)) for _ in range(count)]
    return start, [figure.positions(pose)[index] for pose in poses]


def pose(
    figure: Figure, method: Method, start: np.ndarray, effectors: Sequence[str],
    targets: Sequence[np.ndarray],
) -> tuple[Posed, np.ndarray]:  # fmt: skip
    """(how it went, the answer to the first problem)."""
    index = [figure.index(name) for name in effectors]
    reached, rises, answers = [], 0, []
    for wanted in targets:
        path = path_of(
            figure, effectors, wanted, start, method, ITERATIONS, tolerance=1e-6 * figure.size
        )
        answers.append(path.q[-1])
        rises += int((np.diff(path.f) > 0.0).sum())
        apart = np.linalg.norm(figure.positions(path.q[-1])[index] - wanted, axis=1)
        reached.append(bool((apart <= NEAR * figure.size).all()))
    found = Posed(
        float(np.mean(reached)),
        float(np.max(figure.violation(np.array(answers)))),
        rises,
        bool(np.isfinite(answers).all()),
    )
    return found, answers[0]


def chapter(order: Order) -> Chapter:
    """Every rig is posed by the line search and by the default."""
    rigs, refused = from_files(order.rigs)
    rigs = built_in() | rigs
    methods: dict[str, Method] = {
        who.LINE_SEARCH: ProjectedGradient(),
        who.DEFAULT: ProjectedLevenbergMarquardt(),
    }
    count = 5 if order.quick else 20
    found: dict[str, dict[str, Posed]] = {}
    shown: dict[str, tuple[Figure, np.ndarray, np.ndarray, list[int]]] = {}
    still = []
    for name, own in order.steps("line_search: gallery", rigs.items()):
        effectors = effectors_of(own)
        if own.n == 0:
            still.append(name)
            continue
        figure, found[name] = in_the_papers_unit(own), {}
        for key, method in methods.items():
            start, targets = problems(figure, effectors, count, order.seed)
            found[name][key], answer = pose(figure, method, start, effectors, targets)
            if key == who.LINE_SEARCH:
                index = [figure.index(one) for one in effectors]
                shown[name] = figure, answer, targets[0], index
        start, targets = problems(own, effectors, count, order.seed)
        found[name][OWN_UNIT], _ = pose(own, methods[who.LINE_SEARCH], start, effectors, targets)
    rows = [
        [name, len(rigs[name].joints), rigs[name].n, len(effectors_of(rigs[name])),
         *(100.0 * one.reached for one in row.values()), row[who.LINE_SEARCH].sound]
        for name, row in found.items()
    ]  # fmt: skip
    text = (
        f"{len(rigs)} skeletons: the figures that limbik comes with"
        + (f" and {len(rigs) - len(built_in())} from files" if order.rigs else "")
        + f". At most {MOST} ends of limbs of each have a position goal, taken from {count} poses "
        "about the start at random, inside the limits: so every target can be reached. The line "
        f"search gets {ITERATIONS} iterations, the default too; nothing is restarted. A rig is "
        "posed where answers are finite and inside the limits, f never rises, and at least half "
        f"of the problems end with every effector within {100 * NEAR:g} % of the figure's size. "
        f"Every rig is measured in a unit that makes it {BODY:g} units large, as the paper's body "
        "is; the step that the line search tries first depends on the unit, so it was also run in "
        "the unit that each rig comes in."
    )
    if not order.rigs:
        text += (
            " Skeletons from files (BVH, ASF, glTF, VRM, URDF, MJCF) take part where the command "
            "is given a folder of them: `limbik papers line_search --rigs FOLDER`."
        )
    if still:
        text += f" Without a joint that moves, so not posed: {', '.join(still)}."
    if refused:
        text += " Not read: " + "; ".join(f"{n}: {why}" for n, why in refused.items()) + "."
    return Chapter(
        title="Any conceivable skeleton (Figure 1)",
        text=text,
        settings={
            "rigs": list(rigs),
            "iterations": ITERATIONS,
            "problems a rig": count,
            "near, of the size": NEAR,
            "seed": order.seed,
        },
        claims=claims(
            {name: row[who.LINE_SEARCH] for name, row in found.items()},
            {name: row[OWN_UNIT] for name, row in found.items()},
        ),
        tables=[
            Table(
                "Rigs",
                ["rig", "joints", "coordinates", "effectors", "line search reached (%)",
                 "default reached (%)", "line search, own unit (%)",
                 "inside limits, f never rose"],
                rows,
            )
        ],
        pictures=[_picture(shown)],
        numbers={"posed": found},
    )  # fmt: skip


def claims(found: Mapping[str, Posed], in_own_unit: Mapping[str, Posed]) -> list[Claim]:
    """Does the line search work on every rig, and does it pose them, in either unit?"""
    sound = [name for name, one in found.items() if one.sound]
    posed = [name for name in sound if found[name].reached >= 0.5]
    kept = [name for name, one in in_own_unit.items() if one.sound and one.reached >= 0.5]
    if len(posed) == len(kept) == len(found):
        verdict = Verdict.HOLDS
    else:
        verdict = Verdict.DEPENDS if posed else Verdict.FAILS
    broken = [name for name in found if name not in sound]
    short = [
        f"{name} {100 * found[name].reached:.0f} %" for name in sound if found[name].reached < 0.5
    ]
    return [
        Claim(
            where="section 5.3 and Figure 1 (6.5 in print)",
            says="The method can be used with any conceivable skeleton.",
            verdict=verdict,
            seen=f"{len(posed)} of {len(found)} rigs are posed; on all but {len(broken)} "
            f"({', '.join(broken) or 'none'}) answers are finite and inside the limits and f never "
            f"rises; fewer than half of the targets are reached on: {', '.join(short) or 'none'}. "
            f"In the unit that each comes in, {len(kept)} are posed. Holds where all are, in both.",
        )
    ]


def _picture(shown: Mapping[str, tuple[Figure, np.ndarray, np.ndarray, list[int]]]) -> Picture:
    across = min(6, len(shown))
    down = math.ceil(len(shown) / across)
    page = plots.new_page(2.1 * across, 2.4 * down + 0.2)
    for k, (name, (figure, q, targets, index)) in enumerate(shown.items()):
        axes = page.add_subplot(down, across, k + 1)
        view = _ACROSS[:, [2, 0, 1]] if figure.up == "z" else _ACROSS
        plots.draw_pose(axes, figure, q, colour=rgb(colour_of(who.LINE_SEARCH)), across=view)
        at = figure.positions(q)
        plots.mark(axes, targets @ view.T, at[index] @ view.T)
        stand(axes, [at @ view.T, targets @ view.T], margin=0.08 * figure.size)
        file = name.rpartition("/")[2]
        axes.set_title(file if len(file) < 26 else file[:24] + "…", size=8, color=plots.INK)
    page.tight_layout()
    return Picture.of(
        page,
        "A gallery",
        "The first problem of each rig as the projected line search answers it: targets red, "
        "effectors green.",
        kind="png",
    )

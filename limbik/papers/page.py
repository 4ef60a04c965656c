"""The page of a report: contents, every claim with its verdict, then chapter by chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from limbik.papers.catalogue import Reproduced, count_verdicts
from limbik.papers.contract import Chapter, Claim, Order
from limbik.papers.markup import badge, inline, listing, picture, prose, table, tally
from limbik.papers.raw import plain

TITLE = "Inverse kinematics, run again"


def page(done: Sequence[Reproduced], order: Order, machine: Mapping[str, Any], made: str) -> str:
    """One HTML file that needs nothing beside it; ``made`` is the day, for people."""
    style = files("limbik.papers").joinpath("page.css").read_text(encoding="utf-8")
    body = "\n".join(
        [
            _header(done, order, machine, made),
            "<main>",
            _contents(done),
            _overview(done),
            *(_paper(reproduced) for reproduced in done),
            "</main>",
            _footer(machine),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{TITLE}</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body id="top">\n{body}\n</body>\n</html>\n'
    )


def _header(done: Sequence[Reproduced], order: Order, machine: Mapping[str, Any], made: str) -> str:
    claims = [claim for reproduced in done for claim in reproduced.claims]
    own = [claim for reproduced in done for claim in reproduced.own_claims]
    papers = "one paper" if len(done) == 1 else f"{len(done)} papers"
    facts = {
        "Run": "quick, for a first look" if order.quick else "full",
        "Motion": order.clip_name,
        "Seed": str(order.seed),
        "Took": duration_text(sum(reproduced.seconds for reproduced in done)),
        "On": f"{machine['processor']}, {machine['cores']} cores",
        "Made": f"{made} with limbik {machine['limbik']}",
    }
    listed = "".join(
        f"<div><dt>{name}</dt><dd>{escape(fact)}</dd></div>" for name, fact in facts.items()
    )
    return (
        f"<header><h1>{TITLE}</h1>"
        f'<p class="lead">The experiments of {papers}, done again with limbik, and what they say '
        f"about {len(claims)} claims. Every verdict comes from the numbers of this run.</p>"
        f"{tally(count_verdicts(claims))}{_own_tally(own)}"
        f'<dl class="facts">{listed}</dl></header>'
    )


def _own_tally(own: list[Claim]) -> str:
    """limbik's own claims, counted apart from those of the papers."""
    if not own:
        return ""
    many = "One claim is" if len(own) == 1 else f"{len(own)} claims are"
    return (
        f'<p class="own">{many} limbik\'s own, of which the papers say nothing:</p>'
        f"{tally(count_verdicts(own))}"
    )


def _contents(done: Sequence[Reproduced]) -> str:
    items = []
    for reproduced in done:
        paper = reproduced.paper
        chapters = "".join(
            f'<li><a href="#{paper.name}-{k}">{inline(chapter.title)}</a></li>'
            for k, chapter in enumerate(reproduced.chapters, 1)
        )
        items.append(
            f'<li><a class="to-paper" href="#{paper.name}">{escape(paper.title)}</a>'
            f"{tally(reproduced.verdicts)}<ol>{chapters}</ol></li>"
        )
    listed = "".join(items)
    return f'<nav aria-labelledby="contents"><h2 id="contents">Contents</h2><ol>{listed}</ol></nav>'


def _overview(done: Sequence[Reproduced]) -> str:
    """All claims in one table, each a link to its chapter; limbik's own come last."""
    groups = [_group(one.paper.title, _rows(one, own=False)) for one in done]
    groups.append(_group("limbik's own claims", "".join(_rows(one, own=True) for one in done)))
    if not any(groups):
        return ""
    head = "".join(
        f'<th scope="col" role="columnheader">{name}</th>' for name in ("Verdict", "Claim", "Where")
    )
    return (
        '<section class="overview" aria-labelledby="claims"><h2 id="claims">All claims</h2>'
        '<table class="claims" role="table" aria-labelledby="claims"><thead role="rowgroup">'
        f'<tr role="row">{head}</tr></thead>'
        f"{''.join(groups)}</table></section>"
    )


def _rows(reproduced: Reproduced, *, own: bool) -> str:
    """The claims of one paper, or limbik's own in its chapters, a row each."""
    name = reproduced.paper.name
    return "".join(
        f'<tr role="row"><td role="cell">{badge(claim.verdict)}</td>'
        f'<td class="says" role="cell"><a href="#{name}-{k}-claim-{j}">'
        f"{inline(claim.says)}</a></td>"
        f'<td class="place" role="cell">{inline(claim.where)}</td></tr>\n'
        for k, chapter in enumerate(reproduced.chapters, 1)
        for j, claim in enumerate(chapter.claims, 1)
        if claim.own is own
    )


def _group(title: str, rows: str) -> str:
    """Rows of the overview under a title; nothing where there are none."""
    if not rows:
        return ""
    return (
        f'<tbody role="rowgroup"><tr role="row"><th class="group" scope="rowgroup" '
        f'role="rowheader" colspan="3">{escape(title)}</th></tr>\n{rows}</tbody>'
    )


def _paper(reproduced: Reproduced) -> str:
    paper = reproduced.paper
    chapters = "\n".join(
        _chapter(f"{paper.name}-{k}", chapter) for k, chapter in enumerate(reproduced.chapters, 1)
    )
    return (
        f'<section class="paper" aria-labelledby="{paper.name}">'
        f'<h2 id="{paper.name}">{escape(paper.title)}</h2>'
        f'<p class="source">{escape(paper.source)} '
        f'<span class="short">{paper.name}</span></p>{tally(reproduced.verdicts)}\n{chapters}'
        '<p class="back"><a href="#top">Back to the top</a></p></section>'
    )


def _chapter(anchor: str, chapter: Chapter) -> str:
    parts = [
        f'<article aria-labelledby="{anchor}"><h3 id="{anchor}">{inline(chapter.title)}</h3>',
        prose(chapter.text),
        _claims(anchor, chapter.claims),
        *(picture(drawn) for drawn in chapter.pictures),
        *(table(shown) for shown in chapter.tables),
        _exactly(chapter),
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def _claims(anchor: str, claims: Sequence[Claim]) -> str:
    """Each claim, its verdict, and the numbers it rests on; the paper's first, then limbik's."""
    numbered = list(enumerate(claims, 1))
    theirs = [(j, claim) for j, claim in numbered if not claim.own]
    ours = [(j, claim) for j, claim in numbered if claim.own]
    return _claim_table(anchor, "Claim", theirs) + _claim_table(anchor, "limbik's own claim", ours)


def _claim_table(anchor: str, name: str, claims: Sequence[tuple[int, Claim]]) -> str:
    """A table of some of a chapter's claims, each with its number there."""
    if not claims:
        return ""
    rows = "".join(
        f'<tr role="row" id="{anchor}-claim-{j}"><td class="says" role="cell">{inline(claim.says)}'
        f'<span class="where">{inline(claim.where)}</span></td>'
        f'<td role="cell">{badge(claim.verdict)}</td>'
        f'<td class="seen" role="cell">{inline(claim.seen)}</td></tr>\n'
        for j, claim in claims
    )
    head = "".join(
        f'<th scope="col" role="columnheader">{name}</th>'
        for name in (name, "Verdict", "What this run saw")
    )
    return (
        f'<div class="wide"><table class="claims" role="table" aria-labelledby="{anchor}">'
        '<thead role="rowgroup">'
        f'<tr role="row">{head}</tr></thead><tbody role="rowgroup">{rows}</tbody></table></div>'
    )


def _exactly(chapter: Chapter) -> str:
    """The settings and times, folded away."""
    settings = listing("Settings", plain(chapter.settings, f"{chapter.title}: settings"))
    timings = listing("Times", plain(chapter.timings, f"{chapter.title}: timings"))
    if not settings + timings:
        return ""
    return f"<details><summary>Exact settings and times</summary>{settings}{timings}</details>"


def _footer(machine: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {machine[name]}" for name in ("Python", "NumPy", "Numba"))
    return (
        '<footer>The raw numbers are in <a href="numbers.json">numbers.json</a>, the times in '
        f'<a href="timings.json">timings.json</a>. Made on {escape(str(machine["system"]))} with '
        f"{escape(versions)}.</footer>"
    )


def duration_text(seconds: float) -> str:
    """ "48 s", "3 min 20 s"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"

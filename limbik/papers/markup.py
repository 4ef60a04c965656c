"""Pieces of a web page: text, tables, pictures and settings as HTML, each complete in itself."""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from limbik.papers.cells import columns_of, typeset
from limbik.papers.contract import Picture, Table, Verdict

SIGNS = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.DEPENDS: "depends"}
"""The style of a verdict's badge."""

_CSS_PIXELS = {"pt": 96 / 72, "in": 96.0, "px": 1.0, "": 1.0}
_MANY = 6  # columns, above which a table is set closer
_SHORT = 40  # characters of a row's name
_PNG_DPI = 130.0  # at which Picture.of draws


def badge(verdict: Verdict, count: int | None = None) -> str:
    """A verdict as a word with a sign, with how many there are where that is given."""
    words = verdict.value if count is None else f"{count} {_of_many(verdict, count)}"
    return f'<span class="verdict {SIGNS[verdict]}">{words}</span>'


def _of_many(verdict: Verdict, count: int) -> str:
    """ "2 hold", "1 holds"."""
    if count == 1:
        return verdict.value
    return {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.DEPENDS: "depend"}[verdict]


def tally(verdicts: Mapping[Verdict, int]) -> str:
    """The verdicts that occur, counted."""
    items = "".join(f"<li>{badge(v, count)}</li>" for v, count in verdicts.items() if count)
    return f'<ul class="tally">{items}</ul>' if items else ""


def prose(text: str) -> str:
    """Paragraphs parted by empty lines; lines that begin with "- " are a list, `so` is code."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.lstrip().startswith("- "):
            items = re.split(r"(?m)^\s*- ", block)[1:]
            out.append("<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>")
        elif block.strip():
            out.append(f"<p>{inline(block)}</p>")
    return f'<div class="prose">{"".join(out)}</div>' if out else ""


def inline(text: str) -> str:
    """A run of text with `code` in it, which alone stays as it was written."""
    parts = escape(" ".join(text.split()), quote=False).split("`")
    if len(parts) % 2 == 0:  # one without its other: not a mark but a character
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(
        f"<code>{part}</code>" if k % 2 else typeset(part) for k, part in enumerate(parts)
    )


def table(content: Table) -> str:
    """A table that scrolls by itself where it is wider than the page."""
    rows, numeric = columns_of(content)
    kinds = [' class="number"' if yes else "" for yes in numeric]
    head = "".join(
        f'<th scope="col"{kind}>{inline(name)}</th>'
        for name, kind in zip(content.columns, kinds, strict=True)
    )
    body = "".join(f"<tr>{_row(row, kinds)}</tr>\n" for row in rows)
    dense = ' class="dense"' if len(kinds) > _MANY else ""
    note = f'<p class="note">{inline(content.note)}</p>' if content.note else ""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(content.title)}">'
        f"<table{dense}><caption>{inline(content.title)}</caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table>{note}</div>"
    )


def _row(row: Sequence[str], kinds: Sequence[str]) -> str:
    """The first cell names the row; a short name is not broken into lines."""
    cells = [
        f"<td{kind}>{inline(text)}</td>" for text, kind in zip(row[1:], kinds[1:], strict=True)
    ]
    kind = kinds[0] or (' class="name"' if len(row[0]) <= _SHORT else "")
    return f'<th scope="row"{kind}>{inline(row[0])}</th>' + "".join(cells)


def picture(content: Picture) -> str:
    """A picture in the page itself; as an image of its own its ids cannot meet another's."""
    kind = {"svg": "svg+xml"}.get(content.kind, content.kind)
    data = base64.b64encode(content.data).decode("ascii")
    width, height = size_of(content)
    size = f' width="{width:.0f}" height="{height:.0f}"' if width else ""
    title = content.title if content.title[-1:] in ".?!" else f"{content.title}."
    return (
        f'<figure><div class="card"><img alt="{escape(content.title)}"{size} '
        f'src="data:image/{kind};base64,{data}"></div>'
        f"<figcaption><strong>{inline(title)}</strong> {inline(content.caption)}"
        "</figcaption></figure>"
    )


def size_of(content: Picture) -> tuple[float, float]:
    """Width and height in CSS pixels, so that letters are as large in SVG as in PNG; or zeros."""
    if content.kind == "png" and content.data[:8] == b"\x89PNG\r\n\x1a\n":
        width, height = struct.unpack(">II", content.data[16:24])
        return width * 96 / _PNG_DPI, height * 96 / _PNG_DPI
    opening = re.search(rb"<svg[^>]*>", content.data)
    tag = opening[0].decode("utf-8", "replace") if opening else ""
    sizes = [re.search(rf'\s{side}="([\d.]+)(pt|in|px|)"', tag) for side in ("width", "height")]
    width, height = (float(m[1]) * _CSS_PIXELS[m[2]] if m else 0.0 for m in sizes)
    return (width, height) if width and height else (0.0, 0.0)


def listing(title: str, content: Mapping[str, Any]) -> str:
    """Names and exact values (as raw.plain gives them) as a table of two columns."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>\n'
        for name, value in _flat(content, "")
    )
    if not rows:
        return ""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(title)}">'
        f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table></div>"
    )


def _flat(content: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{before}{name} · ")
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield before + name, text

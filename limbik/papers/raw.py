"""Raw numbers as JSON: what two runs share in one file, what they do not in another.

JSON has no NaN and no infinity, and strict readers refuse them: they stand as the text "NaN",
"Infinity" and "-Infinity", which JavaScript's Number() and Python's float() read back.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from limbik.papers.catalogue import Reproduced
from limbik.papers.contract import Chapter, Claim, Order
from limbik.version import __version__

NOT_FINITE = 'numbers that are not finite stand as text: "NaN", "Infinity", "-Infinity"'


def numbers_of(done: Sequence[Reproduced], order: Order) -> dict[str, Any]:
    """What two runs of the same order share: settings, claims and raw numbers of every chapter.

    "claims" are the paper's; limbik's own stand apart, under "own claims".
    """
    papers = {}
    for reproduced in done:
        chapters = [
            {
                "title": chapter.title,
                "settings": plain(chapter.settings, f"{chapter.title}: settings"),
                **_claims(chapter, timed=False),
                "numbers": plain(chapter.numbers, f"{chapter.title}: numbers"),
            }
            for chapter in reproduced.chapters
        ]
        papers[reproduced.paper.name] = {"title": reproduced.paper.title, "chapters": chapters}
    return {
        "limbik": __version__,
        "order": {
            "quick": order.quick,
            "seed": order.seed,
            "clip": order.clip_name,
            "rigs": [path.name for path in order.rigs],
        },
        "note": NOT_FINITE,
        "papers": papers,
    }


def timings_of(done: Sequence[Reproduced], machine: Mapping[str, Any], made: str) -> dict[str, Any]:
    """What differs from run to run: times, the claims that rest on them, and the machine."""
    papers = {}
    for reproduced in done:
        chapters = [
            {
                "title": chapter.title,
                **_claims(chapter, timed=True),
                "timings": plain(chapter.timings, f"{chapter.title}: timings"),
            }
            for chapter in reproduced.chapters
        ]
        papers[reproduced.paper.name] = {"seconds": reproduced.seconds, "chapters": chapters}
    return {"made": made, "machine": dict(machine), "note": NOT_FINITE, "papers": papers}


def _claims(chapter: Chapter, *, timed: bool) -> dict[str, list[dict[str, str]]]:
    """The paper's claims of a chapter and limbik's own, those that rest on times or the others."""
    chosen = [claim for claim in chapter.claims if claim.timed is timed]
    return {
        "claims": [_claim(claim) for claim in chosen if not claim.own],
        "own claims": [_claim(claim) for claim in chosen if claim.own],
    }


def _claim(claim: Claim) -> dict[str, str]:
    return {
        "where": claim.where,
        "says": claim.says,
        "verdict": str(claim.verdict),
        "seen": claim.seen,
    }


def plain(value: Any, where: str) -> Any:
    """The value in what JSON knows; arrays become lists, dataclasses objects.

    Anything else is refused with ``where`` it stands: its text might differ from run to run.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Enum):
        return plain(value.value, where)
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, np.ndarray | np.generic):
        # A number of NumPy, or an array; complex numbers and objects fall through to the refusal.
        if value.dtype.kind in "biufU":
            return plain(value.tolist(), where)
    elif isinstance(value, PurePath):
        return value.as_posix()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {"kind": type(value).__name__, **plain(fields, where)}
    elif isinstance(value, Mapping):
        return {str(key): plain(item, f"{where}, {key}") for key, item in value.items()}
    elif isinstance(value, list | tuple | range):
        return [plain(item, where) for item in value]
    raise TypeError(f"{where}: {type(value).__name__} is not for a file of numbers")


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def json_text(value: Any, margin: str = "") -> str:
    """JSON with an object per block and a list of numbers per line, so that files compare well."""
    inner = margin + " "
    if isinstance(value, dict) and value:
        items = (
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {json_text(item, inner)}"
            for key, item in value.items()
        )
        return "{\n" + ",\n".join(items) + f"\n{margin}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[\n" + ",\n".join(inner + json_text(item, inner) for item in value) + f"\n{margin}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

"""A job: what to do with each clip, checked, with a digest that changes where the outputs do."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from limbik.errors import did_you_mean
from limbik.formats import FORMATS, written_endings
from limbik.jobs.section import NamedFigure, Origin, Section
from limbik.jobs.steps import STEPS, Step

REPORTS = ("csv", "json", "png")
_NO_CLIPS = (".xml", ".mjcf", ".vrm")  # files of these formats are figures first
_NEED_A_FIGURE = (".csv", ".npz")
_MEMORY = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True)
class Job:
    """What to do with each clip; ``read_job`` makes one and checks it."""

    steps: tuple[Step, ...]
    formats: tuple[str, ...]
    """Endings of the outputs, with their dot."""
    clips: tuple[str, ...] = ()
    """Patterns of the clips' paths; empty for every file that may hold a motion."""
    skip: tuple[str, ...] = ()
    figure: NamedFigure | None = None
    """Of clips that come without one."""
    clip: str | None = None
    """Which clip of files that hold several."""
    stretch: bool = False
    precision: int = 6
    keep_ending: bool = False
    """Whether outputs keep the ending of their source in the name."""
    reports: tuple[str, ...] = ()
    time_limit: float | None = None
    """Seconds per clip."""
    memory_limit: int | None = None
    """Bytes per worker."""

    @property
    def digest(self) -> str:
        """What a clip's outputs depend on besides the clip: not on limits of time or memory."""
        key = {
            "steps": [step.key() for step in self.steps],
            "formats": self.formats,
            "figure": None if self.figure is None else self.figure.digest,
            "clip": self.clip,
            "stretch": self.stretch,
            "precision": self.precision,
            "keep_ending": self.keep_ending,
        }
        return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:32]

    def endings(self) -> tuple[str, ...]:
        """Endings of files that are clips where no patterns are given."""
        left = _NO_CLIPS if self.figure is not None else (*_NO_CLIPS, *_NEED_A_FIGURE)
        return tuple(e for e, form in FORMATS.items() if form.motion and e not in left)

    def stem(self, source: str) -> str:
        """The path of a clip's outputs below OUT, without their endings."""
        folder, slash, name = source.rpartition("/")
        return f"{folder}{slash}{name if self.keep_ending else name.rpartition('.')[0] or name}"


def job_of(values: Mapping[str, Any], origin: Origin) -> Job:
    """The job that the tables of a TOML file, or a mapping of the same shape, describe."""
    top = Section(values, origin)
    limits, outputs = top.table("limits"), top.table("outputs")
    reports = top.texts("reports")
    for name in reports:
        if name not in REPORTS:
            hint = did_you_mean(name, REPORTS)
            top.fail("reports", f'"{name}" is none of {", ".join(REPORTS)}{hint}')
    if "png" in reports and find_spec("matplotlib") is None:
        top.fail("reports", 'a png needs matplotlib: pip install "limbik[plots]"')
    job = Job(
        clips=top.texts("clips"),
        skip=top.texts("skip"),
        figure=top.figure("figure"),
        clip=top.text("clip") or None,
        stretch=top.flag("stretch"),
        steps=tuple(_step(section) for section in top.tables("steps")),
        formats=_formats(outputs),
        precision=_precision(outputs),
        keep_ending=outputs.flag("keep_ending"),
        reports=reports,
        time_limit=limits.number("time", above=0),
        memory_limit=_memory(limits),
    )
    for section in (limits, outputs, top):
        section.end()
    if not job.steps and not job.formats:
        top.fail("", "does nothing: give it [[steps]], or formats under [outputs]")
    return job


def _step(section: Section) -> Step:
    kind = section.text("do")
    if not kind:
        section.fail("", f"a step needs do = one of {', '.join(STEPS)}")
    if kind not in STEPS:
        hint = did_you_mean(kind, STEPS)
        section.fail("do", f'there is no step "{kind}" (it has {", ".join(STEPS)}){hint}')
    step = STEPS[kind].read(section)
    section.end()
    return step


def _formats(outputs: Section) -> tuple[str, ...]:
    found = []
    for name in outputs.texts("formats"):
        ending = f".{name.lower().removeprefix('.')}"
        if ending not in written_endings():
            known = [e.removeprefix(".") for e in written_endings()]
            hint = did_you_mean(name, known)
            outputs.fail("formats", f'limbik does not write "{name}" ({", ".join(known)}){hint}')
        found.append(ending)
    if ".asf" in found and ".amc" in found:
        outputs.fail("formats", "amc writes its asf itself: leave asf out")
    return tuple(found)


def _precision(outputs: Section) -> int:
    found = outputs.whole_number("precision")
    return 6 if found is None else found


def _memory(limits: Section) -> int | None:
    """ "4 GB" or a number of bytes."""
    value = limits.take("memory")
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return limits.whole_number("memory", least=1)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B)\s*", limits.text("memory"), re.I)
    if match is None or not float(match[1]):
        limits.fail("memory", f'needs a size such as "4 GB", got "{value}"')
    return int(float(match[1]) * _MEMORY[match[2].upper()])

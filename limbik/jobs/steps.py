"""What is done with each clip: a table of kinds of steps, each a small class with ``run``.

A kind is a frozen dataclass: ``read`` takes its settings from a job's table, ``prepare`` compiles
what it needs once per worker, ``run`` takes a clip one step on.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from limbik.animate.limit_choice import limited, margin
from limbik.animate.retargeting.retarget import retarget
from limbik.animate.track import track
from limbik.errors import LimbikError, MethodError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figures import cartwheel, chain, human
from limbik.jobs.measures import MEASURES, quality_of
from limbik.jobs.section import NamedFigure, Section
from limbik.methods import METHODS
from limbik.solver.runner import find_method

UNITS = ("m", "cm", "mm", "in", "ft")
_LIMITS = ("none", "file", "anatomical")


class StepRefusedError(LimbikError):
    """A clip that a step checked and did not let through."""


@dataclass
class Work:
    """A clip on its way through the steps, and what was measured of it."""

    motion: Motion
    quality: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Step(ABC):
    """One step of a job."""

    kind: ClassVar[str]

    @classmethod
    @abstractmethod
    def read(cls, section: Section) -> Step:
        """The step with the settings of a job's table; what is not known there is refused."""

    def prepare(self) -> None:  # noqa: B027  (most steps have nothing to compile)
        """Compile what ``run`` needs, so that no clip waits for it."""

    @abstractmethod
    def run(self, work: Work) -> None:
        """Take the clip one step on."""

    def key(self) -> dict[str, Any]:
        """The settings as plain values; two steps with the same key make the same of a clip."""
        found: dict[str, Any] = {"do": self.kind}
        for setting in dataclasses.fields(self):
            value = getattr(self, setting.name)
            if isinstance(value, NamedFigure):
                value = value.digest
            found[setting.name] = dict(value) if isinstance(value, Mapping) else value
        return found


@dataclass(frozen=True)
class Track(Step):
    """Follow the positions of a clip's joints, with its own figure or another."""

    kind: ClassVar[str] = "track"
    effectors: tuple[tuple[str, str], ...]
    """Joints that follow, each with the joint of the clip that it follows."""
    onto: NamedFigure | None = None
    limits: str | None = None
    every: float | None = None
    method: str | None = None
    tolerance: float | None = None
    restarts: int | None = None
    seed: int = 0

    @classmethod
    def read(cls, section: Section) -> Track:
        step = cls(
            effectors=_effectors(section),
            onto=section.figure("onto"),
            limits=_limits(section),
            every=section.number("every", above=0),
            method=section.choice("method", list(METHODS)) or None,
            tolerance=section.number("tolerance", above=0),
            restarts=section.whole_number("restarts"),
            seed=section.whole_number("seed") or 0,
        )
        if step.onto is not None:
            for name, _ in step.effectors:
                try:
                    step.onto.figure.index(name)
                except LimbikError as error:
                    section.fail("effectors", str(error))
        try:
            find_method(step.method)
        except MethodError as error:
            section.fail("method", str(error))
        return step

    def prepare(self) -> None:
        small = _small()
        tip = small.figure.index("Tip")
        track(small.figure, ["Tip"], small.positions()[:, [tip]], method=self.method)

    def run(self, work: Work) -> None:
        clip = work.motion
        followed = [clip.figure.index(name) for _, name in self.effectors]
        if self.onto is None:
            own = clip.figure
            figure, motion, _ = limited(own, clip, self.limits)
            assert motion is not None
        else:
            own = self.onto.figure
            figure, motion = _limited(self.onto, self.limits), None
        source = _in_units_of(clip, figure)
        if self.every is not None:
            source = source.sample(self.every)
            motion = None if motion is None else motion.sample(self.every)
        found = track(
            figure,
            [name for name, _ in self.effectors],
            source.positions()[:, followed],
            start=None if motion is None else motion.q[0],
            fps=source.fps,
            method=self.method,
            tolerance=self.tolerance,
            restarts=self.restarts,
            seed=self.seed,
            reference=None if motion is None else motion.q,
        )
        work.motion = Motion(own, found.motion.onto(own).q, source.fps, clip.name)
        work.quality |= {
            "error_max": float(found.error.max()),
            "error_mean": float(found.errors.mean()),
            "unreached": int((found.status != "REACHED").sum()),
            "jumps": len(found.jumps),
        }


@dataclass(frozen=True)
class Convert(Step):
    """Another unit, another axis up, another frame rate; the outputs say which formats."""

    kind: ClassVar[str] = "convert"
    unit: str = ""
    up: str = ""
    from_unit: str | float = ""
    from_up: str = ""
    fps: float | None = None

    @classmethod
    def read(cls, section: Section) -> Convert:
        stated: str | float = ""
        if "from_unit" in section and isinstance(section.take("from_unit"), str):
            stated = section.choice("from_unit", UNITS)
        elif "from_unit" in section:
            stated = section.number("from_unit", above=0) or ""
        return cls(
            unit=section.choice("unit", UNITS),
            up=section.choice("up", ("y", "z")),
            from_unit=stated,
            from_up=section.choice("from_up", ("y", "z")),
            fps=section.number("fps", above=0),
        )

    def prepare(self) -> None:
        _small().resample(60.0)

    def run(self, work: Work) -> None:
        if self.unit or self.up or self.from_unit or self.from_up:
            work.motion = work.motion.in_units(
                self.unit, up=self.up, from_unit=self.from_unit, from_up=self.from_up
            )
        if self.fps is not None:
            work.motion = work.motion.resample(self.fps)


@dataclass(frozen=True)
class Check(Step):
    """Measure the clip; with ``at_most``, refuse one that is worse than allowed."""

    kind: ClassVar[str] = "check"
    at_most: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, section: Section) -> Check:
        table = section.table("at_most")
        found = {}
        for name in table.names():
            if name in MEASURES:
                found[name] = table.number(name, least=0) or 0.0
        for name in MEASURES:
            table.take(name)
        table.end()
        return cls(at_most=found)

    def prepare(self) -> None:
        quality_of(_small())

    def run(self, work: Work) -> None:
        work.quality |= quality_of(work.motion, skip=work.quality)
        for name, most in self.at_most.items():
            if work.quality.get(name, 0.0) > most:
                raise StepRefusedError(
                    f"check: {name} is {work.quality[name]:.6g}{MEASURES[name].unit}, "
                    f"at most {most:g} is allowed"
                )


@dataclass(frozen=True)
class Retarget(Step):
    """The whole clip onto another body or robot."""

    kind: ClassVar[str] = "retarget"
    onto: NamedFigure
    scale: str = "limbs"
    smooth: float | None = None

    @classmethod
    def read(cls, section: Section) -> Retarget:
        onto = section.figure("onto")
        if onto is None:
            section.fail("", 'a retarget step needs onto = a figure, such as onto = "g1.urdf"')
        scale = section.choice("scale", ("limbs", "fitted", "common"), "limbs")
        return cls(onto, scale, section.number("smooth", least=0))

    def prepare(self) -> None:
        retarget(cartwheel()[:8], human())

    def run(self, work: Work) -> None:
        found = retarget(work.motion, self.onto.figure, scale=self.scale, smooth=self.smooth)
        work.motion = found.motion
        work.quality |= {
            "error_max": float(found.errors.max(initial=0.0)),
            "error_mean": float(found.errors.mean()) if found.errors.size else 0.0,
        }


@dataclass(frozen=True)
class Clean(Step):
    """Without jitter, and with feet that stay where they stand."""

    kind: ClassVar[str] = "clean"
    smooth: float | None = None
    plant_feet: bool = False

    @classmethod
    def read(cls, section: Section) -> Clean:
        step = cls(section.number("smooth", above=0), section.flag("plant_feet"))
        if step == cls():
            section.fail("", "a clean step needs smooth = seconds, plant_feet = true, or both")
        return step

    def prepare(self) -> None:
        self.run(Work(cartwheel()[:60]))  # so long that feet stand in it

    def run(self, work: Work) -> None:
        if self.smooth is not None:
            work.motion = work.motion.smooth(self.smooth)
        if self.plant_feet:
            work.motion = work.motion.plant_feet()


STEPS: Mapping[str, type[Step]] = MappingProxyType(
    {step.kind: step for step in (Track, Retarget, Clean, Convert, Check)}
)
"""By name.  A new kind is a class above and a name here."""


def _small() -> Motion:
    """A motion to compile with: kernels do not depend on the figure."""
    return Motion(chain(), [[0.1 * t, 0.0, 0.0] for t in range(4)], 30.0)


def _effectors(section: Section) -> tuple[tuple[str, str], ...]:
    """A list of joints, or a table of joints with the clip's names for them."""
    if "effectors" not in section:
        section.fail("", 'a track step needs effectors, such as effectors = ["LeftHand", "Head"]')
    if isinstance(section.take("effectors"), Mapping):
        table = section.table("effectors")
        found = tuple((name, table.text(name)) for name in table.names())
    else:
        found = tuple((name, name) for name in section.texts("effectors"))
    if not found or not all(name and other for name, other in found):
        section.fail("effectors", "needs at least one joint")
    return found


def _limits(section: Section) -> str | None:
    text = section.text("limits").strip()
    if text and text not in _LIMITS:
        try:
            margin(text)
        except LimbikError as error:
            section.fail("limits", str(error).removeprefix("limits "))
        if "onto" in section:
            section.fail("limits", f'"{text}" takes limits from a clip, and onto has none')
    return text or None


@lru_cache(maxsize=8)
def _limited(onto: NamedFigure, limits: str | None) -> Figure:
    """The figure of a step with its limits, made once per worker."""
    return limited(onto.figure, None, limits).figure


def _in_units_of(clip: Motion, figure: Figure) -> Motion:
    """The clip in the unit and with the axis up of a figure, where both say theirs."""
    here = clip.figure
    unit = figure.unit if here.unit and figure.unit != here.unit else ""
    up = figure.up if here.up and figure.up != here.up else ""
    return clip.in_units(unit, up=up) if unit or up else clip

"""check: what is wrong with a motion, in numbers: sliding contacts, points below the ground, jumps,
jerk, and joints beyond their limits or too fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.animate.contacts import Contact, find_contacts, find_ground, metre, speeds
from limbik.animate.track import jumps
from limbik.errors import FigureError, GoalError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figure.units import METRES
from limbik.humanoid.ground import AXES, up_axis
from limbik.humanoid.recognise import recognise
from limbik.maths.so3 import log_map, matrix_to_quat

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

SLIDES = 10.0
"""mm/s along the ground above which a contact slides."""

_DIRECTIONS = 64  # in which the width of a contact's path is measured
_FRAMES = 500  # that are taken at a time; it bounds the memory


@dataclass(frozen=True)
class ContactReport:
    """How far a contact slides along the ground, in mm."""

    joint: str
    start: int
    end: int
    slide_mm: float
    """The largest distance between two of its places, seen from above."""
    source_joint: str = ""
    source_slide_mm: float | None = None
    """The same of the source, where one was given."""


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The answer of ``check``; ``ok`` is true where limits and speeds hold and nothing jumps."""

    frames: int
    fps: float
    contacts: tuple[ContactReport, ...]
    ground: float
    """The height of the ground, in the figure's unit."""
    penetration_mm: float
    """How far the lowest joint or tip is below the ground, at most."""
    sliding: float
    """The share of all frames in contact that move faster than 1 cm/s along the ground."""
    jumps: tuple[int, ...]
    """Frames in which a joint turns more than 60° from the one before, and none of the source
    does at that time."""
    jerk: float
    """rad/s³ that 95 % of the joints' jerks are below."""
    source_jerk: float | None
    speed: float
    """The fastest turn of a joint against its parent, rad/s."""
    too_fast: tuple[str, ...]
    """Coordinates that are faster than their speed limits somewhere."""
    limit_violation: float
    """How far the worst coordinate is outside its limits, in radians or the figure's unit."""
    frames_outside: int
    """Frames with a coordinate outside its limits by more than rounding."""
    unit_known: bool
    """False where the figure has no unit; mm are then those of a body with legs of 0.82 m."""
    heights: np.ndarray = field(compare=False)
    """(frames,) of the lowest point above the ground, mm."""
    speeds: np.ndarray = field(compare=False)
    """(frames − 1,) of the fastest joint, rad/s."""
    jerks: np.ndarray = field(compare=False)
    """(frames − 3,) of the joint with the largest, rad/s³."""

    @property
    def slide_mm(self) -> np.ndarray:
        """(contacts,) how far each slides."""
        return np.array([contact.slide_mm for contact in self.contacts])

    @property
    def ok(self) -> bool:
        """Whether no limit and no speed limit is broken, and nothing jumps."""
        return not (self.frames_outside or self.too_fast or self.jumps)

    def as_dict(self) -> dict[str, Any]:
        """All numbers but those per frame, for JSON."""
        out = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in ("heights", "speeds", "jerks"):
            del out[name]
        out["contacts"] = [asdict(contact) for contact in self.contacts]
        slide = self.slide_mm
        out["slide_mm_median"] = float(np.median(slide)) if len(slide) else None
        out["slide_mm_max"] = float(slide.max()) if len(slide) else None
        return {**out, "jumps": list(self.jumps), "too_fast": list(self.too_fast), "ok": self.ok}

    def plot(self) -> Page:
        """A matplotlib page: contacts, heights, speeds and jerks over time."""
        from limbik.animate.check_picture import picture

        return picture(self)

    def __repr__(self) -> str:
        slide = self.slide_mm
        slides = f"slide {np.median(slide):.3g} / {slide.max():.3g} mm, " if len(slide) else ""
        return (
            f"<Report {'ok' if self.ok else 'not ok'}: {len(self.contacts)} contacts, {slides}"
            f"penetration {self.penetration_mm:.3g} mm, {len(self.jumps)} jumps, "
            f"jerk {self.jerk:.4g} rad/s³, speed {self.speed:.3g} rad/s>"
        )


def check(
    motion: Motion,
    *,
    source: Motion | None = None,
    ground: float | None = None,
    contacts: tuple[Contact, ...] | None = None,
    speed_limits: float | Mapping[str, float] | np.ndarray | None = None,
) -> Report:
    """Measure what is wrong with a motion.

    Args:
        motion: the motion to measure.
        source: the motion that it was made from, in which contacts are then found; bones are
            matched by what they are in a body, frames by their time.
        ground: the height of the ground, found unless given.
        contacts: contacts of the motion, where they are known.
        speed_limits: rad/s and lengths per second: one number, (n,) numbers, or by coordinate;
            those of the figure's file unless given.

    Returns:
        Slides, depth in the ground, jumps, jerk, speeds and limits; lengths are in mm.

    Raises:
        FigureError: ``motion`` or ``source`` is no Motion.

    Example:
        >>> report = limbik.check(limbik.figures.cartwheel())
        >>> report.ok, len(report.contacts) > 3, report.jumps
        (True, True, ())
    """
    for what, given in (("a motion", motion), ("source", source)):
        if not isinstance(given, Motion) and not (given is None and what == "source"):
            raise FigureError(f"check: {what} must be a Motion, got {type(given).__name__}")
    figure = motion.figure
    axis = AXES.index(up_axis(figure, motion.q))
    level = find_ground(motion) if ground is None else float(ground)
    scale = millimetres(figure)
    pairs = _contacts(motion, source, contacts, level if ground is not None else None)
    reports, moving = [], []
    for own, theirs in pairs:
        path = np.delete(_path(motion, own), axis, axis=1) * scale
        moving.append(speeds(path, motion.fps) > SLIDES)
        of_source: dict[str, Any] = {}
        if source is not None and theirs is not None:
            other = AXES.index(up_axis(source.figure, source.q))
            there = np.delete(_path(source, theirs), other, axis=1)
            of_source["source_slide_mm"] = width(there) * millimetres(source.figure)
            of_source["source_joint"] = theirs.joint
        reports.append(ContactReport(own.joint, own.start, own.end, width(path), **of_source))
    heights = (_lowest(motion, axis) - level) * scale
    turning = turn_rates(motion)
    jerks = np.linalg.norm(np.diff(turning, n=2, axis=0), axis=-1) * motion.fps**2
    rates = np.linalg.norm(turning, axis=-1)
    outside = np.asarray(figure.violation(motion.q))
    return Report(
        frames=motion.frames,
        fps=motion.fps,
        contacts=tuple(reports),
        ground=level,
        penetration_mm=max(0.0, -float(heights.min())),
        sliding=float(np.concatenate(moving).mean()) if moving else 0.0,
        jumps=_jumps(motion, source),
        jerk=_most(jerks),
        source_jerk=None if source is None else jerk(source),
        speed=float(rates.max(initial=0.0)),
        too_fast=_too_fast(motion, speed_limits),
        limit_violation=float(outside.max()),
        frames_outside=int((outside > 1e-9).sum()),
        unit_known=figure.unit in METRES,
        heights=heights,
        speeds=rates.max(axis=1, initial=0.0),
        jerks=jerks.max(axis=1, initial=0.0),
    )


def millimetres(figure: Figure) -> float:
    """How many mm the figure's unit has; where it says none, those of a body of usual size."""
    return 1e3 * METRES[figure.unit] if figure.unit in METRES else 1e3 / metre(figure)


def width(path: np.ndarray) -> float:
    """The largest distance between two points of a path (frames, 2), to a part in a thousand."""
    angles = np.arange(_DIRECTIONS) * math.pi / _DIRECTIONS
    along = path @ np.array([np.cos(angles), np.sin(angles)])
    return float(np.ptp(along, axis=0).max())


def jerk(motion: Motion) -> float:
    """rad/s³ that 95 % of the jerks of the joints' turns are below."""
    change = np.diff(turn_rates(motion), n=2, axis=0) * motion.fps**2
    return _most(np.linalg.norm(change, axis=-1))


def _most(jerks: np.ndarray) -> float:
    return float(np.percentile(jerks, 95.0)) if jerks.size else 0.0


def turn_rates(motion: Motion) -> np.ndarray:
    """(frames − 1, joints, 3) rad/s of the joints that turn, against their parents and in their own
    frames; a root that is free is left out."""
    figure = motion.figure
    turning = [
        k
        for k in range(len(figure.joints))
        if (~figure.slides[figure.coordinates_of(figure.joints[k])]).any()
        and not figure.slides[figure.coordinates_of(figure.joints[k])].any()
    ]
    above = figure.parents[turning]
    out = np.zeros((max(motion.frames - 1, 0), len(turning), 3))
    for start in range(0, len(out), _FRAMES):
        world = figure.frames(motion.q[start : start + _FRAMES + 1])[..., :3, :3]
        on = np.where((above < 0)[:, None, None], np.eye(3), world[:, above])
        local = np.swapaxes(on, -1, -2) @ world[:, turning]
        change = np.swapaxes(local[:-1], -1, -2) @ local[1:]
        out[start : start + _FRAMES] = log_map(matrix_to_quat(change)) * motion.fps
    return out


def _lowest(motion: Motion, axis: int) -> np.ndarray:
    """(frames,) the height of the lowest joint or tip."""
    figure, out = motion.figure, np.empty(motion.frames)
    tips = [(k, np.array(j.tip)) for k, j in enumerate(figure.definition) if j.tip is not None]
    for start in range(0, motion.frames, _FRAMES):
        part = slice(start, start + _FRAMES)
        world = figure.frames(motion.q[part])
        out[part] = world[:, :, axis, 3].min(axis=1)
        for k, tip in tips:
            height = world[:, k, axis, :3] @ tip + world[:, k, axis, 3]
            out[part] = np.minimum(out[part], height)
    return out


def _path(motion: Motion, contact: Contact) -> np.ndarray:
    return motion.figure.positions(motion.q[contact.start : contact.end], contact.joint)


def _contacts(
    motion: Motion,
    source: Motion | None,
    given: tuple[Contact, ...] | None,
    ground: float | None,
) -> list[tuple[Contact, Contact | None]]:
    """The contacts of the motion, each with that of the source it comes from."""
    if given is not None:
        return [(contact, None) for contact in given]
    if source is None:
        return [(contact, None) for contact in find_contacts(motion, ground=ground)]
    here, there = recognise(motion.figure), recognise(source.figure)
    roles = {joint: role for role, joint in there.roles.items()}
    rate, found = motion.fps / source.fps, []
    for theirs in find_contacts(source):
        role = roles.get(theirs.joint, "")
        start = math.ceil(theirs.start * rate)
        end = min(math.floor((theirs.end - 1) * rate) + 1, motion.frames)
        if role in here and end - start >= 2:
            found.append((Contact(here[role], start, end, theirs.point), theirs))
    return found


def _jumps(motion: Motion, source: Motion | None) -> tuple[int, ...]:
    found = jumps(motion.figure, motion.q)
    if source is not None:
        theirs = jumps(source.figure, source.q) / source.fps
        near = np.abs(found[:, None] / motion.fps - theirs[None, :]) < 1.5 / source.fps
        found = found[~near.any(axis=1)]
    return tuple(found.tolist())


def _too_fast(
    motion: Motion, limits: float | Mapping[str, float] | np.ndarray | None
) -> tuple[str, ...]:
    """Names of the coordinates that change faster than they may, by more than rounding."""
    figure = motion.figure
    most = np.full(figure.n, np.inf)
    if limits is None:
        limits = figure.speed_limits
    if isinstance(limits, Mapping):
        for name, value in limits.items():
            if name not in figure.coordinates:
                raise GoalError(f'speed_limits: the figure has no coordinate "{name}"')
            most[figure.coordinates.index(name)] = value
    elif limits is not None:
        most = np.broadcast_to(np.asarray(limits, float), (figure.n,))
    rates = np.abs(np.diff(motion.q, axis=0)).max(axis=0, initial=0.0) * motion.fps
    return tuple(figure.coordinates[k] for k in np.flatnonzero(rates > most * (1.0 + 1e-9)))

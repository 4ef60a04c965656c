"""fit_markers: a figure follows the markers of optical motion capture.

The lengths of its limbs and the places of the markers on it are calibrated on some frames, by turns
with the poses of these; then all frames are tracked.  Markers that were lost take part where the
model expects them, and markers that are far from there count less or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike

import numpy as np

from limbik.animate.contacts import metre
from limbik.animate.markers.calibrate import calibrated
from limbik.animate.markers.expected import ALIKE, pelvis, ties
from limbik.animate.markers.gaps import continuous
from limbik.animate.markers.gaps import filled as _filled
from limbik.animate.markers.model import FIXED, PREFIX, MarkerModel, Prior, limbs_of, stiffness
from limbik.animate.markers.names import Seat, bare, seats
from limbik.animate.track import track
from limbik.errors import FigureError
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figure.units import METRES
from limbik.formats import load_markers
from limbik.formats.markers.markers import Markers
from limbik.goals import Goal, Reach, Rest
from limbik.humanoid.ground import up_axis
from limbik.humanoid.recognise import recognise
from limbik.solver.batch import solve_many
from limbik.solver.solve import solve

CALIBRATION_FRAMES, ROUNDS, STEPS = 40, 4, 10
NOISE = 0.01
"""Metres: the standard deviation of a marker from where the model has it."""

INDEPENDENT = 8
"""How many frames of the calibration tell something of their own."""

SCALE_SPREAD = 0.05
"""The standard deviation of a limb's scale from the whole body's."""

BEND = math.radians(10.0)
"""The standard deviation of each coordinate of the joints from the hips to the head: skeletons
have more of them than markers show, and share a bend out among them."""

FAR = 0.08
"""Metres from where it is expected beyond which a marker hardly counts, and may be another's."""

_PASSES = 3
_STEADIER = 0.7  # of its spread on another bone with which a marker goes there


@dataclass(frozen=True, eq=False, repr=False)
class MarkerFit:
    """The answer of ``fit_markers``."""

    motion: Motion
    """The motion of the figure with calibrated bones."""
    scales: Mapping[str, float]
    """How much longer each limb is than in the figure that was given."""
    markers: Mapping[str, tuple[str, tuple[float, float, float]]]
    """Marker → the joint that carries it, and where in the joint's frame."""
    ignored: tuple[str, ...]
    """Markers that no bone is known for."""
    swapped: tuple[tuple[int, str, str], ...]
    """Frames in which two markers had each other's names, which were exchanged."""
    errors: np.ndarray = field(compare=False)
    """(frames, markers) mm from the model to the marker, NaN where it was lost."""

    @property
    def figure(self) -> Figure:
        """The figure with calibrated bones."""
        return self.motion.figure

    @property
    def rms_mm(self) -> float:
        """The root of the mean squared distance of all markers that were seen."""
        return float(np.sqrt(np.nanmean(self.errors**2)))

    def __repr__(self) -> str:
        return (
            f"<MarkerFit {self.motion.name or 'unnamed'}: {len(self.markers)} markers, "
            f"{self.motion.frames} frames, RMS {self.rms_mm:.3g} mm>"
        )


def fit_markers(
    markers: Markers | str | PathLike[str],
    figure: Figure,
    *,
    seats_of: Mapping[str, str] | None = None,
    calibrate: bool = True,
) -> MarkerFit:
    """Let a figure follow markers: calibrate its limbs and the markers on it, then track.

    Args:
        markers: those of ``load_markers``, or the path of a C3D or TRC file.
        figure: the body that follows; its limits hold.
        seats_of: which joint carries each marker, by name, for sets other than the usual ones
            (Plug-in Gait, CMU).
        calibrate: whether bones may change their lengths; otherwise only the places of the markers
            are found.

    Returns:
        The motion on the calibrated figure, and how well it fits.

    Raises:
        FigureError: bones are known for fewer than 4 markers.

    Example:
        fit = limbik.fit_markers("walk.c3d", limbik.figures.human())
        print(fit.rms_mm, fit.scales)
        limbik.save(fit.motion, "walk.bvh")
    """
    data = markers if isinstance(markers, Markers) else load_markers(markers)
    if not isinstance(figure, Figure):
        raise FigureError(f"fit_markers: needs a Figure, got {type(figure).__name__}")
    body = recognise(figure)
    adult = metre(figure, body)
    seen = _in_figure_units(data, figure, adult)
    known = seats(figure, body, data.names)
    for name, joint in (seats_of or {}).items():
        data.index(name)
        known[name] = Seat(figure.joints[figure.index(joint)], np.zeros(3))
    used = [k for k, name in enumerate(data.names) if name in known and data.seen[:, k].any()]
    if len(used) < 4:
        text = f"fit_markers: bones are known for {len(used)} markers, at least 4 are needed"
        raise FigureError(f"{text}: say which joint carries each with seats_of=")
    seen = seen[:, used]
    names = [data.names[k] for k in used]
    limbs = tuple(limbs_of(figure, body))
    model = MarkerModel(
        figure,
        figure,
        limbs,
        dict.fromkeys(sorted(set(limbs) - {""}), 1.0),
        tuple(figure.index(known[name].joint) for name in names),
        np.array([known[name].at for name in names]),
        stiffness(figure, body, NOISE * adult / BEND),
    )
    seen, exchanged = continuous(seen, data.fps, adult)
    filled = _filled(seen, data.fps)
    size = _common_scale(model, names, filled) if calibrate else 1.0
    some = _chosen(seen)
    # Skin moves alike in similar poses, so that frames count as fewer than there are.
    counted = np.sqrt(min(INDEPENDENT / len(some), 1.0))
    spread = np.array([known[name].spread for name in names])
    expected = size * model.at
    for k, at in pelvis(figure, body, names, seen, adult, size).items():
        expected[k] = at
    alike = counted * ALIKE / NOISE
    prior = Prior(
        expected,
        counted * spread / NOISE,
        size,
        counted * SCALE_SPREAD / (NOISE * adult) if calibrate else FIXED,
        ties(model, body, names, spread, alike),
    )
    model = model.with_scales(dict.fromkeys(model.scales, size), prior.at)
    far = FAR * adult * size
    poses = _first_poses(model, filled[some])
    model, poses = _rounds(model, seen[some], poses, prior, far)
    model, prior = _reseated(model, seen[some], poses, prior)
    prior = prior._replace(ties=ties(model, body, names, spread, alike))
    model, poses = _rounds(model, seen[some], poses, prior, far)
    start = _posed(model, filled[:1], poses[:1])[0]
    q = _followed(model, filled, start, data.fps)
    q = _settled(model, seen, q, far)
    swapped = exchanged + _unswapped(model, seen, q, far)
    if len(swapped) > len(exchanged):
        # The calibration may have seen them.
        model, _ = _rounds(model, seen[some], q[some], prior, far)
        q = _settled(model, seen, q, far)
    away = np.linalg.norm(model.positions(q) - seen, axis=-1)
    unit = 1e3 * METRES[figure.unit] if figure.unit in METRES else 1e3 / adult
    return MarkerFit(
        Motion(model.figure, q, data.fps, data.name),
        model.scales,
        {
            name: (figure.joints[j], (float(x), float(y), float(z)))
            for name, j, (x, y, z) in zip(names, model.joints, model.at, strict=True)
        },
        tuple(name for k, name in enumerate(data.names) if k not in used),
        tuple((frame, names[a], names[b]) for frame, a, b in swapped),
        away * unit,
    )


def _in_figure_units(data: Markers, figure: Figure, adult: float) -> np.ndarray:
    """(frames, markers, 3) positions in the figure's unit and with its axis up, where it says so;
    else an adult's metre is as long as the figure's own legs make it."""
    if data.up:
        data = data.in_units(up=up_axis(figure))
    if not data.unit:
        return data.positions
    metres = data.in_units("m").positions
    return metres / METRES[figure.unit] if figure.unit in METRES else metres * adult


def _chosen(seen: np.ndarray) -> np.ndarray:
    """Frames to calibrate on: spread over the recording, those in which most markers are seen."""
    count = np.isfinite(seen[..., 0]).sum(axis=1)
    good = np.flatnonzero(count >= 0.75 * count.max())
    pick = np.linspace(0, len(good) - 1, min(CALIBRATION_FRAMES, len(good)))
    return good[np.unique(pick.astype(int))]


def _common_scale(model: MarkerModel, names: list[str], filled: np.ndarray) -> float:
    """How much larger the subject is than the figure: by the markers at the ends of the shins,
    or, where there are none, by how far all are spread."""
    rest = model.positions(model.figure.rest[None])[0]
    at = {bare(name): k for k, name in enumerate(names)}
    ratios = []
    for side in "LR":
        if f"{side}KNE" in at and f"{side}ANK" in at:
            a, b = at[f"{side}KNE"], at[f"{side}ANK"]
            far = np.median(np.linalg.norm(filled[:, a] - filled[:, b], axis=-1))
            ratios.append(float(far / np.linalg.norm(rest[a] - rest[b])))
    if ratios:
        return float(np.median(ratios))
    return _spread(filled[0]) / _spread(rest)


def _first_poses(model: MarkerModel, filled: np.ndarray) -> np.ndarray:
    """(frames, n) poses that follow the markers (frames, markers, 3) from the rest pose."""
    figure = model.with_markers()
    q = solve(figure, _goals(model, filled[0]), restarts=3).q
    return _followed(model, filled, q, 10.0)


def _rounds(
    model: MarkerModel, seen: np.ndarray, poses: np.ndarray, prior: Prior, far: float
) -> tuple[MarkerModel, np.ndarray]:
    """Scales and markers by turns with poses (frames, n), which follow them."""
    for k in range(ROUNDS):
        reach = math.inf if k < ROUNDS // 2 else far  # at first nothing is far from the model
        away = np.linalg.norm(model.positions(poses) - seen, axis=-1)
        weights = np.nan_to_num(1.0 / (1.0 + (away / reach) ** 2) ** 2, nan=0.0)

        def posed(model: MarkerModel, q: np.ndarray, reach: float = reach) -> np.ndarray:
            return _posed(model, _targets(model, seen, q, reach), q)

        model, poses = calibrated(model, poses, seen, weights, prior, posed, steps=STEPS)
    return model, poses


def _reseated(
    model: MarkerModel, seen: np.ndarray, poses: np.ndarray, prior: Prior
) -> tuple[MarkerModel, Prior]:
    """Markers on the neighbouring bone where they are much steadier there: skeletons divide a
    forearm or a trunk in different ways.  What is expected of their places goes along."""
    figure, joints = model.figure, list(model.joints)
    frames = figure.frames(poses)
    rest = figure.frames(figure.rest)
    at, expected = model.at.copy(), prior.at.copy()
    moving = {int(k) for k in figure.owner}
    for m, own in enumerate(model.joints):
        near = [own, int(figure.parents[own]), *np.flatnonzero(figure.parents == own).tolist()]
        steady = []
        for k in near:
            if k < 0 or k not in moving:
                steady.append((np.inf, np.zeros(3)))
                continue
            local = np.einsum("fji,fj->fi", frames[:, k, :3, :3], seen[:, m] - frames[:, k, :3, 3])
            steady.append((float(np.nanstd(local, axis=0).sum()), np.nanmedian(local, axis=0)))
        best = int(np.argmin([spread for spread, _ in steady]))
        if steady[best][0] < _STEADIER * steady[0][0]:
            joints[m], at[m] = near[best], steady[best][1]
            there = np.linalg.inv(rest[near[best]]) @ rest[own]
            expected[m] = there[:3, :3] @ expected[m] + there[:3, 3]
    model = replace(model, joints=tuple(joints), at=at)
    return model, prior._replace(at=expected)


def _spread(points: np.ndarray) -> float:
    return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _goals(model: MarkerModel, targets: np.ndarray) -> list[Goal]:
    """Markers at targets (..., markers, 3), and a trunk that bends no more than it must."""
    reach = [Reach(f"{PREFIX}{m}", position=targets[..., m, :]) for m in range(len(model.joints))]
    return [*reach, Rest(model.stiffness)]


def _targets(model: MarkerModel, seen: np.ndarray, q: np.ndarray, far: float) -> np.ndarray:
    """(frames, markers, 3) where markers are to go: a lost one stays where the model has it in the
    poses q, and one that is far away is pulled by a share 1/(1 + (d/far)²)² of its distance d.

    Solving for these and repeating descends the sum of d²/(1 + (d/far)²) over those that were seen.
    """
    expected = model.positions(q)
    apart = seen - expected
    weight = 1.0 / (1.0 + (apart**2).sum(axis=-1) / far**2) ** 2
    return expected + np.nan_to_num(weight[..., None] * apart)


def _settled(model: MarkerModel, seen: np.ndarray, q: np.ndarray, far: float) -> np.ndarray:
    """(frames, n) poses that follow the markers that were seen, from poses q nearby.

    At first every marker counts in full, so that a limb that is elsewhere is found again.
    """
    for reach in (math.inf,) * _PASSES + (far,) * _PASSES:
        q = _posed(model, _targets(model, seen, q, reach), q)
    return q


def _posed(model: MarkerModel, targets: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(frames, n) the poses that bring the markers nearest to targets (frames, markers, 3)."""
    goals = _goals(model, targets)
    return solve_many(model.with_markers(), goals, starts=starts, restarts=0).q


def _followed(model: MarkerModel, filled: np.ndarray, start: np.ndarray, fps: float) -> np.ndarray:
    goals = _goals(model, filled)
    return track(model.with_markers(), goals, start=start, fps=fps, restarts=0, relax=0.0).motion.q


def _unswapped(
    model: MarkerModel, seen: np.ndarray, q: np.ndarray, far: float
) -> list[tuple[int, int, int]]:
    """Exchange, in ``seen``, markers that are where others are expected; (frame, one, other)."""
    expected, found = model.positions(q), []
    away = np.linalg.norm(expected - seen, axis=-1)
    for frame in np.flatnonzero((np.nan_to_num(away) > far).sum(axis=1) >= 2):
        bad = np.flatnonzero(np.nan_to_num(away[frame]) > far)
        cross = np.linalg.norm(expected[frame, bad][:, None] - seen[frame, bad][None, :], axis=-1)
        for i, a in enumerate(bad):
            for j in range(i + 1, len(bad)):
                now, other = cross[i, i] + cross[j, j], cross[i, j] + cross[j, i]
                if other < 0.5 * now and np.isfinite(other):
                    b = bad[j]
                    seen[frame, [a, b]] = seen[frame, [b, a]]
                    found.append((int(frame), int(a), int(b)))
                    break
    return found

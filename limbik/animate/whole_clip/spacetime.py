"""A whole clip at once: frame by frame both ways, the best of both, then all frames together.

F = Σ f_t(q_t) + Σ v·|q_{t+1} ⊖ q_t|² + Σ a·|acceleration|²: every frame has the goals of one
problem with numbers of its own.  Limits hold in every frame exactly and F never rises.  Long clips
are solved in windows that overlap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from limbik.animate.whole_clip.other_turns import hinges_in_a_row, other_way
from limbik.animate.whole_clip.smoothness import difference
from limbik.animate.whole_clip.window_solve import goal_costs, solve_frames
from limbik.compiling.notice import call
from limbik.errors import GoalError
from limbik.figure.figure import Figure
from limbik.figure.joints import ExponentialBall
from limbik.solver.targets.frame_values import FrameValues

SMOOTH = 0.03
"""Seconds: movements much shorter than this are smoothed away."""

_SMOOTHED = 0.025
"""Seconds: with the time between two frames, what is smoothed away unless somebody says."""

WINDOW = 200  # frames that are solved together
OVERLAP = 40  # frames that two windows share
_STAY = 1e-3  # of the goals' weight: how much a frame stays near the one before in the first pass
_BRANCH = 0.3  # of the goals' weight: what a change of branch costs per rad²
_FRESH = 0.5  # seconds between new starts of the third pass
_SPEED_MARGIN = 0.005  # of a speed limit that the solve stays below it
_SPEED = 1e4  # weight of speeds beyond their limits, of that of accelerations, at least


@dataclass(frozen=True)
class Report:
    """What a solve of a clip did."""

    before: float
    """F of the frame-by-frame pass."""
    after: float
    """F at the end."""
    steps: int
    """Gauss–Newton steps of all windows."""
    switched: int
    """Frames in which another pass was better than the one from the start."""


def default_smooth(fps: float) -> float:
    """Seconds that are smoothed away in a clip of so many frames per second: the geometric mean of
    25 ms and the time between two frames, so that fast recordings keep their quick movements."""
    return math.sqrt(_SMOOTHED / fps)


def unlimited_balls(figure: Figure) -> np.ndarray:
    """(k,) first coordinates of the exponential balls that no limit holds."""
    found: list[int] = []
    free = ~(np.isfinite(figure.lower) | np.isfinite(figure.upper))
    place = {name: c for c, name in enumerate(figure.coordinates)}
    for joint in figure.definition:
        called, k = joint.alias or joint.name, 0
        for part in joint.parts:
            if isinstance(part, ExponentialBall):
                label = joint.labels[k]
                c = place.get(called if len(joint.labels) == 1 else f"{called}.{label}")
                limit = joint.limit
                if c is not None and (limit is None or free[c : c + 3].all()):
                    found.append(c)
            k += len(part.labels)
    return np.array(found, np.int64)


def with_free_balls(figure: Figure) -> Figure:
    """The figure with exponential maps for balls and roots without limits, which then have no
    angle at which they lock; ``motion.onto`` carries the poses back."""
    keep = []
    for i, joint in enumerate(figure.definition):
        columns = np.flatnonzero((figure.owner == i) & ~figure.slides)
        bounds = np.concatenate([figure.lower[columns], figure.upper[columns]])
        if np.isfinite(bounds[np.abs(bounds) < math.tau]).any():
            keep.append(joint.name)
    return figure.with_balls("exponential", keep=keep)


class ClipSolver:
    """A problem whose numbers change from frame to frame, solved over the whole clip."""

    def __init__(
        self,
        frames: FrameValues,
        *,
        fps: float,
        smooth: float = SMOOTH,
        speed_limits: np.ndarray | None = None,
        stay: float = _STAY,
        reference: np.ndarray | None = None,
    ) -> None:
        """``smooth`` is in seconds, 0 turns it off; ``speed_limits`` (n,) are units per second,
        inf where there is none; what departs from ``reference`` (frames, n) is smooth, or all
        where there is none."""
        if not (math.isfinite(smooth) and smooth >= 0):
            raise GoalError(f"smooth must be seconds, 0 or more, got {smooth!r}")
        self.problem, self.fps = frames.problem, fps
        self.figure = frames.problem.figure
        self._target_offsets, self._values = frames.target_offsets, frames.values
        self._moves = np.array(self.problem.moves, bool)
        self._balls = unlimited_balls(self.figure)
        n, lever = self.figure.n, self.problem.scene.lever
        unit = np.where(self.figure.slides, 1.0, lever**2)
        self._chain, self._whole = np.zeros((4, n)), np.zeros((4, n))
        self._chain[0] = stay * unit
        self._whole[0] = stay * unit * min(1.0, (smooth * fps) ** 2)
        self._whole[1] = unit * (smooth * fps) ** 4
        self._chain[3] = self._whole[3] = np.inf
        self._speeds = self._checked(speed_limits)
        limited = np.isfinite(self._speeds)
        self._whole[3, limited] = self._speeds[limited] / fps * (1.0 - _SPEED_MARGIN)
        self._whole[2, limited] = _SPEED * np.maximum(self._whole[1], unit)[limited]
        self._unit = unit
        self._drift = self._steps(reference)
        self._coupled = bool(self._whole[:3].any())

    def _steps(self, reference: np.ndarray | None) -> np.ndarray:
        """(frames, n) the steps of a reference, 0 without one and after the last frame."""
        out, scratch = np.zeros((len(self._values), self.figure.n)), np.zeros(64)
        if reference is not None:
            for t in range(len(out) - 1):
                difference(reference[t], reference[t + 1], self._balls, out[t], scratch)
        return out

    def _checked(self, limits: np.ndarray | None) -> np.ndarray:
        n = self.figure.n
        speeds = np.full(n, np.inf) if limits is None else np.asarray(limits, float)
        if speeds.shape != (n,) or not (speeds > 0).all():
            raise GoalError(f"speed_limits: needs {n} positive numbers, inf where there is none")
        return speeds

    def costs(self, q: np.ndarray) -> np.ndarray:
        """(frames,) f of each frame: its goals alone."""
        out = np.empty(len(q))
        goal_costs(
            self.problem.ints, self.problem.floats, self._target_offsets, self._values, q, out
        )
        return out

    def chain(
        self,
        starts: np.ndarray,
        *,
        backwards: bool = False,
        every: int | None = None,
        iterations: int = 8,
    ) -> np.ndarray:
        """(frames, n) frame by frame, each from the one before; the first, and every ``every``-th,
        from its pose in ``starts`` (frames, n)."""
        order = slice(None, None, -1 if backwards else 1)
        values, begin = (np.ascontiguousarray(a[order]) for a in (self._values, starts))
        q, drift = np.empty(begin.shape), self._drift
        if backwards:  # the step from t + 1 to t
            drift = np.concatenate([-drift[-2::-1], drift[-1:]])
        self._improved(
            values, begin, len(q) if every is None else every, q, 0, len(q), self._chain, drift,
            iterations, 1e-3,
        )  # fmt: skip
        return np.ascontiguousarray(q[order])

    def improve_alone(self, q: np.ndarray, low: int, high: int) -> None:
        """Improve each of the frames low … high − 1 of q (frames, n) in place by itself, as if no
        other frame were there."""
        part = q[low:high]
        self._improved(
            self._values[low:high], part, 1, part, 0, high - low, self._chain,
            self._drift[low:high], 0, 1e-3,
        )  # fmt: skip

    def best_of(self, candidates: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(poses, which candidate) that cost least, changes from frame to frame included.

        A dynamic programme over the candidates of each frame.
        """
        costs = np.array([self.costs(q) for q in candidates])
        frames, count = costs.shape[1], len(candidates)
        total, before = costs[:, 0].copy(), np.zeros((frames, count), int)
        step, scratch = np.empty(self.figure.n), np.zeros(64)
        for t in range(1, frames):
            change = np.empty((count, count))
            for i, a in enumerate(candidates):
                for j, b in enumerate(candidates):
                    difference(a[t - 1], b[t], self._balls, step, scratch)
                    change[i, j] = _BRANCH * float((self._unit * step**2).sum())
            reached = total[:, None] + change
            before[t] = reached.argmin(axis=0)
            total = reached.min(axis=0) + costs[:, t]
        which = np.empty(frames, int)
        which[-1] = int(total.argmin())
        for t in range(frames - 1, 0, -1):
            which[t - 1] = before[t, which[t]]
        return np.array([candidates[k][t] for t, k in enumerate(which)]), which

    def together(
        self,
        q: np.ndarray,
        *,
        iterations: int = 30,
        progress: Callable[[float], None] | None = None,
    ) -> tuple[np.ndarray, int]:
        """(poses, steps): all frames of q (frames, n) improved together.

        A long clip is improved in windows that overlap, and then again around their ends;
        ``progress`` is told the share of frames that are done before each.  Frames that nothing
        couples are improved one by one.
        """
        q = np.ascontiguousarray(q)
        if not self._coupled:
            return q, sum(self.improve(q, t, t + 1, iterations=iterations) for t in range(len(q)))
        frames, taken, low = len(q), 0, 0
        notify = progress or ignored
        while True:
            notify(0.8 * low / frames)
            high = min(low + WINDOW, frames)
            taken += self.improve(q, low, high, iterations=iterations)
            if high == frames:
                break
            low = high - OVERLAP
        for middle in range(WINDOW - OVERLAP // 2, frames - OVERLAP // 2, WINDOW - OVERLAP):
            notify(0.8 + 0.2 * middle / frames)
            low, high = middle - OVERLAP, min(middle + OVERLAP, frames)
            taken += self.improve(q, low, high, iterations=iterations)
        return q, taken

    def improve(
        self,
        q: np.ndarray,
        low: int,
        high: int,
        *,
        iterations: int = 30,
        tolerance: float = 3e-5,
    ) -> int:
        """Improve frames low … high − 1 of q (frames, n) in place, until F falls by less than
        ``tolerance`` of itself; returns how many steps."""
        a, b = max(low - 2, 0), min(high + 2, len(q))
        part = q[a:b]
        return self._improved(
            self._values[a:b], part, 0, part, low - a, high - a, self._whole, self._drift[a:b],
            iterations, tolerance,
        )  # fmt: skip

    def _improved(
        self,
        values: np.ndarray,
        starts: np.ndarray,
        every: int,
        q: np.ndarray,
        low: int,
        high: int,
        weights: np.ndarray,
        drift: np.ndarray,
        iterations: int,
        tolerance: float,
    ) -> int:
        """``solve_frames`` for this figure and these goals."""
        return int(
            call(
                solve_frames, self.problem.ints, self.problem.floats, self._target_offsets, values,
                starts, every, q, low, high, self._moves, self._balls, weights, drift, iterations,
                tolerance,
            )
        )  # fmt: skip

    def total(self, q: np.ndarray) -> float:
        """F: the goals of all frames and the smoothness."""
        steps, scratch = np.empty((len(q), self.figure.n)), np.zeros(64)
        for t in range(len(q) - 1):
            difference(q[t], q[t + 1], self._balls, steps[t], scratch)
        steps = steps[: len(q) - 1]
        v, a, s, most = self._whole
        over = np.maximum(np.abs(steps) - most, 0.0)
        steps = steps - self._drift[: len(q) - 1]
        smooth = (v * steps**2 + s * over**2).sum() + (a * np.diff(steps, axis=0) ** 2).sum()
        return float(self.costs(q).sum() + smooth)

    def within_speeds(self, q: np.ndarray) -> np.ndarray:
        """The poses with every step cut to its speed limit, from the first frame on: exact."""
        most = np.where(np.isfinite(self._speeds), self._speeds / self.fps * (1 - 1e-9), np.inf)
        if not np.isfinite(most).any():
            return q
        out = q.copy()
        for t in range(1, len(out)):
            out[t] = np.clip(out[t], out[t - 1] - most, out[t - 1] + most)
        return out

    def frame_by_frame(
        self, starts: np.ndarray, *, progress: Callable[[float], None] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(poses (frames, n), which pass each comes from): the best of several passes.

        They go forward, backward, and forward with new starts now and then, so that no branch is
        kept only because the clip happened to start in it; then from both ends with hinges in a
        row, such as those of a robot's shoulder, turned the other way, where that may be better.
        ``starts`` (frames, n) is where a frame may start that does not start from a neighbour.
        """
        notify = progress or ignored
        every = max(1, round(_FRESH * self.fps))
        passes = [self.chain(starts)]
        notify(1 / 3)
        passes.append(self.chain(starts, backwards=True))
        notify(2 / 3)
        if len(starts) > every:
            passes.append(self.chain(starts, every=every))
        q, which = self.best_of(passes)
        for hinges in hinges_in_a_row(self.figure):
            other, worth = other_way(self.figure, hinges, q)
            for backwards in (False, True):
                if worth[-1 if backwards else 0]:
                    q, changed = self.best_of([q, self.chain(other, backwards=backwards)])
                    which = np.where(changed, len(passes), which)
        return q, which

    def solve(
        self,
        starts: np.ndarray,
        *,
        whole: bool = True,
        near: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> tuple[np.ndarray, Report]:
        """(poses (frames, n), report): frame by frame, then all together.

        ``starts`` (frames, n) is where frames may start; ``near`` says that it is nearly right, so
        that every frame starts there, and one pass does instead of several.  Without ``whole``
        there is one pass and no more.  ``progress`` is told the share of the work that is done;
        what it raises ends the solve.
        """
        notify = progress or ignored
        if not whole:
            q = self.chain(starts)
            return q, Report(self.total(q), self.total(q), 0, 0)
        switched = 0
        if near:
            q = self.chain(starts, every=1)
        else:
            q, which = self.frame_by_frame(starts, progress=lambda share: notify(0.3 * share))
            switched = int((which > 0).sum())
        notify(0.35)
        before = self.total(q)
        q, taken = self.together(q, progress=lambda share: notify(0.35 + 0.65 * share))
        return self.within_speeds(q), Report(before, self.total(q), taken, switched)


def ignored(share: float) -> None:
    """Nobody asks how far a solve is."""

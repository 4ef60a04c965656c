"""What holds a goal back at a pose where f is stationary: limits, locks, other goals, Rest.

A goal that is short of its target pulls with −∇f_g = 2Jᵀr of its own rows.  Where the pose is
stationary something answers that pull: a limit that it presses against, a lock, or another goal
that pulls the other way.  Where nothing does, Jᵀr = 0: no movement brings it nearer.

How much of a pull counts is judged by the cosine between the way in which a movement carries the
goal and what the goal lacks, which does not depend on units or distances.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.figure import layout as lay
from limbik.figure.cones import SCRATCH, cone_normals
from limbik.figure.layout import CONE_SWING
from limbik.figure.limits import SwingTwist
from limbik.goals import Rest
from limbik.solver.problem import Problem

_COSINE = 0.01  # what pulls along the missing way by less than this does not count,
_LEVER = 1e-3  # nor what moves the goal by less than this part of what moves it most
_SHARE = 0.1  # a goal that answers less than this part of a pull is not named
_FAINT = 0.02  # nor is a limit that holds less than this part of the strongest
_BALANCED = 0.05  # of a goal's pull: where less is not answered, f is as good as stationary


class ActiveLimit(NamedTuple):
    """A limit that the answer presses against.

    joint:      the joint's name
    coordinate: the coordinate's name; that of the joint for a cone
    side:       "lower", "upper" or "cone"
    value:      where the coordinate is (rad or the figure's unit); for a cone, how far from 0
    multiplier: how much f would fall per radian (or unit of length) of slack
    """

    joint: str
    coordinate: str
    side: str
    value: float
    multiplier: float


class Face(NamedTuple):
    """A limit that a pose stands at: its outward normal (n,), and whether somebody set it."""

    limit: ActiveLimit
    normal: np.ndarray
    set: bool


class Holders(NamedTuple):
    """What holds goal number ``goal`` back, each the strongest first.

    ``limits`` press against the goal itself, or against the goals that hold it; ``locks`` are names
    of joints; ``goals`` are numbers of goals that pull against this one, then of those that pull
    against these; all Rest goals count as the first of them.
    """

    goal: int
    limits: tuple[ActiveLimit, ...] = ()
    locks: tuple[str, ...] = ()
    goals: tuple[int, ...] = ()


def faces(problem: Problem, q: np.ndarray, pull: np.ndarray) -> list[Face]:
    """The limits at which q stands and against which ``pull`` (n,) presses, the strongest first.

    A multiplier is the pull along the limit's outward normal.
    """
    figure, ints, floats = problem.figure, problem.ints, problem.floats
    found: list[Face] = []

    def add(c: int, side: str, value: float, multiplier: float, normal: np.ndarray) -> None:
        joint = figure.definition[figure.owner[c]]
        name = joint.name if side == "cone" else figure.coordinates[c]
        limit = ActiveLimit(joint.name, name, side, value, multiplier)
        found.append(Face(limit, normal, side != "cone" or isinstance(joint.limit, SwingTwist)))

    lower, upper = (lay.section(ints, floats, entry) for entry in (lay.F_LOWER, lay.F_UPPER))
    ranged = lay.section(ints, floats, lay.I_IN_CONE) == lay.NONE
    below, above = (pull < 0.0) & (q <= lower), (pull > 0.0) & (q >= upper)
    for c in np.flatnonzero(ranged & (below | above)).tolist():
        normal = np.zeros(figure.n)
        normal[c] = -1.0 if below[c] else 1.0
        add(c, "lower" if below[c] else "upper", float(q[c]), abs(float(pull[c])), normal)
    normals, scratch = np.empty((2, 3)), np.empty(SCRATCH)
    for cone in range(int(ints[lay.N_CONES])):
        entry = lay.record_at(ints, lay.I_CONE, cone)
        kind, c = int(ints[entry + lay.CONE_KIND]), int(ints[entry + lay.CONE_START])
        span = 2 if kind == CONE_SWING else 3
        for k in range(cone_normals(ints, floats, cone, q, normals, scratch)):
            multiplier = float(normals[k, :span] @ pull[c : c + span])
            if multiplier > 0.0:
                normal = np.zeros(figure.n)
                normal[c : c + span] = normals[k, :span]
                add(c, "cone", float(np.linalg.norm(q[c : c + span])), multiplier, normal)
    return sorted(found, key=lambda face: -face.limit.multiplier)


def active_limits(
    problem: Problem, q: np.ndarray, pull: np.ndarray | None = None
) -> tuple[ActiveLimit, ...]:
    """Limits that somebody set and q presses against, the strongest first.

    ``pull`` (n,) is what presses: −∇f unless given.  The end of a ball's coordinates is no limit
    that anybody set.
    """
    if pull is None:
        pull = -problem.gradient(q)
    return tuple(face.limit for face in faces(problem, q, pull) if face.set)


def worst_goal(problem: Problem, q: np.ndarray) -> int | None:
    """The goal that is most times its tolerance off, of the highest priority that has one; None
    where all are within theirs."""
    over = problem.term_errors(q) / problem.tolerances
    times = np.array([over[terms].max(initial=0.0) for terms in problem.terms_of])
    missed = np.flatnonzero(~(times <= 1.0)).tolist()
    if not missed:
        return None
    first = min(problem.levels[k] for k in missed)
    missed = [k for k in missed if problem.levels[k] == first]
    return missed[int(np.argmax(np.nan_to_num(times[missed], nan=np.inf)))]


def is_held(problem: Problem, q: np.ndarray) -> bool:
    """Whether limits and other goals answer nearly all that the worst goal pulls with at q, so that
    what holds it back there is known though f is not quite stationary."""
    goal = worst_goal(problem, q)
    if goal is None:
        return False
    pulls = _Pulls(problem, q, problem.levels[goal])
    left = _off_limits(pulls.total * pulls.scale, faces(problem, q, pulls.total))
    own = pulls.of([goal]) * pulls.scale
    return bool(np.linalg.norm(left) < _BALANCED * np.linalg.norm(own))


def holders_of(problem: Problem, q: np.ndarray, goal: int, *, brief: bool = False) -> Holders:
    """What holds a goal back at q, where f is stationary.

    ``brief``: where limits do, nothing else is looked for.
    """
    pulls = _Pulls(problem, q, problem.levels[goal])
    pressed = faces(problem, q, pulls.total)
    own = pulls.of([goal])
    limits = _pressed_by(pulls, own, pressed, [goal])
    if brief and limits:
        return Holders(goal, limits)
    names = _answering(pulls, pressed, [goal])
    # A limit or a lock that keeps those goals from giving way holds this one too.
    together = [goal, *names]
    if names:
        known = {(limit.coordinate, limit.side) for limit in limits}
        more = _pressed_by(pulls, pulls.of(together), pressed, together)
        limits += tuple(limit for limit in more if (limit.coordinate, limit.side) not in known)
        # So does a goal that keeps them from it, though it may not feel what this one pulls at.
        behind = _answering(pulls, pressed, together)
        names += [k for k in behind if not isinstance(problem.goals[k], Rest)]
    return Holders(goal, limits, _locks(problem, q, together), tuple(names))


def _answering(pulls: _Pulls, pressed: list[Face], goals: list[int]) -> list[int]:
    """The other goals that answer what these pull along the ways that limits leave, the strongest
    first; none where that pull is not noticeable."""
    free = _off_limits(pulls.of(goals) * pulls.scale, pressed)
    if not pulls.noticed(goals, free[None])[0]:
        return []
    found = []
    for other in pulls.kinds:
        if other not in goals:
            against = -float(free @ (pulls.of([other]) * pulls.scale)) / float(free @ free)
            if against >= _SHARE:
                found.append((against, other))
    return [other for _, other in sorted(found, key=lambda pair: -pair[0])]


class _Pulls:
    """J and r at q, and −∇f goal by goal, as they count for a goal of ``level``.

    Goals of lower priority count for nothing; those of higher priority answer, with their
    multipliers, what the level pulls along the ways that limits leave.  scale (n,) makes a slide by
    the figure's lever count like a radian.
    """

    def __init__(self, problem: Problem, q: np.ndarray, level: int) -> None:
        self.problem, self.q = problem, q
        self.jacobian, self.r = problem.jacobian(q), problem.residual(q)
        ints, floats, _n = problem.ints, problem.floats, problem.figure.n
        self.scale = np.sqrt(lay.section(ints, floats, lay.F_METRIC))
        weight, pose = (lay.section(ints, floats, e) for e in (lay.F_REST, lay.F_REST_POSE))
        rests = [k for k, goal in enumerate(problem.goals) if isinstance(goal, Rest)]
        self.kinds = [k for k in range(len(problem.goals)) if k not in rests[1:]]
        if max(problem.levels):
            weight = self._by_level(level, rests, weight, pose)
        self.each = 2.0 * (problem.rows_of * self.r) @ self.jacobian  # (goals, n)
        self.total = 2.0 * self.r @ self.jacobian + 2.0 * weight * (pose - q)
        if rests:
            self.each[rests[0]] += 2.0 * weight * (pose - q)
            if problem.levels[rests[0]] < level:  # it answers all that is left, where it holds
                given = lay.section(ints, floats, lay.F_REST)
                self.each[rests[0]] -= np.where(given > 0.0, self.total, 0.0)
                self.total = np.where(given > 0.0, 0.0, self.total)

    def _by_level(
        self, level: int, rests: list[int], weight: np.ndarray, pose: np.ndarray
    ) -> np.ndarray:
        """r as it counts for a level, in place; the weights (n,) of Rest as they count for it."""
        problem, q, levels = self.problem, self.q, np.array(self.problem.levels)
        if not rests or problem.levels[rests[0]] != level:
            weight = np.zeros_like(weight)
        above = problem.rows_of[levels < level].any(axis=0)
        self.r[problem.rows_of[levels != level].any(axis=0)] = 0.0
        pull = 2.0 * self.r @ self.jacobian + 2.0 * weight * (pose - q)
        free = problem.moves & (q > problem.figure.lower) & (q < problem.figure.upper)
        ways = (self.jacobian * self.scale)[above][:, free].T
        if ways.size:
            answer = np.linalg.lstsq(ways, -(pull * self.scale)[free], rcond=1e-6)[0]
            self.r[above] = 0.5 * answer
        self.kinds = [k for k in self.kinds if levels[k] <= level]
        return weight

    def rows(self, goals: list[int]) -> np.ndarray:
        """(rows,) whether a row belongs to one of the goals."""
        return np.logical_or.reduce(self.problem.rows_of[goals])

    def of(self, goals: list[int]) -> np.ndarray:
        """(n,) minus the gradient of these goals' share of f."""
        return self.each[goals].sum(axis=0)

    def noticed(self, goals: list[int], directions: np.ndarray) -> np.ndarray:
        """(k,) whether scaled directions (k, n) carry the goals noticeably nearer: by the cosine
        between J·direction and r, and by how far they carry them."""
        rows = self.rows(goals)
        jacobian, r = self.jacobian[rows] * self.scale, self.r[rows]
        carried = directions @ jacobian.T
        lever = np.sqrt((carried**2).sum(axis=1))
        size = np.sqrt((directions**2).sum(axis=1))
        longest = math.sqrt(float((jacobian**2).sum(axis=0).max(initial=0.0)))
        along = carried @ r >= _COSINE * lever * math.sqrt(float(r @ r))
        return along & (lever > _LEVER * longest * size)


def _pressed_by(
    pulls: _Pulls, pull: np.ndarray, pressed: list[Face], goals: list[int]
) -> tuple[ActiveLimit, ...]:
    """The limits among ``pressed`` against which ``pull`` of the goals presses noticeably, the
    strongest first, with the multipliers of that pull."""
    if not pressed:
        return ()
    normals = np.array([face.normal for face in pressed])
    found = []
    for face, multiplier, noticed in zip(
        pressed, (normals @ pull).tolist(), pulls.noticed(goals, normals / pulls.scale), strict=True
    ):
        firm = face.limit.multiplier > _COSINE * multiplier > 0.0
        if face.set and firm and noticed:
            found.append(face.limit._replace(multiplier=multiplier))
    found.sort(key=lambda limit: -limit.multiplier)
    return tuple(limit for limit in found if limit.multiplier > _FAINT * found[0].multiplier)


def _off_limits(pull: np.ndarray, pressed: list[Face]) -> np.ndarray:
    """A pull (n,) without what presses against limits: the part along their normals."""
    if not pressed:
        return pull
    basis, _ = np.linalg.qr(np.column_stack([face.normal for face in pressed]))
    return pull - basis @ (basis.T @ pull)


def _locks(problem: Problem, q: np.ndarray, goals: list[int]) -> tuple[str, ...]:
    """Joints whose lock keeps goals from coming nearer."""
    if problem.moves.all():
        return ()
    free = problem.unlocked()
    pulls = _Pulls(free, q, problem.levels[goals[0]])
    pull = np.where(problem.moves, 0.0, pulls.of(goals))
    held = _off_limits(pull * pulls.scale, faces(free, q, pull))
    if not pulls.noticed(goals, held[None])[0]:
        return ()
    owner = problem.figure.owner
    strength = {j: float(np.linalg.norm(held[owner == j])) for j in np.unique(owner[held != 0.0])}
    most = max(strength.values())
    names = sorted((j for j in strength if strength[j] > _SHARE * most), key=lambda j: -strength[j])
    return tuple(problem.figure.joints[j] for j in names)


def too_short(problem: Problem, goal: int) -> tuple[str, str, float] | None:
    """(joint, joint, length): by how much the bones between two joints are too short for a goal,
    whatever the pose; None where they may be long enough.

    It is the pair that objective.too_far_apart finds: a goal's point and that of another goal, or
    the joint on which its chain stands, which is its own where that is the first that moves.
    """
    figure, ints, floats = problem.figure, problem.ints, problem.floats
    worst: tuple[str, str, float] | None = None
    pairs = lay.section(ints, floats, lay.I_SPAN).tolist()
    spans = lay.section(ints, floats, lay.F_SPAN).tolist()
    for pair, (longest, *base) in zip(pairs, spans, strict=True):
        if not set(pair) & set(problem.terms_of[goal]):
            continue
        there = [
            floats[lay.record_at(ints, lay.F_TERM, t) + lay.T_POINT :][:3]
            for t in pair
            if t != lay.NONE
        ]
        if len({problem.terms[t].joint for t in pair if t != lay.NONE}) < len(there):
            continue  # two places for one joint: not the bones' fault
        far = float(np.linalg.norm(there[0] - (there[1] if len(there) == 2 else np.array(base))))
        if far > longest and (worst is None or far - longest > worst[2]):
            names = [figure.joints[problem.terms[t].joint] for t in reversed(pair) if t != lay.NONE]
            if len(names) == 1:
                names.insert(0, _stands_on(problem, problem.terms[pair[0]].joint))
            worst = names[0], names[1], far - longest
    return worst


def _stands_on(problem: Problem, joint: int) -> str:
    """The first joint from the root to this one that may move."""
    figure, first = problem.figure, joint
    for carrier in figure.tree.ancestors(joint):
        if problem.moves[figure.owner == carrier].any():
            first = carrier
    return figure.joints[first]

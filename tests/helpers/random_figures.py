"""Random figures, limits, poses and goals: every kind of joint, built from a seed or by hypothesis.

Every random figure allows the pose q = 0 where its limits are ranges, so that the limits of coupled
joints never contradict each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import limbik
from limbik import (
    Above,
    Aim,
    Avoid,
    Balance,
    Capsule,
    CenterOfMass,
    Close,
    CompiledGoal,
    Distance,
    FarFromLimits,
    Figure,
    HalfSpace,
    Inertia,
    Joint,
    Manipulability,
    Pin,
    Plane,
    PythonGoal,
    Range,
    Reach,
    Rest,
    Sphere,
    SwingTwist,
    Within,
)
from limbik.figure import joints as jt
from limbik.figure.joints import Coupling, ExponentialBall, Limit, Part, SwingTwistBall, Turn
from limbik.figure.physical.properties import Physical
from limbik.goals import Goal
from limbik.maths.euler import ORDERS

Rng = np.random.Generator


def direction(rng: Rng) -> np.ndarray:
    """(3,) a unit vector that leans away from every coordinate axis."""
    while True:
        v = rng.normal(size=3)
        v /= np.linalg.norm(v)
        if np.abs(v).max() < 0.97:
            return v


def turned(rng: Rng) -> np.ndarray:
    """(4,) a random wxyz."""
    return Rotation.random(rng=rng).as_quat(scalar_first=True)


def _swing_twist(rng: Rng) -> tuple[Part, ...]:
    return jt.swing_twist(direction(rng), direction(rng))


def _exponential(rng: Rng) -> tuple[Part, ...]:
    return jt.exponential(direction(rng), direction(rng))


JOINTS: dict[str, Callable[[Rng], tuple[Part, ...]]] = {
    "fixed": lambda rng: (),
    "revolute": lambda rng: jt.revolute(direction(rng)),
    "prismatic": lambda rng: jt.prismatic(direction(rng)),
    "universal": lambda rng: jt.universal(direction(rng), direction(rng)),
    "exponential": _exponential,
    "swing–twist": _swing_twist,
    "turn then slide": lambda rng: jt.revolute(direction(rng)) + jt.prismatic(direction(rng)),
    "slide then turn": lambda rng: jt.prismatic("-y") + jt.revolute("-z"),
    "free euler": lambda rng: jt.free(),
    "free exponential": lambda rng: jt.free(_exponential(rng)),
    "free swing–twist": lambda rng: jt.free(_swing_twist(rng)),
    "rotation before position": lambda rng: jt.euler("ZXY") + jt.slides(),
}
JOINTS |= {f"revolute {a}": lambda rng, a=a: jt.revolute(a) for a in ("x", "-x", "y", "-y", "-z")}
JOINTS |= {f"prismatic {a}": lambda rng, a=a: jt.prismatic(a) for a in ("z", "-x")}
JOINTS |= {f"euler {order}": lambda rng, order=order: jt.euler(order) for order in ORDERS}
"""Parts of every kind of joint that needs no other joint."""

COUPLED = ("coupled turn", "coupled slide")
ROOTS = ("free euler", "free exponential", "free swing–twist")


def _limit(rng: Rng, parts: tuple[Part, ...], zeros: Sequence[float]) -> Limit | None:
    """A random limit for a joint whose coordinates stand at ``zeros`` where q = 0."""
    ball = next((p for p in parts if isinstance(p, ExponentialBall | SwingTwistBall)), None)
    if ball is not None and rng.random() < 0.7:
        twist = (-rng.uniform(0.1, 2.0), rng.uniform(0.1, 2.0)) if rng.random() < 0.8 else None
        swing = (rng.uniform(0.1, 1.4), rng.uniform(0.1, 1.4)) if rng.random() < 0.8 else None
        center = (0.0, 0.0)
        if isinstance(ball, SwingTwistBall) and swing is not None and rng.random() < 0.5:
            center = (rng.uniform(-1, 1), rng.uniform(-1, 1))
        return SwingTwist(swing=swing, twist=twist, center=center)
    if not parts or rng.random() < 0.3:
        return None
    lower, upper = zeros - rng.uniform(0, 1.5, len(zeros)), zeros + rng.uniform(0, 1.5, len(zeros))
    if ball is None:
        # A ball's ranges must keep it inside its chart, so only turns and slides go on for ever.
        lower[rng.random(len(zeros)) < 0.2] = -math.inf
        upper[rng.random(len(zeros)) < 0.2] = math.inf
    return Range(lower, upper)


def random_figure(
    rng: Rng, kinds: Sequence[str], *, limits: bool = False, chain: bool = False
) -> Figure:
    """A random tree, or a chain, with a joint of each given kind.

    Coupled joints follow an earlier coordinate.
    """
    joints: list[Joint] = []
    drivers: dict[str, float] = {}  # coordinates to couple to, and their value where q = 0
    for k, kind in enumerate(kinds):
        name = f"{k} {kind}"
        coupling = None
        if kind in COUPLED and drivers:
            driver = str(rng.choice(sorted(drivers)))
            scale = float(rng.uniform(0.3, 1.5) * rng.choice([-1, 1]))
            coupling = Coupling(driver, scale, float(rng.uniform(-0.5, 0.5)))
        if kind in COUPLED:
            make = jt.revolute if kind == "coupled turn" else jt.prismatic
            parts = make(direction(rng), coupled=coupling)
        else:
            parts = JOINTS[kind](rng)
        above = [j.name for j in joints[-1:]] if chain else [j.name for j in joints]
        joint = Joint(
            name,
            str(rng.choice(above)) if above else None,
            parts,
            offset=tuple(rng.normal(size=3) * 0.5),
            wxyz=tuple(turned(rng)) if rng.random() < 0.7 else (1.0, 0.0, 0.0, 0.0),
        )
        zeros = np.zeros(len(joint.labels))
        if coupling is not None:
            zeros[0] = coupling.scale * drivers[coupling.coordinate] + coupling.offset
        limit = _limit(rng, parts, zeros) if limits else None
        joints.append(Joint(name, joint.parent, parts, joint.offset, joint.wxyz, limit))
        # A cone and the range of a joint that follows one of its swings would contradict each
        # other, so with limits only turns and slides lead.
        if not limits or all(isinstance(part, Turn | jt.Slide) for part in parts):
            names = [name] if len(zeros) == 1 else [f"{name}.{label}" for label in joint.labels]
            drivers |= dict(zip(names, zeros, strict=True))
    return Figure(joints, name="random", physical=_bodies([joint.name for joint in joints]))


def _bodies(joints: list[str]) -> Physical:
    """A mass and a thin capsule on every joint."""
    rng = np.random.default_rng(len(joints))
    masses = rng.uniform(0.5, 2.0, len(joints)).tolist()
    ends = rng.normal(size=(len(joints), 3)) * 0.2
    return Physical(
        inertias=tuple(
            (name, Inertia(mass, tuple(end)))
            for name, mass, end in zip(joints, masses, ends.tolist(), strict=True)
        ),
        shapes=tuple(
            Capsule.between(np.zeros(3), end, 0.01, joint=name)
            for name, end in zip(joints, ends, strict=True)
        ),
    )


def random_pose(rng: Rng, figure: Figure, *, spread: float = 1.0) -> np.ndarray:
    """(n,) a pose inside the limits."""
    return figure.project(rng.normal(size=figure.n) * spread)


def near_turn(rng: Rng, figure: Figure, q: np.ndarray, joint: str) -> np.ndarray:
    """(4,) wxyz at most 2.5 rad from how q has the joint: residuals are smooth up to π."""
    now = Rotation.from_matrix(figure.frames(q)[figure.index(joint), :3, :3])
    away = Rotation.from_rotvec(direction(rng) * rng.uniform(0.1, 2.5))
    return (away * now).as_quat(scalar_first=True)


def _spread(figure: Figure, q: np.ndarray) -> np.ndarray:
    """A residual that bends: squares and products of the joints' places."""
    at = figure.positions(q).ravel()
    return np.array([at @ at - 1.0, np.sin(at).sum()])


def _wave(q, frames, data, r):  # type: ignore[no-untyped-def]
    """The same in Numba: a place times an axis, and a wave of the pose."""
    r[0] = frames[0, 0, 3] * frames[0, 1, 2] - data[0]
    r[1] = np.sin(frames[0, 2, 3]) + 0.1 * np.sin(q).sum()


def _another(figure: Figure, joint: str) -> str:
    """A joint that is not this one."""
    return next(name for name in figure.joints if name != joint)


GoalMaker = Callable[[Rng, Figure, np.ndarray, str], Goal]

GOALS: dict[str, GoalMaker] = {
    "Reach": lambda rng, fig, q, j: Reach(j, position=rng.normal(size=3), weight=rng.uniform(0, 3)),
    "Reach at": lambda rng, fig, q, j: Reach(
        j, position=rng.normal(size=3), at=rng.normal(size=3), weight=rng.uniform(0.1, 3, 3)
    ),
    "Reach matrix": lambda rng, fig, q, j: Reach(
        j, position=rng.normal(size=3), weight=np.eye(3) + np.outer(v := rng.normal(size=3), v)
    ),
    "Reach vector": lambda rng, fig, q, j: Reach(
        j, wxyz=near_turn(rng, fig, q, j), rotation_weight=rng.uniform(0.1, 3, 3)
    ),
    "Reach axes": lambda rng, fig, q, j: Reach(j, wxyz=near_turn(rng, fig, q, j), rows="axes"),
    "Reach both": lambda rng, fig, q, j: Reach(
        j, position=rng.normal(size=3), wxyz=near_turn(rng, fig, q, j), at=rng.normal(size=3)
    ),
    "Aim": lambda rng, fig, q, j: Aim(
        j, axis=direction(rng), target=rng.normal(size=3) * 2, at=rng.normal(size=3) * 0.3
    ),
    "Pin": lambda rng, fig, q, j: Pin(j, at=rng.normal(size=3) * 0.3),
    "Pin rotation": lambda rng, fig, q, j: Pin(j, rotation=True, rotation_weight=0.5),
    "Plane": lambda rng, fig, q, j: Plane(j, direction(rng) * 3, 0.4),
    "Plane at": lambda rng, fig, q, j: Plane(j, direction(rng), 0.4, at=rng.normal(size=3)),
    "Distance": lambda rng, fig, q, j: Distance(j, fig.joints[0], 0.3, other_at=direction(rng)),
    "Distance at": lambda rng, fig, q, j: Distance(
        str(rng.choice(fig.joints)), j, 1.0, at=rng.normal(size=3), other_at=rng.normal(size=3)
    ),
    "Rest": lambda rng, fig, q, j: Rest(weight=rng.uniform(0.01, 1), pose=random_pose(rng, fig)),
    "Reach relative": lambda rng, fig, q, j: Reach(
        j,
        position=rng.normal(size=3),
        wxyz=near_turn(rng, fig, q, j),
        at=rng.normal(size=3),
        relative_to=_another(fig, j),
        rotation_weight=rng.uniform(0.1, 3, 3),
    ),
    "Pin to": lambda rng, fig, q, j: Pin(
        j, at=rng.normal(size=3), rotation=True, to=_another(fig, j)
    ),
    "Aim at a joint": lambda rng, fig, q, j: Aim(
        j, axis=direction(rng), target=_another(fig, j), at=rng.normal(size=3)
    ),
    "Above": lambda rng, fig, q, j: Above(j, direction(rng), 1.0, at=rng.normal(size=3)),
    "Within box": lambda rng, fig, q, j: Within(
        j, box=(low := rng.normal(size=3), low + 0.3), at=rng.normal(size=3)
    ),
    "Within sphere": lambda rng, fig, q, j: Within(
        j, sphere=(rng.normal(size=3), 0.4), at=rng.normal(size=3), weight=2.0
    ),
    "Close": lambda rng, fig, q, j: Close(
        j, _another(fig, j), at=rng.normal(size=3), other_at=rng.normal(size=3), weight=1.0
    ),
    "CenterOfMass": lambda rng, fig, q, j: CenterOfMass(
        rng.normal(size=3), weight=rng.uniform(0.1, 3, 3)
    ),
    "CenterOfMass over": lambda rng, fig, q, j: CenterOfMass(
        over=[j, (fig.joints[0], rng.normal(size=3))]
    ),
    "Balance": lambda rng, fig, q, j: Balance(
        [(str(rng.choice([j, _another(fig, j)])), rng.normal(size=3) * 0.3) for _ in range(4)],
        margin=0.05,
    ),
    "Avoid": lambda rng, fig, q, j: Avoid(
        [Sphere(1.0, rng.normal(size=3)), HalfSpace(direction(rng))], margin=0.1, weight=2.0
    ),
    "FarFromLimits": lambda rng, fig, q, j: FarFromLimits(weight=rng.uniform(0.1, 1)),
    "Manipulability": lambda rng, fig, q, j: Manipulability(
        j, at=rng.normal(size=3), weight=rng.uniform(0.1, 1)
    ),
    "CompiledGoal": lambda rng, fig, q, j: CompiledGoal(
        _wave, joints=[j], data=rng.normal(size=1), rows=2, name="wave"
    ),
    "PythonGoal": lambda rng, fig, q, j: PythonGoal(_spread, name="spread"),
}


FUNCTIONS = {
    "Reach relative", "Pin to", "Aim at a joint", "Close", "Manipulability", "CompiledGoal",
    "PythonGoal",
}  # fmt: skip
"""Goals that are functions without second derivatives: they count as linear in Problem.hessian."""


def random_goals(rng: Rng, figure: Figure, kinds: Sequence[str], q: np.ndarray) -> list[Goal]:
    """A goal of each given kind, on random joints; orientations lie within 2.5 rad of pose q."""
    return [GOALS[kind](rng, figure, q, str(rng.choice(figure.joints))) for kind in kinds]


SEEDS = st.integers(0, 2**32 - 1)
TREES = st.builds(
    lambda root, kinds: [root, *kinds],
    st.sampled_from(sorted(JOINTS)),
    st.lists(st.sampled_from(sorted({*JOINTS, *COUPLED} - set(ROOTS))), min_size=1, max_size=7),
)
"""Kinds of a tree's joints; a free root only at the root, and short lists first when shrinking."""
GOAL_KINDS = st.lists(st.sampled_from(sorted(GOALS)), min_size=1, max_size=4)

ANY_GOAL = [name for name, method in limbik.methods.items() if method.handles is None]
"""Methods that solve for every kind of goal."""

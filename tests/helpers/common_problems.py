"""The common set of problems: five figures × five situations, and special cases.

A problem is built once, by ``problem_of(name)``; every method and every test shares it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.spatial.transform import Rotation

import limbik
from limbik import Figure, Joint, Problem, PythonGoal, Range, Reach, Rest, SwingTwist
from limbik.figure.joints import exponential, swing_twist
from limbik.figures import FINGERTIPS

FIGURES = ("planar", "arm", "human", "hand", "spider")
SITUATIONS = ("reachable", "unreachable", "at_limits", "singular", "far")
TABLE = tuple(f"{figure} {situation}" for figure in FIGURES for situation in SITUATIONS)


@dataclass
class Asked:
    """What ``solve`` is asked; start is the rest pose unless given."""

    figure: Figure
    goals: list
    start: np.ndarray | list[float] | None = None
    lock: tuple[str, ...] = ()
    weights: np.ndarray | None = None

    @cached_property
    def problem(self) -> Problem:
        return Problem(
            self.figure, self.goals, start=self.start, lock=self.lock, weights=self.weights
        )


def near_rest(figure: Figure, seed: int, far: float = 0.3) -> np.ndarray:
    """A random pose, some way from the rest pose and mostly inside the limits."""
    return figure.rest + np.random.default_rng(seed).normal(size=figure.n) * far


def all_but(figure: Figure, *free: str) -> tuple[str, ...]:
    """The joints to lock so that only ``free`` move."""
    return tuple(joint for joint in figure.joints if joint not in free)


def points(figure: Figure, names: Iterable[str], q: np.ndarray, spread: float = 1.0) -> list[Reach]:
    """Each joint where q has it, or moved away from the middle of them all."""
    at = {name: figure.positions(q)[figure.index(name)] for name in names}
    middle = np.mean(list(at.values()), axis=0)
    return [Reach(name, position=middle + spread * (p - middle)) for name, p in at.items()]


def frame_goal(
    figure: Figure,
    joint: str,
    q: np.ndarray,
    *,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    move: Sequence[float] = (0.0, 0.0, 0.0),
    **options,
) -> Reach:
    """Position and orientation of a joint as q has them, moved by ``move``."""
    frame = figure.frames(q)[figure.index(joint)]
    wxyz = Rotation.from_matrix(frame[:3, :3]).as_quat(scalar_first=True)
    position = frame[:3, :3] @ np.array(at) + frame[:3, 3] + np.array(move)
    return Reach(joint, position=position, wxyz=wxyz, at=at, **options)


# ---- the table: what each situation means for each figure -----------------------------------


def chain(low: float = -2.0, high: float = 2.0) -> Figure:
    return limbik.figures.chain([1.0, 1.0, 0.5], limits=Range(low, high))


def planar(situation: str) -> Asked:
    def tip(x: float, y: float) -> list:
        return [Reach("Tip", position=[x, y, 0.0])]

    if situation == "reachable":
        return Asked(chain(), tip(1.0, 1.0), [0.3, 0.3, 0.3])
    if situation == "unreachable":
        return Asked(chain(), tip(3.0, 3.0), [0.3, 0.3, 0.3])
    if situation == "at_limits":
        return Asked(chain(0.0, 0.4), tip(0.0, 2.0), [0.3, 0.1, 0.4])
    if situation == "singular":
        return Asked(chain(), tip(1.0, 0.0), [0.0, 0.0, 0.0])
    long = limbik.figures.chain([0.5] * 8, limits=Range(-2.5, 2.5))
    return Asked(long, tip(-2.0, -1.0), [0.4] * 8)


def arm(situation: str) -> Asked:
    """Six coordinates of the tool; joints 1 and 3 of a stretched shoulder turn about one line."""
    figure = limbik.figures.arm()
    if situation == "reachable":
        return Asked(
            figure, [frame_goal(figure, "Tool", figure.project(near_rest(figure, 1, 0.5)))]
        )
    if situation == "unreachable":
        return Asked(figure, [frame_goal(figure, "Tool", figure.rest, move=[1.5, 0.5, 0.3])])
    if situation == "at_limits":
        names = figure.coordinates
        tight = figure.with_limits(
            {name: Range(v - 0.3, v + 0.3) for name, v in zip(names, figure.rest, strict=True)}
        )
        return Asked(tight, [frame_goal(tight, "Tool", near_rest(figure, 2, 0.8))])
    if situation == "singular":
        start = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.8, 0.0])
        there = start + [0.3, 0.5, -0.4, 0.2, 0.0, 0.3, 0.2]
        return Asked(figure, [frame_goal(figure, "Tool", there)], start, lock=("Joint5",))
    start = np.array([-2.2, -1.0, -1.5, -2.6, -1.5, 0.5, -2.0])
    there = np.array([2.0, 1.0, 1.2, -0.8, 1.5, 3.0, 2.0])
    return Asked(figure, [frame_goal(figure, "Tool", there)], start)


HUMAN_ENDS = ("Head", "Hips", "LeftHand", "RightHand", "LeftFoot", "RightFoot")


def human(situation: str) -> Asked:
    figure = limbik.figures.human()
    if situation == "reachable":
        return Asked(figure, list(points(figure, HUMAN_ENDS, figure.project(near_rest(figure, 2)))))
    if situation == "unreachable":
        return Asked(figure, list(points(figure, HUMAN_ENDS, figure.rest, spread=2.0)))
    if situation == "at_limits":
        # A pose that bends everything but the root over its limits.
        there = near_rest(figure, 5, 1.0)
        there[figure.coordinates_of("Hips")] = figure.rest[figure.coordinates_of("Hips")]
        return Asked(figure, list(points(figure, HUMAN_ENDS, there)))
    if situation == "singular":
        # A stretched arm, and the hand wanted nearer on its own line.
        start = figure.rest.copy()
        start[figure.coordinates.index("LeftForeArm.ry")] = 0.0
        shoulder, hand = figure.positions(start)[[figure.index(j) for j in ("LeftArm", "LeftHand")]]
        goals = [Reach("LeftHand", position=shoulder + 0.6 * (hand - shoulder))]
        return Asked(figure, goals, start, lock=all_but(figure, "LeftArm", "LeftForeArm"))
    motion = limbik.figures.cartwheel()
    return Asked(figure, list(points(figure, HUMAN_ENDS, motion.q[len(motion.q) // 2])))


def fingertips(figure: Figure, q: np.ndarray, move: Sequence[float] = (0.0, 0.0, 0.0)) -> list:
    """Five goals of six coordinates, as in dual_quaternion."""
    return [
        frame_goal(figure, joint, q, at=offset, move=move) for joint, offset in FINGERTIPS.values()
    ]


def hand(situation: str) -> Asked:
    figure = limbik.figures.hand()
    if situation == "reachable":
        return Asked(figure, fingertips(figure, figure.project(near_rest(figure, 3))))
    if situation == "unreachable":
        return Asked(figure, fingertips(figure, np.zeros(figure.n), move=[0.0, 0.0, 0.4]))
    if situation == "at_limits":
        return Asked(figure, fingertips(figure, figure.upper + 0.3))
    if situation == "singular":
        # Stretched fingers, and their tips wanted nearer on their own lines.
        start, goals = np.zeros(figure.n), []
        frames = figure.frames(start)
        for joint, offset in FINGERTIPS.values():
            frame, first = frames[figure.index(joint)], frames[figure.index(f"{joint[:-1]}1")]
            tip = frame[:3, :3] @ np.array(offset) + frame[:3, 3]
            goals.append(
                Reach(joint, position=first[:3, 3] + 0.85 * (tip - first[:3, 3]), at=offset)
            )
        return Asked(figure, goals, start, lock=("Wrist",))
    fist = 0.1 * figure.lower + 0.9 * figure.upper
    return Asked(figure, fingertips(figure, fist), figure.project(figure.lower))


def spider(situation: str) -> Asked:
    figure = limbik.figures.spider()
    feet = [name for name in figure.joints if name.endswith("Foot")]
    if situation == "reachable":
        return Asked(figure, list(points(figure, feet, figure.project(near_rest(figure, 4)))))
    if situation == "unreachable":
        return Asked(figure, list(points(figure, feet, figure.rest, spread=3.0)))
    if situation == "at_limits":
        there = figure.rest.copy()
        for name in figure.joints:
            if name.endswith("Coxa"):
                there[figure.coordinates_of(name)] = 1.2 if name[1] in "13" else -1.2
        return Asked(figure, list(points(figure, feet, there)))
    if situation == "singular":
        # Stretched legs, and the feet wanted nearer on their own lines.
        start = np.zeros(figure.n)
        at = figure.positions(start)
        goals = []
        for foot in feet:
            hip, end = at[figure.index(foot.replace("Foot", "Coxa"))], at[figure.index(foot)]
            goals.append(Reach(foot, position=hip + 0.7 * (end - hip)))
        return Asked(figure, goals, start, lock=("Body",))
    there = figure.project(near_rest(figure, 6))
    there[:6] = [1.5, 0.3, -1.0, 2.0, 0.4, -0.3]
    return Asked(figure, list(points(figure, feet, there)))


# ---- special cases ---------------------------------------------------------------------------


def held_from_the_start() -> Asked:
    return Asked(chain(0.0, 0.4), [Reach("Tip", position=[0.0, 2.0, 0.0])], [0.4, 0.4, 0.4])


def more_rows_than_coordinates() -> Asked:
    goals = [Reach(name, position=[0.5, 1.0, 0.0]) for name in ("Joint2", "Joint3", "Tip")]
    return Asked(chain(), goals, [0.3, 0.3, 0.3])


def rest_only() -> Asked:
    return Asked(chain(), [Rest(weight=1.0, pose=[1.0, -1.0, 3.0])], [0.3, 0.3, 0.3])


def rest_inside() -> Asked:
    return Asked(chain(), [Rest(weight=1.0, pose=[1.0, -1.0, 1.0])], [0.3, 0.3, 0.3])


def reach_and_rest() -> Asked:
    goals = [Reach("Tip", position=[1.0, 1.0, 0.0]), Rest(weight=0.1, pose=[1.0, 1.0, 1.0])]
    return Asked(chain(), goals, [0.3, 0.3, 0.3])


def locked() -> Asked:
    goals = [Reach("Tip", position=[1.0, 1.0, 0.0]), Rest()]
    return Asked(chain(), goals, [0.3, 0.7, 0.3], lock=("Joint2",))


def full_weights() -> Asked:
    weights = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    goals = [Reach("Tip", position=[3.0, 1.0, 0.0])]
    return Asked(chain(), goals, [0.3, 0.3, 0.3], weights=weights)


def in_python() -> Asked:
    def height(figure: Figure, q: np.ndarray) -> np.ndarray:
        return figure.positions(q)[figure.index("Tip"), 1:2] - 1.2

    goals = [PythonGoal(height, name="height"), Reach("Joint3", position=[1.2, 1.0, 0.0])]
    return Asked(chain(), goals, [0.3, 0.3, 0.3], lock=("Joint1",))


def balls(kind: Callable[..., tuple]) -> Asked:
    """Three limited balls; the target is beyond their cones."""
    limit = SwingTwist(swing=(50, 30), twist=(-20, 40), degrees=True)
    joints = [
        Joint("A", None, kind(), limit=limit),
        Joint("B", "A", kind(), offset=(0.0, 1.0, 0.0), limit=limit),
        Joint("C", "B", kind(), offset=(0.0, 1.0, 0.0), limit=limit),
        Joint("Tip", "C", offset=(0.0, 0.5, 0.0)),
    ]
    return Asked(Figure(joints), [Reach("Tip", position=[1.5, -0.5, 1.0])])


def cones() -> Asked:
    return balls(swing_twist)


def exponential_cones() -> Asked:
    return balls(exponential)


def by_axes() -> Asked:
    figure = limbik.figures.arm()
    there = figure.project(near_rest(figure, 1, 0.5))
    return Asked(figure, [frame_goal(figure, "Tool", there, rows="axes")])


def human_held() -> Asked:
    asked = human("reachable")
    return Asked(asked.figure, [*asked.goals, Rest()], lock=("Hips", "LeftArm"))


def fingertip_points() -> Asked:
    figure = limbik.figures.hand()
    goals = [
        Reach(goal.joint, position=goal.position, at=goal.at)
        for goal in fingertips(figure, figure.project(near_rest(figure, 3)))
    ]
    return Asked(figure, goals)


SPECIAL = {
    case.__name__: case
    for case in (
        held_from_the_start,
        more_rows_than_coordinates,
        rest_only,
        rest_inside,
        reach_and_rest,
        locked,
        full_weights,
        in_python,
        cones,
        exponential_cones,
        by_axes,
        human_held,
        fingertip_points,
    )
}

_ROW: dict[str, Callable[[str], Asked]] = {
    "planar": planar, "arm": arm, "human": human, "hand": hand, "spider": spider,
}  # fmt: skip


@cache
def problem_of(name: str) -> Asked:
    """A problem of the table ("arm far") or a special one ("full_weights")."""
    if name in SPECIAL:
        return SPECIAL[name]()
    figure, situation = name.split()
    return _ROW[figure](situation)

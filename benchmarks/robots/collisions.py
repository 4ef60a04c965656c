"""Self-collision: random problems with ``Avoid()`` and without, every answer judged by MuJoCo.

A problem asks hands or fingertips to be where a random pose has them; the figure starts from its
rest pose.  Half of what is drawn at random cannot be had without touching, so problems are also
counted apart whose random pose itself is free of collisions.

    python -m benchmarks.robots.collisions [problems] [figure ...]
    python -m benchmarks.robots.collisions --for SECONDS [figure ...]

The second form goes on where it ended the last time, each figure for so many seconds, and adds up
what it counts in results/robots/collisions_long.json; every block of problems has its own seed.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

import limbik
from benchmarks.report import keep, kept, show
from limbik import Avoid, Figure, Pin, Reach
from limbik.figure.collision_pairs import shape_distances
from limbik.goals import Goal
from limbik.maths.so3 import exp_map

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "robots_mjcf"
BLOCK = 500
DEEP = 1e-3  # m
LONG = "robots/collisions_long"


class Case(NamedTuple):
    """name, figure, effectors, other goals, spread of the random poses (rad), depth(q) in m."""

    name: str
    figure: Figure
    effectors: list[str]
    others: list[Goal]
    spread: float
    depth: Callable[[np.ndarray], float]


def of_file(figure: Figure, path: Path) -> Callable[[np.ndarray], float]:
    """The deepest contact that MuJoCo finds in a pose, beyond what the rest pose has."""
    model: Any = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    data: Any = mujoco.MjData(model)  # type: ignore[attr-defined]
    tree, places = figure.tree, []
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)  # type: ignore[attr-defined]
        at = next(
            i
            for i, known in enumerate(figure.definition)
            if known.parts and (known.alias or known.name) == name
        )
        slots = [tree.slots[k] for k in tree.slots_of[at]]
        places.append((int(model.jnt_qposadr[j]), slots))

    def contacts(q: np.ndarray) -> dict[tuple[int, int], float]:
        for at, slots in places:
            values = [slot.scale * q[slot.coordinate] + slot.shift for slot in slots]
            if len(values) == 6:
                values = [*values[:3], *exp_map(values[3:])]
            data.qpos[at : at + len(values)] = values
        mujoco.mj_kinematics(model, data)  # type: ignore[attr-defined]
        mujoco.mj_collision(model, data)  # type: ignore[attr-defined]
        out: dict[tuple[int, int], float] = {}
        for contact in data.contact[: data.ncon]:
            one, two = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
            out[one, two] = max(out.get((one, two), 0.0), -float(contact.dist))
        return out

    at_rest = contacts(figure.rest)
    return lambda q: max(
        (deep - at_rest.get(pair, 0.0) for pair, deep in contacts(q).items()), default=0.0
    )


def of_shapes(figure: Figure) -> Callable[[np.ndarray], float]:
    """The same for capsules that follow joints: MuJoCo's distances of the tested pairs."""
    spec: Any = mujoco.MjSpec()  # type: ignore[attr-defined]
    for k, shape in enumerate(figure.shapes):
        body = spec.worldbody.add_body(name=f"b{k}", mocap=True)
        body.add_geom(
            name=f"g{k}",
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,  # type: ignore[attr-defined]
            size=[shape.radius, shape.half_length, 0],  # type: ignore[union-attr]
        )
    model = spec.compile()
    data: Any = mujoco.MjData(model)  # type: ignore[attr-defined]
    pairs = Avoid()._tested(figure).pairs
    least = np.minimum(shape_distances(figure, figure.rest, pairs)[0], 0.0)
    owners = [figure.index(shape.joint) for shape in figure.shapes]
    radii = np.array([shape.radius + shape.half_length for shape in figure.shapes])  # type: ignore[union-attr]
    local = np.array([shape.center for shape in figure.shapes])
    turns = np.array([_matrix(shape.wxyz) for shape in figure.shapes])  # type: ignore[union-attr]
    reach = radii[pairs].sum(axis=1)

    def depth(q: np.ndarray) -> float:
        frames = figure.frames(q)[owners]
        at = np.einsum("kij,kj->ki", frames[:, :3, :3], local) + frames[:, :3, 3]
        data.mocap_pos[:] = at
        for k, turn in enumerate(frames[:, :3, :3] @ turns):
            mujoco.mju_mat2Quat(data.mocap_quat[k], turn.ravel())  # type: ignore[attr-defined]
        mujoco.mj_kinematics(model, data)  # type: ignore[attr-defined]
        near = np.linalg.norm(at[pairs[:, 0]] - at[pairs[:, 1]], axis=1) < reach
        deepest = 0.0
        for k in np.flatnonzero(near).tolist():
            a, b = pairs[k].tolist()
            d = mujoco.mj_geomDistance(model, data, a, b, 0.1, None)  # type: ignore[attr-defined]
            deepest = max(deepest, float(least[k]) - d)
        return deepest

    return depth


def _matrix(wxyz: Any) -> np.ndarray:
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, np.array(wxyz, float))  # type: ignore[attr-defined]
    return out.reshape(3, 3)


def cases() -> list[Case]:
    """The human, G1 and the Shadow hand."""
    human = limbik.figures.human()
    g1_path = DATA / "unitree_g1" / "g1.xml"
    hand_path = DATA / "shadow_hand" / "right_hand.xml"
    g1, hand = limbik.load(g1_path), limbik.load(hand_path)
    return [
        Case(
            "human", human, ["LeftHand", "RightHand"],
            [Pin(f"{side}Foot", rotation=True) for side in ("Left", "Right")], 0.6,
            of_shapes(human),
        ),
        Case(
            "G1", g1, [f"{side}_wrist_yaw_link" for side in ("left", "right")],
            [Pin(f"{side}_ankle_roll_link", rotation=True) for side in ("left", "right")], 0.6,
            of_file(g1, g1_path),
        ),
        Case(
            "Shadow hand", hand, [name for name in hand.joints if name.endswith("distal")], [], 0.4,
            of_file(hand, hand_path),
        ),
    ]  # fmt: skip


def run(case: Case, first: int, problems: int, seconds: float = math.inf) -> dict[str, Any]:
    """Counts and process times over the random problems from number ``first``, a multiple of BLOCK,
    to ``problems``, or over those blocks that are begun in so many seconds."""
    figure, avoid, end = case.figure, Avoid(), time.monotonic() + seconds
    tested = avoid._tested(figure)
    moving = (figure.owner != 0) if figure.owner.tolist().count(0) == 6 else np.ones(figure.n, bool)
    times, counts = np.zeros((2, 2)), np.zeros((2, 2), int)
    there = figure.positions(figure.rest)
    usual = [
        *(Reach(e, position=there[None, figure.index(e)]) for e in case.effectors),
        *case.others,
    ]
    for wanted in (usual, [*usual, avoid]):  # kernels are loaded, what is tested is found
        limbik.solve_many(figure, wanted)
    reached, deep, deepest, through = 0, 0, 0.0, 0
    begin = first
    while first < problems and time.monotonic() < end:
        count, rng = min(BLOCK, problems - first), np.random.default_rng([0, first])
        poses = figure.rest + case.spread * rng.normal(size=(count, figure.n)) * moving
        poses = figure.project(poses)
        free = np.array(
            [
                (shape_distances(figure, q, tested.pairs)[0] >= np.minimum(0.0, tested.least)).all()
                for q in poses
            ]
        )
        places = figure.positions(poses)
        for which in (free, ~free):
            if not which.any():
                continue
            kind = int(which is not free)
            goals = [
                *(Reach(e, position=places[which, figure.index(e)]) for e in case.effectors),
                *case.others,
            ]
            for k, wanted in enumerate((goals, [*goals, avoid])):
                began = time.process_time()
                answers = limbik.solve_many(figure, wanted, seed=first)
                times[kind, k] += time.process_time() - began
                if k == 0:
                    if kind == 0:
                        through += sum(case.depth(q) > DEEP for q in answers.q)
                    continue
                counts[kind] += int(answers.ok.sum()), len(answers.ok)
                reached += int(answers.ok.sum())
                for q in answers.q[answers.ok]:
                    depth = case.depth(q)
                    deepest = max(deepest, depth)
                    deep += depth > DEEP
        first += count
        print(f"{case.name} {first}: {deep} deep of {reached}, {times[0, 1] / times[0, 0]:.2f} ×")
    return {
        "figure": case.name,
        "problems": first - begin,
        "reached": reached,
        "deeper than 1 mm": deep,
        "deepest mm": round(1e3 * deepest, 4),
        "free targets": int(counts[0, 1]),
        "free targets reached": int(counts[0, 0]),
        "free targets: deeper than 1 mm without Avoid": through,
        "free targets: ms without": round(1e3 * times[0, 0] / max(1, counts[0, 1]), 4),
        "free targets: ms with": round(1e3 * times[0, 1] / max(1, counts[0, 1]), 4),
        "free targets: ratio": round(times[0, 1] / times[0, 0], 2),
        "others: ms with": round(1e3 * times[1, 1] / max(1, counts[1, 1]), 3),
    }


def go_on(case: Case, seconds: float) -> dict[str, Any]:
    """The counts of all problems so far and of those of so many seconds more, added up."""
    before = next((row for row in kept(LONG) if row["figure"] == case.name), None)
    first = before["problems"] if before else 0
    row = run(case, first, sys.maxsize, seconds)
    added = ("problems", "reached", "deeper than 1 mm")
    largest = max(row["deepest mm"], before["deepest mm"] if before else 0.0)
    total = {name: row[name] + (before[name] if before else 0) for name in added}
    return {"figure": case.name, **total, "deepest mm": largest}


def main() -> None:
    given = sys.argv[1:]
    seconds = float(given.pop(1)) if given[:1] == ["--for"] else None
    problems = int(given[0]) if given and seconds is None else 1000
    names = given[1:]
    wanted = [case for case in cases() if not names or case.name in names]
    if seconds is not None:
        for case in wanted:
            row = go_on(case, seconds)
            show(case.name, [row])
            keep(LONG, [*(other for other in kept(LONG) if other["figure"] != case.name), row])
        return
    rows = [run(case, 0, problems) for case in wanted]
    for row in rows:
        show(row["figure"], [row])
    if not names:
        keep("robots/collisions", rows)


if __name__ == "__main__":
    main()

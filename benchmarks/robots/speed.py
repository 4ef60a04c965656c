"""Speed limits beside mink and Pink: two cases that their users reported, in one run.

mink issue 162: a hand of a floating humanoid is pulled to a place far out of reach, every joint may
turn at 5 rad/s, 15 steps of 5 ms.  Speeds are what MuJoCo says between two poses.  Pink issue 206:
a robot starts 0.3 rad outside a joint's range and has to come back at the speed that its file
allows; speeds are what Pinocchio says.

    python -m benchmarks.robots.speed
"""

from __future__ import annotations

import itertools
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mink
import mujoco
import numpy as np
import pink
import pinocchio as pin

import limbik
from benchmarks.report import keep, show
from limbik.maths.so3 import exp_map

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LIMIT, STEP, STEPS = 5.0, 0.005, 15
HAND, FAR = "left_wrist_yaw_link", np.array([3.0, 2.0, 3.0])


def mink_speeds(model: Any) -> list[float]:
    """The largest speed of a joint in each of mink's steps."""
    configuration = mink.Configuration(model, model.qpos0.copy())
    task = mink.FrameTask(HAND, "body", position_cost=1.0, orientation_cost=0.0)
    task.set_target(mink.SE3.from_translation(FAR))
    names = [model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] != 0]
    limits = [
        mink.ConfigurationLimit(model),
        mink.VelocityLimit(model, {name: np.array([LIMIT]) for name in names}),
    ]
    out = []
    for _ in range(STEPS):
        speed = mink.solve_ik(configuration, [task], STEP, "daqp", damping=1e-3, limits=limits)
        before = configuration.q.copy()
        configuration.integrate_inplace(speed, STEP)
        out.append(between(model, before, configuration.q))
    return out


def between(model: Any, before: np.ndarray, after: np.ndarray) -> float:
    """The largest speed of a hinge between two qpos, by MuJoCo."""
    speed = np.empty(model.nv)
    mujoco.mj_differentiatePos(model, speed, STEP, before, after)  # type: ignore[attr-defined]
    return float(np.abs(speed[6:]).max())


def limbik_speeds(model: Any, path: Path) -> list[float]:
    """The same for limbik.Live, its poses handed to MuJoCo."""
    robot = limbik.load(path)
    limits = np.where(robot.owner == 0, np.inf, LIMIT)
    live = limbik.Live(
        robot, limbik.Reach(HAND, position=FAR), rate=1.0 / STEP, start=robot.rest,
        speed_limits=limits,
    )  # fmt: skip
    poses = [qpos(robot, model, robot.rest)]
    poses += [qpos(robot, model, live.step()) for _ in range(STEPS)]
    return [between(model, a, b) for a, b in itertools.pairwise(poses)]


def qpos(robot: limbik.Figure, model: Any, q: np.ndarray) -> np.ndarray:
    """A pose of limbik as MuJoCo has it."""
    out, tree = model.qpos0.copy(), robot.tree
    for j in range(model.njnt):
        name = model.joint(j).name
        at = next(
            i for i, known in enumerate(robot.definition)
            if known.parts and (known.alias or known.name) == name
        )  # fmt: skip
        slots = [tree.slots[k] for k in tree.slots_of[at]]
        values = [slot.scale * q[slot.coordinate] + slot.shift for slot in slots]
        if len(values) == 6:
            values = [*values[:3], *exp_map(values[3:])]
        out[model.jnt_qposadr[j] :][: len(values)] = values
    return out


def outside(path: Path) -> list[dict[str, Any]]:
    """Pink issue 206: how each comes back from 0.3 rad outside."""
    model = pin.buildModelFromUrdf(str(path))
    robot = limbik.load(path)
    step, joint = 0.01, 0
    neutral = np.clip(pin.neutral(model), model.lowerPositionLimit, model.upperPositionLimit)
    start = neutral.copy()
    start[joint] = model.upperPositionLimit[joint] + 0.3
    allowed = float(model.velocityLimit[joint])
    configuration = pink.Configuration(model, model.createData(), start)
    task = pink.PostureTask(cost=1.0)
    task.set_target(neutral)
    try:
        speed = pink.solve_ik(configuration, [task], step, solver="daqp", safety_break=False)
        text = f"{abs(speed[joint]):.4g} rad/s"
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    rows = [{"who": f"Pink {version('pin-pink')}", "first step": text}]
    names = list(model.names)[1:]
    begin = robot.rest.copy()
    for name, value in zip(names, start, strict=False):
        begin[robot.coordinates.index(name)] = value
    middle = robot.rest.copy()
    for name, value in zip(names, neutral, strict=False):
        middle[robot.coordinates.index(name)] = value
    live = limbik.Live(robot, limbik.Rest(weight=1.0, pose=middle), rate=1 / step, start=middle)
    live.feedback(begin)
    c, before, speeds = robot.coordinates.index(names[joint]), begin, []
    while before[c] > model.upperPositionLimit[joint] and len(speeds) < 1000:
        after = live.step()
        moved = pin.difference(
            model,
            *(np.array([q[robot.coordinates.index(n)] for n in names]) for q in (before, after)),
        )
        speeds.append(abs(float(moved[joint])) / step)
        before = after.copy()
    rows.append(
        {
            "who": "limbik.Live",
            "first step": f"{speeds[0]:.6g} rad/s of {allowed:.6g}; inside after {len(speeds)} "
            f"steps, at most {max(speeds):.9g}",
        }
    )
    return rows


def main() -> None:
    path = DATA / "robots_mjcf" / "unitree_g1" / "g1.xml"
    model: Any = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    rows = [
        {"who": who, "largest rad/s": max(speeds), "over the limit": max(speeds) - LIMIT,
         "first steps": " ".join(f"{s:.4g}" for s in speeds[:5])}
        for who, speeds in (
            (f"mink {version('mink')}", mink_speeds(model)),
            ("limbik.Live", limbik_speeds(model, path)),
        )
    ]  # fmt: skip
    show("mink issue 162: 5 rad/s", rows)
    others = outside(DATA / "robots" / "erd_ur5_robot.urdf")
    show("Pink issue 206: from 0.3 rad outside", others)
    keep("robots/speed", rows + others)


if __name__ == "__main__":
    main()

"""Live beside its peers: the two arms of a G1, a loop at 1 kHz, out of reach and back, speeds.

    python -m benchmarks.robots.live [--frames N] [--seconds S]

``--frames``: how many frames of the teleoperation problem are solved by limbik and by CasADi with
IPOPT, each from the last pose of limbik; Pinocchio judges both.  ``--seconds``: how long
the loop at 1 kHz runs (60 on a quiet core).  Times are those of the wall clock and, where others
share the machine, those that the process itself used ("own").  A peer that is not installed is
left out with a sentence.  Reads the robots that the tests use (LIMBIK_TEST_DATA).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import time
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from benchmarks.robots.teleoperation import Casadi, Judge, LimbikArms, hands_at
from tests.helpers.real_data import root

URDF = "robots/unitree_g1_29dof_rev_1_0.urdf"
RATE = 1000.0
EQUAL = 1e-6  # part of a cost: what differs by less is equal
PEERS = {
    "CasADi + IPOPT, tol 1e-6": {"ipopt.max_iter": 50, "ipopt.tol": 1e-6},
    "CasADi + IPOPT, tol 1e-4": {
        "ipopt.max_iter": 15, "ipopt.tol": 1e-4, "ipopt.acceptable_tol": 5e-4,
        "ipopt.acceptable_iter": 5,
    },
}  # fmt: skip


def installed(package: str) -> bool:
    """Whether a peer is here; says so where not."""
    if importlib.util.find_spec(package) is not None:
        return True
    print(f'{package} is not installed and is left out (pip install ".[bench]" has it)')
    return False


def timed(call: Any, *arguments: Any) -> tuple[Any, float, float]:
    """(what the call returns, its time by the wall clock and its own, both in ms)."""
    wall, own = time.perf_counter(), time.thread_time()
    answer = call(*arguments)
    return answer, 1e3 * (time.perf_counter() - wall), 1e3 * (time.thread_time() - own)


def arms(judge: Judge, frames: int) -> list[dict[str, Any]]:
    """The same frames, at 60 per second, for limbik and its peers."""
    places, wxyz, turns = hands_at(judge, frames, 60.0)
    ours = LimbikArms(root() / URDF, judge.names, 60.0, None)
    ours.step(places[0], wxyz[0])  # compiles
    ours.live.feedback(np.zeros(ours.figure.n))
    chosen = PEERS if installed("casadi") else {}
    peers = {name: Casadi(judge, **more) for name, more in chosen.items()}
    times = {name: np.empty((frames, 2)) for name in ("limbik.Live", *peers)}
    costs = {name: np.empty(frames) for name in times}
    last = np.zeros((frames + 1, judge.model.nq))
    for k in range(frames):
        q, *times["limbik.Live"][k] = timed(ours.step, places[k], wxyz[k])
        outside = max((judge.lower - q).max(), (q - judge.upper).max())
        assert outside <= 0.0, f"frame {k}: {outside} rad outside the limits"
        costs["limbik.Live"][k] = judge.cost(q, last[k], places[k], turns[k])
        last[k + 1] = q
    for name, peer in peers.items():
        for k in range(frames):
            q, *times[name][k] = timed(peer.step, last[k], places[k], turns[k])
            q = np.clip(q, judge.lower, judge.upper)  # it relaxes them by 1e-8
            costs[name][k] = judge.cost(q, last[k], places[k], turns[k])
    rows = []
    for name, took in times.items():
        lower = costs["limbik.Live"] <= costs[name] * (1.0 + EQUAL) + 1e-12
        rows.append(
            {
                "solver": name,
                "median ms": float(np.median(took[:, 0])),
                "99 % ms": float(np.percentile(took[:, 0], 99)),
                "own median ms": float(np.median(took[:, 1])),
                "own 99 % ms": float(np.percentile(took[:, 1], 99)),
                "mean cost": float(costs[name].mean()),
                "limbik equal or lower, %": 100.0 * float(lower.mean()),
            }
        )
    return rows


def loop(judge: Judge, seconds: float) -> list[dict[str, Any]]:
    """A loop at 1 kHz: a tick is on time where it ends before the next one begins."""
    ticks = int(seconds * RATE)
    places, wxyz, _ = hands_at(judge, ticks, RATE)
    ours = LimbikArms(root() / URDF, judge.names, RATE, True, acceleration_limits=80.0)
    ours.step(places[0], wxyz[0])
    took, own, late = np.empty(ticks), np.empty(ticks), 0
    begin = time.perf_counter() + 0.01
    for k in range(ticks):
        due = begin + k / RATE
        while (left := due - time.perf_counter()) > 0.0:
            if left > 3e-4:
                time.sleep(left - 2e-4)
        _, took[k], own[k] = timed(ours.step, places[k], wxyz[k])
        late += time.perf_counter() > due + 1.0 / RATE
    return [
        {
            "loop": f"{seconds:g} s at 1 kHz, speeds and accelerations limited",
            "on time, %": 100.0 * (1.0 - late / ticks),
            "median ms": float(np.median(took)),
            "99 % ms": float(np.percentile(took, 99)),
            "own median ms": float(np.median(own)),
            "own 99 % ms": float(np.percentile(own, 99)),
            "own time within 1 ms, %": 100.0 * float((own <= 1.0).mean()),
        }
    ]


def beyond_reach(judge: Judge) -> list[dict[str, Any]]:
    """Both hands go 1.5 m out, far beyond reach, and come back, in 6 s."""
    ticks, hardest = 6000, 40.0
    ours = LimbikArms(root() / URDF, judge.names, RATE, True, acceleration_limits=hardest)
    places, wxyz, _ = hands_at(judge, 1, RATE)
    out = np.sin(np.linspace(0.0, np.pi, ticks)) ** 2
    poses = [np.zeros(len(judge.names))]
    for k in range(ticks):
        target = places[0] + out[k] * np.array([1.5, 0.1, 0.3])
        poses.append(ours.step(target, wxyz[0]))
    speed = np.diff(np.array(poses), axis=0) * RATE
    change = np.diff(speed, axis=0, prepend=np.zeros((1, speed.shape[1]))) * RATE
    far = np.linalg.norm(judge.hands(poses[-1])[0].translation - places[0, 0])
    return [
        {
            "sweep": "1.5 m out and back in 6 s",
            "frozen ticks": int((speed == 0.0).all(axis=1).sum()),
            "speed / limit": float(np.abs(speed / judge.model.velocityLimit).max()),
            "acceleration / limit": float(np.abs(change).max() / hardest),
            "end, mm from target": 1e3 * float(far),
        }
    ]


def speeds() -> list[dict[str, Any]]:
    """A floating G1, one hand drawn far away, 5 rad/s allowed: mink's issue 162, 15 ticks."""
    path, limit, dt = root() / "robots_mjcf/unitree_g1/g1.xml", 5.0, 0.005
    figure = limbik.load(path)
    target = np.array([3.0, 2.0, 4.0])
    allowed = np.full(figure.n, limit)
    allowed[figure.coordinates_of(figure.joints[0])] = np.inf
    live = limbik.Live(
        figure, [limbik.Reach("left_wrist_yaw_link", position=target)], rate=1.0 / dt,
        speed_limits=allowed,
    )  # fmt: skip
    poses = np.array([live.q, *(live.step() for _ in range(15))])
    hinges = np.isfinite(allowed)
    fastest = np.abs(np.diff(poses[:, hinges], axis=0) / dt).max()
    rows = [{"solver": "limbik.Live", "fastest, rad/s": float(fastest), "limit": limit}]
    if installed("mink") and installed("mujoco"):
        mink: Any = importlib.import_module("mink")
        mujoco: Any = importlib.import_module("mujoco")
        model = mujoco.MjModel.from_xml_path(str(path))
        configuration = mink.Configuration(model)
        task = mink.FrameTask("left_wrist_yaw_link", "body", 1.0, 0.0)
        task.set_target(mink.SE3.from_translation(target))
        names = [model.joint(k).name for k in range(model.njnt) if model.jnt_type[k] != 0]
        limits = [
            mink.ConfigurationLimit(model),
            mink.VelocityLimit(model, dict.fromkeys(names, limit)),
        ]
        worst = 0.0
        for _ in range(15):
            velocity = mink.solve_ik(configuration, [task], dt, "daqp", limits=limits)
            worst = max(worst, float(np.abs(velocity[6:]).max()))
            configuration.integrate_inplace(velocity, dt)
        rows.append({"solver": "mink", "fastest, rad/s": worst, "limit": limit})
    return rows


def outside() -> list[dict[str, Any]]:
    """A UR5 that starts 0.3 rad outside a range: pink's issue 206."""
    path, dt, limit = root() / "robots/erd_ur5_robot.urdf", 0.01, 2.0
    ranges = limbik.load(path)
    elbow = "elbow_joint"
    c = ranges.coordinates.index(elbow)
    joint = ranges.joints[int(ranges.owner[c])]
    figure = ranges.with_limits({joint: limbik.Range(-2.0, 1.0)})
    start = np.zeros(figure.n)
    start[c] = 1.3
    live = limbik.Live(
        figure, limbik.Reach(figure.joints[-1], position=[0.4, 0.2, 0.5]), rate=1.0 / dt,
        speed_limits=limit,
    )  # fmt: skip
    live.feedback(start)
    poses = np.array([live.q, *(live.step() for _ in range(40))])
    back = int(np.argmax(poses[:, c] <= 1.0 + 1e-9))
    fastest = np.abs(np.diff(poses, axis=0) / dt).max()
    answer = f"inside after {back} ticks (15 at {limit} rad/s)"
    rows = [{"solver": "limbik.Live", "start outside": answer, "fastest, rad/s": float(fastest)}]
    if installed("pink") and installed("pinocchio"):
        pin: Any = importlib.import_module("pinocchio")
        pink: Any = importlib.import_module("pink")
        model = pin.buildModelFromUrdf(str(path))
        k = model.joints[model.getJointId(elbow)].idx_q
        model.lowerPositionLimit[k], model.upperPositionLimit[k] = -2.0, 1.0
        model.velocityLimit[:] = limit
        q = pin.neutral(model)
        q[k] = 1.3
        worst_text, worst = "", 0.0
        try:
            configuration = pink.Configuration(model, model.createData(), q)
            task = pink.tasks.FrameTask(model.frames[-1].name, 1.0, 0.0)
            task.set_target(pin.SE3(np.eye(3), np.array([0.4, 0.2, 0.5])))
            for tick in range(40):
                velocity = pink.solve_ik(
                    configuration, [task], dt, solver="daqp", safety_break=False
                )
                worst = max(worst, float(np.abs(velocity).max()))
                configuration.integrate_inplace(velocity, dt)
                if not worst_text and configuration.q[k] <= 1.0:
                    worst_text = f"inside after {tick + 1} ticks"
        except Exception as error:  # what it raises is the answer of this benchmark
            worst_text = f"{type(error).__name__}"
        rows.append({"solver": "pink", "start outside": worst_text, "fastest, rad/s": worst})
    return rows


def main(frames: int, seconds: float) -> None:
    """Run all, print, and keep in results/robots/live.json."""
    judge = Judge(root() / URDF)
    found = {
        "Two arms of a G1, 60 frames per second": arms(judge, frames),
        "Loop": loop(judge, seconds),
        "Out of reach": beyond_reach(judge),
        "Speed limits (mink issue 162)": speeds(),
        "Start outside the limits (pink issue 206)": outside(),
    }
    rows: list[dict[str, Any]] = []
    for title, part in found.items():
        show(title, part)
        rows += [{"part": title} | row for row in part]
    keep("robots/live", rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    main(chosen.frames, chosen.seconds)

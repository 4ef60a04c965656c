"""Clips on robots and characters: limits, speeds, slide, jerk, errors and time, judged by MuJoCo.

    python -m benchmarks.retarget [--clips NAMES] [--frames N] [--robot FILE] [--pairs]
        [--starts K] [--keep]

Reads the recordings and robots that the tests use (LIMBIK_TEST_DATA, or shared/data beside the
project).  Frame by frame stands a two-stage differential solve with mink in the same run, the
popular formulation written from its description: first rotations with the base and the feet, then
all positions, up to ten iterations each, from the pose of the frame before.  Both get the same
targets, with the same weights.  Times are of the processor, of both from where the
clip's contacts are known.  The peer keeps neither contacts nor speeds, and does not keep a robot's
links apart; so limbik's whole clip is solved with and without that, and MuJoCo counts frames in
which links overlap.  ``--pairs`` runs every source on every target for a moment and looks for
limits, speeds and jumps; ``--starts`` compares clip[k:] with clip one second after k, K times for
each clip, with and without shapes.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import time
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik.animate.contacts import runs
from limbik.animate.retargeting.body_shape import BodyShape
from limbik.animate.retargeting.clip_problem import SEGMENT, TURN_WEIGHTS, WEIGHTS
from limbik.animate.retargeting.retarget import retarget
from limbik.animate.retargeting.target_tracks import Targets
from limbik.animate.retargeting.targets import build_targets
from limbik.animate.whole_clip.spacetime import with_free_balls
from limbik.humanoid import recognise
from limbik.maths.so3 import log_map, matrix_to_quat
from tests.helpers.real_data import root

SOURCES = {
    "LAFAN1 dance": ("motion/lafan1_dance1_subject2.bvh", 200),
    "SOMA": ("motion/soma_pick_up.bvh", 200),
    "Xsens": ("motion/xsens_stand.bvh", 0),
    "flip": ("motion/flip_back.bvh", 420),
    "side flip": ("motion/flip_side.bvh", 400),
    "CMU walk": ("cmu_bvh/02_01.bvh", 20),
    "CMU cartwheel": ("cmu_bvh/49_06.bvh", 100),
    "CMU dance": ("cmu_bvh/05_02.bvh", 100),
}
G1 = "robots_mjcf/unitree_g1/g1.xml"
TARGETS = {
    "G1": G1,
    "G1 (URDF)": "robots/unitree_g1_29dof_rev_1_0.urdf",
    "T1": "robots_mjcf/booster_t1/t1.xml",
    "Talos": "robots/erd_talos_full_v2.urdf",
    "Romeo": "robots/erd_romeo.urdf",
    "VRM 0": "vrm/sat06_basic_armature_vrm0.vrm",
    "VRM 1": "vrm/sat06_basic_armature_vrm1.vrm",
    "human": "",
}
JUMP = np.radians(60.0)
SLOW = 0.01  # m/s
ARCH = 0.005  # m
OVERLAP = 0.002  # m; two links of each of G1's wrists are made to overlap by less


def source(name: str, frames: int) -> limbik.Motion:
    """A slice of a recording."""
    path, first = SOURCES[name]
    return limbik.load_motion(root() / path)[first : first + frames]


def target(name: str) -> limbik.Figure:
    """A target's figure."""
    return limbik.load(root() / TARGETS[name]) if TARGETS[name] else limbik.figures.human()


def g1_speeds(figure: limbik.Figure) -> np.ndarray:
    """(n,) the speed limits of G1, from its URDF file."""
    limits = {}
    for joint in ET.parse(root() / TARGETS["G1 (URDF)"]).getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None:
            limits[joint.get("name")] = float(limit.get("velocity", "inf"))
    return np.array([limits.get(name, np.inf) for name in figure.coordinates])


def joint_jerk(motion: limbik.Motion) -> float:
    """95 % of the jerk of all joints that turn, rad/s³."""
    frames, found = motion.figure.frames(motion.q)[:, :, :3, :3], []
    for i, parent in enumerate(motion.figure.parents.tolist()):
        if parent < 0:
            continue
        own = np.swapaxes(frames[:, parent], 1, 2) @ frames[:, i]
        speed = log_map(matrix_to_quat(own[1:] @ np.swapaxes(own[:-1], 1, 2))) * motion.fps
        jerk = np.linalg.norm(np.diff(speed, 2, axis=0), axis=1) * motion.fps**2
        if jerk.max(initial=0.0) > 1.0:
            found.append(jerk)
    return float(np.percentile(np.concatenate(found), 95.0))


class Judge:
    """MuJoCo on a robot's MJCF file: where its feet are, and whether its limits hold."""

    def __init__(self, path: Path) -> None:
        mujoco: Any = importlib.import_module("mujoco")
        self.mujoco = mujoco
        self.model: Any = mujoco.MjModel.from_xml_path(str(path))
        self.data: Any = mujoco.MjData(self.model)
        self.hinges = {
            self.model.joint(j).name: j
            for j in range(self.model.njnt)
            if self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE
        }

    def qpos(self, motion: limbik.Motion) -> np.ndarray:
        """(frames, nq) a motion in MuJoCo's coordinates."""
        figure = motion.figure
        out = np.zeros((motion.frames, self.model.nq))
        base = figure.frames(motion.q)[:, int(np.flatnonzero(figure.parents < 0)[0])]
        out[:, :3], out[:, 3:7] = base[:, :3, 3], matrix_to_quat(base[:, :3, :3])
        for name, joint in self.hinges.items():
            place = self.model.jnt_qposadr[joint]
            out[:, place] = motion.q[:, figure.coordinates.index(name)]
        return out

    def feet(self, qpos: np.ndarray, link: str) -> np.ndarray:
        """(frames, points, 3) the lowest points of a foot's collision spheres, and of both ends of
        its capsules; those of its arch, higher than ARCH where the foot is flat, are left out."""
        body = self.model.body(link).id
        own = [
            g
            for g in range(self.model.ngeom)
            if self.model.geom_bodyid[g] == body and self.model.geom_contype[g]
        ]
        capsule = self.model.geom_type[own] == self.mujoco.mjtGeom.mjGEOM_CAPSULE
        half = np.where(capsule, self.model.geom_size[own][:, 1], 0.0)[:, None]
        low = [0.0, 0.0, 1.0] * self.model.geom_size[own][:, :1]
        out = np.empty((len(qpos) + 1, 2 * len(own), 3))
        for t, q in enumerate([*qpos, self.model.qpos0]):
            self.data.qpos[:] = q
            self.mujoco.mj_kinematics(self.model, self.data)
            along = half * self.data.geom_xmat[own].reshape(-1, 3, 3)[:, :, 2]
            middle = self.data.geom_xpos[own] - low
            out[t] = np.concatenate([middle - along, middle + along])
        flat = out[-1, :, 2] - out[-1, :, 2].min()
        return out[:-1, flat < ARCH]

    def measure(
        self, motion: limbik.Motion, held: dict[str, np.ndarray], speeds: np.ndarray
    ) -> dict[str, Any]:
        """The figures of one result; ``held`` says by link in which frames a foot stands."""
        qpos, joints = self.qpos(motion), list(self.hinges.values())
        places = self.model.jnt_qposadr[joints]
        low, high = self.model.jnt_range[joints].T
        values = qpos[:, places]
        rates = np.abs(np.diff(values, axis=0)) * motion.fps
        most = [speeds[motion.figure.coordinates.index(name)] for name in self.hinges]
        slides, moving, gaps, deep, stood = [], 0, [], 0.0, 0
        for link, flags in held.items():
            sole = self.feet(qpos, link)
            deep = max(deep, float(-sole[..., 2].min()))
            for a, b in runs(flags):
                middle = sole[a:b].mean(axis=1)
                slides.append(1e3 * float(np.linalg.norm(np.ptp(middle[:, :2], axis=0))))
                speed = np.linalg.norm(np.diff(middle, axis=0), axis=1) * motion.fps
                moving, stood = moving + int((speed > SLOW).sum()), stood + b - a - 1
                gaps.append(1e3 * float(np.abs(sole[a:b, :, 2]).max()))
        return {
            "limits broken": int((values < low - 1e-6).sum() + (values > high + 1e-6).sum()),
            "too fast": int((rates > np.array(most) * (1 + 1e-9)).sum()),
            "rad/s": float(rates.max()),
            "slide mm": f"{np.median(slides or [0]):.2f} / {max(slides, default=0):.2f}",
            "stance > 1 cm/s": f"{100 * moving / max(stood, 1):.1f} %",
            "sole mm": float(max(gaps, default=0.0)),
            "deep mm": 1e3 * deep,
            "jerk 95 %": float(np.percentile(np.abs(np.diff(values, 3, axis=0)), 95))
            * motion.fps**3,
            "jumps": int((np.abs(np.diff(values, axis=0)) > JUMP).any(axis=1).sum()),
            "overlaps": self.overlaps(qpos),
        }

    def overlaps(self, qpos: np.ndarray) -> str:
        """In how many frames links overlap by more than OVERLAP, and by how much at most."""
        count, worst = 0, 0.0
        for q in qpos:
            self.data.qpos[:] = q
            self.mujoco.mj_forward(self.model, self.data)
            touching = self.data.contact
            links = self.model.geom_bodyid[touching.geom].reshape(-1, 2)
            deep = -touching.dist[(links > 0).all(axis=1)].min(initial=0.0)
            count, worst = count + int(deep > OVERLAP), max(worst, deep)
        return f"{count} ({1e3 * worst:.0f} mm)" if count else "0"


def asked(clip: limbik.Motion, figure: limbik.Figure) -> tuple[Targets, BodyShape]:
    """The targets that both get, and the target's body."""
    body = BodyShape(clip.figure, recognise(clip.figure), clip.q)
    shape = BodyShape(with_free_balls(figure), recognise(figure))
    ground = limbik.find_ground(clip)
    contacts = limbik.find_contacts(clip, ground=ground)
    soles = {"left": None, "right": None}
    return build_targets(clip, body, shape, contacts, ground=ground, soles=soles), shape


def two_stages(
    path: Path, figure: limbik.Figure, targets: Targets, shape: BodyShape, start: np.ndarray
) -> tuple[np.ndarray, float]:
    """(qpos, seconds of processor time) of the popular formulation with mink, frame by frame."""
    import mink

    spec: Any = importlib.import_module("mujoco").MjSpec.from_file(str(path))
    for role, point in targets.points.items():
        at = shape.t_frames[point.link].T @ point.at if role.endswith("Ball") else point.at
        spec.body(figure.joints[point.link]).add_site(name=f"p {role}", pos=at)
    for role, turned in targets.turned.items():
        spec.body(figure.joints[turned.link]).add_site(name=f"r {role}")
    model = spec.compile()
    configuration = mink.Configuration(model)
    configuration.update(start)
    tasks: list[tuple[Any, str, bool]] = []
    for role in targets.points:
        cost = WEIGHTS[role.removeprefix("left").removeprefix("right")] ** 0.5 * 10
        tasks.append((mink.FrameTask(f"p {role}", "site", cost, 0.0, lm_damping=1.0), role, True))
    for role in targets.turned:
        part = role.removeprefix("left").removeprefix("right")
        cost = TURN_WEIGHTS.get(part, SEGMENT) ** 0.5 * 10 * figure.size / 4
        tasks.append((mink.FrameTask(f"r {role}", "site", 0.0, cost, lm_damping=1.0), role, False))
    first = [t for t, role, point in tasks if not point or role in ("hips",) or "Foot" in role]
    limits = [mink.ConfigurationLimit(model)]
    out = np.empty((len(targets.points["hips"].track), model.nq))
    began = time.process_time()
    for t in range(len(out)):
        for task, role, point in tasks:
            if point:
                place, turn = targets.points[role].track[t], np.array([1.0, 0.0, 0.0, 0.0])
            else:
                turned = targets.turned[role]
                place = np.zeros(3)
                turn = matrix_to_quat(turned.track[t] @ shape.t_frames[turned.link])
            task.set_target(
                mink.SE3.from_rotation_and_translation(mink.SO3(np.asarray(turn)), place)
            )
        for stage in (first, [task for task, _, _ in tasks]):
            error = np.inf
            for _ in range(10):
                velocity = mink.solve_ik(
                    configuration, stage, 0.02, "daqp", damping=0.5, limits=limits
                )
                configuration.integrate_inplace(velocity, 0.02)
                now = sum(
                    float(np.linalg.norm(task.compute_error(configuration))) for task in stage
                )
                if error - now < 1e-3:
                    break
                error = now
        out[t] = configuration.q
    return out, time.process_time() - began


def as_motion(judge: Judge, figure: limbik.Figure, qpos: np.ndarray, fps: float) -> limbik.Motion:
    """MuJoCo's coordinates as a motion of the figure."""
    q = np.zeros((len(qpos), figure.n))
    q[:, :3], q[:, 3:6] = qpos[:, :3], log_map(qpos[:, 3:7])
    q[:, :3] -= np.array(figure.definition[0].offset)
    for name, joint in judge.hinges.items():
        q[:, figure.coordinates.index(name)] = qpos[:, judge.model.jnt_qposadr[joint]]
    return limbik.Motion(figure, q, fps)


def errors(figure: limbik.Figure, q: np.ndarray, targets: Targets, shape: BodyShape) -> float:
    """Mean distance of the key points from their targets, mm."""
    frames, found = figure.frames(q), []
    for role, point in targets.points.items():
        at = shape.t_frames[point.link].T @ point.at if role.endswith("Ball") else point.at
        frame = frames[:, point.link]
        place = frame[:, :3, :3] @ at + frame[:, :3, 3]
        found.append(np.linalg.norm(place - point.track, axis=1))
    return 1e3 * float(np.mean(found))


def on_robot(name: str, frames: int, path: Path) -> list[dict[str, Any]]:
    """One clip on a robot: limbik frame by frame and at once, and mink where it is installed."""
    figure, judge, clip = limbik.load(path), Judge(path), source(name, frames)
    own_limits = np.asarray(figure.speed_limits, float)
    speeds = g1_speeds(figure) if path == root() / G1 else own_limits
    targets, shape = asked(clip, figure)
    held = {
        figure.joints[point.link]: point.held
        for role, point in targets.points.items()
        if role.endswith("Foot")
    }
    rows, own = [], joint_jerk(clip)
    ways: list[tuple[str, dict[str, Any]]] = [
        ("limbik, frame by frame", {"whole": False, "smooth": 0.0}),
        ("limbik, at once, links apart", {"speed_limits": speeds}),
        ("limbik, at once", {"speed_limits": speeds, "avoid": False}),
    ]
    start = np.zeros(0)
    for label, options in ways:
        retarget(clip[:4], figure, **options)
        began, wall = time.process_time(), time.perf_counter()
        out = retarget(clip, figure, **options)
        share = (time.process_time() - began) / (time.perf_counter() - wall)
        row = {"clip": name, "with": label, "fps": clip.frames / (share * out.seconds)}
        row |= judge.measure(out.motion, held, speeds)
        row["error mm"] = errors(figure, out.motion.q, targets, shape)
        rows.append(row | {"jerk / source": row["jerk 95 %"] / own})
        start = judge.qpos(out.motion)[0]
    if importlib.util.find_spec("mink"):
        qpos, seconds = two_stages(path, figure, targets, shape, start)
        motion = as_motion(judge, figure, qpos, clip.fps)
        row = {"clip": name, "with": "mink, two stages", "fps": clip.frames / seconds}
        row |= judge.measure(motion, held, speeds)
        row["error mm"] = errors(figure, motion.q, targets, shape)
        rows.append(row | {"jerk / source": row["jerk 95 %"] / own})
    return rows


def all_pairs(seconds: float = 0.3) -> list[dict[str, Any]]:
    """Every source on every target: limits and speeds that are broken, jumps beyond the source's,
    and the depth of soles and joints in the ground, mm."""
    rows = []
    for name in SOURCES:
        clip = source(name, 10_000)
        clip = clip[: max(8, round(seconds * clip.fps))]
        row = dict[str, Any](source=name)
        for other in TARGETS:
            figure = target(other)
            out = retarget(clip, figure)
            report = limbik.check(out.motion, source=clip, ground=0.0)
            wrong = [
                what
                for what, found in (
                    ("limits", report.limit_violation > 0.0),
                    ("speeds", report.too_fast),
                    ("jumps", report.jumps),
                )
                if found
            ]
            deep = report.penetration_mm
            row[other] = ", ".join(wrong) or f"{len(out.roles)} roles, {deep:.1f} mm"
        rows.append(row)
    return rows


def starts(name: str, frames: int, count: int) -> list[dict[str, Any]]:
    """clip[k:] against clip, from one second after k on; the clip lasts four seconds at least."""
    second = round(source(name, 2).fps)
    clip, figure, rows = source(name, max(frames, 4 * second)), target("G1"), []
    begins = np.random.default_rng(0).integers(5, clip.frames - 2 * second, count).tolist()
    for label, avoid in (("links apart", None), ("without shapes", False)):
        whole = retarget(clip, figure, avoid=avoid).motion
        for k in begins:
            part = retarget(clip[k:], figure, avoid=avoid).motion
            apart = np.degrees(np.abs(part.q[second:, 6:] - whole.q[k + second :, 6:]))
            rows.append({"clip": name, "with": label, "k": k, "degrees, max": float(apart.max()),
                         "degrees, 99 %": float(np.percentile(apart, 99))})  # fmt: skip
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Measure, show and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", default=",".join(SOURCES), help="names, with commas")
    parser.add_argument("--frames", type=int, default=150)
    parser.add_argument("--robot", type=Path, default=None, help="an MJCF file in place of G1's")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--starts", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="write results/retarget.json")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", limbik.LimbikWarning)
    robot = options.robot or root() / G1
    clips = [name for name in options.clips.split(",") if name]
    rows = [row for name in clips for row in on_robot(name, options.frames, robot)]
    show(f"on {robot.stem}, judged by MuJoCo", rows)
    if options.pairs:
        pairs = all_pairs()
        show("pairs", pairs)
        rows += pairs
    if options.starts:
        near = [row for name in clips for row in starts(name, options.frames, options.starts)]
        show("start anywhere", near)
        rows += near
    if options.keep:
        keep("retarget", rows)


if __name__ == "__main__":
    main()

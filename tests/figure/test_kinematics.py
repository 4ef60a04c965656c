"""Kinematics: every joint kind × goal kind against finite differences, Pinocchio and MuJoCo."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.transform import Rotation

from helpers.random_figures import (
    COUPLED,
    GOALS,
    JOINTS,
    SEEDS,
    TREES,
    direction,
    random_figure,
    random_goals,
    random_pose,
    turned,
)
from limbik import Figure, Joint, Problem
from limbik.figure.joints import (
    ExponentialBall,
    Slide,
    SwingTwistBall,
    Turn,
    euler,
    exponential,
    free,
    prismatic,
    revolute,
    swing_twist,
    universal,
)
from limbik.maths.so3 import left_jacobian

STEP = 1e-5


def differences(function, q: np.ndarray) -> np.ndarray:
    """(..., n) central differences of fourth order of ``function`` at q."""
    columns = [
        8.0 * (function(q + h) - function(q - h)) - (function(q + 2 * h) - function(q - 2 * h))
        for h in STEP * np.eye(len(q))
    ]
    return np.stack(columns, axis=-1) / (12 * STEP) if columns else np.zeros((0, 0))


def chain(kind: str, rng: np.random.Generator) -> Figure:
    """A chain that moves above, at and below a joint of the given kind."""
    kinds = ["universal", "prismatic", kind, "revolute", "fixed"]
    return random_figure(rng, kinds, chain=True)


# ---- goals against finite differences -----------------------------------------------------------


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("kind", [*JOINTS, *COUPLED])
def test_goal_rows_agree_with_differences(kind: str, goal: str) -> None:
    rng = np.random.default_rng(sum(map(ord, kind + goal)))
    figure = chain(kind, rng)
    for joint in (figure.joints[2], figure.joints[-1]):
        q = rng.normal(size=figure.n)
        problem = Problem(
            figure, [GOALS[goal](rng, figure, q, joint)], start=rng.normal(size=figure.n)
        )
        rows = problem.jacobian(q)
        assert rows.shape == (problem.rows, figure.n)
        if problem.rows:
            numeric = -differences(problem.residual, q)
            np.testing.assert_allclose(rows, numeric, rtol=1e-7, atol=1e-7)
        slope = differences(problem.objective, q)
        np.testing.assert_allclose(problem.gradient(q), slope, rtol=1e-7, atol=1e-7)
        r = problem.residual(q)
        if goal not in ("Rest", "FarFromLimits"):  # these are diagonals and have no rows
            assert problem.objective(q) == pytest.approx(r @ r, rel=1e-13)


@given(SEEDS, TREES)
@settings(max_examples=60)
def test_goals_of_a_random_tree_agree_with_differences(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds)
    q = rng.normal(size=figure.n)
    problem = Problem(figure, random_goals(rng, figure, sorted(GOALS), q), start=q * 0.9)
    numeric = -differences(problem.residual, q)
    scale = max(1.0, np.abs(numeric).max(initial=0.0))
    if figure.n:
        assert np.abs(problem.jacobian(q) - numeric).max() < 1e-7 * scale
        slope = differences(problem.objective, q)
        assert np.abs(problem.gradient(q) - slope).max() < 1e-7 * max(1.0, np.abs(slope).max())


@pytest.mark.parametrize("kind", [*JOINTS, *COUPLED])
def test_figure_jacobian_agrees_with_differences(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    figure = chain(kind, rng)
    for joint in figure.joints:
        k, q, at = figure.index(joint), rng.normal(size=figure.n), rng.normal(size=3)

        def point(q: np.ndarray, k: int = k, at: np.ndarray = at) -> np.ndarray:
            return figure.frames(q)[k, :3] @ [*at, 1.0]

        def turn(h: np.ndarray, k: int = k, q: np.ndarray = q) -> np.ndarray:
            ahead, behind = figure.frames(q + h)[k, :3, :3], figure.frames(q - h)[k, :3, :3]
            return Rotation.from_matrix(ahead @ behind.T).as_rotvec() / (2 * STEP)

        rows = figure.jacobian(q, joint, at=at)
        np.testing.assert_allclose(rows[:3], differences(point, q), rtol=1e-7, atol=1e-7)
        angular = np.stack([turn(h) for h in STEP * np.eye(figure.n)], axis=-1)
        np.testing.assert_allclose(rows[3:], angular, rtol=1e-7, atol=1e-7)


# ---- batches ------------------------------------------------------------------------------------


@given(SEEDS, TREES)
@settings(max_examples=25)
def test_a_batch_equals_its_poses_one_by_one(seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, kinds, limits=True)
    poses = rng.normal(size=(4, figure.n))
    joint = figure.joints[-1]
    for many, one in (
        (figure.positions(poses), [figure.positions(q) for q in poses]),
        (figure.frames(poses), [figure.frames(q) for q in poses]),
        (figure.jacobian(poses, joint), [figure.jacobian(q, joint) for q in poses]),
        (figure.project(poses), [figure.project(q) for q in poses]),
        (figure.violation(poses), [figure.violation(q) for q in poses]),
    ):
        np.testing.assert_array_equal(many, np.array(one))
    np.testing.assert_array_equal(figure.frames(poses)[:, :, :3, 3], figure.positions(poses))
    # Rows of a transposed table are not contiguous; the answers must not change.
    np.testing.assert_array_equal(figure.positions(poses.T.copy().T), figure.positions(poses))


# ---- against Pinocchio --------------------------------------------------------------------------


def ball_of(part: ExponentialBall | SwingTwistBall, w: np.ndarray) -> tuple[Rotation, np.ndarray]:
    """A ball's rotation, and (3, 3) its angular velocity, in its own frame, per coordinate."""
    if isinstance(part, ExponentialBall):
        return Rotation.from_rotvec(w), left_jacobian(-w)
    u, v, t = part.basis.T
    s = w[0] * u + w[1] * v
    twist = Rotation.from_rotvec(w[2] * t)
    swinging = twist.inv().as_matrix() @ left_jacobian(-s) @ np.column_stack([u, v])
    return Rotation.from_rotvec(s) * twist, np.column_stack([swinging, t])


def test_agrees_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(7)
    kinds = {
        "Root": free(exponential()),
        "Hinge": revolute(direction(rng)),
        "Slide": prismatic(direction(rng)),
        "Cross": universal(direction(rng), "x"),
        "Exp": exponential(),
        "ZYZ": euler("ZYZ"),
        "Ball": swing_twist(direction(rng), direction(rng)),
        "Mixed": revolute("-y") + prismatic((1, 2, 3)) + revolute((0, -1, 1)),
        "Tip": (),
    }
    names = list(kinds)
    joints = [
        Joint(name, parent, kinds[name], tuple(rng.normal(size=3)), tuple(turned(rng)))
        for parent, name in pairwise([None, *names])
    ]
    figure = Figure(joints)
    q = rng.uniform(-1.2, 1.2, figure.n)

    model, values, parent = pin.Model(), [], 0
    change = np.zeros((0, 0))  # from limbik's rates to Pinocchio's velocities
    at = 0
    frame_of = {}
    for joint in joints:
        turn = Rotation.from_quat(joint.wxyz, scalar_first=True).as_matrix()
        place = pin.SE3(turn, np.array(joint.offset))
        parts = list(joint.parts)
        if joint.name == "Root":
            ball, rates = ball_of(parts[3], q[3:6])
            parent = model.addJoint(parent, pin.JointModelFreeFlyer(), place, "Root")
            values += [*q[:3], *ball.as_quat()]
            blocks = [ball.inv().as_matrix(), rates]
            parts, place, at = [], pin.SE3.Identity(), 6
        else:
            blocks = []
        composite = pin.JointModelComposite()
        for part in parts:
            if isinstance(part, Turn | Slide):
                unaligned = (
                    pin.JointModelRevoluteUnaligned
                    if isinstance(part, Turn)
                    else pin.JointModelPrismaticUnaligned
                )
                composite.addJoint(unaligned(np.array(part.axis)))
                values.append(q[at])
                blocks.append(np.eye(1))
                at += 1
            else:
                ball, rates = ball_of(part, q[at : at + 3])
                composite.addJoint(pin.JointModelSpherical())
                values += list(ball.as_quat())
                blocks.append(rates)
                at += 3
        if parts:
            parent = model.addJoint(parent, composite, place, joint.name)
            place = pin.SE3.Identity()
        frame_of[joint.name] = model.addFrame(
            pin.Frame(joint.name, parent, place, pin.FrameType.OP_FRAME)
        )
        for block in blocks:
            grown = np.zeros(np.add(change.shape, block.shape))
            grown[: len(change), : len(change)] = change
            grown[len(change) :, len(change) :] = block
            change = grown
    data = model.createData()
    pin.computeJointJacobians(model, data, np.array(values))
    pin.updateFramePlacements(model, data)
    frames = figure.frames(q)
    for name, frame in frame_of.items():
        expected = data.oMf[frame].homogeneous
        np.testing.assert_allclose(frames[figure.index(name)], expected, atol=1e-9)
        rows = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(figure.jacobian(q, name), rows @ change, atol=1e-9)


# ---- against MuJoCo -----------------------------------------------------------------------------


def mjcf_joint(part: object) -> str:
    if isinstance(part, Turn | Slide):
        kind = "hinge" if isinstance(part, Turn) else "slide"
        return f'<joint type="{kind}" axis="{part.axis[0]} {part.axis[1]} {part.axis[2]}"/>'
    return '<joint type="ball"/>'


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_mujoco(seed: int) -> None:
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)
    kinds = ["exponential", "revolute", "prismatic", "swing–twist", "slide then turn"]
    kinds += ["universal", "euler ZXY", "turn then slide", "fixed", "revolute -x", "euler YZY"]
    kinds = ["free exponential", *rng.permutation(kinds)]
    figure = random_figure(rng, kinds)
    q = random_pose(rng, figure)
    children: dict[str | None, list[Joint]] = {}
    for joint in figure.definition:
        children.setdefault(joint.parent, []).append(joint)

    def body(joint: Joint) -> str:
        x, y, z = joint.offset
        turn = " ".join(map(repr, map(float, joint.wxyz)))
        moving = "".join(map(mjcf_joint, joint.parts)) if joint.parent else "<freejoint/>"
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        below = "".join(body(child) for child in children.get(joint.name, []))
        head = f'<body name="{joint.name}" pos="{x} {y} {z}" quat="{turn}">'
        return head + mass + moving + below + "</body>"

    # Armature keeps MuJoCo from warning of joints that two axes make singular.
    text = '<mujoco><compiler angle="radian"/><default><joint armature="1"/></default><worldbody>'
    text += body(children[None][0]) + "</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    # A free joint of MuJoCo says where the body is in the world.
    root = figure.frames(q)[0]
    data.qpos[:3] = root[:3, 3]
    data.qpos[3:7] = Rotation.from_matrix(root[:3, :3]).as_quat(scalar_first=True)
    values = dict(zip(figure.coordinates, q, strict=True))
    for joint in figure.definition[1:]:
        first = model.body(joint.name).jntadr[0]
        labels = iter(joint.labels)
        for k, part in enumerate(joint.parts):
            own = [next(labels) for _ in part.labels]
            names = [joint.name] if len(joint.labels) == 1 else [f"{joint.name}.{x}" for x in own]
            at = model.jnt_qposadr[first + k]
            found = np.array([values[name] for name in names])
            if isinstance(part, ExponentialBall | SwingTwistBall):
                data.qpos[at : at + 4] = ball_of(part, found)[0].as_quat(scalar_first=True)
            else:
                data.qpos[at] = found[0]
    mujoco.mj_kinematics(model, data)
    frames = figure.frames(q)
    for k, name in enumerate(figure.joints):
        seen = data.body(name)
        np.testing.assert_allclose(frames[k, :3, 3], seen.xpos, atol=1e-9)
        np.testing.assert_allclose(frames[k, :3, :3], seen.xmat.reshape(3, 3), atol=1e-9)

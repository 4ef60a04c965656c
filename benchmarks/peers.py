"""The same problems for limbik and its peers, timed in turns, answers judged by limbik's own
kinematics.

    python -m benchmarks.peers [PROBLEMS]

A peer that is not installed is left out with a sentence; ``pip install ".[bench]"`` has them all.
Every solver is made ready before the clock starts, then gets a target and returns joint values.
Each stops as soon as it knows that it has met the tolerance, where it can be told to.  Every
problem is solved in several rounds, and the best time of each problem counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

import limbik
from benchmarks.arm import reachable
from benchmarks.report import keep, show
from limbik.maths.so3 import quat_to_matrix
from limbik.solver.batch_runs import Batch
from limbik.solver.problem import Problem
from limbik.solver.runner import Runner, find_method
from limbik.solver.targets.tables import batch_problem

POSITION, ROTATION = 1e-4, 1e-3  # metres and radians that count as reached
OUTSIDE = 1e-9  # radians beyond a limit that count as a violation
ROUNDS = 2
RESTARTS = 30  # as many as limbik allows itself


class Peer(Protocol):
    """A way to solve for the arm's tool from its middle pose."""

    name: str
    package: str
    settings: str

    def tool(self, q: np.ndarray) -> np.ndarray:
        """(4, 4) where this peer's own kinematics puts the tool."""
        ...

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """(7,) joint values for problem k: a position (3,) and an orientation (3, 3)."""
        ...


def middle_of(figure: limbik.Figure) -> np.ndarray:
    """(n,) the middle of the limits, where every solver starts."""
    return 0.5 * (figure.lower + figure.upper)


class Limbik:
    """One compiled call a problem; the problem is built once."""

    package = "limbik"

    def __init__(self, figure: limbik.Figure, places: Any, wxyz: Any, restarts: int | None) -> None:
        self.name = "limbik" if restarts is None else f"limbik, restarts={restarts}"
        self.settings = "default method, one row of solve.Batch a problem"
        self._figure, self._start = figure, middle_of(figure)[None]
        targets, where, problem = batch_problem(
            figure, ["Tool"], places, wxyz, tolerance=(POSITION, ROTATION)
        )
        solver = Runner(problem, find_method(None), near=False, restarts=restarts)
        solver.compile()
        self._batch = Batch(solver, where, targets, seed=0)

    def tool(self, q: np.ndarray) -> np.ndarray:
        return self._figure.frames(q)[self._figure.index("Tool")]

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        self._batch.part(k, k + 1, self._start, chain=False)
        return self._batch.poses[k]


class LimbikCall:
    """The public function, which builds its problem and explains its answer in every call."""

    name, package = "limbik.solve", "limbik"
    settings = "limbik.solve with its defaults, set-up and explanation included"

    def __init__(self, figure: limbik.Figure, wxyz: np.ndarray) -> None:
        self._figure, self._start, self._wxyz = figure, middle_of(figure), wxyz[:, 0]

    def tool(self, q: np.ndarray) -> np.ndarray:
        return self._figure.frames(q)[self._figure.index("Tool")]

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        goal = limbik.Reach("Tool", position=place, wxyz=self._wxyz[k])
        tolerance = (POSITION, ROTATION)
        return limbik.solve(self._figure, goal, start=self._start, tolerance=tolerance).q


class Pinocchio:
    """Closed-loop inverse kinematics as in Pinocchio's documentation, clamped to the limits."""

    package = "pin"

    def __init__(self, figure: limbik.Figure, step: float, damp: float, restarts: int = 0) -> None:
        import pinocchio

        self._pin: Any = pinocchio
        self.name = f"Pinocchio, step {step:g}" + (f", restarts={restarts}" if restarts else "")
        self.settings = (
            f"damped least squares of the documentation's example: DT = {step:g}, damp = {damp:g}, "
            f"at most 1000 iterations, clamped to the limits after each; {restarts} random restarts"
        )
        model = self._pin.Model()
        joint = 0
        for part in figure.definition:
            place = self._pin.SE3(quat_to_matrix(np.array(part.wxyz)), np.array(part.offset))
            if part.name == "Tool":
                kind = self._pin.FrameType.OP_FRAME
                self._tool = model.addFrame(self._pin.Frame("Tool", joint, place, kind))
            else:
                joint = model.addJoint(joint, self._pin.JointModelRZ(), place, part.name)
        self._model, self._data = model, model.createData()
        self._lower, self._upper, self._start = figure.lower, figure.upper, middle_of(figure)
        self._step, self._damp, self._restarts = step, damp * np.eye(6), restarts

    def tool(self, q: np.ndarray) -> np.ndarray:
        self._pin.forwardKinematics(self._model, self._data, q)
        return self._pin.updateFramePlacement(self._model, self._data, self._tool).homogeneous

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        target = self._pin.SE3(turn, place)
        q, reached = self._attempt(target, self._start)
        random = np.random.default_rng(k) if self._restarts and not reached else None
        for _ in range(self._restarts):
            if reached or random is None:
                break
            q, reached = self._attempt(target, random.uniform(self._lower, self._upper))
        return q

    def _attempt(self, target: Any, q: np.ndarray) -> tuple[np.ndarray, bool]:
        pin, model, data = self._pin, self._model, self._data
        for _ in range(1000):
            pin.computeJointJacobians(model, data, q)
            missing = pin.updateFramePlacement(model, data, self._tool).actInv(target)
            error = pin.log6(missing).vector
            if error[:3] @ error[:3] < POSITION**2 and error[3:] @ error[3:] < ROTATION**2:
                return q, True
            jacobian = pin.getFrameJacobian(model, data, self._tool, pin.LOCAL)
            jacobian = -pin.Jlog6(missing.inverse()) @ jacobian
            velocity = -jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + self._damp, error)
            moved = pin.integrate(model, q, velocity * self._step)
            q = np.minimum(np.maximum(moved, self._lower), self._upper)
        return q, False


class Mink:
    """Differential inverse kinematics on a MuJoCo model, one quadratic program a step."""

    package = "mink"

    def __init__(self, figure: limbik.Figure, damping: float) -> None:
        import mink
        import mujoco

        self._mink: Any = mink
        mj: Any = mujoco
        self.name = f"mink, lm_damping {damping:g}"
        self.settings = (
            f"FrameTask with costs 1 and 1, lm_damping = {damping:g}, ConfigurationLimit with its "
            "default gain, solver daqp, damping = 1e-12, no posture task, at most 200 steps"
        )
        spec = mj.MjSpec()
        body = spec.worldbody
        for part in figure.definition:
            if part.name == "Tool":
                body.add_site(name="Tool", pos=part.offset, quat=part.wxyz)
                continue
            body = body.add_body(name=part.name, pos=part.offset, quat=part.wxyz)
            k = figure.coordinates.index(part.name)
            body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
            body.add_joint(
                type=mj.mjtJoint.mjJNT_HINGE,
                axis=[0, 0, 1],
                range=np.degrees([figure.lower[k], figure.upper[k]]),
                limited=True,
            )
        self._configuration: Any = mink.Configuration(spec.compile())
        model = self._configuration.model
        assert np.abs(model.jnt_range - np.array([figure.lower, figure.upper]).T).max() < 1e-12
        self._task = mink.FrameTask("Tool", "site", 1.0, 1.0, lm_damping=damping)
        self._limits = [mink.ConfigurationLimit(model)]
        self._start = middle_of(figure)

    def tool(self, q: np.ndarray) -> np.ndarray:
        self._configuration.update(q)
        return self._configuration.get_transform_frame_to_world("Tool", "site").as_matrix()

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        mink, configuration, task = self._mink, self._configuration, self._task
        rotation = mink.SO3.from_matrix(turn)
        task.set_target(mink.SE3.from_rotation_and_translation(rotation, place))
        configuration.update(self._start)
        for _ in range(200):
            error = task.compute_error(configuration)
            if error[:3] @ error[:3] < POSITION**2 and error[3:] @ error[3:] < ROTATION**2:
                break
            try:
                velocity = mink.solve_ik(configuration, [task], 1.0, "daqp", limits=self._limits)
            except mink.NoSolutionFound:
                break
            configuration.integrate_inplace(velocity, 1.0)
        return configuration.q.copy()


class Ikpy:
    """ikpy's chain of modified Denavit–Hartenberg links, with bounds."""

    name, package = "ikpy", "ikpy"
    settings = (
        "DHLink(convention='modified') with bounds, orientation_mode='all', its default optimizer "
        "(least_squares, NumPy backend) and tolerances"
    )

    def __init__(self, figure: limbik.Figure) -> None:
        from ikpy.chain import Chain
        from ikpy.link import DHLink

        link: Any = DHLink
        links = []
        for part in figure.definition:
            w, x = part.wxyz[:2]
            alpha = 2.0 * np.arctan2(x, w)
            d = np.cos(alpha) * part.offset[2] - np.sin(alpha) * part.offset[1]
            bounds = None
            if part.name != "Tool":
                k = figure.coordinates.index(part.name)
                bounds = (figure.lower[k], figure.upper[k])
            links.append(
                link(part.name, d, part.offset[0], alpha, 0.0, bounds, False, convention="modified")
            )
        self._chain: Any = Chain(links, active_links_mask=[True] * (len(links) - 1) + [False])
        self._start = np.append(middle_of(figure), 0.0)

    def tool(self, q: np.ndarray) -> np.ndarray:
        return self._chain.forward_kinematics(np.append(q, 0.0))

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        return self._chain.inverse_kinematics(
            place, turn, orientation_mode="all", initial_position=self._start
        )[:-1]


class Scipy:
    """SciPy's bounded least squares on limbik's compiled residual and Jacobian."""

    name, package = "SciPy least_squares", "scipy"
    settings = (
        "method trf, bounds, exact Jacobian, start at least 1e-3 inside the bounds, at most 100 "
        "evaluations, stopped by its callback at the tolerance"
    )

    def __init__(self, problem: Problem) -> None:
        from scipy.optimize import least_squares

        self._least_squares: Any = least_squares
        self.problem = problem
        lower, upper = problem.figure.lower, problem.figure.upper
        self._bounds = (lower, upper)
        # From a start on its bounds trf hardly moves; a margin helps it.
        margin = np.minimum(1e-3, 0.25 * (upper - lower))
        self._inside = (lower + margin, upper - margin)

    def least_squares(self, start: np.ndarray) -> np.ndarray:
        """The answer from a start pose, for the targets that the problem holds."""
        problem = self.problem

        def reached(intermediate_result: Any) -> None:
            if (problem.term_errors(intermediate_result.x) < problem.tolerances).all():
                raise StopIteration

        return self._least_squares(
            problem.residual,
            np.clip(start, *self._inside),
            jac=lambda q: -problem.jacobian(q),
            bounds=self._bounds,
            method="trf",
            max_nfev=100,
            callback=reached,
        ).x


class ScipyArm(Scipy):
    """The arm's problem for SciPy."""

    def __init__(self, figure: limbik.Figure, places: np.ndarray, wxyz: np.ndarray) -> None:
        self._targets, self._where, problem = batch_problem(
            figure, ["Tool"], places, wxyz, tolerance=(POSITION, ROTATION)
        )
        super().__init__(problem)
        self._start = middle_of(figure)

    def tool(self, q: np.ndarray) -> np.ndarray:
        return self.problem.figure.frames(q)[self.problem.figure.index("Tool")]

    def solve(self, k: int, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        self.problem.floats[self._where] = self._targets[k]
        return self.least_squares(self._start)


def installed(make: Callable[[], Any], package: str) -> list[Any]:
    """The peer in a list, or nothing and a sentence where its package is missing."""
    try:
        return [make()]
    except ImportError as error:
        print(f"{package} is left out: {error}.")
        return []


def arm_peers(figure: limbik.Figure, places: np.ndarray, wxyz: np.ndarray) -> list[Peer]:
    """Everyone who can solve for a tool, ready to run."""
    return [
        Limbik(figure, places, wxyz, None),
        Limbik(figure, places, wxyz, 0),
        LimbikCall(figure, wxyz),
        *installed(lambda: Pinocchio(figure, 0.1, 1e-12), "Pinocchio"),
        *installed(lambda: Pinocchio(figure, 0.1, 1e-12, RESTARTS), "Pinocchio"),
        *installed(lambda: Mink(figure, 1.0), "mink"),
        *installed(lambda: Mink(figure, 1e-2), "mink"),
        *installed(lambda: Ikpy(figure), "ikpy"),
        *installed(lambda: ScipyArm(figure, places, wxyz), "SciPy"),
    ]


def agree(figure: limbik.Figure, peer: Peer) -> None:
    """Stop where a peer's kinematics is not limbik's, to 1e-9."""
    random = np.random.default_rng(7)
    for q in random.uniform(figure.lower, figure.upper, (50, figure.n)):
        gap = np.abs(peer.tool(q) - figure.frames(q)[figure.index("Tool")]).max()
        assert gap < 1e-9, f"{peer.name} puts the tool {gap:g} elsewhere"


def arm_rows(count: int, rounds: int = ROUNDS, seed: int = 1) -> list[dict[str, Any]]:
    """From the middle pose to random reachable full poses."""
    figure = limbik.figures.arm()
    places, wxyz = reachable(figure, "Tool", count, seed)
    turns = quat_to_matrix(wxyz[:, 0])
    peers = arm_peers(figure, places, wxyz)
    for peer in peers:
        agree(figure, peer)
        for k in range(min(5, count)):
            peer.solve(k, places[k, 0], turns[k])
    poses = np.empty((len(peers), count, figure.n))
    seconds = np.full((len(peers), count), np.inf)
    for _ in range(rounds):
        for p, peer in enumerate(peers):
            for k in range(count):
                began = time.perf_counter()
                poses[p, k] = peer.solve(k, places[k, 0], turns[k])
                seconds[p, k] = min(seconds[p, k], time.perf_counter() - began)
    rows = []
    for p, peer in enumerate(peers):
        tools = figure.frames(poses[p])[:, figure.index("Tool")]
        away = np.linalg.norm(tools[:, :3, 3] - places[:, 0], axis=1)
        # |R − S| = 2√2 sin(θ/2), which is exact where arccos of the trace is not.
        chord = np.linalg.norm(tools[:, :3, :3] - turns, axis=(1, 2)) / np.sqrt(8.0)
        turned = 2.0 * np.arcsin(np.minimum(chord, 1.0))
        outside = np.asarray(figure.violation(poses[p])) > OUTSIDE
        solved = (away <= POSITION) & (turned <= ROTATION) & ~outside
        rows.append(
            {
                "solver": peer.name,
                "solved_%": 100.0 * float(solved.mean()),
                "median_us": float(np.median(seconds[p])) * 1e6,
                "mean_us": float(seconds[p].mean()) * 1e6,
                "median_ratio": float(np.median(seconds[p]) / np.median(seconds[0])),
                "mean_ratio": float(seconds[p].mean() / seconds[0].mean()),
                "violations": int(outside.sum()),
            }
        )
    about = {p.name: {"version": version(p.package), "settings": p.settings} for p in peers}
    return [row | about[row["solver"]] for row in rows]


def main(count: int) -> None:
    """Measure, print without the settings, keep everything."""
    rows = arm_rows(count)
    show(
        f"7-joint arm, {count} reachable full poses, to 1e-4 m and 1e-3 rad",
        [{k: v for k, v in row.items() if k not in ("version", "settings")} for row in rows],
    )
    keep("peers", [{"problems": count} | row for row in rows])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)

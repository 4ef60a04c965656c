"""What is kept from the pose in which a drag begins."""

from __future__ import annotations

import numpy as np

import limbik
from limbik.poser.document.effector import Effector
from limbik.poser.drag.posture import Posture
from limbik.poser.drag.start_goals import put_start_goals, start_goals
from limbik.posture.feet import feet_of
from limbik.solver.problem import Problem


def test_a_foot_that_is_upright_has_a_plane_too() -> None:
    """On its toes, heel above the ball: seen from above, the foot points nowhere."""
    figure = limbik.figures.human()
    foot = next(f for f in feet_of(figure) if figure.joints[f.joint] == "LeftFoot")
    hand, pin = Effector(1, "LeftHand"), Effector(2, "LeftFoot", mode="pin")
    q, sole = figure.rest.copy(), foot.ball - foot.heel
    _, y, z = figure.frames(q)[foot.joint, :3, :3] @ sole
    q[figure.coordinates.index("Hips.rx")] = np.arctan2(z, -y)
    frame = figure.frames(q)[foot.joint]
    assert np.linalg.norm((frame[:3, :3] @ sole)[[0, 2]]) < 1e-6
    ball = float((frame[:3, :3] @ foot.ball + frame[:3, 3])[1])
    kept = start_goals(Posture(figure, floor=ball), [hand, pin], hand.id, q)
    planes = [k for k, one in enumerate(kept) if one.kind in ("heading", "knee")]
    assert len(planes) == 2
    problem = Problem(figure, [one.goal for one in kept], start=q)
    put_start_goals(figure, problem, 0, kept, q)
    assert max(problem.term_errors(q)[problem.terms_of[k]].max() for k in planes) < 1e-9

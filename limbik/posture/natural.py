"""natural: the goals that let a body move like one, beside those that say what it shall do."""

from __future__ import annotations

import numpy as np

from limbik.errors import GoalError
from limbik.figure.figure import Figure, Pose
from limbik.goals import Goal, Rest
from limbik.humanoid.ground import floor_height, up_axis
from limbik.posture.floor import Floor
from limbik.posture.joint_weights import joint_weights
from limbik.posture.known_body import known_body
from limbik.posture.standing import Standing

WEIGHT = 1e-6
"""The Rest weight of an arm's coordinates; others are heavier (joint_weights.py)."""

STANDING = 10.0
"""The weight of standing, beside 1 of a target that may be some metres too far away."""


def natural(
    figure: Figure,
    start: Pose | None = None,
    *,
    floor: bool | float | None = None,
    standing: bool = False,
    weight: float = WEIGHT,
    priority: int | None = 1,
) -> list[Goal]:
    """Goals that let a figure move like a body: limbs first, the trunk last, feet above the floor.

    They go beside other goals, in ``solve``, ``track``, ``Solver`` and ``solve_many``: a Rest whose
    weight grows from the limbs (1) over shoulders, neck and trunk to the hips, and for a body a
    ``Floor``.  Figures that are no bodies have weights by how much of the figure each joint
    carries, and no floor unless asked for.

    Args:
        figure: the figure that is posed.
        start: the pose to stay near, (n,) or values by name; the rest pose unless given.
        floor: height of the floor along the figure's up axis, in its unit; True: as low as the rest
            pose; False: none; None: as True where a body is recognised, else as False.
        standing: the weight of a body stays above both feet, also where a target is out of reach:
            the body then bends at the hips and is short, and does not lean as one piece.
        weight: of an arm's coordinates.
        priority: of the Rest.  With 1 goals of the priority 0, which others have by default, are
            met exactly and the Rest takes what they leave free.  With None it is weighed against
            them, which is faster, and what ``track(near=)`` and ``track(smooth=)`` need.

    Returns:
        A Rest, a Floor where there is one, and ``Standing`` (posture/standing.py) if asked for.

    Raises:
        GoalError: ``weight`` is negative, ``floor`` is no height, or ``standing`` is asked of a
            figure that is no body.
        FigureError: ``start`` is no pose of this figure.

    Example:
        >>> import limbik
        >>> human = limbik.figures.human()
        >>> goals = [limbik.Reach("LeftHand", position=[0.1, 1.6, 0.2]), limbik.Pin("LeftFoot")]
        >>> limbik.solve(human, [*goals, *limbik.natural(human)]).ok
        True
    """
    if isinstance(weight, bool) or not (np.isfinite(weight) and weight >= 0.0):
        raise GoalError(f"natural: weight must be a number of 0 or more, got {weight!r}")
    pose = figure.rest if start is None else figure.single_pose(start, "natural: start")
    weights, pose = weight * joint_weights(figure), figure.project(pose)
    goals: list[Goal] = [Rest(weights, pose=pose, priority=priority)]
    if floor is None:
        floor = known_body(figure).complete
    if floor is True:
        goals.append(Floor(floor_height(figure, up_axis(figure))))
    elif floor is not False:
        if not np.isfinite(floor):
            raise GoalError(f"natural: floor must be a height, got {floor!r}")
        goals.append(Floor(float(floor)))
    if standing:
        if not known_body(figure).complete:
            raise GoalError("natural: standing needs a body with two feet")
        goals.append(Standing(pose, weight=STANDING))
    return goals

"""3. Many goals: a person reaches for a shelf, both feet planted, eyes on the hand."""

import limbik

human = limbik.figures.human()
shelf = [0.35, 1.75, 0.40]
goals = [
    limbik.Reach("LeftHand", position=shelf),
    limbik.Pin("LeftFoot", rotation=True),  # stay where the start pose has them
    limbik.Pin("RightFoot", rotation=True),
    limbik.Aim("Head", axis="z", target=shelf),  # z points out of the face
    limbik.Plane("RightHand", normal=[0, 1, 0], offset=0.9),  # a hand on the table
    limbik.Rest(weight=1e-3),  # of all answers one near the rest pose
]
result = limbik.solve(human, goals)
print(result.status, "-", result.why)

# Every goal has its own error, in its own unit: a length, an angle, or both.
for goal, error in zip(goals, result.errors, strict=True):
    parts = [f"{1000 * error.length:.3f} mm"] if error.length is not None else []
    parts += [f"{error.angle:.5f} rad"] if error.angle is not None else []
    print(f"{type(goal).__name__:6} {error.label:10} {', '.join(parts)}")

# A goal can weigh more than another; that matters when they cannot all be met.  The shelf moves
# out of reach: now the heavy hand gets nearer to it, at the cost of the feet.
goals[0] = limbik.Reach("LeftHand", position=[0.35, 2.4, 0.40], weight=10)
result = limbik.solve(human, goals)
print(result.status, "-", result.why)

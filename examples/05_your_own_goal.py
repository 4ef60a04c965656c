"""5. Your own goal: whatever you can write as numbers that shall become 0."""

import numpy as np

import limbik

human = limbik.figures.human()
feet = [human.index("LeftFoot"), human.index("RightFoot")]


def off_balance(figure, q):
    """How far the middle of the body is from above the feet: two numbers, in metres.

    The middle is taken as the mean of all joints, a rough guess at the centre of mass.
    """
    at = figure.positions(q)
    away = at.mean(axis=0) - at[feet].mean(axis=0)
    return away[[0, 2]]  # y is up and does not count


reach = limbik.Reach("RightHand", position=[-0.15, 0.35, 0.65])
pins = [limbik.Pin("LeftFoot", rotation=True), limbik.Pin("RightFoot", rotation=True)]

# Bend down for something in front of the feet, first without a thought for balance.
fallen = limbik.solve(human, [reach, *pins])
away = np.linalg.norm(off_balance(human, fallen.q))
print(f"{fallen.status}: leaning {100 * away:.1f} cm from above the feet")

# limbik asks the function for its residual at each pose and takes differences for the derivative
# (or give jacobian=).  It runs as Python, so it takes longer than the goals that are built in.
balance = limbik.PythonGoal(off_balance, name="balance", tolerance=1e-3)
result = limbik.solve(human, [reach, *pins, balance])
away = np.linalg.norm(off_balance(human, result.q))
print(f"{result.status}: leaning {100 * away:.1f} cm, {result.seconds:.1f} s in Python")

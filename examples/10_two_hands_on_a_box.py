"""10. Two hands on a box: a person lifts it, tilts it, and the hands stay on its sides."""

import numpy as np

import limbik

human = limbik.figures.human()
feet = [limbik.Pin(foot, rotation=True) for foot in ("LeftFoot", "RightFoot")]
calm = limbik.Rest(weight=1e-3)

# Take hold: one hand on each side of a box that is 30 cm wide, in front of the hips.
box, half = np.array([0.0, 0.95, 0.35]), 0.15
left = limbik.Reach("LeftHand", position=box + [half, 0, 0])
right = limbik.Reach("RightHand", position=box - [half, 0, 0])
held = limbik.solve(human, [left, right, *feet, calm])
print(f"taken: {held.status}")


def apart(q: np.ndarray) -> tuple[float, np.ndarray]:
    """How far the hands are apart, and where the right one is as the left one sees it."""
    a, b = human.frame(q, "LeftHand"), human.frame(q, "RightHand")
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3])), a[:3, :3].T @ b[:3, :3]


# From now on the right hand is fixed to the left one, as the box has them: a relation.
grip = limbik.Pin("RightHand", to="LeftHand", rotation=True)
distance, turn = apart(held.q)
for name, place in (("lifted", [0.15, 1.25, 0.35]), ("tilted", [0.12, 1.05, 0.45])):
    lift = limbik.Reach("LeftHand", position=place)
    result = limbik.solve(human, [lift, grip, *feet, calm], start=held.q)
    now, turned = apart(result.q)
    angle = np.degrees(np.arccos(np.clip((np.trace(turn.T @ turned) - 1) / 2, -1, 1)))
    print(f"{name}: {result.status}, {100 * now:.2f} cm apart, {angle:.2f} degrees off")

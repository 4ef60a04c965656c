"""11. A grasp: a hand closes around a ball, and pierces neither the ball nor itself."""

import numpy as np

import limbik

hand = limbik.figures.hand()
ball = limbik.Sphere(0.028, (0.01, -0.045, 0.095), name="ball")
fingers = ["Thumb", "Index", "Middle", "Ring", "Little"]
tip = (0.0, 0.0, 0.02)  # of the last bone of each finger

# Every fingertip is drawn to the middle of the ball, where it cannot be.
close = [limbik.Reach(f"{f}3", position=ball.center, at=tip, weight=0.01) for f in fingers]

# The bones of the fingers against each other, and all of them against the ball.
avoid = limbik.Avoid([ball], margin=0.0005)

for name, goals in (("careless", close), ("careful", [*close, avoid])):
    result = limbik.solve(hand, goals, lock=["Wrist"])
    one, two, distance = avoid.nearest(hand, result.q)
    frames = [hand.frame(result.q, f"{f}3") for f in fingers]
    ends = np.array([frame[:3, :3] @ tip + frame[:3, 3] for frame in frames])
    gaps = np.linalg.norm(ends - ball.center, axis=1) - ball.radius - 0.0045  # half a finger
    print(f"{name}: {one} and {two} are {1000 * distance:.1f} mm apart,", end=" ")
    print(f"{(np.abs(gaps) < 0.003).sum()} of 5 fingertips lie on the ball")

"""12. A control loop: an arm follows a target at 500 Hz, out of reach and back, never too fast."""

import numpy as np

import limbik

RATE, FASTEST, HARDEST = 500, 1.5, 15.0  # Hz, rad/s, rad/s²
arm = limbik.figures.arm().with_speed_limits(FASTEST)
centre = arm.positions(arm.rest, "Tool")
live = limbik.Live(
    arm,
    limbik.Reach("Tool", position=centre),
    rate=RATE,
    start=arm.rest,
    acceleration_limits=HARDEST,
)

poses = [live.q]
for tick in range(4 * RATE):
    turn = 2 * np.pi * tick / (2 * RATE)
    out = max(0.0, np.sin(turn)) * np.array([1.0, 0.3, 0.2])  # a metre away at the worst
    live.move("Tool", position=centre + out)
    poses.append(live.step())

speed = np.diff(poses, axis=0) * RATE
change = np.diff(speed, axis=0) * RATE
print(f"{len(speed)} ticks, the fastest joint {np.abs(speed).max():.3f} rad/s,", end=" ")
print(f"the largest acceleration {np.abs(change).max():.3f} rad/s²")
print(f"{np.max(arm.violation(np.array(poses)))} rad outside the limits,", end=" ")
print(f"in the end {1000 * float(live.errors[0]):.2f} mm from the target")

# A robot is never quite where it was told to be: go on from what was measured.
noise = np.random.default_rng(0)
for _ in range(RATE):
    live.feedback(live.q + noise.normal(0, 1e-4, arm.n))
    live.step()
print(f"with measured poses {1000 * float(live.errors[0]):.2f} mm from the target")

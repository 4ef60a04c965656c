"""6. Many problems: a thousand poses for a robot arm in one call."""

import numpy as np

import limbik

arm = limbik.figures.arm()

# A thousand poses inside the limits, and where they put the tool: targets that can be reached.
random = np.random.default_rng(0)
poses = random.uniform(arm.lower, arm.upper, size=(1000, arm.n))
tools = arm.frames(poses)[:, arm.index("Tool")]
positions = tools[:, None, :3, 3]  # (problems, effectors, 3)

# All start from the rest pose.  threads= shares them out, with the same answers for any number.
limbik.solve_many(arm, ["Tool"], positions=positions[:2])  # compiles, so that it is not timed
results = limbik.solve_many(arm, ["Tool"], positions=positions, threads=2)
print(f"{results.ok.sum()} of {len(results.ok)} solved")
print(f"{1e6 * results.seconds / len(results.ok):.0f} microseconds each")
print(f"median {np.median(results.iterations):.0f} iterations, most {results.iterations.max()}")

# Every answer is inside the limits, and puts the tool where it should be.
assert arm.violation(results.q).max() == 0.0
there = arm.positions(results.q)[:, arm.index("Tool")]
worst = np.linalg.norm(there - positions[:, 0], axis=1).max()
print(f"worst error {1000 * worst:.3f} mm")

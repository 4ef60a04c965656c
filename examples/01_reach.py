"""1. Reach: the tool of a robot arm goes to a place, and then turns as well.

    python examples/01_reach.py [ROBOT.urdf LINK]

Without arguments it is the built-in arm.
"""

import sys

import numpy as np

import limbik

# A figure is a tree of named joints.  The built-in one is a robot arm of seven joints, in metres;
# figures also come from files, where the links of a URDF become joints.
if len(sys.argv) > 2:
    arm, link = limbik.load(sys.argv[1]), sys.argv[2]
else:
    arm, link = limbik.figures.arm(), "Tool"
print(arm, arm.coordinates)

# A goal says what must hold.  solve() looks for joint values that make it so.
target = [0.4, 0.2, 0.5]
result = limbik.solve(arm, [limbik.Reach(link, position=target)])
print(result.status, "-", result.why)

# A pose is a plain vector, one number per coordinate (radians here).  Check the answer by asking
# where it puts the tool.
print("q =", np.round(result.q, 3))
tool = arm.positions(result.q)[arm.index(link)]
print(f"the tool is {1000 * np.linalg.norm(tool - target):.3f} mm from its target")

# The same place, and the tool pointing straight down: half a turn about x.  wxyz is a quaternion.
down = [0.0, 1.0, 0.0, 0.0]
result = limbik.solve(arm, [limbik.Reach(link, position=target, wxyz=down)])
error = result.errors[0]
print(f"with its orientation: {1000 * error.length:.3f} mm and {error.angle:.5f} rad away")

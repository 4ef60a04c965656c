"""9. A scene to avoid: a robot arm reaches behind a wall, and not through itself."""

import limbik

arm = limbik.figures.arm()
wall = limbik.Box((0.02, 0.15, 0.3), (0.3, 0.0, 0.3), name="wall")
floor = limbik.HalfSpace((0, 0, 1), name="floor")

# Own shapes against each other, and against those of the scene; 1 cm stays free.
avoid = limbik.Avoid([wall, floor], margin=0.01)
behind = limbik.Reach("Tool", position=[0.5, 0.0, 0.3])

for name, goals in (("careless", [behind]), ("careful", [behind, avoid])):
    result = limbik.solve(arm, goals)
    one, two, distance = avoid.nearest(arm, result.q)
    print(f"{name}: {result.status}, {one} and {two} are {1000 * distance:.0f} mm apart")

# A target inside the wall cannot be met, and the answer says what is in the way.
result = limbik.solve(arm, [limbik.Reach("Tool", position=[0.3, 0.0, 0.3]), avoid])
print(f"inside: {result.status} - {result.why}")

"""2. Limits and why: a leg that cannot bend far enough says which joint holds it back."""

import math

import limbik

# Anatomical limits are built in: the knee bends from 0 to 140 degrees.
leg = limbik.figures.leg()
stiff = leg.with_limits({"Knee": limbik.Range(0, 60, degrees=True)})

# Pull the foot up to 35 cm below the hip, straight under it.
hip = leg.positions(leg.rest)[leg.index("Hip")]
goal = limbik.Reach("Ankle", position=hip - [0.0, 0.35, 0.0])

for name, figure in (("healthy", leg), ("stiff", stiff)):
    result = limbik.solve(figure, [goal])
    # The status is one of REACHED, LIMITED, HELD, OUT_OF_REACH and STALLED; why is a sentence.
    print(f"{name}: {result.status} - {result.why}")
    # No answer is ever outside the limits.
    assert figure.violation(result.q) == 0.0

# The limits that hold it back, and how much the objective would fall per radian of slack.
for limit in result.limits:
    print(
        f"  {limit.coordinate} at its {limit.side} limit, {math.degrees(limit.value):.0f} degrees,"
    )
    print(f"  worth {limit.multiplier:.3f} per radian")

"""A human leg hanging from a fixed hip."""

from __future__ import annotations

import math
from functools import cache

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, revolute, swing_twist, universal
from limbik.figure.limits import Range
from limbik.figures import anatomy as body
from limbik.figures.human import BALL, HEEL, TOE_TIP


@cache
def leg() -> Figure:
    """A left leg: 4 joints, n = 7 (hip 3, knee 1, ankle 2, toes 1), metres.

    y is up, the toes point to +z.  The hip is a swing–twist ball (flexion, abduction, outward
    turn) at its height above the floor y = 0; the knee flexes; the ankle dorsiflexes and inverts.
    At rest the leg is a little bent, the foot flat and just above the floor.

    >>> leg().coordinates
    ('Hip.swing1', 'Hip.swing2', 'Hip.twist', 'Knee', 'Ankle.rx', 'Ankle.rz', 'Toes')
    """
    ankle, knee = body.ANKLE_LIMIT, body.KNEE_LIMIT
    ball = (0.0, -body.ANKLE - BALL[1], body.FOOT + HEEL[2] - TOE_TIP[2])
    joints = [
        Joint(
            "Hip",
            parts=swing_twist("y", "-x"),
            offset=(0.0, body.HIP, 0.0),
            limit=body.HIP_LIMIT,
        ),
        Joint(
            "Knee",
            "Hip",
            revolute("x"),
            offset=(0.0, -body.THIGH, 0.0),
            limit=Range(knee.lower[0], knee.upper[0]),
        ),
        Joint(
            "Ankle",
            "Knee",
            universal("-x", "-z"),
            offset=(0.0, -body.SHANK, 0.0),
            limit=Range(ankle.lower[[0, 2]], ankle.upper[[0, 2]]),
        ),
        Joint("Toes", "Ankle", revolute("-x"), offset=ball, limit=body.TOES_LIMIT, tip=TOE_TIP),
    ]
    bent = math.radians(8.0)
    return Figure(
        joints, rest=[bent, 0.0, 0.0, 2 * bent, bent, 0.0, 0.0], name="leg", unit="m", up="y"
    )

"""The human figure: 31 joints under the names of the CMU motion library, and its resting stance."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.joints import Joint, Turn, Vector, euler, free, swing_twist, unit_axis
from limbik.figure.limits import Range
from limbik.figures import anatomy as body
from limbik.figures.mirror import mirrored, other_side

_BALL = 0.020  # height of the joint of the toes above the floor, metres
_HEEL_BACK = 0.054  # from the ankle back to the heel

HEEL: Vector = (0.0, -body.ANKLE, -_HEEL_BACK)
"""The heel's lowest point in the frame of LeftFoot and RightFoot, in metres."""

BALL: Vector = (0.0, -_BALL, 0.0)
"""The ball of the foot in the frame of LeftToeBase and RightToeBase, in metres."""

TOE_TIP: Vector = (0.0, -_BALL, 0.064)
"""The end of the toes in the frame of LeftToeBase and RightToeBase, in metres."""


def _three_turns(*axes: str | tuple[float, float, float]) -> tuple[Turn, ...]:
    return tuple(Turn(unit_axis(axis)) for axis in axes)


def _middle() -> list[Joint]:
    """Hips, spine, neck and head.  Swing 1 bends forward, swing 2 to the left; twist turns left."""
    # No anatomy bounds the root.  Two whole turns each way leave room for cartwheels and pirouettes
    # and still bound the space of poses.  Heading is outermost, so that the order's singular
    # postures are only those with the body's front pointing straight up or down.
    turn = 4 * math.pi
    anywhere = Range([-math.inf] * 3 + [-turn] * 3, [math.inf] * 3 + [turn] * 3)
    hips = body.HIP + 0.065
    column: list[tuple[str, str, Vector]] = [
        ("LowerBack", "Hips", (0.0, 0.045, -0.015)),
        ("Spine", "LowerBack", (0.0, 0.125, 0.0)),
        ("Spine1", "Spine", (0.0, 0.140, -0.005)),
        ("Neck", "Spine1", (0.0, 0.165, 0.0)),
        ("Neck1", "Neck", (0.0, 0.060, 0.010)),
        ("Head", "Neck1", (0.0, 0.055, 0.010)),
    ]
    top = body.STATURE - hips - sum(offset[1] for _, _, offset in column)
    return [
        Joint("Hips", parts=free(euler("YXZ")), offset=(0.0, hips, 0.0), limit=anywhere),
        *(
            Joint(
                name,
                parent,
                swing_twist("y", "x"),
                offset=offset,
                limit=body.COLUMN[name],
                tip=(0.0, top, 0.010) if name == "Head" else None,
            )
            for name, parent, offset in column
        ),
    ]


def _left_leg() -> list[Joint]:
    """Swing 1 flexes, swing 2 abducts, twist turns the toes out."""
    ball = body.FOOT - _HEEL_BACK - TOE_TIP[2]
    return [
        Joint("LHipJoint", "Hips"),
        Joint(
            "LeftUpLeg",
            "LHipJoint",
            swing_twist("y", "-x"),
            offset=(body.HALF_HIPS, -0.065, 0.0),
            limit=body.HIP_LIMIT,
        ),
        Joint(
            "LeftLeg",
            "LeftUpLeg",
            _three_turns("x", "y"),
            offset=(0.0, -body.THIGH, 0.0),
            limit=body.KNEE_LIMIT,
        ),
        Joint(
            "LeftFoot",
            "LeftLeg",
            _three_turns("-x", "y", "-z"),
            offset=(0.0, -body.SHANK, 0.0),
            limit=body.ANKLE_LIMIT,
        ),
        Joint(
            "LeftToeBase",
            "LeftFoot",
            _three_turns("-x"),
            offset=(0.0, _BALL - body.ANKLE, ball),
            limit=body.TOES_LIMIT,
            tip=TOE_TIP,
        ),
    ]


def _left_arm() -> list[Joint]:
    """The arm points along +x, palm down, thumb in front; the elbow bends forward."""
    girdle = (0.02, 0.120, 0.010)
    shoulder = (body.HALF_SHOULDERS, body.SHOULDER - (body.HIP + 0.065 + 0.310), -0.020)
    palm, finger = 0.088, 0.045
    thumb = unit_axis((0.8, 0.0, 0.6))
    return [
        Joint(
            "LeftShoulder",
            "Spine1",
            _three_turns("z", "-y", "-x"),
            offset=girdle,
            limit=body.GIRDLE_LIMIT,
        ),
        Joint(
            "LeftArm",
            "LeftShoulder",
            swing_twist("-x", (0.0, -1.0, 1.0)),
            offset=(shoulder[0] - girdle[0], shoulder[1] - girdle[1], shoulder[2] - girdle[2]),
            limit=body.ARM_LIMIT,
        ),
        Joint(
            "LeftForeArm",
            "LeftArm",
            _three_turns("-y", "-x"),
            offset=(body.UPPER_ARM, 0.0, 0.0),
            limit=body.ELBOW_LIMIT,
        ),
        Joint(
            "LeftHand",
            "LeftForeArm",
            _three_turns("-z", "-y"),
            offset=(body.FOREARM, 0.0, 0.0),
            limit=body.WRIST_LIMIT,
        ),
        Joint(
            "LeftFingerBase",
            "LeftHand",
            _three_turns("-z", "-y"),
            offset=(palm, 0.0, 0.0),
            limit=body.KNUCKLE_LIMIT,
        ),
        Joint(
            "LeftHandIndex1",
            "LeftFingerBase",
            _three_turns("-z"),
            offset=(finger, 0.0, 0.0),
            limit=body.FINGER_LIMIT,
            tip=(body.HAND - palm - finger, 0.0, 0.0),
        ),
        Joint(
            "LThumb",
            "LeftHand",
            _three_turns((thumb[2], 0.0, -thumb[0]), "y", thumb),
            offset=(0.020, -0.005, 0.022),
            # One bone stands for the whole thumb: it flexes as far as its first two joints.
            limit=Range([0, -20, -10], [70, 65, 40], degrees=True),
            tip=(0.105 * thumb[0], 0.105 * thumb[1], 0.105 * thumb[2]),
        ),
    ]


def _rest(figure: Figure) -> np.ndarray:
    """At ease: arms lowered, elbows and knees a little bent, so that no limb is at its end."""
    hip, knee = 3.0, 6.0
    q = np.zeros(figure.n)
    one_side = {
        "LeftUpLeg": (hip, 0.0, 0.0),
        "LeftLeg": (knee, 0.0),
        "LeftFoot": (knee - hip, 0.0, 0.0),
        "LeftArm": (-32.0, -38.0, 0.0),
        "LeftForeArm": (14.0, 40.0),
        "LeftFingerBase": (12.0, 0.0),
        "LeftHandIndex1": (15.0,),
        "LThumb": (15.0, 5.0, 0.0),
    }
    for name, degrees in one_side.items():
        for side in (name, other_side(name)):
            q[figure.coordinates_of(side)] = np.radians(degrees)
    lost = body.THIGH * (1 - math.cos(math.radians(hip)))
    lost += body.SHANK * (1 - math.cos(math.radians(knee - hip)))
    q[figure.coordinates.index("Hips.ty")] = -lost
    return q


@cache
def human() -> Figure:
    """A person 1.75 m tall: 31 joints, 74 coordinates (71 turns and the root's 3 slides), metres.

    y is up, the figure faces +z and its left is +x.  With q = 0 it stands on the floor y = 0 in a
    T-pose, palms down; its rest pose is at ease, arms lowered.  Shoulders, hips, spine, neck and
    head are swing–twist balls with elliptical cones; every turn is limited.  The same number on
    the left and on the right is the same posture.

    >>> human()
    <Figure human: 31 joints, n = 74>
    """
    leg, arm = _left_leg(), _left_arm()
    hips, *column = _middle()
    back, neck = column[:3], column[3:]
    joints = [hips, *leg, *map(mirrored, leg), *back, *neck, *arm, *map(mirrored, arm)]
    figure = Figure(joints, name="human", unit="m", up="y")
    return figure.with_rest(_rest(figure))

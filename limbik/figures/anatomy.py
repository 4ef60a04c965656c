"""The human body in numbers: lengths of its segments, and how far its joints move.

Lengths are fractions of stature from Drillis & Contini, "Body Segment Parameters" (1966), as given
in D. A. Winter, "Biomechanics and Motor Control of Human Movement".  Ranges are the normal values
of the American Academy of Orthopaedic Surgeons (AAOS) and, for the neck, of the American Medical
Association (AMA), as tabulated by Norkin & White, "Measurement of Joint Motion: A Guide to
Goniometry".  Where the body has several joints for one measured movement (spine, neck, shoulder
girdle and shoulder), the movement is shared out among them.

Limits hold for both sides: a positive number is the first movement named beside it.
"""

from __future__ import annotations

from limbik.figure.limits import Range, SwingTwist

STATURE = 1.75
"""Height of the figure standing, in metres."""

# Heights above the floor and lengths, in metres.
ANKLE = 0.039 * STATURE
KNEE = 0.285 * STATURE
HIP = 0.530 * STATURE
SHOULDER = 0.818 * STATURE
THIGH = HIP - KNEE
SHANK = KNEE - ANKLE
FOOT = 0.152 * STATURE
UPPER_ARM = 0.186 * STATURE
FOREARM = 0.146 * STATURE
HAND = 0.108 * STATURE

# Half the distance between the joints' centres, not between the outlines that Winter gives.
HALF_HIPS = 0.052 * STATURE
HALF_SHOULDERS = 0.100 * STATURE

# Flexion/extension, bend left/right, turn left/right.  AAOS, thoracic and lumbar spine: 80/25,
# 35/35, 45/45.  AMA, cervical spine: 50/60, 45/45, 80/80.
SPINE_SHARES = {"LowerBack": (0.40, 0.20), "Spine": (0.35, 0.30), "Spine1": (0.25, 0.50)}
"""Joint → its share of the back's bend, its share of the back's turn."""
NECK_SHARES = {"Neck": (0.30, 0.25), "Neck1": (0.30, 0.25), "Head": (0.40, 0.50)}
"""Joint → its share of the neck's bend, its share of the neck's turn."""


def column(
    shares: dict[str, tuple[float, float]],
    flexion: float,
    extension: float,
    bend: float,
    turn: float,
) -> dict[str, SwingTwist]:
    """A column's movement in degrees, shared out: (share of the swing, share of the turn)."""
    half, middle = (flexion + extension) / 2, (flexion - extension) / 2
    # The ellipse is centred in the middle of flexion; upright, off that middle, it must still
    # leave the whole sideways bend.
    side = bend / (1 - (middle / half) ** 2) ** 0.5
    return {
        name: SwingTwist(
            swing=(half * swing, side * swing),
            center=(middle * swing, 0),
            twist=(-turn * twist, turn * twist),
            degrees=True,
        )
        for name, (swing, twist) in shares.items()
    }


COLUMN = column(SPINE_SHARES, 80, 25, 35, 45) | column(NECK_SHARES, 50, 60, 45, 80)
"""Limits of the six joints from LowerBack to Head."""

# AAOS: flexion 120, extension 30, abduction 45, adduction 30, rotation 45/45.  Abduction is
# measured standing; with the hip half flexed the ellipse leaves 11 degrees more.
HIP_LIMIT = SwingTwist(swing=(75, 48), center=(47, 8), twist=(-45, 45), degrees=True)
"""Flexion, abduction; outward turn of the thigh."""

# AAOS: 135, and 0 of extension; Norkin & White give up to 150.  The shank also turns,
# most on a bent knee; a range cannot say so, and grants little.
KNEE_LIMIT = Range([0, -10], [140, 15], degrees=True)
"""Flexion; outward turn of the shank."""

# AAOS: dorsiflexion 20, plantar flexion 50; inversion 35, eversion 15.
ANKLE_LIMIT = Range([-50, -10, -15], [20, 10, 35], degrees=True)
"""Dorsiflexion; outward turn of the foot; inversion."""

# AAOS, first metatarsophalangeal joint: flexion 45, extension 70.
TOES_LIMIT = Range(-45, 70, degrees=True)
"""Extension."""

# Sternoclavicular joint: elevation 45 and depression 10, protraction and retraction 15 to 30,
# backward rotation 40 (Neumann, "Kinesiology of the Musculoskeletal System").  Less than that is
# granted, because LeftArm carries part of the scapula's movement.
GIRDLE_LIMIT = Range([-5, -10, -10], [22, 15, 10], degrees=True)
"""Elevation; protraction; backward rotation about the collarbone."""

# AAOS for the whole shoulder: flexion 180, extension 60, abduction 180, horizontal flexion 135,
# outward rotation 90, inward rotation 70.  The girdle adds the last 20 to 30 degrees.  The ellipse
# was fitted to directions on the edge of that reach; its long axis runs from low behind to high in
# front, and the joint's swing axes are laid along it.
ARM_LIMIT = SwingTwist(swing=(110, 76), center=(8, -35), twist=(-70, 90), degrees=True)
"""Forward and up, backward and up, from an arm held out sideways; outward rotation."""

# AAOS: flexion 150; pronation 80, supination 80, counted from the thumb pointing up.  The zero of
# the figure, arms out and palms down, is 75 degrees pronated.
ELBOW_LIMIT = Range([0, -5], [150, 155], degrees=True)
"""Flexion; supination."""

# AAOS: flexion 80, extension 70, radial deviation 20, ulnar deviation 30.
WRIST_LIMIT = Range([-70, -30], [80, 20], degrees=True)
"""Flexion; radial deviation."""

# AAOS: metacarpophalangeal 90 and 45 of extension, proximal 100, distal 90; spread 20.
KNUCKLE_LIMIT = Range([-45, -20], [90, 20], degrees=True)
"""Flexion; spread towards the thumb."""
FINGER_LIMIT = Range(0, 100, degrees=True)
"""Flexion of a finger's middle joint."""
FINGER_END_LIMIT = Range(0, 90, degrees=True)
"""Flexion of a finger's last joint."""

# AAOS, carpometacarpal joint of the thumb: abduction 70, flexion 15, extension 20; then 50 and 80.
# The joint also rolls, and the palm hollows, when the thumb is brought to the little finger; with
# two coordinates only, flexion is granted 40 so that the two can meet.
THUMB_LIMIT = Range([0, -20], [70, 40], degrees=True)
"""Abduction, away from the palm; flexion, across the palm."""
THUMB_MIDDLE_LIMIT = Range(0, 50, degrees=True)
"""Flexion of the thumb's middle joint."""
THUMB_END_LIMIT = Range(-20, 80, degrees=True)
"""Flexion of the thumb's last joint."""

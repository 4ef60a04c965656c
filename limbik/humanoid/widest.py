"""How far joints of recorded people go: wider than the clinical tables, joint by joint.

``limbik.figures.anatomy`` has the normal values of the AAOS and the AMA.  Those are means, measured
slowly, one plane at a time, against the neighbouring bone.  Recorded motion leaves them for four
reasons, and the ranges here allow for each:

- People differ, athletes and dancers most of all.  One standard deviation is 5 to 10 degrees for
  most joints (Norkin & White); passive ranges are 10 to 25 degrees larger than active ones
  (Kapandji, "The Physiology of the Joints": hip flexion 120 active and 145 passive, wrist flexion
  85 and 100); under the body's weight the ankle bends up by 35 to 45 degrees and not by 20, and
  dancers point it by 90 and more (Russell et al., "Ankle and foot contributions to extreme
  plantar- and dorsiflexion in female ballet dancers", 2011).
- Joints are coupled.  A movement that is measured for a whole group – collarbone and shoulder, the
  joints of the neck, of the back, forearm and wrist – may lie in any joint of it, and solvers of
  motion capture put it where it fits.  So each joint of a group may take more than its share.
- A skeleton has fewer joints than a body.  Turns of the shank in the knee (Kapandji: 40 outward and
  30 inward, on a bent knee), of the heel below the ankle and of the middle of the foot appear in
  the one joint called foot; that of the forearm in the wrist.
- Bones of a rig do not show how they are rolled, and joint centres of recordings are some
  centimetres wrong.

What the tables and textbooks leave open was set with clips of the CMU library and of other
producers, those that ``benchmarks/anatomy.py`` measures; it has the share of frames that stays
outside.  None of them was kept apart, so that other clips may do worse.

Limits hold for both sides: a positive number is the first movement named beside it.
"""

from __future__ import annotations

from limbik.figure.limits import Range, SwingTwist

# Flexion/extension, bend to each side, turn to each side of the whole column, in degrees.
BACK = (95.0, 40.0, 45.0, 60.0)
NECK = (70.0, 75.0, 60.0, 90.0)

SHARED = {"back": 0.5, "neck": 0.3}
"""A joint whose share of a column's movement is s may do s to this power of it: of the back, half
the movement where its share is a quarter, and all where it is the only joint.  Recorded necks are
often bent like an S, forward in one joint and back in the next, so that theirs is smaller."""

# Abduction of a leg that is lifted sideways: dancers and acrobats double the 45 degrees of the
# tables, and tilt the pelvis too (Kapandji).
HIP = SwingTwist(swing=(95, 75), center=(52, 25), twist=(-70, 70), degrees=True)
"""Flexion, abduction; outward turn of the thigh."""

KNEE = Range([0, -35], [160, 40], degrees=True)
"""Flexion; outward turn of the shank."""

# The zero of a foot is uncertain by 15 degrees or so: few rigs stand with their soles flat.
ANKLE = Range([-90, -50, -35], [60, 50, 45], degrees=True)
"""Dorsiflexion; outward turn of the foot; inversion."""

TOES = Range([-50, -15, -15], [85, 15, 15], degrees=True)
"""Extension; outward turn; inversion."""

GIRDLE = Range([-15, -30, -30], [45, 35, 50], degrees=True)
"""Elevation; protraction; backward rotation about the collarbone."""

ARM = SwingTwist(swing=(122, 92), center=(8, -30), twist=(-120, 125), degrees=True)
"""Forward and up, backward and up, from an arm held out sideways; outward rotation."""

ELBOW = Range([0, -90], [155, 165], degrees=True)
"""Flexion; supination."""

WRIST = Range([-90, -45], [95, 40], degrees=True)
"""Flexion; radial deviation."""

SECOND_WRIST = Range([-100, -95], [100, 95], degrees=True)
"""The same of a joint after the wrist that shares its work."""

WRIST_TURN = 90.0
"""Degrees of the forearm's turn that a ball at the wrist is granted, to both sides."""

FINGER_TURN = 45.0
"""Degrees that a ball in a finger is granted about its bone, to both sides: rigs differ in how
fingers are rolled, and in which joints of a hand bend towards each other."""

KNUCKLE = Range([-45, -35], [100, 35], degrees=True)
"""Flexion; spread towards the thumb."""

FINGER = Range(-10, 115, degrees=True)
"""Flexion of a finger's middle joint."""

FINGER_END = Range(-15, 90, degrees=True)
"""Flexion of a finger's last joint."""

WHOLE_THUMB = Range([-30, -45, -40], [80, 75, 50], degrees=True)
"""A thumb of one bone: abduction, away from the palm; flexion, across the palm; roll."""

THUMB_AT_WRIST = Range([-135, -135, -180], [135, 135, 180], degrees=True)
"""The same of a thumb of one bone that starts in the wrist.  Recordings that have such a thumb
(CMU) know little of it, and put into it what the wrist should have done."""

THUMB = Range([-15, -30, -30], [75, 50, 50], degrees=True)
"""Abduction, away from the palm; flexion, across the palm; roll."""

THUMB_MIDDLE = Range(-15, 70, degrees=True)
"""Flexion of the thumb's middle joint."""

THUMB_END = Range(-35, 90, degrees=True)
"""Flexion of the thumb's last joint."""

"""A cartwheel of the human figure, made by formula from key postures.

The first half runs in straight lines through thirteen key postures; the second is its mirror image
in reverse, because a cartwheel to the left leaves the floor by the left foot and meets it again by
the right.  A bell-shaped window then averages neighbouring frames.  The limits of the figure are
convex in its coordinates and every key posture is inside them, so the averages are inside too.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figures.anatomy import NECK_SHARES, SPINE_SHARES
from limbik.figures.human import human
from limbik.figures.mirror import mirror_pose

FPS = 120.0
"""Frames per second."""

_WINDOW = 0.36  # seconds, the whole width of the smoothing window

# The score of the first half: a row per coordinate, a column per moment; degrees, and centimetres
# for the slides tx, ty and tz.  One number is held throughout; coordinates without a row stay at 0.
# Stand (to 0.35 s), arms up (0.9), left leg lifted (1.15), set down (1.5), lean and reach; left
# hand down (2.0), left foot up (2.05), right hand down (2.2), upside down in a straddle (2.5).  The
# rows were drawn by hand, then tuned by least squares until planted hands and feet neither left the
# floor nor slid on it.
_SCORE = """
seconds                0  0.35  0.65   0.9  1.15   1.4   1.6  1.75   1.9  2.05   2.2  2.35   2.5
Hips.tx                0     0  -0.1  -7.9 -13.6  18.3    32  54.8  92.9 104.7 139.5 153.9 166.2
Hips.ty             -0.1  -0.1     0  -0.6   0.9  -2.3  -6.3  -6.3  -8.3  -4.8   0.1   9.2  12.5
Hips.tz                0     0   3.4     3  -7.3   1.9     3  -2.6  -5.2   8.4   7.6     6   5.1
Hips.ry                0     0     0   3.5   7.2  11.5  20.2  20.7   7.2  -8.1 -12.8  -8.8     0
Hips.rx                0     0   1.5   3.3     0   5.3  13.7  25.4  39.3  45.9  35.4  13.4  -0.8
Hips.rz                0     0     0     0     4    -6   -11   -27   -73  -104  -128  -154  -180
BACK.swing1            0     0  -3.2  -4.5  -3.6   1.9  13.1  24.4  29.4  21.6  20.1   6.5  -3.6
BACK.swing2            0     0     0  -3.1  -9.1  -0.9  11.7    28  38.1  37.9  37.9  20.9     0
BACK.twist             0     0     0     0     0  -5.1 -12.7 -17.4 -16.6 -10.6  -1.5     0     0
NECK.swing1            0     0    -8   -14   -10    -6    -8   -14   -22   -28   -32   -34   -35
NECK.swing2            0     0     0     0     0     4     8     8     8     6     4     2     0
NECK.twist             0     0     0     5    20    28    24    18    12     8     4     2     0
LeftUpLeg.swing1       2     2   1.4   9.2  19.6  19.6  45.4    62    70  65.6  53.9  28.8  11.9
LeftUpLeg.swing2       0     0     0   5.7  18.1  26.9  26.1  25.7  33.5  46.7    55  53.4  48.7
LeftUpLeg.twist        8     8   7.1  14.3  25.9  26.5  18.8  13.5   7.2  16.4    27  32.4  32.3
LeftLeg.rx             4     4     3  14.6   4.2  11.9    45  54.5  45.8  18.5   1.4   1.5   3.7
LeftFoot.rx            2     2   3.9   4.8  -2.8 -14.4  11.9  18.8  18.8  -8.5 -41.4 -48.5 -42.3
LeftFoot.ry            0     0   4.6  -6.9  -7.4     0     0  -4.2  -8.6  -8.4   6.2   5.7   0.9
LeftFoot.rz            0     0     0   2.7   4.5   1.8     0  -1.5  -5.1  -6.9  -6.2  -2.7     0
LeftToeBase            0     0     0   3.9   5.5   2.8     0   3.9  18.9    30  11.8  -3.8  -5.6
LeftShoulder.rz        0     0     4  12.3  17.6  18.1  15.4   8.8   3.7   4.3  -2.2   9.2  20.5
LeftShoulder.ry        0     0     0     0     0     0   0.7   2.9   6.9   8.2   6.3   4.9   2.7
LeftShoulder.rx        0     0     0   2.9   5.9     7   6.9   6.2   4.2  -1.8  -3.3   6.4   8.5
LeftArm.swing1     -42.4 -42.4  -1.4  35.6  55.5  54.4  51.3  46.8    50  73.3  78.7  66.2  55.6
LeftArm.swing2     -59.4 -59.4 -12.7  14.3  27.1  26.7  24.6  20.2  16.7  19.3  18.9  25.9  29.3
LeftArm.twist          0     0     8   5.9   1.8     0     1   2.8   3.5     0     0     0     0
LeftForeArm.ry        15    15     9   7.1   6.2   6.1   5.7   4.3   2.2   1.5   1.4   1.4   1.5
LeftForeArm.rx        40    40    55  69.9  79.9  80.1  81.1  83.1  84.1  80.4  79.7  79.8  79.5
LeftHand.rz            0     0     0     5     0  -7.8   -19 -37.9 -56.5 -68.8   -69 -68.8 -68.6
LeftHand.ry            0     0     0     0     0     0    -3  -8.3    -9   5.6  10.3   7.2     3
LeftFingerBase.rz     12    12     8     4   4.2   4.7   0.8  -9.1 -26.5 -42.9 -43.5 -38.1 -29.2
RightUpLeg.swing1      2     2     0   1.9   6.4   4.6   5.4  13.3   6.8   2.1   3.3   8.3  11.9
RightUpLeg.swing2      0     0     0  -4.4  -2.2   6.1   8.8   7.1  26.8  39.8  45.7  47.9  48.7
RightUpLeg.twist       8     8   7.8   8.5   9.1  10.5  16.3    18  24.2  29.3  31.9    32  32.3
RightLeg.rx            4     4   2.1   2.4   4.1   8.7   5.7   1.5   1.5   3.1   3.9     4   3.7
RightFoot.rx           2     2   3.6   4.5  -1.1   7.4  -5.7 -34.8 -43.6 -43.3 -42.3   -42 -42.3
RightFoot.ry           0     0  -0.4     0     2   5.8   4.5  -8.5  -6.6  -2.2     0     0   0.9
RightFoot.rz           0     0     0   1.4   2.1   2.1     3   5.1   2.7   0.7     0     0     0
RightToeBase           0     0     0     0    -2   2.6  16.4   2.5    -6  -5.2  -4.9  -4.9  -5.6
RightShoulder.rz       0     0     4    12  16.9  17.9  17.9    18  19.3  20.8  20.9  20.6  20.5
RightShoulder.ry       0     0     0     0     0     0     0     0   1.2   3.8   7.2   5.4   2.7
RightShoulder.rx       0     0     0   2.9   5.8   6.9   6.8   6.5   5.8   4.4   3.2   6.7   8.5
RightArm.swing1    -42.4 -42.4  -1.4  35.4  55.1    55    55  55.7  58.1  62.1  61.3  58.6  55.6
RightArm.swing2    -59.4 -59.4 -12.7  14.1  26.6  26.6  26.5  26.6  27.7    30  30.3  30.8  29.3
RightArm.twist         0     0     8     6     2     0     0     0  -1.4    -4  -4.5  -2.2     0
RightForeArm.ry       15    15     9     7     6     6   6.1   6.4   6.8   5.7   3.3   1.4   1.5
RightForeArm.rx       40    40    55    70    80  80.1  80.1  79.7  78.2  75.5    75  77.7  79.5
RightHand.rz           0     0     0     5     0  -4.2   -10 -18.6 -28.8 -40.7   -62 -68.6 -68.6
RightHand.ry           0     0     0     0     0     0     0     0   3.9  11.1  13.8   8.2     3
RightFingerBase.rz    12    12     8     4     4     4   4.2   0.8  -4.6 -14.1 -28.3 -33.5 -29.2
LeftHandIndex1         6
RightHandIndex1        6
LThumb.turn           15    15    15    15    15    15    15     9     4     2     2     2     2
LThumb.ry              5     5     5     5     5     5     5    -5   -14   -17   -17   -17   -17
RThumb.turn           15    15    15    15    15    15    15    15     9     4     2     2     2
RThumb.ry              5     5     5     5     5     5     5     5    -5   -14   -17   -17   -17
"""

# The rows BACK and NECK are whole movements, shared out among joints as their ranges are.
_SHARES = {"BACK": SPINE_SHARES, "NECK": NECK_SHARES}


def _first_half(figure: Figure) -> np.ndarray:
    """(frames, n) straight lines through the key postures, to the moment of being upside down."""
    lines = [line.split() for line in _SCORE.strip().splitlines()]
    rows = {name: [float(value) for value in values] for name, *values in lines}
    moments = rows.pop("seconds")
    seconds = np.arange(round(moments[-1] * FPS) + 1) / FPS
    q = np.zeros((len(seconds), figure.n))
    for name, values in rows.items():
        joint, _, label = name.partition(".")
        curve = np.interp(seconds, moments, np.broadcast_to(values, len(moments)))
        for member, (bend, turn) in _SHARES.get(joint, {joint: (1.0, 1.0)}).items():
            c = figure.coordinates.index(f"{member}.{label}" if label else member)
            share = turn if label == "twist" else bend
            q[:, c] = share * (curve / 100 if figure.slides[c] else np.radians(curve))
    return q


def _second_half(figure: Figure, first: np.ndarray) -> np.ndarray:
    """The first half mirrored and reversed, without the frame both share; roll and travel go on."""
    second = mirror_pose(figure, first[-2::-1])
    second[:, figure.coordinates.index("Hips.rz")] -= 2 * math.pi
    travel = figure.coordinates.index("Hips.tx")
    second[:, travel] += 2 * first[-1, travel]
    return second


def _smooth(q: np.ndarray) -> np.ndarray:
    """q (frames, n) averaged over time with a raised cosine; the ends are held."""
    half = round(_WINDOW * FPS / 2)
    weights = 1 + np.cos(np.pi * np.arange(-half, half + 1) / (half + 1))
    held = np.pad(q, ((half, half), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(held, 2 * half + 1, axis=0)
    return windows @ (weights / weights.sum())


@cache
def cartwheel() -> Motion:
    """A cartwheel to the left: 5 s of ``human()`` at 120 frames per second, inside its limits.

    It starts standing at the origin, facing +z, travels along +x on the floor y = 0, and ends as it
    began.  Hands and feet that are down stay where they are to about a centimetre.

    >>> cartwheel().figure
    <Figure human: 31 joints, n = 74>
    """
    figure = human()
    first = _first_half(figure)
    q = _smooth(np.concatenate([first, _second_half(figure, first)]))
    return Motion(figure, q, FPS, "cartwheel")

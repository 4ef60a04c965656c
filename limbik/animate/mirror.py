"""mirror: a motion with left and right exchanged."""

from __future__ import annotations

from limbik.errors import FigureError, LimbikError
from limbik.figure.motion import Motion
from limbik.humanoid.ground import sampled, up_axis
from limbik.humanoid.mirror import PoseMirror


def mirror(motion: Motion) -> Motion:
    """The motion with left and right exchanged, reflected in one upright plane.

    The plane goes through the middle of the first pose, along the axis it faces.  Any figure with a
    left and a right will do; joints without a counterpart keep their values.

    >>> back = clip.mirror().mirror()
    >>> bool(abs(back.positions() - clip.positions()).max() < 1e-6)
    True
    """
    figure = motion.figure
    try:
        image = PoseMirror(figure, up_axis(figure, motion.q), sampled(figure, motion.q))
    except LimbikError as error:
        raise FigureError(f"mirror: {error}") from error
    return Motion(figure, image.poses(motion.q), motion.fps, motion.name)

"""The tools of a motion that need more than its figure: ``motion.smooth()`` and the like.

What they do is in layers above this one, which register it here, as writers of files do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from limbik.figure.motion import Motion

_TOOLS: dict[str, Callable[..., Any]] = {}


def register_tools(**tools: Callable[..., Any]) -> None:
    """Let the methods of a motion call these functions, whose first argument is the motion."""
    _TOOLS.update(tools)


class MotionTools:
    """The part of ``Motion`` that changes it; every tool answers with a new motion."""

    __slots__ = ()

    def smooth(self, seconds: float = 0.2, *, joints: Iterable[str] | None = None) -> Motion:
        """The motion without its jitter: see ``limbik.animate.smooth.smooth``.

        Args:
            seconds: the window that a frame is averaged over.
            joints: names; all unless given.

        Returns:
            The motion.

        Raises:
            FigureError: there is no such joint, or ``seconds`` is out of range.

        Example:
            >>> clip.smooth(0.1).frames == clip.frames
            True
        """
        return _TOOLS["smooth"](self, seconds, joints=joints)

    def edit(
        self,
        joint: str,
        frame: int,
        target: Sequence[float] | np.ndarray,
        span: int,
        *,
        wxyz: Sequence[float] | np.ndarray | None = None,
        hold: Iterable[str] | None = None,
    ) -> Motion:
        """The motion with a joint at ``target`` in one frame, faded in and out over ``span``
        frames: see ``limbik.animate.edit.edit``.

        Args:
            joint: its name or alias.
            frame: its number; negative ones count from the end.
            target: (3,) where the joint shall be then.
            span: frames before and after over which the change fades.
            wxyz: (4,) how the joint shall be turned there.
            hold: names of joints that keep their paths; those of the feet unless given.

        Returns:
            The motion.

        Raises:
            FigureError: there is no such joint or frame.
            GoalError: the target cannot be reached.
        """
        return _TOOLS["edit"](self, joint, frame, target, span, wxyz=wxyz, hold=hold)

    def plant_feet(
        self,
        joints: Iterable[str] | None = None,
        *,
        contacts: Iterable[Any] | None = None,
        fade: float = 0.2,
    ) -> Motion:
        """The motion with its feet still while they are on the ground: see
        ``limbik.animate.plant_feet.plant_feet``.

        Args:
            joints: names; feet and toes unless given.
            contacts: found in the motion unless given (``limbik.find_contacts``).
            fade: seconds over which corrections come and go between contacts.

        Returns:
            The motion.

        Raises:
            FigureError: there is no such joint, or no feet are known.
        """
        return _TOOLS["plant_feet"](self, joints, contacts=contacts, fade=fade)

    def mirror(self) -> Motion:
        """The motion with left and right exchanged: see ``limbik.animate.mirror.mirror``."""
        return _TOOLS["mirror"](self)

    def slice(self, start: float = 0.0, end: float | None = None) -> Motion:
        """The frames from ``start`` to ``end`` seconds, both included; ``motion[10:20]`` takes
        frames by number.

        Args:
            start: seconds from the first frame.
            end: seconds; the last frame unless given.

        Returns:
            The motion.

        Raises:
            FigureError: nothing is left, or a time is not finite.
        """
        return _TOOLS["slice"](self, start, end)

    def concatenate(self, *others: Motion, seconds: float = 0.3, align: bool = True) -> Motion:
        """This motion and then others: see ``limbik.animate.joined.concatenate``.

        Args:
            others: motions of figures with the same joints.
            seconds: how long the end of one is mixed with the beginning of the next; 0 puts them
                end to end.
            align: each goes on where the one before it ends, in its direction.

        Returns:
            The motion.

        Raises:
            FigureError: the figures differ, or ``seconds`` is out of range.
        """
        return _TOOLS["concatenate"](self, *others, seconds=seconds, align=align)

    def blend(self, other: Motion, share: float | Sequence[float] | np.ndarray = 0.5) -> Motion:
        """A mixture of two motions, frame by frame: see ``limbik.animate.joined.blend``.

        Args:
            other: of a figure with the same joints.
            share: 0 for this motion, 1 for the other: one number, or one per frame.

        Returns:
            The motion, as long as the shorter one.

        Raises:
            FigureError: the figures differ, or a share is outside 0 to 1.
        """
        return _TOOLS["blend"](self, other, share)

    def loop(self, times: int = 1, *, seconds: float = 0.3) -> Motion:
        """The motion ending as it begins, repeated: see ``limbik.animate.joined.loop``.

        Args:
            times: how often it is repeated, each time from where the last ended.
            seconds: over how much of its end what is missing is made up for.

        Returns:
            The motion.

        Raises:
            FigureError: ``times`` or ``seconds`` is out of range, or there are fewer than two
                frames.
        """
        return _TOOLS["loop"](self, times, seconds=seconds)

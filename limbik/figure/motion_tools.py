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
        frames: see ``limbik.animate.edit.edit``."""
        return _TOOLS["edit"](self, joint, frame, target, span, wxyz=wxyz, hold=hold)

    def plant_feet(
        self,
        joints: Iterable[str] | None = None,
        *,
        contacts: Iterable[Any] | None = None,
        fade: float = 0.2,
    ) -> Motion:
        """The motion with its feet still while they are on the ground: see
        ``limbik.animate.plant_feet.plant_feet``."""
        return _TOOLS["plant_feet"](self, joints, contacts=contacts, fade=fade)

    def mirror(self) -> Motion:
        """The motion with left and right exchanged: see ``limbik.animate.mirror.mirror``."""
        return _TOOLS["mirror"](self)

    def slice(self, start: float = 0.0, end: float | None = None) -> Motion:
        """The frames from ``start`` to ``end`` seconds, both included; ``motion[10:20]`` takes
        frames by number."""
        return _TOOLS["slice"](self, start, end)

    def concatenate(self, *others: Motion, seconds: float = 0.3, align: bool = True) -> Motion:
        """This motion and then others: see ``limbik.animate.joined.concatenate``."""
        return _TOOLS["concatenate"](self, *others, seconds=seconds, align=align)

    def blend(self, other: Motion, share: float | Sequence[float] | np.ndarray = 0.5) -> Motion:
        """A mixture of two motions, frame by frame: see ``limbik.animate.joined.blend``."""
        return _TOOLS["blend"](self, other, share)

    def loop(self, times: int = 1, *, seconds: float = 0.3) -> Motion:
        """The motion ending as it begins, repeated: see ``limbik.animate.joined.loop``."""
        return _TOOLS["loop"](self, times, seconds=seconds)

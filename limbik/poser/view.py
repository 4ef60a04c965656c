"""``limbik.view``: the poser for a figure and goals of a program.

Nothing of the poser is imported before it is asked for: an installation without it stays light.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.goals import Goal

if TYPE_CHECKING:
    from limbik.poser.view_handle import View


def view(
    figure: Figure | Motion,
    goals: Sequence[Goal] = (),
    *,
    port: int = 0,
    open: bool = True,
    block: bool | None = None,
) -> View:
    """Show a figure (or a motion) in the browser, where it is posed by its effectors.

    The pose that meets the goals is found at once.  Reach, Pin and Aim become effectors: Reach is
    free to be dragged on, Pin holds, Aim aims.  Goals of every other kind (and those with more than
    one weight) are listed in the panel and hold while one drags.  Without goals the figure has the
    effectors that a person would want.

    In a notebook the poser is shown in the cell whose last line this is; that needs the browser and
    the kernel on one machine, in Jupyter under localhost or 127.0.0.1.  Elsewhere a browser is
    opened.

    Args:
        figure: a figure, or a motion to play.
        goals: what shall hold.
        port: the port of the server on this machine; 0 takes any.
        open: whether to open a browser.
        block: whether to wait here until Ctrl-C or ``close``; a script does, a prompt and a
            notebook go on, unless this says otherwise.

    Returns:
        A handle with the pose as it is now.

    Raises:
        LimbikError: the poser is not installed, or a goal cannot be asked.

    Example:
        >>> shown = limbik.view(fig, [limbik.Pin("LeftFoot")], open=False, block=False)
        limbik poser: http://127.0.0.1:...
        >>> q = shown.pose  # as it is now
        >>> shown.close()
    """
    from limbik.poser.installed import require_poser

    require_poser()
    from limbik.poser.view_handle import show

    return show(figure, goals, port=port, open=open, block=block)

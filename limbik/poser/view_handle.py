"""A figure that a program shows: the handle it gets, and the one server of its process."""

from __future__ import annotations

import asyncio
import atexit
import html
import sys
import threading
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from limbik.errors import LimbikError
from limbik.figure.appearance.drawing import svg
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats.gltf import mesh as gltf_mesh
from limbik.formats.gltf.rig import Rig
from limbik.goals import Goal
from limbik.poser.editing.session import Session
from limbik.poser.server.listen import PoserServer, open_browser
from limbik.poser.server.open_session import OpenSession
from limbik.poser.startup import First
from limbik.poser.view_goals import split_goals
from limbik.solver.result import Result
from limbik.solver.solve import solve

T = TypeVar("T")

_HEIGHT = 640  # pixels of a cell in a notebook
_server: PoserServer | None = None
_views: list[View] = []
_starting = threading.Lock()


class View:
    """A figure in the poser.

    ``url`` is its address; ``result`` what solving the goals said, None without goals.
    """

    def __init__(
        self,
        server: PoserServer,
        open_session: OpenSession,
        session: Session,
        result: Result | None,
    ) -> None:
        self.url = f"{server.url}#session={open_session.id}"
        self.result = result
        self._server, self._open_session, self._session = server, open_session, session
        self._closed = threading.Event()

    @property
    def pose(self) -> np.ndarray:
        """(n,) the pose q as it is now."""
        return self._session.document.q.copy()

    @property
    def figure(self) -> Figure:
        """The figure as it is now: its limits may have been edited, or another opened."""
        return self._session.figure

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed.is_set()

    def close(self) -> None:
        """End it: the page is told, the last pose stays in ``pose``."""
        with _starting:
            if not self.closed:
                self._end()
                _stop_if_unused()

    def _end(self) -> None:
        self._closed.set()
        _views.remove(self)
        _in(self._server, self._server.sessions.release(self._open_session))

    def wait(self) -> None:
        """Wait until it is closed, or for Ctrl-C, which closes it."""
        try:
            while not self._closed.wait(0.5):  # Windows hears no Ctrl-C in a longer wait
                pass
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"View({'closed' if self.closed else self.url})"

    def _repr_html_(self) -> str:
        """The poser in a cell of a notebook, and the pose as it is now, which needs no server."""
        figure = self.figure
        picture = svg(figure, [self.pose], f"{figure.name or 'figure'} as it was in the poser")
        if self.closed:
            return f"<p>This view of limbik was closed.</p>{picture}"
        return (
            f'<iframe src="{html.escape(self.url)}" title="limbik poser" width="100%" '
            f'height="{_HEIGHT}" style="border:0" allow="fullscreen"></iframe>'
            f"<details><summary>Where the poser cannot be reached</summary>{picture}</details>"
        )


def show(
    figure: Figure | Motion, goals: Sequence[Goal], *, port: int, open: bool, block: bool | None
) -> View:
    """``limbik.view``, once everything that it needs is there."""
    motion = figure if isinstance(figure, Motion) else None
    figure = figure.figure if isinstance(figure, Motion) else figure
    start = figure.rest if motion is None else motion.q[0]
    result = solve(figure, goals, start=start) if goals else None
    effectors, kept = None, ()
    if result is not None:
        effectors, kept = split_goals(figure, goals, start, result.q)

    def make(id: str, folder: Path) -> Session:
        meshes = gltf_mesh.meshes(figure) if isinstance(figure.source, Rig) else ()
        return Session.of_figure(
            figure, folder, motions=() if motion is None else (motion,), meshes=meshes,
            effectors=effectors, goals=kept, q=start if result is None else result.q, id=id,
        )  # fmt: skip

    with _starting:
        server = _running(port)
        if server.sessions.full:
            _end_one_unseen()
        try:
            open_session = _in(server, server.sessions.hold(make))
        except BaseException:
            _stop_if_unused()
            raise
        assert open_session.session is not None
        view = View(server, open_session, open_session.session, result)
        _views.append(view)
    if not in_notebook():
        print(f"limbik poser: {view.url}", flush=True)
        if open:
            open_browser(view.url)
    if block is None:
        block = not is_interactive()
    if block:
        view.wait()
    return view


def in_notebook() -> bool:
    """Whether this runs in a kernel that shows HTML, and not in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def is_interactive() -> bool:
    """Whether somebody sits at a prompt, who would not want to wait."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None or hasattr(sys, "ps1") or bool(sys.flags.interactive)


def _running(port: int) -> PoserServer:
    """The server of this process, started where it is not running."""
    global _server
    if _server is None:
        first = First("human")
        _server = PoserServer(first.session, port=port)
        _server.start()
        first.prepare(then=_server.sessions.hello_again)
    elif port not in (0, _server.port):
        raise LimbikError(
            f"The poser of this program is on port {_server.port} already: leave port out, or "
            "close its views first."
        )
    return _server


def _stop_if_unused() -> None:
    global _server
    if _server is not None and not _views:
        _server.stop()
        _server = None


def _end_one_unseen() -> None:
    """Make room: a cell of a notebook that is run again and again leaves views behind."""
    unseen = next((view for view in _views if view._open_session.client is None), None)
    if unseen is not None:
        unseen._end()


def _in(server: PoserServer, work: Coroutine[Any, Any, T]) -> T:
    """Do something in the server's thread and wait for it."""
    return asyncio.run_coroutine_threadsafe(work, server.loop).result()


@atexit.register
def _at_exit() -> None:
    """A program that ends without closing its views has them saved all the same."""
    if _server is not None:
        _server.stop()

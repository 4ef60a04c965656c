"""``limbik pose``: the poser in the browser."""

from __future__ import annotations

import gc
import json as json_text
import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from limbik.cli import arguments, files
from limbik.cli.terminal import note, out
from limbik.errors import LimbikError


def pose(
    file: Annotated[
        str,
        typer.Argument(
            metavar="[FILE]", help=f"A file, or one of: {arguments.NAMES}; - is standard input."
        ),
    ] = "human",
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            show_default="8765, or the next that is free",
            metavar="PORT",
            help="Port to serve on.",
        ),
    ] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address, and open no browser.")
    ] = False,
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="none|file|anatomical",
            help="none or file: only the limits that the file has. By default a body whose file "
            "has none gets anatomical limits, and the page says so.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to serve on. Beyond this machine (0.0.0.0) a token is asked for, which "
            "the printed address has; the connection is not encrypted.",
        ),
    ] = "127.0.0.1",
    json: Annotated[
        bool, typer.Option("--json", help="Print the address as one JSON object instead.")
    ] = False,
) -> None:
    """Pose and animate a figure in the browser.

    Drag hands, feet or any joint, and the figure follows inside its limits.  Serves until Ctrl-C;
    what was done is kept and is there again when the page is reloaded.
    """
    if limits not in (None, "none", "file", "anatomical"):
        raise LimbikError(f'--limits "{limits}": expected none, file or anatomical')
    from limbik.poser.installed import require_poser

    require_poser()
    from limbik.poser.server.listen import PoserServer, open_browser
    from limbik.poser.startup import First

    first = First(files.source(file), natural=limits in (None, "anatomical"))
    server = PoserServer(first.session, host=host, port=port)
    if server.sessions.store.note:
        note("Warning", server.sessions.store.note, "bold yellow")

    def ready() -> None:
        # What is loaded by now stays: to look through it again and again would hold up drags.
        gc.collect()
        gc.freeze()
        server.sessions.hello_again()

    first.prepare(then=ready)
    if json:
        print(json_text.dumps({"url": server.url}), flush=True)
    else:
        # Whole, because a terminal makes no link out of an address that is broken at its edge.
        out.print(f"limbik poser: {server.url}", soft_wrap=True)
        out.print("Ctrl-C ends it.", style="dim")
    if not no_open:
        open_browser(server.url)
    with suppress(KeyboardInterrupt):  # the way to end it
        server.run()
    # Everything is saved.  Python would wait for what is being compiled in another thread, and take
    # its time to tidy up, seconds while a browser draws.
    files.clear()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)

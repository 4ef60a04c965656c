"""Ctrl-C while the ``limbik`` command is being imported, which takes a moment, ends it quietly.

Python imports this package before any line of the command line runs, so this is its first import.
In other programs it does nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import PurePath

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def _is_command() -> bool:
    """Whether this process is ``limbik ...`` or ``python -m limbik ...``."""
    started = sys.orig_argv
    module = started[started.index("-m") + 1 :][:1] if "-m" in started else []
    program = sys.argv[0] if getattr(sys, "argv", None) else ""
    return (program == "-m" and module == ["limbik"]) or PurePath(program).stem == "limbik"


def quiet() -> None:
    """Let Ctrl-C end the process at once, where it is the command and nothing else listens."""
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def as_usual() -> None:
    """Let Ctrl-C be a KeyboardInterrupt again."""
    handler = signal.getsignal(signal.SIGINT)
    if getattr(handler, "__module__", None) == __name__:
        signal.signal(signal.SIGINT, signal.default_int_handler)


quiet()

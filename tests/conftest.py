"""What all tests share: how hypothesis searches, and kernels compiled before they start."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a kernel compiles it, which no deadline should punish.
settings.register_profile("limbik", deadline=None, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("limbik"), max_examples=2000)
settings.load_profile("limbik")

TESTS = Path(__file__).resolve().parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the workers of a whole run start, compile all methods once: they share the cache."""
    config = session.config
    workers = getattr(config.option, "numprocesses", None)
    whole = not config.option.file_or_dir and not config.option.collectonly
    if hasattr(config, "workerinput") or not workers or not whole:
        return
    script = TESTS / "helpers" / "compile_kernels.py"
    paths = [str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with tempfile.TemporaryDirectory() as claims:
        parts = [
            subprocess.Popen([sys.executable, str(script), claims], env=environment)
            for _ in range(2)
        ]
        for part in parts:
            part.wait()  # what cannot be compiled fails in a test, with its reason

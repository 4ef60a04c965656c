"""What all tests share: how hypothesis searches, and kernels compiled before they start."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a kernel compiles it, which no deadline should punish.  Everybody tries the same
# examples; new ones are searched for with --hypothesis-profile=thorough.
settings.register_profile("limbik", deadline=None, derandomize=True, max_examples=50)
settings.register_profile(
    "thorough",
    parent=settings.get_profile("limbik"),
    derandomize=False,
    print_blob=True,
    max_examples=2000,
)
settings.load_profile("limbik")

TESTS = Path(__file__).resolve().parent

# Workers and the commands that tests start read limbik's sources as bytecode, in the folders where
# its compiled kernels lie anyway: to translate them anew takes each process about a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts a run in the background has it ignore Ctrl-C, and so would every command that
# a test starts in order to stop it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: some tests wait, for a page or for another process."""
    return (os.cpu_count() or 1) + 1


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
    # What cannot be compiled fails in a test, with its reason.
    subprocess.run([sys.executable, str(script)], env=environment)

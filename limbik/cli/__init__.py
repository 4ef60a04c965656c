"""The command line: parses, calls, prints.  One file per command; this one puts them together."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Annotated

import typer

from limbik.cli.commands import batch
from limbik.cli.commands.check import check
from limbik.cli.commands.convert import convert
from limbik.cli.commands.demo import demo
from limbik.cli.commands.fit_markers import fit_markers
from limbik.cli.commands.info import info
from limbik.cli.commands.methods import methods
from limbik.cli.commands.motion import app as motion
from limbik.cli.commands.papers import papers
from limbik.cli.commands.pose import pose
from limbik.cli.commands.retarget import retarget
from limbik.cli.commands.solve import solve
from limbik.cli.commands.track import track
from limbik.cli.terminal import (
    INTERRUPTED,
    WRONG_USE,
    Command,
    Commands,
    flowing,
    note,
    sentence,
)
from limbik.version import __version__

TRACEBACK = "LIMBIK_TRACEBACK"
"""The environment variable that shows the traceback of a defect."""

DEFECT = 70
"""The exit code of a defect in limbik."""

app = typer.Typer(
    name="limbik",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example:  limbik solve human --reach LeftHand=0.4,1.2,0.3 --pin LeftFoot",
)


for _command, _examples in (
    (pose, ["limbik pose", "limbik pose walk.bvh", "limbik pose robot.urdf --port 9000 --no-open"]),
    (info, ["limbik info walk.bvh", "limbik info human"]),
    (
        convert,
        [
            "limbik convert walk.bvh walk.glb --unit m --from-unit cm",
            "limbik convert fox.glb run.bvh --clip Run",
            "limbik convert 02_01.amc values.csv --figure 02.asf",
        ],
    ),
    (
        solve,
        [
            "limbik solve human --reach LeftHand=0.4,1.2,0.3 --pin LeftFoot",
            "limbik solve walk.bvh --reach RightHand=5,20,8 --out pose.bvh",
        ],
    ),
    (
        track,
        [
            "limbik track cartwheel --effectors LeftHand,RightHand,Hips",
            "limbik track human --effectors LeftHand,Head --targets walk.bvh --out walk2.bvh",
            "limbik track walk.bvh --effectors Hips,Head --every 0.05 --limits clip+10",
        ],
    ),
    (
        retarget,
        [
            "limbik retarget dance.bvh robot.xml dance.npz --layout mujoco",
            "limbik retarget walk.bvh avatar.vrm walk.glb",
            "limbik retarget cartwheel human out.bvh --scale fitted --smooth 0.05",
        ],
    ),
    (
        check,
        [
            "limbik check walk.bvh",
            "limbik check robot.npz --figure robot.xml --source walk.bvh --out check.png",
        ],
    ),
    (fit_markers, ["limbik fit-markers walk.c3d human walk.bvh"]),
    (methods, ["limbik methods"]),
    (papers, ["limbik papers --quick", "limbik papers line_search --clip walk.bvh --out report"]),
    (demo, ["limbik demo", "limbik demo --out pictures"]),
):
    app.command(cls=Command, help=flowing(_command), epilog="\n\n".join(["Examples:", *_examples]))(
        _command
    )

app.add_typer(batch.app, name="batch")

app.add_typer(motion)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"limbik {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    help="Inverse kinematics for characters and robots, with joint limits that hold.\n\n"
    "Exit codes: 0 every goal reached; 1 not reached; 2 wrong use, or a file that cannot be read "
    "or written; 130 stopped with Ctrl-C.",
)
def limbik(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        # With Rich this prints by itself and returns nothing.
        text = context.get_help()
        if text:
            print(text)


def main() -> None:
    """The ``limbik`` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Where the encoding has no "°", a question mark is written.
            stream.reconfigure(errors="replace")
    sys.exit(_run())


def _run() -> int:
    """The exit code; what fails outside a command, such as a full disk, is one line too."""
    try:
        try:
            app(prog_name="limbik")
        finally:
            sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        _give_up(sys.stdout)
        what = "the output cannot be written: " if error.filename is None else ""
        if error.errno != errno.EPIPE:  # who closes a pipe knows
            note("Error", f"{what}{sentence(error)}", "bold red")
        return WRONG_USE
    except MemoryError:
        note("Error", "there is not enough memory for this", "bold red")
        return WRONG_USE
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        hint = f"This is a defect of limbik; with {TRACEBACK}=1 it shows where."
        note("Error", f"{what}\n{hint}", "bold red")
        return DEFECT
    return 0


def _give_up(stream: object) -> None:
    """Let nothing more be written, so that Python does not fail again as it ends."""
    if isinstance(stream, io.TextIOWrapper):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())

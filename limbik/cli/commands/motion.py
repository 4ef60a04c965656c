"""``limbik motion``: the tools of a motion, one command each: read a clip, change it, write it."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from limbik.cli import files
from limbik.cli.arguments import NAMES, floats, names
from limbik.cli.commands.check import motion_of, picture_file
from limbik.cli.options import ClipName, FigureFile, Force, Json, OutputFormat
from limbik.cli.terminal import Command, Commands, notes, out
from limbik.errors import LimbikError
from limbik.figure.motion import Motion
from limbik.formats.files import write_whole

app = typer.Typer(
    name="motion",
    cls=Commands,
    help="Change a motion: smooth, edit, plant feet, mirror, resample, slice, concatenate, blend, "
    "loop, plot.",
    epilog="Example:  limbik motion smooth walk.bvh out.bvh --seconds 0.3",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Source = Annotated[
    str,
    typer.Argument(
        metavar="IN", help=f"A file with motion, or one of: {NAMES}; - is standard input."
    ),
]
Target = Annotated[
    Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
]
Joints = Annotated[
    str | None,
    typer.Option("--joints", metavar="A,B,C", help="The joints that change.", show_default="all"),
]


class _Work:
    """One command: what is read and written, refused before the work rather than after it."""

    def __init__(
        self, source: str, target: Path, figure: str | None, clip: str | None, options: tuple
    ) -> None:
        force, to, self._json = options
        read = files.source(source)
        found = files.output(target, to=to, force=force, read=read, figure=figure)
        assert found is not None
        self._to = found
        if self._json and self._to.standard:
            raise LimbikError("--json and OUT - both write to standard output: choose one")
        self.motion = motion_of(read, figure, clip)

    def write(self, motion: Motion) -> None:
        """Write the answer and say so."""
        written = files.write(motion, self._to)
        report: dict[str, Any] = {
            "wrote": [str(file) for file in written],
            "frames": motion.frames,
            "fps": motion.fps,
        }
        if self._json:
            print(json_text.dumps(report, allow_nan=False))
            return
        page = notes if self._to.standard else out
        name = "standard output" if self._to.standard else str(written[0])
        text = f"{motion.frames} frames at {motion.fps:.6g} fps"
        page.print(f"wrote {escape(name)}  [dim]{text}[/dim]", soft_wrap=True)


@app.command(cls=Command, epilog="Example:  limbik motion smooth walk.bvh out.bvh --seconds 0.3")
def smooth(
    source: Source,
    target: Target,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="The width of the window.")
    ] = 0.2,
    joints: Joints = None,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Take the jitter out of a motion; rotations are filtered as rotations."""
    work = _Work(source, target, figure, clip, (force, to, json))
    chosen = None if joints is None else names(joints, "--joints")
    work.write(work.motion.smooth(seconds, joints=chosen))


@app.command(
    cls=Command,
    epilog="Example:  limbik motion edit walk.bvh out.bvh --joint LeftHand --frame 40 "
    "--at 0.4,1.2,0.3 --span 15",
)
def edit(
    source: Source,
    target: Target,
    joint: Annotated[str, typer.Option(metavar="NAME", help="The joint that goes elsewhere.")],
    frame: Annotated[int, typer.Option(metavar="N", help="In which frame, counted from 0.")],
    at: Annotated[str, typer.Option(metavar="X,Y,Z", help="Where it shall be.")],
    span: Annotated[
        int, typer.Option(metavar="N", help="Frames over which the change fades in and out.")
    ] = 15,
    relative: Annotated[
        bool, typer.Option("--relative", help="--at is from where the joint is.")
    ] = False,
    hold: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="Joints that keep their paths.", show_default="feet"),
    ] = None,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Put a joint elsewhere in one frame; the change fades in and out, and feet stay."""
    work = _Work(source, target, figure, clip, (force, to, json))
    place = floats(at, 3)
    if not place:
        raise LimbikError(f'--at "{at}": expected x,y,z, such as 0.4,1.2,0.3')
    motion = work.motion
    if relative:
        if not 0 <= frame < motion.frames:
            raise LimbikError(f"--frame {frame}: the motion has frames 0 to {motion.frames - 1}")
        place = motion.figure.positions(motion.q[frame], joint) + place
    held = None if hold is None else names(hold, "--hold")
    work.write(motion.edit(joint, frame, place, span, hold=held))


@app.command(
    name="plant-feet", cls=Command, epilog="Example:  limbik motion plant-feet walk.bvh out.bvh"
)
def plant_feet(
    source: Source,
    target: Target,
    fade: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="How long a foot goes to its place and leaves it."),
    ] = 0.2,
    joints: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="The joints to hold.", show_default="feet and toes"),
    ] = None,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Hold the feet still while they are on the ground."""
    work = _Work(source, target, figure, clip, (force, to, json))
    chosen = None if joints is None else names(joints, "--joints")
    work.write(work.motion.plant_feet(chosen, fade=fade))


@app.command(cls=Command, epilog="Example:  limbik motion mirror walk.bvh out.bvh")
def mirror(
    source: Source,
    target: Target,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Exchange left and right."""
    work = _Work(source, target, figure, clip, (force, to, json))
    work.write(work.motion.mirror())


@app.command(cls=Command, epilog="Example:  limbik motion resample walk.bvh out.bvh --fps 30")
def resample(
    source: Source,
    target: Target,
    fps: Annotated[float, typer.Option(metavar="RATE", help="Frames per second.")],
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Change the frame rate, interpolating rotations as rotations."""
    work = _Work(source, target, figure, clip, (force, to, json))
    work.write(work.motion.resample(fps))


@app.command(
    name="slice", cls=Command, epilog="Example:  limbik motion slice walk.bvh out.bvh --from 1.5"
)
def cut(
    source: Source,
    target: Target,
    start: Annotated[
        float, typer.Option("--from", metavar="SECONDS", help="Where to begin.")
    ] = 0.0,
    end: Annotated[
        float | None,
        typer.Option("--until", metavar="SECONDS", help="Where to end.", show_default="the end"),
    ] = None,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Take a part of a motion."""
    work = _Work(source, target, figure, clip, (force, to, json))
    work.write(work.motion.slice(start, end))


@app.command(
    cls=Command, epilog="Example:  limbik motion concatenate walk.bvh out.bvh --then run.bvh"
)
def concatenate(
    source: Source,
    target: Target,
    then: Annotated[
        list[str], typer.Option(metavar="FILE", help="What comes next; may be given several times.")
    ],
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long one passes into the next.")
    ] = 0.3,
    align: Annotated[
        bool, typer.Option(help="Let each go on where the one before it ends.")
    ] = True,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Put motions one after the other."""
    work = _Work(source, target, figure, clip, (force, to, json))
    others = [motion_of(name, figure, None) for name in then]
    work.write(work.motion.concatenate(*others, seconds=seconds, align=align))


@app.command(
    cls=Command, epilog="Example:  limbik motion blend walk.bvh out.bvh --with run.bvh --share 0.3"
)
def blend(
    source: Source,
    target: Target,
    other: Annotated[str, typer.Option("--with", metavar="FILE", help="The other motion.")],
    share: Annotated[
        float, typer.Option(metavar="SHARE", help="Of the other motion: 0 to 1.")
    ] = 0.5,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Mix two motions of the same figure, frame by frame."""
    work = _Work(source, target, figure, clip, (force, to, json))
    work.write(work.motion.blend(motion_of(other, figure, None), share))


@app.command(cls=Command, epilog="Example:  limbik motion loop walk.bvh out.bvh --times 4")
def loop(
    source: Source,
    target: Target,
    times: Annotated[int, typer.Option(metavar="N", help="How often it is repeated.")] = 1,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long the end passes into the beginning.")
    ] = 0.3,
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
    to: OutputFormat = "",
    json: Json = False,
) -> None:
    """Let a motion end as it begins, so that it can be repeated; a walk goes on."""
    work = _Work(source, target, figure, clip, (force, to, json))
    work.write(work.motion.loop(times, seconds=seconds))


@app.command(cls=Command, epilog="Example:  limbik motion plot walk.bvh walk.png --view side")
def plot(
    source: Source,
    target: Annotated[
        Path, typer.Argument(metavar="PICTURE", help="The picture: .png, .svg or .pdf.")
    ],
    poses: Annotated[int, typer.Option(metavar="N", help="How many poses are drawn.")] = 8,
    view: Annotated[str, typer.Option(metavar="front|side|top", help="From where.")] = "front",
    figure: FigureFile = None,
    clip: ClipName = None,
    force: Force = False,
) -> None:
    """Draw a motion as poses from light to dark."""
    path = picture_file(target, force)
    page = motion_of(source, figure, clip).plot(poses=poses, view=view)
    kind = path.suffix.lower().removeprefix(".")
    write_whole(path, lambda file: page.savefig(file, format=kind))
    out.print(f"wrote {escape(str(path))}", soft_wrap=True)

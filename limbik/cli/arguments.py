"""What people type, turned into figures, goals and paths; each refusal says what was expected."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

from limbik import figures
from limbik.errors import FormatError, GoalError, LimbikError, NoMotionError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import FORMATS, load, load_motion, written_endings
from limbik.goals import Aim, Distance, Goal, Pin, Plane, Reach

BUILT_IN: dict[str, Callable[[], Figure]] = {
    "human": figures.human,
    "hand": figures.hand,
    "arm": figures.arm,
    "leg": figures.leg,
    "spider": figures.spider,
    "chain": figures.chain,
}
MOTIONS: dict[str, Callable[[], Motion]] = {"cartwheel": figures.cartwheel}
NAMES = ", ".join((*BUILT_IN, *MOTIONS))


class Opened(NamedTuple):
    """A figure, and its motion where the file has one."""

    figure: Figure
    motion: Motion | None


def opened(name: str) -> Opened:
    """A file, or something built in by its name."""
    path = Path(name)
    if not path.exists():
        if name in BUILT_IN:
            return Opened(BUILT_IN[name](), None)
        if name in MOTIONS:
            motion = MOTIONS[name]()
            return Opened(motion.figure, motion)
        if not path.suffix:
            hint = did_you_mean(name, (*BUILT_IN, *MOTIONS)) or f" (built in are {NAMES})"
            raise LimbikError(f'"{name}" is neither a file nor built in{hint}')
    known = FORMATS.get(path.suffix.lower())
    if known is not None and known.motion is None:
        return Opened(load(path), None)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        try:
            motion = load_motion(path)
        except NoMotionError:
            motion = None
    if motion is None:
        return Opened(load(path), None)  # and says again what was said of the file
    for warning in told:
        warnings.warn(warning.message, stacklevel=2)
    return Opened(motion.figure, motion)


def opened_motion(name: str) -> Motion:
    """A file's motion, or a built-in one; a figure that does not move is refused."""
    motion = opened(name).motion
    if motion is None:
        raise LimbikError(f'"{name}" has no motion to follow')
    return motion


def writable(path: Path | None) -> Path | None:
    """A path to write to, refused before the work rather than after it."""
    if path is None:
        return None
    known = written_endings()
    if path.suffix.lower() not in known:
        what = path.suffix or "a name without an ending"
        raise FormatError(f"{what} is not a format limbik writes (knows {', '.join(known)})", path)
    if not path.parent.is_dir():
        raise FormatError(f'there is no folder "{path.parent}" to write it to', path)
    return path


def names(text: str, option: str) -> list[str]:
    """``A,B,C`` as a list."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise LimbikError(f'{option} "{text}": expected joint names with commas, such as Hips,Head')
    if len(set(found)) < len(found):
        raise LimbikError(f'{option} "{text}": names a joint twice')
    return found


def margin(text: str) -> float:
    """The degrees of ``clip+10``; 0 for ``clip``."""
    match = re.fullmatch(r"clip(?:\+(\d+(?:\.\d*)?|\.\d+))?", text.strip())
    if match is None:
        raise LimbikError(
            f'--limits "{text}": expected clip, or clip+DEGREES such as clip+10 (what the clip '
            "uses, widened by 10 degrees)"
        )
    return float(match[1] or 0.0)


def goals(
    reach: list[str], pin: list[str], aim: list[str], plane: list[str], distance: list[str]
) -> list[Goal]:
    """The goals of a command line, in the order of its options."""
    found: list[Goal] = []
    for text in reach:
        joint, numbers = _split(text, "--reach", "Joint=x,y,z", "LeftHand=0.4,1.2,0.3")
        found.append(Reach(joint, position=numbers(3)))
    found += [Pin(joint) for joint in pin]
    for text in aim:
        bare, axis = _axis(text)
        joint, numbers = _split(bare, "--aim", "Joint=x,y,z or Joint=x,y,z,axis", "Head=0,1.6,3,z")
        found.append(Aim(joint, axis=axis, target=numbers(3)))
    for text in plane:
        joint, numbers = _split(text, "--plane", "Joint=nx,ny,nz,offset", "LeftHand=0,1,0,0.9")
        *normal, offset = numbers(4)
        found.append(Plane(joint, normal=normal, offset=offset))
    for text in distance:
        pair, numbers = _split(text, "--distance", "Joint,Joint=length", "LeftHand,RightHand=0.4")
        first, comma, second = (part.strip() for part in pair.partition(","))
        if not (first and comma and second):
            _refuse(text, "--distance", "Joint,Joint=length", "LeftHand,RightHand=0.4")
        found.append(Distance(first, second, numbers(1)[0]))
    return found


def _axis(text: str) -> tuple[str, str]:
    """An aim without its axis, and the axis; z where none is given."""
    bare, comma, last = text.rpartition(",")
    if comma and re.fullmatch(r"\s*-?[xyzXYZ]\s*", last):
        return bare, last.strip().lower()
    return text, "z"


def _split(
    text: str, option: str, form: str, example: str
) -> tuple[str, Callable[[int], list[float]]]:
    """The name before the last ``=``, and a function that reads so many numbers behind it."""
    joint, equals, values = text.rpartition("=")
    if not equals or not joint.strip():
        _refuse(text, option, form, example)

    def numbers(count: int) -> list[float]:
        try:
            found = [float(value) for value in values.split(",")]
        except ValueError:
            _refuse(text, option, form, example)
        if len(found) != count:
            _refuse(text, option, form, example)
        return found

    return joint.strip(), numbers


def _refuse(text: str, option: str, form: str, example: str) -> NoReturn:
    raise GoalError(f'{option} "{text}": expected {form}, such as {example}')

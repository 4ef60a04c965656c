"""What people type, turned into figures, goals and paths; each refusal says what was expected."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn

from limbik.cli.files import place, source
from limbik.errors import GoalError, LimbikError, NoMotionError, did_you_mean
from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.formats import FORMATS, load, load_motion
from limbik.formats.names import NAMES, built_in, check_name
from limbik.goals import Aim, Distance, Goal, Pin, Plane, Reach

__all__ = [
    "NAMES",
    "Opened",
    "floats",
    "goals",
    "names",
    "opened",
    "opened_motion",
    "refuse",
    "split",
    "two_names",
    "weighted",
]


class Opened(NamedTuple):
    """A figure, and its motion where the file has one."""

    figure: Figure
    motion: Motion | None


def opened(name: str, *, stretch: bool = False) -> Opened:
    """A file, or something built in by its name; ``stretch`` is that of ``limbik.load``."""
    name = source(name)
    check_name(name)
    own = built_in(name)
    if own is not None:
        return Opened(own, None) if isinstance(own, Figure) else Opened(own.figure, own)
    path = Path(name)
    known = FORMATS.get(path.suffix.lower())
    if known is not None and known.motion is None:
        return Opened(load(path, stretch=stretch), None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            motion = load_motion(path, stretch=stretch)
        except NoMotionError:
            motion = None
    if motion is None:
        return Opened(load(path, stretch=stretch), None)  # and says again what was said of the file
    for warning in caught:
        warnings.warn(warning.message, stacklevel=2)
    return Opened(motion.figure, motion)


def opened_motion(name: str, *, stretch: bool = False) -> Motion:
    """A file's motion, or a built-in one; a figure that does not move is refused."""
    motion = opened(name, stretch=stretch).motion
    if motion is None:
        raise LimbikError(f'"{place(Path(name))}" has no motion to follow')
    return motion


def names(text: str, option: str) -> list[str]:
    """``A,B,C`` as a list."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise LimbikError(f'{option} "{text}": expected joint names with commas, such as Hips,Head')
    if len(set(found)) < len(found):
        raise LimbikError(f'{option} "{text}": names a joint twice')
    return found


def goals(
    reach: list[str], pin: list[str], aim: list[str], plane: list[str], distance: list[str]
) -> list[Goal]:
    """The goals of a command line, in the order of its options."""
    found: list[Goal] = []
    for text in reach:
        form = "Joint=x,y,z or Joint=x,y,z,qw,qx,qy,qz"
        joint, numbers = split(text, "--reach", form, "LeftHand=0.4,1.2,0.3")
        values = numbers(3, 7)
        found.append(Reach(joint, position=values[:3], wxyz=values[3:] or None))
    found += [Pin(joint) for joint in pin]
    for text in aim:
        bare, axis = _axis(text)
        joint, numbers = split(bare, "--aim", "Joint=x,y,z or Joint=x,y,z,axis", "Head=0,1.6,3,z")
        found.append(Aim(joint, axis=axis, target=numbers(3)))
    for text in plane:
        joint, numbers = split(text, "--plane", "Joint=nx,ny,nz,offset", "LeftHand=0,1,0,0.9")
        *normal, offset = numbers(4)
        found.append(Plane(joint, normal=normal, offset=offset))
    for text in distance:
        pair, numbers = split(text, "--distance", "Joint,Joint=length", "LeftHand,RightHand=0.4")
        first, second = two_names(
            pair, text, "--distance", "Joint,Joint=length", "LeftHand,RightHand=0.4"
        )
        found.append(Distance(first, second, numbers(1)[0]))
    return found


def weighted(goals: list[Goal], weights: list[str]) -> list[Goal]:
    """The goals with the weights of ``--weight JOINT=WEIGHT``; an orientation gets it too."""
    found = list(goals)
    for text in weights:
        joint, numbers = split(text, "--weight", "Joint=weight", "LeftHand=10")
        weight = numbers(1)[0]
        own = [k for k, goal in enumerate(found) if joint in _joints_of(goal)]
        if not own:
            known = list(dict.fromkeys(name for goal in found for name in _joints_of(goal)))
            hint = did_you_mean(joint, known) or f" (goals are on {', '.join(known) or 'nothing'})"
            raise GoalError(f'--weight "{text}": no goal is on "{joint}"{hint}')
        for k in own:
            both = {"rotation_weight": weight} if isinstance(found[k], Reach) else {}
            found[k] = replace(found[k], weight=weight, **both)  # type: ignore[type-var]
    return found


def _joints_of(goal: Goal) -> list[str]:
    return [getattr(goal, name) for name in ("joint", "other") if hasattr(goal, name)]


def _axis(text: str) -> tuple[str, str]:
    """An aim without its axis, and the axis; z where none is given."""
    bare, comma, last = text.rpartition(",")
    if comma and re.fullmatch(r"\s*-?[xyzXYZ]\s*", last):
        return bare, last.strip().lower()
    return text, "z"


def split(
    text: str, option: str, form: str, example: str
) -> tuple[str, Callable[..., list[float]]]:
    """The name before the last ``=``, and a function that reads so many numbers behind it."""
    joint, equals, values = text.rpartition("=")
    if not equals or not joint.strip():
        refuse(text, option, form, example)

    def numbers(*counts: int) -> list[float]:
        found = floats(values, *counts)
        if not found:
            refuse(text, option, form, example)
        return found

    return joint.strip(), numbers


def two_names(pair: str, text: str, option: str, form: str, example: str) -> tuple[str, str]:
    """``A,B`` as two names."""
    first, comma, second = (part.strip() for part in pair.partition(","))
    if not (first and comma and second) or "," in second:
        refuse(text, option, form, example)
    return first, second


def floats(text: str, *counts: int) -> list[float]:
    """``0.3,1.2,0.4`` as numbers; none where there are not so many, or one is no number."""
    try:
        found = [float(value) for value in text.split(",")]
    except ValueError:
        return []
    return found if len(found) in counts else []


def refuse(text: str, option: str, form: str, example: str) -> NoReturn:
    """Say what was expected instead of ``text``."""
    raise GoalError(f'{option} "{text}": expected {form}, such as {example}')

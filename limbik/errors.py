"""The errors limbik raises on purpose: each names the thing that is wrong and where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

_LONGEST = 80  # letters of a name that somebody may have mistyped


class LimbikError(Exception):
    """Anything limbik refuses. Catch this to catch every kind below."""


class FigureError(LimbikError):
    """A figure that cannot be: a cycle, a name used twice, a lower limit above its upper one."""


class GoalError(LimbikError):
    """A goal that cannot be asked: an unknown joint, no target, a NaN in the target."""


class MethodError(LimbikError):
    """A method that is unknown, or that cannot solve the problem it was given."""


class FormatError(LimbikError):
    """A file that cannot be read or written, with the file and, where known, the line.

    >>> str(FormatError('joint "LeftHand" has 2 of 3 rotation values', "motions/walk.bvh", 214))
    'walk.bvh line 214: joint "LeftHand" has 2 of 3 rotation values'
    """

    def __init__(
        self, message: str, file: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        """Say what is wrong (`message`), in which `file`, and at which `line`, counted from 1."""
        self.message = message
        self.file = None if file is None else Path(file)
        self.line = line
        super().__init__(message, file, line)

    def __str__(self) -> str:
        """The message behind the file's name and line, leaving out what is not known."""
        # A folder such as "." has no name of its own.
        place = [] if self.file is None else [self.file.name or str(self.file)]
        if self.line is not None:
            place.append(f"line {self.line}")
        return f"{' '.join(place)}: {self.message}" if place else self.message


class NoMotionError(FormatError):
    """A file that holds a figure and nothing that moves it."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint to end a message with: the name in `known` nearest to `word`, or nothing.

    Upper and lower case do not matter.  Beyond ``_LONGEST`` letters neither word is looked at, and
    what is asked for thousands of words must be asked for the first of them only: each takes time
    in proportion to all names that are known.

    >>> did_you_mean("lefthand", ["LeftHand", "RightHand"])
    ' (did you mean "LeftHand"?)'
    >>> did_you_mean("tail", ["LeftHand", "RightHand"])
    ''
    """
    if len(word) > _LONGEST:
        return ""
    by_folded = {}
    for name in known:
        if len(name) <= _LONGEST:
            by_folded.setdefault(name.casefold(), name)
    near = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f' (did you mean "{by_folded[near[0]]}"?)' if near else ""

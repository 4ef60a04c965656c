"""Reading the tables of a job file: each value checked by name, errors with the file's line."""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from limbik.errors import FigureError, FormatError, did_you_mean
from limbik.figure.figure import Figure
from limbik.formats import load
from limbik.formats.names import check_name, is_built_in
from limbik.jobs.companions import companions
from limbik.version import __version__

_MOST_LINES = 2000  # of a file in which the line of a value is looked for


@dataclass(frozen=True)
class NamedFigure:
    """A figure that a job names; ``digest`` changes where the figure does."""

    name: str
    digest: str
    figure: Figure


@dataclass(frozen=True)
class Origin:
    """Where a job comes from: a file with its text, or a mapping of Python."""

    file: Path | None = None
    text: str = ""

    @property
    def folder(self) -> Path:
        """Where relative names of figures begin."""
        return Path() if self.file is None else self.file.parent

    def fail(self, message: str, path: Sequence[str | int]) -> NoReturn:
        raise FormatError(message, self.file, line_of(self.text, path))


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line, from 1, on which the value at ``path`` of a TOML text begins; None if unknown.

    The reader of Python has no lines, so this finds the first lines that hold the value.

    >>> line_of('a = 1\\n[[steps]]\\ndo = "x"\\n', ["steps", 0, "do"])
    3
    """
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        return None
    whole = 0  # so many lines were TOML by themselves
    for end in range(1, len(lines) + 1):
        try:
            found = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue  # inside a value of several lines
        if _has(found, path):
            own = range(whole, end)
            return 1 + next((k for k in own if lines[k].split("#")[0].strip()), end - 1)
        whole = end
    return None


def _has(found: Any, path: Sequence[str | int]) -> bool:
    for key in path:
        try:
            found = found[key]
        except (IndexError, KeyError, TypeError):
            return False
    return True


class Section:
    """One table of a job.  Values are taken by name; ``end`` refuses those that nobody took."""

    def __init__(
        self, values: Mapping[str, Any], origin: Origin, path: Sequence[str | int] = ()
    ) -> None:
        self._values, self._origin, self._path = dict(values), origin, tuple(path)
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def fail(self, name: str, message: str) -> NoReturn:
        """Refuse the value of a name, or the table itself where the name is empty."""
        what = f"{name}: " if name else ""
        self._origin.fail(f"{what}{message}", (*self._path, name) if name else self._path)

    def take(self, name: str) -> Any:
        """The value as it stands; None where there is none."""
        self._known.append(name)
        return self._values.get(name)

    def text(self, name: str, default: str = "") -> str:
        value = self.take(name)
        if value is None:
            return default
        if not isinstance(value, str):
            self.fail(name, f"needs text in quotes, got {_shown(value)}")
        return value

    def choice(self, name: str, known: Sequence[str], default: str = "") -> str:
        value = self.text(name, default)
        if value != default and value not in known:
            hint = did_you_mean(value, known)
            self.fail(name, f'"{value}" is none of {", ".join(known)}{hint}')
        return value

    def number(
        self, name: str, *, above: float | None = None, least: float | None = None
    ) -> float | None:
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(name, f"needs a number, got {_shown(value)}")
        if not math.isfinite(value) or (above is not None and not value > above):
            self.fail(name, f"needs a number above {above or 0:g}, got {value}")
        if least is not None and value < least:
            self.fail(name, f"needs a number of at least {least:g}, got {value}")
        return float(value)

    def whole_number(self, name: str, *, least: int = 0) -> int | None:
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.fail(name, f"needs a whole number of at least {least}, got {_shown(value)}")
        return value

    def flag(self, name: str) -> bool:
        value = self.take(name)
        if value is not None and not isinstance(value, bool):
            self.fail(name, f"needs true or false, got {_shown(value)}")
        return bool(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; one text stands for a list of it."""
        value = self.take(name)
        if value is None:
            return ()
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) and v for v in value):
            self.fail(name, f"needs a list of texts in quotes, got {_shown(value)}")
        if len(set(value)) < len(value):
            self.fail(name, "has an entry twice")
        return tuple(value)

    def table(self, name: str) -> Section:
        """A table inside this one; empty where there is none."""
        value = self.take(name)
        if value is not None and not isinstance(value, Mapping):
            self.fail(name, f"needs a table, got {_shown(value)}")
        return Section(value or {}, self._origin, (*self._path, name))

    def tables(self, name: str) -> list[Section]:
        value = self.take(name)
        if value is None:
            return []
        if not isinstance(value, list | tuple) or not all(isinstance(v, Mapping) for v in value):
            self.fail(name, f"needs tables, each begun with [[{name}]]")
        return [Section(v, self._origin, (*self._path, name, k)) for k, v in enumerate(value)]

    def names(self) -> list[str]:
        return list(self._values)

    def figure(self, name: str) -> NamedFigure | None:
        """A figure by its file or built-in name; a job made in Python may hold the figure."""
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, Figure):
            return NamedFigure(value.name, _digest_of(value), value)
        if not isinstance(value, str):
            self.fail(name, f"needs a file or the name of a built-in figure, got {_shown(value)}")
        path = self._origin.folder / Path(value).expanduser()
        own = is_built_in(value) and not path.exists()
        try:
            if not path.exists():
                check_name(value)
            figure = load(value if own else path)
            parts = [] if own else [path, *companions(path)]
            mark = hashlib.sha256(f"{value} {__version__}".encode() if own else b"")
            for part in parts:
                mark.update(part.read_bytes())
        except (FormatError, FigureError, OSError) as error:
            self.fail(name, str(error))
        return NamedFigure(value, mark.hexdigest(), figure)

    def end(self) -> None:
        """Refuse names that are not known."""
        for name in self._values:
            if name not in self._known:
                hint = did_you_mean(name, self._known) or f" (knows {', '.join(self._known)})"
                self.fail(name, f"is not known here{hint}")


def _digest_of(figure: Figure) -> str:
    """What a figure made in Python is known by."""
    mark = hashlib.sha256(repr((figure.definition, figure.unit, figure.up)).encode())
    mark.update(figure.rest.tobytes())
    return mark.hexdigest()


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

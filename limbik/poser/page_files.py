"""The built page: index.html, poser.js and poser.css, as building.py leaves them."""

from __future__ import annotations

from pathlib import Path

from limbik.errors import LimbikError
from limbik.poser import building


def page_file(name: str, folder: Path = building.PAGE) -> str:
    """The text of one of the page's files; where it is not built, the error says how to."""
    path = folder / name
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LimbikError(building.advice()) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LimbikError(f"The poser's page cannot be read: {error}") from error

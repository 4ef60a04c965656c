"""What the poser needs beside the core, asked for before anything of it is imported."""

from __future__ import annotations

from importlib.util import find_spec

from limbik.errors import LimbikError
from limbik.poser import building

NEEDED = ("starlette", "uvicorn", "websockets", "msgspec", "platformdirs")


def require_poser() -> None:
    """LimbikError with a sentence that says what to do, where packages or the page are missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise LimbikError(
            f"The poser needs {' and '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed: "
            'pip install "limbik[poser]"'
        )
    if not building.stands():
        raise LimbikError(building.advice())

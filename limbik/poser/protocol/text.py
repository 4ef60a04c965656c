"""Messages as JSON: what a page sends is read here, strictly; what goes out is written."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from limbik.errors import LimbikError
from limbik.poser.protocol.messages import Message, NoteMessage

MOST_TEXT = 64 * 1024
"""Bytes that a text message may have."""

LARGEST_WHOLE = 2**53
"""Whole numbers beyond this are refused: a page cannot have meant them exactly."""


class ProtocolError(LimbikError):
    """A message that our page would never send; its client is closed."""


def read_command(message: str) -> dict[str, Any]:
    """A text message as the object it is, with a whole "id" above 0 and a name "do"."""
    parsed = read_json(message)
    if not isinstance(parsed, dict):
        raise ProtocolError("a text message must be an object")
    number, name = parsed.get("id"), parsed.get("do")
    if type(number) is not int or number < 1:
        raise ProtocolError('a command needs a whole "id" above 0')
    if not isinstance(name, str) or not 0 < len(name) <= 64:
        raise ProtocolError('a command needs a name "do"')
    return parsed


def read_json(message: str) -> Any:
    """JSON of bounded size; refused are NaN and infinities, whole numbers beyond 2⁵³, a key given
    twice, nesting too deep to follow and characters that cannot be written again."""
    try:
        size = len(message.encode()) if len(message) <= MOST_TEXT else len(message)
        if size > MOST_TEXT:
            raise ProtocolError(f"a text message of {size} bytes; at most {MOST_TEXT} are read")
        parsed = _DECODER.decode(message)
        if "\\u" in message:  # an escape may be half of a character
            json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ProtocolError("a text message has half a character") from None
    except RecursionError:
        raise ProtocolError("a text message is nested too deeply") from None
    except ValueError as error:
        raise ProtocolError(f"a text message is not JSON: {error}") from None
    return parsed


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ProtocolError(f"the number {digits[:20]} is too large")
    return value


def _whole_number(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > LARGEST_WHOLE:
        raise ProtocolError(f"the number {digits[:20]} is too large")
    return int(digits)


def _no_number(word: str) -> float:
    raise ProtocolError(f"{word} is not a number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ProtocolError(f'"{twice[:40]}" is given twice')
    return found


# Not msgspec's own decoder, which takes the last of two equal keys.
_DECODER = json.JSONDecoder(
    parse_float=_finite,
    parse_int=_whole_number,
    parse_constant=_no_number,
    object_pairs_hook=_unique,
)


def text(message: Message) -> str:
    """A message as JSON; ValueError where a number is not finite.

    >>> text(NoteMessage("Saved."))
    '{"note":"Saved."}'
    """
    return json_of(message)


def note(sentence: str) -> str:
    """A sentence for the person, as a message."""
    return text(NoteMessage(sentence))


def json_of(struct: msgspec.Struct, *, ascii: bool = False) -> str:
    """A struct as compact JSON; ValueError where a number is not finite, which msgspec's own
    encoder would write as null."""
    plain = msgspec.to_builtins(struct)
    return json.dumps(plain, ensure_ascii=ascii, allow_nan=False, separators=(",", ":"))

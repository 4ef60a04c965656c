"""Changes that keep a file half right, so that it gets past the first check of its reader."""

from __future__ import annotations

import copy
import json
import random
import re
import struct
from collections.abc import Callable
from typing import Any

from fuzz.containers import packed, unpacked, unzipped, zipped
from fuzz.words import JSON_KEYS, WORDS

Mutator = Callable[[bytes, int, random.Random], bytes | None]
"""(data, most bytes, random numbers) to new data, or None where the data is of another kind."""

_TOKEN = re.compile(rb"[A-Za-z_]+|[0-9.+\-eE]+|\s+|.", re.DOTALL)
_NUMBER = re.compile(rb"[-+]?\.?[0-9][0-9.eE+\-]*")

NUMBERS = [
    *(
        b"0",
        b"-0",
        b"1",
        b"-1",
        b"2",
        b"1e9",
        b"1000000000",
        b"1e308",
        b"-1e308",
        b"1e-320",
        b"nan",
    ),
    *(b"inf", b"-inf", b"1e999", b"0x10", b"1_0", b"4294967295", b"2147483648", b"-9" * 3, b"1,5"),
    *(b"1e154", b"1e155", b"1e200", b"180", b"90", b"3.141592653589793", b"9" * 400, b"1e-160"),
]
VALUES: list[Any] = [
    *(0, 1, -1, 2, 3, 5, 255, 65535, 10**9, 2**31, 2**32, 2**63, 10**400, 0.5, -0.0, 1e-320, 1e154),
    *(1e308, -1e308, 1e-160, "", "a", "x" * 300, "..", "beside.bin", "../../etc/passwd", "\ud800"),
    *(None, True, False, [], {}, [[]], [0], [0, 0], "data:,", "data:;base64,AAAA", "file:///a"),
    *("SCALAR", "VEC3", "VEC4", "MAT4", "LINEAR", "STEP", "CUBICSPLINE", "translation", "rotation"),
    *("scale", "weights", 5120, 5121, 5122, 5123, 5125, 5126, "2.0", "hips", "wrist"),
]
FLOATS = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), 3e38, -3e38, 1e-45, 1e20, 0.5]


def text_mutator(loader: str) -> Mutator:
    """Words, numbers and lines of a text that are replaced, repeated, moved or left out."""
    words = [word.encode() for word in WORDS[loader]]

    def mutate(data: bytes, most: int, chance: random.Random) -> bytes:
        tokens = _TOKEN.findall(data[:most])
        for _ in range(chance.choice([1, 1, 2, 3, 6])):
            if not tokens:
                tokens = [chance.choice(words)]
            at = chance.randrange(len(tokens))
            span = chance.choice([1, 1, 2, 5, 20, 80])
            kind = chance.randrange(7)
            if kind == 0:
                tokens[at : at + span] = []
            elif kind == 1:
                tokens[at:at] = tokens[at : at + span] * chance.choice([1, 1, 2, 9])
            elif kind == 2:
                to = chance.randrange(len(tokens))
                tokens[to:to] = tokens[at : at + span]
            elif kind == 3:
                tokens[at] = chance.choice(words)
            elif kind == 4:
                tokens[at:at] = [b" ", chance.choice(words), b" "]
            elif kind == 5:
                tokens[at] = chance.choice(tokens)
            else:
                numbers = [k for k, token in enumerate(tokens) if _NUMBER.fullmatch(token)]
                if numbers:
                    tokens[chance.choice(numbers)] = chance.choice(NUMBERS)
        return b"".join(tokens)[:most]

    return mutate


# ---- JSON ----------------------------------------------------------------------------------------


def _places(model: Any) -> list[tuple[Any, Any]]:
    """(container, key) of every value."""
    found, waiting = [], [model]
    while waiting:
        at = waiting.pop()
        pairs = at.items() if isinstance(at, dict) else enumerate(at)
        for key, value in pairs:
            found.append((at, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    return found


def change_json(model: Any, chance: random.Random) -> None:
    """Change some values of a JSON tree in place."""
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        places = _places(model)
        if not places:
            return
        holder, key = chance.choice(places)
        value, kind = holder[key], chance.randrange(8)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            holder[key] = copy.deepcopy(chance.choice(VALUES))
        elif kind == 2 and isinstance(value, int | float) and not isinstance(value, bool):
            # A whole number may be too large to become a float.
            holder[key] = value + chance.choice([-1, 1, 2, 0.5 if abs(value) < 2**53 else 3])
        elif kind == 3:
            other, name = chance.choice(places)
            holder[key] = copy.deepcopy(other[name])
        elif kind == 4 and isinstance(value, list) and value:
            value.append(copy.deepcopy(chance.choice(value)))
        elif kind == 5 and isinstance(value, list):
            chance.shuffle(value)
        elif isinstance(value, dict):
            value[chance.choice(JSON_KEYS)] = copy.deepcopy(chance.choice(VALUES))
        elif isinstance(value, int) and not isinstance(value, bool):
            holder[key] = chance.randrange(8)


def gltf_mutator(data: bytes, most: int, chance: random.Random) -> bytes | None:
    """A glTF text file with some values changed."""
    try:
        model = json.loads(data)
        if not isinstance(model, dict | list):
            return None
        change_json(model, chance)
        return json.dumps(model).encode()[:most]
    except (ValueError, RecursionError):  # no JSON, or nested deeper than Python goes
        return None


def glb_mutator(data: bytes, most: int, chance: random.Random) -> bytes | None:
    """A GLB with values of its JSON or of its numbers changed, and its lengths made right."""
    try:
        model, blob = unpacked(data)
        if not isinstance(model, dict | list):
            return None
        raw = bytearray(blob)
        if chance.random() < 0.3 and len(raw) >= 4:
            for _ in range(chance.choice([1, 2, 8])):
                at = 4 * chance.randrange(len(raw) // 4)
                struct.pack_into("<f", raw, at, chance.choice(FLOATS))
        else:
            change_json(model, chance)
        return packed(model, bytes(raw))[:most]
    except (ValueError, RecursionError, struct.error):  # no GLB, or nested too deeply
        return None


# ---- NPZ -----------------------------------------------------------------------------------------

_SHAPES = ["()", "(0,)", "(1,)", "(3, 3)", "(1000000000,)", "(1000000000, 1000000000)", "(-1,)"]
_TYPES = ["'<f8'", "'<f4'", "'>i2'", "'|O'", "'<U9'", "'|V8'", "'<c16'", "'?'", "[('a', '<f8')]"]


def npz_mutator(data: bytes, most: int, chance: random.Random) -> bytes | None:
    """An NPZ with another header or other bytes in one of its arrays, or with other names."""
    try:
        members = unzipped(data)
    except ValueError:
        return None
    if not members:
        return None
    name = chance.choice(list(members))
    content = members[name]
    kind = chance.randrange(7)
    if kind == 0:
        del members[name]
    elif kind == 1:
        members[chance.choice([*members, "x.npy", "q.txt", "../q.npy"])] = content
    elif kind in (2, 3):
        head, end = content[:128], content[128:]
        if kind == 2:
            new = chance.choice(_SHAPES).encode()
            head = re.sub(rb"\([0-9, ]*\)", new, head)
        else:
            head = re.sub(rb"'descr': '[^']*'", b"'descr': " + chance.choice(_TYPES).encode(), head)
        # The header's length must stay, so that what follows is still numbers.
        line = head[10:].rstrip()[:117].ljust(117) + b"\n"
        members[name] = head[:10] + line + end
    elif len(content) > 136:
        raw = bytearray(content)
        for _ in range(chance.choice([1, 2, 8])):
            at = 128 + 8 * chance.randrange((len(raw) - 128) // 8)
            struct.pack_into("<d", raw, at, chance.choice(FLOATS))
        members[name] = bytes(raw)
    else:
        members[name] = content[: chance.randrange(len(content) + 1)]
    return zipped(members, chance.random() < 0.3)[:most]


def mutator(loader: str) -> Mutator:
    """The changes that suit a loader's files."""
    special = {"glb": glb_mutator, "vrm": glb_mutator, "vrma": glb_mutator, "npz": npz_mutator}
    return special.get(loader) or (gltf_mutator if loader == "gltf" else text_mutator(loader))

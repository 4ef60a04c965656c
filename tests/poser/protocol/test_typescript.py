"""The page's types are those of the server."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from helpers.poser.poser_talk import Talk
from limbik.poser.protocol import binary_layout as layout
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.text import json_of
from limbik.poser.protocol.typescript import FILE, generated, type_of


def test_the_generated_file_is_up_to_date() -> None:
    found = FILE.read_text(encoding="utf-8")
    assert found == generated(), "run: python -m limbik.poser.protocol.typescript"


@pytest.mark.parametrize(
    ("wanted", "spelled"),
    [
        (int, "number"),
        (float | None, "number | null"),
        (list[float | None], "(number | null)[]"),
        (tuple[float, float, float], "Vec3"),
        (tuple[float, float], "[number, number]"),
        (Literal["a", "b"], '"a" | "b"'),
        (dict[str, Any], "Record<string, unknown>"),
        (msg.Value | None, "Value | null"),
        (list[msg.Limit | None], "(Limit | null)[]"),
    ],
)
def test_types_as_typescript(wanted: Any, spelled: str) -> None:
    assert type_of(wanted) == spelled


def test_a_type_without_a_counterpart_is_refused() -> None:
    with pytest.raises(TypeError, match="no TypeScript type"):
        type_of(complex)


def test_heads_have_the_offsets_of_their_structs() -> None:
    for head in (layout.DRAG, layout.SCRUB, layout.POSE, layout.FRAMES):
        for name, form in head.fields:
            data = bytearray(head.struct.size)
            struct.pack_into(f"<{form}", data, head.offsets[name], *[7] * int(form[:-1] or 1))
            values = head.struct.unpack(data)
            assert [value for value in values if value] == [7] * int(form[:-1] or 1)


def test_what_a_session_sends_is_what_the_types_say(tmp_path: Path) -> None:
    talk = Talk.builtin("human", tmp_path)
    for message in talk.session.greeting():
        if isinstance(message, str):
            (kind, content) = next(iter(json.loads(message).items()))
            wanted = {"hello": msg.Hello, "figure": msg.FigureInfo, "state": msg.State}[kind]
            assert json.loads(json_of(msgspec.convert(content, wanted))) == content

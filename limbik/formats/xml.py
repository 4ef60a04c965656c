"""XML of unknown origin, safely: no document type, no entities, no network, faults by line."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from limbik.errors import FormatError, LimbikError
from limbik.formats.text_numbers import number, shown

MAX_CHAIN = 32
"""So many joints may follow each other by mimic or equality, one the next."""

_TAKES = 500  # bytes of memory that a tag or an attribute may take, which has four letters or more
_ROOM = 150_000_000
_LETTERS = 1_000  # that a number may take, with the spaces around it
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^<>]*\?>")
_DECLARED = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"'>]*)")
_IN_ORDER = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\s+version\s*=\s*[\"']1\.\d+[\"']")
_PLAIN = re.compile(rb"utf-?8|utf-16(le|be)?|(us-)?ascii|iso-8859-\d+|windows-125\d", re.IGNORECASE)


def parse(data: bytes, path: Path) -> Any:
    """The root element of an XML file, an ``lxml`` element.

    A document type is refused, and with it every entity but the five that XML has.  So are more
    tags than the file's size can justify, before they take memory, and encodings that hide them.

    As the parser of URDF and MJCF has it: a default namespace says nothing, and an XML declaration
    may come after blank lines and have any version.
    """
    declared = _DECLARED.match(data)
    encoding = None if declared is None else declared.group(1)
    if encoding is not None and not _PLAIN.fullmatch(encoding):
        raise FormatError(f"is written in {shown(encoding)}; UTF-8 is read", path, 1)
    declaration = _DECLARATION.match(data)
    if declaration is not None and not _IN_ORDER.match(data):
        data = b"\n" * declaration.group().count(b"\n") + data[declaration.end() :]
    else:
        encoding = None  # the parser reads it
    if _TAKES * (data.count(b"<") + data.count(b"=")) > _ROOM + 10 * len(data):
        raise FormatError("has more tags and attributes than any robot needs", path)
    try:
        etree: Any = importlib.import_module("lxml.etree")
    except ImportError as error:
        raise LimbikError(
            "robots are read with lxml, which is not installed: pip install limbik[robots]"
        ) from error
    parser = etree.XMLParser(
        encoding=None if encoding is None else encoding.decode("ascii"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        what = str(error.msg or error).splitlines()[0][:200]
        raise FormatError(f"is not XML: {what}", path, max(int(error.lineno or 1), 1)) from None
    except ValueError as error:
        raise FormatError(f"is not XML: {str(error)[:200]}", path) from None
    if root.getroottree().docinfo.doctype:
        raise FormatError("has a document type, which is refused", path)
    for element in root.iter("{*}*"):
        if element.prefix is None and element.tag[0] == "{":
            element.tag = element.tag.rpartition("}")[2]
    return root


def attribute(element: Any, name: str, path: Path) -> str:
    """An attribute that must be there."""
    value = element.get(name)
    if value is None:
        tag = str(element.tag)[:40]
        raise FormatError(f"<{tag}> has no {name}", path, element.sourceline)
    return value


def numbers(
    element: Any, name: str, count: int, path: Path, otherwise: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """``count`` finite numbers of an attribute, or ``otherwise`` where there is none."""
    text = element.get(name)
    if text is None and otherwise is not None:
        return otherwise
    if text is not None and len(text) > _LETTERS * (count + 1):
        # A default class may hand it to thousands of joints, and each would read it.
        what = f"{name} of <{str(element.tag)[:40]}> has {len(text):,} letters"
        raise FormatError(f"{what} for {count} number{'s'[: count != 1]}", path, element.sourceline)
    # Split no further than needed: a word takes many times its letters.
    words = attribute(element, name, path).split(None, count)
    values = [number(word) for word in words]
    if len(values) != count or any(value is None for value in values):
        what = f"{name} of <{str(element.tag)[:40]}> needs {count} number{'s' if count > 1 else ''}"
        raise FormatError(f"{what}, found {shown(text or '')}", path, element.sourceline)
    return tuple(value for value in values if value is not None)


def direction(
    element: Any, name: str, path: Path, otherwise: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """Three numbers of an attribute that say a direction, made so small that their squares are
    numbers too."""
    values = numbers(element, name, 3, path, otherwise)
    largest = max(abs(value) for value in values)
    return tuple(value / largest for value in values) if largest > 1.0 else values


def check_chains(follows: dict[str, str], path: Path) -> None:
    """Refuse joints that follow each other, one the next, in longer chains than any robot has.

    ``follows`` has for every joint that follows one the name of that one.
    """
    for start in follows:
        at, seen = start, {start}
        for _ in range(MAX_CHAIN):
            at = follows.get(at, start)
            if at in seen:  # the end of the chain, or a circle, which the figure refuses
                break
            seen.add(at)
        else:
            raise FormatError(
                f"more than {MAX_CHAIN} joints follow each other, from {shown(start)} on", path
            )

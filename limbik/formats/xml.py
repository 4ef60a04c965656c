"""XML of unknown origin, safely: no document type, no entities, no network, faults by line."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from limbik.errors import FormatError, LimbikError
from limbik.formats.numbers import number, shown


def parse(data: bytes, path: Path) -> Any:
    """The root element of an XML file, an ``lxml`` element.

    A document type is refused, and with it every entity but the five that XML has.
    """
    try:
        etree: Any = importlib.import_module("lxml.etree")
    except ImportError as error:
        raise LimbikError(
            "robots are read with lxml, which is not installed: pip install limbik[robots]"
        ) from error
    parser = etree.XMLParser(
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
    return root


def attribute(element: Any, name: str, path: Path) -> str:
    """An attribute that must be there."""
    value = element.get(name)
    if value is None:
        raise FormatError(f"<{element.tag}> has no {name}", path, element.sourceline)
    return value


def numbers(
    element: Any, name: str, count: int, path: Path, otherwise: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """``count`` finite numbers of an attribute, or ``otherwise`` where there is none."""
    text = element.get(name)
    if text is None and otherwise is not None:
        return otherwise
    words = attribute(element, name, path).split()
    values = [number(word) for word in words[: count + 1]]
    if len(values) != count or any(value is None for value in values):
        what = f"{name} of <{element.tag}> needs {count} number{'s' if count > 1 else ''}"
        raise FormatError(f"{what}, found {shown(text or '')}", path, element.sourceline)
    return tuple(value for value in values if value is not None)

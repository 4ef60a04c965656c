"""Equality constraints between the joints of an MJCF model: which follows which, and which stay."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbik.formats.mjcf.tree import Tree
from limbik.formats.remarks import Remarks
from limbik.formats.text_numbers import number, shown
from limbik.formats.xml import check_chains


class Rule(NamedTuple):
    """q − ref = shift + scale·(q₂ − ref₂), with q₂ that of the joint ``other``; without one the
    joint stays at ref + shift."""

    other: str
    shift: float
    scale: float
    element: Any


def couplings(tree: Tree) -> dict[str, Rule]:
    """The rule of every joint that an active ``<equality><joint>`` binds.

    Joints that follow another by a curve are left free, and of several rules for one joint the last
    counts; a warning says so.
    """
    out: dict[str, Rule] = {}
    remarks = Remarks(tree.path)
    for equality in tree.root.findall("equality"):
        for element in equality.findall("joint"):
            if not tree.active(element):
                continue
            name = tree.attribute(element, "joint1")
            shift, scale, *curve = _coefficients(tree, element)
            other = element.get("joint2") or ""
            if other and any(curve):
                text = f"the coupling of {shown(name)} is not linear; the joint is left free"
                remarks.add("curve", name, text)
                continue
            if name in out:
                text = f"joint {shown(name)} is bound twice; the last rule counts"
                remarks.add("twice", name, text)
            if not other or scale == 0.0:
                other, scale = "", 0.0
            out[name] = Rule(other, shift, scale, element)
    remarks.warn(stacklevel=6)
    check_chains({name: rule.other for name, rule in out.items() if rule.other}, tree.path)
    return out


def _coefficients(tree: Tree, element: Any) -> list[float]:
    """The five coefficients of a polynomial; those that are not given are 0."""
    words = element.get("polycoef", "0 1 0 0 0").split(None, 5)
    values = [number(word) for word in words]
    if len(values) > 5 or any(value is None for value in values):
        tree.fail(f"polycoef {shown(' '.join(words))} is not up to 5 numbers", element)
    return [value or 0.0 for value in values] + [0.0] * (5 - len(values))

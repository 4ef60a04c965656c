"""Built-in figures and motions, each made by a function: no files, nothing to download."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from limbik.figure.figure import Figure
from limbik.figure.motion import Motion
from limbik.figures.arm import arm
from limbik.figures.cartwheel import cartwheel
from limbik.figures.chain import chain
from limbik.figures.hand import FINGERTIPS, hand
from limbik.figures.human import human
from limbik.figures.leg import leg
from limbik.figures.spider import spider

BUILT_IN: Mapping[str, Callable[[], Figure | Motion]] = MappingProxyType(
    {
        "human": human,
        "hand": hand,
        "arm": arm,
        "leg": leg,
        "spider": spider,
        "chain": chain,
        "cartwheel": cartwheel,
    }
)
"""By the name that the command line, the poser and ``load`` take in place of a file."""

__all__ = ["BUILT_IN", "FINGERTIPS", "arm", "cartwheel", "chain", "hand", "human", "leg", "spider"]

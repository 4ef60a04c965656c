"""Built-in figures and motions, each made by a function: no files, nothing to download."""

from limbik.figures.arm import arm
from limbik.figures.cartwheel import cartwheel
from limbik.figures.chain import chain
from limbik.figures.hand import FINGERTIPS, hand
from limbik.figures.human import human
from limbik.figures.leg import leg
from limbik.figures.spider import spider

__all__ = ["FINGERTIPS", "arm", "cartwheel", "chain", "hand", "human", "leg", "spider"]

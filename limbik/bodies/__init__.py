"""Masses and shapes for figures whose files say nothing of them: a table of body segments, and
capsules fitted to skins and bones.

It stands on ``humanoid`` and ``formats``; ``limbik`` registers it, so that ``figure.mass``,
``figure.com`` and ``figure.shapes`` find it.
"""

from limbik.bodies.fitted_shapes import fitted_shapes
from limbik.bodies.segment_masses import segment_masses

__all__ = ["fitted_shapes", "segment_masses"]

"""How a body behaves while goals move it: which joints move first, and what stays above the floor.

It makes goals for ``solve``, ``track`` and the poser, and solves nothing itself.
"""

from limbik.posture.floor import Floor
from limbik.posture.natural import natural
from limbik.posture.standing import Standing

__all__ = ["Floor", "Standing", "natural"]

"""Where a retargeted clip comes from: the source's figure and motion, and the pairs of joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from limbik.poser.document.clip import Clip
from limbik.poser.document.source import Source


@dataclass(frozen=True)
class Origin:
    """The motion that the timeline's clip was retargeted from.

    ``source`` is where its figure comes from and ``clip`` its motion, in the coordinates that the
    source has.  ``joints`` has, by the document's joints, the source's joints of the same role;
    ``placement`` is the 4×4 matrix, row by row, that takes points of the source's world to the
    document's.
    """

    source: Source
    clip: Clip
    joints: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    placement: tuple[float, ...] = (
        *(1.0, 0.0, 0.0, 0.0), *(0.0, 1.0, 0.0, 0.0), *(0.0, 0.0, 1.0, 0.0), *(0.0, 0.0, 0.0, 1.0),
    )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.source, self.clip, self.placement))

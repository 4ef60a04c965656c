"""The motion that a clip was retargeted from, as bytes that a page draws beside it.

u32 length of a JSON header (OriginHeader), the header, padded with spaces to a multiple of 4, then
float32, little-endian: frames × (positions[joints × 3], wxyz[joints × 4]).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from limbik.errors import LimbikError
from limbik.poser.document.origin import Origin
from limbik.poser.protocol.binary import placed
from limbik.poser.protocol.figure_info import figure_info
from limbik.poser.protocol.messages import OriginHeader
from limbik.poser.protocol.text import json_of

if TYPE_CHECKING:
    from limbik.poser.files.open import Opened

MOST_BYTES = 400_000_000


def origin_bytes(origin: Origin, opened: Opened) -> bytes:
    """The poses of an origin's clip on its figure."""
    figure, q = opened.figure, origin.clip.q
    if q.nbytes > MOST_BYTES or 28 * len(q) * len(figure.joints) > MOST_BYTES:
        raise LimbikError("The motion that was retargeted is too long to be drawn beside it.")
    info = figure_info(figure, id=0, up=opened.up, floor=opened.floor)
    placement = np.array(origin.placement).reshape(4, 4).T.ravel().tolist()
    header = json_of(OriginHeader(info, len(q), placement), ascii=True).encode()
    header += b" " * (-len(header) % 4)
    positions, wxyz = placed(figure, q)
    count = len(q)
    each = np.concatenate([positions.reshape(count, -1), wxyz.reshape(count, -1)], axis=1)
    return b"".join((struct.pack("<I", len(header)), header, each.astype("<f4").tobytes()))

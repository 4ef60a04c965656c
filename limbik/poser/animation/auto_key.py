"""What becomes of a pose that was changed by hand: a key, or a pose kept beside the keys."""

from __future__ import annotations

from dataclasses import replace

from limbik.figure.figure import Figure
from limbik.poser.animation.keying import keyed
from limbik.poser.document.document import Document
from limbik.poser.document.timeline.unkeyed import UnkeyedPose, with_pose, without


def recorded(figure: Figure, document: Document, dragged: tuple[int, ...] = ()) -> Document:
    """The document with its pose kept at the frame that is shown.

    Without keys and without a clip all frames have the same pose, and nothing has to be done.  With
    auto-key the pose becomes a key (an edit over a clip, in which ``dragged`` names the effectors
    that were moved by hand); otherwise it is kept as an unkeyed pose of that frame.
    """
    timeline, frame = document.timeline, round(document.frame)
    if timeline.clip is None and not timeline.keys:
        return document
    if timeline.auto_key:
        q, effectors = document.q, document.effectors
        timeline = keyed(figure, timeline, frame, q, effectors, dragged=dragged)
        unkeyed = without(document.unkeyed, frame)
    else:
        new = UnkeyedPose(frame, document.q, document.effectors)
        unkeyed = with_pose(document.unkeyed, new)
    return replace(document, timeline=timeline, unkeyed=unkeyed, frame=float(frame))

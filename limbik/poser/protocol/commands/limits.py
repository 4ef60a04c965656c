"""Limits: of one joint, and of all of them at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from limbik import humanoid
from limbik.animate.learn import limits_from
from limbik.errors import LimbikError
from limbik.figure.coordinates import ball_of
from limbik.figure.figure import Figure
from limbik.figure.joints import Limit, SwingTwist
from limbik.figure.motion import Motion
from limbik.poser.document.coordinate_change import carried
from limbik.poser.document.document import Document
from limbik.poser.files.natural_limits import starts_limited
from limbik.poser.protocol import messages as msg
from limbik.poser.protocol.commands.registry import Reply, command
from limbik.poser.protocol.figure_info import limit_from
from limbik.poser.protocol.text import ProtocolError

if TYPE_CHECKING:
    from limbik.poser.editing.session import Session

WIDEST = 180.0  # degrees of margin around a clip
_OPEN, _TWIST = math.radians(60.0), math.radians(45.0)  # a cone to begin with
_WIDEST_CONE = math.radians(179.0)


@command("limit.set", "Limit {joint}", merges=True)
def set_limit(session: Session, joint: int, limit: msg.Limit) -> Reply:
    """Another limit for one joint."""
    name = session.joint(joint)
    try:
        new = limit_from(session.figure.definition[joint], limit)
    except ProtocolError as error:
        # It was meant for the figure that was there when it was sent.
        raise LimbikError(f"The limit that was sent does not fit {name}.") from error
    _use(session, {**session.document.limits, name: new})
    return None


@command("limit.cone", "Cone for {joint}")
def set_cone(session: Session, joint: int) -> Reply:
    """A first cone for a joint that turns any way, wide enough for the pose that it has.

    Three angles in a row have no cone: where the joint turns by such, the balls get swing–twist
    coordinates.  ``dropped`` of the answer names the joints whose edited ranges that costs.
    """
    name = session.joint(joint)
    ball = ball_of(session.figure.definition[joint])
    if ball is None or session.figure.definition[joint].parent is None:
        raise LimbikError(f"{name} does not swing every way, so that a cone does not fit it.")
    before, kept = session.figure.definition, dict(session.document.limits)
    if isinstance(ball[0], tuple):
        _in_balls(session, "swing-twist")
    after = _plain(session).definition
    changed = {old.name for old, new in zip(before, after, strict=True) if old.parts != new.parts}
    first = sum(other.width for other in after[:joint]) + ball[1]
    swing, twist = session.document.q[first : first + 2], float(session.document.q[first + 2])
    open_by = min(max(_OPEN, 1.1 * math.hypot(*swing)), _WIDEST_CONE)
    cone = SwingTwist(swing=(open_by, open_by), twist=(min(-_TWIST, twist), max(_TWIST, twist)))
    limits = {other: limit for other, limit in kept.items() if other not in changed}
    _use(session, {**limits, name: cone})
    return {"dropped": sorted((kept.keys() & changed) - {name})}


@command("limit.reset", "Reset the limit of {joint}")
def reset_limit(session: Session, joint: int) -> Reply:
    """The limit of one joint as the file has it."""
    name = session.joint(joint)
    _use(session, {j: limit for j, limit in session.document.limits.items() if j != name})
    return None


@command("limits.file", "Limits of the file")
def of_file(session: Session) -> Reply:
    """All limits as the file has them, in its own coordinates."""
    _use(_in_balls(session, ""), {})
    return None


@command("limits.none", "No limits")
def none(session: Session) -> Reply:
    """No joint is limited."""
    _use(session, {joint.name: None for joint in _plain(session).definition})
    return None


@command("limits.humanoid", "Anatomical limits")
def of_people(session: Session) -> Reply:
    """The limits of people, for a figure that is one.

    Ranges of three angles fit a shoulder badly: balls get swing–twist coordinates, and the pose,
    the keys and the clip come along.
    """
    body = session.figure_cache.body(session.document.source)
    if not body.complete:
        raise LimbikError(
            f"This figure is not known as a body: {', '.join(body.missing[:4])} "
            f"{'were' if len(body.missing) > 1 else 'was'} not found."
        )
    natural = session.figure_cache.natural(session.document.source)
    if natural.reason:
        _by_timeline(session, body)
    else:
        use_natural(session)
    return None


def use_natural(session: Session) -> None:
    """Give the document the anatomical limits of its source, in the coordinates they need."""
    natural = session.figure_cache.natural(session.document.source)
    if natural.balls:
        _in_balls(session, natural.balls)
    _use(session, natural.limits)


def start_limited(session: Session) -> None:
    """Give a document that was just opened anatomical limits where its file has none."""
    source = session.document.source
    if not starts_limited(session.document, session.opened):
        return
    if not session.figure_cache.natural(source).reason:
        use_natural(session)


def _by_timeline(session: Session, body: humanoid.Body) -> None:
    """Anatomical limits where only the timeline's clip has a pose that stands."""
    clip = session.document.timeline.clip
    if clip is None:
        raise LimbikError(session.figure_cache.natural(session.document.source).reason)
    _in_balls(session, "swing-twist")
    clip = session.document.timeline.clip
    assert clip is not None
    _use(session, humanoid.limits(_plain(session), body, standing=clip.q[0]))


@command("limits.clip", "Limits from the clip")
def of_clip(session: Session, margin: float) -> Reply:
    """As far as the joints go in the clip, and ``margin`` degrees further."""
    clip = session.document.timeline.clip
    if clip is None:
        raise LimbikError("There is no clip to take limits from.")
    if not 0.0 <= margin <= WIDEST:
        raise LimbikError(f"The margin must be 0 to {WIDEST:g} degrees.")
    plain = _plain(session)
    learned = limits_from(Motion(plain, clip.q, clip.fps, clip.name), margin=margin)
    _use(session, learned)
    return None


def _plain(session: Session) -> Figure:
    """The figure with the limits that its file has."""
    return session.figure_cache.plain(session.document.source, session.document.balls)


def _in_balls(session: Session, balls: str) -> Session:
    """Put the document into other coordinates, without edited limits."""
    document = session.document
    if document.balls != balls:
        here = session.figure_cache.figure(document)
        there = session.figure_cache.plain(document.source, balls)
        bare: Document = replace(document, balls=balls, limits=MappingProxyType({}))
        session.document = carried(bare, here, there)
    return session


def _use(session: Session, limits: Mapping[str, Limit | None]) -> None:
    """Edit limits; those that the file has anyway are no edits."""
    own = {joint.name: joint.limit for joint in _plain(session).definition}
    edited = {name: limit for name, limit in limits.items() if limit != own[name]}
    session.document = replace(session.document, limits=MappingProxyType(edited))
    session.refit()

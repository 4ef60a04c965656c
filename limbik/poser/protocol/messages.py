"""What server and page say to each other as JSON, one struct for each message and each part of one.

The page's TypeScript types are made from this file and from the commands (typescript.py).  Lengths
are in the figure's unit, angles in radians, quaternions are w x y z, joints and coordinates are
given by their indices.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from limbik.poser.document.ease import FIRST_HANDLES, Handles, KeyEase
from limbik.poser.document.effector import Mode, Vec3, Vec4
from limbik.poser.document.prop import PropKind
from limbik.poser.document.timeline import Ease

Value = float | int | bool | str


class SettingInfo(Struct, frozen=True):
    """A setting of a method; ``value`` is its default."""

    name: str
    kind: Literal["float", "int", "bool", "choice", "text"]
    value: Value | None
    choices: list[str] | None
    help: str


class MethodInfo(Struct, frozen=True):
    """A method that can be chosen."""

    name: str
    title: str
    settings: list[SettingInfo]


class Hello(Struct, frozen=True):
    """Sent first, when the connection stands, and again when something has become ready.

    ``largest`` is how many bytes one upload may have, ``opens`` the endings of files that can be
    opened (".bvh" and so on), ``preparing`` a sentence about what is being prepared, empty when
    everything is ready.
    """

    session: str
    version: str
    builtin: list[str]
    methods: list[MethodInfo]
    largest: int
    opens: list[str]
    preparing: str


# ---- the figure ---------------------------------------------------------------------------------


class TurnPart(Struct, frozen=True, tag_field="kind", tag="turn"):
    """Turns about ``axis`` by scale · q[driver] + shift; ``coordinate`` is its own entry of q, −1
    where it follows another's."""

    axis: Vec3
    coordinate: int
    scale: float
    shift: float
    driver: int


class SlidePart(Struct, frozen=True, tag_field="kind", tag="slide"):
    """Slides along ``axis`` by scale · q[driver] + shift; ``coordinate`` as for TurnPart."""

    axis: Vec3
    coordinate: int
    scale: float
    shift: float
    driver: int


class ExponentialPart(Struct, frozen=True, tag_field="kind", tag="exponential"):
    """A ball whose three coordinates, from ``coordinate`` on, are a rotation vector."""

    coordinate: int
    twist: Vec3
    swing: Vec3


class SwingTwistPart(Struct, frozen=True, tag_field="kind", tag="swing-twist"):
    """A ball whose three coordinates, from ``coordinate`` on, are two of swing and one of twist."""

    coordinate: int
    twist: Vec3
    swing: Vec3


Part = TurnPart | SlidePart | ExponentialPart | SwingTwistPart


class TurnAxis(Struct, frozen=True):
    """An axis about which a joint is turned by a ring: "flex", "spread" and "twist" where the body
    is recognised.  It is in the joint's own frame where ``part`` is −1, else it is that of the
    moving part with this number, in the frame before it."""

    name: str
    axis: Vec3
    part: int


class LimbInfo(Struct, frozen=True):
    """An arm or a leg of a body."""

    name: str
    joints: list[int]


class JointInfo(Struct, frozen=True):
    """A joint: its placement on the parent is translate(offset) · rotate(wxyz) · parts.

    ``parent`` is −1 for a root, ``role`` "left hand" and so on or empty; its coordinates are
    first … first + count − 1; ``axes`` are those that rings turn it about.
    """

    name: str
    parent: int
    kind: str
    role: str
    first: int
    count: int
    offset: Vec3
    wxyz: Vec4
    parts: list[Part]
    axes: list[TurnAxis]


class CoordinateInfo(Struct, frozen=True):
    """A coordinate, and the joint that owns it."""

    name: str
    joint: int
    slides: bool
    rest: float


class Bone(Struct, frozen=True):
    """A capsule in the frame of a joint."""

    joint: int
    start: Vec3 = field(name="from")
    end: Vec3 = field(name="to")
    radius: float


class FigureInfo(Struct, frozen=True):
    """What is drawn; sent again when it changes.

    ``floor`` is the height of the floor along ``up`` at rest, ``mesh`` whether there are meshes to
    fetch, ``clips`` the names of the clips in the file, ``mirrors`` whether left and right are
    known, so that poses can be mirrored.
    """

    id: int
    name: str
    unit: str
    up: Literal["x", "y", "z"]
    size: float
    floor: float
    joints: list[JointInfo]
    coordinates: list[CoordinateInfo]
    bones: list[Bone]
    mesh: bool
    clips: list[str]
    file: str
    builtin: str
    mirrors: bool
    limbs: list[LimbInfo]


# ---- the document -------------------------------------------------------------------------------


class RangeLimit(Struct, frozen=True, tag_field="kind", tag="range", forbid_unknown_fields=True):
    """A range for each of a joint's own coordinates; null is "no end"."""

    lower: list[float | None]
    upper: list[float | None]


class ConeLimit(Struct, frozen=True, tag_field="kind", tag="cone", forbid_unknown_fields=True):
    """A cone about ``center`` with the half angles ``swing``, and a range of twist; null is "no
    end", or any swing."""

    swing: tuple[float, float] | None
    center: tuple[float, float]
    twist: tuple[float | None, float | None]


Limit = RangeLimit | ConeLimit


class EffectorInfo(Struct, frozen=True):
    """An effector; ``name`` is its joint's; ``look`` is what an aim is tied to, "joint:NAME",
    "prop:ID", "camera" or empty; ``placed`` is whether a person put it where it is."""

    id: int
    joint: int
    name: str
    at: Vec3
    mode: Mode
    position: Vec3
    wxyz: Vec4 | None
    weight: float
    rotation_weight: float
    axis: Vec3
    look: str
    placed: bool


class GoalInfo(Struct, frozen=True):
    """A goal of the program that is kept beside the effectors: its kind ("Plane"), what it is about
    and a sentence of what it asks; ``lost`` where it was a function of a program that has ended."""

    id: int
    kind: str
    label: str
    sentence: str
    lost: bool


class ChoiceInfo(Struct, frozen=True):
    """A method and the settings in which it differs from its defaults."""

    name: str
    settings: dict[str, Value]


class KeyInfo(Struct, frozen=True):
    """A key of the timeline, and whether it holds a pose and goals; ``ease`` is how it goes on from
    there, null as the timeline has it, ``handles`` those of "bezier"."""

    id: int
    frame: int
    pose: bool
    goals: bool
    ease: KeyEase | None = None
    handles: Handles = FIRST_HANDLES


class ContactInfo(Struct, frozen=True):
    """A joint rests in frames start … end − 1; ``held`` where it is locked to its place there."""

    id: int
    joint: int
    start: int
    end: int
    held: bool


class TimelineInfo(Struct, frozen=True):
    """The timeline, frames 0 … frames − 1.

    ``span`` is how many frames an edit of a clip blends to either side, ``clip`` the name of the
    clip that is edited, ``auto_key`` whether a pose changed by hand becomes a key where there are
    keys or a clip, ``unkeyed`` the frames whose pose was changed and is not keyed, ``contacts``
    where joints rest.
    """

    fps: float
    frames: int
    frame: float
    loop: bool
    span: int
    ease: Ease
    auto_key: bool
    keys: list[KeyInfo]
    clip: str | None
    unkeyed: list[int]
    contacts: list[ContactInfo]


class OriginInfo(Struct, frozen=True):
    """The motion that the clip was retargeted from: its name, and the id to fetch it by."""

    id: int
    name: str


class PoseInfo(Struct, frozen=True):
    """A stored pose."""

    id: int
    name: str


class PropPartInfo(Struct, frozen=True):
    """A box or a ball in a prop's frame, with half its edges."""

    ball: bool
    center: Vec3
    half: Vec3


class HoldInfo(Struct, frozen=True):
    """A joint that holds a prop: where the joint is in the prop's frame."""

    joint: int
    position: Vec3
    wxyz: Vec4


class PropInfo(Struct, frozen=True):
    """A prop: where it is, the edges of the box around it, what it is made of, and who holds it.

    The first of ``holds`` carries it, wherever the pose is.  ``mesh`` names the mesh to fetch,
    empty where its parts are drawn.
    """

    id: int
    kind: PropKind
    name: str
    position: Vec3
    wxyz: Vec4
    size: Vec3
    parts: list[PropPartInfo]
    holds: list[HoldInfo]
    mesh: str


class SceneInfo(Struct, frozen=True):
    """What is around the figure, and what is kept while one drags."""

    floor: bool
    balance: bool
    collisions: bool
    props: list[PropInfo]


class MassInfo(Struct, frozen=True):
    """A mass (kg) that follows a joint, and its centre in the joint's frame."""

    joint: int
    mass: float
    center: Vec3


class PointInfo(Struct, frozen=True):
    """A point in the frame of a joint."""

    joint: int
    at: Vec3


class SoleInfo(Struct, frozen=True):
    """The points on which a joint stands."""

    joint: int
    points: list[PointInfo]


class ShapeInfo(Struct, frozen=True):
    """A collision shape in the frame of a joint.

    ``sizes`` are half the edges of a box, or the radius and half the length along z of what is
    round.
    """

    kind: Literal["sphere", "capsule", "cylinder", "box"]
    joint: int
    center: Vec3
    wxyz: Vec4
    sizes: Vec3


class BodyInfo(Struct, frozen=True):
    """Masses, soles and collision shapes of the figure with the id ``figure``; ``feet`` are the
    joints that a body stands on where nothing is pinned."""

    figure: int
    feet: list[int]
    masses: list[MassInfo]
    soles: list[SoleInfo]
    shapes: list[ShapeInfo]


class AdviceInfo(Struct, frozen=True):
    """Something worth telling, with a command that helps."""

    sentence: str
    button: str
    command: Literal["limits.humanoid", "limits.file"]
    args: dict[str, Any]


class HandInfo(Struct, frozen=True):
    """A hand whose fingers can be curled: its joint, the fingers that it has ("Index"), how far
    each is curled (0 straight, 1 as in a fist), how far they are spread, and the names of the
    shapes that it can be put into."""

    side: Literal["left", "right"]
    joint: int
    fingers: list[str]
    curls: list[float]
    spread: float
    shapes: list[str]


class OfferInfo(Struct, frozen=True):
    """A better pose after a drag that ended short: the ghost of the pose message, once ``sentence``
    is not empty.  ``searching`` where the command "offer.search" may still find a better one."""

    searching: bool
    sentence: str


class OtherInfo(Struct, frozen=True):
    """A figure of the scene that is not posed just now: its number and name, the id of the
    FigureInfo that it is drawn by, and where its joints are (3 and 4 numbers each)."""

    number: int
    name: str
    figure: int
    positions: list[float]
    wxyz: list[float]


class State(Struct, frozen=True):
    """The document as the page needs it; sent after every command.

    ``fk`` are the joints of limbs that are turned joint by joint, ``limits`` has one entry for each
    joint, ``edited`` names the joints whose limits differ from
    the file's, ``undo`` and ``redo`` are labels.
    """

    revision: int
    figure: int
    effectors: list[EffectorInfo]
    goals: list[GoalInfo]
    locked: list[int]
    fk: list[int]
    limits: list[Limit | None]
    edited: list[int]
    method: ChoiceInfo
    compare: ChoiceInfo | None
    timeline: TimelineInfo
    poses: list[PoseInfo]
    scene: SceneInfo
    undo: str | None
    redo: str | None
    advice: AdviceInfo | None
    origin: OriginInfo | None
    symmetric: bool
    offer: OfferInfo | None = None
    hands: list[HandInfo] = field(default_factory=list)
    name: str = ""
    others: list[OtherInfo] = field(default_factory=list)


# ---- what is sent -------------------------------------------------------------------------------


class HelloMessage(Struct, frozen=True):
    hello: Hello


class FigureMessage(Struct, frozen=True):
    figure: FigureInfo


class StateMessage(Struct, frozen=True):
    state: State


class OtherFigureMessage(Struct, frozen=True):
    """What a figure is drawn by that is not posed just now; sent before the state that names it."""

    other: FigureInfo


class OthersMessage(Struct, frozen=True):
    """Where the figures are that are not posed just now, at the frame of the pose that follows."""

    others: list[OtherInfo]


class BodyMessage(Struct, frozen=True):
    body: BodyInfo


class NoteMessage(Struct, frozen=True):
    """A sentence to show for a moment."""

    note: str


class PreparingMessage(Struct, frozen=True):
    """A sentence about what is being compiled before the next solve; empty once it is ready."""

    preparing: str


class ProgressInfo(Struct, frozen=True):
    """Work in the background, and the share of it that is done, 0 to 1."""

    label: str
    share: float


class ProgressMessage(Struct, frozen=True):
    """How far the work in the background is; null when there is none any more."""

    progress: ProgressInfo | None


class LibraryPose(Struct, frozen=True):
    """A pose of the library on disk: ``figure`` names what it was stored from, ``fit`` says how it
    goes onto the figure that is open."""

    id: str
    name: str
    figure: str
    picture: bool
    fit: Literal["exact", "roles", "none"]


class LibraryMessage(Struct, frozen=True):
    """What is in the pose library, the newest first."""

    library: list[LibraryPose]


class Refusal(Struct, frozen=True):
    """The reply to a command that was refused, with a sentence why."""

    id: int
    error: str


class Done(Struct, frozen=True, omit_defaults=True):
    """The reply to a command that was done: ids of what it made, or the joints whose edited limits
    it cost (``dropped``)."""

    id: int
    ok: bool
    effector: int | None = None
    pose: int | None = None
    prop: int | None = None
    key: int | None = None
    keys: list[int] | None = None
    contact: int | None = None
    points: list[list[float]] | None = None
    values: list[list[float]] | None = None
    dropped: list[str] | None = None


Reply = Done | Refusal
Message = (
    HelloMessage
    | FigureMessage
    | StateMessage
    | OtherFigureMessage
    | OthersMessage
    | BodyMessage
    | NoteMessage
    | PreparingMessage
    | LibraryMessage
    | ProgressMessage
    | Done
    | Refusal
)


# ---- files that the page reads ------------------------------------------------------------------


class Replay(Struct, frozen=True):
    """What a replay carries in ``<script type="application/json" id="replay">``; it has no server.

    ``mesh`` is the bytes that GET /mesh gives as base64, null when capsules are drawn (figure.mesh
    is then false); ``keys`` are the frames that have a key; ``poses`` is base64 of float32,
    little-endian: frames × (positions[joints × 3], wxyz[joints × 4]).
    """

    format: Literal["limbik replay 1"]
    title: str
    figure: FigureInfo
    mesh: str | None
    fps: float
    frames: int
    loop: bool
    keys: list[int]
    poses: str


class OriginHeader(Struct, frozen=True):
    """The header of GET /origin (origin_bytes.py): the figure of the motion that was retargeted,
    and the matrix, column by column, that takes its world to that of the figure in view."""

    figure: FigureInfo
    frames: int
    placement: list[float]


class MeshImage(Struct, frozen=True):
    """A picture in the bytes of a mesh."""

    offset: int
    length: int
    type: str


class MeshPieceInfo(Struct, frozen=True):
    """A piece of a mesh: counts, and the offsets of its arrays after the header."""

    name: str
    color: tuple[float, float, float, float]
    vertices: int
    triangles: int
    bones: int
    joints: list[int]
    position: int
    normal: int | None
    uv: int | None
    index: int
    bone: int
    weight: int
    bind: int
    image: MeshImage | None


class MeshHeader(Struct, frozen=True):
    """The header of GET /mesh (mesh_bytes.py)."""

    pieces: list[MeshPieceInfo]

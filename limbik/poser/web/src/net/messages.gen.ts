// Made by limbik/poser/protocol/typescript.py; do not edit.

export type Vec3 = [number, number, number];
export type Vec4 = [number, number, number, number];
export type Mode = "free" | "pin" | "aim";
export type PropKind = "box" | "ball" | "chair" | "mesh";
export type Ease = "smooth" | "linear" | "step";
export type KeyEase = "smooth" | "linear" | "in" | "out" | "step" | "bezier";
export type Value = number | boolean | string;
export type Part = TurnPart | SlidePart | ExponentialPart | SwingTwistPart;
export type Limit = RangeLimit | ConeLimit;
export type Reply = Done | Refusal;
export type Message = HelloMessage | FigureMessage | StateMessage | OtherFigureMessage | OthersMessage | BodyMessage | NoteMessage | PreparingMessage | LibraryMessage | ProgressMessage | Done | Refusal;

/** Something worth telling, with a command that helps. */
export interface AdviceInfo {
  sentence: string;
  button: string;
  command: "limits.humanoid" | "limits.file";
  args: Record<string, unknown>;
}

/**
 * A cone about `center` with the half angles `swing`, and a range of twist; null is "no
 * end", or any swing.
 */
export interface ConeLimit {
  kind: "cone";
  swing: [number, number] | null;
  center: [number, number];
  twist: [number | null, number | null];
}

/**
 * An effector; `name` is its joint's; `look` is what an aim is tied to, "joint:NAME",
 * "prop:ID", "camera" or empty; `placed` is whether a person put it where it is.
 */
export interface EffectorInfo {
  id: number;
  joint: number;
  name: string;
  at: Vec3;
  mode: Mode;
  position: Vec3;
  wxyz: Vec4 | null;
  weight: number;
  rotation_weight: number;
  axis: Vec3;
  look: string;
  placed: boolean;
}

/**
 * A goal of the program that is kept beside the effectors: its kind ("Plane"), what it is about
 * and a sentence of what it asks; `lost` where it was a function of a program that has ended.
 */
export interface GoalInfo {
  id: number;
  kind: string;
  label: string;
  sentence: string;
  lost: boolean;
}

/**
 * A hand whose fingers can be curled: its joint, the fingers that it has ("Index"), how far
 * each is curled (0 straight, 1 as in a fist), how far they are spread, and the names of the
 * shapes that it can be put into.
 */
export interface HandInfo {
  side: "left" | "right";
  joint: number;
  fingers: string[];
  curls: number[];
  spread: number;
  shapes: string[];
}

/**
 * A better pose after a drag that ended short: the ghost of the pose message, once `sentence`
 * is not empty.  `searching` where the command "offer.search" may still find a better one.
 */
export interface OfferInfo {
  searching: boolean;
  sentence: string;
}

/**
 * A figure of the scene that is not posed just now: its number and name, the id of the
 * FigureInfo that it is drawn by, and where its joints are (3 and 4 numbers each).
 */
export interface OtherInfo {
  number: number;
  name: string;
  figure: number;
  positions: number[];
  wxyz: number[];
}

/** A stored pose. */
export interface PoseInfo {
  id: number;
  name: string;
}

/** A range for each of a joint's own coordinates; null is "no end". */
export interface RangeLimit {
  kind: "range";
  lower: (number | null)[];
  upper: (number | null)[];
}

/**
 * The document as the page needs it; sent after every command.
 *
 * `fk` are the joints of limbs that are turned joint by joint, `limits` has one entry for each
 * joint, `edited` names the joints whose limits differ from the file's, `undo` and `redo`
 * are labels.
 */
export interface State {
  revision: number;
  figure: number;
  effectors: EffectorInfo[];
  goals: GoalInfo[];
  locked: number[];
  fk: number[];
  limits: (Limit | null)[];
  edited: number[];
  method: ChoiceInfo;
  compare: ChoiceInfo | null;
  timeline: TimelineInfo;
  poses: PoseInfo[];
  scene: SceneInfo;
  undo: string | null;
  redo: string | null;
  advice: AdviceInfo | null;
  origin: OriginInfo | null;
  symmetric: boolean;
  offer: OfferInfo | null;
  hands: HandInfo[];
  name: string;
  others: OtherInfo[];
}

/** A capsule in the frame of a joint. */
export interface Bone {
  joint: number;
  from: Vec3;
  to: Vec3;
  radius: number;
}

/** A coordinate, and the joint that owns it. */
export interface CoordinateInfo {
  name: string;
  joint: number;
  slides: boolean;
  rest: number;
}

/** A ball whose three coordinates, from `coordinate` on, are a rotation vector. */
export interface ExponentialPart {
  kind: "exponential";
  coordinate: number;
  twist: Vec3;
  swing: Vec3;
}

/**
 * What is drawn; sent again when it changes.
 *
 * `floor` is the height of the floor along `up` at rest, `mesh` whether there are meshes to
 * fetch, `clips` the names of the clips in the file, `mirrors` whether left and right are
 * known, so that poses can be mirrored.
 */
export interface FigureInfo {
  id: number;
  name: string;
  unit: string;
  up: "x" | "y" | "z";
  size: number;
  floor: number;
  joints: JointInfo[];
  coordinates: CoordinateInfo[];
  bones: Bone[];
  mesh: boolean;
  clips: string[];
  file: string;
  builtin: string;
  mirrors: boolean;
  limbs: LimbInfo[];
}

/**
 * A joint: its placement on the parent is translate(offset) · rotate(wxyz) · parts.
 *
 * `parent` is −1 for a root, `role` "left hand" and so on or empty; its coordinates are
 * first … first + count − 1; `axes` are those that rings turn it about.
 */
export interface JointInfo {
  name: string;
  parent: number;
  kind: string;
  role: string;
  first: number;
  count: number;
  offset: Vec3;
  wxyz: Vec4;
  parts: Part[];
  axes: TurnAxis[];
}

/** An arm or a leg of a body. */
export interface LimbInfo {
  name: string;
  joints: number[];
}

/** Slides along `axis` by scale · q[driver] + shift; `coordinate` as for TurnPart. */
export interface SlidePart {
  kind: "slide";
  axis: Vec3;
  coordinate: number;
  scale: number;
  shift: number;
  driver: number;
}

/** A ball whose three coordinates, from `coordinate` on, are two of swing and one of twist. */
export interface SwingTwistPart {
  kind: "swing-twist";
  coordinate: number;
  twist: Vec3;
  swing: Vec3;
}

/**
 * An axis about which a joint is turned by a ring: "flex", "spread" and "twist" where the body
 * is recognised.  It is in the joint's own frame where `part` is −1, else it is that of the
 * moving part with this number, in the frame before it.
 */
export interface TurnAxis {
  name: string;
  axis: Vec3;
  part: number;
}

/**
 * Turns about `axis` by scale · q[driver] + shift; `coordinate` is its own entry of q, −1
 * where it follows another's.
 */
export interface TurnPart {
  kind: "turn";
  axis: Vec3;
  coordinate: number;
  scale: number;
  shift: number;
  driver: number;
}

/** The header of GET /mesh (mesh_bytes.py). */
export interface MeshHeader {
  pieces: MeshPieceInfo[];
}

/** A picture in the bytes of a mesh. */
export interface MeshImage {
  offset: number;
  length: number;
  type: string;
}

/** A piece of a mesh: counts, and the offsets of its arrays after the header. */
export interface MeshPieceInfo {
  name: string;
  color: Vec4;
  vertices: number;
  triangles: number;
  bones: number;
  joints: number[];
  position: number;
  normal: number | null;
  uv: number | null;
  index: number;
  bone: number;
  weight: number;
  bind: number;
  image: MeshImage | null;
}

/**
 * The header of GET /origin (origin_bytes.py): the figure of the motion that was retargeted,
 * and the matrix, column by column, that takes its world to that of the figure in view.
 */
export interface OriginHeader {
  figure: FigureInfo;
  frames: number;
  placement: number[];
}

/**
 * What a replay carries in `<script type="application/json" id="replay">`; it has no server.
 *
 * `mesh` is the bytes that GET /mesh gives as base64, null when capsules are drawn (figure.mesh
 * is then false); `keys` are the frames that have a key; `poses` is base64 of float32,
 * little-endian: frames × (positions[joints × 3], wxyz[joints × 4]).
 */
export interface Replay {
  format: "limbik replay 1";
  title: string;
  figure: FigureInfo;
  mesh: string | null;
  fps: number;
  frames: number;
  loop: boolean;
  keys: number[];
  poses: string;
}

/** A method and the settings in which it differs from its defaults. */
export interface ChoiceInfo {
  name: string;
  settings: Record<string, Value>;
}

/** A method that can be chosen. */
export interface MethodInfo {
  name: string;
  title: string;
  settings: SettingInfo[];
}

/** A setting of a method; `value` is its default. */
export interface SettingInfo {
  name: string;
  kind: "float" | "int" | "bool" | "choice" | "text";
  value: Value | null;
  choices: string[] | null;
  help: string;
}

/**
 * Masses, soles and collision shapes of the figure with the id `figure`; `feet` are the
 * joints that a body stands on where nothing is pinned.
 */
export interface BodyInfo {
  figure: number;
  feet: number[];
  masses: MassInfo[];
  soles: SoleInfo[];
  shapes: ShapeInfo[];
}

/** A joint that holds a prop: where the joint is in the prop's frame. */
export interface HoldInfo {
  joint: number;
  position: Vec3;
  wxyz: Vec4;
}

/** A mass (kg) that follows a joint, and its centre in the joint's frame. */
export interface MassInfo {
  joint: number;
  mass: number;
  center: Vec3;
}

/** A point in the frame of a joint. */
export interface PointInfo {
  joint: number;
  at: Vec3;
}

/**
 * A prop: where it is, the edges of the box around it, what it is made of, and who holds it.
 *
 * The first of `holds` carries it, wherever the pose is.  `mesh` names the mesh to fetch,
 * empty where its parts are drawn.
 */
export interface PropInfo {
  id: number;
  kind: PropKind;
  name: string;
  position: Vec3;
  wxyz: Vec4;
  size: Vec3;
  parts: PropPartInfo[];
  holds: HoldInfo[];
  mesh: string;
}

/** A box or a ball in a prop's frame, with half its edges. */
export interface PropPartInfo {
  ball: boolean;
  center: Vec3;
  half: Vec3;
}

/** What is around the figure, and what is kept while one drags. */
export interface SceneInfo {
  floor: boolean;
  balance: boolean;
  collisions: boolean;
  props: PropInfo[];
}

/**
 * A collision shape in the frame of a joint.
 *
 * `sizes` are half the edges of a box, or the radius and half the length along z of what is
 * round.
 */
export interface ShapeInfo {
  kind: "sphere" | "capsule" | "cylinder" | "box";
  joint: number;
  center: Vec3;
  wxyz: Vec4;
  sizes: Vec3;
}

/** The points on which a joint stands. */
export interface SoleInfo {
  joint: number;
  points: PointInfo[];
}

export interface BodyMessage {
  body: BodyInfo;
}

/**
 * The reply to a command that was done: ids of what it made, or the joints whose edited limits
 * it cost (`dropped`).
 */
export interface Done {
  id: number;
  ok: boolean;
  effector?: number;
  pose?: number;
  prop?: number;
  key?: number;
  keys?: number[];
  contact?: number;
  points?: number[][];
  values?: number[][];
  dropped?: string[];
}

export interface FigureMessage {
  figure: FigureInfo;
}

/**
 * Sent first, when the connection stands, and again when something has become ready.
 *
 * `largest` is how many bytes one upload may have, `opens` the endings of files that can be
 * opened (".bvh" and so on), `preparing` a sentence about what is being prepared, empty when
 * everything is ready.
 */
export interface Hello {
  session: string;
  version: string;
  builtin: string[];
  methods: MethodInfo[];
  largest: number;
  opens: string[];
  preparing: string;
}

export interface HelloMessage {
  hello: Hello;
}

/** What is in the pose library, the newest first. */
export interface LibraryMessage {
  library: LibraryPose[];
}

/**
 * A pose of the library on disk: `figure` names what it was stored from, `fit` says how it
 * goes onto the figure that is open.
 */
export interface LibraryPose {
  id: string;
  name: string;
  figure: string;
  picture: boolean;
  fit: "exact" | "roles" | "none";
}

/** A sentence to show for a moment. */
export interface NoteMessage {
  note: string;
}

/** What a figure is drawn by that is not posed just now; sent before the state that names it. */
export interface OtherFigureMessage {
  other: FigureInfo;
}

/** Where the figures are that are not posed just now, at the frame of the pose that follows. */
export interface OthersMessage {
  others: OtherInfo[];
}

/** A sentence about what is being compiled before the next solve; empty once it is ready. */
export interface PreparingMessage {
  preparing: string;
}

/** Work in the background, and the share of it that is done, 0 to 1. */
export interface ProgressInfo {
  label: string;
  share: number;
}

/** How far the work in the background is; null when there is none any more. */
export interface ProgressMessage {
  progress: ProgressInfo | null;
}

/** The reply to a command that was refused, with a sentence why. */
export interface Refusal {
  id: number;
  error: string;
}

export interface StateMessage {
  state: State;
}

/** A joint rests in frames start … end − 1; `held` where it is locked to its place there. */
export interface ContactInfo {
  id: number;
  joint: number;
  start: number;
  end: number;
  held: boolean;
}

/**
 * A key of the timeline, and whether it holds a pose and goals; `ease` is how it goes on from
 * there, null as the timeline has it, `handles` those of "bezier".
 */
export interface KeyInfo {
  id: number;
  frame: number;
  pose: boolean;
  goals: boolean;
  ease: KeyEase | null;
  handles: Vec4;
}

/** The motion that the clip was retargeted from: its name, and the id to fetch it by. */
export interface OriginInfo {
  id: number;
  name: string;
}

/**
 * The timeline, frames 0 … frames − 1.
 *
 * `span` is how many frames an edit of a clip blends to either side, `clip` the name of the
 * clip that is edited, `auto_key` whether a pose changed by hand becomes a key where there are
 * keys or a clip, `unkeyed` the frames whose pose was changed and is not keyed, `contacts`
 * where joints rest.
 */
export interface TimelineInfo {
  fps: number;
  frames: number;
  frame: number;
  loop: boolean;
  span: number;
  ease: Ease;
  auto_key: boolean;
  keys: KeyInfo[];
  clip: string | null;
  unkeyed: number[];
  contacts: ContactInfo[];
}

/** The commands by their names, with their arguments. */
export interface Commands {
  "contacts.find": Record<never, never>;
  "contact.add": { joint: number; start: number; end: number; held?: boolean };
  "contact.set": { contact: number; start?: number | null; end?: number | null; held?: boolean | null };
  "contact.delete": { contacts: number[] };
  "contacts.hold": { on: boolean };
  "contacts.plant": Record<never, never>;
  "samples": { frames: number[]; joints: number[]; coordinates: number[] };
  "key.ease": { keys: number[]; ease: KeyEase | null; handles?: Vec4 | null; held?: boolean };
  "key.value": { key: number; coordinate: number; value: number; held?: boolean };
  "key.flip": { keys: number[]; by: number };
  "symmetric": { on: boolean };
  "grab": { effector: number };
  "drop": Record<never, never>;
  "effector.add": { joint: number; at?: Vec3 };
  "effector.remove": { effector: number };
  "effector.set": { effector: number; mode?: Mode; position?: Vec3; wxyz?: Vec4 | null; weight?: number; rotation_weight?: number; axis?: Vec3; look?: string; held?: boolean };
  "look.camera": { position: Vec3 };
  "limit.set": { joint: number; limit: Limit; held?: boolean };
  "limit.cone": { joint: number };
  "limit.reset": { joint: number };
  "limits.file": Record<never, never>;
  "limits.none": Record<never, never>;
  "limits.humanoid": Record<never, never>;
  "limits.clip": { margin: number };
  "figure.add": Record<never, never>;
  "figure.activate": { figure: number };
  "figure.remove": { figure: number };
  "builtin": { name: string };
  "open": { files: string[] };
  "clip.choose": { index: number };
  "goal.remove": { goal: number };
  "hand.shape": { side: "left" | "right" | "both"; shape: "relaxed" | "fist" | "point" | "pinch" | "flat" };
  "hand.curl": { side: "left" | "right" | "both"; finger: "all" | "Thumb" | "Index" | "Middle" | "Ring" | "Little" | "spread"; value: number; held?: boolean };
  "hand.palm": { side: "left" | "right" };
  "lock": { joint: number; on: boolean };
  "coordinate.set": { coordinate: number; value: number };
  "joint.turn": { joint: number; wxyz: Vec4 };
  "limb.fk": { joint: number; on: boolean };
  "coordinates.drop": Record<never, never>;
  "library.list": Record<never, never>;
  "library.store": { name: string; picture: string[] };
  "library.take": { pose: string; flipped?: boolean; joint?: number };
  "library.rename": { pose: string; name: string };
  "library.delete": { pose: string };
  "method.set": { name: string; settings: Record<string, number | boolean | string>; held?: boolean };
  "compare.set": { name: string | null; settings: Record<string, number | boolean | string>; held?: boolean };
  "offer.search": Record<never, never>;
  "offer.take": Record<never, never>;
  "offer.refuse": Record<never, never>;
  "pose.reset": Record<never, never>;
  "pose.mirror": Record<never, never>;
  "pose.set": { q: number[] };
  "pose.load": { pose: Record<string, unknown> };
  "pose.store": { name: string };
  "pose.recall": { pose: number };
  "pose.rename": { pose: number; name: string };
  "pose.delete": { pose: number };
  "prop.add": { kind: "box" | "ball" | "chair" };
  "prop.open": { file: string };
  "prop.remove": { prop: number };
  "prop.set": { prop: number; name?: string; position?: Vec3; wxyz?: Vec4; size?: Vec3; held?: boolean };
  "prop.hold": { prop: number; joints: number[] };
  "retarget.onto": { builtin?: string; files?: string[] | null };
  "retarget.motion": { files: string[] };
  "retarget.again": Record<never, never>;
  "task.cancel": Record<never, never>;
  "floor": { on: boolean };
  "balance": { on: boolean };
  "collisions": { on: boolean };
  "body": Record<never, never>;
  "timeline.set": { fps?: number | null; frames?: number | null; loop?: boolean | null; span?: number | null; ease?: string | null; auto_key?: boolean | null; held?: boolean };
  "key.insert": { frame: number; pose?: boolean; goals?: boolean };
  "unkeyed.drop": { frame: number };
  "key.move": { keys: number[]; by: number };
  "key.copy": { keys: number[]; by: number };
  "key.delete": { keys: number[] };
  "key.set": { key: number; pose?: boolean | null; goals?: boolean | null };
  "clip.remove": Record<never, never>;
  "frames": { frames: number[] };
  "undo": Record<never, never>;
  "redo": Record<never, never>;
}

/** Binary messages: the first byte, the bytes of the head, where its fields begin. */
export const DRAG = { kind: 1, size: 64, flags: 1, effector: 2, sequence: 4, position: 8, wxyz: 32 } as const;
export const SCRUB = { kind: 2, size: 16, flags: 1, reserved: 2, sequence: 4, frame: 8 } as const;
export const POSE = { kind: 1, size: 32, status: 1, goals: 2, sequence: 4, joints: 8, coordinates: 10, limits: 12, ghost: 14, flags: 15, ms: 16, frame: 20, revision: 24, why: 28, iterations: 30 } as const;
export const FRAMES = { kind: 2, size: 12, reserved: 1, count: 2, command: 4, joints: 8, reserved2: 10 } as const;
export const HAS_POSITION = 1;
export const HAS_ROTATION = 2;
export const IS_PLAYING = 1;
export const IS_FOLLOWING = 1;
export const IS_STUCK = 2;

/** Where the numbers of a row are that a goal has, or a limit that holds. */
export const GOAL_ROW = { size: 11, effector: 0, length: 1, angle: 2, ok: 3, x: 4, y: 5, z: 6, qw: 7, qx: 8, qy: 9, qz: 10 } as const;
export const LIMIT_ROW = { size: 4, joint: 0, coordinate: 1, side: 2, share: 3 } as const;

export type Status = "reached" | "limited" | "out of reach" | "stalled" | "held" | "unsolved";
export const STATUSES: Record<number, Status> = { 0: "reached", 1: "limited", 2: "out of reach", 3: "stalled", 4: "held", 255: "unsolved" };

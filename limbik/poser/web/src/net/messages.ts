// What server and page say to each other in JSON; protocol.ts has the binary messages.

export type Vec3 = [number, number, number];
export type Vec4 = [number, number, number, number]; // quaternions are w x y z

/** Sent once, when the connection stands. */
export interface Hello {
  session: string;
  version: string;
  builtin: string[];
  methods: MethodInfo[];
  /** Bytes that one upload may have. */
  largest: number;
  /** Endings of files that can be opened, ".bvh" and so on. */
  opens: string[];
  /** Sentences about what is being prepared, empty when everything is ready. */
  preparing: string;
}

export interface MethodInfo {
  name: string;
  title: string;
  settings: SettingInfo[];
}

export interface SettingInfo {
  name: string;
  kind: "float" | "int" | "bool" | "choice" | "text";
  value: number | boolean | string | null; // the default
  choices: string[] | null;
  help: string;
}

/** What is drawn; sent again when it changes. */
export interface FigureInfo {
  id: number;
  name: string;
  unit: string;
  up: "x" | "y" | "z";
  size: number;
  /** Height of the floor along `up`, at rest. */
  floor: number;
  joints: JointInfo[];
  coordinates: CoordinateInfo[];
  bones: Bone[];
  mesh: boolean;
  /** Clips in the file, by name. */
  clips: string[];
  file: string;
  builtin: string;
  /** Whether left and right are known, so that poses can be mirrored. */
  mirrors: boolean;
}

export interface JointInfo {
  name: string;
  parent: number; // -1 for a root
  kind: string; // "revolute", "ball (swing–twist)", ...
  role: string; // "left hand", or empty
  first: number; // its coordinates are first … first + count − 1
  count: number;
  /** Placement on the parent: translate(offset) · rotate(wxyz) · parts. */
  offset: Vec3;
  wxyz: Vec4;
  parts: Part[];
}

/** Moving parts in order; coordinate is -1 where another coordinate drives it. */
export type Part =
  | { kind: "turn" | "slide"; axis: Vec3; coordinate: number; scale: number; shift: number; driver: number }
  | { kind: "exponential"; coordinate: number; twist: Vec3; swing: Vec3 }
  | { kind: "swing-twist"; coordinate: number; twist: Vec3; swing: Vec3 };

export interface CoordinateInfo {
  name: string;
  joint: number;
  slides: boolean;
  rest: number;
}

/** A capsule in the frame of a joint. */
export interface Bone {
  joint: number;
  from: Vec3;
  to: Vec3;
  radius: number;
}

/** Limits as people set them: radians, figure's unit; null is "no end". */
export type Limit =
  | { kind: "range"; lower: (number | null)[]; upper: (number | null)[] } // one pair a coordinate
  | { kind: "cone"; swing: [number, number] | null; center: [number, number]; twist: [number | null, number | null] };

export interface Effector {
  id: number;
  joint: number;
  name: string;
  at: Vec3;
  mode: "free" | "pin" | "aim";
  position: Vec3;
  wxyz: Vec4 | null;
  weight: number;
  rotation_weight: number;
  axis: Vec3;
}

export interface Choice {
  name: string;
  settings: Record<string, number | boolean | string>;
}

export interface Key {
  id: number;
  frame: number;
  pose: boolean;
  goals: boolean;
}

export interface Timeline {
  fps: number;
  frames: number; // frames 0 … frames − 1
  frame: number;
  loop: boolean;
  /** Frames over which an edit of a clip blends to either side. */
  span: number;
  ease: "smooth" | "linear" | "step";
  keys: Key[];
  /** Name of the clip that is edited, or null. */
  clip: string | null;
}

/** The document as the page needs it; sent after every command. */
export interface State {
  revision: number;
  figure: number;
  effectors: Effector[];
  locked: number[];
  /** One a joint. */
  limits: (Limit | null)[];
  /** Joints whose limits differ from the file's. */
  edited: number[];
  method: Choice;
  compare: Choice | null;
  timeline: Timeline;
  poses: { id: number; name: string }[];
  undo: string | null;
  redo: string | null;
  /** Something worth telling, with a command that helps: "This file has no joint limits." */
  advice: { sentence: string; button: string; command: string; args: Record<string, unknown> } | null;
}

export type Reply = { id: number; ok: true; [more: string]: unknown } | { id: number; error: string };

/** What only this page knows. */
export interface Ui {
  joint: number | null; // selected
  effector: number | null; // selected, by id
  tool: "direct" | "move" | "rotate";
  theme: "auto" | "light" | "dark";
  shadows: boolean;
  follow: boolean; // the view goes with a figure that travels as time runs
  onion: boolean;
  gauges: "holding" | "selected" | "all";
  panel: boolean;
  timeline: boolean;
  help: boolean;
  playing: boolean;
  note: string;
  mesh: boolean; // draw the mesh where there is one
  hintSeen: boolean;
}

/** What a replay carries in `<script type="application/json" id="replay">`; it has no server. */
export interface Replay {
  format: "limbik replay 1";
  title: string;
  figure: FigureInfo;
  /** Bytes as GET /mesh gives them, base64; null when capsules are drawn (figure.mesh is then false). */
  mesh: string | null;
  fps: number;
  frames: number; // at least 1
  loop: boolean;
  /** Frames that have a key, for the ruler. */
  keys: number[];
  /** base64 of float32, little-endian: frames × (positions[joints × 3], wxyz[joints × 4]), in the figure's unit and axes. */
  poses: string;
}

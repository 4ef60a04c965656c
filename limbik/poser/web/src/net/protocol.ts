// The binary messages: drags and scrubs go out, poses and onion skins come in; little-endian.

import type { Vec3, Vec4 } from "./messages";

const DRAG = 1;
const SCRUB = 2;
const POSE = 1;
const FRAMES = 2;
const HEAD = 32; // bytes before the first float of a pose
const GOAL = 11; // floats a goal
const HELD = 4; // floats a limit that holds

export type Status = "reached" | "limited" | "held" | "out of reach" | "stalled" | "unsolved";

const STATUS: Record<number, Status> = {
  0: "reached",
  1: "limited",
  2: "out of reach",
  3: "stalled",
  4: "held",
  255: "unsolved",
};

/** How one goal fared; lengths in the figure's unit, angles in radians, NaN where it has none. */
export interface GoalReport {
  effector: number;
  length: number;
  angle: number;
  ok: boolean;
  position: Vec3;
  wxyz: Vec4 | null;
}

/** A limit that holds the pose back; `share` is 1 for the one that holds most. */
export interface HeldLimit {
  joint: number;
  coordinate: number; // -1 for a cone
  side: -1 | 0 | 1; // lower, cone, upper
  share: number;
}

/** The pose that the compared method found. */
export interface Ghost {
  positions: Float32Array; // joints × 3
  wxyz: Float32Array; // joints × 4
  ms: number;
  ok: boolean;
}

/** All joints in the figure's axes, and what the solve says about them. */
export interface Pose {
  status: Status;
  sequence: number; // of the message that is answered, 0 when unasked
  ms: number;
  frame: number;
  revision: number;
  iterations: number;
  positions: Float32Array; // joints × 3
  wxyz: Float32Array; // joints × 4
  q: Float32Array;
  goals: GoalReport[];
  limits: HeldLimit[];
  ghost: Ghost | null;
  why: string;
}

/** Poses at other frames of the timeline, for onion skins. */
export interface Frames {
  command: number; // id of the command that asked
  frames: { frame: number; positions: Float32Array; wxyz: Float32Array }[];
}

/** Message that moves an effector's target; null leaves its place or its orientation alone. */
export function encodeDrag(sequence: number, effector: number, position: Vec3 | null, wxyz: Vec4 | null): ArrayBuffer {
  const message = new ArrayBuffer(64);
  const view = new DataView(message);
  view.setUint8(0, DRAG);
  view.setUint8(1, (position ? 1 : 0) | (wxyz ? 2 : 0));
  view.setUint16(2, effector, true);
  view.setUint32(4, sequence, true);
  position?.forEach((value, i) => view.setFloat64(8 + 8 * i, value, true));
  wxyz?.forEach((value, i) => view.setFloat64(32 + 8 * i, value, true));
  return message;
}

/** Message that moves the timeline to a frame, whole or between two. */
export function encodeScrub(sequence: number, frame: number, playing: boolean): ArrayBuffer {
  const message = new ArrayBuffer(16);
  const view = new DataView(message);
  view.setUint8(0, SCRUB);
  view.setUint8(1, playing ? 1 : 0);
  view.setUint32(4, sequence, true);
  view.setFloat64(8, frame, true);
  return message;
}

/** Floats one after another from a message; views, not copies. */
class Floats {
  constructor(
    private readonly message: ArrayBuffer,
    public offset: number,
  ) {}

  take(count: number): Float32Array {
    if (this.offset + 4 * count > this.message.byteLength) {
      throw new Error(`A message of ${this.message.byteLength} bytes ends before its numbers do.`);
    }
    const values = new Float32Array(this.message, this.offset, count);
    this.offset += 4 * count;
    return values;
  }
}

function at(values: Float32Array, index: number): number {
  return values[index] ?? NaN;
}

function goalReport(row: Float32Array): GoalReport {
  const turned = !Number.isNaN(at(row, 7));
  return {
    effector: at(row, 0),
    length: at(row, 1),
    angle: at(row, 2),
    ok: at(row, 3) !== 0,
    position: [at(row, 4), at(row, 5), at(row, 6)],
    wxyz: turned ? [at(row, 7), at(row, 8), at(row, 9), at(row, 10)] : null,
  };
}

function decodePose(message: ArrayBuffer): Pose {
  const view = new DataView(message);
  const goals = view.getUint16(2, true);
  const joints = view.getUint16(8, true);
  const coordinates = view.getUint16(10, true);
  const held = view.getUint16(12, true);
  const length = view.getUint16(28, true);
  const floats = new Floats(message, HEAD);
  const positions = floats.take(3 * joints);
  const wxyz = floats.take(4 * joints);
  const q = floats.take(coordinates);
  const reports = Array.from({ length: goals }, () => goalReport(floats.take(GOAL)));
  const limits = Array.from({ length: held }, (): HeldLimit => {
    const row = floats.take(HELD);
    return { joint: at(row, 0), coordinate: at(row, 1), side: Math.sign(at(row, 2)) as -1 | 0 | 1, share: at(row, 3) };
  });
  let ghost: Ghost | null = null;
  if (view.getUint16(14, true) === 1) {
    const [p, r, end] = [floats.take(3 * joints), floats.take(4 * joints), floats.take(2)];
    ghost = { positions: p, wxyz: r, ms: at(end, 0), ok: at(end, 1) !== 0 };
  }
  if (floats.offset + length !== message.byteLength) {
    throw new Error(`A pose should have ${floats.offset + length} bytes and has ${message.byteLength}.`);
  }
  return {
    status: STATUS[view.getUint8(1)] ?? "unsolved",
    sequence: view.getUint32(4, true),
    ms: view.getFloat32(16, true),
    frame: view.getFloat32(20, true),
    revision: view.getUint32(24, true),
    iterations: view.getUint16(30, true),
    positions,
    wxyz,
    q,
    goals: reports,
    limits,
    ghost,
    why: new TextDecoder().decode(new Uint8Array(message, floats.offset, length)),
  };
}

function decodeFrames(message: ArrayBuffer): Frames {
  const view = new DataView(message);
  const count = view.getUint16(2, true);
  const joints = view.getUint16(8, true);
  const floats = new Floats(message, 12);
  const frames = Array.from(floats.take(count));
  return {
    command: view.getUint32(4, true),
    frames: frames.map((frame) => ({ frame, positions: floats.take(3 * joints), wxyz: floats.take(4 * joints) })),
  };
}

/** What the server said in binary. */
export function decode(message: ArrayBuffer): { pose: Pose } | { frames: Frames } {
  const kind = new DataView(message).getUint8(0);
  if (kind === POSE) return { pose: decodePose(message) };
  if (kind === FRAMES) return { frames: decodeFrames(message) };
  throw new Error(`A message of the unknown kind ${kind} came from the server.`);
}

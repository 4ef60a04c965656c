// The binary messages: drags and scrubs go out, poses and onion skins come in; little-endian.

import {
  DRAG,
  FRAMES,
  GOAL_ROW,
  HAS_POSITION,
  HAS_ROTATION,
  IS_FOLLOWING,
  IS_PLAYING,
  IS_STUCK,
  LIMIT_ROW,
  POSE,
  SCRUB,
  STATUSES,
  type Status,
  type Vec3,
  type Vec4,
} from "./messages";

export type { Status };

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
  /** A step of a drag ended before the goals were met, and the next one goes on. */
  isFollowing: boolean;
  /** Another pose is known that meets the goals clearly better. */
  isStuck: boolean;
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
  const message = new ArrayBuffer(DRAG.size);
  const view = new DataView(message);
  view.setUint8(0, DRAG.kind);
  view.setUint8(DRAG.flags, (position ? HAS_POSITION : 0) | (wxyz ? HAS_ROTATION : 0));
  view.setUint16(DRAG.effector, effector, true);
  view.setUint32(DRAG.sequence, sequence, true);
  position?.forEach((value, i) => view.setFloat64(DRAG.position + 8 * i, value, true));
  wxyz?.forEach((value, i) => view.setFloat64(DRAG.wxyz + 8 * i, value, true));
  return message;
}

/** Message that moves the timeline to a frame, whole or between two. */
export function encodeScrub(sequence: number, frame: number, playing: boolean): ArrayBuffer {
  const message = new ArrayBuffer(SCRUB.size);
  const view = new DataView(message);
  view.setUint8(0, SCRUB.kind);
  view.setUint8(SCRUB.flags, playing ? IS_PLAYING : 0);
  view.setUint32(SCRUB.sequence, sequence, true);
  view.setFloat64(SCRUB.frame, frame, true);
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
  const { x, y, z, qw, qx, qy, qz } = GOAL_ROW;
  const turned = !Number.isNaN(at(row, qw));
  return {
    effector: at(row, GOAL_ROW.effector),
    length: at(row, GOAL_ROW.length),
    angle: at(row, GOAL_ROW.angle),
    ok: at(row, GOAL_ROW.ok) !== 0,
    position: [at(row, x), at(row, y), at(row, z)],
    wxyz: turned ? [at(row, qw), at(row, qx), at(row, qy), at(row, qz)] : null,
  };
}

function heldLimit(row: Float32Array): HeldLimit {
  return {
    joint: at(row, LIMIT_ROW.joint),
    coordinate: at(row, LIMIT_ROW.coordinate),
    side: Math.sign(at(row, LIMIT_ROW.side)) as -1 | 0 | 1,
    share: at(row, LIMIT_ROW.share),
  };
}

function decodePose(message: ArrayBuffer): Pose {
  const view = new DataView(message);
  const goals = view.getUint16(POSE.goals, true);
  const joints = view.getUint16(POSE.joints, true);
  const coordinates = view.getUint16(POSE.coordinates, true);
  const held = view.getUint16(POSE.limits, true);
  const length = view.getUint16(POSE.why, true);
  const flags = view.getUint8(POSE.flags);
  const floats = new Floats(message, POSE.size);
  const positions = floats.take(3 * joints);
  const wxyz = floats.take(4 * joints);
  const q = floats.take(coordinates);
  const reports = Array.from({ length: goals }, () => goalReport(floats.take(GOAL_ROW.size)));
  const limits = Array.from({ length: held }, () => heldLimit(floats.take(LIMIT_ROW.size)));
  let ghost: Ghost | null = null;
  if (view.getUint8(POSE.ghost) === 1) {
    const [p, r, end] = [floats.take(3 * joints), floats.take(4 * joints), floats.take(2)];
    ghost = { positions: p, wxyz: r, ms: at(end, 0), ok: at(end, 1) !== 0 };
  }
  if (floats.offset + length !== message.byteLength) {
    throw new Error(`A pose should have ${floats.offset + length} bytes and has ${message.byteLength}.`);
  }
  return {
    status: STATUSES[view.getUint8(POSE.status)] ?? "unsolved",
    isFollowing: (flags & IS_FOLLOWING) !== 0,
    isStuck: (flags & IS_STUCK) !== 0,
    sequence: view.getUint32(POSE.sequence, true),
    ms: view.getFloat32(POSE.ms, true),
    frame: view.getFloat32(POSE.frame, true),
    revision: view.getUint32(POSE.revision, true),
    iterations: view.getUint16(POSE.iterations, true),
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
  const count = view.getUint16(FRAMES.count, true);
  const joints = view.getUint16(FRAMES.joints, true);
  const floats = new Floats(message, FRAMES.size);
  const frames = Array.from(floats.take(count));
  return {
    command: view.getUint32(FRAMES.command, true),
    frames: frames.map((frame) => ({ frame, positions: floats.take(3 * joints), wxyz: floats.take(4 * joints) })),
  };
}

/** What the server said in binary. */
export function decode(message: ArrayBuffer): { pose: Pose } | { frames: Frames } {
  const kind = new DataView(message).getUint8(0);
  if (kind === POSE.kind) return { pose: decodePose(message) };
  if (kind === FRAMES.kind) return { frames: decodeFrames(message) };
  throw new Error(`A message of the unknown kind ${kind} came from the server.`);
}

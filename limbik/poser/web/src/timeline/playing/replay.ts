// Replay: the same page without a server, fed from the data that was saved into it.

import type { App } from "../../state/app";
import type { Connection } from "../../net/connection";
import type { Replay, Reply, State } from "../../net/messages";
import type { Pose } from "../../net/protocol";

/** The replay in this page, or null when there is none. */
export function embedded(page: Document): Replay | null {
  const text = page.getElementById("replay")?.textContent;
  return text ? (JSON.parse(text) as Replay) : null;
}

export function fromBase64(text: string): ArrayBuffer {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

/** Poses at whole frames, and between them: places in a straight line, turns the short way. */
export class Clip {
  private readonly values: Float32Array;

  constructor(
    private readonly joints: number,
    readonly frames: number,
    poses: ArrayBuffer,
  ) {
    this.values = new Float32Array(poses);
    if (this.values.length !== frames * joints * 7) {
      throw new Error(`The replay has ${this.values.length} numbers and should have ${frames * joints * 7}.`);
    }
  }

  at(frame: number): { positions: Float32Array; wxyz: Float32Array } {
    const inside = Math.min(Math.max(frame, 0), this.frames - 1);
    const first = Math.min(Math.floor(inside), Math.max(this.frames - 2, 0));
    const share = inside - first;
    const a = this.whole(first);
    if (share === 0) return a;
    const b = this.whole(first + 1);
    const positions = a.positions.map((value, i) => value + share * ((b.positions[i] ?? value) - value));
    return { positions, wxyz: between(a.wxyz, b.wxyz, share) };
  }

  private whole(frame: number): { positions: Float32Array; wxyz: Float32Array } {
    const begin = frame * 7 * this.joints;
    const middle = begin + 3 * this.joints;
    return { positions: this.values.subarray(begin, middle), wxyz: this.values.subarray(middle, begin + 7 * this.joints) };
  }
}

/** Quaternions w x y z between two rows of them, normalised; frames are near each other. */
function between(a: Float32Array, b: Float32Array, share: number): Float32Array {
  const out = new Float32Array(a.length);
  for (let k = 0; k < a.length; k += 4) {
    let dot = 0;
    for (let i = k; i < k + 4; i++) dot += (a[i] ?? 0) * (b[i] ?? 0);
    const sign = dot < 0 ? -1 : 1; // q and −q are one turn
    let norm = 0;
    for (let i = k; i < k + 4; i++) {
      const value = (1 - share) * (a[i] ?? 0) + share * sign * (b[i] ?? 0);
      out[i] = value;
      norm += value * value;
    }
    for (let i = k; i < k + 4; i++) out[i] = (out[i] ?? 0) / Math.sqrt(norm);
  }
  return out;
}

function stateOf(replay: Replay): State {
  return {
    revision: 1,
    figure: replay.figure.id,
    effectors: [],
    goals: [],
    locked: [],
    fk: [],
    name: "",
    others: [],
    limits: replay.figure.joints.map(() => null),
    edited: [],
    method: { name: "", settings: {} },
    compare: null,
    timeline: {
      fps: replay.fps,
      frames: replay.frames,
      frame: 0,
      loop: replay.loop,
      span: 1,
      ease: "linear",
      auto_key: false,
      unkeyed: [],
      keys: replay.keys.map((frame, i) => ({ id: i + 1, frame, pose: true, goals: false, ease: null, handles: [0, 0, 1, 1] })),
      clip: replay.title,
      contacts: [],
    },
    poses: [],
    scene: { floor: false, balance: false, collisions: false, props: [] },
    undo: null,
    redo: null,
    advice: null,
    offer: null,
    hands: [],
    origin: null,
    symmetric: false,
  };
}

/** Answers what a server would: scrubs, frames for onion skins, looping, and the mesh. */
export class ReplayConnection implements Connection {
  private readonly clip: Clip;

  constructor(
    private readonly app: App,
    private readonly replay: Replay,
  ) {
    this.clip = new Clip(replay.figure.joints.length, replay.frames, fromBase64(replay.poses));
  }

  start(): void {
    this.app.connection = this;
    this.app.setLink("replay");
    this.app.setFigure(this.replay.figure);
    this.app.setState(stateOf(this.replay));
    this.scrub(0);
  }

  scrub(frame: number): void {
    this.app.setPose(this.pose(frame));
  }

  async command(name: string, args: { frames?: number[]; loop?: boolean; fps?: number }): Promise<Reply> {
    const { state } = this.app;
    if (name === "frames" && args.frames) {
      this.app.setFrames({ command: 0, frames: args.frames.map((frame) => ({ frame, ...this.clip.at(frame) })) });
    } else if (name === "timeline.set" && state) {
      const { loop = state.timeline.loop, fps = state.timeline.fps } = args;
      this.app.setState({ ...state, revision: state.revision + 1, timeline: { ...state.timeline, loop, fps } });
    } else throw new Error("A replay plays; it cannot be changed.");
    return { id: 0, ok: true };
  }

  async origin(): Promise<ArrayBuffer> {
    throw new Error("A replay has no source of its motion.");
  }

  async mesh(): Promise<ArrayBuffer> {
    if (this.replay.mesh === null) throw new Error("This replay has no mesh.");
    return fromBase64(this.replay.mesh);
  }

  drag(): void {
    this.app.note("A replay plays; it cannot be changed.");
  }

  readonly idle = true; // it answers at once

  answered(): null {
    return null;
  }

  private pose(frame: number): Pose {
    return {
      ...this.clip.at(frame),
      status: "unsolved",
      isFollowing: false,
      isStuck: false,
      sequence: 0,
      ms: NaN,
      frame,
      revision: this.app.state?.revision ?? 0,
      iterations: 0,
      q: new Float32Array(),
      goals: [],
      limits: [],
      ghost: null,
      why: "",
    };
  }
}

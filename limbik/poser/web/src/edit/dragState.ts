// The hand: which effector is held, where its target is now, and what the pointer is over.

import { Quaternion, type Vector3 } from "three";
import type { App } from "../state/app";
import type { Effector, Vec3, Vec4 } from "../net/messages";
import { propPlace } from "../scene/propPlace";
import { jointFrame, quaternion, toVec3, vector } from "./frames";

/** The effectors of the figure that is shown, but for those on limbs in FK; none while state and figure do
 *  not belong together. */
export function effectorsOf(app: App): Effector[] {
  const { figure, state, pose } = app;
  if (!figure || !state || !pose || state.figure !== figure.id) return [];
  return state.fk.length ? state.effectors.filter((effector) => !state.fk.includes(effector.joint)) : state.effectors;
}

/** Where an effector is in the newest pose. */
export function placeOf(app: App, effector: Effector): Vector3 {
  if (!app.pose) return vector(effector.position);
  const frame = jointFrame(app.pose, effector.joint);
  return vector(effector.at).applyQuaternion(frame.quaternion).add(frame.position);
}

/** How an effector is turned in the newest pose. */
export function turnOf(app: App, effector: Effector): Quaternion {
  return app.pose ? jointFrame(app.pose, effector.joint).quaternion : new Quaternion();
}

/** Where the target of an aim is that is tied to a joint or a prop, in the newest pose; null for others. */
export function lookedAt(app: App, effector: Effector): Vector3 | null {
  const { figure, pose, state } = app;
  if (effector.mode !== "aim" || !figure || !pose || !state) return null;
  const [kind, name] = [effector.look.split(":", 1)[0], effector.look.slice(effector.look.indexOf(":") + 1)];
  const joint = kind === "joint" ? figure.joints.findIndex((one) => one.name === name) : -1;
  if (joint >= 0) return jointFrame(pose, joint).position;
  const prop = kind === "prop" ? state.scene.props.find((one) => String(one.id) === name) : undefined;
  return prop ? propPlace(prop, pose).position : null;
}

/** How often a drag is asked for again while the hand rests, at most, and how long after an answer, ms. */
const REPEATS = 40;
const PAUSE = 30;

/** As a share of the figure's size: joints that went further since the last answer are still on their way. */
const STIR = 0.002;

export class Hand {
  /** Under the pointer: an effector by id, or a joint of the body. */
  overEffector: number | null = null;
  overJoint: number | null = null;

  private held: { effector: number; position: Vec3 | null; wxyz: Vec4 | null; moved: boolean } | null = null;
  private repeats = 0;
  private seen: Float32Array | null = null;

  constructor(
    private readonly app: App,
    /** Called when something that is drawn has changed. */
    private readonly changed: () => void,
  ) {}

  get holding(): number | null {
    return this.held?.effector ?? null;
  }

  /** Whether the held effector has been moved, so that there is something to undo. */
  get moved(): boolean {
    return this.held?.moved ?? false;
  }

  grab(effector: number): void {
    if (this.held && this.held.effector !== effector) this.release();
    this.held ??= { effector, position: null, wxyz: null, moved: false };
    this.changed();
  }

  /** Moves the target of the held effector; null leaves place or orientation as it was. */
  move(position: Vector3 | null, wxyz: Vec4 | null): void {
    if (!this.held) return;
    if (position) this.held.position = toVec3(position);
    if (wxyz) this.held.wxyz = wxyz;
    this.held.moved = true;
    this.repeats = 0;
    this.app.drag(this.held.effector, this.held.position, this.held.wxyz);
    this.changed();
  }

  /** A figure that is still on its way goes on while the hand rests, until it has arrived or is known to be
   *  held: what is seen when the hand lets go is what stays. */
  rest(): void {
    const before = this.seen;
    this.seen = this.held?.moved ? (this.app.pose?.positions ?? null) : null;
    const { pose, figure } = this.app;
    if (!pose || !figure || !this.seen) return;
    const stirred = before !== null && furthest(before, this.seen) > STIR * figure.size;
    if (!stirred && !pose.isFollowing) return;
    setTimeout(() => {
      if (!this.held?.moved || !this.app.idle || this.app.pose !== pose || this.repeats >= REPEATS) return;
      this.repeats++;
      this.app.drag(this.held.effector, this.held.position, this.held.wxyz);
    }, PAUSE);
  }

  release(): void {
    if (!this.held) return;
    const { moved } = this.held;
    this.held = null;
    if (moved) this.app.drop();
    this.changed();
  }

  /** Lets go and takes back what was moved. */
  cancel(): void {
    const undo = this.moved;
    this.release();
    if (undo) void this.app.do("undo");
  }

  over(effector: number | null, joint: number | null): void {
    if (effector === this.overEffector && joint === this.overJoint) return;
    this.overEffector = effector;
    this.overJoint = joint;
    this.changed();
  }

  /** Where an effector should be: in the hand, as the server last heard, or where it is. */
  targetOf(effector: Effector): Vector3 {
    if (this.held?.effector === effector.id && this.held.position) return vector(this.held.position);
    const report = this.app.report(effector.id);
    if (report && !report.position.some(Number.isNaN)) return vector(report.position);
    const tied = lookedAt(this.app, effector);
    if (tied) return tied;
    return effector.mode === "free" ? placeOf(this.app, effector) : vector(effector.position);
  }

  /** How an effector should be turned, or null without an orientation goal. */
  orientationOf(effector: Effector): Quaternion | null {
    const held = this.held?.effector === effector.id ? this.held.wxyz : null;
    const wxyz = held ?? this.app.report(effector.id)?.wxyz ?? effector.wxyz;
    return wxyz ? quaternion(wxyz) : null;
  }
}

/** How far the joint went that went furthest from some places (3 numbers each) to others. */
function furthest(before: Float32Array, now: Float32Array): number {
  let most = 0;
  for (let i = 0; i + 2 < now.length; i += 3) {
    most = Math.max(most, Math.hypot(now[i]! - before[i]!, now[i + 1]! - before[i + 1]!, now[i + 2]! - before[i + 2]!));
  }
  return most;
}

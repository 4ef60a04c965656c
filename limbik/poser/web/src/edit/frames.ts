// Where the parts of a joint are: the frame before a part, from the parent's frame and q.
//
// All in the figure's own axes and unit, as limbik's forward kinematics has it:
// parent · translate(offset) · rotate(wxyz) · parts.

import { Quaternion, Vector3 } from "three";
import type { FigureInfo, JointInfo, Part, Vec3, Vec4 } from "../net/messages";

export interface Frame {
  position: Vector3;
  quaternion: Quaternion;
}

/** What frames need of a pose: joints × 3, joints × 4 (wxyz) and q. */
export interface Placed {
  positions: ArrayLike<number>;
  wxyz: ArrayLike<number>;
  q: ArrayLike<number>;
}

/** The axes of a ball: two swing axes u, v and the twist axis t = u × v. */
export interface Axes {
  u: Vector3;
  v: Vector3;
  t: Vector3;
}

export type Ball = Extract<Part, { twist: Vec3 }>;
export type Mover = Extract<Part, { axis: Vec3 }>;

export function isBall(part: Part): part is Ball {
  return part.kind === "exponential" || part.kind === "swing-twist";
}

export function vector(v: ArrayLike<number>, at = 0): Vector3 {
  return new Vector3(v[at] ?? 0, v[at + 1] ?? 0, v[at + 2] ?? 0);
}

/** three.js has quaternions as x y z w, limbik as w x y z. */
export function quaternion(wxyz: ArrayLike<number>, at = 0): Quaternion {
  return new Quaternion(wxyz[at + 1] ?? 0, wxyz[at + 2] ?? 0, wxyz[at + 3] ?? 0, wxyz[at] ?? 1);
}

export function toVec3(v: Vector3): Vec3 {
  return [v.x, v.y, v.z];
}

export function toWxyz(q: Quaternion): Vec4 {
  return [q.w, q.x, q.y, q.z];
}

/** The rotation vector w as a rotation, exp(w). */
export function exponential(w: Vector3): Quaternion {
  const angle = w.length();
  if (angle < 1e-12) return new Quaternion();
  return new Quaternion().setFromAxisAngle(w.clone().divideScalar(angle), angle);
}

export function axesOf(ball: Ball): Axes {
  const t = vector(ball.twist);
  const u = vector(ball.swing);
  return { u, v: new Vector3().crossVectors(t, u), t };
}

/** The angle or length of a turn or slide; a coupled one follows its driver. */
export function valueOf(part: Mover, q: ArrayLike<number>): number {
  const driver = part.coordinate >= 0 ? part.coordinate : part.driver;
  return part.scale * (q[driver] ?? 0) + part.shift;
}

/** exp(s₁u + s₂v). */
export function swingRotation({ u, v }: Axes, s1: number, s2: number): Quaternion {
  return exponential(u.clone().multiplyScalar(s1).addScaledVector(v, s2));
}

/** The rotation of a ball. */
export function ballRotation(ball: Ball, q: ArrayLike<number>): Quaternion {
  const x = vector(q, ball.coordinate);
  if (ball.kind === "exponential") return exponential(x);
  const axes = axesOf(ball);
  return swingRotation(axes, x.x, x.y).multiply(exponential(axes.t.multiplyScalar(x.z)));
}

/** The two swing numbers and the twist of a ball, radians, whatever its coordinates are. */
export function swingTwistOf(ball: Ball, q: ArrayLike<number>): Vec3 {
  if (ball.kind === "swing-twist") return toVec3(vector(q, ball.coordinate));
  const { u, v, t } = axesOf(ball);
  const turn = ballRotation(ball, q);
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w); // the shorter way round
  const along = t.x * turn.x + t.y * turn.y + t.z * turn.z;
  const untwist = new Quaternion(-t.x * along, -t.y * along, -t.z * along, turn.w);
  // A half turn about an axis across t has no twist to speak of.
  if (untwist.length() < 1e-9) untwist.identity();
  const swing = turn.clone().multiply(untwist.normalize());
  const s = new Vector3(swing.x, swing.y, swing.z);
  const half = s.length();
  s.multiplyScalar(half < 1e-12 ? 2 : (2 * Math.atan2(half, swing.w)) / half);
  return [s.dot(u), s.dot(v), 2 * Math.atan2(along, turn.w)];
}

/** The frame of a joint in the world of the figure. */
export function jointFrame(pose: Placed, joint: number): Frame {
  return {
    position: vector(pose.positions, 3 * joint),
    quaternion: quaternion(pose.wxyz, 4 * joint),
  };
}

/** Where a joint is placed on its parent, before anything in it moves. */
export function placement(figure: FigureInfo, pose: Placed, joint: number): Frame {
  const info = figure.joints[joint] as JointInfo;
  const frame: Frame =
    info.parent < 0
      ? { position: new Vector3(), quaternion: new Quaternion() }
      : jointFrame(pose, info.parent);
  frame.position.add(vector(info.offset).applyQuaternion(frame.quaternion));
  frame.quaternion.multiply(quaternion(info.wxyz));
  return frame;
}

/** Moves a frame by one part. */
export function carry(frame: Frame, part: Part, q: ArrayLike<number>): void {
  if (isBall(part)) {
    frame.quaternion.multiply(ballRotation(part, q));
    return;
  }
  const axis = vector(part.axis);
  const value = valueOf(part, q);
  if (part.kind === "turn") frame.quaternion.multiply(new Quaternion().setFromAxisAngle(axis, value));
  else frame.position.addScaledVector(axis.applyQuaternion(frame.quaternion), value);
}

/** The frame just before part `count` of a joint; with all its parts it is the joint's own frame. */
export function frameBefore(figure: FigureInfo, pose: Placed, joint: number, count: number): Frame {
  const frame = placement(figure, pose, joint);
  for (const part of (figure.joints[joint] as JointInfo).parts.slice(0, count)) {
    carry(frame, part, pose.q);
  }
  return frame;
}

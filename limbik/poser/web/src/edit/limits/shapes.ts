// The shapes of a joint's limits: arcs of turns, bars of slides, cones of swings, arcs of twists.
//
// A shape lives in the frame before its part, where a turn's zero is along `reference`.  Radians,
// and lengths in the figure's unit; a gauge of radius 1 is scaled where it is drawn.

import { Quaternion, Vector3 } from "three";
import type { Limit, Part, Vec3 } from "../../net/messages";
import { type Axes, axesOf, isBall, swingRotation, vector } from "../frames";

/** Swing–twist coordinates are singular at a swing of π; limbik ends swings just before. */
export const SWING_END = (179 * Math.PI) / 180;

interface Ends {
  /** The part of the joint whose frame the shape is in. */
  part: number;
  /** Which of the joint's own coordinates has these ends; the coordinate in q. */
  slot: number;
  coordinate: number;
  lower: number | null;
  upper: number | null;
}

export type Arc = Ends & {
  shape: "arc";
  axis: Vector3;
  reference: Vector3;
  /** 1 or −1 where it turns about the bone itself, along the axis or against it; otherwise 0. */
  along: number;
};
export type Bar = Ends & { shape: "bar"; axis: Vector3 };
export type Twist = Ends & { shape: "twist"; axes: Axes; sign: number };
export interface Cone {
  shape: "cone";
  part: number;
  axes: Axes;
  /** −1 where the bone runs against the twist axis: the cone is drawn around the bone. */
  sign: number;
  /** An ellipse, or the box that two ranges of a swing–twist ball make. */
  box: boolean;
  half: [number, number];
  center: [number, number];
}
export type Shape = Arc | Bar | Twist | Cone;

/** What a joint's limit looks like: one shape for each thing that it bounds or could bound. */
export function shapesOf(
  joint: { first: number; parts: Part[] },
  limit: Limit | null,
  bone: Vec3,
): Shape[] {
  const shapes: Shape[] = [];
  const end = (side: "lower" | "upper", slot: number): number | null =>
    limit?.kind === "range" ? (limit[side][slot] ?? null) : null;
  joint.parts.forEach((part, index) => {
    if (!isBall(part)) {
      if (part.coordinate < 0) return; // its driver has the limit
      const slot = part.coordinate - joint.first;
      const ends = { part: index, slot, coordinate: part.coordinate, lower: end("lower", slot), upper: end("upper", slot) };
      const axis = vector(part.axis);
      if (part.kind === "slide") shapes.push({ shape: "bar", axis, ...ends });
      else shapes.push({ shape: "arc", axis, ...about(axis, vector(bone)), ...ends });
      return;
    }
    const axes = axesOf(part);
    const sign = axes.t.dot(vector(bone)) < 0 ? -1 : 1;
    const slot = part.coordinate - joint.first;
    if (limit?.kind === "range" && part.kind === "exponential") {
      // Ranges of a rotation vector: one arc about each of its axes.
      for (const k of [0, 1, 2]) {
        const axis = new Vector3().setComponent(k, 1);
        const ends = { part: index, slot: slot + k, coordinate: part.coordinate + k, lower: end("lower", slot + k), upper: end("upper", slot + k) };
        shapes.push({ shape: "arc", axis, ...about(axis, vector(bone)), ...ends });
      }
      return;
    }
    if (limit?.kind === "cone") {
      const { swing, center, twist } = limit;
      if (swing) shapes.push({ shape: "cone", part: index, axes, sign, box: false, half: swing, center });
      shapes.push({ shape: "twist", part: index, axes, sign, slot: slot + 2, coordinate: part.coordinate + 2, lower: twist[0], upper: twist[1] });
      return;
    }
    const box = boxOf([end("lower", slot), end("lower", slot + 1)], [end("upper", slot), end("upper", slot + 1)]);
    if (box) shapes.push({ shape: "cone", part: index, axes, sign, box: true, ...box });
    shapes.push({ shape: "twist", part: index, axes, sign, slot: slot + 2, coordinate: part.coordinate + 2, lower: end("lower", slot + 2), upper: end("upper", slot + 2) });
  });
  return shapes;
}

function boxOf(
  lower: (number | null)[],
  upper: (number | null)[],
): { half: [number, number]; center: [number, number] } | null {
  if ([...lower, ...upper].every((end) => end === null)) return null;
  const low = lower.map((end) => Math.max(end ?? -SWING_END, -SWING_END));
  const high = upper.map((end) => Math.min(end ?? SWING_END, SWING_END));
  const [l1, l2] = [low[0] as number, low[1] as number];
  const [h1, h2] = [high[0] as number, high[1] as number];
  return { half: [(h1 - l1) / 2, (h2 - l2) / 2], center: [(h1 + l1) / 2, (h2 + l2) / 2] };
}

function about(axis: Vector3, bone: Vector3): { reference: Vector3; along: number } {
  const cosine = axis.dot(bone.clone().normalize());
  return { reference: across(axis, bone), along: Math.abs(cosine) > 0.85 ? Math.sign(cosine) : 0 };
}

/** The unit vector across an axis that is nearest to the bone, so that a needle lies along it. */
export function across(axis: Vector3, bone: Vector3): Vector3 {
  const choices = [bone.clone().normalize(), new Vector3(0, 1, 0), new Vector3(0, 0, 1), new Vector3(1, 0, 0)];
  for (const choice of choices) {
    choice.addScaledVector(axis, -choice.dot(axis));
    if (choice.length() > 0.2) return choice.normalize();
  }
  return new Vector3(1, 0, 0);
}

/** Direction of a swing: exp(s₁u + s₂v)·t. */
export function swungDirection(axes: Axes, s1: number, s2: number): Vector3 {
  return axes.t.clone().applyQuaternion(swingRotation(axes, s1, s2));
}

/** The swing numbers that bring t to a direction; the inverse of `swungDirection` within π. */
export function swingTo(axes: Axes, direction: Vector3): [number, number] {
  const way = direction.clone().normalize();
  const turn = new Vector3().crossVectors(axes.t, way);
  const sine = turn.length();
  const angle = Math.atan2(sine, axes.t.dot(way));
  if (sine < 1e-12) return [angle, 0];
  turn.multiplyScalar(angle / sine);
  return [turn.dot(axes.u), turn.dot(axes.v)];
}

/** The swing numbers on a cone's edge, φ from 0 to 2π. */
export function edgeSwing(cone: Cone, phi: number): [number, number] {
  let [x, y] = [Math.cos(phi), Math.sin(phi)];
  if (cone.box) {
    const longest = Math.max(Math.abs(x), Math.abs(y));
    [x, y] = [x / longest, y / longest];
  }
  return [cone.center[0] + cone.half[0] * x, cone.center[1] + cone.half[1] * y];
}

/** Directions of the bone on a cone's edge, closed: the last repeats the first. */
export function edgeDirections(cone: Cone, steps: number): Vector3[] {
  return Array.from({ length: steps + 1 }, (_, i) =>
    swungDirection(cone.axes, ...edgeSwing(cone, (2 * Math.PI * i) / steps)).multiplyScalar(cone.sign),
  );
}

/** Where a turn by `angle` brings the reference of an arc. */
export function arcDirection(arc: Arc, angle: number): Vector3 {
  return arc.reference.clone().applyQuaternion(new Quaternion().setFromAxisAngle(arc.axis, angle));
}

/** Where a twist brings u, after a swing. */
export function twistDirection(axes: Axes, s1: number, s2: number, angle: number): Vector3 {
  return axes.u
    .clone()
    .applyQuaternion(new Quaternion().setFromAxisAngle(axes.t, angle))
    .applyQuaternion(swingRotation(axes, s1, s2));
}

/** What of an arc is drawn: an open end goes half way round, and no more than once around. */
export function drawnArc(lower: number | null, upper: number | null): [number, number] {
  const low = lower ?? Math.min(-Math.PI, (upper ?? 0) - Math.PI);
  const high = upper ?? Math.max(Math.PI, (lower ?? 0) + Math.PI);
  return high - low > 2 * Math.PI ? [-Math.PI, Math.PI] : [low, high];
}

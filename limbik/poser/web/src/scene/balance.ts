// Balance: the centre of mass of a pose, what the figure stands on, and how far inside that it is.
//
// The rules are those of the server's scene_goals.py: a figure stands on its pins below the centre
// of mass, a body without such pins on its feet.

import { Vector3 } from "three";
import { jointFrame, vector, type Placed } from "../edit/frames";
import type { BodyInfo, EffectorInfo, FigureInfo } from "../net/messages";

export type Flat = [number, number];

/** A point of a joint's frame in the figure's axes. */
export function carried(pose: Placed, joint: number, at: ArrayLike<number>): Vector3 {
  const { position, quaternion } = jointFrame(pose, joint);
  return vector(at).applyQuaternion(quaternion).add(position);
}

/** The centre of mass, null for a figure without masses. */
export function centreOfMass(body: BodyInfo, pose: Placed): Vector3 | null {
  const sum = new Vector3();
  let total = 0;
  for (const { joint, mass, center } of body.masses) {
    sum.addScaledVector(carried(pose, joint, center), mass);
    total += mass;
  }
  return total > 0 ? sum.divideScalar(total) : null;
}

/** The points on which the figure stands. */
export function supportPoints(
  figure: FigureInfo,
  body: BodyInfo,
  effectors: readonly EffectorInfo[],
  pose: Placed,
  centre: Vector3,
): Vector3[] {
  const up = "xyz".indexOf(figure.up);
  const height = centre.getComponent(up);
  const low = effectors.filter((e) => e.mode === "pin" && (pose.positions[3 * e.joint + up] ?? 0) < height);
  const sole = (joint: number): Vector3[] =>
    (body.soles.find((one) => one.joint === joint)?.points ?? []).map((point) => carried(pose, point.joint, point.at));
  if (low.length === 0) return body.feet.flatMap(sole);
  const joints = new Set(low.map((e) => e.joint));
  const above = new Set<number>(); // those that carry another of them, as hips on a chair do
  for (const joint of joints) {
    for (let at = figure.joints[joint]?.parent ?? -1; at >= 0; at = figure.joints[at]?.parent ?? -1) {
      if (joints.has(at)) above.add(at);
    }
  }
  return low.flatMap((e) => (above.has(e.joint) ? [carried(pose, e.joint, e.at)] : sole(e.joint)));
}

/** The two directions that are level, so that (first, second, up) is right-handed. */
export function levelAxes(up: FigureInfo["up"]): [number, number] {
  const at = "xyz".indexOf(up);
  return [(at + 1) % 3, (at + 2) % 3];
}

/** The convex hull of points, counter-clockwise (Andrew's monotone chain). */
export function hullOf(points: readonly Flat[]): Flat[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const chain = (some: Flat[]): Flat[] => {
    const out: Flat[] = [];
    for (const p of some) {
      while (out.length > 1 && cross(out.at(-2)!, out.at(-1)!, p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

function cross(a: Flat, b: Flat, c: Flat): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** How far a point is inside a hull, from its edge; negative outside. */
export function depthIn(hull: readonly Flat[], [x, y]: Flat): number {
  let nearest = Infinity;
  let inside = hull.length > 2;
  hull.forEach((a, i) => {
    const b = hull[(i + 1) % hull.length]!;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = dx * dx + dy * dy;
    const t = length > 0 ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / length)) : 0;
    nearest = Math.min(nearest, Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy));
    if (cross(a, b, [x, y]) < 0) inside = false;
  });
  return inside ? nearest : -nearest;
}

export interface Balance {
  centre: Vector3;
  /** What the figure stands on, seen from above; empty where it stands on nothing. */
  hull: Flat[];
  /** How far inside the centre of mass is, negative outside, in the figure's unit. */
  inside: number;
}

export function balanceOf(
  figure: FigureInfo,
  body: BodyInfo,
  effectors: readonly EffectorInfo[],
  pose: Placed,
): Balance | null {
  const centre = centreOfMass(body, pose);
  if (!centre) return null;
  const [one, two] = levelAxes(figure.up);
  const flat = (p: Vector3): Flat => [p.getComponent(one), p.getComponent(two)];
  const hull = hullOf(supportPoints(figure, body, effectors, pose, centre).map(flat));
  return { centre, hull, inside: hull.length > 0 ? depthIn(hull, flat(centre)) : -Infinity };
}

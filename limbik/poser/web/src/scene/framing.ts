// Where things are and from where to look at them: pure functions on numbers.

import type { FigureInfo, Vec3 } from "../net/messages";

export interface Sphere {
  center: Vec3;
  radius: number;
}

/** A sphere around points (3 numbers each) of which only `which` count, all where it is omitted. */
export function enclose(points: ArrayLike<number>, which?: Iterable<number>): Sphere {
  const chosen = which ? [...which] : Array.from({ length: points.length / 3 }, (_, i) => i);
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (const i of chosen) {
    for (let k = 0; k < 3; k++) {
      const value = points[3 * i + k]!;
      low[k] = Math.min(low[k]!, value);
      high[k] = Math.max(high[k]!, value);
    }
  }
  if (chosen.length === 0) return { center: [0, 0, 0], radius: 0 };
  const center = low.map((value, k) => (value + high[k]!) / 2) as Vec3;
  let radius = 0;
  for (const i of chosen) {
    const [x, y, z] = [0, 1, 2].map((k) => points[3 * i + k]! - center[k]!) as Vec3;
    radius = Math.max(radius, Math.hypot(x, y, z));
  }
  return { center, radius };
}

/** The mean of points, 3 numbers each. */
export function middle(points: ArrayLike<number>): Vec3 {
  const sum: Vec3 = [0, 0, 0];
  for (let i = 0; i < points.length; i++) sum[i % 3] = sum[i % 3]! + points[i]!;
  const count = Math.max(points.length / 3, 1);
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}

/** The places of a joint, its parent and its children: 3 numbers each. */
export function neighbourhood(figure: FigureInfo, positions: ArrayLike<number>, joint: number): Float32Array {
  const parent = figure.joints[joint]?.parent;
  const near = figure.joints.flatMap((other, i) =>
    i === joint || i === parent || other.parent === joint ? [i] : [],
  );
  return new Float32Array(near.flatMap((i) => [0, 1, 2].map((k) => positions[3 * i + k]!)));
}

/** Slow at both ends. */
export function ease(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
}

export interface Fit {
  /** The point to look at, along right, up and towards the eye. */
  center: Vec3;
  distance: number;
}

/** How to see points (right, up, towards the eye; 3 numbers each) whole: what to look at and from how
 *  far, so that the outermost just touch the frame.  fov: vertical, in degrees; aspect: width / height;
 *  flat: without perspective, so that it does not matter how near to the eye a point is; margin: 1.1
 *  leaves a tenth free. */
export function fit(points: ArrayLike<number>, fov: number, aspect: number, flat = false, margin = 1.2): Fit {
  const { center } = enclose(points);
  const tall = Math.tan((fov * Math.PI) / 360) / margin;
  const wide = tall * aspect;
  let distance = 0;
  for (let i = 0; i < points.length; i += 3) {
    const across = Math.abs(points[i]! - center[0]) / wide;
    const up = Math.abs(points[i + 1]! - center[1]) / tall;
    const nearer = flat ? 0 : points[i + 2]! - center[2];
    distance = Math.max(distance, nearer + Math.max(across, up));
  }
  return { center, distance };
}

export interface Spacing {
  minor: number;
  major: number;
}

/** Distances of the floor's lines in the figure's unit: 1 or 5 times a power of ten, the strong ones
 *  about half of the figure's size apart, so that a person 1.8 m tall stands on metres. */
export function gridSpacing(size: number): Spacing {
  if (!(size > 0) || !Number.isFinite(size)) return { minor: 0.1, major: 1 };
  const wanted = Math.log10(size / 2);
  const tens = Math.floor(wanted);
  const part = wanted - tens;
  const half = Math.log10(5);
  // Nearest on a logarithmic scale among 1, 5 and 10.
  if (part < half / 2) return { minor: 10 ** (tens - 1), major: 10 ** tens };
  if (part < (1 + half) / 2) return { minor: 10 ** tens, major: 5 * 10 ** tens };
  return { minor: 10 ** tens, major: 10 ** (tens + 1) };
}

/** Which side of a body a joint is on, from its role or its name. */
export function sideOf(name: string, role: string): "left" | "right" | "middle" {
  for (const text of [role, name]) {
    if (/^left|(^|[^a-z])left|Left/.test(text)) return "left";
    if (/^right|(^|[^a-z])right|Right/.test(text)) return "right";
  }
  // "L_Hand", "hand.l", "mixamorig:LArm", "L1Femur": a lone letter beside a separator or a capital.
  if (/(^|[_.:\-\s])[Ll]([_.\-\s]|$)/.test(name) || /(^|:)L([0-9A-Z]|$)/.test(name)) return "left";
  if (/(^|[_.:\-\s])[Rr]([_.\-\s]|$)/.test(name) || /(^|:)R([0-9A-Z]|$)/.test(name)) return "right";
  return "middle";
}

/** Where the figure looks, in its own axes and along the floor: from the places of its left and right
 *  joints where both are there, else +z for figures with y up and +x for others, as is usual. */
export function facing(figure: FigureInfo, positions: ArrayLike<number>): Vec3 {
  const up = "xyz".indexOf(figure.up);
  const across: Vec3 = [0, 0, 0];
  const count = { left: 0, right: 0 };
  for (const side of ["left", "right"] as const) {
    const sum: Vec3 = [0, 0, 0];
    figure.joints.forEach((joint, i) => {
      if (sideOf(joint.name, joint.role) !== side) return;
      count[side]++;
      for (let k = 0; k < 3; k++) sum[k] = sum[k]! + positions[3 * i + k]!;
    });
    const sign = side === "left" ? 1 : -1;
    for (let k = 0; k < 3; k++) across[k] = across[k]! + (sign * sum[k]!) / Math.max(count[side], 1);
  }
  across[up] = 0;
  const length = Math.hypot(...across);
  if (count.left === 0 || count.right === 0 || length < 1e-3 * figure.size) {
    return figure.up === "y" ? [0, 0, 1] : figure.up === "z" ? [1, 0, 0] : [0, 0, 1];
  }
  const [x, y, z] = across.map((value) => value / length) as Vec3;
  // left × up
  return up === 0 ? [0, z, -y] : up === 1 ? [-z, 0, x] : [y, -x, 0];
}

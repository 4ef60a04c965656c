// The shapes of bones: bodies of revolution with a fuller upper half, round ends, and balls at joints.

import type { Vec3 } from "../../net/messages";

/** A bone in the frame of the joint it moves with. */
export interface BoneShape {
  from: Vec3;
  to: Vec3;
  /** Radius at `from`, at the fullest place, and at `to`. */
  start: number;
  belly: number;
  end: number;
  /** From one radius to the other without a belly, as the parts of a trunk are. */
  straight?: boolean;
  /** Rounded like an egg between its ends, as heads are, instead of having a waist at each. */
  egg?: boolean;
  /** Corners around it. */
  corners: number;
  /** Whether its start or end goes on in the bone before or after it, without a cap between them. */
  joins?: { start: boolean; end: boolean };
  /** Where wider than deep: the direction of the width (unit vector), and both as shares of the radius. */
  wide?: { along: Vec3; width: number; depth: number };
}

export type Profile = Pick<BoneShape, "start" | "belly" | "end" | "straight" | "joins">;

export interface Surface {
  positions: number[];
  normals: number[];
  indices: number[];
  /** How far along its bone each vertex is, 0 … 1. */
  shares: number[];
}

const CAP = 4; // rings of a round end
const BODY = 6; // rings between the ends
const INSIDE = 0.96;

/** Corners around a bone, by its radius as a share of the figure's size: fingers need few. */
export function cornersFor(share: number): number {
  return share < 0.008 ? 10 : share < 0.03 ? 18 : 24;
}

/** Where along a bone it is fullest: nearer to the joint it hangs on, as muscles are. */
const FULLEST = 0.34;

/** Radius at the share t of a bone's length, 0 … 1. */
export function boneRadius(shape: Profile, t: number): number {
  if (shape.straight) {
    // Shoulders stay broad until close to the neck.
    const share = shape.end < 0.7 * shape.start ? t ** 3.5 : t * t * (3 - 2 * t);
    return shape.start + (shape.end - shape.start) * share;
  }
  const side = t < FULLEST ? t / FULLEST : (1 - t) / (1 - FULLEST);
  // Level at the belly, and nearly straight where it runs into the joint.
  const rise = Math.sin((Math.min(Math.max(side, 0), 1) * Math.PI) / 2) ** 1.25;
  const base = t < FULLEST ? shape.start : shape.end;
  return base + (shape.belly - base) * rise;
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(v: Vec3): Vec3 {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}

/** Three unit vectors at right angles, the last along `along`, the first as near as can be to `wide`. */
export function basis(along: Vec3, wide?: Vec3): [Vec3, Vec3, Vec3] {
  const z = unit(along);
  const least = z.map(Math.abs).indexOf(Math.min(...z.map(Math.abs)));
  let aside: Vec3 = [0, 1, 2].map((k) => (k === least ? 1 : 0)) as Vec3;
  if (wide && Math.hypot(...cross(wide, z)) > 0.2 * Math.hypot(...wide)) aside = wide;
  const y = unit(cross(z, aside));
  return [cross(y, z), y, z];
}

/** The outline of a bone of some length: heights along it and radii, from pole to pole. */
export function outline(shape: Profile, length: number): [height: number, radius: number][] {
  const points: [number, number][] = [];
  const cap = (k: number, radius: number): [number, number] => {
    const lift = ((Math.PI / 2) * k) / CAP;
    return [radius * Math.sin(lift), Math.abs(k) === CAP ? 0 : radius * Math.cos(lift)];
  };
  // Where a bone goes on in another its cap is only there to leave no gap, a little inside; and the
  // ring before it is there twice, so that light does not bend around an edge that nobody sees.
  const { start: before = false, end: after = false } = shape.joins ?? {};
  for (let k = -CAP; k < (before ? 1 : 0); k++) points.push(cap(k, shape.start * (before ? INSIDE : 1)));
  if (before) points.push([0, shape.start]);
  for (let k = 0; k <= BODY; k++) points.push([(length * k) / BODY, boneRadius(shape, k / BODY)]);
  if (after) points.push([length, shape.end]);
  for (let k = after ? 0 : 1; k <= CAP; k++) {
    const [height, radius] = cap(k, shape.end * (after ? INSIDE : 1));
    points.push([length + height, radius]);
  }
  return points;
}

/** Vertices of the two rings at which a bone goes on in another, from its first vertex on. */
export function joiningRings(shape: BoneShape, end: "start" | "end"): [edge: number, twin: number] {
  const row = shape.corners + 1;
  const first = shape.joins?.start ? CAP + 2 : CAP;
  return end === "start" ? [first * row, (first - 1) * row] : [(first + BODY) * row, (first + BODY + 1) * row];
}

/** The outline of an egg between two heights, its blunt end at the far one. */
export function eggOutline(low: number, high: number, radius: number): [height: number, radius: number][] {
  const rings = 2 * CAP + BODY;
  return Array.from({ length: rings + 1 }, (_, k): [number, number] => {
    const lift = -Math.PI / 2 + (Math.PI * k) / rings;
    const height = (low + high) / 2 + ((high - low) / 2) * Math.sin(lift);
    const slim = 1 - 0.14 * (1 - Math.sin(lift)) * Math.cos(lift);
    return [height, k === 0 || k === rings ? 0 : radius * Math.cos(lift) * slim];
  });
}

/** Adds a body of revolution to a surface: outline from pole to pole around the line at `from`. */
function revolve(
  surface: Surface,
  points: [number, number][],
  from: Vec3,
  [x, y, z]: [Vec3, Vec3, Vec3],
  corners: number,
  length = 0,
  width = 1,
  depth = 1,
): void {
  const first = surface.positions.length / 3;
  points.forEach(([height, radius], ring) => {
    const share = length > 0 ? Math.min(Math.max(height / length, 0), 1) : 0;
    const before = points[Math.max(ring - 1, 0)]!;
    const after = points[Math.min(ring + 1, points.length - 1)]!;
    const pole = radius > 0 ? 0 : ring === 0 ? -1 : 1;
    const rise = after[0] - before[0];
    const growth = after[1] - before[1];
    for (let k = 0; k <= corners; k++) {
      const turn = (2 * Math.PI * k) / corners;
      const [c, s] = [Math.cos(turn), Math.sin(turn)];
      const normal = unit(pole ? [0, 0, pole] : [(c * rise) / width, (s * rise) / depth, -growth]);
      surface.shares.push(share);
      for (let i = 0; i < 3; i++) {
        surface.positions.push(
          from[i]! + radius * (c * width * x[i]! + s * depth * y[i]!) + height * z[i]!,
        );
        surface.normals.push(normal[0] * x[i]! + normal[1] * y[i]! + normal[2] * z[i]!);
      }
    }
  });
  const row = corners + 1;
  for (let ring = 0; ring + 1 < points.length; ring++) {
    for (let k = 0; k < corners; k++) {
      const a = first + ring * row + k;
      // The poles are points: half of the triangles there would have no area.
      if (points[ring]![1] > 0) surface.indices.push(a, a + 1, a + row + 1);
      if (points[ring + 1]![1] > 0) surface.indices.push(a, a + row + 1, a + row);
    }
  }
}

/** Whether a bone is too short to be drawn but as a ball, which has other rings than a bone. */
export function isBall({ from, to, belly }: BoneShape): boolean {
  return Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]) < 1e-3 * belly;
}

/** Adds a bone to a surface; one without a length is a ball. */
export function addBone(surface: Surface, shape: BoneShape): void {
  const along: Vec3 = [0, 1, 2].map((k) => shape.to[k]! - shape.from[k]!) as Vec3;
  const length = Math.hypot(...along);
  const { width = 1, depth = 1 } = shape.wide ?? {};
  if (isBall(shape)) {
    const across = shape.wide ? basis(shape.wide.along)[0] : ([0, 0, 1] as Vec3);
    revolve(surface, ballOutline(shape.belly), shape.from, basis(across, shape.wide?.along), shape.corners, 0, width, depth);
    return;
  }
  const points = shape.egg ? eggOutline(-0.2 * shape.start, Math.max(length, 2 * shape.belly), shape.belly) : outline(shape, length);
  revolve(surface, points, shape.from, basis(along, shape.wide?.along), shape.corners, length, width, depth);
}

function ballOutline(radius: number): [number, number][] {
  const rings = 2 * CAP;
  return Array.from({ length: rings + 1 }, (_, k): [number, number] => {
    const lift = -Math.PI / 2 + (Math.PI * k) / rings;
    return [radius * Math.sin(lift), k === 0 || k === rings ? 0 : radius * Math.cos(lift)];
  });
}

/** Adds a ball to a surface. */
export function addBall(surface: Surface, center: Vec3, radius: number, corners: number): void {
  revolve(surface, ballOutline(radius), center, basis([0, 0, 1]), corners);
}

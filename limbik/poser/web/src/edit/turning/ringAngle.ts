// How far a ring has been turned by the pointer: the point of the ring that was taken stays under it.

import { Plane, Vector3 } from "three";
import { rayAt, spotOf, type View } from "../view";

/** A ring in the figure's axes: its middle, the unit axis it turns about, and its radius. */
export interface Ring {
  center: Vector3;
  axis: Vector3;
  radius: number;
}

/** Below this cosine between axis and line of sight a ring is seen from its edge. */
const EDGE = 0.2;

/** Two unit vectors across the ring's axis. */
export function across(axis: Vector3): [Vector3, Vector3] {
  const k = [axis.x, axis.y, axis.z].map(Math.abs);
  const least = k.indexOf(Math.min(...k));
  const u = new Vector3().setComponent(least, 1).cross(axis).normalize();
  return [u, new Vector3().crossVectors(axis, u)];
}

/** Points on a ring, in the figure's axes; the first is the last. */
export function ringPoints({ center, axis, radius }: Ring, count = 64): Vector3[] {
  const [u, v] = across(axis);
  return Array.from({ length: count + 1 }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return center.clone().addScaledVector(u, radius * Math.cos(angle)).addScaledVector(v, radius * Math.sin(angle));
  });
}

/** Where the pointer is on the ring's plane, as an angle in radians; null where that says nothing. */
function angleAt(view: View, ring: Ring, x: number, y: number): number | null {
  const ray = rayAt(view, x, y);
  if (Math.abs(ray.direction.dot(ring.axis)) < EDGE) return null;
  const hit = ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(ring.axis, ring.center), new Vector3());
  if (!hit) return null;
  const [u, v] = across(ring.axis);
  const way = hit.sub(ring.center);
  return Math.atan2(way.dot(v), way.dot(u));
}

/** The angle of the ring's point that is nearest to a place on the screen. */
export function nearestAngle(view: View, ring: Ring, x: number, y: number): number {
  const points = ringPoints(ring, 180);
  let best = 0;
  let least = Infinity;
  points.forEach((point, i) => {
    const spot = spotOf(view, point);
    const away = Math.hypot(spot.x - x, spot.y - y);
    if (away < least) [least, best] = [away, (2 * Math.PI * i) / 180];
  });
  return best;
}

/** How far the pointer turns a ring by a small move, in radians about its axis; `grabbed` is the angle of
 *  the point that is held. */
export function turnedBy(view: View, ring: Ring, grabbed: number, from: { x: number; y: number }, to: { x: number; y: number }): number {
  const [before, after] = [angleAt(view, ring, from.x, from.y), angleAt(view, ring, to.x, to.y)];
  if (before !== null && after !== null) {
    const by = after - before;
    return by - 2 * Math.PI * Math.round(by / (2 * Math.PI));
  }
  // From its edge a ring is a line: along it, as far as its front moves.
  const [u, v] = across(ring.axis);
  const point = ring.center.clone().addScaledVector(u, ring.radius * Math.cos(grabbed)).addScaledVector(v, ring.radius * Math.sin(grabbed));
  const along = v.multiplyScalar(Math.cos(grabbed)).addScaledVector(u, -Math.sin(grabbed));
  const a = spotOf(view, point);
  const b = spotOf(view, point.addScaledVector(along, 0.01 * ring.radius));
  const pixels = Math.hypot(b.x - a.x, b.y - a.y);
  if (pixels < 1e-6) return 0;
  const moved = ((to.x - from.x) * (b.x - a.x) + (to.y - from.y) * (b.y - a.y)) / pixels;
  return (0.01 * moved) / pixels;
}
